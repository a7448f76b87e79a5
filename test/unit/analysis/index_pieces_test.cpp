// How expressions change along pieces of values of an index.
#include "analysis/index_pieces.h"

#include "support_catch.h"

namespace mlgc {
namespace {

TEST_CASE("sums, products, quotients and remainders along a piece") {
  IndexPool pool;
  const IndexExpr k = pool.opaque(0), other = pool.opaque(1), size = pool.symbol("S");
  const auto number = [&](std::int64_t value) { return pool.constant(value); };
  const auto change = [&](IndexExpr e) {
    return piece_change(pool, e, 8, [](const Atom& atom) { return atom.number == 0; });
  };
  const auto is = [&](IndexExpr e, std::optional<std::int64_t> step, std::int64_t multiple) {
    const PieceChange found = change(e);
    CHECK(found.step == step);
    CHECK(found.multiple == multiple);
  };
  is(k, 1, 8);
  is(number(12), 0, 4);
  is(other, 0, 1);
  is(pool.scale(other, 16), 0, 8);
  is(pool.add(pool.scale(k, 3), number(2)), 3, 2);
  is(pool.mul(k, size), std::nullopt, 8);
  is(pool.floordiv(k, number(24)), 0, 1);
  is(pool.mod(k, number(24)), 1, 8);
  is(pool.floordiv(k, number(12)), std::nullopt, 1);
  is(pool.mod(pool.floordiv(k, number(8)), number(3)), 0, 1);
  is(pool.mod(pool.add(k, number(4)), number(16)), std::nullopt, 1);  // a piece begins in the middle of eight
  is(pool.min(k, number(9)), std::nullopt, 1);
}

TEST_CASE("pieces of a length that is no power of two") {
  IndexPool pool;
  const IndexExpr k = pool.opaque(0);
  const auto number = [&](std::int64_t value) { return pool.constant(value); };
  const auto is = [&](IndexExpr e, std::optional<std::int64_t> step, std::int64_t multiple) {
    const PieceChange found = piece_change(pool, e, 12, [](const Atom& atom) { return atom.number == 0; });
    CHECK(found.step == step);
    CHECK(found.multiple == multiple);
  };
  is(pool.mod(k, number(12)), 1, 12);
  is(pool.floordiv(k, number(36)), 0, 1);
  is(pool.mod(k, number(18)), std::nullopt, 1);  // a piece ends in the middle of the third
  is(pool.add(pool.scale(k, 4), number(6)), 4, 6);
  is(pool.mod(pool.add(k, number(4)), number(24)), std::nullopt, 1);
}

}  // namespace
}  // namespace mlgc
