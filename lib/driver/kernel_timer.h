// The kernels of a model, compiled and timed where they stand: each launch of a call of the whole model.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench/compiled_call.h"
#include "compile/compile_model.h"
#include "driver/arguments.h"
#include "driver/bind_arguments.h"
#include "driver/emit_flags.h"
#include "ir/module.h"

namespace mlgc {

// How a model is called to be timed.
struct TimingFlags {
  std::string host_compiler, min_time = "0.5";
  std::vector<std::string> inputs;
  std::size_t seed = 1;
  std::size_t threads = 1;

  std::vector<DimFlag> sizes;
  double seconds = 0;  // what min_time says
};
// --input, --seed, --threads, --min-time and --host-compiler.
void add_timing_flags(Arguments& arguments, TimingFlags& flags);
// The most threads, and seconds of --min-time, that a command which measures takes.
inline constexpr std::int32_t kMostTimedThreads = 1024;
inline constexpr double kLongestTiming = 3600;
// `0.3`, of --min-time. What is wrong, if anything.
[[nodiscard]] std::optional<Diagnostic> read_min_time(const std::string& text, const std::string& command,
                                                      double& seconds);
// What is wrong, if anything.
[[nodiscard]] std::optional<Diagnostic> read_timing_flags(TimingFlags& flags, const std::string& command);

// The function that --function names, and a tensor for each of its arguments. Nothing after an error, which was
// reported.
struct TimedCall {
  std::string function;
  std::vector<Tensor> inputs;
};
[[nodiscard]] std::optional<TimedCall> bind_timed_call(const Module& module, const std::string& function,
                                                       const TimingFlags& flags, DiagnosticEngine& diagnostics);

class KernelTimer {
 public:
  // Plans, emits and compiles a module of scheduled loops, for the vectors that --vector-bytes says or that its machine
  // has, and calls it once. Nothing after an error, which was reported.
  [[nodiscard]] static std::optional<KernelTimer> make(Module scheduled, const ModuleData& data, const TimedCall& call,
                                                       const EmitFlags& emit, const TimingFlags& flags,
                                                       DiagnosticEngine& diagnostics);

  // Calls it for so many seconds more. False: an error was reported.
  bool measure(double seconds, DiagnosticEngine& diagnostics);
  // By name: the median of what measure() saw, of all launches of a kernel in one call together.
  [[nodiscard]] std::map<std::string, double> kernel_seconds() const;

 private:
  explicit KernelTimer(bench::CompiledCall call) : call_(std::move(call)) {}

  bench::CompiledCall call_;
  std::map<std::string, std::vector<double>> rounds_;
};

}  // namespace mlgc
