// Private to lib/codegen/cpp: how C++ with the prelude spells what the walk asks for.
#pragma once

#include <string>

#include "codegen/leaves.h"
#include "codegen/source_options.h"

namespace mlgc::codegen {

class CppPairs : public PairLeaves {
 public:
  [[nodiscard]] std::string_view type() const override { return "uint32_t"; }
  [[nodiscard]] std::string vector_type(int lanes) const override;
  [[nodiscard]] std::string copy(std::string_view to, std::string_view from, std::string_view terms) const override;
  [[nodiscard]] std::string load(int lanes, std::string_view first, std::string_view second,
                                 std::string_view count) const override;
  [[nodiscard]] std::string add(std::string_view pair_of_row, std::string_view pairs,
                                std::string_view sums) const override;
};

class CppLeaves : public Leaves {
 public:
  // bf16_pairs: kernels are for CPUs with an instruction for them (machine.h, bf16_terms).
  explicit CppLeaves(Mathematics mathematics, bool bf16_pairs = false)
      : mathematics_(mathematics), bf16_pairs_(bf16_pairs) {}

  [[nodiscard]] const PairLeaves* pairs() const override { return bf16_pairs_ ? &pairs_ : nullptr; }

  [[nodiscard]] int most_lanes() const override { return 64; }
  [[nodiscard]] std::string_view context_parameters() const override { return "const mlgc_runtime* runtime"; }
  [[nodiscard]] std::string_view context_arguments() const override { return "runtime"; }
  [[nodiscard]] std::vector<std::string> begin_driver() const override {
    return {"const mlgc_runtime* const runtime = call->runtime;"};
  }
  [[nodiscard]] std::string end_driver() const override { return "return 0;"; }
  [[nodiscard]] std::string call_or_return(std::string_view function, std::string_view arguments) const override;
  [[nodiscard]] std::string note_launch(std::size_t number) const override;
  [[nodiscard]] std::string bind_size(std::size_t number, std::string_view value) const override;
  [[nodiscard]] std::string_view function_prefix() const override { return "MLGC_TARGET static "; }
  [[nodiscard]] std::string_view apart_prefix() const override { return "MLGC_APART "; }
  [[nodiscard]] std::string prefetch(std::string_view pointer) const override {
    return "__builtin_prefetch(" + std::string(pointer) + ", 0, 2);";
  }
  [[nodiscard]] std::string_view index_type() const override { return "int64_t"; }
  [[nodiscard]] std::string_view status_type() const override { return "int32_t"; }
  [[nodiscard]] std::string_view element_type(Dtype dtype) const override;
  [[nodiscard]] std::string variable_type(Dtype dtype, int lanes) const override;
  [[nodiscard]] std::string bits_type(int lanes) const override;
  [[nodiscard]] std::string to_bits(Dtype dtype, std::string_view a, bool is_exact) const override;
  [[nodiscard]] std::string splat_bits(int lanes, std::string_view a) const override;
  [[nodiscard]] std::string_view zeros() const override { return "{}"; }
  [[nodiscard]] std::string pointer_from_untyped(std::string_view type, std::string_view pointer) const override;
  [[nodiscard]] std::string pointer_from_bytes(std::string_view type, std::string_view pointer) const override;
  [[nodiscard]] std::string untyped(std::string_view pointer) const override;
  [[nodiscard]] std::string real_literal(Dtype dtype, double value) const override;
  [[nodiscard]] std::string integer_literal(Dtype dtype, std::int64_t value) const override;
  [[nodiscard]] std::string call(ScalarFn fn, Dtype operand, Dtype result, int lanes, std::string_view a,
                                 std::string_view b) const override;
  [[nodiscard]] std::string fma(int lanes, std::string_view a, std::string_view b, std::string_view c) const override;
  [[nodiscard]] bool names_factors() const override { return true; }
  [[nodiscard]] std::string bits(std::string_view a) const override;
  [[nodiscard]] std::string fma_of_element(int lanes, std::string_view element, std::string_view b,
                                           std::string_view c) const override;
  [[nodiscard]] std::string choose(int lanes, std::string_view condition, std::string_view a,
                                   std::string_view b) const override;
  [[nodiscard]] std::string convert(Dtype from, Dtype to, int lanes, std::string_view a) const override;
  [[nodiscard]] std::string splat(Dtype dtype, int lanes, std::string_view a) const override;
  [[nodiscard]] std::string count_up(int lanes, std::string_view from) const override;
  [[nodiscard]] std::string count_up_short(int lanes) const override;
  [[nodiscard]] std::string any(std::string_view mask) const override;
  [[nodiscard]] std::string first_lanes(int lanes, std::string_view count) const override;
  [[nodiscard]] std::string low_half(Dtype dtype, int lanes, std::string_view a) const override;
  [[nodiscard]] std::string high_half(Dtype dtype, int lanes, std::string_view a) const override;
  [[nodiscard]] std::string transpose(int lanes, const std::vector<std::string>& vectors) const override;
  [[nodiscard]] std::string extreme(bool least, std::string_view a, std::string_view mask) const override;
  [[nodiscard]] std::string outside(std::string_view a, std::string_view size, std::string_view mask) const override;
  [[nodiscard]] std::string load(Dtype dtype, std::string_view place) const override;
  [[nodiscard]] std::string store(Dtype dtype, std::string_view place, std::string_view value) const override;
  [[nodiscard]] std::string load_lanes(Dtype dtype, int lanes, const LaneAccess& access) const override;
  [[nodiscard]] std::string store_lanes(Dtype dtype, int lanes, const LaneAccess& access,
                                        std::string_view value) const override;
  [[nodiscard]] std::string any_outside(std::string_view a, std::string_view size) const override;
  [[nodiscard]] bool has_tables() const override { return true; }
  [[nodiscard]] std::int64_t near_elements(Dtype dtype) const override;
  [[nodiscard]] std::string_view near_type(Dtype dtype) const override;
  [[nodiscard]] std::int64_t near_number(Dtype dtype, std::int64_t element) const override;
  [[nodiscard]] std::string anew(int lanes, std::string_view pointer) const override {
    return "mlgc_anew<" + std::to_string(lanes) + ">(" + std::string(pointer) + ")";
  }
  [[nodiscard]] std::string end_of_streams() const override { return "mlgc_stream_end();"; }
  [[nodiscard]] std::string floor_div(int lanes, std::string_view a, std::string_view b) const override;
  [[nodiscard]] std::string floor_mod(int lanes, std::string_view a, std::string_view b) const override;
  [[nodiscard]] std::string minimum(int lanes, std::string_view a, std::string_view b) const override;
  [[nodiscard]] std::string maximum(int lanes, std::string_view a, std::string_view b) const override;
  [[nodiscard]] std::string fail(std::string_view message, const std::vector<std::string>& values) const override;
  [[nodiscard]] std::string unused() const override { return "MLGC_UNUSED "; }
  [[nodiscard]] std::string unrolled(std::int64_t iterations) const override {
    return "MLGC_UNROLL(" + std::to_string(iterations) + ")";
  }
  [[nodiscard]] std::string loop_head(std::string_view index, std::string_view from, std::string_view to,
                                      int step) const override;
  [[nodiscard]] bool is_reserved(std::string_view name) const override;

 protected:
  // An element's value as it lies in memory.
  [[nodiscard]] static std::string stored(Dtype dtype, std::string_view value);

 private:
  [[nodiscard]] std::string real_call(ScalarFn fn, Dtype operand, std::string_view a, std::string_view b) const;
  Mathematics mathematics_;
  bool bf16_pairs_;
  CppPairs pairs_;
};

}  // namespace mlgc::codegen
