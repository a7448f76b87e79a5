// What the verifier reports. Each row is provoked by a test (scripts/check-diagnostics).
#pragma once

#include <array>

#include "diag/diagnostic.h"

namespace mlgc {

inline constexpr DiagKind kNotTopLevel{
    .id = "not-top-level",
    .message = "`{op:text}` is allowed in the module only",
    .doc = "An op that belongs to the module is in a region.",
};
inline constexpr DiagKind kOutsideFunction{
    .id = "outside-function",
    .message = "`{op:text}` is outside of a function",
    .doc = "The module itself has functions, weights and states only.",
};
inline constexpr DiagKind kSymbolTwice{
    .id = "symbol-twice",
    .message = "`@{symbol:text}` is defined twice",
    .doc = "Two items of the module have one name.",
};
inline constexpr DiagKind kSymbolBeforeDefinition{
    .id = "symbol-before-definition",
    .message = "`@{symbol:text}` is used before its definition",
    .remedy = "move what defines `@{symbol}` up: a text is read from the top",
    .doc = "An op refers to a function, weight or state that is after it in the module.",
};
inline constexpr DiagKind kOpAfterTerminator{
    .id = "op-after-terminator",
    .message = "`{op:text}` must be the last op of its region",
    .doc = "Ops follow the one that ends a region.",
};
inline constexpr DiagKind kOperandNotVisible{
    .id = "operand-not-visible",
    .message = "operand {number:int} of `{op:text}` is defined in a region that does not hold the op",
    .doc = "A value is used outside of the region that defines it.",
};
inline constexpr DiagKind kIsolatedRegion{
    .id = "isolated-region",
    .message = "operand {number:int} of `{op:text}` is defined outside of an isolated region",
    .doc = "An isolated region sees only its own arguments.",
};
inline constexpr DiagKind kOperandBeforeDefinition{
    .id = "operand-before-definition",
    .message = "operand {number:int} of `{op:text}` is used before its definition",
    .remedy = "move the definition up, or let `mlgc opt --topological-sort` sort the text",
    .doc = "A value is used by an op before the one that defines it.",
};
inline constexpr DiagKind kCyclicValues{
    .id = "cyclic-values",
    .message = "no order of these ops defines every value before its use: {uses:text}",
    .remedy = "break the cycle; a value of an earlier round is an argument that `while`, `for` or `scan` carries",
    .doc = "Values are computed from each other, or one from itself.",
};
inline constexpr DiagKind kInCycle{
    .id = "in-cycle",
    .severity = Severity::Note,
    .message = "{op:text} is here",
    .doc = "The place of another op of a cycle.",
};
inline constexpr DiagKind kRegionNumber{
    .id = "region-number",
    .message = "`{op:text}` has at least {expected:int} regions, not {count:int}",
    .doc = "An op has another number of regions than its row says.",
};
inline constexpr DiagKind kRegionTerminator{
    .id = "region-terminator",
    .message = "region `{region:text}` of `{op:text}` must end in `{terminator:text}`",
    .doc = "A region does not end with the op that its row asks for.",
};
inline constexpr DiagKind kUpdateCount{
    .id = "update-count",
    .message = "`@{function:text}` updates {expected:int} states but returns {count:int} values",
    .doc = "A return has fewer operands than its function has updates.",
};
inline constexpr DiagKind kUpdateTarget{
    .id = "update-target",
    .message = "`@{function:text}` updates {target:text}, which is not a state, weight or argument",
    .doc = "An update names nothing that can change.",
};
inline constexpr DiagKind kUpdateType{
    .id = "update-type",
    .message = "{target:text} is {expected:text}, updated with {found:text}",
    .doc = "A new state has another type than what it replaces.",
};
inline constexpr DiagKind kResultNumber{
    .id = "result-number",
    .message = "`{op:text}` has {expected:int} results, not {count:int}",
    .doc = "An op has another number of results than its row says.",
};
inline constexpr DiagKind kResultTypeWrong{
    .id = "result-type-wrong",
    .message = "result {number:int} of `{op:text}` is {found:text}, inferred {expected:text}",
    .doc = "The type of a result is not the one that follows from the row.",
};

inline constexpr DiagKind kSizeTwice{
    .id = "size-twice",
    .message = "the size `{symbol:text}` is there already; `{op:text}` needs a name of its own",
    .doc = "An op whose result has a size that depends on data names that size; the name must be new.",
};

inline constexpr DiagKind kGradientSignature{
    .id = "gradient-signature",
    .message = "`@{gradient:text}` is the gradient of `@{function:text}`, so it is {expected:text}, not {found:text}",
    .remedy =
        "it takes the arguments of `@{function}`, then a cotangent for each float result, and returns a gradient "
        "for each float argument",
    .doc = "A function that is stated as the gradient of another one has other arguments or results.",
};
inline constexpr DiagKind kBesideGradient{
    .id = "beside-gradient",
    .message = "`@{function:text}` states a gradient, which is one of results by arguments, but {what:text}",
    .remedy = "make an argument of what is read, a result of what is updated",
    .doc =
        "A function with `gradient @g` reads a float weight or state, itself or by a call, or updates something: what "
        "is read would get no gradient, and a call drops updates.",
};

inline constexpr DiagKind kNoSizesFit{
    .id = "no-sizes-fit",
    .message = "no sizes satisfy `where {constraints:text}`",
    .remedy = "the constraints contradict each other: with them nothing can ever be computed",
    .doc =
        "Remainders or bounds that exclude each other, sizes each less than the other, or a constraint that is false "
        "for every value that bounds leave.",
};

inline constexpr std::array kVerifyKinds{&kNotTopLevel,
                                         &kOutsideFunction,
                                         &kSymbolTwice,
                                         &kSymbolBeforeDefinition,
                                         &kOpAfterTerminator,
                                         &kOperandNotVisible,
                                         &kIsolatedRegion,
                                         &kOperandBeforeDefinition,
                                         &kRegionNumber,
                                         &kRegionTerminator,
                                         &kUpdateCount,
                                         &kUpdateTarget,
                                         &kUpdateType,
                                         &kResultNumber,
                                         &kResultTypeWrong,
                                         &kSizeTwice,
                                         &kGradientSignature,
                                         &kBesideGradient,
                                         &kNoSizesFit,
                                         &kCyclicValues,
                                         &kInCycle};

}  // namespace mlgc
