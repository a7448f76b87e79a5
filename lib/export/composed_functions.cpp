// Scalar functions in others, for notations without an operator of them. What loses digits otherwise, or has no formula
// that is exact in its own type, is computed in f64; both sides of a case are computed, and one is selected.
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <numbers>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "export/tensor_ops.h"

#define MLGC_INLINE inline
#include "formula/special_series.h"
#undef MLGC_INLINE

namespace mlgc {
namespace {

// A value with the arithmetic of a number, so that formulas read as such. Operators are appended in the order of
// operands when it is asked for, in whichever order a C++ compiler evaluates.
struct Expression;
struct Number {
  std::shared_ptr<const Expression> expression;
  const Expression* operator->() const { return expression.get(); }
};
struct Expression {
  enum class Kind : std::uint8_t { Value, Real, Integer, Call, Select, Cast, ShiftRight };
  Kind kind = Kind::Value;
  Dtype type = Dtype::F64;
  ScalarFn fn = ScalarFn::Add;
  double real = 0;
  std::int64_t integer = 0;  // or as many bits
  std::vector<Number> operands = {};
  TensorValue value = {};
};
using Kind = Expression::Kind;

Number made(Expression expression) { return {std::make_shared<const Expression>(std::move(expression))}; }
Number literal(const Number& like, double value) {
  return made({.kind = Kind::Real, .type = like->type, .real = value});
}
Number integer(std::int64_t value) { return made({.kind = Kind::Integer, .type = Dtype::I64, .integer = value}); }
Number known(TensorValue value) {
  const Dtype type = value.dtype;
  return made({.type = type, .value = std::move(value)});
}
Number called(ScalarFn fn, Dtype type, std::vector<Number> operands) {
  return made({.kind = Kind::Call, .type = type, .fn = fn, .operands = std::move(operands)});
}
Number called(ScalarFn fn, const Number& x) { return called(fn, x->type, {x}); }
Number called(ScalarFn fn, const Number& a, const Number& b) { return called(fn, a->type, {a, b}); }
Number operator+(const Number& a, const Number& b) { return called(ScalarFn::Add, a, b); }
Number operator-(const Number& a, const Number& b) { return called(ScalarFn::Sub, a, b); }
Number operator*(const Number& a, const Number& b) { return called(ScalarFn::Mul, a, b); }
Number operator/(const Number& a, const Number& b) { return called(ScalarFn::Div, a, b); }
Number operator+(const Number& a, double b) { return a + literal(a, b); }
Number operator-(const Number& a, double b) { return a - literal(a, b); }
Number operator*(const Number& a, double b) { return a * literal(a, b); }
Number operator/(const Number& a, double b) { return a / literal(a, b); }
Number operator+(double a, const Number& b) { return literal(b, a) + b; }
Number operator-(double a, const Number& b) { return literal(b, a) - b; }
Number operator*(double a, const Number& b) { return literal(b, a) * b; }
Number operator/(double a, const Number& b) { return literal(b, a) / b; }
Number operator-(const Number& a) { return called(ScalarFn::Neg, a); }

// Truth values.
Number operator<(const Number& a, const Number& b) { return called(ScalarFn::Lt, Dtype::I1, {a, b}); }
Number operator<(const Number& a, double b) { return a < literal(a, b); }
Number operator<(double a, const Number& b) { return literal(b, a) < b; }
Number operator==(const Number& a, const Number& b) { return called(ScalarFn::Eq, Dtype::I1, {a, b}); }
Number operator==(const Number& a, double b) { return a == literal(a, b); }
Number operator&(const Number& a, const Number& b) { return called(ScalarFn::And, Dtype::I1, {a, b}); }
Number operator|(const Number& a, const Number& b) { return called(ScalarFn::Or, Dtype::I1, {a, b}); }
Number operator!(const Number& a) { return called(ScalarFn::Not, Dtype::I1, {a}); }
Number is_nan(const Number& x) { return called(ScalarFn::IsNan, Dtype::I1, {x}); }
Number select(const Number& condition, const Number& a, const Number& b) {
  return made({.kind = Kind::Select, .type = a->type, .operands = {condition, a, b}});
}
Number select(const Number& condition, const Number& a, double b) { return select(condition, a, literal(a, b)); }
Number select(const Number& condition, double a, const Number& b) { return select(condition, literal(b, a), b); }

Number cast(const Number& x, Dtype type) {
  return x->type == type ? x : made({.kind = Kind::Cast, .type = type, .operands = {x}});
}
Number exp(const Number& x) { return called(ScalarFn::Exp, x); }
Number log(const Number& x) { return called(ScalarFn::Log, x); }
Number sqrt(const Number& x) { return called(ScalarFn::Sqrt, x); }
Number sin(const Number& x) { return called(ScalarFn::Sin, x); }
Number floor(const Number& x) { return called(ScalarFn::Floor, x); }
Number pow(const Number& x, const Number& y) { return called(ScalarFn::Pow, x, y); }
Number abs(const Number& x) { return called(ScalarFn::Abs, x); }

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kPi = std::numbers::pi;
constexpr double kTwoByRootOfPi = 1.1283791670955126;

// Of -0 too.
Number is_negative(const Number& x) { return (x < 0) | ((x == 0) & (1 / x < 0)); }

// exp(x) - 1 = tanh(x/2)*(exp(x) + 1), which loses nothing near 0 (Higham, Accuracy and Stability, 1.14.1).
Number expm1(const Number& x) { return called(ScalarFn::Tanh, x * 0.5) * (exp(x) + 1); }
// log(u)*x/(u - 1) with u = 1 + x as it is rounded (the same).
Number log1p(const Number& x) {
  const Number u = x + 1, result = log(u), ratio = x / (u - 1);
  const Number near = select(u == 1, x, result * ratio);
  return select(u == x, result, near);
}

// Engines have that of f32 alone: what it lacks in f64 is the arctangent of a number that is its own.
Number atan_up_to_1(const Number& x) {
  const Number start = cast(called(ScalarFn::Atan, cast(x, Dtype::F32)), x->type);
  if (x->type != Dtype::F64) return start;
  const Number sine = sin(start), cosine = called(ScalarFn::Cos, start);
  return start + (x * cosine - sine) / (cosine + x * sine);
}
// The arctangent of |y|/|x|, in the quadrant that the signs say.
Number atan2(const Number& y, const Number& x) {
  const Number top = abs(y), bottom = abs(x);
  const Number both = (top == bottom) & ((top == 0) | (top == kInfinity));
  const Number steep = bottom < top, quotient = select(steep, bottom / top, top / bottom);
  const Number angle = atan_up_to_1(select(both, select(top == 0, 0, literal(y, 1)), quotient));
  const Number near = select(steep, kPi / 2 - angle, angle);
  const Number around = select(is_negative(x), kPi - near, near);
  return select(is_nan(x) | is_nan(y), x + y, select(is_negative(y), -around, around));
}

// 2/sqrt(pi) * exp(-x^2) * sum of 2^k x^(2k+1)/(2k+1)!!, whose terms are all positive; for |x| up to 0.75.
Number erf_near(const Number& x) {
  const Number z = x * x;
  double factors[17] = {1};
  for (int k = 1; k < 17; ++k) factors[k] = factors[k - 1] * 2 / (2 * k + 1);
  Number sum = literal(x, factors[16]);
  for (int k = 16; k-- > 0;) sum = sum * z + factors[k];
  return kTwoByRootOfPi * exp(-z) * x * sum;
}
// The trapezoidal rule for exp(-x^2)/pi times the integral of x*exp(-t^2)/(t^2 + x^2), whose poles add a term up to
// x = pi/h (Chiarella and Reichel, 1968); for x from 0.5 on. Steps of 1/2 are exact to exp(-4*pi^2).
Number erfc_far(const Number& given) {
  constexpr double kStep = 0.5;
  const Number x = select(28 < given, 28, given), z = x * x;  // it is 0 from there on
  Number sum = 0.5 / z;
  for (int n = 1; n <= 12; ++n) {
    const double square = n * n * kStep * kStep;
    sum = sum + std::exp(-square) / (z + square);
  }
  const Number poles = select(x < kPi / kStep, 2 / (exp(x * (2 * kPi / kStep)) - 1), 0);
  // exp(-x^2), by a part of x whose square is exact.
  const Number part = cast(cast(x, Dtype::F32), Dtype::F64);
  const Number power = exp(-(part * part)) * exp((part - x) * (part + x));
  return (2 * kStep / kPi) * x * power * sum - poles;
}
Number erfc(const Number& x) {
  const Number size = abs(x), far = erfc_far(size);
  return select(size < 0.5, 1 - erf_near(x), select(x < 0, 2 - far, far));
}
Number erfinv(const Number& y) {
  const Number size = abs(y), rest = 1 - size;
  const auto slope = [](const Number& x) { return kTwoByRootOfPi * exp(-(x * x)); };
  Number near = mlgc_erfinv_start_near(y);
  for (int step = 0; step < 2; ++step) near = near - (erf_near(near) - y) / slope(near);
  Number far = mlgc_erfinv_start_far(sqrt(-log(rest / 2)));
  for (int step = 0; step < 3; ++step) far = far + (erfc_far(far) - rest) / slope(far);
  const Number inside = select(0.7 < size, select(y < 0, -far, far), near);
  const Number outside = select(size == 1, y * kInfinity, kNan);
  return select(size < 1, inside, outside);
}

// The distance from the nearest integer; exact next to it.
Number distance(const Number& x) {
  const Number whole = floor(x), below = x - whole;
  return select(0.5 < below, x - (whole + 1), below);
}

// The derivatives at 2 for x from 0 to 10, brought to 1.5 .. 2.5 by the recurrence, and Stirling's series beyond.
Number lgamma_positive(const Number& x) {
  const ScalarFnInfo& derivative = scalar_fn_info(ScalarFn::Polygamma);
  const Number small = select(x < 10, x, 2), first = small < 0.5, second = small < 1.5;
  // What is left above 2, which is exact next to the zeros at 1 and 2.
  Number rest = select(first, small, select(second, small - 1, small - 2)), above = literal(x, 1);
  const Number below = select(first, small * (small + 1), select(second, small, 1));
  for (int step = 0; step < 8; ++step) {
    const Number over = !(rest < 0.5);
    above = select(over, above * (rest + 1), above);
    rest = select(over, rest - 1, rest);
  }
  constexpr int kTerms = 26;
  double factors[kTerms + 1] = {};  // lgamma(2) is 0
  double factorial = 1;
  for (int k = 1; k <= kTerms; ++k) {
    factorial *= k;
    factors[k] = derivative.real(2, k - 1) / factorial;
  }
  Number sum = literal(x, factors[kTerms]);
  for (int k = kTerms; k-- > 1;) sum = sum * rest + factors[k];
  const Number near = sum * rest + log(above) - log(below);
  const Number z = 1 / (x * x);
  Number series = literal(x, 0);
  for (int k = 7; k >= 1; --k) {  // B(2k)/(2k*(2k - 1)) / x^(2k-1)
    double numerator = 1;
    for (int i = 2; i <= 2 * k - 2; ++i) numerator *= i;
    series = series * z + numerator / mlgc_bernoulli_quotient(k - 1);
  }
  const double constant = 0.5 * std::log(2 * kPi) - 0.5;
  const Number far = (x - 0.5) * (log(x) - 1) + (constant + series / x);
  return select(x < 10, near, far);
}
// Reflected below 0.
Number lgamma(const Number& x) {
  const Number negative = x < 0;
  const Number positive = lgamma_positive(select(negative, 1 - x, x));
  const Number reflected = std::log(kPi) - log(abs(sin(kPi * distance(x)))) - positive;
  return select(abs(x) == kInfinity, kInfinity, select(negative, reflected, positive));
}

// As mlgc_digamma_one() has it: ten steps up where x is below 10.
Number digamma(const Number& x) {
  const Number negative = x < 0, part = distance(x);
  const Number from = select(negative, 1 - x, x), small = from < 10;
  Number sum = literal(x, 0);
  for (int i = 0; i < 10; ++i) sum = sum - 1 / (from + i);
  const Number at = select(small, from + 10, from);
  const Number value = select(small, sum, 0) + log(at) - 0.5 / at - mlgc_digamma_series(1 / (at * at));
  const Number reflected = value - kPi * sin(kPi * (0.5 - abs(part))) / sin(kPi * part);
  const Number below = select(floor(x) == x, kNan, reflected);
  return select(x == 0, -1 / x, select(negative, below, value));
}

// As mlgc_zeta_one() has it, without its early ends; q > 0.
Number zeta(const Number& s, const Number& q) {
  Number sum = pow(q, -s), at = q, term = sum;
  for (int i = 0; i < 9; ++i) {
    at = at + 1;
    term = pow(at, -s);
    sum = sum + term;
  }
  sum = sum + (pow(at, 1 - s) / (s - 1) - 0.5 * term);
  Number factor = literal(s, 1);
  for (int i = 0; i < 12; ++i) {
    factor = factor * (s + 2 * i);
    term = term / at;
    sum = sum + factor * term / mlgc_bernoulli_quotient(i);
    factor = factor * (s + (2 * i + 1));
    term = term / at;
  }
  return sum;
}
// As mlgc_polygamma_one() has it.
Number polygamma(const Number& x, const Number& n) {
  const Number s = n + 1, whole = floor(x);
  const Number odd = !(floor(n / 2) == n / 2);
  const auto positive = [](const Number& q) { return select(0 < q, q, 1); };
  const Number first = zeta(s, positive(x - whole)), second = zeta(s, positive(whole + 1 - x));
  const Number beyond = zeta(s, positive(1 - x));
  const Number negative = select(odd, first + (second - beyond), first - second + beyond);
  const Number at_pole = select(whole == x, kInfinity, negative);
  const Number sum = select(0 < x, zeta(s, positive(x)), at_pole);
  const Number at_ends = select(x == kInfinity, 0, select(x == -kInfinity, kNan, sum));
  const Number size = abs(at_ends), product = lgamma_positive(positive(s));
  const Number times = select(n < 171, exp(product) * size, exp(product + log(size)));
  const Number same = (at_ends < 0) == odd;
  const Number derivative = select(same, -times, times);
  const Number no_order = (n < 0) | !(floor(n) == n) | is_nan(x);
  return select(n == 0, digamma(x), select(no_order, kNan, derivative));
}

Number is_zero(const Number& x) { return x == integer(0); }

// Bit by bit of the count; one that is out of range shifts all bits out.
Number shifted(ScalarFn fn, const Number& value, const Number& count) {
  const Number out = (count < integer(0)) | (integer(63) < count);
  const Number bits = select(out, integer(63), count);
  Number result = value;
  for (int bit = 0; bit < 6; ++bit) {
    const Number factor = integer(std::int64_t{1} << (1 << bit));
    const Number moved = called(fn == ScalarFn::ShiftLeft ? ScalarFn::Mul : ScalarFn::FloorDiv, result, factor);
    const Number taken = called(ScalarFn::BitAnd, bits, integer(std::int64_t{1} << bit));
    result = select(is_zero(taken), result, moved);
  }
  return fn == ScalarFn::ShiftLeft ? select(out, integer(0), result) : result;
}

// Philox 4x32 with 10 rounds, in the lower halves of 64 bits.
Number philox(const Number& key, const Number& counter) {
  const auto low = [](const Number& x) { return called(ScalarFn::BitAnd, x, integer(0xFFFFFFFF)); };
  const auto high = [](const Number& x) {
    return made({.kind = Kind::ShiftRight, .type = Dtype::I64, .integer = 32, .operands = {x}});
  };
  const auto differing = [](const Number& a, const Number& b) { return called(ScalarFn::BitXor, a, b); };
  Number k0 = low(key), k1 = high(key), c0 = low(counter), c1 = high(counter), c2 = integer(0), c3 = integer(0);
  for (int round = 0; round < 10; ++round) {
    const Number p0 = c0 * integer(0xD2511F53), p1 = c2 * integer(0xCD9E8D57);
    c0 = differing(differing(high(p1), c1), k0);
    c2 = differing(differing(high(p0), c3), k1);
    c1 = low(p1);
    c3 = low(p0);
    k0 = low(k0 + integer(0x9E3779B9));
    k1 = low(k1 + integer(0xBB67AE85));
  }
  return called(ScalarFn::BitOr, c1 * integer(std::int64_t{1} << 32), c0);
}

class ComposedFunctions {
 public:
  ComposedFunctions(TensorOps& ops, std::span<const TensorValue> operands, Dtype type)
      : ops_(ops), operands_(operands), type_(type), rank_(operands[0].shape.size()) {}

  std::optional<TensorValue> value(ScalarFn fn) {
    switch (fn) {
      case ScalarFn::Expm1: return written(expm1(operand(0, type_)));
      case ScalarFn::Log1p: return written(log1p(operand(0, type_)));
      case ScalarFn::Atan2: return written(atan2(operand(0, type_), operand(1, type_)));
      case ScalarFn::Erfc: return rounded(erfc(real(0)));
      case ScalarFn::Erfinv: return rounded(erfinv(real(0)));
      case ScalarFn::Lgamma: return rounded(lgamma(real(0)));
      case ScalarFn::Digamma: return rounded(digamma(real(0)));
      case ScalarFn::Polygamma: return rounded(polygamma(real(0), real(1)));
      case ScalarFn::ShiftLeft:
      case ScalarFn::ShiftRight: return rounded(shifted(fn, whole(0), whole(1)));
      case ScalarFn::Gcd: return rounded(gcd(whole(0), whole(1)));
      case ScalarFn::Lcm: return rounded(lcm(whole(0), whole(1)));
      case ScalarFn::Philox: return rounded(philox(whole(0), whole(1)));
      default: return std::nullopt;
    }
  }

 private:
  Number operand(std::size_t i, Dtype dtype) { return cast(known(operands_[i]), dtype); }
  Number real(std::size_t i) { return operand(i, Dtype::F64); }
  Number whole(std::size_t i) { return operand(i, Dtype::I64); }
  TensorValue rounded(const Number& x) { return written(cast(x, type_)); }

  TensorValue written(const Number& x) {
    if (const auto found = written_.find(x.expression); found != written_.end()) return found->second;
    std::vector<TensorValue> operands;
    for (const Number& part : x->operands) operands.push_back(written(part));
    return written_.emplace(x.expression, append(*x.expression, operands)).first->second;
  }
  TensorValue append(const Expression& x, const std::vector<TensorValue>& operands) {
    switch (x.kind) {
      case Kind::Value: break;
      case Kind::Real: return literal(x, x.real);
      case Kind::Integer: return literal(x, ops_.constant(x.integer));
      case Kind::Call: return ops_.call(x.fn, operands, x.type);
      case Kind::Select: return ops_.select(operands[0], operands[1], operands[2]);
      case Kind::Cast: return ops_.cast(operands[0], x.type);
      case Kind::ShiftRight: return ops_.shift_right(operands[0], static_cast<int>(x.integer));
    }
    return x.value;
  }
  TensorValue literal(const Expression& x, const TensorNumber& number) {
    const auto key = std::tuple(x.type, std::bit_cast<std::int64_t>(x.real), x.integer);
    const auto found = literals_.find(key);
    return found != literals_.end() ? found->second
                                    : literals_.emplace(key, ops_.number(number, x.type, rank_)).first->second;
  }

  // Euclid's steps, for all elements until each has come to its end.
  Number gcd(const Number& a, const Number& b) {
    const auto all = [&](const Number& x) { return written(abs(x)); };
    std::vector initial{all(a), all(b)};
    const std::vector<IndexExpr> shape = ops_.common_shape(initial);
    for (TensorValue& value : initial)
      if (value.shape != shape) value = ops_.expand(value, shape);
    // What a block writes is seen in it alone.
    const auto outside = literals_;
    const auto condition = [&](std::span<const TensorValue> given) {
      literals_ = outside;
      const TensorValue left = written(cast(!is_zero(known(given[0])), Dtype::I64));
      const TensorValue count = ops_.reduce(Reduction::Sum, left, 0, Dtype::I64);
      const std::array operands{count, ops_.number(ops_.constant(0), Dtype::I64, 0)};
      return std::vector{ops_.call(ScalarFn::Ne, operands, Dtype::I1), given[0], given[1]};
    };
    const auto body = [&](std::span<const TensorValue> given) {
      literals_ = outside;
      const Number x = known(given[0]), y = known(given[1]), ended = is_zero(x);
      // -1 divides everything, but what the least integer leaves may not be asked for.
      const Number divisor = select(ended | (x == integer(-1)), integer(1), x);
      const TensorValue rest = written(called(ScalarFn::Fmod, y, divisor));
      return std::vector{rest, written(select(ended, y, x))};
    };
    const Number result = known(ops_.loop(initial, condition, body)[1]);
    literals_ = outside;
    return result;
  }
  Number lcm(const Number& a, const Number& b) {
    const Number divisor = abs(gcd(a, b)), none = is_zero(divisor);
    const Number quotient = called(ScalarFn::FloorDiv, abs(a), select(none, integer(1), divisor));
    return select(none, integer(0), abs(quotient * abs(b)));
  }

  TensorOps& ops_;
  std::span<const TensorValue> operands_;
  Dtype type_;
  std::size_t rank_;
  std::map<std::shared_ptr<const Expression>, TensorValue> written_;
  std::map<std::tuple<Dtype, std::int64_t, std::int64_t>, TensorValue> literals_;
};

}  // namespace

TensorValue TensorOps::composed(ScalarFn fn, std::span<const TensorValue> operands, Dtype type) {
  if (auto value = ComposedFunctions(*this, operands, type).value(fn)) return *std::move(value);
  throw NoForm{"`" + std::string(scalar_fn_info(fn).name) + "` in its formula has no operator"};
}

}  // namespace mlgc
