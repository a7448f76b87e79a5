// A function as an ONNX graph, operator set 20. Values are numbered while it is made; names are given at the end.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "export/graph_notation.h"
#include "export/onnx/onnx_model.h"
#include "ir/context.h"
#include "tensor/npz.h"

namespace mlgc {

class OnnxNotation final : public GraphNotation {
 public:
  // Weights without data, and states, are inputs. `notation` is for messages.
  OnnxNotation(Context& context, std::string_view notation, const NamedTensors* weights);

  // What was written, without dead nodes.
  [[nodiscard]] OnnxModel finish(std::string_view graph_name);

  // One node with one output. Inputs are values in order; null: absent.
  using Inputs = std::vector<const TensorValue*>;
  TensorValue node(std::string_view op_type, const Inputs& inputs, std::vector<OnnxAttribute> attributes, Dtype dtype,
                   std::vector<IndexExpr> shape);
  TensorValues node(std::string_view op_type, const Inputs& inputs, std::vector<OnnxAttribute> attributes,
                    const TensorValues& results);
  // A result without uses.
  TensorValue unread(const TensorValue& result) { return make(result.dtype, result.shape); }
  // i64 [sizes].
  TensorValue size_list(const std::vector<IndexExpr>& sizes);
  TensorValue integer_list(const std::vector<std::int64_t>& numbers);
  // With every axis that its shape has: a value may lack leading axes of extent 1, which operators add.
  TensorValue whole(const TensorValue& value);

  [[nodiscard]] std::string_view notation() const override { return notation_; }
  std::optional<TensorValues> row(const RowCall& call) override;  // onnx_rows.cpp
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
  TensorValue call(ScalarFn fn, std::span<const TensorValue> operands, Dtype type) override;  // onnx_functions.cpp
  TensorValue shift_right(const TensorValue& value, int bits) override;
  TensorValue cast(const TensorValue& value, Dtype dtype) override;
  TensorValue select(const TensorValue& condition, const TensorValue& a, const TensorValue& b) override;
  TensorValue expand(const TensorValue& value, std::vector<IndexExpr> shape) override;
  TensorValue reshape(const TensorValue& value, std::vector<IndexExpr> shape) override;
  TensorValue permute(const TensorValue& value, const std::vector<std::size_t>& order) override;
  TensorValue gather(const TensorValue& operand, std::span<const TensorValue> subscripts,
                     std::vector<IndexExpr> shape) override;
  std::optional<TensorValue> gather_axis(const TensorValue& operand, std::size_t axis,
                                         const TensorValue& index) override;
  TensorValue scatter(const TensorValue& base, std::span<const TensorValue> subscripts, const TensorValue& values,
                      WriteOp write) override;
  TensorValue reduce(Reduction reduction, const TensorValue& value, std::size_t first, Dtype type) override;
  std::optional<TensorValue> product(const TensorValue& a, const TensorValue& b, Dtype type) override;

  [[nodiscard]] IndexPool& sizes() const { return index(); }

 private:
  struct Scope {
    OnnxGraph graph;
    std::map<IndexExpr, TensorValue> sizes;  // i64 [1]
  };
  struct Made {
    std::string name;  // that it has, or wants
    std::size_t rank = 0;
    std::size_t depth = 0;
    bool is_fixed = false;  // an input or an output of a graph, or a constant
  };
  struct SizeSource {
    TensorValue value;
    std::size_t axis;
    AffineDim dim;
  };

  TensorValue make(Dtype dtype, std::vector<IndexExpr> shape, std::string name = "");
  [[nodiscard]] Made& made(const TensorValue& value);
  TensorValue reshaped(const TensorValue& value, std::vector<IndexExpr> shape);  // by a node
  TensorValue initializer(Tensor tensor, std::vector<IndexExpr> shape);
  TensorValue size_value(IndexExpr size);
  TensorValue size_term(IndexExpr size);
  TensorValue size_atom(AtomId atom);
  [[nodiscard]] OnnxValueInfo info(const TensorValue& value) const;
  // Of the innermost graph; an Identity where it is none of its own yet.
  TensorValue as_output(const TensorValue& value);
  // The block as a graph whose inputs are `inputs`.
  std::shared_ptr<OnnxGraph> subgraph(std::string_view name, const TensorValues& inputs,
                                      const std::function<TensorValues()>& block);
  TensorValue index_tuples(std::span<const TensorValue> subscripts, std::vector<IndexExpr> shape);

  Context& context_;
  std::string_view notation_;
  std::map<std::string, const Tensor*, std::less<>> weights_;
  std::vector<Scope> scopes_{1};
  std::vector<Made> made_;
  std::map<AtomId, SizeSource> size_sources_;
  std::map<std::tuple<Dtype, std::vector<std::int64_t>, std::string>, TensorValue> constants_;
};

[[nodiscard]] inline OnnxAttribute onnx_integer(std::string name, std::int64_t value) {
  return {std::move(name), value};
}
[[nodiscard]] inline OnnxAttribute onnx_real(std::string name, double value) {
  return {std::move(name), static_cast<float>(value)};
}

}  // namespace mlgc
