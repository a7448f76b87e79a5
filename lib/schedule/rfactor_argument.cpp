// rfactor-argument: the best of values and its position are found for each part of the iterations, which need not wait
// for each other, and then for their results.
//
//     for (%i, %b, %p) { %v = …; %c = …; yield where(%c, %v, %b), where(%c, %i, %p) }
// becomes
//     for %i_o, parallel {
//       %b, %p = for %i in the part (%b, %p from its first position on) { … as it was … }
//       store %b, %extrema[%i_o]; store %p, %positions[%i_o]
//     }
//     %b, %n = for (%i_p, …) { … the best of %extrema, and the number of the first part that has it … }
//     %p = if there is a part { load %positions[%n] } else { what the position started from }
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "ir/clone.h"
#include "ir/walk.h"
#include "loopir/loop_role.h"
#include "loopir/subscripts.h"
#include "schedule/argument_loop.h"
#include "schedule/around_loops.h"
#include "schedule/loop_edit.h"
#include "schedule/loop_transforms.h"

namespace mlgc {

using namespace schedule;

namespace {

class RfactorArgument {
 public:
  RfactorArgument(OpRef loop, ArgumentNest nest, std::int64_t size, const Facts& facts)
      : of_(ForRef::from(loop)),
        nest_(std::move(nest)),
        facts_(facts),
        module_(loop.module()),
        context_(module_.context()),
        pool_(context_.index()),
        size_(size),
        around_(loop) {}

  TransformResult check() {
    const OpRef loop = of_.op();
    if (size_ < 1) return refuse<kScheduleParameter>("the tile size", size_, "1 or more");
    const IndexExpr first = over_values(loop, of_.first()), last = over_values(loop, of_.last());
    parts_ = pool_.ceildiv(pool_.sub(last, first), pool_.constant(size_));
    if (!is_size(pool_, parts_)) return refuse<kScheduleTripCountNotASize>(index_name(of_));
    if (around_.empty()) return {};
    if (auto may = around_.check(); !may) return may;
    if (auto may = around_.gather(loop); !may) return may;
    return around_.reads_before(loop);
  }

  void run() {
    const OpRef loop = of_.op();
    Builder builder(module_);
    builder.set_before(around_.empty() ? loop : around_.outermost());
    builder.set_location(loop.location());
    std::vector<IndexExpr> shape{parts_};
    shape.insert(shape.end(), around_.extents().begin(), around_.extents().end());
    std::array<Value, 2> results;
    for (std::size_t i = 0; i < 2; ++i) {
      const Type type = context_.types().buffer(of_.carried(i).dtype(), shape, Scope::Arena);
      results[i] = builder.create(LoopOp::Alloc, {}, {type}).result();
      results[i].set_name(i == 0 ? "extrema" : "positions");
    }
    parts(builder, results);
    builder.set_before(loop);
    combine(builder, results);
    loop.erase();
    AroundLoops::erase_unused(around_.needed());
  }

 private:
  // Each with copies of the loops around.
  void parts(Builder& builder, const std::array<Value, 2>& results) {
    const OpRef loop = of_.op();
    const OpRef outer =
        new_loop(builder, pool_.constant(0), parts_, fresh_name(loop, std::string(of_.index().name()) + "_o"), {});
    const IndexExpr number = of_value(outer.region(0).argument(0));
    builder.set_end(outer.region(0));
    ValueMap map;
    const AroundLoops::Copy copy = around_.copy(builder, "_o", map);
    const ForRef part = ForRef::from(clone(loop, builder, map));
    part.op().remove_attr(kStrategyAttribute);  // the loop over parts has it
    const IndexExpr width = pool_.constant(size_), first = over_values(part.op(), part.first()),
                    last = over_values(part.op(), part.last());
    IndexExpr begin = pool_.add(first, pool_.scale(number, size_)), end = pool_.add(begin, width);
    const IndexExpr count = pool_.sub(last, first);
    if (pool_.as_constant(count).value_or(0) >= size_) {
      // The last part begins in the one before, which is asked first: so all have the same number of iterations.
      if (pool_.as_constant(pool_.mod(count, width)) != 0) begin = pool_.min(begin, pool_.sub(last, width));
      end = pool_.add(begin, width);
    } else if (pool_.equal(pool_.mod(count, width), pool_.constant(0), facts_) != Truth::Yes) {
      end = pool_.min(end, last);
    }
    builder.set_before(part.op());
    set_loop(part.op(), begin, end,
             {neutral_literal(builder, nest_.fn, of_.carried(0).dtype()), position(builder, part, map, begin)});
    builder.set_after(part.op());
    std::vector<IndexExpr> place{number};
    place.insert(place.end(), copy.place.begin(), copy.place.end());
    for (std::size_t i = 0; i < 2; ++i) store_of(builder, part.op().result(i), results[i], place);
    around_.end(builder, copy);
    builder.set_end(outer.region(0));
    builder.create(context_.opcode(LoopOp::Yield), {}, {}, {});
    ForRef::from(outer).set_kind(LoopKind::Parallel);
    move_strategy(loop, outer);
    AroundLoops::erase_unused(copy.needed);
  }

  // That of the first iteration of the part.
  Value position(Builder& builder, ForRef part, const ValueMap& map, IndexExpr begin) {
    const AtomId own = *pool_.as_atom(of_value(part.index()));
    const IndexExpr at = pool_.substitute(mapped(module_, nest_.begin, map),
                                          [&](AtomId id) { return id == own ? std::optional(begin) : std::nullopt; });
    const Value number = number_of(builder, at);
    const Dtype dtype = of_.carried(1).dtype();
    if (number.dtype() == dtype) return number;
    return builder
        .create(GraphOp::Cast, {number}, {context_.types().scalar(dtype)},
                builder.attrs({{"dtype", context_.attributes().dtype(dtype)}}))
        .result();
  }

  // Their results, where the loop stood.
  void combine(Builder& builder, const std::array<Value, 2>& results) {
    const OpRef loop = of_.op();
    const std::vector<IndexExpr> here = around_.place();
    const OpRef best = best_part(builder, nest_.fn, results[0], here, parts_,
                                 fresh_name(loop, std::string(of_.index().name()) + "_p"), of_.initial(0));
    builder.set_after(best);
    const IndexExpr number = of_value(best.result(1));
    std::vector<Value> operands;
    const Attribute conditions =
        brackets(module_, operands, std::array{number, pool_.sub(pool_.sub(parts_, pool_.constant(1)), number)});
    const Value is_part = GuardRef::create(builder, operands, conditions).holds();
    const OpRef branch = builder.create(LoopOp::If, {is_part}, {of_.carried(1).type()}, {}, 2);
    builder.set_end(branch.region(0));
    std::vector<IndexExpr> place{number};
    place.insert(place.end(), here.begin(), here.end());
    const Value found[] = {load_of(builder, results[1], place)};
    builder.create(context_.opcode(LoopOp::Yield), found, {}, {});
    builder.set_end(branch.region(1));
    const Value none[] = {of_.initial(1)};
    builder.create(context_.opcode(LoopOp::Yield), none, {}, {});
    loop.result(0).replace_all_uses_with(best.result(0));
    loop.result(1).replace_all_uses_with(branch.result());
  }

  ForRef of_;
  ArgumentNest nest_;
  const Facts& facts_;
  Module& module_;
  Context& context_;
  IndexPool& pool_;
  std::int64_t size_;
  IndexExpr parts_;
  AroundLoops around_;
};

}  // namespace

TransformResult rfactor_argument(OpRef loop, std::int64_t size, const Facts& facts) {
  auto nest = argument_nest(loop);
  if (!nest) return refuse(nest.error());
  RfactorArgument step(loop, *std::move(nest), size, facts);
  if (auto may = step.check(); !may) return may;
  step.run();
  return {};
}

}  // namespace mlgc
