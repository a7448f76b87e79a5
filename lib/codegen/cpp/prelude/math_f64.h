// Functions of f64: at most 2.5 ulp over the whole range; arithmetic only, so that every width and every compiler gives
// the same bits, given that a product and a sum stay two operations (-ffp-contract=off).
//
// x + 6755399441055744.0 (1.5 * 2^52) rounds x to an integer, which then stands in the low bits. Constants in two parts
// have a first part so short that its products with those integers are exact.

//- mlgc_exp_power_f64: exp(x) * 2^power, rounded once where it is subnormal
template <int power, class V>
MLGC_INLINE V mlgc_exp_power_f64(V x) {
  x = mlgc_select(x > 711.0, V{} + 711.0, mlgc_select(x < -747.0, V{} - 747.0, x));
  const V shifted = x * 1.4426950408889634 + 6755399441055744.0, n = shifted - 6755399441055744.0;
  const V half = n * 0.5 + 6755399441055744.0;
  const V r = (x - n * 0.6931471803691238) - n * 1.9082149292705877e-10;
  const V p = r * r * mlgc_exp_f64_polynomial(r) + r + 1.0;
  const auto first = mlgc_bits(half), both = mlgc_bits(shifted);
  return p * mlgc_floats((first + 1023) << 52) * mlgc_floats((both - first + (1023 + power)) << 52);
}

//- mlgc_exp_f64
template <class V>
MLGC_INLINE V mlgc_exp_f64(V x) {
  return mlgc_exp_power_f64<0>(x);
}
MLGC_HALVES(mlgc_exp_f64)

//- mlgc_exp2_f64
template <class V>
MLGC_INLINE V mlgc_exp2_f64(V x) {
  x = mlgc_select(x > 1025.0, V{} + 1025.0, mlgc_select(x < -1077.0, V{} - 1077.0, x));
  const V shifted = x + 6755399441055744.0, n = shifted - 6755399441055744.0, half = n * 0.5 + 6755399441055744.0;
  const V r = (x - n) * 0.6931471805599453;
  const V p = r * r * mlgc_exp_f64_polynomial(r) + r + 1.0;
  const auto first = mlgc_bits(half), both = mlgc_bits(shifted);
  return p * mlgc_floats((first + 1023) << 52) * mlgc_floats((both - first + 1023) << 52);
}
MLGC_HALVES(mlgc_exp2_f64)

//- mlgc_expm1_f64: 2^n (exp(r) - 1 + (1 - 2^-n))
template <class V>
MLGC_INLINE V mlgc_expm1_f64(V x) {
  const V y = mlgc_select(x > 711.0, V{} + 711.0, mlgc_select(x < -40.0, V{} - 40.0, x));
  const V shifted = y * 1.4426950408889634 + 6755399441055744.0, n = shifted - 6755399441055744.0;
  const V half = n * 0.5 + 6755399441055744.0, least = mlgc_select(n > 100.0, V{} + 100.0, n) + 6755399441055744.0;
  const V high = y - n * 0.6931471803691238, low = n * 1.9082149292705877e-10, r = high - low;
  const V rest = r * r * mlgc_exp_f64_polynomial(r) + ((high - r) - low);
  const auto first = mlgc_bits(half), both = mlgc_bits(shifted);
  const V inverse = mlgc_floats((1023 - mlgc_bits(least)) << 52);
  const V result =
      (1.0 - inverse + r + rest) * mlgc_floats((first + 1023) << 52) * mlgc_floats((both - first + 1023) << 52);
  return mlgc_select(mlgc_abs_f64(x) < 5e-17, x, result);
}
MLGC_HALVES(mlgc_expm1_f64)

//- mlgc_parts_f64: x = 2^exponent * (1 + fraction), 1 + fraction from sqrt(1/2) to sqrt(2), for x normal and positive
template <class V>
struct mlgc_parts_f64 {
  V exponent, fraction;
};
template <class V>
MLGC_INLINE mlgc_parts_f64<V> mlgc_split_f64(V x) {
  typedef mlgc_like<uint64_t, V> U;
  typedef decltype(mlgc_bits(x)) I;
  const U above = (U)mlgc_bits(x) - uint64_t{0x3fe6a09e667f3bcd};
  const U exponent = (above + (uint64_t{1100} << 52)) >> 52;
  const U mantissa = (above & uint64_t{0x000fffffffffffff}) + uint64_t{0x3fe6a09e667f3bcd};
  // Small integers in the low bits of 2^52.
  return {mlgc_floats((I)(exponent | uint64_t{0x4330000000000000})) - (4503599627370496.0 + 1100.0),
          mlgc_floats((I)mantissa) - 1.0};
}

//- mlgc_log1p_rest_f64: f - log(1 + f), for 1 + f from sqrt(1/2) to sqrt(2)
template <class V>
MLGC_INLINE V mlgc_log1p_rest_f64(V f) {
  const V s = f / (f + 2.0), z = s * s, h = f * f * 0.5;
  return h - s * (z * mlgc_log_f64_polynomial(z) + h);
}

//- mlgc_log_edges_f64: a logarithm that was computed for positive x, put right for the others
template <class V>
MLGC_INLINE V mlgc_log_edges_f64(V x, V result) {
  result = mlgc_select(x < __builtin_inf(), result, x);
  result = mlgc_select(x == 0.0, V{} - __builtin_inf(), result);
  return mlgc_select(x < 0.0, V{} + __builtin_nan(""), result);
}

//- mlgc_normal_f64: |x|, and the power of two that was multiplied out of subnormal x
template <class V>
struct mlgc_normal_f64 {
  V value, exponent;
};
template <class V>
MLGC_INLINE mlgc_normal_f64<V> mlgc_normalised_f64(V x) {
  const V a = mlgc_abs_f64(x);
  return {mlgc_select(a < 2.2250738585072014e-308, a * 18014398509481984.0, a),
          mlgc_select(a < 2.2250738585072014e-308, V{} - 54.0, V{})};
}

//- mlgc_log_f64
template <class V>
MLGC_INLINE V mlgc_log_f64(V x) {
  const mlgc_normal_f64<V> y = mlgc_normalised_f64(x);
  const mlgc_parts_f64<V> parts = mlgc_split_f64(y.value);
  const V k = parts.exponent + y.exponent, f = parts.fraction, rest = mlgc_log1p_rest_f64(f);
  return mlgc_log_edges_f64(x, k * 0.6931471803691238 - ((rest - k * 1.9082149292705877e-10) - f));
}
MLGC_HALVES(mlgc_log_f64)

//- mlgc_log2_f64
template <class V>
MLGC_INLINE V mlgc_log2_f64(V x) {
  const mlgc_normal_f64<V> y = mlgc_normalised_f64(x);
  const mlgc_parts_f64<V> parts = mlgc_split_f64(y.value);
  const V k = parts.exponent + y.exponent, f = parts.fraction, rest = mlgc_log1p_rest_f64(f);
  // The factor is 1 + 0.44...: most of the product is exact.
  const V l = f - rest;
  return mlgc_log_edges_f64(x, k + (l + (l * 0.4426950408889634)));
}
MLGC_HALVES(mlgc_log2_f64)

//- mlgc_log10_f64
template <class V>
MLGC_INLINE V mlgc_log10_f64(V x) {
  const mlgc_normal_f64<V> y = mlgc_normalised_f64(x);
  const mlgc_parts_f64<V> parts = mlgc_split_f64(y.value);
  const V k = parts.exponent + y.exponent, f = parts.fraction, rest = mlgc_log1p_rest_f64(f);
  const V result = k * 0.3010299955494702 + (k * 1.1451100898021838e-10 + (f - rest) * 0.4342944819032518);
  return mlgc_log_edges_f64(x, result);
}
MLGC_HALVES(mlgc_log10_f64)

//- mlgc_log1p_f64: log(u) + c, where u is 1 + x rounded and c makes up for that
template <class V>
MLGC_INLINE V mlgc_log1p_f64(V x) {
  const V u = x + 1.0;
  const V lost = mlgc_select(x < 1.0, x - (u - 1.0), 1.0 - (u - x));
  const mlgc_parts_f64<V> parts = mlgc_split_f64(mlgc_abs_f64(u));
  const V k = parts.exponent, f = parts.fraction, rest = mlgc_log1p_rest_f64(f), c = lost / u;
  V result = k * 0.6931471803691238 - ((rest - (k * 1.9082149292705877e-10 + c)) - f);
  result = mlgc_select(mlgc_abs_f64(x) < 1e-17, x, result);
  return mlgc_log_edges_f64(mlgc_select(x == __builtin_inf(), x, u), result);
}
MLGC_HALVES(mlgc_log1p_f64)

//- mlgc_sinh_f64
template <class V>
MLGC_INLINE V mlgc_sinh_f64(V x) {
  const V a = mlgc_abs_f64(x), t = mlgc_expm1_f64(mlgc_select(a < 22.0, a, V{} + 22.0));
  const V result = mlgc_select(a < 22.0, 0.5 * (t + t / (t + 1.0)), mlgc_exp_power_f64<-1>(a));
  return mlgc_copysign_f64(result, x);
}
MLGC_HALVES(mlgc_sinh_f64)

//- mlgc_cosh_f64
template <class V>
MLGC_INLINE V mlgc_cosh_f64(V x) {
  const V e = mlgc_exp_power_f64<-1>(mlgc_abs_f64(x));
  return e + 0.25 / e;
}
MLGC_HALVES(mlgc_cosh_f64)

//- mlgc_tanh_f64
template <class V>
MLGC_INLINE V mlgc_tanh_f64(V x) {
  const V a = mlgc_abs_f64(x), t = mlgc_expm1_f64(2.0 * mlgc_select(a > 30.0, V{} + 30.0, a));
  return mlgc_copysign_f64(mlgc_select(a < 0.5, t / (t + 2.0), 1.0 - 2.0 / (t + 2.0)), x);
}
MLGC_HALVES(mlgc_tanh_f64)

//- mlgc_sigmoid_f64
template <class V>
MLGC_INLINE V mlgc_sigmoid_f64(V x) {
  const V e = mlgc_exp_f64(-mlgc_abs_f64(x));
  return mlgc_select(x < 0.0, e, V{} + 1.0) / (e + 1.0);
}
MLGC_HALVES(mlgc_sigmoid_f64)

//- mlgc_asinh_f64: log1p(a + a^2/(1 + sqrt(1 + a^2))); log(2 a) for large a
template <class V>
MLGC_INLINE V mlgc_asinh_f64(V x) {
  const V a = mlgc_abs_f64(x), z = a * a;
  const V near = mlgc_log1p_f64(a + z / (mlgc_sqrt_f64(z + 1.0) + 1.0));
  const V far = mlgc_log_f64(a) + 0.6931471805599453;
  return mlgc_copysign_f64(mlgc_select(a < 268435456.0, near, far), x);
}
MLGC_HALVES(mlgc_asinh_f64)

//- mlgc_acosh_f64: log1p(t + sqrt(t^2 + 2 t)) with t = x - 1; log(2 x) for large x
template <class V>
MLGC_INLINE V mlgc_acosh_f64(V x) {
  const V t = x - 1.0;
  const V near = mlgc_log1p_f64(t + mlgc_sqrt_f64(t * t + 2.0 * t));
  const V far = mlgc_log_f64(x) + 0.6931471805599453;
  return mlgc_select(x < 1.0, V{} + __builtin_nan(""), mlgc_select(x < 268435456.0, near, far));
}
MLGC_HALVES(mlgc_acosh_f64)

//- mlgc_atanh_f64
template <class V>
MLGC_INLINE V mlgc_atanh_f64(V x) {
  const V a = mlgc_abs_f64(x), result = 0.5 * mlgc_log1p_f64(2.0 * a / (1.0 - a));
  return mlgc_select(a <= 1.0, mlgc_copysign_f64(result, x), V{} + __builtin_nan(""));
}
MLGC_HALVES(mlgc_atanh_f64)

//- mlgc_atan_f64: |x| or (|x| - 1)/(|x| + 1) or -1/|x|, whose tangent is at most tan(pi/8)
template <class V>
MLGC_INLINE V mlgc_atan_f64(V x) {
  const V a = mlgc_abs_f64(x), zero = V{}, one = zero + 1.0;
  const auto middle = a > 0.41421356237309503;
  const auto far = a > 2.414213562373095;
  const V top = mlgc_select(far, -one, mlgc_select(middle, a - 1.0, a));
  const V bottom = mlgc_select(far, a, mlgc_select(middle, a + 1.0, one));
  const V base = mlgc_select(far, zero + 1.5707963267948966, mlgc_select(middle, zero + 0.7853981633974483, zero));
  const V low = mlgc_select(far, zero + 6.123233995736766e-17, mlgc_select(middle, zero + 3.061616997868383e-17, zero));
  const V t = top / bottom, z = t * t;
  return mlgc_copysign_f64(base + (t + (t * (z * mlgc_atan_f64_polynomial(z)) + low)), x);
}
MLGC_HALVES(mlgc_atan_f64)

//- mlgc_atan2_f64
template <class V>
MLGC_INLINE V mlgc_atan2_f64(V y, V x) {
  const V ay = mlgc_abs_f64(y), ax = mlgc_abs_f64(x), zero = V{}, one = zero + 1.0;
  const auto both = (ay == ax) & ((ay == 0.0) | (ay == __builtin_inf()));
  const V quotient = mlgc_select(both, mlgc_select(ay == 0.0, zero, one), ay / ax);
  const V near = mlgc_abs_f64(mlgc_atan_f64(quotient));
  // The sign of -0 counts.
  const auto left = mlgc_copysign_f64(one, x) < 0.0;
  const V result = mlgc_select(left, 3.141592653589793 - (near - 1.2246467991473532e-16), near);
  return mlgc_select((x != x) | (y != y), x + y, mlgc_copysign_f64(result, y));
}
MLGC_HALVES_2(mlgc_atan2_f64)

//- mlgc_asin_rest_f64: z = x^2 up to 1/2, (1 - |x|)/2 above, and its root in two parts
template <class V>
struct mlgc_asin_rest_f64 {
  V ratio, root, high, low;  // asin(t)/t - 1 for t = sqrt(z); the root, its first 21 bits, what is missing
};
template <class V>
MLGC_INLINE mlgc_asin_rest_f64<V> mlgc_asin_parts_f64(V a) {
  const V z = mlgc_select(a <= 0.5, a * a, (1.0 - a) * 0.5), root = mlgc_sqrt_f64(z);
  const V high = mlgc_floats(mlgc_bits(root) & static_cast<int64_t>(0xffffffff00000000u));
  const V low = mlgc_select(z > 0.0, (z - high * high) / (root + high), V{});
  return {z * mlgc_asin_f64_polynomial(z), root, high, low};
}

//- mlgc_asin_f64: pi/2 - 2 asin(sqrt((1 - x)/2)) above 1/2
template <class V>
MLGC_INLINE V mlgc_asin_f64(V x) {
  const V a = mlgc_abs_f64(x);
  const mlgc_asin_rest_f64<V> p = mlgc_asin_parts_f64(a);
  const V far = 0.7853981633974483 - ((2.0 * p.root * p.ratio - (6.123233995736766e-17 - 2.0 * p.low)) -
                                      (0.7853981633974483 - 2.0 * p.high));
  return mlgc_select(a <= 1.0, mlgc_copysign_f64(mlgc_select(a <= 0.5, a + a * p.ratio, far), x),
                     V{} + __builtin_nan(""));
}
MLGC_HALVES(mlgc_asin_f64)

//- mlgc_acos_f64
template <class V>
MLGC_INLINE V mlgc_acos_f64(V x) {
  const V a = mlgc_abs_f64(x);
  const mlgc_asin_rest_f64<V> p = mlgc_asin_parts_f64(a);
  const V near = 1.5707963267948966 - (x - (6.123233995736766e-17 - x * p.ratio));
  const V right = 2.0 * (p.high + (p.ratio * p.root + p.low));
  const V left = 3.141592653589793 - 2.0 * (p.root + (p.ratio * p.root - 6.123233995736766e-17));
  const V result = mlgc_select(a <= 0.5, near, mlgc_select(x > 0.0, right, left));
  return mlgc_select(a <= 1.0, result, V{} + __builtin_nan(""));
}
MLGC_HALVES(mlgc_acos_f64)

//- mlgc_erf_f64
MLGC_EACH_LANE(mlgc_erf_f64, double, __builtin_erf)
MLGC_HALVES(mlgc_erf_f64)

//- mlgc_pow_f64
MLGC_EACH_LANE_2(mlgc_pow_f64, double, __builtin_pow)
MLGC_HALVES_2(mlgc_pow_f64)

//- mlgc_rsqrt_f64
template <class V>
MLGC_INLINE V mlgc_rsqrt_f64(V x) {
  return 1.0 / mlgc_sqrt_f64(x);
}
