// The flags of `mlgc opt` that speak of passes: --pass-pipeline and one flag a pass, in order of appearance.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "diag/diagnostic.h"
#include "driver/command.h"
#include "pass/pipeline.h"

namespace mlgc {

// Takes `--NAME` and `--NAME=options` of passes out of the words and returns them in order. Words after `--` stay.
[[nodiscard]] Words take_pass_flags(Words& words);

// `--NAME` of every pass.
[[nodiscard]] std::vector<std::string> pass_flag_names();

// From either way of saying it; both together are a conflict. Errors in the text of a pipeline are located in it, which
// the table then holds.
[[nodiscard]] Result<Pipeline, Diagnostic> make_pipeline(const Words& pass_flags,
                                                         const std::optional<std::string>& pipeline_text,
                                                         LocationTable& locations);

}  // namespace mlgc
