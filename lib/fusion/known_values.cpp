// See known_values.h.
#include "fusion/known_values.h"

#include "ops/instantiate_op.h"
#include "support/result.h"
#include "tensor/tensor.h"

namespace mlgc {

std::optional<ExprId> known_value(OpRef op, FormulaPool& pool) {
  AttributePool& attributes = op.module().context().attributes();
  if (op.is(GraphOp::Dim)) {
    const auto size = attributes.as_int(op.attr("value"));
    return size ? std::optional(pool.settle(pool.index_value(*size))) : std::nullopt;
  }
  if (!op.is(GraphOp::Constant)) return std::nullopt;
  const Attribute value = op.attr("value");
  if (attributes.kind(value) != AttributeKind::Tensor || !attributes.as_tensor(value).splat) return std::nullopt;
  const TensorConstant& constant = attributes.as_tensor(value);
  const Dtype dtype = op.result().dtype();
  const auto element = Tensor::from_bytes(dtype, {}, constant.bytes);
  MLGC_ASSERT(element.ok(), "a splat that is no element of its dtype");
  return visit_dtype(dtype, [&]<class T>() {
    const T v = element->data<T>()[0];
    if (dtype == Dtype::I1) return pool.boolean(convert_element<bool>(v));
    if (is_float(dtype)) return pool.real(convert_element<double>(v), dtype, false);
    return pool.integer(convert_element<std::int64_t>(v), dtype, false);
  });
}

}  // namespace mlgc
