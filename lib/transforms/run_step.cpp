// See run_step.h.
#include "transforms/run_step.h"

#include "diag/kinds_pass.h"
#include "diag/kinds_schedule.h"
#include "ir/function_facts.h"
#include "loopir/functions.h"

namespace mlgc {

namespace {

// The function that the option names; without one, the only loop function. An invalid view after reporting.
FuncRef chosen_function(const Module& module, const std::string& name, PassContext& context) {
  FuncRef found;
  std::size_t loop_functions = 0;
  for (const FuncRef& func : functions(module)) {
    if (!is_loop_function(func.op())) continue;
    ++loop_functions;
    if (name.empty() || func.name() == name) found = func;
  }
  if (name.empty() && loop_functions != 1) {
    reject_option(context, "function", "there are " + std::to_string(loop_functions) + " loop functions: name one");
    return {};
  }
  if (!found.valid()) reject_option(context, "function", "there is no loop function `@" + name + "`");
  return found;
}

}  // namespace

PassResult run_step(Module& module, const std::string& function, const std::string& index, PassContext& context,
                    const Step& step, const std::function<NumericsClass(OpRef)>& numerics) {
  const FuncRef func = chosen_function(module, function, context);
  if (!func.valid()) return PassResult::Failed;
  const auto loop = find_loop(func.op(), index);
  const Location at = loop ? loop->location() : func.op().location();
  const auto report = [&](Diagnostic refused) {
    refused.at = at;
    refused.add_note<kStepRefused>(at, context.pass().name, index, func.name());
    context.diagnostics().emit(std::move(refused));
    return PassResult::Failed;
  };
  if (!loop) return report(loop.error());
  const NumericsClass change = numerics ? numerics(*loop) : NumericsClass::Exact;
  if (!admits(context.numerics(), change, true))
    return report(diagnose<kScheduleNumerics>({}, numerics_name(context.numerics())));
  if (!context.may_rewrite(context.pass().name, at, change)) return PassResult::Unchanged;
  FunctionFacts facts;
  if (const TransformResult done = step(*loop, facts.of(*loop)); !done) return report(done.error());
  return PassResult::Changed;
}

}  // namespace mlgc
