// What instantiating an op row (shape and type inference, attribute checks) reports. Each row is provoked by a test
// (scripts/check-diagnostics).
#pragma once

#include <array>

#include "diag/diagnostic.h"

namespace mlgc {

inline constexpr DiagKind kFormulaSyntax{
    .id = "formula-syntax",
    .message = "formula: {message:text} at byte {column:int}",
    .doc = "The text of a formula does not follow the grammar, or names something that is not there."};
inline constexpr DiagKind kExtentMismatch{
    .id = "extent-mismatch",
    .message = "extent `{letter:text}` is {a:text} ({a_place:text}) and {b:text} ({b_place:text})",
    .doc = "Two operands give different sizes to the same index label of the op's formula."};
inline constexpr DiagKind kExtentUnknown{
    .id = "extent-unknown",
    .message = "extent `{letter:text}` is {a:text} ({a_place:text}) and {b:text} ({b_place:text}), which may differ",
    .remedy = "add `where {a} == {b}` to the function if they are always equal",
    .doc = "Whether two symbolic sizes are equal cannot be decided from what the function states."};
inline constexpr DiagKind kRankMismatch{
    .id = "rank-mismatch",
    .message = "operand `{operand:text}` has rank {rank:int}, expected {expected:text}",
    .doc = "An operand has too few or too many dimensions for the op's formula."};
inline constexpr DiagKind kAxisOutOfRange{
    .id = "axis-out-of-range",
    .message = "axis {axis:int} in `{attribute:text}` is out of range for rank {rank:int}",
    .remedy = "axes go from -rank to rank-1",
    .doc = "An axis attribute names a dimension that the operand does not have."};
inline constexpr DiagKind kAxisRepeated{.id = "axis-repeated",
                                        .message = "axis {axis:int} occurs twice in `{attribute:text}`",
                                        .doc = "An axis list names the same dimension twice."};
inline constexpr DiagKind kListLength{.id = "list-length",
                                      .message = "`{attribute:text}` has {count:int} entries, expected {expected:int}",
                                      .doc = "An attribute list must have one entry for each axis."};
inline constexpr DiagKind kBadExtent{.id = "bad-extent",
                                     .message = "dimension `{letter:text}` comes out as {extent:text}",
                                     .remedy = "the attributes do not fit the operand's size",
                                     .doc = "A computed dimension is negative, or its computation leaves 64 bits."};
inline constexpr DiagKind kDtypeMismatch{.id = "dtype-mismatch",
                                         .message = "`{function:text}` is applied to {a:text} and {b:text}",
                                         .remedy = "operands of one op have one dtype: insert `cast`",
                                         .doc = "Operands have different dtypes; only importers promote them."};
inline constexpr DiagKind kDtypeUnsupported{
    .id = "dtype-unsupported",
    .message = "`{function:text}` is not defined on {dtype:text}",
    .doc = "The op's formula uses a function that the operand's dtype does not have."};

inline constexpr DiagKind kRowOperandCount{.id = "row-operand-count",
                                           .message = "`{op:text}` takes {expected:text}, not {count:int}",
                                           .doc = "An op has more or fewer operands than its row says."};
inline constexpr DiagKind kOperandClass{
    .id = "operand-class",
    .message = "operand `{operand:text}` of `{op:text}` is {type:text}, expected {expected:text}",
    .doc = "An operand's type is not of the class that the op's row asks for."};
inline constexpr DiagKind kComplexNumbers{
    .id = "complex-numbers",
    .exit = ExitCode::Unsupported,
    .message = "{what:text} `{name:text}` of `{op:text}` is complex",
    .remedy = "only calls of PyTorch compute with complex numbers: `mlgc import --fallback=warn` makes them",
    .doc = "No op but `torch.call` knows complex numbers; what holds a program together passes them on."};
inline constexpr DiagKind kNoSuchAttribute{.id = "no-such-attribute",
                                           .message = "`{op:text}` has no attribute `{name:text}`",
                                           .doc = "The op's row has no attribute of that name."};
inline constexpr DiagKind kMissingAttribute{.id = "missing-attribute",
                                            .message = "`{op:text}` needs the attribute `{name:text}` ({kind:text})",
                                            .doc = "A required attribute is not there."};
inline constexpr DiagKind kAttributeKind{
    .id = "attribute-kind",
    .message = "attribute `{name:text}` of `{op:text}` is {found:text}, expected {expected:text}",
    .doc = "An attribute's value is of another kind than the op's row says."};
inline constexpr DiagKind kAttributeChoice{
    .id = "attribute-choice",
    .message = "attribute `{name:text}` of `{op:text}` is `{value:text}`, expected one of {choices:list}",
    .doc = "A text attribute is none of the values that the op's row permits."};
inline constexpr DiagKind kAttributeValue{.id = "attribute-value",
                                          .message = "attribute `{name:text}` of `{op:text}`: {reason:text}",
                                          .doc = "An attribute's value does not fit the op's operands."};
inline constexpr DiagKind kOperandOrAttribute{
    .id = "operand-or-attribute",
    .message = "`{op:text}` takes either the operand `{operand:text}` or the attribute `{name:text}`, and exactly one",
    .doc = "An operand and the attribute that may replace it are both given, or neither is."};
inline constexpr DiagKind kElementTotal{.id = "element-total",
                                        .message = "the operand has {count:text} elements, the result {result:text}",
                                        .doc = "A change of shape must keep the number of elements."};
inline constexpr DiagKind kElementTotalUnknown{
    .id = "element-total-unknown",
    .message = "the operand has {count:text} elements, the result {result:text}, which may differ",
    .remedy = "add `where {count} == {result}` to the function if they are always equal",
    .doc = "Whether a change of shape keeps the number of elements cannot be decided."};
inline constexpr DiagKind kUnknownSymbol{.id = "unknown-symbol",
                                         .message = "no function, weight or state `@{symbol:text}` before this op",
                                         .doc = "A symbol is used that the module does not define, or only later."};
inline constexpr DiagKind kSymbolInItself{.id = "symbol-in-itself",
                                          .message = "`@{symbol:text}` is used inside of its own definition",
                                          .doc = "A function calls itself, or a derived weight reads itself."};
inline constexpr DiagKind kSymbolKind{.id = "symbol-kind",
                                      .message = "`@{symbol:text}` is a {found:text}, expected a {expected:text}",
                                      .doc = "A symbol names something of another kind than the op needs."};
inline constexpr DiagKind kCallArguments{
    .id = "call-arguments",
    .message = "`@{function:text}` takes {expected:int} arguments, not {count:int}",
    .doc = "A call has more or fewer operands than the function has arguments."};
inline constexpr DiagKind kCalleeUnread{
    .id = "callee-unread",
    .message = "`@{function:text}` cannot be called: errors in its text left it without arguments and body",
    .doc = "A call of a function that could not be read."};
inline constexpr DiagKind kCallArgumentType{
    .id = "call-argument-type",
    .message = "argument {number:int} of `@{function:text}` is {expected:text}, called with {found:text}",
    .doc = "A call's operand does not fit the function's argument under any sizes."};
inline constexpr DiagKind kRegionYield{
    .id = "region-yield",
    .message = "region `{region:text}` of `{op:text}` yields {found:text}, expected {expected:text}",
    .doc = "What a region yields does not fit the other region, or what the op carries."};
inline constexpr DiagKind kRegionArguments{
    .id = "region-arguments",
    .message = "region `{region:text}` of `{op:text}` takes {found:text}, expected {expected:text}",
    .doc = "The arguments of a region are not what the op gives it."};

inline constexpr DiagKind kCallResultSize{
    .id = "call-result-size",
    .message = "a result of `@{function:text}` has the size `{symbol:text}`, which its arguments do not determine",
    .remedy = "put the function's body in the place of the call",
    .doc = "A size that depends on data belongs to one function; a call has no name for it."};
inline constexpr DiagKind kDataSize{
    .id = "data-size",
    .message =
        "the type of `{op:text}` must be stated as {expected:text}, with a name of its own for the size; it is "
        "{found:text}",
    .doc = "A size that depends on data is a new symbol, whose name the text must give."};

inline constexpr DiagKind kTypesNotStated{.id = "types-not-stated",
                                          .message = "the types of the results of `{op:text}` must be stated",
                                          .doc = "What the op computes is not known here, so nothing follows from it."};
inline constexpr DiagKind kResultNotTensor{.id = "result-not-tensor",
                                           .message = "a result of `{op:text}` is {type:text}, expected a tensor",
                                           .doc = "Operators of PyTorch are called for tensors only."};

inline constexpr std::array kOpsKinds{
    &kFormulaSyntax,       &kExtentMismatch,  &kExtentUnknown,   &kRankMismatch,       &kAxisOutOfRange,
    &kAxisRepeated,        &kListLength,      &kBadExtent,       &kDtypeMismatch,      &kDtypeUnsupported,
    &kRowOperandCount,     &kOperandClass,    &kComplexNumbers,  &kNoSuchAttribute,    &kMissingAttribute,
    &kAttributeKind,       &kAttributeChoice, &kAttributeValue,  &kOperandOrAttribute, &kElementTotal,
    &kElementTotalUnknown, &kUnknownSymbol,   &kSymbolInItself,  &kSymbolKind,         &kCallArguments,
    &kCallArgumentType,    &kRegionYield,     &kRegionArguments, &kCallResultSize,     &kDataSize,
    &kCalleeUnread,        &kTypesNotStated,  &kResultNotTensor};

}  // namespace mlgc
