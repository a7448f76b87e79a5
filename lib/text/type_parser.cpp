// See type_parser.h.
#include "text/type_parser.h"

#include <charconv>

namespace mlgc::text {

namespace {

constexpr IndexExpr kNoDim{0xFFFFFFFF};

}  // namespace

bool TypeParser::check_dim(const Token& token, IndexExpr dim) {
  const auto value = context_.index().as_constant(dim);
  return !value || *value >= 0 || in_.error<kNegativeDim>(token, *value);
}

// `< dim x dim x … dtype`, up to what follows the element type. The current token is the `<`; dimension lists are read
// by character, since `4x8xf32` is one name to the lexer.
bool TypeParser::parse_shape(std::vector<IndexExpr>& dims, Dtype& dtype, bool& anonymous) {
  if (!in_.at(Tok::Less)) return in_.unexpected("`<`");
  anonymous = false;
  in_.characters().seek(in_.token().end);
  const std::string_view all = in_.all();
  while (true) {
    in_.characters().skip_space();
    const std::size_t begin = in_.characters().offset();
    const char c = in_.characters().peek();
    if (c >= '0' && c <= '9') {
      std::size_t end = begin;
      while (end < in_.end() && all[end] >= '0' && all[end] <= '9') ++end;
      std::int64_t value = 0;
      const Token digits{Tok::Integer, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
      if (std::from_chars(all.data() + begin, all.data() + end, value).ec != std::errc()) {
        in_.set_token(digits);
        return in_.error<kNumberTooLarge>(digits, in_.text(digits).substr(0, 60), "a dimension");
      }
      dims.push_back(context_.index().constant(value));
      in_.characters().seek(end);
    } else if (c == '[') {
      in_.advance();
      in_.advance();
      const Token first = in_.token();
      IndexExpr dim;
      if (!exprs_.parse_expr(dim) || !check_dim(first, dim)) return false;
      if (!in_.at(Tok::RBracket)) return in_.unexpected("`]` after a dimension");
      dims.push_back(dim);
      in_.characters().seek(in_.token().end);
    } else if (c == '?') {
      dims.push_back(kNoDim);
      anonymous = true;
      in_.characters().seek(begin + 1);
    } else {
      in_.advance();
      if (in_.at(Tok::Minus)) {
        in_.advance();
        std::int64_t value = 0;
        if (in_.at(Tok::Integer) || in_.at(Tok::Error)) {
          const std::string_view digits = in_.text();
          std::from_chars(digits.data(), digits.data() + digits.size(), value);
        }
        return in_.error<kNegativeDim>(in_.token(), -value);
      }
      return parse_dtype(dtype);
    }
    in_.characters().skip_space();
    if (in_.characters().peek() != 'x') {
      in_.advance();
      return in_.unexpected("`x` after a dimension");
    }
    in_.characters().seek(in_.characters().offset() + 1);
  }
}

// `f32` or `c64`; also MLIR's `complex<f32>`.
bool TypeParser::parse_dtype(Dtype& out) {
  if (!in_.at(Tok::Name)) return in_.unexpected("an element type");
  if (in_.take_word("complex")) {
    if (!in_.expect(Tok::Less, "after `complex`")) return false;
    if (!in_.at_word("f32") && !in_.at_word("f64")) return in_.unexpected("f32 or f64");
    out = in_.at_word("f32") ? Dtype::C64 : Dtype::C128;
    in_.advance();
    return in_.expect_greater("after the type of the parts");
  }
  const auto dtype = mlgc::parse_dtype(in_.text());
  if (!dtype) return in_.error<kUnknownElementType>(in_.token(), in_.text());
  out = *dtype;
  in_.advance();
  return true;
}

// `["B", "784"]` or `["B", 784]`: the names of all dims, replacing the anonymous ones.
bool TypeParser::parse_dim_names(const Token& word, std::vector<IndexExpr>& dims) {
  if (!in_.expect(Tok::LBracket, "before the names of the dimensions")) return false;
  std::size_t i = 0;
  while (!in_.at(Tok::RBracket)) {
    const Token name = in_.token();
    IndexExpr dim;
    if (in_.at(Tok::String)) {
      if (!in_.parse_inside(name, [&] { return exprs_.parse_expr(dim); })) return false;
      in_.advance();
    } else if (in_.at(Tok::Integer)) {
      std::int64_t value = 0;
      if (!in_.parse_int64(in_.token(), false, value)) return false;
      dim = context_.index().constant(value);
      in_.advance();
      Type ignored;
      if (in_.take(Tok::Colon) && !parse_type(ignored)) return false;
    } else {
      return in_.unexpected("the name of a dimension");
    }
    if (!check_dim(name, dim)) return false;
    if (i < dims.size()) {
      if (dims[i] == kNoDim) {
        dims[i] = dim;
      } else if (dims[i] != dim) {
        return in_.error<kDimNameMismatch>(name, context_.index().print(dim), context_.index().print(dims[i]));
      }
    }
    ++i;
    if (!in_.take(Tok::Comma)) break;
  }
  if (!in_.expect(Tok::RBracket, "after the names of the dimensions")) return false;
  return i == dims.size() || in_.error<kDimNameCount>(word, i, dims.size());
}

bool TypeParser::check_named(const Token& word, const std::vector<IndexExpr>& dims) {
  for (const IndexExpr dim : dims)
    if (dim == kNoDim) return in_.error<kAnonymousDimension>(word);
  return true;
}

bool TypeParser::check_real(const Token& word, std::string_view what, Dtype dtype) {
  return !is_complex(dtype) || in_.error<kComplexElements>(word, what);
}

bool TypeParser::parse_tensor(const Token& word, Type& out) {
  // The same few types stand in most lines: look the text up to the first `>` up before reading it.
  const std::string_view all = in_.all();
  const std::size_t close = all.find('>', word.end);
  CachedType* cached = nullptr;
  std::string_view spelling;
  if (in_.at(Tok::Less) && close != std::string_view::npos && close < in_.end() && close - word.begin <= 64) {
    spelling = all.substr(word.begin, close - word.begin);
    cached = &type_cache_[hash_bytes(spelling) & 255];
    if (cached->text == spelling) {
      out = cached->type;
      in_.seek(close + 1);
      return true;
    }
  }
  std::vector<IndexExpr> dims;
  Dtype dtype{};
  bool anonymous = false;
  if (!parse_shape(dims, dtype, anonymous)) return false;
  if (in_.take(Tok::Comma) && !parse_dim_names(word, dims)) return false;
  if (!check_named(word, dims)) return false;
  const bool simple = in_.at(Tok::Greater) && in_.token().begin == close;
  if (!in_.expect_greater("after a tensor type")) return false;
  out = context_.types().tensor(dtype, dims);
  if (cached != nullptr && simple) *cached = {spelling, out};
  return true;
}

bool TypeParser::parse_vector(const Token& word, Type& out) {
  std::vector<IndexExpr> dims;
  Dtype dtype{};
  bool anonymous = false;
  if (!parse_shape(dims, dtype, anonymous) || !check_named(word, dims) || !check_real(word, "vector", dtype))
    return false;
  if (!in_.expect_greater("after a vector type")) return false;
  out = context_.types().vector(dtype, dims);
  return true;
}

// buffer<4x[B]xf32, arena, nhwc>
bool TypeParser::parse_buffer(Type& out) {
  const Token word = in_.token();
  std::vector<IndexExpr> dims;
  Dtype dtype{};
  bool anonymous = false;
  if (!parse_shape(dims, dtype, anonymous) || !check_named(word, dims) || !check_real(word, "buffer", dtype))
    return false;
  if (!in_.expect(Tok::Comma, "before the scope of a buffer")) return false;
  if (!in_.at(Tok::Name)) return in_.unexpected("a scope");
  const auto scope = parse_scope(in_.text());
  if (!scope) return in_.error<kUnknownScope>(in_.token(), in_.text());
  in_.advance();
  StringId layout;
  if (in_.take(Tok::Comma)) {
    std::string name;
    if (in_.at(Tok::Name)) {
      name = in_.text();
      in_.advance();
    } else if (in_.at(Tok::String)) {
      if (!in_.parse_string(name)) return false;
    } else {
      return in_.unexpected("a layout");
    }
    layout = context_.strings().intern(name);
  }
  if (!in_.expect_greater("after a buffer type")) return false;
  out = context_.types().buffer(dtype, dims, *scope, layout);
  return true;
}

// memref<4x?xf32, {dims = ["4", "B"], layout = "nhwc", scope = "arena"}>
bool TypeParser::parse_memref(const Token& word, Type& out) {
  std::vector<IndexExpr> dims;
  Dtype dtype{};
  bool anonymous = false;
  if (!parse_shape(dims, dtype, anonymous) || !check_real(word, "buffer", dtype)) return false;
  Scope scope = Scope::Argument;
  StringId layout;
  bool has_scope = false;
  if (!in_.expect(Tok::Comma, "before the space of a memref") ||
      !in_.expect(Tok::LBrace, "before the space of a memref"))
    return false;
  while (!in_.at(Tok::RBrace)) {
    const Token key = in_.token();
    if (!in_.expect(Tok::Name, "in the space of a memref") || !in_.expect(Tok::Equal, "after a key")) return false;
    if (in_.text(key) == "dims") {
      if (!parse_dim_names(word, dims)) return false;
    } else if (in_.text(key) == "layout" || in_.text(key) == "scope") {
      const Token value = in_.token();
      std::string name;
      if (!in_.parse_string(name)) return false;
      if (in_.text(key) == "layout") {
        layout = context_.strings().intern(name);
      } else {
        const auto known = parse_scope(name);
        if (!known) return in_.error<kUnknownScope>(value, name);
        scope = *known;
        has_scope = true;
      }
    } else {
      return in_.error<kUnknownKey>(key, in_.text(key), "dims, layout, scope");
    }
    if (!in_.take(Tok::Comma)) break;
  }
  if (!in_.expect(Tok::RBrace, "after the space of a memref") || !in_.expect_greater("after a memref type"))
    return false;
  if (!has_scope) return in_.error<kMissingScope>(word);
  if (!check_named(word, dims)) return false;
  out = context_.types().buffer(dtype, dims, scope, layout);
  return true;
}

bool TypeParser::parse_type(Type& out) {
  Cursor::Nesting nesting(in_);
  if (!nesting.ok()) return false;
  TypePool& types = context_.types();
  if (in_.at(Tok::LParen)) {
    std::vector<Type> params, results;
    in_.advance();
    if (!in_.at(Tok::RParen) && !parse_type_list(params)) return false;
    if (!in_.expect(Tok::RParen, "after the parameter types") || !in_.expect(Tok::Arrow, "in a function type"))
      return false;
    if (!parse_result_types(results)) return false;
    out = types.function(params, results);
    return true;
  }
  if (in_.at(Tok::Bang)) {  // !mlgc.type<"vector<[B]xf32>">: what MLIR cannot spell
    const Token mark = in_.token();
    in_.advance();
    if (in_.at(Tok::Name) && in_.text().find('.') == std::string_view::npos) {
      const Token word{Tok::Name, mark.begin, in_.token().end};
      in_.advance();
      Alias* alias = aliases_.use(word);
      if (alias == nullptr) return false;
      if (!alias->value_type.valid() && !in_.parse_at(alias->body, [&] { return parse_type(alias->value_type); }))
        return false;
      out = alias->value_type;
      return true;
    }
    if (!in_.at_word("mlgc.type")) return in_.unexpected("`mlgc.type`");
    in_.advance();
    if (!in_.expect(Tok::Less, "after `!mlgc.type`")) return false;
    const Token string = in_.token();
    if (!in_.at(Tok::String)) return in_.unexpected("a type between quotes");
    if (!in_.parse_inside(string, [&] { return parse_type(out); })) return false;
    in_.advance();
    return in_.expect_greater("after a type");
  }
  if (!in_.at(Tok::Name)) return in_.unexpected("a type");
  const Token word = in_.token();
  const std::string_view name = in_.text();
  if (name == "tensor") {
    in_.advance();
    return parse_tensor(word, out);
  }
  if (name == "vector") {
    in_.advance();
    return parse_vector(word, out);
  }
  if (name == "buffer") {
    in_.advance();
    return parse_buffer(out);
  }
  if (name == "memref") {
    in_.advance();
    return parse_memref(word, out);
  }
  if (name == "index") {
    in_.advance();
    out = types.index();
    return true;
  }
  if (name == "none") {
    in_.advance();
    out = Type();
    return true;
  }
  const auto dtype = mlgc::parse_dtype(name);
  if (!dtype) return in_.error<kUnknownType>(in_.token(), name);
  if (!check_real(in_.token(), "scalar", *dtype)) return false;
  in_.advance();
  out = types.scalar(*dtype);
  return true;
}

bool TypeParser::parse_type_list(std::vector<Type>& out) {
  do {
    Type type;
    if (!parse_type(type)) return false;
    out.push_back(type);
  } while (in_.take(Tok::Comma));
  return true;
}

bool TypeParser::parse_result_types(std::vector<Type>& out) {
  if (!in_.at(Tok::LParen)) {
    Type type;
    if (!parse_type(type)) return false;
    out.push_back(type);
    return true;
  }
  in_.advance();
  if (!in_.at(Tok::RParen) && !parse_type_list(out)) return false;
  return in_.expect(Tok::RParen, "after the result types");
}

}  // namespace mlgc::text
