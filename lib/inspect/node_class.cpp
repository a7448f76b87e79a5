// See node_class.h.
#include "inspect/node_class.h"

#include <algorithm>

#include "ir/walk.h"

namespace mlgc {

NodeClasses::NodeClasses(const Module& module) {
  const AttributePool& attributes = module.context().attributes();
  walk(module, [&](OpRef op) {
    if (op.is(GraphOp::Read)) {
      const auto symbol = attributes.as_symbol(op.attr("symbol"));
      if (symbol && module.lookup(*symbol).is(GraphOp::State)) states_.insert(op.id());
      return;
    }
    if (op_class(op.def()) == OpClass::Shape && op.operand_count() == 0 && op.region_count() == 0) {
      sizes_.insert(op.id());
      return;
    }
    if (op_class(op.def()) != OpClass::Compute || op.region_count() > 0 || op.operand_count() == 0) return;
    bool any = false;
    const auto is_given = [&](Value value) {
      if (!value.is_result()) return false;
      const bool of_sizes = sizes_.contains(value.definer().id());
      any = any || of_sizes;
      return of_sizes || value.definer().has_trait(Traits::Constant);
    };
    const auto operands = op.operands();
    if (std::all_of(operands.begin(), operands.end(), is_given) && any) sizes_.insert(op.id());
  });
}

OpClass NodeClasses::of(OpRef op) const {
  if (sizes_.contains(op.id())) return OpClass::Shape;
  return states_.contains(op.id()) ? OpClass::Memory : op_class(op.def());
}

}  // namespace mlgc
