// Insertion points and the shapes of module-level items.
#include "ir/builder.h"

#include <string>

namespace mlgc {

void Builder::set_before(OpRef op) {
  MLGC_ASSERT(op.parent().valid(), "nothing can be inserted beside a detached op");
  region_ = op.parent();
  before_ = op;
}
void Builder::set_after(OpRef op) {
  MLGC_ASSERT(op.parent().valid(), "nothing can be inserted beside a detached op");
  region_ = op.parent();
  before_ = op.next();
}
void Builder::set_start(RegionRef region) {
  region_ = region;
  before_ = region.front();
}
void Builder::set_end(RegionRef region) {
  region_ = region;
  before_ = OpRef();
}

OpRef Builder::create(Opcode opcode, std::span<const Value> operands, AttrDict attrs, std::span<const Type> results,
                      std::size_t regions) {
  return insert(module_->create(opcode, operands, attrs, results, location_, regions));
}

OpRef Builder::create(std::string_view name, std::initializer_list<Value> operands, std::initializer_list<Type> results,
                      AttrDict attrs, std::size_t regions) {
  const Opcode opcode = context().find_op(name);
  MLGC_ASSERT(opcode != Opcode::Invalid, "no row of the op table is named " + std::string(name));
  return create(opcode, std::span(operands.begin(), operands.size()), attrs, std::span(results.begin(), results.size()),
                regions);
}
OpRef Builder::create(GraphOp op, std::initializer_list<Value> operands, std::initializer_list<Type> results,
                      AttrDict attrs, std::size_t regions) {
  return create(context().opcode(op), std::span(operands.begin(), operands.size()), attrs,
                std::span(results.begin(), results.size()), regions);
}
OpRef Builder::create(LoopOp op, std::initializer_list<Value> operands, std::initializer_list<Type> results,
                      AttrDict attrs, std::size_t regions) {
  return create(context().opcode(op), std::span(operands.begin(), operands.size()), attrs,
                std::span(results.begin(), results.size()), regions);
}

OpRef Builder::insert(OpRef op) {
  if (before_.valid())
    op.move_before(before_);
  else
    op.move_to_end(region_);
  return op;
}

AttrDict Builder::attrs(std::initializer_list<NamedValue> entries) const {
  std::vector<NamedAttribute> named;
  named.reserve(entries.size());
  for (const NamedValue& entry : entries) named.push_back({context().strings().intern(entry.name), entry.value});
  return context().attributes().dict(named);
}

OpRef Builder::item(Opcode opcode, std::string_view name, Type type, std::size_t regions) {
  MLGC_ASSERT(opcode != Opcode::Invalid, "the op table lacks a row for an item of the module");
  AttributePool& attributes = context().attributes();
  std::vector<NamedAttribute> named{{context().names().sym_name, attributes.string(name)}};
  if (type.valid()) named.push_back({context().names().type, attributes.type(type)});
  const OpRef op = module_->create(opcode, {}, attributes.dict(named), {}, location_, regions);
  op.move_to_end(module_->body());
  return op;
}

OpRef Builder::func(std::string_view name, std::span<const Type> arguments) {
  const OpRef op = item(context().opcode(GraphOp::Func), name, Type(), 1);
  for (const Type type : arguments) op.region().add_argument(type);
  return op;
}
OpRef Builder::weight(std::string_view name, Type type) {
  return item(context().opcode(GraphOp::Weight), name, type, 0);
}
OpRef Builder::state(std::string_view name, Type type) { return item(context().opcode(GraphOp::State), name, type, 0); }

}  // namespace mlgc
