// See level_parts.h.
#include "transforms/level_parts.h"

#include <algorithm>
#include <array>

#include "support/result.h"

namespace mlgc {
namespace {

void drop(Pipeline& passes, std::string_view pass) {
  std::erase_if(passes.steps, [&](const PassStep& step) { return step.pass->name == pass; });
}

constexpr std::array kParts{
    LevelPart{"fusion", "each op is a kernel of its own",
              [](Pipeline& passes) {
                for (PassStep& step : passes.steps) {
                  if (step.pass->name != "fuse") continue;
                  auto made = make_step(*step.pass, "max-ops=1 tile-bytes=0");
                  MLGC_ASSERT(made.ok(), "options that `fuse` does not have");
                  step = *std::move(made);
                }
              }},
    LevelPart{"layout", "buffers and weights lie in memory as the model says",
              [](Pipeline& passes) {
                drop(passes, "layout");
                drop(passes, "weight-panels");
              }},
    LevelPart{"schedule", "loops stay as they are lowered: on one thread, without tiles and lanes",
              [](Pipeline& passes) { drop(passes, "schedule"); }},
};

}  // namespace

std::span<const LevelPart> level_parts() { return kParts; }

const LevelPart* find_level_part(std::string_view name) {
  const auto at = std::find_if(kParts.begin(), kParts.end(), [&](const LevelPart& part) { return part.name == name; });
  return at == kParts.end() ? nullptr : &*at;
}

}  // namespace mlgc
