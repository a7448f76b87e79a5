// See grid_forms.h.
#include "codegen/emitter/grid_forms.h"

#include <algorithm>
#include <unordered_set>

#include "analysis/attention_nest.h"
#include "analysis/matrix_nest.h"
#include "ir/walk.h"
#include "loopir/buffers.h"
#include "loopir/loop_ops.h"
#include "loopir/subscripts.h"
#include "machine/cuda_threads.h"

namespace mlgc::codegen {
namespace {

// Policies of this printer, the same for all GPUs: 32 KiB of shared memory are less than any gives a block without
// being asked.
constexpr int kThreads = 256;                 // of a block in which each thread takes iterations of its own
constexpr int kFewestThreads = kWarpThreads;  // of a block whose threads share an iteration
constexpr std::int64_t kOnAnyChip = 32768;    // bytes of scratch that fit wherever code runs
constexpr int kGroupedThreads = 128;          // of a block in which warps or parts of them take iterations
constexpr int kColumns = 32;                  // of a block whose neighbouring threads take neighbouring iterations
constexpr int kColumnThreads = 512;           // of such a block at most: a multiprocessor has several

bool has_matrix_loop(std::span<const OpRef> ops) {
  return std::any_of(ops.begin(), ops.end(), [](OpRef of) {
    return !walk(of, [](OpRef op) {
      const ForRef loop = ForRef::from(op);
      return loop.valid() && loop.kind() == LoopKind::Matrix ? WalkResult::Stop : WalkResult::Continue;
    });
  });
}

// The most lanes of a loop in it, or the threads of a matrix loop; 0: none has lanes.
int most_lanes_in(std::span<const OpRef> ops, const GridHooks& grid) {
  std::int64_t most = 0;
  for (const OpRef of : ops)
    walk(of, [&](OpRef op) {
      const ForRef loop = ForRef::from(op);
      if (!loop.valid()) return;
      if (loop.kind() == LoopKind::Vector) {
        const ForRef inner = lanes_of_lanes(loop);
        most = std::max(most, loop.lanes() * (inner.valid() ? inner.lanes() : 1));
      }
      if (loop.kind() != LoopKind::Matrix) return;
      if (looks_like_attention(loop)) {
        most = std::max<std::int64_t>(most, grid.attention_threads());
        return;
      }
      const auto nest = matrix_nest(loop);
      MLGC_ASSERT(nest, "a matrix loop that is none");
      most =
          std::max<std::int64_t>(most, grid.matrix_threads({.rows = nest->tile_rows, .columns = nest->tile_columns}));
    });
  return static_cast<int>(most);
}

}  // namespace

bool GridForms::fits_on_chip(std::span<const OpRef> ops, std::int64_t bytes) {
  return bytes <= kOnAnyChip || has_matrix_loop(ops);
}

// Whether memory of so many iterations fits on any chip.
bool GridForms::scratch_is_small(std::span<const OpRef> ops, int groups) {
  IndexExpr bytes = index_.constant(0);
  for (const OpRef of : ops)
    walk(of, [&](OpRef op) {
      if (op.is(LoopOp::Alloc) && types_.scope(op.result().type()) != Scope::Register && !own_.contains(op.result()))
        bytes = index_.add(bytes, bytes_in_memory(context_, op.result().type()));
    });
  const auto known = index_.as_constant(bytes);
  return known && *known * groups <= kOnAnyChip;
}

// Whether groups of threads that take iterations of the row reach each shuffle and barrier together, and an iteration
// may run twice: its vector loops stand alone in it, or in serial loops that run as often in each iteration; no buffer
// is written and read, and nothing fails.
bool GridForms::may_run_alike(OpRef row) {
  std::unordered_set<ValueId> read, written;
  const auto fits = [&](OpRef op) {
    return walk(op, [&](OpRef inner) {
      if (inner.is(LoopOp::Check) || inner.is(LoopOp::Launch)) return WalkResult::Stop;
      const AccessRef access = AccessRef::from(inner);
      if (!access.valid() || own_.contains(access.buffer())) return WalkResult::Continue;
      if (access.checked() || types_.scope(access.buffer().type()) == Scope::Thread) return WalkResult::Stop;
      (inner.is(LoopOp::Load) ? read : written).insert(underlying_buffer(access.buffer()).id());
      return WalkResult::Continue;
    });
  };
  const bool alike = walk(row, [&](OpRef op) {
    if (op == row) return WalkResult::Continue;
    const ForRef loop = ForRef::from(op);
    if (loop.valid() && loop.kind() == LoopKind::Serial && runs_as_often(loop)) return WalkResult::Continue;
    if (op.region_count() > 0 && !(loop.valid() && loop.kind() == LoopKind::Vector && ThreadBlock::is_innermost(op)))
      return WalkResult::Stop;
    return fits(op) ? WalkResult::Skip : WalkResult::Stop;
  });
  return alike && std::none_of(read.begin(), read.end(), [&](ValueId id) { return written.contains(id); });
}

// Whether the number of iterations follows from sizes.
bool GridForms::runs_as_often(ForRef loop) {
  const IndexExpr count = index_.sub(over_values(loop.op(), loop.last()), over_values(loop.op(), loop.first()));
  bool over_sizes = true;
  index_.for_each_atom(count, [&](AtomId id) { over_sizes = over_sizes && index_.atom(id).kind != AtomKind::Opaque; });
  return over_sizes;
}

// Whether neighbouring iterations of the row touch neighbouring elements of memory in its vector loops, and the
// iterations of these do not.
bool GridForms::reads_across(OpRef row) {
  const auto distance = [&](OpRef access, ForRef loop) {
    const Value buffer = AccessRef::from(access).buffer();
    const std::span<const IndexExpr> dims = types_.dims(buffer.type());
    const std::span<const IndexExpr> subscripts = subscripts_of(access);
    const IndexExpr index = of_value(loop.index());
    IndexExpr sum = index_.constant(0);
    for (std::size_t d = 0; d < subscripts.size(); ++d) {
      const IndexExpr at = over_values(access, resolved(access, subscripts[d]));
      const IndexExpr next = index_.substitute(at, [&](AtomId id) -> std::optional<IndexExpr> {
        if (index_.from_atom(id) != index) return std::nullopt;
        return index_.add(index, index_.constant(1));
      });
      sum = index_.add(index_.mul(sum, resolved(access, dims[d])), index_.sub(next, at));
    }
    return index_.as_constant(sum);
  };
  bool across = false, along = false;
  walk(row, [&](OpRef inner) {
    const AccessRef access = AccessRef::from(inner);
    const ForRef loop = ForRef::from(inner.parent_op());
    if (!access.valid() || own_.contains(access.buffer()) || loop.kind() != LoopKind::Vector) return;
    along = along || distance(inner, loop) == 1;
    across = across || distance(inner, ForRef::from(row)) == 1;
  });
  return across && !along;
}

// Lanes that a warp has, or a part of one, are groups of a block, each of which takes an iteration.
ThreadBlock::Form GridForms::of_nest(OpRef nest, OpRef row) {
  const OpRef ops[] = {nest};
  const int lanes = most_lanes_in(ops, *writer_.grid);
  if (lanes < 2) return {false, kThreads};
  if (lanes > kFewestThreads) return {true, lanes};
  if (may_run_alike(row)) {
    if (reads_across(row)) return {true, lanes, std::min(kColumns, kColumnThreads / lanes), true};
    return {true, lanes, kGroupedThreads / lanes};
  }
  const int warps = kGroupedThreads / kFewestThreads;
  return {true, kFewestThreads, scratch_is_small(ops, warps) ? warps : 1};
}

ThreadBlock::Form GridForms::of_one_block(std::span<const OpRef> ops) {
  return {true, std::max(most_lanes_in(ops, *writer_.grid), kFewestThreads)};
}

}  // namespace mlgc::codegen
