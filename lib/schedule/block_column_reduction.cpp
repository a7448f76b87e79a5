// block-columns: a blocked column reduction. Tiles of rows run on any thread; each reduces a few rows at a time along
// all columns, instead of all rows of a few columns, so that it reads memory in its order.
#include <algorithm>
#include <array>
#include <string>
#include <utility>
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
#include "schedule/loop_transforms.h"
#include "schedule/step_taker.h"
#include "schedule/wide_sum.h"

namespace mlgc {

using namespace schedule;

namespace {

// for j { before; %v.. = for r { body }; after }
struct Nest {
  ForRef columns, rows;
  std::vector<OpRef> before;  // pure, and copied to where blocks are reduced
  std::vector<CarriedStep> steps;
};

bool is_of_sizes(OpRef op) {
  const auto all = subscripts_of(op);
  return std::all_of(all.begin(), all.end(), [&](IndexExpr e) { return is_size(op.module().context().index(), e); });
}

Result<Nest, Diagnostic> nest_of(OpRef loop) {
  Nest out{ForRef::from(loop), {}, {}, {}};
  const std::string_view columns = index_name(out.columns);
  if (const TransformResult may = expect_plain(out.columns); !may) return refuse(may.error());
  if (const TransformResult may = expect_no_carried(out.columns); !may) return refuse(may.error());
  for (const OpRef op : out.columns.body().ops()) {
    if (const ForRef inner = ForRef::from(op); inner.valid()) {
      if (out.rows.valid()) return refuse<kScheduleInnerLoops>(columns, "more than one loop", "one that reduces");
      out.rows = inner;
    } else if (op.is(LoopOp::Check) && !out.rows.valid() && is_of_sizes(op)) {
      continue;  // of sizes alone: it may as well be computed after the tiles
    } else if (op.region_count() > 0 || !(only_computes(op) || op.is(LoopOp::Store))) {
      return refuse<kScheduleUnsupportedOp>(columns, op.name(), "run block by block");
    } else if (!out.rows.valid()) {
      if (op.is(LoopOp::Store))
        return refuse<kScheduleReordersMemory>(columns, "a store in front of the inner loop would come after it");
      out.before.push_back(op);
    }
  }
  if (!out.rows.valid()) return refuse<kScheduleInnerLoops>(columns, "no loop", "one that reduces");
  const std::string_view rows = index_name(out.rows);
  if (const TransformResult may = expect_serial(out.rows); !may) return refuse(may.error());
  if (out.rows.carried_count() == 0) return refuse<kScheduleNotApplicable>(rows, "carry a reduction");
  for (std::size_t i = 0; i < out.rows.carried_count(); ++i) {
    const auto step = carried_step(out.rows, i);
    if (!step) return refuse<kScheduleNotAReduction>(i, rows, step.error());
    out.steps.push_back(*step);
  }
  TransformResult may;
  walk(out.rows.op(), [&](OpRef op) {
    if (!only_computes(op) && !op.is(LoopOp::Check))
      may = refuse<kScheduleUnsupportedOp>(rows, op.name(), "run block by block");
    if (op != out.rows.op() && ForRef::from(op).valid())
      may = refuse<kScheduleInnerLoops>(rows, "another loop", "none");
  });
  const auto varying = varying_values(out.columns);
  for (std::size_t i = 0; i + out.rows.carried_count() < out.rows.op().operand_count(); ++i)
    if (varying.contains(out.rows.op().operand(i).id())) may = refuse<kScheduleBoundsVary>(rows);
  if (!may) return refuse(may.error());
  return out;
}

class BlockedReduction {
 public:
  BlockedReduction(Nest nest, std::int64_t rows, std::int64_t block)
      : nest_(std::move(nest)),
        context_(nest_.columns.op().module().context()),
        pool_(context_.index()),
        builder_(nest_.columns.op().module()),
        rows_(rows),
        block_(block),
        first_(over_values(nest_.rows.op(), nest_.rows.first())),
        last_(over_values(nest_.rows.op(), nest_.rows.last())),
        left_(over_values(nest_.columns.op(), nest_.columns.first())),
        right_(over_values(nest_.columns.op(), nest_.columns.last())),
        tiles_(pool_.ceildiv(pool_.sub(last_, first_), pool_.constant(rows))),
        width_(pool_.sub(right_, left_)),
        row_(index_name(nest_.rows)),
        column_(index_name(nest_.columns)) {}

  [[nodiscard]] TransformResult check(const Facts& facts) const {
    if (!is_size(pool_, tiles_)) return refuse<kScheduleTripCountNotASize>(row_);
    if (!is_size(pool_, width_)) return refuse<kScheduleTripCountNotASize>(column_);
    if (const auto conflict = find_conflict(nest_.columns, facts)) return refuse(nest_.columns, *conflict);
    return {};
  }

  void run(const Facts& facts) {
    const OpRef columns = nest_.columns.op();
    const bool inside = is_parallel_inside(columns);
    builder_.set_before(columns);
    builder_.set_location(columns.location());
    allocate(inside ? Scope::Thread : Scope::Arena);
    const OpRef tile = loop(pool_.constant(0), tiles_, row_ + "_t");
    const IndexExpr number = of_value(tile.region(0).argument(0));
    clear(number);
    builder_.set_end(tile.region(0));
    reduce_blocks(number, facts);
    close(tile);
    if (!inside) ForRef::from(tile).set_kind(LoopKind::Parallel);
    move_strategy(columns, tile);
    combine_tiles();
  }

 private:
  // A loop at the insertion point, which is in its body from then on.
  OpRef loop(IndexExpr first, IndexExpr last, const std::string& name, const std::vector<Value>& initial = {}) {
    const OpRef made = new_loop(builder_, first, last, fresh_name(nest_.columns.op(), name), initial);
    builder_.set_end(made.region(0));
    return made;
  }
  void close(OpRef loop, const std::vector<Value>& next = {}) {
    builder_.set_end(loop.region(0));
    builder_.create(context_.opcode(LoopOp::Yield), next, {}, {});
  }
  // Where the result of a tile is kept, of the column with the index.
  [[nodiscard]] std::array<IndexExpr, 2> place(IndexExpr tile, Value index) const {
    return {tile, pool_.sub(of_value(index), left_)};
  }
  [[nodiscard]] Value neutral(std::size_t i) {
    return neutral_literal(builder_, nest_.steps[i].fn, partials_[i].dtype());
  }

  // Results of tiles: of sums of f32 that are carried in f64 in f32.
  void allocate(Scope scope) {
    for (std::size_t i = 0; i < nest_.steps.size(); ++i) {
      narrowed_.push_back(wide_sum(nest_.rows, i).has_value());
      const Dtype dtype = narrowed_[i] ? Dtype::F32 : nest_.rows.carried(i).dtype();
      const Type type = context_.types().buffer(dtype, std::array{tiles_, width_}, scope);
      partials_.push_back(builder_.create(LoopOp::Alloc, {}, {type}).result());
      partials_.back().set_name("partial" + (nest_.steps.size() > 1 ? std::to_string(i) : std::string()));
    }
  }

  // Each tile starts from nothing.
  void clear(IndexExpr tile) {
    const OpRef start = loop(left_, right_, column_ + "_z");
    for (std::size_t i = 0; i < partials_.size(); ++i) {
      const Value zero = neutral(i);
      store_of(builder_, zero, partials_[i], place(tile, start.region(0).argument(0)));
    }
    close(start);
  }

  // The blocks of a tile: a copy of the old nest, for few rows.
  void reduce_blocks(IndexExpr tile, const Facts& facts) {
    const IndexExpr extent = pool_.sub(last_, first_), zero = pool_.constant(0), most = pool_.constant(rows_);
    const IndexExpr begin = pool_.add(first_, pool_.scale(tile, rows_));
    const bool whole = pool_.equal(pool_.mod(extent, most), zero, facts) == Truth::Yes;
    const IndexExpr height = whole ? most : pool_.min(most, pool_.sub(last_, begin));
    const OpRef blocks = loop(zero, pool_.ceildiv(height, pool_.constant(block_)), row_ + "_b");
    const OpRef along = loop(left_, right_, column_ + "_c");
    const IndexExpr top = pool_.add(begin, pool_.scale(of_value(blocks.region(0).argument(0)), block_));
    const IndexExpr bottom = pool_.add(top, pool_.constant(block_));
    reduce_block(along, top, whole ? bottom : pool_.min(bottom, last_), place(tile, along.region(0).argument(0)));
    close(along);
    close(blocks);
  }

  // Blocks start from nothing too: few terms are then combined before they are added to the sum of many.
  void reduce_block(OpRef along, IndexExpr top, IndexExpr bottom, const std::array<IndexExpr, 2>& element) {
    ValueMap map;
    map.set(nest_.columns.index(), along.region(0).argument(0));
    std::vector<OpRef> copies;
    for (const OpRef op : nest_.before) copies.push_back(clone(op, builder_, map));
    const ForRef copy = ForRef::from(clone(nest_.rows.op(), builder_, map));
    std::vector<Value> initial;
    builder_.set_before(copy.op());
    for (std::size_t i = 0; i < partials_.size(); ++i) initial.push_back(neutral(i));
    set_loop(copy.op(), top, bottom, initial);
    for (std::size_t i = 0; i < partials_.size(); ++i)
      if (narrowed_[i]) carry_as_f32(*wide_sum(copy, i));
    builder_.set_end(along.region(0));
    for (std::size_t i = 0; i < partials_.size(); ++i) {
      const Value so_far = load_of(builder_, partials_[i], element);
      const Value total = step_like(builder_, nest_.rows, i, nest_.steps[i].op, so_far, copy.op().result(i));
      store_of(builder_, total, partials_[i], element);
    }
    for (std::size_t i = copies.size(); i-- > 0;)
      if (copies[i].results_unused()) copies[i].erase();
  }

  // In the old nest tiles take the place of rows.
  void combine_tiles() {
    OpRef reduction = nest_.rows.op();
    builder_.set_before(reduction);
    const OpRef rest = loop(pool_.constant(0), tiles_, row_ + "_p", initial_values(nest_.rows));
    const auto at = place(of_value(rest.region(0).argument(0)), nest_.columns.index());
    std::vector<Value> next;
    for (std::size_t i = 0; i < partials_.size(); ++i) {
      Value partial = load_of(builder_, partials_[i], at);
      if (narrowed_[i])
        partial = builder_
                      .create(GraphOp::Cast, {partial}, {context_.types().scalar(Dtype::F64)},
                              builder_.attrs({{"dtype", context_.attributes().dtype(Dtype::F64)}}))
                      .result();
      next.push_back(step_like(builder_, nest_.rows, i, nest_.steps[i].op, rest.region(0).argument(i + 1), partial));
    }
    close(rest, next);
    for (std::size_t i = 0; i < partials_.size(); ++i) reduction.result(i).replace_all_uses_with(rest.result(i));
    reduction.erase();
  }

  Nest nest_;
  Context& context_;
  IndexPool& pool_;
  Builder builder_;
  std::int64_t rows_, block_;  // of a tile, and of these of a block
  IndexExpr first_, last_, left_, right_, tiles_, width_;
  std::string row_, column_;
  std::vector<Value> partials_;  // of each carried value: results of the tiles
  std::vector<bool> narrowed_;
};

}  // namespace

TransformResult block_column_reduction(OpRef columns, std::int64_t rows, std::int64_t block, const Facts& facts) {
  MLGC_ASSERT(ForRef::from(columns).valid(), "block_column_reduction: no loop");
  if (block < 1) return refuse<kScheduleParameter>("the block size", block, "1 or more");
  if (rows < block || rows % block != 0)
    return refuse<kScheduleParameter>("the tile size", rows, "a positive multiple of the block size");
  auto nest = nest_of(columns);
  if (!nest) return refuse(nest.error());
  BlockedReduction step(*std::move(nest), rows, block);
  if (auto may = step.check(facts); !may) return may;
  step.run(facts);
  return {};
}

}  // namespace mlgc
