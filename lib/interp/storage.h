// Tensors while a program is interpreted: floats as double, everything else as int64.
#pragma once

#include <cstdint>
#include <vector>

#include "tensor/float16.h"
#include "tensor/tensor.h"

namespace mlgc {

struct Storage {
  bool real = false;
  Dtype dtype = Dtype::F32;
  std::vector<std::int64_t> shape, strides;
  std::vector<double> reals;
  std::vector<std::int64_t> integers;
  [[nodiscard]] std::int64_t count() const;
};

[[nodiscard]] std::vector<std::int64_t> row_major_strides(const std::vector<std::int64_t>& shape);
[[nodiscard]] Storage to_storage(const Tensor& tensor);
// Converted as convert_element() says.
[[nodiscard]] Tensor to_tensor(const Storage& storage, Dtype dtype);

// What a value becomes when it is stored as this dtype and read again.
[[nodiscard]] std::int64_t wrap_to(Dtype dtype, std::int64_t value);
[[nodiscard]] std::int64_t real_to_integer(Dtype dtype, double value);

}  // namespace mlgc
