// Sizes in the place of symbols, wherever a text can have them.
#include "analysis/substitute_symbols.h"

#include "parsed_module.h"

namespace mlgc {

TEST_CASE("symbols are replaced in expressions, types and attributes, all at once") {
  const auto context = make_context();
  IndexPool& pool = context->index();
  TypePool& types = context->types();
  AttributePool& attributes = context->attributes();
  const IndexExpr a = pool.symbol("A"), b = pool.symbol("B"), c = pool.symbol("C"), two = pool.constant(2);
  const auto atom = [&](IndexExpr e) { return *pool.as_atom(e); };
  SymbolSubstitution put(*context);
  CHECK(put.is_identity());
  put.set(atom(a), b);
  put.set(atom(b), pool.add(a, two));
  put.set(atom(a), c);  // the first value counts
  CHECK((put.has(atom(a)) && put.has(atom(b)) && !put.has(atom(c)) && !put.is_identity()));
  // A becomes B and B becomes A + 2: neither is substituted again.
  CHECK(put(pool.add(pool.scale(a, 3), b)) == pool.add(pool.scale(b, 3), pool.add(a, two)));
  CHECK(put(pool.floordiv(pool.mul(a, c), two)) == pool.floordiv(pool.mul(b, c), two));
  CHECK(put(c) == c);
  const std::vector<IndexExpr> dims{a, two, c}, moved_dims{b, two, c};
  const Type tensor = types.tensor(Dtype::F32, dims), moved = types.tensor(Dtype::F32, moved_dims);
  CHECK(put(tensor) == moved);
  const Type scalar = types.tensor(Dtype::I64, std::initializer_list<std::int64_t>{});
  CHECK(put(scalar) == scalar);
  const std::vector<Type> tensors{tensor, scalar}, both{moved, scalar};
  CHECK(put(types.function(tensors, tensors)) == types.function(both, both));
  const std::vector<IndexExpr> list{a, two}, expected{b, two};
  CHECK(put(attributes.integer(a)) == attributes.integer(b));
  CHECK(put(attributes.int_list(list)) == attributes.int_list(expected));
  CHECK(put(attributes.subscripts(list)) == attributes.subscripts(expected));
  CHECK(put(attributes.type(tensor)) == attributes.type(moved));
  const std::vector<Attribute> nested{attributes.integer(a), attributes.string("A")};
  const std::vector<Attribute> unnested{attributes.integer(b), attributes.string("A")};
  CHECK(put(attributes.array(nested)) == attributes.array(unnested));
  CHECK(put(AttrDict()) == AttrDict());
}

TEST_CASE("dims that are symbols by themselves are matched, where the ranks are equal") {
  const auto context = make_context();
  IndexPool& pool = context->index();
  TypePool& types = context->types();
  const IndexExpr a = pool.symbol("A"), b = pool.symbol("B");
  const std::vector<IndexExpr> dims{a, pool.scale(b, 2), a};
  const Type formal = types.tensor(Dtype::F32, dims);
  SymbolSubstitution put(*context);
  put.match(formal, types.tensor(Dtype::F32, {3, 8}));
  CHECK(put.is_identity());
  put.match(formal, types.tensor(Dtype::F32, {3, 8, 5}));
  CHECK(put(a) == pool.constant(3));
  // 2*B says nothing of B.
  CHECK((put(b) == b && !put.has(*pool.as_atom(b))));
  SymbolSubstitution same(*context);
  same.match(formal, formal);
  CHECK((same.has(*pool.as_atom(a)) && same.is_identity()));
}

TEST_CASE("a function is moved to other sizes with all inside it") {
  test::ParsedModule parsed(R"(func @f(%x: tensor<[S]x4xf32>, %p: tensor<i1>) -> tensor<[S]x4xf32> {
  %r = if %p {
    %e = expand %x {size = [S, 4]}
    %c = compute %e {formula = "y[i, j] = x0[i, j] over i < [S], j < 4"} : tensor<[S]x4xf32>
    yield %c
  } else {
    %z = full {dtype = f32, size = [S, 4], value = 1.0}
    yield %z
  } : tensor<[S]x4xf32>
  return %r
}
)");
  SymbolSubstitution put(*parsed.context);
  const IndexExpr size = parsed.context->index().scale(parsed.size("B"), 2);
  put.set(*parsed.context->index().as_atom(parsed.size("S")), size);
  put.apply(parsed.func());
  INFO(parsed.text());
  for (const char* name : {"x", "r", "e", "c", "z"}) CHECK(parsed.value(name).dims()[0] == size);
  CHECK(parsed.text().find("[S]") == std::string::npos);
  CHECK(parsed.text().find("[S,") == std::string::npos);
  CHECK(parsed.text().find("over i < [2*B]") != std::string::npos);
}

}  // namespace mlgc
