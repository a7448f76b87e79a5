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

class Model {
 public:
  // `vector_bytes`: 0, or the width that kernels are to have (mlgc_program_options).
  // `externals`: what computes the segments of a partitioned model.
  [[nodiscard]] static Result<Model, Diagnostic> load(const ArtifactFiles& files, std::int32_t vector_bytes = 0,
                                                      Externals externals = {});
  // A unit that was just compiled; `weights` is a safetensors file in memory, aligned to 64 bytes.
  [[nodiscard]] static Result<Model, Diagnostic> load(SharedObject object, SharedBytes weights,
                                                      std::int32_t vector_bytes = 0, Externals externals = {});

  [[nodiscard]] const mlgc_unit& unit() const { return *loaded_->object.unit(); }
  [[nodiscard]] const RuntimeAbi& abi() const { return loaded_->object.abi(); }
  [[nodiscard]] const mlgc_program* program() const { return loaded_->program; }

 private:
  friend class ModelContext;
  struct Loaded {
    SharedObject object;
    SharedBytes weights;
    Externals externals;
    mlgc_program* program = nullptr;
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
    std::shared_ptr<Model::Loaded> model;
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
