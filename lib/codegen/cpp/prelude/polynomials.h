// Polynomials of the prelude's functions, made by scripts/fit-polynomials; the errors are those of the functions they
// serve, without rounding, in powers of two.
// clang-format off

//- mlgc_exp_f32_polynomial: 2^-28.0
template <class V>
MLGC_INLINE V mlgc_exp_f32_polynomial(V x) {
  V y = mlgc_splat<V>(0.0013814699f);
  y = mlgc_fma_f32(y, x, mlgc_splat<V>(0.00836871f));
  y = mlgc_fma_f32(y, x, mlgc_splat<V>(0.041668385f));
  y = mlgc_fma_f32(y, x, mlgc_splat<V>(0.16666521f));
  y = mlgc_fma_f32(y, x, mlgc_splat<V>(0.49999994f));
  return y;
}

//- mlgc_exp_f64_polynomial: 2^-60.3
template <class V>
MLGC_INLINE V mlgc_exp_f64_polynomial(V x) {
  return (((((((((2.082670194494055e-09 * x + 2.5112025423562172e-08) * x + 2.7557581542086356e-07) * x +
         2.7557234893894307e-06) * x + 2.4801586927070644e-05) * x + 0.00019841269896352703) * x +
         0.0013888888889115366) * x + 0.008333333333317046) * x + 0.041666666666666095) * x + 0.16666666666666682) *
         x + 0.5;
}

//- mlgc_log_f32_polynomial: 2^-29.9
template <class V>
MLGC_INLINE V mlgc_log_f32_polynomial(V x) {
  V y = mlgc_splat<V>(0.069155656f);
  y = mlgc_fma_f32(y, x, mlgc_splat<V>(-0.117898285f));
  y = mlgc_fma_f32(y, x, mlgc_splat<V>(0.11872892f));
  y = mlgc_fma_f32(y, x, mlgc_splat<V>(-0.1238434f));
  y = mlgc_fma_f32(y, x, mlgc_splat<V>(0.1421867f));
  y = mlgc_fma_f32(y, x, mlgc_splat<V>(-0.16669251f));
  y = mlgc_fma_f32(y, x, mlgc_splat<V>(0.20002227f));
  y = mlgc_fma_f32(y, x, mlgc_splat<V>(-0.24999987f));
  y = mlgc_fma_f32(y, x, mlgc_splat<V>(0.3333331f));
  return y;
}

//- mlgc_log_f64_polynomial: 2^-57.9
template <class V>
MLGC_INLINE V mlgc_log_f64_polynomial(V x) {
  return (((((0.14795945875491306 * x + 0.15314051167408255) * x + 0.18183564291725252) * x + 0.22222198574068053) *
         x + 0.2857142874237666) * x + 0.39999999999414737) * x + 0.6666666666666734;
}

//- mlgc_tanh_f32_polynomial: 2^-27.5
template <class V>
MLGC_INLINE V mlgc_tanh_f32_polynomial(V x) {
  V y = mlgc_splat<V>(-0.005905938f);
  y = mlgc_fma_f32(y, x, mlgc_splat<V>(0.020805445f));
  y = mlgc_fma_f32(y, x, mlgc_splat<V>(-0.053786702f));
  y = mlgc_fma_f32(y, x, mlgc_splat<V>(0.13331959f));
  y = mlgc_fma_f32(y, x, mlgc_splat<V>(-0.333333f));
  return y;
}

//- mlgc_exp2_f32_polynomial: 2^-22.6
template <class V>
MLGC_INLINE V mlgc_exp2_f32_polynomial(V x) {
  V y = mlgc_splat<V>(0.0013276532f);
  y = mlgc_fma_f32(y, x, mlgc_splat<V>(0.009675542f));
  y = mlgc_fma_f32(y, x, mlgc_splat<V>(0.05550713f));
  y = mlgc_fma_f32(y, x, mlgc_splat<V>(0.2402212f));
  y = mlgc_fma_f32(y, x, mlgc_splat<V>(0.69314694f));
  y = mlgc_fma_f32(y, x, mlgc_splat<V>(1.0000001f));
  return y;
}

//- mlgc_erf_near_f32_polynomial: 2^-26.1
template <class V>
MLGC_INLINE V mlgc_erf_near_f32_polynomial(V x) {
  V y = mlgc_splat<V>(7.889193e-05f);
  y = mlgc_fma_f32(y, x, mlgc_splat<V>(-0.0008020865f));
  y = mlgc_fma_f32(y, x, mlgc_splat<V>(0.005189538f));
  y = mlgc_fma_f32(y, x, mlgc_splat<V>(-0.026854446f));
  y = mlgc_fma_f32(y, x, mlgc_splat<V>(0.112836f));
  y = mlgc_fma_f32(y, x, mlgc_splat<V>(-0.37612626f));
  y = mlgc_fma_f32(y, x, mlgc_splat<V>(0.12837917f));
  return y;
}

//- mlgc_erf_far_f32_polynomial: 2^-27.9
template <class V>
MLGC_INLINE V mlgc_erf_far_f32_polynomial(V x) {
  V y = mlgc_splat<V>(-3.1286785e-05f);
  y = mlgc_fma_f32(y, x, mlgc_splat<V>(0.0006367049f));
  y = mlgc_fma_f32(y, x, mlgc_splat<V>(-0.0060658553f));
  y = mlgc_fma_f32(y, x, mlgc_splat<V>(0.0363677f));
  y = mlgc_fma_f32(y, x, mlgc_splat<V>(-0.15641473f));
  y = mlgc_fma_f32(y, x, mlgc_splat<V>(-0.9135434f));
  y = mlgc_fma_f32(y, x, mlgc_splat<V>(-1.6296371f));
  y = mlgc_fma_f32(y, x, mlgc_splat<V>(0.00027126184f));
  return y;
}

//- mlgc_sin_f64_polynomial: 2^-57.3
template <class V>
MLGC_INLINE V mlgc_sin_f64_polynomial(V x) {
  return ((((1.5896791070380636e-10 * x - 2.505075804562319e-08) * x + 2.755731369153761e-06) * x -
         0.00019841269829806908) * x + 0.008333333333322413) * x - 0.16666666666666632;
}

//- mlgc_cos_f64_polynomial: 2^-59.9
template <class V>
MLGC_INLINE V mlgc_cos_f64_polynomial(V x) {
  return ((((-1.1359641430607254e-11 * x + 2.0875723152161122e-09) * x - 2.7557314351455763e-07) * x +
         2.4801587289479186e-05) * x - 0.0013888888888874118) * x + 0.0416666666666666;
}

//- mlgc_sin_f32_polynomial: 2^-27.5
template <class V>
MLGC_INLINE V mlgc_sin_f32_polynomial(V x) {
  V y = mlgc_splat<V>(-0.00019517227f);
  y = mlgc_fma_f32(y, x, mlgc_splat<V>(0.008332178f));
  y = mlgc_fma_f32(y, x, mlgc_splat<V>(-0.16666655f));
  return y;
}

//- mlgc_cos_f32_polynomial: 2^-30.9
template <class V>
MLGC_INLINE V mlgc_cos_f32_polynomial(V x) {
  V y = mlgc_splat<V>(2.4438352e-05f);
  y = mlgc_fma_f32(y, x, mlgc_splat<V>(-0.0013887367f));
  y = mlgc_fma_f32(y, x, mlgc_splat<V>(0.041666646f));
  return y;
}

//- mlgc_sin_short_f64_polynomial: 2^-37.6
template <class V>
MLGC_INLINE V mlgc_sin_short_f64_polynomial(V x) {
  return ((2.71830334426889e-06 * x - 0.00019839334006460915) * x + 0.008333329383422027) * x - 0.16666666641607206;
}

//- mlgc_cos_short_f64_polynomial: 2^-43.2
template <class V>
MLGC_INLINE V mlgc_cos_short_f64_polynomial(V x) {
  return ((-2.7210154643621684e-07 * x + 2.4799519010546e-05) * x - 0.0013888883749645362) * x +
         0.041666666622784336;
}

//- mlgc_atan_f64_polynomial: 2^-58.6
template <class V>
MLGC_INLINE V mlgc_atan_f64_polynomial(V x) {
  return (((((((((-0.017921670831384073 * x + 0.03807777877938052) * x - 0.05039824779990556) * x +
         0.058480044748473535) * x - 0.06663119800173355) * x + 0.07692061588696161) * x - 0.09090897833937694) * x
         + 0.11111110786060016) * x - 0.142857142802472) * x + 0.1999999999995407) * x - 0.333333333333332;
}

//- mlgc_asin_f64_polynomial: 2^-55.8
template <class V>
MLGC_INLINE V mlgc_asin_f64_polynomial(V x) {
  return ((((((((((0.03195895156597219 * x - 0.01629406438575806) * x + 0.01957390764469722) * x +
         0.006510850145651775) * x + 0.012173280634437383) * x + 0.013884598185497463) * x + 0.017359771142759148) *
         x + 0.022371753520836857) * x + 0.03038195933131755) * x + 0.04464285682348417) * x + 0.07500000000343032)
         * x + 0.16666666666665383;
}
