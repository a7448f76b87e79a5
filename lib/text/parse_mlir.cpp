// MLIR's attributes where no row says what an attribute is: in the generic form, and in `#mlgc.mlir<"…">` of the pretty
// one. Each is checked and appended in one spelling; what is one of our kinds becomes that, everything else stays text.
#include <algorithm>

#include "text/mlir_attribute.h"
#include "text/parser_impl.h"
#include "text/print_data.h"
#include "text/printer.h"

namespace mlgc::text {

using Kind = MlirType::Kind;

// The text between `<` and its partner, of another dialect: brackets balance, strings and arrows are skipped.
bool Parser::mlir_balanced(std::string& out) {
  const std::string_view all = file_.text();
  std::string open;
  std::size_t i = tok_.begin;
  while (i < lexer_.end()) {
    const char c = all[i];
    if (c == '"') {
      for (++i; i < lexer_.end() && all[i] != '"' && all[i] != '\n'; ++i)
        if (all[i] == '\\') ++i;
      if (i >= lexer_.end() || all[i] != '"') break;
    } else if (c == '-' && i + 1 < lexer_.end() && all[i + 1] == '>') {
      ++i;
    } else if (c == '<' || c == '(' || c == '[' || c == '{') {
      open += c;
    } else if (c == '>' || c == ')' || c == ']' || c == '}') {
      const char partner = c == '>' ? '<' : c == ')' ? '(' : c == ']' ? '[' : '{';
      if (open.back() != partner) break;
      open.pop_back();
      if (open.empty()) {
        out += all.substr(tok_.begin, i + 1 - tok_.begin);
        lexer_.seek(i + 1);
        advance();
        return true;
      }
    }
    ++i;
  }
  return error<kUnbalancedAttribute>(tok_);
}

bool Parser::mlir_key(std::string& key) {
  if (at(Tok::String)) return parse_string(key);
  if (!at(Tok::Name)) return unexpected("the name of an attribute");
  key = text();
  advance();
  return true;
}

// { key = value, unit, … }
bool Parser::mlir_dict(std::string& out) {
  const DataPrinter printer(context_, TextForm::Generic);
  advance();
  out += '{';
  std::vector<std::string> keys;
  while (!at(Tok::RBrace)) {
    std::string key;
    if (!mlir_key(key)) return false;
    if (!keys.empty()) out += ", ";
    printer.key(out, key);
    keys.push_back(key);
    if (take(Tok::Equal)) {
      out += " = ";
      if (!mlir_text(out)) return false;
    }
    if (!at(Tok::Comma)) break;
    advance();
    if (at(Tok::RBrace)) return unexpected("the name of an attribute");
  }
  out += '}';
  if (!expect(Tok::RBrace, "after attributes")) return false;
  std::sort(keys.begin(), keys.end());
  const auto twice = std::adjacent_find(keys.begin(), keys.end());
  return twice == keys.end() || error<kDuplicateAttribute>(tok_, *twice);
}

// array<i64: 1, 2>
bool Parser::mlir_array(std::string& out) {
  if (!expect(Tok::Less, "after `array`")) return false;
  out += "array<";
  const Token word = tok_;
  MlirType element;
  if (!mlir_type(out, element)) return false;
  const bool whole_bytes = element.bits == 1 || element.bits % 8 == 0;
  if ((element.kind != Kind::Integer && element.kind != Kind::Float) || element.bits == 0 || !whole_bytes)
    return error<kUnknownElementType>(word, lexer_.text(word));
  if (take(Tok::Colon)) {
    out += ": ";
    bool first = true;
    do {
      if (!first) out += ", ";
      first = false;
      if (element.bits == 1 && !at_word("true") && !at_word("false"))
        return error<kLiteralType>(tok_, "i1", "a number");
      if (!mlir_element(out, element)) return false;
    } while (take(Tok::Comma));
  }
  out += '>';
  return expect_greater("after an array");
}

// An element of a constant.
bool Parser::mlir_element(std::string& out, const MlirType& type) {
  if (type.kind == Kind::Complex) {
    out += '(';
    if (!expect(Tok::LParen, "before the parts of a complex number") || !mlir_element(out, *type.element)) return false;
    out += ", ";
    if (!expect(Tok::Comma, "between the parts of a complex number") || !mlir_element(out, *type.element)) return false;
    out += ')';
    return expect(Tok::RParen, "after the parts of a complex number");
  }
  if (type.kind == Kind::Other) {
    std::string value;
    if (!parse_string(value)) return false;
    append_quoted(out, value);
    return true;
  }
  if (at_word("true") || at_word("false")) {
    if (type.kind != Kind::Integer || type.bits != 1) return error<kLiteralType>(tok_, "the element type", "a boolean");
    out += text();
    advance();
    return true;
  }
  const Token first = tok_;
  const bool negative = take(Tok::Minus);
  if (!at(Tok::Integer) && !at(Tok::Float)) return unexpected("an element");
  const Token digits = tok_;
  advance();
  return mlir_literal(first, digits, negative, type, out, nullptr);
}

bool Parser::mlir_elements(std::string& out, std::span<const std::int64_t> dims, const MlirType& element, bool top) {
  if (!at(Tok::LBracket)) {
    if (!top && !dims.empty()) return error<kElementsTooShallow>(tok_);
    return mlir_element(out, element);
  }
  Nesting nesting(*this);
  if (!nesting.ok()) return false;
  const Token open = tok_;
  if (dims.empty()) return error<kElementsTooDeep>(tok_);
  advance();
  out += '[';
  std::int64_t count = 0;
  if (!at(Tok::RBracket)) {
    do {
      if (count++ > 0) out += ", ";
      if (!mlir_elements(out, dims.subspan(1), element, false)) return false;
    } while (take(Tok::Comma));
  }
  out += ']';
  if (!expect(Tok::RBracket, "after elements")) return false;
  return count == dims[0] || error<kElementCount>(open, count, dims[0]);
}

std::uint64_t Parser::element_count(const MlirType& type) {
  std::uint64_t count = 1;
  for (const std::int64_t dim : type.dims)
    count = dim == 0                                                  ? 0
            : count > kMaxTextBytes / static_cast<std::uint64_t>(dim) ? std::uint64_t{kMaxTextBytes} + 1
                                                                      : count * static_cast<std::uint64_t>(dim);
  return count;
}

// `"0x…"`: the bytes of all elements, or of one for all.
bool Parser::mlir_hex_elements(std::string& out, const MlirType& type) {
  const std::string_view spelling = text();
  const std::string_view digits = spelling.substr(1, spelling.size() - 2);
  const bool hex = digits.starts_with("0x") && digits.size() % 2 == 0 &&
                   digits.find_first_not_of("0123456789abcdefABCDEF", 2) == std::string_view::npos;
  if (!hex) return error<kBadHexBytes>(tok_);
  const MlirType& element = *type.element;
  const MlirType& part = element.kind == Kind::Complex ? *element.element : element;
  const std::uint64_t bits = part.kind == Kind::Index ? 64 : part.bits;
  const std::uint64_t width = (bits + 7) / 8 * (element.kind == Kind::Complex ? 2 : 1);
  const std::uint64_t bytes = digits.size() / 2 - 1;
  const std::uint64_t count = element_count(type);
  const bool packed = bits == 1 && element.kind != Kind::Complex;
  const bool fits = packed ? bytes == (count + 7) / 8 || bytes == 1 : bytes == width * count || bytes == width;
  if (!fits) return error<kElementCount>(tok_, width == 0 ? 0 : bytes / width, count);
  out += spelling;
  advance();
  return true;
}

// The type of a constant stands after its elements: goes there, and comes back.
bool Parser::mlir_constant_type(std::string& out, MlirType& type, AfterElements& after) {
  const Lexer elements = lexer_;
  const Token first = tok_;
  std::size_t open = 0;
  while (!at(Tok::End) && !(at(Tok::Greater) && open == 0)) {
    if (at(Tok::LBracket)) ++open;
    if (at(Tok::RBracket) && open > 0) --open;
    if (at(Tok::LBrace) || at(Tok::RBrace) || at(Tok::Error)) return unexpected("`>` after the elements");
    advance();
  }
  if (!expect(Tok::Greater, "after the elements") || !expect(Tok::Colon, "before the type of a constant")) return false;
  const Token word = tok_;
  if (!mlir_type(out, type)) return false;
  const bool shaped = type.kind == Kind::Tensor || type.kind == Kind::Vector || type.kind == Kind::Memref;
  if (!shaped || !type.is_static) return error<kConstantType>(word);
  after = {lexer_, tok_};
  lexer_ = elements;
  tok_ = first;
  return true;
}

bool Parser::mlir_dense(std::string& out) {
  if (!expect(Tok::Less, "after `dense`")) return false;
  MlirType type;
  AfterElements after{lexer_, tok_};
  std::string type_text;
  if (!mlir_constant_type(type_text, type, after)) return false;
  const Kind element = type.element->kind;
  if (element == Kind::Vector || element == Kind::Memref) return error<kConstantType>(after.next);
  out += "dense<";
  if (at(Tok::Greater)) {
    if (std::find(type.dims.begin(), type.dims.end(), 0) == type.dims.end()) return error<kElementCount>(tok_, 0, 1);
  } else if (at(Tok::String) && element != Kind::Other) {
    if (!mlir_hex_elements(out, type)) return false;
  } else if (!mlir_elements(out, type.dims, *type.element, true)) {
    return false;
  }
  if (!at(Tok::Greater)) return unexpected("`>` after the elements");
  lexer_ = after.lexer;
  tok_ = after.next;
  out += "> : " + type_text;
  return true;
}

// sparse<[[0, 0], [1, 2]], [1, 5]> : tensor<3x4xi32>
bool Parser::mlir_sparse(std::string& out) {
  if (!expect(Tok::Less, "after `sparse`")) return false;
  MlirType type;
  AfterElements after{lexer_, tok_};
  std::string type_text;
  if (!mlir_constant_type(type_text, type, after)) return false;
  out += "sparse<";
  if (!at(Tok::Greater)) {
    const MlirType index{.kind = Kind::Index, .bits = 64, .dims = {}, .element = nullptr};
    const auto subscript = [&](std::size_t axis) {
      const Token token = tok_;
      std::int64_t value = 0;
      if (!at(Tok::Integer)) return unexpected("a subscript");
      if (!parse_int64(tok_, false, value)) return false;
      if (axis >= type.dims.size() || value >= type.dims[axis])
        return error<kNumberTooLarge>(token, lexer_.text(token), "the shape of the constant");
      return mlir_element(out, index);
    };
    std::int64_t rows = 1;
    if (take(Tok::LBracket)) {
      out += '[';
      rows = 0;
      while (!at(Tok::RBracket)) {
        if (rows++ > 0) out += ", ";
        const Token row = tok_;
        if (take(Tok::LBracket)) {
          out += '[';
          std::size_t axis = 0;
          while (!at(Tok::RBracket)) {
            if (axis > 0) out += ", ";
            if (!subscript(axis++)) return false;
            if (!take(Tok::Comma)) break;
          }
          out += ']';
          if (!expect(Tok::RBracket, "after subscripts")) return false;
          if (axis != type.dims.size()) return error<kElementCount>(row, axis, type.dims.size());
        } else if (type.dims.size() != 1) {
          return error<kElementsTooShallow>(row);
        } else if (!subscript(0)) {
          return false;
        }
        if (!take(Tok::Comma)) break;
      }
      out += ']';
      if (!expect(Tok::RBracket, "after the subscripts")) return false;
    } else {
      for (const std::int64_t dim : type.dims)
        if (dim == 0) return error<kElementCount>(tok_, 1, 0);
      if (!subscript(0)) return false;
    }
    out += ", ";
    if (!expect(Tok::Comma, "after the subscripts")) return false;
    if (!mlir_elements(out, {&rows, 1}, *type.element, true)) return false;
  }
  if (!at(Tok::Greater)) return unexpected("`>` after the elements");
  lexer_ = after.lexer;
  tok_ = after.next;
  out += "> : " + type_text;
  return true;
}

// strided<[1, ?], offset: 3>
bool Parser::mlir_strided(std::string& out) {
  const auto number = [&](bool stride) {
    if (take(Tok::Question)) {
      out += '?';
      return true;
    }
    const bool negative = take(Tok::Minus);
    if (!at(Tok::Integer)) return unexpected("a number or `?`");
    std::int64_t value = 0;
    if (!parse_int64(tok_, negative, value)) return false;
    if (stride && value == 0) return unexpected("a stride other than 0");
    out += std::to_string(value);
    advance();
    return true;
  };
  out += "strided<[";
  if (!expect(Tok::Less, "after `strided`") || !expect(Tok::LBracket, "before the strides")) return false;
  for (bool first = true; !at(Tok::RBracket); first = false) {
    if (!first) out += ", ";
    if (!number(true)) return false;
    if (!take(Tok::Comma)) break;
  }
  out += ']';
  if (!expect(Tok::RBracket, "after the strides")) return false;
  if (take(Tok::Comma)) {
    if (!take_word("offset")) return unexpected("`offset`");
    out += ", offset: ";
    if (!expect(Tok::Colon, "after `offset`") || !number(false)) return false;
  }
  out += '>';
  return expect_greater("after strides");
}

// The inside of a location, as text.
bool Parser::mlir_location(std::string& out) {
  Nesting nesting(*this);
  if (!nesting.ok()) return false;
  if (at(Tok::Hash)) {
    const Token mark = tok_;
    advance();
    if (!at(Tok::Name)) return unexpected("the name of an alias");
    const Token word{Tok::Name, mark.begin, tok_.end};
    advance();
    Alias* alias = find_alias(word);
    if (alias == nullptr || !use_alias(word, *alias)) return false;
    if (!alias->is_location) return error<kUnexpectedToken>(word, "a location", "another attribute");
    out += std::string_view(alias->text).substr(4, alias->text.size() - 5);  // without `loc(` and `)`
    return true;
  }
  if (at(Tok::String)) {
    std::string name;
    if (!parse_string(name)) return false;
    append_quoted(out, name);
    if (take(Tok::Colon)) {
      for (int i = 0; i < 2; ++i) {
        if (i == 1 && !expect(Tok::Colon, "between line and column")) return false;
        std::uint64_t number = 0;
        if (!at(Tok::Integer)) return unexpected(i == 0 ? "a line" : "a column");
        if (!parse_magnitude(tok_, number)) return false;
        if (number > 0xFFFFFFFF) return error<kNumberTooLarge>(tok_, text(), "a line or column");
        out += ':' + std::to_string(number);
        advance();
      }
    } else if (take(Tok::LParen)) {
      out += '(';
      if (!mlir_location(out) || !expect(Tok::RParen, "after a location")) return false;
      out += ')';
    }
    return true;
  }
  if (take_word("unknown")) {
    out += "unknown";
    return true;
  }
  if (take_word("callsite")) {
    out += "callsite(";
    if (!expect(Tok::LParen, "after `callsite`") || !mlir_location(out)) return false;
    if (!take_word("at")) return unexpected("`at`");
    out += " at ";
    if (!mlir_location(out) || !expect(Tok::RParen, "after the caller")) return false;
    out += ')';
    return true;
  }
  if (!take_word("fused")) return unexpected("a location");
  out += "fused";
  if (take(Tok::Less)) {
    out += '<';
    if (!mlir_text(out) || !expect_greater("before a fused list")) return false;
    out += '>';
  }
  out += '[';
  if (!expect(Tok::LBracket, "before a fused list")) return false;
  for (bool first = true; !at(Tok::RBracket); first = false) {
    if (!first) out += ", ";
    if (!mlir_location(out)) return false;
    if (!take(Tok::Comma)) break;
  }
  out += ']';
  return expect(Tok::RBracket, "after a fused list");
}

// What starts with a name.
bool Parser::mlir_keyword(std::string& out) {
  const std::string_view word = text();
  if (word == "true" || word == "false" || word == "unit") {
    out += word;
    advance();
    return true;
  }
  const auto with = [&](bool (Parser::*parse)(std::string&)) {
    advance();
    return (this->*parse)(out);
  };
  if (word == "array") return with(&Parser::mlir_array);
  if (word == "dense") return with(&Parser::mlir_dense);
  if (word == "dense_resource") return with(&Parser::mlir_dense_resource);
  if (word == "sparse") return with(&Parser::mlir_sparse);
  if (word == "strided") return with(&Parser::mlir_strided);
  if (word == "affine_map") return with(&Parser::mlir_affine_map);
  if (word == "affine_set") return with(&Parser::mlir_affine_set);
  if (word == "loc") {
    advance();
    out += "loc(";
    if (!expect(Tok::LParen, "after `loc`") || !mlir_location(out)) return false;
    out += ')';
    return expect(Tok::RParen, "after a location");
  }
  if (word == "distinct") {
    advance();
    if (!expect(Tok::LBracket, "after `distinct`")) return false;
    std::uint64_t number = 0;
    if (!at(Tok::Integer)) return unexpected("a number");
    if (!parse_magnitude(tok_, number)) return false;
    advance();
    out += "distinct[" + std::to_string(number) + "]<";
    if (!expect(Tok::RBracket, "after a number") || !expect(Tok::Less, "after `distinct[…]`")) return false;
    if (!at(Tok::Greater) && !mlir_text(out)) return false;
    out += '>';
    return expect_greater("after an attribute");
  }
  MlirType type;
  return mlir_type(out, type);
}

// `#alias`, or another dialect's.
bool Parser::mlir_hash(std::string& out) {
  const Token mark = tok_;
  advance();
  if (!at(Tok::Name)) return unexpected("the name of an attribute");
  const std::string_view name = text();
  const Token word{Tok::Name, mark.begin, tok_.end};
  advance();
  if (name.find('.') == std::string_view::npos && !at(Tok::Less)) {
    Alias* alias = find_alias(word);
    if (alias == nullptr || !use_alias(word, *alias)) return false;
    out += alias->text;
    return true;
  }
  out += lexer_.text(word);
  if (at(Tok::Less) && !mlir_balanced(out)) return false;
  if (!take(Tok::Colon)) return true;
  out += " : ";
  MlirType type;
  return mlir_type(out, type);
}

// Appends the attribute at hand in MLIR's syntax.
bool Parser::mlir_text(std::string& out) {
  Nesting nesting(*this);
  if (!nesting.ok()) return false;
  switch (tok_.kind) {
    case Tok::Integer:
    case Tok::Float:
    case Tok::Minus: return mlir_number(out, nullptr);
    case Tok::LBrace: return mlir_dict(out);
    case Tok::Hash: return mlir_hash(out);
    case Tok::Name: return mlir_keyword(out);
    case Tok::LParen:
    case Tok::Bang: {
      MlirType type;
      return mlir_type(out, type);
    }
    case Tok::LBracket: {
      advance();
      out += '[';
      if (!at(Tok::RBracket)) {
        bool first = true;
        do {
          if (!first) out += ", ";
          first = false;
          if (!mlir_text(out)) return false;
        } while (take(Tok::Comma));
      }
      out += ']';
      return expect(Tok::RBracket, "after a list");
    }
    case Tok::String: {
      std::string value;
      if (!parse_string(value)) return false;
      append_quoted(out, value);
      if (!take(Tok::Colon)) return true;
      out += " : ";
      MlirType type;
      return mlir_type(out, type);
    }
    case Tok::Symbol: {
      const DataPrinter printer(context_, TextForm::Generic);
      std::string name;
      if (!parse_symbol(name)) return false;
      printer.symbol(out, name);
      while (at(Tok::Colon) && lexer_.peek() == ':') {
        advance();
        advance();
        if (!parse_symbol(name)) return false;
        out += "::";
        printer.symbol(out, name);
      }
      return true;
    }
    default: return unexpected("the value of an attribute");
  }
}

// The attribute of one of our kinds that says what `text` does, if there is one.
Attribute Parser::own_attribute(const SourceFile& file, std::size_t begin, std::size_t end, std::string_view text) {
  DiagnosticEngine unread(context_.locations(), 1);
  ParseOptions options;
  options.begin = begin;
  options.end = end;
  Parser inner(context_, file, unread, options);
  Attribute own;
  if (unread.has_errors() || !inner.parse_attribute(AttributeKind::None, own) || !inner.at(Tok::End)) return {};
  const AttributePool& pool = context_.attributes();
  if (as_mlir_attribute(pool, own)) return {};
  // Elements may be written in many ways; what they are is settled by the type.
  if (pool.kind(own) == AttributeKind::Tensor)
    return text.ends_with("> : " + print_type(pool.as_tensor(own).type, context_, TextForm::Generic)) ? own
                                                                                                      : Attribute();
  return print_attribute(own, context_, AttributeKind::None, TextForm::Generic) == text ? own : Attribute();
}

bool Parser::parse_mlir_attribute(Attribute& out) {
  Nesting nesting(*this);
  if (!nesting.ok()) return false;
  AttributePool& pool = context_.attributes();
  std::string spelling;
  if (at(Tok::Integer) || at(Tok::Float) || at(Tok::Minus)) {
    if (!mlir_number(spelling, &out)) return false;
    if (!out.valid()) out = make_mlir_attribute(pool, spelling);
    return true;
  }
  if (take(Tok::LBracket)) {
    std::vector<Attribute> items;
    if (!at(Tok::RBracket)) {
      do {
        items.emplace_back();
        if (!parse_mlir_attribute(items.back())) return false;
      } while (take(Tok::Comma));
    }
    const bool strings = !items.empty() && std::all_of(items.begin(), items.end(), [&](Attribute item) {
      return pool.kind(item) == AttributeKind::String;
    });
    return expect(Tok::RBracket, "after a list") &&
           make_list(strings ? AttributeKind::StringList : AttributeKind::Array, items, out);
  }
  if (at(Tok::Hash) && file_.text().substr(tok_.end, 5) == "mlgc.") return parse_escape(out);
  const std::size_t begin = tok_.begin, aliases = alias_uses_;
  if (at(Tok::Hash)) {
    Lexer ahead = lexer_;
    const Token name = ahead.next();
    if (name.kind == Tok::Name && lexer_.text(name).find('.') == std::string_view::npos &&
        ahead.next().kind != Tok::Less) {
      const Token word{Tok::Name, tok_.begin, name.end};
      advance();
      advance();
      Alias* alias = find_alias(word);
      if (alias == nullptr || !use_alias(word, *alias)) return false;
      if (!alias->attribute.valid() && !parse_at(alias->body, [&] { return parse_mlir_attribute(alias->attribute); }))
        return false;
      out = alias->attribute;
      return true;
    }
  }
  if (!mlir_text(spelling)) return false;
  if (alias_uses_ == aliases) {
    out = own_attribute(file_, begin, tok_.begin, spelling);
  } else {  // with what aliases and resources stand for
    const SourceFile& piece = context_.locations().add_source(file_.name() + "#alias", spelling);
    out = own_attribute(piece, 0, spelling.size(), spelling);
  }
  if (!out.valid()) out = make_mlir_attribute(pool, spelling);
  return true;
}

}  // namespace mlgc::text
