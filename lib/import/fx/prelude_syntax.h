// The part of Python that prelude.cpp is written in, as a tree.
//
//     def NAME(PARAMETER, PARAMETER=EXPRESSION, *PARAMETER, …):
//       NAME = EXPRESSION           also NAME, NAME = EXPRESSION
//       if EXPRESSION:              with or without `else:`
//       for NAME in EXPRESSION:
//       return EXPRESSION
//       raise "why not"
//
// Expressions are Python's, without comprehensions, lambdas, starred arguments and chained comparisons.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mlgc::fx {

struct Expression {
  enum class Kind : std::uint8_t {
    None,
    True,
    False,
    Int,          // integer
    Float,        // real
    String,       // text
    Name,         // text
    Attribute,    // items[0].text
    Call,         // items[0](items[1], …); the last keywords.size() of them by name
    Subscript,    // items[0][items[1]]
    Slice,        // items: start, stop, step; in a subscript only
    List,         // items
    Tuple,        // items
    Operator,     // text(items…), a name of Python's module operator
    Not,          // not items[0]
    And,          // items[0] and items[1]
    Or,           // items[0] or items[1]
    Conditional,  // items[1] if items[0] else items[2]
  };
  Kind kind = Kind::None;
  std::string text;
  std::int64_t integer = 0;
  double real = 0;
  std::vector<Expression> items;
  std::vector<std::string> keywords;
};

struct Statement {
  enum class Kind : std::uint8_t { Assign, If, For, Return, Raise };
  Kind kind = Kind::Return;
  std::vector<std::string> names;  // of Assign and For
  Expression value;
  std::vector<Statement> body, otherwise;
};

struct Function {
  struct Parameter {
    std::string name;
    bool has_default = false;
    bool rest = false;  // `*name`: a tuple of what is left; parameters after it are given by name only
    Expression fallback;
  };
  std::string name;  // `torch.nn.functional.relu`
  std::vector<Parameter> parameters;
  std::vector<Statement> body;
};

// The text of one function, from `def` to the line before the next. InternalError when it is none of the above: the
// texts are this program's own (a test parses all).
[[nodiscard]] Function parse_function(std::string_view text);

}  // namespace mlgc::fx
