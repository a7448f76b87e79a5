// Private to lib/codegen: loops of lanes in a kernel, of which each thread of a block takes iterations.
#pragma once

#include <string>
#include <vector>

#include "codegen/emitter/carried_values.h"
#include "codegen/emitter/early_tests.h"
#include "codegen/emitter/piece_accesses.h"
#include "codegen/emitter/piece_runs.h"
#include "codegen/emitter/private_buffers.h"
#include "codegen/emitter/scalar_emitter.h"
#include "codegen/emitter/thread_block.h"

namespace mlgc::codegen {

class FunctionEmitter;

class ThreadLoops : private EmitterPart {
 public:
  ThreadLoops(FunctionWriter& writer, IndexEmitter& indices, ScalarEmitter& scalars, PrivateBuffers& own,
              EarlyTests& tests, PieceRuns& runs, PieceAccesses& pieces, ThreadBlock& block, CarriedValues& carried,
              FunctionEmitter& function)
      : EmitterPart(writer),
        indices_(indices),
        scalars_(scalars),
        own_(own),
        tests_(tests),
        runs_(runs),
        pieces_(pieces),
        block_(block),
        carried_(carried),
        function_(function) {}

  // The threads of the block take the iterations in turns, and combine what they carried.
  void loop(ForRef loop);

 private:
  void lanes_of_lanes_loop(ForRef loop, ForRef inner);
  SourceText open_pieces(ForRef loop, const std::string& type, const SourceText& first, const SourceText& begin,
                         const SourceText& end);
  void piece_loop(ForRef loop);
  SourceText all_of_piece_run(ForRef loop, const SourceText& first, const SourceText& from,
                              const SourceText& ends_in_time, const SourceText& round);
  [[nodiscard]] bool is_within_warp() const;
  void combine_threads(ForRef loop, const std::vector<SourceText>& carried);
  SourceText combined(ForRef loop, std::size_t i, const SourceText& own);

  IndexEmitter& indices_;
  ScalarEmitter& scalars_;
  PrivateBuffers& own_;
  EarlyTests& tests_;
  PieceRuns& runs_;
  PieceAccesses& pieces_;
  ThreadBlock& block_;
  CarriedValues& carried_;
  FunctionEmitter& function_;
};

}  // namespace mlgc::codegen
