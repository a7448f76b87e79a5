// find_segments against what its header promises, by brute force on small random graphs; and its time on large ones.
#include "partition/convex_segments.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

#include "support/result.h"

#include "support_catch.h"

namespace mlgc {
namespace {

using Edges = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

// Nodes as contracted: a segment is the number of its first node.
std::vector<std::uint32_t> contracted(const SegmentGraph& graph, const std::vector<std::uint32_t>& segment_of) {
  std::vector<std::uint32_t> out(graph.nodes.size());
  for (std::uint32_t i = 0; i < out.size(); ++i) {
    out[i] = i;
    if (segment_of[i] == kNoSegment) continue;
    out[i] =
        static_cast<std::uint32_t>(std::find(segment_of.begin(), segment_of.end(), segment_of[i]) - segment_of.begin());
  }
  return out;
}

// By removing nodes that nothing leads to.
bool acyclic(const SegmentGraph& graph, const std::vector<std::uint32_t>& group) {
  std::set<std::uint32_t> left(group.begin(), group.end());
  for (bool removed = true; removed;) {
    removed = false;
    for (const std::uint32_t node : std::vector<std::uint32_t>(left.begin(), left.end())) {
      const bool waits = std::any_of(graph.edges.begin(), graph.edges.end(), [&](const auto& e) {
        return group[e.second] == node && group[e.first] != node && left.contains(group[e.first]);
      });
      if (waits) continue;
      left.erase(node);
      removed = true;
    }
  }
  return left.empty();
}

// Pairs with an edge between them, by their numbers.
std::set<std::pair<std::uint32_t, std::uint32_t>> adjacent(const SegmentGraph& graph, const Segmentation& found) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> out;
  for (const auto& [a, b] : graph.edges)
    if (found.segment_of[a] != kNoSegment && found.segment_of[b] != kNoSegment &&
        found.segment_of[a] != found.segment_of[b])
      out.emplace(found.segment_of[a], found.segment_of[b]);
  return out;
}

bool connected(const SegmentGraph& graph, const Segmentation& found, std::uint32_t segment) {
  std::vector<std::uint32_t> members;
  for (std::uint32_t i = 0; i < graph.nodes.size(); ++i)
    if (found.segment_of[i] == segment) members.push_back(i);
  std::set<std::uint32_t> seen{members.front()};
  for (bool grown = true; grown;) {
    grown = false;
    for (const auto& [a, b] : graph.edges)
      if (found.segment_of[a] == segment && found.segment_of[b] == segment && seen.contains(a) != seen.contains(b)) {
        seen.insert(a);
        seen.insert(b);
        grown = true;
      }
  }
  return seen.size() == members.size();
}

// A path from segment to segment whose inner nodes are in neither, through the witness.
bool witnesses(const SegmentGraph& graph, const Segmentation& found, const SegmentCut& cut) {
  const std::vector<std::uint32_t> group = contracted(graph, found.segment_of);
  const auto reached = [&](std::uint32_t from, auto&& ends) {
    std::set<std::uint32_t> seen{from};
    for (bool grown = true; grown;) {
      grown = false;
      for (const auto& [a, b] : graph.edges)
        if (seen.contains(group[a]) && !seen.contains(group[b])) {
          seen.insert(group[b]);
          grown = true;
        }
    }
    return std::any_of(seen.begin(), seen.end(), ends);
  };
  const auto root = [&](std::uint32_t segment) {
    return static_cast<std::uint32_t>(std::find(found.segment_of.begin(), found.segment_of.end(), segment) -
                                      found.segment_of.begin());
  };
  const std::uint32_t middle = group[cut.witness];
  return middle != root(cut.from) && middle != root(cut.to) &&
         reached(root(cut.from), [&](std::uint32_t n) { return n == middle; }) &&
         reached(middle, [&](std::uint32_t n) { return n == root(cut.to); });
}

SegmentGraph random_graph(std::mt19937_64& random) {
  SegmentGraph graph;
  const std::size_t nodes = 2 + random() % 13;
  const std::size_t supported = 30 + random() % 60, dense = 10 + random() % 50;
  for (std::size_t i = 0; i < nodes; ++i) {
    const std::size_t draw = random() % 100;
    graph.nodes.push_back(draw < supported ? SegmentNode::Supported
                          : draw % 4 == 0  ? SegmentNode::Free
                                           : SegmentNode::Other);
  }
  for (std::uint32_t a = 0; a < nodes; ++a)
    for (std::uint32_t b = a + 1; b < nodes; ++b) {
      const bool to_free = graph.nodes[b] == SegmentNode::Free && graph.nodes[a] != SegmentNode::Other;
      if (random() % 100 < dense && !to_free) graph.edges.emplace_back(a, b);
    }
  return graph;
}

TEST_CASE("segments of random graphs are convex, connected and cannot be joined: brute force") {
  std::mt19937_64 random(7);
  std::size_t cuts = 0, joined = 0;
  for (int turn = 0; turn < 6000; ++turn) {
    const SegmentGraph graph = random_graph(random);
    INFO("turn " << turn);
    const Segmentation found = find_segments(graph, /*search_per_edge=*/100000);
    for (std::size_t i = 0; i < graph.nodes.size(); ++i)
      REQUIRE((found.segment_of[i] != kNoSegment) == (graph.nodes[i] == SegmentNode::Supported));
    REQUIRE(acyclic(graph, contracted(graph, found.segment_of)));
    for (std::uint32_t s = 0; s < found.count; ++s) REQUIRE(connected(graph, found, s));
    REQUIRE(found.untried == 0);
    const auto pairs = adjacent(graph, found);
    REQUIRE(found.cuts.size() == pairs.size());
    for (const SegmentCut& cut : found.cuts) {
      REQUIRE(pairs.contains({cut.from, cut.to}));
      REQUIRE(witnesses(graph, found, cut));
      std::vector<std::uint32_t> both = found.segment_of;
      std::replace(both.begin(), both.end(), cut.to, cut.from);
      REQUIRE_FALSE(acyclic(graph, contracted(graph, both)));
      ++cuts;
    }
    joined += static_cast<std::size_t>(std::count(graph.nodes.begin(), graph.nodes.end(), SegmentNode::Supported)) -
              found.count;
  }
  // The test would say nothing if nothing was ever kept apart or joined.
  CHECK(cuts > 1000);
  CHECK(joined > 1000);
}

TEST_CASE("a search that is cut short leaves segments apart, says so, and they are convex still") {
  std::mt19937_64 random(8);
  std::size_t untried = 0;
  for (int turn = 0; turn < 1000; ++turn) {
    const SegmentGraph graph = random_graph(random);
    const Segmentation found = find_segments(graph, /*search_per_edge=*/0);
    REQUIRE(acyclic(graph, contracted(graph, found.segment_of)));
    for (std::uint32_t s = 0; s < found.count; ++s) REQUIRE(connected(graph, found, s));
    untried += found.untried;
  }
  CHECK(untried > 100);
}

TEST_CASE("what only waits joins the segment that reads it, however far behind it is") {
  // 0 is read by 5 alone; 1 to 5 alternate.
  SegmentGraph graph;
  const auto s = SegmentNode::Supported, o = SegmentNode::Other;
  graph.nodes = {s, s, o, s, o, s};
  graph.edges = {{1, 2}, {2, 3}, {3, 4}, {4, 5}, {0, 5}};
  const Segmentation found = find_segments(graph);
  CHECK(found.segment_of == std::vector<std::uint32_t>{0, 1, kNoSegment, 2, kNoSegment, 0});
  CHECK(found.cuts.empty());
}

TEST_CASE("joining moves up what reads the segment that waits") {
  // 0 is read by 6 and by 1, behind which 2 and 3 follow: these have to wait as well.
  SegmentGraph graph;
  const auto s = SegmentNode::Supported, o = SegmentNode::Other;
  graph.nodes = {s, o, s, o, s, o, s};
  graph.edges = {{0, 1}, {1, 2}, {3, 4}, {4, 5}, {5, 6}, {0, 6}};
  const Segmentation found = find_segments(graph);
  CHECK(found.segment_of[0] == found.segment_of[6]);
  CHECK(found.count == 3);
}

TEST_CASE("a diamond through an op that is not supported is two segments with that op as the witness") {
  SegmentGraph graph;
  graph.nodes = {SegmentNode::Supported, SegmentNode::Other, SegmentNode::Supported};
  graph.edges = {{0, 1}, {1, 2}, {0, 2}};
  const Segmentation found = find_segments(graph);
  CHECK(found.count == 2);
  REQUIRE(found.cuts.size() == 1);
  CHECK(found.cuts[0].from == 0);
  CHECK(found.cuts[0].to == 1);
  CHECK(found.cuts[0].witness == 1);
}

TEST_CASE("edges must go forward") {
  SegmentGraph graph;
  graph.nodes = {SegmentNode::Supported, SegmentNode::Supported};
  graph.edges = {{1, 0}};
  CHECK_THROWS_AS(find_segments(graph), InternalError);
}

}  // namespace
}  // namespace mlgc
