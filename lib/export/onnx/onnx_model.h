// An ONNX model, as far as an export needs one (onnx.proto of ONNX 1.16, IR version 10).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tensor/tensor.h"

namespace mlgc {

struct OnnxGraph;

struct OnnxAttribute {
  std::string name;
  std::variant<std::int64_t, float, std::string, std::vector<std::int64_t>, std::vector<float>,
               std::shared_ptr<OnnxGraph>>
      value;
};

struct OnnxNode {
  std::string op_type;
  std::vector<std::string> inputs;  // an empty name: absent
  std::vector<std::string> outputs;
  std::vector<OnnxAttribute> attributes = {};
};

// A dim is a number, or a name where it depends on sizes.
using OnnxDim = std::variant<std::int64_t, std::string>;

struct OnnxValueInfo {
  std::string name;
  Dtype dtype = Dtype::F32;
  std::vector<OnnxDim> dims;
};

struct OnnxGraph {
  std::string name;
  std::vector<OnnxValueInfo> inputs, outputs;
  std::vector<std::pair<std::string, Tensor>> initializers;
  std::vector<OnnxNode> nodes;
};

struct OnnxModel {
  std::int64_t ir_version = 10, opset = 20;
  OnnxGraph graph;
};

// `TensorProto.DataType`.
[[nodiscard]] std::int64_t onnx_dtype(Dtype dtype);
// Tensors in another file (`external_data`), each from a multiple of 4096 bytes on.
struct OnnxDataFile {
  std::string name;  // relative to the model's folder
  std::string bytes = {};
};

// The file: a ModelProto in the wire format of protocol buffers, which have at most 2 GiB. Equal models give equal
// bytes. With a data file, tensors of at least 1024 bytes stand in it.
[[nodiscard]] std::string onnx_bytes(const OnnxModel& model, OnnxDataFile* data = nullptr);
// The syntax that onnx.parser reads (onnx/docs/Syntax.md).
[[nodiscard]] std::string onnx_text(const OnnxModel& model);

}  // namespace mlgc
