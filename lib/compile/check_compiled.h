// Compiled programs against the loop text that they were printed from, bit for bit, on generated inputs.
//
// Guarantees
//   - With the C library's mathematics nothing may differ: not between the interpreter and the machine, not between
//     widths of vectors, not between numbers of threads. (That the text computes what the graph does is checked pass by
//     pass: numeric_checker.h.)
//   - What has no lowering is counted, not passed over in silence.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "compile/compile_model.h"
#include "diag/diagnostic.h"
#include "ir/module.h"

namespace mlgc {

struct CheckCompiledOptions {
  std::uint64_t seed = 0;
  bool non_finite = true;  // among the inputs
  CompileOptions compile;  // its vector_bytes say which width is checked
};

struct CheckCompiledCounts {
  std::uint64_t functions = 0, runs = 0, refused = 0, differ = 0;
  std::map<std::string, std::uint64_t, std::less<>> not_lowered;  // functions, by what is in the way
  // `compiled: 120 functions, 900 runs, 0 differ, 12 refused by both`, and what was not.
  [[nodiscard]] std::string text() const;
};

// Checks every function of the module that `lower` brings to the loop level; it is given modules of one function and
// what it calls. `lower` answers nothing when it brought the module there, else what is in the way. `note` is appended
// to what is reported. A difference is an error (kCompiledDiffers); so is a model that cannot be emitted or compiled.
void check_compiled(const Module& module, const CheckCompiledOptions& options, const std::string& note,
                    const std::function<std::optional<std::string>(Module&)>& lower, CheckCompiledCounts& counts,
                    DiagnosticEngine& diagnostics);

}  // namespace mlgc
