// Kernels under the roof of a machine, as a plot of characters.
#pragma once

#include <string>
#include <vector>

#include "machine/roof.h"

namespace mlgc {

struct RooflinePoint {
  double intensity = 0;  // operations a byte; infinite: the kernel moves nothing
  double gflops = 0;     // 10^9 operations a second
  char mark = '+';
};

// The mark of the i-th kernel: from the alphabet, and `+` after its end.
[[nodiscard]] char roofline_mark(std::size_t kernel);

// Operations a second over operations a byte, both as powers of two: the roof as a line, and the points. Points of
// several kernels in one place are `*`; of upper and lower case the upper case stays.
[[nodiscard]] std::string roofline_plot(const Roof& roof, const std::vector<RooflinePoint>& points);

}  // namespace mlgc
