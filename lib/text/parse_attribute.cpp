// Attribute values and dictionaries. What several kinds would spell alike is settled by the kind that the op's row
// wants; everything else has the spelling `#mlgc.<kind><…>`.
#include <bit>
#include <charconv>
#include <cmath>

#include "diag/suggest.h"
#include "tensor/float16.h"
#include "text/mlir_attribute.h"
#include "text/parser_impl.h"
#include "text/special_numbers.h"

namespace mlgc::text {

bool Parser::parse_string(std::string& out) {
  if (!at(Tok::String)) return unexpected("a string");
  if (!unquote(text(), out)) return error<kBadEscape>(tok_);
  advance();
  return true;
}

// `@name` or `@"any text"`, without the `@`.
bool Parser::parse_symbol(std::string& out) {
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

namespace {

// The double whose bits of a narrower type are given; nothing when they do not fit.
std::optional<double> from_bits(std::uint64_t bits, Dtype dtype) {
  if (dtype == Dtype::F64) return std::bit_cast<double>(bits);
  if (dtype == Dtype::F32 && bits <= 0xFFFFFFFF) return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  if (dtype == Dtype::F16 && bits <= 0xFFFF) return to_float(Half{static_cast<std::uint16_t>(bits)});
  if (dtype == Dtype::BF16 && bits <= 0xFFFF) return to_float(BFloat16{static_cast<std::uint16_t>(bits)});
  return std::nullopt;
}

// The number that a text means in a type, rounded to it.
double rounded(double value, float narrow, Dtype dtype) {
  if (dtype == Dtype::F32) return narrow;
  if (dtype == Dtype::F16) return to_float(to_half(narrow));
  if (dtype == Dtype::BF16) return to_float(to_bfloat16(narrow));
  return value;
}

}  // namespace

// `5 : i8`: for an op's own attribute the number, elsewhere an attribute that keeps its type.
bool Parser::parse_typed_number(AttributeKind wanted, Attribute& out) {
  AttributePool& pool = context_.attributes();
  const Token first = tok_;
  std::string spelling;
  out = Attribute();
  if (!mlir_number(spelling, &out)) return false;
  if (out.valid()) {
    const auto value = pool.as_int64(out);
    if (wanted == AttributeKind::Float && value) out = pool.real(static_cast<double>(*value));
    return true;
  }
  if (wanted != AttributeKind::Int && wanted != AttributeKind::Float) {
    out = make_mlir_attribute(pool, spelling);
    return true;
  }
  const std::size_t colon = spelling.find(" : ");
  const char* begin = spelling.data();
  const char* end = begin + colon;
  const std::string_view type = std::string_view(spelling).substr(colon + 3);
  if (spelling.find('.') == std::string::npos && !spelling.starts_with("0x")) {
    std::int64_t value = 0;
    if (const auto [stop, status] = std::from_chars(begin, end, value); status != std::errc() || stop != end)
      return error<kNumberTooLarge>(first, spelling.substr(0, 60), "i64");
    out = wanted == AttributeKind::Float ? pool.real(static_cast<double>(value)) : pool.integer(value);
    return true;
  }
  const auto dtype = mlgc::parse_dtype(type);
  if (!dtype) return error<kUnknownElementType>(first, type);
  if (spelling.starts_with("0x")) {
    std::uint64_t bits = 0;
    std::from_chars(begin + 2, end, bits, 16);
    const auto value = from_bits(bits, *dtype);
    if (!value) return error<kNumberTooLarge>(first, spelling.substr(0, colon), type);
    out = pool.real(*value);
    return true;
  }
  double value = 0;
  float narrow = 0;
  std::from_chars(begin, end, value);
  if (std::from_chars(begin, end, narrow).ec == std::errc::result_out_of_range && std::fabs(value) > 1)
    narrow = value < 0 ? -HUGE_VALF : HUGE_VALF;
  out = pool.real(rounded(value, narrow, *dtype));
  return true;
}

bool Parser::at_special_number() const {
  if (at(Tok::Name)) return is_special_number(text());
  if (!at(Tok::Minus)) return false;
  Lexer ahead = lexer_;
  const Token word = ahead.next();
  return word.kind == Tok::Name && is_special_number(lexer_.text(word));
}

// `inf`, `-inf` and `nan` of a float type, as bits.
bool Parser::parse_special_number(Dtype dtype, std::uint64_t& bits) {
  if (!is_float(dtype)) return error<kLiteralType>(tok_, dtype_info(dtype).name, "a float");
  const bool negative = take(Tok::Minus);
  if (negative && !at_word("inf")) return unexpected("`inf` or a number");
  bits = special_number_bits(text(), dtype);
  if (negative) bits |= std::uint64_t{1} << (dtype_info(dtype).bytes * 8 - 1);
  advance();
  return true;
}

// `inf`, or with a type: `inf : f32`.
bool Parser::parse_special_attribute(AttributeKind wanted, Attribute& out) {
  AttributePool& pool = context_.attributes();
  const Token first = tok_;
  std::uint64_t bits = 0;
  if (!parse_special_number(Dtype::F64, bits)) return false;
  out = pool.real(std::bit_cast<double>(bits));
  if (!take(Tok::Colon)) return true;
  if (take_word("index")) return error<kLiteralType>(first, "index", "a float");
  Dtype dtype{};
  if (!parse_dtype(dtype)) return false;
  if (!is_float(dtype)) return error<kLiteralType>(first, dtype_info(dtype).name, "a float");
  if (wanted == AttributeKind::Float || wanted == AttributeKind::Int || dtype == Dtype::F64) return true;
  const std::string_view word = special_number_text(bits, Dtype::F64);
  std::uint64_t narrow = special_number_bits(word.substr(word.starts_with('-') ? 1 : 0), dtype);
  if (word.starts_with('-')) narrow |= std::uint64_t{1} << (dtype_info(dtype).bytes * 8 - 1);
  std::string spelling = "0x";
  for (std::size_t digit = dtype_info(dtype).bytes * 2; digit-- > 0;)
    spelling += "0123456789ABCDEF"[narrow >> (digit * 4) & 15];
  out = make_mlir_attribute(pool, spelling + " : " + std::string(dtype_info(dtype).name));
  return true;
}

// An integer, a float, or (between brackets) an expression; the sign is the current token at most.
bool Parser::parse_number(AttributeKind wanted, bool bracketed, Attribute& out) {
  if (at_special_number()) return parse_special_attribute(wanted, out);
  const Token first = tok_;
  bool negative = false;
  AttributePool& pool = context_.attributes();
  const bool float_wanted = wanted == AttributeKind::Float;
  if (at(Tok::Minus)) {
    const Lexer resume = lexer_;
    advance();
    negative = true;
    if (!at(Tok::Integer) && !at(Tok::Float)) {
      if (!bracketed) return unexpected("a number");
      lexer_ = resume;
      tok_ = first;
    }
  }
  if (at(Tok::Float) || at(Tok::Integer)) {
    Lexer ahead = lexer_;
    if (ahead.next().kind == Tok::Colon) {
      lexer_.seek(first.begin);
      advance();
      return parse_typed_number(wanted, out);
    }
  }
  if (at(Tok::Float)) {
    const std::string_view digits = text();
    double value = 0;
    const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (status == std::errc::result_out_of_range && value == 0 && digits.find('-') == std::string_view::npos)
      return error<kNumberTooLarge>(tok_, digits.substr(0, 60), "a double");
    advance();
    out = pool.real(negative ? -value : value);
    return true;
  }
  if (at(Tok::Integer)) {
    const Token digits = tok_;
    const Lexer resume = lexer_;
    advance();
    if (!bracketed || float_wanted) {
      std::int64_t value = 0;
      if (!parse_int64(digits, negative, value)) return false;
      out = float_wanted ? pool.real(static_cast<double>(value)) : pool.integer(value);
      return true;
    }
    // Between brackets a number may begin an expression: read it again as one.
    lexer_ = resume;
    tok_ = digits;
    if (negative) {
      lexer_.seek(first.begin);
      advance();
    }
  }
  IndexExpr value;
  if (!parse_expr(value, nullptr)) return false;
  out = pool.integer(value);
  return true;
}

// `array<i64: 1, 2>`
bool Parser::parse_typed_array(Attribute& out) {
  advance();
  if (!expect(Tok::Less, "after `array`")) return false;
  const Token type = tok_;
  Dtype dtype{};
  if (!parse_dtype(dtype)) return false;
  const AttributeKind item = is_float(dtype)      ? AttributeKind::Float
                             : dtype == Dtype::I1 ? AttributeKind::Bool
                                                  : AttributeKind::Int;
  const AttributeKind list = is_float(dtype)      ? AttributeKind::FloatList
                             : dtype == Dtype::I1 ? AttributeKind::BoolList
                                                  : AttributeKind::IntList;
  std::vector<Attribute> items;
  if (take(Tok::Colon)) {
    do {
      const Token token = tok_;
      Attribute value;
      // NaNs and infinities stand as bits without a type of their own here.
      if (at(Tok::Integer) && is_float(dtype) && text().starts_with("0x")) {
        std::uint64_t bits = 0;
        if (!parse_magnitude(tok_, bits)) return false;
        const auto real = from_bits(bits, dtype);
        if (!real) return error<kNumberTooLarge>(tok_, text(), lexer_.text(type));
        value = context_.attributes().real(*real);
        advance();
      } else if (!parse_item(item, value)) {
        return false;
      }
      if (context_.attributes().kind(value) != item) return error<kLiteralType>(token, lexer_.text(type), "another");
      items.push_back(value);
    } while (take(Tok::Comma));
  }
  return expect_greater("after an array") && make_list(list, items, out);
}

// What no other spelling says: `#mlgc.array<[1, 2]>`, `#mlgc.type<f32>`, `#mlgc.subscripts<"%1*2 + %2">`.
bool Parser::parse_escape(Attribute& out) {
  advance();
  if (!at(Tok::Name)) return unexpected("the kind of an attribute");
  const Token word = tok_;
  const std::string_view kind = text();
  AttributePool& pool = context_.attributes();
  advance();
  if (!expect(Tok::Less, "after the kind of an attribute")) return false;
  if (kind == "mlgc.type") {
    Type type;
    if (!parse_type(type)) return false;
    out = pool.type(type);
  } else if (kind == "mlgc.dtype") {
    Dtype dtype{};
    if (!parse_dtype(dtype)) return false;
    out = pool.dtype(dtype);
  } else if (kind == "mlgc.array") {
    if (!parse_list(AttributeKind::Array, out)) return false;
  } else if (kind == "mlgc.strings") {
    if (!parse_list(AttributeKind::StringList, out)) return false;
  } else if (kind == "mlgc.int" || kind == "mlgc.ints" || kind == "mlgc.subscripts") {
    // Strings with one expression each; in subscripts `%i` stands for operand i.
    std::vector<IndexExpr> values;
    while (at(Tok::String)) {
      const Token string = tok_;
      IndexExpr value;
      ExprState state{nullptr, 0, kind == "mlgc.subscripts"};
      if (!parse_inside(string, [&] { return parse_sum(value, state); })) return false;
      values.push_back(value);
      advance();
      if (!take(Tok::Comma)) break;
    }
    if (kind == "mlgc.int") {
      if (values.size() != 1) return unexpected("one expression between quotes");
      out = pool.integer(values[0]);
    } else {
      out = kind == "mlgc.subscripts" ? pool.subscripts(values) : pool.int_list(std::span<const IndexExpr>(values));
    }
  } else if (kind == "mlgc.splat") {
    const Token string = tok_;
    if (!at(Tok::String)) return unexpected("a constant between quotes");
    if (!parse_inside(string, [&] { return parse_dense(out); })) return false;
    advance();
  } else if (kind == "mlgc.mlir") {
    std::string spelling;
    if (!parse_string(spelling)) return false;
    const SourceFile& piece = context_.locations().add_source(file_.name() + "#mlgc.mlir", spelling);
    const ParseOptions options;
    Nesting nesting(*this);
    if (!nesting.ok()) return false;
    Parser inner(context_, piece, diagnostics_, options);
    inner.depth_ = depth_;
    if (!inner.parse_mlir_attribute(out) || !inner.expect_end()) return false;
  } else {
    return error<kUnknownAttributeKind>(word, kind);
  }
  return expect_greater("after an attribute");
}

// `true`, `inf`, `dense<…>`, types and element types. `known` is false when the name is none of them.
bool Parser::parse_keyword_attribute(AttributeKind wanted, Attribute& out, bool& known) {
  AttributePool& pool = context_.attributes();
  const std::string_view word = text();
  known = true;
  if (word == "true" || word == "false") {
    out = pool.boolean(word == "true");
    advance();
    return true;
  }
  if (is_special_number(word)) return parse_special_attribute(wanted, out);
  if (word == "dense") return parse_dense(out);
  if (word == "dense_resource") return parse_dense_resource(out);
  if (word == "array") return parse_typed_array(out);
  const bool element = word == "complex" || mlgc::parse_dtype(word).has_value();
  if (element && wanted != AttributeKind::Type) {
    Dtype dtype{};
    if (!parse_dtype(dtype)) return false;
    out = pool.dtype(dtype);
    return true;
  }
  if (element || word == "tensor" || word == "vector" || word == "buffer" || word == "memref" || word == "index" ||
      word == "none") {
    Type type;
    if (!parse_type(type)) return false;
    out = pool.type(type);
    return true;
  }
  known = false;
  return true;
}

// A value inside of brackets.
bool Parser::parse_item(AttributeKind wanted, Attribute& out) {
  if (mlir_ && wanted == AttributeKind::None) return parse_mlir_attribute(out);
  if (at(Tok::Integer) || at(Tok::Float) || at(Tok::Minus)) return parse_number(wanted, true, out);
  if (at(Tok::Name)) {
    bool known = false;
    if (!parse_keyword_attribute(wanted, out, known)) return false;
    if (known) return true;
    IndexExpr value;
    if (!parse_expr(value, nullptr)) return false;
    out = context_.attributes().integer(value);
    return true;
  }
  if (at(Tok::LParen) && wanted != AttributeKind::Type) {
    // `(H - 1) floordiv 2`, or a function type: the arrow tells, so look for it.
    const Lexer resume = lexer_;
    const Token first = tok_;
    std::size_t open = 0;
    do {
      if (at(Tok::LParen)) ++open;
      if (at(Tok::RParen)) --open;
      advance();
    } while (open > 0 && !at(Tok::End) && !at(Tok::LBrace) && !at(Tok::RBrace));
    const bool is_type = at(Tok::Arrow);
    lexer_ = resume;
    tok_ = first;
    if (!is_type) {
      IndexExpr value;
      if (!parse_expr(value, nullptr)) return false;
      out = context_.attributes().integer(value);
      return true;
    }
  }
  return parse_attribute(wanted, out);
}

bool Parser::make_list(AttributeKind wanted, const std::vector<Attribute>& items, Attribute& out) {
  AttributePool& pool = context_.attributes();
  if (wanted == AttributeKind::Array) {
    out = pool.array(items);
    return true;
  }
  const auto all = [&](AttributeKind kind) {
    for (const Attribute item : items)
      if (pool.kind(item) != kind) return false;
    return true;
  };
  using enum AttributeKind;
  const bool list_wanted = wanted == IntList || wanted == FloatList || wanted == BoolList || wanted == StringList;
  const AttributeKind kind = items.empty() ? (list_wanted ? wanted : IntList)
                             : all(Int)    ? IntList
                             : all(Float)  ? FloatList
                             : all(Bool)   ? BoolList
                             : all(String) ? StringList
                                           : Array;
  if (kind == IntList) {
    std::vector<IndexExpr> values;
    for (const Attribute item : items) values.push_back(*pool.as_int(item));
    out = wanted == Int && values.size() == 1 ? items[0] : pool.int_list(std::span<const IndexExpr>(values));
  } else if (kind == FloatList) {
    std::vector<double> values;
    for (const Attribute item : items) values.push_back(*pool.as_float(item));
    out = pool.float_list(values);
  } else if (kind == BoolList) {
    const auto values = std::make_unique<bool[]>(items.size());
    for (std::size_t i = 0; i < items.size(); ++i) values[i] = *pool.as_bool(items[i]);
    out = pool.bool_list({values.get(), items.size()});
  } else if (kind == StringList) {
    std::vector<StringId> values;
    for (const Attribute item : items) values.push_back(context_.strings().intern(*pool.as_string(item)));
    out = pool.string_list(values);
  } else {
    out = pool.array(items);
  }
  return true;
}

bool Parser::parse_list(AttributeKind wanted, Attribute& out) {
  if (!expect(Tok::LBracket, "before a list")) return false;
  using enum AttributeKind;
  const AttributeKind item = wanted == FloatList ? Float : wanted == StringList ? String : None;
  std::vector<Attribute> items;
  // A list whose items a row knows is ours in both forms.
  const bool mlir = mlir_;
  mlir_ = mlir && (wanted == Array || wanted == None);
  bool ok = true;
  if (!at(Tok::RBracket)) {
    do {
      items.emplace_back();
      ok = parse_item(item, items.back());
    } while (ok && take(Tok::Comma));
  }
  mlir_ = mlir;
  return ok && expect(Tok::RBracket, "after a list") && make_list(wanted, items, out);
}

bool Parser::parse_attribute(AttributeKind wanted, Attribute& out) {
  if (mlir_ && wanted == AttributeKind::None) return parse_mlir_attribute(out);
  Nesting nesting(*this);
  if (!nesting.ok()) return false;
  AttributePool& pool = context_.attributes();
  switch (tok_.kind) {
    case Tok::Integer:
    case Tok::Float:
    case Tok::Minus: return parse_number(wanted, false, out);
    case Tok::LBracket: return parse_list(wanted, out);
    case Tok::Hash: return parse_escape(out);
    case Tok::String: {
      if (!parse_string(scratch_)) return false;
      out = pool.string(scratch_);
      return true;
    }
    case Tok::Symbol: {
      if (!parse_symbol(scratch_)) return false;
      out = pool.symbol(scratch_);
      return true;
    }
    case Tok::LParen:
    case Tok::Bang: {
      Type type;
      if (!parse_type(type)) return false;
      out = pool.type(type);
      return true;
    }
    case Tok::Name: {
      bool known = false;
      if (!parse_keyword_attribute(wanted, out, known)) return false;
      if (known) return true;
      return error<kSymbolicWithoutBrackets>(tok_, text());
    }
    default: return unexpected("the value of an attribute");
  }
}

// --- dictionaries

bool Parser::check_key(const OpDef* def, const Token& token, std::string_view key) {
  const StringId id = context_.strings().intern(key);
  for (const NamedAttribute& entry : attributes_)
    if (entry.name == id) return error<kDuplicateAttribute>(token, key);
  if (def == nullptr || key.find('.') != std::string_view::npos || key == "sym_name") return true;
  for (const AttrDef& attr : def->attrs)
    if (attr.name == key) return true;
  std::vector<std::string_view> names;
  for (const AttrDef& attr : def->attrs) names.push_back(attr.name);
  Diagnostic d = diagnose<kUnknownAttribute>(location(token), def->name, key).with_width(token.end - token.begin);
  if (const auto near = closest_name(key, names)) {
    d.add_note<kDidYouMean>({}, *near);
  } else if (!names.empty()) {
    d.add_note<kKnownNames>({}, std::vector<std::string>(names.begin(), names.end()));
  }
  diagnostics_.emit(std::move(d));
  return false;
}

bool Parser::parse_dict(const OpDef* def, bool generic) {
  if (!expect(Tok::LBrace, "before attributes")) return false;
  mlir_ = generic;
  const bool ok = parse_entries(def, generic);
  mlir_ = false;
  return ok;
}

// What stands between the braces, and the closing one.
bool Parser::parse_entries(const OpDef* def, bool generic) {
  AttributePool& pool = context_.attributes();
  bool ok = true;
  while (!at(Tok::RBrace)) {
    const Token token = tok_;
    std::string key;
    if (at(Tok::Name)) {
      key = text();
      advance();
    } else if (at(Tok::String)) {
      if (!parse_string(key)) return false;
    } else {
      return unexpected("the name of an attribute or `}`");
    }
    const bool is_free = key.find('.') != std::string::npos && !key.starts_with("mlgc.");
    if (!at(Tok::Equal)) {
      if (!generic || !is_free) return error<kAttributeWithoutValue>(token, key);
      if (check_key(nullptr, token, key))
        attributes_.push_back({context_.strings().intern(key), make_mlir_attribute(pool, "unit")});
      else
        ok = false;
      if (!take(Tok::Comma)) break;
      if (at(Tok::RBrace)) return unexpected("the name of an attribute");
      continue;
    }
    advance();
    // What the generic form adds is looked at by its reader.
    const bool foreign = generic && (key == "sym_name" || key == "function_type" || key.starts_with("mlgc."));
    const bool known = check_key(foreign ? nullptr : def, token, key);
    AttributeKind wanted = AttributeKind::None;
    if (def != nullptr)
      for (const AttrDef& attr : def->attrs)
        if (attr.name == (foreign ? plain_key(*def, key) : key)) wanted = attr.kind;
    if (foreign && key == "mlgc.where") wanted = AttributeKind::StringList;
    Attribute value;
    if (!parse_attribute(wanted, value)) return false;
    if (known) {
      attributes_.push_back({context_.strings().intern(key), value});
    } else {
      ok = false;
    }
    if (!take(Tok::Comma)) break;
    if (at(Tok::RBrace)) return unexpected("the name of an attribute");
  }
  return expect(Tok::RBrace, "after attributes") && ok;
}

}  // namespace mlgc::text
