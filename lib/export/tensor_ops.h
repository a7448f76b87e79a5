// What a notation can do to tensors: the small set of operations that any formula is written in (formula_tensors.h).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "formula/formula.h"
#include "formula/scalar_function.h"
#include "ir/index_expr.h"
#include "tensor/dtype.h"

namespace mlgc {

// A value of the text that is being written. Sizes are in the notation's own symbols.
struct TensorValue {
  std::string name;
  Dtype dtype = Dtype::F32;
  std::vector<IndexExpr> shape;
};

using TensorNumber = std::variant<bool, double, IndexExpr>;

// Thrown where a notation has no form for something.
struct NoForm {
  std::string reason;
};

// Each function appends to the text and gives the value. Operands of one call have the same rank; where extents differ,
// one of them is 1 and that operand is repeated. Throws NoForm.
class TensorOps {
 public:
  explicit TensorOps(IndexPool& index) : index_(&index) {}
  TensorOps(const TensorOps&) = delete;
  TensorOps& operator=(const TensorOps&) = delete;
  virtual ~TensorOps() = default;

  // Every axis has the extent 1.
  virtual TensorValue number(const TensorNumber& value, Dtype dtype, std::size_t rank) = 0;
  virtual TensorValue filled(const TensorNumber& value, Dtype dtype, std::vector<IndexExpr> shape);
  // i64: the position along `axis`; the other axes have the extent 1.
  virtual TensorValue positions(std::size_t rank, std::size_t axis, IndexExpr extent) = 0;

  // What a region computes from its arguments.
  using Block = std::function<std::vector<TensorValue>(std::span<const TensorValue>)>;

  virtual TensorValue call(ScalarFn fn, std::span<const TensorValue> operands, Dtype type) = 0;
  virtual TensorValue cast(const TensorValue& value, Dtype dtype) = 0;
  virtual TensorValue select(const TensorValue& condition, const TensorValue& a, const TensorValue& b) = 0;
  // i64.
  virtual TensorValue add_size(const TensorValue& value, IndexExpr size);
  virtual TensorValue multiply_size(const TensorValue& value, IndexExpr size);
  virtual TensorValue shift_right(const TensorValue& value, int bits);     // what comes in at the left is 0
  virtual TensorValue clamp(const TensorValue& at, IndexExpr extent);      // to 0 .. extent - 1
  virtual TensorValue is_inside(const TensorValue& at, IndexExpr extent);  // i1: 0 <= at < extent

  virtual TensorValue expand(const TensorValue& value, std::vector<IndexExpr> shape) = 0;
  virtual TensorValue reshape(const TensorValue& value, std::vector<IndexExpr> shape) = 0;
  virtual TensorValue permute(const TensorValue& value, const std::vector<std::size_t>& order) = 0;
  // operand[subscripts...]: i64, one for each axis of the operand; `shape` is what they have together.
  virtual TensorValue gather(const TensorValue& operand, std::span<const TensorValue> subscripts,
                             std::vector<IndexExpr> shape) = 0;
  // The axis becomes those of `index`: operand[.., index[..], ..]. Nothing: gather() instead.
  virtual std::optional<TensorValue> gather_axis(const TensorValue& operand, std::size_t axis,
                                                 const TensorValue& index);
  // `base` with values[i] combined with what is at subscripts[i]. The first subscript has the shape of `values`.
  virtual TensorValue scatter(const TensorValue& base, std::span<const TensorValue> subscripts,
                              const TensorValue& values, WriteOp write) = 0;
  // Over the axes from `first` on, which are gone then. Arguments of extrema count over all of those in row order.
  virtual TensorValue reduce(Reduction reduction, const TensorValue& value, std::size_t first, Dtype type) = 0;
  // [B, M, K] by [B, K, N]; nothing: multiplied and summed instead.
  virtual std::optional<TensorValue> product(const TensorValue& a, const TensorValue& b, Dtype type);

  // `condition` gives whether `body` runs, and then what `body` takes, or the results.
  virtual std::vector<TensorValue> loop(std::span<const TensorValue> initial, const Block& condition,
                                        const Block& body);

  [[nodiscard]] IndexExpr constant(std::int64_t value) const { return index_->constant(value); }
  // What operands of these shapes have together.
  [[nodiscard]] std::vector<IndexExpr> common_shape(std::span<const TensorValue> values) const;

 protected:
  [[nodiscard]] IndexPool& index() const { return *index_; }
  TensorValue call(ScalarFn fn, std::initializer_list<TensorValue> operands, Dtype type) {
    return call(fn, std::span<const TensorValue>(operands.begin(), operands.size()), type);
  }
  // A function that the notation has no operator for, in the others: composed_functions.cpp. Throws NoForm.
  TensorValue composed(ScalarFn fn, std::span<const TensorValue> operands, Dtype type);

 private:
  IndexPool* index_;
};

}  // namespace mlgc
