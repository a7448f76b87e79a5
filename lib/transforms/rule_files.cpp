// Loading rule files.
#include <algorithm>
#include <string>

#include "diag/kinds_driver.h"
#include "diag/kinds_rules.h"
#include "rewrite/builtin_rules.h"
#include "rewrite/rule_order.h"
#include "rewrite/rule_parser.h"
#include "support/file.h"
#include "transforms/rules.h"

namespace mlgc {

std::shared_ptr<const RuleFile> read_rule_file(Context& context, std::string_view name, DiagnosticEngine& diagnostics) {
  const auto built_in = builtin_rules();
  const auto found =
      std::find_if(built_in.begin(), built_in.end(), [&](const BuiltinRules& f) { return f.name == name; });
  std::string text, source_name;
  if (found != built_in.end()) {
    text = found->text;
    source_name = std::string(name) + ".rules";
  } else {
    source_name = name;
    Result<std::string> read = read_file(source_name);
    if (!read) {
      diagnostics.emit(diagnose<kCannotRead>({}, read.error()));
      return nullptr;
    }
    text = std::move(*read);
  }
  const SourceFile& source = context.locations().add_source(std::move(source_name), std::move(text));
  auto file = parse_rules(context, source, diagnostics);
  return file ? std::make_shared<const RuleFile>(std::move(*file)) : nullptr;
}

bool check_order(const Context& context, const RuleFile& file, DiagnosticEngine& diagnostics) {
  bool sound = true;
  for (const RuleTextSet& set : file.sets) {
    if (set.phase != RulePhase::Simplify) continue;
    for (const TextRule& rule : set.rules) {
      const OrderProof proof = prove_order(context, rule);
      if (proof.holds) continue;
      sound = false;
      diagnostics.emit(diagnose<kRuleOrder>(rule.at, rule.name, proof.reason).with_width(rule.name.size()));
    }
  }
  return sound;
}

std::shared_ptr<const RuleFile> load_rule_file(Context& context, std::string_view name, DiagnosticEngine& diagnostics) {
  auto file = read_rule_file(context, name, diagnostics);
  return file != nullptr && check_order(context, *file, diagnostics) ? file : nullptr;
}

std::vector<Rule> canonical_rules(const RuleFile& file) {
  std::vector<Rule> rules;
  for (const RuleTextSet& set : file.sets)
    for (const TextRule& rule : set.rules) rules.push_back(as_rule(rule));
  for (const RewriteRule& rule : control_flow_rules()) rules.push_back(as_rule(rule));
  return rules;
}

}  // namespace mlgc
