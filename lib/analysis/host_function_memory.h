// The live ranges of the buffers of a host function, in program points: one for each of its ops, in the order of the
// text.
//
// Guarantees
//   - A buffer lives from the first op that touches it to the last; what stands in a loop or an arm counts as touched
//   by
//     all ops of that loop or arm, unless the buffer is allocated there.
//   - Results and new states live to the end; a state that is written over holds its old value from the start on.
#pragma once

#include <cstddef>
#include <optional>
#include <unordered_map>
#include <vector>

#include "ir/module.h"

namespace mlgc {

struct Life {
  std::size_t first = 0, last = 0;  // both included
};

class HostFunctionMemory {
 public:
  explicit HostFunctionMemory(OpRef host_function);

  [[nodiscard]] std::size_t step_count() const { return ops_.size(); }
  [[nodiscard]] OpRef op_at(std::size_t step) const { return ops_[step]; }
  // The op and everything in its regions.
  [[nodiscard]] Life steps_of(OpRef op) const { return spans_.at(op.id()); }
  // Nothing: no op touches the buffer, which is an argument, `data` or an `alloc`.
  [[nodiscard]] std::optional<Life> life_of(Value buffer) const;
  // What lies in one memory, for each memory that several buffers lie in: the one that it is called after comes first.
  // A state that is written in place is its new value's memory.
  [[nodiscard]] std::vector<std::vector<Value>> shared() const;

 private:
  std::vector<OpRef> ops_;                          // by step
  std::vector<bool> is_result_;                     // of arguments
  std::unordered_map<ValueId, Value> overwritten_;  // states that are written in place, with their new values
  std::unordered_map<OpId, Life> spans_;
};

}  // namespace mlgc
