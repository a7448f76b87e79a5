// Private to lib/codegen: loops that are functions of their own. Parallel loops, and loop nests beside a register tile.
#pragma once

#include <unordered_map>
#include <vector>

#include "codegen/emitter/access_emitter.h"

namespace mlgc::codegen {

class FunctionEmitter;

class Outliner : private EmitterPart {
 public:
  Outliner(FunctionWriter& writer, LaneScope& lanes, IndexEmitter& indices, RegisterBuffers& registers,
           AccessEmitter& accesses, FunctionEmitter& function)
      : EmitterPart(writer),
        lanes_(lanes),
        indices_(indices),
        registers_(registers),
        accesses_(accesses),
        function_(function) {}

  // A function over a range of iterations, which the runtime calls.
  void parallel_loop(ForRef loop);
  [[nodiscard]] bool outlines_nest(ForRef loop);
  void nest(ForRef loop);

 private:
  [[nodiscard]] bool names_registers_around(OpRef op) const;
  [[nodiscard]] std::vector<TypedName> variables_around(OpRef op) const;

  LaneScope& lanes_;
  IndexEmitter& indices_;
  RegisterBuffers& registers_;
  AccessEmitter& accesses_;
  FunctionEmitter& function_;
  bool in_nest_ = false;                     // a nest is being emitted as a function of its own
  OpRef parallel_loop_;                      // whose body is being emitted
  std::unordered_map<OpId, bool> has_tile_;  // whether a function has a register tile
  std::size_t nests_ = 0;
};

}  // namespace mlgc::codegen
