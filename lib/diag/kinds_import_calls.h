// Why an operator of a model cannot become a call of PyTorch, and why its change in place cannot be followed: a kind
// for each class of cause. `target` is the operator.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "diag/diagnostic.h"

namespace mlgc {

// --- what the operator is
inline constexpr DiagKind kNoCallOperator{
    .id = "import-call-no-operator",
    .exit = ExitCode::Unsupported,
    .message = "`{target:text}` cannot be a call of PyTorch: it is not an operator of the dispatcher",
    .remedy = "export the model without it",
    .doc = "A call names an operator by its schema; higher-order operators and Python functions have none."};
inline constexpr DiagKind kNoCallInPlace{
    .id = "import-call-in-place",
    .exit = ExitCode::Unsupported,
    .message = "`{target:text}` cannot be a call of PyTorch: it changes its operand in place",
    .remedy = "compute out of place, by the operator without `_` or `out`",
    .doc = "Values here do not change, so a call has no effect on its operands."};
inline constexpr DiagKind kNoCallStatistics{
    .id = "import-call-running-statistics",
    .exit = ExitCode::Unsupported,
    .message = "`{target:text}` cannot be a call of PyTorch: it updates running statistics",
    .remedy = "put the model in eval mode with `.eval()` before exporting",
    .doc = "A normalisation in training mode changes its running mean and variance, which a call cannot do."};
inline constexpr DiagKind kNoCallRandom{
    .id = "import-call-random",
    .exit = ExitCode::Unsupported,
    .message = "`{target:text}` cannot be a call of PyTorch: it samples a random generator of its own",
    .remedy = "draw them before, and give them as an input",
    .doc = "Random numbers follow from one key of the call, and PyTorch's generator does not."};

// --- what it is given
inline constexpr DiagKind kNoCallListEnd{
    .id = "import-call-list-end",
    .exit = ExitCode::Unsupported,
    .message = "`{target:text}` cannot be a call of PyTorch: the list `{argument:text}` ends in None",
    .remedy = "leave the None at the end of the list out",
    .doc = "The operands of a list are counted up to the last tensor, so that a None after it would be lost."};
inline constexpr DiagKind kNoCallDataArgument{
    .id = "import-call-data-argument",
    .exit = ExitCode::Unsupported,
    .message = "`{target:text}` cannot be a call of PyTorch: argument `{argument:text}` depends on data",
    .remedy = "give a constant or a size there",
    .doc = "Arguments of a call that are not tensors are constants or sizes of its operands."};
inline constexpr DiagKind kNoCallArgumentDtype{
    .id = "import-call-argument-dtype",
    .exit = ExitCode::Unsupported,
    .message =
        "`{target:text}` cannot be a call of PyTorch: argument `{argument:text}` is the element type {dtype:text}",
    .remedy = "use an element type that is supported, such as `torch.float32`",
    .doc = "A call names an element type that tensors here cannot have."};
inline constexpr DiagKind kNoCallArgumentForm{
    .id = "import-call-argument-form",
    .exit = ExitCode::Unsupported,
    .message = "`{target:text}` cannot be a call of PyTorch: argument `{argument:text}` is {found:text}",
    .remedy = "give tensors, numbers, truth values, texts, element types, or lists of numbers or truth values",
    .doc = "A call cannot hold a graph, an operator or an object as an argument."};
inline constexpr DiagKind kNoCallValueUnknown{
    .id = "import-call-value-unknown",
    .exit = ExitCode::Unsupported,
    .message = "`{target:text}` cannot be a call of PyTorch: {what:text} has no value at the sizes that were tried",
    .remedy = "export the model with fixed sizes",
    .doc = "LibTorch says the types of results for sizes in numbers; a size that is negative or too large is none."};
inline constexpr DiagKind kNoCallManySymbols{
    .id = "import-call-many-symbols",
    .exit = ExitCode::Unsupported,
    .message =
        "`{target:text}` cannot be a call of PyTorch: its operands have {found:int} symbols in their sizes, and the "
        "limit is {limit:int}",
    .remedy = "export the model with fewer sizes that vary",
    .doc = "LibTorch is asked for the types of results at choices of all symbols, whose number doubles with each."};

// --- what it gives
inline constexpr DiagKind kNoCallResultKind{
    .id = "import-call-result-kind",
    .exit = ExitCode::Unsupported,
    .message = "`{target:text}` cannot be a call of PyTorch: it gives something that is not a tensor",
    .remedy = "compute what is not a tensor before exporting, or give it as an input",
    .doc = "Results of a call are tensors, or one list of tensors."};
inline constexpr DiagKind kNoCallResult{
    .id = "import-call-no-result",
    .exit = ExitCode::Unsupported,
    .message = "`{target:text}` cannot be a call of PyTorch: it gives nothing",
    .remedy = "export the model without it",
    .doc = "A call without results could only have an effect, which calls do not have."};
inline constexpr DiagKind kNoCallResultCount{
    .id = "import-call-result-count",
    .exit = ExitCode::Unsupported,
    .message =
        "`{target:text}` cannot be a call of PyTorch: LibTorch gives {found:int} results, and the program takes "
        "{taken:int}",
    .remedy = "export the model again, with the version of PyTorch that the plug-in has",
    .doc = "The program and LibTorch disagree on how many results an operator has."};
inline constexpr DiagKind kNoCallDataSize{
    .id = "import-call-data-size",
    .exit = ExitCode::Unsupported,
    .message = "`{target:text}` cannot be a call of PyTorch: a size of its results depends on data",
    .remedy = "use an operator with results of fixed size, such as a mask instead of a selection",
    .doc = "The type of a call states the sizes of its results from those of its operands."};
inline constexpr DiagKind kNoCallUndefinedResult{
    .id = "import-call-undefined-result",
    .exit = ExitCode::Unsupported,
    .message = "`{target:text}` cannot be a call of PyTorch: one of its results is undefined",
    .remedy = "ask the operator for all of its results",
    .doc = "LibTorch leaves out a result that the arguments say is not wanted, and a call gives all of them."};
inline constexpr DiagKind kNoCallResultForm{
    .id = "import-call-result-form",
    .exit = ExitCode::Unsupported,
    .message =
        "`{target:text}` cannot be a call of PyTorch: the number of its results, or of their axes, depends on sizes",
    .remedy = "export the model with fixed sizes",
    .doc = "The type of a call states how many results it has and their ranks."};
inline constexpr DiagKind kNoCallResultSize{
    .id = "import-call-result-size",
    .exit = ExitCode::Unsupported,
    .message =
        "`{target:text}` cannot be a call of PyTorch: how size {axis:int} of result {result:int} follows from the "
        "sizes of its operands is not known",
    .remedy = "export the model with fixed sizes",
    .doc = "Sizes of results are inferred from what LibTorch gives at some sizes: products, or a minimum or maximum."};
inline constexpr DiagKind kNoCallRefused{
    .id = "import-call-refused",
    .exit = ExitCode::Unsupported,
    .message = "`{target:text}` cannot be a call of PyTorch: LibTorch refuses its operands: {verdict:text}",
    .remedy = "give operands that PyTorch takes",
    .doc = "LibTorch reports an error where it is asked for the types of the results; the message cites it."};
inline constexpr DiagKind kNoCallSizesRefused{
    .id = "import-call-sizes-refused",
    .exit = ExitCode::Unsupported,
    .message =
        "`{target:text}` cannot be a call of PyTorch: its types are known at {known:int} of {tried:int} choices of "
        "sizes "
        "only: {reason:text}",
    .remedy = "export the model with fixed sizes",
    .doc = "Types of results are inferred from several choices of sizes, and the operator takes too few of them."};

// Why an operator cannot be a call. Their messages begin alike, so that lists of operators can give the rest.
inline constexpr std::array kNoCallKinds{
    &kNoCallOperator,     &kNoCallInPlace,       &kNoCallStatistics,   &kNoCallRandom,       &kNoCallListEnd,
    &kNoCallDataArgument, &kNoCallArgumentDtype, &kNoCallArgumentForm, &kNoCallValueUnknown, &kNoCallManySymbols,
    &kNoCallResultKind,   &kNoCallResult,        &kNoCallResultCount,  &kNoCallDataSize,     &kNoCallUndefinedResult,
    &kNoCallResultForm,   &kNoCallResultSize,    &kNoCallRefused,      &kNoCallSizesRefused};
inline constexpr std::string_view kNoCallPrefix = "`{target:text}` cannot be a call of PyTorch: ";
static_assert(std::ranges::all_of(kNoCallKinds,
                                  [](const DiagKind* kind) { return kind->message.starts_with(kNoCallPrefix); }));

// --- changes in place of a program that is not functional
inline constexpr DiagKind kMayAlias{
    .id = "import-may-alias",
    .exit = ExitCode::Unsupported,
    .message =
        "`{target:text}`: {reader:text} reads `{name:text}`, which may share the memory that it changes in place",
    .remedy = "call `.clone()` where a copy is meant and `.view()` where a view is meant",
    .doc = "`reshape`, `flatten`, `contiguous` and `to` give a view or a copy, and only strides say which."};
inline constexpr DiagKind kViewOrCopy{
    .id = "import-view-or-copy",
    .exit = ExitCode::Unsupported,
    .message = "`{target:text}`: it changes a view of what `{maker:text}` made, which may be a view or a copy",
    .remedy = "call `.clone()` where a copy is meant and `.view()` where a view is meant",
    .doc = "A change in place is seen in the tensor that a view was made of, and not in one that a copy was made of."};
inline constexpr DiagKind kUnknownChange{
    .id = "import-unknown-change",
    .exit = ExitCode::Unsupported,
    .message =
        "`{target:text}`: what it changes in place is not known: {found:text}; expected a tensor first, and no other "
        "result",
    .remedy = "compute out of place, by the operator without `_`",
    .doc = "An operator whose name ends in `_` changes its first operand and gives it; this one is of another form."};
inline constexpr DiagKind kFunctionalProgram{
    .id = "functional-program",
    .severity = Severity::Note,
    .message = "`exported_program.run_decompositions({{})` makes a functional program: save that",
    .doc = "A program straight from torch.export may hold in-place operators; decompositions replace them."};

inline constexpr std::array kImportCallsKinds{
    &kNoCallOperator,     &kNoCallInPlace,       &kNoCallStatistics,   &kNoCallRandom,       &kNoCallListEnd,
    &kNoCallDataArgument, &kNoCallArgumentDtype, &kNoCallArgumentForm, &kNoCallValueUnknown, &kNoCallManySymbols,
    &kNoCallResultKind,   &kNoCallResult,        &kNoCallResultCount,  &kNoCallDataSize,     &kNoCallUndefinedResult,
    &kNoCallResultForm,   &kNoCallResultSize,    &kNoCallRefused,      &kNoCallSizesRefused, &kMayAlias,
    &kViewOrCopy,         &kUnknownChange,       &kFunctionalProgram};

}  // namespace mlgc
