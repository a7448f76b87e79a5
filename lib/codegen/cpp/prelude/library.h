// Functions of the C library in f64, rounded once: the bits of the interpreter, lane by lane.

//- mlgc_library_sigmoid
MLGC_INLINE double mlgc_library_sigmoid(double x) { return 1 / (1 + __builtin_exp(-x)); }

//- mlgc_library_rsqrt
MLGC_INLINE double mlgc_library_rsqrt(double x) { return 1 / mlgc_sqrt_f64(x); }

//- mlgc_library_exp_f32
MLGC_EACH_LANE(mlgc_library_exp_f32, float, __builtin_exp)
MLGC_HALVES(mlgc_library_exp_f32)

//- mlgc_library_exp_f64
MLGC_EACH_LANE(mlgc_library_exp_f64, double, __builtin_exp)
MLGC_HALVES(mlgc_library_exp_f64)

//- mlgc_library_expm1_f32
MLGC_EACH_LANE(mlgc_library_expm1_f32, float, __builtin_expm1)
MLGC_HALVES(mlgc_library_expm1_f32)

//- mlgc_library_expm1_f64
MLGC_EACH_LANE(mlgc_library_expm1_f64, double, __builtin_expm1)
MLGC_HALVES(mlgc_library_expm1_f64)

//- mlgc_library_log_f32
MLGC_EACH_LANE(mlgc_library_log_f32, float, __builtin_log)
MLGC_HALVES(mlgc_library_log_f32)

//- mlgc_library_log_f64
MLGC_EACH_LANE(mlgc_library_log_f64, double, __builtin_log)
MLGC_HALVES(mlgc_library_log_f64)

//- mlgc_library_log1p_f32
MLGC_EACH_LANE(mlgc_library_log1p_f32, float, __builtin_log1p)
MLGC_HALVES(mlgc_library_log1p_f32)

//- mlgc_library_log1p_f64
MLGC_EACH_LANE(mlgc_library_log1p_f64, double, __builtin_log1p)
MLGC_HALVES(mlgc_library_log1p_f64)

//- mlgc_library_log2_f32
MLGC_EACH_LANE(mlgc_library_log2_f32, float, __builtin_log2)
MLGC_HALVES(mlgc_library_log2_f32)

//- mlgc_library_log2_f64
MLGC_EACH_LANE(mlgc_library_log2_f64, double, __builtin_log2)
MLGC_HALVES(mlgc_library_log2_f64)

//- mlgc_library_sin_f32
MLGC_EACH_LANE(mlgc_library_sin_f32, float, __builtin_sin)
MLGC_HALVES(mlgc_library_sin_f32)

//- mlgc_library_sin_f64
MLGC_EACH_LANE(mlgc_library_sin_f64, double, __builtin_sin)
MLGC_HALVES(mlgc_library_sin_f64)

//- mlgc_library_cos_f32
MLGC_EACH_LANE(mlgc_library_cos_f32, float, __builtin_cos)
MLGC_HALVES(mlgc_library_cos_f32)

//- mlgc_library_cos_f64
MLGC_EACH_LANE(mlgc_library_cos_f64, double, __builtin_cos)
MLGC_HALVES(mlgc_library_cos_f64)

//- mlgc_library_tan_f32
MLGC_EACH_LANE(mlgc_library_tan_f32, float, __builtin_tan)
MLGC_HALVES(mlgc_library_tan_f32)

//- mlgc_library_tan_f64
MLGC_EACH_LANE(mlgc_library_tan_f64, double, __builtin_tan)
MLGC_HALVES(mlgc_library_tan_f64)

//- mlgc_library_asin_f32
MLGC_EACH_LANE(mlgc_library_asin_f32, float, __builtin_asin)
MLGC_HALVES(mlgc_library_asin_f32)

//- mlgc_library_asin_f64
MLGC_EACH_LANE(mlgc_library_asin_f64, double, __builtin_asin)
MLGC_HALVES(mlgc_library_asin_f64)

//- mlgc_library_acos_f32
MLGC_EACH_LANE(mlgc_library_acos_f32, float, __builtin_acos)
MLGC_HALVES(mlgc_library_acos_f32)

//- mlgc_library_acos_f64
MLGC_EACH_LANE(mlgc_library_acos_f64, double, __builtin_acos)
MLGC_HALVES(mlgc_library_acos_f64)

//- mlgc_library_atan_f32
MLGC_EACH_LANE(mlgc_library_atan_f32, float, __builtin_atan)
MLGC_HALVES(mlgc_library_atan_f32)

//- mlgc_library_atan_f64
MLGC_EACH_LANE(mlgc_library_atan_f64, double, __builtin_atan)
MLGC_HALVES(mlgc_library_atan_f64)

//- mlgc_library_sinh_f32
MLGC_EACH_LANE(mlgc_library_sinh_f32, float, __builtin_sinh)
MLGC_HALVES(mlgc_library_sinh_f32)

//- mlgc_library_sinh_f64
MLGC_EACH_LANE(mlgc_library_sinh_f64, double, __builtin_sinh)
MLGC_HALVES(mlgc_library_sinh_f64)

//- mlgc_library_cosh_f32
MLGC_EACH_LANE(mlgc_library_cosh_f32, float, __builtin_cosh)
MLGC_HALVES(mlgc_library_cosh_f32)

//- mlgc_library_cosh_f64
MLGC_EACH_LANE(mlgc_library_cosh_f64, double, __builtin_cosh)
MLGC_HALVES(mlgc_library_cosh_f64)

//- mlgc_library_tanh_f32
MLGC_EACH_LANE(mlgc_library_tanh_f32, float, __builtin_tanh)
MLGC_HALVES(mlgc_library_tanh_f32)

//- mlgc_library_tanh_f64
MLGC_EACH_LANE(mlgc_library_tanh_f64, double, __builtin_tanh)
MLGC_HALVES(mlgc_library_tanh_f64)

//- mlgc_library_asinh_f32
MLGC_EACH_LANE(mlgc_library_asinh_f32, float, __builtin_asinh)
MLGC_HALVES(mlgc_library_asinh_f32)

//- mlgc_library_asinh_f64
MLGC_EACH_LANE(mlgc_library_asinh_f64, double, __builtin_asinh)
MLGC_HALVES(mlgc_library_asinh_f64)

//- mlgc_library_acosh_f32
MLGC_EACH_LANE(mlgc_library_acosh_f32, float, __builtin_acosh)
MLGC_HALVES(mlgc_library_acosh_f32)

//- mlgc_library_acosh_f64
MLGC_EACH_LANE(mlgc_library_acosh_f64, double, __builtin_acosh)
MLGC_HALVES(mlgc_library_acosh_f64)

//- mlgc_library_atanh_f32
MLGC_EACH_LANE(mlgc_library_atanh_f32, float, __builtin_atanh)
MLGC_HALVES(mlgc_library_atanh_f32)

//- mlgc_library_atanh_f64
MLGC_EACH_LANE(mlgc_library_atanh_f64, double, __builtin_atanh)
MLGC_HALVES(mlgc_library_atanh_f64)

//- mlgc_library_erf_f32
MLGC_EACH_LANE(mlgc_library_erf_f32, float, __builtin_erf)
MLGC_HALVES(mlgc_library_erf_f32)

//- mlgc_library_erf_f64
MLGC_EACH_LANE(mlgc_library_erf_f64, double, __builtin_erf)
MLGC_HALVES(mlgc_library_erf_f64)

//- mlgc_library_sigmoid_f32
MLGC_EACH_LANE(mlgc_library_sigmoid_f32, float, mlgc_library_sigmoid)
MLGC_HALVES(mlgc_library_sigmoid_f32)

//- mlgc_library_sigmoid_f64
MLGC_EACH_LANE(mlgc_library_sigmoid_f64, double, mlgc_library_sigmoid)
MLGC_HALVES(mlgc_library_sigmoid_f64)

//- mlgc_library_rsqrt_f32
MLGC_EACH_LANE(mlgc_library_rsqrt_f32, float, mlgc_library_rsqrt)
MLGC_HALVES(mlgc_library_rsqrt_f32)

//- mlgc_library_rsqrt_f64
MLGC_EACH_LANE(mlgc_library_rsqrt_f64, double, mlgc_library_rsqrt)
MLGC_HALVES(mlgc_library_rsqrt_f64)

//- mlgc_library_pow_f32
MLGC_EACH_LANE_2(mlgc_library_pow_f32, float, __builtin_pow)
MLGC_HALVES_2(mlgc_library_pow_f32)

//- mlgc_library_pow_f64
MLGC_EACH_LANE_2(mlgc_library_pow_f64, double, __builtin_pow)
MLGC_HALVES_2(mlgc_library_pow_f64)

//- mlgc_library_atan2_f32
MLGC_EACH_LANE_2(mlgc_library_atan2_f32, float, __builtin_atan2)
MLGC_HALVES_2(mlgc_library_atan2_f32)

//- mlgc_library_atan2_f64
MLGC_EACH_LANE_2(mlgc_library_atan2_f64, double, __builtin_atan2)
MLGC_HALVES_2(mlgc_library_atan2_f64)

//- mlgc_erfc_f32
MLGC_EACH_LANE(mlgc_erfc_f32, float, mlgc_one_erfc)
MLGC_HALVES(mlgc_erfc_f32)

//- mlgc_erfc_f64
MLGC_EACH_LANE(mlgc_erfc_f64, double, mlgc_one_erfc)
MLGC_HALVES(mlgc_erfc_f64)

//- mlgc_erfinv_f32
MLGC_EACH_LANE(mlgc_erfinv_f32, float, mlgc_erfinv_one)
MLGC_HALVES(mlgc_erfinv_f32)

//- mlgc_erfinv_f64
MLGC_EACH_LANE(mlgc_erfinv_f64, double, mlgc_erfinv_one)
MLGC_HALVES(mlgc_erfinv_f64)

//- mlgc_lgamma_f32
MLGC_EACH_LANE(mlgc_lgamma_f32, float, mlgc_one_lgamma)
MLGC_HALVES(mlgc_lgamma_f32)

//- mlgc_lgamma_f64
MLGC_EACH_LANE(mlgc_lgamma_f64, double, mlgc_one_lgamma)
MLGC_HALVES(mlgc_lgamma_f64)

//- mlgc_digamma_f32
MLGC_EACH_LANE(mlgc_digamma_f32, float, mlgc_digamma_one)
MLGC_HALVES(mlgc_digamma_f32)

//- mlgc_digamma_f64
MLGC_EACH_LANE(mlgc_digamma_f64, double, mlgc_digamma_one)
MLGC_HALVES(mlgc_digamma_f64)

//- mlgc_polygamma_f32
MLGC_EACH_LANE_2(mlgc_polygamma_f32, float, mlgc_polygamma_one)
MLGC_HALVES_2(mlgc_polygamma_f32)

//- mlgc_polygamma_f64
MLGC_EACH_LANE_2(mlgc_polygamma_f64, double, mlgc_polygamma_one)
MLGC_HALVES_2(mlgc_polygamma_f64)

//- mlgc_library_erfc_f32
MLGC_EACH_LANE(mlgc_library_erfc_f32, float, mlgc_one_erfc)
MLGC_HALVES(mlgc_library_erfc_f32)

//- mlgc_library_erfc_f64
MLGC_EACH_LANE(mlgc_library_erfc_f64, double, mlgc_one_erfc)
MLGC_HALVES(mlgc_library_erfc_f64)

//- mlgc_library_erfinv_f32
MLGC_EACH_LANE(mlgc_library_erfinv_f32, float, mlgc_erfinv_one)
MLGC_HALVES(mlgc_library_erfinv_f32)

//- mlgc_library_erfinv_f64
MLGC_EACH_LANE(mlgc_library_erfinv_f64, double, mlgc_erfinv_one)
MLGC_HALVES(mlgc_library_erfinv_f64)

//- mlgc_library_lgamma_f32
MLGC_EACH_LANE(mlgc_library_lgamma_f32, float, mlgc_one_lgamma)
MLGC_HALVES(mlgc_library_lgamma_f32)

//- mlgc_library_lgamma_f64
MLGC_EACH_LANE(mlgc_library_lgamma_f64, double, mlgc_one_lgamma)
MLGC_HALVES(mlgc_library_lgamma_f64)

//- mlgc_library_digamma_f32
MLGC_EACH_LANE(mlgc_library_digamma_f32, float, mlgc_digamma_one)
MLGC_HALVES(mlgc_library_digamma_f32)

//- mlgc_library_digamma_f64
MLGC_EACH_LANE(mlgc_library_digamma_f64, double, mlgc_digamma_one)
MLGC_HALVES(mlgc_library_digamma_f64)

//- mlgc_library_polygamma_f32
MLGC_EACH_LANE_2(mlgc_library_polygamma_f32, float, mlgc_polygamma_one)
MLGC_HALVES_2(mlgc_library_polygamma_f32)

//- mlgc_library_polygamma_f64
MLGC_EACH_LANE_2(mlgc_library_polygamma_f64, double, mlgc_polygamma_one)
MLGC_HALVES_2(mlgc_library_polygamma_f64)
