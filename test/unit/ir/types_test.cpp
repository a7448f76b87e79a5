// Types are interned, print as the text form says, and treat the shaped kinds alike.
#include "ir/type.h"

#include "ir_test_ops.h"
#include "support_catch.h"

using namespace mlgc;

TEST_CASE("equal types have one id") {
  auto context = test::make_context();
  TypePool& types = context->types();
  const IndexExpr b = context->index().symbol("B");
  const std::vector<IndexExpr> dims{b, context->index().constant(784)};
  CHECK(types.tensor(Dtype::F32, dims) == types.tensor(Dtype::F32, dims));
  CHECK(types.tensor(Dtype::F32, dims) != types.tensor(Dtype::F64, dims));
  CHECK(types.tensor(Dtype::F32, {2, 3}) != types.tensor(Dtype::F32, {3, 2}));
  CHECK(types.tensor(Dtype::F32, {}) != types.scalar(Dtype::F32));
  CHECK(types.vector(Dtype::F32, {16}) != types.tensor(Dtype::F32, {16}));
  CHECK(types.buffer(Dtype::F32, dims, Scope::Arena) != types.buffer(Dtype::F32, dims, Scope::Thread));
  CHECK(types.buffer(Dtype::F32, dims, Scope::Arena) !=
        types.buffer(Dtype::F32, dims, Scope::Arena, context->strings().intern("nhwc")));
  const Type f32 = types.scalar(Dtype::F32);
  CHECK(types.function({{f32, f32}}, {}) != types.function({{f32}}, {{f32}}));
  CHECK_FALSE(Type().valid());
  CHECK(types.kind(Type()) == TypeKind::None);
  CHECK_FALSE(types.is_shaped(types.index()));
}

TEST_CASE("types print in the pretty form") {
  auto context = test::make_context();
  TypePool& types = context->types();
  IndexPool& index = context->index();
  const std::vector<IndexExpr> dims{index.add(index.scale(index.symbol("S"), 2), index.constant(1)), index.constant(0)};
  CHECK(types.print(types.tensor(Dtype::I64, dims)) == "tensor<[2*S + 1]x0xi64>");
  CHECK(types.print(types.tensor(Dtype::F32, {})) == "tensor<f32>");
  CHECK(types.print(types.scalar(Dtype::BF16)) == "bf16");
  CHECK(types.print(types.vector(Dtype::F32, {16})) == "vector<16xf32>");
  CHECK(types.print(types.buffer(Dtype::F32, dims, Scope::Weight)) == "buffer<[2*S + 1]x0xf32, weight>");
  CHECK(types.print(types.buffer(Dtype::F32, {}, Scope::Register, context->strings().intern("nhwc"))) ==
        "buffer<f32, register, nhwc>");
  const Type f32 = types.scalar(Dtype::F32);
  const Type unary = types.function({{f32}}, {{f32}});
  CHECK(types.print(unary) == "(f32) -> f32");
  CHECK(types.print(types.function({{types.index(), f32}}, {{f32, f32}})) == "(index, f32) -> (f32, f32)");
  CHECK(types.print(types.function({}, {{unary}})) == "() -> ((f32) -> f32)");
  CHECK(types.print(Type()) == "none");
  for (const Scope scope : {Scope::Argument, Scope::Weight, Scope::Arena, Scope::Thread, Scope::Register})
    CHECK(parse_scope(scope_name(scope)) == scope);
  CHECK_FALSE(parse_scope("heap").has_value());
}

TEST_CASE("shape accessors serve all shaped kinds, and spans survive growth of the pool") {
  auto context = test::make_context();
  TypePool& types = context->types();
  const std::vector<IndexExpr> dims{context->index().constant(4), context->index().symbol("B")};
  const Type tensor = types.tensor(Dtype::F16, dims);
  const std::span<const IndexExpr> kept = types.dims(tensor);
  for (std::int64_t i = 0; i < 10'000; ++i) types.tensor(Dtype::F32, {i, i + 1, i + 2});
  CHECK(std::vector(kept.begin(), kept.end()) == dims);
  CHECK(kept.data() == types.dims(tensor).data());
  for (const Type type : {tensor, types.buffer(Dtype::F16, dims, Scope::Arena), types.vector(Dtype::F16, dims)}) {
    CHECK(types.is_shaped(type));
    CHECK(types.dtype(type) == Dtype::F16);
    CHECK(types.rank(type) == 2);
    CHECK_FALSE(types.is_static(type));
    CHECK_FALSE(types.element_count(type).has_value());
    CHECK(types.kind(types.with_dtype(type, Dtype::I8)) == types.kind(type));
    CHECK(types.rank(types.with_dims(type, {})) == 0);
  }
  CHECK(types.rank(types.scalar(Dtype::I1)) == 0);
  CHECK(types.with_dims(types.scalar(Dtype::F16), dims) == tensor);
  CHECK(types.element_count(types.tensor(Dtype::F32, {3, 0, 5})) == 0);
  CHECK(types.element_count(types.tensor(Dtype::F32, {3, 4})) == 12);
  CHECK_FALSE(
      types.element_count(types.tensor(Dtype::F32, {std::int64_t{1} << 40, std::int64_t{1} << 40})).has_value());
}
