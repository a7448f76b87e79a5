// Rules sorted by the op at their root.
#include "rewrite/rule.h"

#include <algorithm>
#include <utility>

#include "rewrite/rule_functions.h"

namespace mlgc {

namespace {

// Ops and numbers below an op: a number may be a constant, which is an op.
std::size_t pattern_depth(const RulePattern& pattern) {
  std::size_t depth = 0;
  for (const RulePattern& operand : pattern.operands)
    if (operand.form != RulePattern::Form::Value && operand.form != RulePattern::Form::Optional)
      depth = std::max(depth, 1 + pattern_depth(operand));
  return depth;
}

bool calls(const RuleTerm& term, std::string_view function) {
  if (term.form == RuleTerm::Form::Call && term.function->name == function) return true;
  return std::any_of(term.operands.begin(), term.operands.end(),
                     [&](const RuleTerm& operand) { return calls(operand, function); });
}

}  // namespace

Rule as_rule(const TextRule& rule) {
  return {.name = rule.name, .doc = rule.doc, .numerics = rule.numerics, .scope = rule.scope, .text = &rule};
}

Rule as_rule(const RewriteRule& rule) {
  return {.name = rule.name, .doc = rule.doc, .numerics = rule.numerics, .code = &rule};
}

RuleSet::RuleSet(const Context& context, std::vector<Rule> rules, RulePhase phase)
    : rules_(std::move(rules)), phase_(phase), trees_(context.ops().size()) {
  MLGC_ASSERT(rules_.size() < 0xFFFF, "too many rules in one set");
  std::vector<std::vector<DecisionTree::Entry>> entries(context.ops().size());
  for (std::size_t r = 0; r < rules_.size(); ++r) {
    const auto number = static_cast<std::uint16_t>(r);
    if (rules_[r].code != nullptr) {
      const Opcode root = context.find_op(rules_[r].code->root);
      if (root != Opcode::Invalid) entries[static_cast<std::size_t>(root)].push_back({nullptr, {number, 0}});
      continue;
    }
    const TextRule& text = *rules_[r].text;
    depth_ = std::max(depth_, pattern_depth(text.pattern));
    for (const RuleTerm& condition : text.conditions) {
      counts_uses_ = counts_uses_ || calls(condition, "uses");
      // A condition may ask what defines the values that the pattern ends in.
      if (calls(condition, "constant") || calls(condition, "weight"))
        depth_ = std::max(depth_, pattern_depth(text.pattern) + 1);
    }
    const std::vector<RulePattern>& forms = text.forms;
    for (std::size_t f = 0; f < forms.size(); ++f)
      for (const Opcode root : forms[f].opcodes)
        entries[static_cast<std::size_t>(root)].push_back({&forms[f], {number, static_cast<std::uint16_t>(f)}});
  }
  for (std::size_t i = 0; i < entries.size(); ++i)
    if (!entries[i].empty()) trees_[i] = DecisionTree(context, static_cast<Opcode>(i), entries[i]);
}

}  // namespace mlgc
