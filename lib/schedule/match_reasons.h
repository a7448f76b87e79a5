// Why strategies are not taken: one reason for each class of cause, of which reports state the id. A text is a clause
// about the site's loop, with `{}` for each argument.
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>

namespace mlgc::schedule {

struct MatchReason {
  std::string_view id;  // kebab-case, unique among these and the kinds of diagnostics
  std::string_view text;

  [[nodiscard]] constexpr std::size_t argument_count() const {
    std::size_t count = 0;
    for (std::size_t at = text.find("{}"); at != std::string_view::npos; at = text.find("{}", at + 2)) ++count;
    return count;
  }
};

namespace reason_detail {

[[nodiscard]] std::string filled(std::string_view text, std::initializer_list<std::string> arguments);
template <class T>
std::string shown(const T& value) {
  if constexpr (std::is_integral_v<T>)
    return std::to_string(value);
  else
    return std::string(value);
}

}  // namespace reason_detail

// The text with numbers and texts in the place of `{}`.
template <const MatchReason& R, class... Args>
[[nodiscard]] std::string reason_text(const Args&... args) {
  static_assert(R.argument_count() == sizeof...(Args), "the arguments do not fit the reason's places");
  return reason_detail::filled(R.text, {reason_detail::shown(args)...});
}

namespace reason {

inline constexpr MatchReason kNoInnerLoop{"no-inner-loop", "there is no loop in it"};
inline constexpr MatchReason kCarriesValues{"carries-values", "it carries values"};
inline constexpr MatchReason kInnerLoopParallel{"inner-loop-parallel", "a loop inside has lanes or threads"};
inline constexpr MatchReason kLaneMemory{"lane-memory", "each lane would need memory of its own"};
inline constexpr MatchReason kLaunches{"launches", "it launches functions"};
inline constexpr MatchReason kBoundsVary{"bounds-vary", "loops inside run differently often in each iteration"};
inline constexpr MatchReason kStoresNotContiguous{"stores-not-contiguous", "lanes would not store to neighbours"};
inline constexpr MatchReason kLoadsNotContiguous{"loads-not-contiguous", "lanes would not read neighbours"};
inline constexpr MatchReason kTooShort{"too-short", "it is too short"};
inline constexpr MatchReason kInnerLoopNoReduction{"inner-loop-no-reduction", "a loop inside reduces nothing"};
inline constexpr MatchReason kTripCountUnknown{"trip-count-unknown",
                                               "a loop inside has no constant number of iterations"};
inline constexpr MatchReason kManyReducedTerms{"many-reduced-terms", "what is reduced has more than {} terms"};
inline constexpr MatchReason kNotParallel{"not-parallel", "it is not parallel"};
inline constexpr MatchReason kShortOrCoalesced{
    "short-or-coalesced",
    "the loops inside have at most {} iterations, or neighbouring threads read neighbours in all of them"};
inline constexpr MatchReason kNotOneReduction{"not-one-reduction", "it does not hold one loop that reduces"};
inline constexpr MatchReason kFewRows{"few-rows", "{} rows are less than {}"};
inline constexpr MatchReason kEnoughThreads{"enough-threads", "{} columns are threads enough"};
inline constexpr MatchReason kTilesReorderSum{"tiles-reorder-sum",
                                              "tiles would change the order of a sum, which the numerics do not admit"};
inline constexpr MatchReason kHasInnerLoops{"has-inner-loops", "there are loops in it"};
inline constexpr MatchReason kFewRowElements{"few-row-elements", "{} elements of a row are less than {}"};
inline constexpr MatchReason kNotSeveralLoops{"not-several-loops", "there are not several loops in it"};
inline constexpr MatchReason kColumnNotInRegisters{
    "column-not-in-registers", "{} elements of a column are one thread's, or more than {}, which threads keep"};
inline constexpr MatchReason kBlocksKeepRows{
    "blocks-keep-rows", "a block can keep a row, the rows are enough, and neighbouring threads read neighbours in it"};
inline constexpr MatchReason kRowsHaveScratch{"rows-have-scratch", "rows have scratch"};
inline constexpr MatchReason kIsContraction{"is-contraction", "it is a contraction"};
inline constexpr MatchReason kRunningLoop{"running-loop", "the loop inside is no reduction"};
inline constexpr MatchReason kNoRunningLoop{"no-running-loop", "no loop in it uses what it has reduced so far"};
inline constexpr MatchReason kRowNotInBlock{"row-not-in-block",
                                            "{} iterations of a loop in it are more than {}, which a block takes"};
inline constexpr MatchReason kEnoughRows{"enough-rows",
                                         "the rows are enough for the device, or too short to be divided"};
inline constexpr MatchReason kPartsReorderSum{"parts-reorder-sum",
                                              "parts would change the order of a sum, which the numerics do not admit"};
inline constexpr MatchReason kNotNestedReduction{"not-nested-reduction", "it is not a reduction in several loops"};
inline constexpr MatchReason kOtherInnerLoops{"other-inner-loops", "there are other loops in it"};
inline constexpr MatchReason kInnermostNotContiguous{"innermost-not-contiguous",
                                                     "its innermost loop does not read neighbours"};
inline constexpr MatchReason kFewerThanWarp{"fewer-than-warp", "{} neighbours are less than a warp"};
inline constexpr MatchReason kNotTwoParallelLoops{"not-two-parallel-loops",
                                                  "there are not two parallel loops inside of each other"};
inline constexpr MatchReason kNotOneInnerLoop{"not-one-inner-loop",
                                              "the innermost parallel loop does not hold one loop"};
inline constexpr MatchReason kInnerLoopNoContraction{"inner-loop-no-contraction",
                                                     "the loop inside is not a contraction"};
inline constexpr MatchReason kThreadMemoryOrLaunches{"thread-memory-or-launches",
                                                     "threads would need memory of their own, or launch functions"};
inline constexpr MatchReason kSumBoundsVary{"sum-bounds-vary", "the sum has other bounds in each column"};
inline constexpr MatchReason kColumnsNotContiguous{"columns-not-contiguous", "columns are not contiguous"};
inline constexpr MatchReason kFewColumns{"few-columns", "{} columns are less than {}"};
inline constexpr MatchReason kMatrixUnitRounds{
    "matrix-unit-rounds", "the matrix unit rounds sums otherwise, which the numerics do not admit"};
inline constexpr MatchReason kNoFactorsOfMatrixUnit{"no-factors-of-matrix-unit",
                                                    "the sum is none for the matrix unit: {}"};
inline constexpr MatchReason kNoSharedColumns{"no-shared-columns",
                                              "no loop around shares what it reads along the columns"};
inline constexpr MatchReason kFewElements{"few-elements",
                                          "{} elements are less than {}, too few for the device in tiles"};
inline constexpr MatchReason kColumnsInBranches{"columns-in-branches",
                                                "what it reads along the columns is read in branches"};
inline constexpr MatchReason kFewRowsForCopy{"few-rows-for-copy",
                                             "{} rows are less than {}, too few for a copy of the columns"};
inline constexpr MatchReason kLongNotCoalesced{
    "long-not-coalesced", "the loops inside are long, and neighbouring threads would not read neighbours in them"};
inline constexpr MatchReason kInnerLoopsNotCoalesced{"inner-loops-not-coalesced",
                                                     "threads would not read neighbours in the loops inside"};
inline constexpr MatchReason kLanesReorderSum{"lanes-reorder-sum",
                                              "lanes would change the order of a sum, which the numerics do not admit"};
inline constexpr MatchReason kSmallerThanTile{"smaller-than-tile", "it has fewer rows or columns than a tile of {}"};
inline constexpr MatchReason kNoTransposition{
    "no-transposition", "no two innermost loops of its own read along one of them and write along the other"};
inline constexpr MatchReason kHoldsContraction{"holds-contraction", "a loop inside is a contraction"};
inline constexpr MatchReason kBlocksReorderSum{
    "blocks-reorder-sum", "blocks would change the order of a sum, which the numerics do not admit"};
inline constexpr MatchReason kNoOuterLanes{"no-outer-lanes", "no loop around has lanes"};
inline constexpr MatchReason kTermsNotContiguous{"terms-not-contiguous", "its terms are not contiguous"};
inline constexpr MatchReason kTermsNotContiguousOrFew{"terms-not-contiguous-or-few",
                                                      "its terms are not contiguous, or are less than {}"};
inline constexpr MatchReason kOuterLanes{"outer-lanes", "a loop around has lanes"};
inline constexpr MatchReason kNoSharingLoop{"no-sharing-loop", "no loop around shares what it reads"};
inline constexpr MatchReason kAccessesNotContiguous{"accesses-not-contiguous", "no access is to contiguous elements"};
inline constexpr MatchReason kNotTwoCarried{"not-two-carried", "it does not carry two values"};
inline constexpr MatchReason kComputedTwice{"computed-twice", "its values would be computed twice"};
inline constexpr MatchReason kZeroSign{"zero-sign",
                                       "another zero may be the extremum, which the numerics do not admit"};
inline constexpr MatchReason kNoSumOverScratch{"no-sum-over-scratch",
                                               "no sum next to it goes over rows of scratch that it leaves"};
inline constexpr MatchReason kFewRowsOfLoop{"few-rows-of-loop", "less than {} rows of {}"};
inline constexpr MatchReason kNoWindow{"no-window", "there is no window in it"};
inline constexpr MatchReason kMemoryOrLaunches{"memory-or-launches", "it has memory of its own, or launches functions"};
inline constexpr MatchReason kNoGather{"no-gather", "no place that its windows read is computed"};
inline constexpr MatchReason kStridedLoads{"strided-loads", "lanes would read in strides"};
inline constexpr MatchReason kShortRows{"short-rows", "its rows are too short"};
inline constexpr MatchReason kNoReductionInside{"no-reduction-inside",
                                                "nothing is reduced in it, so loops inside can have the lanes"};
inline constexpr MatchReason kDataDependentLoop{"data-dependent-loop",
                                                "a loop inside runs where, or as often as, data say"};
inline constexpr MatchReason kNoContractionInside{"no-contraction-inside", "no loop inside is a contraction"};
inline constexpr MatchReason kNoSharedInnermost{"no-shared-innermost",
                                                "no loop around shares what it reads along the innermost one"};
inline constexpr MatchReason kOuterLoopLong{"outer-loop-long",
                                            "the innermost loop around it has {} iterations, enough for lanes"};
inline constexpr MatchReason kOuterLoopHasColumns{"outer-loop-has-columns",
                                                  "the loop around it can have the lanes itself"};
inline constexpr MatchReason kSumContiguous{"sum-contiguous", "lanes over the sum read contiguous elements"};
inline constexpr MatchReason kManyQueries{"many-queries",
                                          "{} rows read the same keys: {} and more are work for products"};
inline constexpr MatchReason kWideHead{"wide-head", "a query, key or value has more than {} elements"};
inline constexpr MatchReason kOtherTile{"other-tile", "a tile of {} is not possible here"};
inline constexpr MatchReason kFewTerms{"few-terms", "it has less than {} terms"};
inline constexpr MatchReason kNoSharedOuterLoop{
    "no-shared-outer-loop", "no loop further outside has {} iterations or more that share what the inner one reads"};
inline constexpr MatchReason kOuterLoopVector{"outer-loop-vector", "the loop around it has lanes"};
inline constexpr MatchReason kLanesNotShared{"lanes-not-shared", "what lanes would read differs along {}"};
inline constexpr MatchReason kCarriesNothing{"carries-nothing", "it carries nothing"};
inline constexpr MatchReason kFewTermsPerRun{"few-terms-per-run",
                                             "each run of it has a few terms, which lanes would pad"};
inline constexpr MatchReason kFewTermsPerSum{"few-terms-per-sum",
                                             "lanes would need a horizontal reduction for each sum of its few terms"};
inline constexpr MatchReason kNoRowLoop{"no-row-loop",
                                        "no loop around does more than the sum and shares what it reads"};
inline constexpr MatchReason kRowLoopCarriesValues{"row-loop-carries-values", "{} carries values"};
inline constexpr MatchReason kFewSharingRows{"few-sharing-rows", "less than {} rows share what it reads"};
inline constexpr MatchReason kNoContraction{"no-contraction", "it is not a contraction"};
inline constexpr MatchReason kNoOuterLoop{"no-outer-loop", "it stands in no other loop"};
inline constexpr MatchReason kShortOrUnsharedSum{
    "short-or-unshared-sum",
    "not {} terms or more, of which each is shared by {} sums or more, and whose tiles leave few partial sums"};
inline constexpr MatchReason kInsideLoop{"inside-loop", "it stands in another loop"};
inline constexpr MatchReason kLessThanTwoTiles{"less-than-two-tiles", "{} terms are less than two tiles of {}"};
inline constexpr MatchReason kSmallerThanSquare{"smaller-than-square",
                                                "it has fewer rows or columns than a square of {}"};
inline constexpr MatchReason kScatteredLoads{"scattered-loads", "it reads elements that are anywhere"};
inline constexpr MatchReason kLongInnerLoop{"long-inner-loop", "a loop inside has more than {} terms"};
inline constexpr MatchReason kSubscriptNotAffine{"subscript-not-affine",
                                                 "a subscript is no sum of multiples of indices"};
inline constexpr MatchReason kLongWindow{"long-window", "it has more than {} terms, not all of a window"};
inline constexpr MatchReason kRowsNotLastAxis{"rows-not-last-axis", "rows are not along the last axis"};
inline constexpr MatchReason kWindowsFarApart{"windows-far-apart", "the stride of the windows is too large"};
inline constexpr MatchReason kNoWindowSubscript{"no-window-subscript",
                                                "no subscript iterates over the columns and a window"};
inline constexpr MatchReason kPackingTooDear{
    "packing-too-dear",
    "windows do not overlap and their stride is too large for shuffles, so packing costs more than it saves"};
inline constexpr MatchReason kWindowsShared{"windows-shared", "iterations of {} share what it reads"};

inline constexpr std::array kAll{&kNoInnerLoop,
                                 &kCarriesValues,
                                 &kInnerLoopParallel,
                                 &kLaneMemory,
                                 &kLaunches,
                                 &kBoundsVary,
                                 &kStoresNotContiguous,
                                 &kLoadsNotContiguous,
                                 &kTooShort,
                                 &kInnerLoopNoReduction,
                                 &kTripCountUnknown,
                                 &kManyReducedTerms,
                                 &kNotParallel,
                                 &kShortOrCoalesced,
                                 &kNotOneReduction,
                                 &kFewRows,
                                 &kEnoughThreads,
                                 &kTilesReorderSum,
                                 &kHasInnerLoops,
                                 &kFewRowElements,
                                 &kNotSeveralLoops,
                                 &kColumnNotInRegisters,
                                 &kBlocksKeepRows,
                                 &kRowsHaveScratch,
                                 &kIsContraction,
                                 &kRunningLoop,
                                 &kNoRunningLoop,
                                 &kRowNotInBlock,
                                 &kEnoughRows,
                                 &kPartsReorderSum,
                                 &kNotNestedReduction,
                                 &kOtherInnerLoops,
                                 &kInnermostNotContiguous,
                                 &kFewerThanWarp,
                                 &kNotTwoParallelLoops,
                                 &kNotOneInnerLoop,
                                 &kInnerLoopNoContraction,
                                 &kThreadMemoryOrLaunches,
                                 &kSumBoundsVary,
                                 &kColumnsNotContiguous,
                                 &kFewColumns,
                                 &kMatrixUnitRounds,
                                 &kNoFactorsOfMatrixUnit,
                                 &kNoSharedColumns,
                                 &kFewElements,
                                 &kColumnsInBranches,
                                 &kFewRowsForCopy,
                                 &kLongNotCoalesced,
                                 &kInnerLoopsNotCoalesced,
                                 &kLanesReorderSum,
                                 &kSmallerThanTile,
                                 &kNoTransposition,
                                 &kHoldsContraction,
                                 &kBlocksReorderSum,
                                 &kNoOuterLanes,
                                 &kTermsNotContiguous,
                                 &kTermsNotContiguousOrFew,
                                 &kOuterLanes,
                                 &kNoSharingLoop,
                                 &kAccessesNotContiguous,
                                 &kNotTwoCarried,
                                 &kComputedTwice,
                                 &kZeroSign,
                                 &kNoSumOverScratch,
                                 &kFewRowsOfLoop,
                                 &kNoWindow,
                                 &kMemoryOrLaunches,
                                 &kNoGather,
                                 &kStridedLoads,
                                 &kShortRows,
                                 &kNoReductionInside,
                                 &kDataDependentLoop,
                                 &kNoContractionInside,
                                 &kNoSharedInnermost,
                                 &kOuterLoopLong,
                                 &kOuterLoopHasColumns,
                                 &kSumContiguous,
                                 &kManyQueries,
                                 &kWideHead,
                                 &kOtherTile,
                                 &kFewTerms,
                                 &kNoSharedOuterLoop,
                                 &kOuterLoopVector,
                                 &kLanesNotShared,
                                 &kCarriesNothing,
                                 &kFewTermsPerRun,
                                 &kFewTermsPerSum,
                                 &kNoRowLoop,
                                 &kRowLoopCarriesValues,
                                 &kFewSharingRows,
                                 &kNoContraction,
                                 &kNoOuterLoop,
                                 &kShortOrUnsharedSum,
                                 &kInsideLoop,
                                 &kLessThanTwoTiles,
                                 &kSmallerThanSquare,
                                 &kScatteredLoads,
                                 &kLongInnerLoop,
                                 &kSubscriptNotAffine,
                                 &kLongWindow,
                                 &kRowsNotLastAxis,
                                 &kWindowsFarApart,
                                 &kNoWindowSubscript,
                                 &kPackingTooDear,
                                 &kWindowsShared};

}  // namespace reason
}  // namespace mlgc::schedule
