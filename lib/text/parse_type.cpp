// Types, in the pretty spelling and in MLIR's (tensor encodings and memref spaces carry what MLIR has no syntax for).
#include <charconv>

#include "text/parser_impl.h"

namespace mlgc::text {

namespace {

constexpr IndexExpr kNoDim{0xFFFFFFFF};

}  // namespace

bool Parser::check_dim(const Token& token, IndexExpr dim) {
  const auto value = context_.index().as_constant(dim);
  return !value || *value >= 0 || error<kNegativeDim>(token, *value);
}

// `< dim x dim x … dtype`, up to what follows the element type. The current token is the `<`; dimension lists are read
// by character, since `4x8xf32` is one name to the lexer.
bool Parser::parse_shape(std::vector<IndexExpr>& dims, Dtype& dtype, bool& anonymous) {
  if (!at(Tok::Less)) return unexpected("`<`");
  anonymous = false;
  lexer_.seek(tok_.end);
  const std::string_view all = file_.text();
  while (true) {
    lexer_.skip_space();
    const std::size_t begin = lexer_.offset();
    const char c = lexer_.peek();
    if (c >= '0' && c <= '9') {
      std::size_t end = begin;
      while (end < lexer_.end() && all[end] >= '0' && all[end] <= '9') ++end;
      std::int64_t value = 0;
      const Token digits{Tok::Integer, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
      if (std::from_chars(all.data() + begin, all.data() + end, value).ec != std::errc()) {
        tok_ = digits;
        return error<kNumberTooLarge>(digits, lexer_.text(digits).substr(0, 60), "a dimension");
      }
      dims.push_back(context_.index().constant(value));
      lexer_.seek(end);
    } else if (c == '[') {
      advance();
      advance();
      const Token first = tok_;
      IndexExpr dim;
      if (!parse_expr(dim, nullptr) || !check_dim(first, dim)) return false;
      if (!at(Tok::RBracket)) return unexpected("`]` after a dimension");
      dims.push_back(dim);
      lexer_.seek(tok_.end);
    } else if (c == '?') {
      dims.push_back(kNoDim);
      anonymous = true;
      lexer_.seek(begin + 1);
    } else {
      advance();
      if (at(Tok::Minus)) {
        advance();
        std::int64_t value = 0;
        if (at(Tok::Integer) || at(Tok::Error)) {
          const std::string_view digits = text();
          std::from_chars(digits.data(), digits.data() + digits.size(), value);
        }
        return error<kNegativeDim>(tok_, -value);
      }
      return parse_dtype(dtype);
    }
    lexer_.skip_space();
    if (lexer_.peek() != 'x') {
      advance();
      return unexpected("`x` after a dimension");
    }
    lexer_.seek(lexer_.offset() + 1);
  }
}

// `f32` or `c64`; also MLIR's `complex<f32>`.
bool Parser::parse_dtype(Dtype& out) {
  if (!at(Tok::Name)) return unexpected("an element type");
  if (take_word("complex")) {
    if (!expect(Tok::Less, "after `complex`")) return false;
    if (!at_word("f32") && !at_word("f64")) return unexpected("f32 or f64");
    out = at_word("f32") ? Dtype::C64 : Dtype::C128;
    advance();
    return expect_greater("after the type of the parts");
  }
  const auto dtype = mlgc::parse_dtype(text());
  if (!dtype) return error<kUnknownElementType>(tok_, text());
  out = *dtype;
  advance();
  return true;
}

// `["B", "784"]` or `["B", 784]`: the names of all dims, replacing the anonymous ones.
bool Parser::parse_dim_names(const Token& word, std::vector<IndexExpr>& dims) {
  if (!expect(Tok::LBracket, "before the names of the dimensions")) return false;
  std::size_t i = 0;
  while (!at(Tok::RBracket)) {
    const Token name = tok_;
    IndexExpr dim;
    if (at(Tok::String)) {
      if (!parse_inside(name, [&] { return parse_expr(dim, nullptr); })) return false;
      advance();
    } else if (at(Tok::Integer)) {
      std::int64_t value = 0;
      if (!parse_int64(tok_, false, value)) return false;
      dim = context_.index().constant(value);
      advance();
      Type ignored;
      if (take(Tok::Colon) && !parse_type(ignored)) return false;
    } else {
      return unexpected("the name of a dimension");
    }
    if (!check_dim(name, dim)) return false;
    if (i < dims.size()) {
      if (dims[i] == kNoDim) {
        dims[i] = dim;
      } else if (dims[i] != dim) {
        return error<kDimNameMismatch>(name, context_.index().print(dim), context_.index().print(dims[i]));
      }
    }
    ++i;
    if (!take(Tok::Comma)) break;
  }
  if (!expect(Tok::RBracket, "after the names of the dimensions")) return false;
  return i == dims.size() || error<kDimNameCount>(word, i, dims.size());
}

bool Parser::check_named(const Token& word, const std::vector<IndexExpr>& dims) {
  for (const IndexExpr dim : dims)
    if (dim == kNoDim) return error<kAnonymousDimension>(word);
  return true;
}

// For what is computed with.
bool Parser::check_real(const Token& word, std::string_view what, Dtype dtype) {
  return !is_complex(dtype) || error<kComplexElements>(word, what);
}

bool Parser::parse_tensor(const Token& word, Type& out) {
  // The same few types stand in most lines: look the text up to the first `>` up before reading it.
  const std::string_view all = file_.text();
  const std::size_t close = all.find('>', word.end);
  CachedType* cached = nullptr;
  std::string_view spelling;
  if (at(Tok::Less) && close != std::string_view::npos && close < lexer_.end() && close - word.begin <= 64) {
    spelling = all.substr(word.begin, close - word.begin);
    cached = &type_cache_[hash_bytes(spelling) & 255];
    if (cached->text == spelling) {
      out = cached->type;
      lexer_.seek(close + 1);
      advance();
      return true;
    }
  }
  std::vector<IndexExpr> dims;
  Dtype dtype{};
  bool anonymous = false;
  if (!parse_shape(dims, dtype, anonymous)) return false;
  if (take(Tok::Comma) && !parse_dim_names(word, dims)) return false;
  if (!check_named(word, dims)) return false;
  const bool simple = at(Tok::Greater) && tok_.begin == close;
  if (!expect_greater("after a tensor type")) return false;
  out = context_.types().tensor(dtype, dims);
  if (cached != nullptr && simple) *cached = {spelling, out};
  return true;
}

bool Parser::parse_vector(const Token& word, Type& out) {
  std::vector<IndexExpr> dims;
  Dtype dtype{};
  bool anonymous = false;
  if (!parse_shape(dims, dtype, anonymous) || !check_named(word, dims) || !check_real(word, "vector", dtype))
    return false;
  if (!expect_greater("after a vector type")) return false;
  out = context_.types().vector(dtype, dims);
  return true;
}

// buffer<4x[B]xf32, arena, nhwc>
bool Parser::parse_buffer(Type& out) {
  const Token word = tok_;
  std::vector<IndexExpr> dims;
  Dtype dtype{};
  bool anonymous = false;
  if (!parse_shape(dims, dtype, anonymous) || !check_named(word, dims) || !check_real(word, "buffer", dtype))
    return false;
  if (!expect(Tok::Comma, "before the scope of a buffer")) return false;
  if (!at(Tok::Name)) return unexpected("a scope");
  const auto scope = parse_scope(text());
  if (!scope) return error<kUnknownScope>(tok_, text());
  advance();
  StringId layout;
  if (take(Tok::Comma)) {
    std::string name;
    if (at(Tok::Name)) {
      name = text();
      advance();
    } else if (at(Tok::String)) {
      if (!parse_string(name)) return false;
    } else {
      return unexpected("a layout");
    }
    layout = context_.strings().intern(name);
  }
  if (!expect_greater("after a buffer type")) return false;
  out = context_.types().buffer(dtype, dims, *scope, layout);
  return true;
}

// memref<4x?xf32, {dims = ["4", "B"], layout = "nhwc", scope = "arena"}>
bool Parser::parse_memref(const Token& word, Type& out) {
  std::vector<IndexExpr> dims;
  Dtype dtype{};
  bool anonymous = false;
  if (!parse_shape(dims, dtype, anonymous) || !check_real(word, "buffer", dtype)) return false;
  Scope scope = Scope::Argument;
  StringId layout;
  bool has_scope = false;
  if (!expect(Tok::Comma, "before the space of a memref") || !expect(Tok::LBrace, "before the space of a memref"))
    return false;
  while (!at(Tok::RBrace)) {
    const Token key = tok_;
    if (!expect(Tok::Name, "in the space of a memref") || !expect(Tok::Equal, "after a key")) return false;
    if (lexer_.text(key) == "dims") {
      if (!parse_dim_names(word, dims)) return false;
    } else if (lexer_.text(key) == "layout" || lexer_.text(key) == "scope") {
      const Token value = tok_;
      std::string name;
      if (!parse_string(name)) return false;
      if (lexer_.text(key) == "layout") {
        layout = context_.strings().intern(name);
      } else {
        const auto known = parse_scope(name);
        if (!known) return error<kUnknownScope>(value, name);
        scope = *known;
        has_scope = true;
      }
    } else {
      return error<kUnknownKey>(key, lexer_.text(key), "dims, layout, scope");
    }
    if (!take(Tok::Comma)) break;
  }
  if (!expect(Tok::RBrace, "after the space of a memref") || !expect_greater("after a memref type")) return false;
  if (!has_scope) return error<kMissingScope>(word);
  if (!check_named(word, dims)) return false;
  out = context_.types().buffer(dtype, dims, scope, layout);
  return true;
}

bool Parser::parse_type(Type& out) {
  Nesting nesting(*this);
  if (!nesting.ok()) return false;
  TypePool& types = context_.types();
  if (at(Tok::LParen)) {
    std::vector<Type> params, results;
    advance();
    if (!at(Tok::RParen) && !parse_type_list(params)) return false;
    if (!expect(Tok::RParen, "after the parameter types") || !expect(Tok::Arrow, "in a function type")) return false;
    if (!parse_result_types(results)) return false;
    out = types.function(params, results);
    return true;
  }
  if (at(Tok::Bang)) {  // !mlgc.type<"vector<[B]xf32>">: what MLIR cannot spell
    const Token mark = tok_;
    advance();
    if (at(Tok::Name) && text().find('.') == std::string_view::npos) {
      const Token word{Tok::Name, mark.begin, tok_.end};
      advance();
      Alias* alias = find_alias(word);
      if (alias == nullptr || !use_alias(word, *alias)) return false;
      if (!alias->value_type.valid() && !parse_at(alias->body, [&] { return parse_type(alias->value_type); }))
        return false;
      out = alias->value_type;
      return true;
    }
    if (!at_word("mlgc.type")) return unexpected("`mlgc.type`");
    advance();
    if (!expect(Tok::Less, "after `!mlgc.type`")) return false;
    const Token string = tok_;
    if (!at(Tok::String)) return unexpected("a type between quotes");
    if (!parse_inside(string, [&] { return parse_type(out); })) return false;
    advance();
    return expect_greater("after a type");
  }
  if (!at(Tok::Name)) return unexpected("a type");
  const Token word = tok_;
  const std::string_view name = text();
  if (name == "tensor") {
    advance();
    return parse_tensor(word, out);
  }
  if (name == "vector") {
    advance();
    return parse_vector(word, out);
  }
  if (name == "buffer") {
    advance();
    return parse_buffer(out);
  }
  if (name == "memref") {
    advance();
    return parse_memref(word, out);
  }
  if (name == "index") {
    advance();
    out = types.index();
    return true;
  }
  if (name == "none") {
    advance();
    out = Type();
    return true;
  }
  const auto dtype = mlgc::parse_dtype(name);
  if (!dtype) return error<kUnknownType>(tok_, name);
  if (!check_real(tok_, "scalar", *dtype)) return false;
  advance();
  out = types.scalar(*dtype);
  return true;
}

bool Parser::parse_type_list(std::vector<Type>& out) {
  do {
    Type type;
    if (!parse_type(type)) return false;
    out.push_back(type);
  } while (take(Tok::Comma));
  return true;
}

bool Parser::parse_result_types(std::vector<Type>& out) {
  if (!at(Tok::LParen)) {
    Type type;
    if (!parse_type(type)) return false;
    out.push_back(type);
    return true;
  }
  advance();
  if (!at(Tok::RParen) && !parse_type_list(out)) return false;
  return expect(Tok::RParen, "after the result types");
}

}  // namespace mlgc::text
