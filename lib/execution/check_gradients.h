// Gradients of a function compared with differences in f64 (check/gradient_check.h), on inputs that are given or
// generated.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "check/gradient_check.h"
#include "diag/diagnostic.h"
#include "execution/bind_arguments.h"
#include "execution/module_data.h"
#include "ir/function.h"
#include "ir/module.h"
#include "tensor/npz.h"

namespace mlgc {

struct GradientCheckRequest {
  std::string function;              // empty: the only one, `forward` or `main`
  std::vector<std::string> of, wrt;  // results, and arguments; empty: the only float one, all float ones
  bool seed = false;                 // cotangents of the results are further arguments
  std::string straighten;            // passes in front of those that differentiate, as text
  std::function<std::string(const FuncRef&)> pipeline;  // all passes, for the function of this name, as text
  // Without inputs, sizes and a seed they are generated as by NumericChecker.
  ArgumentOptions arguments;
  // Weights and states are generated too, unless something is said here or of arguments, or `has_data`.
  DataOptions data;
  bool has_data = false;  // the module has come with its weights
};

struct CheckedGradients {
  std::string function;
  std::string inputs;  // `B = 3, plain values`, `the inputs that were given`
  OpGradients ops;
  std::vector<ValueCheck> values;  // of the whole function; empty when it could not be run, which was reported
};

// `weights` are those that came with the module. Nothing when an error was reported before anything was compared; a
// gradient that is wrong is an error too (exit code 4), and part of the answer.
[[nodiscard]] std::optional<CheckedGradients> check_gradients(Module module, NamedTensors weights,
                                                              const GradientCheckRequest& request,
                                                              DiagnosticEngine& diagnostics);

}  // namespace mlgc
