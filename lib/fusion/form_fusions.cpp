// See form_fusions.h.
#include "fusion/form_fusions.h"

#include <vector>

#include "analysis/isolate.h"

namespace mlgc {

std::size_t form_fusions(Module& module, const FusionDecisions& decisions,
                         const std::function<bool(const FusionGroup&)>& permit) {
  Context& context = module.context();
  std::vector<IsolatedGroup> groups;
  std::vector<std::string_view> kinds;
  std::vector<OpRef> copied;
  std::vector<ValueMap> copies;
  // All copies first: then what they are copies of still reads what it read.
  for (const FusionGroup& kernel : decisions.kernels) {
    if (!permit(kernel)) continue;
    IsolatedGroup group;
    group.inputs = kernel.inputs;
    group.outputs = kernel.outputs;
    copies.emplace_back();
    for (const FusionGroup::Member& member : kernel.members) {
      group.ops.push_back(member.op);
      if (!member.copy) continue;
      Builder builder(module);
      builder.set_before(member.op);
      copied.push_back(member.op);
      group.ops.back() = clone(member.op, builder, copies.back());
    }
    groups.push_back(std::move(group));
    kinds.push_back(kernel.shape.kind());
  }
  for (std::size_t k = 0; k < groups.size(); ++k)
    for (const OpRef op : groups[k].ops)
      for (std::size_t i = 0; i < op.operand_count(); ++i)
        if (const Value copy = copies[k].find(op.operand(i)); copy.valid()) op.set_operand(i, copy);
  // Ops that only kernels read have no uses left.
  for (auto op = copied.rbegin(); op != copied.rend(); ++op)
    if (!op->erased() && op->results_unused()) op->erase();
  const Dependences dependences(module);
  gather_groups(module, groups, dependences);
  const Opcode opcode = context.opcode(GraphOp::Fusion);
  ValueMap formed;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const NamedAttribute kind{context.strings().intern("kind"), context.attributes().string(kinds[i])};
    (void)isolate_group(module, groups[i], opcode, context.attributes().dict(std::span(&kind, 1)), formed);
  }
  return groups.size();
}

}  // namespace mlgc
