// pack: what a load or another op gives in the loops inside of a nest is computed in front of it, into scratch in the
// order of the loops.
#include <string>
#include <vector>

#include "ir/builder.h"
#include "ir/clone.h"
#include "ir/walk.h"
#include "loopir/loop_ops.h"
#include "loopir/module_machine.h"
#include "loopir/nests.h"
#include "loopir/subscripts.h"
#include "schedule/loop_edit.h"
#include "schedule/loop_transforms.h"
#include "schedule/packed_value.h"

namespace mlgc {

using namespace schedule;

namespace {

class Pack {
 public:
  Pack(OpRef value, OpRef nest)
      : module_(value.module()), pool_(value.module().context().index()), nest_(nest), packed_(value, nest, true) {}

  TransformResult check() {
    if (auto may = packed_.check(); !may) return may;
    for (const ForRef& loop : packed_.loops()) {
      const auto count = usual_extent(loop);
      const IndexExpr size = count
                                 ? pool_.constant(*count)
                                 : pool_.sub(over_values(loop.op(), loop.last()), over_values(loop.op(), loop.first()));
      if (!is_plain_size(pool_, size)) return refuse<kScheduleTripCountNotASize>(index_name(loop));
      sizes_.push_back(count ? size : pool_.max(size, pool_.constant(0)));
    }
    return {};
  }

  void run() {
    const std::vector<ForRef>& loops = packed_.loops();
    Builder builder(module_);
    builder.set_before(nest_);
    builder.set_location(packed_.op().location());
    const Value old = packed_.value();
    const Type type = module_.context().types().buffer(old.dtype(), with_gap(old.dtype()), packed_.scope());
    const Value scratch = builder.create(LoopOp::Alloc, {}, {type}).result();
    scratch.set_name("packed");
    ValueMap map;
    std::vector<IndexExpr> to;
    std::vector<OpRef> made;
    for (const ForRef& loop : loops) {
      made.push_back(loop_like(builder, loop, "_in", map).op());
      const Value index = ForRef::from(made.back()).index();
      map.set(loop.index(), index);
      to.push_back(pool_.sub(of_value(index), mapped(module_, over_values(loop.op(), loop.first()), map)));
      builder.set_end(made.back().region(0));
    }
    packed_.copy_slice(builder, map);
    store_of(builder, map.find(old), scratch, to);
    for (std::size_t i = made.size(); i-- > 0;) {
      builder.set_end(made[i].region(0));
      builder.create(module_.context().opcode(LoopOp::Yield), {}, {}, {});
    }
    builder.set_before(packed_.op());
    std::vector<IndexExpr> from;
    from.reserve(loops.size());
    for (const ForRef& loop : loops) from.push_back(place(loop, loop.index()));
    packed_.replace_by(load_of(builder, scratch, from));
  }

 private:
  // Rows that would meet in one set of a cache of the machine have a line between them.
  [[nodiscard]] std::vector<IndexExpr> with_gap(Dtype dtype) const {
    std::vector<IndexExpr> dims = sizes_;
    const auto bytes = static_cast<std::int64_t>(dtype_info(dtype).bytes);
    const auto row = dims.empty() ? std::nullopt : pool_.as_constant(dims.back());
    if (dims.size() < 2 || !row || *row <= 0) return dims;
    const Machine machine = machine_of(module_, MachineKind::Cpu);
    if (*row * bytes % machine.cpu().l1_stride() == 0)
      dims.back() = pool_.constant(*row + machine.cpu().line_bytes / bytes);
    return dims;
  }
  IndexExpr place(ForRef loop, Value index) { return pool_.sub(of_value(index), over_values(loop.op(), loop.first())); }
  Module& module_;
  IndexPool& pool_;
  OpRef nest_;
  PackedValue packed_;
  std::vector<IndexExpr> sizes_;
};

}  // namespace

TransformResult pack(OpRef value, OpRef nest) {
  MLGC_ASSERT(value.result_count() == 1, "pack: no value");
  MLGC_ASSERT(ForRef::from(nest).valid(), "pack: no loop");
  if (!value.is_inside(nest)) return refuse<kScheduleNotInLoop>(value.name(), index_name(ForRef::from(nest)));
  Pack step(value, nest);
  if (auto may = step.check(); !may) return may;
  step.run();
  return {};
}

}  // namespace mlgc
