// Pieces of rows that do not begin at multiples of 16 bytes.

//- mlgc_either: one of two words, both of which are read
MLGC_DEVICE uint32_t mlgc_either(bool first, uint32_t a, uint32_t b) { return first ? a : b; }

//- mlgc_write_part_of_chunk: of 16 bytes, whose place is aligned to them, those from `first` up to `end`, one of which is an
// end of the chunk; of elements of kElement bytes
template <int kElement>
MLGC_DEVICE void mlgc_write_part_of_chunk(char* to, const uint32_t (&words)[4], int first, int end) {
  if (first >= end) return;
  if (end - first == 16) {
    // As one number: compilers take a structure apart, and do not always put it together again.
    __extension__ typedef unsigned __int128 Whole;
    const uint64_t a = words[0] | static_cast<uint64_t>(words[1]) << 32, b = words[2] | static_cast<uint64_t>(words[3]) << 32;
    *reinterpret_cast<Whole*>(to) = a | static_cast<Whole>(b) << 64;
    return;
  }
  const bool low = first == 0;
  const int bytes = end - first, eight = bytes & 8;
  if (eight != 0) {
    const uint64_t pair =
        mlgc_either(low, words[0], words[2]) | static_cast<uint64_t>(mlgc_either(low, words[1], words[3])) << 32;
    *reinterpret_cast<uint64_t*>(to + (low ? 0 : 8)) = pair;
  }
  if ((bytes & 4) != 0) {
    const uint32_t word = mlgc_either(eight != 0, mlgc_either(low, words[2], words[1]), mlgc_either(low, words[0], words[3]));
    *reinterpret_cast<uint32_t*>(to + (low ? eight : 12 - eight)) = word;
  }
  if constexpr (kElement < 4) {
    if ((bytes & 2) == 0) return;
    const int at = low ? end - 2 : first;
    uint32_t word = words[0];
#pragma unroll
    for (int i = 1; i < 4; ++i) word = mlgc_either(at / 4 == i, words[i], word);
    *reinterpret_cast<uint16_t*>(to + at) = static_cast<uint16_t>(low ? word : word >> 16);
  }
}

//- mlgc_write_row_piece: pieces of a row at a place of a buffer, wherever that is: kLanes neighbouring threads of a warp have
// neighbouring pieces. They are moved until accesses of 16 bytes are aligned; those at both ends are made in parts. All
// threads of the warp call it; `holds`: the thread has a piece, and so have those before it in the row.
template <int kLanes, class T, int kCount>
MLGC_DEVICE void mlgc_write_row_piece(T* buffer, int64_t place, const mlgc_piece<T, kCount>& piece, bool holds) {
  constexpr int kChunks = sizeof piece / 16;
  static_assert(sizeof(T) >= 2 && sizeof piece % 16 == 0, "chunks of elements");
  uint32_t own_words[kChunks * 4], words[kChunks * 4 + 8];  // the last four of the piece before, those of the piece
  memcpy(own_words, &piece, sizeof piece);
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  bool follows = false;
  if constexpr (kLanes > 1) {
    const int before = lane == 0 ? 0 : lane - 1;
    const int held = __shfl_sync(0xffffffffu, holds ? 1 : 0, before, kLanes);  // by all threads of the warp
    follows = lane > 0 && held != 0;
#pragma unroll
    for (int i = 0; i < 4; ++i) words[i] = __shfl_sync(0xffffffffu, own_words[kChunks * 4 - 4 + i], before, kLanes);
  } else {
#pragma unroll
    for (int i = 0; i < 4; ++i) words[i] = 0;
  }
#pragma unroll
  for (int i = 0; i < kChunks * 4 + 4; ++i) words[4 + i] = i < kChunks * 4 ? own_words[i] : 0;
  char* const first = reinterpret_cast<char*>(buffer + place);
  const int moved = static_cast<int>(reinterpret_cast<uintptr_t>(first) % 16), rest = 16 - moved;
  // Down by `rest` bytes, which are 16 where the place is aligned.
#pragma unroll
  for (int i = 0; i < kChunks * 4 + 4; ++i) words[i] = mlgc_either(moved == 0, words[i + 4], words[i]);
#pragma unroll
  for (int i = 0; i < kChunks * 4 + 6; ++i) words[i] = mlgc_either((rest & 8) != 0, words[i + 2], words[i]);
#pragma unroll
  for (int i = 0; i < kChunks * 4 + 5; ++i) words[i] = mlgc_either((rest & 4) != 0, words[i + 1], words[i]);
  if constexpr (sizeof(T) < 4) {
#pragma unroll
    for (int i = 0; i < kChunks * 4 + 4; ++i)
      words[i] = mlgc_either((rest & 2) != 0, words[i] >> 16 | words[i + 1] << 16, words[i]);
  }
  char* const to = first - moved;
#pragma unroll
  for (int chunk = 0; chunk <= kChunks; ++chunk) {
    const uint32_t own[4] = {words[chunk * 4], words[chunk * 4 + 1], words[chunk * 4 + 2], words[chunk * 4 + 3]};
    const bool has_own = holds && (chunk < kChunks || lane == kLanes - 1);
    const int begin = chunk > 0 || follows ? 0 : moved, end = !has_own || chunk == kChunks ? moved : 16;
    if (has_own || (follows && chunk == 0)) mlgc_write_part_of_chunk<sizeof(T)>(to + chunk * 16, own, begin, end);
  }
}
