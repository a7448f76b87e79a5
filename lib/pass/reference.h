// The reference of passes, from their rows: for `mlgc passes` and docs/passes.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "pass/pass.h"

namespace mlgc {

enum class ReferenceFormat : std::uint8_t {
  Text,      // a line per pass
  Markdown,  // a section per pass
  Json,      // {"version":1,"passes":[{"name","summary","description","options","counters","needs","makes","order",
             // "example"}]}
};
[[nodiscard]] std::string passes_reference(std::span<const PassDef* const> passes, ReferenceFormat format);

}  // namespace mlgc
