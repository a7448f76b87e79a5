// See working_copy.h.
#include "autodiff/working_copy.h"

#include <string>
#include <vector>

#include "ir/builder.h"
#include "ir/clone.h"
#include "ops/memory_limit.h"
#include "ops/stated_gradient.h"

namespace mlgc {

FuncRef working_copy(FuncRef function, Module& module, std::string_view name) {
  if (!function.gradient()) {
    const FuncRef copy(clone_function(function.op(), module, name));
    remove_memory_limit(copy);
    return copy;
  }
  Context& context = module.context();
  AttributePool& pool = context.attributes();
  const AttrDict attrs = pool.with(function.op().attrs(), context.names().sym_name, pool.string(name));
  const OpRef made = module.create(context.opcode(GraphOp::Func), {}, attrs, {}, function.op().location(), 1);
  remove_stated_gradient(FuncRef(made));
  remove_memory_limit(FuncRef(made));
  made.move_to_end(module.body());
  std::vector<Value> arguments;
  for (const Value argument : function.arguments()) {
    arguments.push_back(made.region(0).add_argument(argument.type()));
    if (!argument.name().empty()) arguments.back().set_name(std::string(argument.name()));
  }
  std::vector<Type> types;
  for (const Value result : function.results()) types.push_back(result.type());
  Builder builder(module, made.region(0));
  builder.set_location(function.op().location());
  const OpRef call = builder.create(context.opcode(GraphOp::Call), arguments,
                                    builder.attrs({{"callee", pool.symbol(function.name())}}), types);
  std::vector<Value> results;
  for (std::size_t i = 0; i < call.result_count(); ++i) {
    results.push_back(call.result(i));
    const Value old = function.results()[i];
    if (old.is_result() && !old.name().empty()) results.back().set_name(std::string(old.name()));
  }
  builder.create(context.opcode(GraphOp::Return), results, AttrDict{}, {});
  return FuncRef(made);
}

}  // namespace mlgc
