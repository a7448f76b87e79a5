// The store: making, linking and destroying rows, and the symbol table.
#include "ir/module.h"

#include <algorithm>
#include <string>

namespace mlgc {
namespace {

// Ids stay below the bit that marks arguments.
constexpr std::size_t kMaxRows = ValueRow::kArgumentBit - 1;

void check_room(std::size_t used, std::size_t more) {
  MLGC_ASSERT(more <= kMaxRows && used <= kMaxRows - more, "a module holds at most 2^31 - 1 ops, values and operands");
}

}  // namespace

SideTable::SideTable(Module& module) : registry_(module.side_tables_) { registry_->push_back(this); }
SideTable::~SideTable() { std::erase(*registry_, this); }

Module::Module(std::shared_ptr<Context> context)
    : context_(std::move(context)), side_tables_(std::make_shared<std::vector<SideTable*>>()) {
  MLGC_ASSERT(context_->opcode(GraphOp::Module) != Opcode::Invalid, "the op table has no row `module`");
  create(context_->opcode(GraphOp::Module), {}, {}, {}, {}, 1);
}

Module::Module(const Module& other)
    : context_(other.context_),
      ops_(other.ops_),
      values_(other.values_),
      slots_(other.slots_),
      regions_(other.regions_),
      arguments_(other.arguments_),
      names_(other.names_),
      symbols_(other.symbols_),
      hidden_symbols_(other.hidden_symbols_),
      dead_ops_(other.dead_ops_),
      next_serial_(other.next_serial_),
      generation_(other.generation_),
      side_tables_(std::make_shared<std::vector<SideTable*>>()) {}

Module& Module::operator=(const Module& other) {
  if (this != &other) *this = Module(other);
  return *this;
}

OpRef Module::create(Opcode opcode, std::span<const Value> operands, AttrDict attrs, std::span<const Type> results,
                     Location location, std::size_t regions) {
  check_room(ops_.size(), 1);
  const OpId id(ops_.size());
  OpRow& made = ops_.emplace_back();
  made.opcode = opcode;
  made.location = location;
  made.attrs = attrs;
  made.serial = next_serial_++;
  append_operands(id, operands);
  append_results(id, results);
  for (std::size_t i = 0; i < regions; ++i) append_region(id);
  return {this, id};
}

void Module::reserve(std::size_t ops, std::size_t values, std::size_t operands) {
  ops_.reserve(ops_.size() + ops);
  values_.reserve(values_.size() + values);
  slots_.reserve(slots_.size() + operands);
}

std::size_t Module::memory_bytes() const {
  return ops_.capacity() * sizeof(OpRow) + values_.capacity() * sizeof(ValueRow) + slots_.capacity() * sizeof(SlotRow) +
         regions_.capacity() * sizeof(RegionRow) + arguments_.capacity() * sizeof(ValueId) +
         names_.capacity() * sizeof(StringId) +
         symbols_.size() * (sizeof(std::pair<StringId, OpId>) + 2 * sizeof(void*));
}

void Module::append_results(OpId op, std::span<const Type> types) {
  check_room(values_.size(), types.size());
  OpRow& owner = row(op);
  owner.first_result = static_cast<std::uint32_t>(values_.size());
  owner.result_count = static_cast<std::uint32_t>(types.size());
  for (std::size_t i = 0; i < types.size(); ++i)
    values_.push_back(ValueRow{types[i], op.value, static_cast<std::uint32_t>(i), UseId()});
}

void Module::append_operands(OpId op, std::span<const Value> values) {
  check_room(slots_.size(), values.size());
  OpRow& owner = row(op);
  owner.first_operand = static_cast<std::uint32_t>(slots_.size());
  owner.operand_count = static_cast<std::uint32_t>(values.size());
  for (const Value& value : values) {
    MLGC_ASSERT(value.valid() && &value.module() == this, "an operand must be a value of the same module");
    const UseId slot(slots_.size());
    slots_.push_back(SlotRow{ValueId(), op, UseId(), UseId()});
    link_use(slot, value.id());
  }
}

RegionId Module::append_region(OpId op) {
  check_room(regions_.size(), 1);
  MLGC_ASSERT(row(op).region_count < 255, "an op has at most 255 regions");
  const RegionId id(regions_.size());
  regions_.emplace_back().parent = op;
  OpRow& owner = row(op);
  if (owner.region_count == 0) {
    owner.first_region = id;
  } else {
    RegionId last = owner.first_region;
    while (row(last).next.valid()) last = row(last).next;
    row(last).next = id;
  }
  ++owner.region_count;
  return id;
}

ValueId Module::append_argument(RegionId region, Type type) {
  check_room(values_.size(), 1);
  check_room(arguments_.size(), 1);
  RegionRow& owner = row(region);
  const bool at_end = owner.first_argument + owner.argument_capacity == arguments_.size();
  if (owner.argument_count == owner.argument_capacity && !at_end) {
    // Twice the room each time the slice moves, so that appending stays linear.
    const std::size_t moved = arguments_.size();
    check_room(moved, owner.argument_count * std::size_t{2} + 2);
    arguments_.resize(moved + owner.argument_count * std::size_t{2} + 2);
    std::copy_n(arguments_.begin() + owner.first_argument, owner.argument_count,
                arguments_.begin() + static_cast<std::ptrdiff_t>(moved));
    owner.first_argument = static_cast<std::uint32_t>(moved);
    owner.argument_capacity = owner.argument_count * 2 + 2;
  } else if (owner.argument_count == owner.argument_capacity) {
    arguments_.emplace_back();
    ++owner.argument_capacity;
  }
  const ValueId id(values_.size());
  values_.push_back(ValueRow{type, region.value, owner.argument_count | ValueRow::kArgumentBit, UseId()});
  arguments_[owner.first_argument + owner.argument_count++] = id;
  return id;
}

void Module::link_use(UseId slot, ValueId value) {
  SlotRow& use = row(slot);
  ValueRow& used = row(value);
  use.value = value;
  use.previous = UseId();
  use.next = used.first_use;
  if (used.first_use.valid()) row(used.first_use).previous = slot;
  used.first_use = slot;
}

void Module::unlink_use(UseId slot) {
  const SlotRow& use = row(slot);
  if (use.previous.valid())
    row(use.previous).next = use.next;
  else
    row(use.value).first_use = use.next;
  if (use.next.valid()) row(use.next).previous = use.previous;
}

void Module::insert(OpId op, RegionId region, OpId before) {
  OpRow& inserted = row(op);
  RegionRow& list = row(region);
  inserted.parent = region;
  inserted.next = before;
  inserted.previous = before.valid() ? row(before).previous : list.last;
  if (inserted.previous.valid())
    row(inserted.previous).next = op;
  else
    list.first = op;
  if (before.valid())
    row(before).previous = op;
  else
    list.last = op;
  if (region == RegionId(0)) symbol_added(op);
}

void Module::unlink(OpId op) {
  OpRow& removed = row(op);
  if (!removed.parent.valid()) return;
  RegionRow& list = row(removed.parent);
  if (removed.previous.valid())
    row(removed.previous).next = removed.next;
  else
    list.first = removed.next;
  if (removed.next.valid())
    row(removed.next).previous = removed.previous;
  else
    list.last = removed.previous;
  const bool top_level = removed.parent == RegionId(0);
  removed.parent = RegionId();
  removed.previous = removed.next = OpId();
  if (top_level) symbol_removed(op);
}

void Module::erase(OpId op) {
  MLGC_ASSERT(op != OpId(0), "the module op cannot be erased");
  MLGC_ASSERT((row(op).flags & kErased) == 0, "the op is erased already");
  for (std::uint32_t i = 0; i < row(op).result_count; ++i)
    MLGC_ASSERT(!values_[row(op).first_result + i].first_use.valid(), "an op whose results are used cannot be erased");
  unlink(op);
  const auto bury = [&](OpId id) {
    OpRow& dead = row(id);
    for (std::uint32_t i = 0; i < dead.operand_count; ++i) {
      const UseId slot(std::size_t{dead.first_operand} + i);
      unlink_use(slot);
      row(slot).owner = OpId();
    }
    dead.flags |= kErased;
    ++dead_ops_;
  };
  bury(op);
  if (row(op).region_count == 0) return;
  // Everything inside, parents first.
  std::vector<OpId> inside{op};
  for (std::size_t i = 0; i < inside.size(); ++i)
    for (RegionId region = row(inside[i]).first_region; region.valid(); region = row(region).next)
      for (OpId inner = row(region).first; inner.valid(); inner = row(inner).next) {
        bury(inner);
        inside.push_back(inner);
      }
  for (const OpId dead : inside)
    for (std::uint32_t i = 0; i < row(dead).result_count; ++i)
      MLGC_ASSERT(!values_[row(dead).first_result + i].first_use.valid(),
                  "a value from an erased region is used outside");
}

// --- Symbols ---------------------------------------------------------------------------------------------------------

StringId Module::symbol_name(OpId op) const {
  if (!has(context_->def(row(op).opcode).traits, Traits::Symbol)) return {};
  const AttributePool& attributes = context_->attributes();
  const auto text = attributes.as_string(attributes.get(row(op).attrs, context_->names().sym_name));
  return text ? context_->strings().find(*text) : StringId();
}

void Module::symbol_added(OpId op) {
  const StringId name = symbol_name(op);
  if (!name.valid()) return;
  const auto [it, fresh] = symbols_.try_emplace(name, op);
  if (fresh) return;
  ++hidden_symbols_;
  if (!row(op).next.valid()) return;  // the other one is before it
  OpId at = row(RegionId(0)).first;
  while (at != op && at != it->second) at = row(at).next;
  it->second = at;
}

void Module::symbol_removed(OpId op) {
  const StringId name = symbol_name(op);
  if (!name.valid()) return;
  const auto it = symbols_.find(name);
  if (it == symbols_.end()) return;
  if (it->second != op) {
    --hidden_symbols_;
    return;
  }
  if (hidden_symbols_ > 0) {
    for (OpId at = row(RegionId(0)).first; at.valid(); at = row(at).next) {
      if (at == op || symbol_name(at) != name) continue;
      it->second = at;
      --hidden_symbols_;
      return;
    }
  }
  symbols_.erase(it);
}

OpRef Module::lookup(StringId symbol) const {
  const auto it = symbols_.find(symbol);
  return it == symbols_.end() ? OpRef() : OpRef(self(), it->second);
}

OpRef Module::lookup(std::string_view symbol) const {
  const StringId id = context_->strings().find(symbol);
  return id.valid() ? lookup(id) : OpRef();
}

}  // namespace mlgc
