// Sine, cosine and tangent of f64, for every argument.

//- mlgc_angle: x less quarter * pi/2, as the sum of two numbers, at most pi/4 in magnitude
template <class V>
struct mlgc_angle {
  V high, low;
  decltype(mlgc_bits(V{})) quarter;
};

//- mlgc_two_over_pi: its binary digits after the point
static const uint64_t mlgc_two_over_pi[20] = {
    0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561, 0xb7246e3a424dd2e0,
    0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4,
    0x9c845f8bbdf9283b, 0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab, 0xf0cfbc209af4361d};

//- mlgc_reduce_large: the angle of one large number, from those digits of 2/pi that matter to it
MLGC_CALL mlgc_angle<double> mlgc_reduce_large(double x) {
  const uint64_t bits = static_cast<uint64_t>(mlgc_bits(x));
  const int64_t exponent = static_cast<int64_t>(bits >> 52 & 0x7ff) - 1075;
  if (exponent == 2047 - 1075) return {x - x, 0, 0};
  const uint64_t mantissa = (bits & 0x000fffffffffffff) | 0x0010000000000000;
  // |x| is mantissa * 2^exponent: digits of 2/pi before the place `exponent - 2` give whole turns.
  const int64_t first = exponent > 2 ? exponent - 2 : 0;
  uint64_t digits[4];
  for (int i = 0; i < 4; ++i) {
    const int64_t word = first / 64 + i, shift = first % 64;
    const uint64_t next = word + 1 < 20 ? mlgc_two_over_pi[word + 1] : 0;
    digits[i] = shift == 0 ? mlgc_two_over_pi[word] : mlgc_two_over_pi[word] << shift | next >> (64 - shift);
  }
  // The product, modulo 4 turns of a quarter: its low 256 bits, of which the digits' own point stands at the top.
  uint64_t product[4];
  uint64_t carry = 0;
  for (int i = 3; i >= 0; --i) {
    const unsigned __int128 wide = static_cast<unsigned __int128>(digits[i]) * mantissa + carry;
    product[i] = static_cast<uint64_t>(wide);
    carry = static_cast<uint64_t>(wide >> 64);
  }
  // quarters = product * 2^(exponent - first - 256), of which the top of `carry` counts where exponent < 2.
  const int64_t up = exponent - first;  // at most 2
  unsigned __int128 fraction = static_cast<unsigned __int128>(product[0]) << 64 | product[1];
  uint64_t whole;
  if (up >= 0) {
    whole = up == 0 ? carry : carry << up | product[0] >> (64 - up);
    fraction = up == 0 ? fraction : fraction << up | product[2] >> (64 - up);
  } else {
    const int64_t down = -up;
    whole = down < 64 ? carry >> down : 0;
    fraction = fraction >> down | static_cast<unsigned __int128>(carry) << 64 << (64 - down);
  }
  if (fraction >> 127 != 0) ++whole;
  const __int128 rest = static_cast<__int128>(fraction);
  // rest * 2^-128 * pi/2, in two parts: products of halves of 26 bits are exact.
  const double a = static_cast<double>(rest), b = static_cast<double>(rest - static_cast<__int128>(a));
  const double scale = 2.938735877055719e-39;  // 2^-128
  const double high = a * scale, low = b * scale;
  const double h1 = mlgc_floats(mlgc_bits(high) & static_cast<int64_t>(0xfffffffff8000000u)), h2 = high - h1;
  const double p = high * 1.5707963267948966;
  const double error =
      h1 * 1.5707963109016418 - p + h2 * 1.5707963109016418 + h1 * 1.5893254712295857e-08 + h2 * 1.5893254712295857e-08;
  const double rounded = error + (low * 1.5707963267948966 + high * 6.123233995736766e-17);
  const double sum = p + rounded, after = rounded - (sum - p);
  const int64_t quarter = static_cast<int64_t>(whole);
  return x < 0 ? mlgc_angle<double>{-sum, -after, -quarter} : mlgc_angle<double>{sum, after, quarter};
}

//- mlgc_reduce: the angle of each lane; pi/2 in three parts serves as long as its products with the quarters are exact
template <class V>
MLGC_CALL void mlgc_reduce_lanes(const V* x, mlgc_angle<V>* angle) {
  double v[sizeof(V) / sizeof(double)], high[sizeof(V) / sizeof(double)], low[sizeof(V) / sizeof(double)];
  int64_t quarter[sizeof(V) / sizeof(double)];
  __builtin_memcpy(v, x, sizeof v);
  __builtin_memcpy(high, &angle->high, sizeof v);
  __builtin_memcpy(low, &angle->low, sizeof v);
  __builtin_memcpy(quarter, &angle->quarter, sizeof v);
  for (int i = 0; i < static_cast<int>(sizeof(V) / sizeof(double)); ++i) {
    if (v[i] > -1647099.0 && v[i] < 1647099.0) continue;
    const mlgc_angle<double> large = mlgc_reduce_large(v[i]);
    high[i] = large.high;
    low[i] = large.low;
    quarter[i] = large.quarter;
  }
  __builtin_memcpy(&angle->high, high, sizeof v);
  __builtin_memcpy(&angle->low, low, sizeof v);
  __builtin_memcpy(&angle->quarter, quarter, sizeof v);
}
template <class V>
MLGC_INLINE mlgc_angle<V> mlgc_reduce(V x) {
  const V shifted = x * 0.6366197723675814 + 6755399441055744.0, n = shifted - 6755399441055744.0;
  const V first = x - n * 1.5707963267341256, second = n * 6.077100506303966e-11;
  const V middle = first - second;
  const V rest = n * 2.0222662487959506e-21 - ((first - middle) - second);
  const V high = middle - rest;
  mlgc_angle<V> angle = {high, (middle - high) - rest, mlgc_bits(shifted)};
  if (__builtin_expect(!mlgc_all(mlgc_abs_f64(x) < 1647099.0), 0)) mlgc_reduce_lanes(&x, &angle);
  return angle;
}

//- mlgc_sine: of a reduced angle
template <class V>
MLGC_INLINE V mlgc_sine(const mlgc_angle<V>& angle) {
  const V r = angle.high, z = r * r;
  return r + (r * (z * mlgc_sin_f64_polynomial(z)) + angle.low * (1.0 - 0.5 * z));
}

//- mlgc_cosine: of a reduced angle
template <class V>
MLGC_INLINE V mlgc_cosine(const mlgc_angle<V>& angle) {
  const V r = angle.high, z = r * r, h = 0.5 * z, near = 1.0 - h;
  return near + (((1.0 - near) - h) + (z * z * mlgc_cos_f64_polynomial(z) - r * angle.low));
}

//- mlgc_sin_f64
template <class V>
MLGC_INLINE V mlgc_sin_f64(V x) {
  const mlgc_angle<V> angle = mlgc_reduce(x);
  const V value = mlgc_select((angle.quarter & 1) != 0, mlgc_cosine(angle), mlgc_sine(angle));
  const V result = mlgc_select((angle.quarter & 2) != 0, -value, value);
  return mlgc_select(x == 0.0, x, result);
}
MLGC_HALVES(mlgc_sin_f64)

//- mlgc_cos_f64
template <class V>
MLGC_INLINE V mlgc_cos_f64(V x) {
  const mlgc_angle<V> angle = mlgc_reduce(x);
  const V value = mlgc_select((angle.quarter & 1) != 0, mlgc_sine(angle), mlgc_cosine(angle));
  return mlgc_select(((angle.quarter + 1) & 2) != 0, -value, value);
}
MLGC_HALVES(mlgc_cos_f64)

//- mlgc_tan_f64
template <class V>
MLGC_INLINE V mlgc_tan_f64(V x) {
  const mlgc_angle<V> angle = mlgc_reduce(x);
  const V s = mlgc_sine(angle), c = mlgc_cosine(angle);
  const auto odd = (angle.quarter & 1) != 0;
  return mlgc_select(x == 0.0, x, mlgc_select(odd, -c, s) / mlgc_select(odd, s, c));
}
MLGC_HALVES(mlgc_tan_f64)
