// A compiled model in this process, called with host tensors. Hosts of their own use the C ABI (runtime/mlgc.h), which
// this is a view of.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "artifact/artifact.h"
#include "artifact/externals.h"
#include "artifact/shared_object.h"
#include "diag/diagnostic.h"
#include "support/result.h"
#include "tensor/tensor.h"

namespace mlgc {

// As mlgc_program_options has them.
struct ModelOptions {
  std::int32_t vector_bytes = 0;  // that kernels are to have; 0: the widest that run here
  std::int32_t device = 0;        // of a unit for a device: which one
  Externals externals = {};       // what computes the segments of a partitioned model
  bool copy_weights = false;      // into huge pages, where the system has some
};

class Model {
 public:
  [[nodiscard]] static Result<Model, Diagnostic> load(const ArtifactFiles& files, ModelOptions options = {});
  // A unit that was just compiled; `weights` is a safetensors file in memory, aligned to 64 bytes.
  [[nodiscard]] static Result<Model, Diagnostic> load(SharedObject object, SharedBytes weights,
                                                      ModelOptions options = {});

  [[nodiscard]] const mlgc_unit& unit() const { return *loaded_->object.unit(); }
  [[nodiscard]] const RuntimeAbi& abi() const { return loaded_->object.abi(); }
  [[nodiscard]] const mlgc_program* program() const { return loaded_->program; }
  // What a status of the runtime is to a user of this model.
  [[nodiscard]] Diagnostic refused(std::int32_t status, const std::string& what) const;
  // Of a unit for a device: what its table offers, and which device the program lives on; null: the CPU.
  [[nodiscard]] const mlgc_device* device() const { return loaded_->object.unit()->device; }
  [[nodiscard]] std::int32_t device_number() const { return loaded_->device; }

 private:
  friend class ModelContext;
  struct Loaded {
    SharedObject object;
    SharedBytes weights;
    Externals externals;
    mlgc_program* program = nullptr;
    std::int32_t device = 0;
    Loaded(SharedObject o, SharedBytes w, Externals e)
        : object(std::move(o)), weights(std::move(w)), externals(std::move(e)) {}
    Loaded(const Loaded&) = delete;
    Loaded& operator=(const Loaded&) = delete;
    ~Loaded() { object.abi().program_destroy(program); }
  };
  std::shared_ptr<Loaded> loaded_;
};

struct ModelContextOptions {
  std::int32_t threads = 0;  // 0: one for each core
  bool measure_arena = false;
  std::int64_t memory_limit = 0;                           // 0: none
  std::function<void(const mlgc_launch_event&)> log = {};  // of each launch
};

// Memory of a model's device. Precondition of all calls: the model lives as long.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  DeviceMemory(DeviceMemory&& other) noexcept;
  DeviceMemory& operator=(DeviceMemory&& other) noexcept;
  ~DeviceMemory();
  // At least so many bytes, the content lost. Error: what the device says.
  [[nodiscard]] Status<Diagnostic> reset(const Model& model, std::size_t bytes);
  [[nodiscard]] Status<Diagnostic> copy_in(const Model& model, std::span<const std::byte> from);
  [[nodiscard]] void* data() const { return data_; }

 private:
  const mlgc_device* device_ = nullptr;
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};
// From memory of the model's device to a tensor of the host, when all before is done.
[[nodiscard]] Result<Tensor, Diagnostic> copy_out(const Model& model, const mlgc_tensor& tensor);

// One thread's use of a model; it keeps the model alive.
class ModelContext {
 public:
  [[nodiscard]] static Result<ModelContext, Diagnostic> make(const Model& model, const ModelContextOptions& given = {});

  // The results, then new values of inputs, in the order of the signature. New states stay in the context.
  [[nodiscard]] Result<std::vector<Tensor>, Diagnostic> run(std::int32_t function, std::span<const Tensor> inputs);
  [[nodiscard]] Tensor state(std::int32_t number) const;
  // Error: another dtype or shape than the state has.
  [[nodiscard]] Status<Diagnostic> set_state(std::int32_t number, const Tensor& value);
  [[nodiscard]] mlgc_memory memory() const;
  [[nodiscard]] mlgc_context* handle() const { return state_->context; }

 private:
  struct State {
    Model model;
    std::vector<DeviceMemory> inputs;  // of units for a device, kept for the next call
    std::function<void(const mlgc_launch_event&)> log;
    mlgc_context* context = nullptr;
    State() = default;
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    ~State();
  };
  std::unique_ptr<State> state_;
};

}  // namespace mlgc
