// Private to lib/codegen/cpp: the emitter hooks for C++ with the prelude.
#pragma once

#include <string>

#include "codegen/emitter_hooks.h"
#include "codegen/source_options.h"

namespace mlgc::codegen {

class CppPairs : public PairHooks {
 public:
  [[nodiscard]] std::string_view type() const override { return "uint32_t"; }
  [[nodiscard]] std::string vector_type(int lanes) const override;
  [[nodiscard]] SourceText copy(const SourceText& to, const SourceText& from, const SourceText& terms) const override;
  [[nodiscard]] SourceText load(int lanes, const SourceText& first, const SourceText& second,
                                const SourceText& count) const override;
  [[nodiscard]] SourceText add(const SourceText& pair_of_row, const SourceText& pairs,
                               const SourceText& sums) const override;
};

class CppHooks : public EmitterHooks {
 public:
  // bf16_pairs: kernels are for CPUs with an instruction for them (machine.h, bf16_terms).
  explicit CppHooks(Mathematics mathematics, bool bf16_pairs = false)
      : mathematics_(mathematics), bf16_pairs_(bf16_pairs) {}

  [[nodiscard]] const PairHooks* pairs() const override { return bf16_pairs_ ? &pairs_ : nullptr; }

  [[nodiscard]] int most_lanes() const override { return 64; }
  [[nodiscard]] std::vector<TypedName> context() const override {
    return {{"const mlgc_runtime*", SourceText::runtime()}};
  }
  [[nodiscard]] std::vector<SourceText> begin_host_function() const override {
    return {"const mlgc_runtime* const runtime = call->runtime;"};
  }
  [[nodiscard]] SourceText end_host_function() const override { return "return 0;"; }
  [[nodiscard]] SourceText call_or_return(std::string_view function, const SourceText& arguments) const override;
  [[nodiscard]] SourceText note_launch(std::size_t number) const override;
  [[nodiscard]] SourceText bind_size(std::size_t number, const SourceText& value) const override;
  [[nodiscard]] std::string_view function_prefix() const override { return "MLGC_TARGET static "; }
  [[nodiscard]] std::string_view apart_prefix() const override { return "MLGC_APART "; }
  [[nodiscard]] SourceText prefetch(const SourceText& pointer) const override {
    return "__builtin_prefetch(" + pointer + ", 0, 2);";
  }
  [[nodiscard]] std::string_view index_type() const override { return "int64_t"; }
  [[nodiscard]] std::string_view status_type() const override { return "int32_t"; }
  [[nodiscard]] std::string_view element_type(Dtype dtype) const override;
  [[nodiscard]] std::string variable_type(Dtype dtype, int lanes) const override;
  [[nodiscard]] std::string bits_type(int lanes) const override;
  [[nodiscard]] SourceText to_bits(Dtype dtype, const SourceText& a, bool is_exact) const override;
  [[nodiscard]] SourceText splat_bits(int lanes, const SourceText& a) const override;
  [[nodiscard]] std::string_view zeros() const override { return "{}"; }
  [[nodiscard]] SourceText pointer_from_untyped(std::string_view type, const SourceText& pointer) const override;
  [[nodiscard]] SourceText pointer_from_bytes(std::string_view type, const SourceText& pointer) const override;
  [[nodiscard]] SourceText untyped(const SourceText& pointer) const override;
  [[nodiscard]] SourceText real_literal(Dtype dtype, double value) const override;
  [[nodiscard]] SourceText integer_literal(Dtype dtype, std::int64_t value) const override;
  [[nodiscard]] SourceText call(ScalarFn fn, Dtype operand, Dtype result, int lanes, const SourceText& a,
                                const SourceText& b) const override;
  [[nodiscard]] SourceText fma(int lanes, const SourceText& a, const SourceText& b, const SourceText& c) const override;
  [[nodiscard]] bool names_factors() const override { return true; }
  [[nodiscard]] SourceText bits(const SourceText& a) const override;
  [[nodiscard]] SourceText fma_of_element(int lanes, const SourceText& element, const SourceText& b,
                                          const SourceText& c) const override;
  [[nodiscard]] SourceText choose(int lanes, const SourceText& condition, const SourceText& a,
                                  const SourceText& b) const override;
  [[nodiscard]] SourceText convert(Dtype from, Dtype to, int lanes, const SourceText& a) const override;
  [[nodiscard]] SourceText splat(Dtype dtype, int lanes, const SourceText& a) const override;
  [[nodiscard]] SourceText count_up(int lanes, const SourceText& from) const override;
  [[nodiscard]] SourceText count_up_short(int lanes) const override;
  [[nodiscard]] SourceText any(const SourceText& mask) const override;
  [[nodiscard]] SourceText first_lanes(int lanes, const SourceText& count) const override;
  [[nodiscard]] SourceText low_half(Dtype dtype, int lanes, const SourceText& a) const override;
  [[nodiscard]] SourceText high_half(Dtype dtype, int lanes, const SourceText& a) const override;
  [[nodiscard]] SourceText transpose(int lanes, const std::vector<SourceText>& vectors) const override;
  [[nodiscard]] SourceText extreme(bool least, const SourceText& a, const SourceText& mask) const override;
  [[nodiscard]] SourceText outside(const SourceText& a, const SourceText& size, const SourceText& mask) const override;
  [[nodiscard]] SourceText load(Dtype dtype, const SourceText& place) const override;
  [[nodiscard]] SourceText store(Dtype dtype, const SourceText& place, const SourceText& value) const override;
  [[nodiscard]] SourceText load_lanes(Dtype dtype, int lanes, const LaneAccess& access) const override;
  [[nodiscard]] SourceText store_lanes(Dtype dtype, int lanes, const LaneAccess& access,
                                       const SourceText& value) const override;
  [[nodiscard]] SourceText any_outside(const SourceText& a, const SourceText& size) const override;
  [[nodiscard]] bool has_tables() const override { return true; }
  [[nodiscard]] std::int64_t near_elements(Dtype dtype) const override;
  [[nodiscard]] std::string_view near_type(Dtype dtype) const override;
  [[nodiscard]] std::int64_t near_number(Dtype dtype, std::int64_t element) const override;
  [[nodiscard]] SourceText anew(int lanes, const SourceText& pointer) const override {
    return "mlgc_anew<" + std::to_string(lanes) + ">(" + pointer + ")";
  }
  [[nodiscard]] SourceText end_of_streams() const override { return "mlgc_stream_end();"; }
  [[nodiscard]] SourceText floor_div(int lanes, const SourceText& a, const SourceText& b) const override;
  [[nodiscard]] SourceText floor_mod(int lanes, const SourceText& a, const SourceText& b) const override;
  [[nodiscard]] SourceText minimum(int lanes, const SourceText& a, const SourceText& b) const override;
  [[nodiscard]] SourceText maximum(int lanes, const SourceText& a, const SourceText& b) const override;
  [[nodiscard]] SourceText fail(std::string_view message, const std::vector<SourceText>& values) const override;
  [[nodiscard]] std::string unused() const override { return "MLGC_UNUSED "; }
  [[nodiscard]] SourceText unrolled(std::int64_t iterations) const override {
    return "MLGC_UNROLL(" + std::to_string(iterations) + ")";
  }
  [[nodiscard]] SourceText loop_head(const SourceText& index, const SourceText& from, const SourceText& to,
                                     int step) const override;
  [[nodiscard]] bool is_reserved(std::string_view name) const override;

 protected:
  // An element's value as it lies in memory.
  [[nodiscard]] static SourceText stored(Dtype dtype, const SourceText& value);

 private:
  [[nodiscard]] SourceText real_call(ScalarFn fn, Dtype operand, const SourceText& a, const SourceText& b) const;
  Mathematics mathematics_;
  bool bf16_pairs_;
  CppPairs pairs_;
};

}  // namespace mlgc::codegen
