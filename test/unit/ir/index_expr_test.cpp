// Index expressions against brute force: canonical form keeps the value, `equal` never lies.
#include "ir/index_expr.h"

#include <map>
#include <random>

#include "support_catch.h"

using namespace mlgc;

namespace {

constexpr std::int64_t kLowest = -3, kHighest = 12;

// Random expressions built twice: as a canonical IndexExpr and as a function of the variables.
using Env = std::map<std::uint32_t, std::int64_t>;  // atom id -> value
using Function = std::function<std::optional<std::int64_t>(const Env&)>;

std::int64_t floor_quotient(std::int64_t a, std::int64_t b) {
  std::int64_t q = a / b;
  return a % b != 0 && ((a < 0) != (b < 0)) ? q - 1 : q;
}

struct Generated {
  IndexExpr expr;
  Function value;
};

struct Generator {
  IndexPool& pool;
  std::vector<IndexExpr> variables;
  std::mt19937 random;

  int below(int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); }

  Generated leaf() {
    if (below(3) == 0) {
      const std::int64_t c = below(9) - 4;
      return {pool.constant(c), [c](const Env&) { return std::optional(c); }};
    }
    const IndexExpr v = variables[static_cast<std::size_t>(below(static_cast<int>(variables.size())))];
    const AtomId id = *pool.as_atom(v);
    return {v, [id](const Env& env) { return std::optional(env.at(id.value)); }};
  }

  Generated make(int depth) {
    if (depth == 0) return leaf();
    const Generated a = make(depth - 1), b = below(2) == 0 ? leaf() : make(depth - 1);
    auto both = [a, b](auto f) -> Function {
      return [a, b, f](const Env& env) -> std::optional<std::int64_t> {
        auto x = a.value(env), y = b.value(env);
        if (!x || !y) return std::nullopt;
        return f(*x, *y);
      };
    };
    using Value = std::optional<std::int64_t>;
    switch (below(8)) {
      case 0:
      case 1: return {pool.add(a.expr, b.expr), both([](auto x, auto y) { return Value(x + y); })};
      case 2: return {pool.sub(a.expr, b.expr), both([](auto x, auto y) { return Value(x - y); })};
      case 3: return {pool.mul(a.expr, b.expr), both([](auto x, auto y) { return Value(x * y); })};
      case 4: return {pool.min(a.expr, b.expr), both([](auto x, auto y) { return Value(std::min(x, y)); })};
      case 5: return {pool.max(a.expr, b.expr), both([](auto x, auto y) { return Value(std::max(x, y)); })};
      default: {
        // Divisors: constants, variables, or whatever came out.
        Generated d = b;
        if (below(2) == 0) {
          const std::int64_t c = 1 + below(6);
          d = {pool.constant(c), [c](const Env&) { return Value(c); }};
        }
        const bool quotient = below(2) == 0;
        auto f = [a, d, quotient](const Env& env) -> Value {
          auto x = a.value(env), y = d.value(env);
          if (!x || !y || *y <= 0) return std::nullopt;
          const std::int64_t q = floor_quotient(*x, *y);
          return quotient ? q : *x - q * *y;
        };
        return {quotient ? pool.floordiv(a.expr, d.expr) : pool.mod(a.expr, d.expr), f};
      }
    }
  }
};

// Calls `body` with every assignment of the variables: symbols from 0, labels below their extent, opaque from -3.
void for_each_assignment(const IndexPool& pool, const std::vector<IndexExpr>& variables,
                         const std::function<void(const Env&)>& body) {
  Env env;
  std::function<void(std::size_t)> assign = [&](std::size_t i) {
    if (i == variables.size()) return body(env);
    const AtomId id = *pool.as_atom(variables[i]);
    const Atom& a = pool.atom(id);
    std::int64_t low = a.kind == AtomKind::Opaque ? kLowest : 0, high = kHighest;
    if (a.kind == AtomKind::IndexLabel) {
      auto extent = pool.evaluate(a.a, [&](AtomId x) { return std::optional(env.at(x.value)); });
      high = *extent - 1;
    }
    for (std::int64_t v = low; v <= high; ++v) {
      env[id.value] = v;
      assign(i + 1);
    }
  };
  assign(0);
}

std::vector<IndexExpr> test_variables(IndexPool& pool, unsigned seed) {
  const IndexExpr s = pool.symbol("S");
  switch (seed % 3) {
    case 0: return {pool.opaque(0), pool.opaque(1)};
    case 1: return {s, pool.index_label(0, s), pool.opaque(0)};
    default: return {s, pool.symbol("T"), pool.index_label(1, pool.constant(5))};
  }
}

}  // namespace

TEST_CASE("canonical form keeps the value of random expressions") {
  std::size_t compared = 0;
  for (unsigned seed = 0; seed < 600; ++seed) {
    IndexPool pool;
    Generator g{pool, test_variables(pool, seed), std::mt19937(seed)};
    const Generated e = g.make(3);
    for_each_assignment(pool, g.variables, [&](const Env& env) {
      const auto expected = e.value(env);
      if (!expected || e.expr == pool.overflow()) return;
      const auto actual = pool.evaluate(e.expr, [&](AtomId id) { return std::optional(env.at(id.value)); });
      // A division that canonicalisation cancelled may have a value where the original had none, never the reverse.
      if (actual != expected) {
        INFO("seed " << seed << ": " << pool.print(e.expr));
        REQUIRE(actual == expected);
      }
      ++compared;
    });
  }
  REQUIRE(compared > 50'000);
}

TEST_CASE("equal answers yes, no or unknown, and yes and no are true by brute force over -3..12") {
  std::size_t yes = 0, no = 0, unknown = 0;
  for (unsigned seed = 0; seed < 2000; ++seed) {
    IndexPool pool;
    Generator g{pool, test_variables(pool, seed), std::mt19937(seed + 10'000)};
    const Generated a = g.make(2);
    // Half of the pairs are the same value written differently.
    Generated b = g.make(2);
    if (seed % 2 == 0) {
      const Generated c = g.make(1);
      b = {pool.sub(pool.add(a.expr, c.expr), c.expr), a.value};
    }
    const Truth truth = pool.equal(a.expr, b.expr);
    (truth == Truth::Yes ? yes : truth == Truth::No ? no : unknown)++;
    bool ever_equal = false, ever_different = false;
    for_each_assignment(pool, g.variables, [&](const Env& env) {
      const auto x = a.value(env), y = b.value(env);
      if (!x || !y) return;
      (*x == *y ? ever_equal : ever_different) = true;
    });
    INFO("seed " << seed << ": " << pool.print(a.expr) << "  against  " << pool.print(b.expr));
    if (truth == Truth::Yes) CHECK_FALSE(ever_different);
    if (truth == Truth::No) CHECK_FALSE(ever_equal);
  }
  CHECK(yes > 800);
  CHECK(no > 80);
  CHECK(unknown > 100);
}

TEST_CASE("multiples of quotients of index labels are bounded by the ends of their ranges") {
  IndexPool p;
  const IndexExpr i = p.index_label(0, p.constant(6)), w = p.index_label(1, p.constant(2));
  const IndexExpr third = p.floordiv(i, p.constant(3));
  const auto room = [&](std::int64_t size) { return p.sub(p.sub(p.constant(size - 1), w), p.scale(third, 2)); };
  CHECK(p.is_non_negative(room(4)));
  CHECK_FALSE(p.is_non_negative(room(3)));

  // Sums of multiples of labels and of their quotients: what is shown to be at least 0 is, wherever the labels are.
  std::mt19937 random(20240611);
  const auto pick = [&](int low, int high) {
    return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
  };
  int shown = 0, true_ones = 0;
  for (int round = 0; round < 2000; ++round) {
    const std::int64_t extents[]{pick(1, 7), pick(1, 7)};
    const std::int64_t divisors[]{pick(2, 4), pick(2, 4)}, moved[]{pick(-3, 3), pick(-3, 3)};
    const std::int64_t times[]{pick(-3, 3), pick(-3, 3), pick(-2, 2), pick(-2, 2)}, constant = pick(-2, 14);
    IndexPool pool;
    IndexExpr e = pool.constant(constant);
    for (std::size_t k = 0; k < 2; ++k) {
      const IndexExpr label = pool.index_label(static_cast<std::uint32_t>(k), pool.constant(extents[k]));
      const IndexExpr quotient = pool.floordiv(pool.add(label, pool.constant(moved[k])), pool.constant(divisors[k]));
      e = pool.add(e, pool.add(pool.scale(quotient, times[k]), pool.scale(label, times[k + 2])));
    }
    std::int64_t least = 1000;
    for (std::int64_t x = 0; x < extents[0]; ++x)
      for (std::int64_t y = 0; y < extents[1]; ++y)
        least = std::min(least, constant + times[0] * floor_quotient(x + moved[0], divisors[0]) + times[2] * x +
                                    times[1] * floor_quotient(y + moved[1], divisors[1]) + times[3] * y);
    const bool said = pool.is_non_negative(e);
    INFO(pool.print(e));
    if (said) CHECK(least >= 0);
    shown += said ? 1 : 0;
    true_ones += least >= 0 ? 1 : 0;
  }
  CHECK(shown * 10 > true_ones * 7);
}

TEST_CASE("the rules that views, convolutions and window partitions need") {
  IndexPool p;
  const IndexExpr B = p.symbol("B"), S = p.symbol("S"), H = p.symbol("H"), W = p.symbol("W");
  const IndexExpr b = p.index_label(0, B), s = p.index_label(1, S), d = p.index_label(2, p.constant(768));
  auto c = [&](std::int64_t v) { return p.constant(v); };

  SECTION("delinearising what was linearised gives the index labels back") {
    const IndexExpr row = p.add(p.mul(b, S), s);
    CHECK(p.floordiv(row, S) == b);
    CHECK(p.mod(row, S) == s);
    const IndexExpr flat = p.add(p.scale(row, 768), d);
    CHECK(p.floordiv(flat, c(768)) == row);
    CHECK(p.mod(flat, c(768)) == d);
    CHECK(p.floordiv(p.mod(flat, c(768)), c(64)) == p.floordiv(d, c(64)));
    CHECK(p.floordiv(flat, p.scale(S, 768)) == b);
  }
  SECTION("extents that are sums") {
    const IndexExpr w = p.index_label(3, p.add(W, c(1))), h = p.index_label(4, H);
    const IndexExpr flat = p.add(p.mul(h, p.add(W, c(1))), w);
    CHECK(p.floordiv(flat, p.add(W, c(1))) == h);
    CHECK(p.mod(flat, p.add(W, c(1))) == w);
  }
  SECTION("a quotient and its remainder join") {
    const IndexExpr x = p.opaque(0);
    CHECK(p.add(p.scale(p.floordiv(x, c(6)), 6), p.mod(x, c(6))) == x);
    CHECK(p.add(p.mul(S, p.floordiv(x, S)), p.mod(x, S)) == x);
  }
  SECTION("a remainder in a remainder, as of a roll of a roll") {
    const IndexExpr x = p.opaque(0);
    CHECK(p.mod(p.add(p.mod(p.add(x, c(127)), c(128)), c(127)), c(128)) == p.mod(p.add(x, c(126)), c(128)));
    CHECK(p.mod(p.add(p.scale(p.mod(x, c(12)), 2), c(5)), c(8)) == p.mod(p.add(p.scale(x, 2), c(5)), c(8)));
    CHECK(p.mod(p.add(p.mod(x, S), c(1)), S) == p.mod(p.add(x, c(1)), S));
    CHECK(p.mod(p.add(p.mod(x, c(9)), c(1)), c(6)) != p.mod(p.add(x, c(1)), c(6)));
  }
  SECTION("convolution of convolution") {
    auto conv = [&](IndexExpr h) { return p.add(p.floordiv(p.sub(h, c(1)), c(2)), c(1)); };
    CHECK(conv(conv(H)) == p.add(p.floordiv(p.sub(H, c(1)), c(4)), c(1)));
  }
  SECTION("a borrow") { CHECK(p.floordiv(p.sub(p.mul(H, W), c(1)), W) == p.sub(H, c(1))); }
  SECTION("window partition after substituting H = 7*G") {
    const IndexExpr G = p.symbol("G");
    CHECK(p.floordiv(p.scale(G, 7), c(7)) == G);
    CHECK(p.mod(p.add(p.scale(G, 7), c(3)), c(7)) == c(3));
  }
  SECTION("min and max are resolved by the sign of the difference") {
    CHECK(p.min(s, p.sub(S, c(1))) == s);
    CHECK(p.max(s, c(0)) == s);
    CHECK(p.max(p.sub(S, c(0)), c(0)) == S);
  }
  SECTION("two spellings of one clamp are equal") {
    const auto spelled = [&](IndexExpr x, IndexExpr low, IndexExpr high) { return p.max(low, p.min(x, high)); };
    CHECK(p.equal(p.max(p.sub(c(5), S), c(0)), p.sub(c(5), p.min(S, c(5)))) == Truth::Yes);
    CHECK(p.equal(p.add(p.min(S, B), p.max(S, B)), p.add(S, B)) == Truth::Yes);
    CHECK(p.equal(p.max(p.sub(S, B), c(0)), p.sub(S, p.min(B, S))) == Truth::Yes);
    CHECK(p.equal(p.sub(spelled(S, c(2), B), c(2)), spelled(p.sub(S, c(2)), c(0), p.sub(B, c(2)))) == Truth::Yes);
    CHECK(p.equal(p.max(p.sub(c(5), p.min(c(5), S)), c(0)), p.sub(c(5), p.min(S, c(5)))) == Truth::Yes);
    CHECK(p.equal(p.max(p.sub(c(5), S), c(0)), p.sub(c(6), p.min(S, c(6)))) != Truth::Yes);
    CHECK(p.equal(p.max(p.sub(c(5), S), c(0)), p.sub(c(6), p.min(S, c(5)))) == Truth::No);
  }
  SECTION("facts") {
    Facts facts;
    facts.set_lower(*p.as_atom(B), 1);
    facts.set_upper(*p.as_atom(B), 256);
    facts.define(*p.as_atom(W), p.scale(S, 2));
    CHECK(p.less(B, c(257), facts) == Truth::Yes);
    CHECK(p.less(c(0), B, facts) == Truth::Yes);
    CHECK(p.less(c(0), B) == Truth::Unknown);
    CHECK(p.equal(W, p.add(S, S), facts) == Truth::Yes);
    CHECK(p.equal(B, S) == Truth::Unknown);
    CHECK(p.equal(p.scale(S, 2), p.add(p.scale(W, 2), c(1))) == Truth::No);
  }
  SECTION("arithmetic that leaves 64 bits is poison, not a wrapped number") {
    const IndexExpr big = c(std::int64_t{1} << 62);
    CHECK(p.mul(big, c(4)) == p.overflow());
    CHECK(p.add(p.overflow(), c(1)) == p.overflow());
    CHECK(p.equal(p.overflow(), p.overflow()) == Truth::Unknown);
    CHECK(p.floordiv(H, c(0)) == p.overflow());
  }
}

TEST_CASE("printing uses affine words and does not depend on the order of interning") {
  auto text = [](bool swapped) {
    IndexPool p;
    if (swapped) (void)p.symbol("S");
    const IndexExpr B = p.symbol("B"), S = p.symbol("S");
    const IndexExpr e = p.add(p.sub(p.scale(p.mul(S, B), 2), p.floordiv(p.sub(S, p.constant(1)), p.constant(4))), B);
    return p.print(e) + " | " + p.print(p.min(p.mod(B, p.constant(3)), S)) + " | " + p.print(p.constant(-5));
  };
  CHECK(text(false) == "2*B*S + B - ((S + 3) floordiv 4) + 1 | min(B mod 3, S) | -5");
  CHECK(text(true) == text(false));
}
