// See cursor.h.
#include "text/cursor.h"

#include <charconv>

namespace mlgc::text {

Cursor::Cursor(LocationTable& locations, const SourceFile& file, DiagnosticEngine& diagnostics,
               const ParseOptions& options)
    : file_(file),
      diagnostics_(diagnostics),
      begin_(options.begin),
      end_(std::min(options.end, file.text().size())),
      lexer_(file.text(), begin_, end_),
      base_(locations.position_in(file, 0).id) {
  if (!check_bytes()) lexer_.seek(lexer_.end());
  advance();
}

bool Cursor::Nesting::ok() {
  if (cursor_.depth_ <= kMaxNesting) return true;
  cursor_.error<kNestingTooDeep>(cursor_.tok_, kMaxNesting);
  // Recovering from here would meet the same error at every level on the way out.
  cursor_.give_up();
  return false;
}

bool Cursor::allow_depth(const Token& use, std::size_t depth) {
  deepest_ = std::max(deepest_, depth_ + depth);
  if (depth_ + depth <= kMaxNesting) return true;
  error<kNestingTooDeep>(use, kMaxNesting);
  give_up();
  return false;
}

// What the lexer relies on: not too long, UTF-8, no NUL.
bool Cursor::check_bytes() {
  const std::string_view all = file_.text();
  if (all.size() > kMaxTextBytes) {
    diagnostics_.emit(diagnose<kTextTooLong>(location(0), all.size(), kMaxTextBytes));
    return false;
  }
  const std::string_view part = all.substr(lexer_.offset(), lexer_.end() - lexer_.offset());
  if (const auto bad = first_invalid_utf8(part)) {
    const std::size_t offset = lexer_.offset() + *bad;
    diagnostics_.emit(
        diagnose<kNotUtf8>(location(offset), static_cast<unsigned>(static_cast<unsigned char>(all[offset])), offset));
    return false;
  }
  if (const std::size_t nul = part.find('\0'); nul != std::string_view::npos) {
    diagnostics_.emit(diagnose<kNulByte>(location(lexer_.offset() + nul), lexer_.offset() + nul));
    return false;
  }
  return true;
}

bool Cursor::unexpected(std::string_view wanted) const {
  if (at(Tok::Error)) {
    const std::string_view spelling = text();
    const DiagKind* kind = lexer_.error();
    if (kind == &kUnterminatedString) return error<kUnterminatedString>(tok_);
    if (kind == &kBadNumber) return error<kBadNumber>(tok_, spelling);
    if (kind == &kBadValueName) return error<kBadValueName>(tok_, spelling);
    return error<kUnexpectedCharacter>(tok_, spelling);
  }
  std::string found(token_name(tok_.kind));
  if (at(Tok::Name) || at(Tok::Value) || at(Tok::Symbol) || at(Tok::Integer) || at(Tok::Float) || at(Tok::Block)) {
    const std::string_view spelling = text();
    found = "`" + std::string(spelling.substr(0, 60)) + (spelling.size() > 60 ? "..." : "") + "`";
  }
  return error<kUnexpectedToken>(tok_, wanted, found);
}

bool Cursor::expect(Tok kind, std::string_view where) {
  if (take(kind)) return true;
  return unexpected(std::string(token_name(kind)) + (where.empty() ? "" : " ") + std::string(where));
}

bool Cursor::expect_greater(std::string_view where) {
  if (at(Tok::GreaterEqual)) {
    seek(tok_.begin + 1);
    return true;
  }
  return expect(Tok::Greater, where);
}

bool Cursor::expect_end() { return at(Tok::End) || unexpected("nothing more"); }

bool Cursor::parse_magnitude(const Token& token, std::uint64_t& out) {
  std::string_view digits = lexer_.text(token);
  int base = 10;
  if (digits.starts_with("0x")) {
    digits.remove_prefix(2);
    base = 16;
  }
  if (std::from_chars(digits.data(), digits.data() + digits.size(), out, base).ec == std::errc()) return true;
  return error<kNumberTooLarge>(token, lexer_.text(token).substr(0, 60), "64 bits");
}

bool Cursor::parse_int64(const Token& token, bool negative, std::int64_t& out) {
  std::uint64_t magnitude = 0;
  if (!parse_magnitude(token, magnitude)) return false;
  const std::uint64_t limit = std::uint64_t{1} << 63;
  if (magnitude > limit || (magnitude == limit && !negative))
    return error<kNumberTooLarge>(token, lexer_.text(token), "64 bits");
  out = static_cast<std::int64_t>(negative ? ~magnitude + 1 : magnitude);
  return true;
}

bool Cursor::parse_string(std::string& out) {
  if (!at(Tok::String)) return unexpected("a string");
  if (!unquote(text(), out)) return error<kBadEscape>(tok_);
  advance();
  return true;
}

// A `#` or `!` and the name after it, which is called `wanted`, as one token.
bool Cursor::parse_marked_name(Token& out, std::string_view wanted) {
  const Token mark = tok_;
  advance();
  if (!at(Tok::Name)) return unexpected(wanted);
  out = {Tok::Name, mark.begin, tok_.end};
  advance();
  return true;
}

// `@name` or `@"any text"`, without the `@`.
bool Cursor::parse_symbol(std::string& out) {
  if (!at(Tok::Symbol)) return unexpected("a symbol");
  const std::string_view name = text().substr(1);
  if (name.starts_with('"')) {
    if (!unquote(name, out)) return error<kBadEscape>(tok_);
    if (out.empty()) return error<kEmptySymbol>(tok_);
  } else {
    out = name;
  }
  advance();
  return true;
}

// The text between `<` and its partner, of another dialect: brackets balance, strings and arrows are skipped.
bool Cursor::take_balanced(std::string& out) {
  const std::string_view all = file_.text();
  std::string open;
  std::size_t i = tok_.begin;
  while (i < lexer_.end()) {
    const char c = all[i];
    if (c == '"') {
      for (++i; i < lexer_.end() && all[i] != '"' && all[i] != '\n'; ++i)
        if (all[i] == '\\') ++i;
      if (i >= lexer_.end() || all[i] != '"') break;
    } else if (c == '-' && i + 1 < lexer_.end() && all[i + 1] == '>') {
      ++i;
    } else if (c == '<' || c == '(' || c == '[' || c == '{') {
      open += c;
    } else if (c == '>' || c == ')' || c == ']' || c == '}') {
      const char partner = c == '>' ? '<' : c == ')' ? '(' : c == ']' ? '[' : '{';
      if (open.back() != partner) break;
      open.pop_back();
      if (open.empty()) {
        out += all.substr(tok_.begin, i + 1 - tok_.begin);
        seek(i + 1);
        return true;
      }
    }
    ++i;
  }
  return error<kUnbalancedAttribute>(tok_);
}

std::optional<std::size_t> Cursor::indentation(std::size_t offset) const {
  const std::string_view all = file_.text();
  std::size_t i = offset;
  while (i > 0 && (all[i - 1] == ' ' || all[i - 1] == '\t')) --i;
  if (i != 0 && all[i - 1] != '\n') return std::nullopt;
  return offset - i;
}

void Cursor::report_unclosed(const Token& open) {
  if (!gave_up_) diagnostics_.emit(diagnose<kUnclosedBrace>(location(tok_)).with_note<kOpenedHere>(location(open)));
  give_up();
}

bool starts_item(std::string_view word) {
  return word == "func" || word == "weight" || word == "state" || word == "module";
}

// Goes to where the next op may start: the first token of a line outside of what was opened since, or the `}` of the
// region. A brace that the error swallowed must not swallow the rest: what is indented no more than the op itself is
// the next op, and a function, weight or module at the start of a line ends everything.
void Cursor::synchronize(std::size_t op_begin) {
  if (gave_up_) return;  // the end is reached, and every op around would read its text once more
  // What the op itself opened before the error.
  std::size_t open = 0;
  Lexer again(file_.text(), op_begin, tok_.begin);
  for (Token token = again.next(); token.kind != Tok::End; token = again.next()) {
    if (token.kind == Tok::LBrace) ++open;
    if (token.kind == Tok::RBrace && open > 0) --open;
  }
  if (tok_.begin == op_begin && !at(Tok::End) && !at(Tok::RBrace)) {
    if (at(Tok::LBrace)) ++open;
    advance();
  }
  const std::optional<std::size_t> own = indentation(op_begin);
  while (!at(Tok::End)) {
    const bool may_start = at(Tok::Name) || at(Tok::Value) || at(Tok::String) || at(Tok::Error) || at(Tok::Hash);
    if (at(Tok::Name) && starts_item(text()) && first_on_line(tok_)) return;
    if (may_start && own && open > 0) {
      const std::optional<std::size_t> other = indentation(tok_.begin);
      if (other && *other <= *own) return;
    }
    if (open == 0) {
      if (at(Tok::RBrace)) return;
      if (may_start && first_on_line(tok_)) return;
    }
    if (at(Tok::LBrace)) ++open;
    if (at(Tok::RBrace)) --open;
    advance();
  }
}

// Jumps over a block that belongs to nothing, for recovery: its ops are not parsed.
bool Cursor::skip_block(const Token& open) {
  std::size_t depth = 1;
  while (!at(Tok::End)) {
    if (at(Tok::LBrace)) ++depth;
    if (at(Tok::RBrace) && --depth == 0) {
      advance();
      return true;
    }
    advance();
  }
  report_unclosed(open);
  return false;
}

}  // namespace mlgc::text
