// pack-window: the elements that windows reach, each once, in front of a nest that goes from window to window.
//
//     for h { for w { for p { for q { if 0 <= h*s + p*d - b < H … { load x[h*s + p*d - b, w*s + q*d - b] } } } } }
//     for u { for v { packed[u, v] = … x[u - b, v - b] … } }  for h { for w { for p { for q { load packed[h*s + p*d,
//     w*s + q*d] } } } }
//
// An axis of the scratch is a subscript in which indices of the nest stand. Where windows lie `s` apart along the
// columns, that axis is `s` axes of each s-th element, so that neighbouring columns read neighbours.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "ir/builder.h"
#include "ir/clone.h"
#include "ir/walk.h"
#include "loopir/loop_ops.h"
#include "loopir/module_machine.h"
#include "loopir/nests.h"
#include "loopir/subscripts.h"
#include "schedule/cpu_limits.h"
#include "schedule/loop_edit.h"
#include "schedule/loop_transforms.h"
#include "schedule/packed_value.h"
#include "schedule/window_axis.h"

namespace mlgc {

using namespace schedule;

namespace {

class PackWindow {
 public:
  PackWindow(OpRef load, OpRef nest, OpRef columns)
      : module_(load.module()),
        pool_(load.module().context().index()),
        load_(load),
        nest_(nest),
        columns_(columns),
        packed_(load, nest) {}

  TransformResult check() {
    if (auto may = packed_.check(); !may) return may;
    const auto no = [&](std::string_view reason) {
      return refuse<kScheduleSubscripts>(LoadRef::from(load_).buffer().name(), reason);
    };
    const auto axes = window_axes(load_, packed_.loops());
    if (!axes) return no("one is not a sum of multiples of indices");
    axes_ = *axes;
    // Rows of the copy each begin with a cache line. There is room for columns that are a multiple of the lanes, so
    // that these may read whole vectors in the last strip too.
    const std::int64_t line =
        std::max<std::int64_t>(1, machine_of(module_, MachineKind::Cpu).cpu().line_bytes /
                                      static_cast<std::int64_t>(dtype_info(packed_.value().dtype()).bytes));
    if (axes_.empty()) return no("none depends on an index of the inner loops");
    for (const OpRef op : packed_.slice()) {
      bool fits = true;
      walk(op, [&](OpRef inner) {
        for (const IndexExpr e : subscripts_of(inner)) fits = fits && follows_axes(over_values(inner, e));
      });
      if (!fits) return no("a condition or another load moves otherwise with the inner loops");
    }
    const auto lanes = std::find_if(axes_.begin(), axes_.end(), [&](const WindowAxis& axis) {
      return std::any_of(axis.parts.begin(), axis.parts.end(), [&](const auto& p) { return p.loop.op() == columns_; });
    });
    if (lanes == axes_.end()) return no("they are the same in all columns");
    std::rotate(lanes, lanes + 1, axes_.end());
    for (const WindowAxis& axis : axes_) {
      IndexExpr size = pool_.constant(1), reach = pool_.constant(1);
      for (const WindowAxis::Part& part : axis.parts) {
        const IndexExpr count =
            pool_.sub(over_values(part.loop.op(), part.loop.last()), over_values(part.loop.op(), part.loop.first()));
        const auto usual = usual_extent(part.loop);
        const auto less_one = [&](IndexExpr of) { return pool_.scale(pool_.sub(of, pool_.constant(1)), part.times); };
        const std::int64_t room = part.loop.op() == columns_ ? kWindowLanes : 1;
        size = pool_.add(size, less_one(usual ? pool_.constant((*usual + room - 1) / room * room) : count));
        reach = pool_.add(reach, less_one(count));
      }
      if (!is_plain_size(pool_, size)) return refuse<kScheduleTripCountNotASize>(index_name(axis.slowest().loop));
      reach_.push_back(reach);
      const std::int64_t apart = &axis == &axes_.back() ? apart_of_columns() : 1;
      if (apart > 1) sizes_.push_back(pool_.constant(apart));
      const IndexExpr along = pool_.ceildiv(size, pool_.constant(apart));
      const auto known = pool_.as_constant(along);
      const bool is_row = &axis == &axes_.back() && known && *known >= line;
      sizes_.push_back(is_row  ? pool_.constant((*known + line - 1) / line * line)
                       : known ? along
                               : pool_.max(along, pool_.constant(0)));
    }
    return {};
  }

  void run() {
    Builder builder(module_);
    builder.set_before(nest_);
    builder.set_location(packed_.op().location());
    const Value old = packed_.value();
    const Type type = module_.context().types().buffer(old.dtype(), sizes_, packed_.scope());
    const Value scratch = builder.create(LoopOp::Alloc, {}, {type}).result();
    scratch.set_name("packed");
    std::vector<OpRef> made;
    std::vector<IndexExpr> to, places;
    const auto loop = [&](const ForRef& like, IndexExpr last) {
      const std::string name = fresh_name(like.op(), std::string(like.index().name()) + "_in");
      made.push_back(new_loop(builder, pool_.constant(0), last, name, {}));
      builder.set_end(made.back().region(0));
      return of_value(ForRef::from(made.back()).index());
    };
    const auto close = [&] {
      builder.set_end(made.back().region(0));
      builder.create(module_.context().opcode(LoopOp::Yield), {}, {}, {});
      made.pop_back();
    };
    const auto copy = [&] {
      ValueMap map;
      for (const OpRef op : packed_.slice())
        walk(clone(op, builder, map), [&](OpRef op_of) { put_places(op_of, places); });
      store_of(builder, map.find(old), scratch, to);
    };
    for (std::size_t a = 0; a + 1 < axes_.size(); ++a) {
      to.push_back(loop(axes_[a].slowest().loop, reach_[a]));
      places.push_back(to.back());
    }
    // Each phase has a loop of its own, since borders begin and end elsewhere.
    const std::int64_t apart = apart_of_columns();
    for (std::int64_t phase = 0; phase < apart; ++phase) {
      if (!made.empty()) builder.set_end(made.back().region(0));
      const auto outer = to.size();
      const IndexExpr begin = pool_.constant(phase);
      const IndexExpr at =
          loop(axes_.back().slowest().loop, pool_.ceildiv(pool_.sub(reach_.back(), begin), pool_.constant(apart)));
      if (apart > 1) to.push_back(begin);
      to.push_back(at);
      places.push_back(pool_.add(pool_.scale(at, apart), begin));
      copy();
      close();
      to.resize(outer);
      places.pop_back();
      if (made.empty()) builder.set_before(nest_);
    }
    while (!made.empty()) close();
    builder.set_before(packed_.op());
    packed_.replace_by(load_of(builder, scratch, places_of_load()));
  }

 private:
  // The stride of the windows of neighbouring columns on their axis, which is the last one.
  [[nodiscard]] std::int64_t apart_of_columns() const {
    for (const WindowAxis::Part& part : axes_.back().parts)
      if (part.loop.op() == columns_) return part.times;
    return 1;
  }
  // Along the loops of each axis the expression goes in the proportion of the axis, and along no others.
  [[nodiscard]] bool follows_axes(IndexExpr e) const {
    for (const ForRef& loop : packed_.loops()) {
      const auto times = coefficient_of(e, loop.index());
      if (!times) return false;
      const WindowAxis* axis = nullptr;
      std::int64_t own = 0;
      for (const WindowAxis& a : axes_)
        for (const WindowAxis::Part& part : a.parts)
          if (part.loop.op() == loop.op()) axis = &a, own = part.times;
      if (axis == nullptr && *times != 0) return false;
      if (axis != nullptr && *times != own * coefficient_along(e, *axis)) return false;
    }
    return true;
  }
  // By how much the expression grows with a step of the axis.
  [[nodiscard]] std::int64_t coefficient_along(IndexExpr e, const WindowAxis& axis) const {
    std::int64_t out = 0;
    for (const WindowAxis::Part& part : axis.parts)
      out += part.whole * coefficient_of(e, part.loop.index()).value_or(0);
    return out;
  }
  // In brackets of the copy the indices of an axis are so far from their start that together they stand for all of it.
  void put_places(OpRef copy, const std::vector<IndexExpr>& places) {
    for (std::size_t a = 0; a < axes_.size(); ++a)
      for (const WindowAxis::Part& part : axes_[a].parts) {
        IndexExpr at = over_values(part.loop.op(), part.loop.first());
        at = pool_.add(at, pool_.scale(places[a], part.whole));
        put(copy, part.loop.index(), at);
      }
  }
  void put(OpRef op, Value index, IndexExpr at) {
    const auto operands = op.operands();
    if (std::find(operands.begin(), operands.end(), index) == operands.end()) return;
    // Whose operands the expression speaks of.
    Builder builder(module_);
    builder.set_before(op);
    std::vector<Value> values;
    const Attribute brackets_of_place = brackets(module_, values, std::span(&at, 1));
    OpRef owner = ApplyRef::create(builder, values, brackets_of_place).op();
    replace_in_subscripts(op, index, subscripts_of(owner)[0], owner);
    owner.erase();
  }
  [[nodiscard]] std::vector<IndexExpr> places_of_load() {
    std::vector<IndexExpr> out;
    for (const WindowAxis& axis : axes_) {
      const std::int64_t apart = &axis == &axes_.back() ? apart_of_columns() : 1;
      IndexExpr column = pool_.constant(0), rest = pool_.constant(0);
      for (const WindowAxis::Part& part : axis.parts) {
        const IndexExpr at = pool_.sub(of_value(part.loop.index()), over_values(part.loop.op(), part.loop.first()));
        if (apart > 1 && part.loop.op() == columns_)
          column = at;
        else
          rest = pool_.add(rest, pool_.scale(at, part.times));
      }
      if (apart > 1) {
        out.push_back(pool_.mod(rest, pool_.constant(apart)));
        rest = pool_.floordiv(rest, pool_.constant(apart));
      }
      out.push_back(pool_.add(column, rest));
    }
    return out;
  }

  Module& module_;
  IndexPool& pool_;
  OpRef load_, nest_, columns_;
  PackedValue packed_;
  std::vector<WindowAxis> axes_;  // that of the columns is the last one
  std::vector<IndexExpr> reach_;  // by axis: how many elements of it the loops reach
  std::vector<IndexExpr> sizes_;  // of the scratch
};

}  // namespace

TransformResult pack_window(OpRef load, OpRef nest, OpRef columns) {
  MLGC_ASSERT(load.is(LoopOp::Load), "pack-window: no load");
  MLGC_ASSERT(ForRef::from(nest).valid() && ForRef::from(columns).valid(), "pack-window: no loop");
  if (!load.is_inside(nest)) return refuse<kScheduleNotInLoop>(load.name(), index_name(ForRef::from(nest)));
  PackWindow step(load, nest, columns);
  if (auto may = step.check(); !may) return may;
  step.run();
  return {};
}

}  // namespace mlgc
