// dce: what may go and what stays.
#include "program.h"

namespace mlgc {
namespace {

TEST_CASE("dce removes chains of unread ops in one run") {
  const test::Run result = test::run("dce", R"(func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = neg %x : tensor<4xf32>
  %1 = exp %0 : tensor<4xf32>
  %2 = tanh %1 : tensor<4xf32>
  return %x
})");
  CHECK(result.ok);
  CHECK(result.statistics.find("ops-removed: 3") != std::string::npos);
  CHECK(print(result.module) == test::canonical("func @f(%x: tensor<4xf32>) -> tensor<4xf32> {\nreturn %x\n}"));
}

TEST_CASE("dce removes an unread region op with what is inside, and unread ops inside one that stays") {
  CHECK(test::after("dce", R"(func @f(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %u = if %c {
    %0 = neg %x : tensor<4xf32>
    yield %0
  } else {
    yield %x
  } : tensor<4xf32>
  %v = if %c {
    %1 = exp %x : tensor<4xf32>
    %2 = neg %x : tensor<4xf32>
    yield %2
  } else {
    yield %x
  } : tensor<4xf32>
  return %v
})") == test::canonical(R"(func @f(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %v = if %c {
    %2 = neg %x : tensor<4xf32>
    yield %2
  } else {
    yield %x
  } : tensor<4xf32>
  return %v
})"));
}

TEST_CASE("dce keeps symbols that nothing refers to unless asked, and what derived weights read") {
  constexpr std::string_view kText = R"(weight @a : tensor<4xf32>
weight @b : tensor<4xf32>
weight @d : tensor<4xf32> = {
  %0 = read @b : tensor<4xf32>
  %1 = neg %0 : tensor<4xf32>
  yield %1
}
state @s : tensor<4xf32>
func @f() -> tensor<4xf32> {
  %0 = read @d : tensor<4xf32>
  return %0
})";
  CHECK(test::after("dce", kText) == test::canonical(kText));
  const test::Run result = test::run("dce{dead-symbols=true}", kText);
  CHECK(result.statistics.find("symbols-removed: 2") != std::string::npos);
  CHECK_FALSE(result.module.lookup("a").valid());
  CHECK_FALSE(result.module.lookup("s").valid());
  CHECK(result.module.lookup("b").valid());
  CHECK(result.module.lookup("d").valid());
}

TEST_CASE("dce keeps stores and what they need") {
  constexpr std::string_view kText = R"(func @f(%b: buffer<4xf32, argument>, %x: f32, %i: index) {
  %y = neg %x : f32
  store %y, %b[%i]
  return
})";
  CHECK(test::after("dce", kText) == test::canonical(kText));
}

}  // namespace
}  // namespace mlgc
