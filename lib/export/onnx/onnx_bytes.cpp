// See onnx_model.h. Wire format: protobuf.dev/programming-guides/encoding; field numbers: onnx/onnx.proto.
#include <bit>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "export/onnx/onnx_model.h"

namespace mlgc {
namespace {

// A message while it is written. Payloads of tensors are referred to until the whole is there: copied once, not once
// for each message that they are nested in.
class Message {
 public:
  void number(int field, std::int64_t value) {
    tag(field, 0);
    varint(static_cast<std::uint64_t>(value));
  }
  void real(int field, float value) {
    tag(field, 5);
    little_endian(std::bit_cast<std::uint32_t>(value));
  }
  void text(int field, std::string_view value) {
    tag(field, 2);
    varint(value.size());
    bytes_ += value;
  }
  // `value` outlives the message.
  void payload(int field, std::string_view value) {
    tag(field, 2);
    varint(value.size());
    refer(value);
  }
  void message(int field, const Message& value) {
    tag(field, 2);
    varint(value.size());
    for (const Piece& piece : value.pieces_) {
      bytes_ += piece.bytes;
      refer(piece.payload);
    }
    bytes_ += value.bytes_;
  }
  // Packed.
  void numbers(int field, const std::vector<std::int64_t>& values) {
    if (values.empty()) return;
    Message packed;
    for (const std::int64_t value : values) packed.varint(static_cast<std::uint64_t>(value));
    message(field, packed);
  }
  void reals(int field, const std::vector<float>& values) {
    if (values.empty()) return;
    Message packed;
    for (const float value : values) packed.little_endian(std::bit_cast<std::uint32_t>(value));
    message(field, packed);
  }
  [[nodiscard]] std::string text() const {
    std::string out;
    out.reserve(size());
    for (const Piece& piece : pieces_) (out += piece.bytes) += piece.payload;
    return out += bytes_;
  }

 private:
  struct Piece {
    std::string bytes;
    std::string_view payload;  // after the bytes
  };

  [[nodiscard]] std::size_t size() const {
    std::size_t size = bytes_.size();
    for (const Piece& piece : pieces_) size += piece.bytes.size() + piece.payload.size();
    return size;
  }
  void refer(std::string_view payload) { pieces_.push_back({std::exchange(bytes_, {}), payload}); }
  void tag(int field, unsigned wire_type) { varint((static_cast<std::uint64_t>(field) << 3U) | wire_type); }
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7U) bytes_ += static_cast<char>((value & 0x7FU) | 0x80U);
    bytes_ += static_cast<char>(value);
  }
  void little_endian(std::uint32_t bits) {
    for (int i = 0; i < 4; ++i, bits >>= 8U) bytes_ += static_cast<char>(bits & 0xFFU);
  }

  std::vector<Piece> pieces_;
  std::string bytes_;  // after the pieces
};

constexpr std::size_t kDataAlignment = 4096, kLeastExternal = 1024;

Message entry_message(std::string_view key, std::string_view value) {
  Message out;
  out.text(1, key);
  out.text(2, value);
  return out;
}

Message tensor_message(const std::string& name, const Tensor& tensor, OnnxDataFile* data) {
  Message out;
  out.numbers(1, {tensor.shape().begin(), tensor.shape().end()});  // dims
  out.number(2, onnx_dtype(tensor.dtype()));                       // data_type
  out.text(8, name);
  const std::span<const std::byte> bytes = tensor.bytes();
  const std::string_view text{reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  if (data == nullptr || text.size() < kLeastExternal) {
    out.payload(9, text);  // raw_data, little-endian
    return out;
  }
  data->bytes.resize((data->bytes.size() + kDataAlignment - 1) / kDataAlignment * kDataAlignment);
  out.message(13, entry_message("location", data->name));  // external_data
  out.message(13, entry_message("offset", std::to_string(data->bytes.size())));
  out.message(13, entry_message("length", std::to_string(text.size())));
  out.number(14, 1);  // data_location: EXTERNAL
  data->bytes += text;
  return out;
}

Message value_message(const OnnxValueInfo& value) {
  Message shape;
  for (const OnnxDim& dim : value.dims) {
    Message one;
    if (const auto* number = std::get_if<std::int64_t>(&dim))
      one.number(1, *number);  // dim_value
    else
      one.text(2, std::get<std::string>(dim));  // dim_param
    shape.message(1, one);
  }
  Message tensor, type, out;
  tensor.number(1, onnx_dtype(value.dtype));  // elem_type
  tensor.message(2, shape);
  type.message(1, tensor);  // tensor_type
  out.text(1, value.name);
  out.message(2, type);
  return out;
}

Message graph_message(const OnnxGraph& graph, OnnxDataFile* data);

Message attribute_message(const OnnxAttribute& attribute) {
  Message out;
  out.text(1, attribute.name);
  const auto type = [&](std::int64_t kind) { out.number(20, kind); };
  std::visit(
      [&](const auto& value) {
        using Value = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<Value, float>) {
          out.real(2, value);
          type(1);
        } else if constexpr (std::is_same_v<Value, std::int64_t>) {
          out.number(3, value);
          type(2);
        } else if constexpr (std::is_same_v<Value, std::string>) {
          out.text(4, value);
          type(3);
        } else if constexpr (std::is_same_v<Value, std::shared_ptr<OnnxGraph>>) {
          out.message(6, graph_message(*value, nullptr));
          type(5);
        } else if constexpr (std::is_same_v<Value, std::vector<float>>) {
          out.reals(7, value);
          type(6);
        } else {
          out.numbers(8, value);
          type(7);
        }
      },
      attribute.value);
  return out;
}

Message node_message(const OnnxNode& node) {
  Message out;
  for (const std::string& input : node.inputs) out.text(1, input);
  for (const std::string& output : node.outputs) out.text(2, output);
  if (!node.outputs.empty()) out.text(3, node.outputs[0]);  // name
  out.text(4, node.op_type);
  for (const OnnxAttribute& attribute : node.attributes) out.message(5, attribute_message(attribute));
  return out;
}

Message graph_message(const OnnxGraph& graph, OnnxDataFile* data) {
  Message out;
  for (const OnnxNode& node : graph.nodes) out.message(1, node_message(node));
  out.text(2, graph.name);
  for (const auto& [name, tensor] : graph.initializers) out.message(5, tensor_message(name, tensor, data));
  for (const OnnxValueInfo& input : graph.inputs) out.message(11, value_message(input));
  for (const OnnxValueInfo& output : graph.outputs) out.message(12, value_message(output));
  return out;
}

}  // namespace

std::int64_t onnx_dtype(Dtype dtype) {
  switch (dtype) {
    case Dtype::F32: return 1;
    case Dtype::UI8: return 2;
    case Dtype::I8: return 3;
    case Dtype::I16: return 5;
    case Dtype::I32: return 6;
    case Dtype::I64: return 7;
    case Dtype::I1: return 9;
    case Dtype::F16: return 10;
    case Dtype::F64: return 11;
    case Dtype::C64: return 14;
    case Dtype::C128: return 15;
    case Dtype::BF16: return 16;
  }
  return 0;
}

std::string onnx_bytes(const OnnxModel& model, OnnxDataFile* data) {
  static_assert(std::endian::native == std::endian::little, "raw_data is little-endian");
  Message opset, out;
  opset.text(1, "");
  opset.number(2, model.opset);
  out.number(1, model.ir_version);
  out.text(2, "mlgc");  // producer_name
  out.message(7, graph_message(model.graph, data));
  out.message(8, opset);
  return out.text();
}

}  // namespace mlgc
