// Rules from text, applied to one small function, for tests of rewriting.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "parsed_module.h"
#include "rewrite/driver.h"
#include "rewrite/match.h"
#include "rewrite/rule_parser.h"

namespace mlgc::test {

struct ParsedRules {
  ParsedRules(const std::shared_ptr<Context>& context, const std::string& text) {
    DiagnosticEngine diagnostics(context->locations());
    file = parse_rules(*context, context->locations().add_source("test.rules", text), diagnostics);
    for (const Diagnostic& d : diagnostics.sorted()) messages.push_back(d.message());
  }
  // Of the first set.
  [[nodiscard]] RuleSet set(const Context& context) const {
    INFO((messages.empty() ? "" : messages[0]));
    REQUIRE(file.has_value());
    std::vector<Rule> rules;
    for (const TextRule& rule : file->sets[0].rules) rules.push_back(as_rule(rule));
    return {context, std::move(rules), file->sets[0].phase};
  }
  std::optional<RuleFile> file;
  std::vector<std::string> messages;
};

// `sub(x, mul{other = 2.0}(y))`: what a value is computed by; constants are their number.
inline std::string expression(Value value) {
  if (value.is_argument()) return std::string(value.name());
  const OpRef op = value.definer();
  if (const auto number = splat_value(value))
    return print_attribute(value.module().context().attributes().real(*number), value.module().context());
  std::string out(op.name());
  const Context& context = op.module().context();
  std::string attributes;
  for (const NamedAttribute& entry : context.attributes().entries(op.attrs()))
    attributes += (attributes.empty() ? "" : ", ") + std::string(context.strings().text(entry.name)) + " = " +
                  print_attribute(entry.value, context);
  if (!attributes.empty()) out += "{" + attributes + "}";
  std::string operands;
  for (const Value v : op.operands()) operands += (operands.empty() ? "" : ", ") + expression(v);
  return out + "(" + operands + ")";
}

// A function of f32 vectors %x and %y, integers %k, a matrix %m of [N] rows and a row %w, whose result is %r.
inline std::string function_text(const std::string& body) {
  return "func @f(%x: tensor<4xf32>, %y: tensor<4xf32>, %k: tensor<4xi32>, %m: tensor<[N]x4xf32>, %w: tensor<3x4xf32>, "
         "%p: tensor<4xi1>) {\n" +
         body + "  return\n}\n";
}

struct Applied {
  Applied(const std::string& rules, const std::string& body, Numerics mode = Numerics::Fast,
          RewriteGate* gate = nullptr, const std::string& phase = "once")
      : parsed(function_text(body)),
        read(parsed.context, "set s phase " + phase + "\n" + rules),
        set(read.set(*parsed.context)) {
    // The value %r is returned, so that it has a reader; its type is the function's.
    const Value r = parsed.value("r");
    const Value results[] = {r};
    parsed.func().region(0).terminator().set_operands(results);
    report = rewrite(parsed.module, set, mode, gate, &barred);
    INFO(parsed.text());
    CHECK(parsed.module.check_store().empty());
    result = expression(parsed.func().region(0).terminator().operand(0));
  }
  ParsedModule parsed;
  ParsedRules read;
  RuleSet set;
  RewriteReport report;
  std::vector<std::optional<Location>> barred;
  std::string result;
};

}  // namespace mlgc::test
