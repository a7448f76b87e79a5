// What the interpreter reports while it evaluates a program: errors of the program on the given inputs.
#pragma once

#include <array>

#include "diag/diagnostic.h"

namespace mlgc {

inline constexpr DiagKind kReadOutOfRange{
    .id = "read-out-of-range",
    .message = "reading `{tensor:text}` at index {index:int} of axis {axis:int}, which has size {size:int}",
    .doc = "A subscript computed from data lies outside the tensor it reads."};
inline constexpr DiagKind kWriteOutOfRange{
    .id = "write-out-of-range",
    .message = "writing `{tensor:text}` at index {index:int} of axis {axis:int}, which has size {size:int}",
    .doc = "A subscript computed from data lies outside the tensor it writes."};
inline constexpr DiagKind kDivisionByZero{.id = "division-by-zero",
                                          .message = "`{function:text}` of integers by zero",
                                          .doc = "Integer division and remainder by zero have no value."};
inline constexpr DiagKind kEmptyExtremum{.id = "empty-extremum",
                                         .message = "`{reduction:text}` over an empty extent",
                                         .doc = "The largest or smallest of no elements has no value."};
inline constexpr DiagKind kInputShape{
    .id = "input-shape",
    .message = "input `{input:text}` has shape {actual:text}, expected {expected:text}",
    .doc = "A tensor given at run time does not fit the type of the value it stands for."};

inline constexpr std::array kInterpKinds{&kReadOutOfRange, &kWriteOutOfRange, &kDivisionByZero, &kEmptyExtremum,
                                         &kInputShape};

}  // namespace mlgc
