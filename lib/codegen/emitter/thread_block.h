// Private to lib/codegen: the kernel of a grid that is being emitted, and where its barriers stand.
//
// All threads of a block compute what is outside of vector loops, and the first one writes it; a barrier stands where
// threads meet what others of the block did since the last one.
#pragma once

#include <functional>
#include <optional>
#include <unordered_set>

#include "codegen/emitter/function_writer.h"

namespace mlgc::codegen {

class ThreadBlock : private EmitterPart {
 public:
  explicit ThreadBlock(FunctionWriter& writer) : EmitterPart(writer) {}

  // Buffers that threads read and write.
  struct Touched {
    std::unordered_set<ValueId> reads, writes;
    void add(const Touched& other);
  };
  struct Kernel {
    bool block_each;                        // a block runs an iteration; else one thread does
    int threads;                            // of a block
    std::unordered_set<ValueId> exchanged;  // buffers that its threads write and read
    std::unordered_set<ValueId> imported;   // scalars from outside that it has
    std::optional<Value> lane;              // the index of the vector loop that is being emitted
    Touched since_barrier;                  // of `exchanged`
  };
  std::optional<Kernel> kernel;  // nothing: code of the host, or of a CPU

  [[nodiscard]] Touched touched(OpRef op) const;
  // A barrier, if what follows needs one.
  void before_touching(const Touched& next);
  // Emits a loop that all threads of the block run, with a barrier before it if it needs one.
  void uniform_loop(OpRef op, const std::function<void()>& emit);
  // Whether all threads of a block compute the same.
  [[nodiscard]] bool is_uniform() const { return kernel && kernel->block_each && !kernel->lane; }
  static bool is_innermost(OpRef loop);

 private:
  [[nodiscard]] bool meets(const Touched& next) const;
  void barrier();
};

}  // namespace mlgc::codegen
