// See onnx_notation.h: scalar functions, by operator, or by several where ONNX has none.
#include <algorithm>
#include <array>

#include "export/onnx/onnx_notation.h"

namespace mlgc {
namespace {

struct Operator {
  ScalarFn fn;
  std::string_view op_type;
};
// clang-format off
constexpr Operator kOperators[] = {
    {ScalarFn::Neg, "Neg"}, {ScalarFn::Abs, "Abs"}, {ScalarFn::Sign, "Sign"}, {ScalarFn::Floor, "Floor"},
    {ScalarFn::Ceil, "Ceil"}, {ScalarFn::Round, "Round"}, {ScalarFn::Exp, "Exp"}, {ScalarFn::Log, "Log"},
    {ScalarFn::Sqrt, "Sqrt"}, {ScalarFn::Sin, "Sin"}, {ScalarFn::Cos, "Cos"}, {ScalarFn::Tan, "Tan"},
    {ScalarFn::Asin, "Asin"}, {ScalarFn::Acos, "Acos"}, {ScalarFn::Atan, "Atan"}, {ScalarFn::Sinh, "Sinh"},
    {ScalarFn::Cosh, "Cosh"}, {ScalarFn::Tanh, "Tanh"}, {ScalarFn::Asinh, "Asinh"}, {ScalarFn::Acosh, "Acosh"},
    {ScalarFn::Atanh, "Atanh"}, {ScalarFn::Sigmoid, "Sigmoid"}, {ScalarFn::Erf, "Erf"}, {ScalarFn::IsNan, "IsNaN"},
    {ScalarFn::Add, "Add"}, {ScalarFn::Sub, "Sub"}, {ScalarFn::Mul, "Mul"}, {ScalarFn::Div, "Div"},
    {ScalarFn::Pow, "Pow"}, {ScalarFn::Min, "Min"}, {ScalarFn::Max, "Max"}, {ScalarFn::Lt, "Less"},
    {ScalarFn::Le, "LessOrEqual"}, {ScalarFn::Eq, "Equal"}, {ScalarFn::And, "And"}, {ScalarFn::Or, "Or"},
    {ScalarFn::Not, "Not"}, {ScalarFn::BitAnd, "BitwiseAnd"}, {ScalarFn::BitOr, "BitwiseOr"},
    {ScalarFn::BitXor, "BitwiseXor"}, {ScalarFn::BitNot, "BitwiseNot"},
};
// Of bits that are truth values.
constexpr Operator kLogical[] = {
    {ScalarFn::BitAnd, "And"}, {ScalarFn::BitOr, "Or"}, {ScalarFn::BitXor, "Xor"}, {ScalarFn::BitNot, "Not"},
    {ScalarFn::Eq, "Equal"}, {ScalarFn::And, "And"}, {ScalarFn::Or, "Or"}, {ScalarFn::Not, "Not"},
};
// clang-format on

}  // namespace

// There is none of signed integers.
TensorValue OnnxNotation::shift_right(const TensorValue& value, int bits) {
  const auto whole = [&](std::int64_t number) {
    return this->number(constant(number), Dtype::I64, value.shape.size());
  };
  const TensorValue shifted = call(ScalarFn::FloorDiv, {value, whole(std::int64_t{1} << bits)}, Dtype::I64);
  return call(ScalarFn::BitAnd, {shifted, whole((std::int64_t{1} << (64 - bits)) - 1)}, Dtype::I64);
}

TensorValue OnnxNotation::call(ScalarFn fn, std::span<const TensorValue> operands, Dtype type) {
  const std::vector<IndexExpr> shape = common_shape(operands);
  std::size_t rank = 0;
  for (const TensorValue& operand : operands) rank = std::max(rank, made(operand).rank);
  const auto made_of = [&](std::string_view op_type, const Inputs& inputs, std::vector<OnnxAttribute> attributes = {}) {
    TensorValue out = node(op_type, inputs, std::move(attributes), type, shape);
    made(out).rank = rank;
    return out;
  };
  const TensorValue& x = operands[0];
  const auto real = [&](double value) { return number(value, x.dtype, shape.size()); };
  switch (fn) {
    case ScalarFn::Ne: {
      const TensorValue equal = call(ScalarFn::Eq, operands, Dtype::I1);
      return made_of("Not", {&equal});
    }
    case ScalarFn::Trunc:
      return select(call(ScalarFn::Lt, {x, real(0)}, Dtype::I1), call(ScalarFn::Ceil, {x}, type),
                    call(ScalarFn::Floor, {x}, type));
    case ScalarFn::Rsqrt: {
      const TensorValue root = call(ScalarFn::Sqrt, {x}, type);
      return made_of("Reciprocal", {&root});
    }
    case ScalarFn::Log2: return call(ScalarFn::Mul, {call(ScalarFn::Log, {x}, type), real(1.4426950408889634)}, type);
    case ScalarFn::FloorDiv: {
      const TensorValue rest = call(ScalarFn::Mod, operands, type);
      return call(ScalarFn::Div, {call(ScalarFn::Sub, {x, rest}, type), operands[1]}, type);
    }
    case ScalarFn::Fmod: return made_of("Mod", {&x, &operands[1]}, {onnx_integer("fmod", 1)});
    case ScalarFn::Mod: {
      if (!is_float(type)) return made_of("Mod", {&x, &operands[1]});
      const TensorValue rest = call(ScalarFn::Fmod, operands, type), zero = real(0);
      const TensorValue other_sign = call(
          ScalarFn::Ne,
          {call(ScalarFn::Lt, {rest, zero}, Dtype::I1), call(ScalarFn::Lt, {operands[1], zero}, Dtype::I1)}, Dtype::I1);
      const TensorValue moves =
          call(ScalarFn::And, {call(ScalarFn::Ne, {rest, zero}, Dtype::I1), other_sign}, Dtype::I1);
      return select(moves, call(ScalarFn::Add, {rest, operands[1]}, type), rest);
    }
    default: break;
  }
  const std::span<const Operator> table = x.dtype == Dtype::I1 ? std::span<const Operator>(kLogical) : kOperators;
  const auto row = std::ranges::find(table, fn, &Operator::fn);
  if (row == table.end()) return composed(fn, operands, type);
  Inputs inputs;
  for (const TensorValue& operand : operands) inputs.push_back(&operand);
  return made_of(row->op_type, inputs);
}

}  // namespace mlgc
