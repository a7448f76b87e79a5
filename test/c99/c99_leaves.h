// How plain C99 spells what the walk asks for: scalars alone. Parallel loops are serial ones, and what has lanes is
// refused (most_lanes() is 1). Scalar functions are spelt as their rows say (ScalarFnInfo::c_real, c_integer).
#pragma once

#include <string>
#include <vector>

#include "codegen/leaves.h"

namespace mlgc::c99 {

class C99Leaves : public codegen::Leaves {
 public:
  using Text = std::string;
  using View = std::string_view;

  [[nodiscard]] int most_lanes() const override { return 1; }
  [[nodiscard]] bool shares_loops() const override { return false; }
  [[nodiscard]] View context_parameters() const override { return "mlgc_failure* failure"; }
  [[nodiscard]] View context_arguments() const override { return "failure"; }
  [[nodiscard]] std::vector<Text> begin_driver() const override;
  [[nodiscard]] Text end_driver() const override { return "return 0;"; }
  [[nodiscard]] Text call_or_return(View function, View arguments) const override;
  [[nodiscard]] Text note_launch(std::size_t) const override { return {}; }
  [[nodiscard]] Text bind_size(std::size_t, View) const override { return {}; }
  [[nodiscard]] View function_prefix() const override { return "static "; }
  [[nodiscard]] View index_type() const override { return "int64_t"; }
  [[nodiscard]] View status_type() const override { return "int32_t"; }
  [[nodiscard]] View element_type(Dtype dtype) const override;
  [[nodiscard]] Text variable_type(Dtype dtype, int lanes) const override;
  [[nodiscard]] View zeros() const override { return "0"; }
  [[nodiscard]] Text pointer_from_untyped(View type, View pointer) const override;
  [[nodiscard]] Text pointer_from_bytes(View type, View pointer) const override;
  [[nodiscard]] Text untyped(View pointer) const override;
  [[nodiscard]] Text real_literal(Dtype dtype, double value) const override;
  [[nodiscard]] Text integer_literal(Dtype dtype, std::int64_t value) const override;
  [[nodiscard]] Text call(ScalarFn fn, Dtype operand, Dtype result, int lanes, View a, View b) const override;
  [[nodiscard]] Text bits(View a) const override;
  [[nodiscard]] Text fma(int lanes, View a, View b, View c) const override;
  [[nodiscard]] Text choose(int lanes, View condition, View a, View b) const override;
  [[nodiscard]] Text convert(Dtype from, Dtype to, int lanes, View a) const override;
  [[nodiscard]] Text splat(Dtype, int, View a) const override { return Text(a); }
  [[nodiscard]] Text load(Dtype, View place) const override { return Text(place); }
  [[nodiscard]] Text store(Dtype dtype, View place, View value) const override;
  [[nodiscard]] Text end_of_streams() const override { return ""; }
  [[nodiscard]] Text floor_div(int lanes, View a, View b) const override;
  [[nodiscard]] Text floor_mod(int lanes, View a, View b) const override;
  [[nodiscard]] Text minimum(int lanes, View a, View b) const override;
  [[nodiscard]] Text maximum(int lanes, View a, View b) const override;
  [[nodiscard]] Text fail(View message, const std::vector<Text>& values) const override;
  [[nodiscard]] Text unused() const override { return ""; }
  [[nodiscard]] Text loop_head(View index, View from, View to, int step) const override;
  [[nodiscard]] bool is_reserved(View name) const override;

  // Of lanes, which there are none of.
  [[nodiscard]] Text count_up(int, View) const override { return none(); }
  [[nodiscard]] Text count_up_short(int) const override { return none(); }
  [[nodiscard]] Text any(View) const override { return none(); }
  [[nodiscard]] Text first_lanes(int, View) const override { return none(); }
  [[nodiscard]] Text low_half(Dtype, int, View) const override { return none(); }
  [[nodiscard]] Text high_half(Dtype, int, View) const override { return none(); }
  [[nodiscard]] Text extreme(bool, View, View) const override { return none(); }
  [[nodiscard]] Text outside(View, View, View) const override { return none(); }
  [[nodiscard]] Text load_lanes(Dtype, int, const codegen::LaneAccess&) const override { return none(); }
  [[nodiscard]] Text store_lanes(Dtype, int, const codegen::LaneAccess&, View) const override { return none(); }

 private:
  [[noreturn]] static Text none();
};

}  // namespace mlgc::c99
