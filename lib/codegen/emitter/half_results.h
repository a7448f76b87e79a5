// Private to lib/codegen: numbers of 32 bits that reach nothing but floats of 16 bits.
//
// What is rounded to 2^-9 or 2^-11 of its size at last needs no function that is exact to 2^-23. A number is such where
// every use computes another such number, or one that is rounded to 16 bits, by functions that have no jumps: a
// comparison, a conversion to an integer or a larger float and memory with other elements see each bit.
#pragma once

#include <unordered_map>

#include "codegen/emitter/private_buffers.h"

namespace mlgc::codegen {

class HalfResults : private EmitterPart {
 public:
  HalfResults(FunctionWriter& writer, PrivateBuffers& own) : EmitterPart(writer), own_(own) {}

  // Of an f32, of a function for a grid.
  [[nodiscard]] bool contains(Value v);
  // Whether a function of f32 has no jumps.
  [[nodiscard]] static bool is_continuous(ScalarFn fn);

 private:
  [[nodiscard]] bool reaches_halves(const Use& use);
  [[nodiscard]] bool goes_through(OpRef scalar, std::size_t operand);
  [[nodiscard]] bool is_kept(ExprId e, std::size_t operand) const;

  PrivateBuffers& own_;
  std::unordered_map<ValueId, bool> known_;
  std::vector<ValueId> assumed_;  // what is said to be so while a question is open, in this order
};

}  // namespace mlgc::codegen
