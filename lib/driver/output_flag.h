// Where results go: --output, and --expect with its comparison.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "check/peer_agreement.h"
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

// Compares with a reference file (.npz) as compare_with_reference() does, and prints the differences on standard
// output. Nothing when `exact` had no answer.
[[nodiscard]] std::optional<ExitCode> compare_outputs(const Console& console, const std::string& reference,
                                                      const EngineOutputs& native,
                                                      const std::function<std::optional<NamedTensors>()>& exact,
                                                      const NearbyErrors& nearby, ReportFormat format);

// Compares what back ends computed for the same run as compare_with_peers() does, and prints the differences on
// standard output. `not_checked` are operators that every back end asked PyTorch for, with the number of their calls:
// they are listed, since agreement says nothing of them.
[[nodiscard]] ExitCode compare_backends(const Console& console, std::span<const EngineOutputs> backends,
                                        const NamedTensors& exact, const NearbyErrors& nearby,
                                        const std::map<std::string, std::uint64_t>& not_checked, ReportFormat format);

}  // namespace mlgc
