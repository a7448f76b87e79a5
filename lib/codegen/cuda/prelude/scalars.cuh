// Integers that wrap around, conversions, and the 16-bit floats, which are stored as their bits and computed with as f32.
// For the host too, which computes sizes with them.

//- mlgc_unsigned: the unsigned integer of the same width
template <class T>
struct mlgc_unsigned_of {
  typedef T type;
};
template <>
struct mlgc_unsigned_of<int8_t> {
  typedef uint8_t type;
};
template <>
struct mlgc_unsigned_of<int16_t> {
  typedef uint16_t type;
};
template <>
struct mlgc_unsigned_of<int32_t> {
  typedef uint32_t type;
};
template <>
struct mlgc_unsigned_of<int64_t> {
  typedef uint64_t type;
};
template <class T>
using mlgc_unsigned = typename mlgc_unsigned_of<T>::type;

//- mlgc_add
template <class T>
MLGC_INLINE T mlgc_add(T a, T b) {
  return static_cast<T>(static_cast<mlgc_unsigned<T>>(a) + static_cast<mlgc_unsigned<T>>(b));
}

//- mlgc_sub
template <class T>
MLGC_INLINE T mlgc_sub(T a, T b) {
  return static_cast<T>(static_cast<mlgc_unsigned<T>>(a) - static_cast<mlgc_unsigned<T>>(b));
}

//- mlgc_mul: of 16 bits and less, C++ would multiply as int, which does not wrap
template <class T>
MLGC_INLINE T mlgc_mul(T a, T b) {
  return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

//- mlgc_neg
template <class T>
MLGC_INLINE T mlgc_neg(T a) {
  return mlgc_sub(T{0}, a);
}

//- mlgc_abs
template <class T>
MLGC_INLINE T mlgc_abs(T a) {
  return a < T{0} ? mlgc_neg(a) : a;
}

//- mlgc_sign
template <class T>
MLGC_INLINE T mlgc_sign(T a) {
  return static_cast<T>((a > T{0}) - (a < T{0}));
}

//- mlgc_min
template <class T>
MLGC_INLINE T mlgc_min(T a, T b) {
  return b < a ? b : a;
}

//- mlgc_max
template <class T>
MLGC_INLINE T mlgc_max(T a, T b) {
  return a < b ? b : a;
}

//- MLGC_INTEGERS_2: a function of two 64-bit integers for integers of every width
#define MLGC_INTEGERS_2(name, scalar)                                             \
  template <class T>                                                              \
  MLGC_INLINE T name(T a, T b) {                                                  \
    return static_cast<T>(scalar(static_cast<int64_t>(a), static_cast<int64_t>(b))); \
  }

//- mlgc_to_int64: what does not fit becomes the smallest integer
template <class T>
MLGC_INLINE int64_t mlgc_to_int64(T v) {
  const double wide = static_cast<double>(v);
  return wide >= -9223372036854775808.0 && wide < 9223372036854775808.0 ? static_cast<int64_t>(wide)
                                                                        : -0x7fffffffffffffff - 1;
}

//- mlgc_to_int32: what does not fit becomes the smallest integer
template <class T>
MLGC_INLINE int32_t mlgc_to_int32(T v) {
  const double wide = static_cast<double>(v);
  return wide > -2147483649.0 && wide < 2147483648.0 ? static_cast<int32_t>(wide) : -2147483647 - 1;
}

//- mlgc_from_bfloat: a shift, which GPUs do four times as fast as a conversion
MLGC_INLINE float mlgc_from_bfloat(uint16_t bits) {
  const uint32_t wide = uint32_t{bits} << 16;
  float v;
  memcpy(&v, &wide, sizeof v);
  return v;
}

//- mlgc_to_bfloat: to nearest, ties to even; as one of a pair, which GPUs convert four times as fast as one alone
MLGC_INLINE uint16_t mlgc_to_bfloat(float v) { return __bfloat16_as_ushort(__floats2bfloat162_rn(v, 0.0f).x); }

//- mlgc_round_bfloat: the bfloat next to a number, ties to even, as a number: as the high half of a pair it lies in its place
MLGC_INLINE float mlgc_round_bfloat(float v) {
  const __nv_bfloat162 pair = __floats2bfloat162_rn(0.0f, v);
  float rounded;
  memcpy(&rounded, &pair, sizeof rounded);
  return rounded;
}

//- mlgc_to_bfloats: of two numbers, the first one in the low half
MLGC_INLINE uint32_t mlgc_to_bfloats(float low, float high) {
  const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
  uint32_t bits;
  memcpy(&bits, &pair, sizeof bits);
  return bits;
}

//- mlgc_bits_of_bfloat: of a number that is a bfloat
MLGC_INLINE uint16_t mlgc_bits_of_bfloat(float v) {
  uint32_t wide;
  memcpy(&wide, &v, sizeof wide);
  return static_cast<uint16_t>(wide >> 16);
}

//- mlgc_from_half
MLGC_INLINE float mlgc_from_half(uint16_t bits) { return __half2float(__ushort_as_half(bits)); }

//- mlgc_to_half: to nearest, ties to even
MLGC_INLINE uint16_t mlgc_to_half(float v) { return __half_as_ushort(__float2half_rn(v)); }

//- mlgc_to_halves: of two numbers, the first one in the low half
MLGC_INLINE uint32_t mlgc_to_halves(float low, float high) {
  const __half2 pair = __floats2half2_rn(low, high);
  uint32_t bits;
  memcpy(&bits, &pair, sizeof bits);
  return bits;
}

//- mlgc_number_bits: the bits of a float as an integer, of each NaN those of one
MLGC_INLINE int32_t mlgc_number_bits(float v) {
  int32_t bits;
  memcpy(&bits, &v, sizeof bits);
  return v == v ? bits : 0x7fc00000;
}
MLGC_INLINE int64_t mlgc_number_bits(double v) {
  int64_t bits;
  memcpy(&bits, &v, sizeof bits);
  return v == v ? bits : 0x7ff8000000000000;
}

//- mlgc_nan_f32
MLGC_INLINE float mlgc_nan_f32() { return nanf(""); }

//- mlgc_nan_f64
MLGC_INLINE double mlgc_nan_f64() { return nan(""); }

//- mlgc_infinity_f32
MLGC_INLINE float mlgc_infinity_f32() { return HUGE_VALF; }

//- mlgc_infinity_f64
MLGC_INLINE double mlgc_infinity_f64() { return HUGE_VAL; }

//- mlgc_one: functions of CUDA's library, one f64 at a time
MLGC_INLINE double mlgc_one_exp(double x) { return exp(x); }
MLGC_INLINE double mlgc_one_log(double x) { return log(x); }
MLGC_INLINE double mlgc_one_sqrt(double x) { return sqrt(x); }
MLGC_INLINE double mlgc_one_pow(double x, double y) { return pow(x, y); }
MLGC_INLINE double mlgc_one_tan(double x) { return tan(x); }
MLGC_INLINE double mlgc_one_floor(double x) { return floor(x); }
MLGC_INLINE double mlgc_one_erf(double x) { return erf(x); }
MLGC_INLINE double mlgc_one_erfc(double x) { return erfc(x); }
MLGC_INLINE double mlgc_one_lgamma(double x) { return lgamma(x); }
MLGC_INLINE double mlgc_one_nan() { return nan(""); }
MLGC_INLINE double mlgc_one_infinity() { return HUGE_VAL; }
