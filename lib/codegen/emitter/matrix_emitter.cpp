#include "codegen/emitter/matrix_emitter.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "analysis/attention_nest.h"
#include "codegen/emitter/function_emitter.h"
#include "codegen/emitter/narrow_indices.h"
#include "loopir/subscripts.h"
#include "machine/cuda_threads.h"

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
  const Bounds out{bound(first, stem + "_first"), bound(end, stem + "_end")};
  writer_.names[loop.index().id()] = {out.first, 1};
  return out;
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

void MatrixEmitter::find(ForRef rows) {
  if (looks_like_attention(rows)) {
    const auto nest = attention_nest(rows);
    MLGC_ASSERT(nest, "a matrix loop that is none");
    computed_.insert(nest->result.id());
    return;
  }
  const auto nest = matrix_nest(rows);
  MLGC_ASSERT(nest, "a matrix loop that is none");
  const ForRef terms = nest->terms;
  computed_.insert(terms.op().id());
  if (const Value zero = terms.initial(0); zero.is_result() && zero.has_one_use())
    computed_.insert(zero.definer().id());
}

SourceText MatrixEmitter::offset_of(ForRef loop, bool narrow, OpRef load, IndexExpr place, OpRef guard,
                                    std::span<const IndexExpr> asked) {
  const std::string stem = guard.valid() ? std::string(LoadRef::from(load).buffer().name()) : "";
  const SourceText name = fresh((stem.empty() ? "" : stem + "_") + "at_" + std::string(writer_.index_name(loop)));
  const SourceText parameter = fresh_index(loop);
  const ValueText outside = writer_.names[loop.index().id()];
  writer_.names[loop.index().id()] = {parameter, 1};
  if (narrow) writer_.narrow.insert(loop.index().id());
  std::vector<SourceText> numbers;
  for (const IndexExpr e : asked) numbers.push_back(indices_.index(guard, e).text);
  line(writer_.grid->matrix_offset(name, parameter, narrow, indices_.index(load, place).text, numbers));
  writer_.narrow.erase(loop.index().id());
  writer_.names[loop.index().id()] = outside;
  return name;
}

// Numbers that a guard asks for and that add up to a constant are one: neither is negative where the first is at most
// that constant.
MatrixFactor MatrixEmitter::gathered(const MatrixOperand& of, ForRef lines, ForRef terms, const Bounds& line_bounds,
                                     const Bounds& term_bounds) {
  const IndexExpr place = matrix_place(of);
  const IndexExpr base = at_zero(of.load, at_zero(of.load, place, lines), terms);
  const IndexExpr of_lines = index_.sub(at_zero(of.load, place, terms), base),
                  of_terms = index_.sub(at_zero(of.load, place, lines), base);
  std::vector<IndexExpr> rest;
  if (of.guard.valid()) rest.assign(subscripts_of(of.guard).begin(), subscripts_of(of.guard).end());
  std::vector<IndexExpr> all = rest;
  std::vector<IndexExpr> asked_of_lines, asked_of_terms;
  std::vector<std::optional<std::int64_t>> most;
  while (!rest.empty()) {
    const IndexExpr e = rest.front();
    rest.erase(rest.begin());
    std::optional<std::int64_t> sum;
    const auto other = std::find_if(rest.begin(), rest.end(), [&](IndexExpr candidate) {
      sum = index_.as_constant(index_.add(e, candidate));
      return sum && *sum >= 0;
    });
    if (other == rest.end())
      sum.reset();
    else
      rest.erase(other);
    most.push_back(sum);
    const IndexExpr here = at_zero(of.guard, e, terms);
    asked_of_lines.push_back(here);
    asked_of_terms.push_back(index_.sub(at_zero(of.guard, e, lines), at_zero(of.guard, here, lines)));
  }
  const ForRef loops[] = {lines, terms};
  const IndexExpr places[] = {of_lines, of_terms};
  const bool narrow = fits_in_32_bits(writer_, of.load, places, loops) &&
                      (!of.guard.valid() || fits_in_32_bits(writer_, of.guard, all, loops));
  const SourceText at = indices_.index(of.load, base).text, buffer = text_of(LoadRef::from(of.load).buffer()).text;
  MatrixGather gather{offset_of(lines, narrow, of.load, of_lines, of.guard, asked_of_lines),
                      offset_of(terms, narrow, of.load, of_terms, of.guard, asked_of_terms),
                      line_bounds.first,
                      line_bounds.end,
                      term_bounds.first,
                      term_bounds.end,
                      {},
                      narrow,
                      of.in_pieces};
  const std::int64_t any = narrow ? std::numeric_limits<std::int32_t>::max() : std::numeric_limits<std::int64_t>::max();
  for (const auto& limit : most)
    gather.most.push_back(hooks_.integer_literal(narrow ? Dtype::I32 : Dtype::I64, limit.value_or(any)));
  return {at.is_number(0) ? buffer : buffer + " + " + at, "", "", gather};
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
  const MatrixTile tile{
      left.load.result().dtype(), found->tile_rows, found->tile_columns, rows.stages(), left.by_terms, right.by_terms};
  const int threads = grid.matrix_threads(tile);
  if (!block_.is_uniform() || block_.kernel->form.threads != threads)
    refuse(rows.op(), "a matrix loop that is not run by a block of " + std::to_string(threads) + " threads");
  const Bounds of_rows = bounds_of(rows), of_columns = bounds_of(columns), of_terms = bounds_of(terms);
  const auto count = [](const Bounds& of) {
    return of.first.is_number(0) ? of.end : of.end.as_operand() + " - " + of.first.as_operand();
  };
  const auto along = [&](const MatrixOperand& of, ForRef loop, const Bounds& lines) {
    return of.is_gathered ? gathered(of, loop, terms, lines, of_terms) : factor(of, count(lines));
  };
  const MatrixFactor of_left = along(left, rows, of_rows), of_right = along(right, columns, of_columns);
  block_.before_touching(block_.touched(rows.op()));
  pieces_.start_kernel();  // threads take other elements than in the loops before
  const SourceText of_thread = fresh("sums_of_thread"), sums = fresh("sums"), part = fresh("part");
  const SourceText memory = memory_of(rows.op(), grid.matrix_bytes(tile));
  for (const SourceText& statement : grid.matrix_sums(tile, of_thread, memory, of_left, of_right, count(of_terms)))
    line(statement);
  const MatrixPart size = grid.matrix_part(tile);
  const bool several = size.count > 1;
  if (several) open("for (int " + part + " = 0; " + part + " < " + std::to_string(size.count) + "; ++" + part + ") {");
  line(grid.matrix_part_sums(tile, sums, of_thread, memory, several ? part : SourceText::number(0)));
  Area area{size.rows, size.columns, threads};
  const auto first = [&](std::int64_t of_part, std::int64_t of_tile) {
    return of_part < of_tile ? part + " * " + std::to_string(of_part) : SourceText();
  };
  area.first_row = first(size.rows, tile.rows);
  area.first_column = first(size.columns, tile.columns);
  area.take = [&](const SourceText& row, const SourceText& column, const SourceText& own) {
    return "const float* const " + own + " = " + grid.matrix_sum(tile, sums, row, column) + ";";
  };
  area.taken = [](const SourceText& own, const SourceText& neighbour) { return own + "[" + neighbour + "]"; };
  follow({rows, columns, terms.op().result(0), of_rows, of_columns}, area);
  if (several) close();
}

// Threads next to each other that always have neighbouring pieces of a row, where all threads of a warp have equally
// many.
int MatrixEmitter::threads_in_row(const Area& area, std::int64_t pieces) {
  if (area.rows * pieces % kWarpThreads != 0 || area.threads % kWarpThreads != 0) return 0;
  return static_cast<int>(std::gcd(pieces, std::int64_t{kWarpThreads}));
}

void MatrixEmitter::follow(const Followed& of, const Area& area) {
  const auto& [rows, columns, sum, of_rows, of_columns, of_row] = of;
  const GridHooks& grid = *writer_.grid;
  const std::int64_t per_lane = columns.per_lane(), pieces = area.columns / per_lane;
  const std::string type(hooks_.index_type()), neighbours = std::to_string(per_lane);
  const SourceText piece = fresh("piece"), row = fresh("row"), column = fresh("column"), own = fresh("own_sums");
  const SourceText i = fresh_index(rows), j = fresh_index(columns), j_first = fresh(j.str() + "_own");
  const SourceText threads = std::to_string(area.threads), thread(block_.thread());
  open("for (int " + piece + " = " + (area.of_group ? thread + " % " + threads : thread) + "; " + piece + " < " +
       std::to_string(area.rows * pieces) + "; " + piece + " += " + threads + ") {");
  line("const int " + row + " = " + piece + " / " + std::to_string(pieces) + ", " + column + " = " + piece + " % " +
       std::to_string(pieces) + " * " + neighbours + ";");
  const auto from = [](const SourceText& first, const SourceText& of_area, const SourceText& at) {
    const SourceText there = of_area.empty() ? at : of_area + " + " + at;
    return first.is_number(0) ? there : first + " + " + there;
  };
  line("const " + type + " " + i + " = " + from(of_rows.first, area.first_row, row) + ", " + j_first + " = " +
       from(of_columns.first, area.first_column, column) + ";");
  line(area.take(row, column, own));
  const int in_row = threads_in_row(area, pieces);
  if (in_row > 0) {
    writer_.names[rows.index().id()] = {i, 1};
    writer_.names[columns.index().id()] = {j, 1};
    pieces_.begin_rows(columns, rows.op());
  }
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
    declare(sum, {area.taken(own, neighbour), 1});
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
  if (in_row > 0) pieces_.write_rows(columns, j_first, in_row);
  close();
  block_.kernel->lane.reset();
}

}  // namespace mlgc::codegen
