// A function as a program of XLA: StableHLO and HLO are the same operations in two notations. Shapes are constants.
// What a module says becomes operations of XlaBuilder here; xla_rows.cpp has the rows with operations of their own.
#pragma once

#include <string_view>
#include <vector>

#include "export/graph_notation.h"
#include "export/xla/xla_builder.h"
#include "export/xla/xla_program.h"
#include "ir/context.h"

namespace mlgc {

class XlaNotation final : public GraphNotation {
 public:
  // `chlo`: whether the notation has the operations of CHLO that HLO lacks.
  XlaNotation(Context& context, std::string_view notation, bool chlo);

  // What was written, without what nothing reads.
  [[nodiscard]] XlaProgram finish(std::string_view name) { return xla_.finish(name); }

  [[nodiscard]] std::string_view notation() const override { return notation_; }
  std::optional<TensorValues> row(const RowCall& call) override;
  TensorValue named(const TensorValue& value, std::string_view wanted) override;
  TensorValue input(std::string_view name, Type type, GraphInputRole role) override;
  TensorValue constant_value(const TensorConstant& data) override;
  void output(std::string_view name, const TensorValue& value) override;
  void bind_size(AtomId size, const TensorValue& value, std::size_t axis, AffineDim affine) override;
  TensorValue range(const TensorValue& end, IndexExpr extent) override;
  TensorValue nonzero(const TensorValue& value, IndexExpr count) override;
  TensorValues branch(const TensorValue& condition, const Block& then, const Block& otherwise,
                      std::span<const TensorValue> results) override;
  TensorValues loop(std::span<const TensorValue> initial, const Block& condition, const Block& body) override;
  TensorValues scan(std::span<const TensorValue> carried, std::span<const TensorValue> sequences, bool reverse,
                    const Block& body, std::span<const TensorValue> results) override;

  using TensorOps::call;
  TensorValue number(const TensorNumber& value, Dtype dtype, std::size_t rank) override;
  TensorValue positions(std::size_t rank, std::size_t axis, IndexExpr extent) override;
  TensorValue call(ScalarFn fn, std::span<const TensorValue> operands, Dtype type) override;  // xla_functions.cpp
  TensorValue shift_right(const TensorValue& value, int bits) override;
  TensorValue cast(const TensorValue& value, Dtype dtype) override;
  TensorValue select(const TensorValue& condition, const TensorValue& a, const TensorValue& b) override;
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
  using Operands = XlaBuilder::Operands;

  TensorValue joined_subscripts(std::span<const TensorValue> subscripts, const std::vector<std::int64_t>& shape);

  Context& context_;
  std::string_view notation_;
  bool chlo_;
  XlaBuilder xla_;
};

}  // namespace mlgc
