// Registries: what files mean, and what is said about wrong ones.
#include "partition/registry.h"

#include "../transforms/program.h"
#include "ir/walk.h"

namespace mlgc {
namespace {

struct Parsed {
  std::shared_ptr<const Registry> registry;
  std::string messages;
};

Parsed parse(const std::shared_ptr<Context>& context, std::string text) {
  DiagnosticEngine diagnostics(context->locations());
  const SourceFile& file = context->locations().add_source("r.json", std::move(text));
  auto registry = parse_registry(*context, file, diagnostics);
  return {registry, render_text(diagnostics, {.source_lines = false})};
}
std::string messages(std::string text) { return parse(make_context(), std::move(text)).messages; }

// A file of one rule, all in one line, so that columns are easy to count.
std::string with_rule(std::string_view rule) {
  return "{\"mlgc-registry\": 1, \"target\": \"t\", \"rules\": [\n" + std::string(rule) + "\n]}";
}

// What the rules say of the first op called `name`: `yes`, or code and text.
std::string said(std::string_view rules, std::string_view program, std::string_view name) {
  const std::shared_ptr<Context> context = make_context();
  const Parsed parsed = parse(context, with_rule(rules));
  INFO(parsed.messages);
  REQUIRE(parsed.registry != nullptr);
  const Module module = test::parse(context, program);
  const UpdatedSymbols updated = updated_symbols(module);
  std::string out = "no such op";
  walk(module, [&](OpRef op) {
    if (op.name() != name) return WalkResult::Continue;
    const Registry::Decision decision = parsed.registry->decide(op, updated, true);
    out =
        decision.supported ? "yes" : std::string(reason_code_name(decision.reason.code)) + ": " + decision.reason.text;
    if (decision.rule != nullptr) out += " (" + decision.rule->name + ")";
    return WalkResult::Stop;
  });
  return out;
}

TEST_CASE("the first rule that fits decides; what none decides on is not supported") {
  constexpr std::string_view kProgram =
      "func @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n%a = relu %x\n%b = exp %a\nreturn %b\n}";
  CHECK(said(R"({"ops": ["relu"]})", kProgram, "relu") == "yes (rules[0])");
  CHECK(said(R"({"ops": ["relu"]})", kProgram, "exp") == "no-rule: no rule lists `exp`");
  CHECK(said(R"({"ops": ["relu"], "supported": false, "reason": "too slow"}, {"ops": ["*"]})", kProgram, "relu") ==
        "refused: too slow (rules[0])");
  CHECK(said(R"({"ops": ["relu"], "supported": false, "dtypes": ["f64"]}, {"name": "all", "ops": ["*"]})", kProgram,
             "relu") == "yes (all)");
  CHECK(said(R"({"ops": ["relu"], "supported": false}, {"ops": ["*"]})", kProgram, "relu") ==
        "refused: the rule says so (rules[0])");
  CHECK(said(R"({"ops": ["elementwise"]})", kProgram, "exp") == "yes (rules[0])");
  CHECK(said(R"({"ops": ["movement"]})", kProgram, "exp") == "no-rule: no rule lists `exp`");
}

TEST_CASE("conditions of a registry, and what is said where they do not hold") {
  constexpr std::string_view kProgram = R"(weight @w : tensor<4x3xf32>
func @f(%x: tensor<[B]x3xf32>, %t: tensor<5x2xf32>, %i: tensor<7xi64>, %g: tensor<1x1x8x8xf32>, %k: tensor<1x1x3x3xf32>)
    -> (tensor<[B]x4xf32>, tensor<7x2xf32>, tensor<[B]x4xf32>, tensor<1x1x4x4xf32>, tensor<[B]x3xf32>) {
  %w = read @w
  %l = linear %x, %w
  %e = embedding %t, %i
  %s = softmax %l {dim = -1}
  %c = conv2d %g, %k {stride = [2, 2], padding = [1, 1]}
  %a = add %x {other = 0.5}
  return %l, %e, %s, %c, %a
})";
  const auto on = [&](std::string_view rule, std::string_view op) { return said(rule, kProgram, op); };
  CHECK(on(R"({"ops": ["linear"], "dtypes": ["f32"]})", "linear") == "yes (rules[0])");
  CHECK(on(R"({"ops": ["linear"], "dtypes": ["f16", "bf16", "i8"]})", "linear") ==
        "dtype: the element type of `x` is f32, not i8, f16 or bf16 (rules[0])");
  // Operands that a condition names have element types of their own.
  CHECK(on(R"({"ops": ["embedding"], "dtypes": ["f32"]})", "embedding") ==
        "dtype: the element type of `indices` is i64, not f32 (rules[0])");
  CHECK(on(R"({"ops": ["embedding"], "dtypes": ["f32"], "operands": {"indices": {"dtypes": ["i32", "i64"]}}})",
           "embedding") == "yes (rules[0])");
  CHECK(on(R"({"ops": ["linear"], "operands": {"weight": {"constant": true}}})", "linear") == "yes (rules[0])");
  CHECK(on(R"({"ops": ["linear"], "operands": {"x": {"constant": true}}})", "linear") ==
        "operand: `x` is neither a weight nor a constant (rules[0])");
  CHECK(on(R"({"ops": ["linear"], "rank": 2})", "linear") == "yes (rules[0])");
  CHECK(on(R"({"ops": ["linear"], "rank": {"min": 3}})", "linear") ==
        "rank: the rank of `x` is 2, not 3 or more (rules[0])");
  CHECK(on(R"({"ops": ["conv2d"], "rank": {"max": 3}})", "conv2d") ==
        "rank: the rank of `x` is 4, not at most 3 (rules[0])");
  CHECK(on(R"({"ops": ["conv2d"], "rank": {"min": 1, "max": 3}})", "conv2d") ==
        "rank: the rank of `x` is 4, not 1 to 3 (rules[0])");
  CHECK(on(R"({"ops": ["linear"], "static-shapes": true})", "linear") ==
        "shape: the shape of `x` is not static: tensor<[B]x3xf32> (rules[0])");
  CHECK(on(R"({"ops": ["conv2d"], "static-shapes": true})", "conv2d") == "yes (rules[0])");
  CHECK(on(R"({"ops": ["softmax"], "attributes": {"dim": -1}})", "softmax") == "yes (rules[0])");
  CHECK(on(R"({"ops": ["softmax"], "attributes": {"dim": {"in": [0, 1]}}})", "softmax") ==
        "attribute: `dim` is -1, not one of [0, 1] (rules[0])");
  CHECK(on(R"({"ops": ["softmax"], "attributes": {"dim": {"min": 0, "max": 3}}})", "softmax") ==
        "attribute: `dim` is -1, not at least 0 and at most 3 (rules[0])");
  // One number stands for a list of it; what is not stated is the row's fallback.
  CHECK(on(R"({"ops": ["conv2d"], "attributes": {"stride": 2, "padding": [1, 1], "groups": 1}})", "conv2d") ==
        "yes (rules[0])");
  CHECK(on(R"({"ops": ["conv2d"], "attributes": {"stride": {"max": 1}}})", "conv2d") ==
        "attribute: `stride` is [2, 2], not at most 1 (rules[0])");
  CHECK(on(R"({"ops": ["add"], "attributes": {"other": {"equals": 0.5}}})", "add") == "yes (rules[0])");
  CHECK(on(R"({"ops": ["add"], "attributes": {"other": null}})", "add") ==
        "attribute: `other` is 0.5, not null (rules[0])");
  // The rule that speaks of the op by name says why, not the one for all.
  CHECK(on(R"({"ops": ["*"], "rank": 9}, {"name": "named", "ops": ["linear"], "rank": 3})", "linear") ==
        "rank: the rank of `x` is 2, not 3 (named)");
}

TEST_CASE("a weight that a function updates is no constant") {
  CHECK(said(R"({"ops": ["relu"], "operands": {"x": {"constant": true}}})", R"(weight @w : tensor<4xf32>
func @f() -> tensor<4xf32> updates (@w = %r) {
  %w = read @w
  %r = relu %w
  return %r, %r
})",
             "relu") == "operand: `x` is neither a weight nor a constant (rules[0])");
}

TEST_CASE("files that are no JSON") {
  CHECK(messages("{\"a\": 1,}") == "r.json:1:9: error: expected a name in double quotes, found `}`\n");
  CHECK(messages("") == "r.json:1:1: error: expected a value, found the end of the file\n");
  CHECK(messages("[1 2]") == "r.json:1:4: error: expected `,` or `]`, found `2`\n");
  CHECK(messages("{\"a\" 1}") == "r.json:1:6: error: expected `:`, found `1`\n");
  CHECK(messages("{} {}") == "r.json:1:4: error: expected the end of the file, found `{`\n");
  CHECK(messages("[\"a\n\"]") == "r.json:1:4: error: expected `\"`, found another character\n");
  CHECK(messages("[\"\\x\"]") == "r.json:1:4: error: expected an escape of JSON, found `x`\n");
  CHECK(messages("[\"\\ud800\"]") ==
        "r.json:1:9: error: expected the other half of a pair `\\uD800\\uDC00`, found `\"`\n");
  CHECK(messages("[\"\\u12g4\"]") == "r.json:1:5: error: expected four hexadecimal digits, found `1`\n");
  CHECK(messages("[01]") == "r.json:1:3: error: expected `,` or `]`, found `1`\n");
  CHECK(messages("[1.]") == "r.json:1:4: error: expected a digit, found `]`\n");
  CHECK(messages("[99999999999999999999]") == "r.json:1:2: error: expected a number of 64 bits, found `9`\n");
  CHECK(messages("{\"a\": 1, \"a\": 2}") ==
        "r.json:1:10: error: expected a name that this object does not have yet, found `\"`\n");
  CHECK(messages(std::string(65, '[')) == "r.json:1:65: error: expected less than 64 levels of nesting, found `[`\n");
}

TEST_CASE("texts of JSON are read as RFC 8259 says") {
  const std::shared_ptr<Context> context = make_context();
  DiagnosticEngine diagnostics(context->locations());
  const SourceFile& file = context->locations().add_source(
      "r.json", R"(["a\"\\\/\b\f\n\r\t", "\u0041\u00e9\u20AC\uD83D\ude00", -0, -1.5e2, true, null])");
  const auto parsed = parse_located_json(file, diagnostics);
  REQUIRE(parsed);
  const JsonArray& items = *parsed->as<JsonArray>();
  REQUIRE(items.size() == 6);
  CHECK(*items[0].as<std::string>() == "a\"\\/\b\f\n\r\t");
  CHECK(*items[1].as<std::string>() == "A\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
  CHECK(*items[2].as<std::int64_t>() == 0);
  CHECK(*items[3].as<double>() == -150);
  CHECK(*items[4].as<bool>());
  CHECK(items[5].as<std::monostate>() != nullptr);
}

TEST_CASE("files that are no registry") {
  CHECK(messages("[]") == "r.json:1:1: error: `the file` is an array, and must be an object\n");
  CHECK(messages("{\"mlgc-registry\": 1, \"target\": \"t\"}") ==
        "r.json:1:1: error: `the file` has no member `rules`\n"
        "r.json:1:1: note: docs/partition.md describes the format\n");
  CHECK(messages("{\"mlgc-registry\": 2, \"target\": \"t\", \"rules\": []}") ==
        "r.json:1:19: error: version 2 of the registry format is not known\n"
        "r.json:1:19: note: this program reads version 1\n");
  CHECK(messages("{\"mlgc-registry\": 1, \"target\": \"\", \"rules\": []}") ==
        "r.json:1:32: error: `target` is empty, and must be the name of a target\n");
  CHECK(messages("{\"mlgc-registry\": 1, \"target\": \"t\", \"rule\": [], \"rules\": []}") ==
        "r.json:1:37: error: `the file` has a member `rule`, which the format does not have\n"
        "r.json:1:37: note: did you mean `rules`?\n"
        "r.json:1:37: note: docs/partition.md describes the format\n");
}

TEST_CASE("rules that are wrong") {
  const auto rule = [](std::string_view text) { return messages(with_rule(text)); };
  CHECK(rule("7") == "r.json:2:1: error: `rules[0]` is an integer, and must be an object\n");
  CHECK(rule("{}") ==
        "r.json:2:1: error: `rules[0]` has no member `ops`\n"
        "r.json:2:1: note: docs/partition.md describes the format\n");
  CHECK(rule(R"({"ops": []})") == "r.json:2:9: error: `rules[0].ops` is empty, and must be an array of names of ops\n");
  CHECK(rule(R"({"ops": ["rellu"]})") ==
        "r.json:2:10: error: `rules[0].ops[0]`: there is no op and no class of ops `rellu`\n"
        "r.json:2:10: note: did you mean `relu`?\n"
        "r.json:2:10: note: `mlgc ops` lists the ops; classes are elementwise, movement, random, loop, and `*` is "
        "every op\n");
  CHECK(rule(R"({"ops": ["nonzero"]})") ==
        "r.json:2:10: error: `rules[0].ops[0]`: `nonzero` is in no segment: the size of its result is known only when "
        "it has run\n");
  CHECK(rule(R"({"ops": ["relu", 1]})") ==
        "r.json:2:18: error: `rules[0].ops[1]` is an integer, and must be a string\n");
  CHECK(rule(R"({"ops": ["softmax"], "attributes": {"dimm": 1}})") ==
        "r.json:2:37: error: `rules[0].attributes`: `softmax` has no attribute `dimm`\n"
        "r.json:2:37: note: did you mean `dim`?\n");
  CHECK(rule(R"({"ops": ["elementwise"], "attributes": {"dim": 1}})") ==
        "r.json:2:41: error: `rules[0].attributes`: `any op of the rule` has no attribute `dim`\n");
  CHECK(rule(R"({"ops": ["softmax"], "attributes": {"dim": "last"}})") ==
        "r.json:2:44: error: `rules[0].attributes.dim` is a string, and must be an integer\n");
  CHECK(
      rule(R"({"ops": ["softmax"], "attributes": {"dim": {}}})") ==
      "r.json:2:44: error: `rules[0].attributes.dim` is empty, and must be a value, or an object with `equals`, `in`, "
      "`min` or `max`\n");
  CHECK(rule(R"({"ops": ["softmax"], "attributes": {"dim": {"equals": 1, "in": [2]}}})") ==
        "r.json:2:64: error: `rules[0].attributes.dim.in` is beside `equals`, and must be alone\n");
  CHECK(rule(R"({"ops": ["linear"], "operands": {"w": {"constant": true}}})") ==
        "r.json:2:34: error: `rules[0].operands`: `linear` has no operand `w`\n");
  CHECK(rule(R"({"ops": ["relu"], "dtypes": ["f31"]})") ==
        "r.json:2:30: error: `rules[0].dtypes[0]` is `f31`, and must be one of i1, i8, ui8, i16, i32, i64, f16, bf16, "
        "f32, f64\n");
  CHECK(rule(R"({"ops": ["relu"], "rank": -1})") ==
        "r.json:2:27: error: `rules[0].rank` is an integer, and must be a rank, or an object with `min` or `max`\n");
  CHECK(rule(R"({"ops": ["relu"], "rank": {"least": 1}})") ==
        "r.json:2:28: error: `rules[0].rank` has a member `least`, which the format does not have\n"
        "r.json:2:28: note: docs/partition.md describes the format\n");
  CHECK(rule(R"({"ops": ["relu"], "static-shapes": 1, "cost": "low"})") ==
        "r.json:2:36: error: `rules[0].static-shapes` is an integer, and must be true or false\n"
        "r.json:2:47: error: `rules[0].cost` is a string, and must be a number\n");
}

TEST_CASE("a rule that an earlier one hides is a warning") {
  const Parsed hidden = parse(make_context(), with_rule("{\"ops\": [\"*\"]},\n{\"ops\": [\"relu\"], \"rank\": 2}"));
  CHECK(hidden.registry != nullptr);
  CHECK(hidden.messages ==
        "r.json:3:1: warning: `rules[1]` is never reached: `rules[0]` decides on all of its ops, without a condition\n"
        "r.json:3:1: note: the first rule that fits decides: exceptions come first\n");
  CHECK(messages(with_rule("{\"ops\": [\"relu\"], \"rank\": 2},\n{\"ops\": [\"*\"]}")).empty());
}

}  // namespace
}  // namespace mlgc
