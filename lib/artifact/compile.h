// From emitted sources to a shared object that stands alone, by way of the cache.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "artifact/cache.h"
#include "artifact/compiler.h"
#include "artifact/runtime_source.h"
#include "diag/diagnostic.h"
#include "support/result.h"
#include "support/scratch_folder.h"

namespace mlgc {

struct CompileRequest {
  std::string name;  // of the model, for messages and the cache
  // Files of the compiler's language; what they include of the runtime is there. Several compile at once.
  std::vector<SourceText> sources;
  std::vector<std::string> flags;                   // after the compiler's own: `-O1`, `-march=x86-64-v3`
  std::string compiler;                             // the command; empty: see find_compiler()
  std::map<std::string, std::string> made_of = {};  // as CacheKey has it
  const CompilerDef* by = &compilers().front();
  std::string arch = {};  // of `by`, where it has such
};

struct CompiledUnit {
  std::string path;      // of the shared object, with the runtime in it
  std::string compiler;  // as it calls itself
  std::vector<std::string> flags;
  bool cached = false;                    // nothing was compiled
  std::string miss;                       // else why: miss_text()
  double seconds = 0;                     // that finding or making it took
  std::shared_ptr<ScratchFolder> folder;  // where the object is
};

// What the unit is kept under, without compiling it.
[[nodiscard]] Result<CacheKey, Diagnostic> cache_key(const CompileRequest& request);

// On failure nothing is left behind but, where the compiler refuses the sources, these, in a folder that is named.
[[nodiscard]] Result<CompiledUnit, Diagnostic> compile_unit(const CompileRequest& request, const Cache& cache,
                                                            DiagnosticEngine& diagnostics);

// A form of one source (compiler.h): PTX, machine code. Error: also where what turns it into text is not there.
[[nodiscard]] Result<std::string, Diagnostic> compile_to_form(const CompileRequest& request, const CompiledForm& form);

}  // namespace mlgc
