// Integers that wrap around, of every width, and i1 as masks. Nothing traps: a lane that divides by 0 gives anything,
// and the program tests for that where it counts.

//- mlgc_unsigned: the vector of unsigned integers of the same width
template <int bytes>
struct mlgc_unsigned_of {
  typedef uint8_t type;
};
template <>
struct mlgc_unsigned_of<2> {
  typedef uint16_t type;
};
template <>
struct mlgc_unsigned_of<4> {
  typedef uint32_t type;
};
template <>
struct mlgc_unsigned_of<8> {
  typedef uint64_t type;
};
template <class V>
using mlgc_unsigned = mlgc_like<typename mlgc_unsigned_of<sizeof(V) / sizeof(mlgc_like<int8_t, V>)>::type, V>;

//- MLGC_INTEGERS_2: a function of two 64-bit integers for integers of every width, lane by lane
#define MLGC_INTEGERS_1(name, T, scalar) \
  MLGC_INLINE T name(T a, T b) { return static_cast<T>(scalar(a, b)); }
#define MLGC_INTEGERS_2(name, scalar)                                                     \
  MLGC_INTEGERS_1(name, int8_t, scalar)                                                   \
  MLGC_INTEGERS_1(name, uint8_t, scalar)                                                  \
  MLGC_INTEGERS_1(name, int16_t, scalar)                                                  \
  MLGC_INTEGERS_1(name, int32_t, scalar)                                                  \
  MLGC_INTEGERS_1(name, int64_t, scalar)                                                  \
  template <class V>                                                                      \
  MLGC_INLINE V name(V a, V b) {                                                          \
    mlgc_lane<V> x[sizeof(V) / sizeof(a[0])], y[sizeof(V) / sizeof(a[0])];                \
    mlgc_store(x, a);                                                                     \
    mlgc_store(y, b);                                                                     \
    int i = 0;                                                                            \
    for (mlgc_lane<V> & lane : x) lane = static_cast<mlgc_lane<V>>(scalar(lane, y[i++])); \
    return mlgc_load<V>(x);                                                               \
  }                                                                                       \
  MLGC_HALVES_2(name)

//- mlgc_add
template <class V>
MLGC_INLINE V mlgc_add(V a, V b) {
  return (V)((mlgc_unsigned<V>)a + (mlgc_unsigned<V>)b);
}
MLGC_HALVES_2(mlgc_add)

//- mlgc_sub
template <class V>
MLGC_INLINE V mlgc_sub(V a, V b) {
  return (V)((mlgc_unsigned<V>)a - (mlgc_unsigned<V>)b);
}
MLGC_HALVES_2(mlgc_sub)

//- mlgc_mul: of 16 bits and less, C++ would multiply as int, which does not wrap
template <class V>
MLGC_INLINE V mlgc_mul(V a, V b) {
  return (V)((mlgc_unsigned<V>)a * (mlgc_unsigned<V>)b);
}
MLGC_INLINE int16_t mlgc_mul(int16_t a, int16_t b) {
  return static_cast<int16_t>(static_cast<uint32_t>(a) * static_cast<uint32_t>(b));
}
MLGC_HALVES_2(mlgc_mul)

//- mlgc_neg
template <class V>
MLGC_INLINE V mlgc_neg(V a) {
  return (V)(mlgc_unsigned<V>{} - (mlgc_unsigned<V>)a);
}
MLGC_HALVES(mlgc_neg)

//- mlgc_abs
template <class V>
MLGC_INLINE V mlgc_abs(V a) {
  return mlgc_select(a < V{}, mlgc_neg(a), a);
}

//- mlgc_sign
template <class V>
MLGC_INLINE V mlgc_sign(V a) {
  const V zero = V{}, ones = static_cast<V>(~zero), one = mlgc_sub(zero, ones);
  return mlgc_select(a > zero, one, mlgc_select(a < zero, ones, zero));
}

//- mlgc_min
template <class V>
MLGC_INLINE V mlgc_min(V a, V b) {
  return mlgc_select(a < b, a, b);
}

//- mlgc_max
template <class V>
MLGC_INLINE V mlgc_max(V a, V b) {
  return mlgc_select(a > b, a, b);
}

//- mlgc_first: a mask of the first `count` lanes
template <class M>
MLGC_INLINE M mlgc_first(int64_t count) {
  return mlgc_load<M>(mlgc_numbers_32) < static_cast<int32_t>(count);
}

//- mlgc_least: the least of the lanes where the mask is set; of none of them, a large number
template <class V, class M>
MLGC_INLINE int64_t mlgc_least(V v, M mask) {
  int64_t lanes[sizeof(V) / sizeof(int64_t)];
  int32_t active[sizeof(V) / sizeof(int64_t)];
  mlgc_store(lanes, v);
  mlgc_store(active, mask);
  int64_t least = 0x7fffffffffffffff;
  int i = 0;
  for (const int64_t lane : lanes)
    if (active[i++] != 0 && lane < least) least = lane;
  return least;
}

//- mlgc_most: the greatest of the lanes where the mask is set; of none of them, a small number
template <class V, class M>
MLGC_INLINE int64_t mlgc_most(V v, M mask) {
  int64_t lanes[sizeof(V) / sizeof(int64_t)];
  int32_t active[sizeof(V) / sizeof(int64_t)];
  mlgc_store(lanes, v);
  mlgc_store(active, mask);
  int64_t most = -0x7fffffffffffffff - 1;
  int i = 0;
  for (const int64_t lane : lanes)
    if (active[i++] != 0 && lane > most) most = lane;
  return most;
}

//- mlgc_outside: the first lane of `at` where the mask is set that is not in [0, size)
template <class V, class M>
MLGC_INLINE int64_t mlgc_outside(V at, int64_t size, M mask) {
  int64_t lanes[sizeof(V) / sizeof(int64_t)];
  int32_t active[sizeof(V) / sizeof(int64_t)];
  mlgc_store(lanes, at);
  mlgc_store(active, mask);
  int i = 0;
  for (const int64_t lane : lanes)
    if (active[i++] != 0 && (lane < 0 || lane >= size)) return lane;
  return 0;
}

//- mlgc_any_outside: whether a lane of i64 is not in [0, size): one of `at` and what is left up to the end is negative
template <class V, int bytes = sizeof(V)>
struct mlgc_negative {
  MLGC_INLINE bool any(V v) { return mlgc_any(v < V{}); }
};
#if defined(__x86_64__) && MLGC_BYTES > 16
template <class V>
struct mlgc_negative<V, 32> {
  MLGC_INLINE bool any(V v) {
    uint32_t bits;
    __asm__("vmovmskpd %1, %0" : "=r"(bits) : "x"(v));
    return bits != 0;
  }
};
#endif
template <class V>
MLGC_INLINE V mlgc_outside_signs(V at, int64_t last) {
  return at | mlgc_sub(mlgc_splat<V>(last), at);
}
template <class V>
MLGC_INLINE bool mlgc_any_negative(V v) {
  return mlgc_negative<V>::any(v);
}
template <int N>
MLGC_INLINE bool mlgc_any_negative(mlgc_halves<int64_t, N> v) {
  return mlgc_any_negative(v.lo | v.hi);
}
template <class V>
MLGC_INLINE bool mlgc_any_outside(V at, int64_t size) {
  return mlgc_any_negative(mlgc_outside_signs(at, size - 1));
}
