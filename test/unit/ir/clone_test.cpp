// Clones are equal to their source, independent of it, and cross modules of one context.
#include "ir/clone.h"

#include "ir/structural_hash.h"
#include "ir_test_ops.h"
#include "support_catch.h"

using namespace mlgc;

namespace {

struct Program {
  std::shared_ptr<Context> context = test::make_context();
  Module module{context};
  Type f32 = context->types().scalar(Dtype::F32);
  OpRef func, outer, inner;
  Program() {
    Builder builder(module);
    func = builder.func("f", {{f32, f32}});
    builder.set_end(func.region());
    builder.set_location(context->locations().position("model.py", 3, 1));
    const Value x = func.region().argument(0), y = func.region().argument(1);
    x.set_name("x");
    const OpRef sum = builder.create("add", {x, y}, {f32});
    sum.result().set_name("sum");
    outer =
        builder.create("any", {sum.result()}, {f32, f32}, builder.attrs({{"k", context->attributes().integer(3)}}), 2);
    const Value i = outer.region(0).add_argument(context->types().index());
    i.set_name("i");
    Builder inside(module, outer.region(0));
    inner = inside.create("any", {sum.result(), i}, {f32}, {}, 1);
    inside.set_end(inner.region());
    inside.create("neg", {y}, {f32});
    inside.set_end(outer.region(1));
    inside.create("return", {x}, {});
    builder.create("return", {outer.result(1)}, {});
  }
};

}  // namespace

TEST_CASE("a cloned function hashes like its source, under its own name") {
  Program p;
  const std::uint64_t before = structural_hash(p.module);
  const OpRef copy = clone_function(p.func, p.module, "g");
  CHECK(p.module.lookup("g") == copy);
  CHECK(p.module.lookup("f") == p.func);
  CHECK(structural_hash(copy, {.symbol_name = false}) == structural_hash(p.func, {.symbol_name = false}));
  CHECK(structural_hash(copy) != structural_hash(p.func));
  CHECK(copy.region().argument(0).name() == "x");
  CHECK(copy.region().front().result().name() == "sum");
  CHECK(copy.region().front().location() == p.func.region().front().location());
  CHECK(copy.region().front().serial() != p.func.region().front().serial());
  CHECK(p.module.check_store().empty());
  // No value is shared, so the source can go.
  p.func.erase();
  copy.set_attr("sym_name", p.context->attributes().string("f"));
  CHECK(structural_hash(p.module) == before);
  p.module.compact();
  CHECK(structural_hash(p.module) == before);
}

TEST_CASE("an op is cloned beside itself and into its own region") {
  Program p;
  Builder builder(p.module);
  builder.set_before(p.outer);
  ValueMap map;
  const OpRef copy = clone(p.outer, builder, map);
  CHECK(copy.next() == p.outer);
  CHECK(map.find(p.outer.result(1)) == copy.result(1));
  CHECK(map.find(p.inner.result()).definer().parent_op() == copy);
  CHECK_FALSE(map.find(p.func.region().argument(0)).valid());
  CHECK(copy.operand(0) == p.outer.operand(0));
  CHECK(structural_hash(copy) == structural_hash(p.outer));
  builder.set_end(p.outer.region(0));
  const OpRef nested = clone(p.outer, builder);
  CHECK(nested.parent_op() == p.outer);
  CHECK(structural_hash(nested) == structural_hash(copy));
  CHECK(p.module.check_store().empty());
}

TEST_CASE("the body of a function is cloned with its arguments mapped, the terminator left out") {
  Program p;
  Builder builder(p.module);
  const OpRef caller = builder.func("caller", {{p.f32}});
  builder.set_end(caller.region());
  ValueMap map;
  map.set(p.func.region().argument(0), caller.region().argument(0));
  map.set(p.func.region().argument(1), caller.region().argument(0));
  clone_ops(p.func.region(), builder, map, true);
  CHECK(caller.region().back().name() == "any");
  CHECK(caller.region().argument(0).use_count() == 4);
  CHECK(map.find(p.outer.result(1)).definer() == caller.region().back());
  clone_ops(p.func.region(), builder, map);
  CHECK(caller.region().back().is(GraphOp::Return));
  CHECK(p.module.check_store().empty());
}

TEST_CASE("clones cross modules of one context only") {
  Program p;
  Module other(p.context);
  clone_function(p.func, other, "f");
  CHECK(structural_hash(other) == structural_hash(p.module));
  CHECK(other.check_store().empty());
  Builder builder(other);
  CHECK_THROWS_AS(clone(p.outer, builder), InternalError);  // its operand has no counterpart
  Module stranger(test::make_context());
  CHECK_THROWS_AS(clone_function(p.func, stranger, "f"), InternalError);
}
