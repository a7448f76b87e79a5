// Private to lib/codegen: buffers of the scope `register`, whose elements are variables.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "codegen/emitter/lane_scope.h"
#include "codegen/emitter/thread_block.h"

namespace mlgc::codegen {

class RegisterBuffers : private EmitterPart {
 public:
  RegisterBuffers(FunctionWriter& writer, LaneScope& lanes, ThreadBlock& block)
      : EmitterPart(writer), lanes_(lanes), block_(block) {}

  [[nodiscard]] bool contains(Value buffer) const { return buffers_.contains(buffer.id()); }
  [[nodiscard]] int lanes_of(Value buffer) const { return buffers_.at(buffer.id()).lanes; }
  void allocate(OpRef op, const SourceText& name);
  // The variable that the op accesses; nothing for a buffer in memory.
  std::optional<SourceText> variable(OpRef op, Value buffer);

  // Names of single elements are exchanged while code is emitted. Vectors are transposed by a statement, as late as it
  // can stand: before the first access, or before an op that holds one and may run more or less than once.
  void transpose_in_place(TransposeInPlaceRef op);
  void write_transpositions_before(OpRef op);
  void leave(RegionRef r);

 private:
  // One variable for each constant subscript, in row-major order.
  struct Buffer {
    int lanes = 1;  // of each
    std::optional<std::size_t> vector_axis;
    std::vector<std::int64_t> sizes;   // of each axis; 1 of the vector axis
    std::vector<SourceText> elements;  // vectors, where there is an axis of them
    bool swapped = false;              // the text's axes are those of the variables in the other order
  };
  [[nodiscard]] bool has_lanes_along(Value buffer, std::size_t axis, std::int64_t lanes) const;
  void write_transposition(Value buffer);

  LaneScope& lanes_;
  ThreadBlock& block_;
  std::unordered_map<ValueId, Buffer> buffers_;
  std::vector<Value> waiting_;  // for a transposition
};

}  // namespace mlgc::codegen
