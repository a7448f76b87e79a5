// Adversarial index expressions: every operation ends soon with a small result or poison, whatever it is fed.
#include <chrono>
#include <random>

#include "ir/index_expr.h"
#include "support_catch.h"

using namespace mlgc;

namespace {

// Far above what the cases take, far below what an unbounded one would.
struct Deadline {
  std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
  ~Deadline() { CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(30)); }
};

// Applies `step` until poison; the number of steps it took, or nothing after `limit`.
template <class Step>
std::optional<int> steps_to_poison(IndexPool& pool, IndexExpr e, int limit, const Step& step) {
  for (int i = 0; i < limit; ++i) {
    e = step(e, i);
    if (e == pool.overflow()) return i + 1;
  }
  return std::nullopt;
}

std::string numbered(const char* stem, int i) { return stem + std::to_string(i); }

}  // namespace

TEST_CASE("squaring a size ends in poison") {
  const Deadline deadline;
  IndexPool pool;
  const auto steps = steps_to_poison(pool, pool.symbol("A"), 64, [&](IndexExpr e, int) { return pool.mul(e, e); });
  CHECK(steps == 12);  // A^2048 fits kMaxIndexNodes, A^4096 does not
}

TEST_CASE("products of sums end in poison before they are multiplied out") {
  const Deadline deadline;
  IndexPool pool;
  const auto steps = steps_to_poison(pool, pool.constant(1), 64, [&](IndexExpr e, int i) {
    return pool.mul(e, pool.add(pool.symbol(numbered("A", i)), pool.symbol(numbered("B", i))));
  });
  CHECK(steps.value_or(100) <= 10);
  const auto sum = [&](int first) {
    IndexExpr e = pool.constant(1);
    for (int i = 0; i < 200; ++i) e = pool.add(e, pool.symbol(numbered("S", first + i)));
    return e;
  };
  CHECK(pool.mul(sum(0), sum(1000)) == pool.overflow());
}

TEST_CASE("long sums end in poison") {
  IndexPool pool;
  const auto steps = steps_to_poison(pool, pool.constant(1), 5000,
                                     [&](IndexExpr e, int i) { return pool.add(e, pool.symbol(numbered("S", i))); });
  CHECK(steps == static_cast<int>(kMaxIndexNodes) / 2);
}

TEST_CASE("quotients inside quotients stay bounded") {
  const Deadline deadline;
  IndexPool pool;
  // Far deeper than any program, and poison or small on the way: each operation asks for sign tests of what it divides.
  const auto grow = [&](const auto& divide) {
    IndexExpr e = pool.symbol("X");
    for (int i = 0; i < 60 && e != pool.overflow(); ++i) {
      e = divide(e, i);
      CHECK((e == pool.overflow() || pool.node_count(e) <= kMaxIndexNodes));
    }
  };
  for (const bool constant_divisor : {false, true}) {
    const auto divisor = [&](int i) { return constant_divisor ? pool.constant(3) : pool.symbol(numbered("D", i)); };
    const auto plus = [&](IndexExpr e, int i) { return pool.add(e, pool.symbol(numbered("S", i))); };
    grow([&](IndexExpr e, int i) { return pool.floordiv(plus(e, i), divisor(i)); });
    grow([&](IndexExpr e, int i) { return pool.ceildiv(plus(e, i), divisor(i)); });
    grow([&](IndexExpr e, int i) { return pool.mod(plus(pool.scale(e, 2), i), divisor(i)); });
  }
}

TEST_CASE("minima and maxima that share what they choose from end in poison") {
  const Deadline deadline;
  IndexPool pool;
  CHECK(steps_to_poison(pool, pool.symbol("X"), 64, [&](IndexExpr e, int i) {
    const IndexExpr other = pool.sub(pool.symbol(numbered("S", i)), e);
    return i % 2 == 0 ? pool.min(e, other) : pool.max(e, other);
  }));
  CHECK(steps_to_poison(pool, pool.symbol("X"), 64, [&](IndexExpr e, int i) {
    return pool.floordiv(pool.min(pool.mul(e, e), pool.symbol(numbered("S", i))), pool.max(e, pool.symbol("T")));
  }));
}

TEST_CASE("equality and order of large expressions come back") {
  const Deadline deadline;
  IndexPool pool;
  IndexExpr a = pool.symbol("X"), b = pool.symbol("Y");
  for (int i = 0; i < 40; ++i) {
    const IndexExpr s = pool.symbol(numbered("S", i));
    const IndexExpr next_a = pool.add(pool.min(a, s), pool.floordiv(s, pool.constant(i + 2)));
    const IndexExpr next_b = pool.sub(pool.max(b, s), pool.mod(s, pool.symbol("D")));
    if (next_a == pool.overflow() || next_b == pool.overflow()) break;
    a = next_a;
    b = next_b;
    CHECK(pool.equal(a, b) != Truth::Yes);
    CHECK(pool.less(pool.add(a, b), b) != Truth::Yes);
  }
  CHECK(pool.equal(pool.overflow(), pool.overflow()) == Truth::Unknown);
}

TEST_CASE("definitions that mention themselves are only imprecise") {
  const Deadline deadline;
  IndexPool pool;
  const IndexExpr t = pool.symbol("T"), s = pool.symbol("S");
  Facts facts;
  facts.define(*pool.as_atom(t), pool.mul(t, pool.add(t, s)));
  facts.define(*pool.as_atom(s), pool.mul(s, t));
  CHECK(pool.equal(pool.mul(t, t), s, facts) == Truth::Unknown);
}

TEST_CASE("random programs of operations on a few expressions stay bounded") {
  const Deadline deadline;
  std::mt19937 random(7);
  for (int round = 0; round < 40; ++round) {
    IndexPool pool;
    std::vector<IndexExpr> e{pool.symbol("A"), pool.symbol("B"), pool.constant(3), pool.symbol("C"),
                             pool.index_label(0, pool.symbol("A"))};
    for (int i = 0; i < 40; ++i) {
      const IndexExpr a = e[random() % e.size()], b = e[e.size() - 1 - random() % std::min<std::size_t>(e.size(), 4)];
      IndexExpr made;
      switch (random() % 8) {
        case 0: made = pool.add(a, b); break;
        case 1: made = pool.sub(a, b); break;
        case 2: made = pool.mul(a, b); break;
        case 3: made = pool.floordiv(a, b); break;
        case 4: made = pool.mod(a, b); break;
        case 5: made = pool.min(a, b); break;
        case 6: made = pool.max(a, b); break;
        default:
          made = pool.substitute(a, [&](AtomId id) { return id == AtomId(1) ? std::optional(b) : std::nullopt; });
      }
      if (made == pool.overflow()) continue;
      CHECK(pool.print(made, [](AtomId) { return std::string("i"); }).size() < 64 * std::size_t{kMaxIndexNodes});
      e.push_back(made);
    }
  }
}
