// See derived_weight.h.
#include "schedule/derived_weight.h"

#include <algorithm>

#include "ir/builder.h"
#include "ir/function.h"
#include "loopir/loop_ops.h"

namespace mlgc::schedule {

OpRef constant_weight(Value buffer) {
  const DataRef data = buffer.is_result() ? DataRef::from(buffer.definer()) : DataRef();
  if (!data.valid()) return {};
  const Module& module = buffer.module();
  const OpRef weight = module.lookup(data.name());
  if (!weight.valid() || !weight.is(GraphOp::Weight)) return {};
  const StringId name = buffer.module().context().strings().intern(data.name());
  for (const FuncRef& function : functions(module))
    for (const UpdateTarget& update : function.updates())
      if (!update.argument && update.symbol == name) return {};
  return weight;
}

OpRef derive_weight(OpRef weight, std::string_view suffix, const std::string& formula,
                    std::span<const IndexExpr> dims) {
  Module& module = weight.module();
  Context& context = module.context();
  std::string name = std::string(weight.symbol()) + std::string(suffix);
  while (module.lookup(name).valid()) name += "_";
  const Type type = context.attributes().as_type(weight.attr(context.names().type));
  const Type derived = context.types().with_dims(type, dims);
  Builder builder(module);
  OpRef made = builder.weight(name, derived);
  made.move_after(weight);
  made.set_location(weight.location());
  Builder in_weight(module, made.add_region());
  const AttrDict symbol = in_weight.attrs({{"symbol", context.attributes().symbol(weight.symbol())}});
  const Value read = in_weight.create(GraphOp::Read, {}, {type}, symbol).result();
  const AttrDict attrs = in_weight.attrs({{"formula", context.attributes().string(formula)}});
  const Value operands[] = {read};
  const Type results[] = {derived};
  const Value value = in_weight.create(context.opcode(GraphOp::Compute), operands, attrs, results).result();
  const Value yielded[] = {value};
  in_weight.create(context.opcode(GraphOp::Yield), yielded, {}, {});
  return made;
}

}  // namespace mlgc::schedule
