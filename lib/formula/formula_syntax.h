// The formula language as syntax: tokens and trees, before packs and attributes have values. The grammar is in
// docs/formulas.md; one parser reads rows and ground formulas.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/id.h"
#include "support/result.h"

namespace mlgc {

using SyntaxId = Id<struct FormulaSyntaxTag>;

enum class SyntaxKind : std::uint8_t {
  Integer,   // text
  Real,      // text
  Name,      // text: an index label, an attribute, an operand standing for itself, a symbol
  Call,      // text(children)
  Operator,  // text: unary or binary by the number of children
  Read,      // text[children except the fill] ?fill; has_fill: the fill is the last child
  Reduce,    // text[names | guard](body): children are body, then the guard if has_guard; names has the index labels
  Pack,      // text..ops
  Extent,    // #text, or #pack with axis operators
};

// `P..-d`, `P..&d`, `P..!d`, `P..-d!flag`, `P..:p`, `P..{d: e}`; several may follow one another.
struct PackOperator {
  enum class Kind : std::uint8_t { Drop, Only, Unit, Permute, Map } kind;
  std::string axes;       // attribute, integer literal, or `every`
  std::string keep_flag;  // Drop only: with this attribute true, dropped axes stay as unit dims
  SyntaxId map;           // Map only
};

struct SyntaxNode {
  SyntaxKind kind = SyntaxKind::Name;
  std::string text;
  std::vector<SyntaxId> children;
  std::vector<PackOperator> pack;  // Pack and Extent
  std::vector<SyntaxId> labels;    // Reduce: Name or Pack nodes
  bool has_fill = false, has_guard = false;
  std::uint32_t column = 0;  // byte offset in the text
};

struct SyntaxBinding {
  SyntaxId target;  // Name, or Pack with an axis operator
  SyntaxId value;
  bool rank = false;  // `rank P = value`
};

struct SyntaxStatement {
  std::string result;                // empty for the shorthand: `y`, or the first name like it that is free
  std::vector<SyntaxId> subscripts;  // Name, Pack or any index expression
  std::string write;                 // "=", "+=", "*=", "max=", "min="
  SyntaxId body;
  SyntaxId base;  // Name or, for `from zeros[..]`, Read of `zeros`; invalid: none
  SyntaxId guard;
  std::vector<SyntaxBinding> bindings;
  bool ground = false;                                 // `over` stands there: other names are symbols
  std::vector<std::pair<std::string, SyntaxId>> over;  // ground form: index label < extent
  std::uint32_t column = 0;
};

struct FormulaSyntax {
  std::vector<SyntaxNode> nodes;
  std::vector<SyntaxStatement> statements;
  [[nodiscard]] const SyntaxNode& operator[](SyntaxId id) const { return nodes[id.index()]; }
};

struct FormulaSyntaxError {
  std::uint32_t column;  // byte offset
  std::string message;
};

// Text without `=` is shorthand for the elementwise statement `y[B..] = text`, in which a bare operand x is x[B..].
[[nodiscard]] Result<FormulaSyntax, FormulaSyntaxError> parse_formula_syntax(std::string_view text);

// The words of a formula's text, with repetitions: index labels, functions, operands, and every size that it names.
[[nodiscard]] std::vector<std::string_view> formula_words(std::string_view text);

}  // namespace mlgc
