#include "codegen/emitter/tile_emitter.h"

#include <algorithm>
#include <cmath>

#include "codegen/emitter/tile_function.h"
#include "ir/linear_coefficient.h"
#include "loopir/buffers.h"
#include "loopir/subscripts.h"

namespace mlgc::codegen {
// The loops of a tile and what its innermost one reads; not valid where they do anything else.
struct TileLoops {
  std::vector<ForRef> loops;  // from the outermost one
  std::vector<bool> anew;     // which start their sums at 0
  OpRef panel;                // a load along the lanes, of 16-bit floats with a cast
  std::vector<OpRef> rows;    // loads that are the same for all lanes, in the order of the sums, likewise

  [[nodiscard]] bool valid() const { return panel.valid(); }
};

namespace {

// Policy of this printer, the same for all machines: terms from which on a tile is worth a call, which takes as long as
// a few of them.
constexpr std::int64_t kFewestTerms = 32;
// Likewise a policy of this printer: smaller buffers stay in the second cache.
constexpr std::int64_t kFewestBytesAhead = std::int64_t{256} << 10U;

bool is_zero(Value v) {
  const LiteralRef literal = v.is_result() ? LiteralRef::from(v.definer()) : LiteralRef();
  return literal.valid() && literal.dtype() == Dtype::F32 && literal.real() == 0.0 && !std::signbit(*literal.real());
}

// What a factor reads: a load in the loop, of 16-bit floats under a cast. `ops` counts both.
OpRef read_of(Value factor, ForRef loop, std::size_t& ops) {
  OpRef op = factor.is_result() ? factor.definer() : OpRef();
  ++ops;
  if (op.valid() && op.is(GraphOp::Cast) && op.operand(0).is_result()) {
    op = op.operand(0).definer();
    ++ops;
  }
  const bool reads = op.valid() && op.is(LoopOp::Load) && op.parent() == loop.body() && is_float(op.result().dtype()) &&
                     dtype_info(op.result().dtype()).bytes <= 4;
  return reads ? op : OpRef();
}

// The innermost loop adds to each sum the product of a load of its own and of one that all share.
template <class Varies>
bool read_products(ForRef innermost, const Varies& varies, TileLoops& out) {
  const std::size_t sums = innermost.carried_count();
  const OpRef yield = innermost.body().back();
  std::size_t ops = 0;
  for (const OpRef op : innermost.body().ops()) ops += op.is(LoopOp::Literal) ? 0 : 1;
  Value factor;
  std::size_t known = sums + 1;  // the products and the `yield`
  for (std::size_t i = 0; i < sums; ++i) {
    const FmaRef product = yield.operand(i).is_result() ? FmaRef::from(yield.operand(i).definer()) : FmaRef();
    if (!product.valid() || product.op().parent() != innermost.body() || product.addend() != innermost.carried(i))
      return false;
    const bool left = varies(product.left());
    const Value along = left ? product.left() : product.right(), uniform = left ? product.right() : product.left();
    if (!varies(along) || varies(uniform)) return false;
    const OpRef of_row = read_of(uniform, innermost, known);
    if (!of_row.valid() || (factor.valid() && along != factor)) return false;
    factor = along;
    out.rows.push_back(of_row);
  }
  out.panel = read_of(factor, innermost, known);
  return out.panel.valid() && ops == known;
}

// The loop around carries what the inner one gives, or adds it to what it carries; the latter is `anew`. Nothing where
// it does anything else.
std::optional<bool> starts_anew(ForRef around, ForRef inner) {
  const OpRef yield = around.body().back();
  std::optional<bool> anew;
  for (std::size_t i = 0; i < around.carried_count(); ++i) {
    const Value given = yield.operand(i), of_inner = inner.op().result(i);
    const OpRef add = given.is_result() ? given.definer() : OpRef();
    const bool adds = add.valid() && add.is(GraphOp::Add);
    if (anew.value_or(adds) != adds) return std::nullopt;
    anew = adds;
    if (adds ? !is_zero(inner.initial(i)) || add.operand(0) != around.carried(i) || add.operand(1) != of_inner
             : given != of_inner || inner.initial(i) != around.carried(i))
      return std::nullopt;
  }
  return anew;
}

template <class Varies>
TileLoops find_tile(ForRef loop, const Varies& varies) {
  TileLoops out;
  const std::size_t sums = loop.carried_count();
  for (std::size_t i = 0; i < sums; ++i)
    if (!is_zero(loop.initial(i)) || !varies(loop.carried(i)) || loop.carried(i).dtype() != Dtype::F32) return {};
  bool anew = false;
  for (ForRef at = loop; at.valid();) {
    if (at.kind() != LoopKind::Serial || at.carried_count() != sums) return {};
    out.loops.push_back(at);
    out.anew.push_back(anew);
    ForRef inner;
    for (const OpRef op : at.body().ops()) {
      if (!op.is(LoopOp::For)) continue;
      if (inner.valid()) return {};
      inner = ForRef::from(op);
    }
    if (inner.valid()) {
      for (const OpRef op : at.body().ops())
        if (op != inner.op() && !op.is(LoopOp::Literal) && !op.is(GraphOp::Add) && !op.is(LoopOp::Yield)) return {};
      if (inner.carried_count() != sums) return {};
      const auto starts = starts_anew(at, inner);
      if (!starts) return {};
      anew = *starts;
    }
    at = inner;
  }
  return read_products(out.loops.back(), varies, out) ? out : TileLoops{};
}

}  // namespace

// What a call of a shared function needs to know of the loops that it stands for.
struct SharedTile {
  struct Level {
    IndexExpr count;  // over index labels of loops
    std::int64_t panel_step = 0, row_step = 0;
    std::optional<std::int64_t> last;  // of a loop that runs shorter in the last iteration of the one around
  };
  TileLoops found;
  TileShape shape;
  std::vector<Level> levels;
  IndexExpr row_stride;
  std::optional<IndexExpr> out_stride;  // of the stores
  std::vector<OpRef> stores;            // none: what follows reads the sums
  std::int64_t ahead = 0;               // elements to the panel that is read next; 0: do not prefetch
};

// Whether the value is what sums of register tiles start as, and nothing else.
bool TileEmitter::starts_tiles(Value v) const {
  const auto users = v.users();
  return lanes_.strip && writer_.grid == nullptr && std::all_of(users.begin(), users.end(), [&](OpRef op) {
           const ForRef loop = ForRef::from(op);
           return loop.valid() && loop.carried_count() >= fewest_sums();
         });
}

// Sums of a loop from which on it may be a call. Tiles of pairs of any size are calls, so that a row has the same bits
// in each.
std::size_t TileEmitter::fewest_sums() const { return hooks_.pairs() != nullptr ? 1 : kFewestAccumulators; }

// Where the element lies that the op touches, in elements of the buffer, over index labels of loops.
IndexExpr TileEmitter::place_over_loops(LoopAccess& shown, OpRef op) {
  const auto subscripts = subscripts_of(op);
  const auto dims = types_.dims(AccessRef::from(op).buffer().type());
  IndexExpr out = index_.constant(0);
  for (std::size_t d = 0; d < subscripts.size(); ++d)
    out = index_.add(index_.mul(out, dims[d]), shown.over_loops(op, resolved(op, subscripts[d])));
  return out;
}

// The distance between neighbours among these accesses, where it is the same for all and in all iterations of the
// loops.
std::optional<IndexExpr> TileEmitter::distance_between(LoopAccess& shown, const std::vector<OpRef>& accesses,
                                                       const std::vector<ForRef>& loops) {
  if (accesses.size() == 1) return index_.constant(0);
  const IndexExpr first = place_over_loops(shown, accesses[0]);
  const IndexExpr distance = index_.sub(place_over_loops(shown, accesses[1]), first);
  for (std::size_t i = 2; i < accesses.size(); ++i)
    if (index_.sub(place_over_loops(shown, accesses[i]), first) != index_.scale(distance, static_cast<std::int64_t>(i)))
      return std::nullopt;
  for (const ForRef loop : loops)
    if (index_.mentions(distance, shown.label_of(loop))) return std::nullopt;
  return distance;
}

// Whether the number is the same wherever the function stands, and can be written there.
bool TileEmitter::is_of_symbols(IndexExpr e) const {
  bool known = e != index_.overflow();
  index_.for_each_atom(e, [&](AtomId id) {
    const AtomKind kind = index_.atom(id).kind;
    known = known && kind != AtomKind::Opaque && (kind != AtomKind::Symbol || writer_.symbol_names.contains(id));
  });
  return known;
}

// The stores right after the loop that write its sums, unrounded, to whole rows of memory; none: something else does.
std::vector<OpRef> TileEmitter::stores_of_tile(ForRef loop) {
  const std::size_t sums = loop.carried_count();
  std::vector<OpRef> out(sums);
  OpRef op = loop.op().next();
  for (std::size_t n = 0; n < sums; ++n, op = op.next()) {
    const StoreRef store = op.valid() ? StoreRef::from(op) : StoreRef();
    if (!store.valid() || store.streams() || AccessRef::from(op).checked() || store.buffer().dtype() != Dtype::F32 ||
        registers_.contains(store.buffer()) || !store.value().is_result() || store.value().definer() != loop.op() ||
        !store.value().has_one_use() || store.buffer() != StoreRef::from(loop.op().next()).buffer())
      return {};
    out[store.value().number()] = op;
  }
  for (const OpRef store : out) {
    const auto access = accesses_.lane_access(store, StoreRef::from(store).buffer());
    if (!access || access->kind != LaneAccess::Kind::Whole) return {};
  }
  return out;
}

// How often each loop runs and how far its iterations lie apart; false: not evenly, or too few terms for a call.
bool TileEmitter::read_levels(LoopAccess& shown, SharedTile& tile) {
  const std::vector<ForRef>& loops = tile.found.loops;
  const IndexExpr of_panel = place_over_loops(shown, tile.found.panel),
                  of_rows = place_over_loops(shown, tile.found.rows[0]);
  if (of_panel == index_.overflow() || of_rows == index_.overflow()) return false;
  std::int64_t terms = 1;
  for (std::size_t l = 0; l < loops.size(); ++l) {
    const ForRef at = loops[l];
    if (hints_.taps_of(at) > 0) return false;  // a few iterations, which are written out
    const auto panel_step = linear_coefficient(index_, of_panel, shown.label_of(at)),
               row_step = linear_coefficient(index_, of_rows, shown.label_of(at));
    if (!panel_step || !row_step) return false;
    SharedTile::Level level{index_.sub(shown.over_loops(at.op(), resolved(at.op(), at.last())),
                                       shown.over_loops(at.op(), resolved(at.op(), at.first()))),
                            *panel_step,
                            *row_step,
                            {}};
    for (std::size_t around = 0; around < l; ++around) {
      const AtomId label = shown.label_of(loops[around]);
      if (!index_.mentions(level.count, label)) continue;
      const auto rounds = index_.as_constant(tile.levels[around].count);
      const auto counts = around + 1 == l && rounds ? counts_by_round(level.count, label, *rounds) : std::nullopt;
      if (!counts) return false;
      level.count = index_.constant(counts->first);
      level.last = counts->second;
    }
    const std::int64_t count = index_.as_constant(level.count).value_or(kFewestTerms);
    terms = std::min(terms * std::clamp<std::int64_t>(count, 0, kFewestTerms), kFewestTerms);
    tile.shape.loops.push_back({tile.found.anew[l], level.last.has_value()});
    tile.levels.push_back(level);
  }
  return terms >= kFewestTerms;
}

// A number that depends on the iteration of a loop, which the label stands for: its value in all iterations but the
// last one, and in that. Nothing where the former differ.
std::optional<std::pair<std::int64_t, std::int64_t>> TileEmitter::counts_by_round(IndexExpr count, AtomId label,
                                                                                  std::int64_t rounds) {
  const auto in_round = [&](std::int64_t round) {
    return index_.as_constant(index_.substitute(count, [&](AtomId id) -> std::optional<IndexExpr> {
      if (id != label) return std::nullopt;
      return index_.constant(round);
    }));
  };
  const auto usual = in_round(0), last = in_round(rounds - 1);
  if (rounds < 1 || !usual || !last) return std::nullopt;
  for (std::int64_t round = 1; round + 1 < rounds; ++round)
    if (in_round(round) != usual) return std::nullopt;
  return std::pair{*usual, *last};
}

// The distance, in elements, to the panel of the next iteration of the innermost loop around whose iterations read
// different panels; 0 where there is no such loop, or the second cache holds the whole buffer. While one tile is
// computed the panel of the next one is fetched from memory: hardware prefetchers stop at the end of a page, and do not
// follow a stride of many lines.
std::int64_t TileEmitter::panel_ahead(LoopAccess& shown, const TileLoops& found) {
  const Value panel = LoadRef::from(found.panel).buffer(), memory = underlying_buffer(panel);
  if (types_.scope(memory.type()) == Scope::Thread || hooks_.prefetch("").empty()) return 0;
  const auto bytes = index_.as_constant(context_.storage_bytes(memory.type()));
  if (bytes && *bytes < kFewestBytesAhead) return 0;
  const IndexExpr place = place_over_loops(shown, found.panel);
  for (OpRef at = found.loops.front().op().parent_op(); at.valid(); at = at.parent_op()) {
    const ForRef around = ForRef::from(at);
    if (!around.valid() || around.kind() == LoopKind::Vector) continue;
    const auto step = linear_coefficient(index_, place, shown.label_of(around));
    if (!step || *step != 0) return step.value_or(0);
  }
  return 0;
}

// The loops as a tile that a function computes; nothing where they are something else.
std::optional<SharedTile> TileEmitter::find(ForRef loop) {
  SharedTile tile;
  tile.found = find_tile(loop, [&](Value v) { return lanes_.varies(v); });
  if (!tile.found.valid()) return std::nullopt;
  const Value panel = LoadRef::from(tile.found.panel).buffer(), rows = LoadRef::from(tile.found.rows[0]).buffer();
  for (const OpRef row : tile.found.rows)
    if (LoadRef::from(row).buffer() != rows || AccessRef::from(row).checked()) return std::nullopt;
  if (AccessRef::from(tile.found.panel).checked() || registers_.contains(panel) || registers_.contains(rows))
    return std::nullopt;
  LoopAccess shown(context_, writer_.facts.of(loop.op()));
  shown.enter_around(tile.found.panel);
  tile.shape = {static_cast<int>(loop.carried_count()), lanes_.strip->lanes, panel.dtype(), rows.dtype(), {}};
  const auto row_stride = distance_between(shown, tile.found.rows, tile.found.loops);
  if (!row_stride || !is_of_symbols(*row_stride) || !read_levels(shown, tile)) return std::nullopt;
  const bool in_pairs = hooks_.pairs() != nullptr && rows.dtype() == Dtype::BF16 && panel.dtype() == Dtype::BF16 &&
                        tile.levels.back().row_step == 1;
  if (rows.dtype() != Dtype::F32 && !in_pairs) return std::nullopt;
  tile.row_stride = *row_stride;
  tile.ahead = panel_ahead(shown, tile.found);
  tile.shape.prefetches = tile.ahead != 0;
  tile.stores = stores_of_tile(loop);
  if (!tile.stores.empty()) tile.out_stride = distance_between(shown, tile.stores, {});
  return tile;
}

// The loops of a sum in registers, printed as a call. False: they are something else, and nothing was printed.
bool TileEmitter::call(ForRef loop) {
  if (writer_.grid != nullptr || writer_.tables != nullptr || !lanes_.strip || !hooks_.names_factors()) return false;
  if (loop.carried_count() < fewest_sums()) return false;
  auto tile = find(loop);
  if (!tile || (loop.carried_count() < kFewestAccumulators && tile->shape.row == Dtype::F32)) return false;
  TileShape& shape = tile->shape;

  // Addresses are those of the first iteration.
  SourceText counts, first_row;
  std::optional<LaneAccess> access;
  SourceBlock first_iteration = writer_.source.block([&] {
    for (std::size_t l = 0; l < tile->levels.size(); ++l) {
      const ForRef at = tile->found.loops[l];
      const SharedTile::Level& level = tile->levels[l];
      const IndexExpr first = resolved(at.op(), at.first());
      const SourceText begin = indices_.index(at.op(), first).text;
      const auto known = index_.as_constant(first);
      if (known) writer_.constants[at.index().id()] = *known;
      writer_.names[at.index().id()] = {known ? begin : bound(begin, FunctionWriter::index_name(at)), 1};
      const auto count = index_.as_constant(level.count);
      counts += ", " + (count ? std::to_string(*count)
                              : indices_.index(at.op(), resolved(at.op(), index_.sub(at.last(), at.first()))).text);
      counts += ", " + std::to_string(level.panel_step) + ", " + std::to_string(level.row_step);
      if (level.last) counts += ", " + std::to_string(*level.last);
    }
    const OpRef row = tile->found.rows[0];
    const Value rows = LoadRef::from(row).buffer();
    access = accesses_.lane_access(tile->found.panel, LoadRef::from(tile->found.panel).buffer());
    first_row = text_of(rows).text + " + " + indices_.offset(row, rows);
  });
  for (const ForRef at : tile->found.loops) writer_.constants.erase(at.index().id());
  if (!access || (access->kind != LaneAccess::Kind::Whole && access->kind != LaneAccess::Kind::Part)) return false;
  writer_.source.append(std::move(first_iteration));
  shape.part = access->kind == LaneAccess::Kind::Part;
  if (shape.part) counts = ", " + access->count + counts;
  if (shape.prefetches) counts = ", " + std::to_string(tile->ahead) + counts;

  SourceText out, stride = std::to_string(lanes_.strip->lanes), array;
  if (tile->out_stride && is_of_symbols(*tile->out_stride)) {
    out = accesses_.lane_access(tile->stores[0], StoreRef::from(tile->stores[0]).buffer())->pointer;
    stride = indices_.index(loop.op(), *tile->out_stride).text;
    for (const OpRef store : tile->stores) stored_.insert(store.id());
  } else {
    out = array = fresh("tile");
    line("alignas(64) " + std::string(hooks_.element_type(Dtype::F32)) + " " + array + "[" +
         std::to_string(shape.rows * shape.lanes) + "];");
  }
  line(shape.name() + "(" + access->pointer + ", " + first_row + ", " +
       indices_.index(loop.op(), tile->row_stride).text + ", " + out + ", " + stride + counts + ");");
  if (const auto [known, is_new] = functions_.try_emplace(shape.name()); is_new)
    known->second = print_tile_function(shape, hooks_);
  for (std::size_t i = 0; i < loop.carried_count() && !array.empty(); ++i) {
    LaneAccess at;
    at.pointer = array + (i == 0 ? "" : " + " + std::to_string(i * static_cast<std::size_t>(shape.lanes)));
    declare(loop.op().result(i), {hooks_.load_lanes(Dtype::F32, shape.lanes, at), shape.lanes});
  }
  return true;
}

}  // namespace mlgc::codegen
