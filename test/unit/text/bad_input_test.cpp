// Directed bad input: the exact kind and place of the first complaint, and that absurd sizes cost nothing.
#include <chrono>

#include "text_support.h"

using namespace mlgc;
using namespace mlgc::test;

namespace {

// `kind line:column` of the first error, or `accepted`.
std::string verdict(const std::string& text) {
  const Parsed parsed(text);
  CHECK(parsed.module.has_value() != parsed.diagnostics.has_errors());
  const auto all = parsed.diagnostics.sorted();
  if (all.empty()) return "accepted";
  const auto position = parsed.context->locations().primary_position(all.front().at);
  REQUIRE(position.has_value());
  CHECK(render_text(all.front(), parsed.context->locations()).size() < 2000);
  return std::string(all.front().kind->id) + " " + std::to_string(position->line) + ":" +
         std::to_string(position->column);
}

// `text` as the body of a function with arguments %x and %y; places count from the body's first line.
std::string in_body(const std::string& text) {
  return verdict("func @f(%x: tensor<4xf32>, %y: tensor<[B]xf32>) {\n" + text + "\n  return\n}\n");
}

std::string of_type(const std::string& type) { return verdict("weight @w : " + type + "\n"); }

std::string repeated(const std::string& text, std::size_t count) {
  std::string all;
  all.reserve(text.size() * count);
  for (std::size_t i = 0; i < count; ++i) all += text;
  return all;
}

struct Deadline {
  std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
  ~Deadline() { CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(60)); }
};

}  // namespace

TEST_CASE("bad input: bytes that are no text") {
  CHECK(verdict(std::string("func @f\0() {}", 13)) == "nul-byte 1:8");
  CHECK(verdict("func @f() { return } // \xff\n") == "not-utf8 1:25");
  CHECK(verdict("// \xc3\xa4 is fine, an overlong slash is not: \xc0\xaf\n") == "not-utf8 1:42");
  CHECK(verdict("func @\"\xed\xa0\x80\"() { return }") == "not-utf8 1:8");
  CHECK(verdict("\x7f\x45LF\x02\x01\x01") == "unexpected-character 1:1");
  CHECK(verdict("\x1b[31mfunc") == "unexpected-character 1:1");
  CHECK(verdict("func @f() { return }\n\"no end") == "unterminated-string 2:1");
}

TEST_CASE("bad input: values and names") {
  CHECK(in_body("  %a = relu %b") == "undefined-value 2:13");
  CHECK(in_body("  %a = relu %a") == "cyclic-values 2:8");
  CHECK(in_body("  %a = relu %b\n  %b = relu %a") == "cyclic-values 2:8");
  CHECK(in_body("  %x = relu %x") == "redefined-value 2:3");
  CHECK(in_body("  %a = relu %x#1") == "no-such-result 2:13");
  CHECK(in_body("  %a = relu %x#99999999999999999999") == "number-too-large 2:13");
  CHECK(in_body("  %a:4000000000 = topk %x {k = 1}") == "bad-result-count 2:6");
  CHECK(in_body("  %4000000000 = relu %x") == "accepted");
  CHECK(in_body("  %99999999999999999999 = relu %x") == "number-too-large 2:3");
  CHECK(verdict("func @f() { return }\nfunc @f() { return }") == "redefined-symbol 2:6");
  CHECK(verdict("func @f(%x: tensor<f32>, %x: tensor<f32>) { return }") == "redefined-value 1:26");
}

TEST_CASE("bad input: ops, attributes and regions") {
  CHECK(in_body("  %a = nope %x") == "unknown-op 2:8");
  CHECK(in_body("  %a = leaky_relu %x {slope = 0.1, pole = 1}") == "unknown-attribute 2:36");
  CHECK(in_body("  %a = leaky_relu %x {slope = 0.1, slope = 1}") == "duplicate-attribute 2:36");
  CHECK(in_body("  %a = relu %x, %x") == "operand-count 2:8");
  CHECK(in_body("  %a = if %x : tensor<f32>") == "unexpected-token 2:14");
  CHECK(in_body("  relu %x {\n    yield\n  }") == "attribute-without-value 3:5");
  CHECK(in_body("  if %x { yield } else { yield } else { yield }") == "unknown-op 2:34");
  CHECK(in_body("  func @g() { return }") == "item-in-region 2:3");
  CHECK(in_body("  }") == "unmatched-brace 4:1");
  CHECK(verdict("func @f() {\n") == "unclosed-brace 2:1");
}

TEST_CASE("bad input: absurd shapes") {
  CHECK(of_type("tensor<-1xf32>") == "negative-dim 1:21");
  CHECK(of_type("tensor<9223372036854775808xf32>") == "number-too-large 1:20");
  CHECK(of_type("tensor<99999999999999999999999999xf32>") == "number-too-large 1:20");
  CHECK(of_type("tensor<?xf32>") == "anonymous-dimension 1:13");
  CHECK(of_type("tensor<[-1]xf32>") == "negative-dim 1:21");
  CHECK(of_type("tensor<[9223372036854775807 + 1]xf32>") == "index-overflow 1:41");
  CHECK(of_type("tensor<[9223372036854775807*B*2]xf32>") == "index-overflow 1:42");
  CHECK(of_type("tensor<[B floordiv 0]xf32>") == "bad-divisor 1:32");
  CHECK(of_type("tensor<[B mod -4]xf32>") == "bad-divisor 1:27");
  CHECK(of_type("tensor<[0 - 9223372036854775807 - 1]xf32>") == "negative-dim 1:21");
  // No data is there to be held, so products that leave 64 bits are the business of whoever wants to hold it.
  CHECK(of_type("tensor<9223372036854775807x9223372036854775807xf32>") == "accepted");
  CHECK(of_type("tensor<0x9223372036854775807xf32>") == "accepted");
  CHECK(in_body("  %c = constant {value = dense<1.0> : tensor<4611686018427387904x4xf32>}") != "accepted");
  CHECK(in_body("  %c = constant {value = dense<[]> : tensor<4611686018427387904x4xf32>}") != "accepted");
  CHECK(in_body("  %c = constant {value = dense<\"0x00\"> : tensor<9223372036854775807xi8>}") != "accepted");
}

TEST_CASE("bad input: 100,000 levels of anything") {
  const Deadline deadline;
  constexpr std::size_t kDeep = 100'000;
  const auto body = [](const std::string& text) { return "func @f(%x: tensor<4xf32>) {\n" + text; };
  const std::pair<std::string, std::string> cases[] = {
      {body(repeated("if %x {\n", kDeep)), "nesting-too-deep"},
      {body(repeated("fusion () {\n", kDeep)), "nesting-too-deep"},
      {body("misc {any = " + repeated("[", kDeep)), "nesting-too-deep"},
      {body("misc {any = " + repeated("{a = ", kDeep)), "unexpected-token"},
      {"weight @w : tensor<[" + repeated("(", kDeep), "nesting-too-deep"},
      {"weight @w : tensor<[" + repeated("max(1, ", kDeep), "expression-too-large"},
      {"weight @w : tensor<[" + repeated("- ", kDeep), "unexpected-token"},
      {"weight @w : tensor<[1" + repeated(" + 1", kDeep), "expression-too-large"},
      {"weight @w : tensor<[A" + repeated("*A", kDeep), "expression-too-large"},
      {"weight @w : tensor<[A" + repeated(" floordiv 2", kDeep), "index-overflow"},
      {"func @f() { return } loc(" + repeated("\"a\"(", kDeep), "nesting-too-deep"},
      {"func @f() { return } loc(" + repeated("fused[", kDeep), "nesting-too-deep"},
      {"func @f() { return } loc(" + repeated("callsite(", kDeep), "nesting-too-deep"},
      {repeated("module {\n", kDeep), "second-module"},
      {"\"builtin.module\"() ({\n" + repeated("\"mlgc.fusion\"() ({\n", kDeep), "nesting-too-deep"},
      {repeated("}", kDeep), "unmatched-brace"},
  };
  for (const auto& [text, kind] : cases) {
    INFO(text.substr(0, 60));
    const std::string got = verdict(text);
    CHECK(got.substr(0, got.find(' ')) == kind);
  }
}

TEST_CASE("bad input: expressions that multiply out") {
  const Deadline deadline;
  // (A0+B0)*(A1+B1)*… has 2^n terms.
  std::string product = "(A0 + B0)";
  for (int i = 1; i < 30; ++i) product += "*(A" + std::to_string(i) + " + B" + std::to_string(i) + ")";
  CHECK(of_type("tensor<[" + product + "]xf32>").starts_with("expression-too-large"));
  // Each minimum asks the sign test about all those inside it.
  std::string nested = "X";
  for (int i = 0; i < 40; ++i)
    nested = (i % 2 == 0 ? "min(" : "max(") + nested + ", S" + std::to_string(i) + " floordiv 3 - " + "T" +
             std::to_string(i) + " mod 5)";
  const std::string got = of_type("tensor<[" + nested + "]xf32>");
  CHECK((got == "accepted" || got.starts_with("expression-too-large") || got.starts_with("index-overflow")));
}

TEST_CASE("bad input: lists of a hundred thousand") {
  const Deadline deadline;
  constexpr std::size_t kMany = 100'000;
  CHECK(in_body("  misc {is = [1" + repeated(", 1", kMany) + "]}") == "accepted");
  CHECK(in_body("  misc %x" + repeated(", %x", kMany)) == "accepted");
  CHECK(in_body("  misc %x" + repeated(", %z", kMany)) == "undefined-value 2:12");
  CHECK(of_type("tensor<1" + repeated("x1", kMany) + "xf32>") == "accepted");
  CHECK(in_body("  %c = constant {value = dense<[1.0" + repeated(", 1.0", kMany) + "]> : tensor<3xf32>}") ==
        "element-count 2:32");
  CHECK(verdict("func @f() -> (tensor<f32>" + repeated(", tensor<f32>", kMany) + ") { return }") ==
        "return-count 1:" + std::to_string(26 + 13 * kMany + 4));
  std::string updates = "func @f(%x: tensor<f32>) -> () updates (%x = %x";
  updates += repeated(", %x = %x", kMany) + ") { return %x" + repeated(", %x", kMany) + " }";
  CHECK(verdict(updates) == "accepted");  // pairs are read one by one, in linear time
  std::string functions;
  for (std::size_t i = 0; i < kMany / 10; ++i) functions += "func @f" + std::to_string(i) + "() { return }\n";
  CHECK(verdict(functions + "func @f0() { return }") == "redefined-symbol " + std::to_string(kMany / 10 + 1) + ":6");
}

TEST_CASE("bad input: aliases") {
  CHECK(verdict("#a = [1, 1]\n#b = [#a, #a]\nfunc @f() { return }") == "accepted");
  // MLIR's way to write an exponentially large attribute, location or type in a few lines.
  for (const auto& [first, next] : {std::pair<std::string, std::string>{"[1]", "[#a%, #a%]"},
                                    {"loc(\"x\")", "loc(fused[#a%, #a%])"},
                                    {"f32", "tuple<!a%, !a%>"}}) {
    const std::string mark = next.find('!') == std::string::npos ? "#a" : "!a";
    std::string text = mark + "0 = " + first + "\n";
    for (int i = 0; i < 60; ++i) {
      std::string body = next;
      for (std::size_t at = 0; (at = body.find('%')) != std::string::npos;) body.replace(at, 1, std::to_string(i));
      text += mark + std::to_string(i + 1) + " = " + body + "\n";
    }
    const std::string got = verdict(text + "func @f() { return }");
    CHECK(got.substr(0, got.find(' ')) == "alias-too-large");
  }
  // A chain as deep as nesting may not be.
  std::string chain = "#a0 = loc(\"x\")\n";
  for (int i = 0; i < 1500; ++i) chain += "#a" + std::to_string(i + 1) + " = loc(\"x\"(#a" + std::to_string(i) + "))\n";
  CHECK(verdict(chain + "func @f() { return }").starts_with("nesting-too-deep"));
  CHECK(verdict("#a = loc(\"x\"(#b))\n#b = loc(\"y\"(#a))\nfunc @f() { return } loc(#a)") == "cyclic-alias 2:14");
  CHECK(verdict("#a = 1\n#a = 2\nfunc @f() { return }") == "redefined-alias 2:1");
  CHECK(verdict("#a = 1\nfunc @f() { return } loc(#a)") == "unexpected-token 2:26");
  CHECK(in_body("  \"mlgc.misc\"() {x.y = #a} : () -> ()") == "undefined-alias 2:24");
  CHECK(in_body("  \"mlgc.misc\"() {x.y = (!a) -> ()} : () -> ()") == "undefined-alias 2:25");
  CHECK(verdict("weight @w : !a") == "undefined-alias 1:13");
}
