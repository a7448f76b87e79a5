// simplify-control-flow: loops without iterations, carried values without uses, and short loops.
//
// One walk from inner loops to outer ones, then one removal of what has no uses (prune_carried.h): linear in the size
// of the module and of what unrolling copies.
#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "ir/clone.h"
#include "ir/function_facts.h"
#include "ir/walk.h"
#include "loopir/functions.h"
#include "loopir/loop_ops.h"
#include "loopir/subscripts.h"
#include "rewrite/match.h"
#include "transforms/passes.h"
#include "transforms/prune_carried.h"

namespace mlgc {

namespace {

struct SimplifyControlFlowOptions {
  std::int64_t unroll = 0;
  std::int64_t max_ops = 1 << 20;
};

constexpr std::array kSimplifyControlFlowOptions{
    pass_option<&SimplifyControlFlowOptions::unroll>("unroll", "unroll loops of at most that many iterations; 0: none"),
    pass_option<&SimplifyControlFlowOptions::max_ops>(
        "max-ops", "leave further loops once unrolling has copied that many ops: nested ones multiply"),
};
constexpr std::array kSimplifyControlFlowCounters{
    PassCounter{"loops-removed", "loops without iterations"},
    PassCounter{"loops-unrolled", "loops replaced by their iterations"},
    PassCounter{"loops-over-limit", "loops left because of max-ops"},
    PassCounter{"invariants", "carried values that never change, replaced by their initial values"},
    PassCounter{"carries-removed", "carried values without uses"},
    PassCounter{"results-removed", "results of `if` and stacked results of `scan` without uses"},
    PassCounter{"sequences-removed", "sequences of `scan` without uses"},
    PassCounter{"ops-removed", "ops without uses, not counting the ops inside them"},
};

class Simplifier {
 public:
  Simplifier(Module& module, const SimplifyControlFlowOptions& options, PassContext& context)
      : module_(module), context_(module.context()), options_(options), pass_(context) {}

  bool run() {
    walk<WalkOrder::Post>(module_, [&](OpRef op) { visit(op); });
    const PruneReport pruned = prune_carried(module_, pass_);
    pass_.count("carries-removed") = pruned.carries;
    pass_.count("results-removed") = pruned.results;
    pass_.count("sequences-removed") = pruned.sequences;
    pass_.count("ops-removed") = pruned.ops;
    return changed_ || pruned.any();
  }

 private:
  void visit(OpRef op) {
    const CarriedValues carried = CarriedValues::of(op);
    if (!carried.valid()) return;
    replace_invariants(carried);
    if (op.is(GraphOp::While)) return remove_while(op);
    const auto turns = turns_of(op);
    if (turns == 0)
      remove_empty(carried);
    else if (turns && *turns <= options_.unroll)
      unroll(carried, *turns);
  }

  // --- values that never change
  // Each value is looked at again only when another one, which it was handed on as, turned out not to change.
  void replace_invariants(const CarriedValues& carried) {
    std::vector<std::size_t> open;
    std::vector<bool> done(carried.count);
    for (std::size_t i = carried.count; i-- > 0;) open.push_back(i);
    while (!open.empty()) {
      const std::size_t i = open.back();
      open.pop_back();
      if (done[i] || !invariant(carried, i)) continue;
      done[i] = true;
      const Value initial = carried.initial(i), result = carried.loop.result(i);
      bool used = result.has_uses();
      for (const RegionRef region : carried.loop.regions()) used = used || carried.argument(region, i).has_uses();
      if (!used) continue;
      if (!pass_.may_rewrite("replace-unchanged-carry", carried.loop.location())) return;
      for (const RegionRef region : carried.loop.regions()) {
        const Value argument = carried.argument(region, i);
        const OpRef end = region.terminator();
        for (const Use use : argument.uses()) {
          if (use.owner() != end) continue;
          const std::size_t other = use.operand_number() - CarriedValues::first_yielded(region);
          if (use.operand_number() >= CarriedValues::first_yielded(region) && other < carried.count && !done[other])
            open.push_back(other);
        }
        argument.replace_all_uses_with(initial);
      }
      result.replace_all_uses_with(initial);
      changed_ = true;
      ++pass_.count("invariants");
    }
  }

  // Each region hands on what it was given, or what the loop started with.
  static bool invariant(const CarriedValues& carried, std::size_t i) {
    for (const RegionRef region : carried.loop.regions()) {
      const Value yielded = carried.yielded(region, i);
      if (yielded != carried.argument(region, i) && yielded != carried.initial(i)) return false;
    }
    return true;
  }

  // --- loops without iterations
  // The first region runs once.
  void remove_while(OpRef loop) {
    const RegionRef before = loop.region(0);
    const OpRef end = before.terminator();
    const auto go_on = splat_value(end.operand(0));
    if (!go_on || *go_on != 0 || !pass_.may_rewrite("remove-loop", loop.location())) return;
    for (std::size_t i = 0; i < before.argument_count(); ++i) before.argument(i).replace_all_uses_with(loop.operand(i));
    for (std::size_t i = 0; i < loop.result_count(); ++i) loop.result(i).replace_all_uses_with(end.operand(i + 1));
    end.erase();
    before.splice_before(loop);
    removed(loop);
  }

  std::optional<std::int64_t> turns_of(OpRef loop) {
    IndexPool& index = context_.index();
    if (const ForRef bounds = ForRef::from(loop); bounds.valid()) {
      const IndexExpr turns = index.sub(bounds.last(), bounds.first());
      if (index.is_non_negative(index.scale(turns, -1), facts_.of(loop))) return 0;
      return index.as_constant(turns);
    }
    return index.as_constant(loop.operand(CarriedValues::of(loop).count).dims()[0]);
  }

  void remove_empty(const CarriedValues& carried) {
    const OpRef loop = carried.loop;
    if (!pass_.may_rewrite("remove-loop", loop.location())) return;
    Builder builder(module_, loop.parent());
    builder.set_before(loop);
    builder.set_location(loop.location());
    for (std::size_t i = 0; i < loop.result_count(); ++i) {
      const Value result = loop.result(i);
      if (i < carried.count)
        result.replace_all_uses_with(carried.initial(i));
      else if (result.has_uses())
        result.replace_all_uses_with(nothing(builder, result.type()));
    }
    removed(loop);
  }

  // A stack of no elements.
  Value nothing(Builder& builder, Type type) {
    const Tensor zero = Tensor::zeros(context_.types().dtype(type), {});
    return builder
        .create(GraphOp::Constant, {}, {type},
                builder.attrs({{"value", context_.attributes().tensor(type, zero.bytes())}}))
        .result();
  }

  void removed(OpRef loop) {
    loop.erase();
    changed_ = true;
    ++pass_.count("loops-removed");
  }

  // --- unrolling
  void unroll(const CarriedValues& carried, std::int64_t turns) {
    const OpRef loop = carried.loop;
    std::int64_t size = 0;
    bool binds_size = false;  // a size has one name, so the op that binds it stands once
    walk(loop, [&](OpRef op) {
      ++size;
      binds_size = binds_size || op.has_trait(Traits::BindsSize);
    });
    const ForRef counted = ForRef::from(loop);
    if (binds_size || (counted.valid() && !may_unroll(counted))) return;
    if (copied_ + turns * size > options_.max_ops) {
      ++pass_.count("loops-over-limit");
      return;
    }
    if (!pass_.may_rewrite(counted.valid() ? "unroll-for" : "unroll-scan", loop.location())) return;
    copied_ += turns * size;
    const bool reverse = context_.attributes().as_bool(loop.attr("reverse")).value_or(false);
    const RegionRef body = loop.region();
    Builder builder(module_, loop.parent());
    builder.set_before(loop);
    std::vector<Value> values;
    for (std::size_t i = 0; i < carried.count; ++i) values.push_back(carried.initial(i));
    std::vector<OpRef> copies;  // whose loops may turn a known number of times now
    std::vector<std::vector<Value>> stacked(loop.result_count() - carried.count);
    for (std::int64_t turn = 0; turn < turns; ++turn) {
      ValueMap map;
      for (std::size_t i = 0; i < carried.count; ++i) map.set(carried.argument(body, i), values[i]);
      builder.set_location(loop.location());
      for (std::size_t i = carried.count; loop.is(GraphOp::Scan) && i < loop.operand_count(); ++i) {
        const std::int64_t at = reverse ? turns - 1 - turn : turn;
        map.set(body.argument(i), slice(builder, loop.operand(i), at, body.argument(i).type()));
      }
      const OpRef last = loop.previous();
      clone_ops(body, builder, map, true);
      const OpRef end = body.terminator();
      const auto yielded = [&](std::size_t i) {
        const Value mapped = map.find(end.operand(i));
        return mapped.valid() ? mapped : end.operand(i);
      };
      for (std::size_t i = 0; i < carried.count; ++i) values[i] = yielded(i);
      for (std::size_t i = 0; i < stacked.size(); ++i) stacked[i].push_back(yielded(carried.count + i));
      if (counted.valid()) set_index(counted, turn, last, copies);
    }
    builder.set_location(loop.location());
    for (std::size_t i = 0; i < carried.count; ++i) loop.result(i).replace_all_uses_with(values[i]);
    for (std::size_t i = 0; i < stacked.size(); ++i) {
      if (reverse) std::reverse(stacked[i].begin(), stacked[i].end());
      const Value result = loop.result(carried.count + i);
      if (result.has_uses()) result.replace_all_uses_with(stack(builder, stacked[i], result.type()));
    }
    loop.erase();
    changed_ = true;
    ++pass_.count("loops-unrolled");
    for (const OpRef copy : copies) walk<WalkOrder::Post>(copy, [&](OpRef op) { visit(op); });
  }

  // At the loop level the `kind` of a loop asks a back end for this. Index expressions are all that can say what an
  // index is, so it must be read in brackets only.
  static bool may_unroll(const ForRef& loop) {
    for (const Use use : loop.index().uses())
      if (!is_in_subscripts(use)) return false;
    OpRef func = loop.op();
    while (!func.has_trait(Traits::TopLevelOnly)) func = func.parent_op();
    return !func.is(GraphOp::Func) || !is_loop_function(func);
  }

  // The copies of one turn, which come after `last`, still read the loop's index: it becomes what it is in that turn.
  // Where loops among them have other bounds now, they are added to `copies`.
  void set_index(const ForRef& loop, std::int64_t turn, OpRef last, std::vector<OpRef>& copies) {
    IndexPool& index = context_.index();
    const IndexExpr now = index.add(loop.first(), index.constant(turn));
    const std::size_t before = copies.size();
    bool bounds = false;
    for (OpRef op = last.valid() ? last.next() : loop.op().parent().front(); op != loop.op(); op = op.next()) {
      copies.push_back(op);
      walk(op, [&](OpRef inner) {
        const auto operands = inner.operands();
        if (std::find(operands.begin(), operands.end(), loop.index()) == operands.end()) return;
        replace_in_subscripts(inner, loop.index(), now, loop.op());
        bounds = bounds || inner.is(GraphOp::For);
      });
    }
    if (!bounds) copies.resize(before);
  }

  Value slice(Builder& builder, Value sequence, std::int64_t at, Type type) {
    AttributePool& attributes = context_.attributes();
    const AttrDict attrs =
        builder.attrs({{"dim", attributes.integer(std::int64_t{0})}, {"index", attributes.integer(at)}});
    return builder.create("select", {sequence}, {type}, attrs).result();
  }
  Value stack(Builder& builder, const std::vector<Value>& values, Type type) {
    const AttrDict attrs = builder.attrs({{"dim", context_.attributes().integer(std::int64_t{0})}});
    return builder.create(context_.find_op("stack"), values, attrs, std::array{type}).result();
  }

  Module& module_;
  Context& context_;
  const SimplifyControlFlowOptions& options_;
  PassContext& pass_;
  FunctionFacts facts_;
  std::int64_t copied_ = 0;
  bool changed_ = false;
};

PassResult run(Module& module, const SimplifyControlFlowOptions& options, PassContext& context) {
  if (options.unroll < 0) {
    reject_option(context, "unroll", "must be at least 0");
    return PassResult::Failed;
  }
  return PassContext::changed_if(Simplifier(module, options, context).run());
}

}  // namespace

constexpr PassDef kSimplifyControlFlowPass{
    .name = "simplify-control-flow",
    .summary = "Removes loops without iterations, and carried values without uses.",
    .description =
        "A `while` whose condition is the constant false becomes its first region. A `for` or `scan` with a trip "
        "count known to be 0 becomes its initial values. A carried value that no iteration changes is replaced by its "
        "initial value in the loop. Then everything without uses is removed, in all nested loops at once: carried "
        "values of loops that feed only themselves or each other, stacked results and sequences of `scan`, results of "
        "`if`, and the ops that computed these. A scan keeps a sequence that states its length. With `unroll=N` loops "
        "that are known to have at most N iterations are unrolled: each `scan`, and each `for` whose index is read in "
        "index expressions only. At the loop level the `kind` of a `for` asks a back end for that. `canonicalize` "
        "handles an `if` with a constant condition.",
    .options = kSimplifyControlFlowOptions,
    .counters = kSimplifyControlFlowCounters,
    .example = {.before = R"(func @f(%w: tensor<4xf32>, %h: tensor<4xf32>, %xs: tensor<[T]x4xf32>) -> tensor<4xf32> {
  %r, %v, %n, %ys = scan %h, %w, %h, %xs (%c: tensor<4xf32>, %u: tensor<4xf32>, %d: tensor<4xf32>, %x: tensor<4xf32>)
      attributes {carried = 3} {
    %m = mul %c, %u : tensor<4xf32>
    %s = add %m, %x : tensor<4xf32>
    %e = neg %d : tensor<4xf32>
    yield %s, %u, %e, %m
  } : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<[T]x4xf32>
  return %r
})",
                .after = R"(func @f(%w: tensor<4xf32>, %h: tensor<4xf32>, %xs: tensor<[T]x4xf32>) -> tensor<4xf32> {
  %r = scan %h, %xs (%c: tensor<4xf32>, %x: tensor<4xf32>) attributes {carried = 1} {
    %m = mul %c, %w : tensor<4xf32>
    %s = add %m, %x : tensor<4xf32>
    yield %s
  } : tensor<4xf32>
  return %r
})"},
    .body = pass_body<SimplifyControlFlowOptions, run>(),
};

}  // namespace mlgc
