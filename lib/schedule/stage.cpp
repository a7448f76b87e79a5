// stage: what a load reads, or a branch chooses, in the iterations of two loops is copied to scratch in front of them.
#include <array>
#include <optional>
#include <vector>

#include "ir/builder.h"
#include "loopir/buffers.h"
#include "loopir/loop_ops.h"
#include "loopir/nests.h"
#include "loopir/subscripts.h"
#include "schedule/loop_edit.h"
#include "schedule/loop_transforms.h"
#include "schedule/packed_value.h"

namespace mlgc {

using namespace schedule;

namespace {

// One column more than there are: rows then start in different sets of a cache, or banks.
Value scratch_tile(Builder& builder, Dtype dtype, std::int64_t rows, std::int64_t columns) {
  Context& context = builder.context();
  const std::array sizes{context.index().constant(rows), context.index().constant(columns + 1)};
  return builder.create(LoopOp::Alloc, {}, {context.types().buffer(dtype, sizes, Scope::Thread)}).result();
}

// Where an element of the row and column is, of loops like `rows` and `columns`.
std::array<IndexExpr, 2> place_in_tile(ForRef row, ForRef column, ForRef rows, ForRef columns) {
  IndexPool& pool = rows.op().module().context().index();
  return {pool.sub(of_value(row.index()), over_values(rows.op(), rows.first())),
          pool.sub(of_value(column.index()), over_values(columns.op(), columns.first()))};
}

// What a branch gives, of which loads run along the outer loop.
TransformResult stage_branch(OpRef branch, ForRef outer, ForRef inner) {
  PackedValue packed(branch, outer.op());
  if (auto may = packed.check(); !may) return may;
  if (packed.loops().size() != 2)
    return refuse<kScheduleInnerLoops>(index_name(outer), "no loop around the branch", "one");
  const auto rows = usual_extent(inner), columns = usual_extent(outer);
  if (!rows || !columns)
    return refuse<kScheduleTripCount>(index_name(rows ? outer : inner), trip_count_text(std::nullopt), "a constant");
  Builder builder(branch.module());
  builder.set_before(outer.op());
  builder.set_location(branch.location());
  const Value old = packed.value();
  const Value tile = scratch_tile(builder, old.dtype(), *rows, *columns);
  tile.set_name("tile");
  const Opcode yield = builder.context().opcode(LoopOp::Yield);
  ValueMap map;
  const ForRef row = loop_like(builder, inner, "_in");
  builder.set_end(row.body());
  const ForRef column = loop_like(builder, outer, "_in");
  builder.set_end(column.body());
  map.set(inner.index(), row.index());
  map.set(outer.index(), column.index());
  packed.copy_slice(builder, map);
  store_of(builder, map.find(old), tile, place_in_tile(row, column, inner, outer));
  builder.create(yield, {}, {}, {});
  builder.set_end(row.body());
  builder.create(yield, {}, {}, {});
  builder.set_before(packed.op());
  packed.replace_by(load_of(builder, tile, place_in_tile(inner, outer, inner, outer)));
  return {};
}

}  // namespace

TransformResult stage(OpRef load, OpRef nest) {
  MLGC_ASSERT(load.is(LoopOp::Load) || load.is(LoopOp::If), "stage: neither a load nor a branch");
  const ForRef outer = ForRef::from(nest);
  MLGC_ASSERT(outer.valid(), "stage: no loop");
  const OpRef inside = outer.body().empty() ? OpRef() : outer.body().front();
  const ForRef inner = ForRef::from(inside);
  if (!inner.valid() || !load.is_inside(inside))
    return refuse<kScheduleInnerLoops>(index_name(outer), "no loop around the load", "one");
  if (load.is(LoopOp::If)) return stage_branch(load, outer, inner);
  Module& module = load.module();
  IndexPool& pool = module.context().index();
  const Value buffer = LoadRef::from(load).buffer();
  const RegionRef home = underlying_buffer(buffer).scope();
  if (home == outer.body() || home.parent_op().is_inside(nest))
    return refuse<kScheduleBuffer>(buffer.name(), "it is allocated in the loop");
  bool written = false;
  for (const OpRef user : underlying_buffer(buffer).users()) written = written || !user.is(LoopOp::Load);
  if (written) return refuse<kScheduleBuffer>(buffer.name(), "it is not only loaded");
  if (LoadRef::from(load).checked()) return refuse<kScheduleMayAbort>("`load`");

  // Which loops its axes run along.
  std::vector<IndexExpr> at;
  std::vector<ForRef> along;
  for (const IndexExpr e : subscripts_of(load)) {
    at.push_back(over_values(load, e));
    for (const ForRef& loop : {outer, inner})
      if (at.back() == of_value(loop.index())) along.push_back(loop);
  }
  if (along.size() != 2 || along[0].op() == along[1].op())
    return refuse<kScheduleSubscripts>(buffer.name(), "two of them are not the indices of the two loops");
  const auto rows = usual_extent(along[0]), columns = usual_extent(along[1]);
  if (!rows || !columns)
    return refuse<kScheduleTripCount>(index_name(along[rows ? 1 : 0]), trip_count_text(std::nullopt), "a constant");
  for (const IndexExpr e : at)
    pool.for_each_atom(e, [&](AtomId id) {
      if (pool.atom(id).kind != AtomKind::Opaque) return;
      const Value v(&module, ValueId(pool.atom(id).number));
      const bool index = v == outer.index() || v == inner.index();
      written = written || (!index && (v.scope() == outer.body() || v.scope().parent_op().is_inside(nest)));
    });
  if (written) return refuse<kScheduleSubscripts>(buffer.name(), "they depend on values that the loops compute");

  Builder builder(module);
  builder.set_before(nest);
  builder.set_location(load.location());
  const Value tile = scratch_tile(builder, buffer.dtype(), *rows, *columns);
  if (!buffer.name().empty()) tile.set_name(std::string(buffer.name()) + "_tile");
  const auto place = [&](ForRef row, ForRef column) { return place_in_tile(row, column, along[0], along[1]); };
  const Opcode yield = module.context().opcode(LoopOp::Yield);
  const ForRef row = loop_like(builder, along[0], "_in");
  builder.set_end(row.body());
  const ForRef column = loop_like(builder, along[1], "_in");
  builder.set_end(column.body());
  std::vector<IndexExpr> from = at;
  for (IndexExpr& e : from)
    e = e == of_value(along[0].index())   ? of_value(row.index())
        : e == of_value(along[1].index()) ? of_value(column.index())
                                          : e;
  const Value read = access_like(builder, AccessRef::from(load), {buffer}, from).value();
  store_of(builder, read, tile, place(row, column));
  builder.create(yield, {}, {}, {});
  builder.set_end(row.body());
  builder.create(yield, {}, {}, {});

  std::vector<Value> operands{tile};
  const Attribute subscripts = brackets(module, operands, place(along[0], along[1]));
  AccessRef::from(load).set_place(operands, subscripts);
  return {};
}

}  // namespace mlgc
