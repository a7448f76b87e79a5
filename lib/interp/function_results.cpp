// See function_results.h.
#include "interp/function_results.h"

#include <algorithm>
#include <set>

#include "diag/kinds_driver.h"
#include "diag/kinds_text.h"
#include "diag/suggest.h"
#include "ir/walk.h"

namespace mlgc {

namespace {

// The only function that no other runs or states as its gradient.
FuncRef only_entry(const Module& module, const std::vector<FuncRef>& all) {
  std::set<std::string_view> run;
  walk(module, [&](OpRef op) {
    if (op.is(GraphOp::Call) || op.is(LoopOp::Launch))
      if (const auto callee = module.context().attributes().as_symbol(op.attr("callee"))) run.insert(*callee);
  });
  for (const FuncRef& function : all)
    if (const auto gradient = function.gradient()) run.insert(*gradient);
  FuncRef entry;
  for (const FuncRef& function : all) {
    if (run.contains(function.name())) continue;
    if (entry.valid()) return {};
    entry = function;
  }
  return entry;
}

}  // namespace

FuncRef choose_function(const Module& module, const std::string& wanted, DiagnosticEngine& diagnostics) {
  const std::vector<FuncRef> all = functions(module);
  std::vector<std::string> names;
  for (const FuncRef& function : all) names.emplace_back(function.name());
  const auto named = [&](std::string_view name) {
    const auto found = std::find(names.begin(), names.end(), name);
    return found == names.end() ? FuncRef() : all[static_cast<std::size_t>(found - names.begin())];
  };
  FuncRef chosen;
  if (!wanted.empty()) {
    chosen = named(wanted);
  } else if (all.size() == 1) {
    chosen = all.front();
  } else {
    chosen = named("forward");
    if (!chosen.valid()) chosen = named("main");
    if (!chosen.valid()) chosen = only_entry(module, all);
  }
  if (chosen.valid()) return chosen;
  Diagnostic diagnostic = wanted.empty() ? diagnose<kFunctionNotChosen>({}, static_cast<std::int64_t>(all.size()))
                                         : diagnose<kUnknownFunction>({}, wanted);
  const std::vector<std::string_view> views(names.begin(), names.end());
  if (const auto best = closest_name(wanted, views))
    diagnostic.add_note<kDidYouMean>({}, *best);
  else if (!names.empty())
    diagnostic.add_note<kKnownNames>({}, names);
  diagnostics.emit(std::move(diagnostic));
  return {};
}

NamedTensors name_outputs(const std::vector<std::string>& names, Outputs outputs) {
  NamedTensors named;
  std::set<std::string> taken;
  for (std::size_t i = 0; i < outputs.results.size(); ++i) {
    std::string name = i < names.size() ? names[i] : "";
    if (name.empty() || taken.contains(name)) name = "result" + std::to_string(i);
    taken.insert(name);
    named.emplace_back(name, std::move(outputs.results[i]));
  }
  for (auto& [target, tensor] : outputs.updates) named.emplace_back(target, std::move(tensor));
  return named;
}

}  // namespace mlgc
