// What is asked of a function: which of its results are differentiated, and by which values. Shared by both modes.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "autodiff/named_results.h"
#include "diag/diagnostic.h"
#include "ir/function.h"

namespace mlgc {

struct GradRequest {
  std::vector<std::string> of;   // results by name, or `result<i>`; empty: see the mode
  std::vector<std::string> wrt;  // arguments by name, weights and states as `@name`; empty: all float ones
  bool seed = false;             // reverse mode: cotangents are arguments, also of scalars; else of scalars they are 1
  std::string name;              // of the new function; empty: `<function>_grad` or `<function>_jvp`
};

// A request that fits its function.
struct GradTargets {
  std::vector<std::size_t> of;                    // numbers of results, all float
  std::vector<std::pair<std::string, Type>> wrt;  // as they were asked for
};

// Of `wrt`.
[[nodiscard]] std::vector<std::string> names_of(const GradTargets& targets);

enum class ResultDefault : std::uint8_t { OnlyFloat, EveryFloat };

// Nothing when an error was reported. Without `of`: the only float result (an error if there are others), or all.
[[nodiscard]] std::optional<GradTargets> resolve_request(FuncRef function, const GradRequest& request,
                                                         ResultDefault results, DiagnosticEngine& diagnostics);

// What derivatives are taken with respect to when nothing is said: all float arguments, then all float weights and
// states that the function reads, as `@name`.
[[nodiscard]] std::vector<std::string> float_values(const Module& module, FuncRef function);

// Puts the derivation in the place of each read of a weight that is derived, directly or not, from one of `wrt`, names
// as in GradTargets.
void inline_derivations(FuncRef function, std::span<const std::string> wrt);

// The value in `function` of something that is asked for: an argument, or the one read of a symbol, which is moved in
// front of everything and stands for all others. An invalid value when the function does not read it.
[[nodiscard]] Value target_value(FuncRef function, const std::string& name);

// Whether the type has a size that an op of the function binds.
[[nodiscard]] bool has_computed_size(FuncRef function, Type type);

}  // namespace mlgc
