// Private to lib/codegen/cuda: the emitter hooks for CUDA C++ with the prelude.
#pragma once

#include <string>
#include <vector>

#include "codegen/cpp/cpp_hooks.h"
#include "codegen/cuda/tensor_tiles.h"

namespace mlgc::codegen {

// Scalars as in C++.
class CudaScalars : public CppHooks {
 public:
  [[nodiscard]] SourceText anew(int, const SourceText&) const override { return {}; }
  CudaScalars() : CppHooks(Mathematics::Prelude) {}
  [[nodiscard]] std::string_view function_prefix() const override { return "static "; }
  [[nodiscard]] std::vector<TypedName> context() const override {
    return {{"const mlgc_runtime*", SourceText::runtime()}, {"mlgc_failure*", SourceText::failure()}};
  }
  [[nodiscard]] SourceText real_literal(Dtype dtype, double value) const override;
  [[nodiscard]] bool is_reserved(std::string_view name) const override;
  [[nodiscard]] SourceText fma(int lanes, const SourceText& a, const SourceText& b, const SourceText& c) const override;
  [[nodiscard]] SourceText convert(Dtype from, Dtype to, int lanes, const SourceText& a) const override;
};

// Of kernels and the functions that launch them. Messages of failures join `messages`, by whose numbers the host knows
// them.
class CudaHooks : public CudaScalars, public GridHooks {
 public:
  explicit CudaHooks(std::vector<std::string>& messages) : messages_(messages) {}

  [[nodiscard]] const GridHooks* grid() const override { return this; }
  [[nodiscard]] SourceText fail(std::string_view message, const std::vector<SourceText>& values) const override;

  void inside_kernel(bool) const override {}
  [[nodiscard]] std::string kernel_head(std::string_view name, int threads, bool asks) const override;
  [[nodiscard]] SourceText kernel_instance(const std::vector<SourceText>& pointers,
                                           std::string_view name) const override;
  [[nodiscard]] std::string_view thread() const override { return "threadIdx.x"; }
  [[nodiscard]] std::string_view block() const override { return "blockIdx.x"; }
  [[nodiscard]] std::string_view blocks() const override { return "gridDim.x"; }
  [[nodiscard]] std::string group(int threads) const override { return "threadIdx.x / " + std::to_string(threads); }
  [[nodiscard]] std::string thread_of_group(int threads) const override {
    return "threadIdx.x % " + std::to_string(threads);
  }
  [[nodiscard]] std::string_view barrier_of_warp() const override { return "__syncwarp();"; }
  [[nodiscard]] std::string_view unroll() const override { return "#pragma unroll 4"; }
  [[nodiscard]] std::string alone(std::string_view type) const override;
  [[nodiscard]] std::string_view narrow_type() const override { return "uint32_t"; }
  [[nodiscard]] SourceText narrow(const SourceText& integer) const override;
  [[nodiscard]] SourceText narrow_literal(std::int64_t number) const override { return std::to_string(number) + "u"; }
  [[nodiscard]] SourceText narrow_signed(const SourceText& integer) const override;
  [[nodiscard]] SourceText place_if(const SourceText& condition, const SourceText& place) const override;
  [[nodiscard]] std::string_view unroll_all() const override { return "#pragma unroll"; }
  [[nodiscard]] std::string piece_type(Dtype dtype, int count) const override;
  [[nodiscard]] SourceText read_piece(int count, const SourceText& pointer, bool asked) const override;
  [[nodiscard]] SourceText read_parts(int count, const SourceText& pointer) const override;
  [[nodiscard]] SourceText write_piece(const SourceText& buffer, const SourceText& place, const SourceText& piece,
                                       bool asked) const override;
  [[nodiscard]] SourceText write_row_piece(int threads, const SourceText& buffer, const SourceText& place,
                                           const SourceText& piece, const SourceText& holds) const override;
  [[nodiscard]] SourceText rounded_piece(Dtype dtype, const SourceText& numbers) const override;
  [[nodiscard]] SourceText divide_by_invariant(const SourceText& a, const SourceText& b,
                                               bool for_halves) const override;
  [[nodiscard]] SourceText call_for_halves(ScalarFn fn, const SourceText& a) const override;
  [[nodiscard]] SourceText one_plus_erf_for_halves(const SourceText& a) const override;
  [[nodiscard]] std::string_view barrier() const override { return "__syncthreads();"; }
  [[nodiscard]] SourceText combine(int lanes, const SourceText& value, const SourceText& op) const override;
  [[nodiscard]] SourceText combine_in_group(int lanes, int threads, const SourceText& value,
                                            const SourceText& op) const override;
  [[nodiscard]] SourceText combine_across(int lanes, int columns, const SourceText& value,
                                          const SourceText& op) const override;
  [[nodiscard]] SourceText start_rounds() const override { return "unsigned int combined_before = 0;"; }
  [[nodiscard]] SourceText function_of_two(std::string_view type, const SourceText& a, const SourceText& b,
                                           const SourceText& statements, const SourceText& result) const override;
  [[nodiscard]] std::string scratch_of_block() const override;
  [[nodiscard]] std::string scratch_of_group(int threads) const override;
  [[nodiscard]] std::string scratch_of_thread(int threads) const override;
  [[nodiscard]] SourceText fits_on_chip(const SourceText& kernel, const SourceText& bytes) const override;
  [[nodiscard]] int matrix_threads(const MatrixTile& tile) const override;
  [[nodiscard]] std::int64_t matrix_bytes(const MatrixTile& tile) const override;
  [[nodiscard]] SourceText matrix_offset(const SourceText& name, const SourceText& parameter, bool narrow,
                                         const SourceText& place, const std::vector<SourceText>& asked) const override;
  [[nodiscard]] std::vector<SourceText> matrix_sums(const MatrixTile& tile, const SourceText& sums,
                                                    const SourceText& memory, const MatrixFactor& left,
                                                    const MatrixFactor& right, const SourceText& terms) const override;
  [[nodiscard]] MatrixPart matrix_part(const MatrixTile& tile) const override;
  [[nodiscard]] SourceText matrix_part_sums(const MatrixTile& tile, const SourceText& name, const SourceText& sums,
                                            const SourceText& memory, const SourceText& part) const override;
  [[nodiscard]] SourceText matrix_sum(const MatrixTile& tile, const SourceText& name, const SourceText& row,
                                      const SourceText& column) const override;
  [[nodiscard]] const TensorTileHooks* tensor_tiles() const override { return &tensor_tiles_; }
  [[nodiscard]] int attention_threads() const override { return 128; }
  [[nodiscard]] std::int64_t most_queries_at_once(const AttentionTile& tile) const override;
  [[nodiscard]] std::int64_t attention_bytes(const AttentionTile& tile) const override;
  [[nodiscard]] SourceText attention_sums(const AttentionTile& tile, const SourceText& name, const SourceText& memory,
                                          const AttentionFactors& factors) const override;
  [[nodiscard]] SourceText attention_sum(const AttentionTile& tile, const SourceText& name, const SourceText& row,
                                         const SourceText& column) const override;
  [[nodiscard]] SourceText attention_total(const AttentionTile& tile, const SourceText& name,
                                           const SourceText& row) const override;
  [[nodiscard]] SourceText score_head(const SourceText& name, const SourceText& query, const SourceText& key,
                                      const SourceText& product) const override;
  [[nodiscard]] SourceText begin_kernel() const override { return "mlgc_begin_kernel();"; }
  [[nodiscard]] SourceText end_after_failure() const override {
    return ("if (" + SourceText::failure() + "->message != 0) return;").returning();
  }
  [[nodiscard]] SourceText launch(const SourceText& kernel, const SourceText& blocks, int threads,
                                  const SourceText& shared, const SourceText& arguments) const override;

 private:
  std::vector<std::string>& messages_;
  CudaTensorTiles tensor_tiles_;
};

// Of host functions: code of the host, which reads and writes memory of the device one element at a time; loops over
// elements are kernels.
class CudaHostHooks final : public CudaHooks {
 public:
  // `failing`: the number of the function, where one of its kernels can fail; else -1.
  CudaHostHooks(std::vector<std::string>& messages, std::ptrdiff_t failing) : CudaHooks(messages), failing_(failing) {}
  void inside_kernel(bool inside) const override { inside_kernel_ = inside; }
  [[nodiscard]] SourceText fail(std::string_view message, const std::vector<SourceText>& values) const override;
  [[nodiscard]] std::vector<SourceText> begin_host_function() const override;
  [[nodiscard]] SourceText before_deciding() const override;
  [[nodiscard]] SourceText load(Dtype dtype, const SourceText& place) const override;
  [[nodiscard]] SourceText store(Dtype dtype, const SourceText& place, const SourceText& value) const override;

  // Whether what was printed only launches kernels: it has not waited for the device.
  [[nodiscard]] bool only_launches() const { return !waits_; }

 private:
  std::ptrdiff_t failing_;
  mutable bool waits_ = false;
  mutable bool inside_kernel_ = false;
};

}  // namespace mlgc::codegen
