// What a target supports, as a file says it (docs/partition.md describes the format):
//
//     { "mlgc-registry": 1, "target": "accel",
//       "rules": [ {"ops": ["matmul", "linear"], "dtypes": ["f16", "f32"], "rank": {"max": 4}},
//                  {"ops": ["softmax"], "attributes": {"dim": {"in": [-1, 1]}}, "reason": "only the last axis"} ] }
//
// Guarantees
//   - The first rule that lists an op and whose conditions hold decides on it; an op that no rule decides on is not
//     supported. So a file is read from top to bottom, exceptions first, and what decides is one line that a report can
//     name. (With "the last one wins" all later rules must be read to know what one means.)
//   - A file is read whole or not at all: what is not known in it is an error, never left out.
//   - Conditions on attributes see what the op has, fallbacks of its row included.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "diag/diagnostic.h"
#include "diag/located_json.h"
#include "ir/module.h"

namespace mlgc {

inline constexpr std::int64_t kRegistryVersionKnown = 1;

// A set of element types, a bit for each.
using DtypeSet = std::uint16_t;
static_assert(kDtypeCount <= 16);

// Why an op is in no segment. The words of reports are reason_code_name()'s.
enum class ReasonCode : std::uint8_t {
  None,
  NoRule,   // no rule lists the op
  Refused,  // a rule says that it is not supported
  Dtype,    // conditions of the rule that comes closest, which do not hold
  Attribute,
  Rank,
  Shape,
  Operand,
  Intrinsic,    // an op that is in no segment of any target
  Inside,       // something in its regions is not supported
  BelowMinOps,  // supported, and its segment would be too small
};
[[nodiscard]] std::string_view reason_code_name(ReasonCode code);

struct Reason {
  ReasonCode code = ReasonCode::None;
  std::string text;
};

struct RegistryRule {
  struct Operand {
    std::string name;
    std::optional<DtypeSet> dtypes;
    bool constant = false;
  };
  struct Attribute {
    std::string name;
    std::vector<JsonNode> values;  // one of them; null is "not there"; empty: any
    std::optional<double> min, max;
    std::string text;  // the condition in words
  };
  std::string name;  // as the file calls it, else `rules[3]`
  bool every_op = false;
  std::vector<Opcode> ops;  // without repetitions
  std::optional<DtypeSet> dtypes;
  std::vector<Operand> operands;
  std::vector<Attribute> attributes;
  std::optional<std::int64_t> min_rank, max_rank;
  bool static_shapes = false;
  bool supported = true;
  std::string reason;
  std::optional<double> cost;
  [[nodiscard]] bool conditional() const {
    return dtypes || !operands.empty() || !attributes.empty() || min_rank || max_rank || static_shapes;
  }
};

// Weights and states that functions of a module update: their values are no constants.
using UpdatedSymbols = std::unordered_set<StringId>;
[[nodiscard]] UpdatedSymbols updated_symbols(const Module& module);

class Registry {
 public:
  std::string target;
  std::vector<RegistryRule> rules;

  // What the rules say of an op alone, whatever is inside its regions. `rule` is the one that decided, or came closest;
  // null: none lists the op. The reason is there for ops that are not supported; its text only when `explain`.
  struct Decision {
    const RegistryRule* rule = nullptr;
    bool supported = false;
    Reason reason;
  };
  [[nodiscard]] Decision decide(OpRef op, const UpdatedSymbols& updated, bool explain) const;

  // To be called once rules are complete.
  void index(std::size_t opcodes);

 private:
  std::vector<std::vector<std::uint32_t>> rules_of_;  // by opcode, in order
};

// Null after errors. `file` belongs to the context's location table.
[[nodiscard]] std::shared_ptr<const Registry> parse_registry(Context& context, const SourceFile& file,
                                                             DiagnosticEngine& diagnostics);
// The same of a file, or of the built-in registry `everything`, which supports every op that can be in a segment.
// "Cannot read" is reported too.
[[nodiscard]] std::shared_ptr<const Registry> read_registry(Context& context, const std::string& path,
                                                            DiagnosticEngine& diagnostics);

// Why no segment of any target holds such an op; empty when one may.
[[nodiscard]] std::string_view never_in_segment(const OpDef& def);

// The value never changes: it is that of a `constant`, or read from a weight that no function updates.
[[nodiscard]] bool is_constant_value(Value value, const UpdatedSymbols& updated);

}  // namespace mlgc
