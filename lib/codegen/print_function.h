// The one emitter of C-like source from loop functions; a back end supplies the hooks (emitter_hooks.h).
//
// Guarantees
//   - Each function is `status name(runtime, buffers in the order of its arguments, sizes in the order of their names,
//     memory if it allocates outside of parallel loops)`; it returns 0, or what the runtime's fail() returned.
//   - A parallel loop becomes a function over a range of its iterations that the runtime calls; one inside of another
//   is
//     serial. A vector loop becomes strips of its lanes, the last of them masked. An unrolled loop is printed once for
//     each iteration.
//   - Buffers of the scope `register` become names, if their subscripts are constants after unrolling or the index of a
//     vector loop; other buffers are memory that the caller provides.
//   - Each nest is preceded by the text that it was printed from, each function by what it costs and by the lines of
//     the user's program that it came from.
//   - The loops of a register tile of products become a call of a function that kernels share
//   (emitter/tile_function.h).
//   - Values are computed in the order of the text; names come from the text and are unique in a function.
#pragma once

#include <map>
#include <string>

#include "analysis/function_memory.h"
#include "codegen/emitter_hooks.h"
#include "diag/diagnostic.h"
#include "ir/module.h"
#include "support/result.h"

namespace mlgc::codegen {

struct PrintedFunction {
  std::string text;
  std::string name, parameters, arguments;         // of the function, as UnitFunction has them
  bool has_parallel_loops = false;                 // of its own, beside those of what it launches
  std::map<std::string, std::string> shared = {};  // functions that the text calls and others may, by name
  FunctionMemory memory = {};                      // that the caller provides
};

// `name` is the function's. Error: something that the text may say and no function of C is made of. Precondition
// (InternalError): a loop function that the verifier accepts.
[[nodiscard]] Result<PrintedFunction, Diagnostic> print_loop_function(OpRef func, const std::string& name,
                                                                      const EmitterHooks& hooks);

}  // namespace mlgc::codegen
