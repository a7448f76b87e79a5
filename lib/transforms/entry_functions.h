// Which functions a pass works on that makes other functions of them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/function.h"
#include "pass/pass.h"

namespace mlgc {

// Whether some `call` of the module, or a function as its gradient, names the function.
[[nodiscard]] bool is_called(const Module& module, std::string_view name);

// The function of that name; when it is empty every function that no other one calls. Nothing when there is none of the
// name, which was reported as a wrong option `function`.
[[nodiscard]] std::optional<std::vector<FuncRef>> chosen_functions(const Module& module, const std::string& name,
                                                                   PassContext& context);

struct Replacement {
  std::string function;  // as chosen_functions() takes it
  bool keep = false;     // the old function stays
  std::string name;      // the new function gets this name, also where it was the old one's
};
// Makes another function of each chosen one, with `make`, which answers an invalid view after an error. An old function
// goes unless it is kept or called. Counts `functions-differentiated` and `ops-added`.
[[nodiscard]] PassResult replace_functions(Module& module, const Replacement& replacement, PassContext& context,
                                           const std::function<FuncRef(FuncRef)>& make);

}  // namespace mlgc
