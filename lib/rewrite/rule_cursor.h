// The place in a rule file: the token at hand, what takes tokens, and the errors reported there. Functions that take
// what must be there answer false after reporting that it is not; the token at fault is then the current one.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "diag/diagnostic.h"
#include "diag/kinds_rules.h"
#include "ir/context.h"
#include "text/lexer.h"

namespace mlgc {

class RuleCursor {
 public:
  using Tok = text::Tok;
  using Token = text::Token;

  RuleCursor(Context& context, const SourceFile& file, DiagnosticEngine& diagnostics)
      : context_(context), file_(file), diagnostics_(diagnostics), lexer_(file.text(), 0, file.text().size()) {
    advance();
  }

  void advance() {
    end_of_last_ = tok_.end;
    tok_ = lexer_.next();
  }
  // Goes to an offset where a token begins.
  void seek(std::uint32_t offset) {
    lexer_.seek(offset);
    advance();
  }
  [[nodiscard]] const Token& token() const { return tok_; }
  // Whether nothing stands between the last token and the one at hand.
  [[nodiscard]] bool adjacent() const { return tok_.begin == end_of_last_; }
  [[nodiscard]] std::uint32_t end_of_last() const { return end_of_last_; }
  [[nodiscard]] bool at(Tok kind) const { return tok_.kind == kind; }
  [[nodiscard]] std::string_view text() const { return lexer_.text(tok_); }
  [[nodiscard]] std::string_view text(const Token& token) const { return lexer_.text(token); }
  [[nodiscard]] bool at_word(std::string_view word) const { return at(Tok::Name) && text() == word; }
  [[nodiscard]] Location location(const Token& token) const {
    return context_.locations().position_in(file_, token.begin);
  }
  // The word, and not the op of that name.
  [[nodiscard]] bool at_where();
  // `?` after the name of an op, not of a value.
  [[nodiscard]] bool at_optional_op();
  bool take(Tok kind);
  bool take_word(std::string_view word);
  bool take_rule_arrow();  // `=>`
  bool expect(Tok kind);
  bool expect_word(std::string_view word);
  bool parse_string(std::string& out);  // which may be absent

  bool unexpected(std::string_view wanted);  // reports the current token; answers false, as all reports do
  bool report(Diagnostic diagnostic) {
    diagnostics_.emit(std::move(diagnostic));
    return false;
  }
  template <const DiagKind& K, class... Args>
  bool error(const Token& token, Args&&... args) {
    return report(diagnose<K>(location(token), std::forward<Args>(args)...).with_width(token.end - token.begin));
  }
  // Report a name that nothing has, with the closest of the names that there are.
  bool misspelled(Diagnostic diagnostic, std::string_view word, const std::vector<std::string_view>& names);
  bool unknown_op(const Token& token, std::string_view word);
  bool unknown_attribute(const Token& token, const OpDef& def, std::string_view word);

  // Open while something that may hold others of its kind is parsed.
  class Nesting {
   public:
    explicit Nesting(RuleCursor& cursor) : cursor_(cursor) { ++cursor_.depth_; }
    ~Nesting() { --cursor_.depth_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;
    [[nodiscard]] bool ok() const;  // reports when too deep

   private:
    RuleCursor& cursor_;
  };

 private:
  Context& context_;
  const SourceFile& file_;
  DiagnosticEngine& diagnostics_;
  text::Lexer lexer_;
  Token tok_;
  std::uint32_t end_of_last_ = 0;
  int depth_ = 0;
};

}  // namespace mlgc
