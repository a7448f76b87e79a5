// From views of storages to contiguous tensors; see weights.h.
#include "import/program/weights.h"

#include <cstring>
#include <utility>

#include "diag/kinds_import.h"

namespace mlgc::program {

namespace {

// A view may repeat elements (stride 0, overlapping windows), but not without limit.
constexpr std::int64_t kMaxExpansion = 64;

bool contiguous(const WeightView& weight) {
  std::int64_t expected = 1;
  for (std::size_t i = weight.shape.size(); i-- > 0;) {
    if (weight.shape[i] != 1 && weight.strides[i] != expected) return false;
    expected *= weight.shape[i];
  }
  return true;
}

// Elements of the storage that a non-empty weight reaches: one more than its largest index; nothing when that leaves 64
// bits.
std::optional<std::int64_t> reach(const WeightView& weight) {
  std::int64_t last = weight.offset;
  for (std::size_t i = 0; i < weight.shape.size(); ++i) {
    std::int64_t step = 0;
    if (__builtin_mul_overflow(weight.shape[i] - 1, weight.strides[i], &step) ||
        __builtin_add_overflow(last, step, &last))
      return std::nullopt;
  }
  std::int64_t count = 0;
  if (__builtin_add_overflow(last, 1, &count)) return std::nullopt;
  return count;
}

void gather_strided(const WeightView& weight, std::span<const std::byte> storage, std::span<std::byte> out) {
  const std::size_t width = dtype_info(weight.dtype).bytes;
  const std::size_t rank = weight.shape.size();
  std::vector<std::int64_t> index(rank, 0);
  std::vector<std::int64_t> strides = weight.strides;
  for (std::size_t axis = 0; axis < rank; ++axis)
    if (weight.shape[axis] == 1) strides[axis] = 0;  // never stepped along, so reach() does not bound it
  std::int64_t at = weight.offset;
  for (std::size_t byte = 0; byte < out.size(); byte += width) {
    std::memcpy(out.data() + byte, storage.data() + static_cast<std::size_t>(at) * width, width);
    for (std::size_t axis = rank; axis-- > 0;) {
      at += strides[axis];
      if (++index[axis] < weight.shape[axis]) break;
      at -= strides[axis] * weight.shape[axis];
      index[axis] = 0;
    }
  }
}

}  // namespace

LoadedWeight load_weight(const WeightSource& source, const WeightView& weight, std::string_view name,
                         DiagnosticEngine& engine) {
  const Location at = source.location();
  const auto fail = [&](Diagnostic diagnostic) {
    engine.emit(std::move(diagnostic));
    return LoadedWeight{std::nullopt, true};
  };
  if (weight.strides.size() != weight.shape.size())
    return fail(diagnose<kWeightRanks>(at, name, weight.shape.size(), weight.strides.size()));
  if (weight.offset < 0) return fail(diagnose<kWeightNegative>(at, name, "offset", weight.offset));
  for (std::size_t i = 0; i < weight.strides.size(); ++i)
    if (weight.strides[i] < 0)
      return fail(diagnose<kWeightNegative>(at, name, "stride of axis " + std::to_string(i), weight.strides[i]));
  const Result<std::int64_t> count = checked_element_count(weight.dtype, weight.shape);
  if (!count) return fail(diagnose<kWeightData>(at, name, count.error()));
  const std::optional<SharedBytes> bytes = source.storage(weight, engine);
  if (!bytes) return {std::nullopt, true};
  if (*count > 0 && bytes->size() == 0) return {};
  const std::size_t width = dtype_info(weight.dtype).bytes;
  const std::int64_t stored = static_cast<std::int64_t>(bytes->size() / width);
  if (*count > 0) {
    const std::optional<std::int64_t> reached = reach(weight);
    if (!reached || *reached > stored) return fail(diagnose<kWeightBeyond>(at, name, bytes->size(), weight.storage));
  }
  const auto result = [&](Result<Tensor> tensor) {
    if (!tensor) return fail(diagnose<kWeightData>(at, name, tensor.error()));
    return LoadedWeight{std::move(tensor).value(), false};
  };
  if (*count == 0) return result(Tensor::create(weight.dtype, weight.shape));
  if (contiguous(weight)) {
    const std::size_t begin = static_cast<std::size_t>(weight.offset) * width;
    return result(Tensor::view(weight.dtype, weight.shape,
                               bytes->bytes.subspan(begin, static_cast<std::size_t>(*count) * width), bytes->owner));
  }
  if (*count / kMaxExpansion > stored) return fail(diagnose<kWeightExpanded>(at, name, *count, kMaxExpansion));
  std::vector<std::byte> elements(static_cast<std::size_t>(*count) * width);
  gather_strided(weight, bytes->bytes, elements);
  return result(Tensor::from_bytes(weight.dtype, weight.shape, elements));
}

}  // namespace mlgc::program
