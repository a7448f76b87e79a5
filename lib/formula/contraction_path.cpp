// See contraction_path.h.
#include "formula/contraction_path.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "support/result.h"

namespace mlgc {

namespace {

// In multiply-adds of a product whose factors are in registers: what an element takes that a product reads or writes
// in memory, and what a kernel takes besides.
constexpr double kMemoryElementCost = 8;
constexpr double kKernelCost = 2048;

using Labels = std::uint64_t;

class PathSearch {
 public:
  explicit PathSearch(const Contraction& contraction) : contraction_(contraction) {
    for (const std::size_t label : contraction.result) result_ |= Labels{1} << label;
    for (std::size_t f = 0; f < contraction.factors.size(); ++f) {
      Labels all = 0, others = result_;
      for (const std::size_t label : contraction.factors[f]) all |= Labels{1} << label;
      for (std::size_t g = 0; g < contraction.factors.size(); ++g)
        if (g != f)
          for (const std::size_t label : contraction.factors[g]) others |= Labels{1} << label;
      all_.push_back(all);
      live_.push_back({f, all & others, contraction.factors[f]});
    }
  }

  std::optional<std::vector<ContractionStep>> run() {
    const std::size_t count = all_.size();
    if (count < 3) return std::nullopt;
    const double cost = count <= kMostExactFactors ? exact() : greedy();
    return cost < whole() ? std::optional(steps_) : std::nullopt;
  }

 private:
  // A factor of what is still to be multiplied.
  struct Live {
    std::size_t number = 0;  // of the contraction's factor, or after those of the step
    Labels labels = 0;       // that the result or another factor has
    std::vector<std::size_t> order;
  };

  [[nodiscard]] double size(Labels labels) const {
    double out = 1;
    for (std::size_t i = 0; i < contraction_.extents.size(); ++i)
      if ((labels >> i & 1U) != 0) out *= contraction_.extents[i];
    return out;
  }
  // Of all factors in one nest.
  [[nodiscard]] double whole() const {
    Labels labels = result_;
    double elements = size(result_);
    for (const Labels factor : all_) labels |= factor, elements += size(factor);
    return static_cast<double>(all_.size() - 1) * size(labels) + kMemoryElementCost * elements + kKernelCost;
  }
  [[nodiscard]] double pair(Labels a, Labels b, Labels to) const {
    return size(a | b) + kMemoryElementCost * (size(a) + size(b) + size(to)) + kKernelCost;
  }

  // The best tree over every subset of the factors.
  double exact() {
    const std::size_t count = all_.size(), subsets = std::size_t{1} << count;
    std::vector<Labels> within(subsets, 0), kept(subsets, 0);
    for (std::size_t s = 1; s < subsets; ++s)
      for (std::size_t f = 0; f < count; ++f)
        if ((s >> f & 1U) != 0) within[s] |= live_[f].labels;
    std::vector<double> costs(subsets, std::numeric_limits<double>::infinity());
    std::vector<std::size_t> halves(subsets, 0);
    for (std::size_t s = 1; s < subsets; ++s) {
      kept[s] = within[s] & (result_ | within[subsets - 1 - s]);
      if ((s & (s - 1)) == 0) {
        costs[s] = 0;
        continue;
      }
      // The half with the first factor of the subset; equal costs leave what was found first.
      for (std::size_t half = (s - 1) & s; half != 0; half = (half - 1) & s) {
        if ((half & (s & (~s + 1))) == 0) continue;
        const double cost = costs[half] + costs[s ^ half] + pair(kept[half], kept[s ^ half], kept[s]);
        if (cost < costs[s]) costs[s] = cost, halves[s] = half;
      }
    }
    (void)take(subsets - 1, halves);
    return costs[subsets - 1];
  }
  // The number of the subset's product once its steps are there.
  std::size_t take(std::size_t subset, const std::vector<std::size_t>& halves) {
    if ((subset & (subset - 1)) == 0) return static_cast<std::size_t>(std::countr_zero(subset));
    const std::size_t a = take(halves[subset], halves), b = take(subset ^ halves[subset], halves);
    const auto at = [&](std::size_t number) {
      const auto found =
          std::find_if(live_.begin(), live_.end(), [&](const Live& live) { return live.number == number; });
      MLGC_ASSERT(found != live_.end(), "a factor is used once");
      return static_cast<std::size_t>(found - live_.begin());
    };
    return join(at(a), at(b));
  }

  // The cheapest pair each time.
  double greedy() {
    double total = 0;
    while (live_.size() > 1) {
      double best = std::numeric_limits<double>::infinity();
      std::size_t first = 0, second = 1;
      for (std::size_t i = 0; i < live_.size(); ++i)
        for (std::size_t j = i + 1; j < live_.size(); ++j) {
          const double cost = pair(live_[i].labels, live_[j].labels, labels_of(i, j, labels_of_others(i, j)));
          if (cost < best) best = cost, first = i, second = j;
        }
      total += best;
      (void)join(first, second);
    }
    return total;
  }
  // --- steps

  // The labels of all that is live but for two.
  [[nodiscard]] Labels labels_of_others(std::size_t i, std::size_t j) const {
    Labels out = 0;
    for (std::size_t k = 0; k < live_.size(); ++k)
      if (k != i && k != j) out |= live_[k].labels;
    return out;
  }
  // The labels of the product of two: those that the result or something else has.
  [[nodiscard]] Labels labels_of(std::size_t i, std::size_t j, Labels others) const {
    return (live_[i].labels | live_[j].labels) & (result_ | others);
  }

  // The product of two that are live takes their place.
  std::size_t join(std::size_t i, std::size_t j) {
    const Labels others = labels_of_others(i, j);
    Live first = live_[i], second = live_[j], made{all_.size() + steps_.size(), labels_of(i, j, others), {}};
    made.order = live_.size() == 2 ? contraction_.result : order_of(made.labels, first, second, others);
    // Columns come from the second operand.
    if (!made.order.empty() && !has(second.labels, made.order.back()) && has(first.labels, made.order.back()))
      std::swap(first, second);
    steps_.push_back({first.number, second.number, made.order});
    live_.erase(live_.begin() + static_cast<std::ptrdiff_t>(std::max(i, j)));
    live_.erase(live_.begin() + static_cast<std::ptrdiff_t>(std::min(i, j)));
    live_.push_back(made);
    return made.number;
  }

  [[nodiscard]] static bool has(Labels labels, std::size_t label) { return (labels >> label & 1U) != 0; }

  // As the factor of a product is read best: labels of the result, those that will be summed, and last those of the
  // result's innermost labels that no other factor has, which are its columns.
  [[nodiscard]] std::vector<std::size_t> order_of(Labels labels, const Live& first, const Live& second,
                                                  Labels others) const {
    std::size_t columns = contraction_.result.size();
    while (columns > 0 && has(labels & ~others, contraction_.result[columns - 1])) --columns;
    std::vector<std::size_t> out;
    const auto add = [&](std::size_t label) {
      if (has(labels, label) && std::find(out.begin(), out.end(), label) == out.end()) out.push_back(label);
    };
    for (std::size_t i = 0; i < columns; ++i) add(contraction_.result[i]);
    for (const Live* side : {&first, &second})
      for (const std::size_t label : side->order)
        if (!has(result_, label)) add(label);
    for (std::size_t i = columns; i < contraction_.result.size(); ++i) add(contraction_.result[i]);
    return out;
  }

  const Contraction& contraction_;
  Labels result_ = 0;
  std::vector<Labels> all_;  // of each factor
  std::vector<Live> live_;   // the factors at first
  std::vector<ContractionStep> steps_;
};

}  // namespace

std::optional<std::vector<ContractionStep>> contraction_path(const Contraction& contraction) {
  return PathSearch(contraction).run();
}

}  // namespace mlgc
