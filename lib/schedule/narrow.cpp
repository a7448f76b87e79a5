// narrow: sums and products of f32 that are carried in f64 are carried in f32, all of them or a number of terms at a
// time.
#include <array>
#include <vector>

#include "ir/builder.h"
#include "ops/combine.h"
#include "schedule/loop_edit.h"
#include "schedule/steps.h"
#include "schedule/wide_sum.h"

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

// The loop starts from 0 in f32, and what it started from is added to its result.
void add_behind(ForRef loop, std::size_t i, const WideSum& sum) {
  Module& module = loop.op().module();
  Context& context = module.context();
  const Type wide = context.types().scalar(Dtype::F64);
  const Value before = loop.initial(i), carried = loop.carried(i), result = loop.op().result(i);
  Builder builder(module);
  builder.set_location(loop.op().location());
  builder.set_before(loop.op());
  loop.op().set_operand(loop.op().operand_count() - loop.carried_count() + i,
                        neutral_literal(builder, ScalarFn::Add, Dtype::F32));
  builder.set_after(loop.op());
  const AttrDict to_wide = builder.attrs({{"dtype", context.attributes().dtype(Dtype::F64)}});
  const Value widened = builder.create("cast", {result}, {wide}, to_wide).result();
  builder.set_after(widened.definer());
  const bool carried_first = sum.step.operand(0) == carried;
  const Value operands[] = {carried_first ? before : widened, carried_first ? widened : before};
  const Value total = builder.create(sum.step.opcode(), operands, sum.step.attrs(), std::array{wide}).result();
  std::vector<Use> uses;
  for (const Use use : result.uses())
    if (use.owner() != widened.definer()) uses.push_back(use);
  for (const Use& use : uses) use.set(total);
  carry_as_f32(loop, i, sum);
}

}  // namespace

namespace schedule {

WideSum wide_sum(ForRef loop, std::size_t i) {
  if (loop.carried(i).dtype() != Dtype::F64) return {};
  const auto step = carried_step(loop, i);
  if (!step || step->fn != ScalarFn::Add) return {};
  const OpRef widening = step->op.operand(step->op.operand(0) == loop.carried(i) ? 1 : 0).definer();
  const bool widens = widening.valid() && widening.is("cast") && widening.operand(0).dtype() == Dtype::F32;
  return widens ? WideSum{step->op, widening} : WideSum{};
}

void carry_as_f32(ForRef loop, std::size_t i, const WideSum& sum) {
  const Type narrow = loop.op().module().context().types().scalar(Dtype::F32);
  sum.step.set_operand(sum.step.operand(0) == loop.carried(i) ? 1 : 0, sum.widening.operand(0));
  sum.step.result().set_type(narrow);
  loop.carried(i).set_type(narrow);
  loop.op().result(i).set_type(narrow);
  if (!sum.widening.result().has_uses()) sum.widening.erase();
}

}  // namespace schedule

StepResult narrow_blocks(OpRef loop, std::int64_t size, const Facts& facts) {
  const ForRef of = ForRef::from(loop);
  MLGC_ASSERT(of.valid(), "narrow_blocks: no loop");
  if (size < 1) return refuse("a block has at least one term");
  if (of.kind() != "serial") return refuse("a loop of kind " + std::string(of.kind()) + " stays");
  bool any = false;
  for (std::size_t i = 0; i < of.carried_count(); ++i) {
    if (const auto step = carried_step(of, i); !step)
      return refuse("carried value " + std::to_string(i) + " is no reduction: " + step.error());
    any = any || wide_sum(of, i).step.valid();
  }
  if (!any) return refuse("it carries no sum of f32 in f64");
  if (usual_extent(of).value_or(size + 1) > size)
    if (auto tiled = tile(loop, size, Tail::Min, facts); !tiled) return tiled;
  for (std::size_t i = 0; i < of.carried_count(); ++i)
    if (const WideSum sum = wide_sum(of, i); sum.step.valid()) add_behind(of, i, sum);
  return {};
}

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
