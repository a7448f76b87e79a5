// See prelude_syntax.h. One line is one statement; blocks are what is indented further.
#include "import/fx/prelude_syntax.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>

#include "support/result.h"

namespace mlgc::fx {

namespace {

using Kind = Expression::Kind;

struct Binary {
  std::string_view sign, name;
  int level;  // a higher one binds more tightly
};
// Longer signs first.
constexpr std::array kBinaries{Binary{"==", "eq", 1}, Binary{"!=", "ne", 1},       Binary{"<=", "le", 1},
                               Binary{">=", "ge", 1}, Binary{"//", "floordiv", 3}, Binary{"**", "pow", 5},
                               Binary{"<", "lt", 1},  Binary{">", "gt", 1},        Binary{"+", "add", 2},
                               Binary{"-", "sub", 2}, Binary{"*", "mul", 3},       Binary{"/", "truediv", 3},
                               Binary{"%", "mod", 3}, Binary{"@", "matmul", 3}};

class LineParser {
 public:
  explicit LineParser(std::string_view text) : text_(text) {}

  [[nodiscard]] bool at_end() {
    skip();
    return at_ == text_.size();
  }
  [[noreturn]] void fail(const char* expected) const {
    throw InternalError(std::string("prelude: expected ") + expected + " at `" + std::string(text_.substr(at_)) +
                        "` of `" + std::string(text_) + "`");
  }
  bool accept(std::string_view sign) {
    skip();
    if (!text_.substr(at_).starts_with(sign)) return false;
    at_ += sign.size();
    return true;
  }
  void expect(std::string_view sign, const char* what) {
    if (!accept(sign)) fail(what);
  }
  bool accept_word(std::string_view word) {
    skip();
    const std::string_view rest = text_.substr(at_);
    if (!rest.starts_with(word) || (rest.size() > word.size() && in_name(rest[word.size()]))) return false;
    at_ += word.size();
    return true;
  }
  std::string name() {
    skip();
    const std::size_t start = at_;
    while (at_ < text_.size() && in_name(text_[at_])) ++at_;
    if (start == at_) fail("a name");
    return std::string(text_.substr(start, at_ - start));
  }
  std::string dotted_name() {
    std::string out = name();
    while (accept(".")) out += "." + name();
    return out;
  }

  Expression expression() {
    Expression value = disjunction();
    if (!accept_word("if")) return value;
    Expression condition = disjunction();
    if (!accept_word("else")) fail("else");
    return made(Kind::Conditional, {std::move(condition), std::move(value), expression()});
  }
  // Also a tuple without parentheses.
  Expression expression_list() {
    Expression first = expression();
    if (!accept(",")) return first;
    Expression tuple = made(Kind::Tuple, {std::move(first)});
    do tuple.items.push_back(expression());
    while (accept(","));
    return tuple;
  }

 private:
  static bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
  void skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  static Expression made(Kind kind, std::vector<Expression> items, std::string text = "") {
    Expression out;
    out.kind = kind;
    out.items = std::move(items);
    out.text = std::move(text);
    return out;
  }

  Expression disjunction() {
    Expression left = conjunction();
    while (accept_word("or")) left = made(Kind::Or, {std::move(left), conjunction()});
    return left;
  }
  Expression conjunction() {
    Expression left = negation();
    while (accept_word("and")) left = made(Kind::And, {std::move(left), negation()});
    return left;
  }
  Expression negation() {
    if (accept_word("not")) return made(Kind::Not, {negation()});
    Expression left = binary(1);
    if (accept_word("is")) {
      const bool negated = accept_word("not");
      left = made(Kind::Operator, {std::move(left), binary(1)}, negated ? "is_not" : "is_");
    }
    return left;
  }
  const Binary* binary_sign(int least) {
    skip();
    const std::string_view rest = text_.substr(at_);
    const auto* const found =
        std::find_if(kBinaries.begin(), kBinaries.end(), [&](const Binary& row) { return rest.starts_with(row.sign); });
    return found == kBinaries.end() || found->level < least ? nullptr : found;
  }
  Expression binary(int least) {
    Expression left = unary();
    while (const Binary* sign = binary_sign(least)) {
      at_ += sign->sign.size();
      left = made(Kind::Operator, {std::move(left), binary(sign->level + 1)}, std::string(sign->name));
    }
    return left;
  }
  Expression unary() {
    if (accept("-")) return made(Kind::Operator, {unary()}, "neg");
    return postfix();
  }
  Expression postfix() {
    Expression value = primary();
    for (;;) {
      if (accept(".")) {
        value = made(Kind::Attribute, {std::move(value)}, name());
      } else if (accept("(")) {
        value = call(std::move(value));
      } else if (accept("[")) {
        Expression index = subscript();
        if (accept(",")) {
          index = made(Kind::Tuple, {std::move(index)});
          do index.items.push_back(subscript());
          while (accept(","));
        }
        expect("]", "]");
        value = made(Kind::Subscript, {std::move(value), std::move(index)});
      } else {
        return value;
      }
    }
  }
  Expression call(Expression callee) {
    Expression out = made(Kind::Call, {std::move(callee)});
    if (accept(")")) return out;
    do {
      skip();
      const std::size_t start = at_;
      if (at_ < text_.size() && in_name(text_[at_])) {
        std::string keyword = name();
        skip();
        const std::string_view rest = text_.substr(at_);
        if (rest.starts_with('=') && !rest.starts_with("==")) {
          ++at_;
          out.keywords.push_back(std::move(keyword));
        } else {
          at_ = start;
        }
      }
      out.items.push_back(expression());
    } while (accept(","));
    expect(")", ")");
    return out;
  }
  Expression subscript() {
    const auto bound = [&] {
      skip();
      const bool open = at_ < text_.size() && (text_[at_] == ':' || text_[at_] == ']' || text_[at_] == ',');
      return open ? Expression{} : expression();
    };
    Expression start = bound();
    if (!accept(":")) return start;
    Expression stop = bound();
    return made(Kind::Slice, {std::move(start), std::move(stop), accept(":") ? bound() : Expression{}});
  }
  Expression primary() {
    skip();
    if (at_ == text_.size()) fail("an expression");
    const char c = text_[at_];
    if (accept("(")) {
      if (accept(")")) return made(Kind::Tuple, {});
      Expression value = expression_list();
      expect(")", ")");
      return value;
    }
    if (accept("[")) {
      Expression list = made(Kind::List, {});
      if (accept("]")) return list;
      do list.items.push_back(expression());
      while (accept(","));
      expect("]", "]");
      return list;
    }
    if (c == '"') {
      const std::size_t end = text_.find('"', at_ + 1);
      if (end == std::string_view::npos) fail("a closing quote");
      Expression value = made(Kind::String, {}, std::string(text_.substr(at_ + 1, end - at_ - 1)));
      at_ = end + 1;
      return value;
    }
    if (std::isdigit(static_cast<unsigned char>(c)) != 0) return number();
    if (accept_word("None")) return {};
    if (accept_word("True")) return made(Kind::True, {});
    if (accept_word("False")) return made(Kind::False, {});
    return made(Kind::Name, {}, name());
  }
  Expression number() {
    const std::size_t start = at_;
    while (at_ < text_.size() &&
           (in_name(text_[at_]) || text_[at_] == '.' || (text_[at_] == '-' && text_[at_ - 1] == 'e')))
      ++at_;
    const std::string spelt(text_.substr(start, at_ - start));
    Expression value;
    value.kind = spelt.find_first_of(".e") == std::string::npos ? Kind::Int : Kind::Float;
    if (value.kind == Kind::Int)
      value.integer = std::strtoll(spelt.c_str(), nullptr, 10);
    else
      value.real = std::strtod(spelt.c_str(), nullptr);
    return value;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

struct Line {
  std::size_t indent;
  std::string_view text;
};

std::vector<Line> lines_of(std::string_view text) {
  std::vector<Line> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t indent = line.find_first_not_of(' ');
    if (indent != std::string_view::npos && line[indent] != '#') lines.push_back({indent, line.substr(indent)});
  }
  return lines;
}

class BlockParser {
 public:
  explicit BlockParser(std::vector<Line> lines) : lines_(std::move(lines)) {}

  Function function() {
    Function out;
    LineParser line(lines_.at(next_++).text);
    if (!line.accept_word("def")) line.fail("def");
    out.name = line.dotted_name();
    line.expect("(", "(");
    while (!line.accept(")")) {
      Function::Parameter parameter;
      parameter.rest = line.accept("*");
      parameter.name = line.name();
      if (line.accept("=")) {
        parameter.has_default = true;
        parameter.fallback = line.expression();
      }
      out.parameters.push_back(std::move(parameter));
      (void)line.accept(",");
    }
    end_of_header(line);
    out.body = block(lines_[0].indent);
    if (next_ != lines_.size()) LineParser(lines_[next_].text).fail("an indented line");
    return out;
  }

 private:
  static void end_of_header(LineParser& line) {
    line.expect(":", ":");
    if (!line.at_end()) line.fail("the end of the line");
  }

  // The lines that are indented further than `outer`.
  std::vector<Statement> block(std::size_t outer) {
    std::vector<Statement> out;
    if (next_ == lines_.size() || lines_[next_].indent <= outer) throw InternalError("prelude: an empty block");
    const std::size_t indent = lines_[next_].indent;
    while (next_ < lines_.size() && lines_[next_].indent == indent) out.push_back(statement());
    return out;
  }

  Statement statement() {
    const Line here = lines_[next_++];
    LineParser line(here.text);
    Statement out;
    if (line.accept_word("return")) {
      out.kind = Statement::Kind::Return;
      out.value = line.expression_list();
    } else if (line.accept_word("raise")) {
      out.kind = Statement::Kind::Raise;
      out.value = line.expression();
    } else if (line.accept_word("if")) {
      out.kind = Statement::Kind::If;
      out.value = line.expression();
      end_of_header(line);
      out.body = block(here.indent);
      if (next_ < lines_.size() && lines_[next_].indent == here.indent && lines_[next_].text == "else:") {
        ++next_;
        out.otherwise = block(here.indent);
      }
      return out;
    } else if (line.accept_word("for")) {
      out.kind = Statement::Kind::For;
      out.names.push_back(line.name());
      if (!line.accept_word("in")) line.fail("in");
      out.value = line.expression();
      end_of_header(line);
      out.body = block(here.indent);
      return out;
    } else {
      out.kind = Statement::Kind::Assign;
      do out.names.push_back(line.name());
      while (line.accept(","));
      line.expect("=", "=");
      out.value = line.expression_list();
    }
    if (!line.at_end()) line.fail("the end of the line");
    return out;
  }

  std::vector<Line> lines_;
  std::size_t next_ = 0;
};

}  // namespace

Function parse_function(std::string_view text) { return BlockParser(lines_of(text)).function(); }

}  // namespace mlgc::fx
