// How C99 spells scalar functions, a row for each.
#pragma once

#include <string>
#include <string_view>

#include "formula/scalar_function.h"

namespace mlgc::c99 {

struct ScalarSpelling {
  std::string_view name;     // the function's, as scalar_fn_info() has it
  std::string_view real;     // with {0} and {1}; {f} is the suffix `f` for f32
  std::string_view integer;  // on 64-bit integers; mlgc_… are helpers of the prelude
};

// Empty texts: C99 has none.
[[nodiscard]] ScalarSpelling spelling_of(ScalarFn fn);
// Whether the text calls a function of libm.
[[nodiscard]] bool calls_libm(std::string_view text);

}  // namespace mlgc::c99
