// Tokens of the text form. The lexer makes one token at a time from any offset, so the parser can read a stretch again
// in another mode (dimension lists, where `4x8xf32` is not a number and a name).
//
// Guarantees: every byte belongs to a token, to white space or to a comment; nothing is ever skipped silently. What is
// no token is an Error token with the kind of what is wrong with it; the lexer itself reports nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "diag/diagnostic.h"

namespace mlgc::text {

enum class Tok : std::uint8_t {
  End,
  Error,
  Name,     // letters, digits, `_`, `$`, `.`, starting with a letter or `_`
  Value,    // `%name`, `%12`, `%12#1`
  Symbol,   // `@name`, `@"any text"`
  Block,    // `^name`
  Integer,  // decimal, or hexadecimal after 0x
  Float,    // with a point or an exponent
  String,
  LParen,
  RParen,
  LBrace,
  RBrace,
  LBracket,
  RBracket,
  Less,
  Greater,
  Comma,
  Colon,
  Equal,
  Arrow,
  Plus,
  Minus,
  Star,
  Hash,
  Bang,
  MetadataBegin,  // `{-#`
  MetadataEnd,    // `#-}`
  Question,
  Bar,
  EqualEqual,
  NotEqual,
  LessEqual,
  GreaterEqual,
};

// What a token of this kind is called in a message: `a name`, "`{`".
[[nodiscard]] std::string_view token_name(Tok kind);

struct Token {
  Tok kind = Tok::End;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

class Lexer {
 public:
  // Reads text[begin, end). The text must outlive the lexer and be shorter than 4 GiB.
  Lexer(std::string_view text, std::size_t begin, std::size_t end) : text_(text), at_(begin), end_(end) {}

  Token next();
  [[nodiscard]] std::size_t offset() const { return at_; }
  void seek(std::size_t offset) { at_ = offset; }
  [[nodiscard]] std::size_t end() const { return end_; }
  [[nodiscard]] std::string_view text(const Token& token) const {
    return text_.substr(token.begin, token.end - token.begin);
  }
  // Why the last Error token is one.
  [[nodiscard]] const DiagKind* error() const { return error_; }

  // Jumps over white space and comments.
  void skip_space();
  // The next byte without white space and comments before it, 0 at the end.
  [[nodiscard]] char peek() const { return at_ < end_ ? text_[at_] : '\0'; }

 private:
  Token fail(std::size_t begin, std::size_t stop, const DiagKind& kind);
  Token number(std::size_t begin);
  Token string(std::size_t begin);
  Token sigil(std::size_t begin);

  std::string_view text_;
  std::size_t at_, end_;
  const DiagKind* error_ = nullptr;
};

// May begin a bare name; may follow in one.
[[nodiscard]] bool is_name_start(char c);
[[nodiscard]] bool is_name_character(char c);
// A name that needs no quotes: as a symbol, and as the key of an attribute.
[[nodiscard]] bool is_bare_name(std::string_view name);

// The text that a String token (quotes included) stands for; false when an escape is unknown. `\n`, `\t`, `\\`, `\"`
// and two hexadecimal digits are escapes.
[[nodiscard]] bool unquote(std::string_view token, std::string& out);

}  // namespace mlgc::text
