// Rules of both kinds: from text (rule_text.h), and the few that need code. A rule in code is a row: what it matches,
// what it may do to numbers, and the function that applies it.
//
// Laws of a rule
//   - It looks at its root, at what defines the root's operands, and at attributes; nothing else.
//   - What replaces a value has the value's type.
//   - For every input the results differ at most in what its numerics class names.
//   - It makes the module smaller in the order of rule_order.h; a rule in code removes more ops than it makes,
//   constants
//     not counted, which the driver checks each time it is applied.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "ir/module.h"
#include "ops/numerics.h"
#include "rewrite/decision_tree.h"
#include "rewrite/rule_text.h"

namespace mlgc {

class Rewriter;

struct RewriteRule {
  std::string_view name;  // kebab-case, unique in its set
  std::string_view root;  // the op that it rewrites
  NumericsClass numerics = NumericsClass::Exact;
  std::string_view doc;  // `x*1 is x`
  // Rewrites the root through the rewriter, or answers false and changes nothing.
  bool (*apply)(OpRef root, Rewriter& rewriter) = nullptr;
};

// A rule of a set, whatever it is made of: exactly one of `text` and `code` is not null.
struct Rule {
  std::string_view name, doc;
  NumericsClass numerics = NumericsClass::Exact;
  RoundingScope scope = RoundingScope::Anywhere;
  const TextRule* text = nullptr;
  const RewriteRule* code = nullptr;
};
[[nodiscard]] Rule as_rule(const TextRule& rule);
[[nodiscard]] Rule as_rule(const RewriteRule& rule);

// Rules of one phase with a decision tree for each root. Of the candidates for an op those that stand first are tried
// first.
class RuleSet {
 public:
  // What the rules point to must outlive the set. At most 65,535 rules.
  RuleSet(const Context& context, std::vector<Rule> rules, RulePhase phase = RulePhase::Simplify);

  [[nodiscard]] std::span<const DecisionTree::Candidate> candidates(OpRef op) const {
    const DecisionTree& tree = trees_[static_cast<std::size_t>(op.opcode())];
    return tree.empty() ? std::span<const DecisionTree::Candidate>() : tree.candidates(op);
  }
  // Whether some rule may rewrite ops of that kind.
  [[nodiscard]] bool has_rules_for(Opcode opcode) const { return !trees_[static_cast<std::size_t>(opcode)].empty(); }
  [[nodiscard]] std::span<const Rule> rules() const { return rules_; }
  [[nodiscard]] RulePhase phase() const { return phase_; }
  // How many levels of ops below a root decide whether some rule matches, at least 1.
  [[nodiscard]] std::size_t depth() const { return depth_; }
  // Whether some condition asks how often a value is read.
  [[nodiscard]] bool counts_uses() const { return counts_uses_; }

 private:
  std::vector<Rule> rules_;
  RulePhase phase_;
  std::vector<DecisionTree> trees_;  // by opcode
  std::size_t depth_ = 1;
  bool counts_uses_ = false;
};

}  // namespace mlgc
