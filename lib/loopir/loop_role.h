// What an op of loop text does, in few words: steps of schedules and plans ask it of each op that stands where they
// work, so that a new op is met by what it does and not by its name.
#pragma once

#include <cstdint>

#include "ir/module.h"

namespace mlgc {

enum class LoopRole : std::uint8_t {
  Computes,   // a scalar from scalars, sizes and elements of buffers
  Stores,     // elements
  Tests,      // may abort the program, and does nothing else
  Allocates,  // memory
  Names,      // memory that is there already
  Frees,      // memory, of which nothing is touched any more
  Repeats,    // its region, or runs one of two
  Ends,       // a region
  Runs,       // another function, or what a target computes
  Sizes,      // says what a size is
  Function,
};

[[nodiscard]] LoopRole loop_role(LoopOp op);
[[nodiscard]] inline LoopRole loop_role(OpRef op) { return loop_role(op.loop_op()); }

// The op makes a buffer and runs nothing where it stands.
[[nodiscard]] bool makes_buffer(OpRef op);
// The op, without what stands in its regions, leaves memory and program as they are: it computes, repeats or ends.
[[nodiscard]] bool only_computes(OpRef op);

}  // namespace mlgc
