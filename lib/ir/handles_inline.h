// Inline bodies of the handles; included by module.h only.
#pragma once

#include "ir/module.h"

namespace mlgc {

inline HandleBase::HandleBase(Module* module) : module_(module) {
#ifndef NDEBUG
  generation_ = module != nullptr ? module->generation_ : 0;
#endif
}

inline void HandleBase::check() const {
#ifndef NDEBUG
  MLGC_ASSERT(module_ != nullptr, "use of an invalid handle");
  MLGC_ASSERT(generation_ == module_->generation_, "use of a handle from before the module was compacted");
#endif
}

namespace handle_detail {
inline Value operand_at(Module* module, std::uint32_t first, std::uint32_t i) {
  return {module, module->slots_[first + i].value};
}
inline Value result_at(Module* module, std::uint32_t first, std::uint32_t i) {
  return {module, ValueId(std::size_t{first} + i)};
}
inline Value argument_at(Module* module, std::uint32_t first, std::uint32_t i) {
  return {module, module->arguments_[first + i]};
}
inline Use next_use(const Use& use) { return {&use.module(), use.module().row(use.id()).next}; }
inline OpRef next_op(const OpRef& op) { return op.next(); }
inline RegionRef next_region(const RegionRef& region) { return region.next(); }
}  // namespace handle_detail

inline Value Use::value() const { return {module_, module_->row(id_).value}; }
inline OpRef Use::owner() const { return {module_, module_->row(id_).owner}; }
inline std::size_t Use::operand_number() const {
  return id_.index() - module_->row(module_->row(id_).owner).first_operand;
}

inline Type Value::type() const { return check(), module_->row(id_).type; }
inline void Value::set_type(Type type) const { check(), module_->row(id_).type = type; }
inline Dtype Value::dtype() const { return module_->context().types().dtype(type()); }
inline std::span<const IndexExpr> Value::dims() const { return module_->context().types().dims(type()); }
inline std::size_t Value::rank() const { return module_->context().types().rank(type()); }
inline bool Value::is_result() const { return check(), (module_->row(id_).number & ValueRow::kArgumentBit) == 0; }
inline OpRef Value::definer() const { return is_result() ? OpRef(module_, OpId(module_->row(id_).definer)) : OpRef(); }
inline RegionRef Value::argument_of() const {
  return is_result() ? RegionRef() : RegionRef(module_, RegionId(module_->row(id_).definer));
}
inline RegionRef Value::scope() const { return is_result() ? definer().parent() : argument_of(); }
inline std::size_t Value::number() const { return module_->row(id_).number & ~ValueRow::kArgumentBit; }
inline Value::Uses Value::uses() const { return check(), Uses(Use(module_, module_->row(id_).first_use)); }
inline bool Value::has_uses() const { return check(), module_->row(id_).first_use.valid(); }
inline bool Value::has_one_use() const { return has_uses() && !module_->row(module_->row(id_).first_use).next.valid(); }
inline StringId Value::name_id() const {
  check();
  return id_.index() < module_->names_.size() ? module_->names_[id_.index()] : StringId();
}
inline std::string_view Value::name() const {
  const StringId id = name_id();
  return id.valid() ? module_->context().strings().text(id) : std::string_view();
}

inline std::uint32_t OpRef::serial() const { return check(), module_->row(id_).serial; }
inline Opcode OpRef::opcode() const { return check(), module_->row(id_).opcode; }
inline const OpDef& OpRef::def() const { return module_->context().def(opcode()); }
inline Location OpRef::location() const { return check(), module_->row(id_).location; }
inline void OpRef::set_location(Location location) const { check(), module_->row(id_).location = location; }
inline std::size_t OpRef::operand_count() const { return check(), module_->row(id_).operand_count; }
inline OpRef::Operands OpRef::operands() const {
  check();
  const OpRow& row = module_->row(id_);
  return {module_, row.first_operand, row.operand_count};
}
inline Value OpRef::operand(std::size_t i) const {
  check();
  return {module_, module_->slots_[module_->row(id_).first_operand + i].value};
}
inline Use OpRef::operand_use(std::size_t i) const {
  check();
  return {module_, UseId(module_->row(id_).first_operand + i)};
}
inline std::size_t OpRef::result_count() const { return check(), module_->row(id_).result_count; }
inline OpRef::Results OpRef::results() const {
  check();
  const OpRow& row = module_->row(id_);
  return {module_, row.first_result, row.result_count};
}
inline Value OpRef::result(std::size_t i) const {
  check();
  return {module_, ValueId(module_->row(id_).first_result + i)};
}
inline AttrDict OpRef::attrs() const { return check(), module_->row(id_).attrs; }
inline Attribute OpRef::attr(StringId name) const { return module_->context().attributes().get(attrs(), name); }
inline OpRef::Regions OpRef::regions() const {
  return check(), Regions(RegionRef(module_, module_->row(id_).first_region));
}
inline std::size_t OpRef::region_count() const { return check(), module_->row(id_).region_count; }
inline RegionRef OpRef::parent() const { return check(), RegionRef(module_, module_->row(id_).parent); }
inline OpRef OpRef::parent_op() const {
  const RegionRef region = parent();
  return region.valid() ? region.parent_op() : OpRef();
}
inline OpRef OpRef::next() const { return check(), OpRef(module_, module_->row(id_).next); }
inline OpRef OpRef::previous() const { return check(), OpRef(module_, module_->row(id_).previous); }
inline bool OpRef::erased() const { return check(), (module_->row(id_).flags & Module::kErased) != 0; }

inline OpRef RegionRef::parent_op() const { return check(), OpRef(module_, module_->row(id_).parent); }
inline RegionRef RegionRef::next() const { return check(), RegionRef(module_, module_->row(id_).next); }
inline RegionRef::Ops RegionRef::ops() const { return Ops(front()); }
inline bool RegionRef::empty() const { return check(), !module_->row(id_).first.valid(); }
inline OpRef RegionRef::front() const { return check(), OpRef(module_, module_->row(id_).first); }
inline OpRef RegionRef::back() const { return check(), OpRef(module_, module_->row(id_).last); }
inline std::size_t RegionRef::argument_count() const { return check(), module_->row(id_).argument_count; }
inline RegionRef::Arguments RegionRef::arguments() const {
  check();
  const RegionRow& row = module_->row(id_);
  return {module_, row.first_argument, row.argument_count};
}
inline Value RegionRef::argument(std::size_t i) const { return arguments()[i]; }

}  // namespace mlgc
