// separate-scan: what a running reduction takes, the reduction itself and what follows from it become three loops, so
// that the one that carries touches only scratch, and the others have independent iterations.
//
//     for (%j, %c = a) { %t = f(x[%j]); %n = op(%c, %t); y[%j] = g(%n, %j); yield %n }
// becomes
//     for (%j_t) { terms[%j_t] = f(x[%j_t]) }
//     for (%j, %c = a) { %n = op(%c, terms[%j]); terms[%j] = %n; yield %n }
//     for (%j_r) { y[%j_r] = g(terms[%j_r], %j_r) }
#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "ir/builder.h"
#include "ir/clone.h"
#include "ir/walk.h"
#include "loopir/loop_ops.h"
#include "loopir/loop_role.h"
#include "loopir/nests.h"
#include "schedule/loop_edit.h"
#include "schedule/loop_transforms.h"
#include "schedule/running.h"

namespace mlgc {

using namespace schedule;

namespace {

class SeparateScan {
 public:
  SeparateScan(OpRef loop, const Facts& facts)
      : of_(ForRef::from(loop)), facts_(facts), module_(loop.module()), context_(module_.context()) {}

  TransformResult check() {
    if (auto may = expect_serial(of_); !may) return may;
    auto running = running_reduction(of_);
    if (!running) return refuse(running.error());
    running_ = std::move(*running);
    if (of_.carried_count() != 1 || !of_.carried(0).has_one_use())
      return refuse<kScheduleNotApplicable>(index_name(of_), "carry one value, which only its step takes");
    TransformResult may;
    walk(of_.op(), [&](OpRef op) {
      if (loop_role(op) == LoopRole::Runs || loop_role(op) == LoopRole::Allocates)
        may = refuse<kScheduleUnsupportedOp>(index_name(of_), op.name(), "run apart from the others");
    });
    if (!may) return may;
    if (const auto conflict = find_conflict(of_, facts_)) return refuse(of_, *conflict);
    IndexPool& pool = context_.index();
    const auto most = usual_extent(of_);
    size_ =
        most ? pool.constant(*most) : pool.sub(over_values(of_.op(), of_.last()), over_values(of_.op(), of_.first()));
    return is_size(pool, size_) ? TransformResult() : refuse<kScheduleTripCountNotASize>(index_name(of_));
  }

  void run() {
    const OpRef loop = of_.op();
    Builder builder(module_);
    builder.set_location(loop.location());
    builder.set_before(loop);
    const std::vector<OpRef> widened = casts_before(running_.terms[0]);
    const Value term = widened.empty() ? running_.terms[0] : widened.front().operand(0);
    const std::vector<OpRef> rounded = casts_after(running_.steps[0].op.result());
    const Value next = rounded.empty() ? running_.steps[0].op.result() : rounded.back().result();
    const Value terms = scratch(builder, term.dtype(), "terms");
    const Value results = next.dtype() == term.dtype() ? terms : scratch(builder, next.dtype(), "running");

    ForRef made = loop_like(builder, of_, "_t");
    builder.set_end(made.body());
    ValueMap map;
    map.set(of_.index(), made.index());
    for (const OpRef op : running_.computes)
      if (std::find(widened.begin(), widened.end(), op) == widened.end()) clone(op, builder, map);
    store_of(builder, map.find(term).valid() ? map.find(term) : term, terms, place(made));
    end(builder, made);

    made = ForRef::from(new_loop(builder, over_values(loop, of_.first()), over_values(loop, of_.last()),
                                 fresh_name(loop, std::string(of_.index().name()) + "_c"), initial_values(of_)));
    builder.set_end(made.body());
    map = {};
    map.set(of_.index(), made.index());
    map.set(of_.carried(0), made.carried(0));
    map.set(term, load_of(builder, terms, place(made)));
    for (const OpRef op : widened) clone(op, builder, map);
    clone(running_.steps[0].op, builder, map);
    for (const OpRef op : rounded) clone(op, builder, map);
    store_of(builder, map.find(next), results, place(made));
    end(builder, made, {map.find(running_.steps[0].op.result())});
    loop.result(0).replace_all_uses_with(made.op().result(0));

    made = loop_like(builder, of_, "_r");
    builder.set_end(made.body());
    map = {};
    map.set(of_.index(), made.index());
    map.set(next, load_of(builder, results, place(made)));
    std::vector<OpRef> copies;
    for (const OpRef op : of_.body().ops()) {
      const bool is_step = op == running_.steps[0].op || op == of_.body().terminator();
      if (!is_step && std::find(rounded.begin(), rounded.end(), op) == rounded.end())
        copies.push_back(clone(op, builder, map));
    }
    end(builder, made);
    for (std::size_t i = copies.size(); i-- > 0;)
      if (!copies[i].is(LoopOp::Store) && copies[i].region_count() == 0 && copies[i].result_count() > 0 &&
          copies[i].results_unused())
        copies[i].erase();
    loop.erase();
  }

 private:
  // Casts to wider dtypes that end in the value, of the terms.
  [[nodiscard]] std::vector<OpRef> casts_before(Value v) const {
    std::vector<OpRef> out;
    for (OpRef at = v.is_result() ? v.definer() : OpRef(); at.valid() && at.is(GraphOp::Cast); at = v.definer()) {
      const bool widens = dtype_info(at.operand(0).dtype()).bytes < dtype_info(at.result().dtype()).bytes;
      if (!widens || !(at.parent() == of_.body())) break;
      out.insert(out.begin(), at);
      v = at.operand(0);
      if (!v.is_result()) break;
    }
    return out;
  }
  // Casts to narrower dtypes through which everything but the yield takes the next value.
  [[nodiscard]] std::vector<OpRef> casts_after(Value v) const {
    std::vector<OpRef> out;
    for (;;) {
      OpRef cast;
      for (const OpRef user : v.users()) {
        if (user == of_.body().terminator()) continue;
        if (cast.valid() || !user.is(GraphOp::Cast) || !(user.parent() == of_.body())) return out;
        cast = user;
      }
      if (!cast.valid() || dtype_info(cast.result().dtype()).bytes >= dtype_info(v.dtype()).bytes) return out;
      out.push_back(cast);
      v = cast.result();
    }
  }
  Value scratch(Builder& builder, Dtype dtype, std::string_view name) {
    const Value made =
        builder.create(LoopOp::Alloc, {}, {context_.types().buffer(dtype, std::array{size_}, Scope::Thread)}).result();
    made.set_name(name);
    return made;
  }
  std::array<IndexExpr, 1> place(ForRef loop) {
    return {context_.index().sub(of_value(loop.index()), over_values(loop.op(), loop.first()))};
  }
  void end(Builder& builder, ForRef loop, const std::vector<Value>& next = {}) {
    builder.set_end(loop.body());
    builder.create(context_.opcode(LoopOp::Yield), next, {}, {});
    builder.set_after(loop.op());
  }

  ForRef of_;
  const Facts& facts_;
  Module& module_;
  Context& context_;
  IndexExpr size_;
  Running running_;
};

}  // namespace

TransformResult separate_scan(OpRef loop, const Facts& facts) {
  MLGC_ASSERT(ForRef::from(loop).valid(), "separate-scan: no loop");
  SeparateScan step(loop, facts);
  if (auto may = step.check(); !may) return may;
  step.run();
  return {};
}

}  // namespace mlgc
