// Demands flow backwards through a function: uses come before definitions in a backward walk.
#include "check/value_ranges.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "ir/function_facts.h"
#include "ir/walk.h"
#include "loopir/loop_ops.h"
#include "ops/instantiate_op.h"

namespace mlgc {

void ValueRange::meet(const ValueRange& other) {
  const std::int64_t new_low = std::max(low, other.low), new_high = std::min(high, other.high);
  if (new_low <= new_high) {
    low = new_low;
    high = new_high;
  }
  not_negative = not_negative || other.not_negative;
}

namespace {

constexpr int kMaxCallDepth = 16;
constexpr std::int64_t kMaxOps = 1'000'000;

// The demands inside one formula, by tensor.
class FormulaRanges {
 public:
  FormulaRanges(FormulaPool& pool, const Formula& formula, const SymbolValues& sizes)
      : pool_(pool), formula_(formula), sizes_(sizes), ranges_(formula.tensors.size()) {}

  ValueRange& of(TensorId tensor) { return ranges_[tensor.index()]; }

  void run() {
    for (auto statement = formula_.statements.rbegin(); statement != formula_.statements.rend(); ++statement) {
      flow(statement->body, of(statement->result));
      if (statement->base.valid()) of(statement->base).meet(of(statement->result));
      subscripts(statement->subscripts, statement->result);
      const auto look = [&](ExprId e) { inside(e); };
      pool_.visit(statement->body, look);
      if (statement->guard.valid()) pool_.visit(statement->guard, look);
      for (const IndexExpr subscript : statement->subscripts) pool_.visit(subscript, look);
    }
  }

 private:
  // What is asked of the value of an expression is asked of what it passes on.
  void flow(ExprId e, const ValueRange& range) {
    if (range.any()) return;
    switch (pool_.node(e).kind) {
      case NodeKind::Read: of(pool_.read_of(e).tensor).meet(range); break;
      case NodeKind::Cast:
      case NodeKind::Stop: flow(pool_.arguments(e)[0], range); break;
      case NodeKind::Select: {
        const std::vector<ExprId> parts = pool_.arguments(e);
        flow(parts[1], range);
        flow(parts[2], range);
        break;
      }
      case NodeKind::Call: flow_call(e, range); break;
      default: break;
    }
  }

  // Through an integer literal that is added or subtracted. Of two other summands each stays within the range as if the
  // other one were 0, and is not negative: so it is for `i + select(i < 0, n, 0)`.
  void flow_call(ExprId e, const ValueRange& range) {
    const ScalarFn fn = pool_.fn(e);
    if (fn != ScalarFn::Add && fn != ScalarFn::Sub) return;
    if (is_float(pool_.type(e)) || range.low < -(std::int64_t{1} << 60) || range.high > std::int64_t{1} << 60) return;
    const std::vector<ExprId> parts = pool_.arguments(e);
    const auto is_literal = [&](ExprId part) { return pool_.node(part).kind == NodeKind::Literal; };
    if (fn == ScalarFn::Add && !is_literal(parts[0]) && !is_literal(parts[1]))
      for (const ExprId part : parts) flow(part, {std::max<std::int64_t>(range.low, 0), range.high, false});
    for (const std::size_t side : {0, 1}) {
      const ExprId literal = parts[1 - side];  // on the other side
      if (!is_literal(literal) || (fn == ScalarFn::Sub && side == 1)) continue;
      const std::int64_t value = pool_.literal_integer(literal);
      if (value < -(std::int64_t{1} << 60) || value > std::int64_t{1} << 60) continue;
      const std::int64_t shift = fn == ScalarFn::Sub ? value : -value;
      flow(parts[side], {range.low + shift, range.high + shift, false});
    }
  }

  void inside(ExprId e) {
    const ExprNode& node = pool_.node(e);
    if (node.kind == NodeKind::Read) {
      const ReadParts read = pool_.read_of(e);
      subscripts(read.subscripts, read.tensor);
    } else if (node.kind == NodeKind::Call) {
      const ScalarFn fn = pool_.fn(e);
      const bool divides =
          fn == ScalarFn::Div || fn == ScalarFn::FloorDiv || fn == ScalarFn::Mod || fn == ScalarFn::Fmod;
      if (divides && !is_float(node.type))
        flow(pool_.arguments(e)[1], {1, std::numeric_limits<std::int64_t>::max(), false});
      if (fn == ScalarFn::Sqrt || fn == ScalarFn::Rsqrt || fn == ScalarFn::Log || fn == ScalarFn::Log2)
        not_negative(pool_.arguments(e)[0]);
    }
  }

  void not_negative(ExprId e) {
    const NodeKind kind = pool_.node(e).kind;
    ValueRange wish;
    wish.not_negative = true;
    if (kind == NodeKind::Read) of(pool_.read_of(e).tensor).meet(wish);
    if (kind == NodeKind::Cast || (kind == NodeKind::Call && pool_.fn(e) == ScalarFn::Add))
      for (const ExprId part : pool_.arguments(e)) not_negative(part);
  }

  void subscripts(std::span<const IndexExpr> expressions, TensorId tensor) {
    const std::vector<IndexExpr>& shape = formula_.tensor(tensor).shape;
    for (std::size_t axis = 0; axis < expressions.size() && axis < shape.size(); ++axis)
      subscript(expressions[axis], shape[axis]);
  }

  // 0 <= rest + sum of coefficient*opaque < extent, with `rest` between two numbers.
  void subscript(IndexExpr e, IndexExpr size) {
    const IndexPool& index = pool_.index();
    const auto extent = value(size);
    if (!extent) return;
    std::int64_t least = 0, most = 0;
    std::vector<std::pair<ExprId, std::int64_t>> data;
    for (std::size_t i = 0; i < index.term_count(e); ++i) {
      const Term term = index.term(e, i);
      if (term.factors.size() == 1 && index.atom(term.factors[0]).kind == AtomKind::Opaque) {
        data.emplace_back(ExprId(index.atom(term.factors[0]).number), term.coefficient);
        continue;
      }
      std::int64_t low = term.coefficient, high = term.coefficient;
      for (const AtomId factor : term.factors) {
        const Atom& atom = index.atom(factor);
        if (atom.kind == AtomKind::IndexLabel && term.factors.size() == 1) {
          const auto end = value(atom.a);
          if (!end || *end <= 0) return;
          (term.coefficient > 0 ? high : low) *= *end - 1;
          (term.coefficient > 0 ? low : high) = 0;
        } else if (const auto known = sizes_.find(factor); atom.kind == AtomKind::Symbol && known) {
          low *= *known;
          high *= *known;
        } else {
          return;
        }
      }
      least += low;
      most += high;
    }
    for (const auto& [expression, coefficient] : data) {
      if (coefficient <= 0) continue;
      // Beside other data this one stays non-negative, and leaves no room for them: they are 0 where it is not.
      const std::int64_t low = data.size() == 1 ? -least : std::max<std::int64_t>(0, -least);
      const std::int64_t room = *extent - 1 - most;
      flow(expression, {(low + coefficient - 1) / coefficient, std::max(room, std::int64_t{0}) / coefficient, false});
    }
  }

  [[nodiscard]] std::optional<std::int64_t> value(IndexExpr e) const {
    return pool_.index().evaluate(e, [&](AtomId atom) { return sizes_.find(atom); });
  }

  FormulaPool& pool_;
  const Formula& formula_;
  const SymbolValues& sizes_;
  std::vector<ValueRange> ranges_;
};

class Analysis {
 public:
  explicit Analysis(Module& module) : module_(module), context_(module.context()) {}

  FunctionRanges run(const FuncRef& function, const SymbolValues& sizes, int depth) {
    std::unordered_map<ValueId, ValueRange> values;
    FunctionRanges out;
    walk<WalkOrder::BackwardPost>(function.op(), [&](OpRef op) {
      if (op == function.op() || ++looked_at_ > kMaxOps) return;
      visit(op, sizes, depth, values, out.symbols);
    });
    for (const Value argument : function.arguments()) out.arguments.push_back(values[argument.id()]);
    return out;
  }

 private:
  using Values = std::unordered_map<ValueId, ValueRange>;

  void visit(OpRef op, const SymbolValues& sizes, int depth, Values& values,
             std::map<std::string, ValueRange, std::less<>>& symbols) {
    if (has_formula(op.def())) return formula(op, sizes, values);
    if (op.is(GraphOp::Read) || op.is(LoopOp::Data)) {
      const auto symbol = context_.attributes().as_symbol(op.attr("symbol"));
      if (symbol) symbols[std::string(*symbol)].meet(values[op.result().id()]);
    } else if (op.is(GraphOp::Call)) {
      if (depth < kMaxCallDepth) call(op, sizes, depth, values, symbols);
    } else if (op.is(GraphOp::Yield) || op.is(GraphOp::Condition)) {
      const OpRef parent = op.parent_op();
      const std::size_t first = op.is(GraphOp::Condition) ? 1 : 0;
      for (std::size_t i = first; i < op.operand_count() && i - first < parent.result_count(); ++i)
        values[op.operand(i).id()].meet(values[parent.result(i - first).id()]);
    } else if (const ForRef loop = ForRef::from(op); loop.valid()) {
      for (std::size_t i = 0; i < loop.carried_count(); ++i)
        values[loop.initial(i).id()].meet(values[loop.carried(i).id()]);
    } else if (op.region_count() > 0 && op.region(0).argument_count() == op.operand_count()) {
      for (std::size_t i = 0; i < op.operand_count(); ++i)
        values[op.operand(i).id()].meet(values[op.region(0).argument(i).id()]);
    }
  }

  void formula(OpRef op, const SymbolValues& sizes, Values& values) {
    std::vector<Type> types;
    for (const Value operand : op.operands()) {
      if (!context_.types().is_tensor(operand.type())) return;
      types.push_back(operand.type());
    }
    const auto ground = instantiate_op(context_, op.opcode(), types, op.attrs(), facts_.of(op));
    if (!ground) return;
    FormulaRanges ranges(formulas(context_), *ground, sizes);
    const std::vector<TensorId> results = ground->results();
    for (std::size_t i = 0; i < results.size() && i < op.result_count(); ++i)
      if (const auto known = values.find(op.result(i).id()); known != values.end())
        ranges.of(results[i]).meet(known->second);
    ranges.run();
    for (std::size_t i = 0; i < op.operand_count(); ++i)
      if (const ValueRange& range = ranges.of(TensorId(i)); !range.any()) values[op.operand(i).id()].meet(range);
  }

  void call(OpRef op, const SymbolValues& sizes, int depth, Values& values,
            std::map<std::string, ValueRange, std::less<>>& symbols) {
    const auto name = context_.attributes().as_symbol(op.attr("callee"));
    const FuncRef callee = find_function(module_, name ? *name : "");
    if (!callee.valid()) return;
    SymbolValues inner;
    const auto arguments = callee.arguments();
    for (std::size_t i = 0; i < arguments.size() && i < op.operand_count(); ++i) {
      const TypePool& types = context_.types();
      if (!types.is_shaped(arguments[i].type()) || !types.is_shaped(op.operand(i).type())) continue;
      const auto dims = types.dims(arguments[i].type()), given = types.dims(op.operand(i).type());
      for (std::size_t axis = 0; axis < dims.size() && axis < given.size(); ++axis) {
        const auto symbol = context_.index().as_atom(dims[axis]);
        const auto size = context_.index().evaluate(given[axis], [&](AtomId atom) { return sizes.find(atom); });
        if (symbol && size && !inner.find(*symbol)) inner.values.emplace_back(*symbol, *size);
      }
    }
    const FunctionRanges ranges = run(callee, inner, depth + 1);
    for (std::size_t i = 0; i < ranges.arguments.size() && i < op.operand_count(); ++i)
      values[op.operand(i).id()].meet(ranges.arguments[i]);
    for (const auto& [symbol, range] : ranges.symbols) symbols[symbol].meet(range);
  }

  Module& module_;
  Context& context_;
  FunctionFacts facts_;
  std::int64_t looked_at_ = 0;
};

}  // namespace

FunctionRanges value_ranges(const FuncRef& function, const SymbolValues& sizes) {
  return Analysis(function.op().module()).run(function, sizes, 0);
}

}  // namespace mlgc
