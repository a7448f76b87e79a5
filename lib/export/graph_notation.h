// A notation with operators of its own, and the walk that writes a function in it: a row has the notation's own form,
// else its formula is written in the operations of tensor_ops.h.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "diag/diagnostic.h"
#include "export/notation.h"
#include "export/tensor_ops.h"
#include "ir/function.h"
#include "ir/module.h"
#include "ops/op_types.h"
#include "ops/solved_products.h"

namespace mlgc {

using TensorValues = std::vector<TensorValue>;

// A use of a row.
struct RowCall {
  OpRef op;
  std::span<const TensorValue> operands;
  const Attrs& attrs;                                  // sizes in them are those of the module
  std::vector<TensorValue> results;                    // without names
  const std::function<IndexExpr(IndexExpr)>& size_of;  // a size of an attribute as the notation writes it

  [[nodiscard]] bool has(std::size_t operand) const { return operand < operands.size(); }
  // The constants of a list. Throws NoForm where one is symbolic.
  [[nodiscard]] std::vector<std::int64_t> constants(std::string_view name) const;
  // Of an axis that counts from the end below 0; of a list of axes, where an absent one means every axis.
  [[nodiscard]] std::size_t axis(std::string_view name, std::size_t rank) const;
  [[nodiscard]] std::vector<std::size_t> axes(std::string_view name, std::size_t rank) const;
};

// A weight that the function updates is a state here.
enum class GraphInputRole : std::uint8_t { Argument, Weight, State };

class GraphNotation : public TensorOps {
 public:
  using TensorOps::TensorOps;
  // For messages.
  [[nodiscard]] virtual std::string_view notation() const = 0;
  // The operators that were appended since the last call, in blocks too.
  [[nodiscard]] std::vector<std::string> take_written() { return std::exchange(written_, {}); }
  // The results of a row in a form of its own; nothing: it has none.
  virtual std::optional<TensorValues> row(const RowCall& call) = 0;
  // A name for a value that was just made, if it can have it: what the notation calls the value then.
  virtual TensorValue named(const TensorValue& value, std::string_view wanted) = 0;

  // `name` is unique among the inputs of a role.
  virtual TensorValue input(std::string_view name, Type type, GraphInputRole role) = 0;
  virtual TensorValue constant_value(const TensorConstant& data) = 0;
  // In the order of results; then new values of arguments `%name` and of states and weights `@name`.
  virtual void output(std::string_view name, const TensorValue& value) = 0;

  // size = (extent of `axis` - affine.offset) / affine.factor. Throws NoForm where sizes must be constants.
  virtual void bind_size(AtomId size, const TensorValue& value, std::size_t axis, AffineDim affine) = 0;
  // i64 [end].
  virtual TensorValue range(const TensorValue& end, IndexExpr extent) = 0;
  // i64 [count, rank]: positions of elements that are not zero.
  virtual TensorValue nonzero(const TensorValue& value, IndexExpr count) = 0;

  // Blocks append to the innermost one, and see the values around them. Results have the types of `results`.
  virtual TensorValues branch(const TensorValue& condition, const Block& then, const Block& otherwise,
                              std::span<const TensorValue> results) = 0;
  // `body` takes carried values and a slice of each sequence; it gives carried values and slices of results.
  virtual TensorValues scan(std::span<const TensorValue> carried, std::span<const TensorValue> sequences, bool reverse,
                            const Block& body, std::span<const TensorValue> results) = 0;

 protected:
  // To be called for each operator that is appended.
  void wrote(std::string_view operation) { written_.emplace_back(operation); }

 private:
  std::vector<std::string> written_;
};

// Writes `function`, whose calls, fusions and segments were inlined. Weights and states that it reads are inputs.
// Gives what stands for each op.
// Error: one that names every op without a form, each with the number of its uses, or a size that no input determines.
[[nodiscard]] Result<std::vector<ExportedOp>, Diagnostic> write_graph(Module& module, FuncRef function,
                                                                      GraphNotation& notation);

}  // namespace mlgc
