// What a unit's table (lib/runtime/unit.h) says of a module at the loop level, before it is written in some language:
// signatures, memory and launches of its host functions.
//
// Guarantees
//   - Everything is in the order of the text: functions, launches, buffers by their `alloc`, symbols by name.
//   - A buffer is a memory of the plan: all `alloc`s that lie in it are one, which lives from the first of them to the
//     last (analysis/host_function_memory.h). What lies in a result is none.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "codegen/emitter_hooks.h"
#include "codegen/print_function.h"
#include "diag/diagnostic.h"
#include "ir/constraint.h"
#include "ir/module.h"
#include "ops/solved_products.h"
#include "support/result.h"

namespace mlgc::codegen {

// Where the weights file holds what the table speaks of.
struct DataPlaces {
  std::vector<std::int64_t> weights, states;  // offsets, in the order of ModelData
  std::int64_t file_bytes = 0, header_bytes = 0;
  std::uint64_t header_hash = 0;
};

// The functions that host functions of the module launch, each once, in the order of the module: kernels, and what
// external targets compute.
[[nodiscard]] std::vector<OpRef> launched_kernels(const Module& module);
[[nodiscard]] std::vector<OpRef> launched_externals(const Module& module);

// What the weights file holds, in the order of the module: weights that host functions read, derived ones too; and what
// calls change, which is all states, and weights that some host function updates.
struct ModelData {
  std::vector<OpRef> weights, states;
  std::unordered_map<std::string_view, std::size_t> weight_of, state_of;  // by symbol
};
[[nodiscard]] ModelData model_data(const Module& module);

struct ModelSymbol {
  AtomId atom;
  std::string name;
  std::int64_t low = 0;
  std::optional<std::int64_t> high;
  std::size_t stage = 0;  // as the runtime counts them: 0 where it is known when the call begins
};

// Dim `axis` of input `input`, or without one its value, is factor * symbol + offset.
struct ModelBinding {
  std::size_t symbol = 0, input = 0;
  std::optional<std::size_t> axis;
  std::int64_t factor = 1, offset = 0;
};

struct ModelValue {
  std::string name;  // of a new state: `@state`
  Type type;
  std::size_t argument = 0;                 // of the host function
  std::optional<std::size_t> state, input;  // that it is the new value of
  bool in_place = false;                    // written over that state
};

struct ModelBuffer {
  std::string name;
  IndexExpr bytes;
  std::size_t first = 0, last = 0;  // steps: each op of the host function is one
  std::size_t stage = 0;            // in which its size is known
  Location at = {};                 // of what is computed into it
};

// A buffer that a launch is given.
struct ModelOperand {
  std::string name;
  Type type;
};

struct ModelLaunch {
  std::string name;                     // of the kernel
  std::size_t kernel = 0;               // in launched_kernels()
  std::optional<std::size_t> external;  // in launched_externals(), in its place
  std::vector<ModelOperand> operands;   // those that it writes last
  std::size_t written = 0;
  std::string within;            // the ops around it: `for > if`
  std::vector<IndexExpr> sizes;  // the kernel's symbols, by name, in the host function's words
  IndexExpr bytes;               // read and written
  std::optional<IndexExpr> flops;
  std::optional<std::size_t> memory;  // the buffer that the kernel allocates in
};

struct ModelFunction {
  OpRef host_function;
  std::vector<ModelSymbol> symbols;     // one for a product whose sizes are in no other dim, called `B*S`
  std::vector<SolvedProduct> products;  // those, whose other sizes are 1
  std::vector<ModelBinding> bindings;   // one for each symbol of stage 0
  Constraints constraints;              // what the ranges of symbols do not say
  std::vector<ModelValue> inputs, outputs;
  std::vector<ModelBuffer> buffers;
  std::vector<ModelLaunch> launches;
  std::vector<IndexExpr> scratch;                              // of the kernels, the largest, by stage
  std::unordered_map<OpId, std::size_t> launch_of, buffer_of;  // of `launch` and of `alloc`s in the arena

  // The stage in which what depends on symbols of the function is known.
  [[nodiscard]] std::size_t stage_of(const IndexPool& index, IndexExpr e) const;
};

// `kernels`: what each of launched_kernels() takes. Error (kCannotEmit, kSizeNotInferred): a size that
// the input shapes do not determine, at the function; a derived weight of what calls change, at the weight.
[[nodiscard]] Result<std::vector<ModelFunction>, Diagnostic> describe_host_functions(
    const Module& module, std::span<const FunctionMemory> kernels);

// What the text of a host function refers to.
struct HostFunctionTables {
  const ModelFunction& function;
  const ModelData& data;
  std::span<const PrintedFunction> kernels;
};
// `status name(const mlgc_call* call)`, which calls the kernels by their names. Error: as print_loop_function().
[[nodiscard]] Result<PrintedFunction, Diagnostic> print_host_function(const HostFunctionTables& tables,
                                                                      const std::string& name,
                                                                      const EmitterHooks& hooks);

}  // namespace mlgc::codegen
