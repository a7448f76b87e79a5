// See along_loop.h.
#include "schedule/along_loop.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <optional>
#include <vector>

#include "ir/linear_coefficient.h"
#include "loopir/buffers.h"
#include "loopir/loop_ops.h"
#include "loopir/loop_role.h"
#include "loopir/subscripts.h"
#include "ops/instantiate_op.h"
#include "ops/scalar_ops.h"
#include "schedule/wide_sum.h"
#include "support/saturating.h"

namespace mlgc::schedule {
namespace {

// The coefficient of the value in an expression over operands of `op`; nothing where it is not linear in it with a
// constant coefficient.
std::optional<std::int64_t> coefficient(OpRef op, IndexExpr e, Value of) {
  IndexPool& pool = op.module().context().index();
  std::int64_t sum = 0;
  for (std::size_t n = 0; n < op.operand_count(); ++n) {
    if (op.operand(n) != of) continue;
    const auto c = linear_coefficient(pool, e, *pool.as_atom(pool.opaque(static_cast<std::uint32_t>(n))));
    if (!c) return std::nullopt;
    sum += *c;
  }
  return sum;
}

// To a fixed point, since loops inside carry values.
bool mark(RegionRef region, std::unordered_set<ValueId>& varying) {
  bool changed = false;
  const auto varies = [&](Value v) { return varying.contains(v.id()); };
  const auto add = [&](Value v) { changed = varying.insert(v.id()).second || changed; };
  for (const OpRef op : region.ops()) {
    bool any = false;
    for (const Value v : op.operands()) any = any || varies(v);
    for (const RegionRef inner : op.regions()) changed = mark(inner, varying) || changed;
    const ForRef loop = ForRef::from(op);
    if (loop.valid()) {
      for (std::size_t i = 0; i + loop.carried_count() < op.operand_count(); ++i)
        if (varies(op.operand(i))) add(loop.index());
      for (std::size_t i = 0; i < loop.carried_count(); ++i) {
        if (!any && !varies(loop.body().terminator().operand(i))) continue;
        add(loop.carried(i));
        add(op.result(i));
      }
      continue;
    }
    for (std::size_t i = 0; i < op.result_count(); ++i) {
      bool value = any;
      for (const RegionRef inner : op.regions()) {
        const OpRef end = inner.terminator();
        value = value || (end.valid() && i < end.operand_count() && varies(end.operand(i)));
      }
      if (value) add(op.result(i));
    }
  }
  return changed;
}

}  // namespace

std::unordered_set<ValueId> varying_values(ForRef loop, std::span<const Value> also) {
  std::unordered_set<ValueId> varying{loop.index().id()};
  for (std::size_t i = 0; i < loop.carried_count(); ++i) varying.insert(loop.carried(i).id());
  for (const Value v : also) varying.insert(v.id());
  while (mark(loop.body(), varying)) {
  }
  return varying;
}

std::int64_t work_of(OpRef op) {
  if (FmaRef::from(op).valid()) return scalar_fn_info(ScalarFn::Mul).cost + scalar_fn_info(ScalarFn::Add).cost;
  Context& context = op.module().context();
  std::vector<Type> types;
  for (const Value v : op.operands()) {
    if (context.types().kind(v.type()) != TypeKind::Scalar) return 1;
    types.push_back(v.type());
  }
  return scalar_cost(context, op.opcode(), types, op.attrs()).value_or(1);
}

Along along(OpRef op, ForRef loop, const std::unordered_set<ValueId>& varying) {
  const auto subscripts = subscripts_of(op);
  const auto dims = AccessRef::from(op).buffer().dims();
  const IndexPool& pool = op.module().context().index();
  bool scattered = false;
  std::optional<std::size_t> axis;  // the last one that the index stands in
  std::int64_t step = 0;
  for (std::size_t d = 0; d < subscripts.size(); ++d) {
    const auto c = coefficient(op, subscripts[d], loop.index());
    bool others = false;
    pool.for_each_atom(subscripts[d], [&](AtomId id) {
      const Atom& atom = pool.atom(id);
      if (atom.kind != AtomKind::Opaque) return;
      const Value v = op.operand(atom.number);
      others = others || (v != loop.index() && varying.contains(v.id()));
    });
    scattered = scattered || !c || others;
    if (c && *c != 0) {
      scattered = scattered || axis.has_value();
      axis = d;
      step = *c;
    }
  }
  bool last = true;
  for (std::size_t d = axis.value_or(0) + 1; axis && d < dims.size(); ++d)
    last = last && pool.as_constant(dims[d]) == 1;
  if (scattered) return Along::Scattered;
  if (!axis) return Along::Same;
  return last && step == 1 ? Along::Next : Along::Strided;
}

std::optional<std::int64_t> stride_bytes(OpRef access, ForRef loop) {
  const auto subscripts = subscripts_of(access);
  const Value buffer = AccessRef::from(access).buffer();
  const auto dims = buffer.dims();
  const IndexPool& pool = access.module().context().index();
  std::int64_t stride = 0, size = static_cast<std::int64_t>(dtype_info(buffer.dtype()).bytes);
  for (std::size_t d = subscripts.size(); d-- > 0;) {
    const auto step = coefficient(access, subscripts[d], loop.index());
    if (!step) return std::nullopt;
    stride = saturating_add(stride, saturating_mul(std::abs(*step), size));
    const auto count = pool.as_constant(dims[d]);
    if (!count && d > 0) {
      // Nothing further outside may move.
      for (std::size_t outer = 0; outer < d; ++outer)
        if (coefficient(access, subscripts[outer], loop.index()) != 0) return std::nullopt;
      break;
    }
    size = saturating_mul(size, count.value_or(1));
  }
  return stride;
}

bool is_running(OpRef loop) {
  const ForRef of = ForRef::from(loop);
  if (!of.valid() || of.carried_count() == 0 || of.kind() != LoopKind::Serial) return false;
  bool leaves = false;
  for (const OpRef op : of.body().ops()) {
    if (op.region_count() > 0) return false;
    leaves = leaves || op.is(LoopOp::Store);
  }
  for (std::size_t i = 0; leaves && i < of.carried_count(); ++i)
    if (!reduction_chain(of, i)) return true;
  return false;
}

AlongLoop::AlongLoop(ForRef loop) : varying_(varying_values(loop)) { visit(loop.body(), loop, false); }

void AlongLoop::visit(RegionRef region, ForRef loop, bool inside) {
  const TypePool& types = loop.op().module().context().types();
  for (const OpRef op : region.ops()) {
    if (op.is(LoopOp::Load) || op.is(LoopOp::Store)) access(op, loop, inside);
    if (loop_role(op) == LoopRole::Runs) launches = true;
    if (loop_role(op) == LoopRole::Allocates && types.scope(op.result().type()) != Scope::Register) allocates = true;
    if (const ForRef inner = ForRef::from(op); inner.valid()) {
      has_loops = true;
      has_vectors = has_vectors || inner.kind() == LoopKind::Vector || inner.kind() == LoopKind::Parallel;
      for (std::size_t i = 0; i + inner.carried_count() < op.operand_count(); ++i)
        bounds_vary = bounds_vary || varies(op.operand(i));
      visit(inner.body(), loop, true);
      continue;
    }
    if (!inside && op.result_count() == 1 && types.kind(op.result().type()) == TypeKind::Scalar) work += work_of(op);
    for (const RegionRef arm : op.regions()) visit(arm, loop, inside);
  }
}

void AlongLoop::access(OpRef op, ForRef loop, bool inside) {
  const bool is_load = op.is(LoopOp::Load);
  const Value buffer = op.operand(is_load ? 0 : 1);
  const RegionRef home = underlying_buffer(buffer).scope();
  if (home == loop.body() || home.parent_op().is_inside(loop.op())) return;
  const Along kind = along(op, loop, varying_);
  const auto count = [&](Counts& counts) {
    switch (kind) {
      case Along::Same: ++counts.same; break;
      case Along::Next: ++counts.next; break;
      case Along::Strided: ++counts.strided; break;
      case Along::Scattered: ++counts.scattered; break;
    }
  };
  count(is_load ? loads : stores);
  if (kind == Along::Strided) {
    widest_stride = std::max(widest_stride, stride_bytes(op, loop).value_or(std::numeric_limits<std::int64_t>::max()));
    strided_element = std::max(strided_element, static_cast<std::int64_t>(dtype_info(buffer.dtype()).bytes));
  }
  if (is_load && inside) count(inner_loads);
}

}  // namespace mlgc::schedule
