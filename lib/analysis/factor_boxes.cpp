// See factor_boxes.h.
#include "analysis/factor_boxes.h"

#include <algorithm>

#include "loopir/subscripts.h"

namespace mlgc {
namespace {

constexpr std::size_t kMostFurther = 2;  // dimensions of a tensor map beside lines and terms: a limit of the printer

// How many elements further the load is in the next iteration, over sizes. Nothing: that is not always as many.
std::optional<IndexExpr> element_distance(OpRef load, ForRef loop) {
  Context& context = load.module().context();
  IndexPool& pool = context.index();
  const auto dims = context.types().dims(LoadRef::from(load).buffer().type());
  const auto places = subscripts_over_values(load);
  if (places.size() != dims.size()) return std::nullopt;  // which the verifier says
  const IndexExpr index = of_value(loop.index());
  IndexExpr out = pool.constant(0);
  for (std::size_t d = 0; d < dims.size(); ++d) {
    const IndexExpr next = pool.substitute(places[d], [&](AtomId id) -> std::optional<IndexExpr> {
      if (pool.from_atom(id) != index) return std::nullopt;
      return pool.add(index, pool.constant(1));
    });
    out = pool.add(pool.mul(out, dims[d]), pool.sub(next, places[d]));
  }
  bool over_sizes = true;
  pool.for_each_atom(out, [&](AtomId id) { over_sizes = over_sizes && pool.atom(id).kind != AtomKind::Opaque; });
  return over_sizes ? std::optional(out) : std::nullopt;
}

class Boxes {
 public:
  Boxes(MatrixNest nest, std::span<const ForRef> around)
      : nest_(std::move(nest)), around_(around), pool_(nest_.rows.op().module().context().index()) {}

  // Of so many terms parts are multiples.
  void set_part(std::int64_t terms) { part_terms_ = terms; }

  std::optional<FactorCopy> copy_of(const MatrixOperand& operand, ForRef lines) {
    if (auto boxes = of(operand, lines)) return FactorCopy{*std::move(boxes), std::nullopt};
    const auto line_count = end_of(lines, 1), term_count = end_of(nest_.terms, part_terms_);
    if (!line_count || !term_count || operand.load.result().dtype() == Dtype::F32) return std::nullopt;
    auto windows = factor_windows(operand, lines, nest_.terms, *line_count, *term_count);
    return windows ? std::optional(FactorCopy{{}, std::move(windows)}) : std::nullopt;
  }

  std::optional<FactorBoxes> of(const MatrixOperand& operand, ForRef lines) {
    if (operand.is_gathered || operand.load.result().dtype() == Dtype::F32) return std::nullopt;
    const auto line_count = end_of(lines, 1), term_count = end_of(nest_.terms, part_terms_);
    if (!line_count || !term_count) return std::nullopt;
    auto out = of(operand, *line_count, *term_count);
    return out && out->further.size() <= kMostFurther ? out : std::nullopt;
  }

  // Along any number of further loops.
  std::optional<FactorBoxes> of(const MatrixOperand& operand, IndexExpr line_count, IndexExpr term_count) {
    if (!is_over_sizes(line_count) || !is_over_sizes(term_count)) return std::nullopt;
    FactorBoxes out{start(operand.load), line_count, term_count, {}};
    if (!is_over_sizes(out.first) || !is_whole(out.first) || !is_whole(operand.stride)) return std::nullopt;
    for (const ForRef loop : around_) {
      const auto stride = element_distance(operand.load, loop);
      if (!stride) return std::nullopt;
      if (pool_.as_constant(*stride) == 0) continue;
      const IndexExpr count = over_values(loop.op(), loop.last());
      if (pool_.as_constant(over_values(loop.op(), loop.first())) != 0 || !is_over_sizes(count) || !is_whole(*stride))
        return std::nullopt;
      out.further.push_back({loop, count, *stride});
    }
    return out;
  }
  // Loops of which the outer one's iterations begin where those of the inner one end are one, from the innermost ones
  // on, where a map does not have enough dimensions.
  std::optional<FactorBoxes> joined(std::optional<FactorBoxes> of) {
    if (!of) return std::nullopt;
    auto& further = of->further;
    for (std::size_t i = further.size(); i > 1 && further.size() > kMostFurther; --i) {
      FactorBoxes::Further &outer = further[i - 2], &inner = further[i - 1];
      if (outer.stride != pool_.mul(inner.stride, inner.count)) continue;
      outer.within.push_back(inner.loop);
      outer.within.insert(outer.within.end(), inner.within.begin(), inner.within.end());
      outer.count = pool_.mul(outer.count, inner.count);
      outer.stride = inner.stride;
      further.erase(further.begin() + static_cast<std::ptrdiff_t>(i) - 1);
    }
    return further.size() <= kMostFurther ? of : std::nullopt;
  }
  std::optional<IndexExpr> lines_of(ForRef loop) { return end_of(loop, 1); }
  // The most that an expression over the loops around is, where it does not fall as they go on.
  std::optional<IndexExpr> most_of(IndexExpr e) {
    for (const ForRef loop : around_) {
      const auto index = pool_.as_atom(of_value(loop.index()));
      if (!index || !pool_.mentions(e, *index)) continue;
      if (!goes(e, *index, 1)) return std::nullopt;
      e = with(e, loop, pool_.sub(over_values(loop.op(), loop.last()), pool_.constant(1)));
    }
    return is_over_sizes(e) ? std::optional(e) : std::nullopt;
  }

 private:
  // Whether it never falls (up = 1), or never grows (-1), as the index grows: what its terms say.
  [[nodiscard]] bool goes(IndexExpr e, AtomId index, std::int64_t up) const {
    for (std::size_t i = 0; i < pool_.term_count(e); ++i) {
      const Term term = pool_.term(e, i);
      const bool concerned =
          std::any_of(term.factors.begin(), term.factors.end(), [&](AtomId of) { return depends(of, index); });
      if (!concerned) continue;
      if (term.factors.size() != 1) return false;
      const std::int64_t side = term.coefficient > 0 ? up : -up;
      const Atom atom = pool_.atom(term.factors[0]);
      const bool both = atom.kind == AtomKind::Min || atom.kind == AtomKind::Max;
      const bool quotient = atom.kind == AtomKind::FloorDiv && pool_.as_constant(atom.b).value_or(0) > 0;
      if (term.factors[0] == index ? side < 0 : !(both || quotient)) return false;
      if (both && !(goes(atom.a, index, side) && goes(atom.b, index, side))) return false;
      if (quotient && !goes(atom.a, index, side)) return false;
    }
    return true;
  }
  [[nodiscard]] bool depends(AtomId atom, AtomId index) const {
    return atom == index || pool_.mentions(pool_.from_atom(atom), index);
  }
  [[nodiscard]] bool is_over_sizes(IndexExpr e) const {
    bool holds = true;
    pool_.for_each_atom(e, [&](AtomId id) { holds = holds && pool_.atom(id).kind != AtomKind::Opaque; });
    return holds;
  }
  // What a number in the text says against pieces; sizes are looked at where they are known.
  [[nodiscard]] bool is_whole(IndexExpr elements) const {
    const auto number = pool_.as_constant(elements);
    return !number || *number % kMatrixPiece == 0;
  }
  [[nodiscard]] IndexExpr with(IndexExpr e, ForRef loop, IndexExpr value) const {
    const IndexExpr index = of_value(loop.index());
    return pool_.substitute(e, [&](AtomId id) -> std::optional<IndexExpr> {
      if (pool_.from_atom(id) != index) return std::nullopt;
      return value;
    });
  }

  // Where the loop ends in the last of its tiles. It begins at 0, or with `size` iterations for each of a loop around,
  // which are a multiple of `multiple`, all of them but in the last tile.
  std::optional<IndexExpr> end_of(ForRef loop, std::int64_t multiple) {
    const IndexExpr first = over_values(loop.op(), loop.first()), last = over_values(loop.op(), loop.last());
    const IndexExpr zero = pool_.constant(0);
    if (first == zero) return is_over_sizes(last) ? std::optional(last) : std::nullopt;
    for (const ForRef tiles : around_) {
      const IndexExpr index = of_value(tiles.index()), count = over_values(tiles.op(), tiles.last());
      const auto size = pool_.as_constant(with(first, tiles, pool_.constant(1)));
      if (!size || *size <= 0 || first != pool_.scale(index, *size)) continue;
      const IndexExpr end = with(last, tiles, pool_.sub(count, pool_.constant(1)));
      const IndexExpr full = pool_.add(first, pool_.constant(*size));
      // Lines may end anywhere, if no tile ends before the one in front of it does.
      const IndexExpr next = with(last, tiles, pool_.add(index, pool_.constant(1)));
      const bool ends =
          last == full || last == pool_.min(end, full) || (multiple == 1 && pool_.min(last, next) == last);
      if (over_values(tiles.op(), tiles.first()) != zero || *size % multiple != 0 || !ends || !is_over_sizes(end))
        return std::nullopt;
      return end;
    }
    return std::nullopt;
  }

  // The place of the first element, where all indices are 0.
  IndexExpr start(OpRef load) {
    const auto dims = load.module().context().types().dims(LoadRef::from(load).buffer().type());
    const auto places = subscripts_over_values(load);
    IndexExpr out = pool_.constant(0);
    for (std::size_t d = 0; d < dims.size(); ++d) {
      IndexExpr place = places[d];
      for (const ForRef loop : {nest_.rows, nest_.columns, nest_.terms}) place = with(place, loop, pool_.constant(0));
      for (const ForRef loop : around_) place = with(place, loop, pool_.constant(0));
      out = pool_.add(pool_.mul(out, dims[d]), place);
    }
    return out;
  }

  const MatrixNest nest_;
  std::span<const ForRef> around_;
  IndexPool& pool_;
  std::int64_t part_terms_ = kBoxTerms;
};

}  // namespace

std::optional<NestBoxes> factor_boxes(const MatrixNest& nest, std::span<const ForRef> around) {
  Boxes boxes(nest, around);
  const std::int64_t of_left = terms_of_part(nest.factors.left, nest.terms);
  boxes.set_part(of_left != kBoxTerms ? of_left : terms_of_part(nest.factors.right, nest.terms));
  auto left = boxes.copy_of(nest.factors.left, nest.rows), right = boxes.copy_of(nest.factors.right, nest.columns);
  if (!left || !right) return std::nullopt;
  const auto places_of = [](const FactorCopy& of) { return of.windows ? of.windows->places : std::nullopt; };
  const auto of_windows = places_of(*left), places = of_windows ? of_windows : places_of(*right);
  const FactorCopy& other = of_windows ? *right : *left;
  // A map has a dimension for the places.
  if (places && (other.windows || other.boxes.further.size() + 1 > kMostFurther)) return std::nullopt;
  return NestBoxes{*std::move(left), *std::move(right), places};
}

std::optional<AttentionBoxes> attention_boxes(const AttentionNest& nest, std::span<const ForRef> around) {
  IndexPool& pool = nest.rows.op().module().context().index();
  const IndexExpr terms = pool.constant(nest.terms_count), width = pool.constant(nest.width);
  Boxes scores({nest.rows, nest.scores, nest.terms, {}}, around);
  Boxes sums({nest.rows, nest.sum_columns, nest.sum_terms, {}}, around);
  const auto rows = scores.lines_of(nest.rows), key_count = scores.most_of(over_values(nest.counts, nest.key_count));
  if (!rows || !key_count) return std::nullopt;
  auto queries = scores.joined(scores.of(nest.queries, *rows, terms));
  auto keys = scores.joined(scores.of(nest.keys, *key_count, terms));
  auto values = sums.joined(sums.of(nest.values, width, *key_count));
  if (!queries || !keys || !values) return std::nullopt;
  return AttentionBoxes{*std::move(queries), *std::move(keys), *std::move(values)};
}

}  // namespace mlgc
