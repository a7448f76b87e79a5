// Private to lib/interp: the sizes of a loop function that is compiled.
#pragma once

#include <cstdint>
#include <vector>

#include "interp/loop_program.h"

namespace mlgc::loop_program {

// The values of a function's symbols, and what its sizes are with them. What has no value where one is needed is a
// Diagnostic at `at`.
class Sizes {
 public:
  Sizes(OpRef func, SymbolValue symbols) : func_(func), symbols_(std::move(symbols)) {}

  [[nodiscard]] bool knows(AtomId symbol) const { return symbols_(symbol).has_value(); }
  // A size that the run has found; it and what was known before must fulfil the function's constraints.
  void learn(AtomId symbol, std::int64_t value, Location at);
  [[nodiscard]] const SymbolValue& symbols() const { return symbols_; }

  [[nodiscard]] std::int64_t size(IndexExpr e, Location at) const;          // not negative
  [[nodiscard]] IndexExpr without_symbols(IndexExpr e, Location at) const;  // may be IndexPool::overflow()
  [[nodiscard]] std::vector<std::int64_t> shape_of(Value buffer, Location at) const;
  // A buffer with a dim that becomes known during the run.
  [[nodiscard]] bool is_late(Value buffer) const;

 private:
  OpRef func_;
  SymbolValue symbols_;
};

}  // namespace mlgc::loop_program
