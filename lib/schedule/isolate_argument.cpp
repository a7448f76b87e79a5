// isolate-argument: the best of values and its position, which a loop carries beside other values, or while it stores,
// get a loop of their own after it.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "ir/builder.h"
#include "ir/clone.h"
#include "loopir/buffers.h"
#include "loopir/loop_ops.h"
#include "loopir/loop_role.h"
#include "loopir/subscripts.h"
#include "ops/scalar_ops.h"
#include "schedule/argument_loop.h"
#include "schedule/loop_edit.h"
#include "schedule/loop_transforms.h"

namespace mlgc {

using namespace schedule;

namespace {

class IsolateArgument {
 public:
  explicit IsolateArgument(ForRef loop) : loop_(loop), module_(loop.op().module()), builder_(module_) {}

  // The numbers of a value and a position that are chosen by one condition, from that of the value on.
  [[nodiscard]] std::optional<std::size_t> pair() const {
    const OpRef end = loop_.body().terminator();
    const Opcode choice = scalar_ops(module_.context()).choice();
    const auto condition = [&](std::size_t i) {
      const Value v = end.operand(i);
      const bool chooses =
          v.is_result() && v.definer().opcode() == choice && v.definer().operand(2) == loop_.carried(i);
      return chooses ? v.definer().operand(0) : Value();
    };
    for (std::size_t i = 0; i + 1 < loop_.carried_count(); ++i)
      if (const Value c = condition(i); c.valid() && c == condition(i + 1)) return i;
    return std::nullopt;
  }

  TransformResult check() const {
    if (auto may = expect_serial(loop_); !may) return may;
    bool stores = false;
    for (const OpRef op : loop_.body().ops()) {
      if (op == loop_.body().terminator()) continue;
      stores = stores || op.is(LoopOp::Store);
      if (!op.is(LoopOp::Store) && (!only_computes(op) || op.region_count() > 0))
        return refuse<kScheduleUnsupportedOp>(index_name(loop_), op.name(), "computed in two loops");
    }
    if (loop_.carried_count() == 2 && !stores)
      return refuse<kScheduleNothingToDo>("separate", "the loop does nothing else");
    return {};
  }

  // Error: what is left of the loop for the pair is no argument loop, or reads what the loop writes; or the pair and
  // the rest depend on each other.
  TransformResult run(std::size_t at) {
    const OpRef loop = loop_.op();
    builder_.set_after(loop);
    builder_.set_location(loop.location());
    const std::vector<std::size_t> of_pair{at, at + 1};
    const OpRef own = copy(of_pair, fresh_name(loop, std::string(loop_.index().name()) + "_a"), false);
    if (!own.valid()) return depends();
    TransformResult may;
    if (const auto nest = argument_nest(own); !nest) may = refuse(nest.error());
    for (const OpRef op : own.region(0).ops())
      if (op.is(LoopOp::Load) && is_written(LoadRef::from(op).buffer()))
        may = refuse<kScheduleBufferWritten>(LoadRef::from(op).buffer().name(), index_name(loop_));
    if (!may) {
      own.erase();
      return may;
    }
    std::vector<std::size_t> others;
    for (std::size_t i = 0; i < loop_.carried_count(); ++i)
      if (i != at && i != at + 1) others.push_back(i);
    builder_.set_before(loop);
    const OpRef rest = copy(others, std::string(loop_.index().name()), true);
    if (!rest.valid()) {
      own.erase();
      return depends();
    }
    for (std::size_t i = 0; i < others.size(); ++i) loop.result(others[i]).replace_all_uses_with(rest.result(i));
    for (std::size_t i = 0; i < 2; ++i) loop.result(at + i).replace_all_uses_with(own.result(i));
    move_strategy(loop, rest);
    loop.erase();
    return {};
  }

 private:
  [[nodiscard]] bool is_written(Value buffer) const {
    const auto ops = loop_.body().ops();
    return std::any_of(ops.begin(), ops.end(), [&](OpRef op) {
      return op.is(LoopOp::Store) && underlying_buffer(StoreRef::from(op).buffer()) == underlying_buffer(buffer);
    });
  }

  [[nodiscard]] Failure<Diagnostic> depends() const {
    return refuse<kScheduleDependsOnCarried>("what it does beside the pair", index_name(loop_));
  }

  // The loop with some of the carried values; an invalid handle where these, or what it stores, depend on the others.
  OpRef copy(const std::vector<std::size_t>& numbers, const std::string& name, bool stores) {
    const OpRef loop = loop_.op();
    std::vector<Value> initial;
    for (const std::size_t i : numbers) initial.push_back(loop_.initial(i));
    const OpRef before = builder_.before();
    const RegionRef home = builder_.region();
    std::vector<OpRef> others;  // stand for the other carried values until nothing needs them
    const OpRef made =
        new_loop(builder_, over_values(loop, loop_.first()), over_values(loop, loop_.last()), name, initial);
    const RegionRef body = made.region(0);
    ValueMap map;
    map.set(loop_.index(), body.argument(0));
    builder_.set_before(made);
    for (std::size_t i = 0; i < loop_.carried_count(); ++i) {
      others.push_back(LiteralRef::create(builder_, loop_.carried(i).dtype(), 0, 0).op());
      map.set(loop_.carried(i), others.back().result());
    }
    for (std::size_t i = 0; i < numbers.size(); ++i) map.set(loop_.carried(numbers[i]), body.argument(i + 1));
    builder_.set_end(body);
    clone_ops(loop_.body(), builder_, map, true);
    std::vector<Value> next;
    for (const std::size_t i : numbers) next.push_back(map.find(loop_.body().terminator().operand(i)));
    builder_.create(module_.context().opcode(LoopOp::Yield), next, {}, {});
    std::vector<OpRef> ops(body.ops().begin(), body.ops().end());
    for (std::size_t i = ops.size() - 1; i-- > 0;)
      if (ops[i].is(LoopOp::Store) ? !stores : ops[i].results_unused()) ops[i].erase();
    if (before.valid())
      builder_.set_before(before);
    else
      builder_.set_end(home);
    const bool independent = std::all_of(others.begin(), others.end(), [](OpRef op) { return op.results_unused(); });
    if (!independent) made.erase();
    for (const OpRef op : others) op.erase();
    return independent ? made : OpRef();
  }

  ForRef loop_;
  Module& module_;
  Builder builder_;
};

}  // namespace

TransformResult isolate_argument(OpRef op) {
  const ForRef loop = ForRef::from(op);
  MLGC_ASSERT(loop.valid(), "isolate-argument: no loop");
  IsolateArgument step(loop);
  const auto pair = step.pair();
  if (!pair) return refuse<kScheduleNotApplicable>(index_name(loop), "carry an extremum and its position");
  if (auto may = step.check(); !may) return may;
  return step.run(*pair);
}

}  // namespace mlgc
