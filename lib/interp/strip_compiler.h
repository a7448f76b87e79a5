// Private to lib/interp: formulas as programs over strips.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "interp/evaluate_formula.h"
#include "interp/strip_program.h"

namespace mlgc::strips {

// Compiles expressions; symbols are replaced by their values.
class StripCompiler {
 public:
  // `extents` by slot; they must outlive the compiler. The reductions of `running` are carried from strip to strip:
  // they are running ones along the strip's index label, whose strips the machine is given in order.
  StripCompiler(FormulaPool& pool, const SymbolValues& symbols, const std::vector<std::int64_t>& extents,
                std::vector<ExprId> running = {});
  std::unique_ptr<Node> compile(ExprId e);
  std::unique_ptr<IndexProgram> compile(IndexExpr e);
  [[nodiscard]] std::uint32_t slot(AtomId label) const;

 private:
  FormulaPool& pool_;
  const SymbolValues& symbols_;
  const std::vector<std::int64_t>& extents_;
  std::vector<ExprId> running_;
  std::size_t slots_;
};

}  // namespace mlgc::strips
