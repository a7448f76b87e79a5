// See channel_axes.h.
#include "schedule/channel_axes.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ir/walk.h"
#include "loopir/functions.h"
#include "loopir/loop_ops.h"
#include "loopir/subscripts.h"
#include "schedule/along_loop.h"
#include "schedule/contraction.h"
#include "schedule/loop_edit.h"
#include "schedule/permute_axes.h"
#include "schedule/step_taker.h"

namespace mlgc::schedule {

namespace {

// The indices of loops, by their numbers.
using Indices = std::set<std::uint32_t>;

// What the subscript of an axis follows from; nothing: from something else than indices of loops too.
std::optional<Indices> indices_of(OpRef access, IndexExpr subscript) {
  Module& module = access.module();
  const IndexPool& pool = module.context().index();
  Indices out;
  bool known = true;
  pool.for_each_atom(subscript, [&](AtomId id) {
    const Atom& atom = pool.atom(id);
    if (atom.kind != AtomKind::Opaque) return;
    const Value v = access.operand(atom.number);
    const ForRef loop = ForRef::from(v.scope().parent_op());
    known = known && loop.valid() && loop.index() == v;
    out.insert(v.id().value);
  });
  return known ? std::optional(std::move(out)) : std::nullopt;
}

// An axis of an argument of a kernel.
struct ArgumentAxis {
  std::size_t argument, axis;
  friend auto operator<=>(const ArgumentAxis&, const ArgumentAxis&) = default;
};

// What a kernel says: which axes run along channels if the argument `weight` is one, and which axes the same loop goes
// along.
struct KernelChannels {
  struct Seed {
    std::size_t weight;
    ArgumentAxis of;
    bool multiplies_windows = false;
  };
  std::vector<Seed> seeds;
  std::vector<std::vector<ArgumentAxis>> same;
};

class KernelReader {
 public:
  explicit KernelReader(OpRef kernel) : kernel_(kernel) {
    for (std::size_t i = 0; i < kernel.region(0).argument_count(); ++i)
      arguments_[kernel.region(0).argument(i).id()] = i;
  }

  KernelChannels read() {
    std::map<Indices, std::set<ArgumentAxis>> same;
    walk(kernel_, [&](OpRef op) {
      const auto argument = argument_of(op);
      if (!argument) return;
      const auto subscripts = subscripts_of(op);
      for (std::size_t axis = 0; axis < subscripts.size(); ++axis)
        if (const auto indices = indices_of(op, subscripts[axis]); indices && indices->size() == 1)
          same[*indices].insert({*argument, axis});
      if (op.is(LoopOp::Store)) stores_.push_back(op);
    });
    KernelChannels out;
    for (const auto& [indices, axes] : same)
      if (axes.size() > 1) out.same.emplace_back(axes.begin(), axes.end());
    for (const OpRef nest : loops_in(kernel_.region(0)))
      for (const OpRef sum : sums_in(nest)) read(sum, out);
    return out;
  }

 private:
  // The argument that a load or a store is of.
  [[nodiscard]] std::optional<std::size_t> argument_of(OpRef op) const {
    const AccessRef access = AccessRef::from(op);
    if (!access.valid()) return std::nullopt;
    const auto found = arguments_.find(access.buffer().id());
    return found == arguments_.end() ? std::nullopt : std::optional(found->second);
  }

  // The axis of the access whose subscript follows from these indices alone; nothing where none does, or several.
  [[nodiscard]] static std::optional<std::size_t> only_axis(OpRef access, const Indices& among) {
    std::optional<std::size_t> found;
    const auto subscripts = subscripts_of(access);
    for (std::size_t axis = 0; axis < subscripts.size(); ++axis) {
      const auto indices = indices_of(access, subscripts[axis]);
      if (!indices || indices->empty() || !std::includes(among.begin(), among.end(), indices->begin(), indices->end()))
        continue;
      if (found) return std::nullopt;
      found = axis;
    }
    return found;
  }

  // Somewhere it goes in steps, or along several loops at once.
  [[nodiscard]] static bool is_of_windows(OpRef load) {
    const auto subscripts = subscripts_of(load);
    return std::any_of(subscripts.begin(), subscripts.end(), [&](IndexExpr e) {
      const auto indices = indices_of(load, e);
      const IndexPool& pool = load.module().context().index();
      return indices && !indices->empty() && !(pool.as_atom(e) && indices->size() == 1);
    });
  }

  void read(OpRef sum, KernelChannels& out) const {
    const std::vector<OpRef> loads = loads_in(sum);
    for (const OpRef weight : loads) {
      const auto argument = argument_of(weight);
      if (!argument) continue;
      Indices along;
      for (const IndexExpr e : subscripts_of(weight))
        if (const auto indices = indices_of(weight, e)) along.insert(indices->begin(), indices->end());
      const bool windows =
          std::any_of(loads.begin(), loads.end(), [&](OpRef other) { return other != weight && is_of_windows(other); });
      const auto add = [&](OpRef access) {
        const auto of = argument_of(access);
        const auto axis = only_axis(access, along);
        if (of && axis && *of != *argument) out.seeds.push_back({*argument, {*of, *axis}, windows});
      };
      for (const OpRef other : loads) add(other);
      for (const OpRef store : stores_)
        if (store.is_inside(loops_around(sum).back())) add(store);
    }
  }

  OpRef kernel_;
  std::unordered_map<ValueId, std::size_t> arguments_;
  std::vector<OpRef> stores_;
};

class ChannelFinder {
 public:
  ChannelFinder(OpRef host_function, WeightArguments arguments)
      : host_function_(host_function), arguments_(arguments) {}

  std::unordered_map<ValueId, std::size_t> run() {
    walk(host_function_, [&](OpRef op) {
      if (!op.is(LoopOp::Launch)) return;
      for (const KernelChannels::Seed& seed : channels_of(op).seeds)
        if (is_weight(op.operand(seed.weight), seed.multiplies_windows))
          say(op.operand(seed.of.argument), seed.of.axis);
    });
    for (std::size_t i = 0; i < said_.size(); ++i) {
      const Value buffer = said_[i];
      const std::size_t axis = axes_.at(buffer.id());
      for (const BufferLaunch& on : launches_on(buffer)) go_on(on, axis);
    }
    for (const ValueId id : torn_) axes_.erase(id);
    return std::move(axes_);
  }

 private:
  [[nodiscard]] bool is_weight(Value buffer, bool multiplies_windows) const {
    if (buffer.is_result()) return buffer.definer().is(LoopOp::Data);
    return multiplies_windows && arguments_ == WeightArguments::Count;
  }

  const KernelChannels& channels_of(OpRef launch) {
    const OpRef kernel = LaunchRef::from(launch).callee();
    const auto [known, added] = kernels_.try_emplace(kernel.id());
    if (added && !is_host_function(kernel)) known->second = KernelReader(kernel).read();
    return known->second;
  }

  void go_on(const BufferLaunch& on, std::size_t axis) {
    for (const std::vector<ArgumentAxis>& same : channels_of(on.launch).same) {
      const bool speaks = std::any_of(on.arguments.begin(), on.arguments.end(), [&](std::size_t argument) {
        return std::find(same.begin(), same.end(), ArgumentAxis{argument, axis}) != same.end();
      });
      if (!speaks) continue;
      for (const ArgumentAxis& other : same) say(on.launch.operand(other.argument), other.axis);
    }
  }

  void say(Value buffer, std::size_t axis) {
    if (!buffer.is_result() || !buffer.definer().is(LoopOp::Alloc)) return;
    const auto [known, added] = axes_.try_emplace(buffer.id(), axis);
    if (added) said_.push_back(buffer);
    if (known->second != axis) torn_.insert(buffer.id());
  }

  OpRef host_function_;
  WeightArguments arguments_;
  std::unordered_map<OpId, KernelChannels> kernels_;
  std::unordered_map<ValueId, std::size_t> axes_;
  std::unordered_set<ValueId> torn_;  // of which kernels say different axes
  std::vector<Value> said_;
};

}  // namespace

std::unordered_map<ValueId, std::size_t> channel_axes(OpRef host_function, WeightArguments arguments) {
  return ChannelFinder(host_function, arguments).run();
}

}  // namespace mlgc::schedule
