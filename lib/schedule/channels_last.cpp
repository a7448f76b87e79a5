// See channels_last.h.
#include "schedule/channels_last.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "ir/walk.h"
#include "loopir/functions.h"
#include "loopir/loop_ops.h"
#include "loopir/subscripts.h"
#include "machine/machine.h"
#include "schedule/channel_axes.h"
#include "schedule/contraction.h"
#include "schedule/layout_estimates.h"
#include "schedule/predict.h"
#include "schedule/scheduled_copy.h"
#include "schedule/step_taker.h"

namespace mlgc::schedule {

namespace {

using Seconds = std::array<double, kAssumedSizes.size()>;

// One core, which is given nothing by others.
Machine one_core() {
  Machine machine = default_machine(MachineKind::Cpu);
  std::get<CpuMachine>(machine.numbers).cores = 1;
  return machine;
}

// The axis after all others, which stay in their order.
AxisOrder last_of(std::size_t rank, std::size_t axis) {
  AxisOrder order(rank);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::rotate(order.begin() + static_cast<std::ptrdiff_t>(axis), order.begin() + static_cast<std::ptrdiff_t>(axis) + 1,
              order.end());
  return order;
}

// Buffers that change together, and the launches on them.
struct Group {
  std::vector<Value> buffers;
  std::vector<OpRef> launches;
};

bool is_of_16_bits(Value buffer) { return buffer.dtype() == Dtype::BF16 || buffer.dtype() == Dtype::F16; }

class ChannelsLast {
 public:
  ChannelsLast(OpRef host_function, MemoryFormat format, Numerics numerics, AxisPermuter& permuter, RewriteGate& gate,
               bool for_matrix_unit = false)
      : host_function_(host_function),
        format_(format),
        numerics_(numerics),
        permuter_(permuter),
        gate_(gate),
        machine_(one_core()),
        for_matrix_unit_(for_matrix_unit) {}

  ChannelsLastCounts run() {
    if (format_ == MemoryFormat::Contiguous) return counts_;
    const auto axes = channel_axes(host_function_, for_matrix_unit_ ? WeightArguments::Count : WeightArguments::Ignore);
    walk(host_function_, [&](OpRef op) {
      const auto axis = op.is(LoopOp::Alloc) ? axes.find(op.result().id()) : axes.end();
      if (axis == axes.end() || !is_other(op.result(), axis->second)) return;
      if (for_matrix_unit_ && !is_of_16_bits(op.result())) return;
      if (const TransformResult may = may_permute_axes(op.result(), views()); !may)
        keep(op.result(), may.error().message());
      else
        orders_.emplace(axis->first, last_of(op.result().rank(), axis->second));
    });
    for (const Group& group : groups()) visit(group);
    return counts_;
  }

 private:
  [[nodiscard]] Views views() const { return for_matrix_unit_ ? Views::Follow : Views::Keep; }
  // Elements lie in another order then: an axis of one element lies everywhere.
  [[nodiscard]] static bool is_other(Value buffer, std::size_t axis) {
    const IndexPool& pool = buffer.module().context().index();
    const auto is_long = [&](IndexExpr dim) { return pool.as_constant(dim) != 1; };
    const auto dims = buffer.dims();
    return is_long(dims[axis]) &&
           std::any_of(dims.begin() + static_cast<std::ptrdiff_t>(axis) + 1, dims.end(), is_long);
  }

  // In the order of the text.
  [[nodiscard]] std::vector<Group> groups() const {
    std::vector<Group> out;
    std::unordered_map<ValueId, std::size_t> group_of;
    walk(host_function_, [&](OpRef op) {
      if (!op.is(LoopOp::Alloc) || !orders_.contains(op.result().id()) || group_of.contains(op.result().id())) return;
      Group group;
      group.buffers.push_back(op.result());
      group_of[op.result().id()] = out.size();
      for (std::size_t i = 0; i < group.buffers.size(); ++i)
        for (const BufferLaunch& on : launches_on(group.buffers[i])) {
          if (!seen_launch(group, on.launch)) group.launches.push_back(on.launch);
          for (const Value other : on.launch.operands())
            if (orders_.contains(other.id()) && group_of.emplace(other.id(), out.size()).second)
              group.buffers.push_back(other);
        }
      out.push_back(std::move(group));
    });
    return out;
  }
  [[nodiscard]] static bool seen_launch(const Group& group, OpRef launch) {
    return std::find(group.launches.begin(), group.launches.end(), launch) != group.launches.end();
  }

  void visit(const Group& group) {
    std::string verdict = "channels last";
    if (format_ == MemoryFormat::Auto) {
      const Seconds now = seconds(group, false), then = seconds(group, true);
      double share = 0;
      for (std::size_t i = 0; i < now.size(); ++i) share = std::max(share, then[i] / now[i]);
      verdict += " takes " + std::to_string(static_cast<std::int64_t>(100 * share + 0.5)) + " %";
      if (!(share < 1)) {
        for (const Value buffer : group.buffers) keep(buffer, verdict);
        return;
      }
    } else {
      verdict += for_matrix_unit_ ? " for the matrix unit" : ", as asked for";
    }
    for (const Value buffer : group.buffers) {
      const OpRef alloc = buffer.definer();
      const AxisOrder& order = orders_.at(buffer.id());
      if (!gate_.may_rewrite("layout", alloc.location())) return;
      if (!permuter_.permute(buffer, order, views()))
        MLGC_ASSERT(false, "channels last: refused after it was admitted");
      alloc.set_attr("layout.order",
                     host_function_.module().context().attributes().string(print_order(order) + ", " + verdict));
      ++counts_.changed;
    }
  }

  void keep(Value buffer, const std::string& why) {
    if (note_kept(buffer, why, gate_)) ++counts_.kept;
  }

  // Of the kernels of the group.
  Seconds seconds(const Group& group, bool last) {
    Seconds sum{};
    for (const OpRef launch : group.launches) {
      ArgumentLayouts layouts;
      for (std::size_t i = 0; i < launch.operand_count(); ++i) {
        const Value buffer = launch.operand(i);
        if (buffer.is_result() && buffer.definer().is(LoopOp::Data)) layouts.weights.push_back(i);
        if (const auto order = orders_.find(buffer.id()); last && order != orders_.end())
          layouts.orders.emplace_back(i, order->second);
      }
      const Seconds& of = seconds(LaunchRef::from(launch).callee(), std::move(layouts));
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += times_launched(launch) * of[i];
    }
    return sum;
  }
  const Seconds& seconds(OpRef kernel, ArgumentLayouts layouts) {
    const auto [known, added] = seconds_.try_emplace({kernel.id(), std::move(layouts)}, Seconds{});
    if (!added) return known->second;
    const ScheduledCopy copy(kernel, known->first.second, machine_, numerics_);
    for (std::size_t i = 0; i < kAssumedSizes.size(); ++i)
      known->second[i] = predict(copy.kernel(), machine_, {.known = {}, .assumed = kAssumedSizes[i]}).seconds;
    return known->second;
  }

  OpRef host_function_;
  MemoryFormat format_;
  Numerics numerics_;
  AxisPermuter& permuter_;
  RewriteGate& gate_;
  Machine machine_;
  bool for_matrix_unit_;
  std::unordered_map<ValueId, AxisOrder> orders_;
  std::map<std::pair<OpId, ArgumentLayouts>, Seconds> seconds_;  // kernels do not change in place
  ChannelsLastCounts counts_;
};

// The index of a loop, where the subscript is just that.
std::optional<Value> plain_index(OpRef access, IndexExpr subscript) {
  const IndexPool& pool = access.module().context().index();
  const auto id = pool.as_atom(subscript);
  if (!id || pool.atom(*id).kind != AtomKind::Opaque) return std::nullopt;
  return access.operand(pool.atom(*id).number);
}

// The index of which neighbours are contiguous where the subscript is of the last axis.
std::optional<Value> contiguous_index(OpRef access, IndexExpr subscript) {
  IndexPool& pool = access.module().context().index();
  std::optional<Value> found;
  for (std::size_t i = 0; i < pool.term_count(subscript); ++i) {
    const Term term = pool.term(subscript, i);
    if (term.coefficient != 1 || term.factors.size() != 1) continue;
    if (found) return std::nullopt;
    found = plain_index(access, pool.from_atom(term.factors[0]));
    if (!found) return std::nullopt;
  }
  return found;
}

// The axis of an argument along which what it is multiplied with is contiguous, if that is one of channels, and not the
// last one of the argument.
std::optional<std::size_t> axis_to_be_last(OpRef kernel, std::size_t argument) {
  const Value weight = kernel.region(0).argument(argument);
  if (!weight.has_one_use()) return std::nullopt;
  const OpRef load = (*weight.uses().begin()).owner();
  for (const OpRef nest : loops_in(kernel.region(0)))
    for (const OpRef sum : sums_in(nest)) {
      const std::vector<OpRef> loads = loads_in(sum);
      if (loads.size() != 2 || std::find(loads.begin(), loads.end(), load) == loads.end()) continue;
      const OpRef other = loads[0] == load ? loads[1] : loads[0];
      const auto places = subscripts_of(other);
      const auto last = places.empty() ? std::nullopt : contiguous_index(other, places.back());
      const auto own = subscripts_of(load);
      for (std::size_t axis = 0; last && axis + 1 < own.size(); ++axis)
        if (plain_index(load, own[axis]) == last) return axis;
    }
  return std::nullopt;
}

// The axis that all launches on a weight want to be the last one.
std::optional<std::size_t> last_axis_of_weight(Value data) {
  std::optional<std::size_t> axis;
  for (const BufferLaunch& on : launches_on(data))
    for (const std::size_t argument : on.arguments) {
      const auto wanted = axis_to_be_last(LaunchRef::from(on.launch).callee(), argument);
      if (!wanted || (axis && axis != wanted)) return std::nullopt;
      axis = wanted;
    }
  return axis;
}

}  // namespace

ChannelsLastCounts put_channels_last_for_matrix_unit(OpRef host_function, AxisPermuter& permuter, RewriteGate& gate) {
  ChannelsLastCounts counts =
      ChannelsLast(host_function, MemoryFormat::ChannelsLast, Numerics::LikeEager, permuter, gate, true).run();
  std::vector<Value> weights;
  walk(host_function, [&](OpRef op) {
    if (op.is(LoopOp::Data) && is_of_16_bits(op.result()) && op.result().rank() > 2) weights.push_back(op.result());
  });
  for (const Value weight : weights) {
    const auto axis = last_axis_of_weight(weight);
    if (!axis || !gate.may_rewrite("layout", weight.definer().location())) continue;
    if (permuter.permute_weight(weight, last_of(weight.rank(), *axis))) ++counts.changed;
  }
  return counts;
}

ChannelsLastCounts put_channels_last(OpRef host_function, MemoryFormat format, Numerics numerics,
                                     AxisPermuter& permuter, RewriteGate& gate) {
  return ChannelsLast(host_function, format, numerics, permuter, gate).run();
}

}  // namespace mlgc::schedule

namespace mlgc {

std::optional<MemoryFormat> memory_format(std::string_view name) {
  const auto* const found = std::find(kMemoryFormatNames.begin(), kMemoryFormatNames.end(), name);
  if (found == kMemoryFormatNames.end()) return std::nullopt;
  return static_cast<MemoryFormat>(found - kMemoryFormatNames.begin());
}

}  // namespace mlgc
