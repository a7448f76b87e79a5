// Recursive-descent parser of the formula language, one token of lookahead. Nesting is bounded, so that no input can
// exhaust the stack.
#include "formula/formula_syntax.h"

#include <array>
#include <cctype>

namespace mlgc {
namespace {

constexpr int kMaxFormulaDepth = 256;

enum class Token : std::uint8_t { End, Integer, Real, Word, Sign };

struct Lexer {
  std::string_view text;
  std::size_t at = 0;
  Token kind = Token::End;
  std::string_view value;
  std::uint32_t start = 0;

  explicit Lexer(std::string_view t) : text(t) { next(); }

  static bool word_start(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
  static bool digit(char c) { return c >= '0' && c <= '9'; }
  [[nodiscard]] char peek(std::size_t ahead = 0) const { return at + ahead < text.size() ? text[at + ahead] : '\0'; }

  void next() {
    while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at]))) ++at;
    start = static_cast<std::uint32_t>(at);
    if (at >= text.size()) {
      kind = Token::End;
      value = {};
      return;
    }
    if (word_start(text[at])) {
      kind = Token::Word;
      while (word_start(peek()) || digit(peek()) || (peek() == '.' && digit(peek(1)))) ++at;
      // `max=` and `min=` are signs.
      if ((text.substr(start, at - start) == "max" || text.substr(start, at - start) == "min") && peek() == '=' &&
          peek(1) != '=') {
        ++at;
        kind = Token::Sign;
      }
    } else if (digit(text[at])) {
      kind = Token::Integer;
      while (digit(peek())) ++at;
      if (peek() == '.' && digit(peek(1))) {
        kind = Token::Real;
        ++at;
        while (digit(peek())) ++at;
      }
      if ((peek() == 'e' || peek() == 'E') &&
          (digit(peek(1)) || ((peek(1) == '-' || peek(1) == '+') && digit(peek(2))))) {
        kind = Token::Real;
        at += 2;
        while (digit(peek())) ++at;
      }
    } else {
      kind = Token::Sign;
      constexpr std::array<std::string_view, 8> twos{"..", "//", "<=", ">=", "==", "!=", "+=", "*="};
      at += 1;
      for (std::string_view two : twos)
        if (text.substr(start, 2) == two) at = start + 2;
    }
    value = text.substr(start, at - start);
  }
};

struct SyntaxFailure {
  std::uint32_t column;
  std::string message;
};

struct Parser {
  Lexer lex;
  FormulaSyntax out;
  int depth = 0;

  [[noreturn]] void fail(std::string message) const { throw SyntaxFailure{lex.start, std::move(message)}; }
  [[nodiscard]] bool is(std::string_view sign) const {
    return lex.kind != Token::End && lex.value == sign && (lex.kind == Token::Sign || lex.kind == Token::Word);
  }
  bool accept(std::string_view sign) {
    if (!is(sign)) return false;
    lex.next();
    return true;
  }
  void expect(std::string_view sign) {
    if (!accept(sign)) fail("expected `" + std::string(sign) + "`");
  }
  std::string word(std::string_view what) {
    if (lex.kind != Token::Word) fail("expected " + std::string(what));
    std::string w(lex.value);
    lex.next();
    return w;
  }
  SyntaxId add(SyntaxNode node) {
    out.nodes.push_back(std::move(node));
    return SyntaxId(out.nodes.size() - 1);
  }
  SyntaxId make(SyntaxKind kind, std::string text, std::uint32_t column, std::vector<SyntaxId> children = {}) {
    SyntaxNode n;
    n.kind = kind;
    n.text = std::move(text);
    n.children = std::move(children);
    n.column = column;
    return add(std::move(n));
  }

  std::string axes() {
    if (accept("-")) {
      if (lex.kind != Token::Integer) fail("expected an axis");
      std::string n = "-" + std::string(lex.value);
      lex.next();
      return n;
    }
    if (lex.kind == Token::Integer) {
      std::string n(lex.value);
      lex.next();
      return n;
    }
    return word("axes: an attribute, a number or `every`");
  }

  // `bare`: `{d}` without an expression names axes of a pack, as in `where`.
  std::vector<PackOperator> pack_operators(bool maps, bool bare = false) {
    std::vector<PackOperator> ops;
    for (;;) {
      if (accept("-")) {
        ops.push_back({PackOperator::Kind::Drop, axes(), {}, {}});
        if (accept("!")) ops.back().keep_flag = word("an attribute");
      } else if (accept("&")) {
        ops.push_back({PackOperator::Kind::Only, axes(), {}, {}});
      } else if (accept("!")) {
        ops.push_back({PackOperator::Kind::Unit, axes(), {}, {}});
      } else if (maps && accept(":")) {
        ops.push_back({PackOperator::Kind::Permute, axes(), {}, {}});
      } else if (maps && accept("{")) {
        PackOperator op{PackOperator::Kind::Map, axes(), {}, {}};
        if (!bare || is(":")) {
          expect(":");
          op.map = expression();
        }
        expect("}");
        ops.push_back(std::move(op));
      } else {
        return ops;
      }
    }
  }

  SyntaxId subscript(bool bare = false) {
    if (lex.kind == Token::Word && lex.text.substr(lex.at, 2) == "..") {
      SyntaxNode n;
      n.kind = SyntaxKind::Pack;
      n.column = lex.start;
      n.text = word("a pack");
      expect("..");
      n.pack = pack_operators(true, bare);
      return add(std::move(n));
    }
    return expression();
  }

  std::vector<SyntaxId> subscripts(std::string_view close) {
    std::vector<SyntaxId> list;
    if (is(close)) return list;
    do list.push_back(subscript());
    while (accept(","));
    return list;
  }

  static bool is_reduction(std::string_view w) {
    for (std::string_view r : {"sum", "prod", "max", "min", "any", "all", "argmax", "argmin"})
      if (w == r) return true;
    return false;
  }

  SyntaxId primary() {
    const std::uint32_t column = lex.start;
    if (lex.kind == Token::Integer || lex.kind == Token::Real) {
      const SyntaxKind kind = lex.kind == Token::Integer ? SyntaxKind::Integer : SyntaxKind::Real;
      std::string text(lex.value);
      lex.next();
      return make(kind, std::move(text), column);
    }
    if (accept("(")) {
      const SyntaxId inner = expression();
      expect(")");
      return inner;
    }
    if (accept("#")) {
      SyntaxNode n;
      n.kind = SyntaxKind::Extent;
      n.column = column;
      n.text = word("an index label or a pack");
      if (accept("..")) n.pack = pack_operators(false);
      return add(std::move(n));
    }
    std::string name = word("an expression");
    if (is_reduction(name) && accept("[")) {
      SyntaxNode n;
      n.kind = SyntaxKind::Reduce;
      n.column = column;
      n.text = name;
      n.labels = subscripts("]");
      SyntaxId guard;
      if (accept("|")) guard = expression();
      expect("]");
      expect("(");
      n.children.push_back(expression());
      expect(")");
      n.has_guard = guard.valid();
      if (guard.valid()) n.children.push_back(guard);
      return add(std::move(n));
    }
    if (accept("[")) {
      SyntaxNode n;
      n.kind = SyntaxKind::Read;
      n.column = column;
      n.text = std::move(name);
      n.children = subscripts("]");
      expect("]");
      if (accept("?")) {
        n.has_fill = true;
        n.children.push_back(unary());
      }
      return add(std::move(n));
    }
    if (accept("(")) {
      std::vector<SyntaxId> args;
      if (!is(")")) do
          args.push_back(subscript());
        while (accept(","));
      expect(")");
      return make(SyntaxKind::Call, std::move(name), column, std::move(args));
    }
    return make(SyntaxKind::Name, std::move(name), column);
  }

  SyntaxId unary() {
    const std::uint32_t column = lex.start;
    if (accept("-")) return make(SyntaxKind::Operator, "-", column, {nested([&] { return unary(); })});
    return primary();
  }

  template <class F>
  SyntaxId nested(F parse) {
    if (++depth > kMaxFormulaDepth) fail("the formula is nested too deeply");
    const SyntaxId id = parse();
    --depth;
    return id;
  }

  // Precedence, loosest first: or, and, not, comparison, + -, * / // %.
  SyntaxId binary(int level) {
    static const std::vector<std::vector<std::string_view>> levels{
        {"or"},     {"and"},
        {},         {"<", "<=", ">", ">=", "==", "!="},
        {"+", "-"}, {"*", "/", "//", "%", "floordiv", "ceildiv", "mod"}};
    if (level == 2) {
      const std::uint32_t column = lex.start;
      if (accept("not")) return make(SyntaxKind::Operator, "not", column, {nested([&] { return binary(2); })});
      return binary(3);
    }
    if (level == static_cast<int>(levels.size())) return unary();
    SyntaxId left = binary(level + 1);
    for (;;) {
      std::string_view found;
      for (std::string_view op : levels[static_cast<std::size_t>(level)])
        if (is(op)) found = op;
      if (found.empty()) return left;
      const std::uint32_t column = lex.start;
      lex.next();
      std::string name(found);
      if (name == "floordiv") name = "//";
      if (name == "mod") name = "%";
      left = make(SyntaxKind::Operator, std::move(name), column, {left, binary(level + 1)});
      if (level == 3) return left;  // comparisons do not chain
    }
  }

  SyntaxId expression() {
    return nested([&] { return binary(0); });
  }

  SyntaxStatement statement() {
    SyntaxStatement s;
    s.column = lex.start;
    s.result = word("a result name");
    expect("[");
    s.subscripts = subscripts("]");
    expect("]");
    for (std::string_view op : {"=", "+=", "*=", "max=", "min="})
      if (is(op)) s.write = op;
    if (s.write.empty()) fail("expected `=`, `+=`, `*=`, `max=` or `min=`");
    lex.next();
    s.body = expression();
    if (accept("from")) s.base = primary();
    if (accept("if")) s.guard = expression();
    if (accept("where")) do {
        SyntaxBinding b;
        if (accept("rank")) b.rank = true;
        b.target = b.rank ? make(SyntaxKind::Name, word("a pack"), lex.start) : subscript(true);
        expect("=");
        b.value = expression();
        s.bindings.push_back(b);
      } while (accept(","));
    s.ground = accept("over");
    if (s.ground && lex.kind != Token::End && !is(";")) do {
        std::string label = word("an index label");
        expect("<");
        const bool bracketed = accept("[");
        s.over.emplace_back(std::move(label), binary(4));
        if (bracketed) expect("]");
      } while (accept(","));
    return s;
  }
};

}  // namespace

Result<FormulaSyntax, FormulaSyntaxError> parse_formula_syntax(std::string_view text) {
  try {
    std::string expanded;
    // The shorthand has no result name: its first token is not `word [ ... ] =`.
    Parser parser{Lexer(text), {}, 0};
    bool shorthand = true;
    {
      int brackets = 0;
      for (Lexer scan(text); scan.kind != Token::End; scan.next()) {
        if (scan.value == "[" || scan.value == "(" || scan.value == "{") ++brackets;
        if (scan.value == "]" || scan.value == ")" || scan.value == "}") --brackets;
        if (brackets == 0 && scan.kind == Token::Sign &&
            (scan.value == "=" || scan.value == "+=" || scan.value == "*=" || scan.value == "max=" ||
             scan.value == "min="))
          shorthand = false;
      }
    }
    if (shorthand) {
      SyntaxStatement s;
      s.write = "=";
      SyntaxNode pack;
      pack.kind = SyntaxKind::Pack;
      pack.text = "B";
      s.subscripts.push_back(parser.add(std::move(pack)));
      s.body = parser.expression();
      parser.out.statements.push_back(std::move(s));
    } else {
      do {
        if (parser.lex.kind == Token::End) break;
        parser.out.statements.push_back(parser.statement());
      } while (parser.accept(";"));
    }
    if (parser.lex.kind != Token::End) parser.fail("unexpected `" + std::string(parser.lex.value) + "`");
    if (parser.out.statements.empty()) parser.fail("a formula needs at least one statement");
    return std::move(parser.out);
  } catch (const SyntaxFailure& f) {
    return Failure{FormulaSyntaxError{f.column, f.message}};
  }
}

std::vector<std::string_view> formula_words(std::string_view text) {
  const auto is_label = [](char c) { return c == '_' || c == '.' || std::isalnum(static_cast<unsigned char>(c)); };
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_label(text[end])) ++end;
    if (end > at) words.push_back(text.substr(at, end - at));
    at = std::max(end, at + 1);
  }
  return words;
}

}  // namespace mlgc
