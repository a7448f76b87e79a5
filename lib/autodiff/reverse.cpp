// The reverse walk. See reverse.h.
#include "autodiff/reverse.h"

#include <algorithm>

#include "autodiff/op_maker.h"
#include "diag/kinds_grad.h"
#include "ir/clone.h"
#include "ir/walk.h"
#include "ops/formula_steps.h"
#include "ops/instantiate_op.h"
#include "ops/stated_gradient.h"

namespace mlgc {

namespace {

bool has_adjoint(Value value) {
  const TypePool& types = value.module().context().types();
  return types.is_tensor(value.type()) && is_float(types.dtype(value.type()));
}

std::vector<OpRef> ops_of(RegionRef region) {
  std::vector<OpRef> ops;
  for (const OpRef op : region.ops())
    if (!op.has_trait(Traits::Terminator)) ops.push_back(op);
  return ops;
}

// A copy of the ops of a region, at the end of another.
struct Replay {
  ValueMap map;
  std::vector<OpRef> ops;
  // What stands for a value of the region, or the value from outside of it.
  [[nodiscard]] Value operator()(Value value) const {
    const Value copy = map.find(value);
    return copy.valid() ? copy : value;
  }
};

void yield(Builder& builder, const std::vector<Value>& values) {
  builder.create(builder.context().opcode(GraphOp::Yield), values, AttrDict{}, {});
}

std::vector<Type> types_of(const std::vector<Value>& values) {
  std::vector<Type> types;
  for (const Value value : values) types.push_back(value.type());
  return types;
}

// One dimension of size `length` in front.
Type stacked(TypePool& types, Type slice, IndexExpr length) {
  std::vector<IndexExpr> dims{length};
  for (const IndexExpr dim : types.dims(slice)) dims.push_back(dim);
  return types.tensor(types.dtype(slice), dims);
}

std::size_t carried_count(OpRef scan) {
  return static_cast<std::size_t>(*scan.module().context().attributes().as_int64(scan.attr("carried")));
}

// A scan in the place of one, which yields besides what `extra` its region holds, stacked. The results of the old one
// that were in use are those of the new one; the old one is gone.
OpRef scan_with(OpRef scan, const std::vector<Value>& extra, IndexExpr length) {
  Module& module = scan.module();
  std::vector<Value> operands;
  for (const Value operand : scan.operands()) operands.push_back(operand);
  std::vector<Type> results;
  for (const Value result : scan.results()) results.push_back(result.type());
  for (const Value value : extra) results.push_back(stacked(module.context().types(), value.type(), length));
  const OpRef wide = module.create(scan.opcode(), operands, scan.attrs(), results, scan.location(), 1);
  wide.move_before(scan);
  std::vector<Value> yielded;
  for (const Value value : scan.region(0).terminator().operands()) yielded.push_back(value);
  yielded.insert(yielded.end(), extra.begin(), extra.end());
  for (const Value argument : scan.region(0).arguments()) {
    const Value moved = wide.region(0).add_argument(argument.type());
    argument.replace_all_uses_with(moved);
    std::replace(yielded.begin(), yielded.end(), argument, moved);
  }
  scan.region(0).splice_to_end(wide.region(0));
  wide.region(0).terminator().set_operands(yielded);
  for (std::size_t i = 0; i < scan.result_count(); ++i) scan.result(i).replace_all_uses_with(wide.result(i));
  scan.erase();
  return wide;
}

// Of a scan: the arguments of its draft, in the order that those of its body get, and what their values are.
struct ScanInputs {
  std::span<const Value> arguments, carried, sequences;
};

// The scan over the sequences in the direction opposite to that of `forward`, with the body of the draft, which is
// erased.
OpRef opposite_scan(Builder& builder, OpRef forward, OpRef draft, const ScanInputs& inputs,
                    std::span<const Type> results) {
  AttributePool& attributes = builder.context().attributes();
  std::vector<Value> operands(inputs.carried.begin(), inputs.carried.end());
  operands.insert(operands.end(), inputs.sequences.begin(), inputs.sequences.end());
  const bool turned = attributes.as_bool(forward.attr("reverse")).value_or(false);
  const AttrDict attrs =
      builder.attrs({{"carried", attributes.integer(static_cast<std::int64_t>(inputs.carried.size()))},
                     {"reverse", attributes.boolean(!turned)}});
  const OpRef back = builder.create(forward.opcode(), operands, attrs, results, 1);
  for (const Value value : inputs.arguments) value.replace_all_uses_with(back.region(0).add_argument(value.type()));
  draft.region(0).splice_to_end(back.region(0));
  draft.erase();
  return back;
}

}  // namespace

Diagnostic no_derivative(OpRef op) {
  if (calls_stated_gradient(op))
    return diagnose<kNoTangent>(op.location(), callee_of(op).name(), *callee_of(op).gradient());
  if (op.is(GraphOp::For)) return diagnose<kLoopIndexRead>(op.location());
  return diagnose<kNoGradient>(op.location(), op.name(), op.def().no_gradient);
}

std::vector<Value> Reverse::captured(OpRef op) const {
  std::vector<Value> found;
  std::unordered_set<ValueId> seen;
  walk(op, [&](OpRef inner) {
    if (inner == op) return;
    for (const Value operand : inner.operands()) {
      if (!varied(operand) || !has_adjoint(operand) || seen.contains(operand.id())) continue;
      const OpRef holder = operand.is_result() ? operand.definer() : operand.argument_of().parent_op();
      if (holder.is_inside(op)) continue;
      seen.insert(operand.id());
      found.push_back(operand);
    }
  });
  return found;
}

void Reverse::spread(std::span<const OpRef> ops) {
  for (const OpRef op : ops) {
    if (op.is(GraphOp::Scan)) {
      spread_scan(op);
    } else if (op.is(GraphOp::If)) {
      for (const RegionRef region : op.regions()) {
        spread(ops_of(region));
        for (std::size_t i = 0; i < op.result_count(); ++i)
          if (varied(region.terminator().operand(i))) vary(op.result(i));
      }
    } else {
      spread_op(op);
    }
  }
}

void Reverse::spread_op(OpRef op) {
  bool any = false;
  if (has_formula(op.def())) {
    const auto depends = [&](std::size_t i) { return varied(op.operand(i)); };
    bool candidate = false;
    for (const Value operand : op.operands()) candidate = candidate || varied(operand);
    if (candidate) {
      const std::vector<std::size_t>& through = rules_->differentiable(op);
      any = std::any_of(through.begin(), through.end(), depends);
    }
  } else {
    // Without a rule: an error, once a gradient is wanted of what it computes.
    for (const Value operand : op.operands()) any = any || (varied(operand) && has_adjoint(operand));
    any = any || (op.region_count() > 0 && !captured(op).empty());
  }
  for (const Value result : op.results())
    if (any && has_adjoint(result)) vary(result);
}

// Which carried values vary: those that start so, and those that become so on the way round.
void Reverse::spread_scan(OpRef op) {
  const std::size_t carried = carried_count(op);
  const RegionRef body = op.region(0);
  const OpRef end = body.terminator();
  for (std::size_t i = 0; i < op.operand_count(); ++i)
    if (varied(op.operand(i))) vary(body.argument(i));
  const std::vector<OpRef> ops = ops_of(body);
  for (bool again = true; again;) {  // each round but the last one finds one more
    spread(ops);
    again = false;
    for (std::size_t i = 0; i < carried; ++i) {
      if (!varied(end.operand(i)) || varied(body.argument(i)) || !has_adjoint(body.argument(i))) continue;
      vary(body.argument(i));
      again = true;
    }
  }
  for (std::size_t i = 0; i < op.result_count(); ++i)
    if (has_adjoint(op.result(i)) && (varied(end.operand(i)) || (i < carried && varied(body.argument(i)))))
      vary(op.result(i));
}

void Reverse::contribute(Value to, Value part) {
  const auto [it, first] = adjoints_.try_emplace(to.id(), part);
  if (!first) it->second = builder_->create(GraphOp::Add, {it->second, part}, {to.type()}).result();
}

Value Reverse::adjoint(Value of) const {
  const auto it = adjoints_.find(of.id());
  return it == adjoints_.end() ? Value() : it->second;
}

Value Reverse::adjoint_or_zero(Value of) {
  const Value known = adjoint(of);
  return known.valid() ? known : filled(*builder_, of.type(), 0);
}

void Reverse::run(std::span<const OpRef> ops) {
  for (auto it = ops.rbegin(); it != ops.rend(); ++it) {
    const OpRef op = *it;
    const auto reached = [this](Value result) { return varied(result) && adjoint(result).valid(); };
    // What has no operands passes nothing on: it is a value that the gradient was asked of.
    if ((op.operand_count() == 0 && op.region_count() == 0) ||
        std::none_of(op.results().begin(), op.results().end(), reached))
      continue;
    builder_->set_location(op.location());
    if (op.is(GraphOp::If)) {
      reverse_if(op);
    } else if (op.is(GraphOp::Scan)) {
      reverse_scan(op);
    } else if (has_formula(op.def())) {
      reverse_formula(op);
    } else if (calls_stated_gradient(op)) {
      reverse_call(op);
    } else {
      errors_->push_back(no_derivative(op));
      // So that what leads here is looked at too.
      for (const Value operand : op.operands())
        if (varied(operand) && has_adjoint(operand)) contribute(operand, filled(*builder_, operand.type(), 0));
    }
  }
}

void Reverse::reverse_formula(OpRef op) {
  std::vector<std::size_t> results, wanted;
  std::vector<Value> values, computed, cotangents;
  std::vector<Type> types;
  for (std::size_t i = 0; i < op.result_count(); ++i) {
    const Value known = adjoint(op.result(i));
    if (!known.valid()) continue;
    results.push_back(i);
    computed.push_back(op.result(i));
    cotangents.push_back(known);
  }
  for (const std::size_t i : rules_->differentiable(op))
    if (varied(op.operand(i))) {
      wanted.push_back(i);
      types.push_back(op.operand(i).type());
    }
  const FormulaSteps& backward = rules_->backward_steps(op, results, wanted);
  for (const Value operand : op.operands()) values.push_back(operand);
  const RowGradient& gradient = rules_->backward(op, results, wanted);
  values.resize(gradient.operands);
  values.insert(values.end(), computed.begin(), computed.end());
  values.insert(values.end(), cotangents.begin(), cotangents.end());
  for (const std::size_t i : gradient.others) values.push_back(op.result(i));
  const std::vector<Value> found = emit(*builder_, backward, values, types);
  for (std::size_t i = 0; i < wanted.size(); ++i) contribute(op.operand(wanted[i]), found[i]);
}

// A call of the gradient that the callee states.
void Reverse::reverse_call(OpRef op) {
  const Context& context = builder_->context();
  std::vector<Value> given;
  std::vector<Type> operand_types, result_types, types;
  for (const Value operand : op.operands()) {
    given.push_back(operand);
    operand_types.push_back(operand.type());
  }
  for (const Value result : op.results()) result_types.push_back(result.type());
  for (const std::size_t i : float_numbers(context, result_types)) given.push_back(adjoint_or_zero(op.result(i)));
  const std::vector<std::size_t> through = float_numbers(context, operand_types);
  for (const std::size_t i : through) types.push_back(operand_types[i]);
  const AttrDict attrs =
      builder_->attrs({{"callee", builder_->context().attributes().symbol(*callee_of(op).gradient())}});
  const OpRef back = builder_->create(op.opcode(), given, attrs, types);
  for (std::size_t k = 0; k < through.size(); ++k)
    if (varied(op.operand(through[k]))) contribute(op.operand(through[k]), back.result(k));
}

// An `if` on the same condition; each region computes its side again and goes back through it.
void Reverse::reverse_if(OpRef op) {
  Module& module = builder_->module();
  const std::vector<Value> outside = captured(op);
  if (outside.empty()) return;
  const OpRef back = builder_->create(GraphOp::If, {op.operand(0)}, {}, op.attrs(), 2);
  std::vector<Builder> inside;
  std::vector<Reverse> sides;
  inside.reserve(2);
  for (std::size_t side = 0; side < 2; ++side) {
    inside.emplace_back(module, back.region(side));
    inside.back().set_location(op.location());
    sides.push_back(Reverse(inside.back(), *this));
  }
  for (std::size_t side = 0; side < 2; ++side) {
    Replay copy;
    copy.ops = sizes_->copy(op.region(side), inside[side], copy.map, true);
    Reverse& reverse = sides[side];
    reverse.spread(copy.ops);
    const OpRef end = op.region(side).terminator();
    for (std::size_t i = 0; i < op.result_count(); ++i)
      if (const Value g = adjoint(op.result(i)); g.valid()) reverse.contribute(copy(end.operand(i)), g);
    reverse.run(copy.ops);
  }
  std::vector<Value> reached;
  for (const Value value : outside)
    if (sides[0].adjoint(value).valid() || sides[1].adjoint(value).valid()) reached.push_back(value);
  for (std::size_t side = 0; side < 2; ++side) {
    std::vector<Value> yielded;
    for (const Value value : reached) yielded.push_back(sides[side].adjoint_or_zero(value));
    inside[side].set_location(op.location());
    yield(inside[side], yielded);
  }
  back.add_results(types_of(reached));
  for (std::size_t i = 0; i < reached.size(); ++i) contribute(reached[i], back.result(i));
}

// A scan in the other direction: it carries the adjoints of what the scan carried, and of the values from outside; its
// sequences are what went in, step by step, and the adjoints of what was stacked. What the scan carried is stacked by
// the scan itself, which is made again to that end.
void Reverse::reverse_scan(OpRef op) {
  Module& module = builder_->module();
  Context& context = builder_->context();
  const std::size_t carried = carried_count(op);
  if (op.operand_count() == carried) {  // without sequences it does nothing
    for (std::size_t i = 0; i < carried; ++i)
      if (const Value g = adjoint(op.result(i)); g.valid()) contribute(op.operand(i), g);
    return;
  }
  const std::vector<Value> outside = captured(op);
  const IndexExpr length = op.operand(carried).dims()[0];
  std::vector<Value> result_adjoints;
  for (const Value result : op.results()) result_adjoints.push_back(adjoint(result));

  std::vector<std::size_t> active;  // carried values that have adjoints
  for (std::size_t i = 0; i < carried; ++i)
    if (varied(op.region(0).argument(i)) && has_adjoint(op.region(0).argument(i))) active.push_back(i);
  std::vector<bool> sequence_varies;
  for (std::size_t i = carried; i < op.operand_count(); ++i) sequence_varies.push_back(varied(op.operand(i)));
  std::vector<Value> before;
  for (std::size_t i = 0; i < carried; ++i) before.push_back(op.region(0).argument(i));
  const std::size_t results = op.result_count();
  const OpRef forward = scan_with(op, before, length);

  // The new body is written with the arguments that are known; what it accumulates for values from outside shows when
  // it is done, so its arguments get their places then.
  const OpRef draft = module.create(forward.opcode(), {}, AttrDict{}, {}, forward.location(), 1);
  Builder inside(module, draft.region(0));
  inside.set_location(forward.location());
  Reverse reverse(inside, *this);
  Replay copy;
  const auto argument = [&](Type type) { return draft.region(0).add_argument(type); };
  std::vector<Value> carried_in, sequence_in, initial, sequences;
  for (const std::size_t i : active) {
    carried_in.push_back(argument(forward.region(0).argument(i).type()));
    initial.push_back(result_adjoints[i].valid() ? result_adjoints[i] : filled(*builder_, forward.result(i).type(), 0));
  }
  for (std::size_t i = 0; i < forward.operand_count(); ++i) {
    sequence_in.push_back(argument(forward.region(0).argument(i).type()));
    sequences.push_back(i < carried ? forward.result(results + i) : forward.operand(i));
    copy.map.set(forward.region(0).argument(i), sequence_in.back());
    const bool varies =
        i < carried ? std::find(active.begin(), active.end(), i) != active.end() : sequence_varies[i - carried];
    if (varies) reverse.vary(sequence_in.back());
  }
  copy.ops = sizes_->copy(forward.region(0), inside, copy.map, true);
  reverse.spread(copy.ops);
  const OpRef end = forward.region(0).terminator();
  for (std::size_t k = 0; k < active.size(); ++k) reverse.contribute(copy(end.operand(active[k])), carried_in[k]);
  for (std::size_t i = carried; i < results; ++i) {
    if (!result_adjoints[i].valid()) continue;
    sequence_in.push_back(argument(end.operand(i).type()));
    sequences.push_back(result_adjoints[i]);
    reverse.contribute(copy(end.operand(i)), sequence_in.back());
  }
  reverse.run(copy.ops);
  inside.set_location(forward.location());

  std::vector<Value> reached, yielded;
  for (const Value value : outside)
    if (reverse.adjoint(value).valid()) reached.push_back(value);
  for (const std::size_t i : active) yielded.push_back(reverse.adjoint_or_zero(copy(forward.region(0).argument(i))));
  std::vector<Value> sums;
  for (const Value value : reached) {
    sums.push_back(argument(value.type()));
    initial.push_back(filled(*builder_, value.type(), 0));
    yielded.push_back(inside.create(GraphOp::Add, {sums.back(), reverse.adjoint(value)}, {value.type()}).result());
  }
  std::vector<Type> types = types_of(initial);
  std::vector<std::size_t> slices;  // operands of the scan whose slices have adjoints
  for (std::size_t i = carried; i < forward.operand_count(); ++i) {
    if (!sequence_varies[i - carried] || !has_adjoint(forward.operand(i))) continue;
    const Value slice = reverse.adjoint(sequence_in[i]);
    if (!slice.valid()) continue;
    // What is stacked has the length of the first sequence.
    const IndexExpr own = forward.operand(i).dims()[0];
    if (context.index().equal(own, length, rules_->facts()) != Truth::Yes) {
      const std::string first = context.index().print(length), other = context.index().print(own);
      errors_->push_back(diagnose<kScanLengths>(op.location(), first, other, first + " == " + other));
    }
    slices.push_back(i);
    yielded.push_back(slice);
    types.push_back(forward.operand(i).type());
  }
  yield(inside, yielded);

  std::vector<Value> arguments = carried_in;
  arguments.insert(arguments.end(), sums.begin(), sums.end());
  arguments.insert(arguments.end(), sequence_in.begin(), sequence_in.end());
  const OpRef back = opposite_scan(*builder_, forward, draft, {arguments, initial, sequences}, types);
  for (std::size_t k = 0; k < active.size(); ++k) contribute(forward.operand(active[k]), back.result(k));
  for (std::size_t k = 0; k < reached.size(); ++k) contribute(reached[k], back.result(active.size() + k));
  for (std::size_t k = 0; k < slices.size(); ++k)
    contribute(forward.operand(slices[k]), back.result(initial.size() + k));
}

}  // namespace mlgc
