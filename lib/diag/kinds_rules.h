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
    .message = "`{name:text}` is not an op, a class of ops or a label of this rule",
    .doc = "A name before brackets in a rule is not in the op table.",
};
inline constexpr DiagKind kRuleUnknownFunction{
    .id = "rule-unknown-function",
    .message = "there is no function `{name:text}` for conditions and attributes",
    .remedy = "`mlgc rules --functions` lists them",
    .doc = "Functions of conditions are rows of a table, and this name is in none.",
};
inline constexpr DiagKind kRuleOpNotAllowed{
    .id = "rule-op-not-allowed",
    .message = "`{name:text}` cannot be used in a rule: {reason:text}",
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
    .remedy = "the right side, `where` and `if` use names of the left side",
    .doc = "A name is used that is not bound.",
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
inline constexpr DiagKind kRuleOptional{
    .id = "rule-optional",
    .message = "the op may be absent, and {reason:text}",
    .doc = "`op?(x, …)` matches the op, or `x` alone: what else it binds must have a value then.",
};
inline constexpr DiagKind kRuleTooManyForms{
    .id = "rule-too-many-forms",
    .message = "rule `{name:text}` has more than {most:int} forms by swapping operands and choosing among ops",
    .remedy = "write `!` after an op whose operands keep their order, or split the rule",
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
    .doc = "Rewriting with the rule is not shown to terminate (docs/rules.md).",
};
inline constexpr DiagKind kRuleNotTried{
    .id = "rule-not-tried",
    .severity = Severity::Warning,
    .message = "no program was found that rule `{name:text}` matches: its values were not compared",
    .doc = "Random programs did not satisfy the left side of a rule, or its conditions.",
};
inline constexpr DiagKind kRuleNotCompared{
    .id = "rule-not-compared",
    .severity = Severity::Warning,
    .message =
        "the values of {missing:int} of {programs:int} programs of rule `{name:text}` were not compared: {reason:text}",
    .doc = "No inputs were found for programs that the rule rewrites, or both sides failed on all inputs of every one.",
};
inline constexpr DiagKind kRuleNeverApplies{
    .id = "rule-never-applies",
    .message = "rule `{name:text}` applies to none of {count:int} programs that look like its left side: {reason:text}",
    .doc = "The types of both sides never agree, or the conditions never hold.",
};
inline constexpr DiagKind kRuleShadowed{
    .id = "rule-shadowed",
    .message = "rule `{name:text}` is never reached: `{earlier:text}` rewrites whatever it matches before it is asked",
    .remedy = "put the more special rule first, or give the other one a condition",
    .doc = "An earlier rule matches everything that a later one matches.",
};
inline constexpr DiagKind kRuleBarred{
    .id = "rule-barred",
    .severity = Severity::Warning,
    .message =
        "rule `{name:text}` matches here and is not applied: its numerics class is {class:text}, which "
        "--numerics={mode:text} does not admit",
    .remedy = "--numerics=fast admits every class; docs/rules.md lists what each mode admits",
    .doc = "A rule of the user's own file may alter numbers more than the mode permits. Said once for each rule.",
};
inline constexpr DiagKind kRuleLoop{
    .id = "rule-loop",
    .message = "rewriting goes in circles: {rules:list}, and the program is what it was",
    .doc = "Rules of phase `simplify` undo each other.",
};
inline constexpr DiagKind kRuleWrong{
    .id = "rule-wrong",
    .exit = ExitCode::Mismatch,
    .message =
        "rule `{name:text}` changes values: {value:text} is {before:text} before and {after:text} after ({dtype:text})",
    .doc = "The two sides of a rule differ by more than any class admits.",
};
inline constexpr DiagKind kRuleClass{
    .id = "rule-class",
    .exit = ExitCode::Mismatch,
    .message =
        "rule `{name:text}` is declared {declared:text}, and the values show {shown:text}: {value:text} is "
        "{before:text} before and {after:text} after ({dtype:text})",
    .doc = "The two sides of a rule differ by more than its numerics class admits.",
};
inline constexpr DiagKind kRuleCounterexample{
    .id = "rule-counterexample",
    .severity = Severity::Note,
    .message = "seen in the program below, with {inputs:text}{program:text}",
    .doc = "The program in which the two sides of a rule were seen to differ.",
};

inline constexpr DiagKind kNoSuchRule{
    .id = "no-such-rule",
    .exit = ExitCode::BadUsage,
    .message = "there is no rule `{name:text}` in the built-in files, nor in one named by --rules",
    .doc = "--why-not names a rule that was not loaded.",
};
inline constexpr DiagKind kNoSuchValue{
    .id = "no-such-value",
    .exit = ExitCode::BadUsage,
    .message = "no op of the printed module has a result `%{name:text}`",
    .doc = "--why-not or --explain names a value that is not in the output.",
};
inline constexpr DiagKind kBadQuestion{
    .id = "bad-question",
    .exit = ExitCode::BadUsage,
    .message = "`{flag:text}` takes {expected:text}, not `{found:text}`",
    .doc = "--why-not takes RULE@%VALUE, --explain %VALUE.",
};

inline constexpr std::array kRulesKinds{&kRuleSyntax,          &kRuleNameTwice,    &kRuleUnknownOp,
                                        &kRuleUnknownFunction, &kRuleOpNotAllowed, &kRuleUnknownAttribute,
                                        &kRuleUnbound,         &kRuleKindClash,    &kRuleOperandCount,
                                        &kRuleNeedsClass,      &kRuleRoot,         &kRuleTooManyForms,
                                        &kRuleOptional,        &kRulePhase,        &kRuleOrder,
                                        &kRuleNotTried,        &kRuleNotCompared,  &kRuleNeverApplies,
                                        &kRuleShadowed,        &kRuleBarred,       &kRuleLoop,
                                        &kRuleWrong,           &kRuleClass,        &kRuleCounterexample,
                                        &kNoSuchRule,          &kNoSuchValue,      &kBadQuestion};

}  // namespace mlgc
