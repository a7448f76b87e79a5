// loop-invariant-code-motion: what a loop computes anew from the same values each time moves before the loop, out of as
// many loops as it can at once. One walk in program order, linear in ops and operands: what an op uses has moved before
// the op is looked at.
//
// An op that moves runs once where it ran as often as the loop turned, which may be never. So it may have no effects;
// and if it may fail, it moves only where it would have run in any case: directly in a region that the loop runs at
// least once (the first region of `while`; the body of `scan` and `for` where their length is known to be 1 or more).
// Then the program fails where it failed before, if perhaps with another of the errors that it runs into.
#include <algorithm>
#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "ir/function_facts.h"
#include "ir/mentioned_sizes.h"
#include "loopir/loop_ops.h"
#include "transforms/passes.h"

namespace mlgc {

namespace {

constexpr std::array kLoopInvariantCodeMotionCounters{
    PassCounter{"ops-hoisted", "ops that moved out of loops"},
    PassCounter{"may-fail", "ops left in a loop because they may fail and the loop may not run"},
};

class Hoister {
 public:
  Hoister(Module& module, PassContext& context)
      : module_(module), context_(module.context()), pass_(context), depths_(module.region_id_bound()) {}

  bool run() {
    std::uint64_t& hoisted = pass_.count("ops-hoisted");
    enter(module_.body());
    while (!frames_.empty()) {
      Frame& frame = frames_.back();
      if (frame.entering.valid()) {
        const RegionRef region = frame.entering;
        frame.entering = region.next();
        enter(region);
        continue;
      }
      const OpRef op = frame.next;
      if (!op.valid()) {
        frames_.pop_back();
        continue;
      }
      frame.next = op.next();
      frame.at = op;
      if (frames_.size() == 1 && op.has_trait(Traits::TopLevelOnly)) sizes_.clear();
      if (op.has_trait(Traits::BindsSize)) note_sizes(op);
      if (op.region_count() != 0) {
        frame.entering = op.region();
      } else if (const std::size_t target = destination(op);
                 target < frames_.size() - 1 && pass_.may_rewrite("hoist-op", op.location())) {
        op.move_before(frames_[target].at);
        ++hoisted;
      }
    }
    return hoisted > 0;
  }

 private:
  // The regions around the op at hand, from the module's own to that of the op.
  struct Frame {
    OpRef next, at;
    RegionRef entering;    // of `at`: to be walked before the walk goes on
    std::size_t any = 0;   // the outermost frame to which what cannot fail may move
    std::size_t sure = 0;  // to which what may fail may
  };

  void enter(RegionRef region) {
    const std::size_t depth = frames_.size();
    depths_[region.id().index()] = depth;
    Frame frame{region.front(), {}, {}, depth, depth};
    const OpRef loop = region.parent_op();
    if (depth > 0 && loop.has_trait(Traits::Loop) && loop.has_trait(Traits::CapturesRegion)) {
      frame.any = frames_.back().any;
      if (runs(loop, region)) frame.sure = frames_.back().sure;
    }
    frames_.push_back(frame);
  }

  // The region runs at least once whenever the loop is reached.
  bool runs(OpRef loop, RegionRef region) {
    IndexPool& index = context_.index();
    const auto at_least_one = [&](IndexExpr trips) {
      return index.is_non_negative(index.sub(trips, index.constant(1)), facts_.of(loop));
    };
    if (loop.is(GraphOp::While)) return region.number() == 0;
    if (const ForRef bounds = ForRef::from(loop); bounds.valid())
      return at_least_one(index.sub(bounds.last(), bounds.first()));
    if (!loop.is(GraphOp::Scan)) return false;
    const auto carried = context_.attributes().as_int64(loop.attr("carried"));
    return carried && static_cast<std::size_t>(*carried) < loop.operand_count() &&
           at_least_one(loop.operand(static_cast<std::size_t>(*carried)).dims()[0]);
  }

  // The outermost frame in which the op may stand.
  std::size_t destination(OpRef op) {
    const std::size_t here = frames_.size() - 1;
    if (op.has_trait(Traits::Terminator) || op.has_trait(Traits::Symbol) || op.has_trait(Traits::BindsSize))
      return here;
    const Effects effects = op.own_effects();
    if ((effects & (Effects::Reads | Effects::Writes | Effects::Allocates)) != Effects::None) return here;
    if (frames_.back().any == here) return here;
    std::size_t needed = 0;
    for (const Value operand : op.operands()) needed = std::max(needed, depths_[operand.scope().id().index()]);
    if (!sizes_.empty()) needed = std::max(needed, depth_of_sizes(op));
    if (needed >= here) return here;
    if (!has(effects, Effects::MayFail)) return std::max(needed, frames_.back().any);
    const std::size_t target = std::max(needed, frames_.back().sure);
    if (target == here) ++pass_.count("may-fail");
    return target;
  }

  // Sizes that ops bind are known after these ops only.
  void note_sizes(OpRef op) {
    for (const Value result : op.results())
      if (context_.types().is_shaped(result.type()) && result.rank() > 0)
        if (const auto size = context_.index().as_atom(result.dims()[0])) sizes_[*size] = frames_.size() - 1;
  }

  std::size_t depth_of_sizes(OpRef op) {
    std::size_t depth = 0;
    const auto look = [&](IndexExpr e) {
      context_.index().for_each_atom(e, [&](AtomId atom) {
        if (const auto known = sizes_.find(atom); known != sizes_.end()) depth = std::max(depth, known->second);
      });
    };
    if (visit_mentioned_sizes(op, look)) depth = frames_.size() - 1;
    return depth;
  }

  Module& module_;
  Context& context_;
  PassContext& pass_;
  FunctionFacts facts_;
  std::vector<Frame> frames_;
  std::vector<std::size_t> depths_;                // by region: number of its frame
  std::unordered_map<AtomId, std::size_t> sizes_;  // of the function, bound by its ops: the frame of the op
};

PassResult run_loop_invariant_code_motion(Module& module, const NoPassOptions&, PassContext& context) {
  return PassContext::changed_if(Hoister(module, context).run());
}

}  // namespace

constexpr PassDef kLoopInvariantCodeMotionPass{
    .name = "loop-invariant-code-motion",
    .summary = "Moves ops that compute the same in each iteration of a loop before the loop.",
    .description =
        "An op moves out of `while`, `scan` and `for`, as far as its operands allow, when it has no effects and no "
        "regions. An op that may fail moves only out of a region that surely runs. That is the first one of `while`, "
        "or the body of a `scan` or `for` whose length is known to be at least 1, from its type or from the `where` "
        "clause. Nothing moves out of an `if`.",
    .counters = kLoopInvariantCodeMotionCounters,
    .example = {.before = R"(func @f(%w: tensor<4xf32>, %h: tensor<4xf32>, %xs: tensor<[T]x4xf32>) -> tensor<4xf32> {
  %r = scan %h, %xs (%c: tensor<4xf32>, %x: tensor<4xf32>) attributes {carried = 1} {
    %g = sigmoid %w : tensor<4xf32>
    %m = mul %c, %g : tensor<4xf32>
    %n = add %m, %x : tensor<4xf32>
    yield %n
  } : tensor<4xf32>
  return %r
})",
                .after = R"(func @f(%w: tensor<4xf32>, %h: tensor<4xf32>, %xs: tensor<[T]x4xf32>) -> tensor<4xf32> {
  %g = sigmoid %w : tensor<4xf32>
  %r = scan %h, %xs (%c: tensor<4xf32>, %x: tensor<4xf32>) attributes {carried = 1} {
    %m = mul %c, %g : tensor<4xf32>
    %n = add %m, %x : tensor<4xf32>
    yield %n
  } : tensor<4xf32>
  return %r
})"},
    .body = pass_body<NoPassOptions, run_loop_invariant_code_motion>(),
};

}  // namespace mlgc
