// Layers whose call does not look like a row's.
#include "import/pt2/convert.h"

namespace mlgc::pt2 {
namespace {}  // namespace
std::span<const Converter> network_converters() { return {}; }
}  // namespace mlgc::pt2
