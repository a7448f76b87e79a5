// What is wrong with text of the loop level: loops, buffers, launches. Reported by the verifier.
#pragma once

#include <array>

#include "diag/diagnostic.h"

namespace mlgc {

// --- loops
inline constexpr DiagKind kVectorLanes{
    .id = "vector-lanes",
    .message = "a vector loop has `lanes`, a power of two from 2 to 1024; this one has {found:text}",
    .remedy = "write `lanes = 16`, or another kind of loop",
    .doc = "A vector loop runs `lanes` iterations as one vector."};
inline constexpr DiagKind kVectorPerLane{
    .id = "vector-per-lane",
    .message = "`per_lane` of a vector loop is a power of two from 1 to 16; this one has {found:int}",
    .remedy = "write as many elements as 16 bytes hold: `per_lane = 4` for f32, 8 for 16-bit floats",
    .doc = "A lane takes so many neighbouring iterations at a time, so that it reads and writes them at once."};
inline constexpr DiagKind kVectorOnly{.id = "vector-only",
                                      .message = "`{attribute:text}` belongs to vector loops; this one is {kind:text}",
                                      .remedy = "write `kind = \"vector\"`, or leave `{attribute}` out",
                                      .doc = "Lanes and their combination mean nothing for another kind of loop."};
inline constexpr DiagKind kCombineCount{
    .id = "combine-count",
    .message = "the vector loop carries {carried:int} values and `combine` has {given:int} words",
    .remedy = "write one of {words:text} for each carried value",
    .doc = "The lanes of each carried value of a vector loop are combined as the loop states."};
inline constexpr DiagKind kCombineWord{.id = "combine-word",
                                       .message = "`{word:text}` in `combine` is none of {words:text}",
                                       .doc = "A word that says how lanes are combined is unknown."};
inline constexpr DiagKind kCombineForm{
    .id = "combine-form",
    .message = "carried value {number:int} of the vector loop is not reduced by `{word:text}`: {reason:text}",
    .remedy =
        "yield the carried value combined with another by one op and use it nowhere else, or make the loop serial",
    .doc = "Each lane of a vector loop reduces its own iterations, so the body must be a reduction."};
inline constexpr DiagKind kUnrolledExtent{
    .id = "unrolled-extent",
    .message = "an unrolled loop runs a constant number of times, at most 1024; this one runs {extent:text} times",
    .remedy = "tile the loop and unroll the inner one, or make it serial",
    .doc = "The body of an unrolled loop is written once for each iteration."};
inline constexpr DiagKind kParallelCarries{
    .id = "parallel-carries",
    .message = "a parallel loop carries {count:int} values",
    .remedy = "make the loop serial, or a vector loop that combines them",
    .doc = "The iterations of a parallel loop run in any order, so none may depend on another."};
inline constexpr DiagKind kMatrixOnly{
    .id = "matrix-only",
    .message = "`stages` belongs to matrix loops; this one is {kind:text}",
    .remedy = "write `kind = \"matrix\"`, or leave `stages` out",
    .doc = "Parts of factors in shared memory mean nothing for another kind of loop."};
inline constexpr DiagKind kMatrixStages{
    .id = "matrix-stages",
    .message = "a matrix loop states {stages:int} stages; 2 to 8 are possible",
    .remedy = "write a number from 2 to 8: 3 or 4 hide the latency of memory",
    .doc = "So many parts of the factors are in shared memory at a time: one is used while the others are filled."};
inline constexpr DiagKind kMatrixNest{
    .id = "matrix-nest",
    .message = "the nest is no tile of a product for the matrix unit: {reason:text}",
    .remedy = "write rows around columns around one contraction of f32, bf16 or f16, or make the loop serial",
    .doc =
        "A matrix loop is the loop over the rows of a tile: up to 256 rows and columns and 32768 sums, of f32 64 rows "
        "and "
        "128 columns. Each sum is in f32, of products of two f32, bf16 or f16, and what follows is of that element "
        "alone. "
        "Or it is the loop over the queries of attention."};

// --- buffers
inline constexpr DiagKind kBufferStated{.id = "buffer-stated",
                                        .message = "`alloc` is stated as {type:text}, expected a buffer",
                                        .doc = "What is allocated is a buffer."};
inline constexpr DiagKind kAllocScope{.id = "alloc-scope",
                                      .message = "`alloc` makes a buffer in scope {scope:text}",
                                      .remedy = "write arena, thread or register",
                                      .doc = "Memory of arguments and weights comes from outside of the program."};
inline constexpr DiagKind kAllocMemory{
    .id = "alloc-memory",
    .message = "`alloc` cannot take the memory of `{buffer:text}`: {reason:text}",
    .remedy = "name a buffer of the arena or a result that has the same dtype and as many elements",
    .doc = "The plan lets a buffer of a host function lie in the memory of another one, which must fit."};
inline constexpr DiagKind kDealloc{
    .id = "dealloc",
    .message = "`dealloc` of `{buffer:text}`: {reason:text}",
    .remedy = "write it once, after the last op that touches the buffer, in the region of its `alloc`",
    .doc = "After `dealloc` a buffer holds nothing, so nothing may touch it."};
inline constexpr DiagKind kPlanOverlap{
    .id = "plan-overlap",
    .message = "`{buffer:text}` and `{other:text}` share memory, and their live ranges overlap here",
    .remedy =
        "give one of them memory of its own; a launch may read the last of one and write the first of the other where "
        "it reads each element before it writes it",
    .doc = "Buffers that the plan lets share memory must not be needed at the same time."};
inline constexpr DiagKind kStateInPlace{
    .id = "state-in-place",
    .message = "`@{function:text}` cannot write the new value of `@{state:text}` over the old one: {reason:text}",
    .remedy = "leave it out of `in_place`",
    .doc = "A state keeps its value when a run fails, and is written in place only where that is certain."};
inline constexpr DiagKind kBindSize{
    .id = "bind-size",
    .message = "`bind_size` cannot say what `{size:text}` is: {reason:text}",
    .remedy = "bind an i32 or i64 without dims, once, in a host function and outside of parallel loops",
    .doc = "A size of a host function that no dim of an input says is the value of a buffer."};
inline constexpr DiagKind kSizeNotBound{
    .id = "size-not-bound",
    .message = "the size `{size:text}` is not known here: `bind_size` says it {where:text}",
    .remedy = "put `bind_size` in front of what has the size, in the same region or around it",
    .doc = "A size that becomes known during a call can be used after that op, to the end of the region."};
inline constexpr DiagKind kBufferView{
    .id = "buffer-view",
    .message = "`buffer_view` has type {type:text}, a view of {buffer:text}: {reason:text}",
    .remedy = "a view has the dtype, the scope and the number of elements of its buffer",
    .doc = "A view is the memory of its buffer under other sizes."};
inline constexpr DiagKind kArgumentScope{.id = "argument-scope",
                                         .message = "argument `{name:text}` is a buffer in scope {scope:text}",
                                         .remedy = "write argument or weight",
                                         .doc = "A function is given memory, not what one thread keeps for itself."};
inline constexpr DiagKind kSharedScratch{
    .id = "shared-scratch",
    .message = "`{buffer:text}` is a buffer in scope {scope:text} from outside of a parallel loop",
    .remedy = "put its `alloc` into the loop, or make it a buffer of the arena",
    .doc = "Scratch of one thread is used by the iterations of a parallel loop, which have threads of their own."};
inline constexpr DiagKind kArenaInParallel{.id = "arena-in-parallel",
                                           .message = "a buffer in scope arena is allocated inside of a parallel loop",
                                           .remedy = "write scope thread, or put the `alloc` in front of the loop",
                                           .doc = "The arena is planned once for all threads."};
inline constexpr DiagKind kRegisterBuffer{
    .id = "register-buffer",
    .message = "`{buffer:text}` is a buffer in scope register: {reason:text}",
    .remedy =
        "subscripts are constant once unrolled loops are written out, or the index of a vector loop; otherwise "
        "the scope is thread",
    .doc = "Registers have names and no addresses, so each access must say at compile time which one it means."};
inline constexpr DiagKind kTransposition{
    .id = "transposition",
    .message = "`{buffer:text}` is not transposed in place: {reason:text}",
    .remedy =
        "allocate N by N elements in scope register, N a power of two, in the region where they are transposed; or "
        "write the elements of another buffer one by one",
    .doc = "Registers are transposed as whole vectors, once, where it is known which ones these are."};
inline constexpr DiagKind kReadOnlyBuffer{.id = "read-only-buffer",
                                          .message = "`{op:text}` writes to `{buffer:text}`, a buffer in scope weight",
                                          .remedy = "new states are results, the last arguments of the function",
                                          .doc = "Weights and states do not change while a program runs."};

// --- accesses
inline constexpr DiagKind kOutOfBounds{
    .id = "out-of-bounds",
    .message = "subscript {axis:int} of `{buffer:text}` is {subscript:text}, outside of a size of {size:text}",
    .remedy = "correct the subscript or the bounds of the loops around it",
    .doc =
        "An access of the loop level that is not `checked` is shown to be out of bounds whenever it is "
        "reached."};
inline constexpr DiagKind kBoundsUnknown{
    .id = "bounds-unknown",
    .message =
        "subscript {axis:int} of `{buffer:text}` is {subscript:text}, which is not shown to lie within a "
        "size of {size:text}",
    .remedy = "bound the loop, guard the access, state sizes by `where`, or write `checked = true` to have it tested",
    .doc = "An access of the loop level that is not `checked` must be shown to be in bounds."};
inline constexpr DiagKind kRace{
    .id = "race",
    .message = "all iterations of the {kind:text} loop over `{index:text}` store to one element of `{buffer:text}`",
    .remedy = "make the loop serial, or let a subscript depend on `{index}`",
    .doc = "Iterations that run at the same time store to the same element."};
inline constexpr DiagKind kRaceUnknown{
    .id = "race-unknown",
    .message =
        "iterations of the {kind:text} loop over `{index:text}` are not shown to be independent in `{buffer:text}`",
    .remedy =
        "make the loop serial, or let a subscript be the same multiple of `{index}` in all accesses, plus less than "
        "that multiple",
    .doc = "Iterations that run at the same time must be shown not to touch an element that one of them stores."};

// --- launches and host functions
inline constexpr DiagKind kLaunchCallee{.id = "launch-callee",
                                        .message = "`@{function:text}` is not a loop function",
                                        .remedy = "a launched function takes buffers; functions on tensors are called",
                                        .doc = "A launch names a function of another level."};
inline constexpr DiagKind kLaunchBuffer{
    .id = "launch-buffer",
    .message = "argument {number:int} of `@{function:text}` is {expected:text}, launched with {found:text}",
    .remedy =
        "dtype, sizes and layout must be the same; the scope may be argument, weight or arena where the argument "
        "has scope argument",
    .doc = "A launched function gets a buffer that does not fit its argument."};
inline constexpr DiagKind kLaunchAlias{
    .id = "launch-alias",
    .message =
        "`@{function:text}` writes argument {number:int}, and argument {other:int} is the same memory, which it is not "
        "shown to read first",
    .remedy = "give it another buffer",
    .doc =
        "What a loop function writes is memory that it reads nothing else in, unless each element is read before it "
        "is written."};
inline constexpr DiagKind kLaunchConstraint{
    .id = "launch-constraint",
    .message = "`@{function:text}` asks for `{constraint:text}`, which does not follow here",
    .remedy = "add `where {constraint}` to the launching function",
    .doc = "What a launched function says of its sizes must hold for the sizes that it is given."};
inline constexpr DiagKind kLaunchNames{
    .id = "launch-names",
    .message = "a launch of `@{function:text}` cannot state its sizes so: {reason:text}",
    .remedy = "write one of its sizes in `names`, each once, and for each what it is here in `sizes`",
    .doc = "The sizes that a launch states are those of the launched function."};
inline constexpr DiagKind kLaunchSize{
    .id = "launch-size",
    .message = "the size `{size:text}` of `@{function:text}` is not by itself a dim of a buffer of the launch",
    .remedy = "state it: `{{names = [\"{size}\"], sizes = [...]}`",
    .doc = "A launch must give the sizes of the launched function, or a dim of a buffer must be the size."};
inline constexpr DiagKind kLaunchInParallel{.id = "launch-in-parallel",
                                            .message = "a launch is inside of a {kind:text} loop",
                                            .remedy = "make the loop serial; the launched function has its own",
                                            .doc = "Loop functions run one after the other."};
inline constexpr DiagKind kResultArguments{
    .id = "result-arguments",
    .message = "`@{function:text}` cannot have {results:int} results and {updates:int} new states: {reason:text}",
    .doc = "The results of a loop function are its last arguments: results first, then one new state for each update."};
inline constexpr DiagKind kExternal{.id = "external-form",
                                    .message = "`external` cannot be launched: {reason:text}",
                                    .remedy = "`lower-to-loops` makes one of each `segment`",
                                    .doc = "A function that a target computes has an `external` and nothing else."};

inline constexpr DiagKind kNotLowered{
    .id = "not-lowered",
    .exit = ExitCode::Unsupported,
    .message = "`{op:text}` has no lowering to loops: {reason:text}",
    .remedy = "`mlgc eval` runs it, op by op",
    .doc = "What an op does is nothing that kernels and the host functions that launch them can do yet."};

inline constexpr std::array kLoopsKinds{
    &kVectorLanes,    &kVectorPerLane,   &kVectorOnly,       &kCombineCount,    &kCombineWord,     &kCombineForm,
    &kUnrolledExtent, &kParallelCarries, &kMatrixOnly,       &kMatrixStages,    &kMatrixNest,      &kBufferStated,
    &kAllocScope,     &kBufferView,      &kArgumentScope,    &kSharedScratch,   &kArenaInParallel, &kRegisterBuffer,
    &kTransposition,  &kReadOnlyBuffer,  &kLaunchCallee,     &kLaunchBuffer,    &kBindSize,        &kSizeNotBound,
    &kAllocMemory,    &kDealloc,         &kPlanOverlap,      &kStateInPlace,    &kLaunchAlias,     &kLaunchConstraint,
    &kLaunchNames,    &kLaunchSize,      &kLaunchInParallel, &kResultArguments, &kOutOfBounds,     &kBoundsUnknown,
    &kRace,           &kRaceUnknown,     &kNotLowered,       &kExternal};

}  // namespace mlgc
