// Tensors that share memory, and changes in place; see interpreter.h. What operators give views, and the way back
// through one, is in program/functionalise.h, for the programs of every format.
#include <algorithm>
#include <array>
#include <set>

#include "import/python/interpreter.h"

namespace mlgc::python {

using program::Sharing;

// Before a region touches what is from outside of it.
void Interpreter::save(const Tensor& tensor, bool changed) {
  if (region_->depth <= tensor->depth) return;
  const auto [at, fresh] =
      region_->tensors.try_emplace(tensor, Region::Saved{tensor->value, tensor->version, tensor->number, false});
  if (!changed || at->second.changed) return;
  at->second.changed = true;
  if (!tensor->base) region_->changed.push_back(tensor);
}

void Interpreter::save(const std::shared_ptr<Memory>& memory) {
  if (region_->depth > memory->depth)
    region_->memories.try_emplace(memory, std::pair(memory->version, memory->changed_by));
}

// The memory has changed, and with it what may be the same.
void Interpreter::touch(const Node& node, const std::shared_ptr<Memory>& memory) {
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

void Interpreter::link(const std::shared_ptr<Memory>& a, const std::shared_ptr<Memory>& b) {
  if (a == b) return;
  a->kin.push_back(b);
  b->kin.push_back(a);
}

bool Interpreter::change(const Node& node, const Tensor& tensor, Value value) {
  std::vector<std::pair<Tensor, Value>> values{{tensor, value}};
  while (values.back().first->base) {
    const auto [view, now] = values.back();
    const Value whole = whole_of(node, view, now);
    if (!whole.valid()) return false;
    values.emplace_back(view->base, whole);
  }
  const std::shared_ptr<Memory>& memory = tensor->memory;
  if (memory->outside && memory->owner != values.back().first.get())
    return fail(node, "it changes what may be a part or another view of an input, a weight or a buffer in place");
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
Value Interpreter::convert_view(const Node& node, program::Node made, std::span<const Type> types, std::size_t output) {
  std::vector<std::string> results;
  for (program::Argument& argument : made.outputs)
    for (std::string& name : argument.names) {
      const int count = names_[name]++;
      name += "_again" + (count == 0 ? "" : "_" + std::to_string(count));
      if (results.size() < types.size()) scope().state_type(name, types[results.size()]);
      results.push_back(name);
    }
  std::optional<Diagnostic> form;
  if (convert(node, made, form)) return scope().find(results[output]);
  if (form) report(node, *std::move(form));
  return {};
}

// The view made again from what it is a view of now; invalid after a diagnostic.
Value Interpreter::view_again(const Node& node, const Tensor& tensor) {
  const Value base = tensor_value(node, tensor->base);
  if (!base.valid()) return {};
  Value again = base;
  if (tensor->sharing != Sharing::Same) {
    program::Node made = tensor->maker->node;
    made.inputs[0].value.names = {name_value(base)};
    again = convert_view(node, std::move(made), tensor->maker->types, tensor->output);
  }
  if (!again.valid()) return {};
  save(tensor, false);
  tensor->value = again;
  tensor->version = tensor->memory->version;
  return again;
}

// What the tensor that `view` is a view of becomes when the view has this value; invalid after a diagnostic.
Value Interpreter::whole_of(const Node& node, const Tensor& view, Value value) {
  if (view->sharing == Sharing::Same) return value;
  if (view->sharing == Sharing::Repeated) {
    fail(node, "it changes a view that `" + view->maker->node.target + "` made");
    return {};
  }
  const Value before = tensor_value(node, view->base);
  if (!before.valid()) return {};
  program::Argument sizes;
  const PythonValue dims{Tuple{std::make_shared<std::vector<PythonValue>>()}};
  for (const IndexExpr dim : before.dims()) dims.items()->push_back({dim});
  if (!argument_of(node, dims, program::SchemaArgument::Kind::IntList, sizes)) return {};
  Result<program::Node> back =
      program::put_back(view->maker->node, view->sharing, name_value(value), name_value(before), sizes);
  if (!back) {
    fail(node, back.error());
    return {};
  }
  program::Argument result;
  result.kind = program::Argument::Kind::Tensor;
  result.names = {view->maker->node.name};
  back->outputs = {result};
  const std::array types{before.type()};
  return convert_view(node, *std::move(back), types, 0);
}

// `made` is result `output` of an operator that may give a view of its first operand.
void Interpreter::make_view(const Call& call, const Tensor& first, const Tensor& made, std::size_t output) const {
  std::optional<Sharing> sharing = program::sharing_of(call.base, call.target);
  if (call.base == "to" || call.base == "type_as") {
    // Another element type is a copy; the same is the tensor itself, unless a flag asks for a copy.
    if (!(made->value == first->value)) return;
    const bool flagged = std::any_of(call.node.inputs.begin(), call.node.inputs.end(), [&](std::uint32_t i) {
      const bool* const flag = get(i).as<bool>();
      return flag != nullptr && *flag;
    });
    sharing = flagged ? Sharing::Perhaps : Sharing::Same;
  }
  if (!sharing) return;
  made->memory = first->memory;
  made->version = made->memory->version;
  if (*sharing == Sharing::Perhaps) return;
  ViewMaker maker{call.made, {}};
  for (const std::string& name : call.results) {
    const Value value = scope().find(name);
    maker.types.push_back(value.valid() ? value.type() : Type());
  }
  made->base = first;
  made->maker = std::make_shared<const ViewMaker>(std::move(maker));
  made->output = output;
  made->sharing = *sharing;
}

}  // namespace mlgc::python
