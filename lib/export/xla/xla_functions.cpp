// See xla_notation.h: scalar functions, by operation, or by several where XLA has none.
#include <algorithm>
#include <array>

#include "export/xla/xla_notation.h"

namespace mlgc {
namespace {

struct XlaFunction {
  ScalarFn fn;
  XlaOp op;
};
// clang-format off
constexpr XlaFunction kXlaFunctions[] = {
    {ScalarFn::Neg, XlaOp::Negate}, {ScalarFn::Exp, XlaOp::Exponential}, {ScalarFn::Expm1, XlaOp::ExponentialMinusOne},
    {ScalarFn::Log, XlaOp::Log}, {ScalarFn::Log1p, XlaOp::LogPlusOne}, {ScalarFn::Sqrt, XlaOp::Sqrt},
    {ScalarFn::Rsqrt, XlaOp::Rsqrt}, {ScalarFn::Sin, XlaOp::Sine}, {ScalarFn::Cos, XlaOp::Cosine},
    {ScalarFn::Tan, XlaOp::Tan}, {ScalarFn::Sinh, XlaOp::Sinh}, {ScalarFn::Cosh, XlaOp::Cosh},
    {ScalarFn::Tanh, XlaOp::Tanh}, {ScalarFn::Asinh, XlaOp::Asinh}, {ScalarFn::Acosh, XlaOp::Acosh},
    {ScalarFn::Atanh, XlaOp::Atanh}, {ScalarFn::Sigmoid, XlaOp::Logistic}, {ScalarFn::Erf, XlaOp::Erf},
    {ScalarFn::Erfc, XlaOp::Erfc}, {ScalarFn::Erfinv, XlaOp::ErfInv}, {ScalarFn::Lgamma, XlaOp::Lgamma},
    {ScalarFn::Digamma, XlaOp::Digamma}, {ScalarFn::Polygamma, XlaOp::Polygamma}, {ScalarFn::Add, XlaOp::Add},
    {ScalarFn::Sub, XlaOp::Subtract}, {ScalarFn::Mul, XlaOp::Multiply}, {ScalarFn::Div, XlaOp::Divide},
    {ScalarFn::Fmod, XlaOp::Remainder}, {ScalarFn::Pow, XlaOp::Power}, {ScalarFn::Atan2, XlaOp::Atan2},
    {ScalarFn::Min, XlaOp::Minimum}, {ScalarFn::Max, XlaOp::Maximum}, {ScalarFn::And, XlaOp::And},
    {ScalarFn::Or, XlaOp::Or}, {ScalarFn::Not, XlaOp::Not}, {ScalarFn::BitAnd, XlaOp::And},
    {ScalarFn::BitOr, XlaOp::Or}, {ScalarFn::BitXor, XlaOp::Xor}, {ScalarFn::BitNot, XlaOp::Not},
    {ScalarFn::ShiftLeft, XlaOp::ShiftLeft},
};
// clang-format on

// HLO has these, but no CPU runs them. Each loses nothing near 0, nor where its square would be too large.
std::optional<TensorValue> hyperbolic(XlaBuilder& xla, ScalarFn fn, const TensorValue& x) {
  const auto real = [&](double value) { return xla.splat(x.dtype, value, xla.type(x).shape); };
  const auto unary = [&](XlaOp op, const TensorValue& value) { return xla.node(op, {value}, xla.type(value)); };
  const auto sum = [&](const TensorValue& a, const TensorValue& b) { return xla.binary(XlaOp::Add, a, b); };
  const auto difference = [&](const TensorValue& a, const TensorValue& b) { return xla.binary(XlaOp::Subtract, a, b); };
  const auto product = [&](const TensorValue& a, const TensorValue& b) { return xla.binary(XlaOp::Multiply, a, b); };
  constexpr double kLogOfTwo = 0.6931471805599453;
  const double large = x.dtype == Dtype::F64 ? 1e150 : x.dtype == Dtype::F16 ? 100 : 1e18;
  switch (fn) {
    case ScalarFn::Sinh:
    case ScalarFn::Cosh: {
      const TensorValue up = unary(XlaOp::Exponential, difference(x, real(kLogOfTwo)));
      const TensorValue down = unary(XlaOp::Exponential, difference(real(-kLogOfTwo), x));
      if (fn == ScalarFn::Cosh) return sum(up, down);
      const TensorValue e = unary(XlaOp::ExponentialMinusOne, x);
      const TensorValue near = product(real(0.5), sum(e, xla.binary(XlaOp::Divide, e, sum(e, real(1)))));
      return xla.select(xla.compare("LT", unary(XlaOp::Abs, x), real(1)), near, difference(up, down));
    }
    case ScalarFn::Asinh: {
      const TensorValue a = unary(XlaOp::Abs, x), square = product(a, a);
      const TensorValue root = unary(XlaOp::Sqrt, sum(square, real(1)));
      const TensorValue near = unary(XlaOp::LogPlusOne, sum(a, xla.binary(XlaOp::Divide, square, sum(real(1), root))));
      const TensorValue far = sum(unary(XlaOp::Log, a), real(kLogOfTwo));
      const TensorValue out = xla.select(xla.compare("LT", a, real(large)), near, far);
      return xla.select(xla.compare("LT", x, real(0)), unary(XlaOp::Negate, out), out);
    }
    case ScalarFn::Acosh: {
      const TensorValue less = difference(x, real(1));
      const TensorValue root = unary(XlaOp::Sqrt, product(less, sum(x, real(1))));
      return xla.select(xla.compare("LT", x, real(large)), unary(XlaOp::LogPlusOne, sum(less, root)),
                        sum(unary(XlaOp::Log, x), real(kLogOfTwo)));
    }
    case ScalarFn::Atanh:
      return product(real(0.5),
                     difference(unary(XlaOp::LogPlusOne, x), unary(XlaOp::LogPlusOne, unary(XlaOp::Negate, x))));
    default: return std::nullopt;
  }
}

// The rest of a division that rounds down has the sign of the divisor.
TensorValue modulo(XlaBuilder& xla, const TensorValue& a, const TensorValue& b) {
  const TensorValue rest = xla.binary(XlaOp::Remainder, a, b), zero = xla.splat(a.dtype, 0, xla.type(a).shape);
  if (a.dtype == Dtype::UI8) return rest;
  const TensorValue other_sign = xla.compare("NE", xla.compare("LT", rest, zero), xla.compare("LT", b, zero));
  const TensorValue moves = xla.binary(XlaOp::And, xla.compare("NE", rest, zero), other_sign);
  return xla.select(moves, xla.binary(XlaOp::Add, rest, b), rest);
}

TensorValue floor_divided(XlaBuilder& xla, const TensorValue& a, const TensorValue& b) {
  const std::vector<std::int64_t>& shape = xla.type(a).shape;
  const auto real = [&](double value) { return xla.splat(a.dtype, value, shape); };
  if (!is_float(a.dtype)) return xla.binary(XlaOp::Divide, xla.binary(XlaOp::Subtract, a, modulo(xla, a, b)), b);
  // The quotient of the exact remainder, which rounding can leave above or below a whole number.
  const TensorValue whole = xla.binary(XlaOp::Divide, xla.binary(XlaOp::Subtract, a, modulo(xla, a, b)), b);
  const TensorValue down = xla.node(XlaOp::Floor, {whole}, xla.type(a));
  const TensorValue above = xla.compare("GT", xla.binary(XlaOp::Subtract, whole, down), real(0.5));
  const TensorValue near = xla.select(above, xla.binary(XlaOp::Add, down, real(1)), down);
  return xla.select(xla.compare("EQ", b, real(0)), xla.binary(XlaOp::Divide, a, b), near);
}

}  // namespace

TensorValue XlaNotation::call(ScalarFn fn, std::span<const TensorValue> operands, Dtype dtype) {
  const std::vector<std::int64_t> shape = xla_.constants(common_shape(operands));
  TensorValues in;
  for (const TensorValue& operand : operands) in.push_back(xla_.broadcast(operand, shape));
  switch (fn) {
    case ScalarFn::Lt: return xla_.compare("LT", in[0], in[1]);
    case ScalarFn::Le: return xla_.compare("LE", in[0], in[1]);
    case ScalarFn::Eq: return xla_.compare("EQ", in[0], in[1]);
    case ScalarFn::Ne: return xla_.compare("NE", in[0], in[1]);
    case ScalarFn::IsNan:
      return is_float(in[0].dtype) ? xla_.compare("NE", in[0], in[0]) : xla_.splat_integer(Dtype::I1, 0, shape);
    default: break;
  }
  if (is_float(dtype))
    for (TensorValue& value : in) value = xla_.converted(value, dtype);
  const TensorValue& x = in[0];
  const auto real = [&](double value) { return xla_.splat(dtype, value, shape); };
  const auto unary = [&](XlaOp op, const TensorValue& value) { return xla_.node(op, {value}, {dtype, shape}); };
  // The square root of 1 - x*x.
  const auto complement = [&] {
    return unary(XlaOp::Sqrt, xla_.binary(XlaOp::Multiply, xla_.binary(XlaOp::Subtract, real(1), x),
                                          xla_.binary(XlaOp::Add, real(1), x)));
  };
  switch (fn) {
    case ScalarFn::Floor: return is_float(dtype) ? unary(XlaOp::Floor, x) : x;
    case ScalarFn::Ceil: return is_float(dtype) ? unary(XlaOp::Ceil, x) : x;
    case ScalarFn::Round: return is_float(dtype) ? unary(XlaOp::RoundNearestEven, x) : x;
    case ScalarFn::Trunc:
      if (!is_float(dtype)) return x;
      return select(xla_.compare("LT", x, real(0)), unary(XlaOp::Ceil, x), unary(XlaOp::Floor, x));
    case ScalarFn::Abs: return dtype == Dtype::UI8 ? x : unary(XlaOp::Abs, x);
    case ScalarFn::Sign:  // of not a number it is 0
      return xla_.binary(XlaOp::Subtract, xla_.converted(xla_.compare("GT", x, real(0)), dtype),
                         xla_.converted(xla_.compare("LT", x, real(0)), dtype));
    case ScalarFn::Log2: return xla_.binary(XlaOp::Multiply, unary(XlaOp::Log, x), real(1.4426950408889634));
    case ScalarFn::Asin: return xla_.binary(XlaOp::Atan2, x, complement());
    case ScalarFn::Acos: return xla_.binary(XlaOp::Atan2, complement(), x);
    case ScalarFn::Atan: return xla_.binary(XlaOp::Atan2, x, real(1));
    case ScalarFn::FloorDiv: return floor_divided(xla_, x, in[1]);
    case ScalarFn::Mod: return modulo(xla_, x, in[1]);
    case ScalarFn::ShiftRight:
      return xla_.binary(dtype == Dtype::UI8 ? XlaOp::ShiftRightLogical : XlaOp::ShiftRightArithmetic, x, in[1]);
    // CHLO has the order first.
    case ScalarFn::Polygamma: std::swap(in[0], in[1]); break;
    default: break;
  }
  if (!chlo_)
    if (auto made = hyperbolic(xla_, fn, x)) return *std::move(made);
  const auto* const row = std::ranges::find(kXlaFunctions, fn, &XlaFunction::fn);
  if (row == std::end(kXlaFunctions) || (!chlo_ && xla_op_info(row->op).hlo.empty()))
    return composed(fn, operands, dtype);
  return xla_.node(row->op, in, {dtype, shape});
}

TensorValue XlaNotation::shift_right(const TensorValue& value, int bits) {
  return xla_.binary(XlaOp::ShiftRightLogical, value, xla_.splat_integer(Dtype::I64, bits, xla_.type(value).shape));
}

}  // namespace mlgc
