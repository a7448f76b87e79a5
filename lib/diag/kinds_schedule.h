// Why a transform of a schedule is refused: one kind for each class of cause. Schedules try transforms and go on
// without those that are refused; a pass reports the refusal as an error.
#pragma once

#include <array>

#include "diag/diagnostic.h"

namespace mlgc {

// --- what was asked for
inline constexpr DiagKind kStepRefused{
    .id = "step-refused",
    .severity = Severity::Note,
    .message = "`{step:text}` of the loop over `%{loop:text}` in `@{function:text}` is refused",
    .doc = "The transform, the loop and the function that a refusal is about."};
inline constexpr DiagKind kScheduleNoSuchLoop{
    .id = "schedule-no-such-loop",
    .exit = ExitCode::BadUsage,
    .message = "there is no loop over `%{index:text}` in `@{function:text}`, which has {loops:text}",
    .remedy = "name the index of a loop of the function",
    .doc = "A transform is applied to the loop with the index that the option names."};
inline constexpr DiagKind kScheduleAmbiguousLoop{
    .id = "schedule-ambiguous-loop",
    .exit = ExitCode::BadUsage,
    .message = "{count:int} loops of `@{function:text}` have the index `%{index:text}`",
    .remedy = "give their indices different names",
    .doc = "A loop is named by its index, which must be the only one of that name in the function."};
inline constexpr DiagKind kScheduleParameter{
    .id = "schedule-parameter",
    .exit = ExitCode::BadUsage,
    .message = "{parameter:text} is {value:int}, expected {expected:text}",
    .doc = "Sizes, factors and numbers of lanes have a range, and some are multiples of others."};
inline constexpr DiagKind kScheduleNumerics{
    .id = "schedule-numerics",
    .message = "the transform changes the order of roundings, which `--numerics={numerics:text}` does not admit",
    .remedy = "allow more with `--numerics`, or leave the transform out",
    .doc = "Reductions of floats in another order round otherwise, so the numerics must admit the transform."};
inline constexpr DiagKind kScheduleLoadCount{
    .id = "schedule-load-count",
    .message = "`{buffer:text}` is read at {count:int} places in the loop over `%{index:text}`, expected one",
    .remedy = "name a buffer that one load of the loop reads",
    .doc = "Transforms of a load find it by its buffer, so the loop must read the buffer at one place."};

// --- the form of loops
inline constexpr DiagKind kScheduleLoopKind{
    .id = "schedule-loop-kind",
    .message = "the loop over `%{index:text}` is {found:text}, and the transform takes {expected:text}",
    .remedy = "apply the transform before the one that gave the loop its kind",
    .doc = "How the iterations of a loop run is decided once: a loop that has a kind keeps its iterations."};
inline constexpr DiagKind kScheduleNotPerfectlyNested{
    .id = "schedule-not-perfectly-nested",
    .message = "the loop over `%{index:text}` is not perfectly nested: it must hold one loop and nothing else",
    .remedy = "move the other ops out of the loop first, with `distribute` or `fission`",
    .doc = "Two loops are interchanged, collapsed or tiled together where the outer one holds only the inner one."};
inline constexpr DiagKind kScheduleInnerLoops{
    .id = "schedule-inner-loops",
    .message = "the loop over `%{index:text}` holds {found:text}, expected {expected:text}",
    .doc = "The transform is about a nest: it needs certain loops inside of the one that it is applied to."};
inline constexpr DiagKind kScheduleOuterLoops{
    .id = "schedule-outer-loops",
    .message = "the loop over `%{index:text}` stands in {found:text}, expected {expected:text}",
    .doc = "What stands around a loop decides which thread owns its scratch, and where a copy can be made."};
inline constexpr DiagKind kScheduleCarriesValues{
    .id = "schedule-carries-values",
    .message = "the loop over `%{index:text}` carries values from one iteration to the next",
    .remedy = "choose a loop that carries nothing, or separate the reduction first",
    .doc = "Iterations that take what the one before leaves cannot run in another order or on several threads."};
inline constexpr DiagKind kScheduleBoundsVary{
    .id = "schedule-bounds-vary",
    .message = "the bounds of the loop over `%{index:text}` depend on the iteration of a loop around it",
    .remedy = "choose a loop whose bounds are the same in all iterations, or pad its range",
    .doc = "The transform needs a rectangular iteration space."};
inline constexpr DiagKind kScheduleBounds{
    .id = "schedule-bounds",
    .message = "the bounds of the loop over `%{index:text}` do not fit the transform: {reason:text}",
    .doc = "Bounds are divided, multiplied and compared, in 64 bits, and some transforms need loops from 0 on."};
inline constexpr DiagKind kScheduleTripCount{
    .id = "schedule-trip-count",
    .message = "the trip count of the loop over `%{index:text}` is {found:text}, expected {expected:text}",
    .remedy = "give a factor, or tile the loop by a constant size first",
    .doc = "Loops are expanded, and scratch for each iteration made, where the number of iterations is a constant."};
inline constexpr DiagKind kScheduleTripCountNotASize{
    .id = "schedule-trip-count-not-a-size",
    .message =
        "the trip count of the loop over `%{index:text}` is not an expression of sizes, so no buffer can have an "
        "element for each iteration",
    .remedy = "tile the loop by a constant size first",
    .doc = "Buffers have dims that are known where they are allocated: constants and sizes."};
inline constexpr DiagKind kScheduleTail{
    .id = "schedule-tail",
    .message = "the last iterations of the loop over `%{index:text}`, which fill no tile, cannot run so: {reason:text}",
    .remedy = "choose another `tail`",
    .doc = "Iterations that fill no tile are a smaller tile, a loop of their own, or a tile that overlaps another."};

// --- dependences
inline constexpr DiagKind kScheduleCarriedDependence{
    .id = "schedule-carried-dependence",
    .message = "all iterations over `%{index:text}` store to one element of `{buffer:text}`",
    .remedy = "reduce into a carried value instead, or choose another loop",
    .doc = "A loop-carried dependence: iterations that run together, or in another order, would leave another value."};
inline constexpr DiagKind kScheduleDependenceUnknown{
    .id = "schedule-dependence-unknown",
    .message = "iterations over `%{index:text}` are not shown to be independent in `{buffer:text}`",
    .remedy = "choose a loop whose iterations write elements of their own",
    .doc = "Dependence analysis finds no proof that no iteration writes what another one reads or writes."};
inline constexpr DiagKind kScheduleReordersMemory{
    .id = "schedule-reorders-memory",
    .message = "the transform would reorder accesses to memory in the loop over `%{index:text}`: {reason:text}",
    .doc = "Statements that touch the same memory, one of which writes it, keep their order."};
inline constexpr DiagKind kScheduleBufferWritten{
    .id = "schedule-buffer-written",
    .message =
        "`{buffer:text}` is written in the loop over `%{index:text}`, so reading it earlier would give old values",
    .remedy = "choose an inner loop that does not write the buffer",
    .doc = "What is read in front of a loop must be what the loop would have read."};
inline constexpr DiagKind kScheduleDependsOnCarried{
    .id = "schedule-depends-on-carried",
    .message = "{what:text} depends on what the loop over `%{index:text}` carries",
    .doc = "A value that a loop carries is known one iteration after the other, not in front of the loop."};
inline constexpr DiagKind kScheduleMayAbort{
    .id = "schedule-may-abort",
    .message = "{what:text} may abort, and the transform would change what has run before",
    .remedy = "state a `where` constraint under which the check always holds",
    .doc = "Checks and checked accesses end a run with an error; what has run by then must stay the same."};

// --- ops
inline constexpr DiagKind kScheduleUnsupportedOp{
    .id = "schedule-unsupported-op",
    .message = "the loop over `%{index:text}` holds `{op:text}`, which cannot be {done:text}",
    .doc = "Each transform knows which ops it can copy, move, or run in lanes or on threads."};
inline constexpr DiagKind kScheduleIndexUse{
    .id = "schedule-index-use",
    .message = "`{op:text}` reads the index `%{index:text}` outside of the subscripts of a load or store",
    .doc = "Subscripts are rewritten for the new loops; other uses of an index are not."};
inline constexpr DiagKind kScheduleBranch{
    .id = "schedule-branch",
    .message = "the branch around `{op:text}` does not fit the transform: {reason:text}",
    .doc = "A copy is made for all iterations: of a branch it needs to know what it gives in each."};
inline constexpr DiagKind kScheduleNotInLoop{.id = "schedule-not-in-loop",
                                             .message = "`{op:text}` does not stand in the loop over `%{index:text}`",
                                             .doc = "A load is copied in front of a loop that it stands in."};

// --- accesses and buffers
inline constexpr DiagKind kScheduleSubscripts{
    .id = "schedule-subscripts",
    .message = "the subscripts of `{buffer:text}` do not fit the transform: {reason:text}",
    .doc = "Copies and tiles follow from subscripts: sums of multiples of loop indices, or single indices."};
inline constexpr DiagKind kScheduleNotContiguous{
    .id = "schedule-not-contiguous",
    .message =
        "the elements of `{buffer:text}` that the loops over `%{outer:text}` and `%{inner:text}` access are not "
        "contiguous",
    .remedy = "choose loops over adjacent axes, in the order of memory, that cover all of them",
    .doc = "Two loops become one over contiguous elements."};
inline constexpr DiagKind kScheduleSharedScratch{
    .id = "schedule-shared-scratch",
    .message = "parallel iterations of the loop over `%{index:text}` would share {what:text}",
    .remedy = "apply the transform to a loop inside of the parallel one, or before `parallelize`",
    .doc = "Scratch belongs to one thread; threads that share it would overwrite each other's values."};
inline constexpr DiagKind kScheduleLaneMemory{
    .id = "schedule-lane-memory",
    .message = "each lane of the loop over `%{index:text}` would need memory of its own",
    .remedy = "allocate the scratch in front of the loop, with `expand-scratch`",
    .doc = "Lanes run one iteration each at the same time, on one stack."};
inline constexpr DiagKind kScheduleBuffer{
    .id = "schedule-buffer",
    .message = "the buffer `{buffer:text}` does not fit the transform: {reason:text}",
    .doc = "A buffer that is moved, resized or viewed is scratch, or row-major memory whose every use is known."};
inline constexpr DiagKind kLayoutRefused{
    .id = "layout-refused",
    .message = "the layout of {buffer:text} cannot change: {reason:text}",
    .remedy = "name an `alloc` in the arena that kernels load and store, without views of it",
    .doc =
        "The layout of a buffer is changed where the host function owns its memory and all that touches it can be "
        "followed."};

// --- reductions
inline constexpr DiagKind kScheduleNotAReduction{
    .id = "schedule-not-a-reduction",
    .message = "carried value {number:int} of the loop over `%{index:text}` is not a reduction: {reason:text}",
    .doc = "A reduction combines the carried value with another one by one op that is associative, and only there."};
inline constexpr DiagKind kScheduleNotApplicable{
    .id = "schedule-not-applicable",
    .message = "the loop over `%{index:text}` does not {expected:text}, which the transform needs",
    .doc = "The transform is for another computation: a contraction, an extremum with its position, and so on."};

// --- what would come of it
inline constexpr DiagKind kScheduleLimit{
    .id = "schedule-limit",
    .message = "the transform would make {count:int} {what:text}, and the limit is {most:int}",
    .doc = "Code size and scratch are limited, so that a schedule does not cost more than it saves."};
inline constexpr DiagKind kScheduleNothingToDo{.id = "schedule-nothing-to-do",
                                               .message = "there is nothing to {action:text}: {reason:text}",
                                               .doc = "The function would be the same, or worse, after the transform."};
inline constexpr DiagKind kScheduleInBoundsUnknown{
    .id = "schedule-in-bounds-unknown",
    .message = "subscript {axis:int} of `{buffer:text}` is not shown to stay in bounds in a part of the range",
    .doc = "Guards that go must not be what kept an access in bounds."};
inline constexpr DiagKind kScheduleResultInvalid{
    .id = "schedule-result-invalid",
    .message = "the verifier refuses the result of the transform: {finding:text}",
    .doc = "A schedule takes back a transform whose result does not verify."};

// --- strategies
inline constexpr DiagKind kStrategyRefused{
    .id = "strategy-refused",
    .message =
        "strategy `{strategy:text}` applies nowhere in the nest over `%{loop:text}` of `@{function:text}`: "
        "{reason:text}",
    .remedy = "name the functions that shall have it with `function`, or leave the choice to the schedule",
    .doc =
        "A strategy that is asked for must match at some site of each function that is scheduled. `mlgc explain "
        "schedule` says which strategies match where."};

inline constexpr std::array kScheduleKinds{&kStepRefused,
                                           &kScheduleNoSuchLoop,
                                           &kScheduleAmbiguousLoop,
                                           &kScheduleParameter,
                                           &kScheduleNumerics,
                                           &kScheduleLoadCount,
                                           &kScheduleLoopKind,
                                           &kScheduleNotPerfectlyNested,
                                           &kScheduleInnerLoops,
                                           &kScheduleOuterLoops,
                                           &kScheduleCarriesValues,
                                           &kScheduleBoundsVary,
                                           &kScheduleBounds,
                                           &kScheduleTripCount,
                                           &kScheduleTripCountNotASize,
                                           &kScheduleTail,
                                           &kScheduleCarriedDependence,
                                           &kScheduleDependenceUnknown,
                                           &kScheduleReordersMemory,
                                           &kScheduleBufferWritten,
                                           &kScheduleDependsOnCarried,
                                           &kScheduleMayAbort,
                                           &kScheduleUnsupportedOp,
                                           &kScheduleIndexUse,
                                           &kScheduleBranch,
                                           &kScheduleNotInLoop,
                                           &kScheduleSubscripts,
                                           &kScheduleNotContiguous,
                                           &kScheduleSharedScratch,
                                           &kScheduleLaneMemory,
                                           &kScheduleBuffer,
                                           &kLayoutRefused,
                                           &kScheduleNotAReduction,
                                           &kScheduleNotApplicable,
                                           &kScheduleLimit,
                                           &kScheduleNothingToDo,
                                           &kScheduleInBoundsUnknown,
                                           &kScheduleResultInvalid,
                                           &kStrategyRefused};

}  // namespace mlgc
