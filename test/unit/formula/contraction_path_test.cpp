// contraction_path: the exact path is the best tree there is, paths of many factors are legal, none is proposed that
// does not pay.
#include "formula/contraction_path.h"

#include <cmath>
#include <limits>
#include <random>
#include <set>
#include "support_catch.h"

namespace mlgc {
namespace {

using Labels = std::set<std::size_t>;

double size_of(const Contraction& contraction, const Labels& labels) {
  double out = 1;
  for (const std::size_t label : labels) out *= contraction.extents[label];
  return out;
}

// Multiplications of a path, by replaying it; checks that each factor is used once, that no label is summed while
// another factor has it, and that the last step gives the result in its order.
double replayed(const Contraction& contraction, const std::vector<ContractionStep>& steps) {
  std::vector<Labels> values;
  std::vector<bool> used;
  for (const auto& factor : contraction.factors) values.emplace_back(factor.begin(), factor.end());
  used.resize(values.size(), false);
  REQUIRE(steps.size() + 1 == contraction.factors.size());
  double total = 0;
  for (const ContractionStep& step : steps) {
    REQUIRE(step.first < values.size());
    REQUIRE(step.second < values.size());
    REQUIRE(step.first != step.second);
    REQUIRE_FALSE(used[step.first]);
    REQUIRE_FALSE(used[step.second]);
    used[step.first] = used[step.second] = true;
    Labels all = values[step.first];
    all.insert(values[step.second].begin(), values[step.second].end());
    total += size_of(contraction, all);
    Labels wanted(contraction.result.begin(), contraction.result.end());
    for (std::size_t v = 0; v < values.size(); ++v)
      if (!used[v]) wanted.insert(values[v].begin(), values[v].end());
    const Labels given(step.result.begin(), step.result.end());
    REQUIRE(given.size() == step.result.size());
    for (const std::size_t label : all) REQUIRE(given.count(label) == wanted.count(label));
    for (const std::size_t label : given) REQUIRE(all.count(label) == 1);
    values.push_back(given);
    used.push_back(false);
  }
  REQUIRE(steps.back().result == contraction.result);
  return total;
}

// The fewest multiplications over all trees.
double fewest(const Contraction& contraction, const std::vector<Labels>& live) {
  if (live.size() == 1) return 0;
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < live.size(); ++i)
    for (std::size_t j = i + 1; j < live.size(); ++j) {
      Labels all = live[i], wanted(contraction.result.begin(), contraction.result.end());
      all.insert(live[j].begin(), live[j].end());
      std::vector<Labels> rest;
      for (std::size_t k = 0; k < live.size(); ++k)
        if (k != i && k != j) rest.push_back(live[k]), wanted.insert(live[k].begin(), live[k].end());
      Labels kept;
      for (const std::size_t label : all)
        if (wanted.count(label) > 0) kept.insert(label);
      rest.push_back(kept);
      best = std::min(best, size_of(contraction, all) + fewest(contraction, rest));
    }
  return best;
}

// A chain of matrices with random sizes, some labels shared once more; sizes are large, so that multiplications decide.
Contraction random_chain(std::mt19937& random, std::size_t count) {
  Contraction out;
  std::uniform_int_distribution<int> exponent(6, 11);
  for (std::size_t label = 0; label <= count; ++label) out.extents.push_back(std::exp2(exponent(random)));
  for (std::size_t f = 0; f < count; ++f) out.factors.push_back({f, f + 1});
  out.result = {0, count};
  if (random() % 2 == 0) out.factors[random() % count].push_back(random() % (count + 1));
  if (random() % 2 == 0 && count > 2) out.result.push_back(1 + random() % (count - 1));
  for (auto& factor : out.factors)
    if (factor.size() == 3 && (factor[2] == factor[0] || factor[2] == factor[1])) factor.pop_back();
  return out;
}

TEST_CASE("a path of few factors is the best tree") {
  std::mt19937 random(1);
  std::size_t paths = 0;
  for (int i = 0; i < 200; ++i) {
    const Contraction contraction = random_chain(random, 3 + random() % 3);
    const auto steps = contraction_path(contraction);
    if (!steps) continue;
    ++paths;
    const double found = replayed(contraction, *steps);
    std::vector<Labels> live;
    // Labels that only one factor has are summed before.
    for (std::size_t f = 0; f < contraction.factors.size(); ++f) {
      Labels labels;
      for (const std::size_t label : contraction.factors[f]) labels.insert(label);
      live.push_back(labels);
    }
    const double best = fewest(contraction, live);
    // What is moved counts as well: elements of matrices of at least 64 by 64.
    CHECK(found >= best);
    CHECK(found <= 1.6 * best);
  }
  CHECK(paths > 150);
}

TEST_CASE("a chain of matrices is multiplied from its narrow end") {
  // (1000x10) (10x1000) (1000x10): 2*10^5 multiplications against 2*10^7.
  const Contraction chain{{{0, 1}, {1, 2}, {2, 3}}, {0, 3}, {1000, 10, 1000, 10}};
  const auto steps = contraction_path(chain);
  REQUIRE(steps.has_value());
  CHECK((*steps)[0].first + (*steps)[0].second == 3);  // factors 1 and 2
  CHECK(replayed(chain, *steps) == 2e5);
}

TEST_CASE("more factors than are searched have a legal path that costs less") {
  std::mt19937 random(2);
  for (const std::size_t count : {std::size_t{9}, std::size_t{20}, std::size_t{40}}) {
    const Contraction contraction = random_chain(random, count);
    const auto steps = contraction_path(contraction);
    REQUIRE(steps.has_value());
    (void)replayed(contraction, *steps);
  }
}

TEST_CASE("there is no path where one nest costs no more") {
  CHECK_FALSE(contraction_path({{{0, 1}, {1, 2}}, {0, 2}, {64, 64, 64}}).has_value());             // two factors
  CHECK_FALSE(contraction_path({{{0}, {0}, {0}}, {0}, {1000}}).has_value());                       // elementwise
  CHECK_FALSE(contraction_path({{{0, 1}, {1, 2}, {2, 3}}, {0, 3}, {2, 2, 2, 2}}).has_value());     // a kernel each
  CHECK_FALSE(contraction_path({{{0, 1}, {1, 2}, {2, 3}}, {0, 3}, {1000, 0, 9, 9}}).has_value());  // empty
}

TEST_CASE("a diagonal and a label of size 1 keep their places") {
  const Contraction contraction{{{0, 0, 1}, {1, 2}, {2, 3}}, {0, 3}, {300, 300, 300, 1}};
  const auto steps = contraction_path(contraction);
  REQUIRE(steps.has_value());
  (void)replayed(contraction, *steps);
}

}  // namespace
}  // namespace mlgc
