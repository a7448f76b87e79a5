// Ranks and extents of a statement. Guarantees: afterwards every pack that the statement mentions has a rank, and every
// letter or axis that a read or `where` speaks of has one extent on which all places agree; where they disagree, or
// where the facts do not decide it, the statement is refused naming both places.
#include <algorithm>
#include <cstdlib>

#include "formula/instantiator.h"

namespace mlgc::instantiation {

std::string Instantiator::show(IndexExpr e) const {
  return index_.print(e, [&](AtomId id) { return letter_name(id); });
}

std::string Instantiator::letter_name(AtomId id) const {
  const Atom& a = index_.atom(id);
  return a.kind == AtomKind::Letter ? formula_.letter_names.at(a.number) : "?";
}

void Instantiator::merge(std::optional<Extent>& slot, IndexExpr size, Place place, const std::string& letter) {
  if (!slot) {
    slot = Extent{size, std::move(place)};
    return;
  }
  switch (index_.equal(slot->size, size, facts_)) {
    case Truth::Yes:
      // The shorter canonical form is kept: a constant rather than a symbol that is known to equal it.
      if (index_.as_constant(size)) slot->size = size;
      return;
    case Truth::No: refuse<kExtentMismatch>(letter, show(slot->size), slot->place.text, show(size), place.text);
    case Truth::Unknown: refuse<kExtentUnknown>(letter, show(slot->size), slot->place.text, show(size), place.text);
  }
}

std::vector<IndexExpr> Instantiator::int_list(const std::string& name) {
  const AttrValue* v = attributes_.find(name);
  if (!v) return {};
  if (const auto* one = std::get_if<IndexExpr>(v)) return {*one};
  if (const auto* list = std::get_if<std::vector<IndexExpr>>(v)) return *list;
  refuse<kFormulaSyntax>("attribute `" + name + "` is not a list of integers", 0);
}

std::vector<std::size_t> Instantiator::axes(const std::string& text, std::size_t rank, bool permutation) {
  std::vector<std::size_t> out;
  auto add = [&](std::int64_t a) {
    const std::int64_t r = static_cast<std::int64_t>(rank);
    // A scalar has the axes 0 and -1, as in PyTorch.
    if (rank == 0 && (a == 0 || a == -1)) return;
    if (a < -r || a >= r) refuse<kAxisOutOfRange>(a, text, r);
    const std::size_t axis = static_cast<std::size_t>(a < 0 ? a + r : a);
    if (std::find(out.begin(), out.end(), axis) != out.end()) refuse<kAxisRepeated>(a, text);
    out.push_back(axis);
  };
  const bool literal = !text.empty() && (text[0] == '-' || (text[0] >= '0' && text[0] <= '9'));
  if (literal) {
    add(std::strtoll(text.c_str(), nullptr, 10));
    return out;
  }
  if (text == "every" || !attributes_.find(text)) {
    for (std::size_t i = 0; i < rank; ++i) out.push_back(i);
    return out;
  }
  for (IndexExpr e : int_list(text)) {
    const auto c = index_.as_constant(e);
    if (!c) refuse<kFormulaSyntax>("an axis in `" + text + "` is not a constant", 0);
    add(*c);
  }
  if (permutation && out.size() != rank)
    refuse<kListLength>(text, static_cast<std::int64_t>(out.size()), static_cast<std::int64_t>(rank));
  return out;
}

std::size_t Instantiator::covered(const SyntaxNode& node, std::size_t r) {
  std::size_t n = r;
  for (const PackOperator& op : node.pack) {
    if (op.kind == PackOperator::Kind::Drop && !flag(op.keep_flag)) n -= axes(op.axes, r).size();
    if (op.kind == PackOperator::Kind::Only) n = axes(op.axes, r).size();
  }
  return n;
}

bool Instantiator::flag(const std::string& name) const {
  if (name.empty()) return false;
  const AttrValue* v = attributes_.find(name);
  const bool* b = v ? std::get_if<bool>(v) : nullptr;
  return b && *b;
}

void Instantiator::for_each_read(SyntaxId root, const std::function<void(const SyntaxNode&)>& visit) {
  if (!root.valid()) return;
  const SyntaxNode& n = at(root);
  if (n.kind == SyntaxKind::Call && n.text == "when" && n.children.size() == 3)
    return for_each_read(static_condition(n.children[0]) ? n.children[1] : n.children[2], visit);
  if (n.kind == SyntaxKind::Read) visit(n);
  for (SyntaxId c : n.children) for_each_read(c, visit);
  for (const PackOperator& op : n.pack) for_each_read(op.map, visit);
}

std::optional<TensorId> Instantiator::tensor_of(const SyntaxNode& n) const {
  if (is_absent(n.text)) return std::nullopt;
  auto id = find_tensor(n.text);
  if (!id) bad(n, "`" + n.text + "` is neither an operand nor an earlier result");
  return id;
}

void Instantiator::find_ranks(const SyntaxStatement& st) {
  auto learn = [&](const std::string& name, std::size_t rank, bool at_least) {
    Pack& p = packs_[name];
    if (!p.rank || (at_least && *p.rank < rank)) p.rank = rank;
  };
  for (const SyntaxBinding& b : st.bindings) {
    const SyntaxNode& target = at(b.target);
    if (b.rank) {
      const ExprId e = build(b.value);
      auto c = as_index(e, at(b.value));
      auto v = index_.as_constant(c);
      if (!v || *v < 0 || *v > 1'000'000) bad(target, "the rank of `" + target.text + "` is not a number");
      learn(target.text, static_cast<std::size_t>(*v), false);
      fixed_rank_.push_back(target.text);
    } else if (target.kind == SyntaxKind::Pack && target.pack.empty()) {
      learn(target.text, int_list(at(b.value).text).size(), true);
      list_rank_.push_back(target.text);
    }
  }
  // `rank P = attr` with a negative axis needs the rank of the whole operand: it is written with dim counts instead.
  auto from_read = [&](const SyntaxNode& n) {
    const auto tensor = tensor_of(n);
    if (!tensor) return;
    const std::size_t rank = formula_.tensor(*tensor).shape.size();
    std::size_t singles = 0, known = 0;
    const SyntaxNode* open = nullptr;
    const std::size_t count = n.children.size() - (n.has_fill ? 1 : 0);
    const auto packs = std::count_if(n.children.begin(), n.children.begin() + static_cast<std::ptrdiff_t>(count),
                                     [&](SyntaxId c) { return at(c).kind == SyntaxKind::Pack; });
    auto among = [](const std::vector<std::string>& names, const std::string& name) {
      return std::find(names.begin(), names.end(), name) != names.end();
    };
    for (std::size_t i = 0; i < count; ++i) {
      const SyntaxNode& sub = at(n.children[i]);
      if (sub.kind != SyntaxKind::Pack) {
        ++singles;
      } else if (among(fixed_rank_, sub.text) || (packs > 1 && among(list_rank_, sub.text))) {
        // A pack whose extents are a list has as many axes; alone in a read it may still broadcast.
        known += covered(sub, *packs_[sub.text].rank);
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
      if (op.kind == PackOperator::Kind::Drop && op.axes != "every" && attributes_.find(op.axes))
        r += int_list(op.axes).size();
      if (op.kind == PackOperator::Kind::Only) return;
    }
    learn(open->text, r, true);
  };
  for_each_read(st.body, from_read);
  for_each_read(st.guard, from_read);
  for (SyntaxId s : st.subscripts) for_each_read(s, from_read);
  if (const auto target = target_in_base(st)) from_read(*target);
  for (auto& [name, pack] : packs_)
    if (pack.rank) pack.extents.resize(*pack.rank);
}

std::optional<SyntaxNode> Instantiator::target_in_base(const SyntaxStatement& st) const {
  if (ground_ || !st.base.valid() || at(st.base).kind != SyntaxKind::Name) return std::nullopt;
  SyntaxNode target;
  target.kind = SyntaxKind::Read;
  target.text = at(st.base).text;
  target.children = st.subscripts;
  target.column = st.column;
  return target;
}

Pack& Instantiator::pack(const SyntaxNode& node) {
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

std::vector<PackDim> Instantiator::pack_dims(const SyntaxNode& node, std::size_t rank) {
  std::vector<PackDim> dims(rank);
  for (std::size_t i = 0; i < rank; ++i) dims[i].axis = i;
  for (const PackOperator& op : node.pack) {
    if (op.kind == PackOperator::Kind::Permute) {
      if (dims.size() != rank) bad(node, "a permutation stands behind axes that were dropped");
      const auto p = axes(op.axes, rank, true);
      std::vector<PackDim> permuted(rank);
      for (std::size_t i = 0; i < rank; ++i) permuted[i] = dims[p[i]];
      dims = std::move(permuted);
      continue;
    }
    const auto chosen = axes(op.axes, rank);
    auto among = [&](const PackDim& d) {
      return d.axis && std::find(chosen.begin(), chosen.end(), *d.axis) != chosen.end();
    };
    const bool unit =
        op.kind == PackOperator::Kind::Unit || (op.kind == PackOperator::Kind::Drop && flag(op.keep_flag));
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

LetterKey Instantiator::key_of(const std::string& name) const {
  for (auto it = scopes_.rbegin(); it != scopes_.rend(); ++it)
    for (SyntaxId l : at(*it).letters)
      if (at(l).kind == SyntaxKind::Name && at(l).text == name) return {name, it->value};
  return {name, kStatement};
}

bool Instantiator::is_letter(const SyntaxNode& n) const {
  return n.kind == SyntaxKind::Name && !attributes_.find(n.text) && !find_tensor(n.text) && !is_constant(n.text) &&
         !is_symbol(n.text);
}

bool Instantiator::is_symbol(const std::string& name) const {
  return ground_ && std::none_of(ground_->begin(), ground_->end(), [&](const auto& o) { return o.first == name; });
}

void Instantiator::bind_extents(SyntaxId root) {
  if (!root.valid()) return;
  const SyntaxNode& n = at(root);
  if (n.kind == SyntaxKind::Call && n.text == "when" && n.children.size() == 3)
    return bind_extents(static_condition(n.children[0]) ? n.children[1] : n.children[2]);
  if (n.kind == SyntaxKind::Reduce) {
    scopes_.push_back(root);
    for (SyntaxId c : n.children) bind_extents(c);
    scopes_.pop_back();
    return;
  }
  if (n.kind == SyntaxKind::Read && !ground_) bind_read(n);
  for (SyntaxId c : n.children) bind_extents(c);
  for (const PackOperator& op : n.pack) bind_extents(op.map);
}

void Instantiator::bind_read(const SyntaxNode& n) {
  const auto tensor = tensor_of(n);
  if (!tensor) return;
  const FormulaTensor& t = formula_.tensor(*tensor);
  std::size_t dim = 0;
  const std::size_t count = n.children.size() - (n.has_fill ? 1 : 0);
  for (std::size_t i = 0; i < count; ++i) {
    const SyntaxNode& sub = at(n.children[i]);
    if (sub.kind != SyntaxKind::Pack) {
      if (is_letter(sub)) {
        const LetterKey key = key_of(sub.text);
        merge(letters_[key], t.shape[dim], place_of(n.text, dim), sub.text);
      }
      ++dim;
      continue;
    }
    const std::size_t rest = singles_after(n, i, count);
    const std::size_t here = t.shape.size() - dim - rest;
    Pack& p = pack(sub);
    const auto dims = pack_dims(sub, *p.rank);
    if (here > dims.size() || (here < dims.size() && !sub.pack.empty()))
      refuse<kRankMismatch>(n.text, static_cast<std::int64_t>(t.shape.size()),
                            std::to_string(t.shape.size() - here + dims.size()));
    // Right-aligned: an operand of lower rank has the last axes.
    const std::size_t skipped = dims.size() - here;
    if (skipped > 0) p.shorter.push_back({n.text, t.shape.size(), t.shape.size() + skipped});
    for (std::size_t k = 0; k < here; ++k, ++dim) {
      const PackDim& d = dims[k + skipped];
      if (!d.axis || !d.whole) continue;
      const IndexExpr size = t.shape[dim];
      if (index_.as_constant(size) == 1 && can_broadcast(sub)) {
        unit_seen_[sub.text].resize(*p.rank);
        unit_seen_[sub.text][*d.axis] = true;
        continue;
      }
      merge(p.extents[*d.axis], size, place_of(n.text, dim), sub.text + "[" + std::to_string(*d.axis) + "]");
    }
  }
  if (dim != t.shape.size())
    refuse<kRankMismatch>(n.text, static_cast<std::int64_t>(t.shape.size()), std::to_string(dim));
}

std::size_t Instantiator::singles_after(const SyntaxNode& n, std::size_t i, std::size_t count) {
  std::size_t rest = 0;
  for (std::size_t j = i + 1; j < count; ++j) {
    const SyntaxNode& sub = at(n.children[j]);
    rest += sub.kind == SyntaxKind::Pack ? covered(sub, *pack(sub).rank) : 1;
  }
  return rest;
}

void Instantiator::close_units() {
  for (auto& [name, seen] : unit_seen_)
    for (std::size_t i = 0; i < seen.size(); ++i)
      if (seen[i] && !packs_[name].extents[i]) packs_[name].extents[i] = Extent{number(1), {"size 1"}, true};
}

void Instantiator::bind_where(const SyntaxStatement& st) {
  for (const SyntaxBinding& b : st.bindings) {
    if (b.rank) continue;
    const SyntaxNode& target = at(b.target);
    if (target.kind == SyntaxKind::Name) {
      const IndexExpr size = as_index(build(b.value), at(b.value));
      check_extent(target.text, size);
      // A reduction's letter may be bound here as well: then it is the reduction that declares it.
      LetterKey key{target.text, kStatement};
      for (std::size_t i = 0; i < syntax_.nodes.size(); ++i) {
        const SyntaxNode& r = syntax_.nodes[i];
        if (r.kind != SyntaxKind::Reduce) continue;
        for (SyntaxId l : r.letters)
          if (at(l).kind == SyntaxKind::Name && at(l).text == target.text)
            merge(letters_[{target.text, static_cast<std::uint32_t>(i)}], size, {"`where`"}, target.text);
      }
      merge(letters_[key], size, {"`where`"}, target.text);
      continue;
    }
    if (target.kind != SyntaxKind::Pack) bad(target, "`where` binds letters and packs");
    Pack& p = pack(target);
    const auto chosen = target.pack.empty() ? axes("every", *p.rank) : axes(target.pack.front().axes, *p.rank);
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      const MapContext saved = map_;
      const bool inside = in_map_;
      map_ = {number(0), chosen[i], i, 0, *p.rank};
      in_map_ = true;
      const IndexExpr size = as_index(build(b.value), at(b.value));
      map_ = saved;
      in_map_ = inside;
      const std::string name = target.text + "[" + std::to_string(chosen[i]) + "]";
      check_extent(name, size);
      // Dims of size 1 broadcast to what `where` states; others must agree with it.
      auto& extent = p.extents[chosen[i]];
      if (extent && extent->unit) extent.reset();
      merge(extent, size, {"`where`"}, name);
    }
  }
}

void Instantiator::check_extent(const std::string& letter, IndexExpr size) {
  const bool negative = index_.is_non_negative(index_.sub(number(-1), size), facts_);
  if (size == index_.overflow() || negative) refuse<kBadExtent>(letter, show(size));
  // What no index expression could say: a division by 0, or something that depends on data.
  bool opaque = false;
  index_.for_each_atom(size, [&](AtomId a) { opaque = opaque || index_.atom(a).kind == AtomKind::Opaque; });
  if (opaque) refuse<kBadExtent>(letter, "a division by 0, or something that is no size");
}

bool Instantiator::names_operand(std::string_view function) {
  for (std::string_view f : {"has", "dim", "rank", "size", "axis", "isfloat", "isbool", "headroom"})
    if (f == function) return true;
  return false;
}

void Instantiator::bind_bare_operands(SyntaxId root, bool ranks) {
  if (!root.valid()) return;
  const SyntaxNode& n = at(root);
  if (n.kind == SyntaxKind::Call && n.text == "when" && n.children.size() == 3)
    return bind_bare_operands(static_condition(n.children[0]) ? n.children[1] : n.children[2], ranks);
  if (n.kind == SyntaxKind::Call && names_operand(n.text)) return;
  if (n.kind == SyntaxKind::Call && n.text == "like" && !n.children.empty())
    return bind_bare_operands(n.children.front(), ranks);
  if (n.kind == SyntaxKind::Name && !attributes_.find(n.text) && !is_absent(n.text)) {
    if (auto id = find_tensor(n.text)) {
      const auto& shape = formula_.tensor(*id).shape;
      Pack& p = packs_["B"];
      if (ranks) {
        if (!p.rank || *p.rank < shape.size()) p.rank = shape.size();
        p.extents.resize(*p.rank);
      } else {
        const std::size_t skipped = *p.rank - shape.size();
        for (std::size_t d = 0; d < shape.size(); ++d) {
          const std::size_t axis = d + skipped;
          if (index_.as_constant(shape[d]) == 1) {
            unit_seen_["B"].resize(*p.rank);
            unit_seen_["B"][axis] = true;
          } else {
            merge(p.extents[axis], shape[d], place_of(n.text, d), "B[" + std::to_string(axis) + "]");
          }
        }
      }
    }
  }
  for (SyntaxId c : n.children) bind_bare_operands(c, ranks);
}

}  // namespace mlgc::instantiation
