// Quotients, remainders, powers, shifts, divisors, random bits and given indices, one number at a time, for the
// preludes of C++ and of CUDA: each brings macros that make functions of its own kinds of values of them
// (MLGC_INTEGERS_2, MLGC_EACH_LANE_2, MLGC_HALVES_2). Nothing traps: a division by 0 gives anything, and the program
// tests for that where it counts.

//- mlgc_floor_div: division rounds down
MLGC_INLINE int64_t mlgc_floor_div_one(int64_t a, int64_t b) {
  if (b == -1 || b == 0) return static_cast<int64_t>(0 - static_cast<uint64_t>(a));
  const int64_t q = a / b;
  return a % b != 0 && ((a < 0) != (b < 0)) ? q - 1 : q;
}
MLGC_INTEGERS_2(mlgc_floor_div, mlgc_floor_div_one)

//- mlgc_mod: a remainder has the sign of the divisor
MLGC_INLINE int64_t mlgc_mod_one(int64_t a, int64_t b) {
  if (b == -1 || b == 0) return 0;
  const int64_t r = a % b;
  return r != 0 && ((r < 0) != (b < 0)) ? r + b : r;
}
MLGC_INTEGERS_2(mlgc_mod, mlgc_mod_one)

//- mlgc_rem: a remainder has the sign of what is divided
MLGC_INLINE int64_t mlgc_rem_one(int64_t a, int64_t b) { return b == -1 || b == 0 ? 0 : a % b; }
MLGC_INTEGERS_2(mlgc_rem, mlgc_rem_one)

//- mlgc_pow
MLGC_INLINE int64_t mlgc_pow_one(int64_t base, int64_t exponent) {
  if (exponent < 0) return base == 1 ? 1 : base == -1 ? (exponent % 2 == 0 ? 1 : -1) : 0;
  uint64_t result = 1, square = static_cast<uint64_t>(base);
  for (uint64_t e = static_cast<uint64_t>(exponent); e != 0; e >>= 1, square *= square)
    if (e & 1) result *= square;
  return static_cast<int64_t>(result);
}
MLGC_INTEGERS_2(mlgc_pow, mlgc_pow_one)

//- mlgc_shl: 0 for a shift by less than 0 or by all bits
MLGC_INLINE int64_t mlgc_shl_one(int64_t a, int64_t b) {
  return b < 0 || b > 63 ? 0 : static_cast<int64_t>(static_cast<uint64_t>(a) << b);
}
MLGC_INTEGERS_2(mlgc_shl, mlgc_shl_one)

//- mlgc_shr: nothing but the sign for a shift by less than 0 or by all bits
MLGC_INLINE int64_t mlgc_shr_one(int64_t a, int64_t b) { return a >> (b < 0 || b > 63 ? 63 : b); }
MLGC_INTEGERS_2(mlgc_shr, mlgc_shr_one)

//- mlgc_gcd: remainders keep their signs, and the least integer is its own absolute value
MLGC_INLINE uint64_t mlgc_magnitude_one(int64_t a) {
  return a < 0 ? 0 - static_cast<uint64_t>(a) : static_cast<uint64_t>(a);
}
MLGC_INLINE int64_t mlgc_gcd_one(int64_t a, int64_t b) {
  int64_t x = static_cast<int64_t>(mlgc_magnitude_one(a)), y = static_cast<int64_t>(mlgc_magnitude_one(b));
  while (x != 0) {
    const int64_t rest = x == -1 ? 0 : y % x;
    y = x;
    x = rest;
  }
  return y;
}
MLGC_INTEGERS_2(mlgc_gcd, mlgc_gcd_one)

//- mlgc_lcm: 0 where one is, made positive where it wraps around
MLGC_INLINE int64_t mlgc_lcm_one(int64_t a, int64_t b) {
  const uint64_t divisor = mlgc_magnitude_one(mlgc_gcd_one(a, b));
  if (divisor == 0) return 0;
  const uint64_t multiple = mlgc_magnitude_one(a) / divisor * mlgc_magnitude_one(b);
  return static_cast<int64_t>(mlgc_magnitude_one(static_cast<int64_t>(multiple)));
}
MLGC_INTEGERS_2(mlgc_lcm, mlgc_lcm_one)

//- mlgc_philox: Philox 4x32 with ten rounds, 64 bits that depend on the key and the counter only
MLGC_INLINE int64_t mlgc_philox_one(int64_t key, int64_t counter) {
  uint32_t k0 = static_cast<uint32_t>(key), k1 = static_cast<uint32_t>(static_cast<uint64_t>(key) >> 32);
  uint32_t c0 = static_cast<uint32_t>(counter), c1 = static_cast<uint32_t>(static_cast<uint64_t>(counter) >> 32);
  uint32_t c2 = 0, c3 = 0;
  for (int round = 0; round < 10; ++round) {
    const uint64_t p0 = uint64_t{0xD2511F53} * c0, p1 = uint64_t{0xCD9E8D57} * c2;
    c0 = static_cast<uint32_t>(p1 >> 32) ^ c1 ^ k0;
    c2 = static_cast<uint32_t>(p0 >> 32) ^ c3 ^ k1;
    c1 = static_cast<uint32_t>(p1);
    c3 = static_cast<uint32_t>(p0);
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  return static_cast<int64_t>(uint64_t{c1} << 32 | c0);
}
MLGC_INTEGERS_2(mlgc_philox, mlgc_philox_one)

//- mlgc_fmod_f32
MLGC_EACH_LANE_2(mlgc_fmod_f32, float, mlgc_fmod_one)
MLGC_HALVES_2(mlgc_fmod_f32)

//- mlgc_fmod_f64
MLGC_EACH_LANE_2(mlgc_fmod_f64, double, mlgc_fmod_one)
MLGC_HALVES_2(mlgc_fmod_f64)

//- mlgc_real_mod: a remainder has the sign of the divisor
MLGC_INLINE double mlgc_real_mod(double a, double b) {
  const double r = mlgc_fmod_one(a, b);
  return r != 0 && ((r < 0) != (b < 0)) ? r + b : r;
}

//- mlgc_mod_f32
MLGC_EACH_LANE_2(mlgc_mod_f32, float, mlgc_real_mod)
MLGC_HALVES_2(mlgc_mod_f32)

//- mlgc_mod_f64
MLGC_EACH_LANE_2(mlgc_mod_f64, double, mlgc_real_mod)
MLGC_HALVES_2(mlgc_mod_f64)

//- mlgc_real_floor_div: the quotient of the exact remainder, so that (a // b) * b + a % b is a
MLGC_INLINE double mlgc_real_floor_div(double a, double b) {
  if (b == 0) return a / b;
  const double m = mlgc_fmod_one(a, b);
  double q = (a - m) / b;
  if (m != 0 && ((b < 0) != (m < 0))) q -= 1;
  if (q == 0) return mlgc_copysign_f64(0.0, a / b);
  const double f = mlgc_floor_f64(q);
  return q - f > 0.5 ? f + 1 : f;
}

//- mlgc_floor_div_f32
MLGC_EACH_LANE_2(mlgc_floor_div_f32, float, mlgc_real_floor_div)
MLGC_HALVES_2(mlgc_floor_div_f32)

//- mlgc_floor_div_f64
MLGC_EACH_LANE_2(mlgc_floor_div_f64, double, mlgc_real_floor_div)
MLGC_HALVES_2(mlgc_floor_div_f64)

//- mlgc_given: the index that was given where `at`, which counts from the end, is outside of [0, size)
MLGC_INLINE int64_t mlgc_given(int64_t at, int64_t size) { return at < 0 ? at - size : at; }
