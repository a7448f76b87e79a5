// See extent_binder.h.
#include "formula/extent_binder.h"

#include <algorithm>

namespace mlgc::instantiation {

namespace {

Place place_of(std::string_view operand, std::size_t dim) {
  return {"operand `" + std::string(operand) + "`, axis " + std::to_string(dim)};
}

// Functions whose argument is an operand, not its elements.
bool names_operand(std::string_view function) {
  for (std::string_view f : {"has", "dim", "rank", "size", "axis", "isfloat", "isbool", "headroom"})
    if (f == function) return true;
  return false;
}

}  // namespace

void ExtentBinder::bind(const SyntaxStatement& st) {
  if (axes_.ground()) bind_ground();
  find_ranks(st);
  bind_bare_operands(st.body, true);
  bind_bare_operands(st.guard, true);
  bind_extents(st.body);
  bind_extents(st.guard);
  for (SyntaxId s : st.subscripts) bind_extents(s);
  if (const auto target = target_in_base(st)) bind_read(*target);
  bind_bare_operands(st.body, false);
  bind_bare_operands(st.guard, false);
  axes_.close_units();
  bind_where(st);
}

void ExtentBinder::bind_ground() {
  for (const auto& [name, extent] : *axes_.ground()) {
    const IndexExpr size = expressions_.index_of(extent);
    scope_.check_extent(name, size);
    axes_.state_label(name, size, {"`over`"});
  }
}

void ExtentBinder::for_each_read(SyntaxId root, const std::function<void(const SyntaxNode&)>& visit) {
  if (!root.valid()) return;
  const SyntaxNode& n = scope_.at(root);
  if (n.kind == SyntaxKind::Call && n.text == "when" && n.children.size() == 3)
    return for_each_read(expressions_.static_condition(n.children[0]) ? n.children[1] : n.children[2], visit);
  if (n.kind == SyntaxKind::Read) visit(n);
  for (SyntaxId c : n.children) for_each_read(c, visit);
  for (const PackOperator& op : n.pack) for_each_read(op.map, visit);
}

void ExtentBinder::learn_rank(const std::string& pack, std::size_t rank, bool at_least) {
  Pack& p = axes_.pack_named(pack);
  if (!p.rank || (at_least && *p.rank < rank)) p.rank = rank;
}

void ExtentBinder::find_stated_ranks(const SyntaxStatement& st) {
  for (const SyntaxBinding& b : st.bindings) {
    const SyntaxNode& target = scope_.at(b.target);
    if (b.rank) {
      const auto v = index_.as_constant(expressions_.index_of(b.value));
      if (!v || *v < 0 || *v > 1'000'000) bad(target, "the rank of `" + target.text + "` is not a number");
      learn_rank(target.text, static_cast<std::size_t>(*v), false);
      fixed_rank_.push_back(target.text);
    } else if (target.kind == SyntaxKind::Pack && target.pack.empty()) {
      learn_rank(target.text, scope_.int_list(scope_.at(b.value).text).size(), true);
      list_rank_.push_back(target.text);
    }
  }
}

// `rank P = attr` with a negative axis needs the rank of the whole operand: it is written with dim counts instead.
void ExtentBinder::find_rank_in(const SyntaxNode& n) {
  const auto tensor = scope_.tensor_of(n);
  if (!tensor) return;
  const std::size_t rank = scope_.formula().tensor(*tensor).shape.size();
  std::size_t singles = 0, known = 0;
  const SyntaxNode* open = nullptr;
  const std::size_t count = n.children.size() - (n.has_fill ? 1 : 0);
  const auto packs = std::count_if(n.children.begin(), n.children.begin() + static_cast<std::ptrdiff_t>(count),
                                   [&](SyntaxId c) { return scope_.at(c).kind == SyntaxKind::Pack; });
  auto among = [](const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  for (std::size_t i = 0; i < count; ++i) {
    const SyntaxNode& sub = scope_.at(n.children[i]);
    if (sub.kind != SyntaxKind::Pack) {
      ++singles;
    } else if (among(fixed_rank_, sub.text) || (packs > 1 && among(list_rank_, sub.text))) {
      // A pack whose extents are a list has as many axes; alone in a read it may still broadcast.
      known += axes_.covered(sub, *axes_.pack_named(sub.text).rank);
    } else {
      if (open) bad(n, "two packs of unknown rank in one read");
      open = &sub;
    }
  }
  if (rank < singles + known || (!open && rank != singles + known)) {
    refuse<kRankMismatch>(n.text, static_cast<std::int64_t>(rank),
                          (open ? "at least " : "") + std::to_string(singles + known));
  }
  if (!open) return;
  std::size_t r = rank - singles - known;
  for (const PackOperator& op : open->pack) {
    if (op.kind == PackOperator::Kind::Drop && op.axes != "every" && scope_.attribute(op.axes))
      r += scope_.int_list(op.axes).size();
    if (op.kind == PackOperator::Kind::Only) return;
  }
  learn_rank(open->text, r, true);
}

void ExtentBinder::find_ranks(const SyntaxStatement& st) {
  find_stated_ranks(st);
  const auto from_read = [&](const SyntaxNode& n) { find_rank_in(n); };
  for_each_read(st.body, from_read);
  for_each_read(st.guard, from_read);
  for (SyntaxId s : st.subscripts) for_each_read(s, from_read);
  if (const auto target = target_in_base(st)) find_rank_in(*target);
  axes_.size_packs();
}

std::optional<SyntaxNode> ExtentBinder::target_in_base(const SyntaxStatement& st) const {
  if (axes_.ground() || !st.base.valid() || scope_.at(st.base).kind != SyntaxKind::Name) return std::nullopt;
  SyntaxNode target;
  target.kind = SyntaxKind::Read;
  target.text = scope_.at(st.base).text;
  target.children = st.subscripts;
  target.column = st.column;
  return target;
}

void ExtentBinder::bind_extents(SyntaxId root) {
  if (!root.valid()) return;
  const SyntaxNode& n = scope_.at(root);
  if (n.kind == SyntaxKind::Call && n.text == "when" && n.children.size() == 3)
    return bind_extents(expressions_.static_condition(n.children[0]) ? n.children[1] : n.children[2]);
  if (n.kind == SyntaxKind::Reduce) {
    axes_.enter(root);
    for (SyntaxId c : n.children) bind_extents(c);
    axes_.leave();
    return;
  }
  if (n.kind == SyntaxKind::Read && !axes_.ground()) bind_read(n);
  for (SyntaxId c : n.children) bind_extents(c);
  for (const PackOperator& op : n.pack) bind_extents(op.map);
}

void ExtentBinder::bind_read(const SyntaxNode& n) {
  const auto tensor = scope_.tensor_of(n);
  if (!tensor) return;
  const FormulaTensor& t = scope_.formula().tensor(*tensor);
  std::size_t dim = 0;
  const std::size_t count = n.children.size() - (n.has_fill ? 1 : 0);
  for (std::size_t i = 0; i < count; ++i) {
    const SyntaxNode& sub = scope_.at(n.children[i]);
    if (sub.kind != SyntaxKind::Pack) {
      if (axes_.is_label(sub)) {
        const LabelKey key = axes_.key_of(sub.text);
        axes_.bind_label(key, t.shape[dim], place_of(n.text, dim));
      }
      ++dim;
      continue;
    }
    const std::size_t rest = axes_.covered(n.children, i + 1, count);
    const std::size_t here = t.shape.size() - dim - rest;
    Pack& p = axes_.pack(sub);
    const auto dims = axes_.pack_dims(sub, *p.rank);
    if (here > dims.size() || (here < dims.size() && !sub.pack.empty()))
      refuse<kRankMismatch>(n.text, static_cast<std::int64_t>(t.shape.size()),
                            std::to_string(t.shape.size() - here + dims.size()));
    // Right-aligned: an operand of lower rank has the last axes.
    const std::size_t skipped = dims.size() - here;
    if (skipped > 0) p.shorter.push_back({n.text, t.shape.size(), t.shape.size() + skipped});
    for (std::size_t k = 0; k < here; ++k, ++dim) {
      const PackDim& d = dims[k + skipped];
      if (!d.axis || !d.whole) continue;
      axes_.bind_axis(sub.text, *d.axis, t.shape[dim], sub.pack.empty(), place_of(n.text, dim));
    }
  }
  if (dim != t.shape.size())
    refuse<kRankMismatch>(n.text, static_cast<std::int64_t>(t.shape.size()), std::to_string(dim));
}

void ExtentBinder::bind_where(const SyntaxStatement& st) {
  for (const SyntaxBinding& b : st.bindings) {
    if (b.rank) continue;
    const SyntaxNode& target = scope_.at(b.target);
    if (target.kind == SyntaxKind::Name) {
      bind_stated_label(target, expressions_.index_of(b.value));
      continue;
    }
    if (target.kind != SyntaxKind::Pack) bad(target, "`where` binds index labels and packs");
    Pack& p = axes_.pack(target);
    const auto chosen =
        target.pack.empty() ? scope_.axes("every", *p.rank) : scope_.axes(target.pack.front().axes, *p.rank);
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      const IndexExpr size =
          expressions_.mapped_index(b.value, {index_.constant(0), chosen[i], i, 0, *p.rank}, scope_.at(b.value));
      const std::string name = target.text + "[" + std::to_string(chosen[i]) + "]";
      scope_.check_extent(name, size);
      // Dims of size 1 broadcast to what `where` states; others must agree with it.
      auto& extent = p.extents[chosen[i]];
      if (extent && extent->unit) extent.reset();
      axes_.merge(extent, size, {"`where`"}, name);
    }
  }
}

void ExtentBinder::bind_stated_label(const SyntaxNode& target, IndexExpr size) {
  scope_.check_extent(target.text, size);
  // A reduction's index label may be bound here as well: then it is the reduction that declares it.
  const std::vector<SyntaxNode>& nodes = scope_.syntax().nodes;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].kind != SyntaxKind::Reduce) continue;
    for (SyntaxId l : nodes[i].labels)
      if (scope_.at(l).kind == SyntaxKind::Name && scope_.at(l).text == target.text)
        axes_.bind_label({target.text, static_cast<std::uint32_t>(i)}, size, {"`where`"});
  }
  axes_.bind_label({target.text, kStatement}, size, {"`where`"});
}

void ExtentBinder::bind_bare_operands(SyntaxId root, bool ranks) {
  if (!root.valid()) return;
  const SyntaxNode& n = scope_.at(root);
  if (n.kind == SyntaxKind::Call && n.text == "when" && n.children.size() == 3)
    return bind_bare_operands(expressions_.static_condition(n.children[0]) ? n.children[1] : n.children[2], ranks);
  if (n.kind == SyntaxKind::Call && names_operand(n.text)) return;
  if (n.kind == SyntaxKind::Call && n.text == "like" && !n.children.empty())
    return bind_bare_operands(n.children.front(), ranks);
  if (n.kind == SyntaxKind::Name && !scope_.attribute(n.text) && !scope_.is_absent(n.text)) {
    if (const auto id = scope_.find_tensor(n.text)) bind_bare_operand(scope_.formula().tensor(*id), ranks);
  }
  for (SyntaxId c : n.children) bind_bare_operands(c, ranks);
}

void ExtentBinder::bind_bare_operand(const FormulaTensor& operand, bool ranks) {
  Pack& p = axes_.pack_named("B");
  const std::size_t rank = operand.shape.size();
  if (ranks) {
    learn_rank("B", rank, true);
    p.extents.resize(*p.rank);
    return;
  }
  const std::size_t skipped = *p.rank - rank;
  for (std::size_t d = 0; d < rank; ++d)
    axes_.bind_axis("B", d + skipped, operand.shape[d], true, place_of(operand.name, d));
}

}  // namespace mlgc::instantiation
