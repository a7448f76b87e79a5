// See attribute_parser.h.
#include "text/attribute_parser.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <memory>

#include "diag/suggest.h"
#include "tensor/float16.h"
#include "text/data_parser.h"
#include "text/generic_names.h"
#include "text/mlir_attribute.h"
#include "text/special_numbers.h"

namespace mlgc::text {

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
bool AttributeParser::parse_typed_number(AttributeKind wanted, Attribute& out) {
  AttributePool& pool = context_.attributes();
  const Token first = in_.token();
  std::string spelling;
  out = Attribute();
  if (!elements_.mlir_number(spelling, &out)) return false;
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
      return in_.error<kNumberTooLarge>(first, spelling.substr(0, 60), "i64");
    out = wanted == AttributeKind::Float ? pool.real(static_cast<double>(value)) : pool.integer(value);
    return true;
  }
  const auto dtype = mlgc::parse_dtype(type);
  if (!dtype) return in_.error<kUnknownElementType>(first, type);
  if (spelling.starts_with("0x")) {
    std::uint64_t bits = 0;
    std::from_chars(begin + 2, end, bits, 16);
    const auto value = from_bits(bits, *dtype);
    if (!value) return in_.error<kNumberTooLarge>(first, spelling.substr(0, colon), type);
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

// `inf`, or with a type: `inf : f32`.
bool AttributeParser::parse_special_attribute(AttributeKind wanted, Attribute& out) {
  AttributePool& pool = context_.attributes();
  const Token first = in_.token();
  std::uint64_t bits = 0;
  if (!dense_.parse_special_number(Dtype::F64, bits)) return false;
  out = pool.real(std::bit_cast<double>(bits));
  if (!in_.take(Tok::Colon)) return true;
  if (in_.take_word("index")) return in_.error<kLiteralType>(first, "index", "a float");
  Dtype dtype{};
  if (!types_.parse_dtype(dtype)) return false;
  if (!is_float(dtype)) return in_.error<kLiteralType>(first, dtype_info(dtype).name, "a float");
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
bool AttributeParser::parse_number(AttributeKind wanted, bool bracketed, Attribute& out) {
  if (dense_.at_special_number()) return parse_special_attribute(wanted, out);
  const Token first = in_.token();
  bool negative = false;
  AttributePool& pool = context_.attributes();
  const bool float_wanted = wanted == AttributeKind::Float;
  if (in_.at(Tok::Minus)) {
    const Cursor::Place resume = in_.place();
    in_.advance();
    negative = true;
    if (!in_.at(Tok::Integer) && !in_.at(Tok::Float)) {
      if (!bracketed) return in_.unexpected("a number");
      in_.go_to(resume);
    }
  }
  if (in_.at(Tok::Float) || in_.at(Tok::Integer)) {
    Lexer ahead = in_.ahead();
    if (ahead.next().kind == Tok::Colon) {
      in_.seek(first.begin);
      return parse_typed_number(wanted, out);
    }
  }
  if (in_.at(Tok::Float)) {
    const std::string_view digits = in_.text();
    double value = 0;
    const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (status == std::errc::result_out_of_range && value == 0 && digits.find('-') == std::string_view::npos)
      return in_.error<kNumberTooLarge>(in_.token(), digits.substr(0, 60), "a double");
    in_.advance();
    out = pool.real(negative ? -value : value);
    return true;
  }
  if (in_.at(Tok::Integer)) {
    const Token digits = in_.token();
    const Cursor::Place resume = in_.place();
    in_.advance();
    if (!bracketed || float_wanted) {
      std::int64_t value = 0;
      if (!in_.parse_int64(digits, negative, value)) return false;
      out = float_wanted ? pool.real(static_cast<double>(value)) : pool.integer(value);
      return true;
    }
    // Between brackets a number may begin an expression: read it again as one.
    in_.go_to(resume);
    if (negative) {
      in_.seek(first.begin);
    }
  }
  IndexExpr value;
  if (!exprs_.parse_expr(value)) return false;
  out = pool.integer(value);
  return true;
}

// `array<i64: 1, 2>`
bool AttributeParser::parse_typed_array(Attribute& out) {
  in_.advance();
  if (!in_.expect(Tok::Less, "after `array`")) return false;
  const Token type = in_.token();
  Dtype dtype{};
  if (!types_.parse_dtype(dtype)) return false;
  const AttributeKind item = is_float(dtype)      ? AttributeKind::Float
                             : dtype == Dtype::I1 ? AttributeKind::Bool
                                                  : AttributeKind::Int;
  const AttributeKind list = is_float(dtype)      ? AttributeKind::FloatList
                             : dtype == Dtype::I1 ? AttributeKind::BoolList
                                                  : AttributeKind::IntList;
  std::vector<Attribute> items;
  if (in_.take(Tok::Colon)) {
    do {
      const Token token = in_.token();
      Attribute value;
      // NaNs and infinities stand as bits without a type of their own here.
      if (in_.at(Tok::Integer) && is_float(dtype) && in_.text().starts_with("0x")) {
        std::uint64_t bits = 0;
        if (!in_.parse_magnitude(in_.token(), bits)) return false;
        const auto real = from_bits(bits, dtype);
        if (!real) return in_.error<kNumberTooLarge>(in_.token(), in_.text(), in_.text(type));
        value = context_.attributes().real(*real);
        in_.advance();
      } else if (!parse_item(item, value)) {
        return false;
      }
      if (context_.attributes().kind(value) != item) return in_.error<kLiteralType>(token, in_.text(type), "another");
      items.push_back(value);
    } while (in_.take(Tok::Comma));
  }
  return in_.expect_greater("after an array") && make_attribute_list(context_, list, items, out);
}

// What has no other form: `#mlgc.array<[1, 2]>`, `#mlgc.type<f32>`, `#mlgc.subscripts<"%1*2 + %2">`.
bool AttributeParser::parse_escape(Attribute& out) {
  in_.advance();
  if (!in_.at(Tok::Name)) return in_.unexpected("the kind of an attribute");
  const Token word = in_.token();
  const std::string_view kind = in_.text();
  AttributePool& pool = context_.attributes();
  in_.advance();
  if (!in_.expect(Tok::Less, "after the kind of an attribute")) return false;
  if (kind == "mlgc.type") {
    Type type;
    if (!types_.parse_type(type)) return false;
    out = pool.type(type);
  } else if (kind == "mlgc.dtype") {
    Dtype dtype{};
    if (!types_.parse_dtype(dtype)) return false;
    out = pool.dtype(dtype);
  } else if (kind == "mlgc.array") {
    if (!parse_list(AttributeKind::Array, out)) return false;
  } else if (kind == "mlgc.strings") {
    if (!parse_list(AttributeKind::StringList, out)) return false;
  } else if (kind == "mlgc.int" || kind == "mlgc.ints" || kind == "mlgc.subscripts") {
    // Strings with one expression each; in subscripts `%i` stands for operand i.
    std::vector<IndexExpr> values;
    while (in_.at(Tok::String)) {
      const Token string = in_.token();
      IndexExpr value;
      const auto parse = [&] {
        return kind == "mlgc.subscripts" ? exprs_.parse_of_operands(value) : exprs_.parse_expr(value);
      };
      if (!in_.parse_inside(string, parse)) return false;
      values.push_back(value);
      in_.advance();
      if (!in_.take(Tok::Comma)) break;
    }
    if (kind == "mlgc.int") {
      if (values.size() != 1) return in_.unexpected("one expression between quotes");
      out = pool.integer(values[0]);
    } else {
      out = kind == "mlgc.subscripts" ? pool.subscripts(values) : pool.int_list(std::span<const IndexExpr>(values));
    }
  } else if (kind == "mlgc.splat") {
    const Token string = in_.token();
    if (!in_.at(Tok::String)) return in_.unexpected("a constant between quotes");
    if (!in_.parse_inside(string, [&] { return dense_.parse_dense(out); })) return false;
    in_.advance();
  } else if (kind == "mlgc.mlir") {
    std::string spelling;
    if (!in_.parse_string(spelling)) return false;
    const SourceFile& piece = context_.locations().add_source(in_.file().name() + "#mlgc.mlir", spelling);
    const ParseOptions options;
    Cursor::Nesting nesting(in_);
    if (!nesting.ok()) return false;
    DataParser inner(context_, piece, in_.diagnostics(), options);
    inner.cursor().start_at_depth(in_.depth());
    if (!inner.mlir().parse_mlir_attribute(out) || !inner.cursor().expect_end()) return false;
  } else {
    return in_.error<kUnknownAttributeKind>(word, kind);
  }
  return in_.expect_greater("after an attribute");
}

// `true`, `inf`, `dense<…>`, types and element types. `known` is false when the name is none of them.
bool AttributeParser::parse_keyword_attribute(AttributeKind wanted, Attribute& out, bool& known) {
  AttributePool& pool = context_.attributes();
  const std::string_view word = in_.text();
  known = true;
  if (word == "true" || word == "false") {
    out = pool.boolean(word == "true");
    in_.advance();
    return true;
  }
  if (is_special_number(word)) return parse_special_attribute(wanted, out);
  if (word == "dense") return dense_.parse_dense(out);
  if (word == "dense_resource") return dense_.parse_dense_resource(out);
  if (word == "array") return parse_typed_array(out);
  const bool element = word == "complex" || mlgc::parse_dtype(word).has_value();
  if (element && wanted != AttributeKind::Type) {
    Dtype dtype{};
    if (!types_.parse_dtype(dtype)) return false;
    out = pool.dtype(dtype);
    return true;
  }
  if (element || word == "tensor" || word == "vector" || word == "buffer" || word == "memref" || word == "index" ||
      word == "none") {
    Type type;
    if (!types_.parse_type(type)) return false;
    out = pool.type(type);
    return true;
  }
  known = false;
  return true;
}

// A value inside of brackets.
bool AttributeParser::parse_item(AttributeKind wanted, Attribute& out) {
  if (generic_ && wanted == AttributeKind::None) return mlir_.parse_mlir_attribute(out);
  if (in_.at(Tok::Integer) || in_.at(Tok::Float) || in_.at(Tok::Minus)) return parse_number(wanted, true, out);
  if (in_.at(Tok::Name)) {
    bool known = false;
    if (!parse_keyword_attribute(wanted, out, known)) return false;
    if (known) return true;
    IndexExpr value;
    if (!exprs_.parse_expr(value)) return false;
    out = context_.attributes().integer(value);
    return true;
  }
  if (in_.at(Tok::LParen) && wanted != AttributeKind::Type) {
    // `(H - 1) floordiv 2`, or a function type: the arrow tells, so look for it.
    const Cursor::Place resume = in_.place();
    std::size_t open = 0;
    do {
      if (in_.at(Tok::LParen)) ++open;
      if (in_.at(Tok::RParen)) --open;
      in_.advance();
    } while (open > 0 && !in_.at(Tok::End) && !in_.at(Tok::LBrace) && !in_.at(Tok::RBrace));
    const bool is_type = in_.at(Tok::Arrow);
    in_.go_to(resume);
    if (!is_type) {
      IndexExpr value;
      if (!exprs_.parse_expr(value)) return false;
      out = context_.attributes().integer(value);
      return true;
    }
  }
  return parse_attribute(wanted, out);
}

bool make_attribute_list(Context& context, AttributeKind wanted, const std::vector<Attribute>& items, Attribute& out) {
  AttributePool& pool = context.attributes();
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
    for (const Attribute item : items) values.push_back(context.strings().intern(*pool.as_string(item)));
    out = pool.string_list(values);
  } else {
    out = pool.array(items);
  }
  return true;
}

bool AttributeParser::parse_list(AttributeKind wanted, Attribute& out) {
  if (!in_.expect(Tok::LBracket, "before a list")) return false;
  using enum AttributeKind;
  const AttributeKind item = wanted == FloatList ? Float : wanted == StringList ? String : None;
  std::vector<Attribute> items;
  // A list whose items a row knows is ours in both forms.
  const bool mlir = generic_;
  generic_ = mlir && (wanted == Array || wanted == None);
  bool ok = true;
  if (!in_.at(Tok::RBracket)) {
    do {
      items.emplace_back();
      ok = parse_item(item, items.back());
    } while (ok && in_.take(Tok::Comma));
  }
  generic_ = mlir;
  return ok && in_.expect(Tok::RBracket, "after a list") && make_attribute_list(context_, wanted, items, out);
}

bool AttributeParser::parse_attribute(AttributeKind wanted, Attribute& out) {
  if (generic_ && wanted == AttributeKind::None) return mlir_.parse_mlir_attribute(out);
  Cursor::Nesting nesting(in_);
  if (!nesting.ok()) return false;
  AttributePool& pool = context_.attributes();
  switch (in_.token().kind) {
    case Tok::Integer:
    case Tok::Float:
    case Tok::Minus: return parse_number(wanted, false, out);
    case Tok::LBracket: return parse_list(wanted, out);
    case Tok::Hash: return parse_escape(out);
    case Tok::String: {
      if (!in_.parse_string(scratch_)) return false;
      out = pool.string(scratch_);
      return true;
    }
    case Tok::Symbol: {
      if (!in_.parse_symbol(scratch_)) return false;
      out = pool.symbol(scratch_);
      return true;
    }
    case Tok::LParen:
    case Tok::Bang: {
      Type type;
      if (!types_.parse_type(type)) return false;
      out = pool.type(type);
      return true;
    }
    case Tok::Name: {
      bool known = false;
      if (!parse_keyword_attribute(wanted, out, known)) return false;
      if (known) return true;
      return in_.error<kSymbolicWithoutBrackets>(in_.token(), in_.text());
    }
    default: return in_.unexpected("the value of an attribute");
  }
}

bool AttributeParser::check_key(const OpDef* def, const Token& token, std::string_view key) {
  const StringId id = context_.strings().intern(key);
  for (const NamedAttribute& entry : entries_)
    if (entry.name == id) return in_.error<kDuplicateAttribute>(token, key);
  if (def == nullptr || key.find('.') != std::string_view::npos || key == "sym_name") return true;
  for (const AttrDef& attr : def->attrs)
    if (attr.name == key) return true;
  std::vector<std::string_view> names;
  for (const AttrDef& attr : def->attrs) names.push_back(attr.name);
  Diagnostic d = diagnose<kUnknownAttribute>(in_.location(token), def->name, key).with_width(token.end - token.begin);
  if (const auto near = closest_name(key, names)) {
    d.add_note<kDidYouMean>({}, *near);
  } else if (!names.empty()) {
    d.add_note<kKnownNames>({}, std::vector<std::string>(names.begin(), names.end()));
  }
  in_.report(std::move(d));
  return false;
}

bool AttributeParser::parse_dict(const OpDef* def, bool generic) {
  if (!in_.expect(Tok::LBrace, "before attributes")) return false;
  generic_ = generic;
  const bool ok = parse_entries(def, generic);
  generic_ = false;
  return ok;
}

// What stands between the braces, and the closing one.
bool AttributeParser::parse_entries(const OpDef* def, bool generic) {
  AttributePool& pool = context_.attributes();
  bool ok = true;
  while (!in_.at(Tok::RBrace)) {
    const Token token = in_.token();
    std::string key;
    if (in_.at(Tok::Name)) {
      key = in_.text();
      in_.advance();
    } else if (in_.at(Tok::String)) {
      if (!in_.parse_string(key)) return false;
    } else {
      return in_.unexpected("the name of an attribute or `}`");
    }
    const bool is_free = key.find('.') != std::string::npos && !key.starts_with("mlgc.");
    if (!in_.at(Tok::Equal)) {
      if (!generic || !is_free) return in_.error<kAttributeWithoutValue>(token, key);
      if (check_key(nullptr, token, key))
        entries_.push_back({context_.strings().intern(key), make_mlir_attribute(pool, "unit")});
      else
        ok = false;
      if (!in_.take(Tok::Comma)) break;
      if (in_.at(Tok::RBrace)) return in_.unexpected("the name of an attribute");
      continue;
    }
    in_.advance();
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
      entries_.push_back({context_.strings().intern(key), value});
    } else {
      ok = false;
    }
    if (!in_.take(Tok::Comma)) break;
    if (in_.at(Tok::RBrace)) return in_.unexpected("the name of an attribute");
  }
  return in_.expect(Tok::RBrace, "after attributes") && ok;
}

}  // namespace mlgc::text
