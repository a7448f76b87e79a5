// The hash sees what a program does and nothing else.
#include "ir/structural_hash.h"

#include <array>
#include <functional>
#include <limits>
#include <set>

#include "ir_test_ops.h"
#include "support_catch.h"

using namespace mlgc;

namespace {

struct Options {
  bool warm_up = false;  // makes other ids in every pool first
  bool names = false, swapped = false, other_attr = false, other_type = false, nested = false, extra = false;
  bool use_argument = false;
};

std::uint64_t hash_of(const Options& o) {
  auto context = test::make_context();
  IndexPool& index = context->index();
  if (o.warm_up) {
    index.floordiv(index.symbol("Z"), index.constant(3));
    index.min(index.symbol("T"), index.symbol("S"));
    context->types().tensor(Dtype::I8, {7, 7});
    context->attributes().string("zzz");
  }
  Module module(context);
  Builder builder(module);
  if (o.warm_up) builder.func("gone", {}).erase();
  const std::vector<IndexExpr> dims{index.min(index.symbol("S"), index.symbol("T")),
                                    index.add(index.mul(index.symbol("S"), index.symbol("B")), index.constant(1))};
  const Type t = context->types().tensor(o.other_type ? Dtype::F64 : Dtype::F32, dims);
  const OpRef func = builder.func("f", {{t, t}});
  builder.set_end(func.region());
  if (o.names) builder.set_location(context->locations().position("f.py", 1, 2));
  const Value x = func.region().argument(0), y = func.region().argument(1);
  if (o.names) x.set_name("x");
  const OpRef a = o.swapped ? builder.create("add", {y, x}, {t}) : builder.create("add", {x, y}, {t});
  const AttrDict attrs = builder.attrs(
      {{"axis", context->attributes().integer(o.other_attr ? 2 : 1)}, {"eps", context->attributes().real(1e-5)}});
  const OpRef outer = builder.create("any", {a.result()}, {t}, attrs, 2);
  Builder inside(module, outer.region(o.nested ? 1 : 0));
  inside.create("neg", {o.use_argument ? x : a.result()}, {t});
  if (o.extra) builder.create("neg", {x}, {t});
  builder.create("return", {outer.result()}, {});
  return structural_hash(module);
}

}  // namespace

TEST_CASE("ids, names, locations and the history of the pools do not count") {
  const std::uint64_t hash = hash_of({});
  CHECK(hash_of({}) == hash);
  CHECK(hash_of({.warm_up = true}) == hash);
  CHECK(hash_of({.names = true}) == hash);
}

TEST_CASE("operands, attributes, types, nesting and number of ops do") {
  const std::set<std::uint64_t> hashes{hash_of({}),
                                       hash_of({.swapped = true}),
                                       hash_of({.other_attr = true}),
                                       hash_of({.other_type = true}),
                                       hash_of({.nested = true}),
                                       hash_of({.extra = true}),
                                       hash_of({.use_argument = true})};
  CHECK(hashes.size() == 7);
}

TEST_CASE("values from outside count by order and type") {
  auto context = test::make_context();
  Module module(context);
  Builder builder(module);
  const Type f32 = context->types().scalar(Dtype::F32), f64 = context->types().scalar(Dtype::F64);
  const OpRef func = builder.func("f", {{f32, f32, f64}});
  builder.set_end(func.region());
  const auto argument = [&](std::size_t i) { return func.region().argument(i); };
  const OpRef xy = builder.create("add", {argument(0), argument(1)}, {f32});
  const OpRef yx = builder.create("add", {argument(1), argument(0)}, {f32});
  const OpRef xx = builder.create("add", {argument(0), argument(0)}, {f32});
  const OpRef xz = builder.create("add", {argument(0), argument(2)}, {f32});
  StructuralHasher hasher(module);
  CHECK(hasher.op_hash(xy) == hasher.op_hash(yx));
  CHECK(hasher.op_hash(xy) != hasher.op_hash(xx));
  CHECK(hasher.op_hash(xy) != hasher.op_hash(xz));
  const std::uint64_t whole = hasher.module_hash();
  CHECK(whole == structural_hash(module));
  CHECK(hasher.op_hash(xy) == structural_hash(xy));
}

TEST_CASE("every kind of attribute has its own hash") {
  auto context = test::make_context();
  Module module(context);
  AttributePool& pool = context->attributes();
  IndexPool& index = context->index();
  const IndexExpr one[]{index.constant(1)};
  const double reals[]{1.0};
  const bool flags[]{true};
  const StringId texts[]{context->strings().intern("1")};
  const Attribute items[]{pool.integer(1)};
  const Attribute all[]{Attribute(),
                        pool.boolean(true),
                        pool.integer(1),
                        pool.integer(index.symbol("S")),
                        pool.integer(index.overflow()),
                        pool.int_list(one),
                        pool.subscripts(one),
                        pool.real(1.0),
                        pool.real(0.0),
                        pool.real(-0.0),
                        pool.real(std::numeric_limits<double>::quiet_NaN()),
                        pool.float_list(reals),
                        pool.bool_list(flags),
                        pool.string("1"),
                        pool.string_list(texts),
                        pool.symbol("1"),
                        pool.type(context->types().scalar(Dtype::F32)),
                        pool.dtype(Dtype::F32),
                        pool.tensor(Tensor::scalar<float>(1)),
                        pool.tensor(Tensor::splat(Dtype::F32, {2}, 1)),
                        pool.array(items)};
  StructuralHasher hasher(module);
  std::set<std::uint64_t> hashes;
  for (const Attribute attribute : all) hashes.insert(hasher.attribute_hash(attribute));
  CHECK(hashes.size() == std::size(all));
}

TEST_CASE("structure is the same whatever the names, and not where an op, a value, a type or a region differs") {
  auto context = test::make_context();
  const Type x = context->types().tensor(Dtype::F32, std::array{context->index().constant(4)});
  const Type y = context->types().tensor(Dtype::F32, std::array{context->index().constant(5)});
  struct Variant {
    bool names = false, swapped = false, other_op = false, other_type = false, other_region = false;
  };
  Module module(context);
  std::size_t number = 0;
  const auto make = [&](const Variant& v) {
    Builder builder(module);
    const Type type = v.other_type ? y : x;
    const Type types[] = {type, type};
    const OpRef func = builder.func("f" + std::to_string(number++), types);
    const Value a = func.region(0).argument(0), b = func.region(0).argument(1);
    if (v.names) a.set_name("a");
    builder.set_end(func.region(0));
    const OpRef sum = v.swapped ? builder.create("add", {b, a}, {type}) : builder.create("add", {a, b}, {type});
    const OpRef outer = builder.create("any", {sum.result()}, {type}, {}, 2);
    Builder inside(module, outer.region(v.other_region ? 1 : 0));
    inside.create(v.other_op ? "add" : "neg", {sum.result()}, {type});
    return func;
  };
  const OpRef first = make({});
  CHECK(same_structure(first, make({})));
  CHECK(same_structure(first, make({.names = true})));
  CHECK_FALSE(same_structure(first, make({.swapped = true})));
  CHECK_FALSE(same_structure(first, make({.other_op = true})));
  CHECK_FALSE(same_structure(first, make({.other_type = true})));
  CHECK_FALSE(same_structure(first, make({.other_region = true})));
}
