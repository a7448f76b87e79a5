// What a launch costs that computes next to nothing: two functions of kernels over one element, one with kProbeLaunches
// launches more than the other. Their difference is that of so many launches.
#pragma once

#include <cstdint>
#include <string>

#include "diag/diagnostic.h"
#include "support/result.h"

namespace mlgc::bench {

// In one call, so that entering the module is a small part of the time.
inline constexpr int kProbeLaunches = 64;

// The text of the module, to be compiled with each op a kernel of its own.
[[nodiscard]] std::string launch_probe_text();
// Seconds of a launch, of the compiled module: the least of several blocks of each function, side by side.
[[nodiscard]] Result<double, Diagnostic> empty_launch_seconds(const std::string& artifact, std::int32_t threads);

}  // namespace mlgc::bench
