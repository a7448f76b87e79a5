// Runs of one function before and after a change, and whether they agree as the class of the change wants it.
//
//   exact         the same bits (every NaN is one)
//   signed_zero   the same numbers
//   nan_or_inf    the same numbers where the run before was finite
//   above         agrees() with the f64 run before as the reference and the run before as eager. Where it does not,
//                 again with the largest error of runs before on neighbours of the inputs
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "check/draw_inputs.h"
#include "interp/interpret_module.h"
#include "ops/numerics.h"
#include "tensor/compare.h"

namespace mlgc {

// What a function gives before a change.
struct ReferenceRun {
  Outputs native;
  std::optional<Outputs> reference;  // in f64; there where the class needs it
};
[[nodiscard]] constexpr bool needs_reference(NumericsClass widest) { return widest >= NumericsClass::Reassociate; }
// Above nan_or_inf edge values are no evidence: a large one hides errors, and overflow depends on the order.
[[nodiscard]] constexpr bool wants_edge_values(NumericsClass widest) { return widest <= NumericsClass::SignedZero; }

struct Misfit {
  std::string value;          // `result 0 [1, 2]`, `@state [3]`
  std::string before, after;  // the numbers there, or what is wrong with the type
  std::int64_t differing = 0, elements = 0;
};

[[nodiscard]] Result<Outputs, Diagnostic> run_draw(Module& module, std::string_view function, const Draw& draw,
                                                   const InterpretOptions& options = {});

// `reference` may be null where the class does not need it.
[[nodiscard]] std::optional<Misfit> compare_tensors(const Tensor& before, const Tensor* reference, const Tensor& after,
                                                    NumericsClass widest, double nearby_error = 0);
// What the function is wrong by at most on neighbours of the inputs and of the data (tensor/neighbour.h): for each
// result, then for each new state. As far as it runs on them.
[[nodiscard]] std::vector<double> nearby_errors(Module& module, std::string_view function, const Draw& draw,
                                                const InterpretOptions& options);
// The first output that does not agree. New states count as outputs. `nearby` is nothing, or nearby_errors() before.
[[nodiscard]] std::optional<Misfit> compare_runs(const ReferenceRun& before, const Outputs& after, NumericsClass widest,
                                                 std::span<const double> nearby = {});

}  // namespace mlgc
