// Rules sorted by the op at their root.
#include "rewrite/rule.h"

namespace mlgc {

std::string_view termination_text(Termination termination) {
  switch (termination) {
    case Termination::FewerOps: return "removes more ops than it makes";
    case Termination::ShorterChain: return "reads values further up";
    case Termination::CanonicalOrder: break;
  }
  return "moves to canonical order";
}

RuleSet::RuleSet(const Context& context, std::span<const RewriteRule> rules) : rules_(rules) {
  starts_.push_back(0);
  for (const OpDef* def : context.ops()) {
    for (std::size_t r = 0; r < rules.size(); ++r) {
      const RewriteRule& rule = rules[r];
      if (rule.root.empty() && rule.trait == Traits::None) continue;
      if ((rule.root.empty() || rule.root == def->name) && has(def->traits, rule.trait))
        lists_.push_back(static_cast<std::uint16_t>(r));
    }
    starts_.push_back(static_cast<std::uint32_t>(lists_.size()));
  }
}

}  // namespace mlgc
