// Operators that mlgc cannot express, as calls of PyTorch (`torch.call`), and the ledger of what became one and why.
//
// Guarantees
//   - Nothing becomes a call unless it was asked for, and every call is in the ledger.
//   - What a call cannot be is refused with a reason: operators that change their operands, that draw random numbers
//   from
//     PyTorch's own generator, that take graphs or objects, or whose results have sizes that depend on data.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "diag/diagnostic.h"
#include "import/program/program.h"
#include "ir/index_expr.h"

namespace mlgc {

enum class Fallback : std::uint8_t {
  Error,  // what cannot be expressed is an error
  Warn,   // it becomes a call of PyTorch; a warning lists them
  Allow,  // the same, without a warning
};

struct FallbackLedger {
  struct Entry {
    std::uint64_t calls = 0;
    IndexExpr bytes;   // of operands and results, of all calls
    std::string text;  // of `bytes`
  };
  // By operator, reason code (`unknown-operator`, `import-argument-not-constant`, `unsupported-dtype`) and what exactly
  // it was.
  std::map<std::tuple<std::string, std::string, std::string>, Entry> entries;
  std::uint64_t operators = 0;  // of the graph, without arithmetic on sizes

  [[nodiscard]] std::uint64_t calls() const;
  // Counts the other's calls too. Precondition: the expressions of both are of that pool.
  void add(const FallbackLedger& other, IndexPool& index);
};

// A table for people.
[[nodiscard]] std::string render_text(const FallbackLedger& ledger);
// {"version": 1, "operators": …, "calls": …, "entries": [{"operator", "reason", "detail", "calls", "share", "bytes",
// "flops": null}]}; bytes are an expression over sizes.
[[nodiscard]] std::string render_json(const FallbackLedger& ledger);
// Lists what the module calls.
[[nodiscard]] Diagnostic fallback_warning(const FallbackLedger& ledger, Location model);

namespace program {

class GraphScope;

// `aten.add.Tensor` as `aten::add.Tensor`.
[[nodiscard]] std::string schema_name(std::string_view target);

// Why the node cannot be a call of PyTorch, by what its operator is, without location; nothing when it can. A kind of
// kNoCallKinds (diag/kinds_import_calls.h).
[[nodiscard]] std::optional<Diagnostic> why_no_call(const Node& node);
// The reason alone, for lists of operators: `it changes its operand in place`. Precondition: a kind of kNoCallKinds.
[[nodiscard]] std::string no_call_reason(const Diagnostic& refused);
// Whether the operator draws from PyTorch's generator.
[[nodiscard]] bool draws_numbers(const Node& node);

// Whether a node that was refused so may be a call: it is said to be no program of ours, not to be no program.
// Whether a diagnostic says that a known operator has no counterpart in this form.
[[nodiscard]] bool is_form(const Diagnostic& refused);
[[nodiscard]] bool may_become_call(const Diagnostic& refused);

// Makes the call and enters it into the ledger. Otherwise why it cannot be one, without location.
[[nodiscard]] std::optional<Diagnostic> convert_to_call(GraphScope& scope, const Node& node, Location location,
                                                        std::string_view reason, std::string detail,
                                                        FallbackLedger& ledger);

}  // namespace program
}  // namespace mlgc
