// A program over Python's values, as the interpreter runs it, whatever file it comes from.
//
// Values are numbers below `values.size()`. A block is in the order in which it runs; nodes hold blocks of their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tensor/dtype.h"
#include "tensor/tensor.h"

namespace mlgc::python {

struct Constant {
  enum class Kind : std::uint8_t {
    None,
    Bool,
    Int,
    Float,
    String,
    Device,
    Tensor,  // of the program's list
    Object,  // likewise
    List,
    Tuple,  // a member of an enum is the pair of its name and value
    Dict,   // items are keys and values in turn
    Other
  };
  Kind kind = Kind::None;
  std::int64_t integer = 0;  // of Bool 0 or 1; of Tensor and Object a number
  double real = 0;
  std::string text;  // of String and Device; of Other the type
  std::vector<Constant> items = {};
};

// A view of a storage, in the elements' own strides. Equal storages have equal addresses.
struct TensorData {
  std::optional<Dtype> dtype;  // nothing: of a kind that there is none of here,
  std::string dtype_name;      // which this says: `element type ComplexHalf`
  Shape sizes;
  std::vector<std::int64_t> strides;
  std::int64_t offset = 0;             // in elements
  std::span<const std::byte> storage;  // without an address where it is empty
};

struct Attribute {
  std::string name;
  Constant value;
};
struct ObjectData {
  std::vector<Attribute> attributes;
};

struct Node;
struct Block {
  std::vector<std::uint32_t> inputs, outputs;
  std::vector<Node> nodes;
};
struct Node {
  std::string kind;  // `prim::If`, `aten::add.Tensor`; of an operator the full name
  std::string name;  // of the attribute that GetAttr and SetAttr speak of; else empty
  std::vector<std::uint32_t> inputs, outputs;
  std::vector<Block> blocks;
  std::optional<Constant> constant;  // of prim::Constant
  std::string stack;                 // as Python prints a traceback, outermost call first
  std::string module;                // path of the module whose code it is; may be empty
  std::string line;                  // its line of source, without blanks around; may be empty
};

struct ProgramValue {
  std::string name;  // without %
  std::string type;
};

// A parameter of `forward` after `self`.
struct Input {
  struct Traced {
    Dtype dtype;
    Shape sizes;
  };
  std::string name, type;
  std::optional<Constant> default_value;  // nothing: it must be given
  std::optional<Traced> traced;           // what tracing recorded of it
};

// Object 0 is the module; the first input of the body is it, the others are `inputs`.
struct Program {
  Block body;
  std::vector<ProgramValue> values;
  std::vector<Input> inputs;
  std::vector<ObjectData> objects;
  std::vector<TensorData> tensors;
  std::shared_ptr<const void> owner;  // of the storages
};

}  // namespace mlgc::python
