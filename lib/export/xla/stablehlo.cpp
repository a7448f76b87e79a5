// stablehlo: text in the dialect StableHLO of MLIR, with a few operations of CHLO.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "export/notation.h"
#include "export/xla/xla_notation.h"
#include "tensor/print.h"

namespace mlgc {
namespace {

constexpr std::int64_t kInlineElements = 64;

std::string mlir_element_type(Dtype dtype) { return std::string(dtype_info(dtype).name); }
std::string mlir_type(const XlaType& type) {
  std::string out = "tensor<";
  for (const std::int64_t dim : type.shape) out += std::to_string(dim) + "x";
  return out + mlir_element_type(type.dtype) + ">";
}

template <class T>
T element_at(const std::string& bytes, std::int64_t i) {
  T out;
  std::memcpy(&out, bytes.data() + static_cast<std::size_t>(i) * sizeof(T), sizeof(T));
  return out;
}

std::string hexadecimal(const char* bytes, std::size_t count, bool reversed) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out = "0x";
  for (std::size_t i = 0; i < count; ++i) {
    const auto byte = static_cast<unsigned char>(bytes[reversed ? count - 1 - i : i]);
    out += kDigits[byte / 16];
    out += kDigits[byte % 16];
  }
  return out;
}

// MLIR wants a point in a real number, and bits where it is none.
std::string mlir_element(Dtype dtype, const std::string& bytes, std::int64_t i) {
  if (dtype == Dtype::I1) return bytes[static_cast<std::size_t>(i)] != 0 ? "true" : "false";
  return visit_dtype(dtype, [&]<class T>() -> std::string {
    const T value = element_at<T>(bytes, i);
    if constexpr (std::is_integral_v<T>) {
      return std::to_string(value);
    } else {
      const std::string text = format_number(value);
      if (text.find_first_of("nf") != std::string::npos)
        return hexadecimal(bytes.data() + static_cast<std::size_t>(i) * sizeof(T), sizeof(T), true);
      const std::size_t exponent = text.find('e');
      if (text.find('.') != std::string::npos || exponent == std::string::npos) return text;
      return text.substr(0, exponent) + ".0" + text.substr(exponent);
    }
  });
}

std::string bracketed(const XlaList& list) {
  std::string out = "[";
  for (std::size_t i = 0; i < list.size(); ++i) out += (i ? ", " : "") + std::to_string(list[i]);
  return out + "]";
}
std::string mlir_array(const XlaList& list) {
  std::string out = "array<i64";
  for (std::size_t i = 0; i < list.size(); ++i) out += (i ? ", " : ": ") + std::to_string(list[i]);
  return out + ">";
}
std::string pairs(const XlaList& low, const XlaList& high) {
  std::string out = "[";
  for (std::size_t i = 0; i < low.size(); ++i) out += (i ? ", " : "") + bracketed({low[i], high[i]});
  return out + "]";
}
// Axes of a convolution: `b, f, 0, 1`.
std::string conv_axes(std::string_view first, std::size_t spatial) {
  std::string out(first);
  for (std::size_t i = 0; i < spatial; ++i) out += ", " + std::to_string(i);
  return "[" + out + "]";
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

class StablehloWriter {
 public:
  explicit StablehloWriter(const XlaProgram& program) : program_(program) {}

  std::string write() {
    std::string name = program_.name;
    std::ranges::replace_if(
        name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)) && c != '_'; }, '_');
    out_ = "module @" + (std::isdigit(static_cast<unsigned char>(name[0])) ? "_" + name : name) + " {\n";
    constexpr std::string_view kHead = "  func.func public @main(";
    std::string inputs, outputs;
    for (const XlaInput& input : program_.inputs)
      inputs += (inputs.empty() ? "" : ",\n" + std::string(kHead.size(), ' ')) + text(input.value) + ": " +
                named_type(input.value, input.name);
    for (const XlaOutput& output : program_.outputs)
      outputs += (outputs.empty() ? "" : ",\n" + std::string(10, ' ')) + named_type(output.value, output.name);
    out_ += std::string(kHead) + inputs + ")" + (outputs.empty() ? "" : "\n      -> (" + outputs + ")") + " {\n";
    depth_ = 2;
    nodes(program_.main);
    const std::vector<XlaId>& results = program_.main.results;
    line(results.empty() ? "return" : "return " + operands(results) + " : " + types(results));
    return out_ + "  }\n}\n";
  }

 private:
  std::string text(XlaId id) {
    const std::string& name = program_.values[id].name;
    if (!name.empty()) return "%" + name;
    const auto [found, added] = numbers_.try_emplace(id, numbers_.size());
    return "%" + std::to_string(found->second);
  }
  std::string type(XlaId id) const { return mlir_type(program_.type(id)); }
  std::string named_type(XlaId id, std::string_view name) const {
    return type(id) + " {mlgc.name = \"" + escaped(name) + "\"}";
  }
  std::string operands(const std::vector<XlaId>& ids) {
    std::string out;
    for (std::size_t i = 0; i < ids.size(); ++i) out += (i ? ", " : "") + text(ids[i]);
    return out;
  }
  std::string types(const std::vector<XlaId>& ids) const {
    std::string out;
    for (std::size_t i = 0; i < ids.size(); ++i) out += (i ? ", " : "") + type(ids[i]);
    return out;
  }
  // `(A, B) -> C`
  std::string signature(const XlaNode& node) const {
    const std::string results = types(node.results);
    return " : (" + types(node.operands) + ") -> " + (node.results.size() == 1 ? results : "(" + results + ")");
  }
  void line(const std::string& text) { out_ += std::string(2 * depth_, ' ') + text + "\n"; }

  void nodes(const XlaBlock& block) {
    for (const XlaNode& node : block.nodes) write(node);
  }
  void body(const XlaBlock& block) {
    ++depth_;
    nodes(block);
    line("stablehlo.return " + operands(block.results) + " : " + types(block.results));
    --depth_;
  }

  void write(const XlaNode& node) {
    const std::string name(xla_op_info(node.op).stablehlo), results = operands(node.results) + " = ";
    const std::string simple = results + name + " " + operands(node.operands);
    switch (node.op) {
      case XlaOp::Constant: return line(results + name + " " + elements(node));
      case XlaOp::Compare:
        return line(results + name + " " + std::string(node.word) + ", " + operands(node.operands) + signature(node));
      case XlaOp::Convert:
      case XlaOp::Reshape: return line(simple + signature(node));
      case XlaOp::Select: return line(simple + " : " + type(node.operands[0]) + ", " + type(node.results[0]));
      case XlaOp::Broadcast:
      case XlaOp::Transpose: return line(simple + ", dims = " + bracketed(node.list("dimensions")) + signature(node));
      case XlaOp::Reverse:
        return line(simple + ", dims = " + bracketed(node.list("dimensions")) + " : " + type(node.results[0]));
      case XlaOp::Concatenate:
        return line(simple + ", dim = " + std::to_string(node.list("dimensions")[0]) + signature(node));
      case XlaOp::Iota:
        return line(results + name + " dim = " + std::to_string(node.list("dimensions")[0]) + " : " +
                    type(node.results[0]));
      case XlaOp::Slice: return line(simple + " " + ranges(node) + signature(node));
      case XlaOp::DynamicSlice: return line(simple + ", sizes = " + bracketed(node.list("sizes")) + signature(node));
      case XlaOp::DynamicUpdateSlice: return line(simple + signature(node));
      case XlaOp::Pad:
        return line(simple + ", low = " + bracketed(node.list("low")) + ", high = " + bracketed(node.list("high")) +
                    ", interior = " + bracketed(node.list("interior")) + signature(node));
      case XlaOp::Dot: {
        std::string dims;
        if (!node.list("lhs_batch").empty())
          dims = ", batching_dims = " + bracketed(node.list("lhs_batch")) + " x " + bracketed(node.list("rhs_batch"));
        return line(simple + dims + ", contracting_dims = " + bracketed(node.list("lhs_contracting")) + " x " +
                    bracketed(node.list("rhs_contracting")) + signature(node));
      }
      case XlaOp::Convolution: return convolution(node);
      case XlaOp::Reduce:
        if (const auto op = of_both(node.blocks[0]); op && node.operands.size() == 2)
          return line(results + name + "(" + text(node.operands[0]) + " init: " + text(node.operands[1]) +
                      ") applies " + std::string(xla_op_info(*op).stablehlo) +
                      " across dimensions = " + bracketed(node.list("dimensions")) + signature(node));
        return generic(node, "dimensions = " + mlir_array(node.list("dimensions")));
      case XlaOp::ReduceWindow: {
        const XlaList &low = node.list("low"), ones(low.size(), 1);
        const auto sized = "tensor<" + std::to_string(low.size()) + "x2xi64>";
        return generic(node, "window_dimensions = " + mlir_array(node.list("window")) + ", window_strides = " +
                                 mlir_array(node.list("strides")) + ", base_dilations = " + mlir_array(ones) +
                                 ", window_dilations = " + mlir_array(node.list("window_dilations")) +
                                 ", padding = dense<" + pairs(low, node.list("high")) + "> : " + sized);
      }
      case XlaOp::Gather:
        return generic(node, "dimension_numbers = #stablehlo.gather<offset_dims = " + bracketed(node.list("offset")) +
                                 ", collapsed_slice_dims = " + bracketed(node.list("collapsed")) +
                                 ", start_index_map = " + bracketed(node.list("start_map")) + ", index_vector_dim = " +
                                 last_axis(node) + ">, slice_sizes = " + mlir_array(node.list("slice_sizes")));
      case XlaOp::Scatter: {
        XlaList all;
        for (std::size_t i = 0; i < program_.type(node.operands[0]).shape.size(); ++i)
          all.push_back(static_cast<std::int64_t>(i));
        return generic(node, "scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = " + bracketed(all) +
                                 ", scatter_dims_to_operand_dims = " + bracketed(all) +
                                 ", index_vector_dim = " + last_axis(node) + ">");
      }
      case XlaOp::Sort:
        return generic(node, "dimension = " + std::to_string(node.list("dimensions")[0]) + " : i64, is_stable = true");
      case XlaOp::If: return generic(node, "");
      case XlaOp::While: return loop(node);
      default: break;
    }
    // CHLO's state what they give.
    const bool chlo = name.starts_with("chlo");
    line(simple + (chlo ? " : " + types(node.operands) + " -> " : " : ") + type(node.results[0]));
  }
  // The axis along which index vectors lie.
  std::string last_axis(const XlaNode& node) const {
    return std::to_string(program_.type(node.operands[1]).shape.size() - 1);
  }
  // The operation that a block does to its two arguments, if it does nothing else.
  static std::optional<XlaOp> of_both(const XlaBlock& block) {
    if (block.nodes.size() != 1 || block.nodes[0].operands != block.arguments) return std::nullopt;
    return block.nodes[0].op;
  }
  std::string ranges(const XlaNode& node) const {
    const XlaList &start = node.list("start"), &limit = node.list("limit"), &strides = node.list("strides");
    std::string out = "[";
    for (std::size_t i = 0; i < start.size(); ++i) {
      out += (i ? ", " : "") + std::to_string(start[i]) + ":" + std::to_string(limit[i]);
      if (strides[i] != 1) out += ":" + std::to_string(strides[i]);
    }
    return out + "]";
  }
  std::string elements(const XlaNode& node) const {
    const XlaType& type = program_.type(node);
    const auto element = [&](std::int64_t i) { return mlir_element(type.dtype, node.bytes, i); };
    if (node.splat) return "dense<" + element(0) + "> : " + mlir_type(type);
    if (element_count(type) == 0) return "dense<> : " + mlir_type(type);
    if (element_count(type) > kInlineElements && type.dtype != Dtype::I1)
      return "dense<\"" + hexadecimal(node.bytes.data(), node.bytes.size(), false) + "\"> : " + mlir_type(type);
    return "dense<" + nested_elements(type, '[', ']', element) + "> : " + mlir_type(type);
  }

  void convolution(const XlaNode& node) {
    const std::size_t spatial = node.list("strides").size();
    line(text(node.results[0]) + " = stablehlo.convolution(" + operands(node.operands) +
         ") dim_numbers = " + conv_axes("b, f", spatial) + "x" + conv_axes("o, i", spatial) + "->" +
         conv_axes("b, f", spatial) + ", window = {stride = " + bracketed(node.list("strides")) + ", pad = " +
         pairs(node.list("low"), node.list("high")) + ", lhs_dilate = " + bracketed(node.list("base_dilations")) +
         ", rhs_dilate = " + bracketed(node.list("window_dilations")) +
         "} {batch_group_count = 1 : i64, feature_group_count = " + std::to_string(node.list("groups")[0]) + " : i64}" +
         signature(node));
  }
  void generic(const XlaNode& node, const std::string& attributes) {
    std::string head = operands(node.results) + " = \"" + std::string(xla_op_info(node.op).stablehlo) + "\"(" +
                       operands(node.operands) + ")" + (attributes.empty() ? "" : " <{" + attributes + "}>");
    if (node.blocks.empty()) return line(head + signature(node));
    head += " ({";
    for (std::size_t i = 0; i < node.blocks.size(); ++i) {
      line(i == 0 ? head : "}, {");
      const XlaBlock& block = node.blocks[i];
      if (!block.arguments.empty()) {
        std::string arguments;
        for (const XlaId id : block.arguments)
          arguments += (arguments.empty() ? "" : ", ") + text(id) + ": " + type(id);
        line("^bb0(" + arguments + "):");
      }
      body(block);
    }
    line("})" + signature(node));
  }
  void loop(const XlaNode& node) {
    std::string pairs;
    const std::vector<XlaId>& arguments = node.blocks[0].arguments;
    for (std::size_t i = 0; i < arguments.size(); ++i)
      pairs += (i ? ", " : "") + text(arguments[i]) + " = " + text(node.operands[i]);
    line(operands(node.results) + " = stablehlo.while(" + pairs + ") : " + types(node.operands));
    line("cond {");
    body(node.blocks[0]);
    line("} do {");
    body(node.blocks[1]);
    line("}");
  }

  const XlaProgram& program_;
  std::map<XlaId, std::size_t> numbers_;
  std::size_t depth_ = 0;
  std::string out_;
};

}  // namespace

std::string stablehlo_text(const XlaProgram& program) { return StablehloWriter(program).write(); }

Result<Exported, Diagnostic> export_stablehlo(const ExportRequest& request) {
  Module& module = request.module;
  XlaNotation notation(module.context(), "stablehlo", true);
  auto written = write_graph(module, request.function, notation);
  if (!written) return Failure{written.error()};
  return Exported{.text = stablehlo_text(notation.finish(module.top().symbol())),
                  .constants = {},
                  .data = {},
                  .ops = *std::move(written)};
}

}  // namespace mlgc
