// A sub-command: a name, one line about it, and a function that takes the words after the name.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "diag/diagnostic.h"

namespace mlgc {

using Words = std::vector<std::string>;

struct Command {
  std::string_view name;
  std::string_view summary;
  ExitCode (*run)(const Words& words);
};

// In the order in which `mlgc --help` shows them.
[[nodiscard]] std::span<const Command> commands();
// What `mlgc explain` explains.
[[nodiscard]] std::span<const Command> explain_subjects();
// Of all of them, as tables of a file of flags are called: `opt`, `explain.memory`.
[[nodiscard]] std::vector<std::string> command_names();

// One file each: command_<name>.cpp.
ExitCode run_opt(const Words& words);
ExitCode run_bench(const Words& words);
ExitCode run_cache(const Words& words);
ExitCode run_compare(const Words& words);
ExitCode run_compile(const Words& words);
ExitCode run_completion(const Words& words);
ExitCode run_diff(const Words& words);
ExitCode run_emit(const Words& words);
ExitCode run_eval(const Words& words);
ExitCode run_explain(const Words& words);
ExitCode run_export(const Words& words);
ExitCode run_fmt(const Words& words);
ExitCode run_grad(const Words& words);
ExitCode run_import(const Words& words);
ExitCode run_ops(const Words& words);
ExitCode run_passes(const Words& words);
ExitCode run_quantize(const Words& words);
ExitCode run_reduce(const Words& words);
ExitCode run_rules(const Words& words);
ExitCode run_run(const Words& words);
ExitCode run_tune(const Words& words);

// Subjects of run_explain(), one file each: explain_<subject>.cpp.
ExitCode run_explain_fusion(const Words& words);
ExitCode run_explain_gradients(const Words& words);
ExitCode run_explain_import(const Words& words);
ExitCode run_explain_cache(const Words& words);
ExitCode run_explain_error(const Words& words);
ExitCode run_explain_deps(const Words& words);
ExitCode run_explain_memory(const Words& words);
ExitCode run_explain_model(const Words& words);
ExitCode run_explain_numerics(const Words& words);
ExitCode run_explain_ops(const Words& words);
ExitCode run_explain_partition(const Words& words);
ExitCode run_explain_residuals(const Words& words);
ExitCode run_explain_roofline(const Words& words);
ExitCode run_explain_saved(const Words& words);
ExitCode run_explain_target(const Words& words);
ExitCode run_explain_schedule(const Words& words);
ExitCode run_explain_shapes(const Words& words);

}  // namespace mlgc
