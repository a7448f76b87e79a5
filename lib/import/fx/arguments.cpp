// See arguments.h.
#include "import/fx/arguments.h"

#include <algorithm>

namespace mlgc::fx {

std::optional<PythonValue> Arguments::take(std::string_view name) {
  const auto found =
      std::find_if(keywords.begin(), keywords.end(), [&](const auto& entry) { return entry.first == name; });
  if (found == keywords.end()) return std::nullopt;
  PythonValue value = std::move(found->second);
  keywords.erase(found);
  return value;
}

}  // namespace mlgc::fx
