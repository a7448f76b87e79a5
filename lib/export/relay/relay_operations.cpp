// See relay_notation.h: operations on tensors.
#include <algorithm>
#include <array>
#include <utility>

#include "export/relay/relay_notation.h"
#include "tensor/print.h"

namespace mlgc {
namespace {

struct RelayFunction {
  ScalarFn fn;
  std::string_view name;
};
// clang-format off
constexpr RelayFunction kRelayFunctions[] = {
    {ScalarFn::Neg, "negative"}, {ScalarFn::Abs, "abs"}, {ScalarFn::Sign, "sign"}, {ScalarFn::Floor, "floor"},
    {ScalarFn::Ceil, "ceil"}, {ScalarFn::Trunc, "trunc"}, {ScalarFn::Round, "round"}, {ScalarFn::Exp, "exp"},
    {ScalarFn::Log, "log"}, {ScalarFn::Log2, "log2"}, {ScalarFn::Sqrt, "sqrt"}, {ScalarFn::Rsqrt, "rsqrt"},
    {ScalarFn::Sin, "sin"}, {ScalarFn::Cos, "cos"}, {ScalarFn::Tan, "tan"}, {ScalarFn::Asin, "asin"},
    {ScalarFn::Acos, "acos"}, {ScalarFn::Atan, "atan"}, {ScalarFn::Sinh, "sinh"}, {ScalarFn::Cosh, "cosh"},
    {ScalarFn::Tanh, "tanh"}, {ScalarFn::Asinh, "asinh"}, {ScalarFn::Acosh, "acosh"}, {ScalarFn::Atanh, "atanh"},
    {ScalarFn::Sigmoid, "sigmoid"}, {ScalarFn::Erf, "erf"}, {ScalarFn::IsNan, "isnan"}, {ScalarFn::Add, "add"},
    {ScalarFn::Sub, "subtract"}, {ScalarFn::Mul, "multiply"}, {ScalarFn::Div, "divide"},
    {ScalarFn::FloorDiv, "floor_divide"}, {ScalarFn::Mod, "floor_mod"}, {ScalarFn::Fmod, "mod"},
    {ScalarFn::Pow, "power"}, {ScalarFn::Min, "minimum"}, {ScalarFn::Max, "maximum"}, {ScalarFn::Lt, "less"},
    {ScalarFn::Le, "less_equal"}, {ScalarFn::Eq, "equal"}, {ScalarFn::Ne, "not_equal"},
    {ScalarFn::And, "logical_and"}, {ScalarFn::Or, "logical_or"}, {ScalarFn::Not, "logical_not"},
    {ScalarFn::BitAnd, "bitwise_and"}, {ScalarFn::BitOr, "bitwise_or"}, {ScalarFn::BitXor, "bitwise_xor"},
    {ScalarFn::BitNot, "bitwise_not"}, {ScalarFn::ShiftLeft, "left_shift"}, {ScalarFn::ShiftRight, "right_shift"},
};
// clang-format on

std::string relay_dtype(Dtype dtype) { return "dtype=\"" + std::string(dtype_info(dtype).torch_name) + "\""; }
bool is_literal(const TensorValue& value) { return !value.name.starts_with('\x01'); }

}  // namespace

// Literals.
std::string RelayNotation::literal(const TensorNumber& value, Dtype dtype) {
  if (const auto* const truth = std::get_if<bool>(&value)) return *truth ? "True" : "False";
  if (const auto* const size = std::get_if<IndexExpr>(&value)) {
    const auto number = index().as_constant(*size);
    if (!number) return size_value(*size).name;
    if (dtype == Dtype::I1) return *number != 0 ? "True" : "False";
    if (is_float(dtype)) return literal(static_cast<double>(*number), dtype);
    return std::to_string(*number) + (dtype == Dtype::I32 ? "" : std::string(dtype_info(dtype).name));
  }
  const double real = std::get<double>(value);
  if (!is_float(dtype)) return literal(index().constant(static_cast<std::int64_t>(real)), dtype);
  const std::string text = dtype == Dtype::F64 ? format_number(real) : format_number(static_cast<float>(real));
  return text + (dtype == Dtype::F32 ? "f" : dtype == Dtype::F64 ? "f64" : std::string(dtype_info(dtype).name));
}
TensorValue RelayNotation::number(const TensorNumber& value, Dtype dtype, std::size_t rank) {
  return {literal(value, dtype), dtype, std::vector<IndexExpr>(rank, constant(1))};
}
TensorValue RelayNotation::whole(const TensorValue& value) {
  if (!is_literal(value) || value.shape.empty()) return value;
  return expand(value, value.shape);
}

TensorValue RelayNotation::positions(std::size_t rank, std::size_t axis, IndexExpr extent) {
  const TensorValue zero{"0i64", Dtype::I64, {}}, one{"1i64", Dtype::I64, {}};
  const TensorValue all =
      operation("arange", {zero, size_value(extent), one}, relay_dtype(Dtype::I64), Dtype::I64, {extent});
  std::vector<IndexExpr> shape(rank, constant(1));
  shape[axis] = extent;
  return rank == 1 ? all : reshape(all, std::move(shape));
}

// Elements. Operators broadcast.
TensorValue RelayNotation::call(ScalarFn fn, std::span<const TensorValue> operands, Dtype dtype) {
  std::vector<IndexExpr> shape = common_shape(operands);
  TensorValues in(operands.begin(), operands.end());
  if (is_float(dtype))
    for (TensorValue& value : in)
      if (!is_float(value.dtype)) value = cast(value, dtype);
  const auto* const row = std::ranges::find(kRelayFunctions, fn, &RelayFunction::fn);
  if (row == std::end(kRelayFunctions)) return composed(fn, operands, dtype);
  return operation(row->name, in, "", dtype, std::move(shape));
}
TensorValue RelayNotation::cast(const TensorValue& value, Dtype dtype) {
  return operation("cast", {value}, relay_dtype(dtype), dtype, value.shape);
}
TensorValue RelayNotation::select(const TensorValue& condition, const TensorValue& a, const TensorValue& b) {
  return operation("where", {condition, a, b}, "", a.dtype, common_shape(std::array{condition, a, b}));
}

// Shapes.
TensorValue RelayNotation::expand(const TensorValue& value, std::vector<IndexExpr> shape) {
  const auto sizes = constants(shape);
  if (is_literal(value)) {
    const std::string dtype = relay_dtype(value.dtype);
    if (sizes) return operation("full", {value}, "shape=" + list(*sizes) + ", " + dtype, value.dtype, shape);
    return operation("dyn.full", {value, size_list(shape)}, dtype, value.dtype, shape);
  }
  if (sizes) return operation("broadcast_to", {value}, "shape=" + list(*sizes), value.dtype, shape);
  return operation("dyn.broadcast_to", {value, size_list(shape)}, "", value.dtype, shape);
}
TensorValue RelayNotation::reshape(const TensorValue& value, std::vector<IndexExpr> shape) {
  if (is_literal(value)) return {value.name, value.dtype, std::move(shape)};
  if (value.shape == shape) return value;
  // One size follows from the others.
  std::vector<std::int64_t> sizes;
  for (const IndexExpr dim : shape) sizes.push_back(index().as_constant(dim).value_or(-1));
  if (std::ranges::count(sizes, -1) <= 1)
    return operation("reshape", {value}, "newshape=" + list(sizes), value.dtype, shape);
  return operation("dyn.reshape", {value, size_list(shape)}, "", value.dtype, shape);
}
TensorValue RelayNotation::permute(const TensorValue& value, const std::vector<std::size_t>& order) {
  std::vector<IndexExpr> shape;
  for (const std::size_t axis : order) shape.push_back(value.shape[axis]);
  if (is_literal(value)) return {value.name, value.dtype, std::move(shape)};
  return operation("transpose", {value}, "axes=" + list({order.begin(), order.end()}), value.dtype, std::move(shape));
}

// Index vectors lie along the first axis.
TensorValue RelayNotation::gather(const TensorValue& operand, std::span<const TensorValue> subscripts,
                                  std::vector<IndexExpr> shape) {
  TensorValues columns;
  for (const TensorValue& subscript : subscripts)
    columns.push_back(subscript.shape == shape && !is_literal(subscript) ? subscript : expand(subscript, shape));
  std::vector<IndexExpr> all = shape;
  all.insert(all.begin(), constant(static_cast<std::int64_t>(columns.size())));
  const TensorValue indices = of_tuple("stack", columns, "axis=0", Dtype::I64, std::move(all));
  return operation("gather_nd", {whole(operand), indices}, "batch_dims=0", operand.dtype, std::move(shape));
}
std::optional<TensorValue> RelayNotation::gather_axis(const TensorValue& operand, std::size_t axis,
                                                      const TensorValue& index) {
  std::vector<IndexExpr> shape = operand.shape;
  const auto at = shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
  shape.insert(at, index.shape.begin(), index.shape.end());
  return operation("take", {whole(operand), whole(index)}, "axis=" + std::to_string(axis), operand.dtype,
                   std::move(shape));
}
TensorValue RelayNotation::scatter(const TensorValue& base, std::span<const TensorValue> subscripts,
                                   const TensorValue& values, WriteOp write) {
  TensorValues columns;
  for (const TensorValue& subscript : subscripts)
    columns.push_back(subscript.shape == values.shape && !is_literal(subscript) ? subscript
                                                                                : expand(subscript, values.shape));
  std::vector<IndexExpr> all = values.shape;
  all.insert(all.begin(), constant(static_cast<std::int64_t>(columns.size())));
  const TensorValue indices = of_tuple("stack", columns, "axis=0", Dtype::I64, std::move(all));
  std::string mode = "update";
  if (write == WriteOp::Add) mode = "add";
  if (write == WriteOp::Mul) mode = "mul";
  if (write == WriteOp::Max) mode = "max";
  if (write == WriteOp::Min) mode = "min";
  return operation("scatter_nd", {whole(base), indices, whole(values)}, "mode=\"" + mode + "\"", base.dtype,
                   base.shape);
}

TensorValue RelayNotation::reduce(Reduction reduction, const TensorValue& value, std::size_t first, Dtype dtype) {
  TensorValue operand = whole(value);
  std::vector<IndexExpr> shape(value.shape.begin(), value.shape.begin() + static_cast<std::ptrdiff_t>(first));
  std::vector<std::int64_t> axes;
  for (std::size_t i = first; i < value.shape.size(); ++i) axes.push_back(static_cast<std::int64_t>(i));
  const auto over = [&](std::string_view name) {
    return operation(name, {operand}, "axis=" + list(axes) + ", keepdims=False", dtype, shape);
  };
  switch (reduction) {
    case Reduction::Sum:
    case Reduction::Prod:
      if (operand.dtype != dtype) operand = cast(operand, dtype);
      return over(reduction == Reduction::Sum ? "sum" : "prod");
    case Reduction::Max: return over("max");
    case Reduction::Min: return over("min");
    case Reduction::Any:
    case Reduction::All:
      if (operand.dtype != Dtype::I1) operand = cast(operand, Dtype::I1);
      return over(reduction == Reduction::Any ? "any" : "all");
    case Reduction::ArgMax:
    case Reduction::ArgMin: break;
  }
  // Over all axes at once: the position in row order.
  std::vector<IndexExpr> flat = shape;
  flat.push_back(constant(1));
  for (const std::int64_t axis : axes)
    flat.back() = index().mul(flat.back(), value.shape[static_cast<std::size_t>(axis)]);
  operand = reshape(operand, std::move(flat));
  axes = {static_cast<std::int64_t>(first)};
  const TensorValue at = over(reduction == Reduction::ArgMax ? "argmax" : "argmin");
  return cast(at, dtype);
}

std::optional<TensorValue> RelayNotation::product(const TensorValue& a, const TensorValue& b, Dtype dtype) {
  return operation("nn.batch_matmul", {whole(a), whole(b)}, "transpose_a=False, transpose_b=False", dtype,
                   {a.shape[0], a.shape[1], b.shape[2]});
}

}  // namespace mlgc
