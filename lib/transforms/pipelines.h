// Pipelines with a name: the levels of optimisation, one row each.
#pragma once

#include <span>
#include <string_view>

namespace mlgc {

// A list of passes that users ask for by a level: `-O2`. The text is all there is to it: what runs is what
// `--dump-pass-pipeline` prints.
struct NamedPipeline {
  std::string_view name;     // `O2`
  std::string_view summary;  // one sentence
  std::string_view text;     // pipeline text (pass/pipeline.h), without warnings about its order
};

[[nodiscard]] std::span<const NamedPipeline> named_pipelines();
// Null when none has the name.
[[nodiscard]] const NamedPipeline* find_pipeline(std::string_view name);

// What `--to=NAME` stands for: the passes from a graph to a level of the program, one row each, highest level first.
[[nodiscard]] std::span<const NamedPipeline> level_pipelines();

}  // namespace mlgc
