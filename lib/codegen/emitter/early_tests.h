// Private to lib/codegen: places that the data say (`checked`), tested before the accesses that use them.
//
// A test that ends the thread keeps later loads from starting: compilers do not move a load before it. So a thread of a
// grid tests the places of several iterations first, and then accesses them all. Of neighbouring iterations it computes
// and tests once what is the same for all.
#pragma once

#include <span>
#include <unordered_set>
#include <vector>

#include "codegen/emitter/function_writer.h"
#include "codegen/emitter/private_buffers.h"

namespace mlgc::codegen {

class EarlyTests : private EmitterPart {
 public:
  EarlyTests(FunctionWriter& writer, PrivateBuffers& own) : EmitterPart(writer), own_(own) {}

  // Axes of the buffer of which loops and guards do not say that the subscript lies inside.
  [[nodiscard]] std::vector<std::size_t> axes_to_test(OpRef access, Value buffer);
  // Whether a value is the same in all iterations of the loop: it is made outside, or by ops of the body that read
  // nothing else.
  [[nodiscard]] bool is_same(Value v, ForRef loop);
  // Whether neighbours differ in no subscript that is tested.
  [[nodiscard]] bool is_tested_once(OpRef access, ForRef loop);
  // Ops of the body that subscripts are computed from and that are the same in all iterations, in order.
  [[nodiscard]] std::vector<OpRef> same_in_all(ForRef loop);
  // Checked accesses of the body that is_tested_once().
  [[nodiscard]] std::vector<OpRef> tested_once(ForRef loop);
  // Other checked accesses of the body, whose places its ops compute without reading what the loop writes or carries.
  [[nodiscard]] std::vector<OpRef> testable(ForRef loop);
  // The ops that compute the places of these accesses, in order.
  [[nodiscard]] std::vector<OpRef> computed_for(std::span<const OpRef> accesses, ForRef loop);

  // What has been computed, and accesses whose places have been tested, until this is forgotten.
  void note_computed(std::span<const OpRef> ops) { add(computed_, ops); }
  void note_tested(std::span<const OpRef> accesses) { add(tested_, accesses); }
  void forget(std::span<const OpRef> ops);
  [[nodiscard]] bool is_computed(OpRef op) const { return computed_.contains(op.id()); }
  [[nodiscard]] bool is_tested(OpRef access) const { return tested_.contains(access.id()); }

 private:
  [[nodiscard]] bool is_in_memory(OpRef load, ForRef loop);
  [[nodiscard]] bool is_repeatable(OpRef op, ForRef loop);
  [[nodiscard]] bool collect(OpRef op, ForRef loop, std::unordered_set<OpId>& needed);

  static void add(std::unordered_set<OpId>& to, std::span<const OpRef> ops);

  PrivateBuffers& own_;
  std::unordered_set<OpId> computed_, tested_;
};

}  // namespace mlgc::codegen
