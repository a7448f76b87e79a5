// Products of bf16 two at a time, as the instruction of AVX512_BF16 adds them to a sum: the one of the high halves of
// 32 bits first, then that of the low halves, each with one rounding. Other vectors do the same in two steps. The
// instruction takes subnormal numbers, and what would be one, as zeros.

//- mlgc_swap_pairs: pairs of bf16, of which the first one becomes the high half; an odd last one stands beside a zero
#if defined(__x86_64__) && MLGC_BYTES == 64
MLGC_INLINE void mlgc_swap_pairs(uint32_t* to, const uint16_t* from, int64_t terms) {
  for (int64_t i = 0; i < terms; i += 32) {
    const int64_t left = terms - i;
    mlgc_vec<uint32_t, 16> pairs;
    __asm__("vmovdqu16 %1, %0 %{%2%}%{z%}"
            : "=v"(pairs)
            : "m"(*reinterpret_cast<const uint16_t(*)[32]>(from + i)), "Yk"(left >= 32 ? ~0U : (1U << left) - 1));
    mlgc_store(to + i / 2, (pairs << 16) | (pairs >> 16));
  }
}
#else
MLGC_INLINE void mlgc_swap_pairs(uint32_t* to, const uint16_t* from, int64_t terms) {
  for (int64_t i = 0; i + 1 < terms; i += 2) to[i / 2] = static_cast<uint32_t>(from[i]) << 16 | from[i + 1];
  if ((terms & 1) != 0) to[terms / 2] = static_cast<uint32_t>(from[terms - 1]) << 16;
}
#endif

//- mlgc_high_pairs: in each lane of i32 a bf16 in the high half, and a zero
template <class H>
MLGC_INLINE mlgc_like<int32_t, H> mlgc_high_pairs(H high) {
  return mlgc_shift_left(mlgc_convert<int32_t>(high), 16);
}

//- mlgc_join_pairs: in each lane of i32 a bf16 in the high half, and one in the low half
template <class H>
struct mlgc_joined_pairs {
  MLGC_INLINE mlgc_like<int32_t, H> of(H high, H low) { return mlgc_high_pairs(high) | mlgc_convert<int32_t>(low); }
};
#if defined(__x86_64__) && MLGC_BYTES == 64
// A vector of either row gives two of pairs, with one shuffle each.
template <>
struct mlgc_joined_pairs<mlgc_vec<uint16_t, 32>> {
  typedef mlgc_vec<uint16_t, 32> H;
  typedef mlgc_vec<int32_t, 16> P;
#ifdef __clang__
#define MLGC_PAIRS(n)                                                                                                  \
  (P) __builtin_shufflevector(low, high, n, n + 32, n + 1, n + 33, n + 2, n + 34, n + 3, n + 35, n + 4, n + 36, n + 5, \
                              n + 37, n + 6, n + 38, n + 7, n + 39, n + 8, n + 40, n + 9, n + 41, n + 10, n + 42,      \
                              n + 11, n + 43, n + 12, n + 44, n + 13, n + 45, n + 14, n + 46, n + 15, n + 47)
#else
#define MLGC_PAIRS(n)                                                                                             \
  (P) __builtin_shuffle(low, high,                                                                                \
                        H{n,      n + 32, n + 1,  n + 33, n + 2,  n + 34, n + 3,  n + 35, n + 4,  n + 36, n + 5,  \
                          n + 37, n + 6,  n + 38, n + 7,  n + 39, n + 8,  n + 40, n + 9,  n + 41, n + 10, n + 42, \
                          n + 11, n + 43, n + 12, n + 44, n + 13, n + 45, n + 14, n + 46, n + 15, n + 47})
#endif
  MLGC_INLINE mlgc_halves<int32_t, 32> of(H high, H low) { return {MLGC_PAIRS(0), MLGC_PAIRS(16)}; }
#undef MLGC_PAIRS
};
template <int N>
struct mlgc_joined_pairs<mlgc_halves<uint16_t, N>> {
  typedef mlgc_joined_pairs<mlgc_vec<uint16_t, N / 2>> Half;
  MLGC_INLINE mlgc_halves<int32_t, N> of(mlgc_halves<uint16_t, N> high, mlgc_halves<uint16_t, N> low) {
    return {Half::of(high.lo, low.lo), Half::of(high.hi, low.hi)};
  }
};
#endif
template <class H>
MLGC_INLINE mlgc_like<int32_t, H> mlgc_join_pairs(H high, H low) {
  return mlgc_joined_pairs<H>::of(high, low);
}

//- mlgc_add_pairs: sum + the products of the high halves, then + those of the low halves; all lanes take one pair
template <class V>
struct mlgc_pairs_added {
  template <class P>
  MLGC_INLINE V of(P pair, P pairs, V sum) {
    sum = mlgc_fma_f32(mlgc_floats(pair & -65536), mlgc_floats(pairs & -65536), sum);
    return mlgc_fma_f32(mlgc_floats(mlgc_shift_left(pair, 16)), mlgc_floats(mlgc_shift_left(pairs, 16)), sum);
  }
};
#if defined(__x86_64__) && MLGC_BYTES == 64
template <>
struct mlgc_pairs_added<mlgc_vec<float, 16>> {
  typedef mlgc_vec<int32_t, 16> P;
  MLGC_INLINE mlgc_vec<float, 16> of(P pair, P pairs, mlgc_vec<float, 16> sum) {
    __asm__("vdpbf16ps %1, %2, %0" : "+v"(sum) : "v"(pair), "v"(pairs));
    return sum;
  }
};
template <int N>
struct mlgc_pairs_added<mlgc_halves<float, N>> {
  typedef mlgc_pairs_added<mlgc_vec<float, N / 2>> Half;
  MLGC_INLINE mlgc_halves<float, N> of(mlgc_halves<int32_t, N> pair, mlgc_halves<int32_t, N> pairs,
                                       mlgc_halves<float, N> sum) {
    return {Half::of(pair.lo, pairs.lo, sum.lo), Half::of(pair.hi, pairs.hi, sum.hi)};
  }
};
#endif
template <class V>
MLGC_INLINE V mlgc_add_pairs(const uint32_t& pair, mlgc_like<int32_t, V> pairs, V sum) {
  return mlgc_pairs_added<V>::of(mlgc_splat<mlgc_like<int32_t, V>>(static_cast<int32_t>(pair)), pairs, sum);
}
#if defined(__x86_64__) && MLGC_BYTES == 64
MLGC_INLINE mlgc_vec<float, 16> mlgc_add_pairs(const uint32_t& pair, mlgc_vec<int32_t, 16> pairs,
                                               mlgc_vec<float, 16> sum) {
  __asm__("vdpbf16ps %1%{1to16%}, %2, %0" : "+v"(sum) : "m"(pair), "v"(pairs));
  return sum;
}
#endif
