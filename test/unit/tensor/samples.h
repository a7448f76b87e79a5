// Tensors of every dtype and awkward shape, for round trips.
#pragma once

#include <vector>

#include "tensor/npz.h"
#include "tensor/random.h"

inline std::vector<mlgc::NamedTensor> sample_tensors(bool with_bf16) {
  using mlgc::Dtype;
  std::vector<mlgc::NamedTensor> samples;
  for (std::size_t d = 0; d < mlgc::kDtypeCount; ++d) {
    const auto dtype = static_cast<Dtype>(d);
    if (dtype == Dtype::BF16 && !with_bf16) continue;
    for (const mlgc::Shape& shape : {mlgc::Shape{}, mlgc::Shape{3}, mlgc::Shape{2, 0, 4}, mlgc::Shape{2, 3, 5}}) {
      mlgc::Tensor tensor = mlgc::Tensor::zeros(dtype, shape);
      if (mlgc::is_complex(dtype)) mlgc::fill_random(tensor, d);
      for (std::int64_t i = 0; i < tensor.size() && !mlgc::is_complex(dtype); ++i)
        tensor.set_double(i, static_cast<double>(i % 7) * 1.25 - 2);
      samples.emplace_back(mlgc::to_string(dtype, shape), std::move(tensor));
    }
  }
  return samples;
}
