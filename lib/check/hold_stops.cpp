// See hold_stops.h.
#include "check/hold_stops.h"

#include <unordered_map>
#include <utility>
#include <vector>

namespace mlgc {
namespace {

bool has_stop(const FormulaPool& pool, const Formula& formula) {
  bool found = false;
  const auto look = [&](ExprId e) { found = found || pool.node(e).kind == NodeKind::Stop; };
  for (const Statement& statement : formula.statements) pool.visit(statement.body, look);
  return found;
}

class Holder {
 public:
  Holder(FormulaPool& pool, const Formula& formula) : pool_(pool), from_(formula) {}

  Formula run() {
    into_.label_names = from_.label_names;
    const std::size_t operands = from_.operand_count();
    for (std::size_t i = 0; i < operands; ++i) moving_.push_back(into_.add_tensor(from_.tensors[i]));
    for (std::size_t i = 0; i < operands; ++i) held_.push_back(add_held(from_.tensors[i]));
    for (std::size_t i = operands; i < from_.tensors.size(); ++i) {
      moving_.push_back(into_.add_tensor(from_.tensors[i]));
      FormulaTensor copy = from_.tensors[i];
      copy.role = TensorRole::Temporary;
      held_.push_back(add_held(std::move(copy)));
    }
    for (const Statement& statement : from_.statements) {
      add(statement, held_, [&](ExprId e) { return renamed(e, held_); });
      add(statement, moving_, [&](ExprId e) { return split(e); });
    }
    return std::move(into_);
  }

 private:
  using Names = std::vector<TensorId>;

  TensorId add_held(FormulaTensor tensor) {
    tensor.name = into_.unique_tensor_name(tensor.name + "_held");
    return into_.add_tensor(std::move(tensor));
  }

  [[nodiscard]] FormulaPool::Rewrite renaming(const Names& names) {
    return {.labels = {}, .reads = [this, &names](ExprId read, const ReadParts& parts) {
              return pool_.read(pool_.type(read), names[parts.tensor.index()], parts.subscripts, parts.fill);
            }};
  }
  ExprId renamed(ExprId e, const Names& names) { return pool_.rewrite(e, renaming(names)); }
  IndexExpr renamed(IndexExpr e, const Names& names) { return pool_.rewrite(e, renaming(names)); }

  template <class Body>
  void add(const Statement& statement, const Names& names, const Body& body_of) {
    Statement copy = statement;
    copy.result = names[statement.result.index()];
    if (statement.base.valid()) copy.base = names[statement.base.index()];
    copy.body = body_of(statement.body);
    if (statement.guard.valid()) copy.guard = renamed(statement.guard, names);
    for (IndexExpr& subscript : copy.subscripts) subscript = renamed(subscript, names);
    into_.statements.push_back(std::move(copy));
  }

  // With held reads below `stop`, and moving ones elsewhere. Each expression once, however often it is shared.
  ExprId split(ExprId e) {
    if (const auto known = split_.find(e.index()); known != split_.end()) return known->second;
    const ExprId made = split_once(e);
    split_.emplace(e.index(), made);
    return made;
  }
  ExprId split_once(ExprId e) {
    switch (pool_.node(e).kind) {
      case NodeKind::Literal: return e;
      case NodeKind::Index: return renamed(e, moving_);
      case NodeKind::Stop: return pool_.stop(renamed(pool_.arguments(e)[0], held_));
      case NodeKind::Read: {
        const ReadParts parts = pool_.read_of(e);
        std::vector<IndexExpr> subscripts;
        for (const IndexExpr subscript : parts.subscripts) subscripts.push_back(renamed(subscript, moving_));
        return pool_.read(pool_.type(e), moving_[parts.tensor.index()], subscripts,
                          parts.fill.valid() ? split(parts.fill) : ExprId());
      }
      case NodeKind::Reduce: {
        const ReduceParts parts = pool_.reduce_of(e);
        return pool_.reduce(parts.reduction, parts.labels, parts.guard.valid() ? split(parts.guard) : ExprId(),
                            split(parts.body));
      }
      default: break;
    }
    std::vector<ExprId> arguments = pool_.arguments(e);
    for (ExprId& argument : arguments) argument = split(argument);
    if (pool_.node(e).kind == NodeKind::Select) return pool_.select(arguments[0], arguments[1], arguments[2]);
    if (pool_.node(e).kind == NodeKind::Cast) return pool_.cast(arguments[0], pool_.type(e));
    return pool_.call(pool_.fn(e), arguments);
  }

  FormulaPool& pool_;
  const Formula& from_;
  Formula into_;
  Names moving_, held_;
  std::unordered_map<std::size_t, ExprId> split_;
};

}  // namespace

std::optional<Formula> hold_stops(FormulaPool& pool, const Formula& formula) {
  if (!has_stop(pool, formula)) return std::nullopt;
  return Holder(pool, formula).run();
}

}  // namespace mlgc
