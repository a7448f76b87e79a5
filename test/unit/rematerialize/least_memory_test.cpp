// What temporaries take at least, whatever the order of kernels.
#include "rematerialize/least_memory.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "check/random_program.h"
#include "codegen/describe_module.h"
#include "memory/memory_plan.h"
#include "ops/op_sizes.h"
#include "rematerialize/choose.h"
#include "transforms/program.h"
#include "verify/verify.h"

using namespace mlgc;

namespace {

std::int64_t least(const std::string& text, const SymbolSizes& sizes = {}) {
  const test::ParsedModule parsed(text);
  return least_memory(FuncRef(parsed.func()), sizes);
}

// `%name = fusion` of one op.
std::string kernel(const std::string& name, const std::string& op, const std::string& operand) {
  return "  %" + name + " = fusion (%0 = %" + operand + ") {\n    %1 = " + op +
         " %0 : tensor<[B]x4xf32>\n    yield %1\n  } : tensor<[B]x4xf32>\n";
}
// `%name = a*b`.
std::string product(const std::string& name, const std::string& a, const std::string& b) {
  return "  %" + name + " = fusion (%0 = %" + a + ", %1 = %" + b +
         ") {\n    %2 = mul %0, %1 : tensor<[B]x4xf32>\n    yield %2\n  } : tensor<[B]x4xf32>\n";
}
std::string function(const std::string& body, const std::string& results, const std::string& types) {
  return "func @f(%x: tensor<[B]x4xf32>, %z: tensor<[B]x4xf32>) -> " + types + " {\n" + body + "  return " + results +
         "\n}\n";
}

}  // namespace

TEST_CASE("what is computed before a kernel and read behind it is in memory at once") {
  // There and back: %a and %b wait for %c.
  const std::string text = function(kernel("a", "exp", "x") + kernel("b", "exp", "a") + kernel("c", "exp", "b") +
                                        product("d", "c", "b") + product("e", "d", "a") + kernel("y", "neg", "e"),
                                    "%y", "tensor<[B]x4xf32>");
  // At %d three are read now or later, and one of them may lie in the result.
  CHECK(least(text, {{"B", 8}}) == 256);
  CHECK(least(text, {{"B", 1}}) == 32);
  CHECK(least(text) == 0);
  CHECK(least(text, {{"C", 8}}) == 0);
}

TEST_CASE("what is more than 64 bits hold is as much as they hold") {
  const std::string text = function(kernel("a", "exp", "x") + kernel("b", "exp", "a") + kernel("c", "exp", "b") +
                                        product("d", "c", "b") + product("e", "d", "a") + kernel("y", "neg", "e"),
                                    "%y", "tensor<[B]x4xf32>");
  CHECK(least(text, {{"B", std::int64_t{1} << 58}}) == INT64_MAX);
  CHECK(least(text, {{"B", std::int64_t{1} << 62}}) == INT64_MAX);
}

TEST_CASE("what another order frees first does not count") {
  // Two branches, each of which can be done with before the other begins.
  const std::string branches = function(
      kernel("a", "exp", "x") + kernel("b", "exp", "z") + product("c", "a", "a") + product("d", "b", "b") +
          "  %s = fusion (%0 = %c, %1 = %d) {\n    %2 = add %0, %1 : tensor<[B]x4xf32>\n    %3 = sum %2 {dim = [0, 1]} "
          ": tensor<f32>\n    yield %3\n  } : tensor<f32>\n",
      "%s", "tensor<f32>");
  CHECK(least(branches, {{"B", 8}}) == 256);  // %c and %d, at the sum
  const std::string returned = function(kernel("a", "exp", "x") + kernel("b", "exp", "a") + product("y", "b", "a"),
                                        "%y, %a", "(tensor<[B]x4xf32>, tensor<[B]x4xf32>)");
  CHECK(least(returned, {{"B", 8}}) == 0);  // %a is a result, and %b may lie in the other one
}

TEST_CASE("a kernel does not read what a barrier in it waits for") {
  const auto text = [](const std::string& op) {
    return function(kernel("a", "exp", "x") + kernel("b", "exp", "x") +
                        "  %c = fusion (%0 = %z, %1 = %a, %2 = %b) {\n    %3 = optimization_barrier %0, %1 : "
                        "tensor<[B]x4xf32>\n    %4 = " +
                        op +
                        " : tensor<[B]x4xf32>\n    %5 = sum %4 {dim = [0, 1]} : tensor<f32>\n    yield %5\n  } : "
                        "tensor<f32>\n",
                    "%c", "tensor<f32>");
  };
  CHECK(least(text("mul %3, %2"), {{"B", 8}}) == 128);
  CHECK(least(text("mul %1, %2"), {{"B", 8}}) == 256);
}

namespace {

bool run_passes(Module& module, const std::string& text, DiagnosticEngine& diagnostics) {
  const auto pipeline = parse_pipeline(text, all_passes());
  REQUIRE(bool(pipeline));
  return PassManager(module.context(), {.verify = verify}).run(module, *pipeline, diagnostics);
}

// Products, elementwise ops, sums and transposes of what was computed lately, and long ago, down to one number.
std::string chain(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::string> names{"%x", "%z"};
  std::string body;
  const auto pick = [&](std::size_t last) { return names[names.size() - 1 - random() % std::min(last, names.size())]; };
  for (std::size_t i = 0, count = 6 + random() % 14; i < count; ++i) {
    const std::string name = "%v" + std::to_string(i), a = pick(2), b = pick(6);
    constexpr std::array kUnary{"exp", "tanh", "sin", "neg"};
    switch (random() % 6) {
      case 0: body += name + " = " + kUnary[random() % kUnary.size()] + " " + a + "\n"; break;
      case 1: body += name + " = softmax " + a + " {dim = " + std::to_string(random() % 2) + "}\n"; break;
      case 2: body += name + " = transpose " + a + " {dim0 = 0, dim1 = 1}\n"; break;
      case 3: body += name + " = mul " + a + ", " + b + "\n"; break;
      default: body += name + " = matmul " + a + ", " + b + "\n"; break;
    }
    names.push_back(name);
  }
  return "func @f(%x: tensor<16x16xf32>, %z: tensor<16x16xf32>) -> tensor<f32> {\n" + body + "%l = mean " +
         names.back() + " {dim = [0, 1]}\nreturn %l\n}\n";
}

struct Tally {
  std::size_t plans = 0;
  std::size_t bounds = 0, near = 0;  // that are more than nothing, and more than half of the plan
};

// The kernels, and the plan that is made of them, at sizes of 1, 3 and 16.
void check_plans(Module& kernels, Tally& tally, DiagnosticEngine& diagnostics) {
  Module planned = kernels;
  if (!run_passes(planned, "lower-to-loops,layout,weight-panels,schedule,plan", diagnostics)) return;
  const auto host_functions = codegen::describe_module(planned);
  if (!host_functions) return;
  for (const codegen::ModelFunction& host_function : *host_functions)
    for (const std::int64_t size : {1, 3, 16}) {
      SymbolSizes sizes;
      for (const std::string& name : size_names(FuncRef(host_function.host_function))) sizes[name] = size;
      const auto plan = plan_memory(kernels.context().index(), host_function, sizes);
      if (!plan) continue;
      INFO("size " << size << "\n" << print(kernels) << print(planned));
      const std::int64_t bound = least_memory(find_function(kernels, plan->function), sizes);
      CHECK(bound <= plan->arena);
      ++tally.plans;
      tally.bounds += bound > 0 ? 1U : 0U;
      tally.near += bound > plan->arena / 2 ? 1U : 0U;
    }
}

}  // namespace

TEST_CASE("no plan of a random program takes less") {
  Tally tally;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto context = make_context();
    DiagnosticEngine diagnostics(context->locations());
    Module kernels = draw_program(context, {.seed = seed, .ops = 16});
    INFO("seed " << seed);
    if (run_passes(kernels, "inline,canonicalize,cse,dce,fuse", diagnostics)) check_plans(kernels, tally, diagnostics);
  }
  CHECK(tally.plans > 100);
  CHECK(tally.bounds > 20);
}

TEST_CASE("no plan of a gradient takes less, whatever is computed again") {
  Tally tally;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const auto context = make_context();
    DiagnosticEngine diagnostics(context->locations());
    const std::string text = chain(seed);
    Module kernels = test::parse(context, text);
    const std::string choice = "recompute=" + std::string(kRecomputeNames[seed % kRecomputeNames.size()]) +
                               " segments=" + std::to_string(seed % 3 + 1);
    INFO(choice << "\n" << text);
    REQUIRE(run_passes(kernels,
                       "grad{function=f},canonicalize,cse,dce,rematerialize{function=f_grad results=1 " + choice +
                           "},canonicalize,cse,dce,fuse",
                       diagnostics));
    check_plans(kernels, tally, diagnostics);
  }
  CHECK(tally.plans > 100);
  CHECK(tally.near > 40);
}
