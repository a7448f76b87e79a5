// Constraints print, survive the attribute form, and give facts that hold.
#include "ir/constraint.h"

#include <map>
#include <random>

#include "ir_test_ops.h"
#include "support_catch.h"

using namespace mlgc;

namespace {

struct Fixture {
  std::shared_ptr<Context> context = test::make_context();
  IndexPool& p = context->index();
  IndexExpr b = p.symbol("B"), s = p.symbol("S"), t = p.symbol("T");
  AtomId id(IndexExpr e) { return *p.as_atom(e); }
  IndexExpr c(std::int64_t v) { return p.constant(v); }
};

}  // namespace

TEST_CASE("constraints print as chains and survive the attribute form") {
  Fixture f;
  const Constraints list{
      {{f.c(1), f.b, f.c(256)}, {Relation::LessEqual, Relation::LessEqual}},
      {{f.p.mod(f.b, f.c(8)), f.c(0)}, {Relation::Equal}},
      {{f.t, f.p.scale(f.s, 2)}, {Relation::Equal}},
      {{f.s, f.t}, {Relation::NotEqual}},
  };
  CHECK(print(list, f.p) == "1 <= B <= 256, B mod 8 == 0, T == 2*S, S != T");
  const Attribute attribute = to_attribute(list, *f.context);
  CHECK(constraints_from(attribute, *f.context) == list);
  CHECK_FALSE(constraints_from(f.context->attributes().integer(1), *f.context).has_value());
  const Attribute lone[]{f.context->attributes().integer(1)};
  const Attribute chains[]{f.context->attributes().array(lone)};
  CHECK_FALSE(constraints_from(f.context->attributes().array(chains), *f.context).has_value());
}

TEST_CASE("facts answer what the constraints settle") {
  Fixture f;
  const Constraints list{
      {{f.c(1), f.b, f.c(256)}, {Relation::LessEqual, Relation::LessEqual}},
      {{f.p.mod(f.b, f.c(8)), f.c(0)}, {Relation::Equal}},
      {{f.t, f.p.scale(f.s, 2)}, {Relation::Equal}},
      {{f.p.symbol("u0"), f.s}, {Relation::LessEqual}},
  };
  const Facts facts = to_facts(list, f.p);
  CHECK(f.p.equal(f.p.scale(f.p.floordiv(f.b, f.c(8)), 8), f.b, facts) == Truth::Yes);
  CHECK(f.p.equal(f.p.scale(f.p.floordiv(f.b, f.c(8)), 8), f.b) == Truth::Unknown);
  CHECK(f.p.equal(f.t, f.p.add(f.s, f.s), facts) == Truth::Yes);
  CHECK(f.p.is_non_negative(f.p.sub(f.b, f.c(8)), facts));  // a multiple of 8 that is at least 1
  CHECK(f.p.is_non_negative(f.p.sub(f.c(256), f.b), facts));
  CHECK_FALSE(f.p.is_non_negative(f.p.sub(f.c(255), f.b), facts));
  CHECK(f.p.is_non_negative(f.p.sub(f.s, f.p.symbol("u0")), facts));
  CHECK(f.p.is_non_negative(f.p.sub(f.t, f.p.symbol("u0")), facts));
  CHECK(f.p.is_non_negative(f.s, facts));
}

TEST_CASE("a size that another one divides") {
  Fixture f;
  const Constraint divides{{f.p.mod(f.b, f.s), f.c(0)}, {Relation::Equal}};
  const IndexExpr quotient = f.p.floordiv(f.b, f.s);
  CHECK(f.p.equal(f.p.mul(f.s, quotient), f.b, to_facts(Constraints{divides}, f.p)) == Truth::Yes);
  CHECK(f.p.equal(f.p.mul(f.s, quotient), f.b) == Truth::Unknown);
  const Constraints both{{{f.p.mod(f.s, f.c(2)), f.c(0)}, {Relation::Equal}}, divides};
  CHECK(f.p.equal(f.p.mul(f.s, quotient), f.b, to_facts(both, f.p)) == Truth::Yes);
}

TEST_CASE("bounds: strict, reversed, scaled, and of sums") {
  Fixture f;
  const Constraints list{
      {{f.c(3), f.b}, {Relation::Less}},
      {{f.p.scale(f.b, 3), f.c(20)}, {Relation::LessEqual}},
      {{f.p.add(f.s, f.t), f.c(10)}, {Relation::Less}},
  };
  const Facts facts = to_facts(list, f.p);
  CHECK(facts.lower(f.id(f.b)) == 4);
  CHECK(facts.upper(f.id(f.b)) == 6);
  CHECK(facts.upper(f.id(f.s)) == 9);
  CHECK(facts.upper(f.id(f.t)) == 9);
}

TEST_CASE("every fact holds wherever the constraints do") {
  // Random constraints over three symbols; each answer Yes or No is checked on all points 0..12 that satisfy them.
  Fixture f;
  std::mt19937 random(20240501);
  const auto pick = [&](int low, int high) {
    return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
  };
  const IndexExpr symbols[]{f.b, f.s, f.t};
  const auto expression = [&] {
    IndexExpr e = f.c(pick(-3, 6));
    for (const IndexExpr symbol : symbols) e = f.p.add(e, f.p.scale(symbol, pick(0, 3) == 0 ? pick(-2, 2) : 0));
    if (pick(0, 4) == 0) e = f.p.mod(symbols[pick(0, 2)], f.c(pick(2, 4)));
    return e;
  };
  std::size_t decided = 0, points = 0;
  for (int round = 0; round < 300; ++round) {
    Constraints list;
    for (int i = pick(1, 3); i > 0; --i)
      list.push_back({{expression(), expression()}, {static_cast<Relation>(pick(0, 5))}});
    const Facts facts = to_facts(list, f.p);
    for (int question = 0; question < 6; ++question) {
      const IndexExpr x = expression(), y = expression();
      const Truth equal = f.p.equal(x, y, facts);
      const bool at_least = f.p.is_non_negative(f.p.sub(x, y), facts);
      decided += equal != Truth::Unknown || at_least ? 1 : 0;
      for (int point = 0; point < 13 * 13 * 13; ++point) {
        const auto value_of = [&](AtomId atom) -> std::optional<std::int64_t> {
          const std::string_view name = f.p.symbol_name(atom);
          return name == "B" ? point % 13 : name == "S" ? point / 13 % 13 : point / 169;
        };
        bool satisfied = true;
        for (const Constraint& constraint : list) satisfied = satisfied && *holds(constraint, f.p, value_of);
        if (!satisfied) continue;
        ++points;
        const std::int64_t a = *f.p.evaluate(x, value_of), c = *f.p.evaluate(y, value_of);
        if ((equal == Truth::Yes && a != c) || (equal == Truth::No && a == c) || (at_least && a < c)) {
          FAIL("where " << print(list, f.p) << ": " << f.p.print(x) << " and " << f.p.print(y) << " at point "
                        << point);
        }
      }
    }
  }
  CHECK(decided > 300);
  CHECK(points > 10'000);
}

TEST_CASE("a constraint with a symbol without value is undecided") {
  Fixture f;
  const Constraint constraint{{f.c(1), f.b}, {Relation::LessEqual}};
  CHECK_FALSE(holds(constraint, f.p, [](AtomId) { return std::optional<std::int64_t>(); }).has_value());
  CHECK(holds(constraint, f.p, [](AtomId) { return std::optional<std::int64_t>(1); }) == true);
  CHECK(holds(constraint, f.p, [](AtomId) { return std::optional<std::int64_t>(0); }) == false);
  for (int i = 0; i < 6; ++i)
    CHECK(parse_relation(relation_text(static_cast<Relation>(i))) == static_cast<Relation>(i));
  CHECK_FALSE(parse_relation("=").has_value());
}
