// See jvp_function.h.
#include "autodiff/jvp_function.h"

#include <unordered_set>

#include "analysis/backward_slice.h"
#include "autodiff/forward.h"
#include "autodiff/loops_as_scans.h"
#include "autodiff/op_maker.h"
#include "autodiff/working_copy.h"
#include "autodiff/zero_ways.h"
#include "diag/kinds_grad.h"
#include "ir/function_facts.h"

namespace mlgc {

namespace {

// Warns of results without a tangent, and of values that no tangent depends on. Where the way ends is looked up in the
// function as it was, in a copy whose loops are scans.
void warn_of_zeros(FuncRef old, const GradTargets& targets, const std::vector<std::size_t>& results,
                   const std::vector<std::string>& values, DiagnosticEngine& diagnostics) {
  if (results.empty() && values.empty()) return;
  Module& module = old.op().module();
  const FuncRef copy(clone_function(old.op(), module, free_symbol(module, std::string(old.name()))));
  inline_derivations(copy, names_of(targets));
  FreshSizes sizes(copy.op());
  loops_as_scans(copy.op(), sizes);
  FunctionFacts facts;
  GradientRules rules(module.context(), facts.of(copy.op()));
  std::vector<Value> all;
  for (const auto& [name, type] : targets.wrt) all.push_back(target_value(copy, name));
  // Where all values lead nowhere, so do all results: said once.
  if (values.size() < targets.wrt.size())
    for (const std::size_t result : results) {
      Diagnostic warning = diagnose<kZeroTangent>(old.op().location(), result_name(old, result), names_of(targets));
      note_ends(warning, copy, all, {&result, 1}, rules, sizes);
      diagnostics.emit(std::move(warning));
    }
  std::vector<std::string> names;
  for (const std::size_t i : targets.of) names.push_back(result_name(old, i));
  for (const std::string& name : values) {
    Diagnostic warning = diagnose<kZeroGradient>(old.op().location(), names, name);
    const Value value = target_value(copy, name);
    note_ends(warning, copy, {&value, 1}, targets.of, rules, sizes);
    diagnostics.emit(std::move(warning));
  }
  copy.op().erase();
}

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
  std::vector<Value> directions;
  for (const auto& [name, type] : targets.wrt) {
    const Value value = target_value(made, name);
    const Value direction = made.body().add_argument(type);
    direction.set_name(free_name("t_" + name.substr(name.front() == '@' ? 1 : 0), names));
    directions.push_back(direction);
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
  std::vector<Value> tangents;
  std::vector<std::size_t> zero_results;
  for (const std::size_t i : targets.of) {
    const Value known = forward.tangent(returned[i]);
    if (known.valid())
      tangents.push_back(known);
    else
      zero_results.push_back(i);
    returned.push_back(known.valid() ? known : filled(builder, returned[i].type(), 0));
    (void)free_name("t_" + result_name(old, i), given);
  }
  const OpRef end = made.return_op();
  for (std::size_t i = results; i < end.operand_count(); ++i) returned.push_back(end.operand(i));
  end.set_operands(returned);
  set_result_names(made, given);
  std::unordered_set<ValueId> used;  // what the returned tangents are computed of
  for (const Value tangent : tangents) used.insert(tangent.id());
  const auto slice = backward_slice(tangents);
  for (const OpRef op : made.body().ops())
    if (slice.contains(op.id()))
      for (const Value value : values_read(op)) used.insert(value.id());
  std::vector<std::string> zero_values;
  for (std::size_t i = 0; i < directions.size(); ++i)
    if (!used.contains(directions[i].id())) zero_values.push_back(targets.wrt[i].first);
  warn_of_zeros(old, targets, zero_results, zero_values, diagnostics);
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
