// Attention by the matrix unit (compute capability 8.0 and later): a block takes a tile of queries through tiles of keys and
// values. Scores, their exponentials and the sums stay in registers.

//- mlgc_pair_of_halves: two numbers rounded to 16 bits, the first one in the low half
#ifdef __CUDACC__
MLGC_DEVICE uint32_t mlgc_pair_of_halves(float low, float high, mlgc_matrix_bf16) {
  uint32_t pair;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
  return pair;
}
MLGC_DEVICE uint32_t mlgc_pair_of_halves(float low, float high, mlgc_matrix_f16) {
  uint32_t pair;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
  return pair;
}
#endif

//- mlgc_attention_tile: kTall * 64 queries of up to kTerms elements, by a block of four warps, of which each has a quarter;
// keys in tiles of 64; up to kWide columns of values
// Elements of a query, key or value are contiguous, the next one is `stride` elements further. What a tile has too many
// counts as zeros, and keys that are not there have the score -inf. `score` is a function of the numbers of a query and a
// key, from `first` and 0 on, and of their product; it is -inf where the key's number is more than `seen` larger.
template <class T, int kTall, int kTerms, int kWide>
struct mlgc_attention_tile {
  static constexpr int kThreads = 128, kRows = kTall * 64, kKeys = 64, kPitch = kWide + 8;
  static constexpr int kQueryBytes = kRows * kTerms * 2, kKeyBytes = kKeys * kTerms * 2;
  static constexpr float kLog2OfE = 1.4426950408889634f;

  // Sums of 16 queries of a warp: this thread has elements 2*(lane%4) and 2*(lane%4) + 1 of each eight columns, of rows
  // lane/4 and lane/4 + 8.
  struct State {
    float sums[kTall][kWide / 8][4], largest[kTall][2], total[kTall][2];
  };

  // As in mlgc_matrix_tile: eight threads that touch a piece of eight rows use all banks.
  template <int kPieces>
  MLGC_DEVICE int place(int row, int piece) {
    const int moved = kPieces >= 8 ? (piece & ~7) | ((piece ^ row) & 7) : piece ^ ((row >> 1) & 3);
    return (row * kPieces + moved) * 16;
  }

  // Rows of `width` elements to kLines rows of kWidth.
  template <int kLines, int kWidth>
  MLGC_DEVICE void copy(char* to, const uint16_t* from, int64_t stride, int64_t lines, int width, bool is_aligned) {
    constexpr int kPieces = kWidth / 8, kStep = kThreads / kPieces;  // a thread copies one piece of every kStep-th row
    static_assert(kThreads % kPieces == 0 && kStep % 8 == 0 && kLines % kStep == 0, "rows whose pieces are permuted alike");
    const int rows = static_cast<int>(lines < kLines ? lines : kLines);
    const int first = static_cast<int>(threadIdx.x) / kPieces, piece = static_cast<int>(threadIdx.x) % kPieces;
    const int left = width - piece * 8, most = left < 0 ? 0 : left < 8 ? left : 8;
    const uint16_t* const source = from + first * stride + piece * 8;
    char* const target = to + place<kPieces>(first, piece);
    constexpr int kDistance = kStep * kPieces * 16;
    if (is_aligned) {
#pragma unroll
      for (int i = 0; i < kLines / kStep; ++i) {
        const int count = first + i * kStep < rows ? most : 0;
        mlgc_copy_ahead<16>(target + i * kDistance, count > 0 ? source + i * kStep * stride : from, count * 2);
      }
    } else {  // a row at a time: more elements on their way would take registers that the sums need
#pragma unroll 1
      for (int i = 0; i < kLines / kStep; ++i) {
        const int count = first + i * kStep < rows ? most : 0;
        mlgc_piece<uint16_t, 8> values;
#pragma unroll
        for (int e = 0; e < 8; ++e) values.values[e] = e < count ? source[i * kStep * stride + e] : uint16_t{0};
        *reinterpret_cast<mlgc_piece<uint16_t, 8>*>(target + i * kDistance) = values;
      }
    }
  }
  MLGC_DEVICE bool aligned(const uint16_t* from, int64_t stride) {
    return (reinterpret_cast<uintptr_t>(from) | static_cast<uintptr_t>(stride * 2)) % 16 == 0;
  }

  // The products of the warp's queries and 64 keys.
  MLGC_DEVICE void multiply_keys(float (&products)[kTall][kKeys / 8][4], const uint32_t (&queries)[kTall][kTerms / 16][4],
                                 const char* keys) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
    for (int i = 0; i < kTall; ++i)
#pragma unroll
      for (int j = 0; j < kKeys / 8; ++j)
#pragma unroll
        for (int e = 0; e < 4; ++e) products[i][j][e] = 0;
#pragma unroll
    for (int step = 0; step < kTerms / 16; ++step)
#pragma unroll
      for (int j = 0; j < kKeys / 16; ++j) {
        uint32_t of_keys[4];
        mlgc_read_matrices<false>(of_keys, keys + place<kTerms / 8>(j * 16 + lane % 8 + lane / 16 * 8,
                                                                    step * 2 + lane / 8 % 2));
#pragma unroll
        for (int i = 0; i < kTall; ++i)
#pragma unroll
          for (int half = 0; half < 2; ++half)
            mlgc_multiply_matrices(products[i][j * 2 + half], queries[i][step], of_keys + half * 2, T());
      }
  }

  // Scores of products, then their exponentials relative to the largest score so far, in place; sums that came before
  // are scaled where that has grown. `seen`: keys of the tile that the first query sees.
  template <class Score>
  MLGC_DEVICE void softmax_of_tile(State& state, float (&products)[kTall][kKeys / 8][4], int64_t first, int64_t first_key, int rows,
                         int keys, int seen, const Score& score) {
    const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
#pragma unroll
    for (int i = 0; i < kTall; ++i)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int row = (warp * kTall + i) * 16 + lane / 4 + half * 8;
        const int end = row >= rows ? 0 : row + seen < keys ? row + seen : keys;
        float largest = state.largest[i][half];
#pragma unroll
        for (int j = 0; j < kKeys / 8; ++j)
#pragma unroll
          for (int e = 0; e < 2; ++e) {
            const int key = j * 8 + lane % 4 * 2 + e;
            float& product = products[i][j][half * 2 + e];
            product = key < end ? score(first + row, first_key + key, product) : -mlgc_infinity_f32();
            largest = fmaxf(largest, product);
          }
        largest = fmaxf(largest, __shfl_sync(0xffffffffu, largest, lane ^ 1, 32));
        largest = fmaxf(largest, __shfl_sync(0xffffffffu, largest, lane ^ 2, 32));
        const float shift = largest == -mlgc_infinity_f32() ? 0.0f : largest;
        const float change = mlgc_exp2((state.largest[i][half] - shift) * kLog2OfE);
        state.largest[i][half] = largest;
        float total = 0;
#pragma unroll
        for (int j = 0; j < kKeys / 8; ++j)
#pragma unroll
          for (int e = 0; e < 2; ++e) {
            float& product = products[i][j][half * 2 + e];
            product = mlgc_exp2((product - shift) * kLog2OfE);  // exact where scores are large, as of masks
            total += product;
          }
        state.total[i][half] = fmaf(state.total[i][half], change, total);
#pragma unroll
        for (int j = 0; j < kWide / 8; ++j)
#pragma unroll
          for (int e = 0; e < 2; ++e) state.sums[i][j][half * 2 + e] *= change;
      }
  }

  // Adds exponentials times values. A thread has of a product what it gives the unit for the next one.
  MLGC_DEVICE void multiply_values(State& state, const float (&weights)[kTall][kKeys / 8][4], const char* values) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
    for (int step = 0; step < kKeys / 16; ++step) {
      uint32_t of_rows[kTall][4];
#pragma unroll
      for (int i = 0; i < kTall; ++i)
#pragma unroll
        for (int part = 0; part < 4; ++part) {
          const float* const pair = weights[i][step * 2 + part / 2] + part % 2 * 2;
          of_rows[i][part] = mlgc_pair_of_halves(pair[0], pair[1], T());
        }
#pragma unroll
      for (int j = 0; j < kWide / 16; ++j) {
        uint32_t of_columns[4];
        mlgc_read_matrices<true>(of_columns, values + place<kWide / 8>(step * 16 + lane % 16, j * 2 + lane / 16));
#pragma unroll
        for (int i = 0; i < kTall; ++i)
#pragma unroll
          for (int half = 0; half < 2; ++half)
            mlgc_multiply_matrices(state.sums[i][j * 2 + half], of_rows[i], of_columns + half * 2, T());
      }
    }
  }

  // In `memory`: the sums, rows kPitch apart, and after them the total of each row. Keys are copied while values are
  // multiplied, and values while keys are.
  template <class Score>
  MLGC_DEVICE const float* sums(char* memory, const uint16_t* queries, int64_t query_stride, int64_t rows, int64_t first,
                                const uint16_t* keys, int64_t key_stride, const uint16_t* values, int64_t value_stride,
                                int64_t key_count, int64_t tiles, int64_t seen, int terms, int columns, const Score& score) {
    char* const of_keys = memory + kQueryBytes;
    char* const of_values = of_keys + kKeyBytes;
    const bool keys_aligned = aligned(keys, key_stride), values_aligned = aligned(values, value_stride);
    const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
    State state;
#pragma unroll
    for (int i = 0; i < kTall; ++i) {
#pragma unroll
      for (int j = 0; j < kWide / 8; ++j)
#pragma unroll
        for (int e = 0; e < 4; ++e) state.sums[i][j][e] = 0;
#pragma unroll
      for (int half = 0; half < 2; ++half) state.largest[i][half] = -mlgc_infinity_f32(), state.total[i][half] = 0;
    }
    __syncthreads();  // no thread still reads what the memory held before
    copy<kRows, kTerms>(memory, queries, query_stride, rows, terms, aligned(queries, query_stride));
    if (tiles > 0) copy<kKeys, kTerms>(of_keys, keys, key_stride, key_count, terms, keys_aligned);
    mlgc_end_group();
    mlgc_wait_for_groups<0>();
    __syncthreads();
    uint32_t own_queries[kTall][kTerms / 16][4];
#pragma unroll
    for (int i = 0; i < kTall; ++i)
#pragma unroll
      for (int step = 0; step < kTerms / 16; ++step)
        mlgc_read_matrices<false>(own_queries[i][step],
                                  memory + place<kTerms / 8>((warp * kTall + i) * 16 + lane % 16, step * 2 + lane / 16));
#pragma unroll 1  // several tiles at once would take registers that the sums need, where their number is known
    for (int64_t tile = 0; tile < tiles; ++tile) {
      const int64_t first_key = tile * kKeys;
      mlgc_wait_for_groups<0>();
      __syncthreads();  // the keys are there for all, and all have multiplied the values before
      copy<kKeys, kWide>(of_values, values + first_key * value_stride, value_stride, key_count - first_key, columns,
                         values_aligned);
      mlgc_end_group();
      float products[kTall][kKeys / 8][4];
      multiply_keys(products, own_queries, of_keys);
      const int64_t seen_keys = first + seen + 1 - first_key, some_keys = seen_keys < kKeys ? seen_keys : kKeys;
      softmax_of_tile(state, products, first, first_key, static_cast<int>(rows < kRows ? rows : kRows),
            static_cast<int>(key_count - first_key < kKeys ? key_count - first_key : kKeys),
            static_cast<int>(some_keys > -kRows ? some_keys : -kRows), score);
      mlgc_wait_for_groups<0>();
      __syncthreads();  // likewise the values, and the keys
      if (tile + 1 < tiles)
        copy<kKeys, kTerms>(of_keys, keys + (first_key + kKeys) * key_stride, key_stride, key_count - first_key - kKeys,
                            terms, keys_aligned);
      mlgc_end_group();
      multiply_values(state, products, of_values);
    }
    __syncthreads();  // all have multiplied the last values; no copy is under way
    float* const out = reinterpret_cast<float*>(memory);
#pragma unroll
    for (int i = 0; i < kTall; ++i)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int row = (warp * kTall + i) * 16 + lane / 4 + half * 8;
        float total = state.total[i][half];
        total += __shfl_sync(0xffffffffu, total, lane ^ 1, 32);
        total += __shfl_sync(0xffffffffu, total, lane ^ 2, 32);
        if (lane % 4 == 0) out[kRows * kPitch + row] = total;
#pragma unroll
        for (int j = 0; j < kWide / 8; ++j)
#pragma unroll
          for (int e = 0; e < 2; ++e)
            out[row * kPitch + j * 8 + lane % 4 * 2 + e] = state.sums[i][j][half * 2 + e];
      }
    __syncthreads();
    return out;
  }
};
