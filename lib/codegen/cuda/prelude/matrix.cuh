// Tiles of products by the matrix unit (compute capability 8.0 and later): parts of the factors are copied to shared memory
// while earlier ones are multiplied.

//- mlgc_matrix_bf16: which 16-bit floats the factors are
struct mlgc_matrix_bf16 {
  static constexpr int kExponentBits = 8;
};
struct mlgc_matrix_f16 {
  static constexpr int kExponentBits = 5;
};

//- mlgc_copy_ahead: copies the first `bytes` of kWidth (4, 8 or 16) to shared memory, and zeros; the thread that waits for it
// has it
#ifdef __CUDACC__
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#error "loops for the matrix unit need compute capability 8.0: compile for sm_80 or later"
#endif
template <int kWidth>
MLGC_DEVICE void mlgc_copy_ahead(void* to, const void* from, int bytes) {
  const uint32_t target = static_cast<uint32_t>(__cvta_generic_to_shared(to));
  if constexpr (kWidth == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(target), "l"(from), "r"(bytes) : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(target), "l"(from), "n"(kWidth), "r"(bytes)
                 : "memory");
}
// Ends a group of copies; waits until no more than the last kGroups groups are under way.
MLGC_DEVICE void mlgc_end_group() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int kGroups>
MLGC_DEVICE void mlgc_wait_for_groups() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kGroups) : "memory");
}
#endif

//- mlgc_read_matrices: four matrices of 8 by 8 elements of 16 bits, row r of matrix m from the address that thread 8*m + r
// gives. Thread t gets of each the two elements 2*(t%4) and 2*(t%4) + 1 of row t/4, or with kTransposed of column t/4.
#ifdef __CUDACC__
template <bool kTransposed>
MLGC_DEVICE void mlgc_read_matrices(uint32_t* to, const void* row) {
  const uint32_t from = static_cast<uint32_t>(__cvta_generic_to_shared(row));
  if (kTransposed)
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(from)
                 : "memory");
  else
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(from)
                 : "memory");
}
#endif

//- mlgc_multiply_matrices: adds a product of 16 by 16 and 16 by 8 elements to 16 by 8 sums, of which thread t has elements
// 2*(t%4) and 2*(t%4) + 1 of rows t/4 and t/4 + 8
#ifdef __CUDACC__
MLGC_DEVICE void mlgc_multiply_matrices(float* sums, const uint32_t* left, const uint32_t* right, mlgc_matrix_bf16) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(right[0]), "r"(right[1]));
}
MLGC_DEVICE void mlgc_multiply_matrices(float* sums, const uint32_t* left, const uint32_t* right, mlgc_matrix_f16) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(right[0]), "r"(right[1]));
}
#endif

//- mlgc_copied_parts: how the threads of a block copy kTerms terms of a factor to shared memory: in the order of memory, as
// pieces of 16 bytes: piece p of row r at another place of the row, so that eight threads that read or write a piece of eight
// rows use all banks
template <int kBlockThreads, int kPartTerms>
struct mlgc_copied_parts {
  typedef uint16_t Element;
  static constexpr int kThreads = kBlockThreads, kTerms = kPartTerms;

  template <int kPieces>
  MLGC_DEVICE int place(int row, int piece) {
    const int moved = kPieces >= 8   ? (piece & ~7) | ((piece ^ row) & 7)
                      : kPieces >= 4 ? piece ^ ((row >> 1) & 3)
                                     : piece ^ ((row >> 2) & (kPieces - 1));
    return (row * kPieces + moved) * 16;
  }

  // The bytes that all pieces of a factor are a multiple of, from 2 to 16.
  MLGC_DEVICE int width_of(const uint16_t* from, int64_t stride) {
    const uint64_t bits = reinterpret_cast<uintptr_t>(from) | static_cast<uint64_t>(stride * 2);
    return bits % 16 == 0 ? 16 : bits % 8 == 0 ? 8 : bits % 4 == 0 ? 4 : 2;
  }
  // Of a piece so many elements, in narrower copies.
  template <int kWidth>
  MLGC_DEVICE void copy_piece(char* to, const uint16_t* from, int count) {
#pragma unroll
    for (int first = 0; first < 8; first += kWidth / 2) {
      const int left = count - first, bytes = left < 0 ? 0 : left * 2 < kWidth ? left * 2 : kWidth;
      mlgc_copy_ahead<kWidth>(to + first * 2, bytes > 0 ? from + first : from, bytes);
    }
  }

  // The part of a factor that begins at `from`, of which there are so many lines and terms.
  template <int kLines, bool kByTerms>
  MLGC_DEVICE void copy(char* to, const uint16_t* from, int64_t stride, int64_t lines, int64_t terms, int width_of_copies) {
    constexpr int kPieces = (kByTerms ? kTerms : kLines) / 8, kCount = kLines * kTerms / 8;
    const int rows = static_cast<int>(kByTerms ? (lines < kLines ? lines : kLines) : (terms < kTerms ? terms : kTerms));
    const int width = static_cast<int>(kByTerms ? (terms < kTerms ? terms : kTerms) : (lines < kLines ? lines : kLines));
#pragma unroll
    for (int i = 0; i < (kCount + kThreads - 1) / kThreads; ++i) {
      const int number = static_cast<int>(threadIdx.x) + i * kThreads, row = number / kPieces, piece = number % kPieces;
      if (kCount % kThreads != 0 && number >= kCount) break;
      const int left = row < rows ? width - piece * 8 : 0, count = left < 0 ? 0 : left < 8 ? left : 8;
      const uint16_t* const source = count > 0 ? from + row * stride + piece * 8 : from;
      char* const target = to + place<kPieces>(row, piece);
      if (width_of_copies == 16) {
        mlgc_copy_ahead<16>(target, source, count * 2);
      } else if (width_of_copies == 8) {
        copy_piece<8>(target, source, count);
      } else if (width_of_copies == 4) {
        copy_piece<4>(target, source, count);
      } else {
        mlgc_piece<uint16_t, 8> values;
#pragma unroll
        for (int e = 0; e < 8; ++e) values.values[e] = e < count ? source[e] : uint16_t{0};
        *reinterpret_cast<mlgc_piece<uint16_t, 8>*>(target) = values;
      }
    }
  }
};

//- mlgc_strided_part: parts of a factor whose lines, or terms, are equally far apart; copied as the tile says
template <class Tile, int kLines, bool kByTerms>
struct mlgc_strided_part {
  typedef typename Tile::Element Element;
  const Element* from;
  int64_t stride, lines, terms;
  int width;
  __device__ mlgc_strided_part(const Element* first, int64_t apart, int64_t line_count, int64_t term_count)
      : from(first), stride(apart), lines(line_count), terms(term_count), width(Tile::width_of(first, apart)) {}
  __device__ void copy(char* to) {
    Tile::template copy<kLines, kByTerms>(to, from, stride, lines, terms, width);
    from += kByTerms ? Tile::kTerms : Tile::kTerms * stride;
    terms -= Tile::kTerms;
  }
};

//- mlgc_multiply_parts: the sums of a tile, of which `multiply` adds those of a part of the factors in shared memory.
// kStages - 1 parts are under way while one is multiplied.
template <class Tile, int kStages, class Left, class Right, class Multiply>
MLGC_DEVICE void mlgc_multiply_parts(typename Tile::sums_of_thread& sums, char* memory, int64_t terms, Left& left,
                                     Right& right, const Multiply& multiply) {
#pragma unroll
  for (int i = 0; i < Tile::kTall; ++i)
#pragma unroll
    for (int j = 0; j < Tile::kWide; ++j)
#pragma unroll
      for (int e = 0; e < 4; ++e) sums[i][j][e] = 0;
  int64_t ahead = terms;  // terms that are not copied yet
  const auto copy_part = [&](char* to) {
    left.copy(to);
    right.copy(to + Tile::kLeftBytes);
    ahead -= Tile::kTerms;
  };
  __syncthreads();  // no thread still reads what the memory held before
#pragma unroll
  for (int stage = 0; stage < kStages - 1; ++stage) {
    if (ahead > 0) copy_part(memory + stage * Tile::kPartBytes);
    mlgc_end_group();
  }
  int now = 0, next = kStages - 1;
#pragma unroll 1  // several parts at once would take registers that the sums need, where their number is known
  for (int64_t done = 0; done < terms; done += Tile::kTerms) {
    mlgc_wait_for_groups<kStages - 2>();
    __syncthreads();  // the part is there for all, and all have multiplied the one before
    if (ahead > 0) copy_part(memory + next * Tile::kPartBytes);
    mlgc_end_group();
    multiply(memory + now * Tile::kPartBytes, memory + now * Tile::kPartBytes + Tile::kLeftBytes);
    now = now + 1 == kStages ? 0 : now + 1;
    next = next + 1 == kStages ? 0 : next + 1;
  }
}

//- mlgc_matrix_tile: kRows by kColumns sums of products, by a block of four or eight warps, of which each has as many
// A factor has lines: rows of the left one, columns of the right one. In memory either the terms of a line follow each
// other (k…ByTerms), or the lines of a term; the other distance is `stride`. Lines and terms that a tile has too many count as
// zeros. A part of a factor is all lines by kTerms.
// The sums of eight warps are given in two parts, halves of the longer side.
template <class T, int kRows, int kColumns, int kStages, bool kLeftByTerms, bool kRightByTerms, int kBlockThreads,
          int kPartTerms, int kPadding>
struct mlgc_matrix_tile : mlgc_copied_parts<kBlockThreads, kPartTerms> {
  typedef mlgc_copied_parts<kBlockThreads, kPartTerms> Parts;
  static constexpr int kThreads = kBlockThreads, kTerms = kPartTerms;
  static constexpr int kParts = kThreads / 128, kWarpsBelow = kRows > kColumns ? kThreads / 64 : 2;
  static constexpr int kWarpRows = kRows / kWarpsBelow, kWarpColumns = kColumns / (kThreads / 32 / kWarpsBelow);
  static constexpr int kTall = kWarpRows / 16, kWide = kWarpColumns / 8;
  static constexpr int kPartRows = kRows > kColumns ? kRows / kParts : kRows;
  static constexpr int kPartColumns = kRows > kColumns ? kColumns : kColumns / kParts, kPitch = kPartColumns + kPadding;
  typedef float sums_of_thread[kTall][kWide][4];
  static constexpr int kLeftBytes = kRows * kTerms * 2, kPartBytes = kLeftBytes + kColumns * kTerms * 2;

  // Adds the products of a part to the sums of the warp.
  MLGC_DEVICE void multiply_part(sums_of_thread& sums, const char* left, const char* right) {
    const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
    const int row = warp % kWarpsBelow * kWarpRows, column = warp / kWarpsBelow * kWarpColumns;
#pragma unroll
    for (int step = 0; step < kTerms / 16; ++step) {
      uint32_t of_rows[kTall][4], of_columns[kWide / 2][4];
#pragma unroll
      for (int i = 0; i < kTall; ++i) {
        const int first = row + i * 16;
        if constexpr (kLeftByTerms)
          mlgc_read_matrices<false>(of_rows[i],
                                    left + Parts::template place<kTerms / 8>(first + lane % 16, step * 2 + lane / 16));
        else
          mlgc_read_matrices<true>(of_rows[i], left + Parts::template place<kRows / 8>(step * 16 + lane % 8 + lane / 16 * 8,
                                                                           first / 8 + lane / 8 % 2));
      }
#pragma unroll
      for (int j = 0; j < kWide / 2; ++j) {
        const int first = column + j * 16;
        if constexpr (kRightByTerms)
          mlgc_read_matrices<false>(of_columns[j], right + Parts::template place<kTerms / 8>(
                                                               first + lane % 8 + lane / 16 * 8, step * 2 + lane / 8 % 2));
        else
          mlgc_read_matrices<true>(of_columns[j],
                                   right + Parts::template place<kColumns / 8>(step * 16 + lane % 16, first / 8 + lane / 16));
      }
#pragma unroll
      for (int i = 0; i < kTall; ++i)
#pragma unroll
        for (int j = 0; j < kWide; ++j)
          mlgc_multiply_matrices(sums[i][j], of_rows[i], of_columns[j / 2] + j % 2 * 2, T());
    }
  }

  typedef mlgc_strided_part<mlgc_matrix_tile, kRows, kLeftByTerms> strided_left;
  typedef mlgc_strided_part<mlgc_matrix_tile, kColumns, kRightByTerms> strided_right;

  template <class Left, class Right>
  MLGC_DEVICE void multiply(sums_of_thread& sums, char* memory, int64_t terms, Left left, Right right) {
    mlgc_multiply_parts<mlgc_matrix_tile, kStages>(
        sums, memory, terms, left, right,
        [&](const char* of_rows, const char* of_columns) { multiply_part(sums, of_rows, of_columns); });
  }

  // A part of the sums in `memory`, rows kPitch apart, once all threads are done with what it held.
  MLGC_DEVICE const float* put(const sums_of_thread& sums, char* memory, int part) {
    const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
    const int row = warp % kWarpsBelow * kWarpRows - (kRows > kColumns ? part * kPartRows : 0);
    const int column = warp / kWarpsBelow * kWarpColumns - (kRows > kColumns ? 0 : part * kPartColumns);
    float* const out = reinterpret_cast<float*>(memory);
    __syncthreads();  // all have multiplied the last part; no copy is under way
    if (kParts == 1 || (row >= 0 && row < kPartRows && column >= 0 && column < kPartColumns)) {
      float* const own = out + (row + lane / 4) * kPitch + column + lane % 4 * 2;
#pragma unroll
      for (int i = 0; i < kTall; ++i)
#pragma unroll
        for (int j = 0; j < kWide; ++j)
#pragma unroll
          for (int e = 0; e < 4; ++e) own[(i * 16 + e / 2 * 8) * kPitch + j * 8 + e % 2] = sums[i][j][e];
    }
    __syncthreads();
    return out;
  }
};
