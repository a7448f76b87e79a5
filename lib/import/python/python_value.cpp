// See python_value.h.
#include "import/python/python_value.h"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace mlgc::python {

namespace {

bool identical_items(const std::vector<PythonValue>& a, const std::vector<PythonValue>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), identical);
}

struct KindName {
  std::string operator()(const Undefined& /*value*/) const { return "a name without a value"; }
  std::string operator()(const None& /*value*/) const { return "None"; }
  std::string operator()(bool /*value*/) const { return "a bool"; }
  std::string operator()(IndexExpr /*value*/) const { return "an int"; }
  std::string operator()(double /*value*/) const { return "a float"; }
  std::string operator()(const std::string& /*value*/) const { return "a string"; }
  std::string operator()(const Computed& /*value*/) const { return "a number that depends on data"; }
  std::string operator()(const Tensor& /*value*/) const { return "a tensor"; }
  std::string operator()(const List& /*value*/) const { return "a list"; }
  std::string operator()(const Tuple& /*value*/) const { return "a tuple"; }
  std::string operator()(const Dict& /*value*/) const { return "a dict"; }
  std::string operator()(const Object& /*value*/) const { return "a module"; }
  std::string operator()(const Device& /*value*/) const { return "a device"; }
  std::string operator()(const TorchConstant& value) const {
    return value.kind == TorchConstant::Kind::Dtype    ? "an element type"
           : value.kind == TorchConstant::Kind::Layout ? "a layout"
                                                       : "a memory format";
  }
  std::string operator()(const Slice& /*value*/) const { return "a slice"; }
  std::string operator()(const Ellipsis& /*value*/) const { return "an ellipsis"; }
  std::string operator()(const Foreign& value) const { return "a value of type `" + value.type + "`"; }
};

}  // namespace

bool identical(const PythonValue& a, const PythonValue& b) {
  if (a.held.index() != b.held.index()) return false;
  if (const bool* flag = a.as<bool>()) return *flag == *b.as<bool>();
  if (const IndexExpr* number = a.as<IndexExpr>()) return *number == *b.as<IndexExpr>();
  // Bit for bit: -0.0 is not 0.0.
  if (const double* real = a.as<double>())
    return std::bit_cast<std::uint64_t>(*real) == std::bit_cast<std::uint64_t>(*b.as<double>());
  if (const std::string* text = a.as<std::string>()) return *text == *b.as<std::string>();
  if (const Computed* computed = a.as<Computed>()) return computed->value == b.as<Computed>()->value;
  if (const Tensor* tensor = a.as<Tensor>()) return *tensor == *b.as<Tensor>();
  if (const Device* device = a.as<Device>()) return device->name == b.as<Device>()->name;
  if (const Object* object = a.as<Object>()) return object->number == b.as<Object>()->number;
  if (a.items() != nullptr) return a.items() == b.items() || identical_items(*a.items(), *b.items());
  if (const Dict* dict = a.as<Dict>()) return dict->items == b.as<Dict>()->items;
  if (const TorchConstant* constant = a.as<TorchConstant>())
    return constant->kind == b.as<TorchConstant>()->kind && constant->number == b.as<TorchConstant>()->number;
  return a.is<None>() || a.is<Undefined>() || a.is<Ellipsis>();
}

std::string kind_name(const PythonValue& value) { return std::visit(KindName(), value.held); }

}  // namespace mlgc::python
