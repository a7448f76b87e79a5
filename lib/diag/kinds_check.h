// Reports of the numeric checker, of reproducers and of reducing. Each row is provoked by a test
// (scripts/check-diagnostics).
#pragma once

#include <array>

#include "diag/diagnostic.h"

namespace mlgc {

inline constexpr DiagKind kPassChangesResults{
    .id = "pass-changes-results",
    .exit = ExitCode::Mismatch,
    .message =
        "pass `{pass:text}` changes what `@{function:text}` computes: {value:text} was {before:text} and is "
        "{after:text}",
    .doc = "--verify-each=numeric: the function gives other numbers after a pass than before it: a bug of the pass.",
};
inline constexpr DiagKind kPassMakesFail{
    .id = "pass-makes-function-fail",
    .exit = ExitCode::Mismatch,
    .message = "after pass `{pass:text}` evaluating `@{function:text}` fails: {what:text}",
    .doc = "--verify-each=numeric: the function could be evaluated before the pass: a bug of the pass.",
};
inline constexpr DiagKind kRewriteAtFault{
    .id = "rewrite-at-fault",
    .severity = Severity::Note,
    .message = "rewrite {number:int}, `{what:text}`, is at fault: {in_pass:int} of {total:int} in this pass",
    .doc = "Without this rewrite and those after it the function computes what it did.",
};
inline constexpr DiagKind kRewriteUnknown{
    .id = "rewrite-unknown",
    .severity = Severity::Note,
    .message = "no rewrite can be blamed: {reason:text}",
    .doc = "Blaming repeats the pass with a limit on rewrites, which found nothing.",
};
inline constexpr DiagKind kFirstDifference{
    .id = "first-difference",
    .severity = Severity::Note,
    .message = "the first value that differs is {value:text}: it was {before:text} and is {after:text}",
    .doc = "Of the values that are there before and after the rewrite, the first in the order of evaluation.",
};
inline constexpr DiagKind kCheckedWith{
    .id = "checked-with",
    .severity = Severity::Note,
    .message = "with {inputs:text}, seed {seed:int}{differing:text}",
    .doc = "What the function was given when it differed.",
};
inline constexpr DiagKind kPassNotChecked{
    .id = "pass-not-checked",
    .severity = Severity::Note,
    .message = "pass `{pass:text}` is not checked numerically: {reason:text}",
    .doc = "Some passes are meant to change what functions compute.",
};
inline constexpr DiagKind kFunctionNotChecked{
    .id = "function-not-checked",
    .severity = Severity::Note,
    .message = "`@{function:text}` is not checked after pass `{pass:text}`: {reason:text}",
    .doc = "--verify-each=numeric could not run the function before and after the pass.",
};
inline constexpr DiagKind kRunLeftOut{
    .id = "run-left-out",
    .severity = Severity::Note,
    .message = "`@{function:text}` is not run with {inputs:text}: {reason:text}",
    .doc = "--verify-each=numeric left out these inputs and ran the function with others.",
};
inline constexpr DiagKind kZeroSignSpreads{
    .id = "zero-sign-spreads",
    .severity = Severity::Note,
    .message =
        "rewrite {number:int}, `{what:text}`, may change the sign of a zero, and with {inputs:text} `@{function:text}` "
        "makes more of it: {value:text} was {before:text} and is {after:text}",
    .doc = "The numerics class of the rewrite permits it, so it is not a mismatch.",
};

inline constexpr DiagKind kReproducerWritten{
    .id = "reproducer-written",
    .severity = Severity::Note,
    .message = "`mlgc opt {path:text} --replay` shows it again",
    .doc = "A file with the module before the pass that failed, the pipeline, the seed and the command.",
};
inline constexpr DiagKind kReproducerNotWritten{
    .id = "reproducer-not-written",
    .severity = Severity::Note,
    .message = "what shows it again could not be written: {reason:text}",
    .remedy = "let TMPDIR name a folder that can be written",
    .doc = "The file with the module before the pass that failed could not be made.",
};
inline constexpr DiagKind kNotAReproducer{
    .id = "not-a-reproducer",
    .exit = ExitCode::BadUsage,
    .message = "`{file:text}` is not a reproducer: {reason:text}",
    .remedy = "--replay takes a file that `mlgc opt --verify-each=numeric` has written",
    .doc = "The head of a reproducer is missing or damaged.",
};
inline constexpr DiagKind kReproducerVersion{
    .id = "reproducer-version",
    .message = "the reproducer was written by mlgc {theirs:text}, this is mlgc {ours:text}",
    .remedy = "run that version, or edit this line to try it here",
    .doc = "Passes differ between versions, so that a replay may show something else.",
};

inline constexpr DiagKind kNothingToReduce{
    .id = "nothing-to-reduce",
    .message = "`{file:text}` does not fail as --keep={keep:text} says",
    .remedy =
        "run the test by hand: a crash is a signal or exit code 70, a mismatch exit code 4, and the kind of an "
        "error is read from --diagnostics=json",
    .doc = "mlgc reduce keeps a failure that is there.",
};
inline constexpr DiagKind kCannotRun{
    .id = "cannot-run",
    .message = "{what:text}",
    .remedy = "--test is run by `env` and `sh`, which are looked up in PATH",
    .doc = "A program that mlgc calls cannot be started.",
};

inline constexpr DiagKind kCompiledDiffers{
    .id = "compiled-differs",
    .exit = ExitCode::Mismatch,
    .message =
        "`@{function:text}` with {draw:text} on {threads:int} threads: compiled, {value:text} is {got:text}, "
        "interpreted it is {wanted:text}{note:text}",
    .doc = "Emitted C++ computes other bits than the loop text that it was printed from.",
};

inline constexpr DiagKind kWrongAdjoint{
    .id = "wrong-adjoint",
    .exit = ExitCode::Mismatch,
    .message =
        "the gradient that `{op:text}` sends to `{operand:text}` is wrong: {computed:text} along a direction in which "
        "differences of what it computes give {difference:text}, off by {error:text} at most",
    .remedy =
        "a gradient follows from the row's formula: a branch that decides the slope holds `stop`; otherwise this is a "
        "bug of mlgc, and `mlgc reduce --keep=mismatch --test='mlgc grad --check {{}'` makes it small",
    .doc = "`mlgc grad --check`: what the op sends back is not the derivative of what it computes.",
};
inline constexpr DiagKind kWrongStatedGradient{
    .id = "wrong-stated-gradient",
    .exit = ExitCode::Mismatch,
    .message =
        "the gradient `@{gradient:text}` of `@{function:text}` is wrong for `{operand:text}`: {computed:text} along a "
        "direction in which differences of `@{function}` give {difference:text}, off by {error:text} at most",
    .remedy =
        "fix `@{gradient}`; if it is meant to be another gradient, say so: `attributes {{surrogate = true}` on "
        "`@{function}`",
    .doc = "`mlgc grad --check`: what a function states as its gradient is not the derivative of what it computes.",
};
inline constexpr DiagKind kWrongGradient{
    .id = "wrong-gradient",
    .exit = ExitCode::Mismatch,
    .message =
        "the gradient of `@{function:text}` with respect to {name:text} is wrong: {computed:text} along a direction in "
        "which differences give {difference:text}, off by {error:text} at most",
    .remedy =
        "where an adjoint is wrong too, that is the cause; otherwise compare with `mlgc grad --raw --check`, which "
        "leaves out the passes after it",
    .doc = "`mlgc grad --check`: the derived function does not return the derivative of the function.",
};
inline constexpr DiagKind kGradientFails{
    .id = "gradient-fails",
    .exit = ExitCode::Mismatch,
    .message = "the gradient of `{what:text}` cannot be evaluated, and what it is the gradient of can: {why:text}",
    .remedy = "this is a bug of mlgc; `mlgc reduce --keep=mismatch --test='mlgc grad --check {{}'` makes it small",
    .doc = "`mlgc grad --check`: evaluating a gradient is an error at inputs where the function has a value.",
};

inline constexpr DiagKind kNoInputsToCheck{
    .id = "no-inputs-to-check",
    .message = "no inputs were found on which `@{function:text}` could be run: {reason:text}",
    .remedy = "give them, with --input, --dim and --random-inputs",
    .doc = "`mlgc grad --check` without inputs generates some, and runs the function on them.",
};

inline constexpr std::array kCheckKinds{
    &kPassChangesResults, &kPassMakesFail,        &kRewriteAtFault,     &kRewriteUnknown,      &kFirstDifference,
    &kCheckedWith,        &kPassNotChecked,       &kFunctionNotChecked, &kRunLeftOut,          &kZeroSignSpreads,
    &kReproducerWritten,  &kReproducerNotWritten, &kNotAReproducer,     &kReproducerVersion,   &kNothingToReduce,
    &kCannotRun,          &kCompiledDiffers,      &kWrongAdjoint,       &kWrongStatedGradient, &kWrongGradient,
    &kGradientFails,      &kNoInputsToCheck};

}  // namespace mlgc
