// See jvp_function.h.
#include "autodiff/jvp_function.h"

#include "autodiff/forward.h"
#include "autodiff/loops_as_scans.h"
#include "autodiff/op_maker.h"
#include "autodiff/working_copy.h"
#include "ir/function_facts.h"

namespace mlgc {

namespace {

// Whether it worked.
bool differentiate(FuncRef made, FuncRef old, const GradTargets& targets, DiagnosticEngine& diagnostics) {
  Module& module = made.op().module();
  std::vector<Diagnostic> errors;
  inline_derivations(made, names_of(targets));
  FreshSizes sizes(made.op());
  loops_as_scans(made.op(), sizes);
  Builder builder(module);
  builder.set_before(made.return_op());
  FunctionFacts facts;
  GradientRules rules(module.context(), facts.of(made.op()));
  Reverse varies(builder, rules, sizes, errors);
  Forward forward(rules, varies, errors);
  std::vector<std::string> names = argument_names(made);
  for (const auto& [name, type] : targets.wrt) {
    const Value value = target_value(made, name);
    const Value direction = made.body().add_argument(type);
    direction.set_name(free_name("t_" + name.substr(name.front() == '@' ? 1 : 0), names));
    if (!value.valid()) continue;
    varies.vary(value);
    forward.set(value, direction);
  }
  std::vector<OpRef> ops;
  for (const OpRef op : made.body().ops())
    if (op != made.return_op()) ops.push_back(op);
  varies.spread(ops);
  forward.run(made.body());
  for (Diagnostic& error : errors) diagnostics.emit(std::move(error));
  if (!errors.empty()) return false;

  builder.set_location(old.op().location());
  const std::size_t results = made.result_count();
  std::vector<Value> returned = made.results();
  std::vector<std::string> given = result_names(old);
  for (const std::size_t i : targets.of) {
    const Value known = forward.tangent(returned[i]);
    returned.push_back(known.valid() ? known : filled(builder, returned[i].type(), 0));
    (void)free_name("t_" + result_name(old, i), given);
  }
  const OpRef end = made.return_op();
  for (std::size_t i = results; i < end.operand_count(); ++i) returned.push_back(end.operand(i));
  end.set_operands(returned);
  set_result_names(made, given);
  return true;
}

}  // namespace

FuncRef add_jvp_function(Module& module, FuncRef function, const GradRequest& request, DiagnosticEngine& diagnostics) {
  const auto targets = resolve_request(function, request, ResultDefault::EveryFloat, diagnostics);
  if (!targets) return {};
  const std::string name = request.name.empty() ? std::string(function.name()) + "_jvp" : request.name;
  const FuncRef made = working_copy(function, module, free_symbol(module, name));
  if (differentiate(made, function, *targets, diagnostics)) return made;
  made.op().erase();
  return {};
}

}  // namespace mlgc
