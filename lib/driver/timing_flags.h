// The flags of commands that measure: --input, --seed, --threads, --min-time, --device and those that say a compiler.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "diag/diagnostic.h"
#include "driver/arguments.h"
#include "driver/compiler_flags.h"
#include "driver/device_flag.h"
#include "driver/emit_flags.h"
#include "driver/input_flags.h"
#include "tuning/kernel_timer.h"

namespace mlgc {

struct TimingFlags {
  CompilerFlags compilers;
  DeviceFlag device;
  std::string min_time = "0.5";
  std::vector<std::string> inputs;
  std::size_t seed = 1;
  std::size_t threads = 1;

  std::vector<SizeBinding> sizes;
  double seconds = 0;    // what min_time says
  std::string compiler;  // what compilers say

  [[nodiscard]] ArgumentOptions arguments() const {
    ArgumentOptions options = flag_arguments();
    options.inputs = inputs;
    options.dims = sizes;
    options.random_seed = seed;
    return options;
  }
  // Of a model that these flags compile.
  [[nodiscard]] TimingOptions options(const EmitFlags& emit) const;
};
// Adds them.
void add_timing_flags(Arguments& arguments, TimingFlags& flags);
// The most threads, and seconds of --min-time, that a command which measures takes.
inline constexpr std::int32_t kMostTimedThreads = 1024;
inline constexpr double kLongestTiming = 3600;
// `0.3`, of --min-time. What is wrong, if anything.
[[nodiscard]] std::optional<Diagnostic> read_min_time(const std::string& text, const std::string& command,
                                                      double& seconds);
// What is wrong, if anything.
[[nodiscard]] std::optional<Diagnostic> read_timing_flags(TimingFlags& flags, const TargetDef& target,
                                                          const std::string& command);

}  // namespace mlgc
