// The invariants of the store, written out: what module.h promises and what no edit may break.
#include <string>

#include "ir/module.h"
#include "ir/walk.h"

namespace mlgc {

class StoreChecker {
 public:
  explicit StoreChecker(const Module& module) : m_(module) {}

  std::string run() {
    std::size_t live = 0;
    for (std::size_t i = 0; i < m_.ops_.size(); ++i) {
      if ((m_.ops_[i].flags & Module::kErased) != 0) continue;
      ++live;
      check_op(OpId(i));
      if (!broken_.empty()) return broken_;
    }
    if (live != m_.op_count()) return "the number of erased ops is wrong";
    check_uses();
    check_symbols();
    return broken_;
  }

 private:
  void require(bool holds, std::string_view what, std::size_t id) {
    if (!holds && broken_.empty()) broken_ = std::string(what) + " (id " + std::to_string(id) + ")";
  }

  void check_op(OpId op) {
    const OpRow& row = m_.row(op);
    for (std::size_t i = 0; i < row.result_count; ++i) {
      const ValueRow& value = m_.row(ValueId(row.first_result + i));
      require(value.definer == op.value && value.number == i, "a result does not point back at its op", op.index());
    }
    for (std::size_t i = 0; i < row.operand_count; ++i)
      require(m_.row(UseId(row.first_operand + i)).owner == op, "a slot does not point back at its op", op.index());
    std::size_t regions = 0;
    for (RegionId region = row.first_region; region.valid(); region = m_.row(region).next, ++regions)
      check_region(region, op);
    require(regions == row.region_count, "the number of regions is wrong", op.index());
  }

  void check_region(RegionId region, OpId parent) {
    const RegionRow& row = m_.row(region);
    require(row.parent == parent, "a region does not point back at its op", region.index());
    require(row.argument_count <= row.argument_capacity, "a region has more arguments than room", region.index());
    for (std::size_t i = 0; i < row.argument_count; ++i) {
      const ValueRow& value = m_.row(m_.arguments_[row.first_argument + i]);
      require(value.definer == region.value && value.number == (i | ValueRow::kArgumentBit),
              "an argument does not point back at its region", region.index());
    }
    OpId previous;
    for (OpId op = row.first; op.valid(); op = m_.row(op).next) {
      require((m_.row(op).flags & Module::kErased) == 0, "an erased op is still in a region", op.index());
      require(m_.row(op).parent == region, "an op does not point back at its region", op.index());
      require(m_.row(op).previous == previous, "the list of ops does not run backwards", op.index());
      previous = op;
    }
    require(row.last == previous, "the last op of a region is wrong", region.index());
  }

  void check_uses() {
    std::size_t chained = 0, owned = 0;
    for (std::size_t i = 0; i < m_.values_.size(); ++i) {
      UseId previous;
      for (UseId use = m_.values_[i].first_use; use.valid(); use = m_.row(use).next, ++chained) {
        const SlotRow& slot = m_.row(use);
        require(slot.value == ValueId(i), "a use is in the list of another value", i);
        require(slot.previous == previous, "a use list does not run backwards", i);
        require(slot.owner.valid() && (m_.row(slot.owner).flags & Module::kErased) == 0,
                "an erased op still uses a value", i);
        if (!broken_.empty()) return;
        previous = use;
      }
    }
    for (const SlotRow& slot : m_.slots_) owned += slot.owner.valid() ? 1 : 0;
    require(chained == owned, "the number of uses and of operands differ", chained);
  }

  void check_symbols() {
    std::size_t symbols = 0;
    for (OpId op = m_.row(RegionId(0)).first; op.valid(); op = m_.row(op).next) {
      const StringId name = m_.symbol_name(op);
      if (!name.valid()) continue;
      ++symbols;
      require(m_.lookup(name).valid(), "a symbol is not in the symbol table", op.index());
    }
    require(symbols == m_.symbols_.size() + m_.hidden_symbols_, "the symbol table has entries without ops", symbols);
  }

  const Module& m_;
  std::string broken_;
};

std::string Module::check_store() const { return StoreChecker(*this).run(); }

}  // namespace mlgc
