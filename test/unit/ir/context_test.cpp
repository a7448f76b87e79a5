// The op table's names, the pool of strings, and where a builder puts ops.
#include "ir/context.h"

#include <string>
#include <vector>

#include "ir_test_ops.h"
#include "support_catch.h"

using namespace mlgc;

TEST_CASE("every row is found by its name, and no other name is") {
  auto context = test::make_context();
  for (const OpDef* row : test::kRows) {
    const Opcode opcode = context->find_op(row->name);
    REQUIRE(opcode != Opcode::Invalid);
    CHECK(&context->def(opcode) == row);
    CHECK(context->opcode(*row) == opcode);
  }
  for (const std::string_view name : {"", "ad", "addd", "ADD", "relu"})
    CHECK(context->find_op(name) == Opcode::Invalid);
  CHECK(context->opcode(GraphOp::Func) == context->find_op("func"));
  CHECK(context->opcode(LoopOp::Func) == context->find_op("func"));
  CHECK(context->opcode(LoopOp::Load) == Opcode::Invalid);
}

TEST_CASE("a table with two rows of one name and a row of another table are refused") {
  static constexpr OpDef kOtherAdd{.name = "add", .graph_op = GraphOp::Add, .summary = "another row"};
  static constexpr OpDef kSub{.name = "sub", .summary = "in no table"};
  static constexpr const OpDef* kTwice[]{&test::kModule, &test::kAdd, &kOtherAdd};
  CHECK_THROWS_AS(Context(kTwice), InternalError);
  auto context = test::make_context();
  CHECK_THROWS_AS(context->opcode(kSub), InternalError);
  CHECK_THROWS_AS(context->opcode(kOtherAdd), InternalError);
  static constexpr const OpDef* kNoModule[]{&test::kAdd};
  CHECK_THROWS_AS(Module(std::make_shared<Context>(kNoModule)), InternalError);
}

TEST_CASE("strings are interned and never move") {
  StringPool pool;
  const std::string_view first = pool.text(pool.intern("first"));
  std::vector<StringId> ids;
  for (int i = 0; i < 5000; ++i) ids.push_back(pool.intern("name" + std::to_string(i)));
  CHECK(first == "first");
  CHECK(first.data() == pool.text(pool.find("first")).data());
  for (int i = 0; i < 5000; ++i) REQUIRE(pool.intern("name" + std::to_string(i)) == ids[static_cast<std::size_t>(i)]);
  CHECK_FALSE(pool.find("name5000").valid());
  CHECK(pool.text(pool.intern("")).empty());
  const std::string with_nul("a\0b", 3);
  CHECK(pool.text(pool.intern(with_nul)) == with_nul);
}

TEST_CASE("a builder inserts in order at the place it was told") {
  auto context = test::make_context();
  Module module(context);
  Builder builder(module);
  const Type f32 = context->types().scalar(Dtype::F32);
  const OpRef func = builder.func("f", {{f32}});
  const auto make = [&](std::string_view name) {
    const OpRef op = builder.create("neg", {func.region().argument(0)}, {f32});
    op.result().set_name(name);
    return op;
  };
  builder.set_end(func.region());
  const OpRef c = make("c"), f = make("f");
  builder.set_start(func.region());
  make("a");
  make("b");
  builder.set_after(c);
  make("d");
  builder.set_before(f);
  make("e");
  builder.set_after(f);
  const Location here = context->locations().position("m.py", 4, 2);
  builder.set_location(here);
  CHECK(make("g").location() == here);
  std::string order;
  for (const OpRef op : func.region().ops()) order += op.result().name();
  CHECK(order == "abcdefg");
  const OpRef loose = module.create(context->find_op("neg"), {{func.region().argument(0)}}, {}, {{f32}});
  CHECK_THROWS_AS(builder.set_before(loose), InternalError);
  CHECK_THROWS_AS(builder.set_after(loose), InternalError);
  CHECK_THROWS_AS(builder.create("no_such_op", {}, {}), InternalError);
  // Module-level items go to the body whatever the insertion point.
  const OpRef weight = builder.weight("w", f32);
  CHECK(weight.parent() == module.body());
  CHECK(context->attributes().as_type(weight.attr("type")) == f32);
  CHECK(module.check_store().empty());
}

TEST_CASE("values of another module are refused") {
  auto context = test::make_context();
  Module one(context), two(context);
  Builder builder(one), other(two);
  const Type f32 = context->types().scalar(Dtype::F32);
  const OpRef f = builder.func("f", {{f32}}), g = other.func("g", {{f32}});
  builder.set_end(f.region());
  const OpRef op = builder.create("neg", {f.region().argument(0)}, {f32});
  CHECK_THROWS_AS(op.set_operand(0, g.region().argument(0)), InternalError);
  CHECK_THROWS_AS(op.set_operand(1, f.region().argument(0)), InternalError);
  CHECK_THROWS_AS(op.result().replace_all_uses_with(g.region().argument(0)), InternalError);
  CHECK_THROWS_AS(op.set_operands({{Value()}}), InternalError);
  CHECK(one.check_store().empty());
}
