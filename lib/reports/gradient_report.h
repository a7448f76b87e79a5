// What `mlgc grad --check` found, as text and as JSON. The same report gives the same bytes.
#pragma once

#include <string>
#include <vector>

#include "check/gradient_check.h"
#include "diag/location.h"

namespace mlgc {

struct GradientReport {
  std::string function;
  std::string inputs;  // `B = 3, plain values`, `the inputs that were given`
  OpGradients ops;
  std::vector<ValueCheck> values;
};

[[nodiscard]] std::string render_text(const GradientReport& report, const LocationTable& locations);
// One object, "version": 1; numbers that JSON cannot say are the strings "nan", "inf" and "-inf".
[[nodiscard]] std::string render_json(const GradientReport& report, const LocationTable& locations);

}  // namespace mlgc
