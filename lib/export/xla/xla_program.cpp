// See xla_program.h.
#include "export/xla/xla_program.h"

#include <algorithm>
#include <set>

#include "support/result.h"

namespace mlgc {
namespace {

// clang-format off
constexpr XlaOpInfo kXlaOps[] = {
    {XlaOp::Abs, "stablehlo.abs", "abs"},
    {XlaOp::Acosh, "chlo.acosh", "acosh"},
    {XlaOp::Add, "stablehlo.add", "add"},
    {XlaOp::And, "stablehlo.and", "and"},
    {XlaOp::Asinh, "chlo.asinh", "asinh"},
    {XlaOp::Atan2, "stablehlo.atan2", "atan2"},
    {XlaOp::Atanh, "chlo.atanh", "atanh"},
    {XlaOp::Ceil, "stablehlo.ceil", "ceil"},
    {XlaOp::Clamp, "stablehlo.clamp", "clamp"},
    {XlaOp::Cosine, "stablehlo.cosine", "cosine"},
    {XlaOp::Cosh, "chlo.cosh", "cosh"},
    {XlaOp::Divide, "stablehlo.divide", "divide"},
    {XlaOp::Erf, "chlo.erf", "erf"},
    {XlaOp::Exponential, "stablehlo.exponential", "exponential"},
    {XlaOp::ExponentialMinusOne, "stablehlo.exponential_minus_one", "exponential-minus-one"},
    {XlaOp::Floor, "stablehlo.floor", "floor"},
    {XlaOp::Log, "stablehlo.log", "log"},
    {XlaOp::LogPlusOne, "stablehlo.log_plus_one", "log-plus-one"},
    {XlaOp::Logistic, "stablehlo.logistic", "logistic"},
    {XlaOp::Maximum, "stablehlo.maximum", "maximum"},
    {XlaOp::Minimum, "stablehlo.minimum", "minimum"},
    {XlaOp::Multiply, "stablehlo.multiply", "multiply"},
    {XlaOp::Negate, "stablehlo.negate", "negate"},
    {XlaOp::Not, "stablehlo.not", "not"},
    {XlaOp::Or, "stablehlo.or", "or"},
    {XlaOp::Power, "stablehlo.power", "power"},
    {XlaOp::Remainder, "stablehlo.remainder", "remainder"},
    {XlaOp::RoundNearestEven, "stablehlo.round_nearest_even", "round-nearest-even"},
    {XlaOp::Rsqrt, "stablehlo.rsqrt", "rsqrt"},
    {XlaOp::ShiftLeft, "stablehlo.shift_left", "shift-left"},
    {XlaOp::ShiftRightArithmetic, "stablehlo.shift_right_arithmetic", "shift-right-arithmetic"},
    {XlaOp::ShiftRightLogical, "stablehlo.shift_right_logical", "shift-right-logical"},
    {XlaOp::Sine, "stablehlo.sine", "sine"},
    {XlaOp::Sinh, "chlo.sinh", "sinh"},
    {XlaOp::Sqrt, "stablehlo.sqrt", "sqrt"},
    {XlaOp::Subtract, "stablehlo.subtract", "subtract"},
    {XlaOp::Tan, "stablehlo.tan", "tan"},
    {XlaOp::Tanh, "stablehlo.tanh", "tanh"},
    {XlaOp::Xor, "stablehlo.xor", "xor"},
    {XlaOp::Digamma, "chlo.digamma", ""},
    {XlaOp::Erfc, "chlo.erfc", ""},
    {XlaOp::ErfInv, "chlo.erf_inv", ""},
    {XlaOp::Lgamma, "chlo.lgamma", ""},
    {XlaOp::Polygamma, "chlo.polygamma", ""},
    {XlaOp::Compare, "stablehlo.compare", "compare"},
    {XlaOp::Convert, "stablehlo.convert", "convert"},
    {XlaOp::Select, "stablehlo.select", "select"},
    {XlaOp::Broadcast, "stablehlo.broadcast_in_dim", "broadcast"},
    {XlaOp::Concatenate, "stablehlo.concatenate", "concatenate"},
    {XlaOp::Constant, "stablehlo.constant", "constant"},
    {XlaOp::DynamicSlice, "stablehlo.dynamic_slice", "dynamic-slice"},
    {XlaOp::DynamicUpdateSlice, "stablehlo.dynamic_update_slice", "dynamic-update-slice"},
    {XlaOp::Iota, "stablehlo.iota", "iota"},
    {XlaOp::Pad, "stablehlo.pad", "pad"},
    {XlaOp::Reshape, "stablehlo.reshape", "reshape"},
    {XlaOp::Reverse, "stablehlo.reverse", "reverse"},
    {XlaOp::Slice, "stablehlo.slice", "slice"},
    {XlaOp::Transpose, "stablehlo.transpose", "transpose"},
    {XlaOp::Convolution, "stablehlo.convolution", "convolution"},
    {XlaOp::Dot, "stablehlo.dot_general", "dot"},
    {XlaOp::Reduce, "stablehlo.reduce", "reduce"},
    {XlaOp::ReduceWindow, "stablehlo.reduce_window", "reduce-window"},
    {XlaOp::Gather, "stablehlo.gather", "gather"},
    {XlaOp::Scatter, "stablehlo.scatter", "scatter"},
    {XlaOp::Sort, "stablehlo.sort", "sort"},
    {XlaOp::If, "stablehlo.if", "conditional"},
    {XlaOp::While, "stablehlo.while", "while"},
};
// clang-format on
constexpr bool in_order() {
  for (std::size_t i = 0; i < std::size(kXlaOps); ++i)
    if (kXlaOps[i].op != static_cast<XlaOp>(i)) return false;
  return true;
}
static_assert(in_order() && std::size(kXlaOps) == static_cast<std::size_t>(XlaOp::While) + 1);

void remove_dead(XlaBlock& block, std::set<XlaId>& read) {
  read.insert(block.results.begin(), block.results.end());
  std::vector<XlaNode> kept;
  for (std::size_t i = block.nodes.size(); i-- > 0;) {
    XlaNode& node = block.nodes[i];
    if (std::ranges::none_of(node.results, [&](XlaId id) { return read.contains(id); })) continue;
    read.insert(node.operands.begin(), node.operands.end());
    for (XlaBlock& inner : node.blocks) remove_dead(inner, read);
    kept.push_back(std::move(node));
  }
  std::ranges::reverse(kept);
  block.nodes = std::move(kept);
}

void capture(const XlaBlock& block, std::set<XlaId>& own, std::vector<XlaId>& found) {
  own.insert(block.arguments.begin(), block.arguments.end());
  const auto note = [&](const std::vector<XlaId>& ids) {
    for (const XlaId id : ids)
      if (!own.contains(id) && std::ranges::find(found, id) == found.end()) found.push_back(id);
  };
  for (const XlaNode& node : block.nodes) {
    note(node.operands);
    for (const XlaBlock& inner : node.blocks) capture(inner, own, found);
    own.insert(node.results.begin(), node.results.end());
  }
  note(block.results);
}

}  // namespace

const XlaOpInfo& xla_op_info(XlaOp op) { return kXlaOps[static_cast<std::size_t>(op)]; }

std::int64_t element_count(const XlaType& type) {
  std::int64_t count = 1;
  for (const std::int64_t dim : type.shape) count *= dim;
  return count;
}

const XlaList& XlaNode::list(std::string_view name) const {
  for (const auto& [key, values] : lists)
    if (key == name) return values;
  throw InternalError("xla: the operation has no list " + std::string(name));
}

void remove_dead_nodes(XlaBlock& block) {
  std::set<XlaId> read;
  remove_dead(block, read);
}

std::vector<XlaId> captured_values(const XlaBlock& block) {
  std::set<XlaId> own;
  std::vector<XlaId> found;
  capture(block, own, found);
  return found;
}

std::string nested_elements(const XlaType& type, char open, char close,
                            const std::function<std::string(std::int64_t)>& element) {
  std::int64_t next = 0;
  const auto write = [&](auto&& self, std::size_t axis) -> std::string {
    if (axis == type.shape.size()) return element(next++);
    std::string out(1, open);
    for (std::int64_t i = 0; i < type.shape[axis]; ++i) out += (i == 0 ? "" : ", ") + self(self, axis + 1);
    return out + close;
  };
  return write(write, 0);
}

}  // namespace mlgc
