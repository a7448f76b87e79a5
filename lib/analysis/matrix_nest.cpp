// See matrix_nest.h.
#include "analysis/matrix_nest.h"

#include <algorithm>
#include <bit>
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

}  // namespace

MatrixLimits matrix_limits(Dtype factors) {
  return factors == Dtype::F32 ? MatrixLimits{64, 128, 64 * 128}
                               : MatrixLimits{kMostMatrixLines, kMostMatrixLines, 128 * kMostMatrixLines};
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
  const MatrixLimits limits = matrix_limits(nest.factors.left.load.result().dtype());
  const auto& [left, right, _] = nest.factors;
  const bool may_be_few = left.load.result().dtype() != Dtype::F32 && !left.is_gathered && !right.is_gathered;
  for (const bool is_row : {true, false}) {
    const auto count = usual_extent(is_row ? rows : nest.columns);
    const std::int64_t most = is_row ? limits.rows : limits.columns;
    if (!count || *count < 1 || *count > most)
      return no("it has " + (count ? std::to_string(*count) : "an unknown number of"s) +
                (is_row ? " rows" : " columns") + ", and a tile 1 to " + std::to_string(most));
    const bool few = !is_row && nest.tile_rows < kFewestMatrixLines;
    const std::int64_t fewest = few ? kFewRowsColumns : is_row && may_be_few ? kFewestMatrixRows : kFewestMatrixLines;
    const auto lines = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(std::max(*count, fewest))));
    const bool between = !is_row && *count == kBetweenMatrixColumns && nest.tile_rows >= kFewestRowsOfBetween;
    (is_row ? nest.tile_rows : nest.tile_columns) = between ? *count : lines;
  }
  if (nest.tile_rows * nest.tile_columns > limits.elements)
    return no("it has " + std::to_string(nest.tile_rows) + " rows by " + std::to_string(nest.tile_columns) +
              " columns, and a tile up to " + std::to_string(limits.elements) + " elements");
  return nest;
}

}  // namespace mlgc
