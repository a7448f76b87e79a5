// Conversions between host tensors and the interpreter's numbers.
#include "interp/storage.h"

namespace mlgc {

std::int64_t Storage::count() const {
  std::int64_t n = 1;
  for (const std::int64_t d : shape) n *= d;
  return n;
}

std::vector<std::int64_t> row_major_strides(const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (std::size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

Storage to_storage(const Tensor& tensor) {
  Storage s;
  s.dtype = tensor.dtype();
  s.real = is_float(s.dtype);
  s.shape = tensor.shape();
  s.strides = row_major_strides(s.shape);
  visit_dtype(s.dtype, [&]<class T>() {
    const auto data = tensor.data<T>();
    if (s.real) {
      s.reals.resize(data.size());
      for (std::size_t i = 0; i < data.size(); ++i) s.reals[i] = convert_element<double>(data[i]);
    } else {
      s.integers.resize(data.size());
      for (std::size_t i = 0; i < data.size(); ++i) s.integers[i] = convert_element<std::int64_t>(data[i]);
    }
  });
  return s;
}

Tensor to_tensor(const Storage& storage, Dtype dtype) {
  Tensor t = Tensor::zeros(dtype, storage.shape);
  visit_dtype(dtype, [&]<class T>() {
    auto data = t.mutable_data<T>();
    for (std::size_t i = 0; i < data.size(); ++i)
      data[i] = storage.real ? convert_element<T>(storage.reals[i]) : convert_element<T>(storage.integers[i]);
  });
  return t;
}

std::int64_t wrap_to(Dtype dtype, std::int64_t value) {
  switch (dtype) {
    case Dtype::I1: return value != 0;
    case Dtype::I8: return static_cast<std::int8_t>(value);
    case Dtype::UI8: return static_cast<std::uint8_t>(value);
    case Dtype::I16: return static_cast<std::int16_t>(value);
    case Dtype::I32: return static_cast<std::int32_t>(value);
    default: return value;
  }
}

std::int64_t real_to_integer(Dtype dtype, double value) {
  switch (dtype) {
    case Dtype::I1: return value != 0;
    case Dtype::I8: return convert_element<std::int8_t>(value);
    case Dtype::UI8: return convert_element<std::uint8_t>(value);
    case Dtype::I16: return convert_element<std::int16_t>(value);
    case Dtype::I32: return convert_element<std::int32_t>(value);
    default: return convert_element<std::int64_t>(value);
  }
}

}  // namespace mlgc
