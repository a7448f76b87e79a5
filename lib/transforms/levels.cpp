// See levels.h.
#include "transforms/levels.h"

#include <algorithm>
#include <utility>

#include "loopir/module_machine.h"
#include "pass/option_text.h"
#include "pass/pipeline.h"
#include "support/log.h"
#include "transforms/all_passes.h"
#include "transforms/level_parts.h"
#include "transforms/pipelines.h"

namespace mlgc {
namespace {

Pipeline level_pipeline(std::string_view name) {
  const auto levels = level_pipelines();
  const auto level =
      std::find_if(levels.begin(), levels.end(), [&](const NamedPipeline& row) { return row.name == name; });
  MLGC_ASSERT(level != levels.end(), "there is no such level");
  auto passes = parse_pipeline(level->text, all_passes());
  MLGC_ASSERT(passes.ok(), "a level that is no pipeline");
  return *std::move(passes);
}

auto step_of(Pipeline& passes, std::string_view pass) {
  return std::find_if(passes.steps.begin(), passes.steps.end(),
                      [&](const PassStep& step) { return step.pass->name == pass; });
}

// Gives a step an option beside those that it has, unless that is empty.
void add_option(PassStep& step, std::string_view name, const std::string& value) {
  if (value.empty()) return;
  std::string text = print(step);
  const std::string own = std::string(name) + "=" + option_text(value);
  const std::size_t open = text.find('{');
  text = open == std::string::npos ? own : text.substr(open + 1, text.size() - open - 2) + " " + own;
  auto made = make_step(*step.pass, text);
  MLGC_ASSERT(made.ok(), "what is asked is no option of its pass");
  step = *std::move(made);
}

// Gives a step its only option, unless that is empty.
void set_option(PassStep& step, std::string_view name, const std::string& value) {
  if (value.empty()) return;
  auto made = make_step(*step.pass, std::string(name) + "=" + option_text(value));
  MLGC_ASSERT(made.ok(), "what is asked is no option of its pass");
  step = *std::move(made);
}

void set_options(Pipeline& passes, const LevelOptions& asked) {
  if (const auto step = step_of(passes, "schedule"); step != passes.steps.end())
    add_option(*step, "decisions", asked.decisions);
  if (const auto step = step_of(passes, "layout"); step != passes.steps.end())
    set_option(*step, "format", asked.memory_format);
  for (const std::string& part : asked.without) find_level_part(part)->leave_out(passes);
}

}  // namespace

bool optimise(Module& module, DiagnosticEngine& diagnostics, const RunPassesOptions& options) {
  auto passes = parse_pipeline(find_pipeline("O2")->text, all_passes());
  MLGC_ASSERT(passes.ok(), "a level that is no pipeline");
  return run_passes(module, *passes, diagnostics, options);
}

// Pipelines run as text, so that errors are located in it.
bool lower_to(std::string_view level, Module& module, DiagnosticEngine& diagnostics, const RunPassesOptions& options,
              const LevelOptions& asked) {
  Pipeline passes = level_pipeline(level);
  set_options(passes, asked);
  if (!run_passes(module, passes.print(), diagnostics, options)) return false;
  log_info("lowered to the level " + std::string(level));
  return true;
}

bool lower_for(const TargetDef& target, Module& module, Numerics numerics, DiagnosticEngine& diagnostics,
               const LevelOptions& asked) {
  if (target.machine != default_machine(target.kind()).name && !stated_machine(module))
    state_machine(module, *find_machine(target.machine));
  return lower_to(target.level, module, diagnostics, {.numerics = numerics}, asked);
}

bool lower_unscheduled(const TargetDef& target, Module& module, Numerics numerics, DiagnosticEngine& diagnostics,
                       const LevelOptions& asked) {
  Pipeline passes = level_pipeline(target.level);
  passes.steps.erase(step_of(passes, "schedule"), passes.steps.end());
  set_options(passes, asked);
  return run_passes(module, passes.print(), diagnostics, {.numerics = numerics});
}

bool schedule_loops(const TargetDef& target, Module& module, Numerics numerics, const std::string& decisions,
                    DiagnosticEngine& diagnostics) {
  Pipeline passes = level_pipeline(target.kind() == MachineKind::Cpu ? "loops" : target.level);
  passes.steps.erase(passes.steps.begin(), step_of(passes, "schedule"));
  add_option(passes.steps.front(), "decisions", decisions);
  return run_passes(module, passes.print(), diagnostics, {.numerics = numerics});
}

}  // namespace mlgc
