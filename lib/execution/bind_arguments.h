// From texts of inputs and sizes of symbols to one tensor for each argument of a function.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "diag/diagnostic.h"
#include "execution/input_spec.h"
#include "interp/evaluate_formula.h"
#include "ir/function.h"
#include "tensor/tensor.h"

namespace mlgc {

// The size of a symbol: `B` is 4.
struct SizeBinding {
  std::string name;
  std::int64_t size;  // 0 or more
};

struct ArgumentOptions {
  std::vector<std::string> inputs = {};  // in the grammar of input_spec.h, in order
  std::vector<SizeBinding> dims = {};    // each name once
  // Fills every argument without a value by RandomFill with this seed plus the number of the argument; where the
  // function asks something of the elements (check/value_ranges.h), by values that satisfy it.
  std::optional<std::uint64_t> random_seed = {};
  // What stood before the texts of inputs and sizes where they were given, such as a flag: for messages.
  std::string before_input = {}, before_dim = {};
  // Values were given, or are to be made up.
  [[nodiscard]] bool given() const { return !inputs.empty() || random_seed; }
};

struct ArgumentValues {
  std::vector<Tensor> tensors;
  std::optional<SymbolValues> sizes;  // of all symbols in the types of the arguments; nothing when some are not known
};

// One tensor for each argument that the interpreter wants, with the argument's dtype, rank and extents: symbols are
// bound by `dims`, by shapes that inputs state and by the shapes of files; a value that must be made takes its shape
// from them. Nothing when an error was reported: a text that is no input, an argument that there is not or that has two
// values or none, a file that cannot be read, a shape that does not fit, a size that is not known or too large. `where`
// constraints are the interpreter's to check.
[[nodiscard]] std::optional<ArgumentValues> bind_arguments(const FuncRef& function, const ArgumentOptions& options,
                                                           DiagnosticEngine& diagnostics);

}  // namespace mlgc
