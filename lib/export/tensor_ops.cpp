// What follows from the other operations.
#include "export/tensor_ops.h"

#include <utility>

namespace mlgc {

TensorValue TensorOps::filled(const TensorNumber& value, Dtype dtype, std::vector<IndexExpr> shape) {
  return expand(number(value, dtype, shape.size()), std::move(shape));
}

TensorValue TensorOps::add_size(const TensorValue& value, IndexExpr size) {
  return call(ScalarFn::Add, {value, number(size, Dtype::I64, value.shape.size())}, Dtype::I64);
}

TensorValue TensorOps::multiply_size(const TensorValue& value, IndexExpr size) {
  return call(ScalarFn::Mul, {value, number(size, Dtype::I64, value.shape.size())}, Dtype::I64);
}

TensorValue TensorOps::shift_right(const TensorValue& value, int bits) {
  const std::size_t rank = value.shape.size();
  const std::int64_t kept = (std::int64_t{1} << (64 - bits)) - 1;
  const TensorValue shifted = call(ScalarFn::ShiftRight, {value, number(constant(bits), Dtype::I64, rank)}, Dtype::I64);
  return call(ScalarFn::BitAnd, {shifted, number(constant(kept), Dtype::I64, rank)}, Dtype::I64);
}

TensorValue TensorOps::clamp(const TensorValue& at, IndexExpr extent) {
  const std::size_t rank = at.shape.size();
  const IndexExpr last = index_->sub(extent, constant(1));
  const TensorValue low = call(ScalarFn::Max, {at, number(constant(0), Dtype::I64, rank)}, Dtype::I64);
  return call(ScalarFn::Min, {low, number(last, Dtype::I64, rank)}, Dtype::I64);
}

TensorValue TensorOps::is_inside(const TensorValue& at, IndexExpr extent) {
  const std::size_t rank = at.shape.size();
  const TensorValue low = call(ScalarFn::Le, {number(constant(0), Dtype::I64, rank), at}, Dtype::I1);
  const TensorValue high = call(ScalarFn::Lt, {at, number(extent, Dtype::I64, rank)}, Dtype::I1);
  return call(ScalarFn::And, {low, high}, Dtype::I1);
}

std::optional<TensorValue> TensorOps::gather_axis(const TensorValue& /*operand*/, std::size_t /*axis*/,
                                                  const TensorValue& /*index*/) {
  return std::nullopt;
}

std::optional<TensorValue> TensorOps::product(const TensorValue& /*a*/, const TensorValue& /*b*/, Dtype /*type*/) {
  return std::nullopt;
}

std::vector<TensorValue> TensorOps::loop(std::span<const TensorValue> /*initial*/, const Block& /*condition*/,
                                         const Block& /*body*/) {
  throw NoForm{"its formula is a loop"};
}

std::vector<IndexExpr> TensorOps::common_shape(std::span<const TensorValue> values) const {
  std::vector<IndexExpr> out(values[0].shape);
  for (const TensorValue& value : values)
    for (std::size_t i = 0; i < out.size(); ++i)
      if (out[i] == constant(1)) out[i] = value.shape[i];
  return out;
}

}  // namespace mlgc
