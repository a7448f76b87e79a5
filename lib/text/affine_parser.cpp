// See affine_parser.h.
#include "text/affine_parser.h"

namespace mlgc::text {

// `(d0, d1)[s0]`
bool AffineParser::affine_names(std::string& out, std::vector<Name>& names) {
  const auto list = [&](Tok close, bool symbol) {
    for (bool first = true; !in_.at(close); first = false) {
      if (!first) out += ", ";
      if (!in_.at(Tok::Name)) return in_.unexpected("the name of a dimension or a symbol");
      for (const Name& name : names)
        if (name.name == in_.text()) return in_.error<kDuplicateAttribute>(in_.token(), in_.text());
      names.push_back({in_.text(), symbol});
      out += in_.text();
      in_.advance();
      if (!in_.take(Tok::Comma)) break;
    }
    return true;
  };
  if (!in_.expect(Tok::LParen, "before the dimensions")) return false;
  out += '(';
  if (!list(Tok::RParen, false) || !in_.expect(Tok::RParen, "after the dimensions")) return false;
  out += ')';
  if (!in_.take(Tok::LBracket)) return true;
  out += '[';
  if (!list(Tok::RBracket, true) || !in_.expect(Tok::RBracket, "after the symbols")) return false;
  out += ']';
  return true;
}

bool AffineParser::affine_factor(std::string& out, const std::vector<Name>& names, bool& symbolic) {
  Cursor::Nesting nesting(in_);
  if (!nesting.ok()) return false;
  if (in_.take(Tok::Minus)) {
    out += '-';
    return affine_factor(out, names, symbolic);
  }
  if (in_.take(Tok::LParen)) {
    out += '(';
    if (!affine_expr(out, names, symbolic)) return false;
    out += ')';
    return in_.expect(Tok::RParen, "after an expression");
  }
  symbolic = true;
  if (in_.at(Tok::Integer)) {
    std::int64_t value = 0;
    if (!in_.parse_int64(in_.token(), false, value)) return false;
    out += std::to_string(value);
    in_.advance();
    return true;
  }
  if (!in_.at(Tok::Name)) return in_.unexpected("an affine expression");
  for (const Name& name : names) {
    if (name.name != in_.text()) continue;
    symbolic = name.symbol;
    out += in_.text();
    in_.advance();
    return true;
  }
  return in_.unexpected("the name of a dimension or a symbol");
}

bool AffineParser::affine_expr(std::string& out, const std::vector<Name>& names, bool& symbolic) {
  const auto product = [&](bool& all) {
    if (!affine_factor(out, names, all)) return false;
    while (in_.at(Tok::Star) || in_.at_word("floordiv") || in_.at_word("ceildiv") || in_.at_word("mod")) {
      const Token word = in_.token();
      const bool times = in_.at(Tok::Star);
      out += ' ' + std::string(in_.text()) + ' ';
      in_.advance();
      bool right = true;
      if (!affine_factor(out, names, right)) return false;
      if (!right && !(times && all)) return in_.error<kNotAffine>(word, in_.text(word));
      all = all && right;
    }
    return true;
  };
  if (!product(symbolic)) return false;
  while (in_.at(Tok::Plus) || in_.at(Tok::Minus)) {
    out += in_.at(Tok::Plus) ? " + " : " - ";
    in_.advance();
    bool right = true;
    if (!product(right)) return false;
    symbolic = symbolic && right;
  }
  return true;
}

// affine_map<(d0)[s0] -> (d0 + s0)>
bool AffineParser::mlir_affine_map(std::string& out) {
  out += "affine_map<";
  std::vector<Name> names;
  if (!in_.expect(Tok::Less, "after `affine_map`") || !affine_names(out, names)) return false;
  if (!in_.expect(Tok::Arrow, "in an affine map") || !in_.expect(Tok::LParen, "before the results of an affine map"))
    return false;
  out += " -> (";
  for (bool first = true; !in_.at(Tok::RParen); first = false) {
    if (!first) out += ", ";
    bool symbolic = true;
    if (!affine_expr(out, names, symbolic)) return false;
    if (!in_.take(Tok::Comma)) break;
  }
  out += ")>";
  return in_.expect(Tok::RParen, "after the results of an affine map") && in_.expect_greater("after an affine map");
}

// affine_set<(d0) : (d0 >= 0, d0 - 5 == 0)>
bool AffineParser::mlir_affine_set(std::string& out) {
  out += "affine_set<";
  std::vector<Name> names;
  if (!in_.expect(Tok::Less, "after `affine_set`") || !affine_names(out, names)) return false;
  if (!in_.expect(Tok::Colon, "in an affine set") ||
      !in_.expect(Tok::LParen, "before the constraints of an affine set"))
    return false;
  out += " : (";
  for (bool first = true; !in_.at(Tok::RParen); first = false) {
    if (!first) out += ", ";
    bool symbolic = true;
    if (!affine_expr(out, names, symbolic)) return false;
    if (!in_.at(Tok::GreaterEqual) && !in_.at(Tok::EqualEqual) && !in_.at(Tok::LessEqual))
      return in_.unexpected("`>=`, `==` or `<=`");
    out += ' ' + std::string(in_.text()) + ' ';
    in_.advance();
    if (!affine_expr(out, names, symbolic)) return false;
    if (!in_.take(Tok::Comma)) break;
  }
  out += ")>";
  return in_.expect(Tok::RParen, "after the constraints of an affine set") && in_.expect_greater("after an affine set");
}

}  // namespace mlgc::text
