// MLIR's builtin types, as they stand in attributes: each is checked and appended in one spelling. Types of values are
// read by parse_type.cpp, which knows what a program here can compute with.
#include <array>
#include <charconv>

#include "text/parser_impl.h"

namespace mlgc::text {

namespace {

using Kind = MlirType::Kind;

struct FloatName {
  std::string_view name;
  std::uint32_t bits;
};
constexpr std::array kFloats{FloatName{"f16", 16},         FloatName{"bf16", 16},      FloatName{"f32", 32},
                             FloatName{"f64", 64},         FloatName{"f80", 80},       FloatName{"f128", 128},
                             FloatName{"tf32", 19},        FloatName{"f8E4M3", 8},     FloatName{"f8E4M3FN", 8},
                             FloatName{"f8E5M2", 8},       FloatName{"f8E5M2FNUZ", 8}, FloatName{"f8E4M3FNUZ", 8},
                             FloatName{"f8E4M3B11FNUZ", 8}};
constexpr std::uint32_t kMostBits = 16'777'215;

// `i8`, `si8`, `ui8`; the width of other names is nothing.
std::optional<std::uint64_t> integer_width(std::string_view name, char& sign) {
  sign = name.starts_with("si") ? 's' : name.starts_with("ui") ? 'u' : 'i';
  if (sign != 'i') name.remove_prefix(1);
  if (name.size() < 2 || name[0] != 'i') return std::nullopt;
  std::uint64_t width = 0;
  const auto [end, status] = std::from_chars(name.data() + 1, name.data() + name.size(), width);
  if (end != name.data() + name.size()) return std::nullopt;
  return status == std::errc() ? width : std::uint64_t{kMostBits} + 1;
}

}  // namespace

// `< dims element`, where the current token is the `<`. Dimension lists are read by character, as in parse_shape().
bool Parser::mlir_shape(std::string& out, MlirType& info) {
  if (!at(Tok::Less)) return unexpected("`<`");
  lexer_.seek(tok_.end);
  out += '<';
  bool scalable = false;  // between the brackets of a vector's scalable sizes
  while (true) {
    lexer_.skip_space();
    const std::size_t begin = lexer_.offset();
    const char c = lexer_.peek();
    if (c == '[' && info.kind == Kind::Vector && !scalable) {
      out += '[';
      scalable = true;
      lexer_.seek(begin + 1);
      continue;
    }
    if (c >= '0' && c <= '9') {
      std::size_t end = begin;
      while (end < lexer_.end() && file_.text()[end] >= '0' && file_.text()[end] <= '9') ++end;
      const Token digits{Tok::Integer, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
      const std::string_view spelling = lexer_.text(digits);
      std::int64_t value = 0;
      tok_ = digits;
      if (std::from_chars(spelling.data(), spelling.data() + spelling.size(), value).ec != std::errc())
        return error<kNumberTooLarge>(digits, spelling.substr(0, 60), "a dimension");
      if (value == 0 && info.kind == Kind::Vector) return error<kNumberTooLarge>(digits, "0", "a size of a vector");
      info.dims.push_back(value);
      out += std::to_string(value);
      lexer_.seek(end);
      lexer_.skip_space();
      if (scalable && lexer_.peek() == ']') {
        out += ']';
        scalable = false;
        lexer_.seek(lexer_.offset() + 1);
        lexer_.skip_space();
      }
    } else if ((c == '?' || (c == '*' && out.back() == '<')) && info.kind != Kind::Vector) {
      info.is_static = false;
      out += c;
      lexer_.seek(begin + 1);
      lexer_.skip_space();
    } else {
      advance();
      break;
    }
    if (lexer_.peek() != 'x') {
      advance();
      return unexpected("`x` after a dimension");
    }
    out += 'x';
    lexer_.seek(lexer_.offset() + 1);
  }
  if (scalable) return unexpected("`]` after a scalable size");
  const Token element = tok_;
  info.element = std::make_shared<MlirType>();
  if (!mlir_type(out, *info.element)) return false;
  const Kind kind = info.element->kind;
  const bool number = kind == Kind::Integer || kind == Kind::Float || kind == Kind::Index;
  const bool fits =
      info.kind == Kind::Vector ? number
      : info.kind == Kind::Tensor
          ? number || kind == Kind::Complex || kind == Kind::Vector || kind == Kind::Other
          : number || kind == Kind::Complex || kind == Kind::Vector || kind == Kind::Memref || kind == Kind::Other;
  return fits || error<kUnknownElementType>(element, lexer_.text({Tok::Name, element.begin, tok_.begin}));
}

// What follows `memref`: a layout, a memory space, or both.
bool Parser::mlir_memref_rest(std::string& out) {
  for (bool layout = at(Tok::Comma), space = layout; layout || space;) {
    if (!take(Tok::Comma)) break;
    out += ", ";
    if (layout && (at_word("affine_map") || at_word("strided"))) {
      layout = false;
      if (!mlir_text(out)) return false;
      continue;
    }
    layout = space = false;
    if (!at(Tok::Integer) && !at(Tok::String) && !at(Tok::LBrace) && !at(Tok::Hash) && !at(Tok::Minus))
      return unexpected("a memory space");
    const Token token = tok_;
    const std::size_t begin = out.size();
    if (!mlir_text(out)) return false;
    if (out[begin] == '#') return error<kUnexpectedToken>(token, "a number, a string or a dictionary", "an attribute");
  }
  return true;
}

// `!name` of another dialect, or an alias.
bool Parser::mlir_other_type(std::string& out, MlirType& info) {
  const Token mark = tok_;
  advance();
  if (!at(Tok::Name)) return unexpected("the name of a type");
  const std::string_view name = text();
  const Token word{Tok::Name, mark.begin, tok_.end};
  advance();
  if (name.find('.') == std::string_view::npos && !at(Tok::Less)) {
    Alias* alias = find_alias(word);
    if (alias == nullptr || !use_alias(word, *alias)) return false;
    out += alias->text;
    info = alias->type;
    return true;
  }
  info.kind = Kind::Other;
  out += lexer_.text(word);
  return !at(Tok::Less) || mlir_balanced(out);
}

bool Parser::mlir_type_list(std::string& out) {
  bool first = true;
  do {
    if (!first) out += ", ";
    first = false;
    MlirType ignored;
    if (!mlir_type(out, ignored)) return false;
  } while (take(Tok::Comma));
  return true;
}

bool Parser::mlir_type(std::string& out, MlirType& info) {
  Nesting nesting(*this);
  if (!nesting.ok()) return false;
  if (at(Tok::Bang)) return mlir_other_type(out, info);
  if (take(Tok::LParen)) {
    info.kind = Kind::Function;
    out += '(';
    if (!at(Tok::RParen) && !mlir_type_list(out)) return false;
    if (!expect(Tok::RParen, "after the parameter types") || !expect(Tok::Arrow, "in a function type")) return false;
    out += ") -> (";
    const Token result = tok_;
    if (take(Tok::LParen)) {
      if (!at(Tok::RParen) && !mlir_type_list(out)) return false;
      if (!expect(Tok::RParen, "after the result types")) return false;
    } else {
      MlirType only;
      if (!mlir_type(out, only)) return false;
      if (only.kind == Kind::Function) return error<kUnexpectedToken>(result, "a type", "a function type");
    }
    out += ')';
    return true;
  }
  if (!at(Tok::Name)) return unexpected("a type");
  const Token word = tok_;
  const std::string_view name = text();
  advance();
  out += name;
  if (const auto width = integer_width(name, info.sign)) {
    info.kind = Kind::Integer;
    if (*width > kMostBits) return error<kNumberTooLarge>(word, name, "an integer of at most 16777215 bits");
    info.bits = static_cast<std::uint32_t>(*width);
    return true;
  }
  for (const FloatName& real : kFloats) {
    if (real.name != name) continue;
    info.kind = Kind::Float;
    info.bits = real.bits;
    return true;
  }
  if (name == "index" || name == "none") {
    info.kind = name == "index" ? Kind::Index : Kind::None;
    return true;
  }
  if (name == "complex") {
    info.kind = Kind::Complex;
    if (!expect(Tok::Less, "after `complex`")) return false;
    out += '<';
    const Token part = tok_;
    info.element = std::make_shared<MlirType>();
    if (!mlir_type(out, *info.element)) return false;
    if (info.element->kind != Kind::Integer && info.element->kind != Kind::Float)
      return error<kUnknownElementType>(part, lexer_.text(part));
    out += '>';
    return expect_greater("after the type of the parts");
  }
  if (name == "tuple") {
    info.kind = Kind::Tuple;
    if (!expect(Tok::Less, "after `tuple`")) return false;
    out += '<';
    if (!at(Tok::Greater) && !mlir_type_list(out)) return false;
    out += '>';
    return expect_greater("after the types of a tuple");
  }
  if (name != "tensor" && name != "vector" && name != "memref") return error<kUnknownType>(word, name);
  info.kind = name == "tensor" ? Kind::Tensor : name == "vector" ? Kind::Vector : Kind::Memref;
  if (!mlir_shape(out, info)) return false;
  if (info.kind == Kind::Tensor && take(Tok::Comma)) {
    out += ", ";
    if (!mlir_text(out)) return false;
  }
  if (info.kind == Kind::Memref && !mlir_memref_rest(out)) return false;
  out += '>';
  return expect_greater("after a shaped type");
}

}  // namespace mlgc::text
