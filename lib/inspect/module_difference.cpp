// See module_difference.h.
#include "inspect/module_difference.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "inspect/sequences.h"
#include "ir/walk.h"

namespace mlgc {
namespace {

class Finder {
 public:
  Finder(const Module& before, const Module& after, const ModuleMatching& matching)
      : before_(before), after_(after), matching_(matching), context_(before.context()) {}

  ModuleDifference find() {
    attribute_changes(before_.top(), after_.top(), found_.module);
    for (const OpRef item : before_.body().ops()) {
      const OpRef other = matching_.partner(item);
      if (other.valid())
        compare_items(item, other);
      else
        lone_item(item, OpRef(), found_.counts.removed);
    }
    for (const OpRef item : after_.body().ops())
      if (!matching_.partner(item).valid()) lone_item(OpRef(), item, found_.counts.added);
    return std::move(found_);
  }

 private:
  void lone_item(OpRef before, OpRef after, std::size_t& count) {
    walk(before.valid() ? before : after, [&](OpRef) { ++count; });
    OpDifference op;
    op.before = before;
    op.after = after;
    found_.items.push_back({before, after, {std::move(op)}});
  }

  void compare_items(OpRef before, OpRef after) {
    ItemDifference item{before, after, {}};
    find_moved(before);
    take(item, compare(before, after));
    list_regions(item, before, after);
    if (!item.ops.empty()) found_.items.push_back(std::move(item));
  }

  // Ops in regions that are each other's, whose order is another one; and those that stand in another region.
  void find_moved(OpRef item) {
    walk(item, [&](OpRef op) {
      const OpRef other = matching_.partner(op);
      for (const RegionRef region : op.regions()) {
        std::vector<OpRef> ops;
        std::vector<std::size_t> places;
        for (const OpRef inner : region.ops()) {
          const OpRef to = matching_.partner(inner);
          if (!to.valid()) continue;
          const bool stays = other.valid() && to.parent_op() == other && to.parent().number() == region.number();
          if (!stays) {
            moved_.insert(inner.id());
            continue;
          }
          ops.push_back(inner);
          places.push_back(place_of(to));
        }
        const std::vector<bool> stay = longest_increasing(places);
        for (std::size_t i = 0; i < ops.size(); ++i)
          if (!stay[i]) moved_.insert(ops[i].id());
      }
    });
  }
  // In program order of the module after.
  std::size_t place_of(OpRef op) {
    if (places_.empty()) {
      places_.resize(after_.op_id_bound());
      std::size_t next = 0;
      walk(after_, [&](OpRef at) { places_[at.id().index()] = next++; });
    }
    return places_[op.id().index()];
  }

  // What is inside of a pair: in the order of the module after, what is gone where it stood.
  void list_regions(ItemDifference& item, OpRef before, OpRef after) {
    for (std::size_t r = 0; r < std::max(before.region_count(), after.region_count()); ++r) {
      const bool in_before = r < before.region_count(), in_after = r < after.region_count();
      OpRef gone = in_before && !before.region(r).empty() ? before.region(r).front() : OpRef();
      const auto list_gone = [&](OpRef until) {
        for (; gone.valid() && gone != until; gone = gone.next())
          if (!matching_.partner(gone).valid()) list_removed(item, gone);
      };
      if (in_after)
        for (const OpRef op : after.region(r).ops()) {
          const OpRef other = matching_.partner(op);
          const bool here = other.valid() && in_before && other.parent() == before.region(r) && !is_moved(other);
          if (here) list_gone(other);
          if (other.valid()) {
            take(item, compare(other, op));
            list_regions(item, other, op);
          } else {
            list_added(item, op);
          }
        }
      list_gone(OpRef());
    }
  }
  void list_removed(ItemDifference& item, OpRef op) {
    OpDifference difference;
    difference.before = op;
    take(item, std::move(difference));
    // What was inside of it and is elsewhere now is listed there.
    for (const RegionRef region : op.regions())
      for (const OpRef inner : region.ops())
        if (!matching_.partner(inner).valid()) list_removed(item, inner);
  }
  void list_added(ItemDifference& item, OpRef op) {
    OpDifference difference;
    difference.after = op;
    take(item, std::move(difference));
    for (const RegionRef region : op.regions())
      for (const OpRef inner : region.ops()) {
        const OpRef other = matching_.partner(inner);
        if (!other.valid()) {
          list_added(item, inner);
          continue;
        }
        take(item, compare(other, inner));
        list_regions(item, other, inner);
      }
  }

  [[nodiscard]] bool is_moved(OpRef before) const { return moved_.contains(before.id()); }

  OpDifference compare(OpRef before, OpRef after) {
    OpDifference found;
    found.before = before;
    found.after = after;
    found.moved = is_moved(before);
    found.replaced = before.opcode() != after.opcode();
    if (!found.replaced) attribute_changes(before, after, found.attributes);
    for (std::size_t i = 0; !found.replaced && i < std::max(before.operand_count(), after.operand_count()); ++i) {
      const Value x = i < before.operand_count() ? before.operand(i) : Value(),
                  y = i < after.operand_count() ? after.operand(i) : Value();
      if (!x.valid() || !y.valid() || !same_value(x, y)) found.operands.push_back({i, x, y});
    }
    const auto compare_values = [&](Value x, Value y) {
      if (x.type() != y.type()) found.types.push_back({x, y});
      if (x.name_id() != y.name_id()) ++names_changed_;
    };
    for (std::size_t i = 0; i < std::min(before.result_count(), after.result_count()); ++i)
      compare_values(before.result(i), after.result(i));
    for (std::size_t r = 0; r < std::min(before.region_count(), after.region_count()); ++r)
      compare_arguments(before.region(r), after.region(r), found, compare_values);
    const auto operands = before.operands();
    found.follows = !found.types.empty() && !found.replaced && !found.moved && !found.rewired() &&
                    found.attributes.empty() && before.region_count() == 0 &&
                    std::any_of(operands.begin(), operands.end(), [&](Value operand) {
                      const Value other = matching_.partner(seen_through(operand));
                      return other.valid() && other.type() != operand.type();
                    });
    return found;
  }
  [[nodiscard]] bool same_value(Value before, Value after) const {
    return matching_.partner(before) == after || matching_.partner(seen_through(before)) == seen_through(after);
  }
  template <class Compare>
  void compare_arguments(RegionRef before, RegionRef after, OpDifference& found, const Compare& compare_values) {
    std::vector<Value> kept;
    std::vector<std::size_t> places;
    for (const Value argument : before.arguments()) {
      const Value other = matching_.partner(argument);
      if (!other.valid()) {
        found.arguments_removed.push_back(argument);
        continue;
      }
      compare_values(argument, other);
      kept.push_back(other);
      places.push_back(other.number());
    }
    for (const Value argument : after.arguments())
      if (!matching_.partner(argument).valid()) found.arguments_added.push_back(argument);
    const std::vector<bool> stay = longest_increasing(places);
    for (std::size_t i = 0; i < kept.size(); ++i)
      if (!stay[i]) found.arguments_moved.push_back(kept[i]);
  }

  void attribute_changes(OpRef before, OpRef after, std::vector<AttributeChange>& out) const {
    if (before.attrs() == after.attrs()) return;
    const AttributePool& pool = context_.attributes();
    const StringId module_name = before.is(GraphOp::Module) ? context_.names().sym_name : StringId();
    for (const NamedAttribute& entry : pool.entries(before.attrs())) {
      const Attribute now = pool.get(after.attrs(), entry.name);
      if (now != entry.value && entry.name != module_name) out.push_back({entry.name, entry.value, now});
    }
    for (const NamedAttribute& entry : pool.entries(after.attrs()))
      if (!pool.get(before.attrs(), entry.name).valid() && entry.name != module_name)
        out.push_back({entry.name, Attribute(), entry.value});
  }

  // Counts what was compared, and keeps it if it differs.
  void take(ItemDifference& item, OpDifference difference) {
    DifferenceCounts& counts = found_.counts;
    counts.renamed += std::exchange(names_changed_, 0);
    if (!difference.any()) {
      ++counts.same;
      return;
    }
    if (difference.added() || difference.removed()) {
      ++(difference.added() ? counts.added : counts.removed);
    } else {
      counts.replaced += difference.replaced ? 1 : 0;
      counts.rewired += difference.rewired() ? 1 : 0;
      counts.changed += difference.changed() ? 1 : 0;
      counts.moved += difference.moved ? 1 : 0;
      counts.follow += difference.follows ? 1 : 0;
    }
    item.ops.push_back(std::move(difference));
  }

  const Module& before_;
  const Module& after_;
  const ModuleMatching& matching_;
  Context& context_;
  ModuleDifference found_;
  std::unordered_set<OpId> moved_;  // of the module before
  std::vector<std::size_t> places_;
  std::size_t names_changed_ = 0;
};

}  // namespace

ModuleDifference find_difference(const Module& before, const Module& after, const ModuleMatching& matching) {
  return Finder(before, after, matching).find();
}

}  // namespace mlgc
