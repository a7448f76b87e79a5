// See onnx_model.h.
#include <array>
#include <cctype>
#include <charconv>
#include <string_view>
#include <type_traits>
#include <utility>

#include "export/onnx/onnx_model.h"
#include "tensor/print.h"

namespace mlgc {
namespace {

std::string_view type_name(Dtype dtype) {
  switch (dtype) {
    case Dtype::F32: return "float";
    case Dtype::UI8: return "uint8";
    case Dtype::I8: return "int8";
    case Dtype::I16: return "int16";
    case Dtype::I32: return "int32";
    case Dtype::I64: return "int64";
    case Dtype::I1: return "bool";
    case Dtype::F16: return "float16";
    case Dtype::F64: return "double";
    case Dtype::C64: return "complex64";
    case Dtype::C128: return "complex128";
    case Dtype::BF16: return "bfloat16";
  }
  return "";
}

// Anything but an identifier stands in quotes.
std::string name_text(std::string_view name) {
  bool plain = !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0;
  for (const char c : name) plain = plain && (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_');
  return plain ? std::string(name) : "\"" + std::string(name) + "\"";
}

template <class Items, class Print>
std::string listed(const Items& items, const Print& print) {
  std::string out;
  bool first = true;
  for (const auto& item : items) out += (std::exchange(first, false) ? "" : ", ") + print(item);
  return out;
}

std::string real_text(float value) {
  std::array<char, 32> buffer{};
  const std::to_chars_result end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  std::string out(buffer.data(), static_cast<std::size_t>(end.ptr - buffer.data()));
  if (out.find_first_of(".en") == std::string::npos) out += ".0";
  return out;
}

std::string value_text(const OnnxValueInfo& value) {
  std::string dims = listed(value.dims, [](const OnnxDim& dim) {
    const auto* number = std::get_if<std::int64_t>(&dim);
    return number != nullptr ? std::to_string(*number) : name_text(std::get<std::string>(dim));
  });
  return std::string(type_name(value.dtype)) + (dims.empty() ? "" : "[" + dims + "]") + " " + name_text(value.name);
}

// Half precision as the integers of its bits, as the syntax has it.
std::string element_text(const Tensor& tensor, std::int64_t i) {
  if (tensor.dtype() == Dtype::F16 || tensor.dtype() == Dtype::BF16) {
    const std::span<const std::byte> bytes = tensor.bytes().subspan(static_cast<std::size_t>(i) * 2, 2);
    return std::to_string(std::to_integer<unsigned>(bytes[0]) | (std::to_integer<unsigned>(bytes[1]) << 8U));
  }
  if (tensor.dtype() == Dtype::I1) return tensor.get_int(i) != 0 ? "1" : "0";
  return print_element(tensor, i);
}

std::string initializer_text(const std::string& name, const Tensor& tensor) {
  std::string dims = listed(tensor.shape(), [](std::int64_t dim) { return std::to_string(dim); }), values;
  for (std::int64_t i = 0; i < tensor.size(); ++i) values += (i == 0 ? "" : ", ") + element_text(tensor, i);
  return std::string(type_name(tensor.dtype())) + (dims.empty() ? "" : "[" + dims + "]") + " " + name_text(name) +
         " = {" + values + "}";
}

std::string graph_text(const OnnxGraph& graph, const std::string& indent);

std::string attribute_text(const OnnxAttribute& attribute, const std::string& indent) {
  const auto number = [](std::int64_t value) { return std::to_string(value); };
  const std::string value = std::visit(
      [&](const auto& given) -> std::string {
        using Value = std::decay_t<decltype(given)>;
        if constexpr (std::is_same_v<Value, std::int64_t>)
          return "int = " + number(given);
        else if constexpr (std::is_same_v<Value, float>)
          return "float = " + real_text(given);
        else if constexpr (std::is_same_v<Value, std::string>)
          return "string = \"" + given + "\"";
        else if constexpr (std::is_same_v<Value, std::shared_ptr<OnnxGraph>>)
          return "graph = " + graph_text(*given, indent);
        else if constexpr (std::is_same_v<Value, std::vector<float>>)
          return "floats = [" + listed(given, real_text) + "]";
        else
          return "ints = [" + listed(given, number) + "]";
      },
      attribute.value);
  return attribute.name + ": " + value;
}

std::string graph_text(const OnnxGraph& graph, const std::string& indent) {
  const std::string inner = indent + "  ";
  std::string out = name_text(graph.name) + " (" + listed(graph.inputs, value_text) + ") => (" +
                    listed(graph.outputs, value_text) + ")";
  if (!graph.initializers.empty())
    out += "\n" + inner + "<" +
           listed(graph.initializers, [](const auto& named) { return initializer_text(named.first, named.second); }) +
           ">";
  out += (graph.initializers.empty() ? " {\n" : "\n" + indent + "{\n");
  for (const OnnxNode& node : graph.nodes) {
    out += inner + listed(node.outputs, name_text) + " = " + node.op_type;
    if (!node.attributes.empty())
      out += " <" +
             listed(node.attributes, [&](const OnnxAttribute& attribute) { return attribute_text(attribute, inner); }) +
             ">";
    out +=
        " (" + listed(node.inputs, [](const std::string& name) { return name.empty() ? "" : name_text(name); }) + ")\n";
  }
  return out + indent + "}";
}

}  // namespace

std::string onnx_text(const OnnxModel& model) {
  return "<\n  ir_version: " + std::to_string(model.ir_version) +
         ",\n  opset_import: [\"\" : " + std::to_string(model.opset) + "],\n  producer_name: \"mlgc\"\n>\n" +
         graph_text(model.graph, "") + "\n";
}

}  // namespace mlgc
