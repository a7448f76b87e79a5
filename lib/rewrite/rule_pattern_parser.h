// Reads the left side of a rule and binds its names.
#pragma once

#include <string_view>

#include "rewrite/rule_cursor.h"
#include "rewrite/rule_names.h"
#include "rewrite/rule_term_parser.h"
#include "rewrite/rule_text.h"

namespace mlgc {

class RulePatternParser {
 public:
  RulePatternParser(RuleCursor& in, RuleNames& names, RuleTermParser& terms, Context& context, RulePhase phase)
      : in_(in), names_(names), terms_(terms), context_(context), phase_(phase) {}

  // `root`: a name alone is no pattern, and is not bound.
  bool parse_pattern(RulePattern& out, bool root);

 private:
  using Tok = text::Tok;
  using Token = text::Token;

  bool parse_op_pattern(RulePattern& out, const Token& name, bool labelled);
  bool parse_number_pattern(RulePattern& out);
  bool parse_op_choice(RulePattern& out, const Token& place, std::string_view word);
  bool parse_pattern_attributes(RulePattern& out, std::string_view op);
  bool parse_pattern_attribute(RulePattern& out);
  bool check_pattern_operands(const RulePattern& out, const Token& name);
  bool check_optional(const RulePattern& out, const Token& place);

  RuleCursor& in_;
  RuleNames& names_;
  RuleTermParser& terms_;
  Context& context_;
  RulePhase phase_;
};

}  // namespace mlgc
