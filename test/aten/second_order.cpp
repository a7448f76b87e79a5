// See second_order.h.
#include "second_order.h"

#include <algorithm>
#include <string>

#include "autodiff/grad_function.h"
#include "interp/interpret_module.h"
#include "ir/builder.h"
#include "ir/function.h"
#include "ops/instantiate_op.h"
#include "verify/verify.h"

namespace mlgc {

namespace {

std::string operand_text(std::size_t i) { return "x" + std::to_string(i); }
std::string result_text(std::size_t i) { return "y" + std::to_string(i); }

Result<FuncRef, Diagnostic> function_of(Module& module, const OpUse& op) {
  Context& context = module.context();
  const Result<std::vector<Type>, Diagnostic> results = infer_types(context, op.opcode, op.types, op.attrs);
  if (!results) return Failure{results.error()};
  Builder builder(module);
  const FuncRef function(builder.func("f", op.types));
  builder.set_end(function.body());
  std::vector<Value> operands, returned;
  for (const Value argument : function.arguments()) {
    argument.set_name(operand_text(operands.size()));
    operands.push_back(argument);
  }
  const OpRef made = builder.create(op.opcode, operands, op.attrs, *results);
  std::vector<std::string> names;
  for (const Value result : made.results()) {
    names.push_back(result_text(returned.size()));
    returned.push_back(result);
  }
  builder.create(context.find_op("return"), returned, AttrDict{}, {});
  set_result_names(function, names);
  return function;
}

}  // namespace

Result<std::vector<std::optional<Tensor>>, Diagnostic> second_order(const std::shared_ptr<Context>& context,
                                                                    const OpUse& op,
                                                                    std::span<const std::optional<Tensor>> directions,
                                                                    std::span<const std::optional<Tensor>> cotangents) {
  Module module(context);
  DiagnosticEngine diagnostics(context->locations());
  const Result<FuncRef, Diagnostic> function = function_of(module, op);
  if (!function) return Failure{function.error()};
  GradRequest first, second;
  first.seed = second.seed = true;
  std::vector<Tensor> inputs = op.operands;
  for (std::size_t i = 0; i < directions.size(); ++i)
    if (directions[i]) first.wrt.push_back(operand_text(i));
  for (std::size_t i = 0; i < cotangents.size(); ++i) {
    if (!cotangents[i]) continue;
    first.of.push_back(result_text(i));
    inputs.push_back(*cotangents[i]);
  }
  for (const auto& direction : directions)
    if (direction) inputs.push_back(*direction);
  second.wrt = first.wrt;
  for (const std::string& name : first.of) second.wrt.push_back("g_" + name);
  for (const std::string& name : first.wrt) second.of.push_back("d_" + name);
  const FuncRef once = add_grad_function(module, *function, first, diagnostics);
  const FuncRef twice = once.valid() ? add_grad_function(module, once, second, diagnostics) : FuncRef();
  if (!twice.valid() || !verify(module, diagnostics)) {
    const std::vector<Diagnostic> all = diagnostics.sorted();
    return Failure{*std::ranges::find(all, Severity::Error, [](const Diagnostic& d) { return d.kind->severity; })};
  }
  const Result<Outputs, Diagnostic> found = interpret(module, twice.name(), inputs, {}, {.precision = Precision::F64});
  if (!found) return Failure{found.error()};
  std::vector<std::optional<Tensor>> out(directions.size() + cotangents.size());
  std::size_t next = once.result_count();
  for (std::size_t i = 0; i < directions.size(); ++i)
    if (directions[i]) out[i] = found->results[next++];
  for (std::size_t i = 0; i < cotangents.size(); ++i)
    if (cotangents[i]) out[directions.size() + i] = found->results[next++];
  return out;
}

}  // namespace mlgc
