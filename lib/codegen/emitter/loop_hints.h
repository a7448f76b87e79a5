// Private to lib/codegen: what compilers are told of the loops of a sum in registers.
#pragma once

#include <utility>
#include <vector>

#include "analysis/loop_access.h"
#include "codegen/emitter/lane_scope.h"
#include "codegen/emitter/register_buffers.h"

namespace mlgc::codegen {

class LoopHints : private EmitterPart {
 public:
  LoopHints(FunctionWriter& writer, LaneScope& lanes, RegisterBuffers& registers)
      : EmitterPart(writer), lanes_(lanes), registers_(registers) {}

  // How many iterations of a loop over the few taps of a window are written out; 0 where compilers decide.
  std::int64_t taps_of(ForRef loop);
  // Names buffers anew whose elements iterations of the sum read again, as in a convolution, whose windows overlap.
  // Returns the names that they had.
  std::vector<std::pair<ValueId, ValueText>> name_anew(ForRef loop);

 private:
  bool meet_in_sum(LoopAccess& shown, ForRef innermost, OpRef a, OpRef b);

  LaneScope& lanes_;
  RegisterBuffers& registers_;
};

}  // namespace mlgc::codegen
