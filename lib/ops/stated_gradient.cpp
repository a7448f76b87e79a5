// See stated_gradient.h.
#include "ops/stated_gradient.h"

#include "diag/kinds_ops.h"
#include "diag/kinds_verify.h"
#include "ops/infer_structural.h"

namespace mlgc {

namespace {

std::vector<Type> types_of(const auto& values) {
  std::vector<Type> types;
  for (const Value value : values) types.push_back(value.type());
  return types;
}

// Whether a call of `gradient` with operands of the types `given` has results of the types `wanted`.
bool has_signature(FuncRef gradient, std::span<const Type> given, std::span<const Type> wanted) {
  Context& context = gradient.op().module().context();
  const std::vector<Type> formal = types_of(gradient.arguments()), results = types_of(gradient.results());
  if (formal.size() != given.size() || results.size() != wanted.size()) return false;
  CalleeSizes sizes(context);
  for (std::size_t i = 0; i < formal.size(); ++i) sizes.match(formal[i], given[i]);
  for (std::size_t i = 0; i < formal.size(); ++i)
    if (sizes.in_caller(formal[i]) != given[i]) return false;
  for (std::size_t i = 0; i < results.size(); ++i)
    if (sizes.in_caller(results[i]) != wanted[i]) return false;
  return true;
}

}  // namespace

std::vector<std::size_t> float_numbers(const Context& context, std::span<const Type> types) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < types.size(); ++i)
    if (context.types().is_tensor(types[i]) && is_float(context.types().dtype(types[i]))) found.push_back(i);
  return found;
}

FuncRef callee_of(OpRef call) {
  const Module& module = call.module();
  return FuncRef::from(module.lookup(*module.context().attributes().as_symbol(call.attr("callee"))));
}

bool calls_stated_gradient(OpRef op) { return op.is(GraphOp::Call) && callee_of(op).gradient().has_value(); }

void remove_stated_gradient(FuncRef function) {
  function.op().remove_attr("gradient");
  function.op().remove_attr("surrogate");
}

std::optional<Diagnostic> check_stated_gradient(FuncRef function) {
  const auto name = function.gradient();
  if (!name) return std::nullopt;
  Context& context = function.op().module().context();
  const auto symbol = find_symbol(function.op(), *name);
  if (!symbol) return symbol.error();
  const FuncRef gradient = FuncRef::from(*symbol);
  if (!gradient.valid()) return diagnose<kSymbolKind>({}, *name, symbol->name(), "func");
  if (!gradient.return_op().valid()) return std::nullopt;  // reported where it stands
  std::vector<Type> given = types_of(function.arguments()), wanted;
  for (const std::size_t i : float_numbers(context, given)) wanted.push_back(given[i]);
  const std::vector<Type> results = types_of(function.results());
  for (const std::size_t i : float_numbers(context, results)) given.push_back(results[i]);
  if (has_signature(gradient, given, wanted)) return std::nullopt;
  TypePool& types = context.types();
  return diagnose<kGradientSignature>({}, *name, function.name(), types.print(types.function(given, wanted)),
                                      types.print(gradient.type()));
}

}  // namespace mlgc
