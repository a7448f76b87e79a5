// Host tensors: a dtype, a shape and contiguous row-major elements, with value semantics. Copies share their storage
// until one of them is written to, so passing tensors by value costs a reference count. A tensor may also view memory
// that somebody else owns (a mapped file); such storage is never written to, a write copies it first.
//
// Elements of complex tensors are read and written through parts().
//
// Invariants of every tensor: no extent is negative, the byte size fits in int64, and each i1 element is the byte 0
// or 1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/result.h"
#include "tensor/dtype.h"
#include "tensor/float16.h"

namespace mlgc {

using Shape = std::vector<std::int64_t>;

// A larger tensor counts as "not enough memory" without asking the system, which may promise memory it does not have.
inline constexpr std::size_t kMaxTensorBytes = std::size_t{1} << 39;

// "3x4xf32", "f32" for rank 0.
[[nodiscard]] std::string to_string(Dtype dtype, std::span<const std::int64_t> shape);

// Product of the extents (1 for rank 0). Error: a negative extent, or a byte size that does not fit in int64; extents
// of an empty tensor are checked too, as if its zeros were ones, so that no stride can overflow.
[[nodiscard]] Result<std::int64_t> checked_element_count(Dtype dtype, std::span<const std::int64_t> shape);

// The C++ type of an element: bool, int8_t, uint8_t, int16_t, int32_t, int64_t, Half, BFloat16, float, double.
template <class T>
struct DtypeOf;
template <>
struct DtypeOf<bool> : std::integral_constant<Dtype, Dtype::I1> {};
template <>
struct DtypeOf<std::int8_t> : std::integral_constant<Dtype, Dtype::I8> {};
template <>
struct DtypeOf<std::uint8_t> : std::integral_constant<Dtype, Dtype::UI8> {};
template <>
struct DtypeOf<std::int16_t> : std::integral_constant<Dtype, Dtype::I16> {};
template <>
struct DtypeOf<std::int32_t> : std::integral_constant<Dtype, Dtype::I32> {};
template <>
struct DtypeOf<std::int64_t> : std::integral_constant<Dtype, Dtype::I64> {};
template <>
struct DtypeOf<Half> : std::integral_constant<Dtype, Dtype::F16> {};
template <>
struct DtypeOf<BFloat16> : std::integral_constant<Dtype, Dtype::BF16> {};
template <>
struct DtypeOf<float> : std::integral_constant<Dtype, Dtype::F32> {};
template <>
struct DtypeOf<double> : std::integral_constant<Dtype, Dtype::F64> {};
static_assert(sizeof(bool) == 1);

// Calls `visitor.template operator()<T>()` with the element type of `dtype` and returns its result. Complex types have
// none, which is an InternalError.
template <class Visitor>
decltype(auto) visit_dtype(Dtype dtype, Visitor&& visitor) {
  switch (dtype) {
    case Dtype::I1: return visitor.template operator()<bool>();
    case Dtype::I8: return visitor.template operator()<std::int8_t>();
    case Dtype::UI8: return visitor.template operator()<std::uint8_t>();
    case Dtype::I16: return visitor.template operator()<std::int16_t>();
    case Dtype::I32: return visitor.template operator()<std::int32_t>();
    case Dtype::I64: return visitor.template operator()<std::int64_t>();
    case Dtype::F16: return visitor.template operator()<Half>();
    case Dtype::BF16: return visitor.template operator()<BFloat16>();
    case Dtype::F32: return visitor.template operator()<float>();
    case Dtype::F64: return visitor.template operator()<double>();
    case Dtype::C64:
    case Dtype::C128: break;
  }
  throw InternalError("visit_dtype: not a dtype whose elements are numbers");
}

// One element from one type to another, as PyTorch converts on x86-64, defined for every input:
//   to i1       true unless equal to zero (NaN is true)
//   int -> int  keeps the low bits (wraps)
//   float -> i64, ui8        truncates towards zero to 64 bits, then keeps the low bits; NaN and values outside int64
//                            become INT64_MIN before that
//   float -> i8, i16, i32    the same through 32 bits: NaN and values outside int32 become INT32_MIN first
//   int -> float, f64 -> f32 rounds to nearest, ties to even
//   any -> f16, bf16         rounds to f32 first, then to 16 bits
template <class To, class From>
[[nodiscard]] constexpr To convert_element(From value) {
  constexpr bool kFromSmallFloat = std::is_same_v<From, Half> || std::is_same_v<From, BFloat16>;
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (kFromSmallFloat) {
    return convert_element<To>(to_float(value));
  } else if constexpr (std::is_same_v<To, Half>) {
    return to_half(static_cast<float>(value));
  } else if constexpr (std::is_same_v<To, BFloat16>) {
    return to_bfloat16(static_cast<float>(value));
  } else if constexpr (std::is_same_v<To, bool>) {
    return value != From{0};
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    constexpr bool kWide = std::is_same_v<To, std::int64_t> || std::is_same_v<To, std::uint8_t>;
    using Step = std::conditional_t<kWide, std::int64_t, std::int32_t>;
    constexpr double kBound = kWide ? 9223372036854775808.0 : 2147483648.0;
    // The largest magnitude below the lower bound that still truncates into int32 is excluded only for 32 bits.
    const double wide = static_cast<double>(value);
    const bool fits = wide < kBound && (kWide ? wide >= -kBound : wide > -kBound - 1.0);
    const Step step = fits ? static_cast<Step>(wide) : std::numeric_limits<Step>::min();
    return static_cast<To>(step);
  } else {
    return static_cast<To>(value);
  }
}

// clang-tidy loses track of the members of a Result<Tensor> and calls a moved dtype_ uninitialised.
class Tensor {  // NOLINT(clang-analyzer-core.uninitialized.Assign)
 public:
  // An f32 tensor of shape [0].
  Tensor();

  // Zero-filled, from a shape that comes from outside. Error: see checked_element_count(), or too little memory.
  [[nodiscard]] static Result<Tensor> create(Dtype dtype, Shape shape);

  // Zero-filled; the shape is known to be valid, otherwise InternalError.
  [[nodiscard]] static Tensor zeros(Dtype dtype, Shape shape);

  // Every element is `value`, converted as convert_element() says. Same precondition as zeros().
  [[nodiscard]] static Tensor splat(Dtype dtype, Shape shape, double value);
  [[nodiscard]] static Tensor splat_int(Dtype dtype, Shape shape, std::int64_t value);

  // Elements in row-major order; as many as the shape has, otherwise InternalError.
  template <class T>
  [[nodiscard]] static Tensor from_values(const Shape& shape, std::span<const T> values);
  template <class T>
  [[nodiscard]] static Tensor from_values(const Shape& shape, std::initializer_list<T> values) {
    return from_values<T>(shape, std::span<const T>(values.begin(), values.size()));
  }
  template <class T>
  [[nodiscard]] static Tensor scalar(T value) {
    return from_values<T>({}, std::span<const T>(&value, 1));
  }

  // A read-only view of `bytes`, kept alive by `owner`. Copies instead where the address is not aligned for the dtype.
  // Error: an invalid shape, a size that does not fit it, or an i1 byte other than 0 and 1 (with its offset).
  [[nodiscard]] static Result<Tensor> view(Dtype dtype, Shape shape, std::span<const std::byte> bytes,
                                           std::shared_ptr<const void> owner);
  // The same from bytes that are copied.
  [[nodiscard]] static Result<Tensor> from_bytes(Dtype dtype, Shape shape, std::span<const std::byte> bytes);

  [[nodiscard]] Dtype dtype() const { return dtype_; }
  [[nodiscard]] const Shape& shape() const { return shape_; }
  [[nodiscard]] std::size_t rank() const { return shape_.size(); }
  [[nodiscard]] std::int64_t dim(std::size_t i) const { return shape_[i]; }
  [[nodiscard]] std::int64_t size() const { return count_; }  // number of elements
  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] std::size_t byte_size() const { return static_cast<std::size_t>(count_) * dtype_info(dtype_).bytes; }
  [[nodiscard]] Shape strides() const;            // row-major, in elements
  [[nodiscard]] std::string type_string() const;  // "3x4xf32"

  [[nodiscard]] std::span<const std::byte> bytes() const { return {storage_.get(), byte_size()}; }
  // Makes the storage this tensor's own first (a copy where it is shared or borrowed). i1 bytes must stay 0 or 1.
  [[nodiscard]] std::span<std::byte> mutable_bytes();

  // Elements as their C++ type (see DtypeOf); another type than the tensor's is an InternalError.
  template <class T>
  [[nodiscard]] std::span<const T> data() const {
    check_type(DtypeOf<T>::value);
    return {reinterpret_cast<const T*>(storage_.get()), static_cast<std::size_t>(count_)};
  }
  template <class T>
  [[nodiscard]] std::span<T> mutable_data() {
    check_type(DtypeOf<T>::value);
    const std::span<std::byte> own = mutable_bytes();
    return {reinterpret_cast<T*>(own.data()), static_cast<std::size_t>(count_)};
  }

  // Element `i` in row-major order, converted as convert_element() says; an index out of range is an InternalError.
  // Meant for tests and small data: loops over many elements use data<T>() and visit_dtype().
  [[nodiscard]] double get_double(std::int64_t i) const;
  [[nodiscard]] std::int64_t get_int(std::int64_t i) const;
  void set_double(std::int64_t i, double value);
  void set_int(std::int64_t i, std::int64_t value);

  // Shares the storage when nothing changes. To a complex type the parts are converted, and what is real has 0 as its
  // imaginary part; from a complex to a real type is an InternalError.
  [[nodiscard]] Tensor cast(Dtype to) const;
  [[nodiscard]] Tensor to_f64() const { return cast(Dtype::F64); }
  // To the dtype of the reference.
  [[nodiscard]] Tensor to_reference() const { return cast(reference_dtype(dtype_)); }
  // Of a complex tensor: the real and the imaginary parts along a last axis of 2, over the same storage.
  [[nodiscard]] Tensor parts() const;
  // The other way; the last axis must be 2 floats of a part's type, otherwise InternalError.
  [[nodiscard]] Tensor as_complex() const;
  // The same elements under another shape; another number of elements is an InternalError.
  [[nodiscard]] Tensor reshape(Shape shape) const;

  // Same dtype, shape and bytes: NaN equals the same NaN, -0 differs from +0.
  friend bool operator==(const Tensor& a, const Tensor& b);

 private:
  void check_type(Dtype wanted) const {
    if (wanted != dtype_) throw_wrong_type(wanted);
  }
  [[noreturn]] void throw_wrong_type(Dtype wanted) const;
  void check_index(std::int64_t i) const;

  Dtype dtype_ = Dtype::F32;
  bool writable_ = true;  // false where storage_ views memory that is not ours
  Shape shape_{0};
  std::int64_t count_ = 0;
  std::shared_ptr<std::byte> storage_;
};

template <class T>
Tensor Tensor::from_values(const Shape& shape, std::span<const T> values) {
  Tensor result = zeros(DtypeOf<T>::value, shape);
  MLGC_ASSERT(values.size() == static_cast<std::size_t>(result.size()),
              "from_values: " + std::to_string(values.size()) + " values for " + result.type_string());
  if (!values.empty()) std::memcpy(result.mutable_bytes().data(), values.data(), result.byte_size());
  return result;
}

}  // namespace mlgc
