// See run_inputs.h.
#include "execution/run_inputs.h"

#include "tensor/neighbour.h"

namespace mlgc {

RunInputs RunInputs::near(std::uint64_t number) const {
  RunInputs out{text, {}, {}};
  for (const Tensor& tensor : inputs) out.inputs.push_back(neighbour(tensor, number));
  for (const auto& [name, tensor] : data) out.data.emplace(name, neighbour(tensor, number));
  return out;
}

}  // namespace mlgc
