// The place in a text: the token at hand, what takes tokens, and the errors reported there.
//
// Functions that take what must be there return false after reporting that it is not; the token at fault is then the
// current one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "diag/kinds_text.h"
#include "diag/source.h"
#include "text/lexer.h"
#include "text/parser.h"

namespace mlgc::text {

class Cursor {
 public:
  // Reads the part of the text that the options name. A text that the lexer cannot read is reported and has no tokens.
  Cursor(LocationTable& locations, const SourceFile& file, DiagnosticEngine& diagnostics, const ParseOptions& options);
  Cursor(const Cursor&) = delete;
  Cursor& operator=(const Cursor&) = delete;

  // Tokens.
  void advance() { tok_ = lexer_.next(); }
  [[nodiscard]] const Token& token() const { return tok_; }
  [[nodiscard]] bool at(Tok kind) const { return tok_.kind == kind; }
  [[nodiscard]] std::string_view text() const { return lexer_.text(tok_); }
  [[nodiscard]] std::string_view text(const Token& token) const { return lexer_.text(token); }
  [[nodiscard]] bool at_word(std::string_view word) const { return at(Tok::Name) && text() == word; }
  bool take(Tok kind) {
    if (!at(kind)) return false;
    advance();
    return true;
  }
  bool take_word(std::string_view word) {
    if (!at_word(word)) return false;
    advance();
    return true;
  }
  // Takes a token of that kind or reports that it is missing; `where` says in what: "after the operands".
  bool expect(Tok kind, std::string_view where);
  bool expect_greater(std::string_view where);  // `>`, also the first half of `>=`
  bool expect_end();                            // the text holds no more
  // A decimal or hexadecimal number below 2^64.
  bool parse_magnitude(const Token& token, std::uint64_t& out);
  bool parse_int64(const Token& token, bool negative, std::int64_t& out);
  bool parse_string(std::string& out);
  bool parse_marked_name(Token& out, std::string_view wanted);
  bool parse_symbol(std::string& out);
  // Appends the text from the bracket at hand to its partner, which is of another dialect.
  bool take_balanced(std::string& out);

  // Places.
  struct Place {
    Lexer lexer;
    Token token;
  };
  [[nodiscard]] Place place() const { return {lexer_, tok_}; }
  void go_to(const Place& place) {
    lexer_ = place.lexer;
    tok_ = place.token;
  }
  void seek(std::size_t offset) {
    lexer_.seek(offset);
    advance();
  }
  // Reads tokens after the one at hand, and of the whole text.
  [[nodiscard]] Lexer ahead() const { return lexer_; }
  [[nodiscard]] Lexer from_begin() const { return {file_.text(), begin_, end_}; }
  // For what is read by character: what follows the token at hand. The next token is read from there.
  [[nodiscard]] Lexer& characters() { return lexer_; }
  void set_token(const Token& token) { tok_ = token; }
  [[nodiscard]] const SourceFile& file() const { return file_; }
  [[nodiscard]] std::string_view all() const { return file_.text(); }
  [[nodiscard]] std::size_t end() const { return lexer_.end(); }
  // Parses what stands at an offset, or in a string without escapes, with `parse`, and comes back.
  template <class Parse>
  bool parse_at(std::size_t offset, const Parse& parse);
  template <class Parse>
  bool parse_inside(const Token& string, const Parse& parse);

  // Errors. Reports return false.
  [[nodiscard]] DiagnosticEngine& diagnostics() const { return diagnostics_; }
  [[nodiscard]] Location location(const Token& token) const { return location(token.begin); }
  [[nodiscard]] Location location(std::size_t offset) const {
    return base_ == 0 ? Location() : Location{base_ + static_cast<std::uint32_t>(offset)};
  }
  bool report(Diagnostic diagnostic) const {
    diagnostics_.emit(std::move(diagnostic));
    return false;
  }
  template <const DiagKind& K, class... Args>
  bool error(const Token& token, Args&&... args) const {
    return report(diagnose<K>(location(token), std::forward<Args>(args)...).with_width(token.end - token.begin));
  }
  bool unexpected(std::string_view wanted) const;  // reports the current token
  void report_unclosed(const Token& open);
  // Nothing more is parsed, and nothing said of what is then missing.
  void give_up() {
    gave_up_ = true;
    seek(lexer_.end());
  }
  [[nodiscard]] bool gave_up() const { return gave_up_; }

  // Recovery.
  [[nodiscard]] bool first_on_line(const Token& token) const { return indentation(token.begin).has_value(); }
  void synchronize(std::size_t op_begin);
  bool skip_block(const Token& open);

  // Open while something that may hold others of its kind is parsed.
  class Nesting {
   public:
    explicit Nesting(Cursor& cursor) : cursor_(cursor) {
      if (++cursor_.depth_ > cursor_.deepest_) cursor_.deepest_ = cursor_.depth_;
    }
    ~Nesting() { --cursor_.depth_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;
    [[nodiscard]] bool ok();  // reports when too deep

   private:
    Cursor& cursor_;
  };
  [[nodiscard]] std::size_t depth() const { return depth_; }
  void start_at_depth(std::size_t depth) { depth_ = depth; }
  // How deep the nesting is that `parse` opens.
  template <class Parse>
  [[nodiscard]] std::size_t depth_of(const Parse& parse);
  // Counts what was parsed elsewhere as if it stood here; reports when that is too deep.
  bool allow_depth(const Token& use, std::size_t depth);

 private:
  bool check_bytes();
  // Where a token stands in its line; nothing when something stands before it.
  [[nodiscard]] std::optional<std::size_t> indentation(std::size_t offset) const;

  const SourceFile& file_;
  DiagnosticEngine& diagnostics_;
  std::size_t begin_, end_;  // of the part of the text
  Lexer lexer_;
  Token tok_;
  std::uint32_t base_ = 0;  // location id of offset 0; 0: the location table had no room
  std::size_t depth_ = 0;
  std::size_t deepest_ = 0;  // the largest depth_ so far
  bool gave_up_ = false;
};

// Whether a word begins an item of the module: no op of a function is called that.
[[nodiscard]] bool starts_item(std::string_view word);

template <class Parse>
bool Cursor::parse_at(std::size_t offset, const Parse& parse) {
  const Place resume = place();
  lexer_ = Lexer(file_.text(), offset, end_);
  advance();
  const bool ok = parse();
  if (gave_up_) return false;
  go_to(resume);
  return ok;
}

template <class Parse>
bool Cursor::parse_inside(const Token& string, const Parse& parse) {
  // Strings that hold expressions have no escapes, so their inside is a part of the text like any other.
  const Place resume = place();
  lexer_ = Lexer(file_.text(), string.begin + 1, string.end - 1);
  advance();
  const bool ok = parse() && expect_end();
  go_to(resume);
  return ok;
}

template <class Parse>
std::size_t Cursor::depth_of(const Parse& parse) {
  const std::size_t deepest = std::exchange(deepest_, depth_);
  parse();
  const std::size_t own = deepest_ - depth_;
  deepest_ = std::max(deepest, deepest_);
  return own;
}

}  // namespace mlgc::text
