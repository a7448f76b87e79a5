#include "codegen/emitter/matrix_emitter.h"

#include "analysis/attention_nest.h"
#include "codegen/emitter/function_emitter.h"

namespace mlgc::codegen {
namespace {

// Policy of this printer, the same for all GPUs: bytes of shared memory that each GPU with such a unit gives a block.
constexpr std::int64_t kMostBytes = 98304;
constexpr std::int64_t kAlignment = 64;

}  // namespace

MatrixEmitter::Bounds MatrixEmitter::bounds_of(ForRef loop) {
  const std::string stem(writer_.index_name(loop));
  const SourceText first = indices_.index(loop.op(), loop.first()).text,
                   end = indices_.index(loop.op(), loop.last()).text;
  return {bound(first, stem + "_first"), bound(end, stem + "_end")};
}

// An unrolled loop around prints it again.
SourceText MatrixEmitter::memory_of(OpRef rows, std::int64_t bytes) {
  const auto [place, is_new] = writer_.memory.places.try_emplace(rows.id(), writer_.memory.scratch);
  const std::int64_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  if (is_new) writer_.memory.scratch = index_.add(writer_.memory.scratch, index_.constant(rounded));
  const auto known = index_.as_constant(writer_.memory.scratch);
  if (!known || *known > kMostBytes)
    refuse(rows, "a matrix loop in a nest that has more than " + std::to_string(kMostBytes) +
                     " bytes of shared memory with it");
  const SourceText at = indices_.index(rows, place->second).text;
  return at.is_number(0) ? SourceText::scratch() : SourceText::scratch() + " + " + at;
}

SourceText MatrixEmitter::pointer(OpRef load) {
  const Value buffer = LoadRef::from(load).buffer();
  const SourceText at = indices_.offset(load, buffer);
  return at.is_number(0) ? text_of(buffer).text : text_of(buffer).text + " + " + at;
}

MatrixFactor MatrixEmitter::factor(const MatrixOperand& of, const SourceText& lines) {
  return {pointer(of.load), indices_.index(of.load, of.stride).text, lines};
}

void MatrixEmitter::nest(ForRef rows) {
  if (looks_like_attention(rows)) return attention(rows);
  const auto found = matrix_nest(rows);
  MLGC_ASSERT(found, "a matrix loop that is none");
  const GridHooks& grid = *writer_.grid;
  const auto& [left, right, wide] = found->factors;
  const ForRef columns = found->columns, terms = found->terms;
  if (!block_.is_uniform() || block_.kernel->form.threads != grid.matrix_threads())
    refuse(rows.op(),
           "a matrix loop that is not run by a block of " + std::to_string(grid.matrix_threads()) + " threads");
  const MatrixTile tile{
      left.load.result().dtype(), found->tile_rows, found->tile_columns, rows.stages(), left.by_terms, right.by_terms};
  const Bounds of_rows = bounds_of(rows), of_columns = bounds_of(columns), of_terms = bounds_of(terms);
  writer_.names[rows.index().id()] = {of_rows.first, 1};
  writer_.names[columns.index().id()] = {of_columns.first, 1};
  writer_.names[terms.index().id()] = {of_terms.first, 1};
  const auto count = [](const Bounds& of) {
    return of.first.is_number(0) ? of.end : of.end.as_operand() + " - " + of.first.as_operand();
  };
  block_.before_touching(block_.touched(rows.op()));
  pieces_.start_kernel();  // threads take other elements than in the loops before
  const SourceText sums = fresh("sums");
  line(grid.matrix_sums(tile, sums, memory_of(rows.op(), grid.matrix_bytes(tile)), factor(left, count(of_rows)),
                        factor(right, count(of_columns)), count(of_terms)));
  computed_.insert(terms.op().id());
  if (const Value zero = terms.initial(0); zero.is_result() && zero.has_one_use())
    computed_.insert(zero.definer().id());
  epilogue({rows, columns, tile.rows, tile.columns, of_rows, of_columns, {}, terms.op().result(0)},
           [&](const SourceText& row, const SourceText& column) { return grid.matrix_sum(tile, sums, row, column); });
}

void MatrixEmitter::epilogue(const Epilogue& of,
                             const std::function<SourceText(const SourceText&, const SourceText&)>& sum) {
  const GridHooks& grid = *writer_.grid;
  const auto& [rows, columns, tile_rows, tile_columns, of_rows, of_columns, of_row, result] = of;

  const std::int64_t per_lane = columns.per_lane(), pieces = tile_columns / per_lane;
  const std::string type(hooks_.index_type()), neighbours = std::to_string(per_lane);
  const SourceText piece = fresh("piece"), row = fresh("row"), column = fresh("column"), own = fresh("own_sums");
  const SourceText i = fresh_index(rows), j = fresh_index(columns), j_first = fresh(j.str() + "_own");
  open("for (int " + piece + " = " + SourceText(block_.thread()) + "; " + piece + " < " +
       std::to_string(tile_rows * pieces) + "; " + piece + " += " + std::to_string(grid.matrix_threads()) + ") {");
  line("const int " + row + " = " + piece + " / " + std::to_string(pieces) + ", " + column + " = " + piece + " % " +
       std::to_string(pieces) + " * " + neighbours + ";");
  const auto from = [](const SourceText& first, const SourceText& at) {
    return first.is_number(0) ? at : first + " + " + at;
  };
  line("const " + type + " " + i + " = " + from(of_rows.first, row) + ", " + j_first + " = " +
       from(of_columns.first, column) + ";");
  line("const float* const " + own + " = " + sum(row, column) + ";");
  open("if (" + i + " < " + of_rows.end.as_operand() + " && " + j_first + " < " + of_columns.end.as_operand() + ") {");
  writer_.names[rows.index().id()] = {i, 1};
  writer_.names[columns.index().id()] = {j, 1};
  block_.kernel->lane = columns.index();
  if (of_row) of_row(row);
  const SourceText neighbour = fresh("neighbour");
  const auto elements = [&](const SourceText& condition) {
    line(std::string(grid.unroll_all()));
    open("for (int " + neighbour + " = 0; " + neighbour + " < " + neighbours + "; ++" + neighbour + ") {");
    line(hooks_.unused() + "const " + type + " " + j + " = " + j_first + " + " + neighbour + ";");
    if (!condition.empty()) open("if (" + condition + ") {");
    declare(result, {own + "[" + neighbour + "]", 1});
    function_.region(columns.body());
    if (!condition.empty()) close();
    close();
  };
  const IndexExpr extent = index_.sub(resolved(columns.op(), columns.last()), resolved(columns.op(), columns.first()));
  const bool whole = index_.as_constant(index_.mod(extent, index_.constant(per_lane))) == 0;
  if (!whole) open("if (" + j_first + " + " + neighbours + " <= " + of_columns.end.as_operand() + ") {");
  pieces_.read(columns, j_first, SourceText::number(0), neighbour);
  elements("");
  pieces_.write(columns, j_first);
  if (!whole) {
    next("} else {");
    elements(j + " < " + of_columns.end.as_operand());
    close();
  }
  close();
  close();
  block_.kernel->lane.reset();
}

}  // namespace mlgc::codegen
