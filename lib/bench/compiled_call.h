// Calls of a compiled model as a host makes them that minds its time: descriptions of tensors are made once, outputs
// are its own memory.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "artifact/model.h"
#include "diag/diagnostic.h"
#include "support/result.h"
#include "tensor/tensor.h"

namespace mlgc::bench {

// The median over several calls of one launch of a kernel.
struct KernelTime {
  std::string function, name;
  std::int32_t number = 0;  // of the launch in its function
  double seconds = 0;
  std::int64_t bytes = -1, flops = -1;  // -1: not known
};

// What a call takes beside time.
struct CallUse {
  std::int64_t temporaries = 0;  // bytes, as the plan lays them out
  std::int64_t launches = 0;     // of kernels, and of segments of other targets
};

class CompiledCall {
 public:
  // Makes a context and calls once. Error: what the model refuses.
  [[nodiscard]] static Result<CompiledCall, Diagnostic> make(const Model& model, const std::string& function,
                                                             std::span<const Tensor> inputs, std::int32_t threads);

  [[nodiscard]] double first_call_seconds() const { return first_call_; }
  [[nodiscard]] Status<> call() { return call(context_); }
  // Waits for what calls left a device to do.
  [[nodiscard]] Status<> finish() const;
  // As the last call left them; states are not among them.
  [[nodiscard]] Result<std::vector<Tensor>, Diagnostic> outputs() const;
  // In the order of the launches, from calls of a context of their own that last `seconds` together.
  [[nodiscard]] Result<std::vector<KernelTime>, Diagnostic> kernel_times(double seconds) const;
  // Of a call in a context of its own.
  [[nodiscard]] Result<CallUse, Diagnostic> use() const;

 private:
  struct Memory;
  [[nodiscard]] Status<> call(const ModelContext& context) const;

  Model model_;
  ModelContext context_;
  std::int32_t function_ = 0, threads_ = 0;
  std::vector<Tensor> inputs_;
  std::shared_ptr<Memory> memory_;  // of inputs and outputs, with their descriptions
  double first_call_ = 0;
};

// Seconds from the model on disk to the end of its first call, as a process that starts anew has it: opened, loaded,
// its context made, called. The median of several times. Precondition: the model is not loaded.
[[nodiscard]] Result<double, Diagnostic> warm_start_seconds(const std::string& path, const std::string& function,
                                                            std::span<const Tensor> inputs, std::int32_t threads,
                                                            std::int32_t device = 0);

}  // namespace mlgc::bench
