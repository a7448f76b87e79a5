// Matches one form of a text rule against an op, and evaluates conditions.
//
// Guarantees: looks at the root, at what defines its operands down to the depth of the pattern (chains: at most
// kMaxChain ops), and at attributes; changes nothing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/module.h"
#include "rewrite/rule_functions.h"
#include "rewrite/rule_text.h"

namespace mlgc {

inline constexpr std::size_t kMaxChain = 256;

// What the names of a rule stand for, by slot.
struct RuleMatch {
  struct Binding {
    Value value;  // of values and ops (their first result); of an absent optional operand invalid
    OpRef op;
    AttrValue data = false;  // of attributes and numbers
    bool bound = false;
  };
  std::vector<Binding> bindings;
  std::vector<OpRef> chain;  // ops of chains beside those in slots, operands before readers
};

// The nearest that a rule came to matching: of several tries the one that got furthest.
struct NearMiss {
  std::size_t progress = 0;  // parts of the pattern that matched, conditions included
  std::string reason;        // `operand 0 of %4 is an argument, not defined by conv2d`
  OpRef at;
  [[nodiscard]] bool found() const { return !reason.empty(); }
};

class RuleMatcher {
 public:
  // With `miss`, says why a try failed.
  RuleMatcher(Context& context, const TextRule& rule, NearMiss* miss = nullptr)
      : context_(&context), rule_(&rule), miss_(miss) {}

  // The left side alone.
  [[nodiscard]] bool match(const RulePattern& form, OpRef root, RuleMatch& out);
  // The conditions. Facts are those of the function around the root.
  [[nodiscard]] bool holds(const RuleMatch& match, OpRef root, const Facts& facts);

 private:
  bool match_operand(const RulePattern& pattern, OpRef owner, std::size_t operand, RuleMatch& out);
  bool match_op(const RulePattern& pattern, OpRef op, RuleMatch& out);
  bool match_attributes(const RulePattern& pattern, OpRef op, RuleMatch& out);
  bool match_chain(const RulePattern& pattern, OpRef root, RuleMatch& out);
  template <class Text>
  bool fail(OpRef at, const Text& text);

  Context* context_;
  const TextRule* rule_;
  NearMiss* miss_;
  std::size_t progress_ = 0;
};

// Nothing when it has no answer for these values.
[[nodiscard]] std::optional<AttrValue> evaluate_term(const RuleTerm& term, const RuleFunctionContext& context,
                                                     const RuleMatch& match);

// `%7`, or the op's name when its result has none.
[[nodiscard]] std::string rule_subject(OpRef op);

}  // namespace mlgc
