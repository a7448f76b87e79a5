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

// A sum or product of f32 in f64, and the cast of its terms.
struct WideChain {
  ReductionChain chain;
  OpRef widening;
  std::size_t taken = 0;  // the operand of the step that the cast is
};

std::optional<WideChain> wide_chain(ForRef loop, std::size_t number) {
  auto chain = reduction_chain(loop, number);
  if (!chain || (chain->fn != ScalarFn::Add && chain->fn != ScalarFn::Mul)) return std::nullopt;
  const std::size_t taken = chain->step.operand(0) == chain->loops.back().carried(chain->numbers.back()) ? 1 : 0;
  const OpRef widening = chain->step.operand(taken).definer();
  if (!widening.valid() || !widening.is("cast") || widening.operand(0).dtype() != Dtype::F32) return std::nullopt;
  return WideChain{std::move(*chain), widening, taken};
}
// Of those the sums that are carried in f64.
std::optional<WideChain> wide_sum_of(ForRef loop, std::size_t number) {
  if (loop.carried(number).dtype() != Dtype::F64) return std::nullopt;
  auto wide = wide_chain(loop, number);
  return wide && wide->chain.fn == ScalarFn::Add ? std::move(wide) : std::nullopt;
}

// Carries it in f32 through all loops; what it starts from, and who reads the result, is the caller's.
void retype(const WideChain& wide) {
  const ReductionChain& chain = wide.chain;
  OpRef step = chain.step, widening = wide.widening;
  const Type narrow = step.module().context().types().scalar(Dtype::F32);
  for (std::size_t l = 0; l < chain.loops.size(); ++l) {
    chain.loops[l].carried(chain.numbers[l]).set_type(narrow);
    chain.loops[l].op().result(chain.numbers[l]).set_type(narrow);
  }
  step.set_operand(wide.taken, widening.operand(0));
  step.result().set_type(narrow);
  if (!widening.result().has_uses()) widening.erase();
}

void set_initial(ForRef loop, std::size_t number, Value value) {
  loop.op().set_operand(loop.op().operand_count() - loop.carried_count() + number, value);
}

void carry_in_f32(ForRef loop, std::size_t number, const WideChain& wide) {
  Module& module = loop.op().module();
  Context& context = module.context();
  const OpRef initial = loop.initial(number).definer();
  Builder builder(module);
  builder.set_before(loop.op());
  builder.set_location(loop.op().location());
  const OpRef start = builder.create(
      "literal", {}, {context.types().scalar(Dtype::F32)},
      builder.attrs({{"value", initial.attr("value")}, {"dtype", context.attributes().dtype(Dtype::F32)}}));
  set_initial(loop, number, start.result());
  if (!initial.result().has_uses()) initial.erase();
  retype(wide);
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
void add_behind(ForRef loop, std::size_t i, const WideChain& sum) {
  Module& module = loop.op().module();
  Context& context = module.context();
  const Type wide = context.types().scalar(Dtype::F64);
  const Value before = loop.initial(i), result = loop.op().result(i);
  const OpRef step = sum.chain.step;
  Builder builder(module);
  builder.set_location(loop.op().location());
  builder.set_before(loop.op());
  set_initial(loop, i, neutral_literal(builder, ScalarFn::Add, Dtype::F32));
  builder.set_after(loop.op());
  const AttrDict to_wide = builder.attrs({{"dtype", context.attributes().dtype(Dtype::F64)}});
  const Value widened = builder.create("cast", {result}, {wide}, to_wide).result();
  builder.set_after(widened.definer());
  const bool carried_first = sum.taken == 1;
  const Value operands[] = {carried_first ? before : widened, carried_first ? widened : before};
  const Value total = builder.create(step.opcode(), operands, step.attrs(), std::array{wide}).result();
  std::vector<Use> uses;
  for (const Use use : result.uses())
    if (use.owner() != widened.definer()) uses.push_back(use);
  for (const Use& use : uses) use.set(total);
  retype(sum);
}

}  // namespace

namespace schedule {

Result<ReductionChain, std::string> reduction_chain(ForRef loop, std::size_t number) {
  ReductionChain out;
  for (ForRef at = loop;;) {
    out.loops.push_back(at);
    out.numbers.push_back(number);
    const OpRef end = at.body().terminator();
    if (!end.valid() || number >= end.operand_count()) return refuse("the loop does not carry it on");
    const Value next = end.operand(number);
    const ForRef inner = ForRef::from(next.definer());
    if (!inner.valid()) {
      const auto step = carried_step(at, number);
      if (!step) return refuse(step.error());
      out.step = step->op;
      out.fn = step->fn;
      return out;
    }
    const std::size_t result = next.number();
    if (inner.initial(result) != at.carried(number) || !at.carried(number).has_one_use() || !next.has_one_use())
      return refuse("a loop inside does something else with it");
    at = inner;
    number = result;
  }
}

bool is_wide(ForRef loop, std::size_t i) {
  return loop.carried(i).dtype() == Dtype::F64 && wide_chain(loop, i).has_value();
}

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
    if (const auto chain = reduction_chain(of, i); !chain)
      return refuse("carried value " + std::to_string(i) + " is no reduction: " + chain.error());
    any = any || wide_sum_of(of, i);
  }
  if (!any) return refuse("it carries no sum of f32 in f64");
  if (usual_extent(of).value_or(size + 1) > size)
    if (auto tiled = tile(loop, size, Tail::Min, facts); !tiled) return tiled;
  for (std::size_t i = 0; i < of.carried_count(); ++i)
    if (const auto sum = wide_sum_of(of, i)) add_behind(of, i, *sum);
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
    const auto wide = wide_chain(of, i);
    if (!wide) continue;
    carry_in_f32(of, i, *wide);
    ++narrowed;
  }
  if (narrowed == 0) return refuse("it carries no sum or product of f32 in f64 that starts as a number");
  return {};
}

}  // namespace mlgc
