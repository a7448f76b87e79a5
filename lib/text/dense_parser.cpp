// See dense_parser.h.
#include "text/dense_parser.h"

#include <bit>
#include <charconv>
#include <cstring>

#include "tensor/float16.h"
#include "text/special_numbers.h"

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

bool DenseParser::at_special_number() const {
  if (in_.at(Tok::Name)) return is_special_number(in_.text());
  if (!in_.at(Tok::Minus)) return false;
  Lexer ahead = in_.ahead();
  const Token word = ahead.next();
  return word.kind == Tok::Name && is_special_number(in_.text(word));
}

bool DenseParser::parse_special_number(Dtype dtype, std::uint64_t& bits) {
  if (!is_float(dtype)) return in_.error<kLiteralType>(in_.token(), dtype_info(dtype).name, "a float");
  const bool negative = in_.take(Tok::Minus);
  if (negative && !in_.at_word("inf")) return in_.unexpected("`inf` or a number");
  bits = special_number_bits(in_.text(), dtype);
  if (negative) bits |= std::uint64_t{1} << (dtype_info(dtype).bytes * 8 - 1);
  in_.advance();
  return true;
}

bool DenseParser::parse_element(Dtype dtype, std::vector<std::byte>& bytes) {
  const Token first = in_.token();
  if (in_.at_word("true") || in_.at_word("false")) {
    if (dtype != Dtype::I1) return in_.error<kLiteralType>(in_.token(), dtype_info(dtype).name, "a boolean");
    append_integer(bytes, dtype, in_.at_word("true") ? 1 : 0);
    in_.advance();
    return true;
  }
  if (at_special_number()) {
    std::uint64_t bits = 0;
    if (!parse_special_number(dtype, bits)) return false;
    const auto* raw = reinterpret_cast<const std::byte*>(&bits);
    bytes.insert(bytes.end(), raw, raw + dtype_info(dtype).bytes);
    return true;
  }
  const bool negative = in_.take(Tok::Minus);
  if (!in_.at(Tok::Integer) && !in_.at(Tok::Float)) return in_.unexpected("an element");
  const std::string_view digits = in_.text();
  const bool hex = in_.at(Tok::Integer) && digits.starts_with("0x");
  if (!is_float(dtype)) {
    std::uint64_t magnitude = 0;
    if (in_.at(Tok::Float)) return in_.error<kLiteralType>(in_.token(), dtype_info(dtype).name, "a float");
    if (!in_.parse_magnitude(in_.token(), magnitude)) return false;
    if (!fits_integer(dtype, negative, magnitude)) {
      const std::string shown = (negative ? "-" : "") + std::string(digits);
      return in_.error<kNumberTooLarge>(first, shown, dtype_info(dtype).name);
    }
    append_integer(bytes, dtype, negative ? ~magnitude + 1 : magnitude);
    in_.advance();
    return true;
  }
  if (hex) {
    std::uint64_t bits = 0;
    if (negative || !in_.parse_magnitude(in_.token(), bits)) return negative ? in_.unexpected("a number") : false;
    const std::size_t width = dtype_info(dtype).bytes;
    if (width < 8 && bits >> (width * 8) != 0)
      return in_.error<kNumberTooLarge>(in_.token(), digits, dtype_info(dtype).name);
    const auto* raw = reinterpret_cast<const std::byte*>(&bits);
    bytes.insert(bytes.end(), raw, raw + width);
    in_.advance();
    return true;
  }
  // Rounded once, from the decimal digits to the element type (16-bit types through float: exact for what is printed).
  const char* end = digits.data() + digits.size();
  if (dtype == Dtype::F64) {
    double value = 0;
    const auto status = std::from_chars(digits.data(), end, value).ec;
    if (status != std::errc() && digits.find("e-") == std::string_view::npos)
      return in_.error<kNumberTooLarge>(in_.token(), digits.substr(0, 60), "f64");
    append(bytes, negative ? -value : value);
  } else {
    float value = 0;
    const auto status = std::from_chars(digits.data(), end, value).ec;
    if (status != std::errc() && digits.find("e-") == std::string_view::npos)
      return in_.error<kNumberTooLarge>(in_.token(), digits.substr(0, 60), dtype_info(dtype).name);
    if (negative) value = -value;
    if (dtype == Dtype::F32) append(bytes, value);
    if (dtype == Dtype::F16) append(bytes, to_half(value).bits);
    if (dtype == Dtype::BF16) append(bytes, to_bfloat16(value).bits);
  }
  in_.advance();
  return true;
}

// Nested lists of the shape's lengths.
bool DenseParser::parse_elements(std::span<const IndexExpr> dims, Dtype dtype, std::vector<std::byte>& bytes,
                                 bool& splat) {
  if (!in_.at(Tok::LBracket)) {
    if (!splat && !dims.empty()) return in_.error<kElementsTooShallow>(in_.token());
    return parse_element(dtype, bytes);
  }
  splat = false;
  Cursor::Nesting nesting(in_);
  if (!nesting.ok()) return false;
  const Token open = in_.token();
  if (dims.empty()) return in_.error<kElementsTooDeep>(in_.token());
  in_.advance();
  std::int64_t count = 0;
  if (!in_.at(Tok::RBracket)) {
    do {
      if (!parse_elements(dims.subspan(1), dtype, bytes, splat)) return false;
      ++count;
    } while (in_.take(Tok::Comma));
  }
  if (!in_.expect(Tok::RBracket, "after elements")) return false;
  const auto wanted = context_.index().as_constant(dims[0]);
  return (wanted && *wanted == count) || in_.error<kElementCount>(open, count, wanted ? *wanted : -1);
}

// `"0x…"`: the bytes of all elements, or of one for all. MLIR packs i1 into bits.
bool DenseParser::parse_hex_bytes(const Token& token, Type type, std::vector<std::byte>& bytes) {
  const std::string_view digits = in_.text(token).substr(1, in_.text(token).size() - 2);
  const auto value = [](char c) { return c >= '0' && c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10; };
  bool ok = digits.starts_with("0x") && digits.size() % 2 == 0;
  for (std::size_t i = 2; ok && i < digits.size(); i += 2) {
    for (const char c : {digits[i], digits[i + 1]})
      ok = ok && ((c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f'));
    if (ok) bytes.push_back(static_cast<std::byte>(value(digits[i]) * 16 + value(digits[i + 1])));
  }
  if (!ok) return in_.error<kBadHexBytes>(token);
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
      return in_.error<kElementCount>(token, packed.size() * 8, count ? *count : -1);
    for (std::size_t i = 0; i < static_cast<std::size_t>(*count); ++i)
      bytes.push_back((packed[i / 8] >> (i % 8)) & std::byte{1});
    return true;
  }
  if (bytes.size() == width) return true;
  if (bytes.size() % width == 0 && count && bytes.size() / width == static_cast<std::uint64_t>(*count)) return true;
  return in_.error<kElementCount>(token, bytes.size() / width, count ? *count : -1);
}

bool DenseParser::parse_dense(Attribute& out) {
  if (!in_.at_word("dense")) return in_.unexpected("`dense`");
  in_.advance();
  if (!in_.expect(Tok::Less, "after `dense`")) return false;
  // The type, which says what the elements are, stands after them: go there first.
  const Cursor::Place elements = in_.place();
  std::size_t open = 0;
  while (!in_.at(Tok::End) && !(in_.at(Tok::Greater) && open == 0)) {
    if (in_.at(Tok::LBracket)) ++open;
    if (in_.at(Tok::RBracket)) {
      if (open == 0) return in_.unexpected("`>` after the elements");
      --open;
    }
    if (in_.at(Tok::LBrace) || in_.at(Tok::RBrace) || in_.at(Tok::Error))
      return in_.unexpected("`>` after the elements");
    in_.advance();
  }
  if (!in_.expect(Tok::Greater, "after the elements") || !in_.expect(Tok::Colon, "before the type of a constant"))
    return false;
  const Token type_token = in_.token();
  Type type;
  if (!types_.parse_type(type)) return false;
  TypePool& types = context_.types();
  if (!type.valid() || !types.is_tensor(type)) return in_.error<kConstantType>(type_token);
  if (!types_.check_real(type_token, "constant", types.dtype(type))) return false;
  const Cursor::Place after = in_.place();
  in_.go_to(elements);

  std::vector<std::byte> bytes;
  const std::span<const IndexExpr> dims = types.dims(type);
  const Dtype dtype = types.dtype(type);
  bool splat = true;
  if (in_.at(Tok::Greater)) {
    const auto count = types.element_count(type);
    if (!count || *count != 0) return in_.error<kElementCount>(in_.token(), 0, count ? *count : -1);
  } else if (in_.at(Tok::String)) {
    if (!parse_hex_bytes(in_.token(), type, bytes)) return false;
    in_.advance();
  } else if (!parse_elements(dims, dtype, bytes, splat)) {
    return false;
  }
  if (!in_.at(Tok::Greater)) return in_.unexpected("`>` after the elements");
  // One element for none at all is no element.
  if (const auto count = types.element_count(type); count && *count == 0) bytes.clear();
  in_.go_to(after);
  out = context_.attributes().tensor(type, std::span<const std::byte>(bytes));
  return true;
}

// `dense_resource<key> : tensor<…>` as the constant that it is; the current token is the word.
bool DenseParser::parse_dense_resource(Attribute& out) {
  in_.advance();
  Token use;
  std::string key;
  if (!resources_.parse_resource_handle(use, key)) return false;
  const Token word = in_.token();
  Type type;
  if (!types_.parse_type(type)) return false;
  const TypePool& types = context_.types();
  if (!type.valid() || !types.is_tensor(type) || !types.is_static(type)) return in_.error<kConstantType>(word);
  const Dtype dtype = types.dtype(type);
  if (!types_.check_real(word, "constant", dtype)) return false;
  std::vector<std::byte> bytes;
  if (!resources_.resource_bytes(use, key, bytes)) return false;
  const auto count = types.element_count(type);
  const std::size_t width = dtype_info(dtype).bytes;
  if (!count || bytes.size() % width != 0 || bytes.size() / width != static_cast<std::uint64_t>(*count))
    return in_.error<kElementCount>(use, bytes.size() / width, count ? *count : -1);
  if (dtype == Dtype::I1)
    for (std::byte& each : bytes) each = each == std::byte{0} ? std::byte{0} : std::byte{1};
  out = context_.attributes().tensor(type, std::span<const std::byte>(bytes));
  return true;
}

}  // namespace mlgc::text
