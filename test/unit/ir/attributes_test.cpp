// Attributes are interned by content; dictionaries are sorted by name.
#include "ir/attribute.h"

#include <cmath>
#include <limits>

#include "ir_test_ops.h"
#include "support_catch.h"

using namespace mlgc;

TEST_CASE("equal attributes have one id, whatever made them") {
  auto context = test::make_context();
  AttributePool& pool = context->attributes();
  IndexPool& index = context->index();
  CHECK(pool.integer(5) == pool.integer(index.constant(5)));
  CHECK(pool.integer(1) != pool.boolean(true));
  CHECK(pool.integer(index.symbol("S")) != pool.integer(index.symbol("T")));
  CHECK(pool.string("a") != pool.symbol("a"));
  CHECK(pool.type(context->types().scalar(Dtype::F32)) != pool.dtype(Dtype::F32));
  const std::int64_t ints[]{1, 2};
  const IndexExpr exprs[]{index.constant(1), index.constant(2)};
  CHECK(pool.int_list(ints) == pool.int_list(exprs));
  CHECK(pool.int_list(exprs) != pool.subscripts(exprs));
  const bool flags[]{true, false};
  CHECK(pool.bool_list(flags) == pool.bool_list(flags));
  CHECK(pool.int_list(std::span<const IndexExpr>()) != pool.array({}));
  const Attribute items[]{pool.integer(1), pool.string("x")};
  CHECK(pool.array(items) == pool.array(items));
}

TEST_CASE("floats are compared by their bits") {
  auto context = test::make_context();
  AttributePool& pool = context->attributes();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(pool.real(nan) == pool.real(nan));
  CHECK(pool.real(0.0) != pool.real(-0.0));
  CHECK(std::signbit(*pool.as_float(pool.real(-0.0))));
  const double a[]{0.0, nan}, b[]{-0.0, nan};
  CHECK(pool.float_list(a) == pool.float_list(a));
  CHECK(pool.float_list(a) != pool.float_list(b));
  CHECK(std::signbit(pool.as_float_list(pool.float_list(b))[0]));
}

TEST_CASE("asking for another kind answers nothing") {
  auto context = test::make_context();
  AttributePool& pool = context->attributes();
  const Attribute five = pool.integer(5);
  CHECK(pool.as_int64(five) == 5);
  CHECK_FALSE(pool.as_bool(five).has_value());
  CHECK_FALSE(pool.as_float(five).has_value());
  CHECK_FALSE(pool.as_string(five).has_value());
  CHECK_FALSE(pool.as_symbol(five).has_value());
  CHECK_FALSE(pool.as_dtype(five).has_value());
  CHECK_FALSE(pool.as_type(five).valid());
  CHECK(pool.as_int_list(five).empty());
  CHECK(pool.as_array(five).empty());
  CHECK(pool.kind(Attribute()) == AttributeKind::None);
  const Attribute symbolic = pool.integer(context->index().symbol("S"));
  CHECK_FALSE(pool.as_int64(symbolic).has_value());
  CHECK(pool.as_int(symbolic) == context->index().symbol("S"));
  CHECK_THROWS_AS(pool.as_tensor(five), InternalError);
}

TEST_CASE("constants: splats have one spelling, large ones share their storage") {
  auto context = test::make_context();
  AttributePool& pool = context->attributes();
  TypePool& types = context->types();
  const Tensor ones = Tensor::splat(Dtype::F32, {3, 4}, 1.0);
  const Attribute splat = pool.tensor(types.tensor(Dtype::F32, {3, 4}), Tensor::scalar<float>(1).bytes());
  CHECK(pool.tensor(ones) == splat);
  CHECK(pool.as_tensor(splat).splat);
  CHECK(*pool.to_host(splat) == ones);

  // The same of so many that their bytes are not copied before they are seen to be equal.
  const Tensor many = Tensor::splat(Dtype::F32, {100}, 1.5);
  const Attribute equal = pool.tensor(types.tensor(Dtype::F32, {100}), many.bytes());
  CHECK(pool.as_tensor(equal).splat);
  CHECK(*pool.to_host(equal) == many);
  CHECK(pool.tensor(many) == equal);

  Tensor big = Tensor::zeros(Dtype::F64, {100});
  for (std::int64_t i = 0; i < 100; ++i) big.set_double(i, static_cast<double>(i));
  const Attribute large = pool.tensor(big);
  CHECK(pool.as_tensor(large).bytes.data() == std::as_const(big).bytes().data());
  CHECK(*pool.to_host(large) == big);
  CHECK(pool.tensor(types.tensor(Dtype::F64, {100}), big.bytes()) == large);
  big.set_double(0, 7.0);
  CHECK(pool.to_host(large)->get_double(0) == 0.0);
  CHECK(pool.tensor(big) != large);

  const Tensor minus_zero = Tensor::from_values<float>({2}, {0.0F, -0.0F});
  CHECK_FALSE(pool.as_tensor(pool.tensor(minus_zero)).splat);
  CHECK(*pool.to_host(pool.tensor(minus_zero)) == minus_zero);
  const Attribute empty = pool.tensor(types.tensor(Dtype::I8, {0, 5}), {});
  CHECK(pool.to_host(empty)->size() == 0);
  CHECK(pool.tensor(Tensor::zeros(Dtype::I8, {0, 5})) == empty);

  // A splat may have any shape, also one that no host tensor can have.
  const IndexExpr b = context->index().symbol("B");
  const Attribute symbolic = pool.tensor(types.tensor(Dtype::F32, {{b}}), Tensor::scalar<float>(1).bytes());
  CHECK(pool.to_host(symbolic).error() == "the constant's type tensor<[B]xf32> is symbolic");
  const std::int64_t huge = std::int64_t{1} << 62;
  const Attribute monster = pool.tensor(types.tensor(Dtype::F32, {huge, huge}), Tensor::scalar<float>(1).bytes());
  CHECK_FALSE(pool.to_host(monster).ok());
  CHECK_THROWS_AS(pool.tensor(types.tensor(Dtype::F32, {3}), Tensor::zeros(Dtype::F32, {2}).bytes()), InternalError);
}

TEST_CASE("dictionaries do not depend on the order of writing") {
  auto context = test::make_context();
  AttributePool& pool = context->attributes();
  StringPool& strings = context->strings();
  const NamedAttribute z{strings.intern("z"), pool.integer(1)}, a{strings.intern("a"), pool.integer(2)};
  const NamedAttribute forwards[]{a, z}, backwards[]{z, a};
  CHECK(pool.dict(forwards) == pool.dict(backwards));
  CHECK(pool.dict({}).empty());
  const AttrDict dict = pool.dict(backwards);
  CHECK(strings.text(pool.entries(dict)[0].name) == "a");
  CHECK(pool.get(dict, "z") == z.value);
  CHECK_FALSE(pool.get(dict, "y").valid());
  const AttrDict changed = pool.with(dict, z.name, pool.integer(9));
  CHECK(pool.as_int64(pool.get(changed, z.name)) == 9);
  CHECK(pool.with(changed, z.name, z.value) == dict);
  CHECK(pool.without(pool.without(dict, z.name), a.name).empty());
}
