// Pieces: neighbouring elements that a thread reads or writes at once.
#include <algorithm>
#include <functional>
#include <vector>

#include "loopir/loop_ops.h"
#include "loopir/nests.h"
#include "loopir/skew.h"
#include "loopir/subscripts.h"
#include "schedule/along_loop.h"
#include "schedule/gpu_sites.h"
#include "schedule/reduction_order.h"

namespace mlgc::schedule {

// Policy, the same for all GPUs: pieces of a row, for its first and last one, whose elements are accessed one by one,
// to cost little.
static constexpr std::int64_t kFewestSkewedPieces = 16;

// Where the access is in its buffer if the loop's index is 0, in row-major order and over values.
static IndexExpr place_of_row(OpRef access, ForRef loop) {
  IndexPool& pool = access.module().context().index();
  const auto dims = access.module().context().types().dims(AccessRef::from(access).buffer().type());
  IndexExpr place = pool.constant(0);
  for (std::size_t d = 0; d < dims.size(); ++d)
    place = pool.add(pool.mul(place, over_values(access, dims[d])), over_values(access, subscripts_of(access)[d]));
  return pool.sub(place, of_value(loop.index()));
}

static bool is_multiple(IndexPool& pool, IndexExpr e, std::int64_t of) {
  return pool.as_constant(pool.mod(e, pool.constant(of))) == 0;
}

// Whether the access is to a multiple of so many elements where the loop's index is 0.
static bool is_aligned(OpRef access, ForRef loop, std::int64_t elements) {
  return is_multiple(access.module().context().index(), place_of_row(access, loop), elements);
}

// Whether sizes and the indices of loops around say where the row begins.
static bool is_known_outside(OpRef loop, IndexExpr row) {
  const IndexPool& pool = loop.module().context().index();
  bool known = true;
  pool.for_each_atom(row, [&](AtomId id) {
    const Atom atom = pool.atom(id);
    if (atom.kind != AtomKind::Opaque) return;
    const Value v(&loop.module(), ValueId(atom.number));
    known = known && v.is_argument() && loop.is_inside(v.argument_of().parent_op());
  });
  return known;
}

// Calls it for each access of an innermost loop to neighbouring elements of memory.
static void for_each_dense_access(ForRef loop, const std::function<void(OpRef, std::int64_t bytes)>& visit) {
  const auto varying = varying_values(loop);
  TypePool& types = loop.op().module().context().types();
  for (const OpRef op : loop.body().ops()) {
    if (!op.is(LoopOp::Load) && !op.is(LoopOp::Store)) continue;
    const Value buffer = AccessRef::from(op).buffer();
    const Scope scope = types.scope(buffer.type());
    const bool is_memory = scope != Scope::Register && scope != Scope::Thread;
    if (is_memory && along(op, loop, varying) == Along::Next)
      visit(op, static_cast<std::int64_t>(dtype_info(buffer.dtype()).bytes));
  }
}

std::int64_t iterations_at_a_time(OpRef loop) {
  const ForRef of = ForRef::from(loop);
  if (!loops_in(of.body()).empty()) return 1;
  std::int64_t narrowest = kPieceBytes;  // bytes of an element
  for_each_dense_access(of, [&](OpRef op, std::int64_t bytes) {
    // Elements of 4 bytes one by one are as good as pieces that no access is aligned to.
    if (bytes >= 4 && !is_aligned(op, of, kPieceBytes / bytes)) return;
    narrowest = std::min(narrowest, bytes);
  });
  return std::min(kPieceBytes / narrowest, kMostAtATime);
}

std::int64_t aligned_at_a_time(OpRef loop, std::int64_t most) {
  const ForRef of = ForRef::from(loop);
  IndexPool& pool = loop.module().context().index();
  for_each_dense_access(of, [&](OpRef op, std::int64_t bytes) {
    const auto dims = loop.module().context().types().dims(AccessRef::from(op).buffer().type());
    const bool known = dims.size() < 2 || std::all_of(dims.begin() + 1, dims.end(),
                                                      [&](IndexExpr dim) { return pool.as_constant(dim).has_value(); });
    while (known && most > 1 && !is_aligned(op, of, std::min(most, kPieceBytes / bytes))) most /= 2;
  });
  return most;
}

std::optional<SkewedPieces> skewed_pieces(OpRef loop) {
  const ForRef of = ForRef::from(loop);
  IndexPool& pool = loop.module().context().index();
  const auto count = pool.as_constant(of.last());
  if (pool.as_constant(of.first()) != 0 || !count || !loops_in(of.body()).empty()) return std::nullopt;
  std::vector<IndexExpr> rows;
  std::int64_t narrowest = kPieceBytes;  // bytes of an element
  bool known = true;
  for_each_dense_access(of, [&](OpRef access, std::int64_t bytes) {
    narrowest = std::min(narrowest, bytes);
    if (access.is(LoopOp::Load)) return;
    rows.push_back(place_of_row(access, of));
    known = known && is_known_outside(loop, rows.back());
  });
  if (!known || rows.empty()) return std::nullopt;
  const std::int64_t each = std::min(kPieceBytes / narrowest, kMostAtATime);
  if (each < 2 || *count < kFewestSkewedPieces * each) return std::nullopt;
  for (const IndexExpr row : rows)
    if (!is_multiple(pool, pool.sub(row, rows.front()), each)) return std::nullopt;
  const IndexExpr skew = pool.mod(rows.front(), pool.constant(each));
  if (pool.as_constant(skew) == 0 || !is_skew(pool, skew, each)) return std::nullopt;
  return SkewedPieces{each, skew};
}

}  // namespace mlgc::schedule
