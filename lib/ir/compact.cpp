// Compaction: renumbers what is reachable into program order.
#include <algorithm>
#include <utility>

#include "ir/module.h"
#include "ir/walk.h"

namespace mlgc {

class Compactor {
 public:
  explicit Compactor(Module& module) : m_(module) {}

  Remapping run() {
    map_.ops.resize(m_.ops_.size());
    map_.values.resize(m_.values_.size());
    map_.regions.resize(m_.regions_.size());
    ops_.reserve(m_.op_count());
    std::size_t values = m_.arguments_.size();
    for (const OpRow& row : m_.ops_) values += (row.flags & Module::kErased) != 0 ? 0 : row.result_count;
    values_.reserve(std::min(values, m_.values_.size()));
    keep(OpId(0));
    walk(m_, [&](OpRef op) { keep(op.id()); });
    renumber_links();
    m_.values_ = std::move(values_);
    move_slots();
    m_.ops_ = std::move(ops_);
    m_.regions_ = std::move(regions_);
    m_.arguments_ = std::move(arguments_);
    move_names();
    for (auto& [name, op] : m_.symbols_) op = map_.ops[op.index()];
    m_.dead_ops_ = 0;
    ++m_.generation_;
    for (SideTable* table : *m_.side_tables_) table->remap(map_);
    return std::move(map_);
  }

 private:
  // Copies the rows of an op, its results, its regions and their arguments; links still hold old ids.
  void keep(OpId old) {
    OpRow row = m_.row(old);
    map_.ops[old.index()] = OpId(ops_.size());
    row.first_result = keep_values(row.result_count, [&](std::size_t i) { return ValueId(row.first_result + i); });
    for (RegionId region = row.first_region; region.valid(); region = m_.row(region).next) {
      RegionRow kept = m_.row(region);
      map_.regions[region.index()] = RegionId(regions_.size());
      const std::uint32_t first =
          keep_values(kept.argument_count, [&](std::size_t i) { return m_.arguments_[kept.first_argument + i]; });
      kept.first_argument = static_cast<std::uint32_t>(arguments_.size());
      kept.argument_capacity = kept.argument_count;
      for (std::uint32_t i = 0; i < kept.argument_count; ++i) arguments_.emplace_back(std::size_t{first} + i);
      regions_.push_back(kept);
    }
    ops_.push_back(row);
  }

  template <class OldId>
  std::uint32_t keep_values(std::uint32_t count, const OldId& old_id) {
    const auto first = static_cast<std::uint32_t>(values_.size());
    for (std::uint32_t i = 0; i < count; ++i) {
      const ValueId old = old_id(i);
      map_.values[old.index()] = ValueId(values_.size());
      values_.push_back(m_.row(old));
      values_.back().first_use = UseId();
    }
    return first;
  }

  [[nodiscard]] OpId moved(OpId old) const { return old.valid() ? map_.ops[old.index()] : old; }
  [[nodiscard]] RegionId moved(RegionId old) const { return old.valid() ? map_.regions[old.index()] : old; }

  void renumber_links() {
    for (OpRow& row : ops_) {
      row.parent = moved(row.parent);
      row.previous = moved(row.previous);
      row.next = moved(row.next);
      row.first_region = moved(row.first_region);
    }
    for (RegionRow& row : regions_) {
      row.parent = moved(row.parent);
      row.next = moved(row.next);
      row.first = moved(row.first);
      row.last = moved(row.last);
    }
    for (ValueRow& row : values_)
      row.definer = (row.number & ValueRow::kArgumentBit) != 0 ? moved(RegionId(row.definer)).value
                                                               : moved(OpId(row.definer)).value;
  }

  void move_slots() {
    std::size_t count = 0;
    for (const OpRow& row : ops_) count += row.operand_count;
    std::vector<SlotRow> slots;
    slots.reserve(count);
    for (std::size_t op = 0; op < ops_.size(); ++op) {
      OpRow& row = ops_[op];
      const std::size_t old_first = std::exchange(row.first_operand, static_cast<std::uint32_t>(slots.size()));
      for (std::size_t i = 0; i < row.operand_count; ++i) {
        const ValueId value = map_.values[m_.slots_[old_first + i].value.index()];
        MLGC_ASSERT(value.valid(), "an op uses a value that is not part of the program");
        slots.push_back(SlotRow{value, OpId(op), UseId(), UseId()});
      }
    }
    m_.slots_ = std::move(slots);
    // Uses are linked in front, so from the last to the first.
    for (std::size_t i = count; i-- > 0;) m_.link_use(UseId(i), m_.slots_[i].value);
  }

  void move_names() {
    if (m_.names_.empty()) return;
    std::vector<StringId> names(m_.values_.size());
    for (std::size_t old = 0; old < m_.names_.size(); ++old)
      if (map_.values[old].valid()) names[map_.values[old].index()] = m_.names_[old];
    m_.names_ = std::move(names);
  }

  Module& m_;
  Remapping map_;
  std::vector<OpRow> ops_;
  std::vector<ValueRow> values_;
  std::vector<RegionRow> regions_;
  std::vector<ValueId> arguments_;
};

Remapping Module::compact() { return Compactor(*this).run(); }

}  // namespace mlgc
