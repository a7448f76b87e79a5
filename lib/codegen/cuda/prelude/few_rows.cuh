// Tiles of products with fewer rows than the matrix unit takes of one factor: it computes the transposed product, so that the
// columns are its 64 (wgmma) or 16 (mma.sync) lines, and 8, 16 or 32 rows the other ones.

//- mlgc_few_rows_tile: kRows (8 or 16) by kColumns (64 and more) sums of products, as of mlgc_matrix_tile, by four warps that
// have columns next to each other
template <class T, int kRows, int kColumns, int kStages, bool kLeftByTerms, bool kRightByTerms, int kBlockThreads,
          int kPartTerms, int kPadding>
struct mlgc_few_rows_tile : mlgc_copied_parts<kBlockThreads, kPartTerms> {
  typedef mlgc_copied_parts<kBlockThreads, kPartTerms> Parts;
  static constexpr int kTerms = kPartTerms, kPitch = kColumns + kPadding;
  static constexpr int kWarpColumns = kColumns / (kBlockThreads / 32), kTall = kWarpColumns / 16, kWide = kRows / 8;
  static_assert(kTall > 0 && kTerms % 32 == 0, "a warp has 16 columns and more");
  typedef float sums_of_thread[kTall][kWide][4];
  static constexpr int kLeftBytes = kRows * kTerms * 2, kPartBytes = kLeftBytes + kColumns * kTerms * 2;

  // Of the rows 32 terms: for each 16 of them, of each 8 rows two matrices.
  MLGC_DEVICE void read_rows(uint32_t (&rows)[2][kWide][2], const char* left, int step) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    if constexpr (kRows == 8) {
      uint32_t both[4];
      if constexpr (kLeftByTerms)
        mlgc_read_matrices<false>(both, left + Parts::template place<kTerms / 8>(lane % 8, step * 2 + lane / 8));
      else
        mlgc_read_matrices<true>(both, left + Parts::template place<1>(step * 16 + lane, 0));
#pragma unroll
      for (int i = 0; i < 4; ++i) rows[i / 2][0][i % 2] = both[i];
    } else {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        if constexpr (kLeftByTerms)
          mlgc_read_matrices<false>(
              rows[half][0], left + Parts::template place<kTerms / 8>(lane % 8 + lane / 16 * 8,
                                                                      (step + half) * 2 + lane / 8 % 2));
        else
          mlgc_read_matrices<true>(
              rows[half][0], left + Parts::template place<kRows / 8>((step + half) * 16 + lane % 16, lane / 16));
      }
    }
  }

  MLGC_DEVICE void multiply_part(sums_of_thread& sums, const char* left, const char* right) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int column = static_cast<int>(threadIdx.x) / 32 * kWarpColumns;
#pragma unroll
    for (int step = 0; step < kTerms / 16; step += 2) {
      uint32_t of_rows[2][kWide][2];
      read_rows(of_rows, left, step);
#pragma unroll
      for (int half = 0; half < 2; ++half)
#pragma unroll
        for (int i = 0; i < kTall; ++i) {
          const int first = column + i * 16;
          uint32_t of_columns[4];
          if constexpr (kRightByTerms)
            mlgc_read_matrices<false>(of_columns, right + Parts::template place<kTerms / 8>(
                                                              first + lane % 16, (step + half) * 2 + lane / 16));
          else
            mlgc_read_matrices<true>(
                of_columns, right + Parts::template place<kColumns / 8>(
                                        (step + half) * 16 + lane % 8 + lane / 16 * 8, first / 8 + lane / 8 % 2));
#pragma unroll
          for (int j = 0; j < kWide; ++j) mlgc_multiply_matrices(sums[i][j], of_columns, of_rows[half][j], T());
        }
    }
  }

  typedef mlgc_strided_part<Parts, kRows, kLeftByTerms> strided_left;
  typedef mlgc_strided_part<Parts, kColumns, kRightByTerms> strided_right;

  template <class Left, class Right>
  MLGC_DEVICE void multiply(sums_of_thread& sums, char* memory, int64_t terms, Left left, Right right) {
    mlgc_multiply_parts<mlgc_few_rows_tile, kStages>(
        sums, memory, terms, left, right,
        [&](const char* of_rows, const char* of_columns) { multiply_part(sums, of_rows, of_columns); });
  }

  // The sums in `memory`, rows kPitch apart, once all threads are done with what it held.
  MLGC_DEVICE const float* put(const sums_of_thread& sums, char* memory, int) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    float* const out = reinterpret_cast<float*>(memory);
    float* const own = out + lane % 4 * 2 * kPitch + static_cast<int>(threadIdx.x) / 32 * kWarpColumns + lane / 4;
    __syncthreads();  // all have multiplied the last part; no copy is under way
#pragma unroll
    for (int i = 0; i < kTall; ++i)
#pragma unroll
      for (int j = 0; j < kWide; ++j)
#pragma unroll
        for (int e = 0; e < 4; ++e) own[(j * 8 + e % 2) * kPitch + i * 16 + e / 2 * 8] = sums[i][j][e];
    __syncthreads();
    return out;
  }
};

//- mlgc_few_rows_tensor_tile: kRows (8, 16 or 32) by kColumns sums of products, as of mlgc_tensor_tile. A group has columns
// next to those of the other one, and takes 64 of them at a time through shared memory.
template <class T, int kRows, int kColumns, int kGroups, bool kLeftByTerms, bool kRightByTerms>
struct mlgc_few_rows_tensor_tile
    : mlgc_tensor_stages<kRows, kColumns, kGroups, kLeftByTerms, kRightByTerms, kRows * 68 * 4, 2> {
  typedef mlgc_tensor_stages<kRows, kColumns, kGroups, kLeftByTerms, kRightByTerms, kRows * 68 * 4, 2> Stages;
  static_assert(kLeftByTerms, "the unit has boxes of 64 lines only, where lines are contiguous");
  static constexpr int kGroupColumns = kColumns / kGroups, kTall = kGroupColumns / 64, kWide = kRows / 2;
  static constexpr int kPartRows = kRows, kPartColumns = 64, kParts = kTall;
  static constexpr int kPitch = 68;  // rows of a part begin in other banks

  MLGC_DEVICE void multiply(mlgc_tensor_ring& ring, float (&sums)[kTall][kWide], int64_t first, int64_t end) {
    constexpr int kRightStep = kRightByTerms ? 32 : 2048;
    const int column = Stages::group() * kGroupColumns;
    if (first >= end) {
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
          mlgc_add_products<T, kRows, kRightByTerms, true>(sums[m],
                                                           right + column * 128 + m * Stages::kBoxBytes + step * kRightStep,
                                                           left + step * 32, !begins || step > 0);
    });
  }

  MLGC_DEVICE int first_row(int) { return 0; }
  MLGC_DEVICE int first_column(int part) { return Stages::group() * kGroupColumns + part * kPartColumns; }
  // Puts a part of the sums into shared memory, once the group is done with the one before.
  MLGC_DEVICE char* put(const mlgc_tensor_ring& ring, const float (&sums)[kTall][kWide], int part) {
    const int warp = static_cast<int>(threadIdx.x) % 128 / 32, lane = static_cast<int>(threadIdx.x) % 32;
    char* const memory = Stages::own(ring);
    float* const to = reinterpret_cast<float*>(memory) + lane % 4 * 2 * kPitch + warp * 16 + lane / 4;
    mlgc_named_barrier(1 + Stages::group(), Stages::kGroupThreads);
#pragma unroll
    for (int number = 0; number < kParts; ++number)
      if (number == part) {
#pragma unroll
        for (int i = 0; i < kWide; ++i) to[(i / 4 * 8 + i % 2) * kPitch + i / 2 % 2 * 8] = sums[number][i];
      }
    mlgc_named_barrier(1 + Stages::group(), Stages::kGroupThreads);
    return memory;
  }
  // Eight neighbouring sums of a part.
  MLGC_DEVICE mlgc_piece<float, 8> take(char* memory, int row, int column) {
    mlgc_piece<float, 8> out;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const auto four = *reinterpret_cast<const mlgc_piece<float, 4>*>(reinterpret_cast<const float*>(memory) +
                                                                       row * kPitch + column + half * 4);
#pragma unroll
      for (int e = 0; e < 4; ++e) out.values[half * 4 + e] = four.values[e];
    }
    return out;
  }
};
