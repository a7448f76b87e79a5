// Copies ops in program order, with a stack of regions under way.
#include "ir/clone.h"

#include <algorithm>
#include <vector>

namespace mlgc {
namespace {

// Copies one op without what is inside its regions; the regions and their arguments are made.
OpRef clone_shell(OpRef op, Module& target, ValueMap& map) {
  Module& source = op.module();
  std::vector<Value> operands;
  operands.reserve(op.operand_count());
  for (const Value operand : op.operands()) {
    const Value mapped = map.find(operand);
    MLGC_ASSERT(mapped.valid() || &target == &source, "a value from outside has no counterpart in the other module");
    operands.push_back(mapped.valid() ? mapped : operand);
  }
  std::vector<Type> types;
  types.reserve(op.result_count());
  for (const Value result : op.results()) types.push_back(result.type());
  const OpRef copy = target.create(op.opcode(), operands, op.attrs(), types, op.location(), op.region_count());
  const auto define = [&](Value from, Value to) {
    if (from.name_id().valid()) to.set_name(from.name_id());
    map.set(from, to);
  };
  for (std::size_t i = 0; i < types.size(); ++i) define(op.result(i), copy.result(i));
  RegionRef to = copy.region_count() > 0 ? copy.region(0) : RegionRef();
  for (const RegionRef from : op.regions()) {
    for (const Value argument : from.arguments()) define(argument, to.add_argument(argument.type()));
    to = to.next();
  }
  return copy;
}

// Fills the regions of `copy` from those of `op`. The work still to do is a stack of places in the source with the
// region of the copy that they go to.
void clone_inside(OpRef op, OpRef copy, ValueMap& map) {
  struct Pending {
    OpRef next;
    RegionRef to;
  };
  std::vector<Pending> stack;
  const auto push_regions = [&](OpRef from, OpRef to_op) {
    const std::size_t base = stack.size();
    RegionRef to = to_op.region_count() > 0 ? to_op.region(0) : RegionRef();
    for (const RegionRef region : from.regions()) {
      stack.push_back({region.front(), to});
      to = to.next();
    }
    std::reverse(stack.begin() + static_cast<std::ptrdiff_t>(base), stack.end());
  };
  push_regions(op, copy);
  while (!stack.empty()) {
    Pending& top = stack.back();
    if (!top.next.valid()) {
      stack.pop_back();
      continue;
    }
    const OpRef from = top.next;
    top.next = from.next();
    const RegionRef region = top.to;
    const OpRef made = clone_shell(from, copy.module(), map);
    made.move_to_end(region);
    if (from.region_count() > 0) push_regions(from, made);
  }
}

}  // namespace

OpRef clone(OpRef op, Builder& target, ValueMap& map) {
  MLGC_ASSERT(&op.module().context() == &target.context(), "clones stay within one context");
  // Filled before it is put in place, so that an op may be cloned into its own region.
  const OpRef copy = clone_shell(op, target.module(), map);
  clone_inside(op, copy, map);
  return target.insert(copy);
}

OpRef clone(OpRef op, Builder& target) {
  ValueMap map;
  return clone(op, target, map);
}

void clone_ops(RegionRef source, Builder& target, ValueMap& map, bool without_terminator) {
  const OpRef last = source.back();
  const OpRef stop = without_terminator ? source.terminator() : OpRef();
  for (OpRef op = source.front(); op.valid() && op != stop;) {
    const OpRef next = op == last ? OpRef() : op.next();
    clone(op, target, map);
    op = next;
  }
}

OpRef clone_function(OpRef func, Module& target, std::string_view name) {
  MLGC_ASSERT(func.is(GraphOp::Func), "not a function");
  Context& context = target.context();
  MLGC_ASSERT(&func.module().context() == &context, "clones stay within one context");
  ValueMap map;
  const OpRef copy = clone_shell(func, target, map);
  clone_inside(func, copy, map);
  // Renamed while detached: the symbol table never sees the old name twice.
  copy.set_attrs(context.attributes().with(copy.attrs(), context.names().sym_name, context.attributes().string(name)));
  copy.move_to_end(target.body());
  return copy;
}

}  // namespace mlgc
