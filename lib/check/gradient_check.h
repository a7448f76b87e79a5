// Checks gradients by running: every adjoint of a function's ops, and the function that `grad` makes of it, against
// central differences in f64 (central_difference.h).
//
// check_op_gradients() runs the function once. It visits every op between what gradients are wanted of and the results.
// With the operands, sizes and attributes of that run it evaluates the op's adjoint formula on random cotangents and
// compares it, operand by operand, with differences of the op's own formula.
// check_function_gradient() compares each gradient that the derived function returns with differences of the original
// one. That checks what no single op shows: accumulation, control flow, and the passes that follow.
//
// Guarantees
//   - A call of a function that states its gradient (ops/stated_gradient.h) is checked as one op: what the stated
//   function
//     returns against differences of the whole function. One that is stated to be a surrogate is not, nor are gradients
//     that go through it.
//   - What `stop` holds counts as a constant on both sides.
//   - An op in a loop is checked the first few times that it runs. What is left out is counted.
//   - Ops are blamed for their own formula only: an op after a wrong one is right.
//   - Same program, inputs and seed: same report.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "autodiff/gradient_rules.h"
#include "check/central_difference.h"
#include "diag/diagnostic.h"
#include "interp/interpret_module.h"
#include "ir/function.h"

namespace mlgc {

struct GradientCheckOptions {
  std::uint64_t seed = 0;
  std::size_t runs = 3;                            // of one op in a loop
  std::int64_t max_work = std::int64_t{1} << 32;   // index tuples; what would go beyond is left out
  std::int64_t max_trips = std::int64_t{1} << 20;  // of one `while`
  GradientRules::Alter alter = {};                 // see GradientRules::alter
};

// The gradient that an op sends to one operand, in one run.
struct AdjointCheck {
  std::string op, operand;  // of the row; `@f` and its argument for a call
  std::string value;        // the operand's name in the text; may be empty
  Location at;
  SlopeCheck slope;
};

// All ops of a row.
struct RowCheck {
  std::string op;
  std::size_t ops = 0, runs = 0, adjoints = 0;  // checked; adjoints: one for each operand and run
  std::size_t parts = 0;                        // adjoints of which only a part of the elements could be moved
  std::size_t not_differentiable = 0;           // adjoints
  std::size_t left_out = 0;                     // runs: too many, or too much work
  std::optional<AdjointCheck> worst = {};       // of those that count
};

struct OpGradients {
  std::vector<RowCheck> rows;       // in the order in which their ops ran first
  std::vector<AdjointCheck> wrong;  // one for each op and operand
  std::int64_t work = 0;            // index tuples of the run itself
  // Names of `wrt` whose gradient goes through a function that states a surrogate one, and that function.
  std::map<std::string, std::string> surrogates = {};
};

// What is differentiated, and where.
struct GradientQuestion {
  std::vector<std::size_t> of;   // results
  std::vector<std::string> wrt;  // as GradRequest
  std::vector<Tensor> inputs;
  ModuleData data;
};

// Preconditions: the module verifies, the function has no fusions and segments, no calls but of functions that state
// their gradient (pass `inline`), and
// add_grad_function() takes it. Wrong adjoints are errors, at the op. Nothing when the run failed, which is reported.
[[nodiscard]] std::optional<OpGradients> check_op_gradients(const Module& module, std::string_view function,
                                                            const GradientQuestion& question,
                                                            const GradientCheckOptions& options,
                                                            DiagnosticEngine& diagnostics);

struct ValueCheck {
  std::string name;      // as in `wrt`; empty: all of them, moved together
  std::string left_out;  // why there is no check
  SlopeCheck slope;
};

// `derived` is what `grad` made of `function`: its results are those of `function`, then one gradient for each name of
// `wrt`; with `seed` it has one argument more for each result of `of`. `ops` is what check_op_gradients() found. Wrong
// gradients are errors, at the function; but not one that is not finite where some op on the way has no slope, since
// the chain rule multiplies what that op sends back by 0. Nothing when a run failed, which is reported.
struct DerivedFunction {
  Module* module = nullptr;
  std::string function;
  bool seed = false;
};
[[nodiscard]] std::optional<std::vector<ValueCheck>> check_function_gradient(
    const Module& module, std::string_view function, const DerivedFunction& derived, const GradientQuestion& question,
    const OpGradients& ops, const GradientCheckOptions& options, DiagnosticEngine& diagnostics);

}  // namespace mlgc
