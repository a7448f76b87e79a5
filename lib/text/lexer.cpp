// The lexer.
#include "text/lexer.h"

#include <array>

#include "diag/kinds_text.h"

namespace mlgc::text {

namespace {

// Classes of characters; one may be of several.
constexpr std::uint8_t kSpace = 1, kNameStart = 2, kNameRest = 4, kDigit = 8, kHex = 16;

constexpr std::array<std::uint8_t, 256> kClasses = [] {
  std::array<std::uint8_t, 256> table{};
  for (int c = 'a'; c <= 'z'; ++c) table[static_cast<std::size_t>(c)] = kNameStart | kNameRest;
  for (int c = 'A'; c <= 'Z'; ++c) table[static_cast<std::size_t>(c)] = kNameStart | kNameRest;
  for (int c = '0'; c <= '9'; ++c) table[static_cast<std::size_t>(c)] = kDigit | kHex | kNameRest;
  for (const unsigned char c : {'a', 'b', 'c', 'd', 'e', 'f', 'A', 'B', 'C', 'D', 'E', 'F'}) table[c] |= kHex;
  table['_'] = kNameStart | kNameRest;
  table['$'] = kNameRest;
  table['.'] = kNameRest;
  for (const unsigned char c : {' ', '\t', '\n', '\r'}) table[c] = kSpace;
  return table;
}();

bool is(char c, std::uint8_t mask) { return (kClasses[static_cast<unsigned char>(c)] & mask) != 0; }

}  // namespace

std::string_view token_name(Tok kind) {
  switch (kind) {
    case Tok::End: return "the end of the text";
    case Tok::Error: return "an error";
    case Tok::Name: return "a name";
    case Tok::Value: return "a value";
    case Tok::Symbol: return "a symbol";
    case Tok::Block: return "a block label";
    case Tok::Integer: return "an integer";
    case Tok::Float: return "a number";
    case Tok::String: return "a string";
    case Tok::LParen: return "`(`";
    case Tok::RParen: return "`)`";
    case Tok::LBrace: return "`{`";
    case Tok::RBrace: return "`}`";
    case Tok::LBracket: return "`[`";
    case Tok::RBracket: return "`]`";
    case Tok::Less: return "`<`";
    case Tok::Greater: return "`>`";
    case Tok::Comma: return "`,`";
    case Tok::Colon: return "`:`";
    case Tok::Equal: return "`=`";
    case Tok::Arrow: return "`->`";
    case Tok::Plus: return "`+`";
    case Tok::Minus: return "`-`";
    case Tok::Star: return "`*`";
    case Tok::Hash: return "`#`";
    case Tok::Bang: return "`!`";
    case Tok::MetadataBegin: return "`{-#`";
    case Tok::MetadataEnd: return "`#-}`";
    case Tok::Question: return "`?`";
    case Tok::Bar: return "`|`";
    case Tok::EqualEqual: return "`==`";
    case Tok::NotEqual: return "`!=`";
    case Tok::LessEqual: return "`<=`";
    case Tok::GreaterEqual: return "`>=`";
  }
  return "a token";
}

bool is_name_start(char c) { return is(c, kNameStart); }
bool is_name_character(char c) { return is(c, kNameRest); }

bool is_bare_name(std::string_view name) {
  if (name.empty() || !is_name_start(name.front())) return false;
  for (const char c : name)
    if (!is_name_character(c)) return false;
  return true;
}

void Lexer::skip_space() {
  while (at_ < end_) {
    if (is(text_[at_], kSpace)) {
      ++at_;
    } else if (text_[at_] == '/' && at_ + 1 < end_ && text_[at_ + 1] == '/') {
      const std::size_t newline = text_.find('\n', at_);
      at_ = newline == std::string_view::npos || newline > end_ ? end_ : newline;
    } else {
      return;
    }
  }
}

Token Lexer::fail(std::size_t begin, std::size_t stop, const DiagKind& kind) {
  error_ = &kind;
  at_ = stop;
  return {Tok::Error, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(stop)};
}

Token Lexer::number(std::size_t begin) {
  Tok kind = Tok::Integer;
  std::size_t i = begin;
  const auto digits = [&] {
    const std::size_t from = i;
    while (i < end_ && is(text_[i], kDigit)) ++i;
    return i > from;
  };
  if (text_[i] == '0' && i + 2 < end_ && text_[i + 1] == 'x' && is(text_[i + 2], kHex)) {
    i += 2;
    while (i < end_ && is(text_[i], kHex)) ++i;
  } else {
    digits();
    if (i < end_ && text_[i] == '.') {
      kind = Tok::Float;
      ++i;
      digits();
    }
    if (i < end_ && (text_[i] == 'e' || text_[i] == 'E')) {
      const std::size_t exponent = i++;
      if (i < end_ && (text_[i] == '+' || text_[i] == '-')) ++i;
      if (digits()) {
        kind = Tok::Float;
      } else {
        i = exponent;
      }
    }
  }
  if (i < end_ && is(text_[i], kNameRest)) {
    while (i < end_ && is(text_[i], kNameRest)) ++i;
    return fail(begin, i, kBadNumber);
  }
  at_ = i;
  return {kind, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(i)};
}

Token Lexer::string(std::size_t begin) {
  std::size_t i = begin + 1;
  while (i < end_ && text_[i] != '"' && text_[i] != '\n') i += text_[i] == '\\' ? 2 : 1;
  if (i >= end_ || text_[i] != '"') return fail(begin, i < end_ ? i : end_, kUnterminatedString);
  at_ = i + 1;
  return {Tok::String, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(at_)};
}

// `%name`, `@name`, `^name`.
Token Lexer::sigil(std::size_t begin) {
  const char mark = text_[begin];
  std::size_t i = begin + 1;
  if (mark == '@' && i < end_ && text_[i] == '"') {
    const Token quoted = string(i);
    if (quoted.kind == Tok::Error) return {Tok::Error, static_cast<std::uint32_t>(begin), quoted.end};
    return {Tok::Symbol, static_cast<std::uint32_t>(begin), quoted.end};
  }
  if (mark == '%' && i < end_ && is(text_[i], kDigit)) {
    while (i < end_ && is(text_[i], kDigit)) ++i;
    if (i < end_ && is(text_[i], kNameRest)) {
      while (i < end_ && is(text_[i], kNameRest)) ++i;
      return fail(begin, i, kBadValueName);
    }
  } else {
    while (i < end_ && is(text_[i], kNameRest)) ++i;
  }
  if (i == begin + 1) return fail(begin, i, kUnexpectedCharacter);
  if (mark == '%' && i + 1 < end_ && text_[i] == '#' && is(text_[i + 1], kDigit)) {
    ++i;
    while (i < end_ && is(text_[i], kDigit)) ++i;
  }
  at_ = i;
  const Tok kind = mark == '%' ? Tok::Value : mark == '@' ? Tok::Symbol : Tok::Block;
  return {kind, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(i)};
}

Token Lexer::next() {
  skip_space();
  const std::size_t begin = at_;
  if (begin >= end_) return {Tok::End, static_cast<std::uint32_t>(end_), static_cast<std::uint32_t>(end_)};
  const char c = text_[begin];
  if (is(c, kNameStart)) {
    while (at_ < end_ && is(text_[at_], kNameRest)) ++at_;
    return {Tok::Name, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(at_)};
  }
  if (is(c, kDigit)) return number(begin);
  const std::string_view rest = text_.substr(begin, end_ - begin);
  const char following = rest.size() > 1 ? rest[1] : '\0';
  const auto make = [&](Tok kind, std::size_t length) {
    at_ = begin + length;
    return Token{kind, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(at_)};
  };
  switch (c) {
    case '%':
    case '@':
    case '^': return sigil(begin);
    case '"': return string(begin);
    case '(': return make(Tok::LParen, 1);
    case ')': return make(Tok::RParen, 1);
    case '{': return rest.starts_with("{-#") ? make(Tok::MetadataBegin, 3) : make(Tok::LBrace, 1);
    case '}': return make(Tok::RBrace, 1);
    case '[': return make(Tok::LBracket, 1);
    case ']': return make(Tok::RBracket, 1);
    case ',': return make(Tok::Comma, 1);
    case ':': return make(Tok::Colon, 1);
    case '+': return make(Tok::Plus, 1);
    case '*': return make(Tok::Star, 1);
    case '#': return rest.starts_with("#-}") ? make(Tok::MetadataEnd, 3) : make(Tok::Hash, 1);
    case '?': return make(Tok::Question, 1);
    case '|': return make(Tok::Bar, 1);
    case '-': return following == '>' ? make(Tok::Arrow, 2) : make(Tok::Minus, 1);
    case '=': return following == '=' ? make(Tok::EqualEqual, 2) : make(Tok::Equal, 1);
    case '!': return following == '=' ? make(Tok::NotEqual, 2) : make(Tok::Bang, 1);
    case '<': return following == '=' ? make(Tok::LessEqual, 2) : make(Tok::Less, 1);
    case '>': return following == '=' ? make(Tok::GreaterEqual, 2) : make(Tok::Greater, 1);
    default: break;
  }
  // A whole UTF-8 sequence is one bad character.
  std::size_t stop = begin + 1;
  while (stop < end_ && (static_cast<unsigned char>(text_[stop]) & 0xC0U) == 0x80U) ++stop;
  return fail(begin, stop, kUnexpectedCharacter);
}

bool unquote(std::string_view token, std::string& out) {
  const std::string_view body = token.substr(1, token.size() - 2);
  out.clear();
  out.reserve(body.size());
  const auto digit = [](char c) { return c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10; };
  for (std::size_t i = 0; i < body.size(); ++i) {
    if (body[i] != '\\') {
      out += body[i];
      continue;
    }
    if (++i >= body.size()) return false;
    if (body[i] == 'n') {
      out += '\n';
    } else if (body[i] == 't') {
      out += '\t';
    } else if (body[i] == '\\' || body[i] == '"') {
      out += body[i];
    } else if (i + 1 < body.size() && is(body[i], kHex) && is(body[i + 1], kHex)) {
      out += static_cast<char>(digit(body[i]) * 16 + digit(body[i + 1]));
      ++i;
    } else {
      return false;
    }
  }
  return true;
}

}  // namespace mlgc::text
