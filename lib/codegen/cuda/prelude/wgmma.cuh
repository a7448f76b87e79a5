// Tiles of products by the matrix unit of compute capability 9.0: one warp has the device copy boxes of the factors to shared
// memory (TMA), groups of four warps multiply what is there (wgmma). Its instructions are those of sm_90a.

//- MLGC_TENSOR_UNIT: whether what is being compiled has these instructions. A kernel that needs them is empty elsewhere, and
// says by the threads that it takes at most which of the two the device has.
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
#define MLGC_TENSOR_UNIT 1
#define MLGC_TENSOR_BOUNDS(threads, blocks) __launch_bounds__(threads, blocks)
#else
#ifdef __CUDACC__
#define MLGC_TENSOR_UNIT 0
#else
#define MLGC_TENSOR_UNIT 1
#endif
#define MLGC_TENSOR_BOUNDS(threads, blocks) __launch_bounds__(32)
#endif

//- mlgc_tensor_map: how a factor lies in memory, as the driver encodes it (CUtensorMap)
struct alignas(64) mlgc_tensor_map {
  uint64_t words[16];
};

//- mlgc_tensor_barriers: barriers in shared memory (mbarrier), a phase of which ends when so many threads have arrived and so
// many bytes; a thread that waits gives the parity of the phase
#ifdef __CUDACC__
MLGC_DEVICE uint32_t mlgc_shared_address(const void* place) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(place));
}
MLGC_DEVICE void mlgc_init_barriers(uint64_t* place, int threads) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(mlgc_shared_address(place)), "r"(threads) : "memory");
}
// To copies, too, before the threads of the block meet.
MLGC_DEVICE void mlgc_show_barriers() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
MLGC_DEVICE void mlgc_arrive(uint64_t* place) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(mlgc_shared_address(place)) : "memory");
}
MLGC_DEVICE void mlgc_arrive_expect(uint64_t* place, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(mlgc_shared_address(place)), "r"(bytes)
               : "memory");
}
MLGC_DEVICE void mlgc_wait_for_parity(uint64_t* place, uint32_t parity) {
  asm volatile(
      "{\n.reg .pred over;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 over, [%0], %1;\n@over bra done;\n"
      "bra again;\ndone:\n}" ::"r"(mlgc_shared_address(place)),
      "r"(parity)
      : "memory");
}
// Bytes of shared memory that the kernel was launched with.
MLGC_DEVICE int mlgc_launched_bytes() {
  int bytes;
  asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
  return bytes;
}
// The number of the thread, read where it is asked for: places that follow from it are computed there, and take no
// registers in loops before.
MLGC_DEVICE uint32_t mlgc_read_thread() {
  uint32_t thread;
  asm volatile("mov.u32 %0, %%tid.x;" : "=r"(thread));
  return thread;
}
// Barrier `number` of so many threads.
MLGC_DEVICE void mlgc_named_barrier(int number, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(number), "r"(threads) : "memory");
}
#endif

//- mlgc_copy_box: has the device copy a box to shared memory, which then says so to the barriers
#ifdef __CUDACC__
template <int kRank>
MLGC_DEVICE void mlgc_copy_box(char* to, const mlgc_tensor_map& map, uint64_t* barriers, int64_t a, int64_t b,
                               int64_t c, int64_t d) {
  const uint32_t target = mlgc_shared_address(to), place = mlgc_shared_address(barriers);
  const int32_t x = static_cast<int32_t>(a), y = static_cast<int32_t>(b), z = static_cast<int32_t>(c);
  if constexpr (kRank == 2)
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
            target),
        "l"(&map), "r"(x), "r"(y), "r"(place)
        : "memory");
  else if constexpr (kRank == 3)
    asm volatile(
        "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4}], "
        "[%5];" ::"r"(target),
        "l"(&map), "r"(x), "r"(y), "r"(z), "r"(place)
        : "memory");
  else
    asm volatile(
        "cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4, %5}], "
        "[%6];" ::"r"(target),
        "l"(&map), "r"(x), "r"(y), "r"(z), "r"(static_cast<int32_t>(d)), "r"(place)
        : "memory");
}
#endif

//- mlgc_add_products: adds products of 64 by 16 and 16 by kColumns elements to sums of four warps, of which thread t of warp w
// has the elements 8*j + 2*(t%4) + {0, 1} of rows 16*w + t/4 + {0, 8}, as sums[4*j + {0, 1}] and sums[4*j + 2 + {0, 1}]. The
// factors lie in shared memory in rows of kBox terms (k…ByTerms), up to 128 bytes, or of 64 lines, as mlgc_copy_box brings
// them: eight rows are contiguous, pieces of 16 bytes at places that are permuted by row. It is done when the thread has
// waited; until then no code touches sums or factors.
#ifdef __CUDACC__
MLGC_DEVICE void mlgc_begin_products() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
MLGC_DEVICE void mlgc_end_products() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int kGroups>
MLGC_DEVICE void mlgc_wait_for_products() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kGroups) : "memory");
}
// The distance between 64 lines and the next is 8192 bytes; that of eight rows follows from their bytes, 128, 64 or 32.
template <int kRowBytes = 128>
MLGC_DEVICE uint64_t mlgc_describe_factor(const char* place) {
  constexpr uint64_t kPermuted = uint64_t{kRowBytes == 128 ? 1 : kRowBytes == 64 ? 2 : 3} << 62;
  constexpr uint64_t kDistances = uint64_t{kRowBytes * 8 / 16} << 32 | uint64_t{8192 / 16} << 16;
  return kPermuted | kDistances | (mlgc_shared_address(place) & 0x3ffff) >> 4;
}
#define MLGC_NUMBERS_4 "%0, %1, %2, %3"
#define MLGC_NUMBERS_8 MLGC_NUMBERS_4 ", %4, %5, %6, %7"
#define MLGC_NUMBERS_16 MLGC_NUMBERS_8 ", %8, %9, %10, %11, %12, %13, %14, %15"
#define MLGC_NUMBERS_32 MLGC_NUMBERS_16 ", " \
  "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define MLGC_NUMBERS_64 MLGC_NUMBERS_32 ", " \
  "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, " \
  "%52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define MLGC_NUMBERS_96 MLGC_NUMBERS_64 ", " \
  "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83, " \
  "%84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95"
#define MLGC_NUMBERS_128 MLGC_NUMBERS_96 ", " \
  "%96, %97, %98, %99, %100, %101, %102, " \
  "%103, %104, %105, %106, %107, %108, %109, %110, %111, %112, %113, %114, %115, %116, %117, %118, " \
  "%119, %120, %121, %122, %123, %124, %125, %126, %127"
#define MLGC_FOUR_SUMS(i) "+f"(sums[i]), "+f"(sums[i + 1]), "+f"(sums[i + 2]), "+f"(sums[i + 3])
#define MLGC_16_SUMS(i) MLGC_FOUR_SUMS(i), MLGC_FOUR_SUMS(i + 4), MLGC_FOUR_SUMS(i + 8), MLGC_FOUR_SUMS(i + 12)
#define MLGC_SUMS_4 MLGC_FOUR_SUMS(0)
#define MLGC_SUMS_8 MLGC_SUMS_4, MLGC_FOUR_SUMS(4)
#define MLGC_SUMS_16 MLGC_16_SUMS(0)
#define MLGC_SUMS_32 MLGC_SUMS_16, MLGC_16_SUMS(16)
#define MLGC_SUMS_64 MLGC_SUMS_32, MLGC_16_SUMS(32), MLGC_16_SUMS(48)
#define MLGC_SUMS_96 MLGC_SUMS_64, MLGC_16_SUMS(64), MLGC_16_SUMS(80)
#define MLGC_SUMS_128 MLGC_SUMS_96, MLGC_16_SUMS(96), MLGC_16_SUMS(112)
// `goes_on` is 0 where the sums begin with these products.
#define MLGC_WGMMA(type, columns, count, a, b, on, left_order, right_order)                                         \
  asm volatile("{\n.reg .pred on;\nsetp.ne.b32 on, %" on ", 0;\n"                                                   \
               "wgmma.mma_async.sync.aligned.m64n" columns "k16.f32." type "." type " {" MLGC_NUMBERS_##count       \
               "}, %" a ", %" b ", on, 1, 1, %" left_order ", %" right_order ";\n}"                                 \
               : MLGC_SUMS_##count                                                                                  \
               : "l"(a_factor), "l"(b_factor), "r"(goes_on), "n"(kLeftByTerms ? 0 : 1), "n"(kRightByTerms ? 0 : 1))
template <class T, int kColumns, bool kLeftByTerms, bool kRightByTerms, int kBox = 64>
MLGC_DEVICE void mlgc_add_products(float (&sums)[kColumns / 2], const char* left, const char* right, int goes_on) {
  const uint64_t a_factor = mlgc_describe_factor<kLeftByTerms ? kBox * 2 : 128>(left),
                 b_factor = mlgc_describe_factor<kRightByTerms ? kBox * 2 : 128>(right);
  constexpr bool kBf16 = T::kExponentBits == 8;
  if constexpr (kColumns == 8 && kBf16) MLGC_WGMMA("bf16", "8", 4, "4", "5", "6", "7", "8");
  if constexpr (kColumns == 8 && !kBf16) MLGC_WGMMA("f16", "8", 4, "4", "5", "6", "7", "8");
  if constexpr (kColumns == 16 && kBf16) MLGC_WGMMA("bf16", "16", 8, "8", "9", "10", "11", "12");
  if constexpr (kColumns == 16 && !kBf16) MLGC_WGMMA("f16", "16", 8, "8", "9", "10", "11", "12");
  if constexpr (kColumns == 32 && kBf16) MLGC_WGMMA("bf16", "32", 16, "16", "17", "18", "19", "20");
  if constexpr (kColumns == 32 && !kBf16) MLGC_WGMMA("f16", "32", 16, "16", "17", "18", "19", "20");
  if constexpr (kColumns == 64 && kBf16) MLGC_WGMMA("bf16", "64", 32, "32", "33", "34", "35", "36");
  if constexpr (kColumns == 64 && !kBf16) MLGC_WGMMA("f16", "64", 32, "32", "33", "34", "35", "36");
  if constexpr (kColumns == 128 && kBf16) MLGC_WGMMA("bf16", "128", 64, "64", "65", "66", "67", "68");
  if constexpr (kColumns == 128 && !kBf16) MLGC_WGMMA("f16", "128", 64, "64", "65", "66", "67", "68");
  if constexpr (kColumns == 192 && kBf16) MLGC_WGMMA("bf16", "192", 96, "96", "97", "98", "99", "100");
  if constexpr (kColumns == 192 && !kBf16) MLGC_WGMMA("f16", "192", 96, "96", "97", "98", "99", "100");
  if constexpr (kColumns == 256 && kBf16) MLGC_WGMMA("bf16", "256", 128, "128", "129", "130", "131", "132");
  if constexpr (kColumns == 256 && !kBf16) MLGC_WGMMA("f16", "256", 128, "128", "129", "130", "131", "132");
}
#endif

//- mlgc_share_bytes: bytes of shared memory of each of so many blocks on a multiprocessor (of 228 KiB, 1 of which goes with a
// block)
MLGC_HOST constexpr int mlgc_share_bytes(int blocks) { return 228 * 1024 / blocks - 1024; }

//- mlgc_multiprocessors: of the device, 0 where it does not say
MLGC_HOST int64_t mlgc_multiprocessors() {
  int device = 0, count = 0;
  return cudaGetDevice(&device) == cudaSuccess &&
                 cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device) == cudaSuccess
             ? count
             : 0;
}

//- mlgc_tensor_stages: parts of the factors of a tile of kRows by kColumns sums, which one warp of a block brings and
// kGroups groups of four warps multiply; thread 0 is of the first group. A part has all lines and kTerms terms; as many as fit
// are in shared memory at a time, also those of the block's next tile. A group has kOwnBytes beside them. Up to kBlocks blocks
// share a multiprocessor.
// Of each factor the terms of a line are contiguous in memory (k…ByTerms), or the lines of a term. Lines and terms that are
// not there are zeros.
struct mlgc_tensor_ring {
  char* memory;
  uint64_t* barriers;  // of each stage: that it is full, then that it is empty
  int stages, stage;
  uint32_t parity;
};
template <int kRows, int kColumns, int kGroups, bool kLeftByTerms, bool kRightByTerms, int kOwnBytes,
          int kBlocksOfMultiprocessor>
struct mlgc_tensor_stages {
  static constexpr int kTerms = 64, kBoxBytes = 8192;  // a box of 64 by 64 elements
  static constexpr int kGroupThreads = 128, kUsers = kGroups * kGroupThreads, kBlocks = kBlocksOfMultiprocessor;
  static constexpr int kLeftBytes = kRows * kTerms * 2, kStageBytes = kLeftBytes + kColumns * kTerms * 2;

  // How many blocks share a multiprocessor, of a product with so many tiles of so many terms: one where there are no more
  // tiles, if else fewer than eight parts were on their way; more than two where these hold all terms.
  static constexpr int stages(int sharing) {
    return (mlgc_share_bytes(sharing) - kGroups * kOwnBytes) / (kStageBytes + 16);
  }
  MLGC_HOST int sharing(int64_t tiles, int64_t terms) {
    constexpr int kFew = kBlocks < 2 ? 1 : 2;
    if (stages(kFew) < 8 && tiles <= mlgc_multiprocessors()) return 1;
    return terms <= stages(kBlocks) * kTerms ? kBlocks : kFew;
  }
  MLGC_HOST int64_t blocks(int64_t tiles, int64_t terms) {
    const int64_t most = mlgc_multiprocessors() * sharing(tiles, terms);
    return most > 0 && most < tiles ? most : tiles;
  }
  MLGC_HOST int64_t bytes(int64_t tiles, int64_t terms) {
    return stages(sharing(tiles, terms)) * (kStageBytes + 16) + kGroups * kOwnBytes;
  }

  MLGC_DEVICE mlgc_tensor_ring begin(char* memory) {
    const int stages = (mlgc_launched_bytes() - kGroups * kOwnBytes) / (kStageBytes + 16);
    char* const barriers = memory + stages * kStageBytes + kGroups * kOwnBytes;
    mlgc_tensor_ring ring = {memory, reinterpret_cast<uint64_t*>(barriers), stages, 0, 0};
    if (threadIdx.x == 0) {
      for (int stage = 0; stage < stages; ++stage) {
        mlgc_init_barriers(ring.barriers + stage, 1);
        mlgc_init_barriers(ring.barriers + stages + stage, kGroups);
      }
      mlgc_show_barriers();
    }
    __syncthreads();
    return ring;
  }
  MLGC_DEVICE void advance(mlgc_tensor_ring& ring) {
    ring.stage = ring.stage + 1 == ring.stages ? 0 : ring.stage + 1;
    if (ring.stage == 0) ring.parity ^= 1;
  }

  // Whether the thread is of the warp that brings parts. One of its threads does.
  MLGC_DEVICE bool brings() { return threadIdx.x >= kUsers; }
  // The parts of a factor: `at` are the first line, and places along further dims of the map.
  template <bool kByTerms, int kLines, int kDims>
  MLGC_DEVICE void copy(char* to, const mlgc_tensor_map& map, uint64_t* barriers, const int64_t (&at)[kDims], int64_t term) {
    const int64_t third = kDims > 1 ? at[kDims > 1 ? 1 : 0] : 0, fourth = kDims > 2 ? at[kDims > 2 ? 2 : 0] : 0;
    if constexpr (kByTerms) {
      mlgc_copy_box<kDims + 1>(to, map, barriers, term, at[0], third, fourth);
    } else {
#pragma unroll
      for (int box = 0; box < kLines / 64; ++box)
        mlgc_copy_box<kDims + 1>(to + box * kBoxBytes, map, barriers, at[0] + box * 64, term, third, fourth);
    }
  }
  template <int kLeftDims, int kRightDims>
  MLGC_DEVICE void bring(mlgc_tensor_ring& ring, const mlgc_tensor_map& left, const int64_t (&left_at)[kLeftDims],
                         const mlgc_tensor_map& right, const int64_t (&right_at)[kRightDims], int64_t first,
                         int64_t end) {
    if (threadIdx.x != kUsers) return;
    for (int64_t term = first; term < end; term += kTerms) {
      uint64_t* const full = ring.barriers + ring.stage;
      mlgc_wait_for_parity(full + ring.stages, ring.parity ^ 1);
      mlgc_arrive_expect(full, kStageBytes);
      char* const to = ring.memory + ring.stage * kStageBytes;
      copy<kLeftByTerms, kRows>(to, left, full, left_at, term);
      copy<kRightByTerms, kColumns>(to + kLeftBytes, right, full, right_at, term);
      advance(ring);
    }
  }

  MLGC_DEVICE int group() { return static_cast<int>(threadIdx.x) / kGroupThreads; }
  // What the group has beside the stages.
  MLGC_DEVICE char* own(const mlgc_tensor_ring& ring) {
    return ring.memory + ring.stages * kStageBytes + group() * kOwnBytes;
  }
  // The sums of the group: `add` begins the products of a part, whose factors are at these places; it says whether they are
  // the first ones. Of a part products of the one before are under way; its place is empty when they are done.
  template <class Add>
  MLGC_DEVICE void use(mlgc_tensor_ring& ring, int64_t first, int64_t end, const Add& add) {
    int before = -1;
    for (int64_t term = first; term < end; term += kTerms) {
      mlgc_wait_for_parity(ring.barriers + ring.stage, ring.parity);
      const char* const left = ring.memory + ring.stage * kStageBytes;
      mlgc_begin_products();
      add(left, left + kLeftBytes, term == first);
      mlgc_end_products();
      mlgc_wait_for_products<1>();
      if (before >= 0 && threadIdx.x % kGroupThreads == 0) mlgc_arrive(ring.barriers + ring.stages + before);
      before = ring.stage;
      advance(ring);
    }
    mlgc_wait_for_products<0>();
    if (before >= 0 && threadIdx.x % kGroupThreads == 0) mlgc_arrive(ring.barriers + ring.stages + before);
  }
};

//- mlgc_part_of_sums: 64 rows by 32 columns of the sums of a group, in shared memory. Pieces of 16 bytes of a row lie at places
// that are permuted by row.
struct mlgc_part_of_sums {
  static constexpr int kRows = 64, kColumns = 32;

  // Bytes from the first element on.
  MLGC_DEVICE uint32_t place(uint32_t row, uint32_t column) {
    return row * kColumns * 4 + (column / 4 ^ ((row & 3) * 2 + (row & 1))) * 16 + column % 4 * 4;
  }
  // The thread's own: pairs of rows 16*w + t/4 and 8 further, thread t of warp w, of each eight columns. Eight columns further
  // are bits of the place that nothing carries into.
  MLGC_DEVICE void put(char* memory, const float* sums, uint32_t thread) {
    const uint32_t lane = thread % 32;
    const uint32_t first = place(thread % 128 / 32 * 16 + lane / 4, lane % 4 * 2);
#pragma unroll
    for (uint32_t i = 0; i < kColumns / 8; ++i)
#pragma unroll
      for (uint32_t low = 0; low < 2; ++low) {
        uint64_t both;  // one access of 8 bytes: nvcc splits a structure into one for each member
        memcpy(&both, sums + i * 4 + low * 2, sizeof both);
        *reinterpret_cast<uint64_t*>(memory + (first ^ i * 32) + low * 8 * kColumns * 4) = both;
      }
  }
  // Eight neighbouring sums.
  MLGC_DEVICE mlgc_piece<float, 8> take(const char* memory, int row, int column) {
    mlgc_piece<float, 8> out;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const uint32_t from = place(static_cast<uint32_t>(row), static_cast<uint32_t>(column + half * 4));
      const auto four = *reinterpret_cast<const mlgc_piece<float, 4>*>(memory + from);
#pragma unroll
      for (int e = 0; e < 4; ++e) out.values[half * 4 + e] = four.values[e];
    }
    return out;
  }
};

//- mlgc_tensor_tile: kRows by kColumns sums of products, 64 rows and more, of which each group has its own. A group takes the
// parts of its sums through shared memory in turns: kPartRows rows by kPartColumns columns. A part of the terms is boxes of
// kBoxTerms, one after the other.
template <class T, int kRows, int kColumns, int kGroups, bool kLeftByTerms, bool kRightByTerms, int kBoxTerms = 64>
struct mlgc_tensor_tile
    : mlgc_tensor_stages<kRows, kColumns, kGroups, kLeftByTerms, kRightByTerms, 8192,
                         kRows * kColumns <= 4096 ? 4 : kRows * kColumns <= 16384 ? 2 : 1> {
  typedef mlgc_tensor_stages<kRows, kColumns, kGroups, kLeftByTerms, kRightByTerms, 8192,
                             kRows * kColumns <= 4096 ? 4 : kRows * kColumns <= 16384 ? 2 : 1>
      Stages;
  static constexpr int kAcross = kRows == 64 ? kGroups : 1;  // groups next to each other, else below each other
  static constexpr int kGroupRows = kAcross == kGroups ? kRows : kRows / kGroups, kGroupColumns = kColumns / kAcross;
  static constexpr int kTall = kGroupRows / 64, kWide = kGroupColumns / 2;
  static constexpr int kPartRows = mlgc_part_of_sums::kRows, kPartColumns = mlgc_part_of_sums::kColumns;
  static constexpr int kParts = kTall * kGroupColumns / kPartColumns;
  // Beside the sums of a thread, as many blocks share a multiprocessor.
  static constexpr bool kHasFewRegisters = 65536 / (Stages::kBlocks * (Stages::kUsers + 32)) < kTall * kWide + 56;

  // Bytes from the start of a factor in a part to 16 terms of a line that is a multiple of 64.
  template <bool kByTerms, int kLines>
  MLGC_DEVICE int offset(int line, int step) {
    constexpr int kSteps = kBoxTerms / 16, kRowBytes = kBoxTerms * 2;
    return kByTerms ? step / kSteps * kLines * kRowBytes + line * kRowBytes + step % kSteps * 32 : line * 128 + step * 2048;
  }
  MLGC_DEVICE void multiply(mlgc_tensor_ring& ring, float (&sums)[kTall][kWide], int64_t first, int64_t end) {
    const int group = Stages::group();
    const int row = kAcross == kGroups ? 0 : group * kGroupRows, column = kAcross == kGroups ? group * kGroupColumns : 0;
    if (first >= end) {  // the first product sets the sums, else
#pragma unroll
      for (int m = 0; m < kTall; ++m)
#pragma unroll
        for (int n = 0; n < kWide; ++n) sums[m][n] = 0;
    }
    Stages::use(ring, first, end, [&](const char* left, const char* right, bool begins) {
#pragma unroll
      for (int step = 0; step < Stages::kTerms / 16; ++step)
#pragma unroll
        for (int m = 0; m < kTall; ++m)
          mlgc_add_products<T, kGroupColumns, kLeftByTerms, kRightByTerms, kBoxTerms>(
              sums[m], left + offset<kLeftByTerms, kRows>(row + m * 64, step),
              right + offset<kRightByTerms, kColumns>(column, step), !begins || step > 0);
    });
  }

  // Row and column of a part in the tile.
  MLGC_DEVICE int first_row(int part) {
    return (kAcross == kGroups ? 0 : Stages::group() * kGroupRows) + part % kTall * kPartRows;
  }
  MLGC_DEVICE int first_column(int part) {
    return (kAcross == kGroups ? Stages::group() * kGroupColumns : 0) + part / kTall * kPartColumns;
  }
  // Puts a part of the sums into shared memory, once the group is done with the one before.
  MLGC_DEVICE char* put(const mlgc_tensor_ring& ring, const float (&sums)[kTall][kWide], int part) {
    char* const memory = Stages::own(ring);
    mlgc_named_barrier(1 + Stages::group(), Stages::kGroupThreads);
#pragma unroll
    for (int number = 0; number < kParts; ++number)
      if (number == part)
        mlgc_part_of_sums::put(memory, sums[number % kTall] + number / kTall * (kPartColumns / 2),
                               kHasFewRegisters ? mlgc_read_thread() : threadIdx.x);
    mlgc_named_barrier(1 + Stages::group(), Stages::kGroupThreads);
    return memory;
  }
  MLGC_DEVICE mlgc_piece<float, 8> take(const char* memory, int row, int column) {
    return mlgc_part_of_sums::take(memory, row, column);
  }
};

//- mlgc_runs_tensor_tile: whether the device runs the kernel with so many threads and bytes of shared memory; where it is
// empty (MLGC_TENSOR_BOUNDS) it takes fewer threads
template <class... P>
MLGC_HOST bool mlgc_runs_tensor_tile(void (*kernel)(P...), int threads, int bytes) {
  cudaFuncAttributes own;
  if (cudaFuncGetAttributes(&own, kernel) != cudaSuccess) return false;
  return own.maxThreadsPerBlock >= threads && mlgc_chip_bytes(kernel) >= bytes;
}

//- mlgc_find_driver_function: a function that the driver has from CUDA 12 on; the same one of each number
template <int kNumber>
MLGC_HOST void* mlgc_find_driver_function(const char* name) {
  static void* known = nullptr;
  void* function = __atomic_load_n(&known, __ATOMIC_ACQUIRE);
  if (function != nullptr) return function;
  cudaDriverEntryPointQueryResult result;
#if CUDART_VERSION >= 12050
  const cudaError_t error = cudaGetDriverEntryPointByVersion(name, &function, 12000, cudaEnableDefault, &result);
#else
  const cudaError_t error = cudaGetDriverEntryPoint(name, &function, cudaEnableDefault, &result);
#endif
  if (error != cudaSuccess || result != cudaDriverEntryPointSuccess) return nullptr;
  __atomic_store_n(&known, function, __ATOMIC_RELEASE);
  return function;
}

//- mlgc_map_factor: the map of a factor whose terms (or lines) are contiguous, and whose lines (or terms) are `stride`
// elements apart: boxes of kBox terms and up to 256 lines, or of 64 lines and kBox terms. `further` are pairs of a count and a
// distance. False: copies need places of 16 aligned bytes, or the driver refuses it.
typedef int (*mlgc_encode_map)(void*, int, uint32_t, void*, const uint64_t*, const uint64_t*, const uint32_t*,
                               const uint32_t*, int, int, int, int);
template <int kBox = 64, class... Further>
MLGC_HOST bool mlgc_map_factor(mlgc_tensor_map* map, const uint16_t* first, bool by_terms, int64_t lines, int64_t terms,
                               int64_t stride, int tile_lines, Further... further) {
  constexpr uint32_t kRank = 2 + sizeof...(further) / 2;
  constexpr int kSixteenBits = 1, kWholeLines = 3, kNarrow = kBox == 64 ? 3 : kBox == 32 ? 2 : 1;
  const int64_t counts[] = {by_terms ? terms : lines, by_terms ? lines : terms, further..., 0};
  uint64_t sizes[kRank], distances[kRank];
  const uint32_t width = by_terms ? kBox : 64, box[] = {width, by_terms ? static_cast<uint32_t>(tile_lines) : kBox, 1, 1};
  const uint32_t steps[] = {1, 1, 1, 1};
  if (reinterpret_cast<uintptr_t>(first) % 16 != 0) return false;
  for (uint32_t axis = 0; axis < kRank; ++axis) {
    const int64_t count = axis < 2 ? counts[axis] : counts[axis * 2 - 2];
    const int64_t apart = axis == 1 ? stride : axis > 1 ? counts[axis * 2 - 1] : 8;
    if (count <= 0 || count > 0x7fffffff || apart <= 0) return false;
    // Where there is one, the next one's place is nowhere.
    const int64_t bytes = count == 1 ? 16 : apart * 2;
    if (bytes % 16 != 0 || bytes >= int64_t{1} << 40) return false;
    sizes[axis] = static_cast<uint64_t>(count);
    if (axis > 0) distances[axis - 1] = static_cast<uint64_t>(bytes);
  }
  const auto encode = reinterpret_cast<mlgc_encode_map>(mlgc_find_driver_function<0>("cuTensorMapEncodeTiled"));
  return encode != nullptr && encode(map, kSixteenBits, kRank, const_cast<uint16_t*>(first), sizes, distances, box, steps,
                                     0, by_terms ? kNarrow : 3, kWholeLines, 0) == 0;
}
