// The kernels of a model, compiled and timed where they stand: each launch of a call of the whole model.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench/compiled_call.h"
#include "compile/emit_model.h"
#include "diag/diagnostic.h"
#include "execution/bind_arguments.h"
#include "interp/interpret_module.h"
#include "ir/module.h"
#include "ops/numerics.h"

namespace mlgc {

// How a model is compiled and called to be timed.
struct TimingOptions {
  Numerics numerics = Numerics::LikeEager;
  EmitOptions emit = {};
  std::optional<std::int32_t> vector_bytes = {};  // as CompileOptions; nothing: those of the module's machine
  std::string host_compiler = {};                 // of the target's language; empty: see find_compiler()
  std::size_t threads = 1;                        // that compute, at least one
  std::int32_t device = 0;                        // of a target for GPUs: which one
};

// A function, and a tensor for each of its arguments.
struct TimedCall {
  std::string function;
  std::vector<Tensor> inputs;
};
// Of the function of that name, or without a name the only one. Nothing when an error was reported.
[[nodiscard]] std::optional<TimedCall> bind_timed_call(const Module& module, const std::string& function,
                                                       const ArgumentOptions& arguments, DiagnosticEngine& diagnostics);

// What each kernel of a module of unscheduled loops takes in a call of it, as kernel_seconds(): scheduled as by
// default, or as the file `decisions` says, and called for so many seconds. Nothing when an error was reported.
[[nodiscard]] std::optional<std::map<std::string, double>> measure_kernels(
    Module unscheduled, const std::string& decisions, const ModuleData& data, const TimedCall& call,
    const TimingOptions& timing, double seconds, DiagnosticEngine& diagnostics);

class KernelTimer {
 public:
  // Plans, emits and compiles modules of scheduled loops, as many at a time as there are cores, and calls each once.
  // Nothing when an error was reported.
  [[nodiscard]] static std::optional<std::vector<KernelTimer>> make(std::vector<Module> scheduled,
                                                                    const ModuleData& data, const TimedCall& call,
                                                                    const TimingOptions& timing,
                                                                    DiagnosticEngine& diagnostics);

  // Calls it for so many seconds more. Launches are timed one by one, on a GPU with what the host does for each; where
  // a call is one launch, consecutive calls are timed there. False: an error was reported.
  bool measure(double seconds, DiagnosticEngine& diagnostics);
  // Of one of consecutive calls, for so long: on a GPU without what the host does meanwhile. Nothing when an error was
  // reported.
  [[nodiscard]] std::optional<double> call_seconds(double seconds, DiagnosticEngine& diagnostics);
  // Seconds, by name: the median of what measure() saw, of all launches of a kernel in one call together.
  [[nodiscard]] std::map<std::string, double> kernel_seconds() const;

 private:
  KernelTimer(bench::CompiledCall call, bool on_gpu) : call_(std::move(call)), on_gpu_(on_gpu) {}

  bench::CompiledCall call_;
  bool on_gpu_;
  std::map<std::string, std::vector<double>> rounds_;
};

}  // namespace mlgc
