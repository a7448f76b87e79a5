// A program in the operations that StableHLO and HLO share: values with constant shapes, operations on them, blocks.
// XlaBuilder makes it; stablehlo.cpp and hlo.cpp print it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tensor/dtype.h"

namespace mlgc {

enum class XlaOp : std::uint8_t {
  // Elementwise, all operands of one type.
  Abs,
  Acosh,
  Add,
  And,
  Asinh,
  Atan2,
  Atanh,
  Ceil,
  Clamp,
  Cosine,
  Cosh,
  Divide,
  Erf,
  Exponential,
  ExponentialMinusOne,
  Floor,
  Log,
  LogPlusOne,
  Logistic,
  Maximum,
  Minimum,
  Multiply,
  Negate,
  Not,
  Or,
  Power,
  Remainder,
  RoundNearestEven,
  Rsqrt,
  ShiftLeft,
  ShiftRightArithmetic,
  ShiftRightLogical,
  Sine,
  Sinh,
  Sqrt,
  Subtract,
  Tan,
  Tanh,
  Xor,
  // Of CHLO alone; HLO has none of them.
  Digamma,
  Erfc,
  ErfInv,
  Lgamma,
  Polygamma,
  // Elementwise, of several types.
  Compare,  // word: LT, LE, EQ, NE, GT, GE
  Convert,
  Select,
  // Shapes. Lists are named as attributes of StableHLO are.
  Broadcast,    // dimensions
  Concatenate,  // dimensions: one
  Constant,
  DynamicSlice,  // sizes
  DynamicUpdateSlice,
  Iota,  // dimensions: one
  Pad,   // low, high, interior
  Reshape,
  Reverse,  // dimensions
  Slice,    // start, limit, strides
  Transpose,
  // Contractions and windows.
  Convolution,   // strides, low, high, base_dilations, window_dilations, groups; axes are [batch, features, spatial..]
  Dot,           // lhs_batch, rhs_batch, lhs_contracting, rhs_contracting
  Reduce,        // dimensions; a block of scalars, as the next ones have
  ReduceWindow,  // window, strides, low, high, window_dilations
  Gather,        // offset, collapsed, start_map, slice_sizes; index vectors lie along the last axis
  Scatter,       // of single elements; index vectors likewise
  Sort,          // dimensions: one
  // Control flow: blocks see the values around them.
  If,     // two blocks without arguments
  While,  // condition and body, which share their arguments
};

struct XlaOpInfo {
  XlaOp op;
  std::string_view stablehlo;  // with its dialect
  std::string_view hlo;        // empty: none
};
[[nodiscard]] const XlaOpInfo& xla_op_info(XlaOp op);

struct XlaType {
  Dtype dtype = Dtype::F32;
  std::vector<std::int64_t> shape;
  friend bool operator==(const XlaType&, const XlaType&) = default;
};
[[nodiscard]] std::int64_t element_count(const XlaType& type);

using XlaId = std::size_t;  // the number of a value in its program
using XlaList = std::vector<std::int64_t>;
using XlaLists = std::vector<std::pair<std::string_view, XlaList>>;

struct XlaNode;
struct XlaBlock {
  std::vector<XlaId> arguments = {};
  std::vector<XlaNode> nodes = {};
  std::vector<XlaId> results = {};
};

struct XlaNode {
  XlaOp op = XlaOp::Add;
  std::vector<XlaId> operands = {}, results = {};
  XlaLists lists = {};
  std::string_view word = {};
  std::string bytes = {};  // of a constant: its elements, little-endian
  bool splat = false;      // `bytes` is one element that stands for all
  std::vector<XlaBlock> blocks = {};

  // Precondition: it is there.
  [[nodiscard]] const XlaList& list(std::string_view name) const;
};

struct XlaValue {
  XlaType type;
  std::string name;  // unique, and a name in both notations; empty: the printer numbers it
};

struct XlaInput {
  XlaId value;
  std::string name;  // in mlgc, with @ of weights and states
};
struct XlaOutput {
  XlaId value;
  std::string name;  // with @ of states and weights and % of arguments that have new values
};

struct XlaProgram {
  std::string name;
  std::deque<XlaValue> values;  // references to them stay valid
  std::vector<XlaInput> inputs;
  std::vector<XlaOutput> outputs;
  XlaBlock main;

  [[nodiscard]] const XlaType& type(XlaId id) const { return values[id].type; }
  [[nodiscard]] const XlaType& type(const XlaNode& node) const { return type(node.results[0]); }
};

// Takes out what nothing reads.
void remove_dead_nodes(XlaBlock& block);
// What a block reads of the values around it, in the order of first use.
[[nodiscard]] std::vector<XlaId> captured_values(const XlaBlock& block);

// The elements of a constant, nested in `open` and `close`; a number is written by `element`.
[[nodiscard]] std::string nested_elements(const XlaType& type, char open, char close,
                                          const std::function<std::string(std::int64_t)>& element);

// The text of a program. A large constant is hexadecimal in the first.
[[nodiscard]] std::string stablehlo_text(const XlaProgram& program);
[[nodiscard]] std::string hlo_text(const XlaProgram& program);

}  // namespace mlgc
