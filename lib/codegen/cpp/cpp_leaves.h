// Private to lib/codegen/cpp: how scalar C++17 spells what the walk asks for.
#pragma once

#include <string>

#include "codegen/leaves.h"

namespace mlgc::codegen {

class CppLeaves final : public Leaves {
 public:
  [[nodiscard]] std::string_view function_prefix() const override { return "extern \"C\" "; }
  [[nodiscard]] std::string_view index_type() const override { return "int64_t"; }
  [[nodiscard]] std::string_view element_type(Dtype dtype) const override;
  [[nodiscard]] std::string_view variable_type(Dtype dtype) const override;
  [[nodiscard]] std::string real_literal(Dtype dtype, double value) const override;
  [[nodiscard]] std::string integer_literal(Dtype dtype, std::int64_t value) const override;
  [[nodiscard]] std::string call(ScalarFn fn, Dtype operand, Dtype result, std::string_view a,
                                 std::string_view b) const override;
  [[nodiscard]] std::string convert(Dtype from, Dtype to, std::string_view a) const override;
  [[nodiscard]] std::string load(Dtype dtype, std::string_view place) const override;
  [[nodiscard]] std::string store(Dtype dtype, std::string_view place, std::string_view value) const override;
  [[nodiscard]] std::string floor_div(std::string_view a, std::string_view b) const override;
  [[nodiscard]] std::string floor_mod(std::string_view a, std::string_view b) const override;
  [[nodiscard]] std::string minimum(std::string_view a, std::string_view b) const override;
  [[nodiscard]] std::string maximum(std::string_view a, std::string_view b) const override;
  [[nodiscard]] std::string allocate(Dtype dtype, std::string_view name, std::string_view count,
                                     std::string_view failure) const override;
  [[nodiscard]] std::string loop_head(std::string_view kind, std::string_view index, std::string_view from,
                                      std::string_view to) const override;
  [[nodiscard]] bool is_reserved(std::string_view name) const override;
};

// The definitions of the mlgc_… helpers that `source` calls, in an order in which they compile.
[[nodiscard]] std::string cpp_helpers(std::string_view source);

}  // namespace mlgc::codegen
