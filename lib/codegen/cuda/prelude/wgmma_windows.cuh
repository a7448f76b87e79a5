// Factors of tiles by wgmma that are windows of images, which the device copies by itself (TMA in its im2col mode): lines are
// places of a window, one after the other through rows, planes and images, terms are places in it with their channels.

//- mlgc_window_term: what a term says: a channel, and offsets from where a window begins, along the innermost axis first
template <int kAxes>
struct mlgc_window_term {
  int32_t channel, offsets[kAxes];
};

//- mlgc_no_channel: a channel that no image has
enum : int32_t { mlgc_no_channel = 1 << 30 };

//- mlgc_copy_windows: has the device copy channels of so many lines as the map says, from this one on: `at` are places along
// the axes, the innermost one first, then the image
#ifdef __CUDACC__
template <int kAxes>
MLGC_DEVICE void mlgc_copy_windows(char* to, const mlgc_tensor_map& map, uint64_t* barriers, int,
                                   const int64_t (&at)[kAxes + 1], const mlgc_window_term<kAxes>& term) {
  const uint32_t target = mlgc_shared_address(to), place = mlgc_shared_address(barriers);
  const auto number = [&](int axis) { return static_cast<int32_t>(at[axis < kAxes ? axis : kAxes]); };
  const auto offset = [&](int axis) { return static_cast<uint16_t>(term.offsets[axis < kAxes ? axis : 0]); };
  if constexpr (kAxes == 1)
    asm volatile(
        "cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4}], "
        "[%5], {%6};" ::"r"(target),
        "l"(&map), "r"(term.channel), "r"(number(0)), "r"(number(1)), "r"(place), "h"(offset(0))
        : "memory");
  else if constexpr (kAxes == 2)
    asm volatile(
        "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4, "
        "%5}], [%6], {%7, %8};" ::"r"(target),
        "l"(&map), "r"(term.channel), "r"(number(0)), "r"(number(1)), "r"(number(2)), "r"(place), "h"(offset(0)),
        "h"(offset(1))
        : "memory");
  else
    asm volatile(
        "cp.async.bulk.tensor.5d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4, "
        "%5, %6}], [%7], {%8, %9, %10};" ::"r"(target),
        "l"(&map), "r"(term.channel), "r"(number(0)), "r"(number(1)), "r"(number(2)), "r"(number(3)), "r"(place),
        "h"(offset(0)), "h"(offset(1)), "h"(offset(2))
        : "memory");
}
#endif

//- mlgc_bring_parts: what mlgc_tensor_tile::bring does, of factors that are boxes or windows. `copy_box` copies a box of
// kBox terms to where it is in a part: terms of one place of a window, from this channel on, or zeros where it is none
template <class Tile, bool kByTerms, int kLines, int kDims>
struct mlgc_boxes {
  const mlgc_tensor_map& map;
  const int64_t at[kDims];
  MLGC_DEVICE void copy(const mlgc_boxes& own, char* to, uint64_t* barriers, int64_t term) {
    Tile::template copy<kByTerms, kLines>(to, own.map, barriers, own.at, term);
  }
  // The map has places between its lines and what is further.
  template <int kBox>
  MLGC_DEVICE void copy_box(const mlgc_boxes& own, char* to, uint64_t* barriers, int box, int64_t place, int64_t channel,
                            int64_t) {
    const int64_t further = kDims > 1 ? own.at[kDims > 1 ? 1 : 0] : 0;
    if constexpr (kByTerms) {
      mlgc_copy_box<kDims + 2>(to + box * kLines * kBox * 2, own.map, barriers, channel, own.at[0], place, further);
    } else {
#pragma unroll
      for (int line = 0; line < kLines; line += 64)
        mlgc_copy_box<kDims + 2>(to + line * 128 + box * kBox * 128, own.map, barriers, own.at[0] + line, channel, place,
                                 further);
    }
  }
};
template <int kAxes, class Term>
struct mlgc_windows_of {
  const mlgc_tensor_map& map;
  int64_t at[kAxes + 1];
  int lines;
  Term term;
  MLGC_DEVICE void copy(const mlgc_windows_of& own, char* to, uint64_t* barriers, int64_t term) {
    mlgc_copy_windows<kAxes>(to, own.map, barriers, own.lines, own.at, own.term(term));
  }
  template <int kBox>
  MLGC_DEVICE void copy_box(const mlgc_windows_of& own, char* to, uint64_t* barriers, int box, int64_t, int64_t channel,
                            int64_t term) {
    mlgc_window_term<kAxes> at = own.term(term);
    if (channel == mlgc_no_channel) at.channel = mlgc_no_channel;
    mlgc_copy_windows<kAxes>(to + box * own.lines * kBox * 2, own.map, barriers, own.lines, own.at, at);
  }
};
template <int kAxes, class Term>
MLGC_DEVICE mlgc_windows_of<kAxes, Term> mlgc_windows(const mlgc_tensor_map& map, const int64_t (&at)[kAxes + 1],
                                                      int lines, Term term) {
  mlgc_windows_of<kAxes, Term> out = {map, {}, lines, term};
#pragma unroll
  for (int axis = 0; axis <= kAxes; ++axis) out.at[axis] = at[axis];
  return out;
}
template <class Tile, class Left, class Right>
MLGC_DEVICE void mlgc_bring_parts(mlgc_tensor_ring& ring, const Left& left, const Right& right, int64_t first,
                                  int64_t end) {
  if (threadIdx.x != Tile::kUsers) return;
  for (int64_t term = first; term < end; term += Tile::kTerms) {
    uint64_t* const full = ring.barriers + ring.stage;
    mlgc_wait_for_parity(full + ring.stages, ring.parity ^ 1);
    mlgc_arrive_expect(full, Tile::kStageBytes);
    char* const to = ring.memory + ring.stage * Tile::kStageBytes;
    Left::copy(left, to, full, term);
    Right::copy(right, to + Tile::kLeftBytes, full, term);
    Tile::advance(ring);
  }
}

//- mlgc_bring_places: likewise where kTerms terms are of a place of the window, in boxes of kBox terms: channels after the last
// one are zeros in both factors. A part has boxes of several places, the last part zeros after the last place.
template <class Tile, int kTerms, int kBox, class Left, class Right>
MLGC_DEVICE void mlgc_bring_places(mlgc_tensor_ring& ring, const Left& left, const Right& right, int64_t first,
                                   int64_t end) {
  if (threadIdx.x != Tile::kUsers) return;
  int64_t term = first, place = first / kTerms;
  int32_t channel = 0;
  while (term < end) {
    uint64_t* const full = ring.barriers + ring.stage;
    mlgc_wait_for_parity(full + ring.stages, ring.parity ^ 1);
    mlgc_arrive_expect(full, Tile::kStageBytes);
    char* const to = ring.memory + ring.stage * Tile::kStageBytes;
#pragma unroll
    for (int box = 0; box < Tile::kTerms / kBox; ++box) {
      const bool is_there = term < end;
      const int64_t own = is_there ? term + channel : first, from = is_there ? channel : mlgc_no_channel;
      Left::template copy_box<kBox>(left, to, full, box, place, from, own);
      Right::template copy_box<kBox>(right, to + Tile::kLeftBytes, full, box, place, from, own);
      channel += kBox;
      if (channel >= kTerms) {
        channel = 0;
        term += kTerms;
        ++place;
      }
    }
    Tile::advance(ring);
  }
}

//- mlgc_map_windows: the map of a factor that is windows of so many lines of images with their channels last, from the
// outermost axis on. False: the driver takes no such windows, or copies need places of 16 aligned bytes.
struct mlgc_window_axis {
  int64_t size, count, first, step, reach;
};
typedef int (*mlgc_encode_windows)(void*, int, uint32_t, void*, const uint64_t*, const uint64_t*, const int*, const int*,
                                   uint32_t, uint32_t, const uint32_t*, int, int, int, int);
template <int kAxes, int kBox = 64>
MLGC_HOST bool mlgc_map_windows(mlgc_tensor_map* map, const uint16_t* first, int lines, int64_t images, int64_t channels,
                                const mlgc_window_axis (&axes)[kAxes]) {
  constexpr int kSixteenBits = 1, kPermuted = kBox == 64 ? 3 : kBox == 32 ? 2 : 1, kWholeLines = 3, kMostStep = 8;
  // Corners are numbers of 16, 8 or 5 bits, offsets are without a sign.
  constexpr int64_t kMost = kAxes == 1 ? 65535 : kAxes == 2 ? 255 : 31;
  uint64_t sizes[kAxes + 2] = {static_cast<uint64_t>(channels)}, distances[kAxes + 1];
  uint32_t steps[kAxes + 2] = {1};
  int lower[kAxes], upper[kAxes];
  if (reinterpret_cast<uintptr_t>(first) % 16 != 0 || channels <= 0 || channels % 8 != 0 || images <= 0) return false;
  int64_t apart = channels * 2;
  for (int i = 0; i < kAxes; ++i) {
    const mlgc_window_axis& axis = axes[kAxes - 1 - i];
    const int64_t end = axis.first + (axis.count - 1) * axis.step - (axis.size - 1), half = kMost / 2 + 1;
    if (axis.size <= 0 || axis.size > 0x7fffffff || axis.count <= 0 || axis.step > kMostStep || axis.reach > kMost ||
        axis.first < -half || axis.first >= half || end < -half || end >= half || apart >= int64_t{1} << 40)
      return false;
    sizes[i + 1] = static_cast<uint64_t>(axis.size);
    distances[i] = static_cast<uint64_t>(apart);
    steps[i + 1] = static_cast<uint32_t>(axis.step);
    lower[i] = static_cast<int>(axis.first);
    upper[i] = static_cast<int>(end);
    apart *= axis.size;
  }
  if (images > 0x7fffffff || apart >= int64_t{1} << 40) return false;
  sizes[kAxes + 1] = static_cast<uint64_t>(images);
  distances[kAxes] = static_cast<uint64_t>(apart);
  steps[kAxes + 1] = 1;
  const auto encode = reinterpret_cast<mlgc_encode_windows>(mlgc_find_driver_function<1>("cuTensorMapEncodeIm2col"));
  return encode != nullptr && encode(map, kSixteenBits, kAxes + 2, const_cast<uint16_t*>(first), sizes, distances, lower,
                                     upper, kBox, static_cast<uint32_t>(lines), steps, 0, kPermuted, kWholeLines, 0) == 0;
}
