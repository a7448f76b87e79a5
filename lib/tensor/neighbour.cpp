// See neighbour.h.
#include "tensor/neighbour.h"

#include <cmath>

#include "tensor/compare.h"
#include "tensor/random.h"

namespace mlgc {

Tensor neighbour(const Tensor& tensor, std::uint64_t number) {
  if (!is_float(tensor.dtype())) return tensor;
  Tensor out = tensor;
  const Tensor values = tensor.to_f64();
  const std::span<const double> given = values.data<double>();
  PhiloxStream draws(number);
  for (std::size_t i = 0; i < given.size(); ++i) {
    const std::int64_t step = draws.next_int(-1, 1);
    const double x = given[i];
    if (!std::isfinite(x) || x == 0 || std::abs(x) == 1) continue;
    out.set_double(static_cast<std::int64_t>(i), x + static_cast<double>(step) * ulp_at(tensor.dtype(), std::abs(x)));
  }
  return out;
}

}  // namespace mlgc
