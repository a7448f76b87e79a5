// See range_breaks.h.
#include "schedule/range_breaks.h"

#include <algorithm>
#include <optional>

#include "ir/linear_coefficient.h"
#include "ir/walk.h"
#include "loopir/subscripts.h"
#include "schedule/loop_edit.h"

namespace mlgc::schedule {

namespace {

// Policies, the same for all machines: each bounds what one expression takes to look at, and what is not looked at is
// no break. Three minima within each other have eight sides. A quotient with more values would be as many pieces.
constexpr std::size_t kMostVariants = 8;    // sides of minima and maxima in one expression that are looked at
constexpr int kMostLoops = 8;               // loops inside that an expression names
constexpr std::int64_t kMostCrossings = 4;  // multiples of a divisor in the range

class Breaks {
 public:
  Breaks(ForRef loop, std::size_t most, bool each_side)
      : loop_(loop),
        module_(loop.op().module()),
        pool_(module_.context().index()),
        most_(most),
        each_side_(each_side),
        first_(over_values(loop.op(), loop.first())),
        last_(over_values(loop.op(), loop.last())) {}

  std::vector<IndexExpr> run() {
    walk(loop_.op(), [&](OpRef op) {
      if (op == loop_.op()) return;
      for (const IndexExpr e : subscripts_of(op)) {
        const IndexExpr of_values = expanded(over_values(op, e));
        if (op.is(LoopOp::Guard)) sign_of(of_values);
        inside(of_values);
      }
    });
    return std::move(found_);
  }

 private:
  [[nodiscard]] Value value_of(AtomId id) const { return {&module_, ValueId(pool_.atom(id).number)}; }
  [[nodiscard]] bool is_opaque(AtomId id) const { return pool_.atom(id).kind == AtomKind::Opaque; }
  [[nodiscard]] bool stands_inside(Value v) const {
    return v.scope() == loop_.body() || v.scope().parent_op().is_inside(loop_.op());
  }

  // With what `apply`s in the loop stand for.
  IndexExpr expanded(IndexExpr e) {
    return pool_.substitute(e, [&](AtomId id) -> std::optional<IndexExpr> {
      if (!is_opaque(id) || !stands_inside(value_of(id))) return std::nullopt;
      const ApplyRef apply = ApplyRef::from(value_of(id).definer());
      if (!apply.valid()) return std::nullopt;
      return expanded(over_values(apply.op(), apply.value()));
    });
  }

  // The atoms in an expression that pick one of two things, or count multiples.
  void inside(IndexExpr e) {
    std::vector<AtomId> atoms;
    pool_.for_each_atom(e, [&](AtomId id) {
      if (pool_.atom(id).kind >= AtomKind::FloorDiv) atoms.push_back(id);
    });
    for (const AtomId id : atoms) {
      const Atom atom = pool_.atom(id);
      if (atom.kind == AtomKind::Min || atom.kind == AtomKind::Max)
        sign_of(pool_.sub(atom.a, atom.b));
      else
        multiples_in(atom.a, atom.b);
    }
  }

  // The greatest and the least that e gets in the loops inside; nothing where it reads what they compute.
  std::optional<IndexExpr> over_inner_loops(IndexExpr e, bool greatest) {
    for (int n = 0; n < kMostLoops; ++n) {
      std::optional<AtomId> inner;
      pool_.for_each_atom(e, [&](AtomId id) {
        if (!is_opaque(id) || value_of(id) == loop_.index() || !stands_inside(value_of(id))) return;
        // The innermost loop first: its bounds may name the others.
        if (!inner || value_of(id).scope().parent_op().is_inside(value_of(*inner).scope().parent_op())) inner = id;
      });
      if (!inner) return e;
      const Value index = value_of(*inner);
      const ForRef of = index.is_argument() ? ForRef::from(index.scope().parent_op()) : ForRef();
      if (!of.valid() || of.index() != index) return std::nullopt;
      const auto c = linear_coefficient(pool_, e, *inner);
      if (!c || *c == 0) return std::nullopt;
      const IndexExpr at = (*c > 0) == greatest ? pool_.sub(over_values(of.op(), of.last()), pool_.constant(1))
                                                : over_values(of.op(), of.first());
      e = pool_.add(pool_.sub(e, pool_.scale(of_value(index), *c)), pool_.scale(expanded(at), *c));
    }
    return std::nullopt;
  }

  // Each expression that e is, when every minimum and maximum of the index, or every one, is one of its sides.
  void variants(IndexExpr e, std::vector<IndexExpr>& out) {
    std::optional<AtomId> choice;
    const auto index = *pool_.as_atom(of_value(loop_.index()));
    pool_.for_each_atom(e, [&](AtomId id) {
      const Atom& atom = pool_.atom(id);
      const bool picks = atom.kind == AtomKind::Min || atom.kind == AtomKind::Max;
      if (picks && (each_side_ || pool_.mentions(atom.a, index) || pool_.mentions(atom.b, index)))
        choice = choice ? choice : id;
    });
    if (!choice) {
      out.push_back(e);
      return;
    }
    for (const IndexExpr side : {pool_.atom(*choice).a, pool_.atom(*choice).b}) {
      if (out.size() >= kMostVariants) return;
      variants(pool_.substitute(
                   e, [&](AtomId id) { return id == *choice ? std::optional(side) : std::optional<IndexExpr>(); }),
               out);
    }
  }

  // Where 0 <= e begins or ends to hold.
  void sign_of(IndexExpr e) {
    for (const bool greatest : {false, true}) {
      const auto bound = over_inner_loops(e, greatest);
      if (!bound) return;
      std::vector<IndexExpr> all;
      variants(*bound, all);
      for (const IndexExpr affine : all) sign_of_affine(affine);
    }
  }
  void sign_of_affine(IndexExpr e) {
    const AtomId index = *pool_.as_atom(of_value(loop_.index()));
    const auto c = linear_coefficient(pool_, e, index);
    if (!c || *c == 0) return;
    const IndexExpr rest = pool_.sub(e, pool_.scale(pool_.from_atom(index), *c));
    add(*c > 0 ? pool_.ceildiv(pool_.scale(rest, -1), pool_.constant(*c))
               : pool_.add(pool_.floordiv(rest, pool_.constant(-*c)), pool_.constant(1)));
  }

  // Where a passes a multiple of b, if it does so a few times.
  void multiples_in(IndexExpr a, IndexExpr b) {
    const AtomId index = *pool_.as_atom(of_value(loop_.index()));
    std::vector<IndexExpr> all;
    variants(a, all);
    for (const IndexExpr e : all) {
      const auto c = linear_coefficient(pool_, e, index);
      if (!c || *c == 0 || pool_.mentions(b, index)) continue;
      const auto at = [&](IndexExpr i) {
        return pool_.add(pool_.sub(e, pool_.scale(of_value(loop_.index()), *c)), pool_.scale(i, *c));
      };
      const IndexExpr low = at(*c > 0 ? first_ : pool_.sub(last_, pool_.constant(1)));
      const IndexExpr high = at(*c > 0 ? pool_.sub(last_, pool_.constant(1)) : first_);
      const auto from = pool_.as_constant(pool_.floordiv(low, b)), to = pool_.as_constant(pool_.floordiv(high, b));
      if (from && to) {
        if (*to - *from > kMostCrossings) continue;
        for (std::int64_t k = *from + 1; k <= *to; ++k) sign_of_affine(pool_.sub(e, pool_.scale(b, k)));
        continue;
      }
      // Of a divisor that is not known: about zero, as in a rotation.
      if (pool_.as_constant(b) || (*c != 1 && *c != -1)) continue;
      sign_of_affine(e);
      sign_of_affine(pool_.sub(e, b));
    }
  }

  void add(IndexExpr from) {
    bool usable = from != pool_.overflow() && found_.size() < most_;
    pool_.for_each_atom(from, [&](AtomId id) {
      const AtomKind kind = pool_.atom(id).kind;
      usable = usable && kind != AtomKind::IndexLabel && !(is_opaque(id) && stands_inside(value_of(id)));
    });
    if (usable && std::find(found_.begin(), found_.end(), from) == found_.end()) found_.push_back(from);
  }

  ForRef loop_;
  Module& module_;
  IndexPool& pool_;
  std::size_t most_;
  bool each_side_;
  IndexExpr first_, last_;
  std::vector<IndexExpr> found_;
};

}  // namespace

std::vector<IndexExpr> range_breaks(ForRef loop, std::size_t most, bool each_side) {
  return Breaks(loop, most, each_side).run();
}

}  // namespace mlgc::schedule
