// From --input, --dim and --random-inputs to one tensor for each argument of a function.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "diag/diagnostic.h"
#include "driver/input_flag.h"
#include "interp/evaluate_formula.h"
#include "ir/function.h"
#include "tensor/tensor.h"

namespace mlgc {

struct DimFlag {
  std::string name;
  std::int64_t size;
};
// `B=4`. Error: what is wrong.
[[nodiscard]] Result<DimFlag, FlagFault> parse_dim_flag(std::string_view text);
// All values of --dim of a command. What is wrong, if anything.
[[nodiscard]] std::optional<Diagnostic> read_dim_flags(const std::vector<std::string>& texts, std::string_view command,
                                                       std::vector<DimFlag>& dims);

struct ArgumentFlags {
  std::vector<std::string> inputs;  // values of --input, in order
  std::vector<DimFlag> dims;
  // Fills every argument without a value by RandomFill with this seed plus the number of the argument; where the
  // function asks something of the elements (value_ranges.h), by values that satisfy it.
  std::optional<std::uint64_t> random_seed;
};

struct ArgumentValues {
  std::vector<Tensor> tensors;
  std::optional<SymbolValues> sizes;  // of all symbols in the types of the arguments; nothing when some are not known
};

// One tensor for each argument that the interpreter wants, with the argument's dtype, rank and extents: symbols are
// bound by --dim, by shapes that flags state and by the shapes of files; a value that must be made takes its shape from
// them. Nothing when an error was reported. `where` constraints are the interpreter's to check.
[[nodiscard]] std::optional<ArgumentValues> bind_arguments(const FuncRef& function, const ArgumentFlags& flags,
                                                           DiagnosticEngine& diagnostics);

}  // namespace mlgc
