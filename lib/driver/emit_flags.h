// What `emit` and `compile` have in common: the flags that say which model, and the way from it to source.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compile/emit_model.h"
#include "diag/diagnostic.h"
#include "driver/arguments.h"
#include "driver/command.h"
#include "driver/fallback_flag.h"
#include "driver/input_type_flag.h"
#include "driver/module_data.h"
#include "driver/vector_bytes_flag.h"
#include "ir/module.h"
#include "ops/memory_limit.h"
#include "ops/numerics.h"
#include "ops/rewrite_gate.h"
#include "support/result.h"

namespace mlgc {

// What is asked of the passes of a level; without, they do what they do by default.
struct LevelFlags {
  std::string decisions;             // of --decisions; empty: the default schedule
  std::string memory_format;         // of --memory-format; empty: as the pass `layout` does by itself
  std::vector<std::string> without;  // level_parts.h: what is left out
};

struct EmitFlags {
  std::string input = "-";
  std::vector<std::string> inputs;  // where several may be given: all of them, `input` the first
  DataFlags data;
  InputTypeFlags input_types;
  Numerics numerics = Numerics::LikeEager;
  std::optional<std::string> pipeline;
  EmitOptions emit;
  Words pass_flags;  // without any, and without a pipeline: -O2
  // --memory-limit and --dim: stated on every function, in the place of what it states.
  std::string limit_text;
  std::vector<std::string> limit_dims;
  std::optional<MemoryLimit> limit;
  std::string machine;  // of --machine; empty: what the module says
  LevelFlags level;
  VectorBytesFlag vectors{.given = {}, .fallback = kAllVectors};  // without --machine, schedules are made for such
};

// Takes the flags of passes out of `words`. With `several` any number of models are taken, which become one module.
void add_emit_flags(Arguments& arguments, EmitFlags& flags, bool several = false);

void add_memory_format_flag(Arguments& arguments, LevelFlags& flags);
// --decisions and --memory-format.
void add_level_flags(Arguments& arguments, LevelFlags& flags);

// --memory-limit, and --dim beside it.
void add_limit_flags(Arguments& arguments, EmitFlags& flags);
// `64MiB`, of --memory-limit. Error: it is no number of bytes.
[[nodiscard]] Result<std::int64_t, Diagnostic> read_limit(const std::string& text, const std::string& command);

// States the limit on the function, without sizes that it does not speak of.
void state_own_limit(FuncRef function, MemoryLimit limit);

// What flags say beyond what CLI11 checks. What is wrong, if anything.
[[nodiscard]] std::optional<Diagnostic> read_emit_flags(EmitFlags& flags, const std::string& command);

// Reads the model, or links several (link_models.h). `data`, where it is not null, gets the values of weights and
// states. Nothing when an error was reported.
[[nodiscard]] std::optional<Module> load_from_flags(const EmitFlags& flags, const std::shared_ptr<Context>& context,
                                                    ModuleData* data, DiagnosticEngine& diagnostics);
// Runs the passes that the flags say, in place. False: an error was reported.
// `log` gets the rewrites that may alter numbers.
[[nodiscard]] bool run_flag_passes(Module& module, const EmitFlags& flags, DiagnosticEngine& diagnostics,
                                   std::vector<AppliedRewrite>* log = nullptr);

// Reads the model, runs passes, lowers to the level `plan`; `data` as above. Nothing when an error was reported.
[[nodiscard]] std::optional<Module> lower_from_flags(const EmitFlags& flags, const std::shared_ptr<Context>& context,
                                                     ModuleData* data, DiagnosticEngine& diagnostics);

// The same, and emits.
[[nodiscard]] std::optional<EmittedModel> emit_from_flags(const EmitFlags& flags,
                                                          const std::shared_ptr<Context>& context,
                                                          DiagnosticEngine& diagnostics);

// Lowers the module to a level, `loops`, `gpu-loops` or `plan`, in place. False: an error was reported.
[[nodiscard]] bool lower_to(std::string_view level, Module& module, Numerics numerics, DiagnosticEngine& diagnostics,
                            const LevelFlags& flags = {}, std::vector<AppliedRewrite>* log = nullptr);
// Schedules what lower_unscheduled() left, with the strategies that a file of decisions names (schedule/decisions.h;
// empty: none). False: an error was reported.
[[nodiscard]] bool schedule_loops(Module& module, Numerics numerics, const std::string& decisions,
                                  DiagnosticEngine& diagnostics);
// Lowers the module to loops of the target that have no schedule yet. False: an error was reported.
[[nodiscard]] bool lower_unscheduled(const TargetDef& target, Module& module, Numerics numerics,
                                     const LevelFlags& flags, DiagnosticEngine& diagnostics);

struct LowerOptions {
  Numerics numerics = Numerics::LikeEager;
  EmitOptions emit = {};
  LevelFlags level = {};
};
// Plans a module of scheduled loops and emits it, for a CPU. Nothing when an error was reported.
[[nodiscard]] std::optional<EmittedModel> plan_and_emit(Module& module, const ModuleData& data,
                                                        const LowerOptions& options, DiagnosticEngine& diagnostics);
// Lowers the module and emits it. Nothing when an error was reported.
[[nodiscard]] std::optional<EmittedModel> lower_and_emit(Module& module, const ModuleData& data,
                                                         const LowerOptions& options, DiagnosticEngine& diagnostics);

}  // namespace mlgc
