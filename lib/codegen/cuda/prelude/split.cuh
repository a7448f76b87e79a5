// Tiles of products of f32 by the matrix unit, which has products of 16-bit floats only: a number is the sum of three bf16,
// and a product that of the six products of them which are not below its last bit (Henry, Tang and Heinecke, "Leveraging
// the bfloat16 Artificial Intelligence Datatype For Higher-Precision Computations", ARITH 2019).

//- mlgc_split: of two numbers the nearest bf16, the nearest to what is left, and to what is left then, as pairs
#ifdef __CUDACC__
MLGC_DEVICE void mlgc_split(uint32_t* parts, int apart, float first, float second) {
#pragma unroll
  for (int part = 0; part < 3; ++part) {
    uint32_t pair;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(second), "f"(first));
    first -= __uint_as_float(pair << 16);
    second -= __uint_as_float(pair & 0xffff0000u);
    parts[part * apart] = pair;
  }
}
#endif

//- mlgc_split_tile: as mlgc_matrix_tile, of factors of f32
// The sums of 16 terms begin at zero and are then added to those of the tile, since the unit drops what is below the last bit of
// its largest term. Where the largest number of a factor in the tile is beyond 2^50 or below 2^-50, parts of numbers or
// products might leave the range of f32: then the tile is computed again, by fused multiply-adds.
template <int kRows, int kColumns, int kStages, bool kLeftByTerms, bool kRightByTerms, int kBlockThreads, int kPartTerms,
          int kPadding>
struct mlgc_split_tile : mlgc_matrix_tile<mlgc_matrix_bf16, kRows, kColumns, kStages, kLeftByTerms, kRightByTerms,
                                          kBlockThreads, kPartTerms, kPadding> {
  typedef mlgc_matrix_tile<mlgc_matrix_bf16, kRows, kColumns, kStages, kLeftByTerms, kRightByTerms, kBlockThreads, kPartTerms,
                           kPadding>
      Tile;
  typedef float Element;
  typedef typename Tile::sums_of_thread sums_of_thread;
  static constexpr int kThreads = kBlockThreads, kTerms = kPartTerms, kTall = Tile::kTall, kWide = Tile::kWide;
  static constexpr int kLeftBytes = kRows * kTerms * 4, kPartBytes = kLeftBytes + kColumns * kTerms * 4;
  static constexpr int kGroup = kWide < 4 ? kWide : 4;  // eights of columns whose products a warp computes in turns

  // Of an element of a row of memory; eight threads that read a piece of eight rows, or four rows of two pieces, use all
  // banks.
  template <int kWidth, bool kByTerms>
  MLGC_DEVICE int place(int row, int element) {
    const int moved = kByTerms ? row & 7 : (row & 3) * 2, piece = element / 4;
    return (row * (kWidth / 4) + (piece ^ moved)) * 16 + element % 4 * 4;
  }

  // The bytes that all pieces of a factor are a multiple of, 4 or 16.
  MLGC_DEVICE int width_of(const float* from, int64_t stride) {
    return (reinterpret_cast<uintptr_t>(from) | static_cast<uintptr_t>(stride * 4)) % 16 == 0 ? 16 : 4;
  }

  // The part of a factor that begins at `from`, of which there are so many lines and terms.
  template <int kLines, bool kByTerms>
  MLGC_DEVICE void copy(char* to, const float* from, int64_t stride, int64_t lines, int64_t terms, int width_of_copies) {
    constexpr int kWidth = kByTerms ? kTerms : kLines, kPieces = kWidth / 4, kCount = kLines * kTerms / 4 / kThreads;
    constexpr int kApart = kThreads / kPieces;  // rows of memory between the pieces of a thread, which have one place in them
    static_assert(kApart % (kByTerms ? 8 : 4) == 0, "pieces of a thread are permuted alike");
    const int row = static_cast<int>(threadIdx.x) / kPieces, first = static_cast<int>(threadIdx.x) % kPieces * 4;
    const float* source = from + row * stride + first;
    char* const target = to + place<kWidth, kByTerms>(row, first);
    if (width_of_copies == 16 && lines >= kLines && terms >= kTerms) {
#pragma unroll
      for (int i = 0; i < kCount; ++i, source += kApart * stride)
        mlgc_copy_ahead<16>(target + i * kApart * kWidth * 4, source, 16);
      return;
    }
    const int64_t rows = kByTerms ? lines : terms, width = kByTerms ? terms : lines;
#pragma unroll 1
    for (int i = 0; i < kCount; ++i, source += kApart * stride) {
      const int64_t left = row + i * kApart < rows ? width - first : 0;
      const int count = left < 0 ? 0 : left < 4 ? static_cast<int>(left) : 4;
      char* const piece = target + i * kApart * kWidth * 4;
      if (width_of_copies == 16) {
        mlgc_copy_ahead<16>(piece, count > 0 ? source : from, count * 4);
        continue;
      }
#pragma unroll 1
      for (int e = 0; e < 4; ++e) mlgc_copy_ahead<4>(piece + e * 4, e < count ? source + e : from, e < count ? 4 : 0);
    }
  }

  // Elements of line `line` of a part, those of terms t%4, t%4 + 4, t%4 + 8 and t%4 + 12 of a step for thread t of a warp.
  template <int kLines, bool kByTerms>
  MLGC_DEVICE void read(float (&to)[4], const char* part, int first, int step) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    if constexpr (kByTerms) {
      uint32_t bits[4];
      mlgc_read_matrices<false>(bits, part + place<kTerms, true>(first + lane % 8, step * 16 + lane / 8 * 4));
#pragma unroll
      for (int e = 0; e < 4; ++e) memcpy(&to[e], &bits[e], 4);
    } else {
#pragma unroll
      for (int e = 0; e < 4; ++e)
        to[e] = *reinterpret_cast<const float*>(
            part + place<kLines, false>(step * 16 + lane % 4 + e * 4, first + lane / 4));
    }
  }

  MLGC_DEVICE void note_largest(float& largest, const float (&values)[4]) {
#pragma unroll
    for (int e = 0; e < 4; ++e) largest = fmaxf(largest, fabsf(values[e]));
  }

  // Adds the products of a part to the sums of the warp. The order of terms in a step is the same in both factors.
  MLGC_DEVICE void multiply_part(sums_of_thread& sums, const char* left, const char* right, float (&largest)[2]) {
    const int warp = static_cast<int>(threadIdx.x) / 32, row = warp % Tile::kWarpsBelow * Tile::kWarpRows, column = warp / Tile::kWarpsBelow * Tile::kWarpColumns;
#pragma unroll
    for (int step = 0; step < kTerms / 16; ++step) {
      uint32_t of_rows[kTall][3][4];
#pragma unroll
      for (int i = 0; i < kTall; ++i)
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          float values[4];
          read<kRows, kLeftByTerms>(values, left, row + i * 16 + half * 8, step);
          note_largest(largest[0], values);
          mlgc_split(&of_rows[i][0][half], 4, values[0], values[1]);
          mlgc_split(&of_rows[i][0][half + 2], 4, values[2], values[3]);
        }
#pragma unroll
      for (int group = 0; group < kWide; group += kGroup) {
        float of_step[kTall][kGroup][4] = {};
        uint32_t of_columns[kGroup][3][2];
#pragma unroll
        for (int j = 0; j < kGroup; ++j) {
          float values[4];
          read<kColumns, kRightByTerms>(values, right, column + (group + j) * 8, step);
          note_largest(largest[1], values);
          mlgc_split(&of_columns[j][0][0], 2, values[0], values[1]);
          mlgc_split(&of_columns[j][0][1], 2, values[2], values[3]);
        }
        // Small products first, before the sum drops more of them; neighbours are of different sums.
#pragma unroll
        for (int order = 2; order >= 0; --order)
#pragma unroll
          for (int part = 0; part <= order; ++part)
#pragma unroll
            for (int j = 0; j < kGroup; ++j)
#pragma unroll
              for (int i = 0; i < kTall; ++i)
                mlgc_multiply_matrices(of_step[i][j], of_rows[i][part], of_columns[j][order - part], mlgc_matrix_bf16());
#pragma unroll
        for (int i = 0; i < kTall; ++i)
#pragma unroll
          for (int j = 0; j < kGroup; ++j)
#pragma unroll
            for (int e = 0; e < 4; ++e) sums[i][group + j][e] += of_step[i][j][e];
      }
    }
  }

  // Whether the largest numbers of all threads of the block allow for products of parts; zeros alone do.
  MLGC_DEVICE bool is_in_range(const float (&largest)[2]) {
    const auto bits = [](float of) { return (of > 0x1p50f ? 1 : 0) | (of >= 0x1p-50f ? 2 : 0) | (of > 0 ? 4 : 0); };
    unsigned int round = 0;
    const int all = mlgc_combine<kThreads>(bits(largest[0]) | bits(largest[1]) << 3, round,
                                           [](int a, int b) -> int { return a | b; });
    const auto holds = [](int of) { return (of & 1) == 0 && (of & 6) != 4; };
    return holds(all & 7) && holds(all >> 3);
  }

  typedef mlgc_strided_part<mlgc_split_tile, kRows, kLeftByTerms> strided_left;
  typedef mlgc_strided_part<mlgc_split_tile, kColumns, kRightByTerms> strided_right;

  // As the sum of the text is, all in f32; a thread has two rows and two columns of each of its tiles.
  MLGC_DEVICE void multiply_one_by_one(sums_of_thread& sums, int64_t terms, const strided_left& left,
                                       const strided_right& right) {
    const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
    const int row = warp % Tile::kWarpsBelow * Tile::kWarpRows + lane / 4;
    const int column = warp / Tile::kWarpsBelow * Tile::kWarpColumns + lane % 4 * 2;
#pragma unroll 1
    for (int64_t k = 0; k < terms; ++k) {
      float of_rows[kTall][2], of_columns[kWide][2];
#pragma unroll
      for (int i = 0; i < kTall; ++i)
#pragma unroll
        for (int e = 0; e < 2; ++e) {
          const int at = row + i * 16 + e * 8;
          of_rows[i][e] = at < left.lines ? left.from[kLeftByTerms ? at * left.stride + k : k * left.stride + at] : 0.0f;
        }
#pragma unroll
      for (int j = 0; j < kWide; ++j)
#pragma unroll
        for (int e = 0; e < 2; ++e) {
          const int at = column + j * 8 + e;
          of_columns[j][e] =
              at < right.lines ? right.from[kRightByTerms ? at * right.stride + k : k * right.stride + at] : 0.0f;
        }
#pragma unroll
      for (int i = 0; i < kTall; ++i)
#pragma unroll
        for (int j = 0; j < kWide; ++j)
#pragma unroll
          for (int e = 0; e < 4; ++e)
            sums[i][j][e] = fmaf(of_rows[i][e / 2], of_columns[j][e % 2], k == 0 ? 0.0f : sums[i][j][e]);
    }
  }

  MLGC_DEVICE void multiply(sums_of_thread& sums, char* memory, int64_t terms, strided_left left, strided_right right) {
    const strided_left first_of_rows = left;
    const strided_right first_of_columns = right;
    float largest[2] = {};
    mlgc_multiply_parts<mlgc_split_tile, kStages>(
        sums, memory, terms, left, right,
        [&](const char* of_rows, const char* of_columns) { multiply_part(sums, of_rows, of_columns, largest); });
    if (!is_in_range(largest)) multiply_one_by_one(sums, terms, first_of_rows, first_of_columns);
  }
};
