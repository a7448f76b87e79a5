#include "codegen/emitter/tensor_tile_emitter.h"

#include <algorithm>

#include "ir/walk.h"
#include "loopir/buffers.h"

namespace mlgc::codegen {
namespace {

// Policy of this printer: rows in unknown number, of which there may be as few, have kernels for these, too.
constexpr std::int64_t kFewRows[] = {8, 32};
// Of two factors that are windows nobody asks how many terms there are: more than a block has at a time.
constexpr std::int64_t kManyTerms = std::int64_t{1} << 30;

}  // namespace

std::vector<SourceText> TensorKernel::maps() const {
  if (attention) return {attention->query_map, attention->key_map, attention->value_map};
  return {left_map, right_map};
}

// A thread that ends early would be waited for by its group, and there are no barriers between tiles.
bool TensorTileEmitter::follows_freely(ForRef rows) {
  std::unordered_set<ValueId> read, written;
  const bool fits = walk(rows.op(), [&](OpRef op) {
    if (op.is(LoopOp::Check)) return WalkResult::Stop;
    const AccessRef access = AccessRef::from(op);
    if (!access.valid() || access.op().module().context().types().scope(access.buffer().type()) == Scope::Thread)
      return WalkResult::Continue;
    if (access.checked()) return WalkResult::Stop;
    (op.is(LoopOp::Load) ? read : written).insert(underlying_buffer(access.buffer()).id());
    return WalkResult::Continue;
  });
  return fits && std::none_of(read.begin(), read.end(), [&](ValueId id) { return written.contains(id); });
}

std::vector<TensorKernel> TensorTileEmitter::find(std::span<const ForRef> around) {
  if (writer_.grid->tensor_tiles() == nullptr || around.empty()) return {};
  ForRef rows;
  for (const OpRef op : around.back().body().ops()) {
    const ForRef loop = ForRef::from(op);
    const bool is_nest = loop.valid() && loop.kind() == LoopKind::Matrix && !rows.valid();
    if (is_nest) rows = loop;
    if (!is_nest && !op.is(LoopOp::Yield)) return {};
  }
  if (!rows.valid() || !follows_freely(rows)) return {};
  if (looks_like_attention(rows)) return find_attention(rows, around);
  const auto nest = matrix_nest(rows);
  MLGC_ASSERT(nest, "a matrix loop that is none");
  const auto& [left, right, wide] = nest->factors;
  MatrixTile tile{
      left.load.result().dtype(), nest->tile_rows, nest->tile_columns, rows.stages(), left.by_terms, right.by_terms};
  if (nest->columns.per_lane() != kMatrixPiece || !hooks().has(tile)) return {};
  const auto boxes = factor_boxes(*nest, around);
  const bool has_windows = boxes && (boxes->left.windows || boxes->right.windows);
  if (!boxes || (has_windows && hooks().is_transposed(tile))) return {};
  if (boxes->places) {
    tile.place_terms = boxes->places->terms;
    tile.box_terms = boxes->places->box;
  }
  std::vector<TensorKernel> out;
  const auto add = [&](const MatrixTile& of, bool if_few) {
    out.push_back({*nest, *boxes, of, fresh("left_map"), fresh("right_map"), fresh("ring"), {}, if_few});
  };
  if (!has_windows && !index_.as_constant(boxes->left.boxes.lines))
    for (const std::int64_t few : kFewRows) {
      MatrixTile of_few = tile;
      of_few.rows = few;
      if (few < tile.rows && hooks().has(of_few)) add(of_few, true);
    }
  add(tile, false);
  return out;
}

void TensorTileEmitter::declare_maps(const TensorKernel& of) {
  line(std::string(hooks().map_type()) + " " + comma_separated(of.maps()) + ";");
}

SourceText TensorTileEmitter::make_map(const SourceText& map, const MatrixOperand& operand, const FactorCopy& copy,
                                       std::int64_t lines, const MatrixTile& tile) {
  const OpRef load = operand.load;
  if (copy.windows) return make_window_map(map, load, *copy.windows, lines, tile.box_terms);
  const FactorBoxes& boxes = copy.boxes;
  const auto text = [&](IndexExpr e) { return indices_.index(load, e).text; };
  const SourceText buffer = text_of(LoadRef::from(load).buffer()).text, first = text(boxes.first);
  TensorFactor factor{first.is_number(0) ? buffer : buffer + " + " + first.as_operand(),
                      text(boxes.lines),
                      text(boxes.terms),
                      text(operand.stride),
                      {},
                      operand.by_terms,
                      lines,
                      tile.box_terms};
  if (tile.place_terms > 0) {
    const IndexExpr terms = index_.constant(tile.place_terms);
    factor.terms = text(terms);
    factor.further = {text(index_.floordiv(boxes.terms, terms)),
                      text(operand.by_terms ? terms : index_.mul(terms, operand.stride))};
  }
  for (const FactorBoxes::Further& along : boxes.further) {
    factor.further.push_back(text(along.count));
    factor.further.push_back(text(along.stride));
  }
  return hooks().make_map(map, factor);
}

SourceText TensorTileEmitter::condition(const TensorKernel& of, std::string_view kernel, const SourceText& iterations) {
  if (of.attention) return attention_hooks().runs(kernel, of.attention->tile) + " && " + make_maps(*of.attention);
  const SourceText few = of.if_few
                             ? indices_.index(of.nest.factors.left.load, of.boxes.left.boxes.lines).text.as_operand() +
                                   " <= " + std::to_string(of.tile.rows) + " && "
                             : SourceText();
  return few + hooks().runs(kernel, of.tile, grid(of, iterations)) + " && " +
         make_map(of.left_map, of.nest.factors.left, of.boxes.left, of.tile.rows, of.tile) + " && " +
         make_map(of.right_map, of.nest.factors.right, of.boxes.right, of.tile.columns, of.tile);
}

int TensorTileEmitter::threads(const TensorKernel& of) const {
  return of.attention ? attention_hooks().threads(of.attention->tile) : hooks().threads(of.tile);
}
SourceText TensorTileEmitter::count_of_terms(const TensorKernel& of) {
  const auto& [left, right, wide] = of.nest.factors;
  if (!of.boxes.left.windows) return indices_.index(left.load, of.boxes.left.boxes.terms).text;
  if (!of.boxes.right.windows) return indices_.index(right.load, of.boxes.right.boxes.terms).text;
  return SourceText::number(kManyTerms);
}
TensorGrid TensorTileEmitter::grid(const TensorKernel& of, const SourceText& iterations) {
  return {iterations, count_of_terms(of)};
}
SourceText TensorTileEmitter::blocks(const TensorKernel& of, const SourceText& iterations) {
  return of.attention ? iterations : hooks().blocks(of.tile, grid(of, iterations));
}
SourceText TensorTileEmitter::bytes(const TensorKernel& of, const SourceText& iterations) {
  return of.attention ? attention_hooks().bytes(of.attention->tile) : hooks().bytes(of.tile, grid(of, iterations));
}
std::string TensorTileEmitter::head(const TensorKernel& of, std::string_view name) const {
  return of.attention ? attention_hooks().kernel_head(name, of.attention->tile) : hooks().kernel_head(name, of.tile);
}

void TensorTileEmitter::begin(const TensorKernel& of) {
  for (const SourceText& statement :
       of.attention ? attention_hooks().begin(of.attention->tile, of.ring) : hooks().begin(of.tile, of.ring))
    line(statement);
}

void TensorTileEmitter::loops(const TensorKernel& of,
                              const std::function<void(const std::function<void()>& nest)>& loop) {
  if (!of.attention) return loop([&] { nest(of); });
  const AttentionTile& tile = of.attention->tile;
  open("if (" + attention_hooks().brings(tile) + ") {");
  line(attention_hooks().begin_bringing(tile));
  loop([&] { bring(*of.attention, of.ring); });
  next("} else {");
  line(attention_hooks().begin_using(tile));
  loop([&] { use(*of.attention, of.ring); });
  close();
}

void TensorTileEmitter::nest(const TensorKernel& of) {
  const MatrixEmitter::Bounds rows = matrices_.bounds_of(of.nest.rows), columns = matrices_.bounds_of(of.nest.columns),
                              terms = matrices_.bounds_of(of.nest.terms);
  open("if (" + hooks().brings(of.tile) + ") {");
  const auto& [left, right, wide] = of.nest.factors;
  const TensorCopy of_left = copy_of(of.left_map, left, of.boxes.left, of.nest.rows, of.nest.terms, rows),
                   of_right = copy_of(of.right_map, right, of.boxes.right, of.nest.columns, of.nest.terms, columns);
  if (of.boxes.left.windows || of.boxes.right.windows)
    line(hooks().bring_parts(of.tile, of.ring, of_left, of_right, terms.first, terms.end));
  else
    line(hooks().bring(of.tile, of.ring, of_left.map, of_left.at, of_right.map, of_right.at, terms.first, terms.end));
  line("continue;");
  close();
  const SourceText sums = fresh("sums"), part = fresh("part"), memory = fresh("part_sums");
  for (const SourceText& statement : hooks().multiply(of.tile, of.ring, sums, terms.first, terms.end)) line(statement);
  open(hooks().each_part(of.tile, part));
  line(hooks().put(of.tile, of.ring, sums, part, memory));
  const TensorPart size = hooks().part(of.tile);
  MatrixEmitter::Area area{size.rows,
                           size.columns,
                           size.threads,
                           true,
                           hooks().first_row(of.tile, part),
                           hooks().first_column(of.tile, part),
                           {},
                           {}};
  area.take = [&](const SourceText& row, const SourceText& column, const SourceText& own) {
    return hooks().take(of.tile, memory, row, column, own);
  };
  area.taken = [&](const SourceText& own, const SourceText& neighbour) { return hooks().taken(own, neighbour); };
  matrices_.follow({of.nest.rows, of.nest.columns, of.nest.terms.op().result(0), rows, columns}, area);
  close();
}

SourceBlock TensorTileEmitter::guarded(SourceBlock body) const {
  body.add_first(SourceText(hooks().begin_guarded()));
  body.add(SourceStatement{SourceText(hooks().end_guarded())});
  return body;
}

}  // namespace mlgc::codegen
