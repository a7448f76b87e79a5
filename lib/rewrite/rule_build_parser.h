// Reads what a rule makes: the right side and what `where` names.
#pragma once

#include "rewrite/rule_cursor.h"
#include "rewrite/rule_names.h"
#include "rewrite/rule_term_parser.h"
#include "rewrite/rule_text.h"

namespace mlgc {

class RuleBuildParser {
 public:
  RuleBuildParser(RuleCursor& in, const RuleNames& names, RuleTermParser& terms, Context& context)
      : in_(in), names_(names), terms_(terms), context_(context) {}

  // `root`: what stands in the place of the rule's root, where a number is a constant.
  bool parse_build(RuleBuild& out, bool root);

 private:
  using Tok = text::Tok;
  using Token = text::Token;

  bool parse_op_build(RuleBuild& out, const Token& name);
  bool parse_build_attributes(RuleBuild& out, const OpDef& def);
  bool check_build_operands(RuleBuild& out, const OpDef& def, const Token& name);
  bool parse_splat(RuleBuild& out);

  RuleCursor& in_;
  const RuleNames& names_;
  RuleTermParser& terms_;
  Context& context_;
};

}  // namespace mlgc
