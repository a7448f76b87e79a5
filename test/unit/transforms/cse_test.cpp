// cse: what is merged and what is not.
#include "program.h"

namespace mlgc {
namespace {

bool unchanged(std::string_view text) { return test::after("cse", text) == test::canonical(text); }

TEST_CASE("cse merges chains in one run") {
  CHECK(test::after("cse", R"(func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = exp %x : tensor<4xf32>
  %1 = exp %x : tensor<4xf32>
  %2 = neg %0 : tensor<4xf32>
  %3 = neg %1 : tensor<4xf32>
  %4 = sub %2, %3 : tensor<4xf32>
  return %4
})") == test::canonical(R"(func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = exp %x : tensor<4xf32>
  %2 = neg %0 : tensor<4xf32>
  %4 = sub %2, %2 : tensor<4xf32>
  return %4
})"));
}

TEST_CASE("cse tells attributes, operand order and factors of one side apart") {
  CHECK(unchanged(R"(func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = sub %x, %y : tensor<4xf32>
  %1 = sub %y, %x : tensor<4xf32>
  return %0, %1
})"));
  CHECK(unchanged(R"(func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = add %x, %y {alpha = 2} : tensor<4xf32>
  %1 = add %y, %x {alpha = 2} : tensor<4xf32>
  return %0, %1
})"));
  CHECK(unchanged(R"(func @f(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = mul %x {other = 2} : tensor<4xf32>
  %1 = mul %x {other = 3} : tensor<4xf32>
  return %0, %1
})"));
}

TEST_CASE("cse merges an op in a region with one around it, never one in a sibling region or another function") {
  CHECK(test::after("cse", R"(func @f(%c: tensor<i1>, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = exp %x : tensor<4xf32>
  %1 = if %c {
    %2 = exp %x : tensor<4xf32>
    yield %2
  } else {
    %3 = neg %x : tensor<4xf32>
    yield %3
  } : tensor<4xf32>
  %4 = neg %x : tensor<4xf32>
  return %1, %4
})") == test::canonical(R"(func @f(%c: tensor<i1>, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = exp %x : tensor<4xf32>
  %1 = if %c {
    yield %0
  } else {
    %3 = neg %x : tensor<4xf32>
    yield %3
  } : tensor<4xf32>
  %4 = neg %x : tensor<4xf32>
  return %1, %4
})"));
  CHECK(unchanged(R"(func @f() -> tensor<f32> {
  %0 = constant {value = dense<1.0> : tensor<f32>} : tensor<f32>
  return %0
}
func @g() -> tensor<f32> {
  %0 = constant {value = dense<1.0> : tensor<f32>} : tensor<f32>
  return %0
})"));
}

TEST_CASE("an isolated region does not see the constants around it") {
  CHECK(unchanged(R"(func @f(%x: tensor<f32>) -> tensor<f32> {
  %0 = constant {value = dense<1.0> : tensor<f32>} : tensor<f32>
  %1 = fusion (%a = %x) {
    %2 = constant {value = dense<1.0> : tensor<f32>} : tensor<f32>
    %3 = add %a, %2 : tensor<f32>
    yield %3
  } : tensor<f32>
  %4 = sub %1, %0 : tensor<f32>
  return %4
})"));
}

TEST_CASE("cse does not merge loads, between which somebody may have stored") {
  CHECK(unchanged(R"(func @f(%b: buffer<4xf32, argument>, %i: index) -> f32 {
  %0 = load %b[%i] : f32
  store %0, %b[%i]
  %1 = load %b[%i] : f32
  %2 = add %0, %1 : f32
  return %2
})"));
}

TEST_CASE("the op that stays has the locations of both") {
  const test::Run result = test::run("cse", R"(func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = exp %x : tensor<4xf32> loc("a.py":1:2)
  %1 = exp %x : tensor<4xf32> loc("a.py":3:4)
  %2 = add %0, %1 : tensor<4xf32> loc("a.py":5:6)
  return %2
})");
  CHECK(print(result.module, {.locations = true}).find(R"(loc(fused["a.py":1:2, "a.py":3:4]))") != std::string::npos);
}

}  // namespace
}  // namespace mlgc
