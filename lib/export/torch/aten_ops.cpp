// See aten_ops.h.
#include "export/torch/aten_ops.h"

#include <algorithm>
#include <utility>

namespace mlgc {
namespace {

struct ScalarCall {
  ScalarFn fn;
  std::string_view target;
};
// clang-format off
constexpr ScalarCall kScalarCalls[] = {
    {ScalarFn::Neg, "aten::neg"}, {ScalarFn::Abs, "aten::abs"}, {ScalarFn::Sign, "aten::sign"},
    {ScalarFn::Floor, "aten::floor"}, {ScalarFn::Ceil, "aten::ceil"}, {ScalarFn::Trunc, "aten::trunc"},
    {ScalarFn::Round, "aten::round"}, {ScalarFn::Exp, "aten::exp"}, {ScalarFn::Expm1, "aten::expm1"},
    {ScalarFn::Log, "aten::log"}, {ScalarFn::Log1p, "aten::log1p"}, {ScalarFn::Log2, "aten::log2"},
    {ScalarFn::Sqrt, "aten::sqrt"}, {ScalarFn::Rsqrt, "aten::rsqrt"}, {ScalarFn::Sin, "aten::sin"},
    {ScalarFn::Cos, "aten::cos"}, {ScalarFn::Tan, "aten::tan"}, {ScalarFn::Asin, "aten::asin"},
    {ScalarFn::Acos, "aten::acos"}, {ScalarFn::Atan, "aten::atan"}, {ScalarFn::Sinh, "aten::sinh"},
    {ScalarFn::Cosh, "aten::cosh"}, {ScalarFn::Tanh, "aten::tanh"}, {ScalarFn::Asinh, "aten::asinh"},
    {ScalarFn::Acosh, "aten::acosh"}, {ScalarFn::Atanh, "aten::atanh"}, {ScalarFn::Sigmoid, "aten::sigmoid"},
    {ScalarFn::Erf, "aten::erf"}, {ScalarFn::Erfc, "aten::erfc"}, {ScalarFn::Erfinv, "aten::erfinv"},
    {ScalarFn::Lgamma, "aten::lgamma"}, {ScalarFn::Digamma, "aten::digamma"}, {ScalarFn::IsNan, "aten::isnan"},
    {ScalarFn::Add, "aten::add.Tensor"}, {ScalarFn::Sub, "aten::sub.Tensor"}, {ScalarFn::Mul, "aten::mul.Tensor"},
    {ScalarFn::Div, "aten::div.Tensor"}, {ScalarFn::FloorDiv, "aten::floor_divide"},
    {ScalarFn::Mod, "aten::remainder.Tensor"}, {ScalarFn::Fmod, "aten::fmod.Tensor"},
    {ScalarFn::Pow, "aten::pow.Tensor_Tensor"}, {ScalarFn::Atan2, "aten::atan2"}, {ScalarFn::Min, "aten::minimum"},
    {ScalarFn::Max, "aten::maximum"}, {ScalarFn::Lt, "aten::lt.Tensor"}, {ScalarFn::Le, "aten::le.Tensor"},
    {ScalarFn::Eq, "aten::eq.Tensor"}, {ScalarFn::Ne, "aten::ne.Tensor"}, {ScalarFn::And, "aten::logical_and"},
    {ScalarFn::Or, "aten::logical_or"}, {ScalarFn::Not, "aten::logical_not"},
    {ScalarFn::BitAnd, "aten::bitwise_and.Tensor"}, {ScalarFn::BitOr, "aten::bitwise_or.Tensor"},
    {ScalarFn::BitXor, "aten::bitwise_xor.Tensor"}, {ScalarFn::BitNot, "aten::bitwise_not"},
    {ScalarFn::ShiftLeft, "aten::bitwise_left_shift.Tensor"},
    {ScalarFn::ShiftRight, "aten::bitwise_right_shift.Tensor"}, {ScalarFn::Gcd, "aten::gcd"},
    {ScalarFn::Lcm, "aten::lcm"},
};
// clang-format on

TorchArgument tensor(std::string parameter, const TensorValue& value) {
  return {std::move(parameter), TorchName{value.name}, MLGC_TORCH_TENSOR};
}
TorchArgument self(const TensorValue& value) { return tensor("self", value); }
TorchArgument other(const TensorValue& value) { return tensor("other", value); }
TorchArgument integers(std::string name, std::vector<IndexExpr> values) {
  return {std::move(name), std::move(values), MLGC_TORCH_INTS};
}
TorchArgument number_of(std::string name, IndexExpr value) { return {std::move(name), value, MLGC_TORCH_NUMBER}; }
TorchArgument dtype_of(Dtype dtype) { return {"dtype", dtype, MLGC_TORCH_DTYPE}; }
TorchNames names(std::span<const TensorValue> values) {
  TorchNames out;
  for (const TensorValue& value : values) out.emplace_back(value.name);
  return out;
}

}  // namespace

// Types of temporaries state the element type; their shapes are not needed.
TensorValue AtenOps::add(std::string_view target, std::vector<TorchArgument> arguments, Dtype dtype,
                         std::vector<IndexExpr> shape) {
  const Type type = builder_.context().types().tensor(dtype, std::span<const IndexExpr>());
  return {builder_.call(std::string(target), std::move(arguments), type), dtype, std::move(shape)};
}

TensorValue AtenOps::number(const TensorNumber& value, Dtype dtype, std::size_t rank) {
  return filled(value, dtype, std::vector<IndexExpr>(rank, constant(1)));
}

TensorValue AtenOps::filled(const TensorNumber& value, Dtype dtype, std::vector<IndexExpr> shape) {
  return add("aten::full",
             {integers("size", shape),
              {"fill_value", std::visit([](auto number) { return TorchValue(number); }, value), MLGC_TORCH_NUMBER},
              dtype_of(dtype)},
             dtype, shape);
}

TensorValue AtenOps::positions(std::size_t rank, std::size_t axis, IndexExpr extent) {
  std::vector<IndexExpr> shape(rank, constant(1));
  shape[axis] = extent;
  const TensorValue all = add("aten::arange", {number_of("end", extent), dtype_of(Dtype::I64)}, Dtype::I64, {extent});
  return add("aten::view", {self(all), integers("size", shape)}, Dtype::I64, shape);
}

TensorValue AtenOps::call(ScalarFn fn, std::span<const TensorValue> operands, Dtype type) {
  const auto* const row = std::ranges::find(kScalarCalls, fn, &ScalarCall::fn);
  if (row == std::end(kScalarCalls)) return composed(fn, operands, type);
  if (fn == ScalarFn::Div && !is_float(type)) throw NoForm{"`/` of integers in its formula has none either"};
  std::vector<TorchArgument> arguments{self(operands[0])};
  if (operands.size() > 1) arguments.push_back(tensor(fn == ScalarFn::Pow ? "exponent" : "other", operands[1]));
  return add(row->target, std::move(arguments), type, common_shape(operands));
}

TensorValue AtenOps::cast(const TensorValue& value, Dtype dtype) {
  return add("aten::to.dtype", {self(value), dtype_of(dtype)}, dtype, value.shape);
}

TensorValue AtenOps::select(const TensorValue& condition, const TensorValue& a, const TensorValue& b) {
  return add("aten::where.self", {tensor("condition", condition), self(a), other(b)}, a.dtype,
             common_shape(std::array{condition, a, b}));
}

TensorValue AtenOps::add_size(const TensorValue& value, IndexExpr size) {
  return add("aten::add.Scalar", {self(value), number_of("other", size)}, Dtype::I64, value.shape);
}

TensorValue AtenOps::multiply_size(const TensorValue& value, IndexExpr size) {
  return add("aten::mul.Scalar", {self(value), number_of("other", size)}, Dtype::I64, value.shape);
}

TensorValue AtenOps::shift_right(const TensorValue& value, int bits) {
  const TensorValue shifted = add("aten::bitwise_right_shift.Tensor_Scalar",
                                  {self(value), number_of("other", constant(bits))}, Dtype::I64, value.shape);
  const IndexExpr kept = constant((std::int64_t{1} << (64 - bits)) - 1);
  return add("aten::bitwise_and.Scalar", {self(shifted), number_of("other", kept)}, Dtype::I64, value.shape);
}

TensorValue AtenOps::clamp(const TensorValue& at, IndexExpr extent) {
  return add("aten::clamp",
             {self(at), number_of("min", constant(0)), number_of("max", index().sub(extent, constant(1)))}, Dtype::I64,
             at.shape);
}

TensorValue AtenOps::is_inside(const TensorValue& at, IndexExpr extent) {
  const TensorValue low = add("aten::ge.Scalar", {self(at), number_of("other", constant(0))}, Dtype::I1, at.shape);
  const TensorValue high = add("aten::lt.Scalar", {self(at), number_of("other", extent)}, Dtype::I1, at.shape);
  return call(ScalarFn::And, {low, high}, Dtype::I1);
}

TensorValue AtenOps::expand(const TensorValue& value, std::vector<IndexExpr> shape) {
  return add("aten::expand", {self(value), integers("size", shape)}, value.dtype, shape);
}

TensorValue AtenOps::reshape(const TensorValue& value, std::vector<IndexExpr> shape) {
  return add("aten::reshape", {self(value), {"shape", shape, MLGC_TORCH_INTS}}, value.dtype, shape);
}

TensorValue AtenOps::permute(const TensorValue& value, const std::vector<std::size_t>& order) {
  std::vector<IndexExpr> dims, shape;
  for (const std::size_t axis : order) {
    dims.push_back(constant(static_cast<std::int64_t>(axis)));
    shape.push_back(value.shape[axis]);
  }
  return add("aten::permute", {self(value), integers("dims", std::move(dims))}, value.dtype, std::move(shape));
}

TensorValue AtenOps::gather(const TensorValue& operand, std::span<const TensorValue> subscripts,
                            std::vector<IndexExpr> shape) {
  return add("aten::index.Tensor", {self(operand), {"indices", names(subscripts), MLGC_TORCH_TENSORS}}, operand.dtype,
             std::move(shape));
}

TensorValue AtenOps::scatter(const TensorValue& base, std::span<const TensorValue> subscripts,
                             const TensorValue& values, WriteOp write) {
  if (write != WriteOp::Set && write != WriteOp::Add) throw NoForm{"its formula writes elements several times"};
  return add("aten::index_put",
             {self(base),
              {"indices", names(subscripts), MLGC_TORCH_TENSORS},
              tensor("values", values),
              {"accumulate", write == WriteOp::Add, MLGC_TORCH_BOOL}},
             base.dtype, base.shape);
}

TensorValue AtenOps::reduce(Reduction reduction, const TensorValue& value, std::size_t first, Dtype type) {
  std::vector<IndexExpr> axes, shape(value.shape.begin(), value.shape.begin() + static_cast<std::ptrdiff_t>(first));
  for (std::size_t i = first; i < value.shape.size(); ++i) axes.push_back(constant(static_cast<std::int64_t>(i)));
  const auto over = [&](std::string_view target) {
    return add(target, {self(value), integers("dim", axes)}, type, shape);
  };
  switch (reduction) {
    case Reduction::Sum:
      return add("aten::sum.dim_IntList", {self(value), integers("dim", axes), dtype_of(type)}, type, shape);
    case Reduction::Max: return over("aten::amax");
    case Reduction::Min: return over("aten::amin");
    case Reduction::Any: return over("aten::any.dims");
    case Reduction::All: return over("aten::all.dims");
    case Reduction::Prod:
    case Reduction::ArgMax:
    case Reduction::ArgMin: break;
  }
  const IndexExpr from = constant(static_cast<std::int64_t>(first));
  const TensorValue flat =
      add("aten::flatten.using_ints", {self(value), {"start_dim", from, MLGC_TORCH_INT}}, value.dtype, {});
  const TorchArgument axis{"dim", from, MLGC_TORCH_INT};
  if (reduction == Reduction::Prod) return add("aten::prod.dim_int", {self(flat), axis, dtype_of(type)}, type, shape);
  return add(reduction == Reduction::ArgMax ? "aten::argmax" : "aten::argmin", {self(flat), axis}, type, shape);
}

std::optional<TensorValue> AtenOps::product(const TensorValue& a, const TensorValue& b, Dtype type) {
  return add("aten::bmm", {self(a), tensor("mat2", b)}, type, {a.shape[0], a.shape[1], b.shape[2]});
}

}  // namespace mlgc
