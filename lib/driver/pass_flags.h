// The flags of `mlgc opt` and `mlgc eval` that speak of passes: --pass-pipeline; and one flag a pass, a level of
// optimisation (`-O2`, which stands for the passes of its row), a level of the program (`--to=loops`, likewise) and
// --rules=FILE (for `apply-rules`), in order of appearance. Rules may also stand beside a pipeline, and are applied
// before it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "diag/diagnostic.h"
#include "driver/arguments.h"
#include "driver/command.h"
#include "ir/module.h"
#include "pass/pipeline.h"

namespace mlgc {

// `--NAME` and `--NAME=options` of a pass, `-O2`, `--to=LEVEL` unless it is left out, `--rules=FILE`.
[[nodiscard]] bool is_pass_flag(const std::string& word, bool with_to = true);

// Lets a command take `--NAME` and `--NAME=options` of passes, `-O2`, `--to=LEVEL` (a flag of the command itself
// without `with_to`) and `--rules=FILE`, which then stand in `taken` in order. In a file of flags they are the list
// `passes`.
void add_pass_flags(Arguments& arguments, Words& taken, bool with_to = true);

// The files of `--rules=FILE` among the words.
[[nodiscard]] std::vector<std::string> rule_files_of(const Words& pass_flags);

// A line for each level, for the help of a command.
[[nodiscard]] std::string levels_help();

// From either way of saying it; both together are a conflict. Errors in the text of a pipeline are located in it, which
// the table then holds.
[[nodiscard]] Result<Pipeline, Diagnostic> make_pipeline(const Words& pass_flags,
                                                         const std::optional<std::string>& pipeline_text,
                                                         LocationTable& locations);

// --dim=NAME=SIZE: a pass before all others, but for one that puts ops in order.
[[nodiscard]] std::optional<Diagnostic> specialize_first(Pipeline& pipeline, const std::vector<std::string>& dims,
                                                         std::string_view command);

}  // namespace mlgc
