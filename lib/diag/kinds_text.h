// What the lexer, the parser and the formatter report. Each row is provoked by a test (scripts/check-diagnostics).
#pragma once

#include <array>

#include "diag/diagnostic.h"

namespace mlgc {
inline constexpr DiagKind kDidYouMean{
    .id = "did-you-mean",
    .severity = Severity::Note,
    .message = "did you mean `{name:text}`?",
    .doc = "The nearest known name.",
};
inline constexpr DiagKind kKnownNames{
    .id = "known-names",
    .severity = Severity::Note,
    .message = "known names: {names:list}",
    .doc = "All names that would be accepted.",
};
inline constexpr DiagKind kFirstDefinedHere{
    .id = "first-defined-here",
    .severity = Severity::Note,
    .message = "first defined here",
    .doc = "Where a redefined name was defined.",
};
inline constexpr DiagKind kDefinedHere{
    .id = "defined-here",
    .severity = Severity::Note,
    .message = "defined here",
    .doc = "Where a value that was used too early is defined.",
};
inline constexpr DiagKind kOpenedHere{
    .id = "opened-here",
    .severity = Severity::Note,
    .message = "opened here",
    .doc = "The place of an unclosed brace.",
};
inline constexpr DiagKind kSignatureHere{
    .id = "signature-here",
    .severity = Severity::Note,
    .message = "the signature is here",
    .doc = "Where a function states what it returns.",
};
inline constexpr DiagKind kJsonSyntax{
    .id = "json-syntax",
    .message = "expected {expected:text}, found {found:text}",
    .doc = "A file of a registry or of a machine is not JSON, or repeats a name in an object.",
};
inline constexpr DiagKind kTextTooLong{
    .id = "text-too-long",
    .message = "the text has {size:int} bytes, more than {limit:int}",
    .remedy = "split the module",
    .doc = "Texts beyond 1 GiB are refused.",
};
inline constexpr DiagKind kNotUtf8{
    .id = "not-utf8",
    .message = "byte {value:int} at offset {offset:int} is not part of a UTF-8 sequence",
    .remedy = "convert the file to UTF-8",
    .doc = "Texts are UTF-8.",
};
inline constexpr DiagKind kNulByte{
    .id = "nul-byte",
    .message = "a NUL byte is at offset {offset:int}",
    .doc = "Texts hold no NUL bytes: this looks like a binary file.",
};
inline constexpr DiagKind kUnexpectedCharacter{
    .id = "unexpected-character",
    .message = "unexpected character `{character:text}`",
    .doc = "The character begins no token.",
};
inline constexpr DiagKind kUnterminatedString{
    .id = "unterminated-string",
    .message = "this string does not end on its line",
    .remedy = "close it with a quote; write a line end inside as `\\n`",
    .doc = "A quote without its partner.",
};
inline constexpr DiagKind kBadEscape{
    .id = "bad-escape",
    .message = "unknown escape in a string",
    .remedy = "escapes are `\\n`, `\\t`, `\\\\`, `\\\"` and two hexadecimal digits",
    .doc = "A backslash is followed by something else.",
};
inline constexpr DiagKind kBadNumber{
    .id = "bad-number",
    .message = "`{text:text}` is not a number",
    .doc = "Digits are followed by characters of a name.",
};
inline constexpr DiagKind kBadValueName{
    .id = "bad-value-name",
    .message = "`{name:text}` is not the name of a value",
    .remedy = "a name starts with a letter or is all digits",
    .doc = "A value's name starts with a digit and has other characters after it.",
};
inline constexpr DiagKind kNumberTooLarge{
    .id = "number-too-large",
    .message = "`{text:text}` does not fit {type:text}",
    .doc = "A number leaves the range of its type.",
};
inline constexpr DiagKind kUnexpectedToken{
    .id = "unexpected-token",
    .message = "expected {wanted:text}, found {found:text}",
    .doc = "The grammar (docs/ir.md) wants another token here.",
};
inline constexpr DiagKind kNestingTooDeep{
    .id = "nesting-too-deep",
    .message = "nesting is deeper than {limit:int} levels",
    .doc = "Regions, lists, types and expressions nest at most 1,000 levels.",
};
inline constexpr DiagKind kUnclosedBrace{
    .id = "unclosed-brace",
    .message = "expected `}` before the end of the text",
    .doc = "A region does not end.",
};
inline constexpr DiagKind kUnmatchedBrace{
    .id = "unmatched-brace",
    .message = "this `}` closes nothing",
    .doc = "More braces close than open.",
};
inline constexpr DiagKind kItemInRegion{
    .id = "item-in-region",
    .message = "`{item:text}` is inside of another item",
    .remedy = "close the region before it with `}`",
    .doc = "Modules, functions, weights and states are at the top level; most often a brace is missing before.",
};
inline constexpr DiagKind kItemWithResults{
    .id = "item-with-results",
    .message = "`{item:text}` has no results",
    .doc = "Modules, functions, weights and states are named by `@name`.",
};
inline constexpr DiagKind kSecondModule{
    .id = "second-module",
    .message = "a text holds one module and nothing else",
    .remedy = "separate modules with a line `// -----` and use --split-input-file",
    .doc = "A second module, or one after other items.",
};
inline constexpr DiagKind kReservedWord{
    .id = "reserved-word",
    .message = "`{word:text}` is a reserved word and cannot name {what:text}",
    .doc = "The word has a meaning of its own in the grammar.",
};
inline constexpr DiagKind kBadResultCount{
    .id = "bad-result-count",
    .message = "a pack of {count:text} results cannot be named",
    .doc = "`%name:n` names 1 to 65,535 results.",
};
inline constexpr DiagKind kUndefinedValue{
    .id = "undefined-value",
    .message = "undefined value `{name:text}`",
    .doc = "No value of that name is visible here.",
};
inline constexpr DiagKind kUseBeforeDefinition{
    .id = "use-before-definition",
    .message = "value `{name:text}` is used before its definition",
    .remedy = "move the definition up, or let `mlgc opt --topological-sort` sort the text",
    .doc = "Values are defined before they are used.",
};
inline constexpr DiagKind kRedefinedValue{
    .id = "redefined-value",
    .message = "value `{name:text}` is defined twice",
    .doc = "A visible name cannot be defined again.",
};
inline constexpr DiagKind kRedefinedSymbol{
    .id = "redefined-symbol",
    .message = "symbol `@{name:text}` is defined twice",
    .doc = "Symbols of a module have different names.",
};
inline constexpr DiagKind kNoSuchResult{
    .id = "no-such-result",
    .message = "`{name:text}` has {count:int} results, so there is no result {index:int}",
    .doc = "`%name#i` counts from 0.",
};
inline constexpr DiagKind kUnknownOp{
    .id = "unknown-op",
    .message = "unknown op `{op:text}`",
    .doc = "The name is in no row of the op table.",
};
inline constexpr DiagKind kUnknownAttribute{
    .id = "unknown-attribute",
    .message = "op `{op:text}` has no attribute `{name:text}`",
    .doc = "The row of the op lists its attributes; names with a dot are free.",
};
inline constexpr DiagKind kDuplicateAttribute{
    .id = "duplicate-attribute",
    .message = "attribute `{name:text}` is given twice",
    .doc = "An attribute has one value.",
};
inline constexpr DiagKind kAttributeWithoutValue{
    .id = "attribute-without-value",
    .message = "attribute `{name:text}` has no value",
    .remedy = "write `{name} = true`",
    .doc = "Attributes always have a value.",
};
inline constexpr DiagKind kSymbolicWithoutBrackets{
    .id = "symbolic-without-brackets",
    .message = "`{word:text}` is not the value of an attribute",
    .remedy = "write a size between brackets: `[{word}]`; a text between quotes",
    .doc = "A bare name where a value is wanted.",
};
inline constexpr DiagKind kUnknownAttributeKind{
    .id = "unknown-attribute-kind",
    .message = "unknown attribute kind `#{kind:text}`",
    .doc = "Attributes of other dialects are not read.",
};
inline constexpr DiagKind kEmptySymbol{
    .id = "empty-symbol",
    .message = "a symbol has an empty name",
    .doc = "`@\"\"` names nothing.",
};
inline constexpr DiagKind kLiteralType{
    .id = "literal-type",
    .message = "`{type:text}` does not fit a literal that is {kind:text}",
    .doc = "Integers, floats and booleans are not converted to each other.",
};
inline constexpr DiagKind kUnexpectedSymbol{
    .id = "unexpected-symbol",
    .message = "op `{op:text}` takes no symbol, found `{symbol:text}`",
    .doc = "The row has no attribute for a symbol.",
};
inline constexpr DiagKind kUnexpectedSubscripts{
    .id = "unexpected-subscripts",
    .message = "op `{op:text}` takes no subscripts",
    .doc = "The row has no attribute for subscripts.",
};
inline constexpr DiagKind kSubscriptCount{
    .id = "subscript-count",
    .message = "op `{op:text}` takes one expression between brackets, found {count:int}",
    .doc = "The bracket gives one integer attribute.",
};
inline constexpr DiagKind kExpressionTooLarge{
    .id = "expression-too-large",
    .message = "this expression has more {what:text} than {limit:int}",
    .doc = "Expressions are bounded, so that their canonical form is too.",
};
inline constexpr DiagKind kIndexOverflow{
    .id = "index-overflow",
    .message = "a coefficient of this expression does not fit 64 bits, or its canonical form is too large",
    .doc = "Arithmetic on sizes does not wrap, and products of sums are not multiplied out without bound.",
};
inline constexpr DiagKind kBadDivisor{
    .id = "bad-divisor",
    .message = "division by {value:int}",
    .remedy = "divisors are positive",
    .doc = "floordiv, ceildiv and mod by zero or less have no meaning.",
};
inline constexpr DiagKind kUnknownType{
    .id = "unknown-type",
    .message = "unknown type `{name:text}`",
    .remedy = "types are tensor<…>, vector<…>, buffer<…>, index and element types such as f32",
    .doc = "No type starts with this name.",
};
inline constexpr DiagKind kUnknownElementType{
    .id = "unknown-element-type",
    .message = "unknown element type `{name:text}`",
    .remedy = "element types are i1, i8, ui8, i16, i32, i64, f16, bf16, f32, f64, c64 and c128",
    .doc = "The last part of a dimension list is an element type.",
};
inline constexpr DiagKind kComplexElements{
    .id = "complex-elements",
    .message = "a {what:text} has complex elements",
    .remedy = "complex numbers are allowed in tensors only, as operands and results of calls of PyTorch",
    .doc = "Vectors, buffers, scalars and constants have elements that can be computed with.",
};
inline constexpr DiagKind kNegativeDim{
    .id = "negative-dim",
    .message = "a dimension is {value:int}",
    .doc = "Dimensions are 0 or more.",
};
inline constexpr DiagKind kAnonymousDimension{
    .id = "anonymous-dimension",
    .message = "a dimension is `?`",
    .remedy = "name it: `[B]`, or in the generic form by an encoding `[\"B\", \"784\"]`",
    .doc = "Unknown dimensions have names.",
};
inline constexpr DiagKind kDimNameMismatch{
    .id = "dim-name-mismatch",
    .message = "the encoding says {name:text} for a dimension of {dim:text}",
    .doc = "The names of static dimensions are their sizes.",
};
inline constexpr DiagKind kDimNameCount{
    .id = "dim-name-count",
    .message = "{names:int} names for {dims:int} dimensions",
    .doc = "An encoding names all dimensions.",
};
inline constexpr DiagKind kUnknownScope{
    .id = "unknown-scope",
    .message = "unknown scope `{name:text}`",
    .remedy = "scopes are argument, weight, arena, thread and register",
    .doc = "Where a buffer lives.",
};
inline constexpr DiagKind kMissingScope{
    .id = "missing-scope",
    .message = "this memref does not say its scope",
    .remedy = "write `{{scope = \"arena\"}` as its memory space",
    .doc = "Buffers have a scope.",
};
inline constexpr DiagKind kUnknownKey{
    .id = "unknown-key",
    .message = "unknown key `{key:text}`, expected one of {keys:text}",
    .doc = "A part of a type or location has fixed keys.",
};
inline constexpr DiagKind kConstantType{
    .id = "constant-type",
    .message = "the type of a constant is a tensor type",
    .doc = "`dense<…>` makes tensors.",
};
inline constexpr DiagKind kElementCount{
    .id = "element-count",
    .message = "{got:int} elements where the type has {wanted:int} (-1: no constant)",
    .doc = "The elements fit the shape, or one is repeated.",
};
inline constexpr DiagKind kElementsTooDeep{
    .id = "elements-too-deep",
    .message = "the elements nest deeper than the shape",
    .doc = "Lists nest as often as the type has dimensions.",
};
inline constexpr DiagKind kElementsTooShallow{
    .id = "elements-too-shallow",
    .message = "the elements nest less deeply than the shape",
    .doc = "Lists nest as often as the type has dimensions.",
};
inline constexpr DiagKind kBadHexBytes{
    .id = "bad-hex-bytes",
    .message = "the bytes of a constant are `0x` and pairs of hexadecimal digits",
    .doc = "A string that is not a byte string.",
};
inline constexpr DiagKind kUndefinedResource{
    .id = "undefined-resource",
    .message = "resource `{key:text}` is not defined in this text",
    .remedy = "keep the section `{{-# dialect_resources: {{ builtin: {{ … } } #-}` that follows the module",
    .doc = "`dense_resource<key>` names bytes in a section of the text.",
};
inline constexpr DiagKind kBadResource{
    .id = "bad-resource",
    .message = "resource `{key:text}` {problem:text}",
    .doc = "A resource is a string of `0x`, the bytes of its alignment (four, a power of two) and its data.",
};
inline constexpr DiagKind kResourcesDropped{
    .id = "resources-dropped",
    .severity = Severity::Warning,
    .message = "`{section:text}` of `{owner:text}` are not kept",
    .doc = "Only the dialect resources of `builtin`, which constants are made of, mean something here.",
};
inline constexpr DiagKind kOperandCount{
    .id = "operand-count",
    .message = "op `{op:text}` takes {wanted:text} operands, found {got:int}",
    .doc = "The row of the op lists its operands.",
};
inline constexpr DiagKind kResultCount{
    .id = "result-count",
    .message = "op `{op:text}` has {has:int} results, {named:int} are named",
    .remedy = "name all of them or none",
    .doc = "The names on the left are as many as the results.",
};
inline constexpr DiagKind kTypeCount{
    .id = "type-count",
    .message = "op `{op:text}` has {wanted:int} results, {got:int} types are given",
    .doc = "The types after the colon are as many as the results.",
};
inline constexpr DiagKind kTypeNotInferred{
    .id = "type-not-inferred",
    .message = "the result type of `{op:text}` must be written",
    .remedy = "write it after the op: `: tensor<f32>`",
    .doc = "Nothing infers the type of this op.",
};
inline constexpr DiagKind kResultType{
    .id = "result-type",
    .message = "the result of `{op:text}` is {inferred:text}, the text says {given:text}",
    .remedy = "leave the type out, or add a `where` constraint under which both are equal",
    .doc = "The written type is checked against the inferred one.",
};
inline constexpr DiagKind kRegionCount{
    .id = "region-count",
    .message = "op `{op:text}` has {count:int} regions, found more",
    .doc = "The row of the op lists its regions.",
};
inline constexpr DiagKind kNoRegion{
    .id = "no-region",
    .message = "`{op:text}` has no region",
    .doc = "The row of the op has no region.",
};
inline constexpr DiagKind kNotAnArgument{
    .id = "not-an-argument",
    .message = "`{name:text}` is not an argument of the function",
    .doc = "`updates` pairs symbols and arguments with new values.",
};
inline constexpr DiagKind kReturnCount{
    .id = "return-count",
    .message = "{got:int} values are returned, the signature has {results:int} results and {updates:int} updates",
    .doc = "The return lists the results, then one new state for each update.",
};
inline constexpr DiagKind kReturnType{
    .id = "return-type",
    .message = "returned value {index:int} is {got:text}, the signature says {wanted:text}",
    .doc = "Results have the types of the signature.",
};
inline constexpr DiagKind kUpdateNotReturned{
    .id = "update-not-returned",
    .message = "new state `{name:text}` is not operand {index:int} of the return",
    .remedy = "return the new states after the results, in the order of `updates`",
    .doc = "The signature names what the return gives.",
};
inline constexpr DiagKind kSeveralBlocks{
    .id = "several-blocks",
    .message = "a region has one block",
    .remedy = "use if, while, for or scan",
    .doc = "There are no branches.",
};
inline constexpr DiagKind kBadGenericAttribute{
    .id = "bad-generic-attribute",
    .message = "`{key:text}` is not {wanted:text}",
    .doc = "An attribute of the generic form has a fixed kind.",
};
inline constexpr DiagKind kOperandTypeCount{
    .id = "operand-type-count",
    .message = "{operands:int} operands with {types:int} types",
    .doc = "The type of a generic op lists all operands.",
};
inline constexpr DiagKind kOperandType{
    .id = "operand-type",
    .message = "operand {index:int} is {actual:text}, the text says {given:text}",
    .doc = "The type of a generic op agrees with its operands.",
};
inline constexpr DiagKind kUnbalancedAttribute{
    .id = "unbalanced-attribute",
    .message = "the brackets of this attribute do not balance",
    .doc = "What another dialect writes between `<` and `>` ends where its brackets are closed.",
};
inline constexpr DiagKind kNotAffine{
    .id = "not-affine",
    .message = "`{operator:text}` makes this expression non-affine",
    .remedy = "one side of a product, and each divisor, is a number or made of symbols",
    .doc = "Affine maps and sets are linear in their dimensions.",
};
inline constexpr DiagKind kUndefinedAlias{
    .id = "undefined-alias",
    .message = "alias `{name:text}` is not defined",
    .remedy = "define it at the top level: `{name} = …`; attributes of dialects have a dot in their names",
    .doc = "`#name` and `!name` are replaced by their definitions.",
};
inline constexpr DiagKind kCyclicAlias{
    .id = "cyclic-alias",
    .message = "alias `{name:text}` is defined by a text that contains it",
    .doc = "An alias is written out where it is used.",
};
inline constexpr DiagKind kRedefinedAlias{
    .id = "redefined-alias",
    .message = "alias `{name:text}` is defined twice",
    .doc = "An alias has one definition.",
};
inline constexpr DiagKind kAliasTooLarge{
    .id = "alias-too-large",
    .message = "alias `{name:text}` expands to more than {limit:int} characters",
    .doc = "Aliases of aliases double their text at each step.",
};
inline constexpr DiagKind kModuleWithoutBlock{
    .id = "module-without-block",
    .message = "the region of an empty `builtin.module` has no block",
    .remedy = "write `^bb0:` between its braces",
    .doc = "MLIR's generic form refuses a module without a region or with one that has no block.",
};
inline constexpr DiagKind kOfAnotherDialect{
    .id = "of-another-dialect",
    .severity = Severity::Note,
    .message = "ops of MLIR are read in the generic form: `mlir-opt --mlir-print-op-generic` writes it",
    .doc = "The custom assembly formats of MLIR's dialects are not read.",
};
inline constexpr DiagKind kFunctionType{
    .id = "function-type",
    .message = "function_type is {given:text}, the function is {actual:text}",
    .doc = "The type of a generic function agrees with its arguments and return.",
};

inline constexpr std::array kTextKinds{&kDidYouMean,
                                       &kKnownNames,
                                       &kFirstDefinedHere,
                                       &kDefinedHere,
                                       &kOpenedHere,
                                       &kSignatureHere,
                                       &kTextTooLong,
                                       &kNotUtf8,
                                       &kNulByte,
                                       &kUnexpectedCharacter,
                                       &kUnterminatedString,
                                       &kBadEscape,
                                       &kBadNumber,
                                       &kBadValueName,
                                       &kNumberTooLarge,
                                       &kUnexpectedToken,
                                       &kNestingTooDeep,
                                       &kUnclosedBrace,
                                       &kUnmatchedBrace,
                                       &kItemInRegion,
                                       &kItemWithResults,
                                       &kSecondModule,
                                       &kReservedWord,
                                       &kBadResultCount,
                                       &kUndefinedValue,
                                       &kUseBeforeDefinition,
                                       &kRedefinedValue,
                                       &kRedefinedSymbol,
                                       &kNoSuchResult,
                                       &kUnknownOp,
                                       &kUnknownAttribute,
                                       &kDuplicateAttribute,
                                       &kAttributeWithoutValue,
                                       &kSymbolicWithoutBrackets,
                                       &kUnknownAttributeKind,
                                       &kEmptySymbol,
                                       &kLiteralType,
                                       &kUnexpectedSymbol,
                                       &kUnexpectedSubscripts,
                                       &kSubscriptCount,
                                       &kExpressionTooLarge,
                                       &kIndexOverflow,
                                       &kBadDivisor,
                                       &kUnknownType,
                                       &kUnknownElementType,
                                       &kComplexElements,
                                       &kNegativeDim,
                                       &kAnonymousDimension,
                                       &kDimNameMismatch,
                                       &kDimNameCount,
                                       &kUnknownScope,
                                       &kMissingScope,
                                       &kUnknownKey,
                                       &kConstantType,
                                       &kElementCount,
                                       &kElementsTooDeep,
                                       &kElementsTooShallow,
                                       &kBadHexBytes,
                                       &kUndefinedResource,
                                       &kBadResource,
                                       &kResourcesDropped,
                                       &kOperandCount,
                                       &kResultCount,
                                       &kTypeCount,
                                       &kTypeNotInferred,
                                       &kResultType,
                                       &kRegionCount,
                                       &kNoRegion,
                                       &kNotAnArgument,
                                       &kReturnCount,
                                       &kReturnType,
                                       &kUpdateNotReturned,
                                       &kSeveralBlocks,
                                       &kBadGenericAttribute,
                                       &kOperandTypeCount,
                                       &kOperandType,
                                       &kUnbalancedAttribute,
                                       &kNotAffine,
                                       &kUndefinedAlias,
                                       &kCyclicAlias,
                                       &kRedefinedAlias,
                                       &kAliasTooLarge,
                                       &kModuleWithoutBlock,
                                       &kOfAnotherDialect,
                                       &kFunctionType,
                                       &kJsonSyntax};

}  // namespace mlgc
