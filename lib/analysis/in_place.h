// Whether buffers of a host function may lie in one memory: shown from the text of the host function and of the kernels
// that it launches, never guessed.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "analysis/host_function_memory.h"
#include "ir/function_facts.h"
#include "ir/module.h"

namespace mlgc {

// Kernels that may be launched with one memory for an argument that they read and one that they write. Remembers what
// it was asked.
class InPlaceKernels {
 public:
  // Every element of argument `read` that the kernel reads, it reads before it writes the same one of `written`, and no
  // two iterations of a loop over both, in whatever order they run, touch one element. Both are row-major, of one
  // dtype.
  [[nodiscard]] bool admits(OpRef kernel, std::size_t read, std::size_t written);
  // The launch admits that `reads`, which it does not write, is the same memory as `writes`, which it does: for every
  // pair of arguments that are these buffers.
  [[nodiscard]] bool admits(OpRef launch, Value reads, Value writes);

 private:
  std::map<std::tuple<OpId, std::size_t, std::size_t>, bool> known_;
};

// A buffer and its live range.
struct LiveBuffer {
  Value buffer;
  Life life;
};

// The op at which the live ranges of two buffers in one memory overlap. An invalid handle when they do not, or when a
// launch reads the last of one and writes the first of the other, and admits it. Precondition: they are as large and of
// one dtype.
[[nodiscard]] OpRef both_alive(const HostFunctionMemory& memory, LiveBuffer a, LiveBuffer b, InPlaceKernels& kernels);

struct Overlap {
  Value a, b;
  OpRef at;
};
// Of buffers in one memory, each whose live range overlaps that of another one, with the one that is live longest;
// empty when none do. In time n log n.
[[nodiscard]] std::vector<Overlap> overlaps(const HostFunctionMemory& memory, std::span<const Value> in_one_memory,
                                            InPlaceKernels& kernels);

// Whether ops may abort the program with an error. Caches the answer for each callee.
class ProgramEnds {
 public:
  // The op with all in it, and what it launches.
  [[nodiscard]] bool may_end(OpRef op);

 private:
  [[nodiscard]] bool own(OpRef op);
  std::unordered_map<OpId, bool> known_;  // by callee
};

// What new states of a host function need to be written over the old ones.
class StateWrites {
 public:
  explicit StateWrites(const HostFunctionMemory& memory);
  // An op that may abort the program with an error once the memory of the new value begins to be written; an invalid
  // handle when there is none.
  [[nodiscard]] OpRef fails_behind(Value new_state) const;
  // The op of that step or of a later one that may abort the program; an invalid handle when there is none.
  [[nodiscard]] OpRef fails_from(std::size_t step) const;

 private:
  const HostFunctionMemory& memory_;
  std::vector<std::size_t> next_failing_;           // by step: that step or the next one that may abort the program
  std::unordered_map<ValueId, std::size_t> first_;  // write, of memory that several buffers lie in
};

}  // namespace mlgc
