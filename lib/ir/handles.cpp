// The handles' operations that change the module or look further than one row.
#include "ir/handles.h"

#include <algorithm>

#include "ir/module.h"
#include "ir/walk.h"

namespace mlgc {
namespace {

// `region` is one of the op's, at any depth. The climb is left out for an op with nothing inside, as every new one is,
// so that building a deep nest from the outside stays linear.
bool holds(OpRef op, RegionRef region) {
  bool empty = true;
  for (const RegionRef own : op.regions()) {
    if (own == region) return true;
    empty = empty && own.empty();
  }
  return !empty && region.parent_op().is_inside(op);
}

}  // namespace

// --- Use, Value ------------------------------------------------------------------------------------------------------

void Use::set(Value value) const {
  check();
  MLGC_ASSERT(value.valid() && &value.module() == module_, "an operand must be a value of the same module");
  module_->unlink_use(id_);
  module_->link_use(id_, value.id());
}

std::size_t Value::use_count() const {
  std::size_t count = 0;
  for (UseId use = (check(), module_->row(id_).first_use); use.valid(); use = module_->row(use).next) ++count;
  return count;
}

std::vector<OpRef> Value::users() const {
  // Sorted by op to drop repetitions, then back into the order of first use.
  std::vector<std::pair<OpId, std::size_t>> seen;
  for (const Use use : uses()) seen.emplace_back(use.owner().id(), seen.size());
  std::sort(seen.begin(), seen.end());
  seen.erase(std::unique(seen.begin(), seen.end(), [](const auto& a, const auto& b) { return a.first == b.first; }),
             seen.end());
  std::sort(seen.begin(), seen.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  std::vector<OpRef> result;
  result.reserve(seen.size());
  for (const auto& [op, order] : seen) result.emplace_back(module_, op);
  return result;
}

void Value::replace_all_uses_with(Value other) const {
  check();
  MLGC_ASSERT(other.valid() && &other.module() == module_, "the replacement must be a value of the same module");
  if (other == *this) return;
  ValueRow& from = module_->row(id_);
  ValueRow& to = module_->row(other.id());
  UseId last;
  for (UseId use = from.first_use; use.valid(); use = module_->row(use).next) {
    module_->row(use).value = other.id();
    last = use;
  }
  if (last.valid()) {
    module_->row(last).next = to.first_use;
    if (to.first_use.valid()) module_->row(to.first_use).previous = last;
    to.first_use = from.first_use;
    from.first_use = UseId();
  }
  if (name_id().valid() && !other.name_id().valid()) {
    other.set_name(name_id());
    set_name(StringId());
  }
}

void Value::replace_all_uses_except(Value other, OpRef except) const {
  check();
  MLGC_ASSERT(other.valid() && &other.module() == module_, "the replacement must be a value of the same module");
  if (other == *this) return;
  for (UseId use = module_->row(id_).first_use; use.valid();) {
    const UseId next = module_->row(use).next;
    if (module_->row(use).owner != except.id()) Use(module_, use).set(other);
    use = next;
  }
}

void Value::set_name(std::string_view name) const { set_name(module_->context().strings().intern(name)); }

void Value::set_name(StringId name) const {
  check();
  std::vector<StringId>& names = module_->names_;
  if (id_.index() >= names.size()) {
    if (!name.valid()) return;
    names.reserve(module_->values_.capacity());
    names.resize(id_.index() + 1);
  }
  names[id_.index()] = name;
}

// --- OpRef -----------------------------------------------------------------------------------------------------------

Effects OpRef::effects() const {
  Effects all = own_effects();
  if (region_count() > 0) walk(*this, [&](OpRef op) { all = all | op.own_effects(); });
  return all;
}

void OpRef::set_operand(std::size_t i, Value value) const {
  MLGC_ASSERT(i < operand_count(), "no such operand");
  operand_use(i).set(value);
}

void OpRef::set_operands(std::span<const Value> values) const {
  check();
  for (const Value& value : values)
    MLGC_ASSERT(value.valid() && &value.module() == module_, "an operand must be a value of the same module");
  OpRow& row = module_->row(id_);
  for (std::uint32_t i = 0; i < row.operand_count; ++i) module_->unlink_use(UseId(std::size_t{row.first_operand} + i));
  if (values.size() > row.operand_count) {
    for (std::uint32_t i = 0; i < row.operand_count; ++i) module_->slots_[row.first_operand + i].owner = OpId();
    module_->append_operands(id_, values);
    return;
  }
  for (std::size_t i = 0; i < row.operand_count; ++i) {
    const UseId slot(row.first_operand + i);
    if (i >= values.size()) {
      module_->row(slot).owner = OpId();
      continue;
    }
    module_->link_use(slot, values[i].id());
  }
  row.operand_count = static_cast<std::uint32_t>(values.size());
}

bool OpRef::results_unused() const {
  for (const Value result : results())
    if (result.has_uses()) return false;
  return true;
}

void OpRef::add_results(std::span<const Type> types) const {
  MLGC_ASSERT(result_count() == 0, "the op has results already");
  module_->append_results(id_, types);
}

void OpRef::replace_all_uses_with(std::span<const Value> values) const {
  MLGC_ASSERT(values.size() == result_count(), "as many replacements as results");
  for (std::size_t i = 0; i < values.size(); ++i) result(i).replace_all_uses_with(values[i]);
}

void OpRef::set_attrs(AttrDict attrs) const {
  check();
  OpRow& row = module_->row(id_);
  if (row.attrs == attrs) return;
  const bool top_level = row.parent == RegionId(0);
  if (top_level) module_->symbol_removed(id_);
  row.attrs = attrs;
  if (top_level) module_->symbol_added(id_);
}

Attribute OpRef::attr(std::string_view name) const { return module_->context().attributes().get(attrs(), name); }

void OpRef::set_attr(std::string_view name, Attribute value) const {
  Context& context = module_->context();
  set_attrs(context.attributes().with(attrs(), context.strings().intern(name), value));
}

void OpRef::remove_attr(std::string_view name) const {
  Context& context = module_->context();
  const StringId id = context.strings().find(name);
  if (id.valid()) set_attrs(context.attributes().without(attrs(), id));
}

std::string_view OpRef::symbol() const {
  return module_->context().attributes().as_string(attr(module_->context().names().sym_name)).value_or("");
}

RegionRef OpRef::region(std::size_t i) const {
  MLGC_ASSERT(i < region_count(), "no such region");
  RegionId id = module_->row(id_).first_region;
  for (; i > 0; --i) id = module_->row(id).next;
  return {module_, id};
}

RegionRef OpRef::add_region() const { return check(), RegionRef(module_, module_->append_region(id_)); }

bool OpRef::is_inside(OpRef ancestor) const {
  for (OpRef op = *this; op.valid(); op = op.parent_op())
    if (op == ancestor) return true;
  return false;
}

void OpRef::move_before(OpRef other) const {
  check();
  MLGC_ASSERT(other.parent().valid(), "an op cannot be moved beside a detached one");
  if (other == *this) return;
  MLGC_ASSERT(!holds(*this, other.parent()), "an op cannot be moved into itself");
  module_->unlink(id_);
  module_->insert(id_, other.parent().id(), other.id());
}

void OpRef::move_after(OpRef other) const {
  if (other == *this || other.next() == *this) return;
  if (other.next().valid())
    move_before(other.next());
  else
    move_to_end(other.parent());
}

void OpRef::move_to_end(RegionRef region) const {
  check();
  MLGC_ASSERT(region.valid(), "an op cannot be moved beside a detached one");
  MLGC_ASSERT(!holds(*this, region), "an op cannot be moved into itself");
  module_->unlink(id_);
  module_->insert(id_, region.id(), OpId());
}

void OpRef::detach() const { check(), module_->unlink(id_); }
void OpRef::erase() const { check(), module_->erase(id_); }

// --- RegionRef -------------------------------------------------------------------------------------------------------

std::size_t RegionRef::number() const {
  check();
  std::size_t number = 0;
  for (RegionId at = module_->row(module_->row(id_).parent).first_region; at != id_; at = module_->row(at).next)
    ++number;
  return number;
}

OpRef RegionRef::terminator() const {
  const OpRef last = back();
  return last.valid() && last.has_trait(Traits::Terminator) ? last : OpRef();
}

Value RegionRef::add_argument(Type type) const { return check(), Value(module_, module_->append_argument(id_, type)); }

void RegionRef::erase_argument(std::size_t i) const {
  check();
  MLGC_ASSERT(i < argument_count(), "no such argument");
  MLGC_ASSERT(!argument(i).has_uses(), "an argument that is used cannot be erased");
  RegionRow& row = module_->row(id_);
  for (std::size_t at = i; at + 1 < row.argument_count; ++at) {
    const ValueId moved = module_->arguments_[row.first_argument + at + 1];
    module_->arguments_[row.first_argument + at] = moved;
    --module_->row(moved).number;  // the bit that marks arguments is above every number
  }
  --row.argument_count;
}

void RegionRef::splice_before(OpRef other) const {
  check();
  MLGC_ASSERT(other.parent() != *this, "the ops of a region cannot be moved before one of them");
  while (!empty()) front().move_before(other);
}

void RegionRef::splice_to_end(RegionRef region) const {
  check();
  MLGC_ASSERT(region != *this, "the ops of a region cannot be moved to their own end");
  while (!empty()) front().move_to_end(region);
}

void RegionRef::move_to(OpRef op) const {
  check();
  MLGC_ASSERT(id_ != RegionId(0), "the module's body cannot be moved");
  const OpRef old = parent_op();
  MLGC_ASSERT(op != old && !op.is_inside(old), "a region cannot be moved into itself");
  MLGC_ASSERT(op.region_count() < 255, "an op has at most 255 regions");
  OpRow& from = module_->row(old.id());
  RegionRow& moved = module_->row(id_);
  if (from.first_region == id_) {
    from.first_region = moved.next;
  } else {
    RegionId before = from.first_region;
    while (module_->row(before).next != id_) before = module_->row(before).next;
    module_->row(before).next = moved.next;
  }
  --from.region_count;
  moved.next = RegionId();
  moved.parent = op.id();
  OpRow& to = module_->row(op.id());
  RegionId* link = &to.first_region;
  while (link->valid()) link = &module_->row(*link).next;
  *link = id_;
  ++to.region_count;
}

namespace walk_detail {

OpRef enter(OpRef op, RegionRef after, bool backward) {
  if (!backward) {
    for (RegionRef region = after.valid() ? after.next() : (op.region_count() > 0 ? op.region(0) : RegionRef());
         region.valid(); region = region.next())
      if (!region.empty()) return region.front();
    return {};
  }
  OpRef found;
  for (const RegionRef region : op.regions()) {
    if (region == after) break;
    if (!region.empty()) found = region.back();
  }
  return found;
}

}  // namespace walk_detail
}  // namespace mlgc
