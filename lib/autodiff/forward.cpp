// The forward walk. See forward.h.
#include "autodiff/forward.h"

#include <algorithm>

#include "autodiff/op_maker.h"
#include "ir/builder.h"
#include "ops/instantiate_op.h"

namespace mlgc {

Value Forward::tangent(Value of) const {
  const auto it = tangents_.find(of.id());
  return it == tangents_.end() ? Value() : it->second;
}

void Forward::run(RegionRef region) {
  std::vector<OpRef> ops;
  for (const OpRef op : region.ops())
    if (!op.has_trait(Traits::Terminator)) ops.push_back(op);
  for (const OpRef op : ops) {
    // A result without uses needs no tangent: a loop that only counts carries its condition.
    const auto varied = [this](Value result) { return varies_->varied(result) && result.has_uses(); };
    if ((op.operand_count() == 0 && op.region_count() == 0) ||
        std::none_of(op.results().begin(), op.results().end(), varied))
      continue;
    if (op.is(GraphOp::If))
      choice(op);
    else if (op.is(GraphOp::Scan))
      scan(op);
    else if (has_formula(op.def()))
      formula(op);
    else
      errors_->push_back(no_derivative(op));
  }
}

void Forward::formula(OpRef op) {
  std::vector<std::size_t> wanted;
  std::vector<Value> directions;
  for (const std::size_t i : rules_->differentiable(op))
    if (const Value t = tangent(op.operand(i)); t.valid()) {
      wanted.push_back(i);
      directions.push_back(t);
    }
  if (wanted.empty()) return;
  const GradientRules::Tangent& rule = rules_->tangent(op, wanted);
  std::vector<Value> values;
  std::vector<Type> types;
  for (const Value operand : op.operands()) values.push_back(operand);
  values.resize(rule.operands);
  for (const Value result : op.results()) values.push_back(result);
  values.insert(values.end(), directions.begin(), directions.end());
  for (const std::size_t i : rule.results) types.push_back(op.result(i).type());
  Builder builder(op.module());
  builder.set_after(op);
  builder.set_location(op.location());
  const std::vector<Value> found = emit(builder, rule.steps, values, types);
  for (std::size_t k = 0; k < found.size(); ++k) set(op.result(rule.results[k]), found[k]);
}

namespace {

// The op again, in front of it, with other operands and results, and with as many regions, which are empty.
OpRef remade(OpRef op, const std::vector<Value>& operands, AttrDict attrs, const std::vector<Type>& results) {
  const OpRef wide = op.module().create(op.opcode(), operands, attrs, results, op.location(), op.region_count());
  wide.move_before(op);
  return wide;
}

}  // namespace

// The same choice, which yields tangents too: zero where a side has none.
void Forward::choice(OpRef op) {
  for (const RegionRef region : op.regions()) run(region);
  std::vector<std::size_t> active;
  for (std::size_t i = 0; i < op.result_count(); ++i)
    if (tangent(op.region(0).terminator().operand(i)).valid() || tangent(op.region(1).terminator().operand(i)).valid())
      active.push_back(i);
  if (active.empty()) return;
  std::vector<Type> types;
  for (const Value result : op.results()) types.push_back(result.type());
  for (const std::size_t i : active) types.push_back(op.result(i).type());
  const OpRef wide = remade(op, {op.operand(0)}, op.attrs(), types);
  for (std::size_t side = 0; side < 2; ++side) {
    const OpRef end = op.region(side).terminator();
    Builder builder(op.module());
    builder.set_before(end);
    builder.set_location(op.location());
    std::vector<Value> yielded;
    for (const Value value : end.operands()) yielded.push_back(value);
    for (const std::size_t i : active) {
      const Value known = tangent(end.operand(i));
      yielded.push_back(known.valid() ? known : filled(builder, end.operand(i).type(), 0));
    }
    end.set_operands(yielded);
    op.region(side).splice_to_end(wide.region(side));
  }
  for (std::size_t i = 0; i < op.result_count(); ++i) op.result(i).replace_all_uses_with(wide.result(i));
  for (std::size_t k = 0; k < active.size(); ++k) set(wide.result(active[k]), wide.result(op.result_count() + k));
  op.erase();
}

// The same scan, which carries the tangents of what it carries and reads those of its sequences.
void Forward::scan(OpRef op) {
  Module& module = op.module();
  Context& context = module.context();
  const auto carried = static_cast<std::size_t>(*context.attributes().as_int64(op.attr("carried")));
  const RegionRef body = op.region(0);
  const auto has_tangent = [&](std::size_t i) {
    const TypePool& types = context.types();
    return varies_->varied(body.argument(i)) && types.is_tensor(body.argument(i).type()) &&
           is_float(body.argument(i).dtype());
  };
  Builder before(module);
  before.set_before(op);
  before.set_location(op.location());
  // Operands and arguments: carried, their tangents, sequences, their tangents.
  std::vector<Value> operands, moved;
  std::vector<std::size_t> carried_tangents, sequence_tangents;
  for (std::size_t i = 0; i < carried; ++i) operands.push_back(op.operand(i));
  for (std::size_t i = 0; i < carried; ++i) {
    if (!has_tangent(i)) continue;
    carried_tangents.push_back(i);
    const Value known = tangent(op.operand(i));
    operands.push_back(known.valid() ? known : filled(before, op.operand(i).type(), 0));
  }
  const std::size_t all_carried = operands.size();
  for (std::size_t i = carried; i < op.operand_count(); ++i) operands.push_back(op.operand(i));
  for (std::size_t i = carried; i < op.operand_count(); ++i) {
    const Value known = tangent(op.operand(i));
    if (!known.valid()) continue;
    sequence_tangents.push_back(i);
    operands.push_back(known);
  }
  std::vector<Type> arguments;
  for (std::size_t i = 0; i < carried; ++i) arguments.push_back(body.argument(i).type());
  for (const std::size_t i : carried_tangents) arguments.push_back(body.argument(i).type());
  for (std::size_t i = carried; i < op.operand_count(); ++i) arguments.push_back(body.argument(i).type());
  for (const std::size_t i : sequence_tangents) arguments.push_back(body.argument(i).type());

  // Tangents of arguments are appended to the old arguments while the body is walked.
  const std::size_t old_arguments = op.operand_count();
  std::vector<Value> new_arguments;
  for (const auto* group : {&carried_tangents, &sequence_tangents})
    for (const std::size_t i : *group) {
      new_arguments.push_back(body.add_argument(body.argument(i).type()));
      set(body.argument(i), new_arguments.back());
    }
  run(body);
  const OpRef end = body.terminator();
  Builder inside(module);
  inside.set_before(end);
  inside.set_location(op.location());
  std::vector<Value> yielded;
  std::vector<Type> results;
  std::vector<std::size_t> stacked_tangents;
  for (std::size_t i = 0; i < carried; ++i) yielded.push_back(end.operand(i));
  for (const std::size_t i : carried_tangents) {
    const Value known = tangent(end.operand(i));
    yielded.push_back(known.valid() ? known : filled(inside, end.operand(i).type(), 0));
  }
  for (const Value value : yielded) results.push_back(value.type());
  for (std::size_t i = carried; i < op.result_count(); ++i) {
    yielded.push_back(end.operand(i));
    results.push_back(op.result(i).type());
  }
  for (std::size_t i = carried; i < op.result_count(); ++i) {
    const Value known = tangent(end.operand(i));
    if (!known.valid()) continue;
    stacked_tangents.push_back(i);
    yielded.push_back(known);
    results.push_back(op.result(i).type());
  }
  end.set_operands(yielded);

  const AttrDict attrs =
      context.attributes().with(op.attrs(), context.strings().intern("carried"),
                                context.attributes().integer(static_cast<std::int64_t>(all_carried)));
  const OpRef wide = remade(op, operands, attrs, results);
  for (const Type type : arguments) (void)wide.region(0).add_argument(type);
  const auto place = [&](std::size_t i) { return i < carried ? i : all_carried + i - carried; };
  for (std::size_t i = 0; i < old_arguments; ++i)
    body.argument(i).replace_all_uses_with(wide.region(0).argument(place(i)));
  for (std::size_t k = 0; k < new_arguments.size(); ++k) {
    const std::size_t at = k < carried_tangents.size()
                               ? carried + k
                               : all_carried + (old_arguments - carried) + k - carried_tangents.size();
    new_arguments[k].replace_all_uses_with(wide.region(0).argument(at));
  }
  body.splice_to_end(wide.region(0));
  for (std::size_t i = 0; i < op.result_count(); ++i) op.result(i).replace_all_uses_with(wide.result(place(i)));
  for (std::size_t k = 0; k < carried_tangents.size(); ++k)
    set(wide.result(carried_tangents[k]), wide.result(carried + k));
  const std::size_t first = all_carried + op.result_count() - carried;
  for (std::size_t k = 0; k < stacked_tangents.size(); ++k)
    set(wide.result(place(stacked_tangents[k])), wide.result(first + k));
  op.erase();
}

}  // namespace mlgc
