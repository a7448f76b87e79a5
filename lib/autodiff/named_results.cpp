// See named_results.h.
#include "autodiff/named_results.h"

#include <algorithm>
#include <string_view>

#include "diag/kinds_grad.h"
#include "diag/kinds_text.h"
#include "diag/suggest.h"

namespace mlgc {

std::vector<std::string> result_names(const FuncRef& function) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < function.result_count(); ++i) names.push_back(result_name(function, i));
  return names;
}

std::optional<std::size_t> choose_float_result(const FuncRef& function, const std::string& name,
                                               DiagnosticEngine& diagnostics) {
  const Context& context = function.op().module().context();
  const Location at = function.op().location();
  const std::vector<std::string> names = result_names(function);
  const std::vector<Value> results = function.results();
  std::vector<std::size_t> floats;
  for (std::size_t i = 0; i < results.size(); ++i)
    if (context.types().is_tensor(results[i].type()) && is_float(context.types().dtype(results[i].type())))
      floats.push_back(i);
  if (name.empty()) {
    if (floats.size() == 1) return floats[0];
    diagnostics.emit(floats.empty()
                         ? diagnose<kNoFloatResult>(at, std::string(function.name()))
                         : diagnose<kResultNotChosen>(at, std::string(function.name()), floats.size(), names));
    return std::nullopt;
  }
  // By name, else by number.
  auto found = std::find(names.begin(), names.end(), name);
  for (std::size_t i = 0; found == names.end() && i < names.size(); ++i)
    if (name == "result" + std::to_string(i)) found = names.begin() + static_cast<std::ptrdiff_t>(i);
  if (found == names.end()) {
    Diagnostic unknown = diagnose<kUnknownResult>(at, name, std::string(function.name()));
    const std::vector<std::string_view> views(names.begin(), names.end());
    if (const auto best = closest_name(name, views))
      unknown.add_note<kDidYouMean>({}, *best);
    else if (!names.empty())
      unknown.add_note<kKnownNames>({}, names);
    diagnostics.emit(std::move(unknown));
    return std::nullopt;
  }
  const auto chosen = static_cast<std::size_t>(found - names.begin());
  if (std::find(floats.begin(), floats.end(), chosen) != floats.end()) return chosen;
  diagnostics.emit(diagnose<kResultNotFloat>(at, name, context.types().print(results[chosen].type())));
  return std::nullopt;
}

std::string free_symbol(const Module& module, const std::string& wanted) {
  std::string name = wanted;
  for (int n = 1; module.lookup(name).valid(); ++n) name = wanted + std::to_string(n);
  return name;
}

std::string free_name(const std::string& wanted, std::vector<std::string>& taken) {
  std::string name = wanted;
  for (int n = 2; std::find(taken.begin(), taken.end(), name) != taken.end(); ++n)
    name = wanted + "_" + std::to_string(n);
  taken.push_back(name);
  return name;
}

std::vector<std::string> argument_names(const FuncRef& function) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < function.arguments().size(); ++i) names.push_back(argument_name(function, i));
  return names;
}

}  // namespace mlgc
