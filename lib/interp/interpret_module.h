// The interpreter of modules: runs a function on host tensors. Graph ops run through their ground formulas
// (evaluate_formula.h); functions of the loop level run as the text says, loop by loop.
//
// Guarantees
//   - Inputs are checked against the types and the `where` clause; symbols take their values from shapes.
//   - Every error is a diagnostic located at the op, or at the function for what concerns its inputs.
//   - Modules and data are not changed: new states are results.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "diag/diagnostic.h"
#include "formula/instantiate.h"
#include "interp/evaluate_formula.h"
#include "ir/module.h"
#include "support/result.h"
#include "tensor/tensor.h"

namespace mlgc {

using OpResults = Result<std::vector<Tensor>, Diagnostic>;

// An op of the graph level that computes by a formula, about to run.
struct OpRun {
  OpRef op;
  std::span<const Tensor> operands;
  const AttrValues& attributes;         // fallbacks filled in; every size in them is a constant
  const SymbolValues* sizes = nullptr;  // of this run, as evaluate() takes them
  // The op alone on these operands, as the interpreter computes it in that precision.
  std::function<OpResults(Precision)> evaluate = {};
};

// A `torch.call`, about to run.
struct TorchCallRun {
  OpRef op;
  std::span<const Tensor> operands;  // floats are f64 for Precision::F64
  Precision precision;
  std::function<std::int64_t(IndexExpr)> size;  // what an expression over sizes is in this run
};

// How often a loop may run on generated inputs: on many of these an iteration never converges.
inline constexpr std::int64_t kMadeUpTrips = std::int64_t{1} << 20;

struct InterpretOptions {
  Precision precision = Precision::Native;
  std::int64_t max_trips = 1'000'000'000;  // of one `while`
  // Sees the results of each op of the graph level when it has run, in that order; what stands in a loop or in a callee
  // is seen each time.
  std::function<void(OpRef, std::span<const Tensor>)> observe = {};
  // Sees the values of a region's arguments where it is entered: of a function, of a derived weight, or inside of an
  // op, in each iteration. No region of a loop function is seen.
  std::function<void(RegionRef, std::span<const Tensor> arguments)> enter = {};
  // Stands around each op that computes by a formula: gives its results, its own or those of the interpreter, which the
  // second argument computes.
  std::function<OpResults(const OpRun&, const std::function<OpResults()>&)> around = {};
  // The same around each `call`.
  std::function<OpResults(OpRef, std::span<const Tensor> operands, const std::function<OpResults()>&)> around_call = {};
  // Runs `torch.call`, which is an error without it.
  std::function<OpResults(const TorchCallRun&)> torch_call = {};
};

// Weights (those that are not derived) and states, by symbol without @.
using ModuleData = std::map<std::string, Tensor, std::less<>>;

struct Outputs {
  std::vector<Tensor> results;
  // What each entry of `updates` replaces: `@symbol` or `%argument`, and the new value.
  std::vector<std::pair<std::string, Tensor>> updates;
};

// The values of weights and states: those of `data`, and derived weights computed from them.
[[nodiscard]] Result<std::vector<Tensor>, Diagnostic> evaluate_data(Module& module, std::span<const OpRef> symbols,
                                                                    const ModuleData& data,
                                                                    const InterpretOptions& options = {});

// Of a graph function: inputs are its arguments in order. Of a loop function: inputs are the arguments that it only
// reads, in order, and results the arguments that it writes, which start as zero; given as many inputs as arguments,
// the written ones start as given.
// With Precision::F64 floats may be given as f64 and are returned as f64.
[[nodiscard]] Result<Outputs, Diagnostic> interpret(Module& module, std::string_view function,
                                                    std::span<const Tensor> inputs, const ModuleData& data = {},
                                                    const InterpretOptions& options = {});

}  // namespace mlgc
