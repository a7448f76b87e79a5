// How wrong each op of a run is against f64, and where NaN and infinity come from.
//
// The function runs twice: in f64, and as its dtypes say. Of each result two errors are known. Its own: against the op
// alone in f64 on the operands that it had. The accumulated one: against the run in f64 from the start. Errors are
// norm-wise, as agrees() measures them (tensor/compare.h): the largest one of the finite elements, in ulp of the
// dtype at the largest magnitude of the result.
//
// Guarantees
//   - An op in a loop is compared each time; what counts is the run of it that added most.
//   - Where the run in f64 takes another way (another arm, more iterations), accumulated errors end there, and that is
//     said.
//   - Linear in the ops that run. Results of the run in f64 are kept up to a number of bytes; accumulated errors end
//     there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "diag/diagnostic.h"
#include "interp/interpret_module.h"
#include "ir/module.h"
#include "tensor/compare.h"

namespace mlgc {

// The element of a result that is furthest off by its own magnitude, or that is not finite.
struct ElementAt {
  Shape position;
  std::string value;     // as the run has it
  std::string expected;  // in f64; empty: that is not known
  // Each operand: the element that it gives, or of an op that is not element-wise the range of it.
  std::vector<std::pair<Value, std::string>> operands;
};

// A result of an op, in the run of the op that added most.
struct OpError {
  Value value;
  std::string path;           // RunPath::text()
  std::uint64_t runs = 0;     // of the op
  std::optional<double> own;  // ulp; nothing for ops that only hand on, and for integers
  std::optional<double> accumulated;
  double operands = 0;                   // the largest accumulated error of what it reads, as ulp of this result
  std::optional<double> relative;        // accumulated; the largest of an element to its own magnitude
  std::int64_t other = 0, elements = 0;  // integers that are others than in f64, and elements
  ElementAt worst;

  // What the op adds to the error of what it reads.
  [[nodiscard]] double added() const { return accumulated.value_or(own.value_or(0)) - (accumulated ? operands : 0); }
};

// Elements that are NaN or infinite where what they are computed of is not.
struct NonFinite {
  Value value;
  std::string path;
  bool nan = false;
  std::int64_t count = 0;  // elements of that run of the op
  ElementAt first;
};

struct RunErrors {
  std::vector<OpError> ops;        // results of ops that compute, in the order in which they ran first
  std::vector<NonFinite> origins;  // likewise; of each op the first time
  std::vector<NonFinite> given;    // arguments, weights, states and constants that are not finite
  OpRef parted;                    // after this op the runs go different ways; invalid: they do not
  std::string f64_fails;           // why the run in f64 ended; empty: it did not
  bool is_short = false;           // the run in f64 has more results than are kept
};

struct RunErrorOptions {
  std::int64_t max_trips = InterpretOptions().max_trips;
  std::size_t kept_bytes = std::size_t{1} << 30U;  // of the run in f64
  // What computes the run, beside the interpreter: its hooks `around` and `torch_call`.
  InterpretOptions engine = {};
};

// Error: why the function cannot be run.
[[nodiscard]] Result<RunErrors, Diagnostic> find_run_errors(Module& module, std::string_view function,
                                                            std::span<const Tensor> inputs, const ModuleData& data,
                                                            const RunErrorOptions& options);

}  // namespace mlgc
