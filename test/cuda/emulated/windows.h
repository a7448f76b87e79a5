// Copies of windows of images that the device makes by maps (TMA in its im2col mode) on the host: what
// lib/codegen/cuda/prelude/wgmma_windows.cuh has as an instruction. They arrive like those of boxes (tensor.h).
#pragma once

namespace emulated {

// What the driver makes of a factor: corners of the places at which lines begin, along axes from the innermost one.
struct WindowMap {
  static constexpr uint32_t kMark = 0x77696e64;
  uint32_t mark;
  uint32_t rank, lines, channels;
  const char* address;
  uint64_t sizes[5], distances[4];
  int16_t lower[3], end[3];
  uint16_t steps[3];
};
static_assert(sizeof(WindowMap) <= 128, "what a map has");

inline int encode_windows(void* map, int type, uint32_t rank, void* address, const uint64_t* sizes,
                          const uint64_t* distances, const int* lower, const int* upper, uint32_t channels,
                          uint32_t lines, const uint32_t* steps, int interleave, int permuted, int, int fill) {
  WindowMap made = {WindowMap::kMark, rank, lines, channels, static_cast<const char*>(address),
                    {1, 1, 1, 1, 1},  {},   {},    {},       {1, 1, 1}};
  if (reinterpret_cast<uintptr_t>(map) % 64 != 0 || reinterpret_cast<uintptr_t>(address) % 16 != 0) return 1;
  if (type != 1 || rank < 3 || rank > 5 || interleave != 0 || fill != 0) return 1;
  if (!is_permuted_line(channels, permuted) || lines == 0 || lines > 1024 || steps[0] != 1 || steps[rank - 1] != 1)
    return 1;
  const int most = rank == 3 ? 32768 : rank == 4 ? 128 : 16;
  for (uint32_t axis = 0; axis < rank; ++axis) {
    if (sizes[axis] == 0 || sizes[axis] > uint64_t{1} << 32) return 1;
    made.sizes[axis] = sizes[axis];
    if (axis == 0) continue;
    if (distances[axis - 1] % 16 != 0 || distances[axis - 1] >= uint64_t{1} << 40) return 1;
    made.distances[axis - 1] = distances[axis - 1];
    if (axis == rank - 1) continue;
    const int first = lower[axis - 1], last = upper[axis - 1];
    if (first < -most || first >= most || last < -most || last >= most || steps[axis] == 0 || steps[axis] > 8) return 1;
    made.lower[axis - 1] = static_cast<int16_t>(first);
    made.end[axis - 1] = static_cast<int16_t>(last);
    made.steps[axis - 1] = static_cast<uint16_t>(steps[axis]);
  }
  memcpy(map, &made, sizeof made);
  return 0;
}

}  // namespace emulated

template <int kAxes, class Map, class Term>
void mlgc_copy_windows(char* to, const Map& given, uint64_t* place, int lines, const int64_t (&first)[kAxes + 1],
                       const Term& term) {
  emulated::WindowMap map;
  memcpy(&map, &given, sizeof map);
  const size_t line_bytes = size_t{map.channels} * 2, bytes = map.lines * line_bytes;
  if (map.mark != emulated::WindowMap::kMark || map.rank != kAxes + 2 || map.lines != static_cast<uint32_t>(lines))
    return emulated::note_fault("copies windows by a map of something else");
  if ((to - emulated_chip()) % 1024 != 0 || !emulated::is_on_chip(to, bytes))
    return emulated::note_fault("copies windows to a place that is not 1024 aligned bytes on the chip");
  for (int axis = 0; axis < kAxes; ++axis)
    if (term.offsets[axis] < 0 || term.offsets[axis] > (kAxes == 1 ? 65535 : kAxes == 2 ? 255 : 31))
      return emulated::note_fault("copies windows at an offset that has no room");
  emulated::fill_with_noise(to, bytes);
  std::array<int64_t, kAxes + 1> from;
  std::copy(first, first + kAxes + 1, from.begin());
  emulated::block().arriving.push_back([=] {
    std::array<int64_t, kAxes + 1> at = from;
    for (size_t line = 0; line < map.lines; ++line) {
      for (size_t element = 0; element < map.channels; ++element) {
        const int64_t channel = term.channel + static_cast<int64_t>(element);
        bool inside = channel >= 0 && channel < static_cast<int64_t>(map.sizes[0]);
        int64_t offset = channel * 2;
        for (int axis = 0; axis <= kAxes; ++axis) {
          const int64_t index = at[axis] + (axis < kAxes ? term.offsets[axis] : 0);
          inside = inside && index >= 0 && index < static_cast<int64_t>(map.sizes[axis + 1]);
          offset += index * static_cast<int64_t>(map.distances[axis]);
        }
        uint16_t value = 0;
        if (inside) memcpy(&value, map.address + offset, sizeof value);
        memcpy(emulated::permuted(to, line * line_bytes + element * 2, line_bytes), &value, sizeof value);
      }
      // The next line: where an axis ends it begins again, and the one around goes on.
      int axis = 0;
      for (; axis < kAxes; ++axis) {
        at[axis] += map.steps[axis];
        if (at[axis] <= static_cast<int64_t>(map.sizes[axis + 1]) - 1 + map.end[axis]) break;
        at[axis] = map.lower[axis];
      }
      if (axis == kAxes) ++at[kAxes];
    }
    emulated::Phases& phases = emulated::phases_at(place);
    phases.bytes -= static_cast<int32_t>(bytes);
    phases.end_if_complete();
  });
}
