// What the pass manager, pipelines and transforms report. Each row is provoked by a test (scripts/check-diagnostics).
#pragma once

#include <array>

#include "diag/diagnostic.h"

namespace mlgc {

inline constexpr DiagKind kPipelineSyntax{
    .id = "pipeline-syntax",
    .exit = ExitCode::BadUsage,
    .message = "expected {expected:text} in the pipeline, found {found:text}",
    .doc = "The pipeline text does not follow `pass{option=value option=value},pass`.",
};
inline constexpr DiagKind kUnknownPass{
    .id = "unknown-pass",
    .exit = ExitCode::BadUsage,
    .message = "unknown pass `{name:text}`",
    .doc = "No pass has this name; `mlgc passes` lists them.",
};
inline constexpr DiagKind kUnknownPassOption{
    .id = "unknown-pass-option",
    .exit = ExitCode::BadUsage,
    .message = "pass `{pass:text}` has no option `{option:text}`",
    .doc = "The pass has options of other names, or none.",
};
inline constexpr DiagKind kRepeatedPassOption{
    .id = "repeated-pass-option",
    .exit = ExitCode::BadUsage,
    .message = "option `{option:text}` of pass `{pass:text}` is given twice",
    .doc = "An option may be given once for each time the pass is in the pipeline.",
};
inline constexpr DiagKind kBadPassOption{
    .id = "bad-pass-option",
    .exit = ExitCode::BadUsage,
    .message = "option `{option:text}` of pass `{pass:text}`: {problem:text}",
    .doc = "The value of an option is of the wrong type, or one that the pass cannot use.",
};
inline constexpr DiagKind kPassOrder{
    .id = "pass-order",
    .exit = ExitCode::BadUsage,
    .message = "pass `{later:text}` is before `{earlier:text}`, but must come after it, because {reason:text}",
    .doc = "The table of order facts forbids this order of passes.",
};
inline constexpr DiagKind kPassOrderAdvice{
    .id = "pass-order-advice",
    .severity = Severity::Warning,
    .message = "pass `{later:text}` should come again after `{earlier:text}`, because {reason:text}",
    .doc = "The table of order facts advises another order of passes.",
};
inline constexpr DiagKind kPassStage{
    .id = "pass-stage",
    .exit = ExitCode::BadUsage,
    .message = "pass `{pass:text}` works on {needs:text}, but the module is at {stage:text} there",
    .doc = "An earlier pass of the pipeline has lowered the module beyond what this pass can read.",
};
inline constexpr DiagKind kPassBrokeModule{
    .id = "pass-broke-module",
    .exit = ExitCode::Internal,
    .message = "pass `{pass:text}` left a module that is not valid{detail:text}",
    .doc = "Verification after a pass failed: a bug of the pass.",
};
inline constexpr DiagKind kPassUntruthful{
    .id = "pass-untruthful",
    .exit = ExitCode::Internal,
    .message = "pass `{pass:text}` says that it {claim:text}, but the module {truth:text}",
    .doc = "What a pass answers about having changed the module disagrees with the structural hash: a bug of the pass.",
};
inline constexpr DiagKind kPassInternalError{
    .id = "pass-internal-error",
    .exit = ExitCode::Internal,
    .message = "internal error in pass `{pass:text}`: {what:text}",
    .doc = "An invariant of the compiler was found broken inside a pass: a bug of the pass.",
};

inline constexpr DiagKind kReplaceOpMisfit{
    .id = "replace-op-misfit",
    .message = "`{to:text}` cannot replace this `{from:text}`: {reason:text}",
    .doc = "replace-op: the new op does not accept the operands of the old one, or gives another type.",
};
inline constexpr DiagKind kNotExpanded{
    .id = "not-expanded",
    .severity = Severity::Note,
    .message = "`{op:text}` stays whole: {reason:text}",
    .doc = "expand: the formula of an op cannot be written as ops of its own.",
};
inline constexpr DiagKind kUnknownSize{
    .id = "unknown-size",
    .exit = ExitCode::BadUsage,
    .message = "no argument has a size `{name:text}`",
    .doc = "specialize-dims: a size that is to be a number is in the type of no argument.",
};
inline constexpr DiagKind kSizeContradicts{
    .id = "size-contradicts",
    .message = "{sizes:text} contradicts `{constraint:text}` of `@{function:text}`",
    .doc = "specialize-dims: a function says of its sizes what the numbers given for them are not.",
};
inline constexpr DiagKind kSizeImpossible{
    .id = "size-impossible",
    .message = "{sizes:text}: there is no `{what:text}` of that size in `@{function:text}`",
    .doc = "specialize-dims: with the numbers given a dim would be negative, or a number or tensor too large.",
};

inline constexpr std::array kPassKinds{&kReplaceOpMisfit,    &kPipelineSyntax,  &kUnknownPass,     &kUnknownPassOption,
                                       &kRepeatedPassOption, &kBadPassOption,   &kPassOrder,       &kPassOrderAdvice,
                                       &kPassStage,          &kPassBrokeModule, &kPassUntruthful,  &kPassInternalError,
                                       &kNotExpanded,        &kUnknownSize,     &kSizeContradicts, &kSizeImpossible};

}  // namespace mlgc
