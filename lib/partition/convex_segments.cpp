// See convex_segments.h.
#include "partition/convex_segments.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <queue>
#include <unordered_map>

#include "support/result.h"

namespace mlgc {

namespace {

using Node = std::uint32_t;
using Level = std::int32_t;

class Finder {
 public:
  Finder(const SegmentGraph& graph, std::size_t search_per_edge)
      : graph_(graph),
        level_(graph.nodes.size()),
        raised_(graph.nodes.size(), kUnset),
        parent_(graph.nodes.size()),
        next_member_(graph.nodes.size()),
        budget_(search_per_edge * (graph.nodes.size() + graph.edges.size())) {
    std::iota(parent_.begin(), parent_.end(), 0);
    std::iota(next_member_.begin(), next_member_.end(), 0);
    index_edges();
  }

  Segmentation run() {
    assign_least_levels();
    for (const auto& [from, to] : graph_.edges)
      if (supported(from) && supported(to) && level_[from] == level_[to]) unite(from, to);
    join_distant();
    return result();
  }

 private:
  static constexpr Level kUnset = -2, kLowest = -1;

  struct PairHash {
    std::size_t operator()(std::uint64_t pair) const { return static_cast<std::size_t>(pair * 0x9E3779B97F4A7C15ULL); }
  };

  [[nodiscard]] bool supported(Node node) const { return graph_.nodes[node] == SegmentNode::Supported; }

  // The least level that a node may have after one of level `behind`: even where supported, odd where not.
  [[nodiscard]] Level least_behind(Level behind, SegmentNode kind) const {
    if (kind == SegmentNode::Free) return behind;
    const bool even = behind % 2 == 0;
    return even == (kind == SegmentNode::Supported) ? behind : behind + 1;
  }

  void index_edges() {
    first_out_.assign(graph_.nodes.size() + 1, 0);
    for (const auto& [from, to] : graph_.edges) {
      MLGC_ASSERT(from < to && to < graph_.nodes.size(), "an edge does not go forward");
      ++first_out_[from + 1];
    }
    std::partial_sum(first_out_.begin(), first_out_.end(), first_out_.begin());
    out_.resize(graph_.edges.size());
    std::vector<std::uint32_t> next(first_out_.begin(), first_out_.end() - 1);
    for (const auto& [from, to] : graph_.edges) out_[next[from]++] = to;
  }
  [[nodiscard]] std::span<const Node> out(Node node) const {
    return std::span(out_).subspan(first_out_[node], first_out_[node + 1] - first_out_[node]);
  }

  void assign_least_levels() {
    std::fill(level_.begin(), level_.end(), kLowest);
    for (Node node = 0; node < graph_.nodes.size(); ++node) {
      level_[node] = least_behind(level_[node], graph_.nodes[node]);
      for (const Node to : out(node)) level_[to] = std::max(level_[to], level_[node]);
    }
  }

  // Segments are sets of nodes; the level of one is that of its root, its members are a ring.
  Node find(Node node) {
    while (parent_[node] != node) node = parent_[node] = parent_[parent_[node]];
    return node;
  }
  void unite(Node a, Node b) {
    a = find(a);
    b = find(b);
    if (a == b) return;
    // The lower number is the root: segments are found again by their first nodes.
    parent_[std::max(a, b)] = std::min(a, b);
    std::swap(next_member_[a], next_member_[b]);
  }
  // Visits the nodes and roots of segments that read the node or the segment, with repetitions, until `visit` says no.
  template <class Visit>
  void for_each_reader(Node root, Visit&& visit) {
    Node member = root;
    do {
      budget_ -= std::min(budget_, 1 + out(member).size());
      for (const Node to : out(member))
        if (const Node reader = find(to); reader != root && !visit(reader)) return;
      member = next_member_[member];
    } while (member != root);
  }

  void join_distant() {
    std::vector<std::pair<Node, Node>> open;
    for (const auto& edge : graph_.edges)
      if (supported(edge.first) && supported(edge.second) && find(edge.first) != find(edge.second))
        open.push_back(edge);
    const auto distance = [&](const std::pair<Node, Node>& edge) {
      return level_[find(edge.second)] - level_[find(edge.first)];
    };
    std::vector<std::pair<Level, std::size_t>> order;
    for (std::size_t i = 0; i < open.size(); ++i) order.emplace_back(distance(open[i]), i);
    std::sort(order.begin(), order.end());

    // Joining may take the witness of another pair in, so pairs are looked at until nothing is joined any more.
    for (bool joined = true; joined;) {
      joined = false;
      std::erase_if(order, [&](const auto& at) { return find(open[at.second].first) == find(open[at.second].second); });
      for (const auto& [unused, i] : order) {
        const Node from = find(open[i].first), to = find(open[i].second);
        if (from == to) continue;
        const auto known = witnesses_.find(key(from, to));
        if (known != witnesses_.end() && (known->second == kNoSegment || still_outside(known->second, from, to)))
          continue;
        const std::optional<Node> witness = try_to_join(from, to);
        if (witness)
          witnesses_[key(from, to)] = *witness;
        else
          joined = true;
      }
    }
    open_ = std::move(open);
  }

  static std::uint64_t key(Node from, Node to) { return std::uint64_t{from} << 32 | to; }
  bool still_outside(Node witness, Node from, Node to) {
    const Node root = find(witness);
    return root != from && root != to;
  }

  // Nothing once they are one; else a node outside on a path between them, or kNoSegment when the search is over.
  std::optional<Node> try_to_join(Node from, Node to) {
    const Level target = level_[to];
    if (level_[from] >= target) {
      MLGC_ASSERT(level_[from] == target, "a level falls along an edge");
      unite(from, to);
      return std::nullopt;
    }
    // By level, then number: an order in which every edge between contracted nodes goes forward, so that each node is
    // looked at once, with its final level.
    using Entry = std::pair<Level, Node>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
    std::vector<Node> touched{from};
    std::optional<Node> witness;
    raised_[from] = target;
    queue.emplace(level_[from], from);
    while (!queue.empty() && !witness) {
      const Node node = queue.top().second;
      queue.pop();
      for_each_reader(node, [&](Node reader) {
        if (reader == to) {
          if (node != from) witness = node;
        } else if (budget_ == 0) {
          witness = kNoSegment;
        } else if (const Level needed = least_behind(raised_[node], graph_.nodes[reader]);
                   needed > level_[reader] && needed > raised_[reader]) {
          if (raised_[reader] == kUnset) {
            touched.push_back(reader);
            queue.emplace(level_[reader], reader);
          }
          raised_[reader] = needed;
        }
        return !witness.has_value();
      });
    }
    if (!witness)
      for (const Node node : touched) level_[node] = raised_[node];
    for (const Node node : touched) raised_[node] = kUnset;
    if (witness) return witness;
    std::vector<std::pair<Node, Node>> equal{{from, to}};
    for (const Node node : touched)
      if (supported(node))
        for_each_reader(node, [&](Node reader) {
          if (supported(reader) && level_[reader] == level_[node]) equal.emplace_back(node, reader);
          return true;
        });
    for (const auto& [a, b] : equal) unite(a, b);
    return std::nullopt;
  }

  Segmentation result() {
    Segmentation out;
    out.segment_of.assign(graph_.nodes.size(), kNoSegment);
    for (Node node = 0; node < graph_.nodes.size(); ++node) {
      if (!supported(node)) continue;
      const Node root = find(node);
      if (out.segment_of[root] == kNoSegment) out.segment_of[root] = out.count++;
      out.segment_of[node] = out.segment_of[root];
    }
    for (const auto& [from, to] : open_) {
      if (find(from) == find(to)) continue;
      const auto known = witnesses_.find(key(find(from), find(to)));
      MLGC_ASSERT(known != witnesses_.end(), "a pair of segments was not looked at");
      out.cuts.push_back({out.segment_of[from], out.segment_of[to], known->second});
    }
    const auto pair = [](const SegmentCut& cut) { return std::pair(cut.from, cut.to); };
    std::sort(out.cuts.begin(), out.cuts.end(), [&](const auto& a, const auto& b) { return pair(a) < pair(b); });
    out.cuts.erase(
        std::unique(out.cuts.begin(), out.cuts.end(), [&](const auto& a, const auto& b) { return pair(a) == pair(b); }),
        out.cuts.end());
    for (const SegmentCut& cut : out.cuts) out.untried += cut.witness == kNoSegment ? 1 : 0;
    return out;
  }

  const SegmentGraph& graph_;
  std::vector<Level> level_;   // of a node outside of segments, and of the root of a segment
  std::vector<Level> raised_;  // what the search at hand would make of it
  std::vector<Node> parent_, next_member_;
  std::size_t budget_;  // of nodes and edges that the searches may still look at
  std::vector<std::uint32_t> first_out_;
  std::vector<Node> out_;
  std::vector<std::pair<Node, Node>> open_;                      // edges between segments when step 3 began
  std::unordered_map<std::uint64_t, Node, PairHash> witnesses_;  // by the roots of a pair that stays apart
};

}  // namespace

Segmentation find_segments(const SegmentGraph& graph, std::size_t search_per_edge) {
  return Finder(graph, search_per_edge).run();
}

}  // namespace mlgc
