// What passes did: numbers of ops before and after, by class and by opcode, counters, and how often rules were used.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ir/module.h"
#include "pass/pass_context.h"

namespace mlgc {

// What kind of node an op is.
enum class OpClass : std::uint8_t { Compute, Data, Shape, Control, Memory };
inline constexpr std::array<std::string_view, 5> kOpClassNames{"compute", "data", "shape", "control", "memory"};
[[nodiscard]] OpClass op_class(const OpDef& def);

// Ops by opcode; index is the Opcode.
using OpCounts = std::vector<std::uint32_t>;
[[nodiscard]] OpCounts count_ops(const Module& module);
// How many ops a module has: what is said to people, everywhere. The module itself is none of them.
[[nodiscard]] std::uint64_t count_all(const Module& module);

struct PassStatistics {
  std::string pass;  // with options, as in pipeline text
  PassResult result = PassResult::Unchanged;
  OpCounts before, after;
  std::vector<NamedCount> counters, rules;
};

struct Statistics {
  std::vector<PassStatistics> passes;
  OpCounts module;  // after them; of several modules, all together
};

// Passes that changed or counted something, then the names of the others, then what the module holds. Of a pass, what
// it changed the number of and counters that are not 0.
[[nodiscard]] std::string statistics_text(const Statistics& statistics, const Context& context);
// {"version":1,"passes":[{"pass","result","ops":{"before","after"},"classes":{name:{"before","after"}},
// "opcodes":{…},"counters":{…},"rules":{…}}],"module":{"ops","classes":{…},"opcodes":{…}}}; all passes and counters,
// opcodes that occur.
[[nodiscard]] std::string statistics_json(const Statistics& statistics, const Context& context);

}  // namespace mlgc
