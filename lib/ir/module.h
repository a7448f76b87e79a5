// The IR store. A module is one `module` op whose region holds functions, weights and states; everything else stands in
// their regions.
//
// Memory: five vectors of fixed-size rows, addressed by dense 32-bit ids.
//
//     ops      48 bytes   what an op is, and where: its neighbours in the region and the region itself
//     values   16 bytes   type, definer, number, first use
//     slots    16 bytes   one per operand; the slots of a value are chained, so they are its use list as well
//     regions  32 bytes   parent op, next region of that op, first and last op, arguments
//     names     4 bytes   per value, only once a value has been named
//
// Guarantees
//   - No heap allocation per op. A copy of a Module is a snapshot: a copy of the vectors, sharing the Context.
//   - An id is not reused before compact(), which closes the gaps and renumbers everything into program order.
//   - The ops of a region form one list; an op without parent is detached, and is still destroyed with the module.
//   - The symbol table follows every edit; of two symbols of one name the first in the program counts.
//   - All edits take constant time per op, operand or result touched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/context.h"
#include "ir/handles.h"
#include "support/result.h"

namespace mlgc {

struct OpRow {
  Opcode opcode = Opcode::Invalid;
  std::uint8_t flags = 0;
  std::uint8_t region_count = 0;
  Location location;
  AttrDict attrs;
  RegionId parent;  // invalid: detached
  OpId previous, next;
  std::uint32_t first_result = 0;   // results are consecutive values
  std::uint32_t first_operand = 0;  // operands are consecutive slots
  RegionId first_region;            // chained through RegionRow::next
  std::uint32_t serial = 0;
  std::uint32_t operand_count = 0;
  std::uint32_t result_count = 0;
};
static_assert(sizeof(OpRow) == 48);

struct ValueRow {
  Type type;
  std::uint32_t definer = 0;  // an OpId, or a RegionId when kArgumentBit is set in `number`
  std::uint32_t number = 0;
  UseId first_use;
  static constexpr std::uint32_t kArgumentBit = 1U << 31;
};
static_assert(sizeof(ValueRow) == 16);

struct SlotRow {
  ValueId value;
  OpId owner;
  UseId next, previous;  // among the uses of `value`
};
static_assert(sizeof(SlotRow) == 16);

struct RegionRow {
  OpId parent;
  RegionId next;
  OpId first, last;
  std::uint32_t first_argument = 0;  // in the pool of arguments
  std::uint32_t argument_count = 0;
  std::uint32_t argument_capacity = 0;
  std::uint32_t flags = 0;
};
static_assert(sizeof(RegionRow) == 32);

// Old id to new id; an invalid id stands for what was erased.
struct Remapping {
  std::vector<OpId> ops;
  std::vector<ValueId> values;
  std::vector<RegionId> regions;
};

// A table about ops, values or regions of one module that wants to survive compaction. It belongs to the module it was
// made for; snapshots do not have it.
class SideTable {
 public:
  explicit SideTable(Module& module);
  virtual ~SideTable();
  SideTable(const SideTable&) = delete;
  SideTable& operator=(const SideTable&) = delete;
  virtual void remap(const Remapping& remapping) = 0;

 private:
  friend class Module;
  std::shared_ptr<std::vector<SideTable*>> registry_;
};

// One T per op or value, made on first access; values of erased ones disappear on compaction.
template <class IdType, class T>
class DenseSideTable : public SideTable {
 public:
  using SideTable::SideTable;
  T& operator[](IdType id) {
    if (id.index() >= rows_.size()) rows_.resize(id.index() + 1);
    return rows_[id.index()];
  }
  [[nodiscard]] const T* find(IdType id) const { return id.index() < rows_.size() ? &rows_[id.index()] : nullptr; }
  void remap(const Remapping& remapping) override {
    const std::vector<IdType>& ids = table(remapping);
    std::vector<T> moved;
    for (std::size_t i = 0; i < rows_.size() && i < ids.size(); ++i) {
      if (!ids[i].valid()) continue;
      if (ids[i].index() >= moved.size()) moved.resize(ids[i].index() + 1);
      moved[ids[i].index()] = std::move(rows_[i]);
    }
    rows_ = std::move(moved);
  }

 private:
  static const std::vector<IdType>& table(const Remapping& r) {
    if constexpr (std::is_same_v<IdType, OpId>)
      return r.ops;
    else if constexpr (std::is_same_v<IdType, ValueId>)
      return r.values;
    else
      return r.regions;
  }
  std::vector<T> rows_;
};
template <class T>
using OpTable = DenseSideTable<OpId, T>;
template <class T>
using ValueTable = DenseSideTable<ValueId, T>;

class Module {
 public:
  // An empty module: one `module` op with one empty region. The context's table must have a row `module`.
  explicit Module(std::shared_ptr<Context> context);
  // A snapshot: equal content, same serials, no side tables. Assigning one drops the target's side tables, which
  // describe the content that is gone.
  Module(const Module& other);
  Module& operator=(const Module& other);
  // Handles into a moved-from module are dead; side tables stay registered with the content.
  Module(Module&&) noexcept = default;
  Module& operator=(Module&&) noexcept = default;
  ~Module() = default;

  [[nodiscard]] Context& context() const { return *context_; }
  [[nodiscard]] const std::shared_ptr<Context>& shared_context() const { return context_; }

  // The `module` op and its region.
  [[nodiscard]] OpRef top() const { return {self(), OpId(0)}; }
  [[nodiscard]] RegionRef body() const { return {self(), RegionId(0)}; }

  [[nodiscard]] OpRef op(OpId id) const { return {self(), id}; }
  [[nodiscard]] Value value(ValueId id) const { return {self(), id}; }
  [[nodiscard]] RegionRef region(RegionId id) const { return {self(), id}; }

  // The symbol of that name in body(), without @; an invalid handle when there is none.
  [[nodiscard]] OpRef lookup(std::string_view symbol) const;
  [[nodiscard]] OpRef lookup(StringId symbol) const;

  // Makes a detached op with `regions` empty regions. More than 255 regions, or ids beyond 32 bits, throw
  // InternalError.
  OpRef create(Opcode opcode, std::span<const Value> operands, AttrDict attrs, std::span<const Type> results,
               Location location = {}, std::size_t regions = 0);

  // Room for that many more, so that a reader that knows the size of its text does not pay for growing.
  void reserve(std::size_t ops, std::size_t values, std::size_t operands);

  // Rows in use, the module op included, and rows that compact() would give back.
  [[nodiscard]] std::size_t op_count() const { return ops_.size() - dead_ops_; }
  [[nodiscard]] std::size_t dead_op_count() const { return dead_ops_; }
  // One more than the largest id, erased ones included: the size for a vector indexed by id.
  [[nodiscard]] std::size_t op_id_bound() const { return ops_.size(); }
  [[nodiscard]] std::size_t value_id_bound() const { return values_.size(); }
  [[nodiscard]] std::size_t region_id_bound() const { return regions_.size(); }
  // Bytes held by the tables of this module, capacity included, without the context.
  [[nodiscard]] std::size_t memory_bytes() const;

  // Drops erased and detached ops and renumbers the rest into program order: ops and regions in pre-order, values and
  // slots in order of definition, use lists in program order. Every handle and id made before is dead afterwards; side
  // tables are remapped.
  Remapping compact();
  // Counts compactions.
  [[nodiscard]] std::uint32_t generation() const { return generation_; }

  // Checks the invariants of the store itself (links, counts, use lists, symbol table). Returns what is broken, empty
  // when nothing is: for tests and for --verify-each; linear time.
  [[nodiscard]] std::string check_store() const;

 private:
  friend class HandleBase;
  friend class Use;
  friend class Value;
  friend class OpRef;
  friend class RegionRef;
  friend class SideTable;
  friend class Compactor;
  friend class StoreChecker;
  friend Value handle_detail::operand_at(Module*, std::uint32_t, std::uint32_t);
  friend Value handle_detail::argument_at(Module*, std::uint32_t, std::uint32_t);
  friend Use handle_detail::next_use(const Use&);

  static constexpr std::uint8_t kErased = 1;

  [[nodiscard]] Module* self() const { return const_cast<Module*>(this); }
  [[nodiscard]] OpRow& row(OpId id) { return ops_[id.index()]; }
  [[nodiscard]] const OpRow& row(OpId id) const { return ops_[id.index()]; }
  [[nodiscard]] ValueRow& row(ValueId id) { return values_[id.index()]; }
  [[nodiscard]] const ValueRow& row(ValueId id) const { return values_[id.index()]; }
  [[nodiscard]] SlotRow& row(UseId id) { return slots_[id.index()]; }
  [[nodiscard]] const SlotRow& row(UseId id) const { return slots_[id.index()]; }
  [[nodiscard]] RegionRow& row(RegionId id) { return regions_[id.index()]; }
  [[nodiscard]] const RegionRow& row(RegionId id) const { return regions_[id.index()]; }

  void append_results(OpId op, std::span<const Type> types);
  void append_operands(OpId op, std::span<const Value> values);
  RegionId append_region(OpId op);
  ValueId append_argument(RegionId region, Type type);
  void link_use(UseId slot, ValueId value);
  void unlink_use(UseId slot);
  // Puts a detached op before `before`, or at the end of the region when that is invalid.
  void insert(OpId op, RegionId region, OpId before);
  void unlink(OpId op);
  void erase(OpId op);

  void symbol_added(OpId op);
  void symbol_removed(OpId op);
  [[nodiscard]] StringId symbol_name(OpId op) const;

  std::shared_ptr<Context> context_;
  std::vector<OpRow> ops_;
  std::vector<ValueRow> values_;
  std::vector<SlotRow> slots_;
  std::vector<RegionRow> regions_;
  std::vector<ValueId> arguments_;  // slices of regions
  std::vector<StringId> names_;     // by value; shorter than values_ where the rest has no names
  std::unordered_map<StringId, OpId> symbols_;
  std::size_t hidden_symbols_ = 0;  // symbols in body() whose name was taken
  std::size_t dead_ops_ = 0;
  std::uint32_t next_serial_ = 0;
  std::uint32_t generation_ = 0;
  std::shared_ptr<std::vector<SideTable*>> side_tables_;
};

}  // namespace mlgc

#include "ir/handles_inline.h"  // IWYU pragma: keep
