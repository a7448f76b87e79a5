// What the command line reports. Each row is provoked by a test (scripts/check-diagnostics).
#pragma once

#include <array>

#include "diag/diagnostic.h"

namespace mlgc {

inline constexpr DiagKind kUnexpectedDiagnostic{
    .id = "unexpected-diagnostic",
    .message = "unexpected {severity:text}: {message:text}",
    .doc = "Under --verify-diagnostics: something was reported that no comment expects.",
};
inline constexpr DiagKind kMissingDiagnostic{
    .id = "missing-diagnostic",
    .message = "expected {severity:text} was not reported: {message:text}",
    .doc = "Under --verify-diagnostics: a comment expects what was not reported.",
};
inline constexpr DiagKind kBadExpectation{
    .id = "bad-expectation",
    .message = "malformed expectation: {what:text}",
    .remedy = "write `expected-error {{{{message}}`, with `@+1`, `@-1` or `@unknown` after `error` for another line",
    .doc = "Under --verify-diagnostics: a comment looks like an expectation but is none.",
};

inline constexpr DiagKind kUnknownCommand{
    .id = "unknown-command",
    .exit = ExitCode::BadUsage,
    .message = "unknown command `{command:text}`",
    .remedy = "`mlgc --help` lists the commands",
    .doc = "The first argument names a sub-command.",
};
inline constexpr DiagKind kUnknownFlag{
    .id = "unknown-flag",
    .exit = ExitCode::BadUsage,
    .message = "`mlgc {command:text}` has no flag `{flag:text}`",
    .remedy = "`mlgc {command} --help` lists them",
    .doc = "A word that starts with a dash names a flag of the sub-command.",
};
inline constexpr DiagKind kUnexpectedArgument{
    .id = "unexpected-argument",
    .exit = ExitCode::BadUsage,
    .message = "unexpected argument `{argument:text}`",
    .remedy = "`mlgc {command:text} --help` shows what it takes",
    .doc = "More words than the sub-command takes.",
};
inline constexpr DiagKind kBadFlag{
    .id = "bad-flag",
    .exit = ExitCode::BadUsage,
    .message = "{what:text}",
    .remedy = "`mlgc {command:text} --help` shows what it takes",
    .doc = "A flag without its value, with a value it does not take, or given twice.",
};
inline constexpr DiagKind kConfigSyntax{
    .id = "config-syntax",
    .exit = ExitCode::BadUsage,
    .message = "{what:text}",
    .remedy = "write one flag a line: `flag = \"text\"`, `flag = 8`, `flag = true` or `flag = [\"text\", \"text\"]`",
    .doc = "--config names a file that is not in the part of TOML that flags need.",
};
inline constexpr DiagKind kFlagConflict{
    .id = "flag-conflict",
    .exit = ExitCode::BadUsage,
    .message = "`{first:text}` and `{second:text}` exclude each other",
    .doc = "Two flags ask for different things.",
};
inline constexpr DiagKind kVectorsNotHere{
    .id = "vectors-not-here",
    .exit = ExitCode::Unsupported,
    .message =
        "--vector-bytes={bytes:int}: `mlgc {command:text}` runs what it compiles, and this CPU has vectors of at most "
        "{widest:int} bytes",
    .remedy = "leave the flag out, or compile for another CPU with `mlgc compile --vector-bytes={bytes}`",
    .doc = "Kernels that a command compiles and runs use vectors that the CPU does not have.",
};
inline constexpr DiagKind kUnknownValue{
    .id = "unknown-value",
    .exit = ExitCode::BadUsage,
    .message = "the module has no value `{name:text}`",
    .doc = "--print-values names a value that is not in the module as it is evaluated.",
};
inline constexpr DiagKind kBadInputFlag{
    .id = "bad-input-flag",
    .exit = ExitCode::BadUsage,
    .message = "`{text:text}`: {what:text}",
    .remedy =
        "write NAME=8x4xf32=VALUE, where VALUE is @file.npy, rand, rand:seed=1, iota, a number, or numbers with "
        "commas",
    .doc = "The text of an input, as of --input, is outside its grammar (mlgc eval --help).",
};
inline constexpr DiagKind kSizeTooLarge{
    .id = "size-too-large",
    .exit = ExitCode::Unsupported,
    .message = "{what:text}",
    .remedy = "give smaller sizes: a tensor has at most 2^63 - 1 bytes",
    .doc = "A size that --input or --dim gives, or what follows from it, is larger than any tensor.",
};
inline constexpr DiagKind kUnknownInput{
    .id = "unknown-input",
    .exit = ExitCode::BadUsage,
    .message = "function `@{function:text}` has no argument `{name:text}`",
    .doc = "--input names an argument that the function does not have.",
};
inline constexpr DiagKind kUnknownDim{
    .id = "unknown-dim",
    .exit = ExitCode::BadUsage,
    .message = "`{given:text}`: no argument of `@{function:text}` has a size `{name:text}`",
    .doc = "--dim names a symbol that stands in no type of the function's arguments.",
};
inline constexpr DiagKind kUnusedMember{
    .id = "unused-member",
    .severity = Severity::Warning,
    .message = "`{file:text}` has `{name:text}`, which is no argument of `@{function:text}`",
    .doc = "--input=@file.npz fills arguments by name; what has another name is not used.",
};
inline constexpr DiagKind kInputGivenTwice{
    .id = "input-given-twice",
    .exit = ExitCode::BadUsage,
    .message = "argument `{name:text}` is given twice",
    .doc = "Each argument of a function takes one value.",
};
inline constexpr DiagKind kMissingInput{
    .id = "missing-input",
    .exit = ExitCode::BadUsage,
    .message = "argument `{name:text}` of type {type:text} has no value",
    .remedy = "give it with --input={name}=rand, or all of them with --input=@file.npz",
    .doc = "Every argument of the evaluated function needs a value.",
};
inline constexpr DiagKind kInputMismatch{
    .id = "input-mismatch",
    .message = "argument `{name:text}` is {wanted:text}, the value given is {given:text}",
    .doc = "A tensor given for an argument differs from it in element type, rank or extents.",
};
inline constexpr DiagKind kSizeIsKnown{
    .id = "size-is-known",
    .severity = Severity::Note,
    .message = "`{name:text}` is {size:int}",
    .doc = "What --dim and other inputs said about a size.",
};
inline constexpr DiagKind kUnboundDim{
    .id = "unbound-dim",
    .exit = ExitCode::BadUsage,
    .message = "the size of `{name:text}` is not known: its type is {type:text}",
    .remedy = "state the shape in --input, or the symbols with --dim=B=4",
    .doc = "A value that is made up (rand, iota, a number) needs a shape.",
};
inline constexpr DiagKind kUnknownFunction{
    .id = "unknown-function",
    .exit = ExitCode::BadUsage,
    .message = "the module has no function `@{name:text}`",
    .doc = "--function names a function that is not there.",
};
inline constexpr DiagKind kFunctionNotChosen{
    .id = "function-not-chosen",
    .exit = ExitCode::BadUsage,
    .message = "the module has {count:int} functions",
    .remedy = "choose one with --function=",
    .doc =
        "Without --function it is the only function, the one called forward or main, or the only one that no other "
        "runs.",
};
inline constexpr DiagKind kCannotRead{
    .id = "cannot-read",
    .message = "{what:text}",
    .doc = "A file cannot be opened or is not what its name says.",
};
inline constexpr DiagKind kOtherKindOfFile{
    .id = "other-kind-of-file",
    .message = "`{file:text}` is {kind:text}, and {wanted:text} is wanted here",
    .remedy = "{remedy:text}",
    .doc = "A command got a file of a kind that another one takes; the remedy names the command or flag for it.",
};
inline constexpr DiagKind kInputsByOrder{
    .id = "inputs-by-order",
    .severity = Severity::Note,
    .message = "`{file:text}` has {members:text}; `@{function:text}` takes {arguments:text}",
    .doc = "Both sides, where the members of an .npz are not those that a function takes.",
};
inline constexpr DiagKind kArrayType{
    .id = "array-type",
    .severity = Severity::Note,
    .message = "convert the array before it is written: `{name:text}.astype({type:text})`",
    .doc = "Values are not converted silently: which type they should have had is the user's knowledge.",
};
inline constexpr DiagKind kCompiledModelWritten{
    .id = "compiled-model-written",
    .severity = Severity::Note,
    .message = "wrote `{path:text}`: {functions:list}; code {code:text}, weights {weights:text}; {compiler:text}",
    .doc = "What `mlgc compile` has made.",
};
inline constexpr DiagKind kLinkedTwice{
    .id = "linked-twice",
    .exit = ExitCode::BadUsage,
    .message = "two models are called `{name:text}`: `{first:text}` and `{second:text}`",
    .remedy = "rename one of the files: functions of several models are called after their files",
    .doc = "Models that become one artefact are told apart by the names of their files.",
};
inline constexpr DiagKind kLinkedSymbolRenamed{
    .id = "linked-symbol-renamed",
    .severity = Severity::Note,
    .message =
        "`@{name:text}` of `{file:text}` is called `@{renamed:text}`: another model has the name for something else",
    .doc = "Weights and states that several models declare equally, with equal data, are shared; others are not.",
};
inline constexpr DiagKind kBackendsNotRun{
    .id = "backends-not-run",
    .exit = ExitCode::Unsupported,
    .message = "these backends did not run: {names:list}",
    .remedy = "the report says why; leave them out of --backends to measure the others alone",
    .doc = "A backend that --backends names was not measured.",
};
inline constexpr DiagKind kCannotWrite{
    .id = "cannot-write",
    .message = "{what:text}",
    .doc = "An output file cannot be written; what was there before is unchanged.",
};
inline constexpr DiagKind kWeightMissing{
    .id = "weight-missing",
    .message = "`@{name:text}` is not in the weights `{file:text}`",
    .doc = "The weight file has no tensor of that name.",
};
inline constexpr DiagKind kWeightMismatch{
    .id = "weight-mismatch",
    .message = "`@{name:text}` is {wanted:text}, the file has {given:text}",
    .doc = "A tensor of the weight file differs from the module's declaration.",
};
inline constexpr DiagKind kNoWeights{
    .id = "no-weights",
    .message = "`@{name:text}` has no data: the module names no weight file",
    .remedy = "give the file with --weights=, or run without it by --random-weights=1",
    .doc = "Weights are needed to evaluate a module.",
};
inline constexpr DiagKind kNoSuchState{
    .id = "no-such-state",
    .message = "`{file:text}` has no state of the module",
    .remedy = "give a file that --output wrote; a state is called `@name` there",
    .doc = "--states goes on from the new states of an earlier call.",
};
inline constexpr DiagKind kUnknownName{
    .id = "unknown-name",
    .exit = ExitCode::BadUsage,
    .message = "there is no {what:text} `{name:text}`",
    .doc = "`mlgc ops NAME` and `mlgc passes NAME` describe what exists.",
};
inline constexpr DiagKind kPassNotRun{
    .id = "pass-not-run",
    .exit = ExitCode::BadUsage,
    .message = "`{flag:text}={pass:text}`: the pipeline has no pass `{pass}`",
    .doc = "A dump is asked for before or after a pass that does not run.",
};
inline constexpr DiagKind kNotFormatted{
    .id = "not-formatted",
    .message = "`{file:text}` is not formatted",
    .remedy = "`mlgc fmt -i {file}` rewrites it",
    .doc = "Found by mlgc fmt --check.",
};
inline constexpr DiagKind kUnknownOutput{
    .id = "unknown-output",
    .exit = ExitCode::BadUsage,
    .message = "function `@{function:text}` has no result `{name:text}`",
    .doc = "--output names a result that the function does not have.",
};
inline constexpr DiagKind kOutputMissing{
    .id = "output-missing",
    .exit = ExitCode::Mismatch,
    .message = "the reference `{file:text}` has no tensor for result `{name:text}`",
    .doc = "--expect compares every result.",
};
inline constexpr DiagKind kOutputsDiffer{
    .id = "outputs-differ",
    .exit = ExitCode::Mismatch,
    .message = "{count:int} of {total:int} results do not agree with `{file:text}`",
    .doc = "The differences are printed before, with the allowed error.",
};
inline constexpr DiagKind kOutOfMemory{
    .id = "out-of-memory",
    .exit = ExitCode::Limit,
    .message = "not enough memory for {doing:text}",
    .remedy = "use a smaller program or smaller tensors, or give the process more memory",
    .doc = "The memory that the system gives to the process has run out.",
};
inline constexpr DiagKind kOutOfStack{
    .id = "out-of-stack",
    .exit = ExitCode::Limit,
    .message = "not enough stack for {doing:text}: something in it is nested too deeply",
    .remedy = "nest less, or raise the limit with `ulimit -s`",
    .doc = "What is read or computed is nested more deeply than the stack allows.",
};
inline constexpr DiagKind kInternalError{
    .id = "internal-error",
    .exit = ExitCode::Internal,
    .message = "internal error: {what:text}",
    .remedy = "this is a bug in mlgc; `{reproducer:text}` holds the command and what it read: please report it",
    .doc = "A broken invariant of the program itself.",
};

inline constexpr DiagKind kEngineFailed{
    .id = "engine-failed",
    .exit = ExitCode::Unsupported,
    .message = "`{engine:text}` cannot run this: {reason:text}",
    .remedy = "`scripts/setup --zoo` installs it; MLGC_PYTHON names the Python that has it",
    .doc = "`mlgc compare --against`: another system is not there, or has no kernel for an op or a type.",
};

inline constexpr std::array kDriverKinds{&kUnexpectedDiagnostic, &kEngineFailed,    &kMissingDiagnostic,
                                         &kBadExpectation,       &kUnknownCommand,  &kUnknownFlag,
                                         &kUnexpectedArgument,   &kBadFlag,         &kConfigSyntax,
                                         &kFlagConflict,         &kVectorsNotHere,  &kUnknownValue,
                                         &kBadInputFlag,         &kSizeTooLarge,    &kUnknownInput,
                                         &kUnknownDim,           &kUnusedMember,    &kInputGivenTwice,
                                         &kMissingInput,         &kInputMismatch,   &kSizeIsKnown,
                                         &kUnboundDim,           &kUnknownFunction, &kFunctionNotChosen,
                                         &kCannotRead,           &kCannotWrite,     &kWeightMissing,
                                         &kWeightMismatch,       &kNoWeights,       &kNoSuchState,
                                         &kUnknownName,          &kPassNotRun,      &kNotFormatted,
                                         &kUnknownOutput,        &kOutputMissing,   &kOutputsDiffer,
                                         &kOutOfMemory,          &kOutOfStack,      &kInternalError,
                                         &kOtherKindOfFile,      &kInputsByOrder,   &kArrayType,
                                         &kCompiledModelWritten, &kBackendsNotRun,  &kLinkedTwice,
                                         &kLinkedSymbolRenamed};

}  // namespace mlgc
