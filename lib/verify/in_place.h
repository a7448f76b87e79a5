// Whether buffers of a driver may lie in one memory: shown from the text of the driver and of the kernels that it
// launches, never guessed.
#pragma once

#include <cstddef>
#include <map>
#include <tuple>

#include "analysis/driver_memory.h"
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

// The op at which two buffers in one memory would both hold something; an invalid handle when they never do, or when a
// launch reads the last of one and writes the first of the other, and admits it. Precondition: they are as large and of
// one dtype.
[[nodiscard]] OpRef both_alive(const DriverMemory& memory, Value a, Value b, InPlaceKernels& kernels);

// Whether a run of the op may end the program with an error; of a launch, of what it launches.
[[nodiscard]] bool may_end_program(OpRef op);

// An op that may end the program with an error once the memory of the buffer begins to be written; an invalid handle
// when there is none.
[[nodiscard]] OpRef fails_behind_write(const DriverMemory& memory, Value buffer);

}  // namespace mlgc
