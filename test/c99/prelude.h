//- mlgc_add: integers wrap around
static int64_t mlgc_add(int64_t a, int64_t b) { return (int64_t)((uint64_t)a + (uint64_t)b); }
//- mlgc_sub
static int64_t mlgc_sub(int64_t a, int64_t b) { return (int64_t)((uint64_t)a - (uint64_t)b); }
//- mlgc_mul
static int64_t mlgc_mul(int64_t a, int64_t b) { return (int64_t)((uint64_t)a * (uint64_t)b); }
//- mlgc_neg
static int64_t mlgc_neg(int64_t a) { return (int64_t)(UINT64_C(0) - (uint64_t)a); }
//- mlgc_abs
static int64_t mlgc_abs(int64_t a) { return a < 0 ? (int64_t)(UINT64_C(0) - (uint64_t)a) : a; }
//- mlgc_floor_div: by 0 it is 0, by -1 it wraps around
static int64_t mlgc_floor_div(int64_t a, int64_t b) {
  if (b == 0) return 0;
  if (b == -1) return (int64_t)(UINT64_C(0) - (uint64_t)a);
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}
//- mlgc_mod: of the sign of the divisor
static int64_t mlgc_mod(int64_t a, int64_t b) {
  if (b == 0 || b == -1) return 0;
  return a % b + (a % b != 0 && (a < 0) != (b < 0) ? b : 0);
}
//- mlgc_rem
static int64_t mlgc_rem(int64_t a, int64_t b) { return b == 0 || b == -1 ? 0 : a % b; }
//- mlgc_least
static int64_t mlgc_least(int64_t a, int64_t b) { return a < b ? a : b; }
//- mlgc_most
static int64_t mlgc_most(int64_t a, int64_t b) { return a > b ? a : b; }
//- mlgc_to_int64: what does not fit becomes the smallest integer
static int64_t mlgc_to_int64(double a) {
  return a >= -9223372036854775808.0 && a < 9223372036854775808.0 ? (int64_t)a : -INT64_C(9223372036854775807) - 1;
}
//- mlgc_to_int32
static int32_t mlgc_to_int32(double a) {
  return a > -2147483649.0 && a < 2147483648.0 ? (int32_t)a : -INT32_C(2147483647) - 1;
}
