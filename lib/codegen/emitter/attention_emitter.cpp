// Matrix loops that are attention (analysis/attention_nest.h).
#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "codegen/emitter/function_emitter.h"
#include "codegen/emitter/matrix_emitter.h"
#include "ir/walk.h"
#include "ops/scalar_ops.h"

namespace mlgc::codegen {
namespace {

// What an op in the regions needs of ops in `region`, itself included.
void add_needed(OpRef op, RegionRef region, std::unordered_set<OpId>& needed) {
  walk(op, [&](OpRef inside) {
    for (const Value v : inside.operands()) {
      if (!v.is_result()) continue;
      const OpRef of = v.definer();
      if (of.parent() == region && needed.insert(of.id()).second) add_needed(of, region, needed);
    }
  });
}

}  // namespace

// What the loop over scores computes from a product becomes a function of the numbers of a query and a key.
void MatrixEmitter::score(const AttentionNest& nest, const SourceText& name) {
  const SourceText query = fresh_index(nest.rows), key = fresh_index(nest.scores), product = fresh("product");
  writer_.names[nest.rows.index().id()] = {query, 1};
  writer_.names[nest.scores.index().id()] = {key, 1};
  writer_.names[nest.terms.op().result(0).id()] = {product, 1};
  block_.kernel->lane = nest.scores.index();
  open(writer_.grid->score_head(name, query, key, product));
  std::unordered_set<OpId> needed{nest.terms.op().id()}, needed_of_rows;  // the terms are computed
  if (nest.score.is_result() && nest.score.definer().parent() == nest.scores.body()) {
    needed.insert(nest.score.definer().id());
    add_needed(nest.score.definer(), nest.scores.body(), needed);
  }
  for (const OpRef op : nest.scores.body().ops())
    if (needed.contains(op.id()) && op != nest.terms.op()) add_needed(op, nest.rows.body(), needed_of_rows);
  for (const OpRef op : nest.rows.body().ops()) {
    if (op == nest.tiles.op()) break;
    if (needed_of_rows.contains(op.id()) && !op.is(LoopOp::Alloc) && !ForRef::from(op).valid()) function_.op(op);
  }
  const OpRef end = nest.scores.body().terminator(), maximum = end.operand(0).definer();
  for (const OpRef op : nest.scores.body().ops()) {
    if (op == nest.terms.op() || op == end || op == maximum || op.is(LoopOp::Store) || !needed.contains(op.id()))
      continue;
    function_.op(op);
    if (nest.score.is_result() && op == nest.score.definer()) break;
  }
  line("return " + text_of(nest.score).text + ";");
  writer_.source.close("};");
  block_.kernel->lane.reset();
}

std::optional<double> MatrixEmitter::scale_of_products(const AttentionNest& nest) {
  const Value product = nest.terms.op().result(0);
  if (nest.score == product) return 1;
  const ScalarOps& scalars = scalar_ops(nest.rows.op().module().context());
  if (!nest.score.is_result() || nest.score.definer().opcode() != scalars.find(ScalarFn::Mul)) return std::nullopt;
  const OpRef scaled = nest.score.definer();
  const std::size_t by = scaled.operand(0) == product ? 1 : 0;
  const Value factor = scaled.operand(by);
  const LiteralRef literal = factor.is_result() ? LiteralRef::from(factor.definer()) : LiteralRef();
  if (scaled.operand(1 - by) != product || !literal.valid() || !literal.real()) return std::nullopt;
  const float scale = static_cast<float>(*literal.real());
  return std::isnormal(scale) && scale > 0 ? literal.real() : std::nullopt;
}

void MatrixEmitter::of_query(const AttentionNest& nest, const SourceText& total) {
  declare(nest.tiles.op().result(1), {total, 1});
  std::unordered_set<OpId> needed{nest.tiles.op().id()};  // which are computed
  add_needed(nest.columns.op(), nest.rows.body(), needed);
  for (const OpRef op : nest.rows.body().ops())
    if (needed.contains(op.id()) && op.region_count() == 0 && !op.is(LoopOp::Alloc)) function_.op(op);
}

void MatrixEmitter::attention(ForRef rows) {
  const auto found = attention_nest(rows);
  MLGC_ASSERT(found, "a matrix loop that is none");
  const AttentionNest& nest = *found;
  const GridHooks& grid = *writer_.grid;
  const int threads = grid.attention_threads();
  if (!block_.is_uniform() || block_.kernel->form.threads != threads)
    refuse(rows.op(), "a matrix loop that is not run by a block of " + std::to_string(threads) + " threads");
  AttentionTile tile{nest.queries.load.result().dtype(), nest.tile_rows, nest.terms_count, nest.width};
  tile.rows = std::min(tile.rows, grid.most_queries_at_once(tile));
  Bounds of_rows = bounds_of(rows);
  const Bounds of_columns = bounds_of(nest.columns);
  const SourceText zero = SourceText::number(0);
  for (const ForRef loop : {nest.scores, nest.terms, nest.sum_columns, nest.sum_terms})
    writer_.names[loop.index().id()] = {zero, 1};
  block_.before_touching(block_.touched(rows.op()));
  pieces_.start_kernel();  // threads take other elements than in the loops before
  const bool several = tile.rows < nest.tile_rows;
  if (several) {
    const SourceText part = fresh("part"), first = fresh("part_first"), step = std::to_string(tile.rows);
    open("for (int " + part + " = 0; " + part + " < " + std::to_string(nest.tile_rows / tile.rows) + "; ++" + part +
         ") {");
    line("const " + std::string(hooks_.index_type()) + " " + first + " = " + of_rows.first + " + " + part + " * " +
         step + ";");
    of_rows.first = first;
    writer_.names[rows.index().id()] = {first, 1};
  }
  AttentionFactors factors;
  factors.queries =
      factor(nest.queries,
             of_rows.first.is_number(0) ? of_rows.end : of_rows.end.as_operand() + " - " + of_rows.first.as_operand());
  factors.keys = factor(nest.keys, indices_.index(nest.counts, nest.key_count).text);
  factors.values = factor(nest.values, "");
  factors.first = of_rows.first;
  factors.tiles = indices_.index(nest.tiles.op(), nest.tiles.last()).text;
  factors.seen = nest.is_causal ? indices_.index(rows.op(), nest.seen).text : factors.keys.lines;
  factors.terms = std::to_string(nest.terms_count);
  factors.columns = std::to_string(nest.width);
  factors.score = fresh("score");
  score(nest, factors.score);
  const SourceText sums = fresh("sums");
  line(grid.attention_sums(tile, sums, memory_of(rows.op(), grid.attention_bytes(tile)), factors));
  const auto of_row = [&](const SourceText& row) { of_query(nest, grid.attention_total(tile, sums, row)); };
  Area area{tile.rows, (tile.columns + 7) / 8 * 8, threads};
  area.take = [&](const SourceText& row, const SourceText& column, const SourceText& own) {
    return "const float* const " + own + " = " + grid.attention_sum(tile, sums, row, column) + ";";
  };
  area.taken = [](const SourceText& own, const SourceText& neighbour) { return own + "[" + neighbour + "]"; };
  follow({rows, nest.columns, nest.result.result(), of_rows, of_columns, of_row}, area);
  if (several) close();
}

}  // namespace mlgc::codegen
