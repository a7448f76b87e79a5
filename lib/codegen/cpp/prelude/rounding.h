// Exact functions of floats: what they give is what the C library gives, in every lane.

//- MLGC_HALVES: a function of vectors as a function of halves
#define MLGC_HALVES(name)                                   \
  template <class T, int N>                                 \
  MLGC_INLINE mlgc_halves<T, N> name(mlgc_halves<T, N> x) { \
    return {name(x.lo), name(x.hi)};                        \
  }
#define MLGC_HALVES_2(name)                                                      \
  template <class T, int N>                                                      \
  MLGC_INLINE mlgc_halves<T, N> name(mlgc_halves<T, N> a, mlgc_halves<T, N> b) { \
    return {name(a.lo, b.lo), name(a.hi, b.hi)};                                 \
  }
// From a scalar function, lane by lane.
#define MLGC_EACH_LANE(name, T, scalar)                         \
  MLGC_INLINE T name(T a) { return static_cast<T>(scalar(a)); } \
  template <class V>                                            \
  MLGC_INLINE V name(V a) {                                     \
    T x[sizeof(V) / sizeof(T)];                                 \
    mlgc_store(x, a);                                           \
    for (T & lane : x) lane = static_cast<T>(scalar(lane));     \
    return mlgc_load<V>(x);                                     \
  }
#define MLGC_EACH_LANE_2(name, T, scalar)                               \
  MLGC_INLINE T name(T a, T b) { return static_cast<T>(scalar(a, b)); } \
  template <class V>                                                    \
  MLGC_INLINE V name(V a, V b) {                                        \
    T x[sizeof(V) / sizeof(T)], y[sizeof(V) / sizeof(T)];               \
    mlgc_store(x, a);                                                   \
    mlgc_store(y, b);                                                   \
    int i = 0;                                                          \
    for (T & lane : x) lane = static_cast<T>(scalar(lane, y[i++]));     \
    return mlgc_load<V>(x);                                             \
  }

//- mlgc_abs_f32
template <class V>
MLGC_INLINE V mlgc_abs_f32(V x) {
  return mlgc_floats(mlgc_bits(x) & 0x7fffffff);
}

//- mlgc_abs_f64
template <class V>
MLGC_INLINE V mlgc_abs_f64(V x) {
  return mlgc_floats(mlgc_bits(x) & 0x7fffffffffffffff);
}

//- mlgc_copysign_f32: the magnitude of x, which is not negative, with the sign of y
template <class V>
MLGC_INLINE V mlgc_copysign_f32(V x, V y) {
  return mlgc_floats(mlgc_bits(x) | (mlgc_bits(y) & static_cast<int32_t>(0x80000000u)));
}

//- mlgc_copysign_f64: the magnitude of x, which is not negative, with the sign of y
template <class V>
MLGC_INLINE V mlgc_copysign_f64(V x, V y) {
  return mlgc_floats(mlgc_bits(x) | (mlgc_bits(y) & static_cast<int64_t>(0x8000000000000000u)));
}

//- mlgc_sign_f32
template <class V>
MLGC_INLINE V mlgc_sign_f32(V x) {
  const V zero = V{}, one = zero + 1.0f;
  return mlgc_select(x > zero, one, mlgc_select(x < zero, -one, zero));
}

//- mlgc_sign_f64
template <class V>
MLGC_INLINE V mlgc_sign_f64(V x) {
  const V zero = V{}, one = zero + 1.0;
  return mlgc_select(x > zero, one, mlgc_select(x < zero, -one, zero));
}

//- mlgc_least_f: a where it is less than b, else b
// One instruction, which g++ does not find where the result is chosen from once more.
template <class V, int bytes = sizeof(V), int bytes_of_lane = sizeof(V{}[0])>
struct mlgc_extremes {
  MLGC_INLINE V least(V a, V b) { return mlgc_select(a < b, a, b); }
  MLGC_INLINE V most(V a, V b) { return mlgc_select(a > b, a, b); }
};
#if defined(__x86_64__) && MLGC_BYTES > 16
#define MLGC_EXTREMES(bytes, bytes_of_lane, suffix)                      \
  template <class V>                                                     \
  struct mlgc_extremes<V, bytes, bytes_of_lane> {                        \
    MLGC_INLINE V least(V a, V b) {                                      \
      V v;                                                               \
      __asm__("vminp" suffix " %2, %1, %0" : "=v"(v) : "v"(a), "vm"(b)); \
      return v;                                                          \
    }                                                                    \
    MLGC_INLINE V most(V a, V b) {                                       \
      V v;                                                               \
      __asm__("vmaxp" suffix " %2, %1, %0" : "=v"(v) : "v"(a), "vm"(b)); \
      return v;                                                          \
    }                                                                    \
  };
MLGC_EXTREMES(MLGC_BYTES, 4, "s")
MLGC_EXTREMES(MLGC_BYTES, 8, "d")
#undef MLGC_EXTREMES
#endif
template <class V>
MLGC_INLINE V mlgc_least_f(V a, V b) {
  return mlgc_extremes<V>::least(a, b);
}
MLGC_INLINE float mlgc_least_f(float a, float b) { return a < b ? a : b; }
MLGC_INLINE double mlgc_least_f(double a, double b) { return a < b ? a : b; }
MLGC_HALVES_2(mlgc_least_f)

//- mlgc_most_f: a where it is greater than b, else b
template <class V>
MLGC_INLINE V mlgc_most_f(V a, V b) {
  return mlgc_extremes<V>::most(a, b);
}
MLGC_INLINE float mlgc_most_f(float a, float b) { return a > b ? a : b; }
MLGC_INLINE double mlgc_most_f(double a, double b) { return a > b ? a : b; }
MLGC_HALVES_2(mlgc_most_f)

//- mlgc_min_f: NaN where either is; b where they are equal
template <class V>
MLGC_INLINE V mlgc_min_f(V a, V b) {
  return mlgc_select(a != a, a, mlgc_least_f(a, b));
}

//- mlgc_max_f: NaN where either is; b where they are equal
template <class V>
MLGC_INLINE V mlgc_max_f(V a, V b) {
  return mlgc_select(a != a, a, mlgc_most_f(a, b));
}

//- mlgc_round_f32: to the nearest integer, ties to even; what is at least 2^23 is one
template <class V>
MLGC_INLINE V mlgc_round_f32(V x) {
  const V a = mlgc_abs_f32(x);
  return mlgc_select(a < 8388608.0f, mlgc_copysign_f32(a + 8388608.0f - 8388608.0f, x), x);
}

//- mlgc_round_f64
template <class V>
MLGC_INLINE V mlgc_round_f64(V x) {
  const V a = mlgc_abs_f64(x);
  return mlgc_select(a < 4503599627370496.0, mlgc_copysign_f64(a + 4503599627370496.0 - 4503599627370496.0, x), x);
}

//- mlgc_trunc_f32
template <class V>
MLGC_INLINE V mlgc_trunc_f32(V x) {
  const V a = mlgc_abs_f32(x), near = a + 8388608.0f - 8388608.0f;
  return mlgc_select(a < 8388608.0f, mlgc_copysign_f32(mlgc_select(near > a, near - 1.0f, near), x), x);
}

//- mlgc_trunc_f64
template <class V>
MLGC_INLINE V mlgc_trunc_f64(V x) {
  const V a = mlgc_abs_f64(x), near = a + 4503599627370496.0 - 4503599627370496.0;
  return mlgc_select(a < 4503599627370496.0, mlgc_copysign_f64(mlgc_select(near > a, near - 1.0, near), x), x);
}

//- mlgc_floor_f32
template <class V>
MLGC_INLINE V mlgc_floor_f32(V x) {
  const V near = mlgc_round_f32(x);
  return mlgc_select(near > x, near - 1.0f, near);
}

//- mlgc_floor_f64
template <class V>
MLGC_INLINE V mlgc_floor_f64(V x) {
  const V near = mlgc_round_f64(x);
  return mlgc_select(near > x, near - 1.0, near);
}

//- mlgc_ceil_f32: -0 between -1 and 0
template <class V>
MLGC_INLINE V mlgc_ceil_f32(V x) {
  return -mlgc_floor_f32(-x);
}

//- mlgc_ceil_f64: -0 between -1 and 0
template <class V>
MLGC_INLINE V mlgc_ceil_f64(V x) {
  return -mlgc_floor_f64(-x);
}

//- mlgc_root: square roots, by the instruction of each width
#define MLGC_ROOT(T, size, code, kind)       \
  template <class V>                         \
  struct mlgc_root<T, V, size> {             \
    MLGC_INLINE V of(V x) {                  \
      V y;                                   \
      __asm__(code : "=" kind(y) : kind(x)); \
      return y;                              \
    }                                        \
  };
template <class T, class V, int bytes = sizeof(V)>
struct mlgc_root {
  MLGC_INLINE V of(V x) {
    T lanes[sizeof(V) / sizeof(T)];
    __builtin_memcpy(lanes, &x, sizeof x);
    for (T& lane : lanes) lane = mlgc_root<T, T>::of(lane);
    __builtin_memcpy(&x, lanes, sizeof x);
    return x;
  }
};
#if defined(__x86_64__) && MLGC_BYTES > 16
MLGC_ROOT(float, 4, "vsqrtss %1, %1, %0", "v")
MLGC_ROOT(float, 16, "vsqrtps %1, %0", "v")
MLGC_ROOT(float, 32, "vsqrtps %1, %0", "v")
MLGC_ROOT(double, 8, "vsqrtsd %1, %1, %0", "v")
MLGC_ROOT(double, 16, "vsqrtpd %1, %0", "v")
MLGC_ROOT(double, 32, "vsqrtpd %1, %0", "v")
#if MLGC_BYTES == 64
MLGC_ROOT(float, 64, "vsqrtps %1, %0", "v")
MLGC_ROOT(double, 64, "vsqrtpd %1, %0", "v")
#endif
#elif defined(__x86_64__)
MLGC_ROOT(float, 4, "sqrtss %1, %0", "x")
MLGC_ROOT(float, 16, "sqrtps %1, %0", "x")
MLGC_ROOT(double, 8, "sqrtsd %1, %0", "x")
MLGC_ROOT(double, 16, "sqrtpd %1, %0", "x")
#elif defined(__aarch64__)
MLGC_ROOT(float, 4, "fsqrt %s0, %s1", "w")
MLGC_ROOT(float, 16, "fsqrt %0.4s, %1.4s", "w")
MLGC_ROOT(double, 8, "fsqrt %d0, %d1", "w")
MLGC_ROOT(double, 16, "fsqrt %0.2d, %1.2d", "w")
#else
template <>
struct mlgc_root<float, float> {
  MLGC_INLINE float of(float x) { return __builtin_sqrtf(x); }
};
template <>
struct mlgc_root<double, double> {
  MLGC_INLINE double of(double x) { return __builtin_sqrt(x); }
};
#endif
#undef MLGC_ROOT

//- mlgc_sqrt_f32
template <class V>
MLGC_INLINE V mlgc_sqrt_f32(V x) {
  return mlgc_root<float, V>::of(x);
}
MLGC_HALVES(mlgc_sqrt_f32)

//- mlgc_sqrt_f64
template <class V>
MLGC_INLINE V mlgc_sqrt_f64(V x) {
  return mlgc_root<double, V>::of(x);
}
MLGC_HALVES(mlgc_sqrt_f64)

//- mlgc_fmod_one
MLGC_INLINE double mlgc_fmod_one(double a, double b) { return __builtin_fmod(a, b); }

//- mlgc_one: functions of the C library, one f64 at a time
MLGC_INLINE double mlgc_one_exp(double x) { return __builtin_exp(x); }
MLGC_INLINE double mlgc_one_log(double x) { return __builtin_log(x); }
MLGC_INLINE double mlgc_one_sqrt(double x) { return __builtin_sqrt(x); }
MLGC_INLINE double mlgc_one_pow(double x, double y) { return __builtin_pow(x, y); }
MLGC_INLINE double mlgc_one_tan(double x) { return __builtin_tan(x); }
MLGC_INLINE double mlgc_one_floor(double x) { return __builtin_floor(x); }
MLGC_INLINE double mlgc_one_erf(double x) { return __builtin_erf(x); }
MLGC_INLINE double mlgc_one_erfc(double x) { return __builtin_erfc(x); }
MLGC_INLINE double mlgc_one_nan() { return __builtin_nan(""); }
MLGC_INLINE double mlgc_one_infinity() { return __builtin_inf(); }

//- mlgc_one_lgamma: the plain function writes the sign to a variable of the process
extern "C" double lgamma_r(double, int*) noexcept;
MLGC_INLINE double mlgc_one_lgamma(double x) {
  int sign = 0;
  return lgamma_r(x, &sign);
}

//- mlgc_fma_f32: a * b + c, rounded once; the same bits where the machine has no instruction for it
template <class V>
MLGC_TARGET __attribute__((noinline, unused)) static V mlgc_fma_in_f64(V a, V b, V c) {
  // A function: inside of each product of a tile it would make a kernel of megabytes, which compiles for minutes.
  // The product is exact. Of an inexact sum the last bit becomes 1, so that f32 rounds as if all of its bits were
  // there.
  const auto product = mlgc_convert<double>(a) * mlgc_convert<double>(b), addend = mlgc_convert<double>(c);
  const auto sum = product + addend, of_addend = sum - product;
  const auto rest = (product - (sum - of_addend)) + (addend - of_addend), zero = product - product;
  const auto bits = mlgc_bits(sum);
  // Masks are taken with &, which is one instruction: a selection of 64 bits goes lane by lane without SSE4.
  const auto one = (bits & 0) + 1;
  const auto even = ((rest > zero) | (rest < zero)) & one & ~bits;
  const auto outwards = (((rest > zero) & (sum > zero)) | ((rest < zero) & (sum < zero))) & even;
  return mlgc_convert<float>(mlgc_floats(bits + (outwards + outwards - even)));
}
template <class V, int bytes = sizeof(V)>
struct mlgc_fused {
  MLGC_INLINE V of(V a, V b, V c) { return mlgc_fma_in_f64(a, b, c); }
};
#if defined(__x86_64__) && MLGC_BYTES > 16
#define MLGC_FUSED(size, value)                       \
  template <class V>                                  \
  struct mlgc_fused<V, size> {                        \
    MLGC_INLINE V of(V a, V b, V c) { return value; } \
  };
MLGC_FUSED(4, __builtin_fmaf(a, b, c))
MLGC_FUSED(16, __builtin_ia32_vfmaddps(a, b, c))
MLGC_FUSED(32, __builtin_ia32_vfmaddps256(a, b, c))
#if MLGC_BYTES == 64
MLGC_FUSED(64, __builtin_ia32_vfmaddps512_mask(a, b, c, static_cast<unsigned short>(-1), 4))
#endif
#undef MLGC_FUSED
#elif defined(__aarch64__)
#define MLGC_FUSED(size, code)                  \
  template <class V>                            \
  struct mlgc_fused<V, size> {                  \
    MLGC_INLINE V of(V a, V b, V c) {           \
      __asm__(code : "+w"(c) : "w"(a), "w"(b)); \
      return c;                                 \
    }                                           \
  };
MLGC_FUSED(4, "fmadd %s0, %s1, %s2, %s0")
MLGC_FUSED(16, "fmla %0.4s, %1.4s, %2.4s")
#undef MLGC_FUSED
#endif
template <class V>
MLGC_INLINE V mlgc_fma_f32(V a, V b, V c) {
  return mlgc_fused<V>::of(a, b, c);
}
template <int N>
MLGC_INLINE mlgc_halves<float, N> mlgc_fma_f32(mlgc_halves<float, N> a, mlgc_halves<float, N> b,
                                               mlgc_halves<float, N> c) {
  return {mlgc_fma_f32(a.lo, b.lo, c.lo), mlgc_fma_f32(a.hi, b.hi, c.hi)};
}

//- mlgc_accumulate: sum + a * b as mlgc_fma_f32 rounds it, of an element of memory that all lanes take
// The instruction that adds into a register is named. With 16 registers g++ else takes forms that overwrite a factor,
// and moves or spills sums; with 64-byte vectors it takes the element from memory.
template <class V>
MLGC_INLINE V mlgc_accumulate(const float& a, V b, V sum) {
  return mlgc_fma_f32(mlgc_splat<V>(a), b, sum);
}
#if defined(__x86_64__) && MLGC_BYTES == 32
typedef mlgc_vec<float, 8> mlgc_f32x8;
MLGC_INLINE mlgc_f32x8 mlgc_accumulate_lanes(mlgc_f32x8 a, mlgc_f32x8 b, mlgc_f32x8 sum) {
  __asm__("vfmadd231ps %2, %1, %0" : "+x"(sum) : "x"(a), "x"(b));
  return sum;
}
template <int N>
MLGC_INLINE mlgc_halves<float, N> mlgc_accumulate_lanes(mlgc_f32x8 a, mlgc_halves<float, N> b,
                                                        mlgc_halves<float, N> sum) {
  return {mlgc_accumulate_lanes(a, b.lo, sum.lo), mlgc_accumulate_lanes(a, b.hi, sum.hi)};
}
MLGC_INLINE mlgc_f32x8 mlgc_accumulate(const float& a, mlgc_f32x8 b, mlgc_f32x8 sum) {
  return mlgc_accumulate_lanes(mlgc_splat<mlgc_f32x8>(a), b, sum);
}
template <int N>
MLGC_INLINE mlgc_halves<float, N> mlgc_accumulate(const float& a, mlgc_halves<float, N> b, mlgc_halves<float, N> sum) {
  return mlgc_accumulate_lanes(mlgc_splat<mlgc_f32x8>(a), b, sum);
}
#elif defined(__x86_64__) && MLGC_BYTES == 64
typedef mlgc_vec<float, 16> mlgc_f32x16;
MLGC_INLINE mlgc_f32x16 mlgc_accumulate(const float& a, mlgc_f32x16 b, mlgc_f32x16 sum) {
  __asm__("vfmadd231ps %1%{1to16%}, %2, %0" : "+v"(sum) : "m"(a), "v"(b));
  return sum;
}
#endif
