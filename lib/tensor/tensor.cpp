// Storage and conversions of host tensors.
#include "tensor/tensor.h"

#include <algorithm>
#include <cstdlib>

#include "tensor/too_large.h"

namespace mlgc {
namespace {

// Storage starts on a cache line, so that vector loads of a whole tensor never straddle one at the start.
constexpr std::size_t kAlignment = 64;

// Zeroed storage, or null when there is not enough memory. Large blocks come from calloc, whose pages cost nothing
// until they are touched.
std::shared_ptr<std::byte> allocate(std::size_t bytes) {
  if (bytes > kMaxTensorBytes) return nullptr;
  void* block = std::calloc(1, bytes + kAlignment);
  if (block == nullptr) return nullptr;
  std::shared_ptr<void> owner(block, std::free);
  std::size_t space = bytes + kAlignment;
  void* aligned = block;
  std::align(kAlignment, bytes, aligned, space);
  return {owner, static_cast<std::byte*>(aligned)};
}

std::int64_t valid_count(Dtype dtype, const Shape& shape) {
  const Result<std::int64_t> count = checked_element_count(dtype, shape);
  MLGC_ASSERT(count.ok(), count.error());
  return *count;
}

}  // namespace

std::string to_string(Dtype dtype, std::span<const std::int64_t> shape) {
  std::string text;
  for (const std::int64_t extent : shape) text += std::to_string(extent) + "x";
  return text += dtype_info(dtype).name;
}

Result<std::int64_t> checked_element_count(Dtype dtype, std::span<const std::int64_t> shape) {
  auto bytes = static_cast<std::int64_t>(dtype_info(dtype).bytes);
  bool empty = false;
  for (const std::int64_t extent : shape) {
    if (extent < 0)
      return Failure{"shape " + to_string(dtype, shape) + " has the negative extent " + std::to_string(extent)};
    empty = empty || extent == 0;
    if (extent != 0 && __builtin_mul_overflow(bytes, extent, &bytes))
      return Failure{"shape " + to_string(dtype, shape) + " has more bytes than 2^63 - 1"};
  }
  return empty ? 0 : bytes / static_cast<std::int64_t>(dtype_info(dtype).bytes);
}

Tensor::Tensor() : storage_(allocate(0)) { MLGC_ASSERT(storage_ != nullptr, "out of memory"); }

Result<Tensor> Tensor::create(Dtype dtype, Shape shape) {
  const Result<std::int64_t> count = checked_element_count(dtype, shape);
  if (!count) return Failure{count.error()};
  Tensor result;
  result.dtype_ = dtype;
  result.shape_ = std::move(shape);
  result.count_ = *count;
  result.storage_ = allocate(result.byte_size());
  if (result.storage_ == nullptr)
    return Failure{"not enough memory for a tensor of type " + result.type_string() + " (" +
                   std::to_string(result.byte_size()) + " bytes)"};
  return result;
}

Tensor Tensor::zeros(Dtype dtype, Shape shape) {
  Result<Tensor> result = create(dtype, std::move(shape));
  if (!result) throw TensorTooLarge(result.error());
  return std::move(result).value();
}

Tensor Tensor::splat(Dtype dtype, Shape shape, double value) {
  Tensor result = zeros(dtype, std::move(shape));
  visit_dtype(dtype, [&]<class T>() { std::ranges::fill(result.mutable_data<T>(), convert_element<T>(value)); });
  return result;
}

Tensor Tensor::splat_int(Dtype dtype, Shape shape, std::int64_t value) {
  Tensor result = zeros(dtype, std::move(shape));
  visit_dtype(dtype, [&]<class T>() { std::ranges::fill(result.mutable_data<T>(), convert_element<T>(value)); });
  return result;
}

Result<Tensor> Tensor::view(Dtype dtype, Shape shape, std::span<const std::byte> bytes,
                            std::shared_ptr<const void> owner) {
  const Result<std::int64_t> count = checked_element_count(dtype, shape);
  if (!count) return Failure{count.error()};
  const std::size_t element = dtype_info(dtype).bytes;
  if (bytes.size() != static_cast<std::size_t>(*count) * element)
    return Failure{to_string(dtype, shape) + " needs " + std::to_string(static_cast<std::size_t>(*count) * element) +
                   " bytes, got " + std::to_string(bytes.size())};
  if (dtype == Dtype::I1) {
    const auto bad = std::ranges::find_if(bytes, [](std::byte b) { return b > std::byte{1}; });
    if (bad != bytes.end())
      return Failure{"element " + std::to_string(bad - bytes.begin()) + " of " + to_string(dtype, shape) +
                     " is the byte " + std::to_string(std::to_integer<int>(*bad)) + ", expected 0 or 1"};
  }
  if (bytes.empty() || owner == nullptr || reinterpret_cast<std::uintptr_t>(bytes.data()) % element != 0) {
    Result<Tensor> copy = create(dtype, std::move(shape));
    if (copy && !bytes.empty()) std::memcpy(copy->storage_.get(), bytes.data(), bytes.size());
    return copy;
  }
  Tensor result;
  result.dtype_ = dtype;
  result.shape_ = std::move(shape);
  result.count_ = *count;
  result.writable_ = false;
  // Never written through: mutable_bytes() copies first because writable_ is false.
  result.storage_ =
      std::shared_ptr<std::byte>(std::const_pointer_cast<void>(std::move(owner)), const_cast<std::byte*>(bytes.data()));
  return result;
}

Result<Tensor> Tensor::from_bytes(Dtype dtype, Shape shape, std::span<const std::byte> bytes) {
  return view(dtype, std::move(shape), bytes, nullptr);
}

Shape Tensor::strides() const {
  Shape result(shape_.size());
  std::int64_t stride = 1;
  for (std::size_t i = shape_.size(); i-- > 0; stride *= std::max<std::int64_t>(shape_[i], 1)) result[i] = stride;
  return result;
}

std::string Tensor::type_string() const { return to_string(dtype_, shape_); }

std::span<std::byte> Tensor::mutable_bytes() {
  if (!writable_ || storage_.use_count() != 1) {
    std::shared_ptr<std::byte> own = allocate(byte_size());
    MLGC_ASSERT(own != nullptr, "out of memory while copying " + type_string());
    if (count_ != 0) std::memcpy(own.get(), storage_.get(), byte_size());
    storage_ = std::move(own);
    writable_ = true;
  }
  return {storage_.get(), byte_size()};
}

double Tensor::get_double(std::int64_t i) const {
  check_index(i);
  return visit_dtype(dtype_,
                     [&]<class T>() { return convert_element<double>(data<T>()[static_cast<std::size_t>(i)]); });
}

std::int64_t Tensor::get_int(std::int64_t i) const {
  check_index(i);
  return visit_dtype(dtype_,
                     [&]<class T>() { return convert_element<std::int64_t>(data<T>()[static_cast<std::size_t>(i)]); });
}

void Tensor::set_double(std::int64_t i, double value) {
  check_index(i);
  visit_dtype(dtype_, [&]<class T>() { mutable_data<T>()[static_cast<std::size_t>(i)] = convert_element<T>(value); });
}

void Tensor::set_int(std::int64_t i, std::int64_t value) {
  check_index(i);
  visit_dtype(dtype_, [&]<class T>() { mutable_data<T>()[static_cast<std::size_t>(i)] = convert_element<T>(value); });
}

Tensor Tensor::cast(Dtype to) const {
  if (to == dtype_) return *this;
  if (is_complex(dtype_)) {
    MLGC_ASSERT(is_complex(to), "a complex tensor is cast to a real type");
    return parts().cast(part_dtype(to)).as_complex();
  }
  if (is_complex(to)) {
    const Tensor real = cast(part_dtype(to));
    const std::size_t width = dtype_info(real.dtype()).bytes;
    Tensor result = zeros(to, shape_);
    const std::span<std::byte> bytes = result.mutable_bytes();
    for (std::size_t i = 0; i < static_cast<std::size_t>(count_); ++i)
      std::memcpy(&bytes[2 * width * i], &real.bytes()[width * i], width);
    return result;
  }
  Tensor result = zeros(to, shape_);
  visit_dtype(dtype_, [&]<class From>() {
    visit_dtype(to, [&]<class To>() {
      std::ranges::transform(data<From>(), result.mutable_data<To>().begin(),
                             [](From value) { return convert_element<To>(value); });
    });
  });
  return result;
}

Tensor Tensor::parts() const {
  MLGC_ASSERT(is_complex(dtype_), "the parts of a tensor of type " + type_string());
  Tensor result = *this;
  result.dtype_ = part_dtype(dtype_);
  result.shape_.push_back(2);
  result.count_ *= 2;
  return result;
}

Tensor Tensor::as_complex() const {
  MLGC_ASSERT(!shape_.empty() && shape_.back() == 2 && (dtype_ == Dtype::F32 || dtype_ == Dtype::F64),
              "a tensor of type " + type_string() + " taken for the parts of a complex one");
  Tensor result = *this;
  result.dtype_ = dtype_ == Dtype::F32 ? Dtype::C64 : Dtype::C128;
  result.shape_.pop_back();
  result.count_ /= 2;
  return result;
}

Tensor Tensor::reshape(Shape shape) const {
  const std::int64_t count = valid_count(dtype_, shape);
  MLGC_ASSERT(count == count_, "reshape of " + type_string() + " to " + to_string(dtype_, shape));
  Tensor result = *this;
  result.shape_ = std::move(shape);
  return result;
}

bool operator==(const Tensor& a, const Tensor& b) {
  return a.dtype_ == b.dtype_ && a.shape_ == b.shape_ &&
         (a.count_ == 0 || std::memcmp(a.storage_.get(), b.storage_.get(), a.byte_size()) == 0);
}

void Tensor::throw_wrong_type(Dtype wanted) const {
  throw InternalError("elements of a tensor of type " + type_string() + " were asked for as " +
                      std::string(dtype_info(wanted).name));
}

void Tensor::check_index(std::int64_t i) const {
  MLGC_ASSERT(i >= 0 && i < count_, "element " + std::to_string(i) + " of a tensor of type " + type_string());
}

}  // namespace mlgc
