// Emitted models as machine code: in this process, or on disk.
#pragma once

#include <string>
#include <vector>

#include "artifact/artifact.h"
#include "artifact/model.h"
#include "compile/emit_model.h"
#include "diag/diagnostic.h"
#include "machine/machine.h"
#include "support/result.h"

namespace mlgc {

struct CompileOptions {
  std::string compiler;            // of the target's language; empty: see find_compiler()
  std::vector<std::string> flags;  // more of them
  // 64, 32, 16: kernels for vectors of so many bytes alone, which takes a third of the time; 0: all.
  std::int32_t vector_bytes = 0;
  bool use_cache = true;    // false: compile anew, and keep nothing
  Externals externals;      // what computes the segments of a model that is loaded
  std::int32_t device = 0;  // that a loaded model lives on, where its target is for such
};

// What the kernels of this machine's processor use: 64, 32 or 16.
[[nodiscard]] std::int32_t widest_vectors();
// Whether this machine's processor has the vectors and the instructions that kernels for the machine use.
[[nodiscard]] bool runs_here(const CpuMachine& machine);

// What it is kept under in the cache.
[[nodiscard]] Result<CacheKey, Diagnostic> cache_key(const EmittedModel& model, const CompileOptions& options);

// The model in a form of its compiler: PTX, machine code. Precondition: the form is of the target's compiler.
[[nodiscard]] Result<std::string, Diagnostic> emitted_form(const EmittedModel& model, const CompiledForm& form,
                                                           const CompileOptions& options);
// The row of what compiles the target's source.
[[nodiscard]] const CompilerDef& compiler_of(const TargetDef& target);

[[nodiscard]] Result<CompiledUnit, Diagnostic> compile_emitted(const EmittedModel& model, const CompileOptions& options,
                                                               DiagnosticEngine& diagnostics);

// Compiled and loaded with its weights in memory.
[[nodiscard]] Result<Model, Diagnostic> load_emitted(const EmittedModel& model, const CompileOptions& options,
                                                     DiagnosticEngine& diagnostics);

}  // namespace mlgc
