// A module at the loop level as a standalone model in C++: kernels, host functions, the table that the runtime reads,
// and a header for programs that link it.
//
// Guarantees
//   - The files need lib/runtime and a C++ compiler, nothing else; unit.h of this folder says which compilers and
//   flags.
//   - All names are in a namespace of the model's own but for `mlgc_unit_NAME`, and `number_of_NAME_…` in the header:
//     several models link into one program.
//   - The same module gives the same bytes.
#pragma once

#include <string>
#include <vector>

#include "codegen/model_table.h"
#include "codegen/source_model.h"
#include "codegen/source_options.h"
#include "ir/module.h"

namespace mlgc {

// Precondition: the module verifies and is lowered (every host function's callees are loop functions). `places` are
// those of codegen::model_data(). Error: kCannotEmit, also where the module has no host function.
[[nodiscard]] Result<SourceModel, Diagnostic> print_cpp_model(const Module& module, const codegen::DataPlaces& places,
                                                              const SourceOptions& options);

}  // namespace mlgc
