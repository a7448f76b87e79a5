// Private to lib/codegen: how the iterations of a nest are distributed over the threads of blocks. It follows from the
// lanes of its loops, from what they touch, and from whether their scratch fits in shared memory.
#pragma once

#include <cstdint>
#include <span>

#include "codegen/emitter/private_buffers.h"
#include "codegen/emitter/thread_block.h"

namespace mlgc::codegen {

class GridForms : private EmitterPart {
 public:
  GridForms(FunctionWriter& writer, PrivateBuffers& own) : EmitterPart(writer), own_(own) {}

  // Of a nest of parallel loops that stand alone inside of each other, of which `row` is the innermost.
  [[nodiscard]] ThreadBlock::Form of_nest(OpRef nest, OpRef row);
  // Of ops that one block runs.
  [[nodiscard]] ThreadBlock::Form of_one_block(std::span<const OpRef> ops);
  // Whether so many bytes of scratch, which the ops share, fit in shared memory wherever the ops run.
  [[nodiscard]] static bool fits_on_chip(std::span<const OpRef> ops, std::int64_t bytes);

 private:
  [[nodiscard]] bool scratch_is_small(std::span<const OpRef> ops, int groups);
  [[nodiscard]] bool may_run_alike(OpRef row);
  [[nodiscard]] bool runs_as_often(ForRef loop);
  [[nodiscard]] bool reads_across(OpRef row);

  PrivateBuffers& own_;
};

}  // namespace mlgc::codegen
