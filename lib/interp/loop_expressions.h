// Private to lib/interp: index expressions and scalar formulas as instructions.
#pragma once

#include <vector>

#include "interp/loop_sizes.h"
#include "interp/loop_writer.h"

namespace mlgc::loop_program {

// Writes the index expressions of an op: what is not affine becomes registers, what is stays a form over them.
class IndexWriter {
 public:
  IndexWriter(OpRef op, const Sizes& sizes, ProgramWriter& code)
      : op_(op), index_(op.module().context().index()), sizes_(sizes), code_(code) {}

  [[nodiscard]] AffineForm affine(IndexExpr e);
  [[nodiscard]] RegisterId value(IndexExpr e);

 private:
  RegisterId atom(AtomId id);

  OpRef op_;
  IndexPool& index_;
  const Sizes& sizes_;
  ProgramWriter& code_;
};

// Writes scalar formulas over operands in registers.
class ScalarWriter {
 public:
  ScalarWriter(FormulaPool& pool, const Sizes& sizes, bool round, ProgramWriter& code)
      : pool_(pool), sizes_(sizes), round_(round), code_(code) {}

  [[nodiscard]] RegisterId value(ExprId e, const std::vector<RegisterId>& operands);

 private:
  RegisterId literal(ExprId e);
  RegisterId select(const std::vector<ExprId>& args, const std::vector<RegisterId>& operands);

  FormulaPool& pool_;
  const Sizes& sizes_;
  bool round_;
  ProgramWriter& code_;
};

}  // namespace mlgc::loop_program
