// Register tiles of products whose text is a function that the kernels of a file share (tile_function.h).
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "analysis/loop_access.h"
#include "codegen/tile_function.h"
#include "codegen/walk.h"
#include "ir/linear_coefficient.h"
#include "loopir/loop_ops.h"
#include "loopir/nests.h"
#include "loopir/subscripts.h"

namespace mlgc::codegen {
namespace {

// Sums from which on the loops are a tile worth a call, and terms likewise: a call takes as long as a few of them.
constexpr std::size_t kFewestSums = 4;
constexpr std::int64_t kFewestTerms = 32;

bool is_zero(Value v) {
  const LiteralRef literal = v.is_result() ? LiteralRef::from(v.definer()) : LiteralRef();
  return literal.valid() && literal.dtype() == Dtype::F32 && literal.real() == 0.0 && !std::signbit(*literal.real());
}

// The loops of a tile and what its innermost one reads; not valid where they do anything else.
struct TileLoops {
  std::vector<ForRef> loops;  // from the outermost one
  std::vector<bool> anew;     // which start their sums at 0
  OpRef panel;                // a load along the lanes
  std::vector<OpRef> rows;    // loads that are the same for all lanes, in the order of the sums

  [[nodiscard]] bool valid() const { return panel.valid(); }
};

template <class Varies>
TileLoops find_tile(ForRef loop, const Varies& varies) {
  TileLoops out;
  const std::size_t sums = loop.carried_count();
  for (std::size_t i = 0; i < sums; ++i)
    if (!is_zero(loop.initial(i)) || !varies(loop.carried(i)) || loop.carried(i).dtype() != Dtype::F32) return {};
  out.loops.push_back(loop);
  out.anew.push_back(false);
  for (ForRef at = loop;;) {
    if (at.kind() != LoopKind::Serial || at.carried_count() != sums) return {};
    ForRef inner;
    std::size_t additions = 0;
    for (const OpRef op : at.body().ops()) {
      if (op.is(LoopOp::For)) {
        if (inner.valid()) return {};
        inner = ForRef::from(op);
      } else if (op.is(GraphOp::Add)) {
        ++additions;
      } else if (!op.is(LoopOp::Literal) && !op.is(LoopOp::Yield) && !op.is(LoopOp::Load) && !op.is(LoopOp::Fma) &&
                 !op.is(GraphOp::Cast)) {
        return {};
      }
    }
    if (!inner.valid()) {
      if (additions > 0) return {};
      break;
    }
    if (inner.carried_count() != sums) return {};
    const OpRef yield = at.body().back();
    const bool anew = additions > 0;
    for (std::size_t i = 0; i < sums; ++i) {
      const Value given = yield.operand(i), of_inner = inner.op().result(i);
      if (!anew) {
        if (given != of_inner || inner.initial(i) != at.carried(i)) return {};
        continue;
      }
      const OpRef add = given.is_result() ? given.definer() : OpRef();
      if (!is_zero(inner.initial(i)) || !add.valid() || !add.is(GraphOp::Add) || add.operand(0) != at.carried(i) ||
          add.operand(1) != of_inner)
        return {};
    }
    for (const OpRef op : at.body().ops())
      if (op.is(LoopOp::Load) || op.is(LoopOp::Fma)) return {};
    out.loops.push_back(inner);
    out.anew.push_back(anew);
    at = inner;
  }
  const ForRef innermost = out.loops.back();
  const OpRef yield = innermost.body().back();
  std::size_t ops = 0;
  for (const OpRef op : innermost.body().ops()) ops += op.is(LoopOp::Literal) ? 0 : 1;
  Value factor;
  for (std::size_t i = 0; i < sums; ++i) {
    const FmaRef product = yield.operand(i).is_result() ? FmaRef::from(yield.operand(i).definer()) : FmaRef();
    if (!product.valid() || product.op().parent() != innermost.body() || product.addend() != innermost.carried(i))
      return {};
    const bool left = varies(product.left());
    const Value along = left ? product.left() : product.right(), uniform = left ? product.right() : product.left();
    if (!varies(along) || varies(uniform) || !along.is_result() || !uniform.is_result()) return {};
    const OpRef of_row = uniform.definer();
    if (factor.valid() && along != factor) return {};
    factor = along;
    if (!of_row.is(LoopOp::Load) || of_row.parent() != innermost.body() || uniform.dtype() != Dtype::F32) return {};
    out.rows.push_back(of_row);
  }
  // A load for each row, one of the panel, which may be cast, the products and the `yield`.
  OpRef panel = factor.definer();
  std::size_t others = 2;
  if (panel.is(GraphOp::Cast) && panel.operand(0).is_result()) {
    panel = panel.operand(0).definer();
    ++others;
  }
  if (!panel.is(LoopOp::Load) || panel.parent() != innermost.body() || ops != 2 * sums + others ||
      !is_float(panel.result().dtype()) || dtype_info(panel.result().dtype()).bytes > 4)
    return {};
  out.panel = panel;
  return out;
}

}  // namespace

// Whether the value is what sums of register tiles start as, and nothing else.
bool Walk::starts_tiles(Value v) const {
  const auto users = v.users();
  return strip_ && grid_ == nullptr && std::all_of(users.begin(), users.end(), [](OpRef op) {
           const ForRef loop = ForRef::from(op);
           return loop.valid() && loop.carried_count() >= kFewestSums;
         });
}

// Where the element lies that the op touches, in elements of the buffer, over letters of loops.
IndexExpr Walk::place_over_loops(LoopAccess& shown, OpRef op) {
  const auto subscripts = subscripts_of(op);
  const auto dims = types_.dims(AccessRef::from(op).buffer().type());
  IndexExpr out = index_.constant(0);
  for (std::size_t d = 0; d < subscripts.size(); ++d)
    out = index_.add(index_.mul(out, dims[d]), shown.over_loops(op, resolved(op, subscripts[d])));
  return out;
}

// The distance between neighbours among these accesses, where it is the same for all and in all iterations of the
// loops.
std::optional<IndexExpr> Walk::distance_between(LoopAccess& shown, const std::vector<OpRef>& accesses,
                                                const std::vector<ForRef>& loops) {
  const IndexExpr first = place_over_loops(shown, accesses[0]);
  const IndexExpr distance = index_.sub(place_over_loops(shown, accesses[1]), first);
  for (std::size_t i = 2; i < accesses.size(); ++i)
    if (index_.sub(place_over_loops(shown, accesses[i]), first) != index_.scale(distance, static_cast<std::int64_t>(i)))
      return std::nullopt;
  for (const ForRef loop : loops)
    if (index_.mentions(distance, shown.letter_of(loop))) return std::nullopt;
  return distance;
}

// Whether the number is the same wherever the function stands, and can be written there.
bool Walk::is_of_symbols(IndexExpr e) const {
  bool known = e != index_.overflow();
  index_.for_each_atom(e, [&](AtomId id) {
    const AtomKind kind = index_.atom(id).kind;
    known = known && kind != AtomKind::Opaque && (kind != AtomKind::Symbol || symbol_names_.contains(id));
  });
  return known;
}

// The stores right behind the loop that write its sums, unrounded, to whole rows of memory; none: something else does.
std::vector<OpRef> Walk::stores_of_tile(ForRef loop) {
  const std::size_t sums = loop.carried_count();
  std::vector<OpRef> out(sums);
  OpRef op = loop.op().next();
  for (std::size_t n = 0; n < sums; ++n, op = op.next()) {
    const StoreRef store = op.valid() ? StoreRef::from(op) : StoreRef();
    if (!store.valid() || store.streams() || AccessRef::from(op).checked() || store.buffer().dtype() != Dtype::F32 ||
        named_.contains(store.buffer().id()) || !store.value().is_result() || store.value().definer() != loop.op() ||
        !store.value().has_one_use() || store.buffer() != StoreRef::from(loop.op().next()).buffer())
      return {};
    out[store.value().number()] = op;
  }
  for (const OpRef store : out) {
    const auto access = lane_access(store, StoreRef::from(store).buffer());
    if (!access || access->kind != LaneAccess::Kind::Whole) return {};
  }
  return out;
}

// The loops of a sum in registers, printed as a call. False: they are something else, and nothing was printed.
bool Walk::shared_tile(ForRef loop) {
  if (grid_ != nullptr || tables_ != nullptr || !strip_ || !leaves_.names_factors() ||
      loop.carried_count() < kFewestSums)
    return false;
  const TileLoops tile = find_tile(loop, [&](Value v) { return varying_.contains(v.id()); });
  if (!tile.valid()) return false;
  const Value panel = LoadRef::from(tile.panel).buffer(), rows = LoadRef::from(tile.rows[0]).buffer();
  for (const OpRef row : tile.rows)
    if (LoadRef::from(row).buffer() != rows || AccessRef::from(row).checked()) return false;
  if (AccessRef::from(tile.panel).checked() || named_.contains(panel.id()) || named_.contains(rows.id())) return false;

  LoopAccess shown(context_, facts_.of(loop.op()));
  shown.enter_around(tile.panel);
  TileShape shape{static_cast<int>(loop.carried_count()), strip_->lanes, panel.dtype(), {}};
  const IndexExpr of_panel = place_over_loops(shown, tile.panel), of_rows = place_over_loops(shown, tile.rows[0]);
  const auto row_stride = distance_between(shown, tile.rows, tile.loops);
  if (!row_stride || !is_of_symbols(*row_stride) || of_panel == index_.overflow() || of_rows == index_.overflow())
    return false;
  struct Level {
    IndexExpr count;  // over letters
    std::optional<std::int64_t> panel_step, row_step, last;
  };
  std::vector<Level> levels;
  std::int64_t terms = 1;
  for (std::size_t l = 0; l < tile.loops.size(); ++l) {
    const ForRef at = tile.loops[l];
    if (taps_of(at) > 0) return false;  // a few iterations, which are written out
    Level level{index_.sub(shown.over_loops(at.op(), resolved(at.op(), at.last())),
                           shown.over_loops(at.op(), resolved(at.op(), at.first()))),
                linear_coefficient(index_, of_panel, shown.letter_of(at)),
                linear_coefficient(index_, of_rows, shown.letter_of(at)),
                {}};
    if (!level.panel_step || !level.row_step) return false;
    for (std::size_t around = 0; around < l; ++around) {
      const AtomId letter = shown.letter_of(tile.loops[around]);
      if (!index_.mentions(level.count, letter)) continue;
      // The same number in all iterations of the loop around but the last one.
      const auto rounds = index_.as_constant(levels[around].count);
      if (around + 1 != l || !rounds || *rounds < 1) return false;
      const auto in_round = [&](std::int64_t round) {
        return index_.as_constant(index_.substitute(level.count, [&](AtomId id) -> std::optional<IndexExpr> {
          if (id != letter) return std::nullopt;
          return index_.constant(round);
        }));
      };
      const auto usual = in_round(0);
      if (!usual) return false;
      for (std::int64_t round = 1; round + 1 < *rounds; ++round)
        if (in_round(round) != usual) return false;
      level.last = in_round(*rounds - 1);
      if (!level.last) return false;
      level.count = index_.constant(*usual);
    }
    terms *= std::clamp<std::int64_t>(index_.as_constant(level.count).value_or(kFewestTerms), 0, kFewestTerms);
    terms = std::min(terms, kFewestTerms);
    shape.loops.push_back({tile.anew[l], level.last.has_value()});
    levels.push_back(level);
  }
  if (terms < kFewestTerms) return false;
  const std::vector<OpRef> stores = stores_of_tile(loop);
  const auto out_stride = stores.empty() ? std::nullopt : distance_between(shown, stores, {});

  // Addresses are those of the first iteration.
  const std::size_t before = text_.size();
  std::vector<std::string> counts;
  for (std::size_t l = 0; l < tile.loops.size(); ++l) {
    const ForRef at = tile.loops[l];
    const IndexExpr first = resolved(at.op(), at.first());
    const std::string stem(at.index().name().empty() ? "i" : at.index().name());
    if (const auto known = index_.as_constant(first)) constants_[at.index().id()] = *known;
    names_[at.index().id()] = {
        index_.as_constant(first) ? index(at.op(), first).text : bound(index(at.op(), first).text, fresh(stem)), 1};
    const auto count = index_.as_constant(levels[l].count);
    counts.push_back(count ? std::to_string(*count)
                           : index(at.op(), resolved(at.op(), index_.sub(at.last(), at.first()))).text);
  }
  const auto access = lane_access(tile.panel, panel);
  const std::string first_row = spelled(rows).text + " + " + offset(tile.rows[0], rows);
  for (const ForRef at : tile.loops) constants_.erase(at.index().id());
  if (!access || access->kind != LaneAccess::Kind::Whole) {
    text_.resize(before);
    return false;
  }

  std::string out, stride = std::to_string(strip_->lanes), array;
  if (out_stride && is_of_symbols(*out_stride)) {
    out = lane_access(stores[0], StoreRef::from(stores[0]).buffer())->pointer;
    stride = index(loop.op(), *out_stride).text;
    for (const OpRef store : stores) stored_by_tile_.insert(store.id());
  } else {
    out = array = fresh("tile");
    line("alignas(64) " + std::string(leaves_.element_type(Dtype::F32)) + " " + array + "[" +
         std::to_string(shape.rows * shape.lanes) + "];");
  }
  std::string arguments =
      access->pointer + ", " + first_row + ", " + index(loop.op(), *row_stride).text + ", " + out + ", " + stride;
  for (std::size_t l = 0; l < levels.size(); ++l) {
    arguments +=
        ", " + counts[l] + ", " + std::to_string(*levels[l].panel_step) + ", " + std::to_string(*levels[l].row_step);
    if (levels[l].last) arguments += ", " + std::to_string(*levels[l].last);
  }
  line(shape.name() + "(" + arguments + ");");
  if (const auto [known, is_new] = shared_.try_emplace(shape.name()); is_new)
    known->second = print_tile_function(shape, leaves_);
  for (std::size_t i = 0; i < loop.carried_count() && !array.empty(); ++i) {
    LaneAccess at;
    at.pointer = array + (i == 0 ? "" : " + " + std::to_string(i * static_cast<std::size_t>(shape.lanes)));
    declare(loop.op().result(i), {leaves_.load_lanes(Dtype::F32, shape.lanes, at), shape.lanes});
  }
  return true;
}

}  // namespace mlgc::codegen
