// Private to lib/codegen: scratch of a kernel whose elements one thread each touches. It is in the registers of
// threads.
//
// A buffer is such where every access is to the index of the vector loop around it, and these loops have the same
// constant bounds, lanes and iterations at a time: then an element belongs to one thread, at one place of its array.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "codegen/emitter/function_writer.h"

namespace mlgc::codegen {

// Which iterations of a vector loop a thread runs, where bounds are constant.
struct ThreadIterations {
  std::int64_t first = 0, last = 0, lanes = 0, per_lane = 0;
  std::optional<IndexExpr> skew;  // over values
  [[nodiscard]] std::int64_t rounds() const {
    const std::int64_t before = skew ? per_lane - 1 : 0;  // at most
    return (last - first + before + lanes * per_lane - 1) / (lanes * per_lane);
  }
  friend bool operator==(const ThreadIterations&, const ThreadIterations&) = default;
};
// The words of registers that a thread keeps of so many elements.
[[nodiscard]] std::int64_t words_of_thread(const ThreadIterations& iterations, Dtype dtype);

// Of a vector loop that holds another one and nothing else, neither of which carries anything: that one. Both together
// are threads of a block.
[[nodiscard]] ForRef lanes_of_lanes(ForRef loop);

class PrivateBuffers : private EmitterPart {
 public:
  explicit PrivateBuffers(FunctionWriter& writer) : EmitterPart(writer) {}

  // Whether the `alloc`ed buffer is in registers.
  [[nodiscard]] bool contains(Value buffer);
  // Declares the array of a thread.
  void allocate(OpRef alloc);
  [[nodiscard]] std::optional<ThreadIterations> iterations_of(ForRef vector_loop) const;
  // Whether a vector loop accesses such a buffer.
  [[nodiscard]] bool are_in(ForRef vector_loop);
  // Where the thread is in the loop that is being emitted.
  void enter(const SourceText& round, const SourceText& neighbour) { round_ = round, neighbour_ = neighbour; }
  // The element that the op accesses; nothing where it accesses memory.
  [[nodiscard]] std::optional<SourceText> element(OpRef access);

 private:
  [[nodiscard]] std::optional<ThreadIterations> owners_of(Value buffer);
  [[nodiscard]] std::optional<ThreadIterations> find_owners(Value buffer) const;

  SourceText round_, neighbour_;
  std::unordered_map<ValueId, std::optional<ThreadIterations>> owners_;
};

}  // namespace mlgc::codegen
