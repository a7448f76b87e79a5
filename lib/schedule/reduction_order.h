// Private to lib/schedule: the numbers that decide in which order the terms of a reduction are combined, and in which
// width they are added.
//
// Each number is a policy, the same for all machines and for all workloads: it is part of what a program computes, as
// its sizes are. Lanes and blocks are powers of two that whole vectors of every width divide.
//
// Invariant: the order follows from sizes, dtype and numerics alone, never from a machine or a number of threads, so a
// program gives the same bits wherever it runs. No number of a machine may take the place of one of these. What
// describes hardware, and decides nothing of this, stands in cpu_limits.h and gpu_limits.h.
#pragma once

#include <cstdint>

namespace mlgc::schedule {

// --- sums of everything, on any target

inline constexpr std::int64_t kSumTile = 16384;  // terms of a sum without rows that one tile takes

// --- reductions of a row, CPU

inline constexpr std::int64_t kReductionLanes = 64;           // partial results of a reduction that has the lanes
inline constexpr std::int64_t kBusyReductionLanes = 32;       // likewise of one whose terms take much by themselves
inline constexpr std::int64_t kFewestRowReductionLanes = 16;  // of a row that would leave more of them without a term
inline constexpr std::int64_t kBusyReductionWork = 24;        // scalar operations of a term from which on it does
inline constexpr std::int64_t kFewestReductionTerms = 4;      // fewer stay in their order
inline constexpr std::int64_t kFewestArgumentTerms = 16;      // likewise of the argument of an extremum
inline constexpr std::int64_t kFewestProductTerms = 16;  // of a product that shares nothing: fewer stay in their order
inline constexpr std::int64_t kFewestVaryingTerms = 16;  // likewise where each run of the loop has another number
inline constexpr std::int64_t kWideSumTerms = 64;        // no more: a sum is carried as the lowering says
inline constexpr std::int64_t kLongSum = 8192;           // beyond, a sum by lanes is a sum of sums
inline constexpr std::int64_t kSumBlock = 1024;          // terms of these
inline constexpr std::int64_t kTileSumBlock = 128;  // likewise in tiles of a sum without rows, which may cancel out
inline constexpr std::int64_t kOwnSumBlock = 16;    // terms likewise of a sum that each lane has by itself

// --- reductions of rows, one for each column, CPU

// A strip of 64 columns that goes down all rows touches a page a row: 8 GB/s with accumulators in f64. Tiles of rows,
// in blocks of 8 whose columns are gone along once, and whose terms are added in f32, reached 62 GB/s when they were
// chosen.
inline constexpr std::int64_t kRowTile = 128;       // rows of a tile, whose result is kept
inline constexpr std::int64_t kRowBlock = 8;        // rows of these that are reduced while their columns are gone along
inline constexpr std::int64_t kRowBlockOfFew = 16;  // likewise of few columns, whose rows lie near each other
inline constexpr std::int64_t kFewReducedColumns = 256;
inline constexpr std::int64_t kManyRows = 512;  // rows from which on there are tiles, with no loop around on threads

// --- contractions, CPU

inline constexpr std::int64_t kDotProductLanes = 16;    // partial sums of an element, where the sum has the lanes
inline constexpr std::int64_t kMostGroupLanes = 64;     // likewise of a sum over groups, where the terms fill them
inline constexpr std::int64_t kTermsOfBlock = 256;      // that one accumulator of f32 takes in
inline constexpr std::int64_t kFewBlocks = 16;          // whose sums f32 takes in: as long a chain as 16 more terms
inline constexpr std::int64_t kMostTerms = 256;         // that it takes in where there are no more
inline constexpr std::int64_t kFewestOfTerms = 128;     // of a loop in another one of the same sum, that are a block
inline constexpr std::int64_t kLongContraction = 4096;  // terms from which on a sum goes by tiles
inline constexpr std::int64_t kTileTerms = 512;         // terms of a tile, at least: what is read for them stays near
inline constexpr std::int64_t kLeastReads = 4;          // elements read for each partial sum that tiles leave
inline constexpr std::int64_t kFewestShares = 12;       // sums that read each element, so that tiles are worth it
inline constexpr std::int64_t kDotProductRows = 64;     // rows, fewer of which take lanes over a sum that may have them
inline constexpr std::int64_t kFewestDotProductRows = 20;  // likewise of a short sum
inline constexpr std::int64_t kTermsOfDotProductRow = 6;   // for each of these rows
inline constexpr std::int64_t kDotProductLongTerms = 512;  // terms from which on combining lanes costs little
inline constexpr std::int64_t kDotProductManyRows = 64;    // rows from which on packing pays for any number of terms
inline constexpr std::int64_t kDotProductBusyResult = 16;  // operations on a result from which on its lanes pay

inline constexpr std::int64_t kFewestColumns = 4;        // fewer never have the lanes, so what they reduce may
inline constexpr std::int64_t kShortLaneRow = 24;        // elements of a row, of many rows that have the lanes
inline constexpr std::int64_t kFewestLaneRows = 32;      // rows that are many
inline constexpr std::int64_t kShortLaneRowBytes = 128;  // from one of them to the next: they lie in each other's lines
inline constexpr std::int64_t kWidestInStrides = 4;      // bytes of an element that lanes read in strides
inline constexpr std::int64_t kFullLaneRow = 16;         // elements of a row whose lanes are full
inline constexpr std::int64_t kFewProductColumns = 8;    // fewer leave the lanes to a loop further outside
// Of a sum whose lanes are those of a loop further outside: fewer terms are worth packing only where the columns are
// too few for any lanes.
inline constexpr std::int64_t kFewestOuterTerms = 32, kFewestOuterTermsOfFewest = 4;
inline constexpr std::int64_t kFewestPackedRows = 2;  // rows, fewer of which pack nothing for lanes over columns

inline constexpr std::int64_t kPanelColumns = 16;  // of a panel of a weight; half as many of few columns
// Of a panel that an unknown number of rows shares; one column in so many at most is for nothing that is not in narrow
// panels.
inline constexpr std::int64_t kWidestPanel = 64, kMostWidePanelWaste = 48;
inline constexpr std::int64_t kFewestWidePanelTerms = 32;  // fewer do not pay for the results of a strip
// Bytes of a weight whose product with a few rows takes no longer than threads take to start.
inline constexpr std::int64_t kMostUnsharedWeight = std::int64_t{128} << 10U;
inline constexpr std::int64_t kFewestPanelRows = 7;  // that share a panel: fewer read the weight as it lies
inline constexpr std::int64_t kFewestRowLanes = 64;  // rows from which on lanes along them do as well
inline constexpr std::int64_t kMostPanelWaste = 2;   // of its elements panels have one more for nothing, no more

// --- rows of several products, CPU. How many rows a tile has decides what is packed for them.

inline constexpr std::int64_t kFewestTiledRows = 4;   // fewer stay as they are
inline constexpr std::int64_t kLeastRowTile = 24;     // rows of a tile that others share what is packed with
inline constexpr std::int64_t kLeastOwnRowTile = 72;  // likewise of one that packs for itself
inline constexpr std::int64_t kMostRowTile = 96;
inline constexpr std::int64_t kRowTileStep = 12;                         // whole tiles of registers, on any machine
inline constexpr std::int64_t kRowTileBytes = std::int64_t{128} << 10U;  // that the nests of a tile leave each other
inline constexpr std::int64_t kUsualRowTerms = 512;                      // of a row of unknown length
// Likewise where sums over the rows go by these tiles: as many rows as their scratch leaves room for.
inline constexpr std::int64_t kLeastFusedTile = 48, kMostFusedTile = 192;
inline constexpr std::int64_t kFusedTileBytes = std::int64_t{1280} << 10U;  // several of which lie in one memory
inline constexpr std::int64_t kFewestRowBytes = 64;                         // less is no row, but a few values of one

// --- windows, CPU

inline constexpr std::int64_t kMostWindowTerms = 64;   // elements of a window, or of a part of it, that is written out
inline constexpr std::int64_t kLongestWindow = 4096;   // elements of a window whose outer loops stay loops
inline constexpr std::int64_t kWideWindowTerms = 3;    // no more: a sum is carried as the lowering says
inline constexpr std::int64_t kFewestSharing = 4;      // iterations that share what a window reads, for a contraction
inline constexpr std::int64_t kFewestLongSharing = 2;  // likewise of a window of more terms than are written out
inline constexpr std::int64_t kFarthestWindows = 4;    // elements from window to window, of which lanes take some

// --- packing, CPU. What is packed makes one loop of the loops of a sum, and its blocks follow from that.

// Rows for which a factor that is computed is computed once; operations on one that as many rows save at least.
inline constexpr std::int64_t kFewestRowsOfComputed = 32, kLeastComputed = 64;
inline constexpr std::int64_t kWorkOfRounding = 6;    // operations that make a float one of 16 bits
inline constexpr std::int64_t kEnoughForThreads = 8;  // iterations, rows or strips that leave threads enough to share
inline constexpr std::int64_t kNearBytes = std::int64_t{512} << 10U;  // of an operand that stays near without packing
inline constexpr std::int64_t kFewestOfFar = 96;    // rows that make packing what lies further apart worth it
inline constexpr std::int64_t kFewestOfBlock = 32;  // rows of a block that packs for itself
inline constexpr std::int64_t kMostBlocks = 4096;   // of rows, that a number of rows is tried to be divided into

// --- GPU

inline constexpr std::int64_t kShortRow = 16;              // terms that a thread adds by itself
inline constexpr std::int64_t kFewestProductColumns = 16;  // of a product that goes by tiles
inline constexpr std::int64_t kFewestProductRows = 16;     // likewise
inline constexpr std::int64_t kFewestCopiedRows = 64;      // likewise, whose columns are copied first
inline constexpr std::int64_t kFewestProductElements = std::int64_t{1} << 17;  // likewise
inline constexpr std::int64_t kUsualProductRows = 1024;                        // of an unknown number
inline constexpr std::int64_t kUsualProductColumns = 128;                      // likewise
inline constexpr std::int64_t kThreadSumTerms = 8192;    // beyond, one thread's sum is carried as the lowering says
inline constexpr std::int64_t kThreadShortSum = 64;      // terms of a sum that is carried in f32, whatever it sums
inline constexpr std::int64_t kReductionElements = 8;    // of a row that a thread reduces, if there are enough
inline constexpr std::int64_t kSingleElements = 16;      // likewise of a long row that is read element by element
inline constexpr std::int64_t kPieceBytes = 16;          // of neighbouring elements that a thread reads at once
inline constexpr std::int64_t kMostAtATime = 8;          // elements of these, each with an accumulator
inline constexpr std::int64_t kRowOfWarp = 1024;         // terms of a row that one warp reduces
inline constexpr std::int64_t kPiecesOfRow = 2;          // that a thread reduces, if there are enough
inline constexpr std::int64_t kUsualReducedRow = 2048;   // terms of a row of unknown length
inline constexpr std::int64_t kFewestReducing = 4;       // threads that reduce a row: they read one sector of memory
inline constexpr std::int64_t kMostReducingInWarp = 32;  // likewise of up to kRowOfWarp terms
inline constexpr std::int64_t kMostReducing = 1024;      // likewise
inline constexpr std::int64_t kColumnElements = 16;   // of a column with several loops that a thread has in registers
inline constexpr std::int64_t kMostColumnRow = 1024;  // elements of such a column
inline constexpr std::int64_t kMostBlockRow =
    65536;  // elements of a row for which one block has registers and shared memory
inline constexpr std::int64_t kManyElements =
    8388608;  // of columns; fewer stay in the second cache between blocks that read one line
inline constexpr std::int64_t kEnoughBlocks = 512;   // rows, each of a block, that keep any device busy
inline constexpr std::int64_t kPartBlocks = 1024;    // parts of rows that there are where rows are not enough
inline constexpr std::int64_t kArgumentPart = 4096;  // likewise, at most, where the position of an extremum is wanted
inline constexpr std::int64_t kMostArgumentRow = 8192;  // elements of such a row that are not divided
inline constexpr std::int64_t kFewestPart = 4096;       // terms of a part of a row, at least
inline constexpr std::int64_t kPartStep = 1024;         // a multiple of which it has, so that parts are aligned alike
inline constexpr std::int64_t kFewestPartRows = 64;     // likewise of a column, of which a thread takes a part
inline constexpr std::int64_t kEnoughThreads = 131072;  // columns, each of a thread, that keep any device busy

// Few queries over many keys: a part of a warp takes some keys at a time, so that as many loads of keys and of values
// are in flight.
inline constexpr std::int64_t kKeysAtATime = 4;
inline constexpr std::int64_t kFewestPartKeys = 8;       // of a part, which costs a store and a load of a row of sums
inline constexpr std::int64_t kUsualPartKeys = 64;       // likewise of an unknown number of keys
inline constexpr std::int64_t kPartThreads = 98304;      // that parts of all queries have, if keys are enough
inline constexpr std::int64_t kPartLanes = 16;           // of what combines more than kShortRow parts
inline constexpr std::int64_t kFewestTiledQueries = 16;  // that share keys: the matrix unit takes them

// Running reductions: a thread has some elements of a row, a block a tile of them.
inline constexpr std::int64_t kScanElements = 16;      // of a row of a block, that a thread has at least
inline constexpr std::int64_t kMostScannedByOne = 32;  // results of pieces that one thread runs through
inline constexpr std::int64_t kScanTile = 4096;        // elements of a tile, where a row has several
inline constexpr std::int64_t kMostScanRow = 16384;    // elements of a row that has no tiles
inline constexpr std::int64_t kFewestScanRows = 32;    // elements of a column of which a thread takes a part, at least
inline constexpr std::int64_t kFewestScanPieces = 4;   // parts of such a column, at least
// Of an unknown length results of pieces are scanned by pieces in turn, until they are this few where a length is so
// much: of a row, and of a column.
inline constexpr std::int64_t kSupposedLength = std::int64_t{1} << 24;
inline constexpr std::int64_t kMostPiecesOfColumn = std::int64_t{1} << 14;

}  // namespace mlgc::schedule
