// Reads and writes the attributes of functions.
#include "ir/function.h"

namespace mlgc {

FuncRef FuncRef::from(OpRef op) { return op.valid() && op.is(GraphOp::Func) ? FuncRef(op) : FuncRef(); }

std::size_t FuncRef::result_count() const {
  const OpRef end = return_op();
  const std::size_t operands = end.valid() ? end.operand_count() : 0;
  const std::size_t news = updates().size();
  return operands > news ? operands - news : 0;
}

std::vector<Value> FuncRef::results() const {
  std::vector<Value> values;
  for (std::size_t i = 0, count = result_count(); i < count; ++i) values.push_back(return_op().operand(i));
  return values;
}

Type FuncRef::type() const {
  std::vector<Type> params, types;
  for (const Value argument : arguments()) params.push_back(argument.type());
  for (const Value result : results()) types.push_back(result.type());
  return op_.module().context().types().function(params, types);
}

void FuncRef::set_constraints(std::span<const Constraint> constraints) const {
  Context& context = op_.module().context();
  AttributePool& pool = context.attributes();
  const StringId name = context.names().where;
  op_.set_attrs(constraints.empty() ? pool.without(op_.attrs(), name)
                                    : pool.with(op_.attrs(), name, to_attribute(constraints, context)));
}

std::optional<std::string_view> FuncRef::gradient() const {
  const Context& context = op_.module().context();
  return context.attributes().as_symbol(op_.attr(context.names().gradient));
}

std::vector<UpdateTarget> FuncRef::updates() const {
  const Context& context = op_.module().context();
  const AttributePool& pool = context.attributes();
  std::vector<UpdateTarget> targets;
  for (const Attribute item : pool.as_array(op_.attr(context.names().updates))) {
    if (const std::optional<std::string_view> symbol = pool.as_symbol(item))
      targets.push_back({context.strings().find(*symbol), std::nullopt});
    else
      targets.push_back({StringId(), static_cast<std::size_t>(pool.as_int64(item).value_or(0))});
  }
  return targets;
}

void FuncRef::set_updates(std::span<const UpdateTarget> updates) const {
  Context& context = op_.module().context();
  AttributePool& pool = context.attributes();
  const StringId name = context.names().updates;
  std::vector<Attribute> items;
  for (const UpdateTarget& target : updates)
    items.push_back(target.symbol.valid() ? pool.symbol(context.strings().text(target.symbol))
                                          : pool.integer(static_cast<std::int64_t>(target.argument.value_or(0))));
  op_.set_attrs(items.empty() ? pool.without(op_.attrs(), name) : pool.with(op_.attrs(), name, pool.array(items)));
}

std::string argument_name(const FuncRef& function, std::size_t i) {
  const std::string_view name = function.arguments()[i].name();
  return name.empty() ? "arg" + std::to_string(i) : std::string(name);
}

std::string result_name(const FuncRef& function, std::size_t i) {
  const Context& context = function.op().module().context();
  const auto stated = context.attributes().as_string_list(function.op().attr("result_names"));
  if (i < stated.size()) return std::string(context.strings().text(stated[i]));
  const std::string_view name = function.return_op().operand(i).name();
  return name.empty() ? "result" + std::to_string(i) : std::string(name);
}

void set_result_names(const FuncRef& function, const std::vector<std::string>& names) {
  Context& context = function.op().module().context();
  std::vector<StringId> texts;
  for (const std::string& name : names) texts.push_back(context.strings().intern(name));
  function.op().set_attr("result_names", context.attributes().string_list(texts));
}

std::vector<FuncRef> functions(const Module& module) {
  std::vector<FuncRef> found;
  for (const OpRef op : module.body().ops())
    if (const FuncRef func = FuncRef::from(op); func.valid()) found.push_back(func);
  return found;
}

FuncRef find_function(const Module& module, std::string_view name) { return FuncRef::from(module.lookup(name)); }

}  // namespace mlgc
