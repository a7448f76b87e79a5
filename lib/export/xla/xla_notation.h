// A function as a program of XLA: StableHLO and HLO are the same operations in two notations. Shapes are constants.
#pragma once

#include <functional>
#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "export/graph_notation.h"
#include "export/xla/xla_program.h"
#include "ir/context.h"

namespace mlgc {

class XlaNotation final : public GraphNotation {
 public:
  // `chlo`: whether the notation has the operations of CHLO that HLO lacks.
  XlaNotation(Context& context, std::string_view notation, bool chlo);

  // What was written, without what nothing reads.
  [[nodiscard]] XlaProgram finish(std::string_view name);

  // Building. An operation that was written before in the block or around it is not written again.
  using Operands = std::span<const TensorValue>;
  TensorValue node(XlaOp op, Operands operands, XlaType type, XlaLists lists = {}, std::string_view word = {});
  TensorValue node(XlaOp op, std::initializer_list<TensorValue> operands, XlaType type, XlaLists lists = {},
                   std::string_view word = {}) {
    return node(op, Operands(operands.begin(), operands.size()), std::move(type), std::move(lists), word);
  }
  // With a block of scalars that sees nothing around it: two for each of `scalars` (of `pairs`: a and then b of each).
  using Scalars = std::function<TensorValues(Operands a, Operands b)>;
  TensorValues node_with_block(XlaOp op, Operands operands, const std::vector<XlaType>& results, XlaLists lists,
                               bool pairs, const Scalars& block);
  TensorValue compare(std::string_view direction, const TensorValue& a, const TensorValue& b);
  // The whole of a constant; without its shape: one element that stands for all.
  TensorValue splat(Dtype dtype, double value, std::vector<std::int64_t> shape);
  TensorValue splat_integer(Dtype dtype, std::int64_t value, std::vector<std::int64_t> shape);
  TensorValue numbers(Dtype dtype, const std::vector<std::int64_t>& values);  // a vector
  TensorValue iota(Dtype dtype, std::vector<std::int64_t> shape, std::size_t axis);
  TensorValue resized(const TensorValue& value, const std::vector<std::int64_t>& shape);    // reshape
  TensorValue broadcast(const TensorValue& value, const std::vector<std::int64_t>& shape);  // 1 to any extent
  TensorValue transposed(const TensorValue& value, const std::vector<std::size_t>& order);
  // Of one axis: `count` elements from `start` on that are `step` apart.
  TensorValue sliced(const TensorValue& value, std::size_t axis, std::int64_t start, std::int64_t count,
                     std::int64_t step = 1);
  // With axes of extent 1 in front up to `rank`, then broadcast.
  TensorValue aligned(const TensorValue& value, const std::vector<std::int64_t>& shape);
  TensorValue binary(XlaOp op, const TensorValue& a, const TensorValue& b);
  TensorValue converted(const TensorValue& value, Dtype dtype);
  // `accumulate` over an operand and an initial value, each in the wider type that sums of `dtype` are taken in.
  [[nodiscard]] static Dtype sum_type(Dtype dtype);
  // Value and position of the largest (or least) element, the first such; not a number counts as both.
  TensorValues first_extremum(Operands a, Operands b, bool largest);
  [[nodiscard]] const XlaType& type(const TensorValue& value) const { return program_.type(id(value)); }
  [[nodiscard]] XlaType type_of(const TensorValue& unnamed) const { return {unnamed.dtype, constants(unnamed.shape)}; }
  // Throws NoForm where one is not a constant.
  [[nodiscard]] std::vector<std::int64_t> constants(std::span<const IndexExpr> sizes) const;

  [[nodiscard]] const IndexPool& sizes() const { return index(); }

  [[nodiscard]] std::string_view notation() const override { return notation_; }
  std::optional<TensorValues> row(const RowCall& call) override;  // xla_rows.cpp
  TensorValue named(const TensorValue& value, std::string_view wanted) override;
  TensorValue input(std::string_view name, Type type, GraphInputRole role) override;
  TensorValue constant_value(const TensorConstant& data) override;
  void output(std::string_view name, const TensorValue& value) override;
  void bind_size(AtomId size, const TensorValue& value, std::size_t axis, TellingDim telling) override;
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
  struct Scope {
    XlaBlock block;
    bool isolated = false;
    std::map<std::string, XlaId> known = {};  // by text of the operation
  };

  [[nodiscard]] static XlaId id(const TensorValue& value) { return std::stoul(value.name); }
  [[nodiscard]] TensorValue value_of(XlaId id) const;
  XlaId make(XlaType type);
  std::string fresh(std::string_view wanted);
  TensorValue add(XlaNode node, XlaType type);
  void note(XlaOp op);
  TensorValue constant(XlaType type, std::string bytes, bool splat);
  TensorValues add_with_blocks(XlaNode node, const std::vector<XlaType>& results);
  // `arguments` of the block exist already, so that blocks can share them.
  XlaBlock block(const std::vector<XlaId>& arguments, bool isolated, const std::function<TensorValues()>& body);
  TensorValues while_loop(std::span<const TensorValue> initial, const std::function<TensorValue(Operands)>& condition,
                          const std::function<TensorValues(Operands)>& body);
  [[nodiscard]] std::optional<std::int64_t> constant_of(const TensorValue& value) const;
  TensorValue joined_subscripts(std::span<const TensorValue> subscripts, const std::vector<std::int64_t>& shape);
  std::optional<TensorValue> hyperbolic(ScalarFn fn, const TensorValue& x);
  TensorValue floor_divided(const TensorValue& a, const TensorValue& b);
  TensorValue modulo(const TensorValue& a, const TensorValue& b);

  Context& context_;
  std::string_view notation_;
  bool chlo_;
  XlaProgram program_;
  std::vector<Scope> scopes_{1};
  std::map<XlaId, std::string> splats_;  // the element of each such constant
  std::map<XlaId, std::size_t> iotas_;   // the axis
  std::map<XlaId, XlaId> reshapes_;      // the operand
  std::set<std::string, std::less<>> names_;
};

}  // namespace mlgc
