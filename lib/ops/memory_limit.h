// Limits of memory that functions state: `attributes {memory_limit = 67108864, memory_limit_sizes = ["B=64"]}`.
//
// A limit is in bytes, for what the plan of a call takes for temporaries: arena and scratch. It is stated for sizes,
// each written as `--dim` has it; a symbol that is not among them has the upper end of its range. Passes carry it, and
// who plans the memory of the function holds the plan against it (memory/memory_limits.h). It is of the function as it
// stands: what is derived from it, its gradient say, states none.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "diag/diagnostic.h"
#include "ir/function.h"

namespace mlgc {

using SymbolSizes = std::map<std::string, std::int64_t, std::less<>>;

// `B=64`; nothing when it is no name and a size.
[[nodiscard]] std::optional<std::pair<std::string, std::int64_t>> read_symbol_size(std::string_view text);

struct MemoryLimit {
  std::int64_t bytes = 0;
  SymbolSizes sizes;
};

// What the function states, if it does. Precondition: the module verifies.
[[nodiscard]] std::optional<MemoryLimit> stated_memory_limit(FuncRef function);
void state_memory_limit(FuncRef function, const MemoryLimit& limit);
void remove_memory_limit(FuncRef function);

// What is wrong with the limit that the function states: it is not a number of bytes, or its sizes are not. Whether the
// function has these sizes is not asked: a pass may remove the only op that speaks of one.
[[nodiscard]] std::optional<Diagnostic> check_memory_limit(FuncRef function);

// `said`, and for every other symbol that is a dim of an argument the upper end of its range, where it has one.
[[nodiscard]] SymbolSizes largest_sizes(FuncRef function, SymbolSizes said);

// What a value takes at these sizes: 0 where it depends on others, INT64_MAX where it is more than that.
[[nodiscard]] std::int64_t bytes_at(Context& context, Type type, const SymbolSizes& sizes);

}  // namespace mlgc
