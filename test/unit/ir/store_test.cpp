// The store: navigation, edits, use lists, the symbol table, snapshots and compaction.
#include "ir/module.h"

#include <string>
#include <vector>

#include "ir/function.h"
#include "ir_test_ops.h"
#include "support_catch.h"

using namespace mlgc;

namespace {

struct Graph {
  std::shared_ptr<Context> context = test::make_context();
  Module module{context};
  Builder builder{module};
  Type f32 = context->types().tensor(Dtype::F32, {});
  OpRef func = builder.func("f", {{f32, f32}});
  Value x = func.region().argument(0), y = func.region().argument(1);
  Graph() { builder.set_end(func.region()); }
  OpRef add(Value a, Value b) { return builder.create("add", {a, b}, {f32}); }
};

std::vector<std::string> names(RegionRef region) {
  std::vector<std::string> result;
  for (const OpRef op : region.ops()) result.emplace_back(op.result().name());
  return result;
}

}  // namespace

TEST_CASE("handles navigate from ops to values and back") {
  Graph g;
  const OpRef sum = g.add(g.x, g.y);
  const OpRef twice = g.add(sum.result(), sum.result());
  CHECK(sum.is(GraphOp::Add));
  CHECK(sum.is(test::kAdd));
  CHECK(sum.operand(1) == g.y);
  CHECK(sum.result().definer() == sum);
  CHECK(sum.result().is_result());
  CHECK(g.y.is_argument());
  CHECK(g.y.number() == 1);
  CHECK(g.y.argument_of() == g.func.region());
  CHECK_FALSE(g.y.definer().valid());
  CHECK(sum.next() == twice);
  CHECK(twice.previous() == sum);
  CHECK_FALSE(twice.next().valid());
  CHECK(sum.parent_op() == g.func);
  CHECK(g.func.parent_op() == g.module.top());
  CHECK_FALSE(g.module.top().parent_op().valid());
  CHECK(sum.is_inside(g.module.top()));
  CHECK(sum.result().use_count() == 2);
  CHECK(sum.result().users() == std::vector<OpRef>{twice});
  CHECK_FALSE(sum.result().has_one_use());
  CHECK(twice.results_unused());
  for (const Use use : sum.result().uses()) {
    CHECK(use.owner() == twice);
    CHECK(use.owner().operand(use.operand_number()) == sum.result());
  }
  CHECK(g.module.check_store().empty());
}

TEST_CASE("replacing uses moves them and the name") {
  Graph g;
  const OpRef a = g.add(g.x, g.x), b = g.add(g.y, g.y), user = g.add(a.result(), b.result());
  a.result().set_name("h");
  a.result().replace_all_uses_with(b.result());
  CHECK(user.operand(0) == b.result());
  CHECK(a.results_unused());
  CHECK(b.result().use_count() == 2);
  CHECK(b.result().name() == "h");
  CHECK(a.result().name().empty());
  b.result().replace_all_uses_with(b.result());
  CHECK(b.result().use_count() == 2);
  const OpRef wrap = g.builder.create("neg", {b.result()}, {g.f32});
  b.result().replace_all_uses_except(wrap.result(), wrap);
  CHECK(b.result().users() == std::vector<OpRef>{wrap});
  CHECK(user.operand(0) == wrap.result());
  CHECK(g.module.check_store().empty());
}

TEST_CASE("erasing asks for unused results and takes the regions along") {
  Graph g;
  const OpRef a = g.add(g.x, g.y);
  const OpRef outer = g.builder.create("any", {a.result()}, {}, {}, 2);
  Builder inside(g.module, outer.region(1));
  const OpRef inner = inside.create("neg", {a.result()}, {g.f32});
  inside.create("neg", {inner.result()}, {g.f32});
  const std::size_t before = g.module.op_count();
  CHECK_THROWS_AS(a.erase(), InternalError);
  CHECK(g.module.check_store().empty());
  outer.erase();
  CHECK(g.module.op_count() == before - 3);
  CHECK(g.module.dead_op_count() == 3);
  CHECK(inner.erased());
  CHECK(a.results_unused());
  a.erase();
  CHECK(g.func.region().empty());
  CHECK_THROWS_AS(g.module.top().erase(), InternalError);
  CHECK(g.module.check_store().empty());
}

TEST_CASE("ops move within and between regions, never into themselves") {
  Graph g;
  const OpRef a = g.add(g.x, g.y), b = g.add(g.x, g.y), c = g.add(g.x, g.y);
  for (const auto& [op, name] : {std::pair{a, "a"}, {b, "b"}, {c, "c"}}) op.result().set_name(name);
  c.move_before(a);
  CHECK(names(g.func.region()) == std::vector<std::string>{"c", "a", "b"});
  c.move_after(b);
  CHECK(names(g.func.region()) == std::vector<std::string>{"a", "b", "c"});
  b.move_before(b);
  b.move_after(a);
  CHECK(names(g.func.region()) == std::vector<std::string>{"a", "b", "c"});
  a.detach();
  CHECK_FALSE(a.parent().valid());
  CHECK(names(g.func.region()) == std::vector<std::string>{"b", "c"});
  const OpRef outer = g.builder.create("any", {}, {}, {}, 1);
  a.move_to_end(outer.region());
  outer.region().splice_before(c);
  CHECK(outer.region().empty());
  CHECK(a.next() == c);
  CHECK_THROWS_AS(outer.move_to_end(outer.region()), InternalError);
  const OpRef other = g.builder.create("any", {}, {}, {}, 1);
  a.move_to_end(outer.region());
  outer.region().move_to(other);
  CHECK(outer.region_count() == 0);
  CHECK(other.region_count() == 2);
  CHECK(a.parent_op() == other);
  CHECK(a.parent().number() == 1);
  CHECK_THROWS_AS(other.region(0).move_to(other), InternalError);
  CHECK(g.module.check_store().empty());
}

TEST_CASE("operands, results, regions and arguments can be added later") {
  Graph g;
  const OpRef op = g.module.create(g.context->find_op("any"), {}, {}, {});
  g.builder.insert(op);
  const RegionRef first = op.add_region();
  g.add(g.x, g.y);
  const RegionRef second = op.add_region();
  CHECK(op.region(0) == first);
  CHECK(op.region(1) == second);
  op.add_results({{g.f32, g.f32}});
  CHECK(op.result(1).definer() == op);
  CHECK_THROWS_AS(op.add_results({{g.f32}}), InternalError);
  // Interleaved, so that both slices have to move.
  for (int i = 0; i < 20; ++i) {
    first.add_argument(g.f32);
    second.add_argument(g.context->types().index());
  }
  CHECK(first.argument_count() == 20);
  CHECK(second.argument(19).number() == 19);
  const Value fifth = first.argument(5);
  op.set_operands({{fifth, g.x, fifth}});
  CHECK(fifth.use_count() == 2);
  CHECK_THROWS_AS(first.erase_argument(5), InternalError);
  first.erase_argument(3);
  CHECK(fifth.number() == 4);
  CHECK(first.argument(4) == fifth);
  op.set_operands({{g.y}});
  CHECK_FALSE(fifth.has_uses());
  CHECK(op.operand_count() == 1);
  op.set_operand(0, g.x);
  CHECK(g.y.has_one_use());  // by the sum inserted above
  CHECK(g.module.check_store().empty());
  for (int i = 2; i < 255; ++i) op.add_region();
  CHECK_THROWS_AS(op.add_region(), InternalError);
}

TEST_CASE("effects of a region op are its own and those inside") {
  Graph g;
  const OpRef outer = g.builder.create("any", {}, {}, {}, 1);
  CHECK(outer.pure());
  Builder inside(g.module, outer.region());
  const OpRef store = inside.create("store", {g.x}, {});
  CHECK(has(outer.effects(), Effects::Writes));
  CHECK_FALSE(outer.pure());
  CHECK(outer.own_effects() == Effects::None);
  store.erase();
  CHECK(outer.pure());
}

TEST_CASE("the symbol table follows edits, and the first of equal names counts") {
  Graph g;
  AttributePool& attributes = g.context->attributes();
  const OpRef w = g.builder.weight("w", g.f32);
  CHECK(g.module.lookup("f") == g.func);
  CHECK(g.module.lookup("w") == w);
  CHECK_FALSE(g.module.lookup("nothing").valid());
  w.set_attr("sym_name", attributes.string("v"));
  CHECK_FALSE(g.module.lookup("w").valid());
  CHECK(g.module.lookup("v") == w);
  const OpRef second = g.builder.state("v", g.f32);
  CHECK(g.module.lookup("v") == w);
  CHECK(g.module.check_store().empty());
  second.move_before(w);
  CHECK(g.module.lookup("v") == second);
  second.move_after(w);
  CHECK(g.module.lookup("v") == w);
  w.erase();
  CHECK(g.module.lookup("v") == second);
  second.detach();
  CHECK_FALSE(g.module.lookup("v").valid());
  CHECK(g.module.check_store().empty());
  // A symbol inside a function is not one of the module.
  second.move_to_end(g.func.region());
  CHECK_FALSE(g.module.lookup("v").valid());
}

TEST_CASE("a snapshot is independent and keeps serials") {
  Graph g;
  const OpRef a = g.add(g.x, g.y);
  g.add(a.result(), a.result());
  const Module snapshot = g.module;
  const std::string before = test::dump(g.module);
  CHECK(test::dump(snapshot) == before);
  a.result().replace_all_uses_with(g.x);
  a.erase();
  g.module.compact();
  CHECK(test::dump(g.module) != before);
  CHECK(test::dump(snapshot) == before);
  CHECK(snapshot.check_store().empty());
  g.module = snapshot;
  CHECK(test::dump(g.module) == before);
  CHECK(&snapshot.context() == g.context.get());
}

TEST_CASE("compaction keeps the program, sorts ids into program order and remaps side tables") {
  Graph g;
  const OpRef a = g.add(g.x, g.y), b = g.add(g.x, g.x), c = g.add(a.result(), b.result());
  c.result().set_name("sum");
  b.move_before(a);
  const OpRef dead = g.add(g.x, g.y);
  const OpRef loose = g.module.create(g.context->find_op("neg"), {{g.x}}, {}, {{g.f32}});
  OpTable<int> order(g.module);
  ValueTable<std::string> notes(g.module);
  order[c.id()] = 3;
  order[dead.id()] = 4;
  notes[b.result().id()] = "b";
  dead.erase();
  const std::string before = test::dump(g.module);
  const OpId old_c = c.id(), old_loose = loose.id();
  const ValueId old_b = b.result().id();
  const Remapping moved = g.module.compact();
  CHECK(test::dump(g.module) == before);
  CHECK(g.module.check_store().empty());
  CHECK_FALSE(moved.ops[old_loose.index()].valid());
  const OpRef new_c = g.module.op(moved.ops[old_c.index()]);
  CHECK(new_c.result().name() == "sum");
  CHECK(order[new_c.id()] == 3);
  CHECK(notes[moved.values[old_b.index()]] == "b");
  CHECK(g.module.dead_op_count() == 0);
  CHECK(g.module.op_id_bound() == g.module.op_count());
  OpId last(0);
  for (const OpRef op : g.module.lookup("f").region().ops()) {
    CHECK(op.id() > last);
    last = op.id();
  }
  // Use lists run in program order.
  UseId use;
  for (const Use u : g.module.lookup("f").region().argument(0).uses()) {
    if (use.valid()) CHECK(u.id() > use);
    use = u.id();
  }
#ifndef NDEBUG
  CHECK_THROWS_AS(c.opcode(), InternalError);
  CHECK_THROWS_AS(g.x.type(), InternalError);
#endif
}

TEST_CASE("a side table may outlive its module and does not follow a snapshot") {
  Graph g;
  auto copy = std::make_unique<Module>(g.module);
  OpTable<int> table(*copy);
  table[copy->lookup("f").id()] = 1;
  g.module.compact();
  Module moved = std::move(*copy);
  copy.reset();
  const OpRef f = moved.lookup("f");
  CHECK(table[f.id()] == 1);
}

TEST_CASE("functions pair results with updates and carry constraints") {
  Graph g;
  IndexPool& index = g.context->index();
  g.builder.state("s", g.f32);
  const OpRef sum = g.add(g.x, g.y);
  g.builder.create("return", {sum.result(), g.x, g.y}, {});
  const FuncRef f = find_function(g.module, "f");
  REQUIRE(f.valid());
  CHECK(g.context->types().print(f.type()) == "(tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>)");
  const std::vector<UpdateTarget> updates{{g.context->strings().intern("s"), std::nullopt}, {StringId(), 1}};
  f.set_updates(updates);
  CHECK(f.updates() == updates);
  CHECK(f.results() == std::vector<Value>{sum.result()});
  CHECK(g.context->types().print(f.type()) == "(tensor<f32>, tensor<f32>) -> tensor<f32>");
  const Constraints where{{{index.constant(1), index.symbol("B")}, {Relation::LessEqual}}};
  f.set_constraints(where);
  CHECK(f.constraints() == where);
  f.set_constraints({});
  f.set_updates({});
  CHECK_FALSE(f.op().attr("where").valid());
  CHECK(f.result_count() == 3);
  CHECK(functions(g.module).size() == 1);
  CHECK_FALSE(find_function(g.module, "s").valid());
}
