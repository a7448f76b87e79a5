// Tensors of an exported program: views of storages, and where those come from.
//
// Guarantees
//   - Nothing in a file is trusted: what a view reaches is checked against the bytes of its storage, and what a strided
//     view may expand to is bounded by them.
//   - Weights are views of the storage where they are contiguous, copies otherwise.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diag/diagnostic.h"
#include "support/bytes.h"
#include "tensor/tensor.h"

namespace mlgc::program {

struct WeightView {
  std::string storage;  // equal for tied weights
  Dtype dtype = Dtype::F32;
  Shape shape;
  std::vector<std::int64_t> strides;  // in elements
  std::int64_t offset = 0;            // in elements
  // Two that are equal are one tensor.
  friend auto operator<=>(const WeightView&, const WeightView&) = default;
};

class WeightSource {
 public:
  WeightSource() = default;
  WeightSource(const WeightSource&) = delete;
  WeightSource& operator=(const WeightSource&) = delete;
  virtual ~WeightSource() = default;

  // By fully qualified name; null when there is none. The view lives as long as the source. Constants have names of
  // their own.
  [[nodiscard]] virtual const WeightView* find_weight(std::string_view name) const = 0;
  [[nodiscard]] virtual const WeightView* find_constant(std::string_view name) const = 0;
  // All bytes of the storage; none for a tensor of which only the shape was saved. Nothing after a diagnostic.
  [[nodiscard]] virtual std::optional<SharedBytes> storage(const WeightView& weight,
                                                           DiagnosticEngine& engine) const = 0;
  // Where a diagnostic about the file as a whole points.
  [[nodiscard]] virtual Location location() const = 0;

 protected:
  WeightSource(WeightSource&&) = default;
  WeightSource& operator=(WeightSource&&) = default;
};

// The elements, contiguous. Nothing and no diagnostic: the source holds the shape only. `name` is for messages.
struct LoadedWeight {
  std::optional<Tensor> tensor;
  bool failed = false;
};
[[nodiscard]] LoadedWeight load_weight(const WeightSource& source, const WeightView& weight, std::string_view name,
                                       DiagnosticEngine& engine);

}  // namespace mlgc::program
