// Numbers with a type, and affine maps and sets, of MLIR's attributes.
#include <bit>
#include <charconv>

#include "text/parser_impl.h"
#include "text/print_data.h"

namespace mlgc::text {

namespace {

using Kind = MlirType::Kind;

constexpr std::size_t kMostDigits = 10'000;  // of an integer

// The bits of a number, least significant word first.
std::vector<std::uint32_t> words_of(std::string_view digits) {
  const std::uint32_t base = digits.starts_with("0x") ? 16 : 10;
  if (base == 16) digits.remove_prefix(2);
  std::vector<std::uint32_t> words;
  for (const char c : digits) {
    std::uint64_t carry = static_cast<std::uint64_t>(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
    for (std::uint32_t& word : words) {
      carry += std::uint64_t{word} * base;
      word = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
    if (carry != 0) words.push_back(static_cast<std::uint32_t>(carry));
  }
  return words;
}

std::size_t bit_count(const std::vector<std::uint32_t>& words) {
  return words.empty() ? 0 : words.size() * 32 - static_cast<std::size_t>(std::countl_zero(words.back()));
}

bool is_power_of_two(const std::vector<std::uint32_t>& words) {
  std::size_t ones = 0;
  for (const std::uint32_t word : words) ones += static_cast<std::size_t>(std::popcount(word));
  return ones == 1;
}

// Whether an integer of that type can be the number: one without a sign is read as either.
bool fits_integer(const MlirType& type, bool negative, const std::vector<std::uint32_t>& words) {
  const std::size_t bits = bit_count(words), width = type.kind == Kind::Index ? 64 : type.bits;
  if (negative && bits > 0)
    return (type.sign != 'u' || type.kind == Kind::Index) &&
           (bits < width || (bits == width && is_power_of_two(words)));
  const bool is_signed = type.kind == Kind::Index || type.sign == 's';
  return bits <= (is_signed && width > 0 ? width - 1 : width);
}

std::string type_name(const MlirType& type) {
  if (type.kind == Kind::Index) return "index";
  if (type.kind == Kind::Float) return "a float of " + std::to_string(type.bits) + " bits";
  return (type.sign == 'i' ? "" : std::string(1, type.sign)) + "i" + std::to_string(type.bits);
}

}  // namespace

// Appends a number that is of that type. `own`: set to the attribute where that is one of ours.
bool Parser::mlir_literal(const Token& first, const Token& digits, bool negative, const MlirType& type,
                          std::string& out, Attribute* own) {
  const std::string_view spelling = lexer_.text(digits);
  AttributePool& pool = context_.attributes();
  const bool is_integer = type.kind == Kind::Integer || type.kind == Kind::Index;
  if (digits.kind == Tok::Float) {
    if (type.kind != Kind::Float)
      return error<kLiteralType>(digits, is_integer ? type_name(type) : "the type", "a float");
    if (own != nullptr && type.bits == 64) {
      double value = 0;
      const auto status = std::from_chars(spelling.data(), spelling.data() + spelling.size(), value).ec;
      const bool tiny = spelling.find("e-") != std::string_view::npos || spelling.find("E-") != std::string_view::npos;
      if (status == std::errc::result_out_of_range && !tiny) value = std::bit_cast<double>(0x7FF0000000000000);
      *own = pool.real(negative ? -value : value);
    }
    if (negative) out += '-';
    const std::size_t exponent =
        spelling.find('.') == std::string_view::npos ? spelling.find_first_of("eE") : spelling.size();
    out += spelling.substr(0, exponent);
    if (exponent < spelling.size()) out += ".0";  // MLIR has no `1e3`
    out += spelling.substr(exponent);
    return true;
  }
  if (!is_integer && type.kind != Kind::Float) return error<kLiteralType>(digits, "the type", "an integer");
  if (spelling.size() > kMostDigits) return error<kNumberTooLarge>(first, spelling.substr(0, 60), type_name(type));
  const std::vector<std::uint32_t> words = words_of(spelling);
  const std::uint64_t low = (words.empty() ? 0 : words[0]) | (words.size() < 2 ? 0 : std::uint64_t{words[1]} << 32);
  const std::string shown = (negative ? "-" : "") + std::string(spelling.substr(0, 60));
  if (type.kind == Kind::Float) {  // the bits of a number
    if (!spelling.starts_with("0x") || negative) return error<kLiteralType>(first, type_name(type), "an integer");
    if (bit_count(words) > type.bits) return error<kNumberTooLarge>(first, shown, type_name(type));
    if (own != nullptr && type.bits == 64) *own = pool.real(std::bit_cast<double>(low));
    out += spelling;
    return true;
  }
  if (!fits_integer(type, negative, words)) return error<kNumberTooLarge>(first, shown, type_name(type));
  const std::uint32_t width = type.kind == Kind::Index ? 64 : type.bits;
  if (width > 64) {
    if (negative) out += '-';
    out += spelling;
    return true;
  }
  // As many bits as the type has, then its sign.
  const std::uint64_t value = negative ? ~low + 1 : low;
  const std::uint32_t unused = 64 - width;
  const bool is_unsigned = type.kind == Kind::Integer && type.sign == 'u';
  const auto wrapped = width == 0 ? 0 : static_cast<std::int64_t>(value << unused) >> unused;
  if (type.kind == Kind::Integer && type.sign == 'i' && width == 1) {
    if (own != nullptr) *own = pool.boolean(wrapped != 0);
    out += wrapped != 0 ? "true" : "false";
    return true;
  }
  if (own != nullptr && type.kind == Kind::Integer && type.sign == 'i' && width == 64) *own = pool.integer(wrapped);
  out += is_unsigned ? std::to_string(value) : std::to_string(wrapped);
  return true;
}

// `5`, `-5 : i8`, `1.0 : f32`, `0x7F : f16`
bool Parser::mlir_number(std::string& out, Attribute* own) {
  const Token first = tok_;
  const bool negative = take(Tok::Minus);
  if (!at(Tok::Integer) && !at(Tok::Float)) return unexpected("a number");
  const Token digits = tok_;
  advance();
  MlirType type{.kind = digits.kind == Tok::Float ? Kind::Float : Kind::Integer, .bits = 64, .dims = {}, .element = {}};
  std::string type_text = type.kind == Kind::Float ? "f64" : "i64";
  if (take(Tok::Colon)) {
    type = MlirType();
    type_text.clear();
    if (!mlir_type(type_text, type)) return false;
  }
  std::string number;
  Attribute made;
  if (!mlir_literal(first, digits, negative, type, number, &made)) return false;
  if (own != nullptr) *own = made;
  if (made.valid()) {  // in the spelling of our own
    DataPrinter(context_, TextForm::Generic).attribute(out, made, AttributeKind::None);
  } else {
    out += number;
    out += " : ";
    out += type_text;
  }
  return true;
}

// --- affine maps and sets

// `(d0, d1)[s0]`
bool Parser::affine_names(std::string& out, std::vector<AffineName>& names) {
  const auto list = [&](Tok close, bool symbol) {
    for (bool first = true; !at(close); first = false) {
      if (!first) out += ", ";
      if (!at(Tok::Name)) return unexpected("the name of a dimension or a symbol");
      for (const AffineName& name : names)
        if (name.name == text()) return error<kDuplicateAttribute>(tok_, text());
      names.push_back({text(), symbol});
      out += text();
      advance();
      if (!take(Tok::Comma)) break;
    }
    return true;
  };
  if (!expect(Tok::LParen, "before the dimensions")) return false;
  out += '(';
  if (!list(Tok::RParen, false) || !expect(Tok::RParen, "after the dimensions")) return false;
  out += ')';
  if (!take(Tok::LBracket)) return true;
  out += '[';
  if (!list(Tok::RBracket, true) || !expect(Tok::RBracket, "after the symbols")) return false;
  out += ']';
  return true;
}

bool Parser::affine_factor(std::string& out, const std::vector<AffineName>& names, bool& symbolic) {
  Nesting nesting(*this);
  if (!nesting.ok()) return false;
  if (take(Tok::Minus)) {
    out += '-';
    return affine_factor(out, names, symbolic);
  }
  if (take(Tok::LParen)) {
    out += '(';
    if (!affine_expr(out, names, symbolic)) return false;
    out += ')';
    return expect(Tok::RParen, "after an expression");
  }
  symbolic = true;
  if (at(Tok::Integer)) {
    std::int64_t value = 0;
    if (!parse_int64(tok_, false, value)) return false;
    out += std::to_string(value);
    advance();
    return true;
  }
  if (!at(Tok::Name)) return unexpected("an affine expression");
  for (const AffineName& name : names) {
    if (name.name != text()) continue;
    symbolic = name.symbol;
    out += text();
    advance();
    return true;
  }
  return unexpected("the name of a dimension or a symbol");
}

bool Parser::affine_expr(std::string& out, const std::vector<AffineName>& names, bool& symbolic) {
  const auto product = [&](bool& all) {
    if (!affine_factor(out, names, all)) return false;
    while (at(Tok::Star) || at_word("floordiv") || at_word("ceildiv") || at_word("mod")) {
      const Token word = tok_;
      const bool times = at(Tok::Star);
      out += ' ' + std::string(text()) + ' ';
      advance();
      bool right = true;
      if (!affine_factor(out, names, right)) return false;
      if (!right && !(times && all)) return error<kNotAffine>(word, lexer_.text(word));
      all = all && right;
    }
    return true;
  };
  if (!product(symbolic)) return false;
  while (at(Tok::Plus) || at(Tok::Minus)) {
    out += at(Tok::Plus) ? " + " : " - ";
    advance();
    bool right = true;
    if (!product(right)) return false;
    symbolic = symbolic && right;
  }
  return true;
}

// affine_map<(d0)[s0] -> (d0 + s0)>
bool Parser::mlir_affine_map(std::string& out) {
  out += "affine_map<";
  std::vector<AffineName> names;
  if (!expect(Tok::Less, "after `affine_map`") || !affine_names(out, names)) return false;
  if (!expect(Tok::Arrow, "in an affine map") || !expect(Tok::LParen, "before the results of an affine map"))
    return false;
  out += " -> (";
  for (bool first = true; !at(Tok::RParen); first = false) {
    if (!first) out += ", ";
    bool symbolic = true;
    if (!affine_expr(out, names, symbolic)) return false;
    if (!take(Tok::Comma)) break;
  }
  out += ")>";
  return expect(Tok::RParen, "after the results of an affine map") && expect_greater("after an affine map");
}

// affine_set<(d0) : (d0 >= 0, d0 - 5 == 0)>
bool Parser::mlir_affine_set(std::string& out) {
  out += "affine_set<";
  std::vector<AffineName> names;
  if (!expect(Tok::Less, "after `affine_set`") || !affine_names(out, names)) return false;
  if (!expect(Tok::Colon, "in an affine set") || !expect(Tok::LParen, "before the constraints of an affine set"))
    return false;
  out += " : (";
  for (bool first = true; !at(Tok::RParen); first = false) {
    if (!first) out += ", ";
    bool symbolic = true;
    if (!affine_expr(out, names, symbolic)) return false;
    if (!at(Tok::GreaterEqual) && !at(Tok::EqualEqual) && !at(Tok::LessEqual)) return unexpected("`>=`, `==` or `<=`");
    out += ' ' + std::string(text()) + ' ';
    advance();
    if (!affine_expr(out, names, symbolic)) return false;
    if (!take(Tok::Comma)) break;
  }
  out += ")>";
  return expect(Tok::RParen, "after the constraints of an affine set") && expect_greater("after an affine set");
}

}  // namespace mlgc::text
