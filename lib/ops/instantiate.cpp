// Instantiation of formula text: ranks of packs, then extents of letters, then typed expressions, statement by
// statement.
#include "ops/instantiate.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <numbers>
#include <optional>

#include "diag/kinds_ops.h"
#include "support/result.h"

namespace mlgc {

const AttrValue* AttrValues::find(std::string_view name) const {
  for (const auto& [key, value] : values)
    if (key == name) return &value;
  return nullptr;
}

namespace {

struct Refused {
  Diagnostic diagnostic;
};

template <const DiagKind& K, class... Args>
[[noreturn]] void refuse(Args&&... args) {
  throw Refused{diagnose<K>({}, std::forward<Args>(args)...)};
}

// Where an extent came from, for the message when another place disagrees.
struct Place {
  std::string text;
};

struct Extent {
  IndexExpr size;
  Place place;
  bool unit = false;  // only dims of size 1 say so
};

struct Pack {
  std::optional<std::size_t> rank;
  std::vector<std::optional<Extent>> extents;
};

// A subscript list of a read, with its pack located.
struct ReadLayout {
  std::size_t pack_at = 0;    // index in the subscript list; == count when there is none
  std::size_t pack_rank = 0;  // dims of the operand that the pack covers
};

// What `_` and the one-argument `dim` mean inside `{d: e}`.
struct MapContext {
  IndexExpr letter;
  std::size_t position = 0;  // axis within the pack
  std::size_t ordinal = 0;   // place of the axis in the axis list
  std::size_t offset = 0;    // first dim of the pack in the operand being read
  std::size_t rank = 0;      // of the pack
};

class Instantiator {
 public:
  Instantiator(FormulaPool& pool, const FormulaSyntax& syntax, const std::vector<FormulaOperand>& operands,
               const AttrValues& attributes, const std::vector<std::string>& results, const Facts& facts)
      : pool_(pool), index_(pool.index()), syntax_(syntax), attributes_(attributes), results_(results), facts_(facts) {
    for (const FormulaOperand& o : operands) {
      if (!o.present) {
        absent_.push_back(o.name);
        // Absent operands keep their place, so that operand numbers are those of the op.
      }
      formula_.add_tensor({o.name, TensorRole::Operand, o.dtype, o.shape});
    }
  }

  Formula run() {
    for (std::size_t s = 0; s < syntax_.statements.size(); ++s) statement(syntax_.statements[s], s);
    return std::move(formula_);
  }

  // A scalar expression in which every name is given.
  ExprId scalar(const std::vector<std::pair<std::string_view, ExprId>>& names) {
    names_ = &names;
    return build(syntax_.statements.front().body);
  }

 private:
  // ------------------------------------------------------------------------------------------------ helpers

  [[noreturn]] void bad(const SyntaxNode& node, std::string message) const {
    refuse<kFormulaSyntax>(std::move(message), static_cast<std::int64_t>(node.column));
  }
  [[nodiscard]] const SyntaxNode& at(SyntaxId id) const { return syntax_[id]; }
  [[nodiscard]] bool is_absent(std::string_view name) const {
    return std::find(absent_.begin(), absent_.end(), name) != absent_.end();
  }
  [[nodiscard]] IndexExpr number(std::int64_t v) { return index_.constant(v); }
  [[nodiscard]] std::string show(IndexExpr e) const {
    return index_.print(e, [&](AtomId id) { return letter_name(id); });
  }
  [[nodiscard]] std::string letter_name(AtomId id) const {
    const Atom& a = index_.atom(id);
    return a.kind == AtomKind::Letter ? formula_.letter_names.at(a.number) : "?";
  }
  static Place place_of(std::string_view operand, std::size_t dim) {
    return {"operand `" + std::string(operand) + "`, axis " + std::to_string(dim)};
  }

  void merge(std::optional<Extent>& slot, IndexExpr size, Place place, const std::string& letter) {
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

  // ------------------------------------------------------------------------------------------------ attributes

  std::vector<IndexExpr> int_list(const std::string& name) {
    const AttrValue* v = attributes_.find(name);
    if (!v) return {};
    if (const auto* one = std::get_if<IndexExpr>(v)) return {*one};
    if (const auto* list = std::get_if<std::vector<IndexExpr>>(v)) return *list;
    refuse<kFormulaSyntax>("attribute `" + name + "` is not a list of integers", 0);
  }

  // Axes as positions 0 .. rank-1.
  std::vector<std::size_t> axes(const std::string& text, std::size_t rank, bool permutation = false) {
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

  // ------------------------------------------------------------------------------------------------ packs

  // Dims of an operand that `node` (a Pack) covers when its pack has rank r; nothing when it depends on more.
  std::size_t covered(const SyntaxNode& node, std::size_t r) {
    std::size_t n = r;
    for (const PackOperator& op : node.pack) {
      if (op.kind == PackOperator::Kind::Drop && !flag(op.keep_flag)) n -= axes(op.axes, r).size();
      if (op.kind == PackOperator::Kind::Only) n = axes(op.axes, r).size();
    }
    return n;
  }

  bool flag(const std::string& name) const {
    if (name.empty()) return false;
    const AttrValue* v = attributes_.find(name);
    const bool* b = v ? std::get_if<bool>(v) : nullptr;
    return b && *b;
  }

  // Calls `visit(node, tensor)` for every present read in the statement that is not on a static side not taken.
  void for_each_read(SyntaxId root, const std::function<void(const SyntaxNode&)>& visit) {
    if (!root.valid()) return;
    const SyntaxNode& n = at(root);
    if (n.kind == SyntaxKind::Call && n.text == "when" && n.children.size() == 3)
      return for_each_read(static_condition(n.children[0]) ? n.children[1] : n.children[2], visit);
    if (n.kind == SyntaxKind::Read) visit(n);
    for (SyntaxId c : n.children) for_each_read(c, visit);
    for (const PackOperator& op : n.pack) for_each_read(op.map, visit);
  }

  [[nodiscard]] std::optional<TensorId> tensor_of(const SyntaxNode& n) const {
    if (is_absent(n.text)) return std::nullopt;
    auto id = formula_.find(n.text);
    if (!id) bad(n, "`" + n.text + "` is neither an operand nor an earlier result");
    return id;
  }

  void find_ranks(const SyntaxStatement& st) {
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

  // The place that a push writes to, as if it were read from the operand that the result starts as: a bare subscript
  // binds there as well.
  [[nodiscard]] std::optional<SyntaxNode> target_in_base(const SyntaxStatement& st) const {
    if (ground_ || !st.base.valid() || at(st.base).kind != SyntaxKind::Name) return std::nullopt;
    SyntaxNode target;
    target.kind = SyntaxKind::Read;
    target.text = at(st.base).text;
    target.children = st.subscripts;
    target.column = st.column;
    return target;
  }

  Pack& pack(const SyntaxNode& node) {
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

  // One dim of an operand under a pack: which pack axis it is, or a unit dim, and its map if any.
  struct PackDim {
    std::optional<std::size_t> axis;  // nothing: a unit dim
    const PackOperator* map = nullptr;
    std::size_t ordinal = 0;
    bool whole = true;  // a bare subscript: binds the extent
  };

  std::vector<PackDim> pack_dims(const SyntaxNode& node, std::size_t rank) {
    std::vector<PackDim> dims(rank);
    for (std::size_t i = 0; i < rank; ++i) dims[i].axis = i;
    for (const PackOperator& op : node.pack) {
      if (op.kind == PackOperator::Kind::Permute) {
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

  // ------------------------------------------------------------------------------------------------ extents

  // Letters declared by reductions around the place being walked, innermost last: (name, reduction).
  struct LetterKey {
    std::string name;
    std::uint32_t scope;  // the Reduce node, or kStatement
    auto operator<=>(const LetterKey&) const = default;
  };
  static constexpr std::uint32_t kStatement = 0xFFFFFFFF;

  [[nodiscard]] LetterKey key_of(const std::string& name) const {
    for (auto it = scopes_.rbegin(); it != scopes_.rend(); ++it)
      for (SyntaxId l : at(*it).letters)
        if (at(l).kind == SyntaxKind::Name && at(l).text == name) return {name, it->value};
    return {name, kStatement};
  }

  [[nodiscard]] bool is_letter(const SyntaxNode& n) const {
    return n.kind == SyntaxKind::Name && !attributes_.find(n.text) && !formula_.find(n.text) && !is_constant(n.text) &&
           !is_symbol(n.text);
  }
  // In the ground form, which names its letters after `over`, every other name is a symbol.
  [[nodiscard]] bool is_symbol(const std::string& name) const {
    return ground_ && std::none_of(ground_->begin(), ground_->end(), [&](const auto& o) { return o.first == name; });
  }
  static bool is_constant(std::string_view name) {
    return name == "pi" || name == "inf" || name == "nan" || name == "true" || name == "false" || name == "_";
  }

  void bind_extents(SyntaxId root) {
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

  void bind_read(const SyntaxNode& n) {
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

  static bool can_broadcast(const SyntaxNode& sub) { return sub.pack.empty(); }

  std::size_t singles_after(const SyntaxNode& n, std::size_t i, std::size_t count) {
    std::size_t rest = 0;
    for (std::size_t j = i + 1; j < count; ++j) {
      const SyntaxNode& sub = at(n.children[j]);
      rest += sub.kind == SyntaxKind::Pack ? covered(sub, *pack(sub).rank) : 1;
    }
    return rest;
  }

  // Axes that only size-1 dims speak of have extent 1.
  void close_units() {
    for (auto& [name, seen] : unit_seen_)
      for (std::size_t i = 0; i < seen.size(); ++i)
        if (seen[i] && !packs_[name].extents[i]) packs_[name].extents[i] = Extent{number(1), {"size 1"}, true};
  }

  void bind_where(const SyntaxStatement& st) {
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

  void check_extent(const std::string& letter, IndexExpr size) {
    const bool negative = index_.is_non_negative(index_.sub(number(-1), size), facts_);
    if (size == index_.overflow() || negative) refuse<kBadExtent>(letter, show(size));
  }

  // ------------------------------------------------------------------------------------------------ expressions

  bool static_condition(SyntaxId id) {
    const ExprId e = build(id);
    if (!e.valid() || pool_.node(e).kind != NodeKind::Literal || is_float(pool_.type(e)))
      bad(at(id), "the condition of `when` is not static");
    return pool_.literal_integer(e) != 0;
  }

  IndexExpr as_index(ExprId e, const SyntaxNode& node) {
    if (!e.valid()) bad(node, "an absent operand stands in a subscript");
    const ExprNode& n = pool_.node(e);
    if (n.kind == NodeKind::Index) return pool_.index_of(e);
    if (is_float(n.type)) bad(node, "a subscript must be an integer");
    if (n.kind == NodeKind::Literal) return number(pool_.literal_integer(e));
    if (n.kind == NodeKind::Cast && n.type == Dtype::I64) {
      const ExprId inner = pool_.arguments(e)[0];
      if (pool_.node(inner).kind == NodeKind::Index) return pool_.index_of(inner);
    }
    return index_.opaque(e.value);
  }

  AtomId letter_atom(const LetterKey& key, const SyntaxNode& node) {
    auto it = atoms_.find(key);
    if (it != atoms_.end()) return it->second;
    auto extent = letters_.find(key);
    if (extent == letters_.end() || !extent->second) {
      if (key.scope != kStatement) {
        // A reduction's letter bound by `where` only.
        auto outer = letters_.find({key.name, kStatement});
        if (outer != letters_.end() && outer->second) return make_letter(key, outer->second->size);
      }
      bad(node, "the extent of letter `" + key.name + "` is not given by any read or `where`");
    }
    return make_letter(key, extent->second->size);
  }

  AtomId make_letter(const LetterKey& key, IndexExpr extent) {
    const AtomId atom = formula_.fresh_letter(index_, key.name, extent);
    atoms_.emplace(key, atom);
    return atom;
  }

  // The letter of an axis of a pack: the innermost reduction over that axis, else the statement's own.
  AtomId pack_letter(const std::string& name, std::size_t axis) {
    std::uint32_t scope = kStatement;
    for (auto it = scopes_.rbegin(); it != scopes_.rend() && scope == kStatement; ++it)
      for (SyntaxId l : at(*it).letters) {
        const SyntaxNode& n = at(l);
        if (n.kind != SyntaxKind::Pack || n.text != name) continue;
        for (const PackDim& d : pack_dims(n, *packs_[name].rank))
          if (d.axis == axis) scope = it->value;
      }
    const LetterKey key{name + ".." + std::to_string(axis), scope};
    auto it = atoms_.find(key);
    if (it != atoms_.end()) return it->second;
    const auto& extent = packs_[name].extents[axis];
    if (!extent)
      refuse<kFormulaSyntax>("the extent of axis " + std::to_string(axis) + " of pack `" + name + "` is not given", 0);
    std::string letter(1, static_cast<char>(std::tolower(static_cast<unsigned char>(name[0]))));
    const AtomId atom = formula_.fresh_letter(index_, letter + std::to_string(axis), extent->size);
    atoms_.emplace(key, atom);
    return atom;
  }

  std::vector<IndexExpr> subscripts_of(const SyntaxNode& n, const std::vector<SyntaxId>& list, std::size_t count,
                                       const std::vector<IndexExpr>* shape) {
    std::vector<IndexExpr> subs;
    for (std::size_t i = 0; i < count; ++i) {
      const SyntaxNode& sub = at(list[i]);
      if (sub.kind != SyntaxKind::Pack) {
        subs.push_back(as_index(build(list[i]), sub));
        continue;
      }
      Pack& p = pack(sub);
      const auto dims = pack_dims(sub, *p.rank);
      std::size_t skipped = 0;
      const std::size_t offset = subs.size();
      if (shape) {
        std::size_t rest = 0;
        for (std::size_t j = i + 1; j < count; ++j)
          rest += at(list[j]).kind == SyntaxKind::Pack ? covered(at(list[j]), *pack(at(list[j])).rank) : 1;
        skipped = dims.size() - (shape->size() - offset - rest);
      }
      for (std::size_t k = skipped; k < dims.size(); ++k) {
        const PackDim& d = dims[k];
        if (!d.axis) {
          subs.push_back(number(0));
          continue;
        }
        // A size-1 dim under a larger axis is read at 0.
        const std::size_t dim = offset + k - skipped;
        if (shape && d.whole && index_.as_constant((*shape)[dim]) == 1) {
          subs.push_back(number(0));
          continue;
        }
        const IndexExpr letter = index_.from_atom(pack_letter(sub.text, *d.axis));
        if (!d.map) {
          subs.push_back(letter);
          continue;
        }
        const MapContext saved = map_;
        const bool inside = in_map_;
        map_ = {letter, *d.axis, d.ordinal, offset - 0, *p.rank};
        in_map_ = true;
        subs.push_back(as_index(build(d.map->map), sub));
        map_ = saved;
        in_map_ = inside;
      }
    }
    (void)n;
    return subs;
  }

  ExprId build_read(const SyntaxNode& n) {
    const auto tensor = tensor_of(n);
    if (!tensor) return {};
    const FormulaTensor t = formula_.tensor(*tensor);
    const std::size_t count = n.children.size() - (n.has_fill ? 1 : 0);
    const auto subs = subscripts_of(n, n.children, count, &t.shape);
    if (subs.size() != t.shape.size())
      refuse<kRankMismatch>(n.text, static_cast<std::int64_t>(t.shape.size()), std::to_string(subs.size()));
    ExprId fill;
    if (n.has_fill) {
      bool inside = true;
      for (std::size_t d = 0; d < subs.size(); ++d)
        inside = inside && index_.is_non_negative(subs[d], facts_) &&
                 index_.is_non_negative(index_.sub(index_.sub(t.shape[d], number(1)), subs[d]), facts_);
      if (!inside) {
        fill = build(n.children.back());
        if (!pool_.node(fill).weak && pool_.type(fill) != t.dtype) fill = pool_.cast(fill, t.dtype);
        fill = pool_.coerce(fill, t.dtype);
      }
    }
    return pool_.read(t.dtype, *tensor, subs, fill);
  }

  ExprId build_name(const SyntaxNode& n) {
    if (names_)
      for (const auto& [name, e] : *names_)
        if (name == n.text) return e;
    if (n.text == "_" && in_map_) return pool_.index_value(map_.letter);
    if (n.text == "pi") return pool_.real(std::numbers::pi);
    if (n.text == "inf") return pool_.real(std::numeric_limits<double>::infinity());
    if (n.text == "nan") return pool_.real(std::numeric_limits<double>::quiet_NaN());
    if (n.text == "true" || n.text == "false") return pool_.boolean(n.text == "true");
    // `stride.0` is an element of a list attribute.
    std::string name = n.text;
    std::optional<std::size_t> element;
    if (const auto dot = name.find('.'); dot != std::string::npos) {
      element = static_cast<std::size_t>(std::strtoull(name.c_str() + dot + 1, nullptr, 10));
      name.resize(dot);
    }
    if (const AttrValue* v = attributes_.find(name)) {
      if (const auto* b = std::get_if<bool>(v)) return pool_.boolean(*b);
      if (const auto* i = std::get_if<IndexExpr>(v)) return pool_.index_value(*i);
      if (const auto* d = std::get_if<double>(v)) return pool_.real(*d);
      if (const auto* list = std::get_if<std::vector<IndexExpr>>(v)) {
        const std::size_t i = element ? *element : map_.ordinal;
        if (!element && !in_map_) bad(n, "attribute `" + name + "` is a list");
        if (list->size() == 1 && !element) return pool_.index_value(list->front());
        if (i >= list->size())
          refuse<kListLength>(name, static_cast<std::int64_t>(list->size()), static_cast<std::int64_t>(i + 1));
        return pool_.index_value((*list)[i]);
      }
      if (const auto* reals = std::get_if<std::vector<double>>(v); reals && element && *element < reals->size())
        return pool_.real((*reals)[*element]);
      bad(n, "attribute `" + name + "` is not a number");
    }
    if (formula_.find(n.text)) {
      // A bare operand stands for its elementwise read.
      if (is_absent(n.text)) return {};
      return build_read_elementwise(n);
    }
    if (is_symbol(n.text)) return pool_.index_value(index_.symbol(n.text));
    const LetterKey key = key_of(n.text);
    return pool_.index_value(index_.from_atom(letter_atom(key, n)));
  }

  ExprId build_read_elementwise(const SyntaxNode& n) {
    const FormulaTensor t = formula_.tensor(*formula_.find(n.text));
    Pack& p = packs_["B"];
    // Conditions of `when` are looked at before there are ranks.
    if (!p.rank || *p.rank < t.shape.size()) bad(n, "the elements of `" + n.text + "` are not known here");
    const std::size_t skipped = *p.rank - t.shape.size();
    std::vector<IndexExpr> subs;
    for (std::size_t d = 0; d < t.shape.size(); ++d)
      subs.push_back(index_.as_constant(t.shape[d]) == 1 ? number(0) : index_.from_atom(pack_letter("B", d + skipped)));
    return pool_.read(t.dtype, *formula_.find(n.text), subs);
  }

  // Functions whose argument is an operand, not its elements.
  static bool names_operand(std::string_view function) {
    for (std::string_view f : {"has", "dim", "rank", "size", "axis", "isfloat", "isbool"})
      if (f == function) return true;
    return false;
  }

  // Bare operands take part in binding the pack `B`.
  void bind_bare_operands(SyntaxId root, bool ranks) {
    if (!root.valid()) return;
    const SyntaxNode& n = at(root);
    if (n.kind == SyntaxKind::Call && n.text == "when" && n.children.size() == 3)
      return bind_bare_operands(static_condition(n.children[0]) ? n.children[1] : n.children[2], ranks);
    if (n.kind == SyntaxKind::Call && names_operand(n.text)) return;
    if (n.kind == SyntaxKind::Call && n.text == "like") return bind_bare_operands(n.children.front(), ranks);
    if (n.kind == SyntaxKind::Name && !attributes_.find(n.text) && !is_absent(n.text)) {
      if (auto id = formula_.find(n.text)) {
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

  ExprId build_extent(const SyntaxNode& n) {
    if (packs_.count(n.text) != 0 && packs_[n.text].rank) {
      IndexExpr product = number(1);
      for (const PackDim& d : pack_dims(n, *packs_[n.text].rank))
        if (d.axis) product = index_.mul(product, packs_[n.text].extents[*d.axis]->size);
      return pool_.index_value(product);
    }
    const LetterKey key = key_of(n.text);
    auto it = letters_.find(key);
    // An extent may be asked for outside the reduction that binds its letter.
    if (it == letters_.end() || !it->second)
      for (it = letters_.begin(); it != letters_.end(); ++it)
        if (it->first.name == n.text && it->second) break;
    if (it == letters_.end()) bad(n, "`#" + n.text + "`: the letter has no extent");
    return pool_.index_value(it->second->size);
  }

  // `linear(B..)`: the row-major position of the letters of a pack.
  ExprId build_linear(const SyntaxNode& n) {
    const SyntaxNode& sub = at(n.children[0]);
    if (sub.kind != SyntaxKind::Pack) bad(n, "`linear` takes a pack");
    IndexExpr position = number(0);
    for (const PackDim& d : pack_dims(sub, *pack(sub).rank)) {
      if (!d.axis) continue;
      const IndexExpr letter = index_.from_atom(pack_letter(sub.text, *d.axis));
      position = index_.add(index_.mul(position, packs_[sub.text].extents[*d.axis]->size), letter);
    }
    return pool_.index_value(position);
  }

  // min and max of sizes, decided where the facts of the function decide it.
  std::optional<ExprId> decided_extremum(const std::string& name, const std::vector<ExprId>& args) {
    if ((name != "min" && name != "max") || args.size() != 2 || facts_.empty()) return std::nullopt;
    for (ExprId a : args)
      if (pool_.node(a).kind != NodeKind::Index && !(pool_.node(a).kind == NodeKind::Literal && pool_.node(a).weak))
        return std::nullopt;
    if (is_float(pool_.type(args[0])) || is_float(pool_.type(args[1]))) return std::nullopt;
    const SyntaxNode none;
    const IndexExpr a = as_index(args[0], none), b = as_index(args[1], none);
    const bool wants_less = name == "min";
    if (index_.is_non_negative(index_.sub(b, a), facts_)) return wants_less ? args[0] : args[1];
    if (index_.is_non_negative(index_.sub(a, b), facts_)) return wants_less ? args[1] : args[0];
    return std::nullopt;
  }

  // The operand that argument i of a call names.
  const FormulaTensor& operand_of(const SyntaxNode& n, std::size_t i) {
    const std::string& name = at(n.children[i]).text;
    const auto tensor = formula_.find(name);
    if (!tensor || is_absent(name)) bad(n, "`" + n.text + "` of `" + name + "`, which is no operand");
    return formula_.tensor(*tensor);
  }

  // `axis(d, x)`: the axis d of x, counted from the front.
  ExprId build_axis(const SyntaxNode& n) {
    const auto rank = static_cast<std::int64_t>(operand_of(n, 1).shape.size());
    const auto axis = index_.as_constant(as_index(build(n.children[0]), n));
    if (!axis) bad(n, "the axis is not a constant");
    if (*axis < -rank || *axis >= rank) refuse<kAxisOutOfRange>(*axis, at(n.children[0]).text, rank);
    return pool_.integer(*axis < 0 ? *axis + rank : *axis);
  }

  ExprId build_dim(const SyntaxNode& n) {
    const auto& shape = operand_of(n, 0).shape;
    const auto rank = static_cast<std::int64_t>(shape.size());
    std::int64_t d = 0;
    if (n.children.size() == 2) {
      const auto c = index_.as_constant(as_index(build(n.children[1]), n));
      if (!c) bad(n, "the axis of `dim` is not a constant");
      d = *c < 0 ? *c + rank : *c;
    } else if (in_map_) {
      d = static_cast<std::int64_t>(map_.offset + map_.position);
    } else {
      bad(n, "`dim` needs an axis here");
    }
    if (d < 0 || d >= rank) refuse<kAxisOutOfRange>(d, "dim", rank);
    return pool_.index_value(shape[static_cast<std::size_t>(d)]);
  }

  ExprId apply(ScalarFn fn, std::span<const ExprId> args, std::string_view name) {
    if (!pool_.call_type(fn, args)) {
      auto text = [&](ExprId e) { return dtype_info(pool_.type(e)).name; };
      if (args.size() == 2 && !pool_.common_type(args[0], args[1]))
        refuse<kDtypeMismatch>(name, text(args[0]), text(args[1]));
      refuse<kDtypeUnsupported>(name, text(args[0]));
    }
    return pool_.call(fn, args);
  }

  ExprId build_operator(const SyntaxNode& n) {
    std::vector<ExprId> args;
    for (SyntaxId c : n.children) args.push_back(build(c));
    // What is absent vanishes.
    if (args.size() == 2 && !args[0].valid()) return args[1];
    if (args.size() == 2 && !args[1].valid()) return args[0];
    if (!args[0].valid()) return {};
    if (n.text == ">" || n.text == ">=") {
      std::swap(args[0], args[1]);
      return apply(n.text == ">" ? ScalarFn::Lt : ScalarFn::Le, args, n.text);
    }
    if (n.text == "ceildiv") return pool_.index_value(index_.ceildiv(as_index(args[0], n), as_index(args[1], n)));
    const auto fn = find_scalar_fn(n.text, args.size());
    if (!fn) bad(n, "unknown operator `" + n.text + "`");
    return apply(*fn, args, n.text);
  }

  ExprId build_call(const SyntaxNode& n) {
    auto need = [&](std::size_t count) {
      if (n.children.size() != count) bad(n, "`" + n.text + "` takes " + std::to_string(count) + " arguments");
    };
    if (n.text == "dim") return build_dim(n);
    if (n.text == "has") {
      need(1);
      const std::string& name = at(n.children[0]).text;
      return pool_.boolean(attributes_.find(name) || (formula_.find(name).has_value() && !is_absent(name)));
    }
    if (n.text == "isfloat" || n.text == "isbool") {
      need(1);
      const Dtype type = operand_of(n, 0).dtype;
      return pool_.boolean(n.text == "isfloat" ? is_float(type) : type == Dtype::I1);
    }
    if (n.text == "rank") {
      need(1);
      return pool_.integer(static_cast<std::int64_t>(operand_of(n, 0).shape.size()));
    }
    if (n.text == "size") {
      // size(x): the number of elements of x.
      need(1);
      IndexExpr product = number(1);
      for (IndexExpr d : operand_of(n, 0).shape) product = index_.mul(product, d);
      return pool_.index_value(product);
    }
    if (n.text == "axis") {
      need(2);
      return build_axis(n);
    }
    if (n.text == "linear") {
      need(1);
      return build_linear(n);
    }
    if (n.text == "when") {
      need(3);
      return build(static_condition(n.children[0]) ? n.children[1] : n.children[2]);
    }
    if (n.text == "cast") {
      need(2);
      const AttrValue* v = attributes_.find(at(n.children[1]).text);
      const Dtype* d = v ? std::get_if<Dtype>(v) : nullptr;
      if (!d) bad(n, "`cast` needs a dtype attribute");
      return pool_.cast(build(n.children[0]), *d);
    }
    if (n.text == "like" && n.children.size() == 2 && at(n.children[1]).kind == SyntaxKind::Name) {
      const ExprId value = build(n.children[0]);
      return value.valid() ? pool_.cast(value, operand_of(n, 1).dtype) : value;
    }
    std::vector<ExprId> args;
    for (SyntaxId c : n.children) args.push_back(build(c));
    for (ExprId a : args)
      if (!a.valid()) return {};
    if (n.text == "select") {
      need(3);
      if (pool_.type(args[0]) != Dtype::I1) refuse<kDtypeUnsupported>("select", dtype_info(pool_.type(args[0])).name);
      if (!pool_.common_type(args[1], args[2]))
        refuse<kDtypeMismatch>("select", dtype_info(pool_.type(args[1])).name, dtype_info(pool_.type(args[2])).name);
      return pool_.select(args[0], args[1], args[2]);
    }
    if (n.text == "stop") {
      need(1);
      return pool_.stop(args[0]);
    }
    if (n.text == "int") {
      need(1);
      return pool_.node(args[0]).weak && !is_float(pool_.type(args[0])) ? args[0] : pool_.cast(args[0], Dtype::I64);
    }
    if (n.text == "real") {
      need(1);
      return pool_.node(args[0]).weak ? pool_.weak_real(args[0]) : args[0];
    }
    if (n.text == "wide") {
      // wide(e): 16-bit floats as f32, so that what an op keeps between its statements is not rounded to 16 bits.
      need(1);
      const Dtype type = pool_.type(args[0]);
      return type == Dtype::F16 || type == Dtype::BF16 ? pool_.cast(args[0], Dtype::F32) : args[0];
    }
    if (n.text == "like") {
      // like(e, x): e converted to the dtype of x; an operand that stands there by its name is not read.
      need(2);
      return pool_.cast(args[0], pool_.type(args[1]));
    }
    if (auto d = parse_dtype(n.text)) {
      need(1);
      return pool_.cast(args[0], *d);
    }
    if (const auto decided = decided_extremum(n.text, args)) return *decided;
    const auto fn = find_scalar_fn(n.text, args.size());
    if (!fn) bad(n, "unknown function `" + n.text + "` of " + std::to_string(args.size()) + " arguments");
    return apply(*fn, args, n.text);
  }

  ExprId build_reduce(SyntaxId id) {
    const SyntaxNode& n = at(id);
    static constexpr Reduction kAll[] = {Reduction::Sum, Reduction::Prod, Reduction::Max,    Reduction::Min,
                                         Reduction::Any, Reduction::All,  Reduction::ArgMax, Reduction::ArgMin};
    Reduction reduction = Reduction::Sum;
    for (Reduction r : kAll)
      if (reduction_name(r) == n.text) reduction = r;
    scopes_.push_back(id);
    std::vector<AtomId> letters;
    for (SyntaxId l : n.letters) {
      const SyntaxNode& letter = at(l);
      if (letter.kind == SyntaxKind::Pack) {
        for (const PackDim& d : pack_dims(letter, *pack(letter).rank))
          if (d.axis) letters.push_back(pack_letter(letter.text, *d.axis));
      } else if (letter.kind == SyntaxKind::Name) {
        letters.push_back(letter_atom({letter.text, id.value}, letter));
      } else {
        bad(letter, "a reduction is over letters and packs");
      }
    }
    const ExprId guard = n.has_guard ? build(n.children[1]) : ExprId();
    ExprId body = build(n.children[0]);
    scopes_.pop_back();
    if (!body.valid()) return {};
    if (guard.valid() && pool_.type(guard) != Dtype::I1)
      refuse<kDtypeUnsupported>(n.text, dtype_info(pool_.type(guard)).name);
    if ((reduction == Reduction::Max || reduction == Reduction::Min) && letters.empty()) return body;
    return pool_.reduce(reduction, letters, guard, body);
  }

  ExprId build(SyntaxId id) {
    const SyntaxNode& n = at(id);
    switch (n.kind) {
      case SyntaxKind::Integer: {
        errno = 0;
        const long long v = std::strtoll(n.text.c_str(), nullptr, 10);
        if (errno != 0) bad(n, "the number leaves 64 bits");
        return pool_.integer(v);
      }
      case SyntaxKind::Real: return pool_.real(std::strtod(n.text.c_str(), nullptr));
      case SyntaxKind::Name: return build_name(n);
      case SyntaxKind::Call: return build_call(n);
      case SyntaxKind::Operator: return build_operator(n);
      case SyntaxKind::Read: return build_read(n);
      case SyntaxKind::Reduce: return build_reduce(id);
      case SyntaxKind::Extent: return build_extent(n);
      case SyntaxKind::Pack: bad(n, "a pack stands only in subscripts");
    }
    throw InternalError("unknown syntax node");
  }

  // ------------------------------------------------------------------------------------------------ statements

  void statement(const SyntaxStatement& st, std::size_t number_of_statement) {
    packs_.clear();
    letters_.clear();
    atoms_.clear();
    scopes_.clear();
    unit_seen_.clear();
    fixed_rank_.clear();
    list_rank_.clear();
    ground_ = st.over.empty() && !ground_form_ ? nullptr : &st.over;
    if (!st.over.empty()) ground_form_ = true;
    if (ground_)
      for (const auto& [name, extent] : *ground_) {
        const IndexExpr size = as_index(build(extent), at(extent));
        check_extent(name, size);
        letters_[{name, kStatement}] = Extent{size, {"`over`"}};
      }
    find_ranks(st);
    bind_bare_operands(st.body, true);
    bind_bare_operands(st.guard, true);
    bind_extents(st.body);
    bind_extents(st.guard);
    for (SyntaxId s : st.subscripts) bind_extents(s);
    if (const auto target = target_in_base(st)) bind_read(*target);
    bind_bare_operands(st.body, false);
    bind_bare_operands(st.guard, false);
    close_units();
    bind_where(st);

    Statement out;
    FormulaTensor target;
    target.name = st.result.empty() ? formula_.unique_tensor_name("y") : st.result;
    if (formula_.find(target.name))
      refuse<kFormulaSyntax>("`" + target.name + "` is written twice", static_cast<std::int64_t>(st.column));
    const bool last = number_of_statement + 1 == syntax_.statements.size();
    const bool named = std::find(results_.begin(), results_.end(), st.result) != results_.end();
    target.role = named || (results_.empty() && last) ? TensorRole::Result : TensorRole::Temporary;

    // Output letters come first, so that they have the lowest numbers.
    out.subscripts = subscripts_of(at(st.body), st.subscripts, st.subscripts.size(), nullptr);
    out.pull = st.write == "=" && !st.base.valid() && !st.guard.valid();
    if (st.write == "+=") out.write = WriteOp::Add;
    if (st.write == "*=") out.write = WriteOp::Mul;
    if (st.write == "max=") out.write = WriteOp::Max;
    if (st.write == "min=") out.write = WriteOp::Min;
    ExprId body = build(st.body);
    if (!body.valid()) bad(at(st.body), "the body reads only absent operands");
    body = pool_.settle(body);
    if (st.guard.valid()) out.guard = build(st.guard);

    if (out.pull) {
      for (IndexExpr s : out.subscripts) {
        const auto atom = index_.as_atom(s);
        const bool letter = atom && index_.atom(*atom).kind == AtomKind::Letter;
        if (!letter && index_.as_constant(s) != 0)
          refuse<kFormulaSyntax>("`=` writes over bare letters; another subscript needs `from`",
                                 static_cast<std::int64_t>(st.column));
        target.shape.push_back(letter ? index_.atom(*atom).a : number(1));
        if (letter && std::find(out.letters.begin(), out.letters.end(), *atom) == out.letters.end())
          out.letters.push_back(*atom);
      }
    } else {
      target.shape = push_shape(st, out);
      if (out.subscripts.size() != target.shape.size())
        refuse<kFormulaSyntax>("a push writes as many subscripts as its `from` has dimensions",
                               static_cast<std::int64_t>(st.column));
      // The ground form states the order of the loops, and letters that nothing mentions but that repeat the push.
      if (ground_)
        for (const auto& [name, extent] : *ground_)
          if (!bound_by_reduction(name)) out.letters.push_back(letter_atom({name, kStatement}, at(extent)));
      for (IndexExpr s : out.subscripts)
        for (AtomId l : pool_.free_letters(s)) add_letter(out.letters, l);
      for (AtomId l : pool_.free_letters(body)) add_letter(out.letters, l);
      if (out.guard.valid())
        for (AtomId l : pool_.free_letters(out.guard)) add_letter(out.letters, l);
      if (out.base.valid() && !pool_.node(body).weak && pool_.type(body) != formula_.tensor(out.base).dtype)
        refuse<kDtypeMismatch>(st.write, dtype_info(formula_.tensor(out.base).dtype).name,
                               dtype_info(pool_.type(body)).name);
    }
    target.dtype = pool_.type(body);
    out.body = body;
    out.result = formula_.add_tensor(std::move(target));
    formula_.statements.push_back(std::move(out));
  }

  [[nodiscard]] bool bound_by_reduction(const std::string& name) const {
    for (const SyntaxNode& n : syntax_.nodes)
      if (n.kind == SyntaxKind::Reduce)
        for (SyntaxId l : n.letters)
          if (at(l).text == name) return true;
    return false;
  }

  static void add_letter(std::vector<AtomId>& list, AtomId l) {
    if (std::find(list.begin(), list.end(), l) == list.end()) list.push_back(l);
  }

  std::vector<IndexExpr> push_shape(const SyntaxStatement& st, Statement& out) {
    if (!st.base.valid())
      refuse<kFormulaSyntax>("a push needs `from`: an operand or `zeros[extents]`",
                             static_cast<std::int64_t>(st.column));
    const SyntaxNode& base = at(st.base);
    if (base.kind == SyntaxKind::Read && base.text == "zeros") {
      std::vector<IndexExpr> shape;
      for (SyntaxId c : base.children) {
        const SyntaxNode& sub = at(c);
        if (sub.kind != SyntaxKind::Pack) {
          shape.push_back(as_index(build(c), sub));
          continue;
        }
        for (const PackDim& d : pack_dims(sub, *pack(sub).rank))
          shape.push_back(d.axis ? packs_[sub.text].extents[*d.axis]->size : number(1));
      }
      return shape;
    }
    const auto id = formula_.find(base.text);
    if (!id || is_absent(base.text)) bad(base, "`from` names an operand, or `zeros[extents]`");
    out.base = *id;
    return formula_.tensor(*id).shape;
  }

  FormulaPool& pool_;
  IndexPool& index_;
  const FormulaSyntax& syntax_;
  const AttrValues& attributes_;
  const std::vector<std::string>& results_;
  const Facts& facts_;
  std::vector<std::string> absent_;
  Formula formula_;
  const std::vector<std::pair<std::string_view, ExprId>>* names_ = nullptr;
  const std::vector<std::pair<std::string, SyntaxId>>* ground_ = nullptr;
  bool ground_form_ = false;

  // Of the statement being instantiated.
  std::map<std::string, Pack> packs_;
  std::map<std::string, std::vector<bool>> unit_seen_;
  std::vector<std::string> fixed_rank_, list_rank_;
  std::map<LetterKey, std::optional<Extent>> letters_;
  std::map<LetterKey, AtomId> atoms_;
  std::vector<SyntaxId> scopes_;
  MapContext map_;
  bool in_map_ = false;
};

}  // namespace

Result<Formula, Diagnostic> instantiate(FormulaPool& pool, const FormulaSyntax& syntax,
                                        const std::vector<FormulaOperand>& operands, const AttrValues& attributes,
                                        const std::vector<std::string>& results, const Facts& facts) {
  try {
    return Instantiator(pool, syntax, operands, attributes, results, facts).run();
  } catch (Refused& refused) {
    return Failure{std::move(refused.diagnostic)};
  }
}

Result<Formula, Diagnostic> instantiate_text(FormulaPool& pool, std::string_view text,
                                             const std::vector<FormulaOperand>& operands, const AttrValues& attributes,
                                             const std::vector<std::string>& results, const Facts& facts) {
  auto syntax = parse_formula_syntax(text);
  if (!syntax)
    return Failure{
        diagnose<kFormulaSyntax>({}, syntax.error().message, static_cast<std::int64_t>(syntax.error().column))};
  return instantiate(pool, *syntax, operands, attributes, results, facts);
}

ExprId instantiate_scalar(FormulaPool& pool, const FormulaSyntax& syntax,
                          const std::vector<std::pair<std::string_view, ExprId>>& names) {
  const AttrValues none;
  const Facts facts;
  return Instantiator(pool, syntax, {}, none, {}, facts).scalar(names);
}

}  // namespace mlgc
