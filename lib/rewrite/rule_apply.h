// Applies a text rule whose left side has matched.
//
// Guarantees
//   - Types of what is made are inferred before anything is made: when they are not those of the root, or a row refuses
//     its operands or attributes, nothing changes.
//   - A rule that would make the op that is there already does not apply.
//   - What is made carries a location that names the rule and holds the locations of the ops that matched.
#pragma once

#include "rewrite/driver.h"
#include "rewrite/rule_match.h"

namespace mlgc {

// The right side in place of the root. Without a rewriter nothing changes: the answer is what would happen.
[[nodiscard]] bool apply_replacement(const TextRule& rule, const RuleMatch& match, OpRef root, Rewriter* rewriter,
                                     const Facts& facts, NearMiss* miss);

// The matched ops become a `fusion` region at the root's place, whose `kind` is the rule's name. Does not apply when
// there are fewer than two, when one stands in another region, or when one but the root is read elsewhere. Answers the
// ops that moved, or none; with `dry` they would move, and nothing changes.
[[nodiscard]] std::vector<OpRef> apply_fusion(const TextRule& rule, const RuleMatch& match, OpRef root, bool dry,
                                              NearMiss* miss);

// Why the rule does not apply to the op: of its forms, and of what each asks, where the one that came furthest stopped.
// Not found when it would apply.
[[nodiscard]] NearMiss explain_miss(Context& context, const TextRule& rule, OpRef root, const Facts& facts = {});

// The name that locations of a rule's ops begin with: `rule fold-batch-norm`.
[[nodiscard]] std::string rule_location_name(std::string_view rule);

}  // namespace mlgc
