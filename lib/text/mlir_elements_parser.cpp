// See mlir_elements_parser.h.
#include "text/mlir_elements_parser.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <vector>

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
bool MlirElementsParser::mlir_literal(const Token& first, const Token& digits, bool negative, const MlirType& type,
                                      std::string& out, Attribute* own) {
  const std::string_view spelling = in_.text(digits);
  AttributePool& pool = context_.attributes();
  const bool is_integer = type.kind == Kind::Integer || type.kind == Kind::Index;
  if (digits.kind == Tok::Float) {
    if (type.kind != Kind::Float)
      return in_.error<kLiteralType>(digits, is_integer ? type_name(type) : "the type", "a float");
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
  if (!is_integer && type.kind != Kind::Float) return in_.error<kLiteralType>(digits, "the type", "an integer");
  if (spelling.size() > kMostDigits) return in_.error<kNumberTooLarge>(first, spelling.substr(0, 60), type_name(type));
  const std::vector<std::uint32_t> words = words_of(spelling);
  const std::uint64_t low = (words.empty() ? 0 : words[0]) | (words.size() < 2 ? 0 : std::uint64_t{words[1]} << 32);
  const std::string shown = (negative ? "-" : "") + std::string(spelling.substr(0, 60));
  if (type.kind == Kind::Float) {  // the bits of a number
    if (!spelling.starts_with("0x") || negative) return in_.error<kLiteralType>(first, type_name(type), "an integer");
    if (bit_count(words) > type.bits) return in_.error<kNumberTooLarge>(first, shown, type_name(type));
    if (own != nullptr && type.bits == 64) *own = pool.real(std::bit_cast<double>(low));
    out += spelling;
    return true;
  }
  if (!fits_integer(type, negative, words)) return in_.error<kNumberTooLarge>(first, shown, type_name(type));
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
bool MlirElementsParser::mlir_number(std::string& out, Attribute* own) {
  const Token first = in_.token();
  const bool negative = in_.take(Tok::Minus);
  if (!in_.at(Tok::Integer) && !in_.at(Tok::Float)) return in_.unexpected("a number");
  const Token digits = in_.token();
  in_.advance();
  MlirType type{.kind = digits.kind == Tok::Float ? Kind::Float : Kind::Integer, .bits = 64, .dims = {}, .element = {}};
  std::string type_text = type.kind == Kind::Float ? "f64" : "i64";
  if (in_.take(Tok::Colon)) {
    type = MlirType();
    type_text.clear();
    if (!mlir_types_.mlir_type(type_text, type)) return false;
  }
  std::string number;
  Attribute made;
  if (!mlir_literal(first, digits, negative, type, number, &made)) return false;
  if (own != nullptr) *own = made;
  if (made.valid()) {  // in our own form
    DataPrinter(context_, TextForm::Generic).attribute(out, made, AttributeKind::None);
  } else {
    out += number;
    out += " : ";
    out += type_text;
  }
  return true;
}

// An element of a constant.
bool MlirElementsParser::mlir_element(std::string& out, const MlirType& type) {
  if (type.kind == Kind::Complex) {
    out += '(';
    if (!in_.expect(Tok::LParen, "before the parts of a complex number") || !mlir_element(out, *type.element))
      return false;
    out += ", ";
    if (!in_.expect(Tok::Comma, "between the parts of a complex number") || !mlir_element(out, *type.element))
      return false;
    out += ')';
    return in_.expect(Tok::RParen, "after the parts of a complex number");
  }
  if (type.kind == Kind::Other) {
    std::string value;
    if (!in_.parse_string(value)) return false;
    append_quoted(out, value);
    return true;
  }
  if (in_.at_word("true") || in_.at_word("false")) {
    if (type.kind != Kind::Integer || type.bits != 1)
      return in_.error<kLiteralType>(in_.token(), "the element type", "a boolean");
    out += in_.text();
    in_.advance();
    return true;
  }
  const Token first = in_.token();
  const bool negative = in_.take(Tok::Minus);
  if (!in_.at(Tok::Integer) && !in_.at(Tok::Float)) return in_.unexpected("an element");
  const Token digits = in_.token();
  in_.advance();
  return mlir_literal(first, digits, negative, type, out, nullptr);
}

bool MlirElementsParser::mlir_elements(std::string& out, std::span<const std::int64_t> dims, const MlirType& element,
                                       bool top) {
  if (!in_.at(Tok::LBracket)) {
    if (!top && !dims.empty()) return in_.error<kElementsTooShallow>(in_.token());
    return mlir_element(out, element);
  }
  Cursor::Nesting nesting(in_);
  if (!nesting.ok()) return false;
  const Token open = in_.token();
  if (dims.empty()) return in_.error<kElementsTooDeep>(in_.token());
  in_.advance();
  out += '[';
  std::int64_t count = 0;
  if (!in_.at(Tok::RBracket)) {
    do {
      if (count++ > 0) out += ", ";
      if (!mlir_elements(out, dims.subspan(1), element, false)) return false;
    } while (in_.take(Tok::Comma));
  }
  out += ']';
  if (!in_.expect(Tok::RBracket, "after elements")) return false;
  return count == dims[0] || in_.error<kElementCount>(open, count, dims[0]);
}

std::uint64_t MlirElementsParser::element_count(const MlirType& type) {
  std::uint64_t count = 1;
  for (const std::int64_t dim : type.dims)
    count = dim == 0                                                  ? 0
            : count > kMaxTextBytes / static_cast<std::uint64_t>(dim) ? std::uint64_t{kMaxTextBytes} + 1
                                                                      : count * static_cast<std::uint64_t>(dim);
  return count;
}

// `"0x…"`: the bytes of all elements, or of one for all.
bool MlirElementsParser::mlir_hex_elements(std::string& out, const MlirType& type) {
  const std::string_view spelling = in_.text();
  const std::string_view digits = spelling.substr(1, spelling.size() - 2);
  const bool hex = digits.starts_with("0x") && digits.size() % 2 == 0 &&
                   digits.find_first_not_of("0123456789abcdefABCDEF", 2) == std::string_view::npos;
  if (!hex) return in_.error<kBadHexBytes>(in_.token());
  const MlirType& element = *type.element;
  const MlirType& part = element.kind == Kind::Complex ? *element.element : element;
  const std::uint64_t bits = part.kind == Kind::Index ? 64 : part.bits;
  const std::uint64_t width = (bits + 7) / 8 * (element.kind == Kind::Complex ? 2 : 1);
  const std::uint64_t bytes = digits.size() / 2 - 1;
  const std::uint64_t count = element_count(type);
  const bool packed = bits == 1 && element.kind != Kind::Complex;
  const bool fits = packed ? bytes == (count + 7) / 8 || bytes == 1 : bytes == width * count || bytes == width;
  if (!fits) return in_.error<kElementCount>(in_.token(), width == 0 ? 0 : bytes / width, count);
  out += spelling;
  in_.advance();
  return true;
}

// The type of a constant stands after its elements: goes there, and comes back.
bool MlirElementsParser::mlir_constant_type(std::string& out, MlirType& type, Cursor::Place& after) {
  const Cursor::Place elements = in_.place();
  std::size_t open = 0;
  while (!in_.at(Tok::End) && !(in_.at(Tok::Greater) && open == 0)) {
    if (in_.at(Tok::LBracket)) ++open;
    if (in_.at(Tok::RBracket) && open > 0) --open;
    if (in_.at(Tok::LBrace) || in_.at(Tok::RBrace) || in_.at(Tok::Error))
      return in_.unexpected("`>` after the elements");
    in_.advance();
  }
  if (!in_.expect(Tok::Greater, "after the elements") || !in_.expect(Tok::Colon, "before the type of a constant"))
    return false;
  const Token word = in_.token();
  if (!mlir_types_.mlir_type(out, type)) return false;
  const bool shaped = type.kind == Kind::Tensor || type.kind == Kind::Vector || type.kind == Kind::Memref;
  if (!shaped || !type.is_static) return in_.error<kConstantType>(word);
  after = in_.place();
  in_.go_to(elements);
  return true;
}

bool MlirElementsParser::mlir_dense(std::string& out) {
  if (!in_.expect(Tok::Less, "after `dense`")) return false;
  MlirType type;
  Cursor::Place after = in_.place();
  std::string type_text;
  if (!mlir_constant_type(type_text, type, after)) return false;
  const Kind element = type.element->kind;
  if (element == Kind::Vector || element == Kind::Memref) return in_.error<kConstantType>(after.token);
  out += "dense<";
  if (in_.at(Tok::Greater)) {
    if (std::find(type.dims.begin(), type.dims.end(), 0) == type.dims.end())
      return in_.error<kElementCount>(in_.token(), 0, 1);
  } else if (in_.at(Tok::String) && element != Kind::Other) {
    if (!mlir_hex_elements(out, type)) return false;
  } else if (!mlir_elements(out, type.dims, *type.element, true)) {
    return false;
  }
  if (!in_.at(Tok::Greater)) return in_.unexpected("`>` after the elements");
  in_.go_to(after);
  out += "> : " + type_text;
  return true;
}

// sparse<[[0, 0], [1, 2]], [1, 5]> : tensor<3x4xi32>
bool MlirElementsParser::mlir_sparse(std::string& out) {
  if (!in_.expect(Tok::Less, "after `sparse`")) return false;
  MlirType type;
  Cursor::Place after = in_.place();
  std::string type_text;
  if (!mlir_constant_type(type_text, type, after)) return false;
  out += "sparse<";
  if (!in_.at(Tok::Greater)) {
    const MlirType index{.kind = Kind::Index, .bits = 64, .dims = {}, .element = nullptr};
    const auto subscript = [&](std::size_t axis) {
      const Token token = in_.token();
      std::int64_t value = 0;
      if (!in_.at(Tok::Integer)) return in_.unexpected("a subscript");
      if (!in_.parse_int64(in_.token(), false, value)) return false;
      if (axis >= type.dims.size() || value >= type.dims[axis])
        return in_.error<kNumberTooLarge>(token, in_.text(token), "the shape of the constant");
      return mlir_element(out, index);
    };
    std::int64_t rows = 1;
    if (in_.take(Tok::LBracket)) {
      out += '[';
      rows = 0;
      while (!in_.at(Tok::RBracket)) {
        if (rows++ > 0) out += ", ";
        const Token row = in_.token();
        if (in_.take(Tok::LBracket)) {
          out += '[';
          std::size_t axis = 0;
          while (!in_.at(Tok::RBracket)) {
            if (axis > 0) out += ", ";
            if (!subscript(axis++)) return false;
            if (!in_.take(Tok::Comma)) break;
          }
          out += ']';
          if (!in_.expect(Tok::RBracket, "after subscripts")) return false;
          if (axis != type.dims.size()) return in_.error<kElementCount>(row, axis, type.dims.size());
        } else if (type.dims.size() != 1) {
          return in_.error<kElementsTooShallow>(row);
        } else if (!subscript(0)) {
          return false;
        }
        if (!in_.take(Tok::Comma)) break;
      }
      out += ']';
      if (!in_.expect(Tok::RBracket, "after the subscripts")) return false;
    } else {
      for (const std::int64_t dim : type.dims)
        if (dim == 0) return in_.error<kElementCount>(in_.token(), 1, 0);
      if (!subscript(0)) return false;
    }
    out += ", ";
    if (!in_.expect(Tok::Comma, "after the subscripts")) return false;
    if (!mlir_elements(out, {&rows, 1}, *type.element, true)) return false;
  }
  if (!in_.at(Tok::Greater)) return in_.unexpected("`>` after the elements");
  in_.go_to(after);
  out += "> : " + type_text;
  return true;
}

// array<i64: 1, 2>
bool MlirElementsParser::mlir_array(std::string& out) {
  if (!in_.expect(Tok::Less, "after `array`")) return false;
  out += "array<";
  const Token word = in_.token();
  MlirType element;
  if (!mlir_types_.mlir_type(out, element)) return false;
  const bool whole_bytes = element.bits == 1 || element.bits % 8 == 0;
  if ((element.kind != Kind::Integer && element.kind != Kind::Float) || element.bits == 0 || !whole_bytes)
    return in_.error<kUnknownElementType>(word, in_.text(word));
  if (in_.take(Tok::Colon)) {
    out += ": ";
    bool first = true;
    do {
      if (!first) out += ", ";
      first = false;
      if (element.bits == 1 && !in_.at_word("true") && !in_.at_word("false"))
        return in_.error<kLiteralType>(in_.token(), "i1", "a number");
      if (!mlir_element(out, element)) return false;
    } while (in_.take(Tok::Comma));
  }
  out += '>';
  return in_.expect_greater("after an array");
}

// The same among MLIR's attributes, as `dense<"0x…">`. A key that the text does not define is another's to know.
bool MlirElementsParser::mlir_dense_resource(std::string& out) {
  Token use;
  std::string key;
  if (!resources_.parse_resource_handle(use, key)) return false;
  MlirType type;
  std::string type_text;
  const Token word = in_.token();
  if (!mlir_types_.mlir_type(type_text, type)) return false;
  if (!resources_.contains(key)) {
    out += "dense_resource<" + key + "> : " + type_text;
    return true;
  }
  const bool shaped = type.kind == Kind::Tensor || type.kind == Kind::Vector || type.kind == Kind::Memref;
  if (!shaped || !type.is_static) return in_.error<kConstantType>(word);
  const MlirType& element = *type.element;
  const MlirType& part = element.kind == Kind::Complex ? *element.element : element;
  if (part.kind != Kind::Integer && part.kind != Kind::Float && part.kind != Kind::Index)
    return in_.error<kConstantType>(word);
  std::vector<std::byte> bytes;
  if (!resources_.resource_bytes(use, key, bytes)) return false;
  const std::uint64_t bits = part.kind == Kind::Index ? 64 : part.bits;
  const std::uint64_t width = std::max<std::uint64_t>((bits + 7) / 8, 1) * (element.kind == Kind::Complex ? 2 : 1);
  const std::uint64_t count = element_count(type);
  if (bytes.size() % width != 0 || bytes.size() / width != count)
    return in_.error<kElementCount>(use, bytes.size() / width, count);
  if (bits == 1 && element.kind != Kind::Complex) {  // `dense` packs what a blob has a byte for
    std::vector<std::byte> packed((bytes.size() + 7) / 8);
    for (std::size_t i = 0; i < bytes.size(); ++i)
      if (bytes[i] != std::byte{0}) packed[i / 8] |= std::byte{1} << (i % 8);
    bytes = std::move(packed);
  }
  aliases_.note_use();  // what is appended is not what the text has here
  out += "dense<";
  if (!bytes.empty()) {
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    out += "\"0x";
    for (const std::byte each : bytes) {
      out += kDigits[std::to_integer<unsigned>(each) >> 4];
      out += kDigits[std::to_integer<unsigned>(each) & 15U];
    }
    out += '"';
  }
  out += "> : " + type_text;
  return true;
}

}  // namespace mlgc::text
