// A module at the loop level as source that stands alone: its files, and what all languages write alike, the header for
// programs that link it.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/emitter_hooks.h"
#include "codegen/model_table.h"
#include "ir/module.h"

namespace mlgc {

struct EmittedFile {
  std::string name, text;
};

struct SourceModel {
  std::vector<EmittedFile> sources;  // the first has the table
  EmittedFile header;                // `model.h`
  std::string symbol;                // `mlgc_unit_mlp`
};

// The name of the module as a C identifier.
[[nodiscard]] std::string model_identifier(const Module& module);

// How the text of `model.h` begins, in every language.
inline constexpr std::string_view kModelHeaderBegins = "/* The model `";

namespace codegen {

// `model`, if it has none.
[[nodiscard]] std::string_view module_name(const Module& module);

// `model.h`: what the functions take, and their numbers. `symbol` is that of the unit; names are those of `hooks`.
[[nodiscard]] EmittedFile model_header(const Module& module, std::span<const ModelFunction> functions,
                                       const std::string& symbol, const EmitterHooks& hooks);

// A symbol as an identifier that is not among `names`, which it joins.
[[nodiscard]] std::string free_name(std::string_view symbol, const EmitterHooks& hooks, std::set<std::string>& names);

// The functions under such names, as print_loop_function() prints them.
[[nodiscard]] Result<std::vector<PrintedFunction>, Diagnostic> print_loop_functions(std::span<const OpRef> functions,
                                                                                    const EmitterHooks& hooks,
                                                                                    std::set<std::string>& names);
// The functions that some of them share, each once.
[[nodiscard]] std::string shared_functions(std::span<const PrintedFunction> functions);
// What each of them takes.
[[nodiscard]] std::vector<FunctionMemory> memory_of(std::span<const PrintedFunction> functions);

}  // namespace codegen

}  // namespace mlgc
