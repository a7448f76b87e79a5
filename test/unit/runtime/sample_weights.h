// The weights of the hand-written unit (sample_unit.cpp).
#pragma once

#include <cstdint>

#include "tensor/npz.h"

inline mlgc::NamedTensors sample_weights() {
  using mlgc::Tensor;
  return {{"w", Tensor::from_values<float>({4}, {1, 2, 3, 4})},
          {"calls", Tensor::scalar<std::int64_t>(10)},
          {"total", Tensor::from_values<float>({4}, {0, 0, 0, 100})}};
}
