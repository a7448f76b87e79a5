// See scalar_builder.h.
#include "loops/scalar_builder.h"

#include <string>
#include <vector>

#include "ir/clone.h"
#include "loopir/loop_ops.h"

namespace mlgc::loops {

Dtype held(Dtype dtype) { return dtype == Dtype::F16 || dtype == Dtype::BF16 ? Dtype::F32 : dtype; }

Value ScalarBuilder::apply(ScalarFn fn, std::initializer_list<Value> operands, Dtype result) {
  const Opcode opcode = scalars_.find(fn);
  MLGC_ASSERT(opcode != Opcode::Invalid,
              "no row of the op table computes `" + std::string(scalar_fn_info(fn).name) + "`");
  const Type types[] = {type(held(result))};
  return builder_.create(opcode, std::vector<Value>(operands), {}, types).result();
}

Value ScalarBuilder::choose(Value condition, Value yes, Value no) {
  MLGC_ASSERT(scalars_.choice() != Opcode::Invalid, "no row of the op table chooses between two values");
  const Value operands[] = {condition, yes, no};
  const Type types[] = {yes.type()};
  return builder_.create(scalars_.choice(), operands, {}, types).result();
}

// 16-bit floats are held in f32, exactly: what is only moved goes back to the value that it was.
Value ScalarBuilder::unheld(Value value, Dtype to) {
  const OpRef from = value.definer();
  if (!from.valid() || value.dtype() != Dtype::F32) return {};
  if (from.is(GraphOp::Cast)) return from.operand(0).dtype() == to ? from.operand(0) : Value();
  if (!from.is(LoopOp::If) || from.result_count() != 1) return {};
  for (const RegionRef arm : from.regions()) {
    const OpRef of = arm.terminator().operand(0).definer();
    const bool is_held = of.valid() && of.is(GraphOp::Cast) && of.operand(0).dtype() == to;
    if (!is_held && !(of.valid() && LiteralRef::from(of).valid())) return {};
  }
  // A copy: others may want it in f32.
  ValueMap map;
  const OpRef made = clone(from, builder_, map);
  for (const RegionRef arm : made.regions()) {
    OpRef end = arm.terminator();
    const OpRef of = end.operand(0).definer();
    Builder at(builder_.module());
    at.set_before(end);
    end.set_operand(
        0, of.is(GraphOp::Cast) ? of.operand(0) : LiteralRef::create(at, to, LiteralRef::from(of)).op().result());
    if (of.results_unused()) of.erase();
  }
  made.result().set_type(type(to));
  return made.result();
}

Value ScalarBuilder::cast(Value value, Dtype to) {
  if (value.dtype() == to) return value;
  // Every type has 0 and 1: what was a truth value is one again, whatever it was in between.
  if (const OpRef from = value.definer();
      from.valid() && from.is(GraphOp::Cast) && from.operand(0).dtype() == Dtype::I1)
    return cast(from.operand(0), to);
  if (to == Dtype::F16 || to == Dtype::BF16)
    if (const Value was = unheld(value, to); was.valid()) return was;
  const AttrDict attrs = builder_.attrs({{"dtype", context_.attributes().dtype(to)}});
  return builder_.create(GraphOp::Cast, {value}, {type(to)}, attrs).result();
}

Value ScalarBuilder::constant(Dtype dtype, double real, std::int64_t integer) {
  return LiteralRef::create(builder_, dtype, real, integer).op().result();
}

}  // namespace mlgc::loops
