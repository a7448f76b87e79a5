// What a function is run on, and what lies next to it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "interp/interpret_module.h"
#include "tensor/tensor.h"

namespace mlgc {

struct RunInputs {
  std::string text;  // for messages: `B = 3, plain values`, `the inputs that were given`
  std::vector<Tensor> inputs;
  ModuleData data;
  // The same moved to a neighbour (tensor/neighbour.h) in every float tensor, chosen by `number`.
  [[nodiscard]] RunInputs near(std::uint64_t number) const;
};

}  // namespace mlgc
