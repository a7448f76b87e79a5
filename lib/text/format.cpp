// The formatter.
#include "text/format.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "diag/kinds_text.h"
#include "text/lexer.h"
#include "text/parser.h"

namespace mlgc {

namespace text {

namespace {

class Formatter {
 public:
  explicit Formatter(std::string_view text) : text_(text), lexer_(text, 0, text.size()) {}

  // False at a token that is none, and at a brace that is nested too deeply; bad() says which.
  bool run() {
    while (true) {
      gap(lexer_.offset());
      const Token token = lexer_.next();
      if (token.kind == Tok::End) break;
      if (token.kind == Tok::Error && lexer_.error() == &kBadNumber) {
        put({Tok::Name, token.begin, token.end});  // `4x8xf32`: a dimension list is one word here
        continue;
      }
      if (token.kind == Tok::Error) {
        bad_ = token;
        return false;
      }
      // A line is indented by its depth, so that without a limit the output would be quadratic.
      if (token.kind == Tok::LBrace && braces_.size() == kMaxNesting) {
        bad_ = token;
        return false;
      }
      put(token);
    }
    if (!out_.empty() && out_.back() != '\n') out_ += '\n';
    return true;
  }
  [[nodiscard]] const Token& bad() const { return bad_; }
  [[nodiscard]] const DiagKind* kind() const { return lexer_.error(); }
  std::string take() { return std::move(out_); }

 private:
  // White space and comments before the next token: counts line breaks, writes comments.
  void gap(std::size_t begin) {
    std::size_t i = begin;
    breaks_ = 0;
    while (i < text_.size()) {
      const char c = text_[i];
      if (c == '\n') {
        ++breaks_;
        ++i;
      } else if (c == ' ' || c == '\t' || c == '\r') {
        ++i;
      } else if (text_.substr(i).starts_with("//")) {
        const std::size_t end = std::min(text_.find('\n', i), text_.size());
        std::string_view comment = text_.substr(i, end - i);
        while (!comment.empty() && (comment.back() == ' ' || comment.back() == '\t' || comment.back() == '\r'))
          comment.remove_suffix(1);
        if (breaks_ == 0 && !out_.empty() && out_.back() != '\n') {
          out_ += "  ";
          out_ += comment;
        } else {
          new_line(breaks_);
          // A mark between the parts of a file starts its line.
          if (!comment.starts_with("// -----")) indent(depth_);
          out_ += comment;
        }
        after_comment_ = true;
        breaks_ = 0;
        i = end;
      } else {
        break;
      }
    }
  }

  void new_line(std::size_t breaks) {
    if (out_.empty()) return;
    while (!out_.empty() && out_.back() == ' ') out_.pop_back();
    if (out_.back() != '\n') out_ += '\n';
    if (breaks > 1 && !out_.ends_with("\n\n") && !after_open_) out_ += '\n';
  }

  void indent(std::size_t depth) { out_.append(2 * depth, ' '); }

  // A brace opens a region when it is not that of attributes: those stand after a name of an op or `attributes`, or
  // hold `key = value`; a region's first token is an op, an argument list or the end.
  [[nodiscard]] bool opens_region(const Token& brace) const {
    if (previous_ == Tok::Less || previous_word_ == "attributes") return false;
    Lexer ahead(text_, brace.end, text_.size());
    const Token first = ahead.next();
    if (first.kind == Tok::RBrace) return previous_ != Tok::Comma && previous_ != Tok::Equal;
    if (first.kind != Tok::Name && first.kind != Tok::String) return true;
    const Token second = ahead.next();
    return second.kind != Tok::Equal;
  }

  void put(const Token& token) {
    const std::string_view spelling = lexer_.text(token);
    bool region_brace = false;
    if (token.kind == Tok::LBrace) {
      region_brace = opens_region(token);
      braces_.push_back(region_brace);
    }
    bool closes_region = false;
    if (token.kind == Tok::RBrace && !braces_.empty()) {
      closes_region = braces_.back();
      braces_.pop_back();
      if (closes_region && depth_ > 0) --depth_;
    }
    const bool line_start = out_.empty() || out_.back() == '\n';
    const bool forced = (after_region_open_ && !closes_region) || (closes_region && !after_region_open_);
    if (out_.empty()) {
    } else if (breaks_ > 0 || after_comment_ || forced) {
      if (closes_region) after_open_ = true;  // no empty line before a closing brace
      new_line(breaks_);
      // What continues a line is indented twice as deep.
      const bool continues = paren_depth_ > 0 || previous_ == Tok::Comma || previous_ == Tok::Equal;
      indent(depth_ + (continues && !closes_region && token.kind != Tok::Block ? 2 : 0));
    } else if (!line_start && wants_blank(token)) {
      out_ += ' ';
    }
    out_ += spelling;
    after_comment_ = false;
    after_open_ = region_brace;
    after_region_open_ = region_brace;
    if (region_brace) ++depth_;
    if (token.kind == Tok::LParen || token.kind == Tok::LBracket || token.kind == Tok::Less) ++paren_depth_;
    if ((token.kind == Tok::RParen || token.kind == Tok::RBracket || token.kind == Tok::Greater) && paren_depth_ > 0)
      --paren_depth_;
    if (token.kind == Tok::LBrace && region_brace) saved_parens_.push_back(std::exchange(paren_depth_, 0));
    if (token.kind == Tok::RBrace && closes_region && !saved_parens_.empty()) {
      paren_depth_ = saved_parens_.back();
      saved_parens_.pop_back();
    }
    previous_ = token.kind;
    previous_end_ = token.end;
    previous_word_ = token.kind == Tok::Name ? spelling : std::string_view();
  }

  // Blanks inside of dimension lists, expressions and comparisons stay as written: `4x8xf32` is no three tokens apart.
  [[nodiscard]] bool wants_blank(const Token& token) const {
    const bool was_blank = token.begin > previous_end_;
    switch (token.kind) {
      case Tok::Comma:
      case Tok::RParen:
      case Tok::RBracket: return false;
      case Tok::LBrace: return previous_ != Tok::Less && previous_ != Tok::LParen;
      case Tok::Equal:
      case Tok::Arrow: return true;
      case Tok::Colon:  // `%x: T` in argument lists, ` : T` after attributes
        if (previous_ == Tok::Value && paren_depth_ > 0) return false;
        return was_blank || previous_ == Tok::RBrace;
      default: break;
    }
    switch (previous_) {
      case Tok::Colon: return was_blank || token.kind != Tok::Integer;  // `%a:2`, `"f":1:2`
      case Tok::Comma:
      case Tok::Equal:
      case Tok::Arrow: return true;
      case Tok::LParen:
      case Tok::LBracket: return false;
      case Tok::RBrace: return token.kind != Tok::Greater;
      default: return was_blank;
    }
  }

  std::string_view text_;
  Lexer lexer_;
  std::string out_;
  Token bad_;
  std::size_t depth_ = 0, paren_depth_ = 0, breaks_ = 0;
  std::vector<bool> braces_;  // whether each open brace is that of a region
  std::vector<std::size_t> saved_parens_;
  bool after_comment_ = false, after_open_ = false, after_region_open_ = false;
  Tok previous_ = Tok::End;
  std::uint32_t previous_end_ = 0;
  std::string_view previous_word_;
};

}  // namespace

}  // namespace text

std::optional<std::string> format_text(const LocationTable& locations, const SourceFile& file,
                                       DiagnosticEngine& diagnostics) {
  const std::string_view all = file.text();
  if (all.size() > kMaxTextBytes) {
    diagnostics.emit(diagnose<kTextTooLong>(locations.position_in(file, 0), all.size(), kMaxTextBytes));
    return std::nullopt;
  }
  if (const auto bad = first_invalid_utf8(all)) {
    diagnostics.emit(diagnose<kNotUtf8>(locations.position_in(file, *bad),
                                        static_cast<unsigned>(static_cast<unsigned char>(all[*bad])), *bad));
    return std::nullopt;
  }
  text::Formatter formatter(all);
  if (formatter.run()) return formatter.take();
  const text::Token token = formatter.bad();
  const Location at = locations.position_in(file, token.begin);
  const std::string_view spelling = all.substr(token.begin, token.end - token.begin);
  if (token.kind == text::Tok::LBrace) {
    diagnostics.emit(diagnose<kNestingTooDeep>(at, kMaxNesting));
  } else if (formatter.kind() == &kUnterminatedString) {
    diagnostics.emit(diagnose<kUnterminatedString>(at).with_width(spelling.size()));
  } else if (formatter.kind() == &kBadValueName) {
    diagnostics.emit(diagnose<kBadValueName>(at, spelling).with_width(spelling.size()));
  } else {
    diagnostics.emit(diagnose<kUnexpectedCharacter>(at, spelling).with_width(spelling.size()));
  }
  return std::nullopt;
}

}  // namespace mlgc
