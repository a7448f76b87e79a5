// What the LibTorch plug-in and comparisons with it report. Each row is provoked by a test (scripts/check-diagnostics).
#pragma once

#include <array>

#include "diag/diagnostic.h"

namespace mlgc {

inline constexpr DiagKind kNoTorchPlugin{
    .id = "no-torch-plugin",
    .exit = ExitCode::Unsupported,
    .message = "the LibTorch plug-in cannot be used: {reasons:text}",
    .remedy =
        "`scripts/setup` installs torch and the build then makes libmlgc_torch.so next to mlgc; the environment "
        "variable MLGC_TORCH_PLUGIN may name another file",
    .doc = "Comparing with PyTorch needs libmlgc_torch.so, which links LibTorch; nothing else does.",
};
inline constexpr DiagKind kDiffersFromTorch{
    .id = "differs-from-torch",
    .exit = ExitCode::Mismatch,
    .message = "`{op:text}` differs from `{aten:text}` in result {number:int}: {what:text}",
    .doc = "On the same operands an op gives other numbers than its operator of PyTorch.",
};
inline constexpr DiagKind kRefusedHere{
    .id = "refused-here",
    .exit = ExitCode::Mismatch,
    .message = "`{op:text}` is refused, and `{aten:text}` computes it: {why:text}",
    .doc = "On the same operands the operator of PyTorch gives numbers, the op an error.",
};
inline constexpr DiagKind kComparedOn{
    .id = "compared-on",
    .severity = Severity::Note,
    .message = "operands: {operands:text}; with {inputs:text}{program:text}",
    .doc = "What the op was given when it differed, and the command that shows it again.",
};
inline constexpr DiagKind kNotCompared{
    .id = "not-compared",
    .severity = Severity::Warning,
    .message = "`@{function:text}` is not compared{inputs:text}: {reason:text}",
    .doc = "The function could not be run on generated inputs, or not on these.",
};
inline constexpr DiagKind kRunByInterpreter{
    .id = "run-by-interpreter",
    .severity = Severity::Note,
    .message =
        "{called:int} of {total:int} ops ran in PyTorch {version:text}, the interpreter ran the others: {rest:list}",
    .doc = "What `--backend=torch` left to the interpreter: ops that have no counterpart in PyTorch, and why.",
};
inline constexpr DiagKind kBackendsDiffer{
    .id = "backends-differ",
    .exit = ExitCode::Mismatch,
    .message = "{count:int} of {total:int} results do not agree: {results:list}",
    .doc =
        "`--compare` found results of a back end that are not as near to f64 as they must be; the differences are "
        "printed before.",
};
inline constexpr DiagKind kEnginesPart{
    .id = "engines-part",
    .exit = ExitCode::Mismatch,
    .message =
        "`{value:text}` of `{op:text}` is the first value that parts: {engine:text} is off by {off:text}, allowed "
        "{allowed:text}",
    .doc =
        "`mlgc compare --against` ran a function with several engines, and one of them is further from f64 than it may "
        "be.",
};
inline constexpr DiagKind kEnginesPartAt{
    .id = "engines-part-at",
    .severity = Severity::Note,
    .message =
        "at {element:text} {values:text}; {count:int} of {elements:int} elements are beyond that, with {inputs:text}",
    .doc = "The element that is furthest off, and what each engine has there.",
};
inline constexpr DiagKind kNoTorchOperator{
    .id = "no-torch-operator",
    .exit = ExitCode::Unsupported,
    .message = "in LibTorch {version:text} there is no operator `{target:text}`",
    .remedy = "operators that a Python package registers are there in Python only",
    .doc = "`torch.call` names an operator that the plug-in's LibTorch does not have.",
};
inline constexpr DiagKind kTorchCallFailed{
    .id = "torch-call-failed",
    .message = "the call of `{target:text}` fails: {reason:text}",
    .doc = "LibTorch refuses a `torch.call`, or gives something else than the op states.",
};
inline constexpr DiagKind kTorchCallImpure{
    .id = "torch-call-impure",
    .exit = ExitCode::Unsupported,
    .message = "`{target:text}` cannot be called: {reason:text}",
    .doc =
        "A `torch.call` has no effects: it names no operator that changes its operands or samples a generator of "
        "its own.",
};

inline constexpr std::array kTorchKinds{&kNoTorchPlugin, &kDiffersFromTorch, &kRefusedHere,     &kComparedOn,
                                        &kNotCompared,   &kRunByInterpreter, &kBackendsDiffer,  &kEnginesPart,
                                        &kEnginesPartAt, &kNoTorchOperator,  &kTorchCallFailed, &kTorchCallImpure};

}  // namespace mlgc
