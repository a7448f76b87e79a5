// See rule_cursor.h.
#include "rewrite/rule_cursor.h"

#include "diag/kinds_text.h"
#include "diag/suggest.h"

namespace mlgc {

namespace {

constexpr int kMaxRuleNesting = 64;

}  // namespace

bool RuleCursor::at_where() {
  if (!at_word("where")) return false;
  const Token next = lexer_.next();
  lexer_.seek(tok_.end);
  return next.kind == Tok::Name;
}

bool RuleCursor::at_optional_op() {
  if (!at(Tok::Question)) return false;
  const Token next = lexer_.next();
  lexer_.seek(tok_.end);
  return next.kind == Tok::LParen || next.kind == Tok::LBracket;
}

bool RuleCursor::take(Tok kind) {
  if (!at(kind)) return false;
  advance();
  return true;
}

bool RuleCursor::take_word(std::string_view word) {
  if (!at_word(word)) return false;
  advance();
  return true;
}

bool RuleCursor::take_rule_arrow() {
  if (!at(Tok::Equal)) return false;
  const std::uint32_t end = tok_.end;
  const Token begin = tok_;
  advance();
  if (at(Tok::Greater) && tok_.begin == end) {
    advance();
    return true;
  }
  seek(begin.begin);
  return false;
}

bool RuleCursor::expect(Tok kind) { return take(kind) || unexpected(text::token_name(kind)); }

bool RuleCursor::expect_word(std::string_view word) {
  return take_word(word) || unexpected("`" + std::string(word) + "`");
}

bool RuleCursor::parse_string(std::string& out) {
  if (!at(Tok::String)) return true;
  if (!text::unquote(text(), out)) return unexpected("a text with the escapes \\n, \\t, \\\\ and \\\"");
  advance();
  return true;
}

bool RuleCursor::unexpected(std::string_view wanted) {
  if (at(Tok::Error)) {
    return error<kRuleSyntax>(tok_, wanted, "`" + std::string(text()) + "`, which is no token");
  }
  return error<kRuleSyntax>(tok_, wanted, at(Tok::End) ? "the end of the file" : "`" + std::string(text()) + "`");
}

bool RuleCursor::Nesting::ok() const {
  if (cursor_.depth_ <= kMaxRuleNesting) return true;
  return cursor_.unexpected("fewer than " + std::to_string(kMaxRuleNesting) + " levels of brackets");
}

bool RuleCursor::misspelled(Diagnostic diagnostic, std::string_view word, const std::vector<std::string_view>& names) {
  diagnostic.width = static_cast<std::uint32_t>(word.size());
  if (const auto near = closest_name(word, names)) diagnostic.add_note<kDidYouMean>({}, *near);
  return report(std::move(diagnostic));
}

bool RuleCursor::unknown_op(const Token& token, std::string_view word) {
  std::vector<std::string_view> names;
  for (const OpDef* def : context_.ops()) names.push_back(def->name);
  return misspelled(diagnose<kRuleUnknownOp>(location(token), word), word, names);
}

bool RuleCursor::unknown_attribute(const Token& token, const OpDef& def, std::string_view word) {
  std::vector<std::string_view> names;
  for (const AttrDef& attr : def.attrs) names.push_back(attr.name);
  return misspelled(diagnose<kRuleUnknownAttribute>(location(token), def.name, word), word, names);
}

}  // namespace mlgc
