// narrow: sums and products of f32 that are carried in f64 are carried in f32, all of them or a number of terms at a
// time.
#include <array>
#include <vector>

#include "ir/builder.h"
#include "loopir/loop_ops.h"
#include "loopir/nests.h"
#include "ops/combine.h"
#include "schedule/loop_edit.h"
#include "schedule/loop_transforms.h"
#include "schedule/wide_sum.h"

namespace mlgc {

using namespace schedule;

namespace {

void set_initial(ForRef loop, std::size_t number, Value value) {
  loop.op().set_operand(loop.op().operand_count() - loop.carried_count() + number, value);
}

void carry_in_f32(ForRef loop, std::size_t number, const WideReduction& wide) {
  Module& module = loop.op().module();
  Context& context = module.context();
  const OpRef initial = loop.initial(number).definer();
  Builder builder(module);
  builder.set_before(loop.op());
  builder.set_location(loop.op().location());
  set_initial(loop, number, LiteralRef::create(builder, Dtype::F32, LiteralRef::from(initial)).op().result());
  if (!initial.result().has_uses()) initial.erase();
  carry_as_f32(wide);
  // Who wants f32 has it; others have it widened.
  const Value result = loop.op().result(number);
  Value widened;
  for (const OpRef user : result.users()) {
    if (user.is(GraphOp::Cast) && user.result().dtype() == Dtype::F32) {
      user.result().replace_all_uses_with(result);
      user.erase();
      continue;
    }
    if (!widened.valid()) {
      builder.set_after(loop.op());
      widened = builder
                    .create(GraphOp::Cast, {result}, {context.types().scalar(Dtype::F64)},
                            builder.attrs({{"dtype", context.attributes().dtype(Dtype::F64)}}))
                    .result();
    }
    for (std::size_t i = 0; i < user.operand_count(); ++i)
      if (user.operand(i) == result && user != widened.definer()) user.set_operand(i, widened);
  }
}

// The loop starts from 0 in f32, and what it started from is added to its result.
void add_behind(ForRef loop, std::size_t i, const WideReduction& sum) {
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
  const Value widened = builder.create(GraphOp::Cast, {result}, {wide}, to_wide).result();
  builder.set_after(widened.definer());
  const bool carried_first = sum.taken == 1;
  const Value operands[] = {carried_first ? before : widened, carried_first ? widened : before};
  const Value total = builder.create(step.opcode(), operands, step.attrs(), std::array{wide}).result();
  std::vector<Use> uses;
  for (const Use use : result.uses())
    if (use.owner() != widened.definer()) uses.push_back(use);
  for (const Use& use : uses) use.set(total);
  carry_as_f32(sum);
}

}  // namespace

namespace schedule {

Result<ReductionChain, Diagnostic> reduction_chain(ForRef loop, std::size_t number) {
  const auto no = [&, carried = number](std::string_view reason) {
    return refuse<kScheduleNotAReduction>(carried, index_name(loop), reason);
  };
  ReductionChain out;
  for (ForRef at = loop;;) {
    out.loops.push_back(at);
    out.numbers.push_back(number);
    const OpRef end = at.body().terminator();
    if (!end.valid() || number >= end.operand_count()) return no("the body yields nothing for it");
    const Value next = end.operand(number);
    const ForRef inner = ForRef::from(next.definer());
    if (!inner.valid()) {
      const auto step = carried_step(at, number);
      if (!step) return no(step.error());
      out.step = step->op;
      out.fn = step->fn;
      return out;
    }
    const std::size_t result = next.number();
    if (inner.initial(result) != at.carried(number) || !at.carried(number).has_one_use() || !next.has_one_use())
      return no("an inner loop does more than combine it");
    at = inner;
    number = result;
  }
}

std::optional<WideReduction> wide_reduction(ForRef loop, std::size_t number) {
  if (loop.carried(number).dtype() != Dtype::F64) return std::nullopt;
  auto chain = reduction_chain(loop, number);
  if (!chain || (chain->fn != ScalarFn::Add && chain->fn != ScalarFn::Mul)) return std::nullopt;
  const std::size_t taken = chain->step.operand(0) == chain->loops.back().carried(chain->numbers.back()) ? 1 : 0;
  const OpRef widening = chain->step.operand(taken).definer();
  if (!widening.valid() || !widening.is(GraphOp::Cast) || widening.operand(0).dtype() != Dtype::F32)
    return std::nullopt;
  return WideReduction{std::move(*chain), widening, taken};
}

std::optional<WideReduction> wide_sum(ForRef loop, std::size_t number) {
  auto wide = wide_reduction(loop, number);
  return wide && wide->chain.fn == ScalarFn::Add ? std::move(wide) : std::nullopt;
}

void carry_as_f32(const WideReduction& wide) {
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

}  // namespace schedule

TransformResult narrow_blocks(OpRef loop, std::int64_t size, const Facts& facts) {
  const ForRef of = ForRef::from(loop);
  MLGC_ASSERT(of.valid(), "narrow_blocks: no loop");
  if (size < 1) return refuse<kScheduleParameter>("the block size", size, "1 or more");
  if (auto may = expect_serial(of); !may) return may;
  bool any = false;
  for (std::size_t i = 0; i < of.carried_count(); ++i) {
    if (const auto chain = reduction_chain(of, i); !chain) return refuse(chain.error());
    any = any || wide_sum(of, i);
  }
  if (!any) return refuse<kScheduleNotApplicable>(index_name(of), "carry a sum of f32 in f64");
  if (usual_extent(of).value_or(size + 1) > size)
    if (auto tiled = tile(loop, size, Tail::Min, facts); !tiled) return tiled;
  for (std::size_t i = 0; i < of.carried_count(); ++i)
    if (const auto sum = wide_sum(of, i)) add_behind(of, i, *sum);
  return {};
}

TransformResult narrow(OpRef loop) {
  const ForRef of = ForRef::from(loop);
  MLGC_ASSERT(of.valid(), "narrow: no loop");
  std::size_t narrowed = 0;
  for (std::size_t i = 0; i < of.carried_count(); ++i) {
    const OpRef initial = of.initial(i).definer();
    if (!initial.valid() || !initial.is(LoopOp::Literal)) continue;
    const auto wide = wide_reduction(of, i);
    if (!wide) continue;
    carry_in_f32(of, i, *wide);
    ++narrowed;
  }
  if (narrowed == 0)
    return refuse<kScheduleNotApplicable>(index_name(of),
                                          "carry a sum or product of f32 in f64 that starts as a number");
  return {};
}

}  // namespace mlgc
