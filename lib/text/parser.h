// The parser of the text form, pretty and generic alike. The grammar is in docs/ir.md.
//
// Guarantees
//   - Whatever the bytes: a module, or at least one located diagnostic. Never a crash; time and memory linear in the
//   text.
//   - Several errors a run: after an error inside an op the parser goes on with the next op, after a missing brace with
//     the next function. What depends on a value whose definition failed is not reported again.
//   - What is accepted is well formed: values are visible where they are used, and defined before (but for `any_order`,
//     where only what depends on itself is an error), numbers of operands, results and regions fit the rows, attributes
//     have names that the rows know. Types and contents of attributes are checked as far as `infer` goes; the verifier
//     checks the rest.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "diag/diagnostic.h"
#include "ir/module.h"

namespace mlgc {

// Nesting of regions, lists, types and expressions beyond this is an error.
inline constexpr std::size_t kMaxNesting = 1000;
// A longer text is refused.
inline constexpr std::size_t kMaxTextBytes = std::size_t{1} << 30;

enum class Inferred : unsigned char {
  Yes,      // `types` holds the result types
  Unknown,  // there is no inference for this op: the types must be written
  Failed,   // the op is wrong; this has been reported
};
// Infers the result types of an op that has operands, attributes and regions, but no results yet. `given` holds the
// types that the text states, empty when it states none.
using InferFunction =
    std::function<Inferred(OpRef op, std::span<const Type> given, std::vector<Type>& types, DiagnosticEngine&)>;

struct ParseOptions {
  InferFunction infer;  // may be empty: all result types must be written then
  // Values may be used before their definition, and ops stand as the text has them: for who sorts the module before
  // anything else reads it (ir/topological_order.h).
  bool any_order = false;
  // The part of the text to read: what split_input() gives.
  std::size_t begin = 0;
  std::size_t end = static_cast<std::size_t>(-1);
};

// Nothing when errors were reported. `file` belongs to the context's location table.
[[nodiscard]] std::optional<Module> parse_module(const std::shared_ptr<Context>& context, const SourceFile& file,
                                                 DiagnosticEngine& diagnostics, const ParseOptions& options = {});

// Pieces, for command lines and for texts in rows. Nothing when an error was reported; the whole text must be used up.
[[nodiscard]] std::optional<Type> parse_type(Context& context, const SourceFile& file, DiagnosticEngine& diagnostics);
[[nodiscard]] std::optional<IndexExpr> parse_index_expr(Context& context, const SourceFile& file,
                                                        DiagnosticEngine& diagnostics);
// `wanted` settles what several kinds spell alike: `[]`, `[S]` (an integer or a list of one), `f32`. `generic`: the
// text stands in the generic form, where lists are MLIR's.
[[nodiscard]] std::optional<Attribute> parse_attribute(Context& context, const SourceFile& file,
                                                       DiagnosticEngine& diagnostics,
                                                       AttributeKind wanted = AttributeKind::None,
                                                       bool generic = false);
// A comma-separated list of `where` constraints, as an attribute (ir/constraint.h).
[[nodiscard]] std::optional<Attribute> parse_constraints(Context& context, const SourceFile& file,
                                                         DiagnosticEngine& diagnostics);

struct TextRange {
  std::size_t begin, end;
};
// The parts between lines that consist of `// -----` (trailing blanks allowed); at least one.
[[nodiscard]] std::vector<TextRange> split_input(std::string_view text);

}  // namespace mlgc
