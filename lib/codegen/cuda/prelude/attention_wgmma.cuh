// Attention by the matrix unit of compute capability 9.0, as wgmma.cuh has products: one warp has the device copy queries, keys and
// values to shared memory (TMA), groups of four warps take 64 queries each through the keys (wgmma).

//- mlgc_add_products_of_registers: as mlgc_add_products, of a left factor that the threads hold: thread t of warp w has the terms
// 2*(t%4) + {0, 1} + {0, 8} of rows 16*w + t/4 + {0, 8}, pairs in the order of sums of 16 columns. The right factor lies by lines.
#ifdef __CUDACC__
#define MLGC_WGMMA_OF_REGISTERS(type, columns, count, a, b, c, d, right, on)                                      \
  asm volatile("{\n.reg .pred on;\nsetp.ne.b32 on, %" on ", 0;\n"                                                 \
               "wgmma.mma_async.sync.aligned.m64n" columns "k16.f32." type "." type " {" MLGC_NUMBERS_##count     \
               "}, {%" a ", %" b ", %" c ", %" d "}, %" right ", on, 1, 1, 1;\n}"                                 \
               : MLGC_SUMS_##count                                                                                \
               : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "l"(b_factor), "r"(goes_on))
template <class T, int kColumns>
MLGC_DEVICE void mlgc_add_products_of_registers(float (&sums)[kColumns / 2], const uint32_t (&left)[4],
                                                const char* right, int goes_on) {
  const uint64_t b_factor = mlgc_describe_factor(right);
  constexpr bool kBf16 = T::kExponentBits == 8;
  if constexpr (kColumns == 64 && kBf16) MLGC_WGMMA_OF_REGISTERS("bf16", "64", 32, "32", "33", "34", "35", "36", "37");
  if constexpr (kColumns == 64 && !kBf16) MLGC_WGMMA_OF_REGISTERS("f16", "64", 32, "32", "33", "34", "35", "36", "37");
  if constexpr (kColumns == 128 && kBf16) MLGC_WGMMA_OF_REGISTERS("bf16", "128", 64, "64", "65", "66", "67", "68", "69");
  if constexpr (kColumns == 128 && !kBf16) MLGC_WGMMA_OF_REGISTERS("f16", "128", 64, "64", "65", "66", "67", "68", "69");
}
#endif

//- mlgc_move_registers: gives the registers of the four warps back but for so many a thread, or waits for so many
#ifdef __CUDACC__
template <int kLeft>
MLGC_DEVICE void mlgc_give_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(kLeft));
}
template <int kAll>
MLGC_DEVICE void mlgc_take_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(kAll));
}
#endif

//- mlgc_scaled_products: scores that are products times a positive number, which are scaled in the exponent: 2 to the power of
// product * scale * log2(e) - shift, rounded once, where the shift is the largest of them so far, likewise scaled and rounded
struct mlgc_scaled_products {
  float scale;
};

//- mlgc_tensor_attention: kGroups * 64 queries of up to kTerms elements, by a block of four warps, one of which brings tiles of 128 keys and
// values of up to kWide elements, and as many groups of four warps, of which each takes 64 queries; thread 0 is of the first
// group. kStages tiles are in shared memory at a time, also those of the block's next queries. Keys and values have barriers of their
// own. A group takes its sums through shared memory in turns: 64 rows by kPartColumns columns.
// What is not there counts as zeros, and keys that are not there have the score -inf. `score` is a function of the
// numbers of a query and a key, from `first` and 0 on, and of their product, or mlgc_scaled_products; it is -inf where the
// key's number is more than `seen` larger.
struct mlgc_attention_ring {
  char* memory;
  uint64_t* barriers;  // that the queries are there, that none are; of each stage likewise: keys, then values
  int stage;
  uint32_t parity, queries_parity;
};
template <class T, int kGroups, int kTerms, int kWide>
struct mlgc_tensor_attention {
  static constexpr int kKeys = 128, kStages = 2, kRows = kGroups * 64, kBoxBytes = 8192;  // a box of 64 by 64 elements
  static constexpr int kGroupThreads = 128, kUsers = kGroups * kGroupThreads;
  static constexpr int kTermBoxes = (kTerms + 63) / 64, kColumnBoxes = kWide / 64;
  static constexpr int kQueryBytes = kTermBoxes * kGroups * kBoxBytes, kKeyBytes = kTermBoxes * 2 * kBoxBytes;
  static constexpr int kValueBytes = kColumnBoxes * 2 * kBoxBytes, kStageBytes = kKeyBytes + kValueBytes;
  static constexpr int kPartRows = mlgc_part_of_sums::kRows, kPartColumns = mlgc_part_of_sums::kColumns;
  static constexpr int kParts = kWide / kPartColumns;
  static constexpr int kPartBytes = kPartRows * kPartColumns * 4 + kPartRows * 4;  // and the total of each row
  static constexpr int kBytes = kQueryBytes + kStages * kStageBytes + kGroups * kPartBytes + (2 + 4 * kStages) * 8;
  // Registers of a thread that brings, and of one of two groups that multiply.
  static constexpr int kOwnBringing = 40, kOwnUsing = 232;
  static_assert(kGroups * 128 * kOwnUsing + 128 * kOwnBringing <= 65536, "registers of a multiprocessor");
  static constexpr int kOwnSums = kWide / 2;
  static constexpr float kLog2OfE = 1.4426950408889634f;

  // Of the 64 queries of a group: a thread has rows lane/4 and lane/4 + 8 of its warp's 16.
  struct State {
    float largest[2], total[2], change[2];  // change: what sums so far are scaled by
  };

  MLGC_DEVICE mlgc_attention_ring begin(char* memory) {
    uint64_t* const barriers = reinterpret_cast<uint64_t*>(memory + kBytes - (2 + 4 * kStages) * 8);
    if (threadIdx.x == 0) {
#pragma unroll
      for (int i = 0; i < 1 + 2 * kStages; ++i) {
        mlgc_init_barriers(barriers + 2 * i, 1);
        mlgc_init_barriers(barriers + 2 * i + 1, kGroups);
      }
      mlgc_show_barriers();
    }
    __syncthreads();
    return {memory, barriers, 0, 0, 0};
  }
  // Barriers of a stage: that it is full, and the next one, that it is empty.
  MLGC_DEVICE uint64_t* of_keys(const mlgc_attention_ring& ring, int stage) { return ring.barriers + 2 + 4 * stage; }
  MLGC_DEVICE uint64_t* of_values(const mlgc_attention_ring& ring, int stage) { return ring.barriers + 4 + 4 * stage; }
  MLGC_DEVICE char* keys_of(const mlgc_attention_ring& ring, int stage) {
    return ring.memory + kQueryBytes + stage * kStageBytes;
  }
  MLGC_DEVICE char* values_of(const mlgc_attention_ring& ring, int stage) { return keys_of(ring, stage) + kKeyBytes; }
  MLGC_DEVICE void advance(mlgc_attention_ring& ring) {
    ring.stage = ring.stage + 1 == kStages ? 0 : ring.stage + 1;
    if (ring.stage == 0) ring.parity ^= 1;
  }
  MLGC_DEVICE bool is_first_of_group() { return threadIdx.x % kGroupThreads == 0; }

  // Whether the thread is of the warps of which one thread brings tiles. Those give registers to the others; each says first in
  // its branch what it is, since only there the compiler counts on it.
  MLGC_DEVICE bool brings() { return threadIdx.x >= kUsers; }
  MLGC_DEVICE void begin_bringing() {
    if constexpr (kGroups > 1) mlgc_give_registers<kOwnBringing>();
  }
  MLGC_DEVICE void begin_using() {
    if constexpr (kGroups > 1) mlgc_take_registers<kOwnUsing>();
  }
  // The box from this line and column on, of a plane that the places behind the first one in `at` say.
  template <int kDims>
  MLGC_DEVICE void copy(char* to, const mlgc_tensor_map& map, uint64_t* barriers, const int64_t (&at)[kDims], int column,
                        int64_t line) {
    const int64_t third = kDims > 1 ? at[kDims > 1 ? 1 : 0] : 0, fourth = kDims > 2 ? at[kDims > 2 ? 2 : 0] : 0;
    mlgc_copy_box<kDims + 1>(to, map, barriers, column, at[0] + line, third, fourth);
  }
  // `tiles` are of 64 keys.
  template <int kQueryDims, int kKeyDims, int kValueDims>
  MLGC_DEVICE void bring(mlgc_attention_ring& ring, const mlgc_tensor_map& queries, const int64_t (&queries_at)[kQueryDims],
                         const mlgc_tensor_map& keys, const int64_t (&keys_at)[kKeyDims], const mlgc_tensor_map& values,
                         const int64_t (&values_at)[kValueDims], int64_t tiles) {
    if (threadIdx.x != kUsers || tiles <= 0) return;
    mlgc_wait_for_parity(ring.barriers + 1, ring.queries_parity ^ 1);
    mlgc_arrive_expect(ring.barriers, kQueryBytes);
#pragma unroll
    for (int box = 0; box < kTermBoxes; ++box)
      copy(ring.memory + box * kGroups * kBoxBytes, queries, ring.barriers, queries_at, box * 64, 0);
    ring.queries_parity ^= 1;
    for (int64_t key = 0; key < tiles * 64; key += kKeys) {
      uint64_t* const keys_full = of_keys(ring, ring.stage);
      mlgc_wait_for_parity(keys_full + 1, ring.parity ^ 1);
      mlgc_arrive_expect(keys_full, kKeyBytes);
#pragma unroll
      for (int box = 0; box < kTermBoxes; ++box)
        copy(keys_of(ring, ring.stage) + box * 2 * kBoxBytes, keys, keys_full, keys_at, box * 64, key);
      uint64_t* const values_full = of_values(ring, ring.stage);
      mlgc_wait_for_parity(values_full + 1, ring.parity ^ 1);
      mlgc_arrive_expect(values_full, kValueBytes);
#pragma unroll
      for (int box = 0; box < 2 * kColumnBoxes; ++box)
        copy(values_of(ring, ring.stage) + box * kBoxBytes, values, values_full, values_at, box % kColumnBoxes * 64,
             key + box / kColumnBoxes * 64);
      advance(ring);
    }
  }

  // Begins products of the group's queries and the keys of the stage.
  MLGC_DEVICE void multiply_keys(const mlgc_attention_ring& ring, float (&products)[kKeys / 2]) {
    const int group = static_cast<int>(threadIdx.x) / kGroupThreads;
    const char* const queries = ring.memory + group * kBoxBytes;
    const char* const keys = keys_of(ring, ring.stage);
#pragma unroll
    for (int step = 0; step < kTerms / 16; ++step)
      mlgc_add_products<T, kKeys, true, true>(products, queries + step / 4 * kGroups * kBoxBytes + step % 4 * 32,
                                              keys + step / 4 * 2 * kBoxBytes + step % 4 * 32, step > 0);
    mlgc_end_products();
  }
  // Begins to add exponentials times values of a stage.
  MLGC_DEVICE void multiply_values(const mlgc_attention_ring& ring, int stage, float (&sums)[kWide / 2],
                                   const uint32_t (&weights)[kKeys / 16][4]) {
    const char* const values = values_of(ring, stage);
#pragma unroll
    for (int step = 0; step < kKeys / 16; ++step)
      mlgc_add_products_of_registers<T, kWide>(
          sums, weights[step], values + step / 4 * kColumnBoxes * kBoxBytes + step % 4 * 2048, 1);
    mlgc_end_products();
  }

  MLGC_DEVICE float largest_of_row(float largest) {
    largest = fmaxf(largest, __shfl_sync(0xffffffffu, largest, static_cast<int>(threadIdx.x) % 32 ^ 1, 32));
    return fmaxf(largest, __shfl_sync(0xffffffffu, largest, static_cast<int>(threadIdx.x) % 32 ^ 2, 32));
  }
  // Scores of products, those of the first `end` keys, then their exponentials relative to the largest score so far, in place.
  template <class Score>
  MLGC_DEVICE void softmax_of_tile(State& state, float (&products)[kKeys / 2], int64_t query, int64_t key,
                                   const int (&end)[2], bool is_whole, const Score& score) {
    const int first = static_cast<int>(threadIdx.x) % 4 * 2;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      float largest = state.largest[half];
#pragma unroll
      for (int i = half * 2; i < kKeys / 2; i += i % 2 == 0 ? 1 : 3) {
        const int of_tile = i / 4 * 8 + first + i % 2;
        products[i] =
            is_whole || of_tile < end[half] ? score(query + half * 8, key + of_tile, products[i]) : -mlgc_infinity_f32();
        largest = fmaxf(largest, products[i]);
      }
      largest = largest_of_row(largest);
      const float shift = largest == -mlgc_infinity_f32() ? 0.0f : largest;
      state.change[half] = mlgc_exp2((state.largest[half] - shift) * kLog2OfE);
      state.largest[half] = largest;
      float total = 0;
#pragma unroll
      for (int i = half * 2; i < kKeys / 2; i += i % 2 == 0 ? 1 : 3) {
        products[i] = mlgc_exp2((products[i] - shift) * kLog2OfE);  // exact where scores are large, as of masks
        total += products[i];
      }
      state.total[half] = fmaf(state.total[half], state.change[half], total);
    }
  }
  MLGC_DEVICE void softmax_of_tile(State& state, float (&products)[kKeys / 2], int64_t, int64_t, const int (&end)[2],
                                   bool is_whole, const mlgc_scaled_products& score) {
    const int first = static_cast<int>(threadIdx.x) % 4 * 2;
    const float scale = score.scale * kLog2OfE;
    if (!is_whole) {
#pragma unroll
      for (int i = 0; i < kKeys / 2; ++i)
        if (i / 4 * 8 + first + i % 2 >= end[i / 2 % 2]) products[i] = -mlgc_infinity_f32();
    }
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      float largest = -mlgc_infinity_f32();
#pragma unroll
      for (int i = half * 2; i < kKeys / 2; i += i % 2 == 0 ? 1 : 3) largest = fmaxf(largest, products[i]);
      largest = fmaxf(state.largest[half], largest_of_row(largest) * scale);
      const float shift = largest == -mlgc_infinity_f32() ? 0.0f : largest;
      state.change[half] = mlgc_exp2(state.largest[half] - shift);
      state.largest[half] = largest;
      float total = 0;
#pragma unroll
      for (int i = half * 2; i < kKeys / 2; i += i % 2 == 0 ? 1 : 3) {
        products[i] = mlgc_exp2(fmaf(products[i], scale, -shift));
        total += products[i];
      }
      state.total[half] = fmaf(state.total[half], state.change[half], total);
    }
  }
  // A thread has of a product what it gives the unit for the next one.
  MLGC_DEVICE void round(uint32_t (&weights)[kKeys / 16][4], const float (&products)[kKeys / 2]) {
#pragma unroll
    for (int i = 0; i < kKeys / 4; ++i)
      weights[i / 4][i % 4] = mlgc_pair_of_halves(products[2 * i], products[2 * i + 1], T());
  }
  MLGC_DEVICE void scale(float (&sums)[kWide / 2], const State& state) {
#pragma unroll
    for (int i = 0; i < kWide / 2; ++i) sums[i] *= state.change[i / 2 % 2];
  }

  // The sums of the group, and the totals of their exponentials: products of a tile's keys are under way together with those
  // of the values before, which end while the scores become exponentials.
  template <class Score>
  MLGC_DEVICE void multiply(mlgc_attention_ring& ring, float (&sums)[kWide / 2], float (&totals)[2], int64_t first,
                            int64_t rows, int64_t keys, int64_t tiles, int64_t seen, const Score& score) {
    const int lane = static_cast<int>(threadIdx.x) % 32, group_row = static_cast<int>(threadIdx.x) / kGroupThreads * 64;
    const int row = static_cast<int>(threadIdx.x) / 32 * 16 + lane / 4;
    State state;
#pragma unroll
    for (int i = 0; i < kWide / 2; ++i) sums[i] = 0;
#pragma unroll
    for (int half = 0; half < 2; ++half) state.largest[half] = -mlgc_infinity_f32(), state.total[half] = totals[half] = 0;
    if (tiles <= 0) return;
    float products[kKeys / 2];
    uint32_t weights[kKeys / 16][4];
    const auto softmax = [&](int64_t key) {
      const int64_t left = keys - key, visible = first + seen + 1 - key;
      const int there = static_cast<int>(left < kKeys ? left : kKeys);
      const int shown = static_cast<int>(visible < -kRows ? -kRows : visible < kKeys ? visible : kKeys);
      int end[2];
#pragma unroll
      for (int half = 0; half < 2; ++half)
        end[half] = row + half * 8 >= rows ? 0 : row + half * 8 + shown < there ? row + half * 8 + shown : there;
      softmax_of_tile(state, products, first + row, key, end,
                      there == kKeys && group_row + 64 <= rows && group_row + shown >= kKeys, score);
    };
    mlgc_wait_for_parity(ring.barriers, ring.queries_parity);
    mlgc_wait_for_parity(of_keys(ring, ring.stage), ring.parity);
    mlgc_begin_products();
    multiply_keys(ring, products);
    mlgc_wait_for_products<0>();
    if (is_first_of_group()) mlgc_arrive(of_keys(ring, ring.stage) + 1);
    softmax(0);
    round(weights, products);
#pragma unroll 1  // several tiles at once would take registers that the sums need, where their number is known
    for (int64_t key = kKeys; key < tiles * 64; key += kKeys) {
      const int before = ring.stage;
      const uint32_t parity_before = ring.parity;
      advance(ring);
      mlgc_wait_for_parity(of_keys(ring, ring.stage), ring.parity);
      mlgc_begin_products();
      multiply_keys(ring, products);
      mlgc_wait_for_parity(of_values(ring, before), parity_before);
      mlgc_begin_products();
      multiply_values(ring, before, sums, weights);
      mlgc_wait_for_products<1>();
      if (is_first_of_group()) mlgc_arrive(of_keys(ring, ring.stage) + 1);
      softmax(key);
      mlgc_wait_for_products<0>();
      if (is_first_of_group()) mlgc_arrive(of_values(ring, before) + 1);
      scale(sums, state);
      round(weights, products);
    }
    if (is_first_of_group()) mlgc_arrive(ring.barriers + 1);
    ring.queries_parity ^= 1;
    mlgc_wait_for_parity(of_values(ring, ring.stage), ring.parity);
    mlgc_begin_products();
    multiply_values(ring, ring.stage, sums, weights);
    mlgc_wait_for_products<0>();
    if (is_first_of_group()) mlgc_arrive(of_values(ring, ring.stage) + 1);
    advance(ring);
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      float total = state.total[half];
      total += __shfl_sync(0xffffffffu, total, lane ^ 1, 32);
      totals[half] = total + __shfl_sync(0xffffffffu, total, lane ^ 2, 32);
    }
  }

  // Puts a part of the sums into shared memory, once the group is done with the one before, and the totals.
  MLGC_DEVICE char* put(const mlgc_attention_ring& ring, const float (&sums)[kWide / 2], const float (&totals)[2],
                        int part) {
    const int group = static_cast<int>(threadIdx.x) / kGroupThreads;
    const int warp = static_cast<int>(threadIdx.x) % kGroupThreads / 32, lane = static_cast<int>(threadIdx.x) % 32;
    char* const memory = ring.memory + kQueryBytes + kStages * kStageBytes + group * kPartBytes;
    mlgc_named_barrier(1 + group, kGroupThreads);
#pragma unroll
    for (int number = 0; number < kParts; ++number)
      if (number == part) mlgc_part_of_sums::put(memory, sums + number * kPartColumns / 2, threadIdx.x);
#pragma unroll
    for (int half = 0; half < 2; ++half)
      if (lane % 4 == 0)
        reinterpret_cast<float*>(memory)[kPartRows * kPartColumns + warp * 16 + lane / 4 + half * 8] = totals[half];
    mlgc_named_barrier(1 + group, kGroupThreads);
    return memory;
  }
  // Eight neighbouring sums of a part; the total of a row of it.
  MLGC_DEVICE mlgc_piece<float, 8> take(const char* memory, int row, int column) {
    return mlgc_part_of_sums::take(memory, row, column);
  }
  MLGC_DEVICE float total(const char* memory, int row) {
    return reinterpret_cast<const float*>(memory)[kPartRows * kPartColumns + row];
  }
  MLGC_DEVICE int first_row() { return static_cast<int>(threadIdx.x) / kGroupThreads * kPartRows; }
};
