// See pool_windows.h.
#include "export/pool_windows.h"

namespace mlgc {

PoolWindows::PoolWindows(const IndexPool& sizes, const RowCall& call)
    : window(call.constants("kernel_size")),
      strides(call.constants("stride")),
      low(call.constants("padding")),
      dilations(call.attrs.has("dilation") ? call.constants("dilation") : std::vector<std::int64_t>(window.size(), 1)) {
  const std::size_t first = call.operands[0].shape.size() - window.size();
  for (std::size_t i = 0; i < window.size(); ++i) {
    const auto in = sizes.as_constant(call.operands[0].shape[first + i]);
    const auto out = sizes.as_constant(call.results[0].shape[first + i]);
    if (!in || out != 1 || dilations[i] != 1 || window[i] < low[i] + *in) continue;
    elements_only = elements_only && low[i] == 0;
    window[i] = *in;
    low[i] = 0;
  }
}

}  // namespace mlgc
