// Vectors of a stated number of lanes, over the vector extensions of g++ and clang++, for source that includes nothing.
//
// The files of this folder are text that emitted units contain: a piece starts at a line `//- name: what it is` and is
// printed where its name is used. A piece may use what stands before it, in this file or an earlier one.
//
// Guarantees
//   - `mlgc_vec<T, N>` is one hardware vector where it fits into MLGC_BYTES, else two halves, and so on: named members
//     and never arrays, so that compilers keep them in registers. What is computed does not depend on MLGC_BYTES.
//   - Scalars are vectors of one lane: every function accepts `float` where it accepts `mlgc_vec<float, N>`, and gives
//   the
//     same bits in each lane. A comparison gives bool for scalars, and lanes of 0 or -1 (masks) for vectors.
//   - Memory is touched where lanes are active, and nowhere else.
// It is C++14 without exceptions. MLGC_INLINE stands in front of what is to be inlined, MLGC_CALL in front of what is
// not.

//- mlgc_vec: vectors
template <class T, int N>
struct mlgc_halves;
template <class T, int N, bool fits = (N * sizeof(T) <= MLGC_BYTES)>
struct mlgc_lanes {
  typedef mlgc_halves<T, N> type;
};
template <class T, int N>
struct mlgc_lanes<T, N, true> {
  typedef T type __attribute__((vector_size(N * sizeof(T))));
};
template <class T, int N>
using mlgc_vec = typename mlgc_lanes<T, N>::type;
template <class T, int N>
struct mlgc_halves {
  mlgc_vec<T, N / 2> lo, hi;
};
// The vector of T with as many lanes as V; T itself where V is a scalar.
template <class T, class V>
struct mlgc_shape {
  typedef mlgc_vec<T, sizeof(V) / sizeof(V{}[0])> type;
};
template <class T, class S, int N>
struct mlgc_shape<T, mlgc_halves<S, N>> {
  typedef mlgc_vec<T, N> type;
};
#define MLGC_SCALAR(S)      \
  template <class T>        \
  struct mlgc_shape<T, S> { \
    typedef T type;         \
  };
MLGC_SCALAR(bool)
MLGC_SCALAR(int8_t)
MLGC_SCALAR(uint8_t)
MLGC_SCALAR(int16_t)
MLGC_SCALAR(uint16_t)
MLGC_SCALAR(int32_t)
MLGC_SCALAR(uint32_t)
MLGC_SCALAR(int64_t)
MLGC_SCALAR(uint64_t)
MLGC_SCALAR(float)
MLGC_SCALAR(double)
#undef MLGC_SCALAR
template <class T, class V>
using mlgc_like = typename mlgc_shape<T, V>::type;
// The type of a lane.
template <class T>
struct mlgc_plain {
  typedef T type;
};
template <class T>
struct mlgc_plain<T&> {
  typedef T type;
};
template <class T>
struct mlgc_plain<T&&> {
  typedef T type;
};
template <class V>
using mlgc_lane = typename mlgc_plain<decltype(V{}[0])>::type;

// Arithmetic and comparisons of halves, with a scalar on either side.
#define MLGC_OPERATOR(op)                                                           \
  template <class T, int N>                                                         \
  MLGC_INLINE auto operator op(mlgc_halves<T, N> a, mlgc_halves<T, N> b)            \
      ->mlgc_vec<mlgc_lane<decltype(mlgc_vec<T, 2> {} op mlgc_vec<T, 2>{})>, N> {   \
    return {a.lo op b.lo, a.hi op b.hi};                                            \
  }                                                                                 \
  template <class T, int N>                                                         \
  MLGC_INLINE auto operator op(mlgc_halves<T, N> a, typename mlgc_plain<T>::type b) \
      ->mlgc_vec<mlgc_lane<decltype(mlgc_vec<T, 2> {} op mlgc_vec<T, 2>{})>, N> {   \
    return {a.lo op b, a.hi op b};                                                  \
  }                                                                                 \
  template <class T, int N>                                                         \
  MLGC_INLINE auto operator op(typename mlgc_plain<T>::type a, mlgc_halves<T, N> b) \
      ->mlgc_vec<mlgc_lane<decltype(mlgc_vec<T, 2> {} op mlgc_vec<T, 2>{})>, N> {   \
    return {a op b.lo, a op b.hi};                                                  \
  }
MLGC_OPERATOR(+)
MLGC_OPERATOR(-)
MLGC_OPERATOR(*)
MLGC_OPERATOR(/)
MLGC_OPERATOR(&)
MLGC_OPERATOR(|)
MLGC_OPERATOR(^)
MLGC_OPERATOR(<)
MLGC_OPERATOR(<=)
MLGC_OPERATOR(>)
MLGC_OPERATOR(>=)
MLGC_OPERATOR(==)
MLGC_OPERATOR(!=)
#undef MLGC_OPERATOR
template <class T, int N>
MLGC_INLINE mlgc_halves<T, N> operator-(mlgc_halves<T, N> a) {
  return {-a.lo, -a.hi};
}
template <class T, int N>
MLGC_INLINE mlgc_halves<T, N> operator~(mlgc_halves<T, N> a) {
  return {~a.lo, ~a.hi};
}

//- MLGC_UNROLL: in front of a loop of so many iterations: it is unrolled as a whole
#define MLGC_PRAGMA(text) _Pragma(#text)
#ifdef __clang__
#define MLGC_UNROLL(iterations) MLGC_PRAGMA(unroll iterations)
#else
#define MLGC_UNROLL(iterations) MLGC_PRAGMA(GCC unroll iterations)
#endif

//- mlgc_anew: a pointer to what N lanes of f32 share; one that is new to compilers, where registers are few and each
// element has work for more than one: it is then kept from no earlier iteration
template <int N, class T>
MLGC_INLINE T* mlgc_anew(T* pointer) {
  if (MLGC_BYTES < 64 && N * sizeof(float) > MLGC_BYTES) __asm__ volatile("" : "+r"(pointer));
  return pointer;
}

//- mlgc_half: the halves of one hardware vector of at least four lanes
// By shuffles where the compiler has them: what memcpy reads, g++ keeps in memory, also in the loop before.
template <int count, int... lanes>
struct mlgc_half : mlgc_half<count - 1, count - 1, lanes...> {};
template <int... lanes>
struct mlgc_half<0, lanes...> {
  template <class H, class V>
  MLGC_INLINE H low(V v) {
#if defined(__clang__) || __GNUC__ >= 12
    return __builtin_shufflevector(v, v, lanes...);
#else
    H half;
    __builtin_memcpy(&half, &v, sizeof half);
    return half;
#endif
  }
  template <class H, class V>
  MLGC_INLINE H high(V v) {
#if defined(__clang__) || __GNUC__ >= 12
    return __builtin_shufflevector(v, v, lanes + static_cast<int>(sizeof...(lanes))...);
#else
    H half;
    __builtin_memcpy(&half, reinterpret_cast<const char*>(&v) + sizeof half, sizeof half);
    return half;
#endif
  }
};

//- mlgc_low: the first half of a vector
template <class H, class V>
MLGC_INLINE H mlgc_low(V v) {
  return mlgc_half<sizeof(V) / sizeof(V{}[0]) / 2>::template low<H>(v);
}
template <class H, class T, int N>
MLGC_INLINE H mlgc_low(mlgc_halves<T, N> v) {
  return v.lo;
}

//- mlgc_high: the second half of a vector
template <class H, class V>
MLGC_INLINE H mlgc_high(V v) {
  return mlgc_half<sizeof(V) / sizeof(V{}[0]) / 2>::template high<H>(v);
}
template <class H, class T, int N>
MLGC_INLINE H mlgc_high(mlgc_halves<T, N> v) {
  return v.hi;
}

//- mlgc_join: a vector from its halves
// By shuffles too: g++ writes halves to memory otherwise, which a load of both waits for.
template <int count, int... lanes>
struct mlgc_both : mlgc_both<count - 1, count - 1, lanes...> {};
template <int... lanes>
struct mlgc_both<0, lanes...> {
  template <class V, class H>
  MLGC_INLINE V of(H lo, H hi) {
#if defined(__clang__) || __GNUC__ >= 12
    return __builtin_shufflevector(lo, hi, lanes...);
#else
    V v;
    __builtin_memcpy(&v, &lo, sizeof lo);
    __builtin_memcpy(reinterpret_cast<char*>(&v) + sizeof lo, &hi, sizeof hi);
    return v;
#endif
  }
};
template <class V, class H>
struct mlgc_joined {
  MLGC_INLINE V of(H lo, H hi) { return mlgc_both<sizeof(V) / sizeof(V{}[0])>::template of<V>(lo, hi); }
};
template <class T, int N, class H>
struct mlgc_joined<mlgc_halves<T, N>, H> {
  MLGC_INLINE mlgc_halves<T, N> of(H lo, H hi) { return {lo, hi}; }
};
template <class V, class H>
MLGC_INLINE V mlgc_join(H lo, H hi) {
  return mlgc_joined<V, H>::of(lo, hi);
}

//- mlgc_splat: the same value in every lane
template <class V>
struct mlgc_splatted {
  // Not `+`: -0.0 + 0.0 is 0.0.
  MLGC_INLINE V of(mlgc_lane<V> x) { return x - V{}; }
};
template <class T, int N>
struct mlgc_splatted<mlgc_halves<T, N>> {
  MLGC_INLINE mlgc_halves<T, N> of(T x) {
    return {mlgc_splatted<mlgc_vec<T, N / 2>>::of(x), mlgc_splatted<mlgc_vec<T, N / 2>>::of(x)};
  }
};
#define MLGC_SCALAR(S)                  \
  template <>                           \
  struct mlgc_splatted<S> {             \
    MLGC_INLINE S of(S x) { return x; } \
  };
MLGC_SCALAR(float)
MLGC_SCALAR(double)
MLGC_SCALAR(int32_t)
MLGC_SCALAR(int64_t)
#undef MLGC_SCALAR
template <class V, class T>
MLGC_INLINE V mlgc_splat(T x) {
  return mlgc_splatted<V>::of(x);
}

//- mlgc_convert: lanes converted to T as static_cast does; also masks of one width to another
template <class To>
struct mlgc_converted {
  template <class V>
  MLGC_INLINE To from(V v) {
    return __builtin_convertvector(v, To);
  }
  template <class S, int N>
  MLGC_INLINE To from(mlgc_halves<S, N> v) {
    typedef mlgc_vec<mlgc_lane<To>, N / 2> Half;
    return mlgc_join<To>(mlgc_converted<Half>::from(v.lo), mlgc_converted<Half>::from(v.hi));
  }
};
template <class T, int N>
struct mlgc_converted<mlgc_halves<T, N>> {
  typedef mlgc_converted<mlgc_vec<T, N / 2>> Half;
  template <class V>
  MLGC_INLINE mlgc_halves<T, N> from(V v) {
    typedef mlgc_vec<mlgc_lane<V>, N / 2> Source;
    return {Half::from(mlgc_low<Source>(v)), Half::from(mlgc_high<Source>(v))};
  }
  template <class S>
  MLGC_INLINE mlgc_halves<T, N> from(mlgc_halves<S, N> v) {
    return {Half::from(v.lo), Half::from(v.hi)};
  }
};
#if defined(__x86_64__) && MLGC_BYTES > 16 && !defined(__clang__)
// What g++ 12 does lane by lane, of 16 bits in halves. Floats are made of integers of 32 bits. clang needs no help.
#define MLGC_WIDEN(S, instruction)                                \
  MLGC_INLINE To from(mlgc_vec<S, MLGC_BYTES / 4> v) {            \
    To wide;                                                      \
    __asm__("vpmov" instruction " %1, %0" : "=v"(wide) : "v"(v)); \
    return wide;                                                  \
  }
template <>
struct mlgc_converted<mlgc_vec<int32_t, MLGC_BYTES / 4>> {
  typedef mlgc_vec<int32_t, MLGC_BYTES / 4> To;
  template <class V>
  MLGC_INLINE To from(V v) {
    return __builtin_convertvector(v, To);
  }
  template <class S, int N>
  MLGC_INLINE To from(mlgc_halves<S, N> v) {
    typedef mlgc_vec<int32_t, N / 2> Half;
    return mlgc_join<To>(mlgc_converted<Half>::from(v.lo), mlgc_converted<Half>::from(v.hi));
  }
  MLGC_WIDEN(int8_t, "sxbd")
  MLGC_WIDEN(uint8_t, "zxbd")
  MLGC_WIDEN(int16_t, "sxwd")
  MLGC_WIDEN(uint16_t, "zxwd")
};
#undef MLGC_WIDEN
#define MLGC_WIDEN(S)                                                                               \
  MLGC_INLINE To from(mlgc_vec<S, MLGC_BYTES / 4> v) {                                              \
    return __builtin_convertvector(mlgc_converted<mlgc_vec<int32_t, MLGC_BYTES / 4>>::from(v), To); \
  }
template <>
struct mlgc_converted<mlgc_vec<float, MLGC_BYTES / 4>> {
  typedef mlgc_vec<float, MLGC_BYTES / 4> To;
  template <class V>
  MLGC_INLINE To from(V v) {
    return __builtin_convertvector(v, To);
  }
  template <class S, int N>
  MLGC_INLINE To from(mlgc_halves<S, N> v) {
    typedef mlgc_vec<float, N / 2> Half;
    return mlgc_join<To>(mlgc_converted<Half>::from(v.lo), mlgc_converted<Half>::from(v.hi));
  }
  MLGC_WIDEN(int8_t)
  MLGC_WIDEN(uint8_t)
  MLGC_WIDEN(int16_t)
  MLGC_WIDEN(uint16_t)
};
#undef MLGC_WIDEN
// What g++ 12 does in halves of two lanes.
template <>
struct mlgc_converted<mlgc_vec<double, MLGC_BYTES / 8>> {
  typedef mlgc_vec<double, MLGC_BYTES / 8> To;
  template <class V>
  MLGC_INLINE To from(V v) {
    return __builtin_convertvector(v, To);
  }
  MLGC_INLINE To from(mlgc_vec<float, MLGC_BYTES / 8> v) {
    To wide;
    __asm__("vcvtps2pd %1, %0" : "=v"(wide) : "v"(v));
    return wide;
  }
};
#endif
#define MLGC_SCALAR(S)          \
  template <>                   \
  struct mlgc_converted<S> {    \
    template <class V>          \
    MLGC_INLINE S from(V v) {   \
      return static_cast<S>(v); \
    }                           \
  };
MLGC_SCALAR(int8_t)
MLGC_SCALAR(uint8_t)
MLGC_SCALAR(int16_t)
MLGC_SCALAR(uint16_t)
MLGC_SCALAR(int32_t)
MLGC_SCALAR(uint32_t)
MLGC_SCALAR(int64_t)
MLGC_SCALAR(float)
MLGC_SCALAR(double)
#undef MLGC_SCALAR
template <class T, class V>
MLGC_INLINE mlgc_like<T, V> mlgc_convert(V v) {
  return mlgc_converted<mlgc_like<T, V>>::from(v);
}

//- mlgc_select: a where the mask is set, else b; the lanes of the mask may have another width
template <class T>
MLGC_INLINE T mlgc_select(bool m, T a, T b) {
  return m ? a : b;
}
template <class T>
MLGC_INLINE T mlgc_select(int m, T a, T b) {  // what & and | make of bools
  return m != 0 ? a : b;
}
template <class M, class V>
MLGC_INLINE V mlgc_select(M m, V a, V b) {
  return mlgc_convert<mlgc_lane<decltype(a < b)>>(m) ? a : b;
}
template <class M, class T, int N>
MLGC_INLINE mlgc_halves<T, N> mlgc_select(M m, mlgc_halves<T, N> a, mlgc_halves<T, N> b) {
  const auto wide = mlgc_convert<mlgc_lane<decltype(mlgc_vec<T, 2>{} < mlgc_vec<T, 2>{})>>(m);
  return {mlgc_select(wide.lo, a.lo, b.lo), mlgc_select(wide.hi, a.hi, b.hi)};
}

//- mlgc_bits: the bits of floats as integers
MLGC_INLINE int32_t mlgc_bits(float x) {
  int32_t bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  return bits;
}
MLGC_INLINE int64_t mlgc_bits(double x) {
  int64_t bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  return bits;
}
template <class V>
MLGC_INLINE decltype(V{} < V{}) mlgc_bits(V x) {
  return (decltype(V{} < V{}))x;
}
template <class T, int N>
MLGC_INLINE auto mlgc_bits(mlgc_halves<T, N> x)
    -> mlgc_halves<mlgc_lane<decltype(mlgc_vec<T, 2>{} < mlgc_vec<T, 2>{})>, N> {
  return {mlgc_bits(x.lo), mlgc_bits(x.hi)};
}

//- mlgc_number_bits: likewise, of each NaN those of the positive quiet one
MLGC_INLINE int32_t mlgc_number_bits(float x) { return x == x ? mlgc_bits(x) : 0x7fc00000; }
MLGC_INLINE int64_t mlgc_number_bits(double x) { return x == x ? mlgc_bits(x) : 0x7ff8000000000000; }
template <class V>
MLGC_INLINE auto mlgc_number_bits(V x) -> mlgc_like<decltype(mlgc_number_bits(V{}[0])), V> {
  typedef mlgc_like<decltype(mlgc_number_bits(V{}[0])), V> I;
  const I known = (I)(x == x), nan = mlgc_splat<I>(mlgc_number_bits(static_cast<mlgc_lane<V>>(__builtin_nan(""))));
  return (known & (I)x) | (~known & nan);
}
template <class T, int N>
MLGC_INLINE auto mlgc_number_bits(mlgc_halves<T, N> x) -> mlgc_halves<decltype(mlgc_number_bits(T{})), N> {
  return {mlgc_number_bits(x.lo), mlgc_number_bits(x.hi)};
}

//- mlgc_floats: integers as the bits of floats of the same width
MLGC_INLINE float mlgc_floats(int32_t bits) {
  float x;
  __builtin_memcpy(&x, &bits, sizeof x);
  return x;
}
MLGC_INLINE double mlgc_floats(int64_t bits) {
  double x;
  __builtin_memcpy(&x, &bits, sizeof x);
  return x;
}
template <int bytes>
struct mlgc_float_of {
  typedef float type;
};
template <>
struct mlgc_float_of<8> {
  typedef double type;
};
template <class V>
MLGC_INLINE mlgc_like<typename mlgc_float_of<sizeof(V{}[0])>::type, V> mlgc_floats(V bits) {
  return (mlgc_like<typename mlgc_float_of<sizeof(V{}[0])>::type, V>)bits;
}
template <class T, int N>
MLGC_INLINE mlgc_halves<typename mlgc_float_of<sizeof(T)>::type, N> mlgc_floats(mlgc_halves<T, N> bits) {
  return {mlgc_floats(bits.lo), mlgc_floats(bits.hi)};
}

//- mlgc_any: whether a lane of the mask is set
template <class V, int bytes = sizeof(V)>
struct mlgc_signs {
  MLGC_INLINE bool any(V m) {
    int64_t words[sizeof m <= 8 ? 1 : sizeof m / 8] = {0};
    __builtin_memcpy(words, &m, sizeof m);
    int64_t all = 0;
    for (const int64_t word : words) all |= word;
    return all != 0;
  }
};
#ifdef __x86_64__
// Lanes are 0 or -1: the highest bit of each word says it, whatever the width of the lanes.
#define MLGC_SIGNS(size, code, kind, ...)               \
  template <class V>                                    \
  struct mlgc_signs<V, size> {                          \
    MLGC_INLINE bool any(V m) {                         \
      uint32_t bits;                                    \
      __asm__(code : "=r"(bits) : kind(m) __VA_ARGS__); \
      return bits != 0;                                 \
    }                                                   \
  };
#if MLGC_BYTES == 64
MLGC_SIGNS(64, "vptestmd %1, %1, %%k1\n\tkmovw %%k1, %0", "v", : "k1")
#endif
#if MLGC_BYTES > 16
MLGC_SIGNS(32, "vpmovmskb %1, %0", "x", )
MLGC_SIGNS(16, "vpmovmskb %1, %0", "x", )
#else
MLGC_SIGNS(16, "pmovmskb %1, %0", "x", )
#endif
#undef MLGC_SIGNS
#endif
MLGC_INLINE bool mlgc_any(bool m) { return m; }
template <class V>
MLGC_INLINE bool mlgc_any(V m) {
  return mlgc_signs<V>::any(m);
}
template <class T, int N>
MLGC_INLINE bool mlgc_any(mlgc_halves<T, N> m) {
  return mlgc_any(m.lo | m.hi);
}

//- mlgc_all: whether every lane of the mask is set
MLGC_INLINE bool mlgc_all(bool m) { return m; }
template <class V>
MLGC_INLINE bool mlgc_all(V m) {
  return !mlgc_any(~m);
}

//- mlgc_none_negative: whether all lanes of i32 are at least 0
template <class V, int bytes = sizeof(V)>
struct mlgc_sign_bits {
  MLGC_INLINE bool none(V v) { return !mlgc_any(v < V{}); }
};
#ifdef __x86_64__
#define MLGC_SIGN_BITS(size, code, kind, ...)           \
  template <class V>                                    \
  struct mlgc_sign_bits<V, size> {                      \
    MLGC_INLINE bool none(V v) {                        \
      uint32_t bits;                                    \
      __asm__(code : "=r"(bits) : kind(v) __VA_ARGS__); \
      return bits == 0;                                 \
    }                                                   \
  };
#if MLGC_BYTES == 64
MLGC_SIGN_BITS(64, "vpmovd2m %1, %%k1\n\tkmovw %%k1, %0", "v", : "k1")
#endif
#if MLGC_BYTES > 16
MLGC_SIGN_BITS(32, "vmovmskps %1, %0", "x", )
MLGC_SIGN_BITS(16, "vmovmskps %1, %0", "x", )
#else
MLGC_SIGN_BITS(16, "movmskps %1, %0", "x", )
#endif
#undef MLGC_SIGN_BITS
#endif
MLGC_INLINE bool mlgc_none_negative(int32_t v) { return v >= 0; }
template <class V>
MLGC_INLINE bool mlgc_none_negative(V v) {
  return mlgc_sign_bits<V>::none(v);
}
template <int N>
MLGC_INLINE bool mlgc_none_negative(mlgc_halves<int32_t, N> v) {
  return mlgc_none_negative(v.lo | v.hi);
}

//- mlgc_load: a vector from consecutive elements
template <class V>
struct mlgc_loaded {
  template <class T>
  MLGC_INLINE V from(const T* p) {
    V v;
    __builtin_memcpy(&v, p, sizeof v);
    return v;
  }
};
template <class S, int N>
struct mlgc_loaded<mlgc_halves<S, N>> {
  typedef mlgc_loaded<mlgc_vec<S, N / 2>> Half;
  template <class T>
  MLGC_INLINE mlgc_halves<S, N> from(const T* p) {
    return {Half::from(p), Half::from(p + N / 2)};
  }
};
template <class V, class T>
MLGC_INLINE V mlgc_load(const T* p) {
  static_assert(sizeof(T) * (sizeof(V) / sizeof(T)) == sizeof(V), "whole elements");
  return mlgc_loaded<V>::from(p);
}

//- mlgc_store: a vector to consecutive elements
template <class T, class V>
MLGC_INLINE void mlgc_store(T* p, V v) {
  __builtin_memcpy(p, &v, sizeof v);
}
template <class T, class S, int N>
MLGC_INLINE void mlgc_store(T* p, mlgc_halves<S, N> v) {
  mlgc_store(p, v.lo);
  mlgc_store(p + N / 2, v.hi);
}

//- mlgc_numbers: 0, 1, 2, ...
static const int64_t mlgc_numbers[64] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                         16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
                                         32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
                                         48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};

//- mlgc_numbers_32: the same in 32 bits
static const int32_t mlgc_numbers_32[64] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                            16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
                                            32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
                                            48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};

//- mlgc_store_every: to p[0], p[stride], p[2 stride], ...
template <class T, class V>
MLGC_INLINE void mlgc_store_every(T* p, int64_t stride, V v) {
  T lanes[sizeof(V) / sizeof(T)];
  mlgc_store(lanes, v);
  for (const T& lane : lanes) {
    *p = lane;
    p += stride;
  }
}

//- mlgc_counted: the numbers of lanes as a list
template <int... lanes>
struct mlgc_order {};
template <int count, int... lanes>
struct mlgc_counted : mlgc_counted<count - 1, count - 1, lanes...> {};
template <int... lanes>
struct mlgc_counted<0, lanes...> {
  typedef mlgc_order<lanes...> type;
};

//- mlgc_load_every: p[0], p[stride], p[2 stride], ...
// In registers: what single stores leave in memory, a wide load waits for.
template <class V>
struct mlgc_every {
  template <class T, int... j>
  MLGC_INLINE V in_order(const T* p, int64_t stride, mlgc_order<j...>) {
    return V{static_cast<mlgc_lane<V>>(p[j * stride])...};
  }
  template <class T>
  MLGC_INLINE V load(const T* p, int64_t stride) {
    return in_order(p, stride, typename mlgc_counted<sizeof(V) / sizeof(T)>::type());
  }
};
template <class S, int N>
struct mlgc_every<mlgc_halves<S, N>> {
  typedef mlgc_every<mlgc_vec<S, N / 2>> Half;
  template <class T>
  MLGC_INLINE mlgc_halves<S, N> load(const T* p, int64_t stride) {
    return {Half::load(p, stride), Half::load(p + N / 2 * stride, stride)};
  }
};
template <class V, class T>
MLGC_INLINE V mlgc_load_every(const T* p, int64_t stride) {
  return mlgc_every<V>::load(p, stride);
}

//- mlgc_transpose: of as many vectors as each has lanes, in place: lane j of vector i becomes lane i of vector j
#ifdef __clang__
#define MLGC_SHUFFLE(a, b, T, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define MLGC_SHUFFLE(a, b, T, ...) __builtin_shuffle(a, b, T{__VA_ARGS__})
#endif
// Swaps the lanes of a whose number has the bit `step` with those of b whose number has not.
template <int step>
struct mlgc_exchange {
  template <class V, int... j>
  MLGC_INLINE void in_order(V& a, V& b, mlgc_order<j...>) {
    MLGC_UNUSED typedef decltype(mlgc_bits(a)) T;  // not by clang
    const V low = MLGC_SHUFFLE(a, b, T, ((j & step) != 0 ? static_cast<int>(sizeof...(j)) + j - step : j)...);
    b = MLGC_SHUFFLE(a, b, T, ((j & step) != 0 ? static_cast<int>(sizeof...(j)) + j : j + step)...);
    a = low;
  }
  template <class V>
  MLGC_INLINE void of(V& a, V& b) {
    in_order(a, b, typename mlgc_counted<sizeof(V) / sizeof(a[0])>::type());
  }
  template <class H>
  MLGC_INLINE void of_halves(H& a, H& b, mlgc_order<1>) {
    const auto middle = a.hi;
    a.hi = b.lo;
    b.lo = middle;
  }
  template <class H>
  MLGC_INLINE void of_halves(H& a, H& b, mlgc_order<0>) {
    of(a.lo, b.lo);
    of(a.hi, b.hi);
  }
  template <class T, int N>
  MLGC_INLINE void of(mlgc_halves<T, N>& a, mlgc_halves<T, N>& b) {
    of_halves(a, b, mlgc_order<(2 * step == N ? 1 : 0)>());
  }
};
template <class V>
MLGC_INLINE void mlgc_transpose(V& a0, V& a1, V& a2, V& a3) {
  mlgc_exchange<2>::of(a0, a2);
  mlgc_exchange<2>::of(a1, a3);
  mlgc_exchange<1>::of(a0, a1);
  mlgc_exchange<1>::of(a2, a3);
}
template <class V>
MLGC_INLINE void mlgc_transpose(V& a0, V& a1, V& a2, V& a3, V& a4, V& a5, V& a6, V& a7) {
  mlgc_exchange<4>::of(a0, a4);
  mlgc_exchange<4>::of(a1, a5);
  mlgc_exchange<4>::of(a2, a6);
  mlgc_exchange<4>::of(a3, a7);
  mlgc_exchange<2>::of(a0, a2);
  mlgc_exchange<2>::of(a1, a3);
  mlgc_exchange<2>::of(a4, a6);
  mlgc_exchange<2>::of(a5, a7);
  mlgc_exchange<1>::of(a0, a1);
  mlgc_exchange<1>::of(a2, a3);
  mlgc_exchange<1>::of(a4, a5);
  mlgc_exchange<1>::of(a6, a7);
}
template <class V>
MLGC_INLINE void mlgc_transpose(V& a0, V& a1, V& a2, V& a3, V& a4, V& a5, V& a6, V& a7, V& a8, V& a9, V& a10, V& a11,
                                V& a12, V& a13, V& a14, V& a15) {
  mlgc_exchange<8>::of(a0, a8);
  mlgc_exchange<8>::of(a1, a9);
  mlgc_exchange<8>::of(a2, a10);
  mlgc_exchange<8>::of(a3, a11);
  mlgc_exchange<8>::of(a4, a12);
  mlgc_exchange<8>::of(a5, a13);
  mlgc_exchange<8>::of(a6, a14);
  mlgc_exchange<8>::of(a7, a15);
  mlgc_exchange<4>::of(a0, a4);
  mlgc_exchange<4>::of(a1, a5);
  mlgc_exchange<4>::of(a2, a6);
  mlgc_exchange<4>::of(a3, a7);
  mlgc_exchange<4>::of(a8, a12);
  mlgc_exchange<4>::of(a9, a13);
  mlgc_exchange<4>::of(a10, a14);
  mlgc_exchange<4>::of(a11, a15);
  mlgc_exchange<2>::of(a0, a2);
  mlgc_exchange<2>::of(a1, a3);
  mlgc_exchange<2>::of(a4, a6);
  mlgc_exchange<2>::of(a5, a7);
  mlgc_exchange<2>::of(a8, a10);
  mlgc_exchange<2>::of(a9, a11);
  mlgc_exchange<2>::of(a12, a14);
  mlgc_exchange<2>::of(a13, a15);
  mlgc_exchange<1>::of(a0, a1);
  mlgc_exchange<1>::of(a2, a3);
  mlgc_exchange<1>::of(a4, a5);
  mlgc_exchange<1>::of(a6, a7);
  mlgc_exchange<1>::of(a8, a9);
  mlgc_exchange<1>::of(a10, a11);
  mlgc_exchange<1>::of(a12, a13);
  mlgc_exchange<1>::of(a14, a15);
}
#undef MLGC_SHUFFLE

//- mlgc_stream: a vector to consecutive elements, past the caches where it is aligned
#if defined(__x86_64__) && MLGC_BYTES > 16
#define MLGC_STREAM(to, v) __asm__ volatile("vmovntps %1, %0" : "=m"(to) : "v"(v) : "memory")
#elif defined(__x86_64__)
#define MLGC_STREAM(to, v) __asm__ volatile("movntps %1, %0" : "=m"(to) : "x"(v) : "memory")
#endif
template <class T, class V>
MLGC_INLINE void mlgc_stream(T* p, V v) {
#ifdef MLGC_STREAM
  if (sizeof v == MLGC_BYTES && reinterpret_cast<uint64_t>(p) % MLGC_BYTES == 0) {
    MLGC_STREAM(*reinterpret_cast<V*>(p), v);
    return;
  }
#endif
  mlgc_store(p, v);
}
template <class T, class S, int N>
MLGC_INLINE void mlgc_stream(T* p, mlgc_halves<S, N> v) {
  mlgc_stream(p, v.lo);
  mlgc_stream(p + N / 2, v.hi);
}
#undef MLGC_STREAM

//- mlgc_stream_where: past the caches where `far`
template <class T, class V>
MLGC_INLINE void mlgc_stream_where(bool far, T* p, V v) {
  if (far)
    mlgc_stream(p, v);
  else
    mlgc_store(p, v);
}

//- mlgc_stream_end: makes what was streamed visible to other threads before anything that follows
MLGC_INLINE void mlgc_stream_end() {
#ifdef __x86_64__
  __asm__ volatile("sfence" : : : "memory");
#endif
}

//- mlgc_lanewise: f(a[i], b[i]) in each lane
template <class F, class V>
MLGC_INLINE V mlgc_lanewise(F f, V a, V b) {
  mlgc_lane<V> x[sizeof(V) / sizeof(a[0])], y[sizeof(V) / sizeof(a[0])];
  mlgc_store(x, a);
  mlgc_store(y, b);
  for (int i = 0; i < static_cast<int>(sizeof(V) / sizeof(a[0])); ++i) x[i] = f(x[i], y[i]);
  return mlgc_load<V>(x);
}
template <class F, class T, int N>
MLGC_INLINE mlgc_halves<T, N> mlgc_lanewise(F f, mlgc_halves<T, N> a, mlgc_halves<T, N> b) {
  return {mlgc_lanewise(f, a.lo, b.lo), mlgc_lanewise(f, a.hi, b.hi)};
}
