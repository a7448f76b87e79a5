// canonicalize: each family of rules, and the promises about numbers.
#include <set>

#include "ops/op_table.h"
#include "program.h"
#include "transforms/rules.h"

namespace mlgc {
namespace {

// The body of a function of %x, %y: tensor<4xT> and %c: tensor<4xi1> that ends with a `return` of its own.
std::string function(std::string_view body, std::string_view result = "tensor<4xf32>", std::string_view type = "f32") {
  const std::string t = "tensor<4x" + std::string(type) + ">";
  return "func @f(%x: " + t + ", %y: " + t + ", %c: tensor<4xi1>) -> " + std::string(result) + " {\n" +
         std::string(body) + "\n}\n";
}

void becomes(std::string_view before, std::string_view expected, std::string_view result = "tensor<4xf32>",
             std::string_view type = "f32", Numerics numerics = Numerics::LikeEager) {
  CHECK(test::after("canonicalize", function(before, result, type), numerics) ==
        test::canonical(function(expected, result, type)));
}

TEST_CASE("neutral elements go") {
  becomes("%0 = mul %x {other = 1} return %0", "return %x");
  becomes("%k = constant {value = dense<1.0> : tensor<4xf32>} : tensor<4xf32> %0 = div %x, %k return %0", "return %x");
  becomes("%0 = sub %x {other = 0.0} return %0", "return %x");
  becomes("%0 = add %x {other = -0.0} return %0", "return %x");
  becomes("%0 = add %x {other = 0.0} return %0", "return %x");
  becomes("%0 = add %x {other = 0} return %0", "return %x", "tensor<4xi64>", "i64");
}

TEST_CASE("an op that broadcasts its operand stays") {
  constexpr std::string_view kText = R"(func @f(%x: tensor<4xf32>) -> tensor<2x4xf32> {
  %k = constant {value = dense<1.0> : tensor<2x4xf32>} : tensor<2x4xf32>
  %0 = mul %x, %k : tensor<2x4xf32>
  return %0
})";
  CHECK(test::after("canonicalize", kText) == test::canonical(kText));
}

TEST_CASE("rules that change NaN or infinities apply under fast only, or to integers") {
  const std::string_view body = "%0 = mul %x {other = 0} return %0";
  becomes(body, body);
  becomes(body, body, "tensor<4xf32>", "f32", Numerics::Exact);
  becomes(body, "%0 = constant {value = dense<0.0> : tensor<4xf32>} : tensor<4xf32> return %0", "tensor<4xf32>", "f32",
          Numerics::Fast);
  becomes(body, "%0 = constant {value = dense<0> : tensor<4xi32>} : tensor<4xi32> return %0", "tensor<4xi32>", "i32");
  becomes("%0 = eq %x, %x return %0", "%0 = eq %x, %x return %0", "tensor<4xi1>");
  becomes("%0 = eq %x, %x return %0", "%0 = constant {value = dense<true> : tensor<4xi1>} : tensor<4xi1> return %0",
          "tensor<4xi1>", "i64");
}

TEST_CASE("the attribute numerics of a function overrides the mode") {
  const std::string text =
      "func @f(%x: tensor<4xf32>) -> tensor<4xf32> attributes {numerics = \"exact\"} {\n"
      "  %0 = mul %x {other = 0}\n  return %0\n}";
  CHECK(test::after("canonicalize", text, Numerics::Fast) == test::canonical(text));
}

TEST_CASE("twice undone, once repeated") {
  becomes("%0 = neg %x %1 = neg %0 return %1", "return %x");
  becomes("%0 = relu %x %1 = relu %0 return %1", "%0 = relu %x return %0");
  becomes("%0 = neg %x %1 = neg %0 %2 = neg %1 return %2", "%0 = neg %x return %0");
}

TEST_CASE("signs move into sums and products") {
  becomes("%0 = neg %y %1 = sub %x, %0 return %1", "%1 = add %x, %y return %1");
  becomes("%0 = neg %y %1 = add %0, %x return %1", "%1 = sub %x, %y return %1");
  becomes("%0 = neg %x %1 = neg %y %2 = mul %0, %1 return %2", "%2 = mul %x, %y return %2");
}

TEST_CASE("constants move to the right of commutative ops, unless a factor belongs to one side") {
  const std::string k = "%k = constant {value = dense<2.0> : tensor<4xf32>} : tensor<4xf32> ";
  becomes(k + "%0 = add %k, %x return %0", k + "%0 = add %x, %k return %0");
  becomes(k + "%0 = add %k, %x {alpha = 3} return %0", k + "%0 = add %k, %x {alpha = 3} return %0");
}

TEST_CASE("constants move to the right of extremes, as a rule that admits another sign of zero") {
  const std::string k = "%k = constant {value = dense<-0.0> : tensor<4xf32>} : tensor<4xf32> ";
  for (const std::string name : {"maximum", "minimum"}) {
    becomes(k + "%0 = " + name + " %k, %x return %0", k + "%0 = " + name + " %x, %k return %0");
    const std::string text = function(k + "%0 = " + name + " %k, %x return %0");
    CHECK(test::after("canonicalize{disable=" + name + "-constant-right}", text) == test::canonical(text));
  }
}

TEST_CASE("transposes of the same axes undo each other, however the axes are written, and others are one permutation") {
  const auto twice = [](const std::string& second) {
    return "func @f(%x: tensor<4x4x4xf32>) -> tensor<4x4x4xf32> {\n  %0 = transpose %x {dim0 = 0, dim1 = 2}\n"
           "  %1 = transpose %0 " +
           second + "\n  return %1\n}";
  };
  const std::string gone = test::canonical("func @f(%x: tensor<4x4x4xf32>) -> tensor<4x4x4xf32> {\n  return %x\n}");
  CHECK(test::after("canonicalize", twice("{dim0 = -1, dim1 = 0}")) == gone);
  CHECK(test::after("canonicalize", twice("{dim0 = 0, dim1 = -1}")) == gone);
  CHECK(test::after("canonicalize", twice("{dim0 = 0, dim1 = 1}")) ==
        test::canonical("func @f(%x: tensor<4x4x4xf32>) -> tensor<4x4x4xf32> {\n  %0 = permute %x {dims = [1, 2, 0]}\n"
                        "  return %0\n}"));
}

// `where` is a reserved word, so the op stands in the generic form.
std::string where(std::string_view condition, std::string_view a, std::string_view b) {
  return "\"where\"(" + std::string(condition) + ", " + std::string(a) + ", " + std::string(b) +
         ") : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>\n";
}

TEST_CASE("selection") {
  becomes("%k = constant {value = dense<false> : tensor<4xi1>} %0 = " + where("%k", "%x", "%y") + "return %0",
          "return %y");
  becomes("%0 = " + where("%c", "%x", "%x") + "return %0", "return %x");
  becomes("%n = logical_not %c %0 = " + where("%n", "%x", "%y") + "return %0",
          "%0 = " + where("%c", "%y", "%x") + "return %0");
}

TEST_CASE("an if with a constant condition is one of its regions") {
  becomes(R"(%k = constant {value = dense<true> : tensor<i1>} : tensor<i1>
  %0 = if %k {
    %1 = neg %x
    %2 = exp %1
    yield %2
  } else {
    yield %y
  } : tensor<4xf32>
  return %0)",
          "%1 = neg %x %2 = exp %1 return %2");
}

TEST_CASE("casts") {
  becomes("%0 = cast %x {dtype = f32} return %0", "return %x");
  becomes("%0 = cast %x {dtype = f64} %1 = cast %0 {dtype = f32} return %1", "return %x");
  becomes("%0 = cast %x {dtype = f16} %1 = cast %0 {dtype = f32} return %1",
          "%0 = cast %x {dtype = f16} %1 = cast %0 {dtype = f32} return %1");
  becomes("%0 = cast %x {dtype = i32} %1 = cast %0 {dtype = i64} return %1", "%1 = cast %x {dtype = i64} return %1",
          "tensor<4xi64>", "i16");
  becomes("%0 = cast %x {dtype = f32} %1 = cast %0 {dtype = i64} return %1",
          "%0 = cast %x {dtype = f32} %1 = cast %0 {dtype = i64} return %1", "tensor<4xi64>", "i64");
}

TEST_CASE("rules can be switched off, by names that exist") {
  const std::string text = function("%0 = mul %x {other = 1} return %0");
  CHECK(test::after("canonicalize{disable=mul-one}", text) == test::canonical(text));
  const test::Run wrong = test::run("canonicalize{disable=mul-on}", text);
  CHECK_FALSE(wrong.ok);
  CHECK(wrong.messages.find("there is no rule `mul-on`") != std::string::npos);
}

TEST_CASE("statistics say how often a rule was used") {
  const test::Run result =
      test::run("canonicalize", function("%0 = mul %x {other = 1} %1 = div %0 {other = 1} return %1"));
  CHECK(result.statistics.find("rule mul-one: 1\n") != std::string::npos);
  CHECK(result.statistics.find("rule div-one: 1\n") != std::string::npos);
  CHECK(result.statistics.find("rules-applied: 2\n") != std::string::npos);
}

TEST_CASE("every rule has a name of its own and a meaning") {
  const auto context = make_context();
  DiagnosticEngine diagnostics(context->locations());
  const auto file = load_rule_file(*context, "canonicalize", diagnostics);
  REQUIRE(file != nullptr);
  std::set<std::string_view> names;
  for (const Rule& rule : canonical_rules(*file)) {
    INFO(rule.name);
    CHECK(names.insert(rule.name).second);
    CHECK_FALSE(rule.doc.empty());
    CHECK((rule.code != nullptr) != (rule.text != nullptr));
  }
  CHECK(names.size() >= 43);
}

}  // namespace
}  // namespace mlgc
