#include "codegen/emitter/narrow_indices.h"

#include <algorithm>
#include <optional>

#include "ir/walk.h"
#include "loopir/subscripts.h"
#include "support/saturating.h"

namespace mlgc::codegen {
namespace {

// What is below this has room in 32 bits for a tile more than a loop has iterations, and for a sign.
constexpr std::int64_t kMost = std::int64_t{1} << 30;

class NarrowIndices {
 public:
  NarrowIndices(FunctionWriter& writer, std::span<const ForRef> loops)
      : writer_(writer), pool_(writer.context.index()), loop_(loops.front()), loops_(loops) {}

  // The index of an innermost loop.
  bool fits() {
    if (loop_.carried_count() > 0) return false;
    const auto uses = loop_.index().uses();
    if (!std::all_of(uses.begin(), uses.end(), is_in_subscripts)) return false;
    if (!has_few_iterations()) return false;
    const bool all_fit = walk(loop_.op(), [&](OpRef op) {
      if (op == loop_.op()) return WalkResult::Continue;
      if (ForRef::from(op).valid()) return WalkResult::Stop;
      const AccessRef access = AccessRef::from(op);
      if (access.valid() && elements_of(access.buffer()) >= kMost) return WalkResult::Stop;
      for (const IndexExpr e : subscripts_of(op))
        if (magnitude(op, writer_.resolved(op, e)) >= kMost) return WalkResult::Stop;
      return WalkResult::Continue;
    });
    return all_fit && divides_;
  }
  // Expressions over the indices alone.
  bool fit(OpRef op, std::span<const IndexExpr> expressions) {
    if (!has_few_iterations()) return false;
    return std::all_of(expressions.begin(), expressions.end(), [&](IndexExpr e) {
      const IndexExpr at = writer_.resolved(op, e);
      bool of_indices = true;
      pool_.for_each_atom(at, [&](AtomId id) {
        const Atom& atom = pool_.atom(id);
        of_indices = of_indices && atom.kind != AtomKind::Symbol &&
                     (atom.kind != AtomKind::Opaque || count_of(op.operand(atom.number)).has_value());
      });
      return of_indices && magnitude(op, at) < kMost;
    });
  }

 private:
  bool has_few_iterations() {
    counts_.clear();
    for (const ForRef loop : loops_) {
      const auto first = pool_.as_constant(writer_.resolved(loop.op(), loop.first()));
      if (first && *first < 0) return false;
      counts_.push_back(most_of_bound(writer_.resolved(loop.op(), loop.last())));
      if (counts_.back() >= kMost) return false;
    }
    return true;
  }
  // The index is less.
  [[nodiscard]] std::optional<std::int64_t> count_of(Value v) const {
    for (std::size_t i = 0; i < counts_.size(); ++i)
      if (v == loops_[i].index()) return counts_[i];
    return std::nullopt;
  }
  // No more than a bound of the loop, which may be the smaller one of two.
  std::int64_t most_of_bound(IndexExpr e) {
    if (const auto number = pool_.as_constant(e)) return std::max<std::int64_t>(*number, 0);
    const auto id = pool_.as_atom(e);
    if (!id || pool_.atom(*id).kind != AtomKind::Min) return kMost;
    const Atom least = pool_.atom(*id);
    return std::min(most_of_bound(least.a), most_of_bound(least.b));
  }
  std::int64_t elements_of(Value buffer) {
    std::int64_t count = 1;
    for (const IndexExpr dim : buffer.dims()) count = saturating_mul(count, pool_.as_constant(dim).value_or(kMost));
    return count;
  }
  // The most that the terms add up to, without what has 64 bits: products with that are of 64 bits too.
  std::int64_t magnitude(OpRef op, IndexExpr e) {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < pool_.term_count(e); ++i) {
      const Term term = pool_.term(e, i);
      const std::vector<AtomId> factors(term.factors.begin(), term.factors.end());
      std::int64_t product = term.coefficient < 0 ? saturating_mul(term.coefficient, -1) : term.coefficient;
      for (const AtomId id : factors) product = saturating_mul(product, magnitude_of_atom(op, id));
      sum = saturating_add(sum, product);
    }
    return sum;
  }
  std::int64_t magnitude_of_atom(OpRef op, AtomId id) {
    const Atom atom = pool_.atom(id);
    if (atom.kind == AtomKind::Symbol) return 1;
    if (atom.kind == AtomKind::Opaque) return count_of(op.operand(atom.number)).value_or(1);
    const std::int64_t a = magnitude(op, atom.a), b = magnitude(op, atom.b);
    if (a >= kMost || b >= kMost) return kMost;
    if (atom.kind == AtomKind::Min || atom.kind == AtomKind::Max) return std::max(a, b);
    divides_ = divides_ || names_index(op, atom.a);
    const auto by = pool_.as_constant(atom.b);
    if (!by || *by < 1) return kMost;
    return atom.kind == AtomKind::Mod ? *by : a / *by + 1;
  }
  bool names_index(OpRef op, IndexExpr e) {
    bool found = false;
    pool_.for_each_atom(e, [&](AtomId id) {
      const Atom atom = pool_.atom(id);
      found = found || (atom.kind == AtomKind::Opaque && op.operand(atom.number) == loop_.index());
    });
    return found;
  }

  FunctionWriter& writer_;
  IndexPool& pool_;
  ForRef loop_;
  std::span<const ForRef> loops_;
  std::vector<std::int64_t> counts_;
  bool divides_ = false;
};

}  // namespace

bool counts_in_32_bits(FunctionWriter& writer, ForRef loop) {
  return NarrowIndices(writer, std::span(&loop, 1)).fits();
}

bool fits_in_32_bits(FunctionWriter& writer, OpRef op, std::span<const IndexExpr> expressions,
                     std::span<const ForRef> loops) {
  return NarrowIndices(writer, loops).fit(op, expressions);
}

bool is_narrow(const FunctionWriter& writer, OpRef op, IndexExpr e) {
  const IndexPool& pool = writer.context.index();
  bool has_index = false, has_other = false;
  pool.for_each_atom(e, [&](AtomId id) {
    const Atom& atom = pool.atom(id);
    if (atom.kind == AtomKind::Symbol) has_other = true;
    if (atom.kind != AtomKind::Opaque) return;
    const bool index = writer.narrow.contains(op.operand(atom.number).id());
    has_index = has_index || index;
    has_other = has_other || !index;
  });
  return has_index && !has_other;
}

}  // namespace mlgc::codegen
