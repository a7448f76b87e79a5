// Minimum cuts of random graphs against all cuts.
#include "rematerialize/minimum_cut.h"

#include <algorithm>
#include <random>

#include "support_catch.h"

using namespace mlgc;

namespace {

struct Edge {
  std::size_t from, to;
  std::int64_t capacity;
};

std::int64_t weight(const std::vector<Edge>& edges, const std::vector<bool>& source_side) {
  std::int64_t sum = 0;
  for (const Edge& edge : edges)
    if (source_side[edge.from] && !source_side[edge.to]) sum += edge.capacity;
  return sum;
}

}  // namespace

TEST_CASE("no cut of a random graph is smaller, and none that is as small is nearer to the source") {
  std::mt19937 random(1);
  for (int graph = 0; graph < 400; ++graph) {
    const std::size_t nodes = 2 + random() % 7;
    std::vector<Edge> edges;
    MinimumCut cut(nodes);
    for (std::size_t i = random() % 24; i > 0; --i) {
      edges.push_back({random() % nodes, random() % nodes, static_cast<std::int64_t>(random() % 6)});
      cut.add_edge(edges.back().from, edges.back().to, edges.back().capacity);
    }
    const std::vector<bool> found = cut.source_side(0, 1);
    REQUIRE(found[0]);
    REQUIRE(!found[1]);
    for (std::size_t mask = 0; mask < (std::size_t{1} << nodes); ++mask) {
      std::vector<bool> side(nodes);
      for (std::size_t i = 0; i < nodes; ++i) side[i] = ((mask >> i) & 1U) != 0;
      if (!side[0] || side[1]) continue;
      REQUIRE(weight(edges, found) <= weight(edges, side));
      if (weight(edges, found) == weight(edges, side))
        REQUIRE(std::count(found.begin(), found.end(), true) <= std::count(side.begin(), side.end(), true));
    }
  }
}

TEST_CASE("an edge that cannot be cut is in no cut that finite edges make") {
  MinimumCut cut(4);
  cut.add_edge(0, 2, MinimumCut::kUncuttable);
  cut.add_edge(2, 3, 7);
  cut.add_edge(3, 1, MinimumCut::kUncuttable);
  CHECK(cut.source_side(0, 1) == std::vector<bool>{true, false, true, false});
}

TEST_CASE("a path of a hundred thousand nodes is cut without recursion") {
  constexpr std::size_t kNodes = 100000;
  MinimumCut cut(kNodes);
  cut.add_edge(0, 2, 5);
  for (std::size_t i = 2; i + 1 < kNodes; ++i) cut.add_edge(i, i + 1, i == 5000 ? 3 : 4);
  cut.add_edge(kNodes - 1, 1, 5);
  const std::vector<bool> side = cut.source_side(0, 1);
  CHECK(side[5000]);
  CHECK(!side[5001]);
}
