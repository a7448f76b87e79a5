// block_columns: a reduction of rows, one for each column, reads blocks of rows along their columns instead of going
// down one strip of columns at a time.
#include <algorithm>
#include <array>
#include <vector>

#include "ir/builder.h"
#include "ir/clone.h"
#include "ir/walk.h"
#include "loopir/loop_ops.h"
#include "loopir/loop_role.h"
#include "loopir/subscripts.h"
#include "ops/combine.h"
#include "schedule/along_loop.h"
#include "schedule/loop_edit.h"
#include "schedule/step_taker.h"
#include "schedule/steps.h"
#include "schedule/wide_sum.h"

namespace mlgc {

using namespace schedule;

namespace {

// for j { before; %v.. = for r { body }; behind }
struct Nest {
  ForRef columns, rows;
  std::vector<OpRef> before;  // pure, and copied to where blocks are reduced
  std::vector<CarriedStep> steps;
};

bool is_of_sizes(OpRef op) {
  const auto all = subscripts_of(op);
  return std::all_of(all.begin(), all.end(), [&](IndexExpr e) { return is_size(op.module().context().index(), e); });
}

Result<Nest, std::string> nest_of(OpRef loop) {
  Nest out{ForRef::from(loop), {}, {}, {}};
  if (out.columns.kind() != LoopKind::Serial && out.columns.kind() != LoopKind::Parallel)
    return refuse("a loop of kind " + std::string(loop_kind_name(out.columns.kind())) + " stays");
  if (out.columns.carried_count() > 0) return refuse("the loop carries values");
  for (const OpRef op : out.columns.body().ops()) {
    if (const ForRef inner = ForRef::from(op); inner.valid()) {
      if (out.rows.valid()) return refuse("there is more than one loop in it");
      out.rows = inner;
    } else if (op.is(LoopOp::Check) && !out.rows.valid() && is_of_sizes(op)) {
      continue;  // of sizes alone: it may as well be told behind the tiles
    } else if (op.region_count() > 0 || !(only_computes(op) || op.is(LoopOp::Store))) {
      return refuse("it holds `" + std::string(op.def().name) + "`");
    } else if (!out.rows.valid()) {
      if (op.is(LoopOp::Store)) return refuse("it stores in front of the loop inside");
      out.before.push_back(op);
    }
  }
  if (!out.rows.valid()) return refuse("there is no loop in it");
  if (out.rows.kind() != LoopKind::Serial)
    return refuse("the loop inside is of kind " + std::string(loop_kind_name(out.rows.kind())));
  if (out.rows.carried_count() == 0) return refuse("the loop inside carries nothing");
  for (std::size_t i = 0; i < out.rows.carried_count(); ++i) {
    const auto step = carried_step(out.rows, i);
    if (!step) return refuse("carried value " + std::to_string(i) + " is no reduction: " + step.error());
    out.steps.push_back(*step);
  }
  std::string why;
  walk(out.rows.op(), [&](OpRef op) {
    if (!only_computes(op) && !op.is(LoopOp::Check)) why = "the loop inside does more than reduce";
    if (op != out.rows.op() && ForRef::from(op).valid()) why = "the loop inside holds another one";
  });
  const auto varying = varying_values(out.columns);
  for (std::size_t i = 0; i + out.rows.carried_count() < out.rows.op().operand_count(); ++i)
    if (varying.contains(out.rows.op().operand(i).id())) why = "the bounds of the loop inside differ between columns";
  if (!why.empty()) return refuse(why);
  return out;
}

}  // namespace

StepResult block_columns(OpRef columns, std::int64_t rows, std::int64_t block, const Facts& facts) {
  MLGC_ASSERT(ForRef::from(columns).valid(), "block_columns: no loop");
  if (block < 1 || rows < block || rows % block != 0) return refuse("a tile of rows is a number of blocks of rows");
  const auto found = nest_of(columns);
  if (!found) return refuse(found.error());
  const Nest& nest = *found;
  Module& module = columns.module();
  Context& context = module.context();
  IndexPool& pool = context.index();
  const OpRef reduction = nest.rows.op();
  const IndexExpr first = over_values(reduction, nest.rows.first()), last = over_values(reduction, nest.rows.last());
  const IndexExpr left = over_values(columns, nest.columns.first()), right = over_values(columns, nest.columns.last());
  const IndexExpr extent = pool.sub(last, first), zero = pool.constant(0);
  const IndexExpr tiles = pool.ceildiv(extent, pool.constant(rows)), width = pool.sub(right, left);
  if (!is_size(pool, tiles) || !is_size(pool, width)) return refuse("the number of rows or columns is no size");
  if (const auto conflict = find_conflict(nest.columns, facts)) return refuse(conflict_text(nest.columns, *conflict));

  const bool inside = is_parallel_inside(columns);
  const std::string row(nest.rows.index().name()), column(nest.columns.index().name());
  const Opcode yield = context.opcode(LoopOp::Yield);
  Builder builder(module);
  builder.set_before(columns);
  builder.set_location(columns.location());
  std::vector<Value> partials;
  std::vector<bool> narrowed;
  for (std::size_t i = 0; i < nest.steps.size(); ++i) {
    narrowed.push_back(wide_sum(nest.rows, i).has_value());
    const Dtype dtype = narrowed[i] ? Dtype::F32 : nest.rows.carried(i).dtype();
    const Type type = context.types().buffer(dtype, std::array{tiles, width}, inside ? Scope::Thread : Scope::Arena);
    partials.push_back(builder.create(LoopOp::Alloc, {}, {type}).result());
    partials.back().set_name("partial" + (nest.steps.size() > 1 ? std::to_string(i) : std::string()));
  }
  const OpRef tile = new_loop(builder, zero, tiles, fresh_name(columns, row + "_t"), {});
  const IndexExpr number = of_value(tile.region(0).argument(0));
  const auto place = [&](Value index) { return std::array{number, pool.sub(of_value(index), left)}; };

  // Each tile starts from nothing.
  builder.set_end(tile.region(0));
  const OpRef start = new_loop(builder, left, right, fresh_name(columns, column + "_z"), {});
  builder.set_end(start.region(0));
  for (std::size_t i = 0; i < partials.size(); ++i) {
    const Value neutral = neutral_literal(builder, nest.steps[i].fn, partials[i].dtype());
    store_of(builder, neutral, partials[i], place(start.region(0).argument(0)));
  }
  builder.create(yield, {}, {}, {});

  // Its blocks: a copy of the old nest, for few rows.
  builder.set_end(tile.region(0));
  const IndexExpr begin = pool.add(first, pool.scale(number, rows));
  const bool whole = pool.equal(pool.mod(extent, pool.constant(rows)), zero, facts) == Truth::Yes;
  const IndexExpr height = whole ? pool.constant(rows) : pool.min(pool.constant(rows), pool.sub(last, begin));
  const OpRef blocks =
      new_loop(builder, zero, pool.ceildiv(height, pool.constant(block)), fresh_name(columns, row + "_b"), {});
  builder.set_end(blocks.region(0));
  const OpRef along = new_loop(builder, left, right, fresh_name(columns, column + "_c"), {});
  builder.create(yield, {}, {}, {});
  builder.set_end(along.region(0));
  ValueMap map;
  map.set(nest.columns.index(), along.region(0).argument(0));
  std::vector<OpRef> copies;
  for (const OpRef op : nest.before) copies.push_back(clone(op, builder, map));
  const ForRef copy = ForRef::from(clone(reduction, builder, map));
  const IndexExpr top = pool.add(begin, pool.scale(of_value(blocks.region(0).argument(0)), block));
  const IndexExpr bottom = pool.add(top, pool.constant(block));
  // Blocks start from nothing too: few terms then come together before they meet the sum of many.
  std::vector<Value> neutral;
  builder.set_before(copy.op());
  for (std::size_t i = 0; i < partials.size(); ++i)
    neutral.push_back(neutral_literal(builder, nest.steps[i].fn, partials[i].dtype()));
  set_loop(copy.op(), top, whole ? bottom : pool.min(bottom, last), neutral);
  for (std::size_t i = 0; i < partials.size(); ++i)
    if (narrowed[i]) carry_as_f32(*wide_sum(copy, i));
  builder.set_end(along.region(0));
  const auto element = place(along.region(0).argument(0));
  for (std::size_t i = 0; i < partials.size(); ++i) {
    const Value so_far = load_of(builder, partials[i], element);
    const Value total = step_like(builder, nest.rows, i, nest.steps[i].op, so_far, copy.op().result(i));
    store_of(builder, total, partials[i], element);
  }
  builder.create(yield, {}, {}, {});
  for (std::size_t i = copies.size(); i-- > 0;)
    if (copies[i].results_unused()) copies[i].erase();
  builder.set_end(tile.region(0));
  builder.create(yield, {}, {}, {});
  if (!inside) ForRef::from(tile).set_kind(LoopKind::Parallel);

  move_strategy(columns, tile);

  // In the old nest tiles take the place of rows.
  builder.set_before(reduction);
  const OpRef rest = new_loop(builder, zero, tiles, fresh_name(columns, row + "_p"), initial_values(nest.rows));
  builder.set_end(rest.region(0));
  const IndexExpr at[] = {of_value(rest.region(0).argument(0)), pool.sub(of_value(nest.columns.index()), left)};
  std::vector<Value> next;
  for (std::size_t i = 0; i < partials.size(); ++i) {
    Value partial = load_of(builder, partials[i], at);
    if (narrowed[i])
      partial = builder
                    .create(GraphOp::Cast, {partial}, {context.types().scalar(Dtype::F64)},
                            builder.attrs({{"dtype", context.attributes().dtype(Dtype::F64)}}))
                    .result();
    next.push_back(step_like(builder, nest.rows, i, nest.steps[i].op, rest.region(0).argument(i + 1), partial));
  }
  builder.create(yield, next, {}, {});
  for (std::size_t i = 0; i < partials.size(); ++i) reduction.result(i).replace_all_uses_with(rest.result(i));
  reduction.erase();
  return {};
}

}  // namespace mlgc
