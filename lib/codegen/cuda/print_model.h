// A module at the loop level as a standalone model in CUDA C++: kernels, functions that launch them, host functions,
// the table that the runtime reads, and a header for programs that link it.
//
// Guarantees
//   - The files need lib/runtime and the CUDA toolkit, nothing else.
//   - Names are those of C++ models (cpp/print_model.h): several models link into one program.
//   - The same module gives the same bytes. Results do not depend on how many multiprocessors the device has.
#pragma once

#include <vector>

#include "codegen/model_table.h"
#include "codegen/source_model.h"
#include "codegen/source_options.h"
#include "ir/module.h"

namespace mlgc {

// Precondition: as print_cpp_model(); the schedule is one for grids (emitter/grid_emitter.h), though any is printed. Of
// the options the version counts. Error: kCannotEmit, also where the module has no host function.
[[nodiscard]] Result<SourceModel, Diagnostic> print_cuda_model(const Module& module, const codegen::DataPlaces& places,
                                                               const SourceOptions& options);

// Its host functions; what kernels of a grid take is known once they are printed. Loop functions without a host
// function get one.
[[nodiscard]] Result<std::vector<codegen::ModelFunction>, Diagnostic> describe_cuda_host_functions(Module& module);

}  // namespace mlgc
