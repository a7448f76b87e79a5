// See tensor_memory.h. What operators give views, and the way back through one, is in program/functionalise.h, for the
// programs of every format.
#include "import/python/tensor_memory.h"

#include <array>
#include <set>
#include <tuple>

#include "diag/kinds_import.h"

namespace mlgc::python {

using program::Sharing;

Tensor TensorMemory::create(Value value) const {
  auto tensor = std::make_shared<TensorVariable>();
  tensor->value = value;
  tensor->memory = std::make_shared<Memory>();
  tensor->memory->owner = tensor.get();
  tensor->memory->depth = builder_.depth();
  tensor->depth = builder_.depth();
  return tensor;
}

Value TensorMemory::value(const Node& node, const Tensor& tensor) {
  if (!tensor->current() && tensor->base) return view_again(node, tensor);
  if (!tensor->current()) {
    builder_.refuse<kStaleView>(*tensor->memory->changed_by, builder_.spelling(node));
    return {};
  }
  if (tensor->value.valid()) return tensor->value;
  const Value made = builder_.number_value(node, {*tensor->number});
  // What is made inside of a region is not seen outside.
  if (tensor->depth == builder_.depth()) tensor->value = made;
  return made;
}

Value TensorMemory::value(const Node& node, const PythonValue& value) {
  const Tensor* const tensor = value.as<Tensor>();
  return tensor != nullptr ? this->value(node, *tensor) : builder_.number_value(node, value);
}

// Before a region touches what is from outside of it.
void TensorMemory::save(const Tensor& tensor, bool changed) {
  if (changes_ == nullptr || builder_.depth() <= tensor->depth) return;
  const auto [at, fresh] =
      changes_->tensors.try_emplace(tensor, Changes::Saved{tensor->value, tensor->version, tensor->number, false});
  if (!changed || at->second.changed) return;
  at->second.changed = true;
  if (!tensor->base) changes_->changed.push_back(tensor);
}

void TensorMemory::save(const std::shared_ptr<Memory>& memory) {
  if (changes_ != nullptr && builder_.depth() > memory->depth)
    changes_->memories.try_emplace(memory, std::pair(memory->version, memory->changed_by));
}

// The memory has changed, and with it what may be the same.
void TensorMemory::touch(const Node& node, const std::shared_ptr<Memory>& memory) {
  std::set<std::shared_ptr<Memory>> touched;
  std::vector<std::shared_ptr<Memory>> open{memory};
  while (!open.empty()) {
    const std::shared_ptr<Memory> next = open.back();
    open.pop_back();
    if (!touched.insert(next).second) continue;
    save(next);
    ++next->version;
    next->changed_by = &node;
    for (const std::weak_ptr<Memory>& kin : next->kin)
      if (std::shared_ptr<Memory> other = kin.lock()) open.push_back(std::move(other));
  }
}

void TensorMemory::link(const std::shared_ptr<Memory>& a, const std::shared_ptr<Memory>& b) {
  if (a == b) return;
  a->kin.push_back(b);
  b->kin.push_back(a);
}

bool TensorMemory::change(const Node& node, const Tensor& tensor, Value value) {
  std::vector<std::pair<Tensor, Value>> values{{tensor, value}};
  while (values.back().first->base) {
    const auto [view, now] = values.back();
    const Value whole = whole_of(node, view, now);
    if (!whole.valid()) return false;
    values.emplace_back(view->base, whole);
  }
  const std::shared_ptr<Memory>& memory = tensor->memory;
  if (memory->outside && memory->owner != values.back().first.get())
    return builder_.refuse<kChangedInPlace>(node,
                                            "what may be a part or another view of an input, a weight or a buffer");
  for (const auto& [changed, now] : values) save(changed, true);
  touch(node, memory);
  for (const auto& [changed, now] : values) {
    changed->value = now;
    changed->number.reset();
    changed->version = memory->version;
  }
  return true;
}

// A node that stands for none of the program: result `output`, invalid after a diagnostic.
Value TensorMemory::convert_view(const Node& node, program::Node made, std::span<const Type> types,
                                 std::size_t output) {
  std::vector<std::string> results;
  for (program::Argument& argument : made.outputs)
    for (std::string& name : argument.names) {
      name = builder_.repeated_name(name);
      if (results.size() < types.size()) builder_.scope().state_type(name, types[results.size()]);
      results.push_back(name);
    }
  std::optional<Diagnostic> form;
  if (builder_.convert(node, made, form)) return builder_.scope().find(results[output]);
  if (form) builder_.report(node, *std::move(form));
  return {};
}

// The view made again from what it is a view of now; invalid after a diagnostic.
Value TensorMemory::view_again(const Node& node, const Tensor& tensor) {
  const Value base = value(node, tensor->base);
  if (!base.valid()) return {};
  Value again = base;
  if (tensor->sharing != Sharing::Same) {
    program::Node made = tensor->maker->node;
    made.inputs[0].value.names = {builder_.name_value(base)};
    again = convert_view(node, std::move(made), tensor->maker->types, tensor->output);
  }
  if (!again.valid()) return {};
  save(tensor, false);
  tensor->value = again;
  tensor->version = tensor->memory->version;
  return again;
}

// What the tensor that `view` is a view of becomes when the view has this value; invalid after a diagnostic.
Value TensorMemory::whole_of(const Node& node, const Tensor& view, Value value) {
  if (view->sharing == Sharing::Same) return value;
  if (view->sharing == Sharing::Repeated) {
    builder_.refuse<kViewChanged>(node, view->maker->node.target);
    return {};
  }
  const Value before = this->value(node, view->base);
  if (!before.valid()) return {};
  program::Argument sizes;
  sizes.kind = program::Argument::Kind::Ints;
  for (const IndexExpr dim : before.dims()) sizes.ints.push_back(builder_.integer(dim));
  Result<program::Node, Diagnostic> back = program::put_back(
      view->maker->node, view->sharing, builder_.name_value(value), builder_.name_value(before), sizes);
  if (!back) {
    back.error().at = builder_.location(node);
    builder_.report(node, back.error());
    return {};
  }
  program::Argument result;
  result.kind = program::Argument::Kind::Tensor;
  result.names = {view->maker->node.name};
  back->outputs = {result};
  const std::array types{before.type()};
  return convert_view(node, *std::move(back), types, 0);
}

void Region::restore() {
  for (const auto& [tensor, saved] : changes_.tensors) {
    tensor->value = saved.value;
    tensor->version = saved.version;
    tensor->number = saved.number;
  }
  for (const auto& [memory, saved] : changes_.memories) std::tie(memory->version, memory->changed_by) = saved;
}

}  // namespace mlgc::python
