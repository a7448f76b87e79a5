// tensor-core-tiles: tiles of a product of f32, bf16 or f16 are blocks, whose sums the matrix unit computes.
#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>
#include <vector>

#include "analysis/factor_boxes.h"
#include "analysis/matrix_nest.h"
#include "loopir/module_machine.h"
#include "loopir/nests.h"
#include "schedule/gpu_sites.h"
#include "schedule/gpu_strategies/gpu_strategies.h"
#include "schedule/matrix_form.h"
#include "schedule/strategy_text.h"
#include "support/saturating.h"

namespace mlgc::schedule {

namespace {

// Policies, the same for all GPUs. Fewer rows, columns or terms leave more than half of the smallest tile, or of its
// only part, empty.
// Of rows, which need not fill it, fewer: it is reading the other factor that takes time.
constexpr std::int64_t kFewestRows = 2, kFewestRowsOfF32 = 4, kFewestLines = 16;
// Of convolutions, whose elements are read for each place of a window, fewer columns, too.
constexpr std::int64_t kFewestColumnsOfWindows = 4;
// Parts of the factors in shared memory: those of 128 by 128 take what its sums take in the end.
constexpr std::int64_t kStages = 4;
// Of a tile of unknown rows or columns, which may be few; what a tile costs beside its products, in products for each
// row and column: the time to bring a part of the factors to shared memory and to registers.
constexpr std::int64_t kUsualLines = 512, kFewestUnknownLines = 64, kMostUnknownLines = 128, kLineCost = 32;
constexpr std::int64_t kMostGatheredLines = 128;
// Tiles among which it chooses, the first of equal ones: wide ones, of which fewer bytes of shared memory are read for
// a product.
constexpr TileShape kTiles[] = {
    {kMostMatrixLines / 2, kMostMatrixLines},     {kMostMatrixLines / 2, kBetweenMatrixColumns},
    {kMostMatrixLines / 2, kMostMatrixLines / 2}, {kMostMatrixLines / 2, kMostMatrixLines / 4},
    {kMostMatrixLines / 2, kFewestMatrixLines},   {kMostMatrixLines, kMostMatrixLines / 2},
    {kMostMatrixLines, kMostMatrixLines / 4},     {kMostMatrixLines, kFewestMatrixLines},
    {kMostMatrixLines / 4, kMostMatrixLines},     {kMostMatrixLines / 4, kMostMatrixLines / 2},
    {kMostMatrixLines / 4, kMostMatrixLines / 4}, {kMostMatrixLines / 4, kFewestMatrixLines},
    {kFewestMatrixLines, kMostMatrixLines},       {kFewestMatrixLines, kMostMatrixLines / 2},
    {kFewestMatrixLines, kMostMatrixLines / 4},   {kFewestMatrixLines, kFewestMatrixLines}};
// Operations on a sum from which on tiles are such that two share a multiprocessor: the products of one go on
// meanwhile. Of as many terms it takes longer that smaller tiles read more of the factors.
constexpr std::int64_t kLongWork = 16, kManyTerms = 768;
// Beside more sums, a thread of a block that has a multiprocessor alone has no registers for that, or to move the
// pieces of rows that are not aligned.
constexpr std::int64_t kMostSumsWithWork = kBetweenMatrixColumns * kFewestRowsOfBetween;
// Terms up to which writing the sums takes longer than computing them: four tiles share a multiprocessor.
constexpr std::int64_t kShortTerms = 2 * kBoxTerms;

// Of few tiles parts of the terms are blocks, too: as many as keep the device busy, none with less than
// kFewestPartTerms. They decide in which order a sum is added, so they follow from sizes alone, counted in tiles of
// kPartLines: 128 of them are as many as the multiprocessors of the larger GPUs, and parts make about four for each.
constexpr std::int64_t kPartLines = 64, kEnoughTiles = 128, kPartTiles = 528, kFewestPartTerms = 384;
// Of few rows the rule counts bytes: a multiprocessor reads 1/kOwnShare of what memory has in that time.
constexpr std::int64_t kMostFewRows = 128, kOwnShare = 68, kPartsCost = 7 * 1000 * 1000;

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

class TensorCoreTiles {
 public:
  static Match matches(const Scheduler& scheduler, const Site& site) {
    TensorCoreTiles tiles(site.loop);
    return tiles.find(scheduler);
  }
  static std::string why(const Scheduler& scheduler, const Site& site) {
    TensorCoreTiles tiles(site.loop);
    (void)tiles.find(scheduler);
    if (const Parts parts = tiles.parts(); parts.count > 1)
      return std::to_string(parts.count) + " parts of " + iterations_text(tiles.loops_.terms) + ", since " +
             iterations_text(tiles.loops_.rows) + " and " + iterations_text(tiles.loops_.columns) +
             " are few for the device";
    tiles.choose_sizes();
    return iterations_text(tiles.loops_.rows) + " and " + iterations_text(tiles.loops_.columns) +
           " share the factors of " + iterations_text(tiles.loops_.terms) + ": " + std::to_string(tiles.tall_) +
           " rows by " + std::to_string(tiles.wide_) + " columns a block, " +
           number_of(static_cast<std::size_t>(tiles.waves_), "tile") + " for each multiprocessor";
  }
  // A refused step may leave it in parts.
  static Result<OpRef, Diagnostic> apply(Scheduler& scheduler, const Site& site) {
    TensorCoreTiles tiles(site.loop);
    (void)tiles.find(scheduler);
    if (!tiles.loops_.is_plain()) {
      if (const TransformResult merged = merge_matrix_loops(scheduler, tiles.chain_, tiles.loops_); !merged)
        return Failure{merged.error()};
      const bool several = tiles.loops_.terms.size() > 1;
      tiles = TensorCoreTiles(site.loop);
      tiles.were_several_ = several;
      if (!tiles.find(scheduler) || tiles.loops_.terms.size() > 1) return Failure{scheduler.refused()};
    }
    if (const Parts parts = tiles.parts(); parts.count > 1) return tiles.run_parts(scheduler, parts);
    tiles.choose_sizes();
    return tiles.run(scheduler);
  }

 private:
  explicit TensorCoreTiles(OpRef nest) : nest_(nest), chain_(parallel_chain(nest)) {}

  // A contraction alone in the columns, which are the innermost loop, and rows around that share one of its factors.
  Match find(const Scheduler& scheduler) {
    if (chain_.size() < 2) return Match::other_kind<reason::kNotTwoParallelLoops>();
    const OpRef innermost = chain_.back();
    const std::vector<OpRef> inner = loops_in(innermost.region(0));
    if (inner.size() != 1) return Match::other_kind<reason::kNotOneInnerLoop>();
    const ForRef terms = ForRef::from(inner[0]);
    if (terms.carried_count() != 1 || !is_sum_of_products(terms))
      return Match::other_kind<reason::kInnerLoopNoContraction>();
    auto loops = matrix_loops(chain_);
    if (!loops) return Match::other_kind<reason::kNoFactorsOfMatrixUnit>(loops.error());
    loops_ = *std::move(loops);
    rows_ = loops_.rows.back();
    columns_ = loops_.columns.back();
    terms_ = loops_.terms.front();
    if (!scheduler.may_reassociate()) return Match::no<reason::kMatrixUnitRounds>();
    const AlongLoop along{ForRef::from(columns_)};
    if (along.allocates || along.launches) return Match::no<reason::kThreadMemoryOrLaunches>();
    if (along.bounds_vary || AlongLoop{ForRef::from(loops_.rows.front())}.bounds_vary)
      return Match::no<reason::kSumBoundsVary>();
    const std::int64_t fewest = factors_dtype() == Dtype::F32 ? kFewestRowsOfF32 : kFewestRows;
    if (extent_of(loops_.rows).value_or(fewest) < fewest)
      return Match::no<reason::kFewRows>(count_text(loops_.rows), fewest);
    const std::int64_t fewest_columns = multiplies_windows() ? kFewestColumnsOfWindows : kFewestLines;
    if (extent_of(loops_.columns).value_or(fewest_columns) < fewest_columns)
      return Match::no<reason::kFewColumns>(count_text(loops_.columns), fewest_columns);
    if (extent_of(loops_.terms).value_or(kFewestLines) < kFewestLines)
      return Match::no<reason::kFewTerms>(kFewestLines);
    asked_ = scheduler.asked_tile(kTensorCoreTilesStrategy);
    if (asked_ && (holds_all_rows() || std::ranges::count(possible_tiles(), *asked_) == 0))
      return Match::no<reason::kOtherTile>(std::to_string(asked_->rows) + " by " + std::to_string(asked_->columns));
    return Match::yes();
  }

  // 16-bit floats at places of windows.
  [[nodiscard]] bool multiplies_windows() const {
    if (!is_16_bits()) return false;
    if (loops_.terms.size() > 1 || were_several_) return true;
    const auto factors = matrix_factors(ForRef::from(rows_), ForRef::from(columns_), ForRef::from(terms_));
    return factors && factors->left.is_gathered;
  }

  // Of all the loops together.
  [[nodiscard]] static std::optional<std::int64_t> extent_of(const std::vector<OpRef>& loops) {
    std::int64_t count = 1;
    for (const OpRef loop : loops) {
      const auto own = extent(loop);
      if (!own) return std::nullopt;
      count = saturating_mul(count, *own);
    }
    return count;
  }
  [[nodiscard]] bool is_line(OpRef loop) const {
    const auto has = [&](const std::vector<OpRef>& loops) {
      return std::find(loops.begin(), loops.end(), loop) != loops.end();
    };
    return has(loops_.rows) || has(loops_.columns);
  }
  // Products of a batch, of each of which there are rows and columns.
  [[nodiscard]] std::optional<std::int64_t> products() const {
    std::vector<OpRef> batch = chain_;
    std::erase_if(batch, [&](OpRef loop) { return is_line(loop); });
    return extent_of(batch);
  }

  struct Parts {
    std::int64_t count = 1, size = 0;  // terms of a part
  };
  [[nodiscard]] Parts parts() const {
    const auto terms = extent_of(loops_.terms), rows = extent_of(loops_.rows), columns = extent_of(loops_.columns),
               batch = products();
    if (!terms || !rows || !columns || !batch) return {};
    const bool few = *rows <= kMostFewRows && is_copied_by_device();
    const std::int64_t below = few ? 1 : ceil_div(*rows, kPartLines);
    const std::int64_t tiles = saturating_mul(*batch, saturating_mul(below, ceil_div(*columns, kPartLines)));
    if (tiles >= kEnoughTiles || tiles == 0) return {};
    const std::int64_t most = std::min(ceil_div(kPartTiles, tiles), *terms / kFewestPartTerms);
    Parts out;
    std::int64_t least = 0;
    const std::int64_t step = part_step();
    for (std::int64_t count = few ? 1 : most; count <= most; ++count) {
      const std::int64_t size = ceil_div(ceil_div(*terms, count), step) * step;
      const Parts of = count < 2 ? Parts{1, *terms} : Parts{ceil_div(*terms, size), size};
      const std::int64_t cost = few ? cost_of_few(*rows, *columns * *batch, tiles, of) : 0;
      if (least != 0 && cost >= least) continue;
      least = cost;
      out = of;
    }
    return out.count > 1 ? out : Parts{};
  }
  // Parts of the terms are multiples of what a device copies at a time: of several loops, which become one, along the
  // one that becomes the innermost.
  [[nodiscard]] std::int64_t part_step() const {
    if (loops_.terms.size() > 1) {
      const std::int64_t count = extent(innermost_terms(loops_.terms)).value_or(kBoxTerms);
      return count % kBoxTerms == 0 || count % kMatrixPiece != 0 ? kBoxTerms : count;
    }
    const auto factors = matrix_factors(ForRef::from(rows_), ForRef::from(columns_), ForRef::from(terms_));
    if (!factors) return kBoxTerms;
    const std::int64_t of_left = terms_of_part(factors->left, ForRef::from(terms_));
    const std::int64_t step = of_left != kBoxTerms ? of_left : terms_of_part(factors->right, ForRef::from(terms_));
    return step % kMatrixPiece == 0 ? step : kBoxTerms;
  }
  // Of few rows, in bytes that memory brings in that time: what a multiprocessor reads of its tiles or all of them,
  // whichever takes longer; what the parts write and read, and a kernel more. The rows come from L2, four times as
  // fast.
  [[nodiscard]] static std::int64_t cost_of_few(std::int64_t rows, std::int64_t columns, std::int64_t tiles,
                                                const Parts& of) {
    const std::int64_t waves = ceil_div(saturating_mul(tiles, of.count), kEnoughTiles);
    const std::int64_t own = saturating_mul(2 * waves * of.size, kPartLines + rows_of_few(rows) / 4);
    const std::int64_t read = std::max(saturating_mul(kOwnShare, own), saturating_mul(2 * columns, of.size * of.count));
    return of.count < 2 ? read : read + saturating_mul(8 * of.count, rows * columns) + kPartsCost;
  }
  // The parts are further products of a batch; then what they give is added, with what follows.
  Result<OpRef, Diagnostic> run_parts(Scheduler& scheduler, const Parts& parts) {
    const PlaceAmongLoops place(nest_);
    if (!scheduler.take("rfactor", terms_, NumericsClass::Reassociate, scheduler.counts().tiled,
                        [&] { return rfactor(terms_, parts.size, scheduler.facts()); }))
      return Failure{scheduler.refused()};
    bool first = true;
    for (const OpRef nest : place.loops()) {
      TensorCoreTiles tiles(nest);
      if (std::exchange(first, false) && tiles.find(scheduler)) {
        tiles.choose_sizes();
        (void)tiles.run(scheduler);
      } else {
        divide(scheduler, nest);
      }
    }
    return place.first();
  }

  [[nodiscard]] Dtype factors_dtype() const {
    const auto multiplied = multiplied_in(ForRef::from(loops_.terms.back()));
    MLGC_ASSERT(multiplied, "a product that is none");
    return multiplied->factors[0].load.result().dtype();
  }
  [[nodiscard]] bool is_16_bits() const { return factors_dtype() != Dtype::F32; }
  // 16-bit floats that are not gathered; and lines begin at whole pieces, as far as the text says.
  [[nodiscard]] bool may_be_few() const {
    const auto factors = matrix_factors(ForRef::from(rows_), ForRef::from(columns_), ForRef::from(terms_));
    return factors && is_16_bits() && !factors->left.is_gathered && !factors->right.is_gathered;
  }
  [[nodiscard]] bool is_copied_by_device() const {
    if (!may_be_few()) return false;
    const auto factors = matrix_factors(ForRef::from(rows_), ForRef::from(columns_), ForRef::from(terms_));
    const IndexPool& pool = nest_.module().context().index();
    const auto is_whole = [&](const MatrixOperand& of) {
      return pool.as_constant(of.stride).value_or(0) % kMatrixPiece == 0;
    };
    return is_whole(factors->left) && is_whole(factors->right);
  }
  static std::int64_t rows_of_few(std::int64_t rows) {
    return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(std::max(rows, kFewestMatrixRows))));
  }

  // The factors, if none is gathered but by windows of images.
  [[nodiscard]] std::optional<MatrixFactors> copied_factors() const {
    const ForRef rows = ForRef::from(rows_), columns = ForRef::from(columns_),
                 terms = ForRef::from(loops_.terms.back());
    const auto is_copied = [&](const MatrixOperand& factor, ForRef lines) {
      return !factor.is_gathered || factor_windows(factor, lines, terms, lines.last(), terms.last());
    };
    const auto factors = matrix_factors(rows, columns, terms);
    const bool copied = factors && is_copied(factors->left, rows) && is_copied(factors->right, columns);
    return copied ? std::optional(*factors) : std::nullopt;
  }
  // Factors that are gathered are not copied by the device, unless they are windows of images: tiles beyond those of
  // four warps are for what is.
  [[nodiscard]] MatrixLimits limits_of_tile() const {
    MatrixLimits limits = matrix_limits(factors_dtype());
    const bool many_terms = extent_of(loops_.terms).value_or(kManyTerms) >= kManyTerms;
    if (AlongLoop{ForRef::from(columns_)}.work >= kLongWork)
      limits.elements =
          std::min(limits.elements, many_terms ? kMostSumsWithWork : kMostGatheredLines * kMostGatheredLines);
    if (extent_of(loops_.columns).value_or(0) % kPerLane != 0)
      limits.elements = std::min(limits.elements, kMostSumsWithWork);
    if (extent_of(loops_.terms).value_or(kShortTerms + 1) <= kShortTerms && is_copied_by_device())
      limits.elements = std::min(limits.elements, kPartLines * kPartLines);
    if (copied_factors()) return limits;
    return {std::min(limits.rows, kMostGatheredLines), std::min(limits.columns, kMostGatheredLines),
            std::min(limits.elements, kMostGatheredLines * kMostGatheredLines)};
  }

  // Whether all rows are in a tile of kPartLines columns, although there are more than kFewestMatrixLines.
  [[nodiscard]] bool is_few(std::int64_t rows) const {
    const auto columns = extent_of(loops_.columns), batch = products();
    return rows <= kMostFewRows && columns && batch && is_copied_by_device() &&
           saturating_mul(*batch, ceil_div(*columns, kPartLines)) < kEnoughTiles;
  }
  // All rows in a tile, which takes its time to read the other factor.
  void choose_size_of_few(std::int64_t rows, std::int64_t multiprocessors) {
    tall_ = may_be_few() ? rows_of_few(rows) : kFewestMatrixLines;
    wide_ = kPartLines;
    const std::int64_t columns = extent_of(loops_.columns).value_or(kUsualLines);
    waves_ = ceil_div(saturating_mul(products().value_or(1), ceil_div(columns, wide_)), multiprocessors);
  }

  // Whether a tile has all rows, which are few.
  [[nodiscard]] bool holds_all_rows() const {
    const auto rows = extent_of(loops_.rows);
    return rows && (*rows <= kFewestMatrixLines || is_few(*rows));
  }

  // Tiles that the printer has code for, none much larger than the lines there are.
  [[nodiscard]] std::vector<TileShape> possible_tiles() const {
    const std::int64_t fewest_known = is_copied_by_device() ? kPartLines : kFewestMatrixLines;
    const auto fewest = [&](const std::vector<OpRef>& loops) {
      return extent_of(loops) ? fewest_known : kFewestUnknownLines;
    };
    const bool has_windows = is_16_bits() && !may_be_few() && copied_factors();
    const std::int64_t fewest_rows = has_windows ? kPartLines : fewest(loops_.rows);
    const auto most = [](const std::vector<OpRef>& loops, std::int64_t limit) {
      return extent_of(loops) ? limit : std::min(limit, kMostUnknownLines);
    };
    const MatrixLimits limits = limits_of_tile();
    std::vector<TileShape> out;
    std::ranges::copy_if(kTiles, std::back_inserter(out), [&](TileShape tile) {
      return tile.rows * tile.columns <= limits.elements && tile.columns <= most(loops_.columns, limits.columns) &&
             tile.columns >= fewest(loops_.columns) && tile.rows >= fewest_rows &&
             tile.rows <= most(loops_.rows, limits.rows) &&
             (tile.columns != kBetweenMatrixColumns || is_copied_by_device());
    });
    return out;
  }

  // The tile that was asked for, or with which the busiest multiprocessor is predicted to take least; a
  // multiprocessor's tiles take turns.
  void choose_sizes() {
    const std::int64_t multiprocessors = machine_of(nest_.module(), MachineKind::Gpu).gpu().multiprocessors;
    const auto lines = [](const std::vector<OpRef>& loops) { return extent_of(loops).value_or(kUsualLines); };
    if (holds_all_rows()) return choose_size_of_few(*extent_of(loops_.rows), multiprocessors);
    std::int64_t batch = 1, least = 0;
    for (const OpRef loop : chain_)
      if (!is_line(loop)) batch = saturating_mul(batch, extent(loop).value_or(kUsualLines));
    for (const auto& [tall, wide] : asked_ ? std::vector{*asked_} : possible_tiles()) {
      const std::int64_t tiles = saturating_mul(
          batch, saturating_mul(ceil_div(lines(loops_.rows), tall), ceil_div(lines(loops_.columns), wide)));
      const std::int64_t waves = ceil_div(tiles, multiprocessors);
      const std::int64_t cost = saturating_mul(waves, tall * wide + kLineCost * (tall + wide));
      if (least != 0 && cost >= least) continue;
      least = cost;
      tall_ = tall;
      wide_ = wide;
      waves_ = waves;
    }
  }

  Result<OpRef, Diagnostic> run(Scheduler& scheduler) {
    // Loops change places by what the ops say: the rows come to stand next to the columns.
    for (std::size_t at = std::find(chain_.begin(), chain_.end(), rows_) - chain_.begin(); at + 2 < chain_.size(); ++at)
      if (!scheduler.interchange_with_inner(chain_[at])) return Failure{scheduler.refused()};
    OpRef rows = chain_[chain_.size() - 2];
    if (ForRef::from(terms_).carried(0).dtype() == Dtype::F64 &&
        !scheduler.take("narrow", terms_, NumericsClass::Reassociate, scheduler.counts().narrowed,
                        [&] { return narrow(terms_); }))
      return Failure{scheduler.refused()};
    OpRef outer = nest_;
    const bool wide = extent(columns_).value_or(wide_ + 1) > wide_, tall = extent(rows).value_or(tall_ + 1) > tall_;
    if (wide && !scheduler.tile_by(columns_, wide_)) return Failure{scheduler.refused()};
    OpRef column_tiles = columns_.parent_op();  // rows, if there is one tile of columns
    if (tall) {
      const bool outermost = rows == nest_;
      if (!scheduler.tile_by(rows, tall_)) return Failure{scheduler.refused()};
      if (outermost) outer = rows.parent_op();
      ForRef::from(rows.parent_op()).set_kind(LoopKind::Parallel);
    }
    if (wide) {
      if (!scheduler.interchange_with_inner(rows)) return Failure{scheduler.refused()};
      std::swap(rows, column_tiles);
      ForRef::from(column_tiles).set_kind(LoopKind::Parallel);
    }
    ForRef::from(rows).set_kind(LoopKind::Serial);
    const auto lanes = std::bit_ceil(static_cast<std::uint64_t>(wide_ / kPerLane));
    if (!scheduler.vectorize_in(columns_, static_cast<std::int64_t>(lanes), NumericsClass::Exact, kPerLane))
      return Failure{scheduler.refused()};
    if (!scheduler.take("matrix", rows, NumericsClass::Reassociate, scheduler.counts().vectorized,
                        [&] { return use_matrix_unit(rows, kStages, scheduler.facts()); }))
      return Failure{scheduler.refused()};
    return outer;
  }

  static constexpr std::int64_t kPerLane = 8;  // columns of a thread after the sums: 16 bytes of 16-bit floats

  OpRef nest_;
  std::vector<OpRef> chain_;
  MatrixLoops loops_;
  bool were_several_ = false;     // loops over terms
  OpRef rows_, columns_, terms_;  // the innermost ones, and the outermost of the terms
  std::optional<TileShape> asked_;
  std::int64_t tall_ = 0, wide_ = 0, waves_ = 0;  // rows and columns of a tile, tiles of a multiprocessor
};

}  // namespace

const StrategyDef kTensorCoreTilesStrategy{
    .name = "tensor-core-tiles",
    .summary = "A block a tile of a product of f32, bf16 or f16, whose sums the matrix unit computes.",
    .stage = Stage::Nest,
    .numerics = NumericsClass::Reassociate,
    .matches = TensorCoreTiles::matches,
    .why = TensorCoreTiles::why,
    .apply = TensorCoreTiles::apply,
    .tiles = kTiles,
};

}  // namespace mlgc::schedule
