// See data_flow.h.
#include "inspect/data_flow.h"

#include <algorithm>
#include <utility>

#include "analysis/backward_slice.h"

namespace mlgc {

DataFlow::DataFlow(RegionRef region) : region_(region) {
  nodes_.emplace_back();
  for (std::size_t i = 0; i < region.argument_count(); ++i) add({});
  first_op_ = static_cast<Node>(nodes_.size());
  for (const OpRef op : region.ops()) {
    Place place;
    for (const Value value : values_read(op)) {
      const auto from = node_of(value);
      if (from && std::find(place.reads.begin(), place.reads.end(), *from) == place.reads.end())
        place.reads.push_back(*from);
    }
    if (place.reads.empty()) continue;
    place.dominator = place.reads.front();
    for (const Node from : place.reads) {
      ++nodes_[from].readers;
      place.dominator = common_dominator(place.dominator, from);
      place.depth = std::max(place.depth, nodes_[from].depth);
    }
    if (!op.has_trait(Traits::Movement) && !op.has_trait(Traits::Terminator)) ++place.depth;
    node_of_.emplace(op.id(), static_cast<Node>(nodes_.size()));
    ops_.push_back(op);
    add(std::move(place));
  }
}

// Jumps double where the two before are equally long, so that any ancestor is a logarithm of steps away.
void DataFlow::add(Place place) {
  const Place& above = nodes_[place.dominator];
  const Place& jumped = nodes_[above.jump];
  place.level = above.level + 1;
  place.jump = above.level - jumped.level == jumped.level - nodes_[jumped.jump].level ? jumped.jump : place.dominator;
  nodes_.push_back(std::move(place));
}

std::optional<DataFlow::Node> DataFlow::node_of(Value value) const {
  if (value.is_result()) return node_of(value.definer());
  if (value.argument_of() != region_) return std::nullopt;
  return static_cast<Node>(1 + value.number());
}

std::optional<DataFlow::Node> DataFlow::node_of(OpRef op) const {
  const auto found = node_of_.find(op.id());
  return found == node_of_.end() ? std::nullopt : std::optional(found->second);
}

OpRef DataFlow::op_of(Node node) const { return node < first_op_ ? OpRef() : ops_[node - first_op_]; }

Value DataFlow::value_of(Node node) const {
  return node < first_op_ ? region_.argument(node - 1) : ops_[node - first_op_].result(0);
}

DataFlow::Node DataFlow::common_dominator(Node a, Node b) const {
  const auto lift = [&](Node deep, std::uint32_t level) {
    while (nodes_[deep].level > level)
      deep = nodes_[nodes_[deep].jump].level >= level ? nodes_[deep].jump : nodes_[deep].dominator;
    return deep;
  };
  a = lift(a, nodes_[b].level);
  b = lift(b, nodes_[a].level);
  while (a != b) {
    const bool jumps = nodes_[a].jump != nodes_[b].jump;
    a = jumps ? nodes_[a].jump : nodes_[a].dominator;
    b = jumps ? nodes_[b].jump : nodes_[b].dominator;
  }
  return a;
}

}  // namespace mlgc
