// Attention whose queries, keys and values the device copies by itself (attention_tile_hooks.h).
#include "codegen/emitter/tensor_tile_emitter.h"

namespace mlgc::codegen {

std::vector<TensorKernel> TensorTileEmitter::find_attention(ForRef rows, std::span<const ForRef> around) {
  const auto nest = attention_nest(rows);
  MLGC_ASSERT(nest, "a matrix loop that is none");
  if (nest->columns.per_lane() != kMatrixPiece) return {};
  const auto boxes = attention_boxes(*nest, around);
  if (!boxes) return {};
  TensorKernel out;
  out.ring = fresh("ring");
  out.attention =
      AttentionKernel{*nest,
                      *boxes,
                      {nest->queries.load.result().dtype(), nest->tile_rows, nest->terms_count, nest->width},
                      fresh("query_map"),
                      fresh("key_map"),
                      fresh("value_map")};
  return {out};
}

SourceText TensorTileEmitter::make_maps(const AttentionKernel& of) {
  const AttentionBoxLines lines = attention_hooks().lines(of.tile);
  return make_map(of.query_map, of.nest.queries, {of.boxes.queries, std::nullopt}, lines.queries) + " && " +
         make_map(of.key_map, of.nest.keys, {of.boxes.keys, std::nullopt}, lines.keys) + " && " +
         make_map(of.value_map, of.nest.values, {of.boxes.values, std::nullopt}, lines.values);
}

// Lines begin at `first`. Several loops are one whose place is counted with that of the innermost as its digit.
AttentionSource TensorTileEmitter::source_of(const SourceText& map, const MatrixOperand& operand,
                                             const FactorBoxes& boxes, const SourceText& first) {
  AttentionSource out{map, {first}};
  for (const FactorBoxes::Further& along : boxes.further) {
    SourceText place = text_of(along.loop.index()).text;
    for (const ForRef loop : along.within)
      place = place.as_operand() + " * " +
              indices_.index(operand.load, resolved(loop.op(), loop.last())).text.as_operand() + " + " +
              text_of(loop.index()).text;
    out.at.push_back(place);
  }
  return out;
}

void TensorTileEmitter::bring(const AttentionKernel& of, const SourceText& ring) {
  const AttentionNest& nest = of.nest;
  const SourceText first = indices_.index(nest.rows.op(), nest.rows.first()).text;
  const SourceText tiles = indices_.index(nest.tiles.op(), nest.tiles.last()).text, zero = SourceText::number(0);
  line(attention_hooks().bring(of.tile, ring, source_of(of.query_map, nest.queries, of.boxes.queries, first),
                               source_of(of.key_map, nest.keys, of.boxes.keys, zero),
                               source_of(of.value_map, nest.values, of.boxes.values, zero), tiles));
}

void TensorTileEmitter::use(const AttentionKernel& of, const SourceText& ring) {
  const AttentionNest& nest = of.nest;
  const AttentionTileHooks& hooks = attention_hooks();
  const MatrixEmitter::Bounds rows = matrices_.bounds_of(nest.rows), columns = matrices_.bounds_of(nest.columns);
  const SourceText zero = SourceText::number(0), keys = indices_.index(nest.counts, nest.key_count).text;
  for (const ForRef loop : {nest.scores, nest.terms, nest.sum_columns, nest.sum_terms})
    writer_.names[loop.index().id()] = {zero, 1};
  const AttentionBlock block{
      rows.first,
      rows.first.is_number(0) ? rows.end : rows.end.as_operand() + " - " + rows.first.as_operand(),
      keys,
      indices_.index(nest.tiles.op(), nest.tiles.last()).text,
      nest.is_causal ? indices_.index(nest.rows.op(), nest.seen).text : keys,
      fresh("score")};
  if (const auto scale = MatrixEmitter::scale_of_products(nest))
    line(hooks.scaled_scores(block.score, hooks_.real_literal(Dtype::F32, *scale)));
  else
    matrices_.score(nest, block.score);
  const SourceText sums = fresh("sums"), totals = fresh("totals"), part = fresh("part"), memory = fresh("part_sums");
  for (const SourceText& statement : hooks.multiply(of.tile, ring, sums, totals, block)) line(statement);
  open(hooks.each_part(of.tile, part));
  line(hooks.put(of.tile, ring, sums, totals, part, memory));
  const AttentionPart size = hooks.part(of.tile);
  MatrixEmitter::Area area{
      size.rows, size.columns, size.threads, true, hooks.first_row(of.tile), hooks.first_column(of.tile, part), {}, {}};
  area.take = [&](const SourceText& row, const SourceText& column, const SourceText& own) {
    return hooks.take(of.tile, memory, row, column, own);
  };
  area.taken = [&](const SourceText& own, const SourceText& neighbour) { return hooks.taken(own, neighbour); };
  const auto of_row = [&](const SourceText& row) { matrices_.of_query(nest, hooks.total(of.tile, memory, row)); };
  matrices_.follow({nest.rows, nest.columns, nest.result.result(), rows, columns, of_row}, area);
  close();
}

}  // namespace mlgc::codegen
