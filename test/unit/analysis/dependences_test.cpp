// Orders that follow the edges, and groups of ops that become one op and ops again.
#include "analysis/dependences.h"

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "analysis/isolate.h"
#include "parsed_module.h"

namespace mlgc {
namespace {

// The edges of a region, as pairs of names: of the first result, or of the row where there is none.
std::set<std::string> edges(const test::ParsedModule& parsed, RegionRef region) {
  const Dependences dependences(parsed.module);
  const RegionDependences& of = dependences.of(region);
  const auto name = [&](std::uint32_t i) {
    const OpRef op = parsed.module.op(of.ops[i]);
    return std::string(op.result_count() > 0 ? op.result().name() : op.name());
  };
  std::set<std::string> out;
  for (std::size_t i = 0; i < of.ops.size(); ++i) CHECK(dependences.number(parsed.module.op(of.ops[i])) == i);
  for (const auto& [from, to] : of.edges) {
    CHECK(from < to);
    out.insert(name(from) + "<" + name(to));
  }
  return out;
}

using Edges = std::set<std::string>;

}  // namespace

TEST_CASE("an edge for each use, by the op or inside of it, of a value, a size or memory") {
  SECTION("values") {
    const test::ParsedModule parsed(R"(func @f(%x: tensor<4xf32>, %p: tensor<i1>) -> tensor<4xf32> {
  %a = exp %x
  %b = sin %x
  %c = if %p {
    %i = neg %a
    %j = neg %i
    yield %j
  } else {
    yield %b
  } : tensor<4xf32>
  %d = add %c, %a
  return %d
}
)");
    CHECK(edges(parsed, parsed.func().region(0)) == Edges{"a<c", "b<c", "a<d", "c<d"});
    CHECK(edges(parsed, parsed.op("c").region(0)) == Edges{"i<j"});
    CHECK(edges(parsed, parsed.op("c").region(1)).empty());
    // Not a region of a function.
    CHECK(Dependences(parsed.module).of(parsed.module.body()).ops.empty());
  }
  SECTION("sizes that an op binds, also where no value of it is read") {
    const test::ParsedModule parsed(
        R"(func @f(%x: tensor<8xf32>) -> (tensor<[k]x1xi64>, tensor<[k]xf32>, tensor<8xf32>) {
  %p = nonzero %x : tensor<[k]x1xi64>
  %o = full {dtype = f32, size = [k], value = 1.0} : tensor<[k]xf32>
  %y = exp %x
  return %p, %o, %y
}
)");
    CHECK(edges(parsed, parsed.func().region(0)) == Edges{"p<o"});
  }
  SECTION("memory") {
    const test::ParsedModule parsed(R"(func @f(%x: buffer<4xf32, argument>, %y: buffer<4xf32, argument>) {
  %a = load %x[0] : f32
  %b = exp %a : f32
  %c = literal {dtype = f32, value = 1.0} : f32
  store %c, %y[0]
  for [0, 4] (%i: index) {
    %d = load %y[%i] : f32
    %e = neg %d : f32
  }
  return
}
)");
    const Edges found = edges(parsed, parsed.func().region(0));
    for (const char* wanted : {"a<b", "a<store", "c<store", "store<for"}) {
      INFO(wanted);
      CHECK(found.contains(wanted));
    }
    // What touches no memory is free of what does.
    CHECK_FALSE(found.contains("b<store"));
    CHECK_FALSE(found.contains("b<for"));
    CHECK_FALSE(found.contains("c<for"));
  }
}

TEST_CASE("orders by groups follow the edges, keep groups together, and change nothing without them") {
  std::mt19937 random(3);
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  for (int round = 0; round < 300; ++round) {
    const std::uint32_t count = 1 + below(12);
    RegionDependences region;
    for (std::uint32_t i = 0; i < count; ++i) region.ops.push_back(OpId(i));
    for (std::uint32_t to = 1; to < count; ++to)
      for (std::uint32_t n = below(3); n > 0; --n) region.edges.emplace_back(below(to), to);
    const std::vector<std::uint32_t> none(count, kNoGroup);
    std::vector<std::uint32_t> expected(count);
    for (std::uint32_t i = 0; i < count; ++i) expected[i] = i;
    CHECK(order_by_groups(region, none, 0) == expected);
    // Two groups of random ops, where contracting them leaves no cycle: an order of ranks shows it.
    std::vector<std::uint32_t> group_of(count, kNoGroup);
    for (std::uint32_t& g : group_of)
      if (const std::uint32_t drawn = below(4); drawn < 2) g = drawn;
    std::vector<std::uint32_t> rank(count + 2, 0);
    const auto unit = [&](std::uint32_t op) { return group_of[op] == kNoGroup ? op : count + group_of[op]; };
    bool cycle = false;
    for (std::uint32_t pass = 0; pass <= count + 2; ++pass)
      for (const auto& [from, to] : region.edges)
        if (unit(from) != unit(to) && rank[unit(to)] <= rank[unit(from)]) {
          rank[unit(to)] = rank[unit(from)] + 1;
          cycle = pass == count + 2;
        }
    if (cycle) continue;
    const std::vector<std::uint32_t> order = order_by_groups(region, group_of, 2);
    REQUIRE(std::is_permutation(order.begin(), order.end(), expected.begin(), expected.end()));
    std::vector<std::size_t> place(count);
    for (std::size_t i = 0; i < count; ++i) place[order[i]] = i;
    for (const auto& [from, to] : region.edges) CHECK(place[from] < place[to]);
    for (const std::uint32_t group : {0U, 1U}) {
      std::vector<std::size_t> places;
      for (std::uint32_t i = 0; i < count; ++i)
        if (group_of[i] == group) places.push_back(place[i]);
      // Its ops stay in their order, next to each other.
      for (std::size_t i = 1; i < places.size(); ++i) CHECK(places[i] == places[i - 1] + 1);
    }
  }
}

TEST_CASE("a group becomes one op with what it reads and gives, and dissolves into what it was") {
  constexpr std::string_view kText =
      R"(func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %one = constant {value = dense<1.0> : tensor<4xf32>} : tensor<4xf32>
  %a = add %x, %one
  %other = sin %y
  %b = mul %a, %y
  %c = sub %b, %one
  %d = add %other, %a
  return %c, %d
}
)";
  test::ParsedModule parsed(kText);
  const Value x = parsed.value("x"), y = parsed.value("y");
  const IsolatedGroup group{
      {parsed.op("a"), parsed.op("b")}, {x, y}, {parsed.value("a"), parsed.value("b")}, {parsed.op("one")}};
  gather_groups(parsed.module, {group}, Dependences(parsed.module));
  CHECK(parsed.op("a").next() == parsed.op("b"));
  ValueMap isolated;
  const OpRef made = isolate_group(parsed.module, group, parsed.context->opcode(GraphOp::Segment),
                                   parsed.context->attributes().dict({}), isolated);
  CHECK(parsed.module.check_store().empty());
  CHECK((made.operand_count() == 2 && made.operand(0) == x && made.operand(1) == y && made.result_count() == 2));
  // Readers outside use its results; inside, what the region has.
  const OpRef c = parsed.op("c"), d = parsed.op("d");
  CHECK((c.operand(0) == made.result(1) && d.operand(1) == made.result(0)));
  CHECK((isolated.find(group.outputs[0]) == made.result(0) && isolated.find(group.outputs[1]) == made.result(1)));
  walk(made, [&](OpRef op) {
    if (op == made) return;
    for (const Value v : op.operands()) CHECK(v.scope() == made.region());
  });
  // The constant was copied, and stays for its other reader.
  CHECK(made.region().front().is(GraphOp::Constant));
  CHECK((c.operand(1).definer().is(GraphOp::Constant) && c.operand(1).definer().parent() == parsed.func().region(0)));
  dissolve_isolated(made);
  CHECK(parsed.module.check_store().empty());
  std::string rows;
  for (const OpRef op : parsed.func().region(0).ops()) rows += std::string(op.name()) + " ";
  CHECK(rows == "constant sin constant add mul sub add return ");
  CHECK((c.operand(0).definer().name() == "mul" && c.operand(0).definer().operand(0) == d.operand(1)));
}

}  // namespace mlgc
