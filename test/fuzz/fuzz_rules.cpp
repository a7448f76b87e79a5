// Any bytes as a rule file: rules, or errors that have a place. What is a file can be proved or refused an order, makes
// decision trees, and whatever its rules do to a program, the program still verifies.
#include <cstdint>

#include "fuzz_support.h"
#include "ops/rewrite_gate.h"
#include "rewrite/driver.h"
#include "rewrite/rule_apply.h"
#include "rewrite/rule_order.h"
#include "rewrite/rule_parser.h"
#include "text/printer.h"
#include "verify/verify.h"

namespace mlgc::fuzz {
namespace {

// A program with something for most patterns: constants, attributes, broadcasts, optional operands, symbolic sizes.
constexpr const char* kProgram =
    R"(func @f(%x: tensor<[B]x4xf32>, %y: tensor<4xf32>, %w: tensor<3x4xf32>, %b: tensor<3xf32>, %i: tensor<[B]x4xi32>, %k: tensor<[B]x4xi1>) -> (tensor<[B]x3xf32>, tensor<[B]x4xf32>, tensor<4x[B]xf32>, tensor<[B]x4xi32>) where 1 <= B <= 8 {
  %one = constant {value = dense<1.0> : tensor<4xf32>} : tensor<4xf32>
  %n = neg %x
  %m = neg %n
  %s = add %m, %y
  %p = mul %s, %one
  %q = mul %p {other = 2.0}
  %d = sub %q, %n
  %r = relu %d
  %l = linear %r, %w, %b
  %a = relu %l
  %c = where %k, %x, %r
  %t = transpose %c {dim0 = 0, dim1 = 1}
  %u = transpose %t {dim0 = 1, dim1 = 0}
  %v = view %u {shape = [4*B]}
  %z = view %v {shape = [B, 4]}
  %o = softmax %z {dim = -1}
  %g = mul %i {other = 0}
  %h = maximum %g, %i
  %f = cast %h {dtype = f32}
  %j = add %o, %f
  return %a, %j, %t, %h
})";

void check_rules_text(std::string text) {
  const Reading program{std::string(kProgram)};
  expect(program.module.has_value(), "the program parses", program.errors());
  const std::shared_ptr<Context>& context = program.context;
  DiagnosticEngine diagnostics(context->locations());
  const auto file = parse_rules(*context, context->locations().add_source("fuzz.rules", std::move(text)), diagnostics);
  expect(file.has_value() != diagnostics.has_errors(), "rules or errors", render_text(diagnostics));
  for (const Diagnostic& diagnostic : diagnostics.sorted())
    expect(context->locations().primary_position(diagnostic.at).has_value(), "errors have places",
           diagnostic.message());
  (void)render_text(diagnostics);
  if (!file) return;
  for (const RuleTextSet& set : file->sets) {
    std::vector<Rule> rules;
    for (const TextRule& rule : set.rules)
      if (set.phase != RulePhase::Simplify || prove_order(*context, rule).holds) rules.push_back(as_rule(rule));
    const RuleSet all(*context, std::move(rules), set.phase);
    Module module(*program.module);
    RewriteGate gate(10'000);
    rewrite(module, all, Numerics::Fast, &gate);
    expect(gate.open(), "rules with an order proof end");
    DiagnosticEngine verdict(context->locations());
    expect(verify(module, verdict), "a rewritten program verifies", print(module) + render_text(verdict));
    for (const TextRule& rule : set.rules)
      for (const auto& [name, value] : printed_names(module))
        if (value.is_result()) (void)explain_miss(*context, rule, value.definer());
  }
}

}  // namespace
}  // namespace mlgc::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 4096) return 0;
  mlgc::fuzz::check_rules_text(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
