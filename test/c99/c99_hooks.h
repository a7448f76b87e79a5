// How plain C99 spells what the walk asks for: scalars alone. Parallel loops are serial ones, and what has lanes is
// refused (most_lanes() is 1). Scalar functions are spelled as c99_scalar_functions.cpp says.
#pragma once

#include <string>
#include <vector>

#include "codegen/emitter_hooks.h"

namespace mlgc::c99 {

class C99Hooks : public codegen::EmitterHooks {
 public:
  using Text = codegen::SourceText;
  using View = std::string_view;

  [[nodiscard]] int most_lanes() const override { return 1; }
  [[nodiscard]] bool shares_loops() const override { return false; }
  [[nodiscard]] std::vector<codegen::TypedName> context() const override {
    return {{"mlgc_failure*", Text::failure()}};
  }
  [[nodiscard]] std::vector<Text> begin_host_function() const override;
  [[nodiscard]] Text end_host_function() const override { return "return 0;"; }
  [[nodiscard]] Text call_or_return(View function, const Text& arguments) const override;
  [[nodiscard]] Text note_launch(std::size_t) const override { return {}; }
  [[nodiscard]] Text bind_size(std::size_t, const Text&) const override { return {}; }
  [[nodiscard]] View function_prefix() const override { return "static "; }
  [[nodiscard]] View index_type() const override { return "int64_t"; }
  [[nodiscard]] View status_type() const override { return "int32_t"; }
  [[nodiscard]] View element_type(Dtype dtype) const override;
  [[nodiscard]] std::string variable_type(Dtype dtype, int lanes) const override;
  [[nodiscard]] View zeros() const override { return "0"; }
  [[nodiscard]] Text pointer_from_untyped(View type, const Text& pointer) const override;
  [[nodiscard]] Text pointer_from_bytes(View type, const Text& pointer) const override;
  [[nodiscard]] Text untyped(const Text& pointer) const override;
  [[nodiscard]] Text real_literal(Dtype dtype, double value) const override;
  [[nodiscard]] Text integer_literal(Dtype dtype, std::int64_t value) const override;
  [[nodiscard]] Text call(ScalarFn fn, Dtype operand, Dtype result, int lanes, const Text& a,
                          const Text& b) const override;
  [[nodiscard]] Text bits(const Text& a) const override;
  [[nodiscard]] Text fma(int lanes, const Text& a, const Text& b, const Text& c) const override;
  [[nodiscard]] Text choose(int lanes, const Text& condition, const Text& a, const Text& b) const override;
  [[nodiscard]] Text convert(Dtype from, Dtype to, int lanes, const Text& a) const override;
  [[nodiscard]] Text splat(Dtype, int, const Text& a) const override { return a; }
  [[nodiscard]] Text load(Dtype, const Text& place) const override { return place; }
  [[nodiscard]] Text store(Dtype dtype, const Text& place, const Text& value) const override;
  [[nodiscard]] Text end_of_streams() const override { return ""; }
  [[nodiscard]] Text floor_div(int lanes, const Text& a, const Text& b) const override;
  [[nodiscard]] Text floor_mod(int lanes, const Text& a, const Text& b) const override;
  [[nodiscard]] Text minimum(int lanes, const Text& a, const Text& b) const override;
  [[nodiscard]] Text maximum(int lanes, const Text& a, const Text& b) const override;
  [[nodiscard]] Text fail(View message, const std::vector<Text>& values) const override;
  [[nodiscard]] std::string unused() const override { return ""; }
  [[nodiscard]] Text loop_head(const Text& index, const Text& from, const Text& to, int step) const override;
  [[nodiscard]] bool is_reserved(View name) const override;

  // Of lanes, which there are none of.
  [[nodiscard]] Text count_up(int, const Text&) const override { return none(); }
  [[nodiscard]] Text count_up_short(int) const override { return none(); }
  [[nodiscard]] Text any(const Text&) const override { return none(); }
  [[nodiscard]] Text first_lanes(int, const Text&) const override { return none(); }
  [[nodiscard]] Text low_half(Dtype, int, const Text&) const override { return none(); }
  [[nodiscard]] Text high_half(Dtype, int, const Text&) const override { return none(); }
  [[nodiscard]] Text extreme(bool, const Text&, const Text&) const override { return none(); }
  [[nodiscard]] Text outside(const Text&, const Text&, const Text&) const override { return none(); }
  [[nodiscard]] Text load_lanes(Dtype, int, const codegen::LaneAccess&) const override { return none(); }
  [[nodiscard]] Text store_lanes(Dtype, int, const codegen::LaneAccess&, const Text&) const override { return none(); }

 private:
  [[noreturn]] static Text none();
};

}  // namespace mlgc::c99
