// See contraction_path.h.
#include "ops/contraction_path.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "support/result.h"

namespace mlgc {

namespace {

// In multiply-adds of a product whose factors are in registers: an element that is read or written, and a launch.
constexpr double kElementCost = 8;
constexpr double kStepCost = 2048;

using Letters = std::uint64_t;

class PathSearch {
 public:
  explicit PathSearch(const Contraction& contraction) : contraction_(contraction) {
    for (const std::size_t letter : contraction.result) result_ |= Letters{1} << letter;
    for (std::size_t f = 0; f < contraction.factors.size(); ++f) {
      Letters all = 0, others = result_;
      for (const std::size_t letter : contraction.factors[f]) all |= Letters{1} << letter;
      for (std::size_t g = 0; g < contraction.factors.size(); ++g)
        if (g != f)
          for (const std::size_t letter : contraction.factors[g]) others |= Letters{1} << letter;
      all_.push_back(all);
      kept_.push_back(all & others);
    }
  }

  std::optional<std::vector<ContractionStep>> run() {
    const std::size_t count = all_.size();
    if (count < 3) return std::nullopt;
    const double cost = count <= kMostExactFactors ? exact() : greedy();
    return cost < whole() ? std::optional(steps_) : std::nullopt;
  }

 private:
  [[nodiscard]] double size(Letters letters) const {
    double out = 1;
    for (std::size_t i = 0; i < contraction_.extents.size(); ++i)
      if ((letters >> i & 1U) != 0) out *= contraction_.extents[i];
    return out;
  }
  // Of all factors in one nest.
  [[nodiscard]] double whole() const {
    Letters letters = result_;
    double elements = size(result_);
    for (const Letters factor : all_) letters |= factor, elements += size(factor);
    return static_cast<double>(all_.size() - 1) * size(letters) + kElementCost * elements + kStepCost;
  }
  [[nodiscard]] double pair(Letters a, Letters b, Letters to) const {
    return size(a | b) + kElementCost * (size(a) + size(b) + size(to)) + kStepCost;
  }

  // The best tree over every subset of the factors.
  double exact() {
    const std::size_t count = all_.size(), subsets = std::size_t{1} << count;
    std::vector<Letters> within(subsets, 0), kept(subsets, 0);
    for (std::size_t s = 1; s < subsets; ++s)
      for (std::size_t f = 0; f < count; ++f)
        if ((s >> f & 1U) != 0) within[s] |= kept_[f];
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
  // What the subset is called once its steps are there.
  std::size_t take(std::size_t subset, const std::vector<std::size_t>& halves) {
    if ((subset & (subset - 1)) == 0) {
      std::size_t factor = 0;
      while ((subset >> factor & 1U) == 0) ++factor;
      live_.push_back({factor, kept_[factor], contraction_.factors[factor]});
      return factor;
    }
    const std::size_t a = take(halves[subset], halves), b = take(subset ^ halves[subset], halves);
    // What is still to come has the letters that the rest of the factors have.
    Letters outside = result_;
    for (std::size_t f = 0; f < kept_.size(); ++f)
      if ((subset >> f & 1U) == 0) outside |= kept_[f];
    return join(a, b, outside);
  }

  // The cheapest pair each time.
  double greedy() {
    for (std::size_t f = 0; f < kept_.size(); ++f) live_.push_back({f, kept_[f], contraction_.factors[f]});
    double total = 0;
    while (live_.size() > 1) {
      double best = std::numeric_limits<double>::infinity();
      std::size_t first = 0, second = 1;
      for (std::size_t i = 0; i < live_.size(); ++i)
        for (std::size_t j = i + 1; j < live_.size(); ++j) {
          const double cost =
              pair(live_[i].letters, live_[j].letters, (live_[i].letters | live_[j].letters) & outside_of(i, j));
          if (cost < best) best = cost, first = i, second = j;
        }
      total += best;
      (void)join(live_[first].number, live_[second].number, outside_of(first, second));
    }
    return total;
  }
  [[nodiscard]] Letters outside_of(std::size_t i, std::size_t j) const {
    Letters out = result_;
    for (std::size_t k = 0; k < live_.size(); ++k)
      if (k != i && k != j) out |= live_[k].letters;
    return out;
  }

  // --- steps

  struct Live {
    std::size_t number = 0;
    Letters letters = 0;
    std::vector<std::size_t> order;
  };

  std::size_t join(std::size_t a, std::size_t b, Letters outside) {
    const auto pull = [&](std::size_t number) {
      const auto at = std::find_if(live_.begin(), live_.end(), [&](const Live& l) { return l.number == number; });
      MLGC_ASSERT(at != live_.end(), "a factor is used once");
      Live out = *at;
      live_.erase(at);
      return out;
    };
    Live first = pull(a), second = pull(b);
    Live made{all_.size() + steps_.size(), (first.letters | second.letters) & outside, {}};
    const bool last = steps_.size() + 2 == all_.size();
    made.order = last ? contraction_.result : order_of(made.letters, first, second, outside_only(a, b));
    // Columns come from the second operand.
    if (!made.order.empty() && !has(second.letters, made.order.back()) && has(first.letters, made.order.back()))
      std::swap(first, second);
    steps_.push_back({first.number, second.number, made.order});
    live_.push_back(made);
    return made.number;
  }
  // The letters of the factors that neither of the two was made of.
  [[nodiscard]] Letters outside_only(std::size_t a, std::size_t b) const {
    std::vector<bool> inside(all_.size() + steps_.size(), false);
    inside[a] = inside[b] = true;
    for (std::size_t s = steps_.size(); s-- > 0;)
      if (inside[all_.size() + s]) inside[steps_[s].first] = inside[steps_[s].second] = true;
    Letters out = 0;
    for (std::size_t f = 0; f < all_.size(); ++f)
      if (!inside[f]) out |= kept_[f];
    return out;
  }

  [[nodiscard]] static bool has(Letters letters, std::size_t letter) { return (letters >> letter & 1U) != 0; }

  // As the factor of a product is read best: letters of the result, those that will be summed, and last those of the
  // result's innermost letters that no other factor has, which are its columns.
  [[nodiscard]] std::vector<std::size_t> order_of(Letters letters, const Live& first, const Live& second,
                                                  Letters others) const {
    std::size_t columns = contraction_.result.size();
    while (columns > 0 && has(letters & ~others, contraction_.result[columns - 1])) --columns;
    std::vector<std::size_t> out;
    const auto add = [&](std::size_t letter) {
      if (has(letters, letter) && std::find(out.begin(), out.end(), letter) == out.end()) out.push_back(letter);
    };
    for (std::size_t i = 0; i < columns; ++i) add(contraction_.result[i]);
    for (const Live* side : {&first, &second})
      for (const std::size_t letter : side->order)
        if (!has(result_, letter)) add(letter);
    for (std::size_t i = columns; i < contraction_.result.size(); ++i) add(contraction_.result[i]);
    return out;
  }

  const Contraction& contraction_;
  Letters result_ = 0;
  std::vector<Letters> all_, kept_;  // of each factor: its letters, and those that something else has
  std::vector<Live> live_;
  std::vector<ContractionStep> steps_;
};

}  // namespace

std::optional<std::vector<ContractionStep>> contraction_path(const Contraction& contraction) {
  return PathSearch(contraction).run();
}

}  // namespace mlgc
