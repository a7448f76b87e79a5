// narrow: sums and products of f32 that are carried in f64 are carried in f32.
#include <vector>

#include "ir/builder.h"
#include "ops/combine.h"
#include "schedule/loop_edit.h"
#include "schedule/steps.h"

namespace mlgc {

using namespace schedule;

namespace {

// How a carried value comes to be: through loops that only pass it on, to the op that takes one step.
struct Chain {
  std::vector<ForRef> loops;  // from the outside
  std::vector<std::size_t> numbers;
  OpRef step, widening;   // the op, and the cast of what it takes
  std::size_t taken = 0;  // the operand of the step that the cast is
};

std::optional<Chain> chain_of(ForRef loop, std::size_t number) {
  Chain out;
  for (ForRef at = loop;;) {
    out.loops.push_back(at);
    out.numbers.push_back(number);
    const OpRef end = at.body().terminator();
    if (!end.valid() || number >= end.operand_count()) return std::nullopt;
    const Value next = end.operand(number);
    const ForRef inner = ForRef::from(next.definer());
    if (!inner.valid()) {
      const auto step = carried_step(at, number);
      if (!step || (step->fn != ScalarFn::Add && step->fn != ScalarFn::Mul)) return std::nullopt;
      out.step = step->op;
      out.taken = step->op.operand(0) == at.carried(number) ? 1 : 0;
      out.widening = step->op.operand(out.taken).definer();
      const bool widens =
          out.widening.valid() && out.widening.is("cast") && out.widening.operand(0).dtype() == Dtype::F32;
      return widens ? std::optional(out) : std::nullopt;
    }
    const std::size_t result = next.number();
    if (inner.initial(result) != at.carried(number) || !at.carried(number).has_one_use() || !next.has_one_use())
      return std::nullopt;
    at = inner;
    number = result;
  }
}

void carry_in_f32(ForRef loop, std::size_t number, const Chain& chain) {
  Module& module = loop.op().module();
  Context& context = module.context();
  const Type narrow = context.types().scalar(Dtype::F32);
  const OpRef initial = loop.initial(number).definer();
  Builder builder(module);
  builder.set_before(loop.op());
  builder.set_location(loop.op().location());
  const OpRef start = builder.create(
      "literal", {}, {narrow},
      builder.attrs({{"value", initial.attr("value")}, {"dtype", context.attributes().dtype(Dtype::F32)}}));
  loop.op().set_operand(loop.op().operand_count() - loop.carried_count() + number, start.result());
  if (!initial.result().has_uses()) initial.erase();
  for (std::size_t l = 0; l < chain.loops.size(); ++l) {
    chain.loops[l].carried(chain.numbers[l]).set_type(narrow);
    chain.loops[l].op().result(chain.numbers[l]).set_type(narrow);
  }
  chain.step.set_operand(chain.taken, chain.widening.operand(0));
  chain.step.result().set_type(narrow);
  if (!chain.widening.result().has_uses()) chain.widening.erase();
  // Who wants f32 has it; others have it widened.
  const Value result = loop.op().result(number);
  Value widened;
  for (const OpRef user : result.users()) {
    if (user.is("cast") && user.result().dtype() == Dtype::F32) {
      user.result().replace_all_uses_with(result);
      user.erase();
      continue;
    }
    if (!widened.valid()) {
      builder.set_after(loop.op());
      widened = builder
                    .create("cast", {result}, {context.types().scalar(Dtype::F64)},
                            builder.attrs({{"dtype", context.attributes().dtype(Dtype::F64)}}))
                    .result();
    }
    for (std::size_t i = 0; i < user.operand_count(); ++i)
      if (user.operand(i) == result && user != widened.definer()) user.set_operand(i, widened);
  }
}

}  // namespace

StepResult narrow(OpRef loop) {
  const ForRef of = ForRef::from(loop);
  MLGC_ASSERT(of.valid(), "narrow: no loop");
  std::size_t narrowed = 0;
  for (std::size_t i = 0; i < of.carried_count(); ++i) {
    if (of.carried(i).dtype() != Dtype::F64) continue;
    const OpRef initial = of.initial(i).definer();
    if (!initial.valid() || !initial.is("literal")) continue;
    const auto chain = chain_of(of, i);
    if (!chain) continue;
    carry_in_f32(of, i, *chain);
    ++narrowed;
  }
  if (narrowed == 0) return refuse("it carries no sum or product of f32 in f64 that starts as a number");
  return {};
}

}  // namespace mlgc
