// Vectors from memory and to it, where a mask is set: consecutive elements, and any.

//- mlgc_masked: lanes whose mask is set, from consecutive elements and to them; by way of a copy where the
// machine has no masks
template <class V, class M, int bytes_of_lane, int bytes = sizeof(V)>
struct mlgc_masked {
  template <class T>
  MLGC_INLINE V load(const T* p, M mask) {
    enum { kLanes = sizeof(V) / sizeof(T) };
    T lanes[kLanes] = {};
    int32_t active[kLanes];
    mlgc_store(active, mask);
    for (int i = 0; i < kLanes; ++i)
      if (active[i] != 0) lanes[i] = p[i];
    return mlgc_load<V>(lanes);
  }
  template <class T>
  MLGC_INLINE void store(T* p, V v, M mask) {
    enum { kLanes = sizeof(V) / sizeof(T) };
    T lanes[kLanes];
    int32_t active[kLanes];
    mlgc_store(lanes, v);
    mlgc_store(active, mask);
    for (int i = 0; i < kLanes; ++i)
      if (active[i] != 0) p[i] = lanes[i];
  }
};
// Elements of masked lanes are not touched, whatever is there.
#ifdef __x86_64__
#if MLGC_BYTES == 64
template <class V, class M>
struct mlgc_masked<V, M, 4, 64> {
  template <class T>
  MLGC_INLINE V load(const T* p, M mask) {
    V v;
    __asm__("vpmovd2m %2, %%k1\n\tvmovups %1, %0 %{%%k1%}%{z%}"
            : "=v"(v)
            : "m"(*reinterpret_cast<const T(*)[16]>(p)), "v"(mask)
            : "k1");
    return v;
  }
  template <class T>
  MLGC_INLINE void store(T* p, V v, M mask) {
    __asm__("vpmovd2m %2, %%k1\n\tvmovups %1, %0 %{%%k1%}"
            : "+m"(*reinterpret_cast<T(*)[16]>(p))
            : "v"(v), "v"(mask)
            : "k1");
  }
};
#endif
#if MLGC_BYTES > 16
template <class V, class M>
struct mlgc_masked_in_register {
  enum { kLanes = sizeof(V) / 4 };
  template <class T>
  MLGC_INLINE V load(const T* p, M mask) {
    V v;
    __asm__("vmaskmovps %1, %2, %0" : "=x"(v) : "m"(*reinterpret_cast<const T(*)[kLanes]>(p)), "x"(mask));
    return v;
  }
  template <class T>
  MLGC_INLINE void store(T* p, V v, M mask) {
    __asm__("vmaskmovps %1, %2, %0" : "+m"(*reinterpret_cast<T(*)[kLanes]>(p)) : "x"(v), "x"(mask));
  }
};
template <class V, class M>
struct mlgc_masked<V, M, 4, 16> : mlgc_masked_in_register<V, M> {};
template <class V, class M>
struct mlgc_masked<V, M, 4, 32> : mlgc_masked_in_register<V, M> {};
#endif
#endif
template <class S, class I, int N, int bytes>
struct mlgc_masked<mlgc_halves<S, N>, mlgc_halves<I, N>, 4, bytes> {
  typedef mlgc_masked<mlgc_vec<S, N / 2>, mlgc_vec<I, N / 2>, 4> Half;
  template <class T>
  MLGC_INLINE mlgc_halves<S, N> load(const T* p, mlgc_halves<I, N> mask) {
    return {Half::load(p, mask.lo), Half::load(p + N / 2, mask.hi)};
  }
  template <class T>
  MLGC_INLINE void store(T* p, mlgc_halves<S, N> v, mlgc_halves<I, N> mask) {
    Half::store(p, v.lo, mask.lo);
    Half::store(p + N / 2, v.hi, mask.hi);
  }
};

//- mlgc_load_masked: p[i] in each lane where the mask is set, 0 in the others
// Most masks are full, and masked loads of 32 bytes take ten plain ones on some machines.
template <class V, class T, class M>
MLGC_INLINE V mlgc_load_masked(const T* p, M mask) {
#if MLGC_BYTES == 32
  if (mlgc_all(mask)) return mlgc_load<V>(p);
#endif
  return mlgc_masked<V, M, sizeof(T)>::load(p, mask);
}

//- mlgc_store_masked: p[i] = lane i where the mask is set
template <class T, class V, class M>
MLGC_INLINE void mlgc_store_masked(T* p, V v, M mask) {
  mlgc_masked<V, M, sizeof(T)>::store(p, v, mask);
}

//- mlgc_load_lanes: p[at[i]] in each lane where the mask is set, 0 in the others
template <class V, class T, class I, class M>
MLGC_INLINE V mlgc_load_lanes(const T* p, I at, M mask) {
  enum { kLanes = sizeof(V) / sizeof(T) };
  T lanes[kLanes] = {};
  int64_t place[kLanes];
  int32_t active[kLanes];
  mlgc_store(place, at);
  mlgc_store(active, mask);
  for (int i = 0; i < kLanes; ++i)
    if (active[i] != 0) lanes[i] = p[place[i]];
  return mlgc_load<V>(lanes);
}

//- mlgc_store_lanes: p[at[i]] = lane i where the mask is set, in order
template <class T, class V, class I, class M>
MLGC_INLINE void mlgc_store_lanes(T* p, I at, V v, M mask) {
  enum { kLanes = sizeof(V) / sizeof(T) };
  T lanes[kLanes];
  int64_t place[kLanes];
  int32_t active[kLanes];
  mlgc_store(lanes, v);
  mlgc_store(place, at);
  mlgc_store(active, mask);
  for (int i = 0; i < kLanes; ++i)
    if (active[i] != 0) p[place[i]] = lanes[i];
}

//- mlgc_load_reversed: p[0], p[-1], p[-2], ...
#ifdef __clang__
#define MLGC_TURN(v, T, ...) __builtin_shufflevector(v, v, __VA_ARGS__)
#else
#define MLGC_TURN(v, T, ...) __builtin_shuffle(v, T{__VA_ARGS__})
#endif
template <class V>
struct mlgc_reversed {
  enum { kLanes = sizeof(V) / sizeof(V{}[0]) };
  template <int... j>
  MLGC_INLINE V turned(V v, mlgc_order<j...>) {
    return MLGC_TURN(v, decltype(mlgc_bits(v)), (kLanes - 1 - j)...);
  }
  template <class T>
  MLGC_INLINE V load(const T* p) {
    return turned(mlgc_load<V>(p - (kLanes - 1)), typename mlgc_counted<kLanes>::type());
  }
};
template <class S, int N>
struct mlgc_reversed<mlgc_halves<S, N>> {
  typedef mlgc_reversed<mlgc_vec<S, N / 2>> Half;
  template <class T>
  MLGC_INLINE mlgc_halves<S, N> load(const T* p) {
    return {Half::load(p), Half::load(p - N / 2)};
  }
};
#undef MLGC_TURN
template <class V, class T>
MLGC_INLINE V mlgc_load_reversed(const T* p) {
  return mlgc_reversed<V>::load(p);
}

//- mlgc_load_reversed_part: p[0], p[-1], p[-2], ... in the first `count` lanes, 0 in the others
// Halves of halves are put together in registers: what single stores leave in memory, a wide load waits for.
template <class V, int lanes, bool few = (lanes <= 4)>
struct mlgc_reversed_part {
  typedef mlgc_vec<mlgc_lane<V>, lanes / 2> H;
  template <class T>
  MLGC_INLINE V load(const T* p, int64_t count) {
    if (count >= lanes) return mlgc_load_reversed<V>(p);
    const H lo = mlgc_reversed_part<H, lanes / 2>::load(p, count);
    return mlgc_join<V>(lo, count > lanes / 2 ? mlgc_reversed_part<H, lanes / 2>::load(p - lanes / 2, count - lanes / 2)
                                              : mlgc_splat<H>(mlgc_lane<V>()));
  }
};
template <class V, int lanes>
struct mlgc_reversed_part<V, lanes, true> {
  template <class T, int... j>
  MLGC_INLINE V in_order(const T* p, int64_t count, mlgc_order<j...>) {
    return V{(j < count ? static_cast<mlgc_lane<V>>(p[-j]) : mlgc_lane<V>())...};
  }
  template <class T>
  MLGC_INLINE V load(const T* p, int64_t count) {
    return in_order(p, count, typename mlgc_counted<lanes>::type());
  }
};
template <class S, int N>
struct mlgc_reversed_part_of_halves {
  typedef mlgc_reversed_part<mlgc_vec<S, N / 2>, N / 2> Half;
  template <class T>
  MLGC_INLINE mlgc_halves<S, N> load(const T* p, int64_t count) {
    return {Half::load(p, count), Half::load(p - N / 2, count - N / 2)};
  }
};
template <class S, int N, int lanes>
struct mlgc_reversed_part<mlgc_halves<S, N>, lanes, false> : mlgc_reversed_part_of_halves<S, N> {};
template <class S, int N, int lanes>
struct mlgc_reversed_part<mlgc_halves<S, N>, lanes, true> : mlgc_reversed_part_of_halves<S, N> {};
template <class V, class T>
MLGC_INLINE V mlgc_load_reversed_part(const T* p, int64_t count) {
  return mlgc_reversed_part<V, sizeof(V) / sizeof(T)>::load(p, count);
}

//- mlgc_load_table: p[at[0]], p[at[1]], ... by an array of integers, as N lanes of S
// Lanes are put together in registers: what single stores leave in memory, a wide load waits for.
template <class S, int N, bool fits = (N * sizeof(S) <= MLGC_BYTES)>
struct mlgc_tabled {
  typedef mlgc_tabled<S, N / 2> Half;
  template <class T, class I>
  MLGC_INLINE mlgc_vec<S, N> load(const T* p, const I* at) {
    return mlgc_join<mlgc_vec<S, N>>(Half::load(p, at), Half::load(p, at + N / 2));
  }
};
template <class S, int N>
struct mlgc_tabled<S, N, true> {
  typedef mlgc_vec<S, N> V;
  template <class T, class I, int... j>
  MLGC_INLINE V in_order(const T* p, const I* at, mlgc_order<j...>) {
    return V{static_cast<S>(p[at[j]])...};
  }
  template <class T, class I>
  MLGC_INLINE V load(const T* p, const I* at) {
    return in_order(p, at, typename mlgc_counted<N>::type());
  }
};
template <class S, int N, class T, class I>
MLGC_INLINE mlgc_vec<S, N> mlgc_load_table(const T* p, const I* at) {
  return mlgc_tabled<S, N>::load(p, at);
}

//- mlgc_load_at: p[at[i]] in each lane
template <class S, int N, class T, class I>
MLGC_INLINE mlgc_vec<S, N> mlgc_load_at(const T* p, I at) {
  int64_t places[N];
  mlgc_store(places, at);
  // From memory: taking lanes out of registers costs g++ two instructions each, and spills.
  __asm__("" : "+m"(places));
  return mlgc_load_table<S, N>(p, places);
}

//- mlgc_load_at_part: p[at[i]] in the first `count` lanes, which are some, and any of these in the others
template <class S, int N, class T, class I>
MLGC_INLINE mlgc_vec<S, N> mlgc_load_at_part(const T* p, I at, int64_t count) {
  int64_t places[N];
  mlgc_store(places, at);
  for (int i = 1; i < N; ++i) places[i] = i < count ? places[i] : places[0];
  return mlgc_load_table<S, N>(p, places);
}

//- mlgc_load_near: in each group of eight lanes elements of those that begin at p[first], eight or sixteen: for each
// eight one load and one shuffle.
// `at` says which: their numbers, or those of both their bytes where elements have two.
template <class S, int bytes_of_lane>
struct mlgc_near_eight {
  template <class T, class I>
  MLGC_INLINE mlgc_vec<S, 8> load(const T* p, const I* at) {
    return mlgc_load_table<S, 8>(p, at);
  }
};
template <class S>
struct mlgc_near_eight<S, 2> {
  template <class T>
  MLGC_INLINE mlgc_vec<S, 8> load(const T* p, const int16_t* at) {
#if defined(__x86_64__) && MLGC_BYTES > 16
    typedef mlgc_vec<S, 8> V;
    V v;
    __asm__("vpshufb %1, %2, %0" : "=x"(v) : "x"(mlgc_load<V>(at)), "x"(mlgc_load<V>(p)));
    return v;
#else
    int32_t places[8];
    for (int i = 0; i < 8; ++i) places[i] = (at[i] & 255) / 2;
    return mlgc_load_table<S, 8>(p, places);
#endif
  }
};
#if defined(__x86_64__) && MLGC_BYTES > 16
template <class S>
struct mlgc_near_eight<S, 4> {
  template <class T>
  MLGC_INLINE mlgc_vec<S, 8> load(const T* p, const int32_t* at) {
    mlgc_vec<S, 8> v;
    __asm__("vpermps %2, %1, %0"
            : "=x"(v)
            : "x"(mlgc_load<mlgc_vec<int32_t, 8>>(at)), "m"(*reinterpret_cast<const T(*)[8]>(p)));
    return v;
  }
};
#endif
// Sixteen elements: two loads, and the sign of a number says which one.
template <class S, int bytes_of_lane>
struct mlgc_near_sixteen {
  template <class T, class I>
  MLGC_INLINE mlgc_vec<S, 8> load(const T* p, const I* at) {
    int32_t places[8];
    for (int i = 0; i < 8; ++i) places[i] = (at[i] & 7) + (at[i] < 0 ? 8 : 0);
    return mlgc_load_table<S, 8>(p, places);
  }
};
#if defined(__x86_64__) && MLGC_BYTES > 16
template <class S>
struct mlgc_near_sixteen<S, 4> {
  template <class T>
  MLGC_INLINE mlgc_vec<S, 8> load(const T* p, const int32_t* at) {
    const mlgc_vec<S, 8> lo = mlgc_near_eight<S, 4>::load(p, at), hi = mlgc_near_eight<S, 4>::load(p + 8, at);
    mlgc_vec<S, 8> v;
    __asm__("vblendvps %3, %2, %1, %0" : "=x"(v) : "x"(lo), "x"(hi), "x"(mlgc_load<mlgc_vec<int32_t, 8>>(at)));
    return v;
  }
};
#endif
template <int elements, class S>
struct mlgc_near_group : mlgc_near_eight<S, sizeof(S)> {};
template <class S>
struct mlgc_near_group<16, S> : mlgc_near_sixteen<S, sizeof(S)> {};
template <int elements, class S, int N>
struct mlgc_near {
  typedef mlgc_near<elements, S, N / 2> Half;
  template <class T, class I>
  MLGC_INLINE mlgc_vec<S, N> load(const T* p, const int32_t* first, const I* at) {
    return mlgc_join<mlgc_vec<S, N>>(Half::load(p, first, at), Half::load(p, first + N / 16, at + N / 2));
  }
};
template <int elements, class S>
struct mlgc_near<elements, S, 8> {
  template <class T, class I>
  MLGC_INLINE mlgc_vec<S, 8> load(const T* p, const int32_t* first, const I* at) {
    return mlgc_near_group<elements, S>::load(p + *first, at);
  }
};
template <int elements, class S, int N, class T, class I>
MLGC_INLINE mlgc_vec<S, N> mlgc_load_near(const T* p, const int32_t* first, const I* at) {
  return mlgc_near<elements, S, N>::load(p, first, at);
}
