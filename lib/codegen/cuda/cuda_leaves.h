// Private to lib/codegen/cuda: how CUDA C++ with the prelude spells what the walk asks for.
#pragma once

#include <string>
#include <vector>

#include "codegen/cpp/cpp_leaves.h"

namespace mlgc::codegen {

// Scalars as in C++.
class CudaScalars : public CppLeaves {
 public:
  [[nodiscard]] std::string anew(int, std::string_view) const override { return {}; }
  CudaScalars() : CppLeaves(Mathematics::Prelude) {}
  [[nodiscard]] std::string_view function_prefix() const override { return "static "; }
  [[nodiscard]] std::string_view context_parameters() const override {
    return "const mlgc_runtime* runtime, mlgc_failure* failure";
  }
  [[nodiscard]] std::string_view context_arguments() const override { return "runtime, failure"; }
  [[nodiscard]] std::string real_literal(Dtype dtype, double value) const override;
  [[nodiscard]] bool is_reserved(std::string_view name) const override;
  [[nodiscard]] std::string fma(int lanes, std::string_view a, std::string_view b, std::string_view c) const override;
};

// Of kernels and the functions that launch them. Messages of failures join `messages`, by whose numbers the host knows
// them.
class CudaLeaves : public CudaScalars, public GridLeaves {
 public:
  explicit CudaLeaves(std::vector<std::string>& messages) : messages_(messages) {}

  [[nodiscard]] const GridLeaves* grid() const override { return this; }
  [[nodiscard]] std::string fail(std::string_view message, const std::vector<std::string>& values) const override;

  void inside_kernel(bool) const override {}
  [[nodiscard]] std::string kernel_head(std::string_view name, int threads) const override;
  [[nodiscard]] std::string_view thread() const override { return "threadIdx.x"; }
  [[nodiscard]] std::string_view block() const override { return "blockIdx.x"; }
  [[nodiscard]] std::string_view blocks() const override { return "gridDim.x"; }
  [[nodiscard]] std::string_view unroll() const override { return "#pragma unroll 4"; }
  [[nodiscard]] std::string alone(std::string_view type) const override;
  [[nodiscard]] std::string_view barrier() const override { return "__syncthreads();"; }
  [[nodiscard]] std::string combine(int lanes, std::string_view value, std::string_view op) const override;
  [[nodiscard]] std::string function_of_two(std::string_view type, std::string_view a, std::string_view b,
                                            std::string_view statements, std::string_view result) const override;
  [[nodiscard]] std::string scratch_of_block() const override;
  [[nodiscard]] std::string scratch_of_thread(int threads) const override;
  [[nodiscard]] std::string fits_on_chip(std::string_view kernel, std::string_view bytes) const override;
  [[nodiscard]] std::string end_after_failure() const override { return "if (failure->message != 0) return;"; }
  [[nodiscard]] std::string launch(std::string_view kernel, std::string_view blocks, int threads,
                                   std::string_view shared, std::string_view arguments) const override;

 private:
  std::vector<std::string>& messages_;
};

// Of drivers: code of the host, which reads and writes memory of the device one element at a time; loops over elements
// are kernels.
class CudaDriverLeaves final : public CudaLeaves {
 public:
  // `failure`: the number of the buffer that failures are noted in; -1: no kernel of the driver can fail.
  CudaDriverLeaves(std::vector<std::string>& messages, std::ptrdiff_t failure)
      : CudaLeaves(messages), failure_(failure) {}
  void inside_kernel(bool inside) const override { inside_kernel_ = inside; }
  [[nodiscard]] std::string fail(std::string_view message, const std::vector<std::string>& values) const override;
  [[nodiscard]] std::vector<std::string> begin_driver() const override;
  [[nodiscard]] std::string end_driver() const override;
  [[nodiscard]] std::string before_deciding() const override;
  [[nodiscard]] std::string load(Dtype dtype, std::string_view place) const override;
  [[nodiscard]] std::string store(Dtype dtype, std::string_view place, std::string_view value) const override;

 private:
  std::ptrdiff_t failure_;
  mutable bool inside_kernel_ = false;
};

}  // namespace mlgc::codegen
