// Loop transforms: changes of how the nests of a loop function run that keep what they compute.
//
//     tile        for [a, b) (%i)  becomes  for [0, (b - a) ceildiv n) (%i_o) { for [a + n*%i_o, …) (%i) { … } }
//     interchange a loop and the only one inside of it are swapped
//     split-quotients  tiles of as many iterations as subscripts divide the index by
//     split-range the iterations for which guards and bounds inside come out alike get a loop of their own
//     unroll      the loop is written out, or tiles of it are
//     jam         unroll-and-jam: iterations of a loop become copies in the loops inside, which run once for all
//     vectorize   iterations run in strips of lanes; carried values are combined
//     parallelize iterations run on any thread
//     collapse    a loop and the only one inside of it become one, over views of the buffers
//     stage       what a load reads in two loops over a tile is copied to scratch first
//     pack        what a load gives in the loops inside is computed first, into scratch in their order
//     pad-load    what a load under guards reads is copied first, with what it gives outside of the buffer around it
//     distribute  what a nest does after its reduction gets a nest of its own, which reads the results from scratch
//     isolate-product  the contractions in a loop that reduces their results get a loop of their own in front of it
//     fission     what an iteration does before, in and after contractions becomes loops of their own
//     separate-sums  reductions side by side in a nest get a nest each
//     fuse-tiles  loops over the same rows, and sums over them, run tile by tile
//     expand-scratch  scratch of an iteration becomes scratch of all of them, in front of the loop
//     split-argument  the best of values and its position become an extremum, and the least position of what equals it
//     rfactor-argument  the best of values and its position are found in parts on any thread, then among their results
//     isolate-argument  the best of values and its position get a loop of their own
//     write-out         a loop of few iterations becomes these, one after the other
//     merge-reductions  two loops that reduce the same elements become one
//     pack-window what windows read is copied first, each element once
//     rfactor     tiles of a reduction are reduced on any thread, then their results are
//     split-scan  pieces of a running reduction are reduced first, and then run from what comes before them
//     separate-scan  terms of a running reduction, the reduction and what follows from it become loops of their own
//     transpose-tiles  strided reads of the innermost loop become in-register transposes
//     online-softmax  a sum weighted by a softmax of scores goes through tiles of scores once
//     split-keys  likewise a few scores at a time, in parts of the scores whose results are then combined
//     narrow      sums of f32 that are carried in f64 are carried in f32, all of them or in blocks
//     matrix      a tile of a product is computed by the matrix unit
//     block-columns  blocked column reduction: tiles of rows run in parallel, each accumulates blocks of a few rows
//
// Guarantees
//   - A transform is refused where it is not shown to be legal, with a diagnostic of the cause (refusal.h); the
//   function
//     is as it was then.
//   - A function that verified verifies afterwards, and every element of every buffer is what it was, bit for bit. The
//     exceptions are vectorize, interchange, rfactor, split-scan and block-columns on loops that carry floats, which
//     say so, narrow, matrix (analysis/matrix_nest.h), online-softmax and split-keys.
//   - The index of a loop keeps its name and its values, so the body is not touched; new loops are called after it.
//   - The strategy that a loop notes (kStrategyAttribute) is passed on: to the loop over tiles where there are some (of
//     tile, unroll, narrow, rfactor, block-columns, transpose-tiles), to the one loop that two become, with the loop
//     that is interchanged, and to each copy. It ends with a loop that unroll-and-jam writes out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/constraint.h"
#include "ir/module.h"
#include "ops/numerics.h"
#include "schedule/refusal.h"
#include "support/result.h"

namespace mlgc {

// On a `for`: the strategy that a schedule took there (strategy.h). A note for readers and reports; no transform
// asks for it.
inline constexpr std::string_view kStrategyAttribute = "schedule.strategy";

// The loop of the function whose index has the name. Error: there is none, or several.
[[nodiscard]] Result<OpRef, Diagnostic> find_loop(OpRef func, std::string_view index);

// What happens to the iterations that fill no tile.
enum class Tail : std::uint8_t {
  Min,      // the last tile is smaller: its bound is a minimum
  Loop,     // remainder loop: they get a loop of their own after the full tiles, which all have `size` iterations
  Overlap,  // the last tile is a full one too, and begins in the one before it: some iterations run twice
};
// Tiles that are full anyway, because the size divides the extent under `facts`, get none of it. Iterations run twice
// where they are shown to be no fewer than a tile has, on one thread, and to read nothing that they write.
[[nodiscard]] TransformResult tile(OpRef loop, std::int64_t size, Tail tail, const Facts& facts);

// Two loops that reduce, the outer one what the inner one takes further, are interchanged too; the terms come in
// another order then: see vectorizing_changes() of the outer loop.
[[nodiscard]] TransformResult interchange(OpRef loop, const Facts& facts);

// Tiles of as many iterations as subscripts divide the index by: `i floordiv size` becomes the index of the tiles. The
// extent is a constant multiple of the size.
[[nodiscard]] TransformResult split_quotients(OpRef loop, std::int64_t size, const Facts& facts);
// The first constant by which subscripts in the loop divide its index, and by which it can be split.
[[nodiscard]] std::optional<std::int64_t> divisor_in_subscripts(OpRef loop);

// Index-set splitting: the range is cut where a guard, a minimum or maximum, a quotient or a remainder in the loop
// changes its outcome, and each piece keeps what holds in it alone: the arm that a guard chooses, the side that a
// minimum is, subscripts that are affine. What differs between the iterations of loops inside is decided where it holds
// for all of them. The pieces run one after the other and carry on what the loop carries; the first one has the name,
// the others are called after it with `_2`, `_3` and so on. Refused where more pieces would be made, or more ops in
// them. The limit is a policy, the same for all machines: text grows with the pieces, and a compilation must not take
// longer than the loop is worth.
inline constexpr std::size_t kMostPieces = 64;
struct PieceLimits {
  std::size_t pieces = kMostPieces;
  std::size_t ops = static_cast<std::size_t>(-1);
  // Two pieces, the second of which needs no loop inside: split at the first break after which that is so.
  bool drops_loops = false;
};
[[nodiscard]] TransformResult split_range(OpRef loop, const PieceLimits& most, const Facts& facts);

// factor 0: the whole loop; otherwise tiles of as many iterations, with a loop for what is left.
[[nodiscard]] TransformResult unroll(OpRef loop, std::int64_t factor, const Facts& facts);

// Serial, of a small constant number of iterations: these take its place, with numbers for the index.
[[nodiscard]] TransformResult write_out(OpRef loop);

// factor 0: the whole loop; otherwise tiles of as many iterations, with a loop for what is left. What the iterations
// have in common is done once, and a loop inside carries what it carried for each of them: a tile of sums stands in a
// loop over their terms.
[[nodiscard]] TransformResult jam(OpRef loop, std::int64_t factor, const Facts& facts);

// `per_lane`: neighbouring iterations that a lane takes at a time. `skew`: where these begin (loopir/skew.h), over
// values.
[[nodiscard]] TransformResult vectorize(OpRef loop, std::int64_t lanes, const Facts& facts, std::int64_t per_lane = 1,
                                        std::optional<IndexExpr> skew = std::nullopt);
// What another order of the loop's terms may alter: the order of roundings, or which of two zeros is an extremum.
[[nodiscard]] NumericsClass vectorizing_changes(OpRef loop);

[[nodiscard]] TransformResult parallelize(OpRef loop, const Facts& facts);

// What may be at quotients and remainders of the index of two loops that become one, both of constant extents.
enum class Divides : std::uint8_t {
  Nothing,
  Loads,     // of elements that are not contiguous
  Brackets,  // these, guards and numbers
};
// Where every access of the two indices is unit-stride, but for what `divides` admits. Both loops start at 0; what they
// carry goes through as it is. The index of the new loop is called after both.
[[nodiscard]] TransformResult collapse(OpRef loop, Divides divides = Divides::Nothing);

// `nest` is a loop over a tile of a constant size, with another one in it, in which the load stands; the buffer is only
// read in the function. The copy runs along the buffer's own axes, its loops are called after the others with `_in`. Or
// a branch that gives a value, most of whose loads run along `nest`: the copy runs along it inside, and has what the
// branch gives.
[[nodiscard]] TransformResult stage(OpRef load, OpRef nest);

// What the load gives, or the branches around it, for the indices of the loops between `nest` and it: computed in front
// of `nest`, so that what many of its iterations read is arranged once. Its own subscripts may be any. Nothing that it
// reads is written in the nest, and the loops have bounds of outside of it, or of each other: a strip of columns is an
// axis of its own then, so what a strip reads lies together. The axis of a vector loop comes last; the
// loops of the copy are called after the others with `_in`. The scratch of a nest that stands in no loop is in the
// arena.
// The same of any other op, with what it needs of the nest: loop-invariant code motion out of the loops that it does
// not depend on, with an axis for each of those that it does.
[[nodiscard]] TransformResult pack(OpRef value, OpRef nest);
// A load under a guard, which gives a number where the guard does not hold: `nest`, which stands in no loop, reads a
// copy instead, in which that number stands around the elements. Subscripts are sums of multiples of indices of loops
// with plain bounds, and the guard only asks that they lie in bounds. A load that is cast may stand under no guard: the
// copy holds what the cast gives. The loops of the copy are called `pad0` and so on.
[[nodiscard]] TransformResult pad_load(OpRef load, OpRef nest, const Facts& facts);

// The loops from `nest` on, each alone in the one around it, end in one that holds a reduction to one value. What
// stands after that, and reads its result, moves to a copy of the loops after the nest, called after them with
// `_out`; the results pass through scratch in the order of the loops.
[[nodiscard]] TransformResult distribute(OpRef nest);
// Whether it would be taken; error: why not.
[[nodiscard]] TransformResult can_distribute(OpRef nest);

// Of a loop that carries on the result of a contraction in it: the sums get a loop of their own in front, with what is
// computed of them up to a value that all else reads, which goes to memory; the loop, called after its index with `_r`,
// reads it there.
[[nodiscard]] TransformResult isolate_product(OpRef loop, const Facts& facts);

// Reductions that stand side by side in the innermost of loops that each hold nothing else, and whose results go to
// memory of their own, get a nest each, called after the first one with `_2`, `_3` and so on.
[[nodiscard]] TransformResult separate_sums(OpRef nest);

// Loop fission: what an iteration does becomes loops of their own with the same range, one after the other. A loop that
// holds a contraction of which iterations share factors is one, and so is what stands between two of these. What
// one leaves for another, scratch and values, is kept for all iterations; numbers that need no memory are computed
// again. The first loop has the name, the others are called after it with `_2`, `_3` and so on. In other loops they are
// serial, since their scratch is one thread's.
//
// `into`: or each loop inside becomes one, with what stands after it. `axis`: which axis of what is kept has the
// iterations: the last one where neighbouring iterations read neighbouring elements.
enum class FissionInto : std::uint8_t { SharedProducts, EachLoop };
enum class FissionAxis : std::uint8_t { First, Last };
[[nodiscard]] TransformResult fission(OpRef loop, const Facts& facts, FissionInto into = FissionInto::SharedProducts,
                                      FissionAxis axis = FissionAxis::First);

// Privatisation of a reduction: of two loops, the inner one of which takes the reduction of the outer one further and
// stands alone in it, the inner one starts from the neutral element, and the outer one combines its results. Then the
// outer one may have lanes. Sums of floats round in another order: see vectorizing_changes().
[[nodiscard]] TransformResult privatize(OpRef loop);

// Rematerialisation: what loads of the scratch give is computed again where they stand, and the scratch is gone. One
// store, in each iteration of the loops around it up to where the scratch is allocated, gives element [i, j, …] for
// their indices i, j, … as a function of these, of values from outside of the loops, and of elements that nothing in
// the loop around writes; loads are at plain indices. Loops that do nothing then are gone too.
[[nodiscard]] TransformResult recompute(OpRef alloc);

// Loops over the same rows, one after the other from `first` on, which touch of the scratch that they leave each other
// only their own row, run tile by tile of `size` rows, and after them nests that sum over the rows of that scratch: of
// a tile, added to the sums of the tiles before it. Scratch has the rows of a tile. What else the nests do with a sum
// comes after all tiles, as do other loops of the region. The loop over tiles is called after the first one with `_o`;
// rows of loops without products are those of one loop.
enum class TileSums : std::uint8_t {
  InOrder,  // each term is added to those before it, as without tiles
  Wide,     // the sum of a tile is added in the dtype in which it is carried
  Rounded,  // likewise, in the dtype of the result
};
[[nodiscard]] TransformResult fuse_tiles(OpRef first, std::int64_t size, TileSums sums, const Facts& facts);

// What the loop allocates in an iteration stands in front of it, with an axis more, the last one, for its iterations: a
// constant number of them, or no more than that. So lanes may run along it.
[[nodiscard]] TransformResult expand_scratch(OpRef loop);

// Of a loop that carries the best of values (`b is no NaN and not v <= b`, or `b < v` of integers, takes v) from the
// worst one on, and its index: a loop for the extremum, called after the index with `_b`, in front of one for the least
// position of what equals it, or of what is NaN. The extremum may be another one of two zeros. With a size, of a loop
// over [0, n) in no other one, tiles of so many values have their extrema on any thread, kept in the arena; `_p` takes
// the best of these, and the last loop is over the first tile that has it. Without a size, loops that stand alone in
// each other may carry them, too: both have copies of all of them, which may be interchanged.
[[nodiscard]] TransformResult split_argument(OpRef loop, std::int64_t size = 0);
// Of the same loops: `size` iterations each of the outermost one have their extremum and its position, in buffers of
// the arena called `extrema` and `positions`; of a constant number of iterations the last ones begin in those before.
// These parts are a parallel loop, called after the index with `_o`, with copies of the loops around, as of rfactor();
// `_p` takes the best of the extrema and the number of its part, which is such a loop again, and the position of that
// part is the result.
[[nodiscard]] TransformResult rfactor_argument(OpRef loop, std::int64_t size, const Facts& facts);
// Of a loop that carries such a pair beside other values, or stores: the pair gets a loop of its own after it, called
// after the index with `_a`, which computes again what both need.
[[nodiscard]] TransformResult isolate_argument(OpRef loop);
// Two loops of one region over the same range that only reduce, and both read some element: the first one carries what
// both carry. What both compute it computes once. The second one needs nothing that is computed between them.
[[nodiscard]] TransformResult merge_reductions(OpRef first, OpRef second);
// Whether a loop is one that they take; error: why not.
[[nodiscard]] TransformResult is_argument_loop(OpRef loop);

// The elements that the load reaches in the loops inside, with the branches around it, each once: where several indices
// stand in a subscript, as in windows that overlap, the scratch has one axis for all of them. The axis along which the
// loop `columns` goes comes last, as `s` axes of each s-th element where columns lie s apart. Conditions are on the
// same subscripts.
[[nodiscard]] TransformResult pack_window(OpRef load, OpRef nest, OpRef columns);
// Of a loop that holds one other loop, in which loads run along the outer index: squares of `size` rows and columns are
// loaded in lanes along the rows of memory into buffers of registers, and read in lanes across. `group` squares side
// by side go down the rows together. What fills no square keeps its loops. The loops are called after the old ones.
[[nodiscard]] TransformResult transpose_tiles(OpRef rows, std::int64_t size, std::int64_t group, const Facts& facts);

// The results of the tiles lie in buffers of the arena, called `partial`; the tiles are a parallel loop, called after
// the index with `_o`, and `_p` runs over their results, in their order. In other loops, which carry nothing, there are
// results for each of their iterations: the tiles come first, each with copies of the loops, and what the loop needs of
// these is computed there again; sums of f32 that are carried in f64 are kept in f32 in between, and tiles of one
// iteration are written out. Sums of floats round in another order: see vectorizing_changes().
[[nodiscard]] TransformResult rfactor(OpRef loop, std::int64_t size, const Facts& facts);

// Pieces of a running reduction: `size` iterations each are reduced first (`_o`, in them `_s`); a running reduction of
// their results (`_p`) gives what comes before each, and then each runs from there (`_q`). Sums of floats round in
// another order: see running_changes() (running.h).
enum class ScanPieces : std::uint8_t {
  OfRow,      // in the place of the loop, with scratch
  FirstAxis,  // nests of their own around copies of the loops around, parallel; what is kept has pieces as first axis
  LastAxis,   // likewise, as last axis
};
[[nodiscard]] TransformResult split_scan(OpRef loop, std::int64_t size, ScanPieces into, const Facts& facts);
// The terms of a running reduction go to scratch in a loop of their own (`_t`), where the reduction (`_c`) leaves what
// it has so far; what follows from that is the third loop (`_r`).
[[nodiscard]] TransformResult separate_scan(OpRef loop, const Facts& facts);

// Each carried value that starts as a number and grows by a cast of f32. It may go through inner loops on its way.
// Worth it where many accumulators share the terms: each addition rounds to f32.
[[nodiscard]] TransformResult narrow(OpRef loop);
// Sums, whatever they start from, also those that inner loops take further: the terms of `size` iterations at a time
// are added in f32, and their sums in f64. A loop of more iterations, or of unknown trip count, is tiled for it.
[[nodiscard]] TransformResult narrow_blocks(OpRef loop, std::int64_t size, const Facts& facts);

// Blocked column reduction, of a loop over columns that holds one loop over rows, which reduces. The result of a tile
// of `rows` rows is kept in memory; the tile is reduced by blocks of `block` rows, each along all columns. Then the
// results of the tiles are combined, column by column, in their order. Sums of f32 that are carried in f64 are carried
// in f32 within a tile. The loops are called after the old ones: `_t` and `_b` run over tiles and blocks of rows, `_z`
// and `_c` along columns,
// `_p` over the results of tiles. Sums of floats round in another order: see vectorizing_changes() of the loop over
// rows.
[[nodiscard]] TransformResult block_column_reduction(OpRef columns, std::int64_t rows, std::int64_t block,
                                                     const Facts& facts);

// The loop over the rows of a tile (analysis/matrix_nest.h) becomes a matrix loop: so many parts of the factors are in
// shared memory at a time. The matrix unit rounds the sums otherwise.
[[nodiscard]] TransformResult use_matrix_unit(OpRef rows, std::int64_t stages, const Facts& facts);

// A row of scores, their maximum, exponentials and their sum, quotients, and sums of these times values of 16 bits:
// tiles of so many scores are seen once, with the maximum and the sum so far (attention_nest.h has the text).
// Exponentials are rounded to the dtype of the values, and divided by their sum at the end. Keys that a guard of the
// two indices makes -inf for all queries of a loop over a tile of these are left out: what they have, NaN or infinite
// too, is not read.
[[nodiscard]] TransformResult online_softmax(OpRef rows, std::int64_t tile);
// Whether it would be taken; error: why not.
[[nodiscard]] TransformResult is_weighted_by_softmax(OpRef rows);

// The same row, of values of any float: `at_a_time` scores at once, in straight text, with the maximum, the sum and the
// weighted values so far. Of `tiles` such steps each, parts are a nest of their own in front of the nest, with parallel
// loops over parts and over what the loops around the row run over; then each row combines what its parts give, in
// their order. 0 tiles: a row has one part, and nothing goes through memory. Scores beyond the last one are -inf, and
// their values 0; all parts run as often. Sums are added in another order, products by fused multiply-adds.
[[nodiscard]] TransformResult split_keys(OpRef rows, std::int64_t at_a_time, std::int64_t tiles);
// Whether it would be taken; error: why not.
[[nodiscard]] TransformResult may_split_keys(OpRef rows);
// Of a row that it takes: the sum of a score, and the element that a weight multiplies.
struct WeightedRow {
  OpRef scores, terms, columns, value;
};
[[nodiscard]] WeightedRow weighted_row(OpRef rows);

// What a step does that alters numbers and is no pass, which would say so itself; empty for others.
[[nodiscard]] std::string_view step_summary(std::string_view step);

}  // namespace mlgc
