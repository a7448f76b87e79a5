// The recursive-descent parser of rule files. Private to rule_parser*.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "diag/kinds_rules.h"
#include "rewrite/rule_functions.h"
#include "rewrite/rule_text.h"
#include "text/lexer.h"

namespace mlgc {

// How many operands a row takes.
struct OperandRange {
  explicit OperandRange(const OpDef& def);
  std::size_t least = 0, most = 0;
  bool variadic = false;
  [[nodiscard]] bool holds(std::size_t count) const { return count >= least && (variadic || count <= most); }
  [[nodiscard]] std::string text() const;
};

class RuleParser {
 public:
  RuleParser(Context& context, const SourceFile& file, DiagnosticEngine& diagnostics)
      : context_(context), file_(file), diagnostics_(diagnostics), lexer_(file.text(), 0, file.text().size()) {
    advance();
  }
  std::optional<RuleFile> parse_file();

 private:
  using Tok = text::Tok;
  using Token = text::Token;

  // --- tokens and errors
  void advance() {
    end_of_last_ = tok_.end;
    tok_ = lexer_.next();
  }
  [[nodiscard]] bool at(Tok kind) const { return tok_.kind == kind; }
  [[nodiscard]] std::string_view text() const { return lexer_.text(tok_); }
  [[nodiscard]] bool at_word(std::string_view word) const { return at(Tok::Name) && text() == word; }
  [[nodiscard]] Location location(const Token& token) const {
    return context_.locations().position_in(file_, token.begin);
  }
  // The word, and not the op of that name.
  [[nodiscard]] bool at_where();
  // `?` behind the name of an op, not of a value.
  [[nodiscard]] bool at_optional_op();
  bool take(Tok kind);
  bool take_word(std::string_view word);
  bool take_rule_arrow();  // `=>`
  bool expect(Tok kind);
  bool expect_word(std::string_view word);
  bool unexpected(std::string_view wanted);  // reports the current token; answers false, as error() does
  template <const DiagKind& K, class... Args>
  bool error(const Token& token, Args&&... args) {
    diagnostics_.emit(diagnose<K>(location(token), std::forward<Args>(args)...).with_width(token.end - token.begin));
    return false;
  }
  // Report a name that nothing has, with the closest of the names that there are.
  bool misspelled(Diagnostic diagnostic, std::string_view word, const std::vector<std::string_view>& names);
  bool unknown_op(const Token& token, std::string_view word);
  bool unknown_attribute(const Token& token, const OpDef& def, std::string_view word);
  class Nesting {
   public:
    explicit Nesting(RuleParser& parser) : parser_(parser) { ++parser_.depth_; }
    ~Nesting() { --parser_.depth_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;
    [[nodiscard]] bool ok() const;

   private:
    RuleParser& parser_;
  };

  // --- rule_parser.cpp
  bool parse_set(RuleFile& file);
  bool parse_rule(RuleTextSet& set);
  bool parse_rule_name(std::string& name, Token& token);
  bool parse_class(TextRule& rule);
  bool parse_string(std::string& out);
  bool parse_pattern(RulePattern& out, bool root);
  bool parse_op_pattern(RulePattern& out, const Token& name, bool labelled);
  bool parse_number_pattern(RulePattern& out);
  bool check_optional(const RulePattern& out, const Token& place);
  bool parse_op_choice(RulePattern& out, const Token& place, std::string_view word);
  bool parse_pattern_attributes(RulePattern& out, std::string_view op);
  bool parse_pattern_attribute(RulePattern& out);
  bool check_pattern_operands(const RulePattern& out, const Token& name);
  bool make_forms(TextRule& rule, const Token& name);

  // --- rule_parser_build.cpp
  bool parse_build(RuleBuild& out, bool root);
  bool parse_op_build(RuleBuild& out, const Token& name);
  bool parse_build_attributes(RuleBuild& out, const OpDef& def);
  bool check_build_operands(RuleBuild& out, const OpDef& def, const Token& name);
  bool parse_splat(RuleBuild& out);

  // --- rule_parser_terms.cpp
  bool parse_term(RuleTerm& out);
  bool parse_and(RuleTerm& out);
  bool parse_not(RuleTerm& out);
  bool parse_comparison(RuleTerm& out);
  bool parse_sum(RuleTerm& out);
  bool parse_product(RuleTerm& out);
  bool parse_unary(RuleTerm& out);
  bool parse_primary(RuleTerm& out);
  bool parse_name_term(RuleTerm& out);
  bool parse_call(RuleTerm& out, const Token& name);
  bool parse_list(RuleTerm& out);
  bool parse_number(bool negative, AttrValue& out);
  bool wants(const RuleTerm& term, TermKind kind, std::string_view what);
  // `true`, `f32`, `inf`, `nan`; nothing for other words.
  [[nodiscard]] static std::optional<AttrValue> literal_word(std::string_view word);

  // --- names of the rule being read
  std::uint16_t bind(std::string_view name, RuleName::Role role, TermKind kind);
  [[nodiscard]] std::uint16_t find(std::string_view name) const;  // kNoSlot
  // Reports a label of an optional op in a place that needs the op.
  bool surely_there(std::uint16_t slot, const Token& name);
  // The rows that an op of the left side may be: one at least. Precondition: the slot is one of an op.
  [[nodiscard]] const std::vector<Opcode>* opcodes_of(std::uint16_t slot) const;

  Context& context_;
  const SourceFile& file_;
  DiagnosticEngine& diagnostics_;
  text::Lexer lexer_;
  Token tok_;
  std::uint32_t end_of_last_ = 0;
  int depth_ = 0;
  std::vector<RuleName> names_;
  std::vector<std::pair<std::uint16_t, std::vector<Opcode>>> op_slots_;
  std::vector<std::uint16_t> optional_slots_;  // of optional ops
  std::uint16_t rest_slot_ = kNoSlot;          // the op of the left side with `*`
  bool several_rests_ = false;
  RulePhase phase_ = RulePhase::Simplify;
  std::unordered_map<std::string, Location> rule_names_;
};

// The kind of an attribute in expressions; nothing for kinds that rules do not compute with.
[[nodiscard]] std::optional<TermKind> term_kind(AttributeKind kind);

}  // namespace mlgc
