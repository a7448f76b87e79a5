// See kernel_cost.h.
#include "schedule/kernel_cost.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "loopir/buffers.h"
#include "loopir/loop_ops.h"
#include "schedule/along_loop.h"

namespace mlgc::schedule {

namespace {

class KernelCost {
 public:
  KernelCost(OpRef kernel, std::int64_t line_bytes, std::int64_t assumed)
      : pool_(kernel.module().context().index()),
        types_(kernel.module().context().types()),
        line_bytes_(static_cast<double>(line_bytes)),
        assumed_(assumed) {}

  // What the region takes once. `loop` is the one that has the lanes, or else the innermost one around it.
  double of(RegionRef region, const ForRef& loop, const std::unordered_set<ValueId>& varying) {
    double sum = 0;
    for (const OpRef op : region.ops()) {
      const ForRef inner = ForRef::from(op);
      if (op.is(LoopOp::Load) || op.is(LoopOp::Store)) {
        sum += access(op, loop, varying);
      } else if (inner.valid()) {
        const double times = iterations(inner);
        sum += times *
               (has_lanes(loop) ? of(inner.body(), loop, varying) : of(inner.body(), inner, varying_values(inner)));
      } else if (op.is(LoopOp::If)) {
        double arm = 0;
        for (const RegionRef part : op.regions()) arm = std::max(arm, of(part, loop, varying));
        sum += arm;
      } else if (op.region_count() > 0) {
        for (const RegionRef part : op.regions()) sum += static_cast<double>(assumed_) * of(part, loop, varying);
      } else if (op.result_count() == 1 && types_.kind(op.result().type()) == TypeKind::Scalar) {
        sum += static_cast<double>(work_of(op)) * (has_lanes(loop) ? share(op.result()) : 1);
      }
    }
    return sum;
  }

 private:
  [[nodiscard]] static bool has_lanes(const ForRef& loop) { return loop.valid() && loop.kind() == LoopKind::Vector; }
  // Of a line, that a lane takes; truth values are as wide as what they choose from.
  [[nodiscard]] double share(Value v) const {
    return static_cast<double>(std::max<std::size_t>(4, dtype_info(v.dtype()).bytes)) / line_bytes_;
  }

  [[nodiscard]] double access(OpRef op, const ForRef& loop, const std::unordered_set<ValueId>& varying) const {
    const Value buffer = AccessRef::from(op).buffer();
    const double lane = share(buffer);
    if (types_.scope(buffer.type()) == Scope::Register) return has_lanes(loop) ? lane : 0;
    const RegionRef home = underlying_buffer(buffer).scope();
    const bool inside = loop.valid() && (home == loop.body() || home.parent_op().is_inside(loop.op()));
    const Along kind = loop.valid() && !inside ? along(op, loop, varying) : Along::Same;
    const bool jumps = kind == Along::Strided || kind == Along::Scattered;
    if (jumps) return 2;
    return has_lanes(loop) ? lane : 1;
  }

  // How often a loop runs. Its index is taken as the one in the middle.
  double iterations(const ForRef& loop) {
    const OpRef op = loop.op();
    const auto value = [&](IndexExpr e) {
      return pool_.evaluate(e, [&](AtomId id) -> std::optional<std::int64_t> {
        const Atom& atom = pool_.atom(id);
        if (atom.kind == AtomKind::Symbol) return assumed_;
        if (atom.kind != AtomKind::Opaque) return std::nullopt;
        const auto known = middle_.find(op.operand(atom.number).id());
        return known == middle_.end() ? std::nullopt : std::optional(known->second);
      });
    };
    const auto first = value(loop.first()), last = value(loop.last());
    const std::int64_t count = first && last ? std::max<std::int64_t>(0, *last - *first) : assumed_;
    middle_[loop.index().id()] = first.value_or(0) + std::max<std::int64_t>(0, count - 1) / 2;
    return static_cast<double>(count);
  }

  IndexPool& pool_;
  const TypePool& types_;
  double line_bytes_;
  std::int64_t assumed_;
  std::unordered_map<ValueId, std::int64_t> middle_;  // of indices
};

}  // namespace

double kernel_cost(OpRef kernel, std::int64_t line_bytes, std::int64_t assumed) {
  return KernelCost(kernel, line_bytes, assumed).of(kernel.region(0), {}, {});
}

}  // namespace mlgc::schedule
