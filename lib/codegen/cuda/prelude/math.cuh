// Functions of one number, on a thread of a device: those of CUDA's own library, whose errors its programming guide
// states (at most 2 ulp but for a few), and what it does not have.

//- MLGC_EACH_LANE_2: a function of two f64, rounded
#define MLGC_EACH_LANE_2(name, type, scalar) \
  MLGC_INLINE type name(type a, type b) { return static_cast<type>(scalar(a, b)); }

//- MLGC_HALVES_2: values have no halves here
#define MLGC_HALVES_2(name)

//- mlgc_fmod_one
MLGC_INLINE double mlgc_fmod_one(double a, double b) { return fmod(a, b); }

//- mlgc_copysign_f64
MLGC_INLINE double mlgc_copysign_f64(double x, double y) { return copysign(x, y); }

//- mlgc_exp_f32
MLGC_INLINE float mlgc_exp_f32(float x) { return expf(x); }

//- mlgc_exp_f64
MLGC_INLINE double mlgc_exp_f64(double x) { return exp(x); }

//- mlgc_expm1_f32
MLGC_INLINE float mlgc_expm1_f32(float x) { return expm1f(x); }

//- mlgc_expm1_f64
MLGC_INLINE double mlgc_expm1_f64(double x) { return expm1(x); }

//- mlgc_log_f32
MLGC_INLINE float mlgc_log_f32(float x) { return logf(x); }

//- mlgc_log_f64
MLGC_INLINE double mlgc_log_f64(double x) { return log(x); }

//- mlgc_log1p_f32
MLGC_INLINE float mlgc_log1p_f32(float x) { return log1pf(x); }

//- mlgc_log1p_f64
MLGC_INLINE double mlgc_log1p_f64(double x) { return log1p(x); }

//- mlgc_log2_f32
MLGC_INLINE float mlgc_log2_f32(float x) { return log2f(x); }

//- mlgc_log2_f64
MLGC_INLINE double mlgc_log2_f64(double x) { return log2(x); }

//- mlgc_sqrt_f32
MLGC_INLINE float mlgc_sqrt_f32(float x) { return sqrtf(x); }

//- mlgc_sqrt_f64
MLGC_INLINE double mlgc_sqrt_f64(double x) { return sqrt(x); }

//- mlgc_sin_f32
MLGC_INLINE float mlgc_sin_f32(float x) { return sinf(x); }

//- mlgc_sin_f64
MLGC_INLINE double mlgc_sin_f64(double x) { return sin(x); }

//- mlgc_cos_f32
MLGC_INLINE float mlgc_cos_f32(float x) { return cosf(x); }

//- mlgc_cos_f64
MLGC_INLINE double mlgc_cos_f64(double x) { return cos(x); }

//- mlgc_tan_f32
MLGC_INLINE float mlgc_tan_f32(float x) { return tanf(x); }

//- mlgc_tan_f64
MLGC_INLINE double mlgc_tan_f64(double x) { return tan(x); }

//- mlgc_asin_f32
MLGC_INLINE float mlgc_asin_f32(float x) { return asinf(x); }

//- mlgc_asin_f64
MLGC_INLINE double mlgc_asin_f64(double x) { return asin(x); }

//- mlgc_acos_f32
MLGC_INLINE float mlgc_acos_f32(float x) { return acosf(x); }

//- mlgc_acos_f64
MLGC_INLINE double mlgc_acos_f64(double x) { return acos(x); }

//- mlgc_atan_f32
MLGC_INLINE float mlgc_atan_f32(float x) { return atanf(x); }

//- mlgc_atan_f64
MLGC_INLINE double mlgc_atan_f64(double x) { return atan(x); }

//- mlgc_sinh_f32
MLGC_INLINE float mlgc_sinh_f32(float x) { return sinhf(x); }

//- mlgc_sinh_f64
MLGC_INLINE double mlgc_sinh_f64(double x) { return sinh(x); }

//- mlgc_cosh_f32
MLGC_INLINE float mlgc_cosh_f32(float x) { return coshf(x); }

//- mlgc_cosh_f64
MLGC_INLINE double mlgc_cosh_f64(double x) { return cosh(x); }

//- mlgc_tanh_f32
MLGC_INLINE float mlgc_tanh_f32(float x) { return tanhf(x); }

//- mlgc_tanh_f64
MLGC_INLINE double mlgc_tanh_f64(double x) { return tanh(x); }

//- mlgc_asinh_f32
MLGC_INLINE float mlgc_asinh_f32(float x) { return asinhf(x); }

//- mlgc_asinh_f64
MLGC_INLINE double mlgc_asinh_f64(double x) { return asinh(x); }

//- mlgc_acosh_f32
MLGC_INLINE float mlgc_acosh_f32(float x) { return acoshf(x); }

//- mlgc_acosh_f64
MLGC_INLINE double mlgc_acosh_f64(double x) { return acosh(x); }

//- mlgc_atanh_f32
MLGC_INLINE float mlgc_atanh_f32(float x) { return atanhf(x); }

//- mlgc_atanh_f64
MLGC_INLINE double mlgc_atanh_f64(double x) { return atanh(x); }

//- mlgc_erf_f32
MLGC_INLINE float mlgc_erf_f32(float x) { return erff(x); }

//- mlgc_erf_f64
MLGC_INLINE double mlgc_erf_f64(double x) { return erf(x); }

//- mlgc_erfc_f32
MLGC_INLINE float mlgc_erfc_f32(float x) { return erfcf(x); }

//- mlgc_erfc_f64
MLGC_INLINE double mlgc_erfc_f64(double x) { return erfc(x); }

//- mlgc_lgamma_f32
MLGC_INLINE float mlgc_lgamma_f32(float x) { return lgammaf(x); }

//- mlgc_lgamma_f64
MLGC_INLINE double mlgc_lgamma_f64(double x) { return lgamma(x); }

//- mlgc_erfinv_f32
MLGC_INLINE float mlgc_erfinv_f32(float x) { return static_cast<float>(mlgc_erfinv_one(x)); }

//- mlgc_erfinv_f64
MLGC_INLINE double mlgc_erfinv_f64(double x) { return mlgc_erfinv_one(x); }

//- mlgc_digamma_f32
MLGC_INLINE float mlgc_digamma_f32(float x) { return static_cast<float>(mlgc_digamma_one(x)); }

//- mlgc_digamma_f64
MLGC_INLINE double mlgc_digamma_f64(double x) { return mlgc_digamma_one(x); }

//- mlgc_polygamma_f32
MLGC_INLINE float mlgc_polygamma_f32(float x, float n) { return static_cast<float>(mlgc_polygamma_one(x, n)); }

//- mlgc_polygamma_f64
MLGC_INLINE double mlgc_polygamma_f64(double x, double n) { return mlgc_polygamma_one(x, n); }

//- mlgc_floor_f32
MLGC_INLINE float mlgc_floor_f32(float x) { return floorf(x); }

//- mlgc_floor_f64
MLGC_INLINE double mlgc_floor_f64(double x) { return floor(x); }

//- mlgc_ceil_f32
MLGC_INLINE float mlgc_ceil_f32(float x) { return ceilf(x); }

//- mlgc_ceil_f64
MLGC_INLINE double mlgc_ceil_f64(double x) { return ceil(x); }

//- mlgc_trunc_f32
MLGC_INLINE float mlgc_trunc_f32(float x) { return truncf(x); }

//- mlgc_trunc_f64
MLGC_INLINE double mlgc_trunc_f64(double x) { return trunc(x); }

//- mlgc_abs_f32
MLGC_INLINE float mlgc_abs_f32(float x) { return fabsf(x); }

//- mlgc_round_f32: ties to even
MLGC_INLINE float mlgc_round_f32(float x) { return rintf(x); }

//- mlgc_sign_f32: of NaN 0
MLGC_INLINE float mlgc_sign_f32(float x) { return x > 0 ? 1.0f : x < 0 ? -1.0f : 0.0f; }

//- mlgc_rsqrt_f32
MLGC_INLINE float mlgc_rsqrt_f32(float x) { return 1.0f / sqrtf(x); }

//- mlgc_pow_f32
MLGC_INLINE float mlgc_pow_f32(float x, float y) { return powf(x, y); }

//- mlgc_atan2_f32
MLGC_INLINE float mlgc_atan2_f32(float y, float x) { return atan2f(y, x); }

//- mlgc_abs_f64
MLGC_INLINE double mlgc_abs_f64(double x) { return fabs(x); }

//- mlgc_round_f64: ties to even
MLGC_INLINE double mlgc_round_f64(double x) { return rint(x); }

//- mlgc_sign_f64: of NaN 0
MLGC_INLINE double mlgc_sign_f64(double x) { return x > 0 ? 1.0 : x < 0 ? -1.0 : 0.0; }

//- mlgc_sigmoid_f64
MLGC_INLINE double mlgc_sigmoid_f64(double x) { return 1.0 / (1.0 + exp(-x)); }

//- mlgc_rsqrt_f64
MLGC_INLINE double mlgc_rsqrt_f64(double x) { return 1.0 / sqrt(x); }

//- mlgc_pow_f64
MLGC_INLINE double mlgc_pow_f64(double x, double y) { return pow(x, y); }

//- mlgc_atan2_f64
MLGC_INLINE double mlgc_atan2_f64(double y, double x) { return atan2(y, x); }

//- mlgc_divide_by_invariant: a / b, exactly rounded, for several a: what follows from b alone is computed once
// The reciprocal is exactly rounded, so a product with it is within two units in the last place of the quotient. What
// b times that leaves of a corrects it to a neighbour of the quotient, and what is left then rounds as the quotient does
// (Markstein, Computation of elementary functions on the IBM RISC System/6000 processor, 1990, theorem 8). Where a and
// b are neither large nor small, no step overflows, and what is left is exact: its last bit is worth 2^-46 times a.
// Zeros, which masks leave, are no reason for a jump.
MLGC_INLINE float mlgc_divide_by_invariant(float a, float b) {
  const float reciprocal = 1.0f / b;
  const bool is_usual = fabsf(b) >= 0x1p-60f && fabsf(b) <= 0x1p20f;
  if (!is_usual || !((fabsf(a) >= 0x1p-100f && fabsf(a) <= 0x1p60f) || a == 0.0f)) return a / b;
  const float product = a * reciprocal;
  float quotient = fmaf(fmaf(-b, product, a), reciprocal, product);
  quotient = fmaf(fmaf(-b, quotient, a), reciprocal, quotient);
  return a == 0.0f ? product : quotient;  // which has the sign
}

//- mlgc_exp2: 2^x to about 2 ulp, 0 below the least normal number
MLGC_INLINE float mlgc_exp2(float exponent) {
#if defined(__CUDACC__) && defined(__CUDA_ARCH__)
  float power;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(exponent));
  return power;
#else
  return exp2f(exponent);
#endif
}

//- mlgc_small_exp2: 2^x to about 2 ulp, and to the last place below the least normal number
MLGC_INLINE float mlgc_small_exp2(float exponent) {
#if defined(__CUDACC__) && defined(__CUDA_ARCH__)
  float power;
  asm("ex2.approx.f32 %0, %1;" : "=f"(power) : "f"(exponent));
  return power;
#else
  return exp2f(exponent);
#endif
}

//- mlgc_reciprocal: 1/x to 1 ulp, 0 where that is no normal number
MLGC_INLINE float mlgc_reciprocal(float x) {
#if defined(__CUDACC__) && defined(__CUDA_ARCH__)
  float reciprocal;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(reciprocal) : "f"(x));
  return reciprocal;
#else
  return 1.0f / x;
#endif
}

//- mlgc_sigmoid_f32: of |x|, so that the reciprocal is of a number between 1 and 2, which one step rounds
MLGC_INLINE float mlgc_sigmoid_f32(float x) {
  const float power = expf(-fabsf(x)), sum = 1.0f + power;
  float reciprocal = mlgc_reciprocal(sum);
  reciprocal = fmaf(reciprocal, fmaf(-sum, reciprocal, 1.0f), reciprocal);
  return x < 0.0f ? power * reciprocal : reciprocal;
}

// Functions of f32 that reach nothing but floats of 16 bits, which are rounded to 2^-9 or 2^-11 of their size: errors here
// are at most 2^-16.
//- mlgc_exp_for_halves: to 2 + 1.3 |x| ulp; small ones are not lost, since others may be divided by them
MLGC_INLINE float mlgc_exp_for_halves(float x) { return mlgc_small_exp2(x * 1.44269504f); }

//- mlgc_sigmoid_for_halves: to 4 + 1.3 |x| ulp, of |x| so that the reciprocal is of a number between 1 and 2
MLGC_INLINE float mlgc_sigmoid_for_halves(float x) {
  const float power = mlgc_exp_for_halves(-fabsf(x)), reciprocal = mlgc_reciprocal(1.0f + power);
  return x < 0.0f ? power * reciprocal : reciprocal;
}

//- mlgc_divide_for_halves: a / b to 2 ulp, for several a: what follows from b alone is computed once
// Where b is so large or small that its reciprocal is no normal number, both are scaled.
MLGC_INLINE float mlgc_divide_for_halves(float a, float b) {
  const float scale = fabsf(b) > 0x1p100f ? 0x1p-100f : fabsf(b) < 0x1p-100f ? 0x1p100f : 1.0f;
  const float reciprocal = 1.0f / (b * scale);
  return a * reciprocal * scale;
}

//- mlgc_one_plus_erf_for_halves: 1 + erf(x), to 128 ulp of itself down to x = -9, where it is 0 soon
// As erfc(|x|) = t p(t) exp(-x^2) with t = 1 / (1 + 0.45 |x|), whose polynomial is off by at most 2^-21: there is no branch,
// and nothing cancels where x is negative.
MLGC_INLINE float mlgc_one_plus_erf_for_halves(float x) {
  const float t = mlgc_reciprocal(fmaf(0.45f, fabsf(x), 1.0f));
  float p = fmaf(6.631927310e-02f, t, -2.378878182e-01f);
  p = fmaf(p, t, 2.045515825e-01f);
  p = fmaf(p, t, 4.441296107e-02f);
  p = fmaf(p, t, 1.863777188e-01f);
  p = fmaf(p, t, 2.287913302e-01f);
  p = fmaf(p, t, 2.535184281e-01f);
  p = fmaf(p, t, 2.539168188e-01f);
  const float tail = p * t * mlgc_exp2(x * x * -1.44269504f);
  return x < 0.0f ? tail : 2.0f - tail;
}

//- mlgc_min_f: NaN where either is; b where they are equal, of zeros of both signs what the device has (compute capability 8.0)
template <class T>
MLGC_INLINE T mlgc_min_f(T a, T b) {
  return a != a || a < b ? a : b;
}
MLGC_INLINE float mlgc_min_f(float a, float b) {
#if defined(__CUDACC__) && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  float chosen;  // of zeros -0
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(chosen) : "f"(a), "f"(b));
  return chosen;
#else
  return a != a || a < b ? a : b;
#endif
}

//- mlgc_max_f: NaN where either is; b where they are equal, of zeros of both signs what the device has (compute capability 8.0)
template <class T>
MLGC_INLINE T mlgc_max_f(T a, T b) {
  return a != a || a > b ? a : b;
}
MLGC_INLINE float mlgc_max_f(float a, float b) {
#if defined(__CUDACC__) && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  float chosen;  // of zeros +0
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(chosen) : "f"(a), "f"(b));
  return chosen;
#else
  return a != a || a > b ? a : b;
#endif
}
