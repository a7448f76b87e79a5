// The factors of matrix loops and where they are; see matrix_nest.h.
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "analysis/index_pieces.h"
#include "analysis/matrix_nest.h"
#include "loopir/buffers.h"
#include "loopir/subscripts.h"

namespace mlgc {
namespace {

Failure<std::string> not_factors(std::string reason) { return Failure{std::move(reason)}; }

bool is_plus_zero(Value v) {
  const LiteralRef literal = v.is_result() ? LiteralRef::from(v.definer()) : LiteralRef();
  return literal.valid() && literal.real() == 0.0 && !std::signbit(*literal.real());
}

// What a cast to the dtype was made of, if the cast stands in the region.
std::optional<Value> before_cast(Value v, Dtype dtype, RegionRef region) {
  if (!v.is_result()) return std::nullopt;
  const OpRef op = v.definer();
  if (!op.is(GraphOp::Cast) || op.parent() != region || v.dtype() != dtype) return std::nullopt;
  return op.operand(0);
}

std::size_t ops_in(RegionRef region) {
  std::size_t count = 0;
  for (const OpRef op : region.ops()) count += op.is(LoopOp::Literal) ? 0 : 1;
  return count;
}

// The load in the region of the element that the value, of f32, is, or of 16 bits before a cast.
OpRef loaded(Value v, RegionRef region) {
  const auto narrow = before_cast(v, Dtype::F32, region);
  const Value element = narrow.value_or(v);
  if (narrow ? element.dtype() != Dtype::BF16 && element.dtype() != Dtype::F16 : element.dtype() != Dtype::F32)
    return OpRef();
  const OpRef load = element.is_result() ? element.definer() : OpRef();
  return load.valid() && load.is(LoopOp::Load) && load.parent() == region ? load : OpRef();
}
std::size_t ops_of(OpRef load) { return load.result().dtype() == Dtype::F32 ? 1 : 2; }

// An element, or under a guard an element and else 0; without a load: neither.
MatrixOperand factor_of(Value v, ForRef terms) {
  MatrixOperand out;
  out.load = loaded(v, terms.body());
  if (out.load.valid() || !v.is_result() || !v.definer().is(LoopOp::If)) return out;
  const OpRef branch = v.definer();
  const Value holds = branch.operand(0);
  if (branch.parent() != terms.body() || branch.result_count() != 1 || branch.region_count() != 2) return out;
  if (!holds.is_result() || !holds.definer().is(LoopOp::Guard) || holds.definer().parent() != terms.body()) return out;
  const RegionRef inside = branch.region(0), outside = branch.region(1);
  const OpRef load = loaded(inside.terminator().operand(0), inside);
  // Each arm: what it gives, and its yield.
  if (!load.valid() || ops_in(inside) != ops_of(load) + 1 || ops_in(outside) != 1) return out;
  if (!is_plus_zero(outside.terminator().operand(0))) return out;
  out.load = load;
  out.guard = holds.definer();
  return out;
}

Result<MatrixProduct, std::string> product_in(ForRef terms) {
  if (terms.kind() != LoopKind::Serial || terms.carried_count() != 1) return not_factors("it is not one serial sum");
  const OpRef yield = terms.body().terminator();
  if (!yield.valid() || yield.operand_count() != 1 || !yield.operand(0).is_result())
    return not_factors("it does not add products");
  const OpRef step = yield.operand(0).definer();
  const Value carried = terms.carried(0);
  MatrixProduct out;
  out.wide = carried.dtype() == Dtype::F64;
  if (!out.wide && carried.dtype() != Dtype::F32) return not_factors("it is carried in neither f32 nor f64");
  std::optional<Value> left, right;
  std::size_t ops = 0;
  if (const FmaRef fma = FmaRef::from(step); fma.valid() && fma.addend() == carried) {
    left = fma.left(), right = fma.right();
    ops = 2;  // and `yield`
  } else if (step.is(GraphOp::Add)) {
    const bool first = step.operand(0) == carried;
    if (!first && step.operand(1) != carried) return not_factors("it does not add products");
    std::optional<Value> term = step.operand(first ? 1 : 0);
    if (out.wide) term = before_cast(*term, Dtype::F64, terms.body());
    if (!term || !term->is_result() || !term->definer().is(GraphOp::Mul))
      return not_factors("it does not add products of f32");
    left = term->definer().operand(0), right = term->definer().operand(1);
    ops = out.wide ? 4 : 3;
  }
  if (!left) return not_factors("it does not add products");
  auto& [first, second] = out.factors;
  first = factor_of(*left, terms);
  second = factor_of(*right, terms);
  if (!first.load.valid() || !second.load.valid() || first.load == second.load)
    return not_factors("its factors are not two elements of f32, bf16 or f16");
  if (first.load.result().dtype() != second.load.result().dtype()) return not_factors("its factors have two dtypes");
  for (const MatrixOperand& of : out.factors) ops += of.guard.valid() ? 2 : ops_of(of.load);  // guard and branch
  if (ops_in(terms.body()) != ops) return not_factors("it does more than add products");
  return out;
}

bool is_index_of(OpRef op, const Atom& atom, ForRef loop) {
  return atom.kind == AtomKind::Opaque && op.operand(atom.number) == loop.index();
}

bool names_index_of(OpRef op, IndexExpr e, ForRef loop) {
  const IndexPool& pool = op.module().context().index();
  bool found = false;
  pool.for_each_atom(e, [&](AtomId id) { found = found || is_index_of(op, pool.atom(id), loop); });
  return found;
}

// How many elements further the factor is in the next iteration, over sizes.
std::optional<IndexExpr> distance(const MatrixOperand& of, ForRef loop) {
  IndexPool& pool = of.load.module().context().index();
  const IndexExpr place = matrix_place(of);
  const IndexExpr next = pool.substitute(place, [&](AtomId id) -> std::optional<IndexExpr> {
    if (!is_index_of(of.load, pool.atom(id), loop)) return std::nullopt;
    return pool.add(pool.from_atom(id), pool.constant(1));
  });
  const IndexExpr out = pool.sub(next, place);
  bool over_sizes = true;
  pool.for_each_atom(out, [&](AtomId id) { over_sizes = over_sizes && pool.atom(id).kind != AtomKind::Opaque; });
  return over_sizes ? std::optional(out) : std::nullopt;
}

IndexExpr at_zero(OpRef op, IndexExpr e, std::span<const ForRef> loops) {
  for (const ForRef loop : loops) e = at_zero(op, e, loop);
  return e;
}

// The sum of an expression over `lines` and one over `terms`.
bool is_sum(OpRef op, IndexExpr e, std::span<const ForRef> lines, std::span<const ForRef> terms) {
  IndexPool& pool = op.module().context().index();
  const IndexExpr of_lines = at_zero(op, e, terms), of_terms = at_zero(op, e, lines);
  return pool.add(e, at_zero(op, of_lines, lines)) == pool.add(of_lines, of_terms);
}

std::string buffer_text(const MatrixOperand& of) {
  return "`" + std::string(LoadRef::from(of.load).buffer().name()) + "`";
}

// Pieces of the index of a loop are neighbours in memory, and the guard says the same of them.
bool has_pieces(const MatrixOperand& of, ForRef along) {
  IndexPool& pool = of.load.module().context().index();
  const IndexExpr first = pool.mod(along.first(), pool.constant(kMatrixPiece));
  if (pool.as_constant(first) != 0) return false;
  const auto change = [&](OpRef op, IndexExpr e) {
    return piece_change(pool, e, kMatrixPiece, [&](const Atom& atom) { return is_index_of(op, atom, along); });
  };
  const PieceChange place = change(of.load, matrix_place(of));
  if (place.step != 1 || place.multiple != kMatrixPiece) return false;
  if (!of.guard.valid()) return true;
  const auto asked = subscripts_of(of.guard);
  return std::all_of(asked.begin(), asked.end(), [&](IndexExpr e) { return change(of.guard, e).step == 0; });
}

// The operand with one index of its own, that of `lines`.
void find_neighbours(MatrixOperand& of, ForRef lines, ForRef terms) {
  const IndexPool& pool = of.load.module().context().index();
  if (!of.guard.valid()) {
    const auto across = distance(of, lines), along = distance(of, terms);
    const bool equal = across && along;
    of.by_terms = equal && pool.as_constant(*along) == 1;
    if (equal && (of.by_terms || pool.as_constant(*across) == 1)) {
      of.stride = of.by_terms ? *across : *along;
      return;
    }
  }
  of.is_gathered = true;
  of.by_terms = has_pieces(of, terms);
  of.in_pieces = of.by_terms || has_pieces(of, lines);
  if (!of.in_pieces) of.by_terms = true;
}

bool stands_in(Value v, OpRef loop) {
  const OpRef home = v.is_argument() ? v.argument_of().parent_op() : v.definer();
  return home == loop || home.is_inside(loop);
}

// What is in the brackets comes from outside of the loop, or is the index of a loop.
bool varies_only_by_indices(OpRef op, OpRef outermost) {
  const IndexPool& pool = op.module().context().index();
  bool holds = true;
  for (const IndexExpr e : subscripts_of(op))
    pool.for_each_atom(e, [&](AtomId id) {
      if (pool.atom(id).kind != AtomKind::Opaque) return;
      const Value v = op.operand(pool.atom(id).number);
      const ForRef of = v.is_argument() ? ForRef::from(v.argument_of().parent_op()) : ForRef();
      holds = holds && ((of.valid() && of.index() == v) || !stands_in(v, outermost));
    });
  return holds;
}

// Loops that carry one sum on, each alone in the one before it.
std::optional<std::string> is_one_sum(std::span<const ForRef> terms) {
  for (std::size_t i = 0; i + 1 < terms.size(); ++i) {
    const ForRef outer = terms[i], inner = terms[i + 1];
    const OpRef yield = outer.body().terminator();
    if (outer.kind() != LoopKind::Serial || outer.carried_count() != 1 || inner.carried_count() != 1 ||
        outer.body().front() != inner.op() || inner.op().next() != yield || inner.initial(0) != outer.carried(0) ||
        yield.operand(0) != inner.op().result(0))
      return "it is not one serial sum";
  }
  if (terms.front().carried_count() != 1) return "it is not one serial sum";
  if (!is_plus_zero(terms.front().initial(0))) return "it does not start at 0";
  return std::nullopt;
}

}  // namespace

IndexExpr matrix_place(const MatrixOperand& factor) {
  Context& context = factor.load.module().context();
  IndexPool& pool = context.index();
  const auto dims = context.types().dims(LoadRef::from(factor.load).buffer().type());
  const auto subscripts = subscripts_of(factor.load);
  IndexExpr out = pool.constant(0);
  for (std::size_t d = 0; d < dims.size() && d < subscripts.size(); ++d)
    out = pool.add(pool.mul(out, dims[d]), subscripts[d]);
  return out;
}

IndexExpr at_zero(OpRef op, IndexExpr e, ForRef loop) {
  IndexPool& pool = op.module().context().index();
  return pool.substitute(e, [&](AtomId id) -> std::optional<IndexExpr> {
    if (!is_index_of(op, pool.atom(id), loop)) return std::nullopt;
    return pool.constant(0);
  });
}

bool varies_along(const MatrixOperand& factor, ForRef loop) {
  for (const OpRef op : {factor.load, factor.guard}) {
    if (!op.valid()) continue;
    const auto subscripts = subscripts_of(op);
    if (std::any_of(subscripts.begin(), subscripts.end(), [&](IndexExpr e) { return names_index_of(op, e, loop); }))
      return true;
  }
  return false;
}

Result<MatrixProduct, std::string> multiplied_in(ForRef terms) { return product_in(terms); }

bool begins_at_zero(ForRef terms) { return is_plus_zero(terms.initial(0)); }

Result<MatrixOperand, std::string> strided_factor(OpRef load, ForRef outermost, ForRef lines, ForRef terms) {
  MatrixOperand out{load, false, {}, {}};
  if (!varies_only_by_indices(load, outermost.op()))
    return not_factors("the place of a factor is computed inside of it");
  const bool is_affine = is_sum(load, matrix_place(out), std::span(&lines, 1), std::span(&terms, 1));
  if (is_affine) find_neighbours(out, lines, terms);
  if (!is_affine || out.is_gathered)
    return not_factors("neighbours in " + buffer_text(out) + " are along neither its lines nor its terms");
  return out;
}

Result<MatrixFactors, std::string> matrix_factors(std::span<const ForRef> rows, std::span<const ForRef> columns,
                                                  std::span<const ForRef> terms) {
  auto product = product_in(terms.back());
  if (!product) return not_factors(product.error());
  if (auto wrong = is_one_sum(terms)) return not_factors(*wrong);
  if (product->factors[0].load.result().dtype() == Dtype::F32 &&
      (terms.size() > 1 || product->factors[0].guard.valid() || product->factors[1].guard.valid()))
    return not_factors("factors of f32 would have to be gathered");
  const OpRef outermost = rows.front().op().is_inside(columns.front().op()) ? columns.front().op() : rows.front().op();
  auto& [left, right] = product->factors;
  for (const MatrixOperand& of : product->factors) {
    const Scope scope = of.load.module().context().types().scope(LoadRef::from(of.load).buffer().type());
    if (scope == Scope::Thread || scope == Scope::Register || LoadRef::from(of.load).checked())
      return not_factors("a factor is in scratch, or at a place from data");
    if (subscripts_of(of.load).size() != LoadRef::from(of.load).buffer().rank())
      return not_factors(
          "the place of a factor has not as many subscripts as its buffer has axes");  // which the verifier says
    for (const OpRef op : {of.load, of.guard})
      if (op.valid() && !varies_only_by_indices(op, outermost))
        return not_factors("the place of a factor is computed inside of it");
  }
  const auto same_along = [&](const MatrixOperand& of, std::span<const ForRef> loops) {
    return std::none_of(loops.begin(), loops.end(), [&](ForRef loop) { return varies_along(of, loop); });
  };
  if (!same_along(left, columns)) std::swap(left, right);
  if (!same_along(left, columns) || !same_along(right, rows))
    return not_factors("not one factor is shared by rows and the other one by columns");
  for (const bool is_left : {true, false}) {
    const MatrixOperand& of = is_left ? left : right;
    const std::span<const ForRef> lines = is_left ? rows : columns;
    if (!is_sum(of.load, matrix_place(of), lines, terms))
      return not_factors("places in " + buffer_text(of) + " are not the sum of what its lines and its terms say");
    if (!of.guard.valid()) continue;
    for (const IndexExpr e : subscripts_of(of.guard))
      if (!is_sum(of.guard, e, lines, terms))
        return not_factors("the guard of " + buffer_text(of) + " is not the sum of what its lines and its terms say");
  }
  return MatrixFactors{left, right, product->wide};
}

Result<MatrixFactors, std::string> matrix_factors(ForRef rows, ForRef columns, ForRef terms) {
  auto out = matrix_factors(std::span(&rows, 1), std::span(&columns, 1), std::span(&terms, 1));
  if (!out) return out;
  find_neighbours(out->left, rows, terms);
  find_neighbours(out->right, columns, terms);
  if (out->left.load.result().dtype() == Dtype::F32 && (out->left.is_gathered || out->right.is_gathered))
    return not_factors("factors of f32 would have to be gathered");
  return out;
}

}  // namespace mlgc
