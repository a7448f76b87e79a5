// Recursive descent with a depth limit; see symbolic.h.
#include "import/program/symbolic.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

namespace mlgc {

const std::string& SymbolNames::name_of(std::string_view torch_name) {
  if (const auto found = ours_.find(torch_name); found != ours_.end()) return found->second;
  // The next name of that kind that the exporter did not give to another symbol.
  const auto numbered = [&](std::string stem, int& count, bool always) {
    for (;;) {
      const int number = count++;
      std::string name = number == 0 && !always ? stem : stem + std::to_string(number);
      if (std::ranges::none_of(given_, [&](const auto& entry) { return entry.second == name; })) return name;
    }
  };
  const auto given = given_.find(torch_name);
  std::string ours = given != given_.end()         ? given->second
                     : torch_name.starts_with('u') ? numbered("u", unbacked_count_, true)
                     : leading_                    ? numbered("B", leading_count_, false)
                                                   : numbered("S", inner_count_, false);
  order_.push_back({ours, std::string(torch_name)});
  return ours_.emplace(std::string(torch_name), std::move(ours)).first->second;
}

namespace {

constexpr int kMaxDepth = 200;
constexpr std::int64_t kMaxPower = 8;
// Of a factor of a product: products of sums grow with the power of their number.
constexpr std::size_t kMaxTerms = 256;

constexpr std::int64_t kMaxDivisor = 10000, kMaxScaled = std::int64_t{1} << 24;

// The quotient of small integers that a float stands for, if sizes times the quotient round to what sizes times the
// float do. Where the product is not an integer it is too far from one for the float's error; where it is, each size up
// to kMaxScaled is tried.
std::optional<std::pair<std::int64_t, std::int64_t>> quotient_of(double factor, bool upwards) {
  if (!(factor > 0) || factor > 1e6) return std::nullopt;
  // Continued fractions.
  std::int64_t p = 1, before_p = 0, q = 0, before_q = 1;
  double rest = factor;
  for (;;) {
    const auto whole = static_cast<std::int64_t>(std::floor(rest));
    before_p = std::exchange(p, whole * p + before_p);
    before_q = std::exchange(q, whole * q + before_q);
    if (q > kMaxDivisor) return std::nullopt;
    if (static_cast<double>(p) / static_cast<double>(q) == factor) break;
    rest = 1 / (rest - static_cast<double>(whole));
    if (!(rest < 1e9)) return std::nullopt;
  }
  for (std::int64_t times = 1; times * q <= kMaxScaled; ++times) {
    const double product = static_cast<double>(times * q) * factor;
    const double rounded = upwards ? std::ceil(product) : std::floor(product);
    if (rounded != static_cast<double>(times * p)) return std::nullopt;
  }
  return std::pair(p, q);
}

// Precedence climbing over `+ - * //`; a name followed by `(` is a function of srepr. The first error sticks, and every
// function then returns at once.
class ExpressionParser {
 public:
  ExpressionParser(std::string_view text, IndexPool& pool, SymbolNames& names)
      : text_(text), pool_(&pool), names_(&names) {}

  Result<IndexExpr> run() {
    const IndexExpr value = sum();
    skip_space();
    if (error_.empty() && at_ != text_.size()) fail("unexpected `" + std::string(1, text_[at_]) + "`");
    if (error_.empty() && value == pool_->overflow())
      fail("a value leaves 64 bits or grows too large, or a divisor is not positive");
    if (!error_.empty()) return Failure{error_};
    return value;
  }

 private:
  IndexExpr fail(std::string what) {
    if (error_.empty()) error_ = std::move(what);
    at_ = text_.size();
    return {};
  }
  void skip_space() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool take(std::string_view token) {
    skip_space();
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }
  void expect(std::string_view token) {
    if (!take(token)) fail("expected `" + std::string(token) + "`");
  }

  IndexExpr sum() {
    if (++depth_ > kMaxDepth) return fail("nested too deeply");
    IndexExpr value = product();
    while (error_.empty()) {
      if (take("+"))
        value = pool_->add(value, product());
      else if (take("-"))
        value = pool_->sub(value, product());
      else
        break;
    }
    --depth_;
    return value;
  }
  IndexExpr product() {
    IndexExpr value = atom();
    while (error_.empty()) {
      if (take("//"))
        value = pool_->floordiv(value, atom());
      else if (take("*"))
        value = multiply(value, atom());
      else
        break;
    }
    return value;
  }
  IndexExpr atom() {
    skip_space();
    if (at_ == text_.size()) return fail("ends too early");
    if (take("(")) {
      const IndexExpr value = sum();
      expect(")");
      return value;
    }
    const char c = text_[at_];
    if (c == '-' || std::isdigit(static_cast<unsigned char>(c)) != 0) return pool_->constant(integer());
    const std::string_view name = identifier();
    if (name.empty()) return fail("unexpected `" + std::string(1, c) + "`");
    if (take("(")) return call(name);
    return pool_->symbol(names_->name_of(name));
  }
  std::int64_t integer() {
    skip_space();
    std::int64_t value = 0;
    const auto [end, status] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (status != std::errc{}) {
      fail("expected an integer of 64 bits");
      return 0;
    }
    at_ = static_cast<std::size_t>(end - text_.data());
    return value;
  }
  std::string_view identifier() {
    skip_space();
    const std::size_t begin = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_'))
      ++at_;
    return text_.substr(begin, at_ - begin);
  }

  // After `name(`, up to and with `)`.
  IndexExpr call(std::string_view name) {
    if (name == "Integer") {
      const std::int64_t value = integer();
      expect(")");
      return pool_->constant(value);
    }
    if (name == "Symbol") return symbol();
    if (name == "CeilToInt" || name == "FloorToInt" || name == "TruncToInt") return rounded(name);
    std::vector<IndexExpr> args;
    do args.push_back(sum());
    while (error_.empty() && take(","));
    expect(")");
    return error_.empty() ? apply(name, args) : IndexExpr{};
  }
  IndexExpr symbol() {
    expect("'");
    const std::string_view name = identifier();
    if (error_.empty() && name.empty()) return fail("a symbol without a name");
    expect("'");
    // Assumptions such as `positive=True` say nothing that the range constraints do not.
    while (error_.empty() && take(",")) {
      const bool key = !identifier().empty();
      if (!key || !take("=") || (!take("True") && !take("False"))) return fail("a malformed assumption of a symbol");
    }
    expect(")");
    return error_.empty() ? pool_->symbol(names_->name_of(name)) : IndexExpr{};
  }
  // `CeilToInt(IntTrueDiv(a, b))` and `TruncToInt(Mul(Float('1.7', precision=53), ToFloat(a)))`: the only ways in which
  // numbers that are not integers may occur.
  IndexExpr rounded(std::string_view name) {
    const bool product = take("Mul(");
    if (!product && !take("IntTrueDiv(")) return fail("`" + std::string(name) + "` of something but a quotient");
    if (product) return rounded_product(name == "CeilToInt");
    const IndexExpr a = sum();
    expect(",");
    const IndexExpr b = sum();
    expect(")");
    expect(")");
    if (!error_.empty()) return {};
    // Sizes are not negative, so truncating is rounding down.
    return name == "CeilToInt" ? pool_->ceildiv(a, b) : pool_->floordiv(a, b);
  }
  // A size times a float, in either order.
  IndexExpr rounded_product(bool upwards) {
    IndexExpr size;
    std::optional<double> factor;
    do {
      if (take("Float("))
        factor = real();
      else if (take("ToFloat("))
        size = sum(), expect(")");
      else
        return fail("a product that is not of a size and a number");
    } while (error_.empty() && take(","));
    expect(")");
    expect(")");
    if (!error_.empty()) return {};
    if (!factor || size == IndexExpr()) return fail("a product that is not of a size and a number");
    const auto quotient = quotient_of(*factor, upwards);
    if (!quotient) return fail("a size times a number that is no quotient of small integers");
    const IndexExpr scaled = pool_->scale(size, quotient->first), divisor = pool_->constant(quotient->second);
    return upwards ? pool_->ceildiv(scaled, divisor) : pool_->floordiv(scaled, divisor);
  }
  // `'1.7', precision=53)`
  double real() {
    expect("'");
    double value = 0;
    const auto [end, status] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (status != std::errc{}) {
      fail("expected a number");
      return 0;
    }
    at_ = static_cast<std::size_t>(end - text_.data());
    expect("'");
    if (take(",")) {
      identifier();
      expect("=");
      integer();
    }
    expect(")");
    return value;
  }
  IndexExpr apply(std::string_view name, const std::vector<IndexExpr>& args) {
    const auto fold = [&](IndexExpr (IndexPool::*combine)(IndexExpr, IndexExpr)) {
      IndexExpr value = args[0];
      for (std::size_t i = 1; i < args.size(); ++i) value = (pool_->*combine)(value, args[i]);
      return value;
    };
    if (name == "Add") return fold(&IndexPool::add);
    if (name == "Mul") {
      IndexExpr value = args[0];
      for (std::size_t i = 1; i < args.size(); ++i) value = multiply(value, args[i]);
      return value;
    }
    if (name == "Max") return fold(&IndexPool::max);
    if (name == "Min") return fold(&IndexPool::min);
    if (args.size() == 2) {
      if (name == "FloorDiv" || name == "CleanDiv") return pool_->floordiv(args[0], args[1]);
      if (name == "CeilDiv") return pool_->ceildiv(args[0], args[1]);
      if (name == "Mod" || name == "PythonMod") return pool_->mod(args[0], args[1]);
      if (name == "Pow") return power(args[0], args[1]);
    }
    if (name == "ModularIndexing" && args.size() == 3) return pool_->mod(pool_->floordiv(args[0], args[1]), args[2]);
    return fail("unknown function `" + std::string(name) + "` of " + std::to_string(args.size()) + " arguments");
  }
  IndexExpr multiply(IndexExpr a, IndexExpr b) {
    if (pool_->term_count(a) > kMaxTerms || pool_->term_count(b) > kMaxTerms) return fail("a product of long sums");
    return pool_->mul(a, b);
  }
  IndexExpr power(IndexExpr base, IndexExpr exponent) {
    const std::optional<std::int64_t> n = pool_->as_constant(exponent);
    if (!n || *n < 0 || *n > kMaxPower) return fail("a power whose exponent is not a small constant");
    IndexExpr value = pool_->constant(1);
    for (std::int64_t i = 0; i < *n; ++i) value = multiply(value, base);
    return value;
  }

  std::string_view text_;
  IndexPool* pool_;
  SymbolNames* names_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::string error_;
};

}  // namespace

std::vector<std::string_view> symbols_of(std::string_view text) {
  constexpr std::string_view kOpen = "Symbol('";
  std::vector<std::string_view> names;
  for (std::size_t at = text.find(kOpen); at != std::string_view::npos; at = text.find(kOpen, at)) {
    at += kOpen.size();
    const std::string_view name = text.substr(at, text.find('\'', at) - at);
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

Result<IndexExpr> parse_size_expression(std::string_view text, IndexPool& pool, SymbolNames& names) {
  return ExpressionParser(text, pool, names).run();
}

}  // namespace mlgc
