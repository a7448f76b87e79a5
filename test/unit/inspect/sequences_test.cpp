// Common subsequences are those that the table of all lengths finds.
#include "inspect/sequences.h"

#include <algorithm>
#include <random>

#include "support_catch.h"

namespace mlgc {
namespace {

TEST_CASE("common subsequences are those that a table finds") {
  std::mt19937_64 random(5);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::uint64_t> a(random() % 20), b(random() % 20);
    for (auto* items : {&a, &b})
      for (std::uint64_t& item : *items) item = random() % 4;
    std::vector<std::vector<std::size_t>> best(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = a.size(); i-- > 0;)
      for (std::size_t k = b.size(); k-- > 0;)
        best[i][k] = a[i] == b[k] ? best[i + 1][k + 1] + 1 : std::max(best[i + 1][k], best[i][k + 1]);
    const auto pairs = common_subsequence(a, b, a.size() + b.size());
    CHECK(pairs.size() == best[0][0]);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      CHECK(a[pairs[i].first] == b[pairs[i].second]);
      if (i > 0) CHECK((pairs[i - 1].first < pairs[i].first && pairs[i - 1].second < pairs[i].second));
    }
  }
}

}  // namespace
}  // namespace mlgc
