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
    .doc = "Two operands give different sizes to the same letter of the op's formula."};
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
                                        .message = "axis {axis:int} stands twice in `{attribute:text}`",
                                        .doc = "An axis list names the same dimension twice."};
inline constexpr DiagKind kListLength{.id = "list-length",
                                      .message = "`{attribute:text}` has {count:int} entries, expected {expected:int}",
                                      .doc = "An attribute list must have one entry per axis it speaks of."};
inline constexpr DiagKind kBadExtent{.id = "bad-extent",
                                     .message = "dimension `{letter:text}` comes out as {extent:text}",
                                     .remedy = "the attributes do not fit the operand's size",
                                     .doc = "A computed dimension is negative, or its computation leaves 64 bits."};
inline constexpr DiagKind kDtypeMismatch{
    .id = "dtype-mismatch",
    .message = "`{function:text}` is applied to {a:text} and {b:text}",
    .remedy = "operands of one op have one dtype: insert `cast`",
    .doc = "Operands of different dtypes meet; promotion is the importers' business."};
inline constexpr DiagKind kDtypeUnsupported{
    .id = "dtype-unsupported",
    .message = "`{function:text}` is not defined on {dtype:text}",
    .doc = "The op's formula uses a function that the operand's dtype does not have."};

inline constexpr std::array kOpsKinds{&kFormulaSyntax,  &kExtentMismatch,  &kExtentUnknown, &kRankMismatch,
                                      &kAxisOutOfRange, &kAxisRepeated,    &kListLength,    &kBadExtent,
                                      &kDtypeMismatch,  &kDtypeUnsupported};

}  // namespace mlgc
