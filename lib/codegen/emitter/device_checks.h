// Private to lib/codegen: checks of elements in a host function that a kernel makes, so that the host need not wait.
//
// Kernels are right by their own text. Only what the host function itself does with elements may rely on its checks, so
// a check stays with the host where it does something with elements afterwards.
#pragma once

#include <vector>

#include "codegen/emitter/function_writer.h"
#include "codegen/emitter/thread_block.h"

namespace mlgc::codegen {

class DeviceChecks : private EmitterPart {
 public:
  DeviceChecks(FunctionWriter& writer, const ThreadBlock& block) : EmitterPart(writer), block_(block) {}

  // Whether a kernel makes this check of the host function that is being emitted.
  [[nodiscard]] bool contains(OpRef op) const;
  // Whether the value is computed for such checks alone.
  [[nodiscard]] bool is_operand(OpRef op) const;
  // What the check is computed from, in order: ops of the same region. Nothing where there are others.
  [[nodiscard]] std::vector<OpRef> computed_for(OpRef check) const;

 private:
  [[nodiscard]] bool is_in_host_function() const {
    return writer_.grid != nullptr && writer_.tables != nullptr && !block_.kernel;
  }

  const ThreadBlock& block_;
};

}  // namespace mlgc::codegen
