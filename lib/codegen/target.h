// What models are emitted for: a row for each back end, and the table of them.
//
// A back end is a folder of lib/codegen and one line in targets.cpp. It shares the emitter of functions
// (print_function.h) with the others, to which it supplies hooks (emitter_hooks.h), and the tables of host functions
// (model_table.h).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/model_table.h"
#include "codegen/source_model.h"
#include "codegen/source_options.h"
#include "diag/diagnostic.h"
#include "ir/module.h"
#include "machine/machine.h"
#include "support/result.h"

namespace mlgc {

// What the files beside the source speak of.
struct EmittedFolder {
  std::string name;                  // of the model, an identifier
  std::string arch;                  // what --arch says, or the target's own
  std::int32_t vector_bytes = 0;     // as SourceOptions
  std::vector<std::string> sources;  // names of files, the first has the table
  bool has_weights = false;
};

struct TargetDef {
  std::string_view name;       // of --target
  std::string_view summary;    // one clause, for --help
  std::string_view level;      // of the pipelines: what it prints (`mlgc passes`)
  std::string_view machine;    // a built-in machine, where neither a flag nor the module says one
  std::string_view arch = "";  // of --arch, where it is not given; empty: there is no such flag
  bool (*takes_arch)(std::string_view text) = nullptr;  // where there is one
  // What of a module that is lowered to the level the architecture cannot run; null: each runs all of it. Error:
  // kArchLacks.
  std::optional<Diagnostic> (*beyond_arch)(const Module& module, std::string_view arch) = nullptr;
  bool runtime = true;                 // lib/runtime goes with the source
  std::string_view compiler = "host";  // what compiles the source, by name (artifact/compiler.h)

  // Precondition: the module verifies and is lowered to the level. `places` are those of codegen::model_data(). Error:
  // kCannotEmit, also where the module has no host function.
  Result<SourceModel, Diagnostic> (*print)(const Module& module, const codegen::DataPlaces& places,
                                           const SourceOptions& options);
  // Its host functions, with what its kernels take. Loop functions without a host function get one. Error: kCannotEmit,
  // kSizeNotInferred.
  Result<std::vector<codegen::ModelFunction>, Diagnostic> (*describe)(Module& module);
  // How the folder is built, and what a reader is told: CMakeLists.txt, README.md.
  std::vector<EmittedFile> (*build_files)(const EmittedFolder& folder);

  // That of its machine: whose strategies its level takes.
  [[nodiscard]] MachineKind kind() const;
};

// In the order in which --help lists them; the first is the default. They live as long as the program.
[[nodiscard]] std::span<const TargetDef* const> targets();

}  // namespace mlgc
