// transpose_tiles: a transpose by square register tiles, which are written row by row,
// transposed in place, and read row by row.
#include <algorithm>
#include <array>
#include <functional>
#include <vector>

#include "ir/builder.h"
#include "ir/clone.h"
#include "loopir/buffers.h"
#include "loopir/loop_ops.h"
#include "loopir/loop_role.h"
#include "loopir/subscripts.h"
#include "ops/combine.h"
#include "schedule/along_loop.h"
#include "schedule/loop_edit.h"
#include "schedule/loop_transforms.h"

namespace mlgc {

using namespace schedule;

namespace {

// for i { for j { body } }, where some loads run along i.
class TransposeTiling {
 public:
  TransposeTiling(OpRef rows, std::int64_t size, std::int64_t group)
      : rows_(ForRef::from(rows)),
        columns_(ForRef::from(rows.region(0).empty() ? OpRef() : rows.region(0).front())),
        pool_(rows.module().context().index()),
        builder_(rows.module()),
        size_(size),
        group_(group) {}

  [[nodiscard]] TransformResult check() {
    if (auto may = expect_perfectly_nested(rows_); !may) return may;
    for (const ForRef& loop : {rows_, columns_}) {
      if (auto may = expect_no_carried(loop); !may) return may;
      if (auto may = expect_plain(loop); !may) return may;
    }
    for (const Value v : columns_.op().operands())
      if (v == rows_.index()) return refuse<kScheduleBoundsVary>(index_name(columns_));
    for (const OpRef op : columns_.body().ops()) {
      const bool access = op.is(LoopOp::Load) || op.is(LoopOp::Store);
      if (op.region_count() > 0 || !(only_computes(op) || op.is(LoopOp::Store) || op.is(LoopOp::Check)))
        return refuse<kScheduleUnsupportedOp>(index_name(columns_), op.name(), "run in register tiles");
      for (const ForRef& loop : {rows_, columns_})
        for (const Value v : op.operands())
          if (v == loop.index() && !access) return refuse<kScheduleIndexUse>(op.name(), index_name(loop));
      if (op.is(LoopOp::Load) && runs_across(op)) crossing_.push_back(op);
    }
    if (crossing_.empty())
      return refuse<kScheduleNothingToDo>("transpose",
                                          "no load is contiguous along the outer loop and strided along "
                                          "the inner one");
    // A square is read before anything of it is written.
    for (const OpRef load : crossing_)
      for (const OpRef op : columns_.body().ops())
        if (stored_buffer(op) == loaded_buffer(load))
          return refuse<kScheduleBufferWritten>(loaded_buffer(load).name(), index_name(columns_));
    return {};
  }

  void run() {
    const OpRef old = rows_.op();
    const std::string row(rows_.index().name()), column(columns_.index().name());
    rows_.index().set_name("");  // their names go to the new loops
    columns_.index().set_name("");
    const bool parallel = rows_.kind() == LoopKind::Parallel;
    const IndexExpr zero = pool_.constant(0);
    const IndexExpr r0 = over_values(old, rows_.first()), r1 = over_values(old, rows_.last());
    const IndexExpr c0 = over_values(columns_.op(), columns_.first()), c1 = over_values(columns_.op(), columns_.last());
    // One square that is not filled takes rows, or columns, of which there are fewer.
    height_ = std::min(size_, pool_.as_constant(pool_.sub(r1, r0)).value_or(size_));
    width_ = std::min(size_, pool_.as_constant(pool_.sub(c1, c0)).value_or(size_));
    const IndexExpr row_tiles = quotient_of(pool_, pool_.sub(r1, r0), height_);
    const IndexExpr column_tiles = quotient_of(pool_, pool_.sub(c1, c0), width_);
    const IndexExpr r2 = pool_.add(r0, covered_by(pool_, row_tiles, height_)),
                    c2 = pool_.add(c0, covered_by(pool_, column_tiles, width_));
    builder_.set_location(old.location());

    // Groups of squares side by side go down the rows together: what is read is contiguous in as many streams as
    // a group has columns, and what is written of a row stands together.
    builder_.set_before(old);
    const OpRef groups = loop(zero, pool_.ceildiv(column_tiles, pool_.constant(group_)), column + "_o");
    const auto squares = pool_.as_constant(column_tiles);
    const bool shares_rows = squares && *squares <= group_;  // one group leaves threads nothing else
    if (parallel && !shares_rows) ForRef::from(groups).set_kind(LoopKind::Parallel);
    move_strategy(old, groups);
    const IndexExpr first = pool_.scale(index_of(groups), group_);
    const IndexExpr full = pool_.add(first, pool_.constant(group_));
    const bool whole = pool_.as_constant(pool_.mod(column_tiles, pool_.constant(group_))) == 0;
    const IndexExpr last = whole ? full : pool_.min(full, column_tiles);
    const OpRef down = loop(zero, row_tiles, row + "_o");
    if (parallel && shares_rows) ForRef::from(down).set_kind(LoopKind::Parallel);
    const OpRef tile = loop(first, last, column + "_t");
    square(pool_.add(r0, pool_.scale(index_of(down), height_)), pool_.add(c0, pool_.scale(index_of(tile), width_)), row,
           column);
    close(tile), close(down);
    if (r2 != r1) {  // rows that fill no square
      const OpRef rest = loop(r2, r1, row + "_r");
      const OpRef all =
          loop(pool_.add(c0, pool_.scale(first, width_)), pool_.add(c0, pool_.scale(last, width_)), column + "_r");
      copy_body(index_of(rest), index_of(all), nullptr);
      close(all), close(rest);
    }
    close(groups);
    if (c2 != c1) {  // columns likewise; they are few, so each is gone along, unless threads share nothing but the rows
      const bool shares = parallel && !ForRef::from(old.parent_op()).valid();
      builder_.set_before(old);
      const OpRef outer = shares ? loop(r0, r1, row + "_e") : loop(c2, c1, column + "_e");
      if (shares) ForRef::from(outer).set_kind(LoopKind::Parallel);
      const OpRef inner = shares ? loop(c2, c1, column + "_e") : loop(r0, r1, row + "_e");
      copy_body(index_of(shares ? outer : inner), index_of(shares ? inner : outer), nullptr);
      close(inner), close(outer);
    }
    old.erase();
  }

 private:
  static IndexExpr index_of(OpRef loop) { return of_value(ForRef::from(loop).index()); }

  // The last axis of what the load reads runs along the outer loop, another one along the inner one, from anywhere.
  [[nodiscard]] bool runs_across(OpRef load) const {
    if (LoadRef::from(load).checked()) return false;
    const auto at = subscripts_of(load);
    const IndexExpr row = of_value(rows_.index()), column = of_value(columns_.index());
    std::size_t columns = 0;
    for (std::size_t d = 0; d < at.size(); ++d) {
      const IndexExpr e = over_values(load, at[d]);
      const bool is_last = d + 1 == at.size();
      if (!mentions(e)) {
        if (is_last) return false;
        continue;
      }
      if (mentions(pool_.sub(e, is_last ? row : column))) return false;
      if (!is_last) ++columns;
    }
    return columns == 1;
  }
  [[nodiscard]] bool mentions(IndexExpr e) const {
    bool found = false;
    const Module& module = rows_.op().module();
    pool_.for_each_atom(e, [&](AtomId id) {
      if (pool_.atom(id).kind != AtomKind::Opaque) return;
      const Value v(const_cast<Module*>(&module), ValueId(pool_.atom(id).number));
      found = found || v == rows_.index() || v == columns_.index() || v.scope() == columns_.body();
    });
    return found;
  }

  // A loop at the insertion point, which then is in it.
  OpRef loop(IndexExpr first, IndexExpr last, const std::string& name) {
    const OpRef made = new_loop(builder_, first, last, fresh_name(rows_.op(), name), {});
    builder_.set_end(made.region(0));
    return made;
  }
  void close(OpRef made) {
    builder_.set_end(made.region(0));
    builder_.create(builder_.context().opcode(LoopOp::Yield), {}, {}, {});
    builder_.set_after(made);
  }
  void give_kind(OpRef made, LoopKind kind) {
    ForRef::from(made).set_kind(kind);
    if (kind == LoopKind::Vector) ForRef::from(made).set_lanes(size_);
  }

  void square(IndexExpr row, IndexExpr column, const std::string& row_name, const std::string& column_name) {
    const IndexExpr zero = pool_.constant(0), size = pool_.constant(size_);
    const IndexExpr height = pool_.constant(height_), width = pool_.constant(width_);
    std::vector<Value> squares;
    for (const OpRef load : crossing_) {
      const Type type = builder_.context().types().buffer(LoadRef::from(load).buffer().dtype(), std::array{size, size},
                                                          Scope::Register);
      squares.push_back(builder_.create(LoopOp::Alloc, {}, {type}).result());
      squares.back().set_name(std::string(LoadRef::from(load).buffer().name()) + "_square");
    }
    const OpRef in = loop(zero, width, column_name + "_in"), in_lanes = loop(zero, height, row_name + "_in");
    for (std::size_t i = 0; i < crossing_.size(); ++i) {
      const std::vector<IndexExpr> from =
          moved(crossing_[i], pool_.add(row, index_of(in_lanes)), pool_.add(column, index_of(in)), {});
      const AccessRef load = AccessRef::from(crossing_[i]);
      const Value read = access_like(builder_, load, {load.buffer()}, from).value();
      store_of(builder_, read, squares[i], std::array{index_of(in), index_of(in_lanes)});
    }
    close(in_lanes), close(in);
    for (const Value square : squares) TransposeInPlaceRef::create(builder_, square);
    const OpRef out = loop(zero, height, row_name), lanes = loop(zero, width, column_name);
    const std::array turned{index_of(out), index_of(lanes)};
    copy_body(pool_.add(row, index_of(out)), pool_.add(column, index_of(lanes)),
              [&](std::size_t i) { return load_of(builder_, squares[i], turned); });
    close(lanes), close(out);
    give_kind(in, LoopKind::Unrolled), give_kind(in_lanes, LoopKind::Vector);
    give_kind(out, LoopKind::Unrolled), give_kind(lanes, LoopKind::Vector);
  }

  // The subscripts of an access at another row and column, where values of the body are those that the map has.
  std::vector<IndexExpr> moved(OpRef op, IndexExpr row, IndexExpr column, const ValueMap& map) {
    std::vector<IndexExpr> out;
    for (const IndexExpr e : subscripts_of(op))
      out.push_back(pool_.substitute(e, [&](AtomId id) -> std::optional<IndexExpr> {
        if (pool_.atom(id).kind != AtomKind::Opaque) return std::nullopt;
        const Value v = op.operand(pool_.atom(id).number);
        if (v == rows_.index()) return row;
        if (v == columns_.index()) return column;
        const Value copy = map.find(v);
        return of_value(copy.valid() ? copy : v);
      }));
    return out;
  }

  // The body for a row and a column; `crossed` gives what the loads that run across give, null: they load.
  void copy_body(IndexExpr row, IndexExpr column, const std::function<Value(std::size_t)>& crossed) {
    ValueMap map;
    std::size_t next = 0;
    const auto mapped = [&](Value v) { return map.find(v).valid() ? map.find(v) : v; };
    for (const OpRef op : columns_.body().ops()) {
      if (op.is(LoopOp::Yield)) continue;
      if (crossed && next < crossing_.size() && op == crossing_[next]) {
        map.set(op.result(), crossed(next++));
        continue;
      }
      const AccessRef access = AccessRef::from(op);
      if (!access.valid()) {
        clone(op, builder_, map);
        continue;
      }
      std::vector<Value> operands{mapped(access.buffer())};
      if (access.is_store()) operands.insert(operands.begin(), mapped(access.value()));
      const AccessRef made = access_like(builder_, access, operands, moved(op, row, column, map));
      if (!access.is_store()) map.set(access.value(), made.value());
    }
  }

  ForRef rows_, columns_;
  IndexPool& pool_;
  Builder builder_;
  std::int64_t size_, group_;
  std::int64_t height_ = 0, width_ = 0;  // of a square, as far as it is filled
  std::vector<OpRef> crossing_;
};

}  // namespace

TransformResult transpose_tiles(OpRef rows, std::int64_t size, std::int64_t group, const Facts& facts) {
  MLGC_ASSERT(ForRef::from(rows).valid(), "transpose_tiles: no loop");
  if (size < 2) return refuse<kScheduleParameter>("the tile size", size, "2 or more");
  if (group < 1) return refuse<kScheduleParameter>("the number of tiles side by side", group, "1 or more");
  TransposeTiling made(rows, size, group);
  if (auto may = made.check(); !may) return may;
  const ForRef columns = ForRef::from(rows.region(0).front());
  for (const ForRef& loop : {ForRef::from(rows), columns})
    if (const auto conflict = find_conflict(loop, facts)) return refuse(loop, *conflict);
  made.run();
  return {};
}

}  // namespace mlgc
