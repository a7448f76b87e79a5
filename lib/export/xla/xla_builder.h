// Makes an XlaProgram operation by operation: values and their names, constants, shapes, blocks. Guarantees: an
// operation that was written before in the block or around it is not written again, and every name is unique.
#pragma once

#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "export/graph_notation.h"
#include "export/xla/xla_program.h"

namespace mlgc {

class XlaBuilder {
 public:
  // `wrote` is called for each operation that is appended.
  XlaBuilder(IndexPool& sizes, std::function<void(XlaOp)> wrote) : sizes_(sizes), wrote_(std::move(wrote)) {}

  // What was written, without what nothing reads.
  [[nodiscard]] XlaProgram finish(std::string_view name);
  // An input of the program, which is called `name` in the module.
  TensorValue input(XlaType type, std::string_view name, std::string full_name);
  void output(std::string_view name, const TensorValue& value);
  // Gives a value a name, if it has none.
  void name(const TensorValue& value, std::string_view wanted);

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
  using Body = std::function<TensorValues()>;
  TensorValues conditional(const TensorValue& condition, const std::vector<XlaType>& results, const Body& then,
                           const Body& otherwise);
  TensorValues while_loop(Operands initial, const std::function<TensorValue(Operands)>& condition,
                          const std::function<TensorValues(Operands)>& body);

  // A constant of these elements; `splat`: of one that stands for all.
  TensorValue constant(XlaType type, std::string bytes, bool splat);
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

  // Elementwise, of operands of one shape.
  TensorValue binary(XlaOp op, const TensorValue& a, const TensorValue& b);
  TensorValue compare(std::string_view direction, const TensorValue& a, const TensorValue& b);
  TensorValue select(const TensorValue& condition, const TensorValue& a, const TensorValue& b);
  TensorValue converted(const TensorValue& value, Dtype dtype);
  // Value and position of the largest (or least) element, the first such; not a number counts as both.
  TensorValues first_extremum(Operands a, Operands b, bool largest);

  [[nodiscard]] const XlaType& type(const TensorValue& value) const { return program_.type(id(value)); }
  [[nodiscard]] XlaType type_of(const TensorValue& unnamed) const { return {unnamed.dtype, constants(unnamed.shape)}; }
  // Throws NoForm where one is not a constant.
  [[nodiscard]] std::vector<std::int64_t> constants(std::span<const IndexExpr> sizes) const;
  [[nodiscard]] const IndexPool& sizes() const { return sizes_; }
  // The i64 number that stands for every element of a constant.
  [[nodiscard]] std::optional<std::int64_t> constant_of(const TensorValue& value) const;
  // The axis of an iota.
  [[nodiscard]] std::optional<std::size_t> iota_axis(const TensorValue& value) const;

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
  TensorValues add_with_blocks(XlaNode node, const std::vector<XlaType>& results);
  // `arguments` of the block exist already, so that blocks can share them.
  XlaBlock block(const std::vector<XlaId>& arguments, bool isolated, const Body& body);

  IndexPool& sizes_;
  std::function<void(XlaOp)> wrote_;
  XlaProgram program_;
  std::vector<Scope> scopes_{1};
  std::map<XlaId, std::string> splats_;  // the element of each such constant
  std::map<XlaId, std::size_t> iotas_;   // the axis
  std::map<XlaId, XlaId> reshapes_;      // the operand
  std::set<std::string, std::less<>> names_;
};

// The type that sums of `dtype` are taken in.
[[nodiscard]] Dtype xla_sum_type(Dtype dtype);

}  // namespace mlgc
