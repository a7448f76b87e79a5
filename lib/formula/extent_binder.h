// Finds the ranks of packs and the extents of index labels and axes in the reads and the `where` of a statement.
// Guarantees: afterwards every pack that the statement mentions has a rank, and every index label or axis that a read
// or `where` speaks of has one extent on which all places agree; where they disagree, or where the facts do not decide
// it, the statement is refused naming both places.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formula/expression_builder.h"
#include "formula/formula_scope.h"
#include "formula/statement_axes.h"

namespace mlgc::instantiation {

class ExtentBinder {
 public:
  // Conditions, ranks and sizes in the text are numbers, which `expressions` builds.
  ExtentBinder(const FormulaScope& scope, StatementAxes& axes, ExpressionBuilder& expressions)
      : index_(scope.pool().index()), scope_(scope), axes_(axes), expressions_(expressions) {}

  void bind(const SyntaxStatement& st);

 private:
  // Index labels of the ground form, with the extents that it states.
  void bind_ground();
  // Calls `visit(node)` for every present read in the statement that is not on a static side not taken.
  void for_each_read(SyntaxId root, const std::function<void(const SyntaxNode&)>& visit);
  void find_ranks(const SyntaxStatement& st);
  void find_stated_ranks(const SyntaxStatement& st);
  void find_rank_in(const SyntaxNode& read);
  void learn_rank(const std::string& pack, std::size_t rank, bool at_least);
  // The place that a push writes to, as if it were read from the operand that the result starts as: a bare subscript
  // binds there as well.
  [[nodiscard]] std::optional<SyntaxNode> target_in_base(const SyntaxStatement& st) const;
  void bind_extents(SyntaxId root);
  void bind_read(const SyntaxNode& n);
  void bind_where(const SyntaxStatement& st);
  void bind_stated_label(const SyntaxNode& target, IndexExpr size);
  // Bare operands take part in binding the pack `B`.
  void bind_bare_operands(SyntaxId root, bool ranks);
  void bind_bare_operand(const FormulaTensor& operand, bool ranks);

  IndexPool& index_;
  const FormulaScope& scope_;
  StatementAxes& axes_;
  ExpressionBuilder& expressions_;
  std::vector<std::string> fixed_rank_, list_rank_;
};

}  // namespace mlgc::instantiation
