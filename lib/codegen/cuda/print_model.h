// A module at the loop level as a standalone model in CUDA C++: kernels, functions that launch them, drivers, the table
// that the runtime reads, and a header for programs that link it.
//
// Guarantees
//   - The files need lib/runtime and the CUDA toolkit, nothing else.
//   - Names are those of C++ models (cpp/print_model.h): several models link into one program.
//   - The same module gives the same bytes. Results do not depend on how many multiprocessors the device has.
#pragma once

#include <string>

#include "codegen/cpp/print_table.h"
#include "codegen/source_model.h"
#include "ir/module.h"

namespace mlgc {

// Precondition: as print_cpp_model(); the schedule is one for grids (walk_grid.cpp), though any is printed. `version`
// is the compiler's. Error: kCannotEmit, also where the module has no driver.
[[nodiscard]] Result<SourceModel, Diagnostic> print_cuda_model(const Module& module, const codegen::DataPlaces& places,
                                                               const std::string& version);

}  // namespace mlgc
