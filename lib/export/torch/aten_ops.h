// Operations on tensors as calls of ATen.
#pragma once

#include "export/tensor_ops.h"
#include "export/torch/torch_builder.h"

namespace mlgc {

class AtenOps final : public TensorOps {
 public:
  explicit AtenOps(const TorchBuilder& builder) : TensorOps(builder.context().index()), builder_(builder) {}
  using TensorOps::call;

  TensorValue number(const TensorNumber& value, Dtype dtype, std::size_t rank) override;
  TensorValue filled(const TensorNumber& value, Dtype dtype, std::vector<IndexExpr> shape) override;
  TensorValue positions(std::size_t rank, std::size_t axis, IndexExpr extent) override;
  TensorValue call(ScalarFn fn, std::span<const TensorValue> operands, Dtype type) override;
  TensorValue cast(const TensorValue& value, Dtype dtype) override;
  TensorValue select(const TensorValue& condition, const TensorValue& a, const TensorValue& b) override;
  TensorValue add_size(const TensorValue& value, IndexExpr size) override;
  TensorValue multiply_size(const TensorValue& value, IndexExpr size) override;
  TensorValue shift_right(const TensorValue& value, int bits) override;
  TensorValue clamp(const TensorValue& at, IndexExpr extent) override;
  TensorValue is_inside(const TensorValue& at, IndexExpr extent) override;
  TensorValue expand(const TensorValue& value, std::vector<IndexExpr> shape) override;
  TensorValue reshape(const TensorValue& value, std::vector<IndexExpr> shape) override;
  TensorValue permute(const TensorValue& value, const std::vector<std::size_t>& order) override;
  TensorValue gather(const TensorValue& operand, std::span<const TensorValue> subscripts,
                     std::vector<IndexExpr> shape) override;
  TensorValue scatter(const TensorValue& base, std::span<const TensorValue> subscripts, const TensorValue& values,
                      WriteOp write) override;
  TensorValue reduce(Reduction reduction, const TensorValue& value, std::size_t first, Dtype type) override;
  std::optional<TensorValue> product(const TensorValue& a, const TensorValue& b, Dtype type) override;

 private:
  TensorValue add(std::string_view target, std::vector<TorchArgument> arguments, Dtype dtype,
                  std::vector<IndexExpr> shape);

  const TorchBuilder& builder_;
};

}  // namespace mlgc
