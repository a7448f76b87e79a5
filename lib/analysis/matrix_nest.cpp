// See matrix_nest.h.
#include "analysis/matrix_nest.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "ir/walk.h"
#include "loopir/buffers.h"
#include "loopir/nests.h"
#include "loopir/subscripts.h"

namespace mlgc {
namespace {

using namespace std::string_literals;

Failure<std::string> no(std::string reason) { return Failure{std::move(reason)}; }

std::string name_of(ForRef loop) { return "%" + std::string(loop.index().name()); }

bool is_made_in(Value v, OpRef loop) {
  const OpRef home = v.is_argument() ? v.argument_of().parent_op() : v.definer();
  return home == loop || home.is_inside(loop);
}

bool is_zero(Value v) {
  const LiteralRef literal = v.is_result() ? LiteralRef::from(v.definer()) : LiteralRef();
  return literal.valid() && literal.real() == 0.0 && !std::signbit(*literal.real());
}

// What a cast to the dtype was made of, if the cast stands in the loop.
std::optional<Value> before_cast(Value v, Dtype dtype, ForRef loop) {
  if (!v.is_result()) return std::nullopt;
  const OpRef op = v.definer();
  if (!op.is(GraphOp::Cast) || op.parent() != loop.body() || v.dtype() != dtype) return std::nullopt;
  return op.operand(0);
}

// The loads of the two factors, in the order of the text; how many ops they and their product are.
struct Product {
  OpRef first, second;
  bool wide = false;
  std::size_t ops = 0;
};

OpRef factor_of(Value v, ForRef terms) {
  const auto element = before_cast(v, Dtype::F32, terms);
  const OpRef load = element && element->is_result() ? element->definer() : OpRef();
  const bool reads = load.valid() && load.is(LoopOp::Load) && load.parent() == terms.body() &&
                     (load.result().dtype() == Dtype::BF16 || load.result().dtype() == Dtype::F16);
  return reads ? load : OpRef();
}

Result<Product, std::string> product_in(ForRef terms) {
  if (terms.kind() != LoopKind::Serial || terms.carried_count() != 1) return no("it is not one serial sum");
  const OpRef yield = terms.body().terminator();
  if (!yield.valid() || yield.operand_count() != 1 || !yield.operand(0).is_result())
    return no("it does not add products");
  const OpRef step = yield.operand(0).definer();
  const Value carried = terms.carried(0);
  Product out;
  out.wide = carried.dtype() == Dtype::F64;
  if (!out.wide && carried.dtype() != Dtype::F32) return no("it is carried in neither f32 nor f64");
  if (!is_zero(terms.initial(0))) return no("it does not start at 0");
  std::optional<Value> left, right;
  if (const FmaRef fma = FmaRef::from(step); fma.valid() && fma.addend() == carried) {
    left = fma.left(), right = fma.right();
    out.ops = 2;  // and `yield`
  } else if (step.is(GraphOp::Add)) {
    const bool first = step.operand(0) == carried;
    if (!first && step.operand(1) != carried) return no("it does not add products");
    std::optional<Value> term = step.operand(first ? 1 : 0);
    if (out.wide) term = before_cast(*term, Dtype::F64, terms);
    if (!term || !term->is_result() || !term->definer().is(GraphOp::Mul)) return no("it does not add products of f32");
    left = term->definer().operand(0), right = term->definer().operand(1);
    out.ops = out.wide ? 4 : 3;
  }
  if (!left) return no("it does not add products");
  out.first = factor_of(*left, terms);
  out.second = factor_of(*right, terms);
  if (!out.first.valid() || !out.second.valid() || out.first == out.second)
    return no("its factors are not two elements of bf16 or f16");
  if (out.first.result().dtype() != out.second.result().dtype()) return no("its factors have two dtypes");
  out.ops += left == right ? 3 : 4;
  std::size_t ops = 0;
  for (const OpRef op : terms.body().ops()) ops += op.is(LoopOp::Literal) ? 0 : 1;
  if (ops != out.ops) return no("it does more than add products");
  return out;
}

// How many elements further the load is in the next iteration, over sizes.
std::optional<IndexExpr> distance(OpRef load, ForRef loop) {
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

// The operand with an own index `lines` that is the same along `other`.
Result<MatrixOperand, std::string> operand(OpRef load, ForRef lines, ForRef terms) {
  IndexPool& pool = load.module().context().index();
  const auto across = distance(load, lines), along = distance(load, terms);
  const std::string buffer = "`" + std::string(LoadRef::from(load).buffer().name()) + "`";
  if (!across || !along) return no("places in " + buffer + " are no affine function of the loops' indices");
  if (pool.as_constant(*along) == 1) return MatrixOperand{load, true, *across};
  if (pool.as_constant(*across) == 1) return MatrixOperand{load, false, *along};
  return no("neither " + name_of(lines) + " nor " + name_of(terms) + " reads neighbours in " + buffer);
}

bool varies_only_by(OpRef load, std::initializer_list<ForRef> loops) {
  IndexPool& pool = load.module().context().index();
  bool holds = true;
  for (const IndexExpr e : subscripts_over_values(load))
    pool.for_each_atom(e, [&](AtomId id) {
      if (pool.atom(id).kind != AtomKind::Opaque) return;
      const Value v(&load.module(), ValueId(pool.atom(id).number));
      const bool is_index = std::any_of(loops.begin(), loops.end(), [&](ForRef loop) { return loop.index() == v; });
      const bool inside =
          std::any_of(loops.begin(), loops.end(), [&](ForRef loop) { return is_made_in(v, loop.op()); });
      holds = holds && (is_index || !inside);
    });
  return holds;
}

}  // namespace

Result<MatrixProduct, std::string> matrix_product(ForRef terms) {
  const auto found = product_in(terms);
  if (!found) return no(found.error());
  return MatrixProduct{found->first, found->second, found->wide};
}

Result<MatrixOperand, std::string> matrix_operand(OpRef load, std::initializer_list<ForRef> around, ForRef lines,
                                                  ForRef terms) {
  if (!varies_only_by(load, around)) return no("the place of a factor is computed inside of it");
  return operand(load, lines, terms);
}

Result<MatrixFactors, std::string> matrix_factors(ForRef rows, ForRef columns, ForRef terms) {
  IndexPool& pool = rows.op().module().context().index();
  auto product = product_in(terms);
  if (!product) return no(product.error());
  for (const OpRef load : {product->first, product->second}) {
    const Scope scope = load.module().context().types().scope(LoadRef::from(load).buffer().type());
    if (scope == Scope::Thread || scope == Scope::Register || LoadRef::from(load).checked())
      return no("a factor is in scratch, or at a place from data");
    if (!varies_only_by(load, {rows, columns, terms})) return no("the place of a factor is computed inside of it");
  }
  const auto same_along = [&](OpRef load, ForRef loop) {
    const auto step = distance(load, loop);
    return step && pool.as_constant(*step) == 0;
  };
  OpRef left = product->first, right = product->second;
  if (!same_along(left, columns)) std::swap(left, right);
  if (!same_along(left, columns) || !same_along(right, rows))
    return no("not one factor is shared by rows and the other one by columns");
  auto of_rows = operand(left, rows, terms);
  if (!of_rows) return no(of_rows.error());
  auto of_columns = operand(right, columns, terms);
  if (!of_columns) return no(of_columns.error());
  return MatrixFactors{*of_rows, *of_columns, product->wide};
}

Result<MatrixNest, std::string> matrix_nest(ForRef rows) {
  MatrixNest nest;
  nest.rows = rows;
  if (rows.carried_count() > 0) return no(name_of(rows) + " carries values");
  if (rows.body().empty()) return no("it is empty");
  nest.columns = ForRef::from(rows.body().front());
  if (!nest.columns.valid() || nest.columns.op().next() != rows.body().terminator())
    return no(name_of(rows) + " does not hold one loop over columns alone");
  if (nest.columns.kind() != LoopKind::Vector || nest.columns.carried_count() > 0)
    return no(name_of(nest.columns) + " is no vector loop that carries nothing");
  std::optional<std::string> wrong;
  walk(nest.columns.op(), [&](OpRef op) {
    if (op == nest.columns.op()) return;
    const bool in_terms = nest.terms.valid() && op.is_inside(nest.terms.op());
    if (const ForRef loop = ForRef::from(op); loop.valid() && op.parent() == nest.columns.body() && !nest.terms.valid())
      nest.terms = loop;
    else if (op.is(LoopOp::For) || op.is(LoopOp::While))
      wrong = "there is a loop beside the sum";
    else if (!in_terms && (op.is(LoopOp::Alloc) || op.is(LoopOp::Launch) || op.is(LoopOp::BufferView)))
      wrong = "`" + std::string(op.name()) + "` stands in it";
  });
  if (wrong) return no(*wrong);
  if (!nest.terms.valid()) return no("there is no sum in it");
  for (const ForRef loop : {nest.columns, nest.terms})
    for (std::size_t i = 0; i + loop.carried_count() < loop.op().operand_count(); ++i)
      if (is_made_in(loop.op().operand(i), rows.op())) return no("the bounds of " + name_of(loop) + " vary in it");
  auto factors = matrix_factors(rows, nest.columns, nest.terms);
  if (!factors) return no(factors.error());
  if (factors->wide) return no("the sum is carried in f64");
  nest.factors = *factors;
  walk(rows.op(), [&](OpRef op) {
    const Value stored = stored_buffer(op);
    for (const OpRef load : {nest.factors.left.load, nest.factors.right.load})
      if (stored.valid() && stored == loaded_buffer(load)) wrong = "it stores to what the sum reads";
  });
  if (wrong) return no(*wrong);
  for (const bool is_row : {true, false}) {
    const auto count = usual_extent(is_row ? rows : nest.columns);
    if (!count || *count < 1 || *count > kMostMatrixLines)
      return no("it has " + (count ? std::to_string(*count) : "an unknown number of"s) +
                (is_row ? " rows" : " columns") + ", and a tile 1 to " + std::to_string(kMostMatrixLines));
    const auto lines =
        static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(std::max(*count, kFewestMatrixLines))));
    (is_row ? nest.tile_rows : nest.tile_columns) = lines;
  }
  return nest;
}

}  // namespace mlgc
