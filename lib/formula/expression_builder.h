// Typed expressions and subscripts of a statement. Guarantees: every expression built has a dtype that its function
// admits, every read has one integer subscript an axis, and what reads only absent operands is the invalid ExprId,
// which vanishes from the sum or product around it.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formula/formula_scope.h"
#include "formula/statement_axes.h"

namespace mlgc::instantiation {

// What `_` and the one-argument `dim` mean inside `{d: e}`.
struct MapContext {
  IndexExpr label;
  std::size_t position = 0;  // axis within the pack
  std::size_t ordinal = 0;   // place of the axis in the axis list
  std::size_t offset = 0;    // first dim of the pack in the operand being read
  std::size_t rank = 0;      // of the pack
};

class ExpressionBuilder {
 public:
  using GivenNames = std::vector<std::pair<std::string_view, ExprId>>;

  // `given`: names that stand for expressions, if any. What an expression mentions must have its extent by then.
  ExpressionBuilder(FormulaScope& scope, StatementAxes& axes, const GivenNames* given = nullptr)
      : pool_(scope.pool()), index_(pool_.index()), scope_(scope), axes_(axes), given_(given) {}

  ExprId build(SyntaxId id);
  // Which side of a `when` is taken.
  bool static_condition(SyntaxId id);
  IndexExpr as_index(ExprId e, const SyntaxNode& node);
  IndexExpr index_of(SyntaxId id) { return as_index(build(id), scope_.at(id)); }
  // As the map of an axis; `node`: for messages.
  IndexExpr mapped_index(SyntaxId id, const MapContext& map, const SyntaxNode& node);
  AtomId label_atom(const LabelKey& key, const SyntaxNode& node);
  // `shape`: of the operand that is read; null for a place that is written.
  std::vector<IndexExpr> subscripts_of(const std::vector<SyntaxId>& list, std::size_t count,
                                       const std::vector<IndexExpr>* shape);

 private:
  // The index label of an axis of a pack: the innermost reduction over that axis, else the statement's own.
  AtomId pack_label(const std::string& name, std::size_t axis);
  ExprId build_read(const SyntaxNode& n);
  ExprId build_name(const SyntaxNode& n);
  ExprId build_attribute(const SyntaxNode& n, const std::string& name, const AttrValue& value,
                         std::optional<std::size_t> element);
  ExprId build_read_elementwise(const SyntaxNode& n);
  ExprId build_extent(const SyntaxNode& n);
  // `linear(B..)`: the row-major position of the index labels of a pack.
  ExprId build_linear(const SyntaxNode& n);
  // min and max of sizes, decided where the facts of the function decide it.
  std::optional<ExprId> decided_extremum(const std::string& name, const std::vector<ExprId>& args);
  // `axis(d, x)`: the axis d of x, counted from the front.
  ExprId build_axis(const SyntaxNode& n);
  ExprId build_dim(const SyntaxNode& n);
  ExprId apply(ScalarFn fn, std::span<const ExprId> args, std::string_view name);
  ExprId build_operator(const SyntaxNode& n);
  ExprId build_call(const SyntaxNode& n);
  ExprId build_reduce(SyntaxId id);

  FormulaPool& pool_;
  IndexPool& index_;
  FormulaScope& scope_;
  StatementAxes& axes_;
  const GivenNames* given_;
  std::map<LabelKey, AtomId> atoms_;
  std::optional<MapContext> map_;
};

}  // namespace mlgc::instantiation
