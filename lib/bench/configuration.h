// Measures one choice of sizes and threads: every backend side by side, then the kernels of the compiled model.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/machine_limits.h"
#include "bench/measure.h"
#include "bench/report.h"
#include "diag/diagnostic.h"
#include "support/result.h"
#include "tensor/npz.h"

namespace mlgc::bench {

// The compiled model, called from here, and the interpreter; the others are kPeers (peer.h).
inline constexpr std::string_view kCompiled = "cpp", kInterpreter = "interp";
// The compiled model on a GPU, in the place of kCompiled.
inline constexpr std::string_view kCompiledForGpu = "cuda";

// The model compiled in another way, called as the compiled model is.
struct CompiledVariant {
  std::string name;      // of its row
  std::string artifact;  // on disk
  double compile_seconds = 0;
};

struct ConfigurationTask {
  std::vector<std::pair<std::string, std::int64_t>> sizes;
  std::int32_t threads = 1;
  std::vector<std::string> backends;
  NamedTensors inputs;                                     // in the order of the function
  std::function<Result<std::vector<Tensor>>()> interpret;  // a call of the interpreter, with its results
  double interpret_prepare = 0;
  std::string artifact, symbol, function;  // the compiled model on disk; needed where a backend runs it
  double compile_seconds = 0;
  std::vector<CompiledVariant> variants;  // beside the compiled model
  std::string launch_probe;               // with variants: launch_probe.h, compiled
  std::string model_file;                 // a .pt2, or nothing: then peers that read one are rows with that reason
  std::string python, folder;
  std::string_view compiled = kCompiled;  // or kCompiledForGpu: then tensors are memory of the GPU, for peers too
  std::int32_t device = 0;                // which one
  bool copy_weights = false;              // of compiled models: into huge pages
  MeasureOptions measure;
};

// Error: the compiled model refuses the call. What any other backend refuses is the reason in its row. The baseline,
// the compiled model where it is among the backends and else the first that ran, comes first. `probe`: of the CPU's
// limits; null where a GPU computes, whose limits are not measured.
[[nodiscard]] Result<Configuration, Diagnostic> measure_configuration(const ConfigurationTask& task,
                                                                      const LimitProbe* probe);

// The largest difference over all elements, divided by the largest finite magnitude of `reference` (or by 1 where that
// is less than the smallest normal f32). Infinite where one has a NaN or an infinity that the other has not. Nothing
// where numbers or shapes of results differ.
[[nodiscard]] std::optional<double> largest_difference(std::span<const Tensor> results,
                                                       std::span<const Tensor> reference);

}  // namespace mlgc::bench
