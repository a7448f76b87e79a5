// See statement_axes.h.
#include "formula/statement_axes.h"

#include <algorithm>

namespace mlgc::instantiation {

namespace {

bool is_constant(std::string_view name) {
  return name == "pi" || name == "inf" || name == "nan" || name == "true" || name == "false" || name == "_";
}

}  // namespace

void StatementAxes::merge(std::optional<Extent>& slot, IndexExpr size, Place place, const std::string& label) const {
  if (!slot) {
    slot = Extent{size, std::move(place)};
    return;
  }
  switch (index_.equal(slot->size, size, scope_.facts())) {
    case Truth::Yes:
      // The shorter canonical form is kept: a constant rather than a symbol that is known to equal it.
      if (index_.as_constant(size)) slot->size = size;
      return;
    case Truth::No:
      refuse<kExtentMismatch>(label, scope_.show(slot->size), slot->place.text, scope_.show(size), place.text);
    case Truth::Unknown:
      refuse<kExtentUnknown>(label, scope_.show(slot->size), slot->place.text, scope_.show(size), place.text);
  }
}

std::size_t StatementAxes::covered(const SyntaxNode& node, std::size_t r) const {
  std::size_t n = r;
  for (const PackOperator& op : node.pack) {
    if (op.kind == PackOperator::Kind::Drop && !scope_.flag(op.keep_flag)) n -= scope_.axes(op.axes, r).size();
    if (op.kind == PackOperator::Kind::Only) n = scope_.axes(op.axes, r).size();
  }
  return n;
}

Pack& StatementAxes::pack(const SyntaxNode& node) {
  auto it = packs_.find(node.text);
  if (it == packs_.end() || !it->second.rank) {
    // A pack that only the output mentions has no dims: a formula over scalars alone.
    Pack& p = packs_[node.text];
    p.rank = 0;
    p.extents.clear();
    return p;
  }
  return it->second;
}

std::vector<PackDim> StatementAxes::pack_dims(const SyntaxNode& node, std::size_t rank) const {
  std::vector<PackDim> dims(rank);
  for (std::size_t i = 0; i < rank; ++i) dims[i].axis = i;
  for (const PackOperator& op : node.pack) {
    if (op.kind == PackOperator::Kind::Permute) {
      if (dims.size() != rank) bad(node, "a permutation follows axes that were dropped");
      const auto p = scope_.axes(op.axes, rank, true);
      std::vector<PackDim> permuted(rank);
      for (std::size_t i = 0; i < rank; ++i) permuted[i] = dims[p[i]];
      dims = std::move(permuted);
      continue;
    }
    const auto chosen = scope_.axes(op.axes, rank);
    auto among = [&](const PackDim& d) {
      return d.axis && std::find(chosen.begin(), chosen.end(), *d.axis) != chosen.end();
    };
    const bool unit =
        op.kind == PackOperator::Kind::Unit || (op.kind == PackOperator::Kind::Drop && scope_.flag(op.keep_flag));
    if (unit) {
      for (PackDim& d : dims)
        if (among(d)) d.axis.reset();
    } else if (op.kind == PackOperator::Kind::Drop) {
      std::erase_if(dims, among);
    } else if (op.kind == PackOperator::Kind::Only) {
      std::erase_if(dims, [&](const PackDim& d) { return !among(d); });
    } else {
      for (PackDim& d : dims) {
        if (!among(d)) continue;
        d.map = &op;
        d.whole = false;
        d.ordinal = static_cast<std::size_t>(std::find(chosen.begin(), chosen.end(), *d.axis) - chosen.begin());
      }
    }
  }
  return dims;
}

LabelKey StatementAxes::key_of(const std::string& name) const {
  for (auto it = reductions_.rbegin(); it != reductions_.rend(); ++it)
    for (SyntaxId l : scope_.at(*it).labels)
      if (scope_.at(l).kind == SyntaxKind::Name && scope_.at(l).text == name) return {name, it->value};
  return {name, kStatement};
}

bool StatementAxes::is_label(const SyntaxNode& n) const {
  return n.kind == SyntaxKind::Name && !scope_.attribute(n.text) && !scope_.find_tensor(n.text) &&
         !is_constant(n.text) && !is_symbol(n.text);
}

bool StatementAxes::is_symbol(const std::string& name) const {
  return ground_ && std::none_of(ground_->begin(), ground_->end(), [&](const auto& o) { return o.first == name; });
}

void StatementAxes::close_units() {
  for (auto& [name, seen] : unit_seen_)
    for (std::size_t i = 0; i < seen.size(); ++i)
      if (seen[i] && !packs_[name].extents[i]) packs_[name].extents[i] = Extent{index_.constant(1), {"size 1"}, true};
}

std::uint32_t StatementAxes::reduction_over(const std::string& pack, std::size_t axis) {
  std::uint32_t found = kStatement;
  for (auto it = reductions_.rbegin(); it != reductions_.rend() && found == kStatement; ++it)
    for (SyntaxId l : scope_.at(*it).labels) {
      const SyntaxNode& n = scope_.at(l);
      if (n.kind != SyntaxKind::Pack || n.text != pack) continue;
      for (const PackDim& d : pack_dims(n, *packs_[pack].rank))
        if (d.axis == axis) found = it->value;
    }
  return found;
}

bool StatementAxes::has_rank(const std::string& name) const {
  const auto found = packs_.find(name);
  return found != packs_.end() && found->second.rank;
}

void StatementAxes::size_packs() {
  for (auto& [name, pack] : packs_)
    if (pack.rank) pack.extents.resize(*pack.rank);
}

std::size_t StatementAxes::covered(const std::vector<SyntaxId>& subscripts, std::size_t begin, std::size_t end) {
  std::size_t dims = 0;
  for (std::size_t i = begin; i < end; ++i) {
    const SyntaxNode& sub = scope_.at(subscripts[i]);
    dims += sub.kind == SyntaxKind::Pack ? covered(sub, *pack(sub).rank) : 1;
  }
  return dims;
}

void StatementAxes::bind_axis(const std::string& pack, std::size_t axis, IndexExpr size, bool can_broadcast,
                              Place place) {
  Pack& p = packs_[pack];
  if (can_broadcast && index_.as_constant(size) == 1) {
    std::vector<bool>& seen = unit_seen_[pack];
    seen.resize(*p.rank);
    seen[axis] = true;
    return;
  }
  merge(p.extents[axis], size, std::move(place), pack + "[" + std::to_string(axis) + "]");
}

std::optional<IndexExpr> StatementAxes::label_extent(const LabelKey& key) const {
  for (const LabelKey& k : {key, LabelKey{key.name, kStatement}})
    if (const auto found = labels_.find(k); found != labels_.end() && found->second) return found->second->size;
  return std::nullopt;
}

std::optional<IndexExpr> StatementAxes::extent_named(const std::string& label) const {
  const auto found = labels_.find(key_of(label));
  if (found != labels_.end() && found->second) return found->second->size;
  for (const auto& [key, extent] : labels_)
    if (key.name == label && extent) return extent->size;
  return std::nullopt;
}

}  // namespace mlgc::instantiation
