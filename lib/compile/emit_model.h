// From a module at the loop level, with its data, to a model: source text, and the tensors that its weights file holds.
//
// Guarantees
//   - Derived weights are computed here, once; the model never computes them.
//   - The same module and data give the same bytes.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "codegen/target.h"
#include "diag/diagnostic.h"
#include "interp/interpret_module.h"
#include "ir/module.h"
#include "support/result.h"
#include "tensor/npz.h"

namespace mlgc {

struct EmitOptions {
  const TargetDef* target = targets().front();  // never null
  std::string arch = {};                        // what the build files name; empty: the target's own
  Mathematics mathematics = Mathematics::Prelude;
  std::size_t bytes_per_file = SourceOptions{}.bytes_per_file;
  std::int32_t vector_bytes = SourceOptions{}.vector_bytes;
};

struct EmittedModel {
  std::string name;  // of the module, as a C identifier
  const TargetDef* target = targets().front();
  std::string arch;
  std::int32_t vector_bytes = 0;  // as EmitOptions
  SourceModel source;
  NamedTensors weights;                             // then states
  std::map<std::string, std::string> made_of = {};  // for the cache (artifact/cache.h); who emits may say it
};

// Precondition: the module verifies; loop functions without a host function get one. `data`: what is not derived.
// Error: kCannotEmit, what a derived weight may fail with, kCannotWrite for a name that the weights file cannot hold.
[[nodiscard]] Result<EmittedModel, Diagnostic> emit_model(Module& module, const ModuleData& data,
                                                          const EmitOptions& options);

// The tensors of its weights file, for these data; in what order, the module alone says. Error: what a derived weight
// may fail with.
[[nodiscard]] Result<NamedTensors, Diagnostic> model_tensors(Module& module, const ModuleData& data);

}  // namespace mlgc
