// Where results go: --output, and --expect with its comparison.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "diag/diagnostic.h"
#include "driver/console.h"
#include "tensor/npz.h"

namespace mlgc {

// --output=-            prints every result
// --output=@out.npz     all of them, by name
// --output=y=@y.npy     one of them; y=- prints it
// Every file is written whole or not at all. Reports and returns what went wrong.
[[nodiscard]] ExitCode write_outputs(const Console& console, const std::vector<std::string>& flags,
                                     std::string_view function, const NamedTensors& outputs);

struct BackendOutputs {
  std::string_view backend;
  NamedTensors tensors;
};
// By how much a back end is wrong at most on neighbours of the inputs (tensor/neighbour.h), result by result. Asked
// where a result would not agree otherwise; once for each back end.
using NearbyErrors = std::function<std::vector<double>(std::string_view backend)>;

// Compares with a reference file (.npz) result by result, each under its name or, where the file has none of that name,
// as `result<i>` by its number, and prints the differences on standard output. The reference may be as wrong as twice
// what `native` (evaluated in the results' own dtypes) is wrong by, here or nearby, both measured against `judge`
// (evaluated in f64); a reference in f64 is compared with `native` itself, which may then be as wrong as twice what the
// file's `NAME.eager` is wrong by, if it has one: what PyTorch computes in the result's own dtype. Extra members of the
// file are ignored. `judge` is called once at most, where some reference is not in f64; nothing when it had no answer.
[[nodiscard]] std::optional<ExitCode> compare_outputs(const Console& console, const std::string& reference,
                                                      const BackendOutputs& native,
                                                      const std::function<std::optional<NamedTensors>()>& judge,
                                                      const NearbyErrors& nearby, ReportFormat format);

// Compares what back ends computed for the same run, result by result, and prints the differences on standard output.
// Each back end is compared with `judge` (the interpreter in f64), and may be as wrong as twice what another one is,
// here or nearby: PyTorch, or for PyTorch compiled code, or the first of the others. `not_judged` are operators that
// every back end asked PyTorch for, with the number of their calls: they are listed, since agreement says nothing of
// them. Precondition: two back ends at least, with the same results.
[[nodiscard]] ExitCode compare_backends(const Console& console, std::span<const BackendOutputs> backends,
                                        const NamedTensors& judge, const NearbyErrors& nearby,
                                        const std::map<std::string, std::uint64_t>& not_judged, ReportFormat format);

}  // namespace mlgc
