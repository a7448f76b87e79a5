// What the numeric checker reports when nothing can be blamed, and when functions come and change.
#include "check/numeric_checker.h"
#include "check/changed_functions.h"
#include "diag/kinds_check.h"
#include "ir/clone.h"
#include "ir/walk.h"
#include "transforms/program.h"

namespace mlgc {
namespace {

constexpr std::string_view kText = R"(func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = exp %x : tensor<4xf32>
  return %0
})";

PassResult swap_opcode(Module& module, bool count, PassContext& context) {
  OpRef found;
  walk(module, [&](OpRef op) {
    if (op.name() == "exp") found = op;
  });
  if (!found.valid() || (count && !context.may_rewrite("swap", found.location()))) return PassResult::Unchanged;
  Builder builder(module);
  builder.set_before(found);
  const OpRef made = builder.create("neg", {found.operand(0)}, {found.result().type()});
  found.result().replace_all_uses_with(made.result());
  found.erase();
  return PassResult::Changed;
}
PassResult uncounted(Module& module, const NoPassOptions&, PassContext& context) {
  return swap_opcode(module, false, context);
}
PassResult adds_function(Module& module, const NoPassOptions&, PassContext& context) {
  if (!context.may_rewrite("clone", {})) return PassResult::Unchanged;
  clone_function(module.lookup("f"), module, "g");
  return PassResult::Changed;
}

std::string messages(const PassDef& pass) {
  const std::shared_ptr<Context> context = make_context();
  Module module = test::parse(context, kText);
  NumericChecker checker({});
  PassManager manager(*context,
                      {.check = [&](const PassedStep& p, DiagnosticEngine& d) { return checker.check(p, d); }});
  DiagnosticEngine diagnostics(context->locations());
  manager.run(module, Pipeline{{*make_step(pass, "")}, {}}, diagnostics);
  return render_text(diagnostics);
}

TEST_CASE("a pass that does not count its rewrites is blamed without one") {
  constexpr PassDef kPass{.name = "uncounted", .summary = "", .body = pass_body<NoPassOptions, uncounted>()};
  const std::string text = messages(kPass);
  CHECK(text.find("pass `uncounted` changes what `@f` computes") != std::string::npos);
  CHECK(text.find("no rewrite can be blamed: the pass does not count its rewrites") != std::string::npos);
}

TEST_CASE("a function that a pass makes is listed") {
  constexpr PassDef kPass{.name = "adds", .summary = "", .body = pass_body<NoPassOptions, adds_function>()};
  CHECK(messages(kPass).find("`@g` is not checked after pass `adds`: the pass has made it") != std::string::npos);
}

TEST_CASE("callers of what changed have changed") {
  const std::shared_ptr<Context> context = make_context();
  const std::string tail =
      "func @g(%x: tensor<4xf32>) -> tensor<4xf32> {\n  %0 = call @f, %x : tensor<4xf32>\n  return "
      "%0\n}\nfunc @h(%x: tensor<4xf32>) -> tensor<4xf32> {\n  return %x\n}";
  Module before = test::parse(context, std::string(kText) + "\n" + tail);
  Module after = before;
  DiagnosticEngine silent(context->locations());
  constexpr PassDef kPass{.name = "uncounted", .summary = "", .body = pass_body<NoPassOptions, uncounted>()};
  PassContext pass(kPass, silent, Numerics::Exact);
  REQUIRE(uncounted(after, {}, pass) == PassResult::Changed);
  CHECK(changed_functions(before, after) == std::set<std::string>{"f", "g"});
  CHECK(changed_functions(before, before).empty());
}

}  // namespace
}  // namespace mlgc
