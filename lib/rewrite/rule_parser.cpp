// Files, rules and patterns.
#include "rewrite/rule_parser.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "diag/kinds_text.h"
#include "diag/suggest.h"
#include "ops/attribute_value.h"
#include "ops/trait_names.h"
#include "rewrite/rule_parser_impl.h"

namespace mlgc {

namespace {

constexpr int kMaxRuleNesting = 64;

// Classes of ops that a pattern may name instead of an op, by their traits.
constexpr std::array kOpClasses{Traits::Elementwise, Traits::Movement,   Traits::Commutative,
                                Traits::Associative, Traits::Involution, Traits::Idempotent};

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

std::string_view why_not_in_patterns(const OpDef& def) {
  if (!def.regions.empty()) return "it has regions";
  if (has(def.traits, Traits::Terminator)) return "it ends a region";
  if (has(def.traits, Traits::Symbol) || has(def.traits, Traits::TopLevelOnly)) return "it is an item of the module";
  if (def.result_count < 1) return "it has no fixed result";
  return "";
}

}  // namespace

std::string_view rule_phase_name(RulePhase phase) {
  for (const auto& [name, value] : kPhases)
    if (value == phase) return name;
  throw InternalError("unknown phase of rules");
}

std::string_view term_kind_text(TermKind kind) {
  switch (kind) {
    case TermKind::Bool: return "a truth value";
    case TermKind::Number: return "a number";
    case TermKind::List: return "a list";
    case TermKind::Text: return "a text";
    case TermKind::Dtype: return "a dtype";
    case TermKind::Value: return "a value";
  }
  throw InternalError("unknown kind of term");
}

std::optional<TermKind> term_kind(AttributeKind kind) {
  switch (kind) {
    case AttributeKind::Bool: return TermKind::Bool;
    case AttributeKind::None:
    case AttributeKind::Int:
    case AttributeKind::Float: return TermKind::Number;
    case AttributeKind::IntList:
    case AttributeKind::FloatList: return TermKind::List;
    case AttributeKind::String: return TermKind::Text;
    case AttributeKind::Dtype: return TermKind::Dtype;
    default: return std::nullopt;
  }
}

bool RuleParser::take(Tok kind) {
  if (!at(kind)) return false;
  advance();
  return true;
}

bool RuleParser::at_where() {
  if (!at_word("where")) return false;
  const Token next = lexer_.next();
  lexer_.seek(tok_.end);
  return next.kind == Tok::Name;
}

bool RuleParser::at_optional_op() {
  if (!at(Tok::Question)) return false;
  const Token next = lexer_.next();
  lexer_.seek(tok_.end);
  return next.kind == Tok::LParen || next.kind == Tok::LBracket;
}

bool RuleParser::take_word(std::string_view word) {
  if (!at_word(word)) return false;
  advance();
  return true;
}

bool RuleParser::take_rule_arrow() {
  if (!at(Tok::Equal)) return false;
  const std::uint32_t end = tok_.end;
  const Token begin = tok_;
  advance();
  if (at(Tok::Greater) && tok_.begin == end) {
    advance();
    return true;
  }
  lexer_.seek(begin.begin);
  advance();
  return false;
}

bool RuleParser::unexpected(std::string_view wanted) {
  if (at(Tok::Error)) {
    return error<kRuleSyntax>(tok_, wanted, "`" + std::string(text()) + "`, which is no token");
  }
  return error<kRuleSyntax>(tok_, wanted, at(Tok::End) ? "the end of the file" : "`" + std::string(text()) + "`");
}

bool RuleParser::expect(Tok kind) { return take(kind) || unexpected(text::token_name(kind)); }

bool RuleParser::expect_word(std::string_view word) {
  return take_word(word) || unexpected("`" + std::string(word) + "`");
}

bool RuleParser::Nesting::ok() const {
  if (parser_.depth_ <= kMaxRuleNesting) return true;
  return parser_.unexpected("fewer than " + std::to_string(kMaxRuleNesting) + " levels of brackets");
}

std::uint16_t RuleParser::bind(std::string_view name, RuleName::Role role, TermKind kind) {
  names_.push_back({std::string(name), role, kind});
  return static_cast<std::uint16_t>(names_.size() - 1);
}

std::uint16_t RuleParser::find(std::string_view name) const {
  for (std::size_t i = 0; i < names_.size(); ++i)
    if (names_[i].name == name) return static_cast<std::uint16_t>(i);
  return kNoSlot;
}

const std::vector<Opcode>* RuleParser::opcodes_of(std::uint16_t slot) const {
  for (const auto& [number, opcodes] : op_slots_)
    if (number == slot) return &opcodes;
  throw InternalError("a slot of an op without opcodes");
}

std::optional<RuleFile> RuleParser::parse_file() {
  const std::size_t before = diagnostics_.error_count();
  RuleFile file;
  if (const auto bad = first_invalid_utf8(file_.text())) {
    diagnostics_.emit(diagnose<kNotUtf8>(context_.locations().position_in(file_, *bad),
                                         static_cast<int>(static_cast<unsigned char>(file_.text()[*bad])), *bad));
    return std::nullopt;
  }
  while (!at(Tok::End)) {
    if (parse_set(file)) continue;
    // On to the next set.
    while (!at(Tok::End) && !at_word("set")) advance();
  }
  return diagnostics_.error_count() == before ? std::optional(std::move(file)) : std::nullopt;
}

bool RuleParser::parse_string(std::string& out) {
  if (!at(Tok::String)) return true;
  if (!text::unquote(text(), out)) return unexpected("a text with the escapes \\n, \\t, \\\\ and \\\"");
  advance();
  return true;
}

bool RuleParser::parse_set(RuleFile& file) {
  RuleTextSet set;
  Token name_token;
  if (!expect_word("set") || !parse_rule_name(set.name, name_token) || !expect_word("phase")) return false;
  const auto phase = std::find_if(kPhases.begin(), kPhases.end(), [&](const auto& p) { return at_word(p.first); });
  if (phase == kPhases.end()) return unexpected("a phase: simplify, once or grow");
  set.phase = phase_ = phase->second;
  advance();
  if (!parse_string(set.doc)) return false;
  while (!at(Tok::End) && !at_word("set")) {
    const std::uint32_t begin = tok_.begin;
    if (parse_rule(set)) continue;
    // On to the next rule: the names of this one are lost, and nothing is said of them.
    if (tok_.begin == begin) advance();
    while (!at(Tok::End) && !at_word("rule") && !at_word("set")) advance();
  }
  file.sets.push_back(std::move(set));
  return true;
}

// Words and numbers joined by `-` without spaces.
bool RuleParser::parse_rule_name(std::string& name, Token& token) {
  if (!at(Tok::Name)) return unexpected("a name");
  token = tok_;
  advance();
  while (at(Tok::Minus) && tok_.begin == end_of_last_) {
    advance();
    if ((!at(Tok::Name) && !at(Tok::Integer)) || tok_.begin != end_of_last_) return unexpected("a name behind `-`");
    advance();
  }
  token.end = end_of_last_;
  name = file_.text().substr(token.begin, token.end - token.begin);
  return true;
}

bool RuleParser::parse_rule(RuleTextSet& set) {
  names_.clear();
  op_slots_.clear();
  optional_slots_.clear();
  rest_slot_ = kNoSlot;
  several_rests_ = false;
  TextRule rule;
  Token name;
  if (!expect_word("rule") || !parse_rule_name(rule.name, name)) return false;
  rule.at = location(name);
  rule.line = file_.line_column(name.begin).line;
  if (!rule_names_.emplace(rule.name, rule.at).second) return error<kRuleNameTwice>(name, rule.name);
  if (!expect(Tok::Colon)) return false;
  const Token root = tok_;
  if (!parse_pattern(rule.pattern, true)) return false;
  if (rule.pattern.form != RulePattern::Form::Op) return error<kRuleRoot>(root, rule.name);
  if (!take_rule_arrow()) return unexpected("`=>`");
  // What `where` names is bound before it is read, and may be used before it is written: the right side comes first.
  const Token replacement = tok_;
  if (at_word("fusion")) {
    if (phase_ != RulePhase::Grow) return error<kRulePhase>(tok_, "`fusion`");
    advance();
    rule.fusion = true;
  } else {
    if (phase_ == RulePhase::Grow) return unexpected("`fusion`: a set of phase `grow` collects ops");
    // Skip to `where`, then come back.
    int open = 0;
    while (!at(Tok::End) && !at_word("rule") && !at_word("set") &&
           !(open == 0 && (at_where() || at_word("if") || at_word("numerics")))) {
      if (at(Tok::LParen) || at(Tok::LBracket)) ++open;
      if (at(Tok::RParen) || at(Tok::RBracket)) --open;
      advance();
    }
  }
  if (at_where()) {
    advance();
    if (rule.fusion) return unexpected("`if` or `numerics`");
    do {
      const Token local = tok_;
      if (!at(Tok::Name)) return unexpected("a name");
      if (find(text()) != kNoSlot) return unexpected("a name that the rule does not use yet");
      const std::string word(text());
      advance();
      RuleBuild build;
      if (!expect(Tok::Equal) || !parse_build(build, false)) return false;
      if (build.form == RuleBuild::Form::Number)
        return error<kRuleKindClash>(local, "`" + word + "`", "a number", "a value");
      rule.locals.emplace_back(bind(word, RuleName::Role::Local, TermKind::Value), std::move(build));
    } while (take(Tok::Comma));
  }
  while (take_word("if")) {
    RuleTerm term;
    const Token at_term = tok_;
    if (!parse_term(term)) return false;
    if (term.kind != TermKind::Bool)
      return error<kRuleKindClash>(at_term, "the condition", term_kind_text(term.kind), "a truth value");
    split_conjunction(std::move(term), rule.conditions);
  }
  if (!at_word("numerics")) {
    if (at(Tok::End) || at_word("rule") || at_word("set") || at(Tok::String))
      return error<kRuleNeedsClass>(name, rule.name);
    return unexpected(rule.conditions.empty() && rule.locals.empty() ? "`where`, `if` or `numerics`"
                                                                     : "`if` or `numerics`");
  }
  advance();
  if (!parse_class(rule) || !parse_string(rule.doc)) return false;
  if (!at(Tok::End) && !at_word("rule") && !at_word("set")) return unexpected("`rule`, `set` or the end of the file");
  if (!rule.fusion) {
    const Token resume = tok_;
    lexer_.seek(replacement.begin);
    advance();
    if (!parse_build(rule.replacement, true)) return false;
    if (!at_where() && !at_word("if") && !at_word("numerics")) return unexpected("`where`, `if` or `numerics`");
    lexer_.seek(resume.begin);
    advance();
  }
  rule.names = names_;
  if (!make_forms(rule, name)) return false;
  set.rules.push_back(std::move(rule));
  return true;
}

bool RuleParser::parse_class(TextRule& rule) {
  const auto name = std::find_if(kNumericsClassNames.begin(), kNumericsClassNames.end(),
                                 [&](std::string_view n) { return at_word(n); });
  if (name == kNumericsClassNames.end())
    return unexpected("exact, signed_zero, nan_or_inf, reassociate, approximate or unequal");
  rule.numerics = static_cast<NumericsClass>(name - kNumericsClassNames.begin());
  advance();
  if (!take_word("in")) return true;
  if (at_word("reduction"))
    rule.scope = RoundingScope::Reduction;
  else if (at_word("weights"))
    rule.scope = RoundingScope::Weights;
  else
    return unexpected("`reduction` or `weights`");
  advance();
  return true;
}

bool RuleParser::parse_pattern(RulePattern& out, bool root) {
  const Nesting nesting(*this);
  if (!nesting.ok()) return false;
  out.at = location(tok_);
  if (at(Tok::Integer) || at(Tok::Float) || at(Tok::Minus) || at_word("inf")) {
    const bool negative = take(Tok::Minus);
    AttrValue number;
    if (!parse_number(negative, number)) return false;
    out.form = RulePattern::Form::Literal;
    const auto real = as_double(context_.index(), number);
    // `-0` is a number of its own.
    out.literal = negative && *real == 0 ? -0.0 : *real;
    return true;
  }
  if (take(Tok::Hash)) return parse_number_pattern(out);
  if (!at(Tok::Name)) return unexpected("a pattern");
  const Token name = tok_;
  advance();
  if (at(Tok::Symbol) && tok_.begin == end_of_last_) return parse_op_pattern(out, name, true);
  const bool op = at(Tok::LParen) || at(Tok::LBracket) || at(Tok::Star) || at(Tok::Bang) || at(Tok::Bar);
  if (op || at_optional_op()) return parse_op_pattern(out, name, false);
  if (root) return true;
  const std::string_view word = lexer_.text(name);
  out.slot = find(word);
  if (take(Tok::Question)) out.form = RulePattern::Form::Optional;
  if (out.slot == kNoSlot) {
    out.slot = bind(word, RuleName::Role::Value, TermKind::Value);
    return true;
  }
  if (names_[out.slot].role == RuleName::Role::Value && out.form == RulePattern::Form::Value) return true;
  return error<kRuleKindClash>(name, "`" + std::string(word) + "`", "in use already", "a value in this place");
}

// Behind `#`: a name, and in an optional op what it is where the op is not there.
bool RuleParser::parse_number_pattern(RulePattern& out) {
  if (!at(Tok::Name)) return unexpected("the name of a number");
  out.form = RulePattern::Form::Number;
  out.slot = find(text());
  if (out.slot == kNoSlot)
    out.slot = bind(text(), RuleName::Role::Number, TermKind::Number);
  else if (names_[out.slot].kind != TermKind::Number)
    return error<kRuleKindClash>(tok_, "`" + std::string(text()) + "`", term_kind_text(names_[out.slot].kind),
                                 "a number");
  advance();
  if (!take(Tok::Equal)) return true;
  const bool negative = take(Tok::Minus);
  return parse_number(negative, out.otherwise.emplace(false));
}

bool RuleParser::parse_op_choice(RulePattern& out, const Token& place, std::string_view word) {
  if (const std::uint16_t slot = find(word); slot != kNoSlot && names_[slot].role == RuleName::Role::Op) {
    if (!surely_there(slot, place)) return false;
    out.same_as = slot;
    out.opcodes = *opcodes_of(slot);
    return true;
  }
  for (const Traits trait : kOpClasses) {
    if (trait_name(trait) != word) continue;
    for (std::size_t i = 0; i < context_.ops().size(); ++i) {
      const OpDef& def = *context_.ops()[i];
      if (has(def.traits, trait) && why_not_in_patterns(def).empty()) out.opcodes.push_back(static_cast<Opcode>(i));
    }
    return !out.opcodes.empty() || unknown_op(place, word);
  }
  const Opcode opcode = context_.find_op(word);
  if (opcode == Opcode::Invalid) return unknown_op(place, word);
  if (const std::string_view reason = why_not_in_patterns(context_.def(opcode)); !reason.empty())
    return error<kRuleOpNotAllowed>(place, word, reason);
  if (std::find(out.opcodes.begin(), out.opcodes.end(), opcode) == out.opcodes.end()) out.opcodes.push_back(opcode);
  return true;
}

// At the symbol when there is a label, else behind the name.
bool RuleParser::parse_op_pattern(RulePattern& out, const Token& name, bool labelled) {
  out.form = RulePattern::Form::Op;
  const std::string_view label = labelled ? lexer_.text(name) : std::string_view();
  Token op = name;
  std::string_view word = lexer_.text(name);
  if (labelled) {
    op = tok_;
    word = text().substr(1);
    if (find(label) != kNoSlot)
      return error<kRuleKindClash>(name, "`" + std::string(label) + "`", "in use already", "a new label");
    advance();
  }
  if (!parse_op_choice(out, op, word)) return false;
  while (take(Tok::Bar)) {
    if (!at(Tok::Name)) return unexpected("the name of an op");
    if (!parse_op_choice(out, tok_, text())) return false;
    advance();
  }
  out.slot = bind(label, RuleName::Role::Op, TermKind::Value);
  op_slots_.emplace_back(out.slot, out.opcodes);
  if (at(Tok::Star)) {
    if (phase_ != RulePhase::Grow) return error<kRulePhase>(tok_, "a chain");
    out.chain = true;
    advance();
  }
  out.as_written = take(Tok::Bang);
  const Token question = tok_;
  out.optional = take(Tok::Question);
  if (out.optional) optional_slots_.push_back(out.slot);
  if (take(Tok::LBracket) && !parse_pattern_attributes(out, word)) return false;
  if (!expect(Tok::LParen)) return false;
  if (!at(Tok::RParen)) {
    do {
      if (!parse_pattern(out.operands.emplace_back(), false)) return false;
    } while (take(Tok::Comma));
  }
  if (!expect(Tok::RParen)) return false;
  return check_pattern_operands(out, op) && check_optional(out, out.optional ? question : op);
}

// Whatever an optional op binds must stand for something where the op is not there.
bool RuleParser::check_optional(const RulePattern& out, const Token& place) {
  using Form = RulePattern::Form;
  for (std::size_t i = 0; i < out.operands.size(); ++i) {
    const RulePattern& operand = out.operands[i];
    if (operand.otherwise.has_value() && (!out.optional || i == 0))
      return error<kRuleKindClash>(place, "`#" + names_[operand.slot].name + " = …`",
                                   "an operand of an op that is always there", "one of an optional op");
    if (!out.optional) continue;
    if (i == 0 && operand.form != Form::Op && operand.form != Form::Value)
      return error<kRuleOptional>(place, "its first operand, which then stands in its place, must be a value");
    const bool unnamed = operand.form == Form::Literal || operand.form == Form::Optional;
    if (i > 0 && !unnamed && !operand.otherwise)
      return error<kRuleOptional>(place, "its other operands must be `#name = number`, `name?` or numbers");
  }
  if (!out.optional) return true;
  if (out.chain) return error<kRuleOptional>(place, "a chain has one op at least");
  if (out.slot == 0) return error<kRuleOptional>(place, "a rule rewrites its root");
  for (const RuleAttribute& attribute : out.attributes)
    if (attribute.slot != kNoSlot)
      return error<kRuleOptional>(place, "its attribute `" + attribute.name + "` would have no value");
  return true;
}

bool RuleParser::surely_there(std::uint16_t slot, const Token& name) {
  if (std::find(optional_slots_.begin(), optional_slots_.end(), slot) == optional_slots_.end()) return true;
  return error<kRuleOptional>(name, "`" + names_[slot].name + "` would be no op to make again");
}

bool RuleParser::parse_pattern_attributes(RulePattern& out, std::string_view op) {
  do {
    if (at(Tok::Star)) {
      advance();
      out.rest = true;
      if (out.optional) continue;
      several_rests_ = several_rests_ || rest_slot_ != kNoSlot;
      rest_slot_ = out.slot;
      continue;
    }
    if (!at(Tok::Name)) return unexpected("the name of an attribute or `*`");
    if (out.same_as != kNoSlot)
      return error<kRuleKindClash>(tok_, "`" + std::string(op) + "`", "an op with the attributes of another",
                                   "an op of its own to have attributes");
    if (!parse_pattern_attribute(out)) return false;
  } while (take(Tok::Comma));
  return expect(Tok::RBracket);
}

bool RuleParser::parse_pattern_attribute(RulePattern& out) {
  RuleAttribute attribute{std::string(text()), kNoSlot, false};
  const Token name = tok_;
  std::optional<TermKind> kind;
  AttributeKind row_kind = AttributeKind::None;
  for (const Opcode opcode : out.opcodes) {
    const OpDef& def = context_.def(opcode);
    const AttrDef* row = find_attribute(def, attribute.name);
    if (row == nullptr) return unknown_attribute(name, def, attribute.name);
    kind = term_kind(row->kind);
    row_kind = row->kind;
    if (!kind)
      return error<kRuleKindClash>(name, "attribute `" + attribute.name + "`",
                                   "of a kind that rules do not compute with",
                                   "one of truth values, numbers, lists, texts or dtypes");
  }
  advance();
  std::string_view variable = attribute.name;
  Token variable_token = name;
  if (take(Tok::Equal)) {
    const bool word = at(Tok::Name) && !literal_word(text());
    if (!word) {
      RuleTerm term;
      const Token at_term = tok_;
      if (!parse_unary(term)) return false;
      // A list of numbers is a literal too.
      if (term.form == RuleTerm::Form::List) {
        std::vector<IndexExpr> items;
        for (const RuleTerm& item : term.operands) {
          const auto* whole = std::get_if<IndexExpr>(&item.literal);
          if (item.form != RuleTerm::Form::Literal || whole == nullptr)
            return error<kRuleKindClash>(at_term, "an item of the list", "an expression", "a whole number");
          items.push_back(*whole);
        }
        term.literal = std::move(items);
      } else if (term.form != RuleTerm::Form::Literal) {
        return error<kRuleKindClash>(at_term, "the attribute's value", "an expression", "a name or a literal");
      }
      const auto value = convert_attribute(context_, term.literal, row_kind);
      if (!value)
        return error<kRuleKindClash>(at_term, "attribute `" + attribute.name + "`", term_kind_text(*kind),
                                     "compared with one");
      attribute.literal = *value;
      out.attributes.push_back(std::move(attribute));
      return true;
    }
    variable = text();
    variable_token = tok_;
    advance();
  }
  attribute.slot = find(variable);
  if (attribute.slot == kNoSlot)
    attribute.slot = bind(variable, RuleName::Role::Attribute, *kind);
  else if (names_[attribute.slot].kind != *kind)
    return error<kRuleKindClash>(variable_token, "`" + std::string(variable) + "`",
                                 term_kind_text(names_[attribute.slot].kind), term_kind_text(*kind));
  out.attributes.push_back(std::move(attribute));
  return true;
}

bool RuleParser::misspelled(Diagnostic diagnostic, std::string_view word, const std::vector<std::string_view>& names) {
  diagnostic.width = static_cast<std::uint32_t>(word.size());
  if (const auto near = closest_name(word, names)) diagnostic.add_note<kDidYouMean>({}, *near);
  diagnostics_.emit(std::move(diagnostic));
  return false;
}

bool RuleParser::unknown_op(const Token& token, std::string_view word) {
  std::vector<std::string_view> names;
  for (const OpDef* def : context_.ops()) names.push_back(def->name);
  return misspelled(diagnose<kRuleUnknownOp>(location(token), word), word, names);
}

bool RuleParser::unknown_attribute(const Token& token, const OpDef& def, std::string_view word) {
  std::vector<std::string_view> names;
  for (const AttrDef& attr : def.attrs) names.push_back(attr.name);
  return misspelled(diagnose<kRuleUnknownAttribute>(location(token), def.name, word), word, names);
}

OperandRange::OperandRange(const OpDef& def) : most(def.operands.size()) {
  for (const OperandDef& operand : def.operands) {
    variadic = variadic || operand.variadic;
    if (!operand.optional && !operand.variadic) ++least;
  }
}

std::string OperandRange::text() const {
  if (variadic) return "at least " + std::to_string(least);
  return least == most ? std::to_string(most) : std::to_string(least) + " to " + std::to_string(most);
}

// Of several ops one must take that many; the others never match.
bool RuleParser::check_pattern_operands(const RulePattern& out, const Token& name) {
  if (out.chain) return true;
  for (const Opcode opcode : out.opcodes)
    if (OperandRange(context_.def(opcode)).holds(out.operands.size())) return true;
  const OpDef& last = context_.def(out.opcodes.back());
  return error<kRuleOperandCount>(name, last.name, OperandRange(last).text(), out.operands.size());
}

namespace {

// The form without an optional op, given one of its first operand.
RulePattern without(const RulePattern& op, RulePattern first) {
  first.absences.push_back({op.slot, std::nullopt});
  for (const RulePattern& operand : op.operands)
    if (operand.otherwise) first.absences.push_back({operand.slot, operand.otherwise});
  return first;
}

// All trees that come from one by swapping the operands of commutative ops and leaving optional ones out; false when
// there are more than `most`.
bool all_forms(const Context& context, const RulePattern& pattern, std::size_t most, std::vector<RulePattern>& out) {
  if (pattern.form != RulePattern::Form::Op) {
    out.push_back(pattern);
    return true;
  }
  std::vector<RulePattern> absent;
  std::vector<std::vector<RulePattern>> lists{{}};  // operands so far
  for (const RulePattern& operand : pattern.operands) {
    std::vector<RulePattern> forms;
    if (!all_forms(context, operand, most, forms)) return false;
    if (pattern.optional && &operand == pattern.operands.data())
      for (const RulePattern& form : forms) absent.push_back(without(pattern, form));
    std::vector<std::vector<RulePattern>> next;
    for (const auto& list : lists)
      for (const RulePattern& form : forms) {
        next.push_back(list);
        next.back().push_back(form);
      }
    if (next.size() > most) return false;
    lists = std::move(next);
  }
  const bool commutative =
      !pattern.as_written && !pattern.chain && pattern.operands.size() == 2 && !pattern.opcodes.empty() &&
      std::all_of(pattern.opcodes.begin(), pattern.opcodes.end(),
                  [&](Opcode opcode) { return has(context.def(opcode).traits, Traits::Commutative); });
  // Two equal values need no swapping.
  const bool symmetric = commutative && pattern.operands[0].form == RulePattern::Form::Value &&
                         pattern.operands[1].form == RulePattern::Form::Value &&
                         pattern.operands[0].slot == pattern.operands[1].slot;
  for (auto& list : lists) {
    RulePattern form = pattern;
    form.operands = list;
    out.push_back(form);
    if (commutative && !symmetric) {
      std::swap(form.operands[0], form.operands[1]);
      out.push_back(std::move(form));
    }
    if (out.size() > most) return false;
  }
  // The op is looked for before what may stand alone.
  out.insert(out.end(), std::make_move_iterator(absent.begin()), std::make_move_iterator(absent.end()));
  return out.size() <= most;
}

}  // namespace

bool RuleParser::make_forms(TextRule& rule, const Token& name) {
  if (all_forms(context_, rule.pattern, kMaxRuleForms, rule.forms)) return true;
  return error<kRuleTooManyForms>(name, rule.name, kMaxRuleForms);
}

std::optional<RuleFile> parse_rules(Context& context, const SourceFile& file, DiagnosticEngine& diagnostics) {
  return RuleParser(context, file, diagnostics).parse_file();
}

}  // namespace mlgc
