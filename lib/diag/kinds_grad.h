// What differentiation reports. Each row is provoked by a test (scripts/check-diagnostics).
#pragma once

#include <array>

#include "diag/diagnostic.h"

namespace mlgc {

inline constexpr DiagKind kNoGradient{
    .id = "no-gradient",
    .exit = ExitCode::Unsupported,
    .message = "`{op:text}` has no gradient: {reason:text}",
    .remedy = "stop the gradient before it with `detach`, or differentiate with respect to values after it",
    .doc = "A value that gradients were asked of reaches the result through this op, which cannot be differentiated.",
};
inline constexpr DiagKind kNoTangent{
    .id = "no-tangent",
    .exit = ExitCode::Unsupported,
    .message = "`@{function:text}` states the gradient `@{gradient:text}`, which says nothing of tangents",
    .remedy = "differentiate in reverse mode, or take `gradient @{gradient}` away from `@{function}`",
    .doc = "Forward mode comes to a call of a function that states its gradient, and only that.",
};
inline constexpr DiagKind kLoopIndexRead{
    .id = "loop-index-read",
    .exit = ExitCode::Unsupported,
    .message = "the index of this `for` is read, so the loop has no gradient",
    .remedy = "write it as a `scan` over `arange`, whose slices are values",
    .doc = "Reverse mode turns `for` into `scan`; an index is not a value that a scan could carry.",
};

inline constexpr DiagKind kScanLengths{
    .id = "scan-lengths",
    .exit = ExitCode::Unsupported,
    .message =
        "this `scan` has no gradient: the lengths `{first:text}` and `{other:text}` of its sequences are not known to "
        "be equal",
    .remedy = "let the function say `where {equal:text}`",
    .doc =
        "Gradients of sequences are stacked, to the length of the first one; the lengths are compared when a scan "
        "runs.",
};

inline constexpr DiagKind kResultNotChosen{
    .id = "result-not-chosen",
    .exit = ExitCode::BadUsage,
    .message = "`@{function:text}` has {count:int} float results, so which one is differentiated must be said",
    .remedy = "name it with --of: {names:list}",
    .doc = "Without --of a function must have exactly one float result.",
};
inline constexpr DiagKind kUnknownResult{
    .id = "unknown-result",
    .exit = ExitCode::BadUsage,
    .message = "--of={name:text}: `@{function:text}` has no result of that name",
    .doc = "Results have the names of the values that are returned, `result<i>` where one has none.",
};
inline constexpr DiagKind kResultNotFloat{
    .id = "result-not-float",
    .message = "result `{name:text}` is {type:text}, and only floats have gradients",
    .remedy = "differentiate another result, with --of",
    .doc = "What is differentiated is a float tensor.",
};
inline constexpr DiagKind kResultNeedsSeed{
    .id = "result-needs-seed",
    .message = "result `{name:text}` is {type:text}, no scalar, so what its elements weigh must be said",
    .remedy = "make a scalar of it (`sum`, `mean`, --loss), or give its cotangent as an argument, with --seed",
    .doc = "Reverse mode differentiates a scalar, or a weighted sum of a result's elements.",
};
inline constexpr DiagKind kSeedSize{
    .id = "seed-size",
    .exit = ExitCode::Unsupported,
    .message =
        "result `{name:text}` is {type:text}, whose size the call computes, so its cotangent cannot be an argument",
    .remedy = "make a scalar of it (`sum`, `mean`) and differentiate that",
    .doc = "An argument exists before the call; a size that depends on data is known in the middle of it.",
};
inline constexpr DiagKind kNamedTwice{
    .id = "named-twice",
    .exit = ExitCode::BadUsage,
    .message = "{flag:text} names `{name:text}` twice",
    .remedy = "name it once",
    .doc = "What is differentiated, and by what, is named once each.",
};
inline constexpr DiagKind kUnknownWrt{
    .id = "unknown-wrt",
    .exit = ExitCode::BadUsage,
    .message = "--wrt={name:text}: `@{function:text}` has no argument, and its module no weight or state, of that name",
    .remedy = "arguments are written as they are, weights and states with an `@`",
    .doc = "Gradients are taken with respect to arguments, weights and states.",
};
inline constexpr DiagKind kWrtNotFloat{
    .id = "wrt-not-float",
    .message = "--wrt={name:text} is {type:text}, and only floats have gradients",
    .remedy = "leave it out",
    .doc = "Integers and booleans have no gradient.",
};
inline constexpr DiagKind kNothingToDifferentiate{
    .id = "nothing-to-differentiate",
    .message = "`@{function:text}` has no float argument and reads no float weight",
    .remedy = "there is nothing that a gradient could be taken with respect to",
    .doc = "Without --wrt gradients are taken with respect to all float arguments and weights.",
};
inline constexpr DiagKind kZeroGradient{
    .id = "zero-gradient",
    .severity = Severity::Warning,
    .message = "the gradient of {results:list} with respect to {name:text} is zero: nothing differentiable leads there",
    .doc = "The value is not used for the result, or only where no gradient passes; the notes say where.",
};
inline constexpr DiagKind kZeroTangent{
    .id = "zero-tangent",
    .severity = Severity::Warning,
    .message = "the tangent of {result:text} is zero: nothing differentiable leads there from {names:list}",
    .doc = "The result depends on none of the values, or only where no derivative passes; the notes say where.",
};
inline constexpr DiagKind kNoFloatResult{
    .id = "no-float-result",
    .message = "`@{function:text}` has no float result, so there is nothing to differentiate",
    .remedy = "only floats have derivatives: return the float that a result is made of, too",
    .doc = "What is differentiated is a float tensor.",
};
inline constexpr DiagKind kGradientEnds{
    .id = "gradient-ends",
    .severity = Severity::Note,
    .message = "no gradient passes `{op:text}`",
    .doc = "The op depends on the value, but not differentiably.",
};

inline constexpr DiagKind kMemoryLimit{
    .id = "memory-limit",
    .exit = ExitCode::Limit,
    .message =
        "`@{function:text}` takes at least {least:text} for temporaries{sizes:text} ({choice:text}), "
        "more than the limit of {limit:text}",
    .remedy = "allow it, with {more:text}{smaller:text}",
    .doc = "Whatever backward recomputes, the planned memory of a call exceeds the limit.",
};

inline constexpr std::array kGradKinds{
    &kNoGradient,
    &kNamedTwice,
    &kLoopIndexRead,
    &kResultNotChosen,
    &kUnknownResult,
    &kResultNotFloat,
    &kResultNeedsSeed,
    &kSeedSize,
    &kUnknownWrt,
    &kWrtNotFloat,
    &kNothingToDifferentiate,
    &kZeroGradient,
    &kGradientEnds,
    &kMemoryLimit,
    &kNoTangent,
    &kZeroTangent,
    &kScanLengths,
    &kNoFloatResult,
};

}  // namespace mlgc
