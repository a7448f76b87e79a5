// Vectors of elements that lie a stated number of elements apart.

//- mlgc_load_every_masked: p[0], p[stride], p[2 stride], ... in each lane where the mask is set, 0 in the others
template <class V, class T, class M>
MLGC_INLINE V mlgc_load_every_masked(const T* p, int64_t stride, M mask) {
  enum { kLanes = sizeof(V) / sizeof(T) };
  T lanes[kLanes] = {};
  int32_t active[kLanes];
  mlgc_store(active, mask);
  for (int i = 0; i < kLanes; ++i)
    if (active[i] != 0) lanes[i] = p[i * stride];
  return mlgc_load<V>(lanes);
}

//- mlgc_apart: lanes of memory that lie `apart` elements apart, put together from as many vectors of neighbours
// The last vector begins early, so that it ends where the last lane is.
#ifdef __clang__
#define MLGC_PICK(a, b, T, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define MLGC_PICK(a, b, T, ...) __builtin_shuffle(a, b, T{__VA_ARGS__})
#endif
template <class V, int apart>
struct mlgc_apart {
  enum { kLanes = sizeof(V) / sizeof(V{}[0]) };
  // The element that vector n begins with.
  static constexpr int begin(int n) { return n + 1 < apart ? n * kLanes : (kLanes - 1) * apart + 1 - kLanes; }
  // Lane j when vector n joins those before it: from those, unless its element comes after them.
  static constexpr int lane(int n, int j) {
    return j * apart >= n * kLanes ? kLanes + (j * apart - begin(n)) % kLanes : n == 1 ? j * apart : j;
  }
  template <int n, int... j>
  MLGC_INLINE V joined(V before, V next, mlgc_order<j...>) {
    return MLGC_PICK(before, next, decltype(mlgc_bits(next)), lane(n, j)...);
  }
};
template <class V, int apart, int n, int bytes = sizeof(V), int bytes_of_lane = sizeof(V{}[0])>
struct mlgc_joined_apart {
  MLGC_INLINE V of(V before, V next) {
    return mlgc_apart<V, apart>::template joined<n>(before, next,
                                                    typename mlgc_counted<sizeof(V) / bytes_of_lane>::type());
  }
};
// Every second one of eight: within halves first, which is one instruction, then quarters are swapped, which is
// another.
template <class V>
struct mlgc_joined_apart<V, 2, 1, 32, 4> {
  MLGC_INLINE V of(V before, V next) {
    const V halves = MLGC_PICK(before, next, decltype(mlgc_bits(next)), 0, 2, 9, 11, 4, 6, 13, 15);
    return MLGC_PICK(halves, halves, decltype(mlgc_bits(next)), 0, 1, 4, 5, 2, 3, 6, 7);
  }
};
#undef MLGC_PICK
// Vectors 0 to n; From::load<n>(places...) is vector n.
template <class V, int apart, int n>
struct mlgc_vectors_apart {
  template <class From, class... Places>
  MLGC_INLINE V joined(Places... places) {
    return mlgc_joined_apart<V, apart, n>::of(mlgc_vectors_apart<V, apart, n - 1>::template joined<From>(places...),
                                              From::template load<n>(places...));
  }
};
template <class V, int apart>
struct mlgc_vectors_apart<V, apart, 0> {
  template <class From, class... Places>
  MLGC_INLINE V joined(Places... places) {
    return From::template load<0>(places...);
  }
};

//- mlgc_load_apart: p[0], p[apart], p[2 apart], ..., and no element after the last one of these
template <class V, int apart,
          bool is_shuffled = (apart == 2 || (sizeof(V{}[0]) > 1 && sizeof(V) >= 4 * sizeof(V{}[0])))>
struct mlgc_loaded_apart {
  template <int n, class T>
  MLGC_INLINE V load(const T* p) {
    return mlgc_load<V>(p + mlgc_apart<V, apart>::begin(n));
  }
  template <class T>
  MLGC_INLINE V all(const T* p) {
    return mlgc_vectors_apart<V, apart, apart - 1>::template joined<mlgc_loaded_apart>(p);
  }
};
template <class V, int apart>
struct mlgc_loaded_apart<V, apart, false> {
  template <class T>
  MLGC_INLINE V all(const T* p) {
    return mlgc_load_every<V>(p, apart);
  }
};
template <class V, int apart>
struct mlgc_lanes_apart {
  template <class T>
  MLGC_INLINE V load(const T* p) {
    return mlgc_loaded_apart<V, apart>::all(p);
  }
};
template <class S, int N, int apart>
struct mlgc_lanes_apart<mlgc_halves<S, N>, apart> {
  typedef mlgc_lanes_apart<mlgc_vec<S, N / 2>, apart> Half;
  template <class T>
  MLGC_INLINE mlgc_halves<S, N> load(const T* p) {
    return {Half::load(p), Half::load(p + N / 2 * apart)};
  }
};
template <class V, int apart, class T>
MLGC_INLINE V mlgc_load_apart(const T* p) {
  return mlgc_lanes_apart<V, apart>::load(p);
}

//- mlgc_load_apart_masked: p[0], p[apart], p[2 apart], ... in each lane where the mask is set, 0 in the others
// Where a vector is one register, by masked loads of neighbours, whose masks have each lane's bit at its element.
template <class V, class M, int apart, int bytes_of_lane, int bytes = sizeof(V)>
struct mlgc_masked_apart {
  template <class T>
  MLGC_INLINE V load(const T* p, M mask) {
    if (mlgc_all(mask)) return mlgc_load_apart<V, apart>(p);
    return mlgc_load_every_masked<V>(p, apart, mask);
  }
};
#ifdef __clang__
#define MLGC_SPREAD(v, T, ...) __builtin_shufflevector(v, v, __VA_ARGS__)
#else
#define MLGC_SPREAD(v, T, ...) __builtin_shuffle(v, T{__VA_ARGS__})
#endif
template <class V, class M, int apart>
struct mlgc_masked_apart_in_register {
  typedef mlgc_apart<V, apart> Apart;
  template <int n, int... j>
  MLGC_INLINE M spread(M mask, mlgc_order<j...>) {
    return MLGC_SPREAD(mask, M, ((Apart::begin(n) + j) / apart)...) &
           M{((Apart::begin(n) + j) % apart == 0 ? -1 : 0)...};
  }
  template <int n, class T>
  MLGC_INLINE V load(const T* p, M mask) {
    return mlgc_masked<V, M, 4>::load(p + Apart::begin(n),
                                      spread<n>(mask, typename mlgc_counted<sizeof(V) / 4>::type()));
  }
  template <class T>
  MLGC_INLINE V load(const T* p, M mask) {
    return mlgc_vectors_apart<V, apart, apart - 1>::template joined<mlgc_masked_apart_in_register>(p, mask);
  }
};
#undef MLGC_SPREAD
#if defined(__x86_64__) && MLGC_BYTES > 16
template <class V, class M, int apart>
struct mlgc_masked_apart<V, M, apart, 4, 16> : mlgc_masked_apart_in_register<V, M, apart> {};
template <class V, class M, int apart>
struct mlgc_masked_apart<V, M, apart, 4, 32> : mlgc_masked_apart_in_register<V, M, apart> {};
#if MLGC_BYTES == 64
template <class V, class M, int apart>
struct mlgc_masked_apart<V, M, apart, 4, 64> : mlgc_masked_apart_in_register<V, M, apart> {};
#endif
#endif
template <class V, class M, int apart>
struct mlgc_masked_lanes_apart {
  template <class T>
  MLGC_INLINE V load(const T* p, M mask) {
    return mlgc_masked_apart<V, M, apart, sizeof(T)>::load(p, mask);
  }
};
template <class S, class I, int N, int apart>
struct mlgc_masked_lanes_apart<mlgc_halves<S, N>, mlgc_halves<I, N>, apart> {
  typedef mlgc_masked_lanes_apart<mlgc_vec<S, N / 2>, mlgc_vec<I, N / 2>, apart> Half;
  template <class T>
  MLGC_INLINE mlgc_halves<S, N> load(const T* p, mlgc_halves<I, N> mask) {
    return {Half::load(p, mask.lo), Half::load(p + N / 2 * apart, mask.hi)};
  }
};
template <class V, int apart, class T, class M>
MLGC_INLINE V mlgc_load_apart_masked(const T* p, M mask) {
  return mlgc_masked_lanes_apart<V, M, apart>::load(p, mask);
}

//- mlgc_load_apart_part: p[0], p[apart], p[2 apart], ... in the first `count` lanes, 0 in the others
template <class V, int apart, class T>
MLGC_INLINE V mlgc_load_apart_part(const T* p, int64_t count) {
  return mlgc_load_apart_masked<V, apart>(p, mlgc_first<mlgc_vec<int32_t, sizeof(V) / sizeof(T)>>(count));
}
