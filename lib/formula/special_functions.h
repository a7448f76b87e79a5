// Functions that the C library does not have, one f64 at a time. They are text of the preludes of emitted C++ and CUDA
// too, cut at `//-` (lib/codegen/prelude.h), so that every back end computes them alike. Whoever includes or embeds
// this has formula/special_series.h before it, and defines MLGC_INLINE and mlgc_one_exp, _log, _sqrt, _pow, _tan,
// _floor, _erf, _erfc, _lgamma, _nan and _infinity.

//- mlgc_erfinv_one: a rational start, and two steps of Newton's
// Beyond 0.7 three on erfc, which does not lose what 1 - |y| says.
MLGC_INLINE double mlgc_erfinv_one(double y) {
  const double a = y < 0 ? -y : y;
  if (!(a < 1)) return a == 1 ? y * mlgc_one_infinity() : mlgc_one_nan();
  if (a <= 0.7) {
    double x = mlgc_erfinv_start_near(y);
    for (int step = 0; step < 2; ++step) x -= (mlgc_one_erf(x) - y) / (1.1283791670955126 * mlgc_one_exp(-x * x));
    return x;
  }
  const double rest = 1.0 - a;
  double x = mlgc_erfinv_start_far(mlgc_one_sqrt(-mlgc_one_log(rest / 2.0)));
  for (int step = 0; step < 3; ++step) x += (mlgc_one_erfc(x) - rest) / (1.1283791670955126 * mlgc_one_exp(-x * x));
  return y < 0 ? -x : x;
}

//- mlgc_digamma_one: recurrence up to 10, then the asymptotic series; reflected below 0
// At 0 it is infinite, at other poles NaN, as in ATen.
MLGC_INLINE double mlgc_digamma_one(double x) {
  if (x == 0) return -1 / x;
  double sum = 0, reflected = 0;
  if (x < 0) {
    const double whole = mlgc_one_floor(x);
    if (whole == x) return mlgc_one_nan();
    // The tangent of the distance from the nearest integer alone: pi*x would round away what is next to a pole.
    const double below = x - whole, part = below > 0.5 ? x - (whole + 1) : below;
    reflected = 3.141592653589793 / mlgc_one_tan(3.141592653589793 * part);
    x = 1 - x;
  }
  for (; x < 10; x += 1) sum -= 1 / x;
  const double series = x < 1e17 ? mlgc_digamma_series(1 / (x * x)) : 0;
  return sum + mlgc_one_log(x) - 0.5 / x - series - reflected;
}

//- mlgc_zeta_one: Hurwitz' zeta function for a whole s from 2 on and q > 0, by Euler and Maclaurin
MLGC_INLINE double mlgc_zeta_one(double s, double q) {
  double sum = mlgc_one_pow(q, -s), a = q, term = 0;
  for (int i = 0; i < 9 || a <= 9; ++i) {
    a += 1;
    term = mlgc_one_pow(a, -s);
    sum += term;
    if (term < 1.1e-16 * sum) return sum;
  }
  // Not `term * a`: far out the term underflows and the integral does not.
  sum += mlgc_one_pow(a, 1 - s) / (s - 1) - 0.5 * term;
  double factor = 1, k = 0;
  for (int i = 0; i < 12; ++i) {
    factor *= s + k;
    term /= a;
    const double next = factor * term / mlgc_bernoulli_quotient(i);
    sum += next;
    if ((next < 0 ? -next : next) < 1.1e-16 * sum) return sum;
    factor *= s + k + 1;
    term /= a;
    k += 2;
  }
  return sum;
}

//- mlgc_polygamma_one: the derivative of order n of digamma; NaN where n is no order
// Below 0 the terms on both sides of 0 are two sums that converge.
MLGC_INLINE double mlgc_polygamma_one(double x, double n) {
  if (n == 0) return mlgc_digamma_one(x);
  if (!(n > 0) || mlgc_one_floor(n) != n || x != x) return mlgc_one_nan();
  const double s = n + 1, whole = mlgc_one_floor(x);
  const bool odd = mlgc_one_floor(n / 2) != n / 2;
  double zeta = 0;
  if (x - x != 0) {  // infinite
    if (x < 0) return mlgc_one_nan();
  } else if (x > 0) {
    zeta = mlgc_zeta_one(s, x);
  } else if (whole == x) {  // a pole
    zeta = mlgc_one_infinity();
  } else {
    // The terms above 0 start at `part`; those below it start where x does and end at `last`, both as magnitudes.
    const double part = x - whole, last = (whole + 1) - x, beyond = mlgc_zeta_one(s, 1 - x);
    const double first = mlgc_zeta_one(s, part), second = mlgc_zeta_one(s, last);
    // In the middle between two poles the terms of odd powers cancel exactly.
    zeta = odd ? first + (second - beyond) : (first - second) + beyond;
  }
  double factorial = 1;
  for (double k = 2; k <= n && k < 171; k += 1) factorial *= k;
  // n! may overflow where the product does not.
  const double size = zeta < 0 ? -zeta : zeta, sign = (zeta < 0) != odd ? 1 : -1;
  return sign * (n < 171 ? factorial * size : mlgc_one_exp(mlgc_one_lgamma(s) + mlgc_one_log(size)));
}
