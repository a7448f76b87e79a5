// The hand-written unit of sample_unit.cpp with its weights, and what a host needs to call it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/sample_weights.h"
#include "runtime/unit.h"
#include "support/temporary_folder.h"
#include "support_catch.h"
#include "tensor/safetensors.h"

extern "C" const mlgc_unit* mlgc_unit_sample(void);

// A tensor of the host: data, sizes, and the description that points to them.
template <class T>
struct HostTensor {
  std::vector<T> data;
  std::vector<mlgc_i64> sizes;
  mlgc_i32 dtype;
  [[nodiscard]] mlgc_tensor view() {
    return {sizeof(mlgc_tensor),
            data.data(),
            dtype,
            MLGC_CPU,
            0,
            static_cast<mlgc_i32>(sizes.size()),
            sizes.data(),
            nullptr,
            data.size() * sizeof(T)};
  }
};
inline HostTensor<float> f32(std::vector<mlgc_i64> sizes, std::vector<float> data = {}) {
  mlgc_size count = 1;
  for (const mlgc_i64 size : sizes) count *= static_cast<mlgc_size>(size);
  data.resize(count);
  return {std::move(data), std::move(sizes), MLGC_F32};
}
inline HostTensor<double> f64(std::vector<mlgc_i64> sizes) {
  mlgc_size count = 1;
  for (const mlgc_i64 size : sizes) count *= static_cast<mlgc_size>(size);
  return {std::vector<double>(count), std::move(sizes), MLGC_F64};
}
inline HostTensor<mlgc_i64> i64(std::vector<mlgc_i64> data) {
  const auto count = static_cast<mlgc_i64>(data.size());
  return {std::move(data), {count}, MLGC_I64};
}
// An output that the context is to lend.
inline mlgc_tensor lent() {
  mlgc_tensor tensor = {};
  tensor.struct_size = sizeof tensor;
  return tensor;
}

class Program {
 public:
  explicit Program(const mlgc_unit* unit = mlgc_unit_sample(), mlgc_program_options options = {}) {
    REQUIRE(mlgc::write_safetensors(folder_.file("w.safetensors"), sample_weights()).ok());
    const std::string path = folder_.file("w.safetensors");
    options.struct_size = sizeof options;
    options.weights_path = path.c_str();
    char error[256] = "";
    const mlgc_i32 status = mlgc_program_create(unit, &options, &program_, error, sizeof error);
    INFO(error);
    REQUIRE(status == MLGC_OK);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() { mlgc_program_destroy(program_); }
  [[nodiscard]] const mlgc_program* get() const { return program_; }

 private:
  TemporaryFolder folder_;
  mlgc_program* program_ = nullptr;
};

class Context {
 public:
  explicit Context(const Program& program, mlgc_context_options options = {}) {
    options.struct_size = sizeof options;
    if (options.threads == 0) options.threads = 1;
    char error[256] = "";
    const mlgc_i32 status = mlgc_context_create(program.get(), &options, &context_, error, sizeof error);
    INFO(error);
    REQUIRE(status == MLGC_OK);
  }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context() { mlgc_context_destroy(context_); }
  [[nodiscard]] mlgc_context* get() const { return context_; }
  [[nodiscard]] std::string error() const { return mlgc_error(context_); }
  mlgc_i32 run(mlgc_i32 function, const std::vector<mlgc_tensor>& inputs, std::vector<mlgc_tensor>& outputs) const {
    return mlgc_run(context_, function, inputs.data(), static_cast<mlgc_i32>(inputs.size()), outputs.data(),
                    static_cast<mlgc_i32>(outputs.size()));
  }
  // The message of a call that is refused with `wanted`.
  [[nodiscard]] std::string refused(mlgc_i32 wanted, mlgc_i32 function, const std::vector<mlgc_tensor>& inputs,
                                    std::vector<mlgc_tensor> outputs) const {
    const mlgc_i32 status = run(function, inputs, outputs);
    if (status != wanted) return "status " + std::to_string(status) + ": " + error();
    return error();
  }
  template <class T>
  [[nodiscard]] std::vector<T> state(mlgc_i32 number, std::size_t count) const {
    std::vector<T> values(count);
    REQUIRE(mlgc_state_read(context_, number, values.data(), count * sizeof(T)) == MLGC_OK);
    return values;
  }
  [[nodiscard]] mlgc_memory memory() const {
    mlgc_memory memory = {};
    memory.struct_size = sizeof memory;
    REQUIRE(mlgc_context_memory(context_, &memory) == MLGC_OK);
    return memory;
  }

 private:
  mlgc_context* context_ = nullptr;
};

// Functions of the unit.
enum { kForward, kPick, kStep, kOdd };
