// See mlir_attribute_parser.h.
#include "text/mlir_attribute_parser.h"

#include <algorithm>
#include <vector>

#include "text/attribute_parser.h"
#include "text/data_parser.h"
#include "text/mlir_attribute.h"
#include "text/print_data.h"
#include "text/printer.h"

namespace mlgc::text {

bool MlirAttributeParser::mlir_key(std::string& key) {
  if (in_.at(Tok::String)) return in_.parse_string(key);
  if (!in_.at(Tok::Name)) return in_.unexpected("the name of an attribute");
  key = in_.text();
  in_.advance();
  return true;
}

// { key = value, unit, … }
bool MlirAttributeParser::mlir_dict(std::string& out) {
  const DataPrinter printer(context_, TextForm::Generic);
  in_.advance();
  out += '{';
  std::vector<std::string> keys;
  while (!in_.at(Tok::RBrace)) {
    std::string key;
    if (!mlir_key(key)) return false;
    if (!keys.empty()) out += ", ";
    printer.key(out, key);
    keys.push_back(key);
    if (in_.take(Tok::Equal)) {
      out += " = ";
      if (!mlir_text(out)) return false;
    }
    if (!in_.at(Tok::Comma)) break;
    in_.advance();
    if (in_.at(Tok::RBrace)) return in_.unexpected("the name of an attribute");
  }
  out += '}';
  if (!in_.expect(Tok::RBrace, "after attributes")) return false;
  std::sort(keys.begin(), keys.end());
  const auto twice = std::adjacent_find(keys.begin(), keys.end());
  return twice == keys.end() || in_.error<kDuplicateAttribute>(in_.token(), *twice);
}

// strided<[1, ?], offset: 3>
bool MlirAttributeParser::mlir_strided(std::string& out) {
  const auto number = [&](bool stride) {
    if (in_.take(Tok::Question)) {
      out += '?';
      return true;
    }
    const bool negative = in_.take(Tok::Minus);
    if (!in_.at(Tok::Integer)) return in_.unexpected("a number or `?`");
    std::int64_t value = 0;
    if (!in_.parse_int64(in_.token(), negative, value)) return false;
    if (stride && value == 0) return in_.unexpected("a stride other than 0");
    out += std::to_string(value);
    in_.advance();
    return true;
  };
  out += "strided<[";
  if (!in_.expect(Tok::Less, "after `strided`") || !in_.expect(Tok::LBracket, "before the strides")) return false;
  for (bool first = true; !in_.at(Tok::RBracket); first = false) {
    if (!first) out += ", ";
    if (!number(true)) return false;
    if (!in_.take(Tok::Comma)) break;
  }
  out += ']';
  if (!in_.expect(Tok::RBracket, "after the strides")) return false;
  if (in_.take(Tok::Comma)) {
    if (!in_.take_word("offset")) return in_.unexpected("`offset`");
    out += ", offset: ";
    if (!in_.expect(Tok::Colon, "after `offset`") || !number(false)) return false;
  }
  out += '>';
  return in_.expect_greater("after strides");
}

// The inside of a location, as text.
bool MlirAttributeParser::mlir_location(std::string& out) {
  Cursor::Nesting nesting(in_);
  if (!nesting.ok()) return false;
  if (in_.at(Tok::Hash)) {
    const Alias* alias = aliases_.use_location();
    if (alias == nullptr) return false;
    out += std::string_view(alias->text).substr(4, alias->text.size() - 5);  // without `loc(` and `)`
    return true;
  }
  if (in_.at(Tok::String)) {
    std::string name;
    if (!in_.parse_string(name)) return false;
    append_quoted(out, name);
    if (in_.take(Tok::Colon)) {
      for (int i = 0; i < 2; ++i) {
        if (i == 1 && !in_.expect(Tok::Colon, "between line and column")) return false;
        std::uint64_t number = 0;
        if (!in_.at(Tok::Integer)) return in_.unexpected(i == 0 ? "a line" : "a column");
        if (!in_.parse_magnitude(in_.token(), number)) return false;
        if (number > 0xFFFFFFFF) return in_.error<kNumberTooLarge>(in_.token(), in_.text(), "a line or column");
        out += ':' + std::to_string(number);
        in_.advance();
      }
    } else if (in_.take(Tok::LParen)) {
      out += '(';
      if (!mlir_location(out) || !in_.expect(Tok::RParen, "after a location")) return false;
      out += ')';
    }
    return true;
  }
  if (in_.take_word("unknown")) {
    out += "unknown";
    return true;
  }
  if (in_.take_word("callsite")) {
    out += "callsite(";
    if (!in_.expect(Tok::LParen, "after `callsite`") || !mlir_location(out)) return false;
    if (!in_.take_word("at")) return in_.unexpected("`at`");
    out += " at ";
    if (!mlir_location(out) || !in_.expect(Tok::RParen, "after the caller")) return false;
    out += ')';
    return true;
  }
  if (!in_.take_word("fused")) return in_.unexpected("a location");
  out += "fused";
  if (in_.take(Tok::Less)) {
    out += '<';
    if (!mlir_text(out) || !in_.expect_greater("before a fused list")) return false;
    out += '>';
  }
  out += '[';
  if (!in_.expect(Tok::LBracket, "before a fused list")) return false;
  for (bool first = true; !in_.at(Tok::RBracket); first = false) {
    if (!first) out += ", ";
    if (!mlir_location(out)) return false;
    if (!in_.take(Tok::Comma)) break;
  }
  out += ']';
  return in_.expect(Tok::RBracket, "after a fused list");
}

// What starts with a name.
bool MlirAttributeParser::mlir_keyword(std::string& out) {
  const std::string_view word = in_.text();
  if (word == "true" || word == "false" || word == "unit") {
    out += word;
    in_.advance();
    return true;
  }
  const auto with = [&](auto& parser, auto parse) {
    in_.advance();
    return (parser.*parse)(out);
  };
  if (word == "array") return with(elements_, &MlirElementsParser::mlir_array);
  if (word == "dense") return with(elements_, &MlirElementsParser::mlir_dense);
  if (word == "dense_resource") return with(elements_, &MlirElementsParser::mlir_dense_resource);
  if (word == "sparse") return with(elements_, &MlirElementsParser::mlir_sparse);
  if (word == "strided") return with(*this, &MlirAttributeParser::mlir_strided);
  if (word == "affine_map") return with(affine_, &AffineParser::mlir_affine_map);
  if (word == "affine_set") return with(affine_, &AffineParser::mlir_affine_set);
  if (word == "loc") {
    in_.advance();
    out += "loc(";
    if (!in_.expect(Tok::LParen, "after `loc`") || !mlir_location(out)) return false;
    out += ')';
    return in_.expect(Tok::RParen, "after a location");
  }
  if (word == "distinct") {
    in_.advance();
    if (!in_.expect(Tok::LBracket, "after `distinct`")) return false;
    std::uint64_t number = 0;
    if (!in_.at(Tok::Integer)) return in_.unexpected("a number");
    if (!in_.parse_magnitude(in_.token(), number)) return false;
    in_.advance();
    out += "distinct[" + std::to_string(number) + "]<";
    if (!in_.expect(Tok::RBracket, "after a number") || !in_.expect(Tok::Less, "after `distinct[…]`")) return false;
    if (!in_.at(Tok::Greater) && !mlir_text(out)) return false;
    out += '>';
    return in_.expect_greater("after an attribute");
  }
  MlirType type;
  return mlir_types_.mlir_type(out, type);
}

// `#alias`, or another dialect's.
bool MlirAttributeParser::mlir_hash(std::string& out) {
  Token word;
  if (!in_.parse_marked_name(word, "the name of an attribute")) return false;
  if (in_.text(word).find('.') == std::string_view::npos && !in_.at(Tok::Less)) {
    Alias* alias = aliases_.use(word);
    if (alias == nullptr) return false;
    out += alias->text;
    return true;
  }
  out += in_.text(word);
  if (in_.at(Tok::Less) && !in_.take_balanced(out)) return false;
  if (!in_.take(Tok::Colon)) return true;
  out += " : ";
  MlirType type;
  return mlir_types_.mlir_type(out, type);
}

bool MlirAttributeParser::mlir_text(std::string& out) {
  Cursor::Nesting nesting(in_);
  if (!nesting.ok()) return false;
  switch (in_.token().kind) {
    case Tok::Integer:
    case Tok::Float:
    case Tok::Minus: return elements_.mlir_number(out, nullptr);
    case Tok::LBrace: return mlir_dict(out);
    case Tok::Hash: return mlir_hash(out);
    case Tok::Name: return mlir_keyword(out);
    case Tok::LParen:
    case Tok::Bang: {
      MlirType type;
      return mlir_types_.mlir_type(out, type);
    }
    case Tok::LBracket: {
      in_.advance();
      out += '[';
      if (!in_.at(Tok::RBracket)) {
        bool first = true;
        do {
          if (!first) out += ", ";
          first = false;
          if (!mlir_text(out)) return false;
        } while (in_.take(Tok::Comma));
      }
      out += ']';
      return in_.expect(Tok::RBracket, "after a list");
    }
    case Tok::String: {
      std::string value;
      if (!in_.parse_string(value)) return false;
      append_quoted(out, value);
      if (!in_.take(Tok::Colon)) return true;
      out += " : ";
      MlirType type;
      return mlir_types_.mlir_type(out, type);
    }
    case Tok::Symbol: {
      const DataPrinter printer(context_, TextForm::Generic);
      std::string name;
      if (!in_.parse_symbol(name)) return false;
      printer.symbol(out, name);
      while (in_.at(Tok::Colon) && in_.characters().peek() == ':') {
        in_.advance();
        in_.advance();
        if (!in_.parse_symbol(name)) return false;
        out += "::";
        printer.symbol(out, name);
      }
      return true;
    }
    default: return in_.unexpected("the value of an attribute");
  }
}

// The attribute of one of our kinds that says what `text` does, if there is one.
Attribute MlirAttributeParser::own_attribute(const SourceFile& file, std::size_t begin, std::size_t end,
                                             std::string_view text) {
  DiagnosticEngine unread(context_.locations(), 1);
  ParseOptions options;
  options.begin = begin;
  options.end = end;
  DataParser inner(context_, file, unread, options);
  Attribute own;
  if (unread.has_errors() || !inner.attributes().parse_attribute(AttributeKind::None, own) ||
      !inner.cursor().at(Tok::End))
    return {};
  const AttributePool& pool = context_.attributes();
  if (as_mlir_attribute(pool, own)) return {};
  // Elements may be written in many ways; what they are is settled by the type.
  if (pool.kind(own) == AttributeKind::Tensor)
    return text.ends_with("> : " + print_type(pool.as_tensor(own).type, context_, TextForm::Generic)) ? own
                                                                                                      : Attribute();
  return print_attribute(own, context_, AttributeKind::None, TextForm::Generic) == text ? own : Attribute();
}

bool MlirAttributeParser::parse_mlir_attribute(Attribute& out) {
  Cursor::Nesting nesting(in_);
  if (!nesting.ok()) return false;
  AttributePool& pool = context_.attributes();
  std::string spelling;
  if (in_.at(Tok::Integer) || in_.at(Tok::Float) || in_.at(Tok::Minus)) {
    if (!elements_.mlir_number(spelling, &out)) return false;
    if (!out.valid()) out = make_mlir_attribute(pool, spelling);
    return true;
  }
  if (in_.take(Tok::LBracket)) {
    std::vector<Attribute> items;
    if (!in_.at(Tok::RBracket)) {
      do {
        items.emplace_back();
        if (!parse_mlir_attribute(items.back())) return false;
      } while (in_.take(Tok::Comma));
    }
    const bool strings = !items.empty() && std::all_of(items.begin(), items.end(), [&](Attribute item) {
      return pool.kind(item) == AttributeKind::String;
    });
    return in_.expect(Tok::RBracket, "after a list") &&
           make_attribute_list(context_, strings ? AttributeKind::StringList : AttributeKind::Array, items, out);
  }
  if (in_.at(Tok::Hash) && in_.all().substr(in_.token().end, 5) == "mlgc.") return attributes_.parse_escape(out);
  const std::size_t begin = in_.token().begin, aliases = aliases_.uses();
  if (in_.at(Tok::Hash)) {
    Lexer ahead = in_.ahead();
    const Token name = ahead.next();
    if (name.kind == Tok::Name && in_.text(name).find('.') == std::string_view::npos &&
        ahead.next().kind != Tok::Less) {
      const Token word{Tok::Name, in_.token().begin, name.end};
      in_.advance();
      in_.advance();
      Alias* alias = aliases_.use(word);
      if (alias == nullptr) return false;
      if (!alias->attribute.valid() &&
          !in_.parse_at(alias->body, [&] { return parse_mlir_attribute(alias->attribute); }))
        return false;
      out = alias->attribute;
      return true;
    }
  }
  if (!mlir_text(spelling)) return false;
  if (aliases_.uses() == aliases) {
    out = own_attribute(in_.file(), begin, in_.token().begin, spelling);
  } else {  // with what aliases and resources stand for
    const SourceFile& piece = context_.locations().add_source(in_.file().name() + "#alias", spelling);
    out = own_attribute(piece, 0, spelling.size(), spelling);
  }
  if (!out.valid()) out = make_mlir_attribute(pool, spelling);
  return true;
}

}  // namespace mlgc::text
