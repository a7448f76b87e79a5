// Tensor constants: `dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>`, a single element for all, or bytes as `"0x…"`.
#include <bit>
#include <charconv>
#include <cstring>

#include "tensor/float16.h"
#include "text/parser_impl.h"

namespace mlgc::text {

namespace {

template <class T>
void append(std::vector<std::byte>& bytes, T value) {
  const auto* raw = reinterpret_cast<const std::byte*>(&value);
  bytes.insert(bytes.end(), raw, raw + sizeof value);
}

// Precondition: the dtype is not a float; value fits (fits_integer()).
void append_integer(std::vector<std::byte>& bytes, Dtype dtype, std::uint64_t value) {
  static_assert(std::endian::native == std::endian::little);
  const auto* raw = reinterpret_cast<const std::byte*>(&value);
  bytes.insert(bytes.end(), raw, raw + dtype_info(dtype).bytes);
}

bool fits_integer(Dtype dtype, bool negative, std::uint64_t magnitude) {
  if (dtype == Dtype::I1) return magnitude <= 1 && !negative;
  const std::size_t bits = dtype_info(dtype).bytes * 8;
  if (dtype == Dtype::UI8) return !negative && magnitude <= 0xFF;
  const std::uint64_t limit = std::uint64_t{1} << (bits - 1);
  return negative ? magnitude <= limit : magnitude < limit;
}

}  // namespace

bool Parser::parse_element(Dtype dtype, std::vector<std::byte>& bytes) {
  const Token first = tok_;
  if (at_word("true") || at_word("false")) {
    if (dtype != Dtype::I1) return error<kLiteralType>(tok_, dtype_info(dtype).name, "a boolean");
    append_integer(bytes, dtype, at_word("true") ? 1 : 0);
    advance();
    return true;
  }
  if (at_special_number()) {
    std::uint64_t bits = 0;
    if (!parse_special_number(dtype, bits)) return false;
    const auto* raw = reinterpret_cast<const std::byte*>(&bits);
    bytes.insert(bytes.end(), raw, raw + dtype_info(dtype).bytes);
    return true;
  }
  const bool negative = take(Tok::Minus);
  if (!at(Tok::Integer) && !at(Tok::Float)) return unexpected("an element");
  const std::string_view digits = text();
  const bool hex = at(Tok::Integer) && digits.starts_with("0x");
  if (!is_float(dtype)) {
    std::uint64_t magnitude = 0;
    if (at(Tok::Float)) return error<kLiteralType>(tok_, dtype_info(dtype).name, "a float");
    if (!parse_magnitude(tok_, magnitude)) return false;
    if (!fits_integer(dtype, negative, magnitude)) {
      const std::string shown = (negative ? "-" : "") + std::string(digits);
      return error<kNumberTooLarge>(first, shown, dtype_info(dtype).name);
    }
    append_integer(bytes, dtype, negative ? ~magnitude + 1 : magnitude);
    advance();
    return true;
  }
  if (hex) {
    std::uint64_t bits = 0;
    if (negative || !parse_magnitude(tok_, bits)) return negative ? unexpected("a number") : false;
    const std::size_t width = dtype_info(dtype).bytes;
    if (width < 8 && bits >> (width * 8) != 0) return error<kNumberTooLarge>(tok_, digits, dtype_info(dtype).name);
    const auto* raw = reinterpret_cast<const std::byte*>(&bits);
    bytes.insert(bytes.end(), raw, raw + width);
    advance();
    return true;
  }
  // Rounded once, from the decimal digits to the element type (16-bit types through float: exact for what is printed).
  const char* end = digits.data() + digits.size();
  if (dtype == Dtype::F64) {
    double value = 0;
    const auto status = std::from_chars(digits.data(), end, value).ec;
    if (status != std::errc() && digits.find("e-") == std::string_view::npos)
      return error<kNumberTooLarge>(tok_, digits.substr(0, 60), "f64");
    append(bytes, negative ? -value : value);
  } else {
    float value = 0;
    const auto status = std::from_chars(digits.data(), end, value).ec;
    if (status != std::errc() && digits.find("e-") == std::string_view::npos)
      return error<kNumberTooLarge>(tok_, digits.substr(0, 60), dtype_info(dtype).name);
    if (negative) value = -value;
    if (dtype == Dtype::F32) append(bytes, value);
    if (dtype == Dtype::F16) append(bytes, to_half(value).bits);
    if (dtype == Dtype::BF16) append(bytes, to_bfloat16(value).bits);
  }
  advance();
  return true;
}

// Nested lists of the shape's lengths.
bool Parser::parse_elements(std::span<const IndexExpr> dims, Dtype dtype, std::vector<std::byte>& bytes, bool& splat) {
  if (!at(Tok::LBracket)) {
    if (!splat && !dims.empty()) return error<kElementsTooShallow>(tok_);
    return parse_element(dtype, bytes);
  }
  splat = false;
  Nesting nesting(*this);
  if (!nesting.ok()) return false;
  const Token open = tok_;
  if (dims.empty()) return error<kElementsTooDeep>(tok_);
  advance();
  std::int64_t count = 0;
  if (!at(Tok::RBracket)) {
    do {
      if (!parse_elements(dims.subspan(1), dtype, bytes, splat)) return false;
      ++count;
    } while (take(Tok::Comma));
  }
  if (!expect(Tok::RBracket, "after elements")) return false;
  const auto wanted = context_.index().as_constant(dims[0]);
  return (wanted && *wanted == count) || error<kElementCount>(open, count, wanted ? *wanted : -1);
}

// `"0x…"`: the bytes of all elements, or of one for all. MLIR packs i1 into bits.
bool Parser::parse_hex_bytes(const Token& token, Type type, std::vector<std::byte>& bytes) {
  const std::string_view digits = lexer_.text(token).substr(1, lexer_.text(token).size() - 2);
  const auto value = [](char c) { return c >= '0' && c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10; };
  bool ok = digits.starts_with("0x") && digits.size() % 2 == 0;
  for (std::size_t i = 2; ok && i < digits.size(); i += 2) {
    for (const char c : {digits[i], digits[i + 1]})
      ok = ok && ((c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f'));
    if (ok) bytes.push_back(static_cast<std::byte>(value(digits[i]) * 16 + value(digits[i + 1])));
  }
  if (!ok) return error<kBadHexBytes>(token);
  const TypePool& types = context_.types();
  const std::size_t width = dtype_info(types.dtype(type)).bytes;
  const auto count = types.element_count(type);
  if (types.dtype(type) == Dtype::I1) {
    const std::vector<std::byte> packed = std::move(bytes);
    bytes.clear();
    if (packed.size() == 1 && (packed[0] == std::byte{0} || packed[0] == std::byte{0xFF})) {
      bytes.push_back(packed[0] & std::byte{1});
      return true;
    }
    if (!count || packed.size() != (static_cast<std::uint64_t>(*count) + 7) / 8)
      return error<kElementCount>(token, packed.size() * 8, count ? *count : -1);
    for (std::size_t i = 0; i < static_cast<std::size_t>(*count); ++i)
      bytes.push_back((packed[i / 8] >> (i % 8)) & std::byte{1});
    return true;
  }
  if (bytes.size() == width) return true;
  if (bytes.size() % width == 0 && count && bytes.size() / width == static_cast<std::uint64_t>(*count)) return true;
  return error<kElementCount>(token, bytes.size() / width, count ? *count : -1);
}

bool Parser::parse_dense(Attribute& out) {
  if (!at_word("dense")) return unexpected("`dense`");
  advance();
  if (!expect(Tok::Less, "after `dense`")) return false;
  // The type, which says what the elements are, stands after them: go there first.
  const Lexer elements = lexer_;
  const Token first = tok_;
  std::size_t open = 0;
  while (!at(Tok::End) && !(at(Tok::Greater) && open == 0)) {
    if (at(Tok::LBracket)) ++open;
    if (at(Tok::RBracket)) {
      if (open == 0) return unexpected("`>` after the elements");
      --open;
    }
    if (at(Tok::LBrace) || at(Tok::RBrace) || at(Tok::Error)) return unexpected("`>` after the elements");
    advance();
  }
  if (!expect(Tok::Greater, "after the elements") || !expect(Tok::Colon, "before the type of a constant")) return false;
  const Token type_token = tok_;
  Type type;
  if (!parse_type(type)) return false;
  TypePool& types = context_.types();
  if (!type.valid() || !types.is_tensor(type)) return error<kConstantType>(type_token);
  if (!check_real(type_token, "constant", types.dtype(type))) return false;
  const Lexer after = lexer_;
  const Token next = tok_;
  lexer_ = elements;
  tok_ = first;

  std::vector<std::byte> bytes;
  const std::span<const IndexExpr> dims = types.dims(type);
  const Dtype dtype = types.dtype(type);
  bool splat = true;
  if (at(Tok::Greater)) {
    const auto count = types.element_count(type);
    if (!count || *count != 0) return error<kElementCount>(tok_, 0, count ? *count : -1);
  } else if (at(Tok::String)) {
    if (!parse_hex_bytes(tok_, type, bytes)) return false;
    advance();
  } else if (!parse_elements(dims, dtype, bytes, splat)) {
    return false;
  }
  if (!at(Tok::Greater)) return unexpected("`>` after the elements");
  // One element for none at all is no element.
  if (const auto count = types.element_count(type); count && *count == 0) bytes.clear();
  lexer_ = after;
  tok_ = next;
  out = context_.attributes().tensor(type, std::span<const std::byte>(bytes));
  return true;
}

}  // namespace mlgc::text
