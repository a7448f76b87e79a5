// See choose_layouts.h.
#include "schedule/choose_layouts.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/function.h"
#include "ir/walk.h"
#include "loopir/functions.h"
#include "loopir/loop_ops.h"
#include "loopir/subscripts.h"
#include "machine/machine.h"
#include "schedule/kernel_cost.h"
#include "schedule/layout_estimates.h"
#include "schedule/permute_axes.h"
#include "schedule/scheduled_copy.h"

namespace mlgc {

using namespace schedule;

namespace {

// Policy, the same for all machines. Of what the kernels take as they are: estimates err, and what changes nothing errs
// never. So a change must be estimated to take a third less.
constexpr double kClearlyLess = 2.0 / 3;

class LayoutChooser {
 public:
  LayoutChooser(Module& module, MemoryFormat format, Numerics numerics, RewriteGate& gate)
      : module_(module), format_(format), numerics_(numerics), gate_(gate), permuter_(module) {}

  LayoutCounts run() {
    for (const FuncRef& function : functions(module_)) {
      if (function.op().erased() || !is_host_function(function.op())) continue;
      const ChannelsLastCounts last = put_channels_last(function.op(), format_, numerics_, permuter_, gate_);
      counts_.changed += last.changed;
      counts_.kept += last.kept;
      std::vector<Value> buffers;
      walk(function.op(), [&](OpRef op) {
        const bool is_last = op.attr("layout.order").valid();
        if (op.is(LoopOp::Alloc) && op.result().rank() > 1 && !is_last) buffers.push_back(op.result());
      });
      for (const Value buffer : buffers) choose(buffer);
    }
    counts_.copied = permuter_.copied();
    return counts_;
  }

 private:
  void choose(Value buffer) {
    const std::vector<BufferLaunch> launches = launches_on(buffer);
    const std::vector<AxisOrder> orders = orders_for(buffer, launches);
    if (orders.empty() && !is_asked_through_view(buffer)) return;
    if (const TransformResult may = may_permute_axes(buffer); !may) return keep(buffer, may.error().message());
    if (orders.empty()) return;
    const Costs now = cost(launches, std::nullopt);
    double least = 0;
    const AxisOrder* best = nullptr;
    for (const AxisOrder& order : orders) {
      const Costs with = cost(launches, order);
      double share = 0;
      for (std::size_t i = 0; i < now.size(); ++i) share = std::max(share, with[i] / std::max(now[i], 1.0));
      if (best != nullptr && share >= least) continue;
      least = share;
      best = &order;
    }
    const std::string verdict =
        print_order(*best) + " takes " + std::to_string(static_cast<std::int64_t>(100 * least + 0.5)) + " %";
    if (!(least < kClearlyLess)) return keep(buffer, verdict);
    if (!gate_.may_rewrite("layout", buffer.definer().location())) return;
    if (!permuter_.permute(buffer, *best)) MLGC_ASSERT(false, "layout: refused after it was admitted");
    buffer.definer().remove_attr("layout.kept");
    buffer.definer().set_attr("layout.order", module_.context().attributes().string(verdict));
    ++counts_.changed;
  }

  void keep(Value buffer, const std::string& why) {
    if (note_kept(buffer, why, gate_)) ++counts_.kept;
  }

  // --- orders

  // The axes from the one that changes least often, in the order of the loops, to the one that changes with every
  // iteration; of axes that no loop runs along the first ones.
  [[nodiscard]] static AxisOrder order_of(OpRef access) {
    std::vector<std::size_t> depths;
    const IndexPool& pool = access.module().context().index();
    for (const IndexExpr e : subscripts_of(access)) {
      std::size_t depth = 0;
      pool.for_each_atom(e, [&](AtomId id) {
        if (pool.atom(id).kind != AtomKind::Opaque) return;
        const OpRef around = access.operand(pool.atom(id).number).scope().parent_op();
        if (!ForRef::from(around).valid()) return;
        std::size_t at = 1;
        for (OpRef op = around; !op.is(LoopOp::Func); op = op.parent_op()) ++at;
        depth = std::max(depth, at);
      });
      depths.push_back(depth);
    }
    AxisOrder order(depths.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return depths[a] < depths[b]; });
    return order;
  }

  // Whether the axes lie in another order in memory: those of one element lie everywhere.
  [[nodiscard]] static bool is_other(const AxisOrder& order, Value buffer) {
    const IndexPool& pool = buffer.module().context().index();
    AxisOrder long_axes = order;
    std::erase_if(long_axes, [&](std::size_t axis) { return pool.as_constant(buffer.dims()[axis]) == 1; });
    return !std::is_sorted(long_axes.begin(), long_axes.end());
  }

  // Other orders than the one that the buffer has, as accesses in the kernels ask for them.
  [[nodiscard]] static std::vector<AxisOrder> orders_for(Value buffer, const std::vector<BufferLaunch>& launches) {
    std::vector<AxisOrder> out;
    for (const BufferLaunch& on : launches) {
      const OpRef kernel = LaunchRef::from(on.launch).callee();
      for (const std::size_t argument : on.arguments)
        for (const Use use : kernel.region(0).argument(argument).uses()) {
          if (!use.owner().is(LoopOp::Load) && !use.owner().is(LoopOp::Store)) continue;
          AxisOrder order = order_of(use.owner());
          if (is_other(order, buffer) && std::find(out.begin(), out.end(), order) == out.end())
            out.push_back(std::move(order));
        }
    }
    std::sort(out.begin(), out.end());
    return out;
  }

  [[nodiscard]] static bool is_asked_through_view(Value buffer) {
    for (const OpRef user : buffer.users())
      if (user.is(LoopOp::BufferView) &&
          (!orders_for(user.result(), launches_on(user.result())).empty() || is_asked_through_view(user.result())))
        return true;
    return false;
  }

  // --- what they cost

  using Costs = std::array<double, kAssumedSizes.size()>;

  Costs cost(const std::vector<BufferLaunch>& launches, const std::optional<AxisOrder>& order) {
    Costs sum{};
    for (const BufferLaunch& on : launches) {
      ArgumentLayouts layouts;
      if (order)
        for (const std::size_t argument : on.arguments) layouts.orders.emplace_back(argument, *order);
      const Costs& of = cost(LaunchRef::from(on.launch).callee(), std::move(layouts));
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += times_launched(on.launch) * of[i];
    }
    return sum;
  }

  const Costs& cost(OpRef kernel, ArgumentLayouts layouts) {
    const auto [known, added] = costs_.try_emplace({kernel.id(), std::move(layouts)}, Costs{});
    if (!added) return known->second;
    // For any machine alike: the layout decides which strategy a sum gets, and so in which order it is added.
    const Machine& machine = default_machine(MachineKind::Cpu);
    const ScheduledCopy copy(kernel, known->first.second, machine, numerics_);
    for (std::size_t i = 0; i < kAssumedSizes.size(); ++i)
      known->second[i] = kernel_cost(copy.kernel(), machine.cpu().line_bytes, kAssumedSizes[i]);
    return known->second;
  }

  Module& module_;
  MemoryFormat format_;
  Numerics numerics_;
  RewriteGate& gate_;
  AxisPermuter permuter_;
  std::map<std::pair<OpId, ArgumentLayouts>, Costs> costs_;  // kernels do not change in place
  LayoutCounts counts_;
};

}  // namespace

LayoutCounts choose_layouts(Module& module, MemoryFormat format, Numerics numerics, RewriteGate& gate) {
  return LayoutChooser(module, format, numerics, gate).run();
}

LayoutCounts choose_gpu_layouts(Module& module, Numerics numerics, RewriteGate& gate) {
  LayoutCounts counts;
  if (!admits(numerics, NumericsClass::Reassociate, true)) return counts;
  AxisPermuter permuter(module);
  for (const FuncRef& function : functions(module)) {
    if (function.op().erased() || !is_host_function(function.op())) continue;
    const ChannelsLastCounts last = put_channels_last_for_matrix_unit(function.op(), permuter, gate);
    counts.changed += last.changed;
    counts.kept += last.kept;
  }
  counts.copied = permuter.copied();
  return counts;
}

}  // namespace mlgc
