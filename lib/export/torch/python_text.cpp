// See python_text.h.
#include "export/torch/python_text.h"

#include <cmath>

#include "tensor/print.h"

namespace mlgc {
namespace {

std::string real(double value) {
  const std::string text = format_number(value);
  return std::isfinite(value) ? text : "float(\"" + text + "\")";
}

template <class Items, class Text>
std::string list(const Items& items, const Text& text) {
  std::string out = "[";
  for (const auto& item : items) out += (out.size() == 1 ? "" : ", ") + text(item);
  return out + "]";
}

struct ValueText {
  const Context& context;
  mlgc_torch_kind kind;

  std::string operator()(std::monostate) const { return "None"; }
  std::string operator()(const TorchName& name) const { return name.text; }
  std::string operator()(const TorchNames& names) const {
    return list(names, [](const auto& name) { return name.value_or("None"); });
  }
  std::string operator()(bool value) const { return value ? "True" : "False"; }
  std::string operator()(IndexExpr size) const { return size_text(context, size); }
  std::string operator()(const std::vector<IndexExpr>& sizes) const {
    return list(sizes, [&](IndexExpr size) { return size_text(context, size); });
  }
  std::string operator()(double value) const { return real(value); }
  std::string operator()(const std::vector<double>& values) const {
    if (kind == MLGC_TORCH_NUMBER && values.size() == 2)
      return "complex(" + real(values[0]) + ", " + real(values[1]) + ")";
    return list(values, real);
  }
  std::string operator()(const std::vector<bool>& values) const {
    return list(values, [](bool value) { return std::string(value ? "True" : "False"); });
  }
  std::string operator()(const std::string& text) const {
    std::string out = "\"";
    for (const char c : text) out += c == '"' || c == '\\' ? std::string{'\\', c} : std::string(1, c);
    return out + "\"";
  }
  std::string operator()(Dtype dtype) const { return python_dtype(dtype); }
};

// The elements from `at` on, as brackets of the axes from `axis` on.
std::string elements(const Tensor& tensor, std::size_t axis, std::int64_t& at) {
  if (axis == tensor.rank()) {
    const std::string text = print_element(tensor, at++);
    if (tensor.dtype() == Dtype::I1) return text == "true" ? "True" : "False";
    const bool number = text.find("nan") == std::string::npos && text.find("inf") == std::string::npos;
    return number ? text : (is_complex(tensor.dtype()) ? "complex(\"" : "float(\"") + text + "\")";
  }
  std::string out = "[";
  for (std::int64_t i = 0; i < tensor.dim(axis); ++i) out += (i == 0 ? "" : ", ") + elements(tensor, axis + 1, at);
  return out + "]";
}

}  // namespace

std::string python_dtype(Dtype dtype) { return "torch." + std::string(dtype_info(dtype).torch_name); }

std::string python_text(const Context& context, const TorchArgument& argument) {
  return std::visit(ValueText{context, argument.kind}, argument.value);
}

std::string python_target(std::string_view target) {
  std::string out(target);
  const std::size_t colons = out.find("::");
  const bool overloaded = out.find('.', colons) != std::string::npos;
  out.replace(colons, 2, ".");
  return overloaded ? out : out + ".default";
}

std::string python_arguments(const Context& context, const TorchNode& node) {
  std::string out;
  bool by_position = true;
  for (const TorchArgument& argument : node.arguments) {
    by_position = by_position && (std::holds_alternative<TorchName>(argument.value) ||
                                  std::holds_alternative<TorchNames>(argument.value));
    if (!out.empty()) out += ", ";
    if (!by_position) out += argument.parameter + "=";
    out += python_text(context, argument);
  }
  return out;
}

std::string python_tensor(const Tensor& tensor) {
  std::int64_t at = 0;
  std::string out = "torch.tensor(" + elements(tensor, 0, at) + ", dtype=" + python_dtype(tensor.dtype()) + ")";
  if (!tensor.empty() || tensor.rank() == 1) return out;
  // Brackets do not show the axes after one of size 0.
  out += ".reshape([";
  for (std::size_t axis = 0; axis < tensor.rank(); ++axis)
    out += (axis == 0 ? "" : ", ") + std::to_string(tensor.dim(axis));
  return out + "])";
}

std::string python_size(const TorchNode& node) {
  std::string text = std::get<TorchName>(node.arguments[0].value).text + ".shape[" + std::to_string(node.axis) + "]";
  if (node.offset != 0)
    text += (node.offset > 0 ? " - " : " + ") + std::to_string(node.offset > 0 ? node.offset : -node.offset);
  if (node.factor == 1) return text;
  return (node.offset != 0 ? "(" + text + ")" : text) + "//" + std::to_string(node.factor);
}

std::string joined(const std::vector<std::string>& items) {
  std::string out;
  for (const std::string& item : items) out += (out.empty() ? "" : ", ") + item;
  return out;
}

}  // namespace mlgc
