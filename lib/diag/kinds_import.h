// What the readers of .pt2 and other model files report. Each row is provoked by a test (scripts/check-diagnostics).
#pragma once

#include <array>

#include "diag/diagnostic.h"

namespace mlgc {

inline constexpr DiagKind kModelUnreadable{.id = "import-unreadable",
                                           .message = "the model cannot be read: {reason:text}",
                                           .remedy = "name a file that exists and that may be read",
                                           .doc = "The operating system does not give the bytes of the model's file."};
inline constexpr DiagKind kNotAnArchive{
    .id = "not-an-archive",
    .message = "not a .pt2 archive: {reason:text}",
    .remedy = "write the file with `torch.export.save(exported_program, path)`",
    .doc = "The file is not a zip archive, or is damaged; the message cites what its directory says."};
inline constexpr DiagKind kArchiveFormat{
    .id = "archive-format",
    .message = "not a .pt2 archive: no member ends in `/archive_format`",
    .remedy = "write the file with `torch.export.save(exported_program, path)`",
    .doc = "The file is a zip archive of something else: every .pt2 archive states its format in that member."};
inline constexpr DiagKind kArchiveMember{
    .id = "archive-member",
    .message = "member `{member:text}` cannot be read: {reason:text}",
    .remedy = "save the model again: the archive is damaged",
    .doc = "The bytes of a member of the archive are not what its directory says."};
inline constexpr DiagKind kArchiveMemberMissing{
    .id = "archive-member-missing",
    .message = "the archive has no member `{member:text}`",
    .remedy = "save the model again: the archive is incomplete",
    .doc = "A member of the archive that the import needs, or that another one names, is not there."};
inline constexpr DiagKind kArchiveNoModel{.id = "archive-no-model",
                                          .message = "folder `{folder:text}` of the archive holds no exported program",
                                          .remedy = "write the file with `torch.export.save(exported_program, path)`",
                                          .doc = "An archive may hold weights alone; a model is a member of its own."};
inline constexpr DiagKind kArchiveVersion{
    .id = "archive-version",
    .exit = ExitCode::Unsupported,
    .message = "{what:text} is `{found:text}`; only `{supported:text}` is read",
    .remedy = "save the model with PyTorch 2.11 to 2.13",
    .doc = "The file states a format, version or byte order that this program does not read."};
inline constexpr DiagKind kModelChoice{.id = "model-choice",
                                       .message = "no model called `{name:text}`; the archive holds {models:list}",
                                       .remedy = "name one of them with `--model=`",
                                       .doc = "An archive holds several models and none of the wanted name."};
inline constexpr DiagKind kModelJson{.id = "model-json",
                                     .message = "`{member:text}` is not valid JSON at byte {offset:int}",
                                     .remedy = "save the model again: the file is damaged",
                                     .doc = "A JSON member of the archive is truncated or garbled."};
inline constexpr DiagKind kModelStructure{
    .id = "model-structure",
    .message = "`{place:text}`: expected {expected:text}",
    .remedy = "save the model again, with PyTorch 2.11 to 2.13",
    .doc = "A JSON member of the archive does not follow torch.export's schema, or contradicts itself."};
inline constexpr DiagKind kUnknownOperators{
    .id = "unknown-operators",
    .exit = ExitCode::Unsupported,
    .message = "{count:int} operators of this model are not known: {operators:list}",
    .remedy = "`mlgc ops` lists what is known; `--fallback=warn` makes calls of PyTorch of the others",
    .doc = "The graph calls operators without a row; every one is listed with the number of its calls."};
inline constexpr DiagKind kRandomInput{
    .id = "random-input",
    .severity = Severity::Note,
    .message =
        "random numbers of a distribution that has no counterpart here can be an input: generate them before the call",
    .doc =
        "Random numbers are computed by formulas from a key that comes with the call; no call of PyTorch generates "
        "them."};
inline constexpr DiagKind kWrongGradients{
    .id = "wrong-gradients",
    .exit = ExitCode::Unsupported,
    .message =
        "`{target:text}` was exported with wrong operands: the gradients of this program are wrong in PyTorch too",
    .remedy = "export inside of `torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH)`",
    .doc =
        "torch.export decomposes the forward half of CPU flash attention alone; its backward half then reads "
        "probabilities where it wants log-sum-exps."};
inline constexpr DiagKind kUnsupportedDtype{
    .id = "unsupported-dtype",
    .exit = ExitCode::Unsupported,
    .message = "`{name:text}` has the element type {dtype:text}",
    .remedy = "cast it before exporting, e.g. by `.to(torch.float32)`",
    .doc =
        "A tensor of the model has an element type that is not supported (8-bit float, unsigned 16 to 64, complex32)."};
inline constexpr DiagKind kComplexOperator{
    .id = "complex-operator",
    .exit = ExitCode::Unsupported,
    .message = "`{target:text}` takes or gives complex numbers",
    .remedy = "`--fallback=warn` makes a call of PyTorch of it; to compile the model, write it with real numbers",
    .doc = "No row computes with complex numbers; calls of PyTorch do."};
inline constexpr DiagKind kPickledWeight{
    .id = "pickled-weight",
    .exit = ExitCode::Unsupported,
    .message = "weight `{name:text}` is stored as a pickled tensor subclass",
    .remedy = "convert it to a plain tensor before exporting",
    .doc = "Reading a pickle means running the program in it, which the import does not do."};
inline constexpr DiagKind kWeightData{
    .id = "weight-data",
    .message = "weight `{name:text}`: {reason:text}",
    .remedy = "save the model again: its weights do not fit their description",
    .doc = "The sizes of a weight are not those of a tensor; the message cites the check that they do not pass."};
inline constexpr DiagKind kWeightNotInArchive{
    .id = "import-weight-missing",
    .message = "weight `{name:text}`: the archive has no entry for it",
    .remedy = "save the model again: the archive is incomplete",
    .doc = "The graph reads a weight that no table of the archive describes."};
inline constexpr DiagKind kWeightRanks{.id = "import-weight-ranks",
                                       .message = "weight `{name:text}`: {sizes:int} sizes and {strides:int} strides",
                                       .remedy = "save the model again: its weights do not fit their description",
                                       .doc = "A weight is described by as many strides as sizes."};
inline constexpr DiagKind kWeightNegative{
    .id = "import-weight-negative",
    .message = "weight `{name:text}`: its {what:text} is {value:int}",
    .remedy = "save the model again: its weights do not fit their description",
    .doc = "The offset and the strides of a weight in its storage are not negative in PyTorch."};
inline constexpr DiagKind kWeightBeyond{
    .id = "import-weight-beyond-storage",
    .message = "weight `{name:text}`: it reaches beyond the {bytes:int} bytes of `{storage:text}`",
    .remedy = "save the model again: its weights do not fit their description",
    .doc = "Offset, sizes and strides of a weight name an element after the end of its storage."};
inline constexpr DiagKind kWeightExpanded{
    .id = "import-weight-expanded",
    .message = "weight `{name:text}`: its {elements:int} elements are more than {limit:int} times those stored",
    .remedy = "keep the tensor before it is expanded as the weight, and expand it in `forward`",
    .doc = "A weight with overlapping elements is stored here element by element, up to a limit."};
inline constexpr DiagKind kSizeExpression{
    .id = "size-expression",
    .message = "size expression `{text:text}`: {reason:text}",
    .doc = "A symbolic size of the model cannot be read as an integer expression over named sizes."};
inline constexpr DiagKind kRecordedType{
    .id = "recorded-type",
    .message = "`{target:text}` gives {inferred:text}, but the file says {recorded:text}",
    .remedy = "report it with the model: the row of the operator and PyTorch disagree",
    .doc = "Inference from an operator's row does not give the type that the exporter recorded for its result."};
inline constexpr DiagKind kImportWrite{.id = "import-write",
                                       .message = "cannot write `{path:text}`: {reason:text}",
                                       .doc = "A file that the import makes could not be written."};
inline constexpr DiagKind kImportReplaces{
    .id = "import-replaces",
    .exit = ExitCode::BadUsage,
    .message = "`{path:text}` would be replaced, and the model is read from it",
    .remedy = "give the output another name with `-o`; its weights are called like it, with `.safetensors`",
    .doc = "The text or the weights that the import writes have the name of a file of the model."};
inline constexpr DiagKind kWeightsNotWritten{
    .id = "weights-not-written",
    .severity = Severity::Note,
    .message =
        "{count:int} weights, {size:text}, are not in the text: `mlgc import {path:text} -o {name:text}.mlir` writes "
        "them beside it",
    .doc = "A text on standard output has no file of weights beside it."};
inline constexpr DiagKind kWeightsNotStored{
    .id = "weights-not-stored",
    .severity = Severity::Warning,
    .message = "the archive holds the shapes of {count:int} weights but not their data (first: `{first:text}`)",
    .remedy = "evaluate with `--random-weights=SEED`",
    .doc = "The model was exported with fake weights; only its structure can be imported."};
inline constexpr DiagKind kTiedWeights{.id = "tied-weights",
                                       .severity = Severity::Note,
                                       .message = "`{name:text}` is also called {others:list}",
                                       .doc = "Several names of the model stand for one tensor, which is kept once."};
inline constexpr DiagKind kLowerBound{
    .id = "lower-bound",
    .severity = Severity::Note,
    .message = "size `{symbol:text}` may be {lowered:int} and more; the file says {recorded:int} and more",
    .doc = "torch.export records a smallest size of 2 that comes from its tracing; inference holds without it."};
inline constexpr DiagKind kRaisedBound{
    .id = "raised-bound",
    .severity = Severity::Warning,
    .message = "size `{symbol:text}` must be {raised:int} or more; the file says {recorded:int} and more",
    .doc = "torch.export took the size to be 2 or more, and types in the file do not hold for less."};
inline constexpr DiagKind kSpecialisedInput{
    .id = "specialised-input",
    .severity = Severity::Note,
    .message = "input `{name:text}` was fixed to {value:text} when the model was exported",
    .doc = "A Python argument that is not a tensor is part of the exported graph and not an input any more."};

inline constexpr DiagKind kAssertionDropped{
    .id = "assertion-dropped",
    .severity = Severity::Warning,
    .message = "an assertion is left out (`{text:text}`): {reason:text}",
    .remedy = "check what it says before the call; the program itself does not",
    .doc = "The model asserts something about its data that is computed in a way the importer does not know."};
inline constexpr DiagKind kUnusedWeights{
    .id = "unused-weights",
    .severity = Severity::Note,
    .message = "nothing uses these weights, which are left out: {names:list}",
    .doc = "Parameters, buffers and constants of the model that no operator reads and that no call replaces."};
inline constexpr DiagKind kRandomKey{
    .id = "random-key",
    .severity = Severity::Note,
    .message =
        "the model generates random numbers from its last input `{argument:text}` (seed and offset); an offset that is "
        "larger by {count:text} repeats none of them",
    .doc = "There is no hidden generator: a call with the same key gives the same numbers, which are not PyTorch's."};
inline constexpr DiagKind kFallbackCalls{
    .id = "fallback-calls",
    .severity = Severity::Warning,
    .message = "{calls:int} of {total:int} operators are calls of PyTorch: {operators:list}",
    .remedy = "`--fallback-report=FILE` says why; `--fallback=allow` says nothing",
    .doc = "`--fallback=warn` made calls of what has no form here; only LibTorch runs them."};
inline constexpr DiagKind kNoFallbackReport{
    .id = "no-fallback-report",
    .severity = Severity::Warning,
    .message = "`{file:text}` is not written: the model is refused with `--fallback=allow` too",
    .doc = "`--fallback-report` lists what would become calls of PyTorch, and not all that is refused can be one."};

inline constexpr DiagKind kScriptFile{
    .id = "script-file",
    .message = "not a TorchScript module: {reason:text}",
    .remedy = "write the file with `torch.jit.script(model).save(path)` or `torch.jit.trace(model, inputs).save(path)`",
    .doc = "LibTorch cannot load the file: it is no archive, is damaged, or is another file, such as a state_dict."};
inline constexpr DiagKind kScriptInput{
    .id = "script-input",
    .message = "input `{name:text}` ({type:text}): its type is not known",
    .remedy = "state its type, as in `--input-type={name}=[B]x3xf32`",
    .doc = "TorchScript states no shapes: those of inputs come from tracing or from `--input-type`."};
inline constexpr DiagKind kScriptInputType{
    .id = "script-input-type",
    .message = "input `{name:text}` ({type:text}): `{text:text}` is not a type: {reason:text}",
    .remedy = "write sizes and the element type, as in `--input-type={name}=[B]x3xf32`",
    .doc = "What `--input-type` gives is not the text of a tensor type; the message cites the parser."};
inline constexpr DiagKind kScriptNumberType{
    .id = "script-number-type",
    .message = "input `{name:text}` ({type:text}): it is `{expected:text}`, and `{text:text}` is stated",
    .remedy = "state that: `--input-type={name}={expected}`",
    .doc = "A number of Python has one type here: i64, f64 or i1."};
inline constexpr DiagKind kScriptNoInput{
    .id = "script-no-input",
    .exit = ExitCode::BadUsage,
    .message = "--input-type: the model has no input `{name:text}`; it has {inputs:list}",
    .doc = "`--input-type` names an input that `forward` does not have."};
inline constexpr DiagKind kScriptWhere{
    .id = "script-where",
    .exit = ExitCode::BadUsage,
    .message = "--where: `{text:text}`: {reason:text}",
    .remedy = "write comparisons of sizes that --input-type names, as in `--where=1 <= B <= 64, B mod 8 == 0`",
    .doc = "`--where` is not a constraint; the message cites the parser."};
inline constexpr DiagKind kScriptWhereSize{
    .id = "script-where-size",
    .exit = ExitCode::BadUsage,
    .message = "--where: `{text:text}`: no input has a size `{symbol:text}`",
    .remedy = "write comparisons of sizes that --input-type names, as in `--where=1 <= B <= 64, B mod 8 == 0`",
    .doc = "`--where` bounds sizes of inputs, and names one that no input has."};
inline constexpr DiagKind kInputTypesRecorded{
    .id = "input-types-recorded",
    .exit = ExitCode::BadUsage,
    .message = "--input-type is for TorchScript: this file says the types of its inputs itself",
    .doc = "`--input-type` was given for a file of torch.export."};
inline constexpr DiagKind kAtNode{.id = "at-node",
                                  .severity = Severity::Note,
                                  .message = "it is node `{node:text}` of {file:text}",
                                  .doc = "The node of the model's graph that an error is about."};
inline constexpr DiagKind kScriptLine{.id = "script-line",
                                      .severity = Severity::Note,
                                      .message = "the line is `{line:text}`",
                                      .doc = "The line of the TorchScript program that an error is about."};

inline constexpr DiagKind kNotFx{.id = "not-fx",
                                 .message = "not FX JSON: it has no member `\"format\": \"mlgc-fx\"`",
                                 .remedy = "write the file with `scripts/export_fx.py MODULE:FUNCTION -o FILE.fx.json`",
                                 .doc = "A .json file that is not a graph of torch.fx."};
inline constexpr DiagKind kFxVersion{.id = "fx-version",
                                     .exit = ExitCode::Unsupported,
                                     .message = "the format's version is {found:text}; only {supported:int} is read",
                                     .remedy = "write the file again with the `scripts/export_fx.py` of this program",
                                     .doc = "FX JSON states its version, and this program reads another one."};
inline constexpr DiagKind kFxStructure{
    .id = "fx-structure",
    .message = "{place:text}: expected {expected:text}",
    .remedy = "write the file again with `scripts/export_fx.py`, or as docs/importing.md describes the format",
    .doc = "FX JSON with a member that is missing or of the wrong kind, or that contradicts another one."};
inline constexpr DiagKind kFxWeights{
    .id = "fx-weights",
    .message = "tensor `{name:text}`: {reason:text}",
    .remedy = "write the file again with `scripts/export_fx.py`, and keep the .safetensors file beside it",
    .doc = "The file of weights beside FX JSON cannot be read; the message cites why."};
inline constexpr DiagKind kFxNoWeightsFile{
    .id = "fx-no-weights-file",
    .message = "tensor `{name:text}`: the file names no file of weights",
    .remedy = "write the file again with `scripts/export_fx.py`, and keep the .safetensors file beside it",
    .doc = "FX JSON describes tensors, and its member `weights` does not say where they are."};
inline constexpr DiagKind kFxTensorMissing{
    .id = "fx-tensor-missing",
    .message = "tensor `{name:text}`: `{file:text}` has no tensor `{array:text}`",
    .remedy = "write the file again with `scripts/export_fx.py`, and keep the .safetensors file beside it",
    .doc = "FX JSON names a tensor that the file of weights beside it does not have."};
inline constexpr DiagKind kFxTensorType{
    .id = "fx-tensor-type",
    .message =
        "tensor `{name:text}`: `{array:text}` of `{file:text}` is of {found:text}, and the graph says {recorded:text}",
    .remedy = "write the file again with `scripts/export_fx.py`, and keep the .safetensors file beside it",
    .doc = "A tensor in the file of weights has another element type than FX JSON says."};
inline constexpr DiagKind kFxUnknown{
    .id = "fx-unknown",
    .exit = ExitCode::Unsupported,
    .message = "{count:int} functions, methods and modules of this model are not known: {targets:list}",
    .remedy =
        "trace into such a module with a Tracer whose is_leaf_module() says no, or export the model with "
        "scripts/export",
    .doc = "A graph of torch.fx calls what has no counterpart here; every one is listed with the number of its nodes."};
inline constexpr DiagKind kFxFallback{
    .id = "fx-fallback",
    .exit = ExitCode::Unsupported,
    .message =
        "--fallback is for .pt2 files: a graph of torch.fx calls Python's functions, and not operators of PyTorch",
    .remedy = "export the model with scripts/export",
    .doc = "`--fallback=warn` or `--fallback=allow` was given for FX JSON."};

// --- Why a known operator, or a line of a Python program, cannot be imported. `target` is what is called there.

inline constexpr DiagKind kNoCounterpart{.id = "import-unsupported-operator",
                                         .exit = ExitCode::Unsupported,
                                         .message = "`{target:text}` has no counterpart here",
                                         .remedy = "`mlgc ops` lists what is known",
                                         .doc = "A program calls an operator of Python or ATen that is not known."};
inline constexpr DiagKind kCallNotInlined{
    .id = "import-call-not-inlined",
    .exit = ExitCode::Unsupported,
    .message = "`{target:text}`: a call of an interface or a class cannot be inlined",
    .remedy = "call the module itself, whose type is then known",
    .doc = "TorchScript calls a method of an object that is not known before the program runs."};
inline constexpr DiagKind kArgumentNotConstant{
    .id = "import-argument-not-constant",
    .exit = ExitCode::Unsupported,
    .message = "`{target:text}`: {what:text} depends on {source:text}, and must be constant",
    .remedy = "give a constant there, or export the model with fixed sizes",
    .doc = "An operator is known only for constants as that argument, or for constant sizes of that operand."};
inline constexpr DiagKind kUnsupportedArgument{
    .id = "import-unsupported-argument",
    .exit = ExitCode::Unsupported,
    .message = "`{target:text}`: argument `{argument:text}` is {value:text}; supported: {supported:text}",
    .doc = "A known operator is called with a value of an argument that has no counterpart here."};
inline constexpr DiagKind kUnknownArgument{
    .id = "import-unknown-argument",
    .exit = ExitCode::Unsupported,
    .message = "`{target:text}`: argument `{argument:text}` has no counterpart here",
    .remedy = "leave the argument out",
    .doc = "A known operator is called with an argument that its definition here does not have."};
inline constexpr DiagKind kArgumentMissing{.id = "import-argument-missing",
                                           .exit = ExitCode::Unsupported,
                                           .message = "`{target:text}`: argument `{argument:text}` is missing",
                                           .remedy = "give the argument, which has no default value here",
                                           .doc = "A call leaves out an argument without a default value."};
inline constexpr DiagKind kArgumentCount{
    .id = "import-argument-count",
    .exit = ExitCode::Unsupported,
    .message = "`{target:text}` takes {taken:int} arguments, and {given:int} are given",
    .remedy = "give as many arguments as the operator takes",
    .doc = "A call has more or fewer arguments by position than what it calls takes."};
inline constexpr DiagKind kArgumentKind{
    .id = "import-argument-kind",
    .exit = ExitCode::Unsupported,
    .message = "`{target:text}`: {what:text} is {found:text}; expected {expected:text}",
    .remedy = "give a value of that kind",
    .doc = "A Python value of another kind stands where a tensor, a number, a list or a module is expected."};
inline constexpr DiagKind kOperandAxes{
    .id = "import-operand-axes",
    .exit = ExitCode::Unsupported,
    .message = "`{target:text}`: {what:text} has {found:int} axes; expected {expected:text}",
    .remedy = "change the rank with `reshape` or `unsqueeze` before the call",
    .doc = "An operand or result of a known operator has a rank that has no counterpart here."};
inline constexpr DiagKind kRanksDiffer{
    .id = "import-ranks-differ",
    .exit = ExitCode::Unsupported,
    .message = "`{target:text}`: {first:text} has {m:int} axes, and {second:text} {n:int}",
    .remedy = "bring them to one rank before the call",
    .doc = "Operands, or an operand and a result, must have the same rank and do not."};
inline constexpr DiagKind kCountsDiffer{.id = "import-counts-differ",
                                        .exit = ExitCode::Unsupported,
                                        .message = "`{target:text}`: {m:int} {first:text} for {n:int} {second:text}",
                                        .remedy = "give as many of one as of the other",
                                        .doc = "Two lists of a call must have as many items as each other and do not."};
inline constexpr DiagKind kResultUsed{
    .id = "import-result-used",
    .exit = ExitCode::Unsupported,
    .message = "`{target:text}`: its result {number:int} is used, and has no counterpart here",
    .remedy = "compute with its other results only",
    .doc = "A known operator has several results, and one that is not computed here is read."};
inline constexpr DiagKind kTrainingMode{
    .id = "import-training-mode",
    .exit = ExitCode::Unsupported,
    .message = "`{target:text}` is in training mode: {effect:text}",
    .remedy = "put the model in eval mode with `.eval()` before exporting",
    .doc = "A layer does in training what has no counterpart here: it drops out, or its running statistics move."};
inline constexpr DiagKind kImportLimit{
    .id = "import-limit",
    .exit = ExitCode::Unsupported,
    .message = "`{target:text}`: {found:int} {things:text}, and the limit is {limit:int}",
    .remedy = "split the computation into smaller parts",
    .doc = "What a call comes down to is limited, so that no small program becomes a very large module."};
inline constexpr DiagKind kRandomSource{
    .id = "import-random-source",
    .exit = ExitCode::Unsupported,
    .message = "`{target:text}` generates random numbers {where:text}",
    .remedy = "generate them before the call, and pass them as an input",
    .doc = "Random numbers follow from one key of the call: a loop or a generator object has none of its own."};
inline constexpr DiagKind kOperandsRefused{
    .id = "import-operands-refused",
    .exit = ExitCode::Unsupported,
    .message = "`{target:text}`: {verdict:text}",
    .remedy = "`mlgc ops` shows what the op takes",
    .doc =
        "The operands or attributes do not pass the checks of the op that the call becomes, which the message cites."};
inline constexpr DiagKind kResultTypeUnknown{
    .id = "import-result-type-unknown",
    .exit = ExitCode::Unsupported,
    .message = "`{target:text}`: the type of {result:text} is not known",
    .remedy = "export the model with scripts/export, which records all types",
    .doc = "Neither the file nor a row of the importer says what an operator gives, and its definition needs it."};
inline constexpr DiagKind kValueNotKnown{
    .id = "import-value-not-known",
    .exit = ExitCode::Unsupported,
    .message = "`{target:text}`: {what:text} depends on {source:text}, and must be known at import",
    .remedy = "make it a constant, or compute it with tensors",
    .doc = "Python decides by a value that only a call has: the length of a list, a position in it, a branch."};
inline constexpr DiagKind kNoMember{
    .id = "import-no-member",
    .exit = ExitCode::Unsupported,
    .message = "`{target:text}`: {object:text} has no {member:text} `{name:text}`",
    .remedy = "export the model again with what the program reads",
    .doc = "A program reads an attribute, method, key, module or tensor that its object or the file does not have."};
inline constexpr DiagKind kOutOfRange{.id = "import-out-of-range",
                                      .exit = ExitCode::Unsupported,
                                      .message = "`{target:text}`: {what:text} {index:int} of {count:int}",
                                      .remedy = "choose one that is there",
                                      .doc = "A call names an axis or an item that is not there."};
inline constexpr DiagKind kIntegerRange{
    .id = "import-integer-range",
    .exit = ExitCode::Unsupported,
    .message = "`{target:text}`: an integer beyond {bits:int} bits",
    .remedy = "compute with smaller numbers, or with a tensor of floats",
    .doc = "Python's integers are unbounded; integers here have 64 bits, and those from floats 53."};
inline constexpr DiagKind kNoOverload{
    .id = "import-no-overload",
    .exit = ExitCode::Unsupported,
    .message = "`{target:text}`: no overload of `{operator:text}` takes {arguments:text}",
    .remedy = "give the arguments that an overload of the ATen operator takes",
    .doc = "A name of an ATen operator is known, and none of its schemas fits the arguments."};
inline constexpr DiagKind kPathsDiffer{
    .id = "import-paths-differ",
    .exit = ExitCode::Unsupported,
    .message = "`{target:text}`: {paths:text} give {first:text} and {second:text}",
    .remedy = "give values of one type and shape on both paths",
    .doc = "The branches of a condition that depends on data give values that no one result can be."};
inline constexpr DiagKind kTypeChanged{
    .id = "import-type-changed",
    .exit = ExitCode::Unsupported,
    .message = "`{target:text}`: {what:text} makes {after:text} of {before:text}",
    .remedy = "keep the shape and the element type",
    .doc = "An iteration of a loop that depends on data, or a change in place, gives a tensor of another type."};
inline constexpr DiagKind kStaleView{
    .id = "import-stale-view",
    .exit = ExitCode::Unsupported,
    .message = "`{target:text}`: another view of the memory that it changes in place is read later, by `{reader:text}`",
    .remedy = "copy the view with `.clone()` before the change, or compute out of place",
    .doc = "After a change in place, what may be a view or a copy of that memory is read."};
inline constexpr DiagKind kViewChanged{
    .id = "import-view-changed",
    .exit = ExitCode::Unsupported,
    .message = "`{target:text}`: it changes a view that `{maker:text}` made",
    .remedy = "compute out of place, or change the tensor itself",
    .doc = "A change in place goes through a view whose elements have no one place in the tensor."};
inline constexpr DiagKind kChangedInPlace{
    .id = "import-changed-in-place",
    .exit = ExitCode::Unsupported,
    .message = "`{target:text}`: it changes {what:text} in place",
    .remedy = "compute out of place and use the result",
    .doc = "A change in place of memory that is read elsewhere: in other iterations, branches, graphs, or as a state."};
inline constexpr DiagKind kEffectLost{
    .id = "import-effect-lost",
    .exit = ExitCode::Unsupported,
    .message = "`{target:text}`: {what:text} is changed {where:text}",
    .remedy = "return the new value instead",
    .doc = "A list, dict or attribute is changed where the change cannot be seen after the call or the branch."};
inline constexpr DiagKind kAttributeReplaced{
    .id = "import-attribute-replaced",
    .exit = ExitCode::Unsupported,
    .message = "`{target:text}`: `{path:text}` becomes {found:text}, and a call can leave new tensors only",
    .remedy = "keep what the model remembers in a buffer",
    .doc = "A call sets an attribute of the model to what is not a tensor, or that was not a tensor before."};
inline constexpr DiagKind kModelRaises{
    .id = "import-model-raises",
    .exit = ExitCode::Unsupported,
    .message = "`{target:text}`: the model raises an exception here{text:text}",
    .remedy = "give inputs of other sizes with `--input-type`, or change the model",
    .doc = "The program reaches `raise` or an assertion that does not hold, on a path that every call takes."};
inline constexpr DiagKind kLayerOption{
    .id = "import-layer-option",
    .exit = ExitCode::Unsupported,
    .message = "`{target:text}`: {option:text}",
    .remedy = "use the layer without that option, or export the model with scripts/export",
    .doc = "The definition of a function or layer of torch.nn in the prelude refuses one of its options."};
inline constexpr DiagKind kInputKind{
    .id = "import-input-kind",
    .exit = ExitCode::Unsupported,
    .message = "{what:text} is {found:text}: only tensors and numbers can be inputs and outputs",
    .remedy = "export a function of tensors and numbers, and of lists and dictionaries of them",
    .doc = "An input or output of the model is of a kind that a function here cannot have."};
inline constexpr DiagKind kSharedState{
    .id = "import-shared-state",
    .exit = ExitCode::Unsupported,
    .message = "`{first:text}` and `{second:text}` {relation:text}",
    .remedy = "give each its own memory with `.clone()` before exporting",
    .doc = "A call changes a parameter or buffer that is, or shares memory with, another one."};
inline constexpr DiagKind kStateChanged{
    .id = "import-state-changed",
    .exit = ExitCode::Unsupported,
    .message = "a call makes {after:text} of `{name:text}`, which is {before:text}",
    .remedy = "keep the shape and the element type of buffers, and register constants as buffers",
    .doc = "A call changes a state to another type, or changes a constant of the program."};
inline constexpr DiagKind kUnusableTensor{
    .id = "import-unusable-tensor",
    .exit = ExitCode::Unsupported,
    .message = "`{target:text}`: `{name:text}` has {form:text}, which is not supported",
    .remedy = "convert the tensor before exporting, e.g. by `.to(torch.float32)`",
    .doc = "A tensor of the model has an element type or layout that is not supported."};

// What says that a known operator has no counterpart in this form: with `--fallback` it may become a call of PyTorch.
inline constexpr std::array kFormKinds{
    &kArgumentNotConstant, &kUnsupportedArgument, &kUnknownArgument,   &kArgumentMissing,
    &kArgumentCount,       &kArgumentKind,        &kOperandAxes,       &kRanksDiffer,
    &kCountsDiffer,        &kResultUsed,          &kTrainingMode,      &kImportLimit,
    &kRandomSource,        &kOperandsRefused,     &kResultTypeUnknown, &kOutOfRange};

inline constexpr std::array kImportKinds{&kNotAnArchive,
                                         &kModelUnreadable,
                                         &kArchiveFormat,
                                         &kArchiveMember,
                                         &kArchiveMemberMissing,
                                         &kArchiveNoModel,
                                         &kArchiveVersion,
                                         &kModelChoice,
                                         &kModelJson,
                                         &kModelStructure,
                                         &kUnknownOperators,
                                         &kRandomInput,
                                         &kWrongGradients,
                                         &kUnsupportedDtype,
                                         &kComplexOperator,
                                         &kPickledWeight,
                                         &kWeightData,
                                         &kWeightNotInArchive,
                                         &kWeightRanks,
                                         &kWeightNegative,
                                         &kWeightBeyond,
                                         &kWeightExpanded,
                                         &kSizeExpression,
                                         &kRecordedType,
                                         &kImportWrite,
                                         &kImportReplaces,
                                         &kWeightsNotWritten,
                                         &kWeightsNotStored,
                                         &kTiedWeights,
                                         &kLowerBound,
                                         &kRaisedBound,
                                         &kSpecialisedInput,
                                         &kUnusedWeights,
                                         &kRandomKey,
                                         &kFallbackCalls,
                                         &kScriptFile,
                                         &kScriptInput,
                                         &kScriptInputType,
                                         &kScriptNumberType,
                                         &kScriptNoInput,
                                         &kInputTypesRecorded,
                                         &kScriptLine,
                                         &kAssertionDropped,
                                         &kAtNode,
                                         &kNotFx,
                                         &kFxVersion,
                                         &kFxStructure,
                                         &kFxWeights,
                                         &kFxNoWeightsFile,
                                         &kFxTensorMissing,
                                         &kFxTensorType,
                                         &kFxUnknown,
                                         &kFxFallback,
                                         &kNoFallbackReport,
                                         &kScriptWhere,
                                         &kScriptWhereSize,
                                         &kNoCounterpart,
                                         &kCallNotInlined,
                                         &kArgumentNotConstant,
                                         &kUnsupportedArgument,
                                         &kUnknownArgument,
                                         &kArgumentMissing,
                                         &kArgumentCount,
                                         &kArgumentKind,
                                         &kOperandAxes,
                                         &kRanksDiffer,
                                         &kCountsDiffer,
                                         &kResultUsed,
                                         &kTrainingMode,
                                         &kImportLimit,
                                         &kRandomSource,
                                         &kOperandsRefused,
                                         &kResultTypeUnknown,
                                         &kValueNotKnown,
                                         &kNoMember,
                                         &kOutOfRange,
                                         &kIntegerRange,
                                         &kNoOverload,
                                         &kPathsDiffer,
                                         &kTypeChanged,
                                         &kStaleView,
                                         &kViewChanged,
                                         &kChangedInPlace,
                                         &kEffectLost,
                                         &kAttributeReplaced,
                                         &kModelRaises,
                                         &kLayerOption,
                                         &kInputKind,
                                         &kSharedState,
                                         &kStateChanged,
                                         &kUnusableTensor};

}  // namespace mlgc
