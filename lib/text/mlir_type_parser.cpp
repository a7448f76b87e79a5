// See mlir_type_parser.h.
#include "text/mlir_type_parser.h"

#include <array>
#include <charconv>

#include "text/mlir_attribute_parser.h"

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

// `< dims element`, where the current token is the `<`. Dimension lists are read by character, as in TypeParser.
bool MlirTypeParser::mlir_shape(std::string& out, MlirType& info) {
  if (!in_.at(Tok::Less)) return in_.unexpected("`<`");
  in_.characters().seek(in_.token().end);
  out += '<';
  bool scalable = false;  // between the brackets of a vector's scalable sizes
  while (true) {
    in_.characters().skip_space();
    const std::size_t begin = in_.characters().offset();
    const char c = in_.characters().peek();
    if (c == '[' && info.kind == Kind::Vector && !scalable) {
      out += '[';
      scalable = true;
      in_.characters().seek(begin + 1);
      continue;
    }
    if (c >= '0' && c <= '9') {
      std::size_t end = begin;
      while (end < in_.end() && in_.all()[end] >= '0' && in_.all()[end] <= '9') ++end;
      const Token digits{Tok::Integer, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
      const std::string_view spelling = in_.text(digits);
      std::int64_t value = 0;
      in_.set_token(digits);
      if (std::from_chars(spelling.data(), spelling.data() + spelling.size(), value).ec != std::errc())
        return in_.error<kNumberTooLarge>(digits, spelling.substr(0, 60), "a dimension");
      if (value == 0 && info.kind == Kind::Vector) return in_.error<kNumberTooLarge>(digits, "0", "a size of a vector");
      info.dims.push_back(value);
      out += std::to_string(value);
      in_.characters().seek(end);
      in_.characters().skip_space();
      if (scalable && in_.characters().peek() == ']') {
        out += ']';
        scalable = false;
        in_.characters().seek(in_.characters().offset() + 1);
        in_.characters().skip_space();
      }
    } else if ((c == '?' || (c == '*' && out.back() == '<')) && info.kind != Kind::Vector) {
      info.is_static = false;
      out += c;
      in_.characters().seek(begin + 1);
      in_.characters().skip_space();
    } else {
      in_.advance();
      break;
    }
    if (in_.characters().peek() != 'x') {
      in_.advance();
      return in_.unexpected("`x` after a dimension");
    }
    out += 'x';
    in_.characters().seek(in_.characters().offset() + 1);
  }
  if (scalable) return in_.unexpected("`]` after a scalable size");
  const Token element = in_.token();
  info.element = std::make_shared<MlirType>();
  if (!mlir_type(out, *info.element)) return false;
  const Kind kind = info.element->kind;
  const bool number = kind == Kind::Integer || kind == Kind::Float || kind == Kind::Index;
  const bool fits =
      info.kind == Kind::Vector ? number
      : info.kind == Kind::Tensor
          ? number || kind == Kind::Complex || kind == Kind::Vector || kind == Kind::Other
          : number || kind == Kind::Complex || kind == Kind::Vector || kind == Kind::Memref || kind == Kind::Other;
  return fits || in_.error<kUnknownElementType>(element, in_.text({Tok::Name, element.begin, in_.token().begin}));
}

// What follows `memref`: a layout, a memory space, or both.
bool MlirTypeParser::mlir_memref_rest(std::string& out) {
  for (bool layout = in_.at(Tok::Comma), space = layout; layout || space;) {
    if (!in_.take(Tok::Comma)) break;
    out += ", ";
    if (layout && (in_.at_word("affine_map") || in_.at_word("strided"))) {
      layout = false;
      if (!mlir_.mlir_text(out)) return false;
      continue;
    }
    layout = space = false;
    if (!in_.at(Tok::Integer) && !in_.at(Tok::String) && !in_.at(Tok::LBrace) && !in_.at(Tok::Hash) &&
        !in_.at(Tok::Minus))
      return in_.unexpected("a memory space");
    const Token token = in_.token();
    const std::size_t begin = out.size();
    if (!mlir_.mlir_text(out)) return false;
    if (out[begin] == '#')
      return in_.error<kUnexpectedToken>(token, "a number, a string or a dictionary", "an attribute");
  }
  return true;
}

// `!name` of another dialect, or an alias.
bool MlirTypeParser::mlir_other_type(std::string& out, MlirType& info) {
  Token word;
  if (!in_.parse_marked_name(word, "the name of a type")) return false;
  if (in_.text(word).find('.') == std::string_view::npos && !in_.at(Tok::Less)) {
    Alias* alias = aliases_.use(word);
    if (alias == nullptr) return false;
    out += alias->text;
    info = alias->type;
    return true;
  }
  info.kind = Kind::Other;
  out += in_.text(word);
  return !in_.at(Tok::Less) || in_.take_balanced(out);
}

bool MlirTypeParser::mlir_type_list(std::string& out) {
  bool first = true;
  do {
    if (!first) out += ", ";
    first = false;
    MlirType ignored;
    if (!mlir_type(out, ignored)) return false;
  } while (in_.take(Tok::Comma));
  return true;
}

bool MlirTypeParser::mlir_type(std::string& out, MlirType& info) {
  Cursor::Nesting nesting(in_);
  if (!nesting.ok()) return false;
  if (in_.at(Tok::Bang)) return mlir_other_type(out, info);
  if (in_.take(Tok::LParen)) {
    info.kind = Kind::Function;
    out += '(';
    if (!in_.at(Tok::RParen) && !mlir_type_list(out)) return false;
    if (!in_.expect(Tok::RParen, "after the parameter types") || !in_.expect(Tok::Arrow, "in a function type"))
      return false;
    out += ") -> (";
    const Token result = in_.token();
    if (in_.take(Tok::LParen)) {
      if (!in_.at(Tok::RParen) && !mlir_type_list(out)) return false;
      if (!in_.expect(Tok::RParen, "after the result types")) return false;
    } else {
      MlirType only;
      if (!mlir_type(out, only)) return false;
      if (only.kind == Kind::Function) return in_.error<kUnexpectedToken>(result, "a type", "a function type");
    }
    out += ')';
    return true;
  }
  if (!in_.at(Tok::Name)) return in_.unexpected("a type");
  const Token word = in_.token();
  const std::string_view name = in_.text();
  in_.advance();
  out += name;
  if (const auto width = integer_width(name, info.sign)) {
    info.kind = Kind::Integer;
    if (*width > kMostBits) return in_.error<kNumberTooLarge>(word, name, "an integer of at most 16777215 bits");
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
    if (!in_.expect(Tok::Less, "after `complex`")) return false;
    out += '<';
    const Token part = in_.token();
    info.element = std::make_shared<MlirType>();
    if (!mlir_type(out, *info.element)) return false;
    if (info.element->kind != Kind::Integer && info.element->kind != Kind::Float)
      return in_.error<kUnknownElementType>(part, in_.text(part));
    out += '>';
    return in_.expect_greater("after the type of the parts");
  }
  if (name == "tuple") {
    info.kind = Kind::Tuple;
    if (!in_.expect(Tok::Less, "after `tuple`")) return false;
    out += '<';
    if (!in_.at(Tok::Greater) && !mlir_type_list(out)) return false;
    out += '>';
    return in_.expect_greater("after the types of a tuple");
  }
  if (name != "tensor" && name != "vector" && name != "memref") return in_.error<kUnknownType>(word, name);
  info.kind = name == "tensor" ? Kind::Tensor : name == "vector" ? Kind::Vector : Kind::Memref;
  if (!mlir_shape(out, info)) return false;
  if (info.kind == Kind::Tensor && in_.take(Tok::Comma)) {
    out += ", ";
    if (!mlir_.mlir_text(out)) return false;
  }
  if (info.kind == Kind::Memref && !mlir_memref_rest(out)) return false;
  out += '>';
  return in_.expect_greater("after a shaped type");
}

}  // namespace mlgc::text
