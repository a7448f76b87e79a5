// fuse-tiles: loops over the same rows, one after the other, run tile by tile, and with them the sums over these rows;
// scratch has the rows of a tile.
//
//     %s = alloc : buffer<NxM>  for (%i) { %s[%i, …] = … }  for (%j) for (%d) { %a = for (%k, 0) { %s[%k, %j] * … } …
//     %a }
// becomes
//     for (%j) for (%d) { %sums[%j, %d] = 0 }
//     for (%i_o) { %s = alloc : buffer<TxM>  for (%i in the tile) { … }
//                  for (%j) for (%d) { %sums[%j, %d] += for (%k in the tile, 0) { … } } }
//     for (%j_out) for (%d_out) { … %sums[%j_out, %d_out] }
#include "schedule/fuse_tiles.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "analysis/in_place.h"
#include "analysis/loop_access.h"
#include "ir/walk.h"
#include "loopir/buffers.h"
#include "loopir/functions.h"
#include "loopir/loop_role.h"
#include "loopir/nests.h"
#include "schedule/contraction.h"
#include "schedule/fission.h"
#include "schedule/loop_edit.h"
#include "schedule/loop_transforms.h"
#include "support/saturating.h"

namespace mlgc {

using namespace schedule;

namespace {

class FuseTiles {
 public:
  explicit FuseTiles(OpRef first)
      : module_(first.module()), pool_(module_.context().index()), first_(first), region_(first.parent()) {}

  TransformResult check(const Facts& facts) {
    const std::string_view first = index_name(ForRef::from(first_));
    if (auto may = expect_no_lanes_around(first_); !may) return may;
    for (OpRef at = first_.parent_op(); at.valid(); at = at.parent_op())
      in_loop_ = in_loop_ || ForRef::from(at).valid();
    if (!in_loop_)
      return refuse<kScheduleOuterLoops>(first, "no other loop", "one around it, whose thread owns the scratch");
    last_ = over_values(first_, ForRef::from(first_).last());
    if (!is_plain_size(pool_, last_)) return refuse<kScheduleTripCountNotASize>(first);
    find_scratch();
    for (OpRef op = first_; op.valid() && op != region_.terminator(); op = op.next()) {
      if (loop_role(op) == LoopRole::Allocates || op.is(LoopOp::Literal)) continue;
      if (!ForRef::from(op).valid())
        return refuse<kScheduleUnsupportedOp>(index_name(ForRef::from(first_.parent_op())), op.name(),
                                              "run tile by tile");
      if (ProgramEnds().may_end(op)) return refuse<kScheduleMayAbort>("the loop over " + loop_text_of(op));
      const Kind kind = is_row_loop(op, facts) ? Kind::Rows : is_sum_nest(op) ? Kind::Sum : Kind::Rest;
      if (op == first_ && kind != Kind::Rows) return refuse<kScheduleNotApplicable>(first, "write rows of scratch");
      if (kind == Kind::Rest && touches_rows(op))
        return refuse<kScheduleReordersMemory>(first, loop_text_of(op) + " reads its rows in another order");
      members_.push_back({op, kind, {}, {}});
      note_buffers(members_.back());
    }
    if (count(Kind::Rows) < 1 || count(Kind::Sum) < 1)
      return refuse<kScheduleNotApplicable>(first, "leave rows of scratch that a later sum reads");
    return check_order();
  }

  [[nodiscard]] TileFusion found(std::int64_t usual) const {
    TileFusion out;
    for (const Member& member : members_) {
      if (member.kind == Kind::Rows) out.rows.push_back(member.loop);
      if (member.kind == Kind::Sum) out.sums.push_back(member.loop);
    }
    for (const Value v : rows_) {
      const std::size_t axis = axis_.at(v.id());
      auto own = static_cast<std::int64_t>(dtype_info(v.dtype()).bytes);
      for (std::size_t d = 0; d < v.dims().size(); ++d)
        if (d != axis) own = saturating_mul(own, pool_.as_constant(v.dims()[d]).value_or(usual));
      out.row_bytes = saturating_add(out.row_bytes, own);
    }
    return out;
  }

  TransformResult run(std::int64_t size, TileSums how) {
    for (Member& member : members_)
      if (member.kind == Kind::Sum)
        if (const TransformResult can = can_distribute(member.loop); !can) return can;
    const IndexExpr width = pool_.constant(size), count = pool_.ceildiv(last_, width);
    if (count == pool_.overflow())
      return refuse<kScheduleBounds>(index_name(ForRef::from(first_)), "they exceed 64 bits");
    std::vector<Sum> sums;
    std::vector<OpRef> rest;
    for (Member& member : members_) {
      if (member.kind == Kind::Sum) {
        (void)distribute(member.loop);
        sums.push_back({member.loop, member.loop.previous(), reduction_of(member.loop)});
        rest.push_back(member.loop.next());
        if (how != TileSums::Rounded) widen(sums.back());
      } else if (member.kind == Kind::Rest) {
        rest.push_back(member.loop);
      }
    }
    Builder builder(module_);
    const OpRef behind = region_.terminator();
    if (behind.valid())
      builder.set_before(behind);
    else
      builder.set_end(region_);
    builder.set_location(first_.location());
    for (const Sum& sum : sums) clear(builder, sum);
    const std::string name(ForRef::from(first_).index().name());
    const ForRef tiles = ForRef::from(new_loop(builder, pool_.constant(0), count, fresh_name(first_, name + "_o"), {}));
    for (const OpRef loop : rest) {
      loop.move_to_end(region_);
      if (behind.valid()) loop.move_before(behind);
    }
    builder.set_end(tiles.body());
    const IndexExpr begin = pool_.mul(of_value(tiles.index()), width);
    const IndexExpr end = pool_.min(pool_.add(begin, width), last_);
    std::vector<Scratch> scratch;
    for (const Value v : rows_)
      scratch.push_back({shrink(builder, v, axis_.at(v.id()), width, begin), axis_.at(v.id())});
    std::size_t next = 0;
    for (const Member& member : members_) {
      if (member.kind == Kind::Rest) continue;
      OpRef loop = member.loop;
      loop.move_to_end(tiles.body());
      if (member.kind == Kind::Rows) {
        set_loop(loop, begin, end, {});
        ForRef::from(loop).set_kind(LoopKind::Serial);
      } else {
        add_tile(sums[next++], begin, end, how);
      }
    }
    builder.set_end(tiles.body());
    builder.create(module_.context().opcode(LoopOp::Yield), {}, {}, {});
    join_rows(tiles);
    reuse_scratch(tiles, scratch);
    return {};
  }

 private:
  enum class Kind : std::uint8_t { Rows, Sum, Rest };
  struct Member {
    OpRef loop;
    Kind kind;
    std::unordered_set<ValueId> reads, writes;
  };
  // Scratch of the rows of a tile, or of one.
  struct Scratch {
    Value buffer;
    std::size_t axis = 0;
    bool is_row = false;
  };
  // A nest that only sums, and the scratch that it stores to.
  struct Sum {
    OpRef nest, alloc, reduction;
  };

  static std::string loop_text_of(OpRef loop) { return "`%" + std::string(ForRef::from(loop).index().name()) + "`"; }
  [[nodiscard]] std::size_t count(Kind kind) const {
    return static_cast<std::size_t>(
        std::count_if(members_.begin(), members_.end(), [&](const Member& m) { return m.kind == kind; }));
  }

  // Memory of the region that is only loaded and stored.
  void find_scratch() {
    for (const OpRef op : region_.ops()) {
      if (loop_role(op) != LoopRole::Allocates || AllocRef::from(op).memory().valid() ||
          module_.context().types().scope(op.result().type()) != Scope::Thread)
        continue;
      const auto users = op.result().users();
      if (std::all_of(users.begin(), users.end(), [&](OpRef user) {
            const AccessRef access = AccessRef::from(user);
            return access.valid() && access.buffer() == op.result() && !access.checked();
          }))
        values_[op.result().id()] = op.result();
    }
  }
  [[nodiscard]] bool has_rows(ForRef of) const {
    return (of.kind() == LoopKind::Serial || of.kind() == LoopKind::Parallel) &&
           pool_.as_constant(over_values(of.op(), of.first())) == 0 && over_values(of.op(), of.last()) == last_;
  }
  template <class Visit>
  void each_access(OpRef loop, const Visit& visit) const {
    walk(loop, [&](OpRef op) {
      if (const AccessRef access = AccessRef::from(op); access.valid() && values_.contains(access.buffer().id()))
        visit(access);
    });
  }
  [[nodiscard]] static bool is_at(AccessRef access, std::size_t axis, Value index) {
    return over_values(access.op(), access.subscripts()[axis]) == of_value(index);
  }

  // Iterations are independent, and touch only their own rows of scratch that such loops write. What it is the first
  // one to write is scratch of rows from then on.
  bool is_row_loop(OpRef loop, const Facts& facts) {
    const ForRef of = ForRef::from(loop);
    if (of.carried_count() > 0 || !has_rows(of) || find_conflict(of, facts)) return false;
    std::unordered_map<ValueId, std::size_t> made;
    bool own = true;
    each_access(loop, [&](AccessRef access) {
      const ValueId buffer = access.buffer().id();
      if (const auto known = axis_.find(buffer); known != axis_.end()) {
        own = own && is_at(access, known->second, of.index());
        return;
      }
      if (const auto known = made.find(buffer); known != made.end()) {
        own = own && is_at(access, known->second, of.index());
        return;
      }
      const auto dims = access.buffer().dims();
      for (std::size_t d = 0; d < dims.size(); ++d)
        if (over_values(access.op(), dims[d]) == last_ && is_at(access, d, of.index())) {
          if (access.is_store()) made.emplace(buffer, d);
          return;
        }
      own = own && !access.is_store();
    });
    if (!own) return false;
    // What is read in front of the store is read at its own row, too.
    each_access(loop, [&](AccessRef access) {
      if (const auto known = made.find(access.buffer().id()); known != made.end())
        own = own && is_at(access, known->second, of.index());
    });
    if (!own) return false;
    for (const auto& [buffer, axis] : made) axis_.emplace(buffer, axis);
    for (const OpRef op : region_.ops())
      if (op.result_count() == 1 && made.contains(op.result().id())) rows_.push_back(op.result());
    return true;
  }
  // The reduction in a nest of nothing else, and what its result becomes.
  [[nodiscard]] static OpRef reduction_of(OpRef nest) {
    OpRef innermost = nest;
    while (only_loop_in(innermost).valid() && ForRef::from(only_loop_in(innermost)).carried_count() == 0)
      innermost = only_loop_in(innermost);
    if (ForRef::from(innermost).carried_count() > 0) return {};
    const std::vector<OpRef> inner = loops_in(innermost.region(0));
    return inner.size() == 1 && inner[0].parent_op() == innermost ? inner[0] : OpRef();
  }
  [[nodiscard]] bool is_sum_nest(OpRef loop) const {
    const OpRef reduction = reduction_of(loop);
    if (!reduction.valid()) return false;
    const ForRef of = ForRef::from(reduction);
    if (of.carried_count() != 1 || !has_rows(of) || !is_sum_of_products(of)) return false;
    const Value initial = of.initial(0);
    if (!initial.is_result() || !initial.definer().is(LoopOp::Literal)) return false;
    const LiteralRef zero = LiteralRef::from(initial.definer());
    if (zero.real() != 0.0) return false;
    bool reads = false, own = true;
    each_access(loop, [&](AccessRef access) {
      const auto known = axis_.find(access.buffer().id());
      if (known == axis_.end()) return;
      reads = true;
      own = own && !access.is_store() && access.op().is_inside(reduction) && is_at(access, known->second, of.index());
    });
    return reads && own;
  }
  [[nodiscard]] bool touches_rows(OpRef loop) const {
    bool found = false;
    each_access(loop, [&](AccessRef access) { found = found || axis_.contains(access.buffer().id()); });
    return found;
  }

  static void note_buffers(Member& member) {
    walk(member.loop, [&](OpRef op) {
      if (loaded_buffer(op).valid()) member.reads.insert(underlying_buffer(loaded_buffer(op)).id());
      for_each_written(op, [&](Value v) { member.writes.insert(underlying_buffer(v).id()); });
    });
  }
  // Rows and sums go before the rest, and tile by tile: what one of two writes and the other one touches is scratch of
  // rows, or they keep their order.
  [[nodiscard]] TransformResult check_order() const {
    const auto meets = [&](const std::unordered_set<ValueId>& a, const std::unordered_set<ValueId>& b) {
      return std::any_of(a.begin(), a.end(), [&](ValueId v) { return b.contains(v) && !axis_.contains(v); });
    };
    for (std::size_t a = 0; a < members_.size(); ++a)
      for (std::size_t b = a + 1; b < members_.size(); ++b) {
        const Member &first = members_[a], &second = members_[b];
        if (second.kind == Kind::Rest) continue;
        if (meets(first.writes, second.reads) || meets(first.writes, second.writes) ||
            meets(first.reads, second.writes))
          return refuse<kScheduleReordersMemory>(
              index_name(ForRef::from(first_)),
              loop_text_of(second.loop) + " touches memory without rows that " + loop_text_of(first.loop) + " touches");
      }
    return {};
  }

  // Sums are kept as wide as they are carried, and the epilogue casts them.
  void widen(Sum& sum) const {
    const Value carried = sum.reduction.result(), old = sum.alloc.result();
    if (old.dtype() == carried.dtype()) return;
    Builder builder(module_);
    builder.set_before(sum.alloc);
    builder.set_location(sum.alloc.location());
    const Type type = module_.context().types().buffer(carried.dtype(), old.dims(), Scope::Thread);
    const Value made = builder.create(LoopOp::Alloc, {}, {type}).result();
    made.set_name(std::string(old.name()));
    const std::vector<OpRef> users = old.users();
    for (const OpRef user : users) {
      const AccessRef access = AccessRef::from(user);
      const std::vector<IndexExpr> at = subscripts_over_values(user);
      if (access.is_store()) {
        const OpRef cast = access.value().definer();
        std::vector<Value> operands{carried, made};
        const Attribute where = brackets(module_, operands, at);
        access.set_place(operands, where);
        cast.erase();
      } else {
        builder.set_before(user);
        const Value loaded = load_of(builder, made, at);
        const Type narrow = user.result().type();
        const Value cast = builder
                               .create(GraphOp::Cast, {loaded}, {narrow},
                                       builder.attrs({{"dtype", module_.context().attributes().dtype(old.dtype())}}))
                               .result();
        user.result().replace_all_uses_with(cast);
        user.erase();
      }
    }
    sum.alloc.erase();
    sum.alloc = made.definer();
  }
  // Loops as those of the nest, which set its sums to zero.
  void clear(Builder& builder, const Sum& sum) const {
    Builder inside = builder;
    ValueMap map;
    for (OpRef at = sum.nest; at != sum.reduction; at = loops_in(at.region(0))[0]) {
      const ForRef made = loop_like(inside, ForRef::from(at), "_z", map);
      map.set(ForRef::from(at).index(), made.index());
      inside.set_end(made.body());
      const OpRef end = inside.create(module_.context().opcode(LoopOp::Yield), {}, {}, {});
      inside.set_before(end);
    }
    const OpRef store = store_of_sum(sum);
    std::vector<IndexExpr> at;
    for (const IndexExpr e : subscripts_of(store)) at.push_back(mapped(module_, over_values(store, e), map));
    const Value zero = neutral_literal(inside, ScalarFn::Add, sum.alloc.result().dtype());
    store_of(inside, zero, sum.alloc.result(), at);
  }
  [[nodiscard]] static OpRef store_of_sum(const Sum& sum) {
    for (const OpRef user : sum.alloc.result().users())
      if (user.is(LoopOp::Store) && user.is_inside(sum.nest)) return user;
    return {};
  }

  // Scratch of all rows becomes scratch of `width` of them, from `begin` on, at the insertion point.
  Value shrink(Builder& builder, Value old, std::size_t axis, IndexExpr width, IndexExpr begin) const {
    std::vector<IndexExpr> dims(old.dims().begin(), old.dims().end());
    dims[axis] = width;
    const Type type = module_.context().types().buffer(old.dtype(), dims, Scope::Thread);
    const Value made = builder.create(LoopOp::Alloc, {}, {type}).result();
    made.set_name(std::string(old.name()));
    const std::vector<OpRef> users = old.users();
    for (const OpRef user : users) {
      std::vector<IndexExpr> at = subscripts_over_values(user);
      at[axis] = pool_.sub(at[axis], begin);
      set_element(user, made, at);
    }
    old.definer().erase();
    return made;
  }

  // The nest adds what the rows of a tile give.
  void add_tile(const Sum& sum, IndexExpr begin, IndexExpr end, TileSums how) const {
    const OpRef store = store_of_sum(sum);
    const std::vector<IndexExpr> at = subscripts_over_values(store);
    Builder builder(module_);
    builder.set_location(store.location());
    if (how == TileSums::InOrder) {
      builder.set_before(sum.reduction);
      const OpRef zero = ForRef::from(sum.reduction).initial(0).definer();
      set_loop(sum.reduction, begin, end, {load_of(builder, sum.alloc.result(), at)});
      if (zero.results_unused()) zero.erase();
      return;
    }
    set_loop(sum.reduction, begin, end, initial_values(ForRef::from(sum.reduction)));
    builder.set_before(store);
    const Value before = load_of(builder, sum.alloc.result(), at), own = AccessRef::from(store).value();
    const Value added = builder.create(GraphOp::Add, {before, own}, {own.type()}).result();
    std::vector<Value> operands{added, sum.alloc.result()};
    const Attribute where = brackets(module_, operands, at);
    AccessRef::from(store).set_place(operands, where);
  }

  // The ops of a body that touch the buffer, themselves or inside, in order.
  static std::vector<OpRef> users_in(RegionRef body, Value buffer) {
    std::vector<OpRef> out;
    for (OpRef user : buffer.users()) {
      while (user.valid() && user.parent() != body) user = user.parent_op();
      if (!user.valid()) continue;
      if (std::find(out.begin(), out.end(), user) == out.end()) out.push_back(user);
    }
    const auto place = [&](OpRef op) {
      std::size_t at = 0;
      for (OpRef before = op.previous(); before.valid(); before = before.previous()) ++at;
      return at;
    };
    std::sort(out.begin(), out.end(), [&](OpRef a, OpRef b) { return place(a) < place(b); });
    return out;
  }
  static bool is_before(OpRef a, OpRef b) {
    for (OpRef at = a.next(); at.valid(); at = at.next())
      if (at == b) return true;
    return false;
  }
  // In an innermost loop each element of the first one is loaded before the same one of the second one is stored.
  static bool passes_elements(OpRef loop, Value from, Value to) {
    const ForRef of = ForRef::from(loop);
    if (!of.valid() || of.carried_count() > 0) return false;
    std::vector<OpRef> loads, stores;
    for (const OpRef user : from.users())
      if (user.is_inside(loop)) loads.push_back(user);
    for (const OpRef user : to.users())
      if (user.is_inside(loop)) stores.push_back(user);
    const auto same = [](OpRef a, OpRef b) {
      const auto x = subscripts_of(a), y = subscripts_of(b);
      for (std::size_t d = 0; d < x.size(); ++d)
        if (over_values(a, x[d]) != over_values(b, y[d])) return false;
      return true;
    };
    return loads.size() == 1 && stores.size() == 1 && loads[0].is(LoopOp::Load) && stores[0].is(LoopOp::Store) &&
           loads[0].parent_op() == loop && stores[0].parent_op() == loop && is_before(loads[0], stores[0]) &&
           same(loads[0], stores[0]) && moves_with(stores[0], of);
  }
  // No two iterations store to one element: some subscript is the index, or it plus what is the same for all.
  static bool moves_with(OpRef store, ForRef loop) {
    const auto at = subscripts_of(store);
    return std::any_of(at.begin(), at.end(), [&](IndexExpr e) {
      return coefficient_of(over_values(store, e), loop.index()).value_or(0) != 0;
    });
  }

  // What one loop over rows alone touches is memory of a row; what nothing reads any more when a loop over rows begins
  // to write other scratch of the same size is the memory of that.
  void reuse_scratch(ForRef tiles, std::vector<Scratch> scratch) const {
    const OpRef first = loops_in(tiles.body())[0];
    for (Scratch& own : scratch) {
      const std::vector<OpRef> users = users_in(tiles.body(), own.buffer);
      if (users.size() != 1 || !ForRef::from(users[0]).valid()) continue;
      const ForRef loop = ForRef::from(users[0]);
      if (!is_rows(users[0], first)) continue;
      Builder builder(module_);
      builder.set_location(loop.op().location());
      builder.set_before(loop.body().front());
      own.buffer = shrink(builder, own.buffer, own.axis, pool_.constant(1),
                          pool_.sub(of_value(loop.index()), over_values(loop.op(), loop.first())));
      own.is_row = true;
    }
    for (std::size_t a = 0; a < scratch.size(); ++a)
      for (std::size_t b = 0; b < scratch.size(); ++b) {
        const Value from = scratch[a].buffer, to = scratch[b].buffer;
        if (a == b || scratch[a].is_row || scratch[b].is_row || !from.valid() || !to.valid() ||
            from.type() != to.type() || scratch[a].axis != scratch[b].axis)
          continue;
        const std::vector<OpRef> reads = users_in(tiles.body(), from), writes = users_in(tiles.body(), to);
        if (reads.empty() || writes.empty()) continue;
        bool ends = is_before(reads.back(), writes.front());
        if (const OpRef both = reads.back(); both == writes.front() && is_rows(both, first)) {
          const OpRef last = users_in(both.region(0), from).back(), next = users_in(both.region(0), to).front();
          ends = is_before(last, next) || (last == next && passes_elements(last, from, to));
        }
        if (!ends) continue;
        to.replace_all_uses_with(from);
        to.definer().erase();
        scratch[b].buffer = {};
        b = static_cast<std::size_t>(-1);
      }
  }
  // A loop over the rows of a tile, as the first one is.
  static bool is_rows(OpRef loop, OpRef first) {
    const ForRef of = ForRef::from(loop), rows = ForRef::from(first);
    return of.valid() && of.carried_count() == 0 && over_values(loop, of.first()) == over_values(first, rows.first()) &&
           over_values(loop, of.last()) == over_values(first, rows.last());
  }
  // Loops over the rows of a tile that hold no products are one, so that a row stays near between them.
  static void join_rows(ForRef tiles) {
    const std::vector<OpRef> loops = loops_in(tiles.body());
    OpRef open;
    for (const OpRef loop : loops) {
      const ForRef of = ForRef::from(loop);
      const std::vector<OpRef> inside = loops_in(loop.region(0));
      const bool products =
          std::any_of(inside.begin(), inside.end(), [&](OpRef inner) { return holds_shared_product(inner, loop); });
      if (products || !is_rows(loop, loops[0])) {
        open = {};
        continue;
      }
      if (!open.valid()) {
        open = loop;
        continue;
      }
      const ForRef into = ForRef::from(open);
      of.index().replace_all_uses_with(into.index());
      if (const OpRef yield = into.body().terminator(); yield.valid()) yield.erase();
      loop.region(0).splice_to_end(open.region(0));
      OpRef gone = loop;
      gone.erase();
    }
  }

  Module& module_;
  IndexPool& pool_;
  OpRef first_;
  RegionRef region_;
  IndexExpr last_;
  bool in_loop_ = false;
  std::unordered_map<ValueId, Value> values_;      // scratch of the region
  std::vector<Value> rows_;                        // scratch of rows
  std::unordered_map<ValueId, std::size_t> axis_;  // of it: which axis has the rows
  std::vector<Member> members_;
};

}  // namespace

namespace schedule {

Result<TileFusion, Diagnostic> fusable_tiles(OpRef first, std::int64_t usual, const Facts& facts) {
  FuseTiles step(first);
  if (const TransformResult may = step.check(facts); !may) return refuse(may.error());
  return step.found(usual);
}

}  // namespace schedule

TransformResult fuse_tiles(OpRef first, std::int64_t size, TileSums sums, const Facts& facts) {
  MLGC_ASSERT(ForRef::from(first).valid(), "fuse_tiles: no loop");
  if (size < 1) return refuse<kScheduleParameter>("the tile size", size, "1 or more");
  FuseTiles step(first);
  if (auto may = step.check(facts); !may) return may;
  return step.run(size, sums);
}

}  // namespace mlgc
