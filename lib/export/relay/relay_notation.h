// A function as text of TVM's Relay. Lines are stored separately until the end, when values have their names and unused
// ones are left out.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "export/graph_notation.h"
#include "ir/context.h"

namespace mlgc {

class RelayNotation final : public GraphNotation {
 public:
  explicit RelayNotation(Context& context) : GraphNotation(context.index()), context_(context) {}

  [[nodiscard]] std::string finish();

  // `name(operands, attributes)`. Attributes are written already: `axis=1`.
  TensorValue operation(std::string_view name, std::span<const TensorValue> operands, std::string_view attributes,
                        Dtype dtype, std::vector<IndexExpr> shape);
  TensorValue operation(std::string_view name, std::initializer_list<TensorValue> operands, std::string_view attributes,
                        Dtype dtype, std::vector<IndexExpr> shape) {
    return operation(name, std::span(operands.begin(), operands.size()), attributes, dtype, std::move(shape));
  }
  // Of a tuple: `(a, b)`.
  TensorValue of_tuple(std::string_view name, std::span<const TensorValue> operands, std::string_view attributes,
                       Dtype dtype, std::vector<IndexExpr> shape);
  // The items of an operation that gives a tuple.
  TensorValues items(std::string_view name, std::span<const TensorValue> operands, std::string_view attributes,
                     std::span<const TensorValue> results);
  [[nodiscard]] static std::string list(const std::vector<std::int64_t>& numbers);
  // A literal is of no rank; this one has every axis.
  TensorValue whole(const TensorValue& value);

  [[nodiscard]] std::string_view notation() const override { return "relay"; }
  std::optional<TensorValues> row(const RowCall& call) override;  // relay_rows.cpp
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
  TensorValue call(ScalarFn fn, std::span<const TensorValue> operands, Dtype type) override;
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

 private:
  // `let <id>: <type> = <text>;` In text, `\x01<id>\x02` is the name of a value.
  struct Line {
    std::size_t id = 0;
    std::string type, text;
  };
  struct SizeSource {
    TensorValue value;
    std::size_t axis;
    AffineDim dim;
  };

  [[nodiscard]] static std::string reference(std::size_t id);
  [[nodiscard]] std::string type_text(Dtype dtype, const std::vector<IndexExpr>& shape) const;
  [[nodiscard]] std::string type_of(const TensorValue& value) const { return type_text(value.dtype, value.shape); }
  [[nodiscard]] std::string types_of(std::span<const TensorValue> values) const;
  [[nodiscard]] static std::string tuple(std::span<const TensorValue> values);
  std::size_t make(std::string_view name = {});
  TensorValue let(std::string text, Dtype dtype, std::vector<IndexExpr> shape);
  TensorValues let_tuple(std::string text, std::span<const TensorValue> results);
  // The lines of a block and what it gives, indented once more than what is around it.
  std::string block_text(const std::function<std::string()>& body);
  [[nodiscard]] std::string lines_text(std::vector<Line> lines, const std::string& result) const;
  [[nodiscard]] std::string literal(const TensorNumber& value, Dtype dtype);
  // A size as an i64 of no rank, and a list of sizes as a vector.
  TensorValue size_value(IndexExpr size);
  TensorValue size_list(const std::vector<IndexExpr>& shape);
  [[nodiscard]] std::optional<std::vector<std::int64_t>> constants(const std::vector<IndexExpr>& shape) const;
  TensorValues recursion(std::span<const TensorValue> initial,
                         const std::function<std::string(const TensorValues&, const std::string& self)>& body,
                         std::span<const TensorValue> results);

  Context& context_;
  std::vector<std::vector<Line>> scopes_{1};
  std::vector<std::string> names_;  // by id; empty: a number at the end
  std::set<std::string, std::less<>> taken_;
  // A tensor of the metadata that follows the program.
  struct Constant {
    std::string dtype;
    Shape shape;
    std::vector<std::string> data;  // elements as they are printed
  };
  std::vector<std::string> inputs_, outputs_, output_types_, output_names_;
  std::vector<Constant> constants_;
  std::map<AtomId, SizeSource> size_sources_;
};

}  // namespace mlgc
