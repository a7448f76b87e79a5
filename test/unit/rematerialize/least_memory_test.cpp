// What temporaries take at least, whatever the order of kernels.
#include "rematerialize/least_memory.h"

#include <memory>
#include <optional>
#include <string>

#include "ops/op_table.h"
#include "support_catch.h"
#include "text/parser.h"

using namespace mlgc;

namespace {

std::int64_t least(const std::string& text, const SymbolSizes& sizes = {}) {
  const std::shared_ptr<Context> context = make_context();
  DiagnosticEngine diagnostics(context->locations());
  const std::optional<Module> module =
      parse_module(context, context->locations().add_source("f.mlir", text), diagnostics);
  REQUIRE(module.has_value());
  return least_memory(find_function(*module, "f"), sizes);
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
