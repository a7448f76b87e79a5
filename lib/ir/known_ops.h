// The ops that code speaks of one by one; of all others it knows what their rows say. A row states its own
// (`.loop_op = LoopOp::Load`), so that a name is written once, and a question about an op that no row has does not
// compile.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mlgc {

// Ops of loop text. Code below the graph decides by a `switch` over all of them, without `default`: a new one is what
// the compiler then asks for.
enum class LoopOp : std::uint8_t {
  // Any other row: a scalar from scalars, by its formula. A row that is no such function is refused where loop text is
  // read or printed.
  Scalar,
  // Functions and control flow, as in the graph.
  Func,
  Return,
  If,
  While,
  Condition,
  Yield,
  // Loops and elements.
  For,
  Alloc,
  Dealloc,
  BufferView,
  Load,
  Store,
  TransposeInPlace,
  Guard,
  Apply,
  Literal,
  Fma,
  Bits,
  Check,
  // Host functions.
  Data,
  BindSize,
  Launch,
  External,
};
inline constexpr std::size_t kLoopOpCount = static_cast<std::size_t>(LoopOp::External) + 1;

// Ops of the graph that passes, lowering and gradients speak of.
enum class GraphOp : std::uint8_t {
  Other,
  // What a module is made of, and control flow.
  Module,
  Func,
  Return,
  Weight,
  State,
  Read,
  Call,
  Yield,
  If,
  While,
  Condition,
  For,
  Scan,
  // Ops with formulas in their regions, and groups of ops.
  Compute,
  Fusion,
  Segment,
  TorchCall,
  OptimizationBarrier,
  // Values and sizes.
  Constant,
  Dim,
  Range,
  Nonzero,
  // Rows that lowering, fusion, a gradient or a view treats by name.
  Add,
  Cat,
  Mul,
  Cast,
  Sigmoid,
  Softmax,
  Permute,
  Transpose,
  Cummax,
  Cummin,
  Sort,
  Topk,
};
inline constexpr std::size_t kGraphOpCount = static_cast<std::size_t>(GraphOp::Topk) + 1;

}  // namespace mlgc
