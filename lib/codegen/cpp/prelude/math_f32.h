// Functions of f32: at most 2.5 ulp over the whole range, exp at most 1.1; the same bits from every width and compiler.
// Those that networks spend their time in are computed in f32; the others in f64 (math_f64.h) and rounded.
//
// x + 12582912.0f (1.5 * 2^23) rounds x to an integer, which then stands in the low bits.

//- mlgc_times_power: x * 2^n where both are normal numbers; n stands in the low bits
template <class V>
MLGC_INLINE V mlgc_times_power(V x, V n) {
  return mlgc_floats(mlgc_bits(x) + (mlgc_bits(n) << 23));
}

//- mlgc_exp_short: exp(r), |r| <= log(2)/2
template <class V>
MLGC_INLINE V mlgc_exp_short(V r) {
  const V one = mlgc_splat<V>(1.0f);
  return mlgc_fma_f32(mlgc_fma_f32(mlgc_exp_f32_polynomial(r), r, one), r, one);
}

//- mlgc_exp_far_f32: exp(r) * 2^n, rounded once where it is subnormal; n is `shifted` less 12582912
template <class V>
MLGC_INLINE V mlgc_exp_far_f32(V r, V n, V shifted) {
  const auto first = mlgc_bits(n * 0.5f + 12582912.0f), both = mlgc_bits(shifted);
  return mlgc_exp_short(r) * mlgc_floats((first + 127) << 23) * mlgc_floats((both - first + 127) << 23);
}

//- mlgc_exp_normal_f32: exp(x) for x from -87 to 88, and anything for NaN
template <class V>
MLGC_INLINE V mlgc_exp_reduced_f32(V x, V n) {
  return mlgc_fma_f32(n, mlgc_splat<V>(1.9046542e-09f), mlgc_fma_f32(n, mlgc_splat<V>(-0.6931472f), x));
}
template <class V>
MLGC_INLINE V mlgc_exp_normal_f32(V x) {
  const V shifted = mlgc_fma_f32(x, mlgc_splat<V>(1.442695f), mlgc_splat<V>(12582912.0f)), n = shifted - 12582912.0f;
  return mlgc_times_power(mlgc_exp_short(mlgc_exp_reduced_f32(x, n)), shifted);
}
MLGC_HALVES(mlgc_exp_normal_f32)

//- mlgc_exp_f32: in one step where all results are normal numbers, or 0 as what a mask leaves out
template <class V>
MLGC_CALL V mlgc_exp_any_f32(V x) {
  x = mlgc_select(x > 89.0f, V{} + 89.0f, mlgc_select(x < -104.0f, V{} - 104.0f, x));
  const V shifted = mlgc_fma_f32(x, mlgc_splat<V>(1.442695f), mlgc_splat<V>(12582912.0f)), n = shifted - 12582912.0f;
  return mlgc_exp_far_f32(mlgc_exp_reduced_f32(x, n), n, shifted);
}
MLGC_HALVES(mlgc_exp_any_f32)
template <class V>
MLGC_INLINE V mlgc_exp_kept_f32(V x, V y) {
  return mlgc_select(x < -104.0f, V{}, y);
}
MLGC_HALVES_2(mlgc_exp_kept_f32)
template <class V>
MLGC_INLINE V mlgc_exp_f32(V x) {
  // The bits of 87, less those of |x|: below 0 also for NaN.
  if (__builtin_expect(mlgc_none_negative(0x42ae0000 - (mlgc_bits(x) & 0x7fffffff)), 1)) return mlgc_exp_normal_f32(x);
  const V kept = mlgc_exp_kept_f32(x, x);
  if (mlgc_none_negative(0x42ae0000 - (mlgc_bits(kept) & 0x7fffffff)))
    return mlgc_exp_kept_f32(x, mlgc_exp_normal_f32(kept));
  return mlgc_exp_any_f32(x);
}

//- mlgc_exp2_f32
template <class V>
MLGC_INLINE V mlgc_exp2_f32(V x) {
  x = mlgc_select(x > 129.0f, V{} + 129.0f, mlgc_select(x < -151.0f, V{} - 151.0f, x));
  const V shifted = x + 12582912.0f, n = shifted - 12582912.0f;
  return mlgc_exp_far_f32((x - n) * 0.693147181f, n, shifted);
}
MLGC_HALVES(mlgc_exp2_f32)

//- mlgc_log_f32
template <class V>
MLGC_INLINE V mlgc_log_f32(V x) {
  typedef mlgc_like<uint32_t, V> U;
  typedef decltype(mlgc_bits(x)) I;
  const auto subnormal = x < 1.17549435e-38f;
  const V a = mlgc_abs_f32(x), y = mlgc_select(subnormal, a * 8388608.0f, a);
  // y = 2^exponent * (1 + f), 1 + f from sqrt(1/2) to sqrt(2)
  const U above = (U)mlgc_bits(y) - uint32_t{0x3f3504f3};
  const U exponent = (above + (uint32_t{150} << 23)) >> 23;
  const V f = mlgc_floats((I)((above & uint32_t{0x007fffff}) + uint32_t{0x3f3504f3})) - 1.0f;
  const V k =
      mlgc_floats((I)(exponent | uint32_t{0x4b000000})) - mlgc_select(subnormal, V{} + 8388781.0f, V{} + 8388758.0f);
  const V z = f * f;
  const V rest = f * z * mlgc_log_f32_polynomial(f) + k * 0.0007643680437467992f - 0.5f * z;
  V result = k * 0.6923828125f + (f + rest);
  result = mlgc_select(x < __builtin_inff(), result, x);
  result = mlgc_select(x == 0.0f, V{} - __builtin_inff(), result);
  return mlgc_select(x < 0.0f, V{} + __builtin_nanf(""), result);
}
MLGC_HALVES(mlgc_log_f32)

//- mlgc_tanh_f32
template <class V>
MLGC_INLINE V mlgc_tanh_f32(V x) {
  const V a = mlgc_abs_f32(x), z = x * x;
  const V e = mlgc_exp_normal_f32(-2.0f * mlgc_select(a > 10.0f, V{} + 10.0f, a));
  const V far = 1.0f - (e + e) / (e + 1.0f), near = mlgc_fma_f32(a * z, mlgc_tanh_f32_polynomial(z), a);
  return mlgc_copysign_f32(mlgc_select(a >= 0.6f, far, near), x);  // of NaN the near one
}
MLGC_HALVES(mlgc_tanh_f32)

//- mlgc_sigmoid_f32
template <class V>
MLGC_INLINE V mlgc_sigmoid_f32(V x) {
  const V e = mlgc_exp_f32(-mlgc_abs_f32(x));
  return mlgc_select(x < 0.0f, e, mlgc_splat<V>(1.0f)) / (e + 1.0f);
}

//- mlgc_erf_f32
template <class V>
MLGC_INLINE V mlgc_erf_f32(V x) {
  const V a = mlgc_abs_f32(x), t = mlgc_select(a > 3.95f, V{} + 3.95f, a);
  const V power = mlgc_erf_far_f32_polynomial(t), shifted = power + 12582912.0f;
  const V part = power - (shifted - 12582912.0f);
  const V far = 1.0f - mlgc_times_power(mlgc_exp2_f32_polynomial(part), shifted);
  const V near = mlgc_fma_f32(x, mlgc_erf_near_f32_polynomial(x * x), x);
  return mlgc_select(a >= 1.0f, mlgc_copysign_f32(far, x), near);  // of NaN the near one
}
MLGC_HALVES(mlgc_erf_f32)

//- mlgc_rsqrt_f32
template <class V>
MLGC_INLINE V mlgc_rsqrt_f32(V x) {
  return 1.0f / mlgc_sqrt_f32(x);
}

//- mlgc_turned_sine_f32: sine of x + further * pi/2, |x| < 100000
template <int further, class V>
MLGC_INLINE V mlgc_turned_sine_f32(V x) {
  const V shifted = mlgc_fma_f32(x, mlgc_splat<V>(0.63661975f), mlgc_splat<V>(12582912.0f)), n = shifted - 12582912.0f;
  // pi/2 in three parts. The first step is exact, the others lose what the result rounds to.
  V r = mlgc_fma_f32(n, mlgc_splat<V>(-1.5707964f), x);
  r = mlgc_fma_f32(n, mlgc_splat<V>(4.371139e-08f), r);
  r = mlgc_fma_f32(n, mlgc_splat<V>(1.7151245e-15f), r);
  const V z = r * r;
  const V sine = mlgc_fma_f32(r * z, mlgc_sin_f32_polynomial(z), r);
  const V cosine =
      mlgc_fma_f32(z * z, mlgc_cos_f32_polynomial(z), mlgc_fma_f32(z, mlgc_splat<V>(-0.5f), mlgc_splat<V>(1.0f)));
  const auto quarter = mlgc_bits(shifted) + further;
  const V value = mlgc_select((quarter & 1) != 0, cosine, sine);
  return mlgc_floats(mlgc_bits(value) ^ mlgc_shift_left(quarter & 2, 30));
}

//- mlgc_turned: sine and cosine of x less quarter * pi/2, in f64, as accurate as f32 needs them; |x| < 1647099
template <class D>
struct mlgc_turned {
  D sine, cosine;
  decltype(mlgc_bits(D{})) quarter;
};
template <class D>
MLGC_INLINE mlgc_turned<D> mlgc_turn(D x) {
  const D shifted = x * 0.6366197723675814 + 6755399441055744.0, n = shifted - 6755399441055744.0;
  const D r = (x - n * 1.5707963267341256) - n * 6.077100506506192e-11, z = r * r;
  return {r * (z * mlgc_sin_short_f64_polynomial(z)) + r, z * z * mlgc_cos_short_f64_polynomial(z) + (1.0 - 0.5 * z),
          mlgc_bits(shifted)};
}

//- mlgc_turned_tangent
template <class D>
MLGC_INLINE D mlgc_turned_tangent(D x) {
  const mlgc_turned<D> turned = mlgc_turn(x);
  const auto odd = (turned.quarter & 1) != 0;
  return mlgc_select(odd, -turned.cosine, turned.sine) / mlgc_select(odd, turned.sine, turned.cosine);
}

//- mlgc_sin_f32
template <class V>
MLGC_CALL V mlgc_sin_far_f32(V x) {
  return mlgc_convert<float>(mlgc_sin_f64(mlgc_convert<double>(x)));
}
template <class V>
MLGC_INLINE V mlgc_sin_f32(V x) {
  V result = mlgc_turned_sine_f32<0>(x);
  const auto is_near = mlgc_abs_f32(x) < 100000.0f;
  // What a lane gives does not depend on the others.
  if (__builtin_expect(!mlgc_all(is_near), 0)) result = mlgc_select(is_near, result, mlgc_sin_far_f32(x));
  return mlgc_select(x == 0.0f, x, result);
}
MLGC_HALVES(mlgc_sin_f32)

//- mlgc_cos_f32
template <class V>
MLGC_CALL V mlgc_cos_far_f32(V x) {
  return mlgc_convert<float>(mlgc_cos_f64(mlgc_convert<double>(x)));
}
template <class V>
MLGC_INLINE V mlgc_cos_f32(V x) {
  V result = mlgc_turned_sine_f32<1>(x);
  const auto is_near = mlgc_abs_f32(x) < 100000.0f;
  // What a lane gives does not depend on the others.
  if (__builtin_expect(!mlgc_all(is_near), 0)) result = mlgc_select(is_near, result, mlgc_cos_far_f32(x));
  return result;
}
MLGC_HALVES(mlgc_cos_f32)

//- mlgc_tan_f32
template <class V>
MLGC_CALL V mlgc_tan_far_f32(V x) {
  return mlgc_convert<float>(mlgc_tan_f64(mlgc_convert<double>(x)));
}
template <class V>
MLGC_INLINE V mlgc_tan_f32(V x) {
  V result = mlgc_convert<float>(mlgc_turned_tangent(mlgc_convert<double>(x)));
  const auto is_near = mlgc_abs_f32(x) < 1647099.0f;
  // What a lane gives does not depend on the others.
  if (__builtin_expect(!mlgc_all(is_near), 0)) result = mlgc_select(is_near, result, mlgc_tan_far_f32(x));
  return mlgc_select(x == 0.0f, x, result);
}
MLGC_HALVES(mlgc_tan_f32)

//- mlgc_expm1_f32
template <class V>
MLGC_INLINE V mlgc_expm1_f32(V x) {
  return mlgc_convert<float>(mlgc_expm1_f64(mlgc_convert<double>(x)));
}

//- mlgc_log1p_f32
template <class V>
MLGC_INLINE V mlgc_log1p_f32(V x) {
  return mlgc_convert<float>(mlgc_log1p_f64(mlgc_convert<double>(x)));
}

//- mlgc_log2_f32
template <class V>
MLGC_INLINE V mlgc_log2_f32(V x) {
  return mlgc_convert<float>(mlgc_log2_f64(mlgc_convert<double>(x)));
}

//- mlgc_log10_f32
template <class V>
MLGC_INLINE V mlgc_log10_f32(V x) {
  return mlgc_convert<float>(mlgc_log10_f64(mlgc_convert<double>(x)));
}

//- mlgc_asin_f32
template <class V>
MLGC_INLINE V mlgc_asin_f32(V x) {
  return mlgc_convert<float>(mlgc_asin_f64(mlgc_convert<double>(x)));
}

//- mlgc_acos_f32
template <class V>
MLGC_INLINE V mlgc_acos_f32(V x) {
  return mlgc_convert<float>(mlgc_acos_f64(mlgc_convert<double>(x)));
}

//- mlgc_atan_f32
template <class V>
MLGC_INLINE V mlgc_atan_f32(V x) {
  return mlgc_convert<float>(mlgc_atan_f64(mlgc_convert<double>(x)));
}

//- mlgc_sinh_f32
template <class V>
MLGC_INLINE V mlgc_sinh_f32(V x) {
  return mlgc_convert<float>(mlgc_sinh_f64(mlgc_convert<double>(x)));
}

//- mlgc_cosh_f32
template <class V>
MLGC_INLINE V mlgc_cosh_f32(V x) {
  return mlgc_convert<float>(mlgc_cosh_f64(mlgc_convert<double>(x)));
}

//- mlgc_asinh_f32
template <class V>
MLGC_INLINE V mlgc_asinh_f32(V x) {
  return mlgc_convert<float>(mlgc_asinh_f64(mlgc_convert<double>(x)));
}

//- mlgc_acosh_f32
template <class V>
MLGC_INLINE V mlgc_acosh_f32(V x) {
  return mlgc_convert<float>(mlgc_acosh_f64(mlgc_convert<double>(x)));
}

//- mlgc_atanh_f32
template <class V>
MLGC_INLINE V mlgc_atanh_f32(V x) {
  return mlgc_convert<float>(mlgc_atanh_f64(mlgc_convert<double>(x)));
}

//- mlgc_atan2_f32
template <class V>
MLGC_INLINE V mlgc_atan2_f32(V y, V x) {
  return mlgc_convert<float>(mlgc_atan2_f64(mlgc_convert<double>(y), mlgc_convert<double>(x)));
}

//- mlgc_pow_wide: pow in f64, as accurate as f32 needs it
template <class V>
MLGC_INLINE V mlgc_pow_wide(V x, V y) {
  const V a = mlgc_abs_f64(x), one = V{} + 1.0;
  const auto whole = mlgc_trunc_f64(y) == y;
  const auto odd = whole & (mlgc_trunc_f64(y * 0.5) != y * 0.5);
  V result = mlgc_exp2_f64(y * mlgc_log2_f64(a));
  // The sign of -0 counts; 1^y and x^0 are 1 for NaN too, (-1)^inf is 1.
  result = mlgc_select((a == 1.0) & (y == y), one, result);
  result = mlgc_select(odd & (mlgc_copysign_f64(one, x) < 0.0), -result, result);
  result = mlgc_select((x < 0.0) & (a < __builtin_inf()) & (y == y) & (y - y == 0.0) & (mlgc_trunc_f64(y) != y),
                       V{} + __builtin_nan(""), result);
  return mlgc_select((x == 1.0) | (y == 0.0), one, result);
}
MLGC_HALVES_2(mlgc_pow_wide)

//- mlgc_pow_f32
template <class V>
MLGC_INLINE V mlgc_pow_f32(V x, V y) {
  return mlgc_convert<float>(mlgc_pow_wide(mlgc_convert<double>(x), mlgc_convert<double>(y)));
}
