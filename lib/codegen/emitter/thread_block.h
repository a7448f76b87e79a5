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
  // Who runs an iteration of the grid: a block of so many threads, or one of several groups of so many in a block,
  // which are warps or parts of warps; else a thread of so many in a block.
  struct Form {
    bool block_each = false;
    int threads = 0;
    int groups = 1;  // more than 1: a block has so many, each of which runs an iteration of its own
    // Neighbouring threads are of neighbouring groups: the threads of a group are as far apart as there are groups.
    bool across = false;
    // All groups of a block run as often, the last iteration several times if need be: they meet at shuffles and
    // barriers.
    [[nodiscard]] bool runs_alike() const { return groups > 1 && (across || threads < 32); }
  };
  struct Kernel {
    Form form;
    std::unordered_set<ValueId> exchanged;  // buffers that its threads write and read
    std::unordered_set<ValueId> imported;   // scalars from outside that it has
    std::optional<Value> lane;              // the index of the vector loop that is being emitted
    Touched since_barrier;                  // of `exchanged`
    bool combines;                          // it combines values of several warps
    std::int64_t part = 0;                  // in lanes of lanes: how many the inner loop has
  };
  std::optional<Kernel> kernel;  // nothing: code of the host, or of a CPU

  [[nodiscard]] Touched touched(OpRef op) const;
  // A barrier, if what follows needs one.
  void before_touching(const Touched& next);
  // Emits a loop that all threads of the block run, with a barrier before it if it needs one.
  void uniform_loop(OpRef op, const std::function<void()>& emit);
  // Whether all threads of a block compute the same.
  [[nodiscard]] bool is_uniform() const { return kernel && kernel->form.block_each && !kernel->lane; }
  // The number of a thread among those that run an iteration, and that of its group; the statement at which the threads
  // of an iteration wait for each other.
  [[nodiscard]] std::string thread() const;
  [[nodiscard]] std::string group() const;
  [[nodiscard]] std::string barrier_text() const;
  // The condition of the threads that have lanes, in front of another one; empty: all have.
  [[nodiscard]] SourceText condition_of_lanes(std::int64_t lanes) const;
  static bool is_innermost(OpRef loop);
  // Whether the loop holds one round of all threads and nothing else.
  static bool repeats_a_round(ForRef loop);

 private:
  [[nodiscard]] bool meets(const Touched& next) const;
  void barrier();
};

}  // namespace mlgc::codegen
