// A few ops one after the other, each over the results of those before, for converters that need several.
//
// Guarantees: after a failure of the node every value is invalid and nothing more is built, so a converter may ask
// once, at its end. Types follow from the rows.
#pragma once

#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "import/program/convert.h"

namespace mlgc::program {

class OpChain {
 public:
  using Dims = std::span<const IndexExpr>;
  using Attrs = NodeScope::Attrs;

  explicit OpChain(NodeScope& scope);

  // An op of a row; an invalid one after a failure.
  OpRef several(std::string_view op, std::span<const Value> operands, const Attrs& attrs = {});
  Value call(std::string_view op, std::initializer_list<Value> operands, const Attrs& attrs = {});

  Value view(Value x, Dims dims);
  Value expand(Value x, Dims dims);
  Value cast(Value x, Dtype dtype);
  // The elements in row-major order.
  Value flat(Value x);
  // A scalar gets an axis.
  Value with_axis(Value x);
  // A tensor of one axis as axis `axis` of `rank`.
  Value along(Value line, std::size_t axis, std::size_t rank);
  Value full(Dims dims, std::int64_t value, Dtype dtype);
  Value full(Dims dims, double value, Dtype dtype);
  // Row-major positions in a tensor of that shape, i64.
  Value positions(Dims dims);
  Value slice(Value x, std::size_t axis, IndexExpr start, IndexExpr end);
  Value cat(std::span<const Value> parts, std::size_t axis);

  [[nodiscard]] IndexExpr size(std::int64_t value);
  [[nodiscard]] IndexExpr count(Dims dims);
  [[nodiscard]] Attribute integer(std::int64_t value);
  [[nodiscard]] Attribute list(std::initializer_list<std::int64_t> values);
  [[nodiscard]] Attribute list(std::span<const std::int64_t> values);
  [[nodiscard]] Attribute sizes(Dims dims);
  [[nodiscard]] Attribute flag(bool value);

  // Which of the elements set in a mask each element is, over the mask laid flat; what stands in front of the first one
  // counts as it.
  Value places_among_set(Value mask);
  // How many elements of a mask are set: an i64 of rank 0.
  Value count_set(Value mask);
  // Aborts with the message unless every condition, over the operands, is at least 0.
  void check(std::span<const Value> operands, std::span<const IndexExpr> conditions, std::string_view message);
  // The same unless the value, an i64 of rank 0, is that size, or at most that size.
  void check_equal(Value value, IndexExpr size, std::string_view message);
  void check_at_most(Value value, IndexExpr size, std::string_view message);

  // Of a valid value; empty of an invalid one.
  [[nodiscard]] static std::vector<IndexExpr> dims(Value x);

  // Result i is this value, brought to the recorded element type and shape.
  void result(std::size_t i, Value value);

 private:
  NodeScope& scope_;
};

}  // namespace mlgc::program
