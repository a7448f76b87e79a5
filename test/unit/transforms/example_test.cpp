// The example of every pass, run: what stands in the reference is what the pass does.
#include <algorithm>
#include <array>

#include "ir/structural_hash.h"
#include "program.h"
#include "verify/verify.h"

namespace mlgc {
namespace {

TEST_CASE("every pass does what its example says") {
  for (const PassDef* pass : all_passes()) {
    DYNAMIC_SECTION(pass->name) {
      REQUIRE_FALSE(pass->example.before.empty());
      const std::shared_ptr<Context> context = make_context();
      Module module = test::parse(context, pass->example.before, pass->takes_any_order);
      const Module expected = test::parse(context, pass->example.after);
      auto step = make_step(*pass, pass->example.options);
      REQUIRE(step.ok());
      DiagnosticEngine diagnostics(context->locations());
      PassManager manager(*context, {.check_changed = true});
      const bool ok = manager.run(module, Pipeline{{*step}, {}}, diagnostics);
      INFO(render_text(diagnostics));
      REQUIRE(ok);
      INFO(print(module));
      INFO(print(expected));
      CHECK(structural_hash(module) == structural_hash(expected));
      CHECK(structural_hash(module) !=
            structural_hash(test::parse(context, pass->example.before, pass->takes_any_order)));
    }
  }
}

TEST_CASE("a pass asks before every change, and leaves a program that verifies after each") {
  for (const PassDef* pass : all_passes()) {
    DYNAMIC_SECTION(pass->name) {
      auto step = make_step(*pass, pass->example.options);
      REQUIRE(step.ok());
      std::uint64_t made = 0, last_hash = 0;
      for (std::uint64_t limit = 0; limit <= made + 1 && limit < 100; ++limit) {
        const std::shared_ptr<Context> context = make_context();
        Module module = test::parse(context, pass->example.before, pass->takes_any_order);
        const std::uint64_t before = structural_hash(module);
        DiagnosticEngine diagnostics(context->locations());
        PassManager manager(*context, {.check_changed = true, .rewrites_limit = limit, .verify = verify});
        const bool ok = manager.run(module, Pipeline{{*step}, {}}, diagnostics);
        INFO("at most " << limit << " rewrites");
        INFO(render_text(diagnostics));
        REQUIRE(ok);
        made = manager.rewrites().count();
        CHECK(made <= limit);
        CHECK((structural_hash(module) == before) == (made == 0));
        last_hash = structural_hash(module);
      }
      CHECK(made >= 1);
      const std::shared_ptr<Context> context = make_context();
      CHECK(last_hash == structural_hash(test::parse(context, pass->example.after)));
    }
  }
}

TEST_CASE("a pass that has nothing to do says that it changed nothing") {
  constexpr std::string_view kText = R"(func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = exp %x : tensor<4xf32>
  return %0
})";
  // For `fuse` every op that computes is something to do.
  constexpr std::string_view kNothing = "func @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n  return %x\n}";
  // And for these every function.
  constexpr std::string_view kNoFunction = "weight @w : tensor<4xf32>";
  constexpr std::array<std::string_view, 5> kOfFunctions{"attach-loss", "grad", "jvp", "lower-to-loops",
                                                         "training-step"};
  // A step of a schedule is asked for by name, and an error where it cannot be taken.
  constexpr std::array<std::string_view, 18> kSteps{
      "block-columns", "collapse", "distribute", "fission",         "fuse-tiles",  "interchange",
      "jam",           "narrow",   "pack",       "pad-load",        "parallelize", "rfactor",
      "split-range",   "stage",    "tile",       "transpose-tiles", "unroll",      "vectorize"};
  for (const PassDef* pass : all_passes()) {
    if (std::find(kSteps.begin(), kSteps.end(), pass->name) != kSteps.end()) continue;
    // Without options these are errors.
    const std::string pipeline = pass->name == "replace-op"    ? "replace-op{from=relu to=silu}"
                                 : pass->name == "partition"   ? "partition{registry=everything min-ops=2}"
                                 : pass->name == "apply-rules" ? "apply-rules{file=fuse-linear}"
                                                               : std::string(pass->name);
    DYNAMIC_SECTION(pass->name) {
      const bool of_functions = std::find(kOfFunctions.begin(), kOfFunctions.end(), pass->name) != kOfFunctions.end();
      const test::Run result = test::run(pipeline, of_functions           ? kNoFunction
                                                   : pass->name == "fuse" ? kNothing
                                                                          : kText);
      CHECK(result.ok);
      CHECK(result.statistics.find(": changed\n") == std::string::npos);
    }
  }
}

TEST_CASE("passes are listed in the order of their names, and order facts name passes that exist") {
  std::string_view before;
  for (const PassDef* pass : all_passes()) {
    CHECK(before < pass->name);
    before = pass->name;
  }
  for (const OrderFact& fact : order_facts()) {
    CHECK(find_pass(all_passes(), fact.earlier) != nullptr);
    CHECK(find_pass(all_passes(), fact.later) != nullptr);
  }
}

}  // namespace
}  // namespace mlgc
