// See entry_functions.h.
#include "transforms/entry_functions.h"

#include <unordered_set>

#include "ir/walk.h"

namespace mlgc {

namespace {

std::unordered_set<std::string_view> callees(const Module& module) {
  std::unordered_set<std::string_view> names;
  walk(module.top(), [&](OpRef op) {
    if (op.is(GraphOp::Call)) names.insert(*module.context().attributes().as_symbol(op.attr("callee")));
  });
  for (const FuncRef function : functions(module))
    if (const auto gradient = function.gradient()) names.insert(*gradient);
  return names;
}

}  // namespace

bool is_called(const Module& module, std::string_view name) { return callees(module).contains(name); }

std::optional<std::vector<FuncRef>> chosen_functions(const Module& module, const std::string& name,
                                                     PassContext& context) {
  std::vector<FuncRef> chosen;
  const std::unordered_set<std::string_view> called = callees(module);
  for (const FuncRef function : functions(module))
    if (name.empty() ? !called.contains(function.name()) : function.name() == name) chosen.push_back(function);
  if (!chosen.empty() || name.empty()) return chosen;
  reject_option(context, "function", "there is no function `@" + name + "`");
  return std::nullopt;
}

namespace {

std::size_t ops_in(OpRef function) {
  std::size_t count = 0;
  walk(function, [&](OpRef) { ++count; });
  return count;
}

}  // namespace

PassResult replace_functions(Module& module, const Replacement& replacement, PassContext& context,
                             const std::function<FuncRef(FuncRef)>& make) {
  const std::optional<std::vector<FuncRef>> chosen = chosen_functions(module, replacement.function, context);
  if (!chosen) return PassResult::Failed;
  std::uint64_t differentiated = 0, added = 0;
  for (const FuncRef function : *chosen) {
    if (!context.may_rewrite("differentiate", function.op().location())) continue;
    const std::size_t before = ops_in(function.op());
    const FuncRef made = make(function);
    if (!made.valid()) return PassResult::Failed;
    ++differentiated;
    added += ops_in(made.op()) - std::min(before, ops_in(made.op()));
    if (replacement.keep || is_called(module, function.name())) continue;
    const bool takes_name = function.name() == replacement.name;
    function.op().erase();
    if (takes_name) made.op().set_attr("sym_name", module.context().attributes().string(replacement.name));
  }
  context.count("functions-differentiated") = differentiated;
  context.count("ops-added") = added;
  return PassContext::changed_if(differentiated > 0);
}

}  // namespace mlgc
