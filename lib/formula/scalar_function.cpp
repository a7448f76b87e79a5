// The table of scalar functions. Conventions are PyTorch's: min and max propagate NaN and share the gradient at ties,
// integer division floors, `sign` of NaN is 0, `round` rounds half to even.
#include "formula/scalar_function.h"

#include <math.h>  // lgamma_r, which std does not have

#include <cmath>
#include <limits>
#include <utility>

#include "support/result.h"

namespace mlgc {
namespace {

using I = std::int64_t;
using U = std::uint64_t;

// Two's complement wrapping without undefined overflow.
constexpr I wrap(U v) { return static_cast<I>(v); }

constexpr I integer_floor_div(I a, I b) {
  if (b == -1) return wrap(U{0} - static_cast<U>(a));
  const I q = a / b;
  return a % b != 0 && ((a < 0) != (b < 0)) ? q - 1 : q;
}
constexpr I integer_mod(I a, I b) {
  if (b == -1) return 0;
  const I r = a % b;
  return r != 0 && ((r < 0) != (b < 0)) ? r + b : r;
}
constexpr I integer_pow(I base, I exponent) {
  if (exponent < 0) return base == 1 ? 1 : base == -1 ? (exponent % 2 == 0 ? 1 : -1) : 0;
  U result = 1, square = static_cast<U>(base);
  for (U e = static_cast<U>(exponent); e != 0; e >>= 1, square *= square)
    if (e & 1) result *= square;
  return wrap(result);
}
double real_mod(double a, double b) {
  const double r = std::fmod(a, b);
  return r != 0 && ((r < 0) != (b < 0)) ? r + b : r;
}
double real_floor_div(double a, double b) {
  // The quotient of the exact remainder, so that (a // b) * b + a % b is a; PyTorch's rule.
  if (b == 0) return a / b;
  const double m = std::fmod(a, b);
  double q = (a - m) / b;
  if (m != 0 && ((b < 0) != (m < 0))) q -= 1;
  if (q == 0) return std::copysign(0.0, a / b);
  const double f = std::floor(q);
  return q - f > 0.5 ? f + 1 : f;
}

// A shift by more bits than there are, or by a negative number, leaves nothing of the number but, to the right, its
// sign. Numbers of narrower types arrive widened, so that 64 bits tell what theirs would.
constexpr I shift_left(I a, I b) { return b < 0 || b > 63 ? 0 : wrap(static_cast<U>(a) << b); }
constexpr I shift_right(I a, I b) { return a >> (b < 0 || b > 63 ? 63 : b); }

constexpr U magnitude(I a) { return a < 0 ? U{0} - static_cast<U>(a) : static_cast<U>(a); }
constexpr I absolute(I a) { return wrap(magnitude(a)); }
// As ATen computes them in i64: the least integer is its own absolute value, and Euclid's steps keep the signs of their
// remainders, so that a divisor of it may be negative.
constexpr I integer_gcd(I a, I b) {
  a = absolute(a), b = absolute(b);
  while (a != 0) b = std::exchange(a, a == -1 ? 0 : b % a);
  return b;
}
constexpr I integer_lcm(I a, I b) {
  const U divisor = magnitude(integer_gcd(a, b));
  return divisor == 0 ? 0 : absolute(wrap(magnitude(a) / divisor * magnitude(b)));
}

// The functions of emitted source that no library has, over those that one has.
#define MLGC_INLINE inline
MLGC_INLINE double mlgc_one_exp(double x) { return std::exp(x); }
MLGC_INLINE double mlgc_one_log(double x) { return std::log(x); }
MLGC_INLINE double mlgc_one_sqrt(double x) { return std::sqrt(x); }
MLGC_INLINE double mlgc_one_pow(double x, double y) { return std::pow(x, y); }
MLGC_INLINE double mlgc_one_tan(double x) { return std::tan(x); }
MLGC_INLINE double mlgc_one_floor(double x) { return std::floor(x); }
MLGC_INLINE double mlgc_one_erf(double x) { return std::erf(x); }
MLGC_INLINE double mlgc_one_erfc(double x) { return std::erfc(x); }
MLGC_INLINE double mlgc_one_lgamma(double x) {
  int sign = 0;  // lgamma writes it to a variable of the process
  return lgamma_r(x, &sign);
}
MLGC_INLINE double mlgc_one_nan() { return std::numeric_limits<double>::quiet_NaN(); }
MLGC_INLINE double mlgc_one_infinity() { return std::numeric_limits<double>::infinity(); }
#include "formula/special_series.h"

#include "formula/special_functions.h"
#undef MLGC_INLINE

// Philox 4x32 with 10 rounds (Salmon et al., 2011): 64 random bits that depend on a key and a counter only.
constexpr I philox(I key, I counter) {
  std::uint32_t k0 = static_cast<std::uint32_t>(key), k1 = static_cast<std::uint32_t>(static_cast<U>(key) >> 32);
  std::uint32_t c0 = static_cast<std::uint32_t>(counter),
                c1 = static_cast<std::uint32_t>(static_cast<U>(counter) >> 32);
  std::uint32_t c2 = 0, c3 = 0;
  for (int round = 0; round < 10; ++round) {
    const U p0 = U{0xD2511F53} * c0, p1 = U{0xCD9E8D57} * c2;
    c0 = static_cast<std::uint32_t>(p1 >> 32) ^ c1 ^ k0;
    c2 = static_cast<std::uint32_t>(p0 >> 32) ^ c3 ^ k1;
    c1 = static_cast<std::uint32_t>(p1);
    c3 = static_cast<std::uint32_t>(p0);
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  return wrap(U{c1} << 32 | c0);
}
// Random123's known answers for a key and a counter of zeros start with these two words.
static_assert(static_cast<U>(philox(0, 0)) == 0xE169C58D6627E8D5);

// clang-format off
constexpr std::array<ScalarFnInfo, kScalarFnCount> kTable{{
  {"neg", 1, ResultRule::Same, [](double a, double) { return -a; }, [](I a, I) { return wrap(U{0} - static_cast<U>(a)); }, {"0-1"}},
  {"abs", 1, ResultRule::Same, [](double a, double) { return std::fabs(a); }, [](I a, I) { return a < 0 ? wrap(U{0} - static_cast<U>(a)) : a; }, {"sign(a)"}},
  {"sign", 1, ResultRule::Same, [](double a, double) { return static_cast<double>((a > 0) - (a < 0)); }, [](I a, I) -> I { return (a > 0) - (a < 0); }, {}},
  {"floor", 1, ResultRule::Same, [](double a, double) { return std::floor(a); }, [](I a, I) { return a; }, {}},
  {"ceil", 1, ResultRule::Same, [](double a, double) { return std::ceil(a); }, [](I a, I) { return a; }, {}},
  {"trunc", 1, ResultRule::Same, [](double a, double) { return std::trunc(a); }, [](I a, I) { return a; }, {}},
  {"round", 1, ResultRule::Same, [](double a, double) { return std::nearbyint(a); }, [](I a, I) { return a; }, {}},
  {"exp", 1, ResultRule::FloatOf, [](double a, double) { return std::exp(a); }, nullptr, {"y"}, 9},
  {"expm1", 1, ResultRule::FloatOf, [](double a, double) { return std::expm1(a); }, nullptr, {"exp(a)"}, 9},
  {"log", 1, ResultRule::FloatOf, [](double a, double) { return std::log(a); }, nullptr, {"1/a"}, 9},
  {"log1p", 1, ResultRule::FloatOf, [](double a, double) { return std::log1p(a); }, nullptr, {"1/(1+a)"}, 9},
  {"log2", 1, ResultRule::FloatOf, [](double a, double) { return std::log2(a); }, nullptr, {"1/(a*0.6931471805599453)"}, 9},
  {"sqrt", 1, ResultRule::FloatOf, [](double a, double) { return std::sqrt(a); }, nullptr, {"0.5/y"}, 9},
  {"rsqrt", 1, ResultRule::FloatOf, [](double a, double) { return 1.0 / std::sqrt(a); }, nullptr, {"(0-0.5)*(y*y*y)"}, 9},
  {"sin", 1, ResultRule::FloatOf, [](double a, double) { return std::sin(a); }, nullptr, {"cos(a)"}, 9},
  {"cos", 1, ResultRule::FloatOf, [](double a, double) { return std::cos(a); }, nullptr, {"-sin(a)"}, 9},
  {"tan", 1, ResultRule::FloatOf, [](double a, double) { return std::tan(a); }, nullptr, {"1+y*y"}, 9},
  {"asin", 1, ResultRule::FloatOf, [](double a, double) { return std::asin(a); }, nullptr, {"rsqrt(1-a*a)"}, 9},
  {"acos", 1, ResultRule::FloatOf, [](double a, double) { return std::acos(a); }, nullptr, {"-rsqrt(1-a*a)"}, 9},
  {"atan", 1, ResultRule::FloatOf, [](double a, double) { return std::atan(a); }, nullptr, {"1/(1+a*a)"}, 9},
  {"sinh", 1, ResultRule::FloatOf, [](double a, double) { return std::sinh(a); }, nullptr, {"cosh(a)"}, 9},
  {"cosh", 1, ResultRule::FloatOf, [](double a, double) { return std::cosh(a); }, nullptr, {"sinh(a)"}, 9},
  {"tanh", 1, ResultRule::FloatOf, [](double a, double) { return std::tanh(a); }, nullptr, {"1-y*y"}, 9},
  {"asinh", 1, ResultRule::FloatOf, [](double a, double) { return std::asinh(a); }, nullptr, {"rsqrt(a*a+1)"}, 9},
  {"acosh", 1, ResultRule::FloatOf, [](double a, double) { return std::acosh(a); }, nullptr, {"rsqrt(a*a-1)"}, 9},
  {"atanh", 1, ResultRule::FloatOf, [](double a, double) { return std::atanh(a); }, nullptr, {"1/(1-a*a)"}, 9},
  {"sigmoid", 1, ResultRule::FloatOf, [](double a, double) { return 1.0 / (1.0 + std::exp(-a)); }, nullptr, {"y*(1-y)"}, 9},
  {"erf", 1, ResultRule::FloatOf, [](double a, double) { return std::erf(a); }, nullptr, {"1.1283791670955126*exp(-(a*a))"}, 9},
  {"erfc", 1, ResultRule::FloatOf, [](double a, double) { return std::erfc(a); }, nullptr, {"(0-1.1283791670955126)*exp(-(a*a))"}, 12},
  {"erfinv", 1, ResultRule::FloatOf, [](double a, double) { return mlgc_erfinv_one(a); }, nullptr, {"0.8862269254527579*exp(y*y)"}, 60},
  {"lgamma", 1, ResultRule::FloatOf, [](double a, double) { return mlgc_one_lgamma(a); }, nullptr, {"digamma(a)"}, 30},
  {"digamma", 1, ResultRule::FloatOf, [](double a, double) { return mlgc_digamma_one(a); }, nullptr, {"polygamma(a, 1)"}, 60},
  {"isnan", 1, ResultRule::Bool, [](double a, double) { return static_cast<double>(std::isnan(a)); }, [](I, I) -> I { return 0; }, {}},
  {"+", 2, ResultRule::SameOrBool, [](double a, double b) { return a + b; }, [](I a, I b) { return wrap(static_cast<U>(a) + static_cast<U>(b)); }, {"1", "1"}},
  {"-", 2, ResultRule::Same, [](double a, double b) { return a - b; }, [](I a, I b) { return wrap(static_cast<U>(a) - static_cast<U>(b)); }, {"1", "0-1"}},
  {"*", 2, ResultRule::SameOrBool, [](double a, double b) { return a * b; }, [](I a, I b) { return wrap(static_cast<U>(a) * static_cast<U>(b)); }, {"b", "a"}},
  {"/", 2, ResultRule::FloatOf, [](double a, double b) { return a / b; }, nullptr, {"1/b", "-(y/b)"}, 5},
  {"//", 2, ResultRule::Same, real_floor_div, integer_floor_div, {}},
  {"%", 2, ResultRule::Same, real_mod, integer_mod, {"1", "-(a//b)"}},
  {"fmod", 2, ResultRule::Same, [](double a, double b) { return std::fmod(a, b); }, [](I a, I b) -> I { return b == -1 ? 0 : a % b; }, {"1", "-trunc(a/b)"}},
  {"pow", 2, ResultRule::Same, [](double a, double b) { return std::pow(a, b); }, integer_pow, {"select(b==0, 0, b*pow(a,b-1))", "select(a==0 and b>=0, 0, y*log(a))"}, 9},
  {"atan2", 2, ResultRule::FloatOf, [](double a, double b) { return std::atan2(a, b); }, nullptr, {"select(a*a+b*b==0, 0, b/(a*a+b*b))", "select(a*a+b*b==0, 0, -(a/(a*a+b*b)))"}, 9},
  {"polygamma", 2, ResultRule::FloatOf, [](double a, double b) { return mlgc_polygamma_one(a, b); }, nullptr, {"polygamma(a, b+1)", ""}, 200},
  {"min", 2, ResultRule::SameOrBool, [](double a, double b) { return std::isnan(a) || a < b ? a : b; }, [](I a, I b) { return a < b ? a : b; }, {"select(a==b, 0.5, select(b<a, 0, 1))", "select(a==b, 0.5, select(a<b, 0, 1))"}},
  {"max", 2, ResultRule::SameOrBool, [](double a, double b) { return std::isnan(a) || a > b ? a : b; }, [](I a, I b) { return a > b ? a : b; }, {"select(a==b, 0.5, select(a<b, 0, 1))", "select(a==b, 0.5, select(b<a, 0, 1))"}},
  {"<", 2, ResultRule::Bool, [](double a, double b) { return static_cast<double>(a < b); }, [](I a, I b) -> I { return a < b; }, {}},
  {"<=", 2, ResultRule::Bool, [](double a, double b) { return static_cast<double>(a <= b); }, [](I a, I b) -> I { return a <= b; }, {}},
  {"==", 2, ResultRule::Bool, [](double a, double b) { return static_cast<double>(a == b); }, [](I a, I b) -> I { return a == b; }, {}},
  {"!=", 2, ResultRule::Bool, [](double a, double b) { return static_cast<double>(a != b); }, [](I a, I b) -> I { return a != b; }, {}},
  {"and", 2, ResultRule::Logical, nullptr, [](I a, I b) -> I { return a != 0 && b != 0; }, {}},
  {"or", 2, ResultRule::Logical, nullptr, [](I a, I b) -> I { return a != 0 || b != 0; }, {}},
  {"not", 1, ResultRule::Logical, nullptr, [](I a, I) -> I { return a == 0; }, {}},
  {"bitand", 2, ResultRule::Bits, nullptr, [](I a, I b) { return a & b; }, {}},
  {"bitor", 2, ResultRule::Bits, nullptr, [](I a, I b) { return a | b; }, {}},
  {"bitxor", 2, ResultRule::Bits, nullptr, [](I a, I b) { return a ^ b; }, {}},
  {"bitnot", 1, ResultRule::Bits, nullptr, [](I a, I) { return ~a; }, {}},
  {"shl", 2, ResultRule::Bits, nullptr, shift_left, {}, 3},
  {"shr", 2, ResultRule::Bits, nullptr, shift_right, {}, 3},
  {"gcd", 2, ResultRule::Bits, nullptr, integer_gcd, {}, 60},
  {"lcm", 2, ResultRule::Bits, nullptr, integer_lcm, {}, 70},
  {"philox", 2, ResultRule::Bits, nullptr, philox, {}},
}};
// clang-format on

static_assert(kTable[static_cast<std::size_t>(ScalarFn::Pow)].name == "pow");
static_assert(kTable[static_cast<std::size_t>(ScalarFn::Lt)].name == "<");
static_assert(kTable[static_cast<std::size_t>(ScalarFn::Philox)].name == "philox");

}  // namespace

const ScalarFnInfo& scalar_fn_info(ScalarFn fn) { return kTable[static_cast<std::size_t>(fn)]; }

std::optional<ScalarFn> find_scalar_fn(std::string_view name, std::size_t arity) {
  if (name == "-" && arity == 1) return ScalarFn::Neg;
  for (std::size_t i = 0; i < kTable.size(); ++i)
    if (kTable[i].name == name && kTable[i].arity == arity) return static_cast<ScalarFn>(i);
  return std::nullopt;
}

}  // namespace mlgc
