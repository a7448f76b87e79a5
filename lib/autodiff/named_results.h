// What people say of a function: which of its results is meant, and names that are free.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "diag/diagnostic.h"
#include "ir/function.h"

namespace mlgc {

// As result_name() gives them, in order.
[[nodiscard]] std::vector<std::string> result_names(const FuncRef& function);

// The number of the result of that name; of the only float result when it is empty. Nothing when an error was reported:
// there is none or another number of float ones, no result has the name, or it is not a float tensor.
[[nodiscard]] std::optional<std::size_t> choose_float_result(const FuncRef& function, const std::string& name,
                                                             DiagnosticEngine& diagnostics);

// The name, with a number appended when a symbol of the module has it.
[[nodiscard]] std::string free_symbol(const Module& module, const std::string& wanted);

// The name, with a number appended where it is taken; then it is taken.
[[nodiscard]] std::string free_name(const std::string& wanted, std::vector<std::string>& taken);
// As argument_name() gives them, in order.
[[nodiscard]] std::vector<std::string> argument_names(const FuncRef& function);

}  // namespace mlgc
