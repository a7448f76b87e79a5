// See plan_transforms.h. A list schedule: of the ops that may run next, the one after which the fewest bytes are live.
// It is tried forwards, and backwards from the end; what is smallest of these and the text is taken, and the text where
// they are equal. Time is n log n in the ops and their accesses.
#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ir/function.h"
#include "ir/walk.h"
#include "loopir/buffers.h"
#include "loopir/functions.h"
#include "loopir/loop_ops.h"
#include "loopir/loop_role.h"
#include "memory/plan_transforms.h"
#include "runtime/arena_layout.h"

namespace mlgc {
namespace {

constexpr std::array<std::int64_t, 3> kSizes{1, 16, 256};
constexpr std::size_t kUsual = 2;  // the size that decides

// One op that can move, in the order of the text.
struct Item {
  OpRef op;
  std::vector<std::size_t> before, after;  // items that it waits for, and that wait for it
  std::vector<std::size_t> buffers;        // of the region that it touches, each once
};

using Bytes = std::array<std::int64_t, kSizes.size()>;

struct PlannedBuffer {
  Bytes bytes{};
  std::vector<std::size_t> items;  // that touch it
};

using Order = std::vector<std::size_t>;

// The arguments of a host function that are new values of states, by the state's name.
using NewStates = std::unordered_map<std::string_view, Value>;

NewStates new_states(const FuncRef& host_function) {
  NewStates found;
  const StringPool& strings = host_function.op().module().context().strings();
  const std::vector<UpdateTarget> updates = host_function.updates();
  const std::size_t before = host_function.arguments().size() - updates.size();
  for (std::size_t i = 0; i < updates.size(); ++i)
    if (!updates[i].argument) found.emplace(strings.text(updates[i].symbol), host_function.arguments()[before + i]);
  return found;
}

class RegionOrder {
 public:
  RegionOrder(RegionRef region, const NewStates& new_states)
      : region_(region), context_(region.parent_op().module().context()), new_states_(&new_states) {}

  // False: there is nothing to order, or sizes that have no number.
  bool read() {
    for (const OpRef op : region_.ops()) {
      if (op.has_trait(Traits::Terminator)) continue;
      if (op.is(LoopOp::Alloc) && !add_buffer(op)) return false;
      if (makes_buffer(op)) continue;
      if (op.is(LoopOp::BindSize) && BindSizeRef::from(op).is_known_before()) continue;
      items_.push_back({op, {}, {}, {}});
    }
    if (items_.size() < 3 || buffers_.size() < 2) return false;
    for (std::size_t i = 0; i < items_.size(); ++i) read_item(i);
    for (Item& item : items_)
      for (std::vector<std::size_t>* list : {&item.before, &item.after}) unique(*list);
    return true;
  }

  // A better order than that of the text.
  std::optional<Order> better() const {
    Order text(items_.size());
    for (std::size_t i = 0; i < text.size(); ++i) text[i] = i;
    const auto base = arenas(text);
    if (!base) return std::nullopt;
    std::optional<Order> best;
    std::int64_t least = (*base)[kUsual];
    for (const bool backwards : {false, true}) {
      Order order = list_schedule(backwards);
      const auto size = arenas(order);
      if (!size || (*size)[kUsual] >= least) continue;
      bool worse = false;
      for (std::size_t k = 0; k < kSizes.size(); ++k) worse = worse || (*size)[k] > (*base)[k];
      if (worse) continue;
      least = (*size)[kUsual];
      best = std::move(order);
    }
    return best;
  }

  void apply(const Order& order) {
    OpRef end = region_.terminator();
    for (const std::size_t i : order) {
      if (end.valid())
        items_[i].op.move_before(end);
      else
        items_[i].op.move_to_end(region_);
    }
  }

 private:
  static void unique(std::vector<std::size_t>& list) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }

  bool add_buffer(OpRef alloc) {
    PlannedBuffer buffer;
    IndexPool& index = context_.index();
    const IndexExpr bytes = context_.storage_bytes(alloc.result().type());
    for (std::size_t k = 0; k < kSizes.size(); ++k) {
      const auto value = index.evaluate(bytes, [&](AtomId) { return std::optional(kSizes[k]); });
      if (!value || *value < 0) return false;
      buffer.bytes[k] = *value;
    }
    number_of_[alloc.result().id()] = buffers_.size();
    buffers_.push_back(std::move(buffer));
    return true;
  }

  void depend(std::size_t later, std::size_t earlier) {
    if (later == earlier) return;
    items_[later].before.push_back(earlier);
    items_[earlier].after.push_back(later);
  }

  // What the buffer lies in, which others may lie in too. A state counts as the memory of its new value, so that who
  // reads it in front of that stays there: only then can the one be written over the other, which saves its bytes in
  // every context, where an order saves some of the arena.
  [[nodiscard]] std::uint32_t memory(Value buffer) const {
    const Value root = memory_of(buffer);
    if (!root.is_result() || !root.definer().is(LoopOp::Data)) return root.id().value;
    const auto next = new_states_->find(DataRef::from(root.definer()).name());
    return (next == new_states_->end() ? root : next->second).id().value;
  }

  struct Accesses {
    std::optional<std::size_t> writer;
    std::vector<std::size_t> readers;  // since
  };

  // The op and all in it: what it reads and writes, values of other items, and that errors come in the order of the
  // text.
  void read_item(std::size_t i) {
    std::set<std::uint32_t> reads, writes;
    walk(items_[i].op, [&](OpRef op) {
      item_of_[op.id()] = i;
      for_each_written(op, [&](Value v) { writes.insert(memory(v)); });
      for (const Value v : op.operands()) {
        if (context_.types().kind(v.type()) == TypeKind::Buffer) {
          reads.insert(memory(v));
          touch(i, underlying_buffer(v));
        } else if (v.is_result()) {
          if (const auto made = item_of_.find(v.definer().id()); made != item_of_.end()) depend(i, made->second);
        }
      }
    });
    for (const std::uint32_t read : reads) {
      Accesses& known = accesses_[read];
      if (known.writer) depend(i, *known.writer);
      if (!writes.contains(read)) known.readers.push_back(i);
    }
    for (const std::uint32_t written : writes) {
      Accesses& known = accesses_[written];
      if (known.writer) depend(i, *known.writer);
      for (const std::size_t reader : known.readers) depend(i, reader);
      known = {i, {}};
    }
    // What stands after a test may rest on it.
    if (last_failing_) depend(i, *last_failing_);
    if (!ends_.may_end(items_[i].op)) return;
    last_failing_ = i;
  }

  void touch(std::size_t item, Value buffer) {
    const auto found = number_of_.find(buffer.id());
    if (found == number_of_.end()) return;
    std::vector<std::size_t>& touched = items_[item].buffers;
    if (std::find(touched.begin(), touched.end(), found->second) != touched.end()) return;
    touched.push_back(found->second);
    buffers_[found->second].items.push_back(item);
  }

  // The arena of the region's own buffers, at each size.
  [[nodiscard]] std::optional<Bytes> arenas(const Order& order) const {
    std::vector<mlgc_i32> step(order.size());
    for (std::size_t at = 0; at < order.size(); ++at) step[order[at]] = static_cast<mlgc_i32>(at);
    std::vector<runtime::ArenaBuffer> placed;
    for (const PlannedBuffer& buffer : buffers_) {
      if (buffer.items.empty()) continue;
      runtime::ArenaBuffer one{0, step[buffer.items[0]], step[buffer.items[0]]};
      for (const std::size_t item : buffer.items) {
        one.first = std::min(one.first, step[item]);
        one.last = std::max(one.last, step[item]);
      }
      placed.push_back(one);
    }
    Bytes out{};
    std::vector<mlgc_i64> offsets(placed.size());
    std::vector<mlgc_i32> workspace(3 * placed.size());
    for (std::size_t k = 0; k < kSizes.size(); ++k) {
      std::size_t next = 0;
      for (const PlannedBuffer& buffer : buffers_)
        if (!buffer.items.empty()) placed[next++].bytes = buffer.bytes[k];
      out[k] =
          runtime::layout_arena(placed.data(), static_cast<mlgc_i32>(placed.size()), offsets.data(), workspace.data());
      if (out[k] < 0) return std::nullopt;
    }
    return out;
  }

  // Backwards it is the same question with beginnings and ends of lives exchanged.
  [[nodiscard]] Order list_schedule(bool backwards) const {
    std::vector<std::size_t> waits(items_.size()), left(buffers_.size());
    std::vector<bool> begun(buffers_.size()), done(items_.size());
    for (std::size_t b = 0; b < buffers_.size(); ++b) left[b] = buffers_[b].items.size();
    std::vector<std::int64_t> change(items_.size());
    std::set<std::pair<std::int64_t, std::size_t>> ready;
    const auto rank = [&](std::size_t i) { return backwards ? items_.size() - 1 - i : i; };
    const auto adjust = [&](std::size_t i, std::int64_t by) {
      const bool listed = ready.erase({change[i], rank(i)}) > 0;
      change[i] += by;
      if (listed) ready.insert({change[i], rank(i)});
    };
    for (std::size_t i = 0; i < items_.size(); ++i) {
      waits[i] = (backwards ? items_[i].after : items_[i].before).size();
      for (const std::size_t b : items_[i].buffers)
        change[i] += buffers_[b].bytes[kUsual] - (left[b] == 1 ? buffers_[b].bytes[kUsual] : 0);
      if (waits[i] == 0) ready.insert({change[i], rank(i)});
    }
    Order order;
    while (!ready.empty()) {
      const std::size_t i = rank(ready.begin()->second);
      ready.erase(ready.begin());
      done[i] = true;
      order.push_back(i);
      for (const std::size_t b : items_[i].buffers) {
        const std::int64_t bytes = buffers_[b].bytes[kUsual];
        const std::int64_t by = (begun[b] ? 0 : -bytes) - (--left[b] == 1 ? bytes : 0);
        begun[b] = true;
        if (by == 0) continue;
        for (const std::size_t other : buffers_[b].items)
          if (!done[other]) adjust(other, by);
      }
      for (const std::size_t next : backwards ? items_[i].before : items_[i].after)
        if (--waits[next] == 0) ready.insert({change[next], rank(next)});
    }
    if (backwards) std::reverse(order.begin(), order.end());
    return order;
  }

  RegionRef region_;
  Context& context_;
  const NewStates* new_states_;
  std::vector<Item> items_;
  std::vector<PlannedBuffer> buffers_;
  std::unordered_map<ValueId, std::size_t> number_of_;
  std::unordered_map<OpId, std::size_t> item_of_;  // of an op, or of the op that it is inside of
  std::unordered_map<std::uint32_t, Accesses> accesses_;
  std::optional<std::size_t> last_failing_;
  ProgramEnds ends_;
};

std::uint64_t reorder(RegionRef region, const NewStates& states, RewriteGate& gate) {
  std::uint64_t changed = 0;
  for (const OpRef op : region.ops())
    for (const RegionRef inner : op.regions()) changed += reorder(inner, states, gate);
  RegionOrder order(region, states);
  if (!order.read()) return changed;
  const auto better = order.better();
  if (!better || !gate.may_rewrite("reorder-launches", region.parent_op().location())) return changed;
  order.apply(*better);
  return changed + 1;
}

}  // namespace

std::uint64_t reorder_launches(OpRef host_function, RewriteGate& gate) {
  return reorder(host_function.region(0), new_states(FuncRef(host_function)), gate);
}

}  // namespace mlgc
