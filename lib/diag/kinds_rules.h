// What reading, checking and applying rule files reports. Each row is provoked by a test (scripts/check-diagnostics).
#pragma once

#include <array>

#include "diag/diagnostic.h"

namespace mlgc {

inline constexpr DiagKind kRuleSyntax{
    .id = "rule-syntax",
    .message = "expected {expected:text}, found {found:text}",
    .doc = "A rule file does not follow the grammar of docs/rules.md.",
};
inline constexpr DiagKind kRuleNameTwice{
    .id = "rule-name-twice",
    .message = "there is a rule `{name:text}` already",
    .doc = "Names of rules are unique over all files that are loaded together.",
};
inline constexpr DiagKind kRuleUnknownOp{
    .id = "rule-unknown-op",
    .message = "`{name:text}` is no op, no class of ops and no label of this rule",
    .doc = "What stands before brackets in a rule is in no row of the op table.",
};
inline constexpr DiagKind kRuleUnknownFunction{
    .id = "rule-unknown-function",
    .message = "there is no function `{name:text}` for conditions and attributes",
    .doc = "Functions of conditions are rows; `mlgc rules --functions` lists them.",
};
inline constexpr DiagKind kRuleOpNotAllowed{
    .id = "rule-op-not-allowed",
    .message = "`{name:text}` cannot stand in a rule: {reason:text}",
    .doc = "Ops with regions, terminators and items of the module are not matched or made by text rules.",
};
inline constexpr DiagKind kRuleUnknownAttribute{
    .id = "rule-unknown-attribute",
    .message = "`{op:text}` has no attribute `{attribute:text}`",
    .doc = "A rule names an attribute that the op's row does not have.",
};
inline constexpr DiagKind kRuleUnbound{
    .id = "rule-unbound",
    .message = "`{name:text}` is not bound by the left side of the rule",
    .remedy = "the right side, `where` and `if` speak of what the left side names",
    .doc = "A name is used that stands for nothing.",
};
inline constexpr DiagKind kRuleKindClash{
    .id = "rule-kind-clash",
    .message = "{what:text} is {found:text}, and must be {expected:text}",
    .doc = "An argument, attribute or operand of a rule is of another kind than its place asks for.",
};
inline constexpr DiagKind kRuleOperandCount{
    .id = "rule-operand-count",
    .message = "`{op:text}` takes {expected:text} operands, not {found:int}",
    .doc = "A pattern or a new op has a number of operands that the row does not allow.",
};
inline constexpr DiagKind kRuleNeedsClass{
    .id = "rule-needs-class",
    .message = "rule `{name:text}` does not say what it may do to numbers",
    .remedy = "end it with `numerics` and one of exact, signed_zero, nan_or_inf, reassociate, approximate, unequal",
    .doc = "Every rule states its numerics class.",
};
inline constexpr DiagKind kRuleRoot{
    .id = "rule-root",
    .message = "the left side of rule `{name:text}` is not an op",
    .doc = "A rule rewrites an op: a lone value or number matches everything.",
};
inline constexpr DiagKind kRuleTooManyForms{
    .id = "rule-too-many-forms",
    .message = "rule `{name:text}` has more than {most:int} forms by swapping operands and choosing among ops",
    .remedy = "write `!` behind an op whose operands shall stand as written, or split the rule",
    .doc = "Each commutative op doubles the forms that a rule matches.",
};
inline constexpr DiagKind kRulePhase{
    .id = "rule-phase",
    .message = "{what:text} belongs to a set of phase `grow`",
    .doc = "Chains (`op*`) and `=> fusion` collect ops into regions; the other phases replace ops.",
};

inline constexpr DiagKind kRuleOrder{
    .id = "rule-order",
    .message = "rule `{name:text}` of phase `simplify` has no order proof: {reason:text}",
    .remedy = "rules that need not make the program smaller belong to a set of phase `once`",
    .doc = "Nothing says that rewriting with the rule ends (docs/rules.md).",
};
inline constexpr std::array kRulesKinds{&kRuleSyntax,          &kRuleNameTwice,    &kRuleUnknownOp,
                                        &kRuleUnknownFunction, &kRuleOpNotAllowed, &kRuleUnknownAttribute,
                                        &kRuleUnbound,         &kRuleKindClash,    &kRuleOperandCount,
                                        &kRuleNeedsClass,      &kRuleRoot,         &kRuleTooManyForms,
                                        &kRulePhase,           &kRuleOrder};

}  // namespace mlgc
