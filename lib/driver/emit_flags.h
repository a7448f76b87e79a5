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
#include "driver/vector_bytes_flag.h"
#include "execution/lower_and_emit.h"
#include "execution/module_data.h"
#include "ir/module.h"
#include "ops/memory_limit.h"
#include "ops/numerics.h"
#include "ops/rewrite_gate.h"
#include "support/result.h"

namespace mlgc {

struct EmitFlags {
  std::string input = "-";
  std::vector<std::string> inputs;  // where several may be given: all of them, `input` the first
  DataOptions data;
  InputTypeFlags input_types;
  Numerics numerics = Numerics::LikeEager;
  std::optional<std::string> pipeline;
  EmitOptions emit;
  std::optional<std::string> arch;  // of --arch
  Words pass_flags;                 // without any, and without a pipeline: -O2
  // --memory-limit and --dim: stated on every function, in the place of what it states.
  std::string limit_text;
  std::vector<std::string> limit_dims;
  std::optional<MemoryLimit> limit;
  std::string machine;  // of --machine; empty: what the module says
  LevelOptions level;
  VectorBytes vectors{.given = {}, .fallback = kAllVectors};  // without --machine, schedules are made for such
};

// Takes the flags of passes out of `words`. With `several` any number of models are taken, which become one module.
void add_emit_flags(Arguments& arguments, EmitFlags& flags, bool several = false);

// --target and --arch.
void add_target_flags(Arguments& arguments, EmitFlags& flags);
void add_memory_format_flag(Arguments& arguments, LevelOptions& flags);
// --decisions and --memory-format.
void add_level_flags(Arguments& arguments, LevelOptions& flags);

// --memory-limit, and --dim beside it.
void add_limit_flags(Arguments& arguments, EmitFlags& flags);
// `64MiB`, of --memory-limit. Error: it is not a number of bytes.
[[nodiscard]] Result<std::int64_t, Diagnostic> read_limit(const std::string& text, const std::string& command);

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

}  // namespace mlgc
