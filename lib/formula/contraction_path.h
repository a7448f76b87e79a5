// In which order the factors of a contraction are multiplied, two at a time.
//
// Guarantees
//   - A path is proposed only where its counted cost is below that of one nest over all index labels.
//   - Up to kMostExactFactors factors it is the best one there is by that count; of more it is found pair by pair.
//   - It follows from index labels and extents alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace mlgc {

inline constexpr std::size_t kMostExactFactors = 8;
inline constexpr std::size_t kMostContractionLabels = 52;  // as many as an equation can name

// result[r…] = sum(product of factors[f][…]) over the index labels that the result lacks. Labels are numbers below
// kMostContractionLabels; a factor may have one twice (a diagonal).
struct Contraction {
  std::vector<std::vector<std::size_t>> factors;
  std::vector<std::size_t> result;
  std::vector<double> extents;  // of each label
};

struct ContractionStep {
  std::size_t first = 0, second = 0;  // factors of the contraction, or what step i gives: number of factors + i
  std::vector<std::size_t> result;    // labels of what it gives, in their order
};

// Each factor and what each step but the last one gives is used once. Nothing where one nest costs no more.
[[nodiscard]] std::optional<std::vector<ContractionStep>> contraction_path(const Contraction& contraction);

}  // namespace mlgc
