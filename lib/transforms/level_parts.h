// What levels of the program do that can be left out, to see what it is worth.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pass/pipeline.h"

namespace mlgc {

struct LevelPart {
  std::string_view name, summary;
  void (*leave_out)(Pipeline& passes);
};
[[nodiscard]] std::span<const LevelPart> level_parts();
// Null when there is none of that name.
[[nodiscard]] const LevelPart* find_level_part(std::string_view name);

}  // namespace mlgc
