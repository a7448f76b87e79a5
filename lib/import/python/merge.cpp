// See merge.h.
#include "import/python/merge.h"

#include <algorithm>

#include "diag/kinds_import.h"

namespace mlgc::python {

namespace {

bool same(const PythonValue& a, const PythonValue& b) {
  // Two lists that are alike now may be changed later.
  return a.is<List>() ? a.items() == b.items() : identical(a, b);
}

bool all_same(std::span<const PythonValue> ways) {
  return std::all_of(ways.begin() + 1, ways.end(), [&](const PythonValue& way) { return same(ways[0], way); });
}

// A name that gets no value on one way is not read after it.
const PythonValue& first_known(std::span<const PythonValue> ways) {
  return *std::find_if(ways.begin(), ways.end(), [](const auto& way) { return !way.template is<Undefined>(); });
}

std::vector<PythonValue> column(std::span<const PythonValue> ways, std::size_t i) {
  std::vector<PythonValue> out;
  for (const PythonValue& way : ways) out.push_back(way.items() == nullptr ? PythonValue() : (*way.items())[i]);
  return out;
}

}  // namespace

bool Merge::collect(std::span<const PythonValue> ways) {
  if (all_same(ways)) return true;
  if (const auto* items = first_known(ways).items(); items != nullptr) return collect_items(ways, items->size());
  std::vector<Value> values(ways.size());
  Type type;
  for (std::size_t i = 0; i < ways.size(); ++i) {
    if (ways[i].is<Undefined>()) continue;
    const Region in(builder_, tensors_, *scopes_[i]);
    values[i] = value_of(ways[i]);
    if (!values[i].valid()) return false;
    type = values[i].type();
  }
  for (std::size_t i = 0; i < ways.size(); ++i) {
    if (!ways[i].is<Undefined>()) continue;
    const Region in(builder_, tensors_, *scopes_[i]);
    values[i] = anything(type);
    if (!values[i].valid()) return false;
  }
  const TypePool& types = builder_.context().types();
  for (const Value& value : values)
    if (value.type() != values[0].type())
      return builder_.refuse<kPathsDiffer>(node_, what_, types.print(values[0].type()), types.print(value.type()));
  for (std::size_t i = 0; i < values.size(); ++i) add(i, values[i]);
  return true;
}

PythonValue Merge::rebuild(std::span<const PythonValue> ways, std::span<const Value> results, std::size_t& next) const {
  if (all_same(ways)) return ways[0];
  const PythonValue& known = first_known(ways);
  if (const auto* items = known.items(); items != nullptr) {
    auto made = std::make_shared<std::vector<PythonValue>>();
    for (std::size_t i = 0; i < items->size(); ++i) made->push_back(rebuild(column(ways, i), results, next));
    if (known.is<Tuple>()) return {Tuple{made}};
    return {List{made, builder_.depth()}};
  }
  const Value result = results[next++];
  if (!known.is<Tensor>()) return {Computed{result}};
  const Tensor made = tensors_.create(result);
  for (const PythonValue& way : ways)
    if (const Tensor* tensor = way.as<Tensor>(); tensor != nullptr && (*tensor)->memory->depth <= builder_.depth())
      TensorMemory::link(made->memory, (*tensor)->memory);
  return {made};
}

bool Merge::collect_items(std::span<const PythonValue> ways, std::size_t count) {
  for (const PythonValue& way : ways)
    if (way.items() == nullptr ? !way.is<Undefined>() : way.items()->size() != count)
      return builder_.refuse<kPathsDiffer>(node_, what_, "a list of " + std::to_string(count) + " items",
                                           "a list of another length");
  for (std::size_t i = 0; i < count; ++i)
    if (!collect(column(ways, i))) return false;
  return true;
}

// Invalid after a diagnostic.
Value Merge::value_of(const PythonValue& value) {
  if (const Tensor* tensor = value.as<Tensor>()) {
    const auto same_memory = [&](const Tensor& other) { return other->memory == (*tensor)->memory; };
    if (std::none_of(changed_.begin(), changed_.end(), same_memory)) return tensors_.value(node_, *tensor);
    builder_.refuse<kChangedInPlace>(node_, "a tensor from outside that a branch that depends on data gives");
    return {};
  }
  if (value.number()) return builder_.number_value(node_, value);
  builder_.refuse<kPathsDiffer>(node_, what_, kind_name(value), "something else");
  return {};
}

// What stands for a name that has no value: nothing reads it.
Value Merge::anything(Type type) {
  Context& context = builder_.context();
  AttributePool& attributes = context.attributes();
  return builder_.emit(node_, "full", {},
                       {{"size", attributes.int_list(context.types().dims(type))},
                        {"value", attributes.integer(0)},
                        {"dtype", attributes.dtype(context.types().dtype(type))}});
}

}  // namespace mlgc::python
