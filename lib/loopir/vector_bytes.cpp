// See vector_bytes.h.
#include "loopir/vector_bytes.h"

#include <string>

namespace mlgc {

std::int64_t vector_bytes(const Module& module) {
  const auto stated = module.context().attributes().as_string(module.top().attr("vector_bytes"));
  return stated == "16" ? 16 : stated == "32" ? 32 : 64;
}
bool states_vector_bytes(const Module& module) { return module.top().attr("vector_bytes").valid(); }
void set_vector_bytes(Module& module, std::int64_t bytes) {
  module.top().set_attr("vector_bytes", module.context().attributes().string(std::to_string(bytes)));
}

}  // namespace mlgc
