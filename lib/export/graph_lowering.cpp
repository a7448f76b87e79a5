// See graph_notation.h: the walk.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "diag/kinds_export.h"
#include "export/formula_tensors.h"
#include "export/graph_names.h"
#include "export/graph_notation.h"
#include "export/lacking_ops.h"
#include "export/size_bindings.h"
#include "ir/function_facts.h"
#include "ir/walk.h"
#include "ops/instantiate_op.h"

namespace mlgc {

std::vector<std::int64_t> RowCall::constants(std::string_view name) const {
  if (auto values = attrs.constants(name)) return *std::move(values);
  throw NoForm{"`" + std::string(name) + "` depends on a size"};
}

std::size_t RowCall::axis(std::string_view name, std::size_t rank) const {
  const auto axis = attrs.integer(name);
  if (!axis) throw NoForm{"`" + std::string(name) + "` depends on a size"};
  return static_cast<std::size_t>(*axis < 0 ? *axis + static_cast<std::int64_t>(rank) : *axis);
}

std::vector<std::size_t> RowCall::axes(std::string_view name, std::size_t rank) const {
  std::vector<std::size_t> out;
  if (!attrs.has(name)) {
    for (std::size_t i = 0; i < rank; ++i) out.push_back(i);
    return out;
  }
  const std::vector<std::int64_t> stated = attrs.integer(name) ? std::vector{*attrs.integer(name)} : constants(name);
  for (const std::int64_t axis : stated)
    out.push_back(static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis));
  std::ranges::sort(out);
  return out;
}

namespace {

class GraphWriter {
 public:
  GraphWriter(Module& module, GraphNotation& notation)
      : module_(module), context_(module.context()), notation_(notation) {}

  Result<std::vector<ExportedOp>, Diagnostic> run(FuncRef func) {
    for (std::size_t i = 0; i < func.arguments().size(); ++i) {
      const Value argument = func.arguments()[i];
      define(argument, notation_.input(argument_name(func, i), argument.type(), GraphInputRole::Argument));
    }
    try {
      sizes_.bind_arguments(func);
    } catch (const NoForm& none) {
      return Failure{diagnose<kSymbolicSize>(func.op().location(), none.reason, func.name(), notation_.notation())};
    }
    inputs(func);
    ops(func.body());
    if (auto error = lacking_.error(notation_.notation())) return Failure{*std::move(error)};
    if (unsolved_)
      return Failure{diagnose<kSizeWithoutInput>(func.op().location(), *unsolved_, func.name(), notation_.notation())};
    outputs(func);
    return std::move(written_);
  }

 private:
  // Weights and states first, since a region may be where one is read.
  void inputs(FuncRef func) {
    std::vector<std::string_view> used;
    std::set<std::string_view> known, updated;
    const auto note_reads = [&](OpRef op) {
      walk(op, [&](OpRef inner) {
        if (!inner.is(GraphOp::Read)) return;
        const std::string_view symbol = *context_.attributes().as_symbol(inner.attr("symbol"));
        if (known.insert(symbol).second) used.push_back(symbol);
      });
    };
    note_reads(func.op());
    for (std::size_t i = 0; i < used.size(); ++i)
      if (const OpRef op = module_.lookup(used[i]); is_derived(op)) note_reads(op);
    for (const UpdateTarget& target : func.updates())
      if (!target.argument) updated.insert(context_.strings().text(target.symbol));
    // What a derived weight reads stands before it.
    for (const OpRef op : module_.body().ops()) {
      if (!known.contains(op.symbol())) continue;
      if (is_derived(op)) {
        ops(op.region());
        data_.emplace(op.symbol(), value_of(op.region().terminator().operand(0)));
        continue;
      }
      const bool constant = op.is(GraphOp::Weight) && !updated.contains(op.symbol());
      data_.emplace(op.symbol(), notation_.input(op.symbol(), context_.attributes().as_type(op.attr("type")),
                                                 constant ? GraphInputRole::Weight : GraphInputRole::State));
    }
  }
  static bool is_derived(OpRef op) { return op.is(GraphOp::Weight) && op.region_count() > 0; }

  void outputs(FuncRef func) {
    const std::vector<UpdateTarget> updates = func.updates();
    const OpRef end = func.return_op();
    for (std::size_t i = 0; i < end.operand_count(); ++i) {
      const std::size_t results = func.result_count();
      std::string name;
      if (i < results)
        name = result_name(func, i);
      else if (const UpdateTarget& target = updates[i - results]; target.argument)
        name = "%" + argument_name(func, *target.argument);
      else
        name = "@" + std::string(context_.strings().text(target.symbol));
      notation_.output(name, value_of(end.operand(i)));
    }
  }

  // Values.
  void define(Value value, TensorValue made) { values_.insert_or_assign(value.id(), std::move(made)); }
  const TensorValue& value_of(Value value) { return values_.find(value.id())->second; }
  TensorValues operands_of(OpRef op, std::size_t first = 0, std::size_t last = static_cast<std::size_t>(-1)) {
    TensorValues out;
    for (std::size_t i = first; i < std::min(op.operand_count(), last); ++i) out.push_back(value_of(op.operand(i)));
    return out;
  }
  TensorValue unnamed(Value value) {
    const Type type = value.type();
    return {"", context_.types().dtype(type), sizes(value.dims())};
  }
  TensorValues unnamed_results(OpRef op) {
    TensorValues out;
    for (const Value result : op.results()) out.push_back(unnamed(result));
    return out;
  }
  void give(OpRef op, TensorValues made) {
    for (std::size_t i = 0; i < made.size(); ++i) {
      const Value result = op.result(i);
      made[i].shape = sizes(result.dims());
      define(result, result.name().empty() ? std::move(made[i]) : notation_.named(made[i], result.name()));
    }
  }

  // Sizes.
  IndexExpr size(IndexExpr e) {
    const IndexExpr out = sizes_.without_ones(e);
    IndexPool& pool = context_.index();
    pool.for_each_atom(out, [&](AtomId id) {
      if (pool.atom(id).kind == AtomKind::Symbol && sizes_.is_unsolved(id) && !unsolved_)
        unsolved_ = std::string(pool.symbol_name(id));
    });
    return out;
  }
  std::vector<IndexExpr> sizes(std::span<const IndexExpr> all) {
    std::vector<IndexExpr> out;
    for (const IndexExpr e : all) out.push_back(size(e));
    return out;
  }

  void ops(RegionRef region) {
    for (const OpRef op : region.ops()) {
      // Neither is a constraint checked.
      if (op.has_trait(Traits::Terminator) || op.def().loop_op == LoopOp::Check) continue;
      if (std::ranges::any_of(op.operands(), [&](Value operand) { return value_of(operand).name.empty(); })) {
        for (const Value result : op.results()) define(result, stand_in(result));
        continue;
      }
      try {
        TensorValues made = made_by(op);
        // A size that the op itself makes is a dim of its result.
        for (std::size_t i = 0; i < made.size(); ++i) define(op.result(i), made[i]);
        for (const Value result : op.results()) sizes_.bind(result);
        give(op, std::move(made));
        written_.push_back({names_.path(op), std::string(op.name()), notation_.take_written()});
      } catch (const NoForm& none) {
        lacking_.add(op, none.reason);
        for (const Value result : op.results()) define(result, stand_in(result));
      }
    }
  }
  // Of an op without a form, so that ops which read its results are tried, too; without a name: those are not.
  TensorValue stand_in(Value value) {
    if (!context_.types().is_shaped(value.type())) return {};
    const Dtype dtype = context_.types().dtype(value.type());
    TensorNumber zero = context_.index().constant(0);
    if (is_float(dtype)) zero = 0.0;
    if (dtype == Dtype::I1) zero = false;
    try {
      return notation_.filled(zero, dtype, sizes(value.dims()));
    } catch (const NoForm&) {
      return {"", dtype, {}};
    }
  }
  TensorValues made_by(OpRef op) {
    const AttributePool& pool = context_.attributes();
    switch (op.def().graph_op) {
      case GraphOp::Read: return {data_.find(*pool.as_symbol(op.attr("symbol")))->second};
      case GraphOp::Constant: return {constant(pool.as_tensor(op.attr("value")))};
      case GraphOp::Dim: return {notation_.number(size(*pool.as_int(op.attr("value"))), Dtype::I64, 0)};
      case GraphOp::Range: return {notation_.range(value_of(op.operand(0)), op.result().dims()[0])};
      case GraphOp::Nonzero: return {notation_.nonzero(value_of(op.operand(0)), op.result().dims()[0])};
      case GraphOp::If: {
        const TensorValue condition = value_of(op.operand(0));
        return notation_.branch(condition, block(op.region(0)), block(op.region(1)), unnamed_results(op));
      }
      case GraphOp::While: return notation_.loop(operands_of(op), block(op.region(0)), block(op.region(1)));
      case GraphOp::Scan: {
        const auto carried = static_cast<std::size_t>(*pool.as_int64(op.attr("carried")));
        return notation_.scan(operands_of(op, 0, carried), operands_of(op, carried),
                              pool.as_bool(op.attr("reverse")).value_or(false), block(op.region(0)),
                              unnamed_results(op));
      }
      default: return row(op);
    }
  }
  TensorValue constant(const TensorConstant& data) {
    if (!data.splat || context_.types().rank(data.type) == 0) return notation_.constant_value(data);
    const TensorValue one = notation_.constant_value(
        {.type = context_.types().tensor(context_.types().dtype(data.type), std::span<const IndexExpr>()),
         .splat = false,
         .bytes = data.bytes,
         .owner = data.owner});
    std::vector<IndexExpr> shape = sizes(context_.types().dims(data.type));
    const TensorValue ones = notation_.reshape(one, std::vector<IndexExpr>(shape.size(), context_.index().constant(1)));
    return notation_.expand(ones, std::move(shape));
  }
  using Block = GraphNotation::Block;
  Block block(RegionRef region) {
    return [this, region](std::span<const TensorValue> given) {
      std::set<AtomId> bound = sizes_.bound();
      for (std::size_t i = 0; i < region.argument_count(); ++i) define(region.argument(i), given[i]);
      for (std::size_t i = 0; i < region.argument_count(); ++i) sizes_.bind(region.argument(i));
      ops(region);
      TensorValues out = operands_of(region.terminator());
      sizes_.restore(std::move(bound));
      return out;
    };
  }

  TensorValues row(OpRef op) {
    const auto attributes = check_attributes(context_, op.def(), op.attrs());
    if (!attributes) throw NoForm{attributes.error().message()};
    const Attrs attrs(context_.index(), *attributes);
    const TensorValues operands = operands_of(op);
    const std::function<IndexExpr(IndexExpr)> size_of = [this](IndexExpr e) { return size(e); };
    try {
      const RowCall call{op, operands, attrs, unnamed_results(op), size_of};
      if (auto made = notation_.row(call)) return *std::move(made);
    } catch (const NoForm&) {
      if (!has_formula(op.def())) throw;
    }
    if (!has_formula(op.def())) throw NoForm{""};
    std::vector<Type> types;
    for (const Value operand : op.operands()) types.push_back(operand.type());
    const auto formula = instantiate_op(context_, op.opcode(), types, op.attrs(), facts_.of(op));
    if (!formula) throw NoForm{formula.error().message()};
    return formula_tensors(notation_, formulas(context_), *formula, operands, size_of);
  }

  Module& module_;
  Context& context_;
  GraphNotation& notation_;
  std::map<ValueId, TensorValue> values_;
  std::map<std::string_view, TensorValue> data_;
  LackingOps lacking_;
  std::optional<std::string> unsolved_;
  FunctionFacts facts_;
  GraphNames names_{module_};
  std::vector<ExportedOp> written_;
  SizeBindings sizes_{context_, [this](AtomId size, Value value, std::size_t axis, AffineDim affine) {
                        notation_.bind_size(size, value_of(value), axis, affine);
                      }};
};

}  // namespace

Result<std::vector<ExportedOp>, Diagnostic> write_graph(Module& module, FuncRef function, GraphNotation& notation) {
  return GraphWriter(module, notation).run(function);
}

}  // namespace mlgc
