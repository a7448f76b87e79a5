// Orders of modules that no text has: cycles that were made, and nesting.
#include "ir/topological_order.h"

#include "program.h"

namespace mlgc {
namespace {

TEST_CASE("a cycle that a module holds is refused with its values, and nothing moves") {
  const std::shared_ptr<Context> context = make_context();
  Module module = test::parse(context, R"(func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = relu %x : tensor<4xf32>
  %b = add %a, %x : tensor<4xf32>
  %c = neg %b : tensor<4xf32>
  return %c
})");
  const OpRef first = module.lookup("f").region().front();
  first.set_operand(0, first.next().next().result());
  const std::string before = print(module);
  DiagnosticEngine diagnostics(context->locations());
  PassManager manager(*context, {.check_changed = true});
  CHECK_FALSE(manager.run(module, parse_pipeline("topological-sort", all_passes()).value(), diagnostics));
  const std::vector<Diagnostic> said = diagnostics.sorted();
  REQUIRE(said.size() == 1);
  CHECK(said[0].message() ==
        "no order of these ops defines every value before its use: `%a` uses `%c`, `%c` uses `%b`, `%b` uses `%a`");
  CHECK(print(module) == before);
}

TEST_CASE("long cycles are listed in part, and all of them are found") {
  const std::shared_ptr<Context> context = make_context();
  std::string text = "func @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n";
  for (int i = 0; i < 100; ++i) text += "  %a" + std::to_string(i) + " = neg %a" + std::to_string((i + 1) % 100) + "\n";
  text += "  %b = neg %b\n  return %x\n}";
  DiagnosticEngine diagnostics(context->locations());
  const SourceFile& file = context->locations().add_source("t.mlir", text);
  CHECK_FALSE(
      parse_module(context, file, diagnostics, {.infer = test::infer_with_facts, .any_order = true}).has_value());
  const std::vector<Diagnostic> said = diagnostics.sorted();
  REQUIRE(said.size() == 2);
  CHECK(said[0].message().ends_with("`%a19` uses `%a20`, and so on through 100 ops"));
  CHECK(said[1].message().ends_with(": `%b` uses `%b`"));
}

TEST_CASE("names of regions beside each other do not stand for each other") {
  const std::shared_ptr<Context> context = make_context();
  Module module = test::parse(context, R"(func @f(%x: tensor<4xf32>, %k: tensor<i1>) -> tensor<4xf32> {
  %r = if %k {
    %q = add %t, %a
    %t = neg %x
    yield %q
  } else {
    %t = exp %a
    yield %t
  }
  %s = if %k {
    %a = neg %x
    yield %a
  } else {
    yield %r
  }
  %a = exp %x
  return %s
})",
                              true);
  CHECK(TopologicalOrder(module.top()).apply() > 0);
  CHECK(print(module) == test::canonical(R"(func @f(%x: tensor<4xf32>, %k: tensor<i1>) -> tensor<4xf32> {
  %a = exp %x
  %r = if %k {
    %t = neg %x
    %q = add %t, %a
    yield %q
  } else {
    %t = exp %a
    yield %t
  }
  %s = if %k {
    %a_1 = neg %x
    yield %a_1
  } else {
    yield %r
  }
  return %s
})"));
}

TEST_CASE("text from the last op to the first takes linear time, however deep it nests") {
  const std::shared_ptr<Context> context = make_context();
  std::string text = "func @f(%x: tensor<4xf32>, %k: tensor<i1>) -> tensor<4xf32> {\n", tail;
  constexpr int kDepth = 400;
  for (int i = 0; i < kDepth; ++i) {
    const std::string n = std::to_string(i);
    text += "%r" + n + " = if %k {\n%s" + n + " = neg %t" + n + "\n";
    tail = "%t" + n + " = neg %u" + n + "\n%u" + n + " = neg %x\nyield %s" + n + "\n} else { yield %z }\n" + tail;
  }
  text += "%w = neg %z\n" + tail + "%z = exp %x\nreturn %r0\n}";
  Module module = test::parse(context, text, true);
  const TopologicalOrder order(module.top());
  CHECK(order.cycles().empty());
  CHECK(order.apply() > 2 * kDepth);
  CHECK(TopologicalOrder(module.top()).sorted());
}

}  // namespace
}  // namespace mlgc
