// What the interpreter reports while it evaluates a program: errors of the program on the given inputs.
#pragma once

#include <array>

#include "diag/diagnostic.h"

namespace mlgc {

inline constexpr DiagKind kReadOutOfRange{
    .id = "read-out-of-range",
    .message = "reading `{tensor:text}` at index {index:int} of axis {axis:int}, which has size {size:int}",
    .doc = "A subscript computed from data is out of bounds of the tensor that is read."};
inline constexpr DiagKind kWriteOutOfRange{
    .id = "write-out-of-range",
    .message = "writing `{tensor:text}` at index {index:int} of axis {axis:int}, which has size {size:int}",
    .doc = "A subscript computed from data is out of bounds of the tensor that is written."};
inline constexpr DiagKind kDivisionByZero{.id = "division-by-zero",
                                          .message = "`{function:text}` of integers by zero",
                                          .doc = "Integer division and remainder by zero have no value."};
inline constexpr DiagKind kNoSubscript{
    .id = "no-subscript",
    .message = "a subscript divides by a size that is 0, or leaves 64 bits",
    .doc = "With the sizes of this run an index expression of a formula has no value.",
};
inline constexpr DiagKind kEmptyExtremum{.id = "empty-extremum",
                                         .message = "`{reduction:text}` over an empty extent",
                                         .doc = "The largest or smallest of no elements has no value."};
inline constexpr DiagKind kInputShape{
    .id = "input-shape",
    .message = "input `{input:text}` has shape {actual:text}, expected {expected:text}",
    .doc = "A tensor given at run time does not fit the type of its value."};

inline constexpr DiagKind kInputCount{
    .id = "input-count",
    .message = "function `{function:text}` takes {wanted:int} inputs, {given:int} given",
    .doc = "A function was called with too few or too many tensors."};
inline constexpr DiagKind kInputDtype{.id = "input-dtype",
                                      .message = "input `{input:text}` is {actual:text}, expected {expected:text}",
                                      .doc = "A tensor given at run time has another element type than its value."};
inline constexpr DiagKind kConstraintFails{
    .id = "constraint-fails",
    .message = "these inputs break `where {constraint:text}`: {values:list}",
    .doc = "The sizes of the inputs do not satisfy the constraints of the function."};
inline constexpr DiagKind kUnboundSymbol{
    .id = "unbound-symbol",
    .message = "the size `{symbol:text}` has no value",
    .remedy = "a symbol gets its value from an input that has it as a dimension of its own",
    .doc = "A symbolic size cannot be found from the shapes of the inputs."};
inline constexpr DiagKind kSizeNotInferred{
    .id = "size-not-inferred",
    .exit = ExitCode::Unsupported,
    .message =
        "the size `{size:text}` of `@{function:text}` cannot be inferred from the shapes of its inputs: {reason:text}",
    .remedy =
        "give `{size}` an input that has it as a dim, or use only the product of the sizes in types, attributes and "
        "`where`",
    .doc =
        "Sizes that occur in products only are solved from the product, if a function does not depend on its split."};
inline constexpr DiagKind kNoFunction{.id = "no-function",
                                      .message = "there is no function `{function:text}`",
                                      .doc = "The function to be run or called is not in the module."};
inline constexpr DiagKind kNoData{.id = "no-data",
                                  .message = "`@{symbol:text}` has no data",
                                  .remedy = "give a weight file, or values of its states",
                                  .doc = "A weight or state is read for which no tensor was given."};
inline constexpr DiagKind kNotEvaluated{.id = "not-evaluated",
                                        .exit = ExitCode::Unsupported,
                                        .message = "`{op:text}` cannot be interpreted",
                                        .doc = "The row of an op has neither a formula nor a way to evaluate it."};
inline constexpr DiagKind kNeedsTorch{.id = "needs-torch",
                                      .exit = ExitCode::Unsupported,
                                      .message = "`{target:text}` is an operator of PyTorch, which is not asked here",
                                      .remedy = "`mlgc eval` runs it with the LibTorch plug-in",
                                      .doc = "`torch.call` has no meaning of its own; few commands load LibTorch."};
inline constexpr DiagKind kResultShape{
    .id = "result-shape",
    .message = "result {number:int} of `{op:text}` has shape {actual:text}, its type is {expected:text}",
    .doc = "The type that the text gives to a value is not what the op computes."};
inline constexpr DiagKind kTooManyTrips{
    .id = "too-many-trips",
    .exit = ExitCode::Limit,
    .message = "the loop runs more than {limit:int} times",
    .remedy = "if it does end, `mlgc eval --max-trips=N` lets it run longer",
    .doc = "A loop does not end within the limit given by its attribute or options."};
inline constexpr DiagKind kTooDeep{
    .id = "too-deep",
    .exit = ExitCode::Limit,
    .message = "calls and regions are more than {limit:int} deep here",
    .remedy = "`mlgc opt --inline` leaves no calls",
    .doc = "The interpreter evaluates a callee, or a region of an op, while it evaluates the caller or the op.",
};
inline constexpr DiagKind kNotAtLoopLevel{
    .id = "not-at-loop-level",
    .message = "{what:text} has no meaning inside a loop function",
    .doc = "Functions over buffers hold loads, stores, loops and scalar arithmetic only."};
inline constexpr DiagKind kLoopArgument{.id = "loop-argument",
                                        .message = "an argument of a loop function is a buffer, not {type:text}",
                                        .doc = "The arguments of a function over buffers are buffers."};
inline constexpr DiagKind kSubscriptRank{
    .id = "subscript-rank",
    .message = "`{op:text}` has {count:int} subscripts for a buffer of rank {rank:int}",
    .doc = "An access has one subscript for each dimension of its buffer."};
inline constexpr DiagKind kBufferSize{
    .id = "buffer-size",
    .message = "size {dim:text} of a buffer is {value:text}",
    .doc = "The extent of a buffer is negative, unknown or beyond what memory can hold."};
inline constexpr DiagKind kCheckFailed{.id = "check-failed",
                                       .message = "{message:text}",
                                       .doc = "A condition that the program itself states does not hold."};

inline constexpr DiagKind kNegativeSize{.id = "negative-size",
                                        .message = "`{op:text}` is given {count:int}, which can be no size",
                                        .remedy = "pass an integer that is 0 or more",
                                        .doc = "A size that comes from data is negative."};
inline constexpr DiagKind kTooLarge{
    .id = "too-large",
    .exit = ExitCode::Limit,
    .message = "`{op:text}` does not fit in memory: {what:text}",
    .doc = "A value of the evaluated program is larger than the memory there is, or than a tensor can be."};

inline constexpr std::array kInterpKinds{
    &kReadOutOfRange, &kWriteOutOfRange, &kDivisionByZero, &kNoSubscript,     &kEmptyExtremum,
    &kInputShape,     &kInputCount,      &kInputDtype,     &kConstraintFails, &kUnboundSymbol,
    &kNoFunction,     &kNoData,          &kNotEvaluated,   &kResultShape,     &kTooManyTrips,
    &kNotAtLoopLevel, &kLoopArgument,    &kSubscriptRank,  &kBufferSize,      &kCheckFailed,
    &kNegativeSize,   &kTooLarge,        &kNeedsTorch,     &kSizeNotInferred, &kTooDeep};

}  // namespace mlgc
