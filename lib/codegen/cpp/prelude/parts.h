// The first lanes of vectors from memory and to it.

//- mlgc_copy_part: the first `count` of `lanes` elements, not all of them
template <int lanes, class T, class S>
MLGC_INLINE void mlgc_copy_part(T* to, const S* from, int64_t count) {
#define MLGC_PIECE(size)                          \
  if (size < lanes && (count & size) != 0) {      \
    __builtin_memcpy(to, from, size * sizeof(T)); \
    to += size;                                   \
    from += size;                                 \
  }
  MLGC_PIECE(32)
  MLGC_PIECE(16)
  MLGC_PIECE(8)
  MLGC_PIECE(4)
  MLGC_PIECE(2)
#undef MLGC_PIECE
  if ((count & 1) != 0) __builtin_memcpy(to, from, sizeof(T));
}

//- mlgc_part: some of the first lanes from memory and to it; by way of a copy where the machine has no masks
template <class V, int bytes_of_lane>
struct mlgc_part {
  template <class T>
  MLGC_INLINE V load(const T* p, int64_t count) {
    T lanes[sizeof(V) / sizeof(T)] = {};
    mlgc_copy_part<sizeof(V) / sizeof(T)>(lanes, p, count);
    return mlgc_load<V>(lanes);
  }
  template <class T>
  MLGC_INLINE void store(T* p, V v, int64_t count) {
    T lanes[sizeof(V) / sizeof(T)];
    mlgc_store(lanes, v);
    mlgc_copy_part<sizeof(V) / sizeof(T)>(p, lanes, count);
  }
};
// Without masks they are put together in registers: what single stores leave in memory, a wide load waits for.
template <class V, int lanes>
struct mlgc_first_lanes {
  typedef mlgc_vec<mlgc_lane<V>, lanes / 2> H;
  template <class T>
  MLGC_INLINE V load(const T* p, int64_t count) {
    if (count >= lanes) return mlgc_load<V>(p);
    const H lo = mlgc_first_lanes<H, lanes / 2>::load(p, count);
    return mlgc_join<V>(lo, count > lanes / 2 ? mlgc_first_lanes<H, lanes / 2>::load(p + lanes / 2, count - lanes / 2)
                                              : mlgc_splat<H>(mlgc_lane<V>()));
  }
};
template <class V>
struct mlgc_first_lanes<V, 4> {
  template <class T>
  MLGC_INLINE V load(const T* p, int64_t count) {
    typedef mlgc_lane<V> S;
    if (count >= 4) return mlgc_load<V>(p);
    if (count == 3) return V{p[0], p[1], p[2], S()};
    if (count == 2) return V{p[0], p[1], S(), S()};
    return V{count == 1 ? static_cast<S>(p[0]) : S(), S(), S(), S()};
  }
};
template <class S, int N, int lanes>
struct mlgc_first_lanes<mlgc_halves<S, N>, lanes> {
  typedef mlgc_first_lanes<mlgc_vec<S, N / 2>, N / 2> Half;
  template <class T>
  MLGC_INLINE mlgc_halves<S, N> load(const T* p, int64_t count) {
    return {Half::load(p, count), Half::load(p + N / 2, count - N / 2)};
  }
};
#if defined(__x86_64__) && MLGC_BYTES == 32
// A count that compilers know takes plain loads of its pieces, others a mask.
static const int32_t mlgc_part_masks[16] = {-1, -1, -1, -1, -1, -1, -1, -1};
template <class V>
struct mlgc_part_masked {
  template <class T>
  MLGC_INLINE V load(const T* p, int64_t count) {
    enum { kLanes = sizeof(V) / 4 };
    if (__builtin_constant_p(count)) return mlgc_first_lanes<V, kLanes>::load(p, count);
    const int64_t some = count < 0 ? 0 : count > kLanes ? static_cast<int64_t>(kLanes) : count;
    V v;
    __asm__("vmaskmovps %1, %2, %0"
            : "=x"(v)
            : "m"(*reinterpret_cast<const T(*)[kLanes]>(p)), "x"(mlgc_load<V>(mlgc_part_masks + 8 - some)));
    return v;
  }
};
template <class S, int N>
struct mlgc_part_masked<mlgc_halves<S, N>> {
  typedef mlgc_part_masked<mlgc_vec<S, N / 2>> Half;
  template <class T>
  MLGC_INLINE mlgc_halves<S, N> load(const T* p, int64_t count) {
    return {Half::load(p, count), Half::load(p + N / 2, count - N / 2)};
  }
};
template <class V>
struct mlgc_part<V, 4> : mlgc_part<V, 1> {
  template <class T>
  MLGC_INLINE V load(const T* p, int64_t count) {
    return mlgc_part_masked<V>::load(p, count);
  }
};
#endif
#if defined(__x86_64__) && MLGC_BYTES == 64
// Bit l says whether lane l is among the first `count`; none is where that is negative.
template <class M>
MLGC_INLINE M mlgc_first_bits(int64_t count) {
  const int64_t bits = 8 * sizeof(M);
  return static_cast<M>(count >= bits ? ~uint64_t{0} : count <= 0 ? 0 : (uint64_t{1} << count) - 1);
}
#define MLGC_PART(bytes, code, M)                                                                \
  template <class V>                                                                             \
  struct mlgc_part<V, bytes> {                                                                   \
    enum { kLanes = sizeof(V) / bytes };                                                         \
    template <class T>                                                                           \
    MLGC_INLINE V load(const T* p, int64_t count) {                                              \
      V v;                                                                                       \
      __asm__(code " %1, %0 %{%2%}%{z%}"                                                         \
              : "=v"(v)                                                                          \
              : "m"(*reinterpret_cast<const T(*)[kLanes]>(p)), "Yk"(mlgc_first_bits<M>(count))); \
      return v;                                                                                  \
    }                                                                                            \
    template <class T>                                                                           \
    MLGC_INLINE void store(T* p, V v, int64_t count) {                                           \
      __asm__(code " %1, %0 %{%2%}"                                                              \
              : "+m"(*reinterpret_cast<T(*)[kLanes]>(p))                                         \
              : "v"(v), "Yk"(mlgc_first_bits<M>(count)));                                        \
    }                                                                                            \
  };                                                                                             \
  template <class S, int N>                                                                      \
  struct mlgc_part<mlgc_halves<S, N>, bytes> {                                                   \
    typedef mlgc_part<mlgc_vec<S, N / 2>, bytes> Half;                                           \
    template <class T>                                                                           \
    MLGC_INLINE mlgc_halves<S, N> load(const T* p, int64_t count) {                              \
      return {Half::load(p, count), Half::load(p + N / 2, count - N / 2)};                       \
    }                                                                                            \
    template <class T>                                                                           \
    MLGC_INLINE void store(T* p, mlgc_halves<S, N> v, int64_t count) {                           \
      Half::store(p, v.lo, count);                                                               \
      Half::store(p + N / 2, v.hi, count - N / 2);                                               \
    }                                                                                            \
  };
MLGC_PART(1, "vmovdqu8", uint64_t)
MLGC_PART(2, "vmovdqu16", uint32_t)
MLGC_PART(4, "vmovups", uint16_t)
MLGC_PART(8, "vmovupd", uint16_t)
#undef MLGC_PART
#endif

//- mlgc_load_part: the first `count` lanes from memory, the others 0
template <class V, class T>
MLGC_INLINE V mlgc_load_part(const T* p, int64_t count) {
  return mlgc_part < V, sizeof(V) >= 16 ? sizeof(T) : 0 > ::load(p, count);
}

//- mlgc_store_part: the first `count` lanes to memory
template <class T, class V>
MLGC_INLINE void mlgc_store_part(T* p, V v, int64_t count) {
  mlgc_part<V, sizeof(V) >= 16 ? sizeof(T) : 0>::store(p, v, count);
}

//- mlgc_load_every_part: p[0], p[stride], p[2 stride], ... in the first `count` lanes, 0 in the others
template <class V, class T>
MLGC_INLINE V mlgc_load_every_part(const T* p, int64_t stride, int64_t count) {
  T lanes[sizeof(V) / sizeof(T)] = {};
  for (int64_t i = 0; i < count; ++i) lanes[i] = p[i * stride];
  return mlgc_load<V>(lanes);
}

//- mlgc_store_every_part: the first `count` lanes to p[0], p[stride], p[2 stride], ...
template <class T, class V>
MLGC_INLINE void mlgc_store_every_part(T* p, int64_t stride, V v, int64_t count) {
  T lanes[sizeof(V) / sizeof(T)];
  mlgc_store(lanes, v);
  for (int64_t i = 0; i < count; ++i) p[i * stride] = lanes[i];
}
