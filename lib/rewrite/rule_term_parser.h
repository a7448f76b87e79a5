// Reads expressions of conditions and attributes. Every expression has one kind, known when it is read.
#pragma once

#include <optional>
#include <string_view>

#include "rewrite/rule_cursor.h"
#include "rewrite/rule_names.h"
#include "rewrite/rule_text.h"

namespace mlgc {

class RuleTermParser {
 public:
  // Of the names, those that are bound when an expression is read are known in it.
  RuleTermParser(RuleCursor& in, const RuleNames& names, IndexPool& index) : in_(in), names_(names), index_(index) {}

  bool parse_term(RuleTerm& out);     // the whole grammar
  bool parse_sum(RuleTerm& out);      // without comparisons, `not`, `and`, `or` outside brackets
  bool parse_unary(RuleTerm& out);    // a primary, or its negation
  bool parse_primary(RuleTerm& out);  // a name, a literal, a list, a call, an item, brackets
  bool parse_number(bool negative, AttrValue& out);
  // Reports an expression of another kind than `what` must have.
  bool wants(const RuleTerm& term, TermKind kind, std::string_view what);

 private:
  using Tok = text::Tok;
  using Token = text::Token;

  bool parse_and(RuleTerm& out);
  bool parse_not(RuleTerm& out);
  bool parse_comparison(RuleTerm& out);
  bool parse_product(RuleTerm& out);
  bool parse_name_term(RuleTerm& out);
  bool parse_call(RuleTerm& out, const Token& name);
  bool parse_list(RuleTerm& out);

  RuleCursor& in_;
  const RuleNames& names_;
  IndexPool& index_;
};

// `true`, `f32`, `inf`; nothing for other words.
[[nodiscard]] std::optional<AttrValue> rule_literal_word(std::string_view word);

// The kind of an attribute in expressions; nothing for kinds that rules do not compute with.
[[nodiscard]] std::optional<TermKind> term_kind(AttributeKind kind);

}  // namespace mlgc
