// Files, sets and rules: the order of a rule's parts, which parsers of their own read.
#include "rewrite/rule_parser.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

#include "diag/kinds_text.h"
#include "rewrite/rule_build_parser.h"
#include "rewrite/rule_cursor.h"
#include "rewrite/rule_forms.h"
#include "rewrite/rule_names.h"
#include "rewrite/rule_pattern_parser.h"
#include "rewrite/rule_term_parser.h"
#include "support/result.h"

namespace mlgc {

namespace {

using text::Tok;
using text::Token;

constexpr std::array kPhases{std::pair{std::string_view("simplify"), RulePhase::Simplify},
                             std::pair{std::string_view("once"), RulePhase::Once},
                             std::pair{std::string_view("grow"), RulePhase::Grow}};

// What `and` joins becomes conditions of its own, so that reports can say which one does not hold.
void split_conjunction(RuleTerm term, std::vector<RuleTerm>& out) {
  if (term.form != RuleTerm::Form::And) {
    out.push_back(std::move(term));
    return;
  }
  for (RuleTerm& operand : term.operands) split_conjunction(std::move(operand), out);
}

// Words and numbers joined by `-` without spaces.
bool parse_rule_name(RuleCursor& in, std::string& name, Token& token) {
  if (!in.at(Tok::Name)) return in.unexpected("a name");
  token = in.token();
  in.advance();
  while (in.at(Tok::Minus) && in.adjacent()) {
    in.advance();
    if ((!in.at(Tok::Name) && !in.at(Tok::Integer)) || !in.adjacent()) return in.unexpected("a name after `-`");
    in.advance();
  }
  token.end = in.end_of_last();
  name = in.text(token);
  return true;
}

bool parse_class(RuleCursor& in, TextRule& rule) {
  const auto name = std::find_if(kNumericsClassNames.begin(), kNumericsClassNames.end(),
                                 [&](std::string_view n) { return in.at_word(n); });
  if (name == kNumericsClassNames.end())
    return in.unexpected("exact, signed_zero, nan_or_inf, reassociate, approximate or unequal");
  rule.numerics = static_cast<NumericsClass>(name - kNumericsClassNames.begin());
  in.advance();
  if (!in.take_word("in")) return true;
  if (in.at_word("reduction"))
    rule.scope = RoundingScope::Reduction;
  else if (in.at_word("weights"))
    rule.scope = RoundingScope::Weights;
  else
    return in.unexpected("`reduction` or `weights`");
  in.advance();
  return true;
}

// Reads one rule after its name and `:`. Its names are known to no other.
class RuleBodyParser {
 public:
  RuleBodyParser(RuleCursor& in, Context& context, RulePhase phase)
      : in_(in),
        context_(context),
        phase_(phase),
        terms_(in, names_, context.index()),
        patterns_(in, names_, terms_, context, phase),
        builds_(in, names_, terms_, context) {}

  // `name`: where it is named.
  bool parse(TextRule& rule, const Token& name);

 private:
  bool parse_left_side(TextRule& rule);
  // Reads `fusion`, or skips the right side and says where it begins.
  bool skip_right_side(TextRule& rule, std::uint32_t& begin);
  bool parse_locals(TextRule& rule);
  bool parse_conditions(TextRule& rule);
  bool parse_numerics(TextRule& rule, const Token& name);
  bool parse_right_side(TextRule& rule, std::uint32_t begin);

  RuleCursor& in_;
  Context& context_;
  RulePhase phase_;
  RuleNames names_;
  RuleTermParser terms_;
  RulePatternParser patterns_;
  RuleBuildParser builds_;
};

bool RuleBodyParser::parse(TextRule& rule, const Token& name) {
  // What `where` names is bound before it is read, and may be used before it is written: the right side is read last.
  std::uint32_t right_side = 0;
  if (!parse_left_side(rule) || !skip_right_side(rule, right_side)) return false;
  if (in_.at_where() && !parse_locals(rule)) return false;
  if (!parse_conditions(rule) || !parse_numerics(rule, name)) return false;
  if (!rule.fusion && !parse_right_side(rule, right_side)) return false;
  rule.names = names_.all();
  auto forms = rule_forms(context_, rule.pattern);
  if (!forms) return in_.error<kRuleTooManyForms>(name, rule.name, kMaxRuleForms);
  rule.forms = *std::move(forms);
  return true;
}

bool RuleBodyParser::parse_left_side(TextRule& rule) {
  const Token root = in_.token();
  if (!patterns_.parse_pattern(rule.pattern, true)) return false;
  if (rule.pattern.form != RulePattern::Form::Op) return in_.error<kRuleRoot>(root, rule.name);
  if (!in_.take_rule_arrow()) return in_.unexpected("`=>`");
  return true;
}

bool RuleBodyParser::skip_right_side(TextRule& rule, std::uint32_t& begin) {
  begin = in_.token().begin;
  if (in_.at_word("fusion")) {
    if (phase_ != RulePhase::Grow) return in_.error<kRulePhase>(in_.token(), "`fusion`");
    in_.advance();
    rule.fusion = true;
  } else {
    if (phase_ == RulePhase::Grow) return in_.unexpected("`fusion`: a set of phase `grow` collects ops");
    int open = 0;
    while (!in_.at(Tok::End) && !in_.at_word("rule") && !in_.at_word("set") &&
           !(open == 0 && (in_.at_where() || in_.at_word("if") || in_.at_word("numerics")))) {
      if (in_.at(Tok::LParen) || in_.at(Tok::LBracket)) ++open;
      if (in_.at(Tok::RParen) || in_.at(Tok::RBracket)) --open;
      in_.advance();
    }
  }
  return true;
}

bool RuleBodyParser::parse_locals(TextRule& rule) {
  in_.advance();
  if (rule.fusion) return in_.unexpected("`if` or `numerics`");
  do {
    const Token local = in_.token();
    if (!in_.at(Tok::Name)) return in_.unexpected("a name");
    if (names_.find(in_.text()) != kNoSlot) return in_.unexpected("a name that the rule does not use yet");
    const std::string word(in_.text());
    in_.advance();
    RuleBuild build;
    if (!in_.expect(Tok::Equal) || !builds_.parse_build(build, false)) return false;
    if (build.form == RuleBuild::Form::Number)
      return in_.error<kRuleKindClash>(local, "`" + word + "`", "a number", "a value");
    rule.locals.emplace_back(names_.bind(word, RuleName::Role::Local, TermKind::Value), std::move(build));
  } while (in_.take(Tok::Comma));
  return true;
}

bool RuleBodyParser::parse_conditions(TextRule& rule) {
  while (in_.take_word("if")) {
    RuleTerm term;
    const Token at_term = in_.token();
    if (!terms_.parse_term(term)) return false;
    if (term.kind != TermKind::Bool)
      return in_.error<kRuleKindClash>(at_term, "the condition", term_kind_text(term.kind), "a truth value");
    split_conjunction(std::move(term), rule.conditions);
  }
  return true;
}

bool RuleBodyParser::parse_numerics(TextRule& rule, const Token& name) {
  if (!in_.at_word("numerics")) {
    if (in_.at(Tok::End) || in_.at_word("rule") || in_.at_word("set") || in_.at(Tok::String))
      return in_.error<kRuleNeedsClass>(name, rule.name);
    return in_.unexpected(rule.conditions.empty() && rule.locals.empty() ? "`where`, `if` or `numerics`"
                                                                         : "`if` or `numerics`");
  }
  in_.advance();
  if (!parse_class(in_, rule) || !in_.parse_string(rule.doc)) return false;
  if (!in_.at(Tok::End) && !in_.at_word("rule") && !in_.at_word("set"))
    return in_.unexpected("`rule`, `set` or the end of the file");
  return true;
}

bool RuleBodyParser::parse_right_side(TextRule& rule, std::uint32_t begin) {
  const std::uint32_t resume = in_.token().begin;
  in_.seek(begin);
  if (!builds_.parse_build(rule.replacement, true)) return false;
  if (!in_.at_where() && !in_.at_word("if") && !in_.at_word("numerics"))
    return in_.unexpected("`where`, `if` or `numerics`");
  in_.seek(resume);
  return true;
}

// Reads sets of rules. After an error it goes on with the next rule or set, so that several are reported.
class RuleFileParser {
 public:
  RuleFileParser(Context& context, const SourceFile& file, DiagnosticEngine& diagnostics)
      : context_(context), file_(file), diagnostics_(diagnostics), in_(context, file, diagnostics) {}
  std::optional<RuleFile> parse_file();

 private:
  bool parse_set(RuleFile& file);
  bool parse_rule(RuleTextSet& set);

  Context& context_;
  const SourceFile& file_;
  DiagnosticEngine& diagnostics_;
  RuleCursor in_;
  std::unordered_map<std::string, Location> rule_names_;  // of all sets
};

std::optional<RuleFile> RuleFileParser::parse_file() {
  const std::size_t before = diagnostics_.error_count();
  RuleFile file;
  if (const auto bad = first_invalid_utf8(file_.text())) {
    diagnostics_.emit(diagnose<kNotUtf8>(context_.locations().position_in(file_, *bad),
                                         static_cast<int>(static_cast<unsigned char>(file_.text()[*bad])), *bad));
    return std::nullopt;
  }
  while (!in_.at(Tok::End)) {
    if (parse_set(file)) continue;
    // On to the next set.
    while (!in_.at(Tok::End) && !in_.at_word("set")) in_.advance();
  }
  return diagnostics_.error_count() == before ? std::optional(std::move(file)) : std::nullopt;
}

bool RuleFileParser::parse_set(RuleFile& file) {
  RuleTextSet set;
  Token name_token;
  if (!in_.expect_word("set") || !parse_rule_name(in_, set.name, name_token) || !in_.expect_word("phase")) return false;
  const auto phase = std::find_if(kPhases.begin(), kPhases.end(), [&](const auto& p) { return in_.at_word(p.first); });
  if (phase == kPhases.end()) return in_.unexpected("a phase: simplify, once or grow");
  set.phase = phase->second;
  in_.advance();
  if (!in_.parse_string(set.doc)) return false;
  while (!in_.at(Tok::End) && !in_.at_word("set")) {
    const std::uint32_t begin = in_.token().begin;
    if (parse_rule(set)) continue;
    // On to the next rule: the names of this one are lost, and nothing is said of them.
    if (in_.token().begin == begin) in_.advance();
    while (!in_.at(Tok::End) && !in_.at_word("rule") && !in_.at_word("set")) in_.advance();
  }
  file.sets.push_back(std::move(set));
  return true;
}

bool RuleFileParser::parse_rule(RuleTextSet& set) {
  TextRule rule;
  Token name;
  if (!in_.expect_word("rule") || !parse_rule_name(in_, rule.name, name)) return false;
  rule.at = in_.location(name);
  rule.line = file_.line_column(name.begin).line;
  if (!rule_names_.emplace(rule.name, rule.at).second) return in_.error<kRuleNameTwice>(name, rule.name);
  if (!in_.expect(Tok::Colon)) return false;
  RuleBodyParser body(in_, context_, set.phase);
  if (!body.parse(rule, name)) return false;
  set.rules.push_back(std::move(rule));
  return true;
}

}  // namespace

std::string_view rule_phase_name(RulePhase phase) {
  for (const auto& [name, value] : kPhases)
    if (value == phase) return name;
  throw InternalError("unknown phase of rules");
}

std::optional<RuleFile> parse_rules(Context& context, const SourceFile& file, DiagnosticEngine& diagnostics) {
  return RuleFileParser(context, file, diagnostics).parse_file();
}

}  // namespace mlgc
