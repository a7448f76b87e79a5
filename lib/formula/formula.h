// Ground formulas: what an op computes, for known types and attributes, as index statements over index labels.
//
//     y[n, o] = sum[k](x[n, k]*w[o, k]) + b[o]   over n < [B], o < 10, k < 784
//
// Guarantees
//   - A ground formula has no packs, attributes or unknown extents: each index label is an atom with its extent, and
//     every subscript is an IndexExpr of the same pool as the dims of types.
//   - Scalar expressions are immutable and hash-consed: equal ids mean equal expressions. Labels are numbered per
//     formula; each reduction and each statement has labels of its own, and copying renumbers them (`Renumbering`).
//   - Every expression is typed. Literals and labels are converted when they meet a typed operand (op-formulas,
//     section 3); a well-formed formula holds no weak expression.
//   - Guards are lazy: select, and, or, `?fill` and reduction guards do not evaluate reads on the side not taken.
//   - It prints as text, and the text parses back to the same formula (formula_text.h).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "formula/scalar_function.h"
#include "ir/index_expr.h"
#include "support/id.h"
#include "tensor/dtype.h"

namespace mlgc {

using ExprId = Id<struct ScalarExprTag>;
using TensorId = Id<struct FormulaTensorTag>;

enum class NodeKind : std::uint8_t { Literal, Index, Read, Call, Select, Stop, Cast, Reduce };
enum class Reduction : std::uint8_t { Sum, Prod, Max, Min, Any, All, ArgMax, ArgMin };

[[nodiscard]] std::string_view reduction_name(Reduction r);

// A node; what its payload words mean is private to FormulaPool.
struct ExprNode {
  NodeKind kind;
  std::uint8_t fn = 0;  // ScalarFn of a Call, Reduction of a Reduce
  Dtype type = Dtype::F32;
  bool weak = false;  // a literal or label that takes the type it meets
  std::uint32_t first = 0, count = 0;
};

struct ReadParts {
  TensorId tensor;
  std::vector<IndexExpr> subscripts;
  ExprId fill;  // invalid: reading out of range is an error of the program
};
struct ReduceParts {
  Reduction reduction;
  std::vector<AtomId> labels;
  ExprId guard;  // invalid: none
  ExprId body;
};
// The extremum of no elements is an error, but under a guard it is the neutral element, -inf or inf:
// `max[k | true](x[k])` states that there may be none. So a guard that is true belongs to an extremum over an extent
// that may be 0; elsewhere reduce() drops it. Arguments of extrema have no neutral element.

// Owns scalar expressions. One per context; opaque index atoms hold the ExprId of an integer expression of this pool.
class FormulaPool {
 public:
  explicit FormulaPool(IndexPool& index) : index_(index) {}
  FormulaPool(const FormulaPool&) = delete;
  FormulaPool& operator=(const FormulaPool&) = delete;

  [[nodiscard]] IndexPool& index() { return index_; }

  // Construction. Folds what is exact in every dtype: literals, x*1, conditions on indices of known sign.
  ExprId real(double value, Dtype type = Dtype::F64, bool weak = true);
  ExprId integer(std::int64_t value, Dtype type = Dtype::I64, bool weak = true);
  ExprId boolean(bool value);
  ExprId index_value(IndexExpr e);  // weak i64
  ExprId weak_real(ExprId e);       // a weak integer or label that takes part as a real number
  ExprId read(Dtype type, TensorId tensor, std::span<const IndexExpr> subscripts, ExprId fill = {});
  // Operands are coerced to one type. Precondition: `call_type` gives one.
  ExprId call(ScalarFn fn, std::span<const ExprId> operands);
  ExprId call(ScalarFn fn, ExprId a) { return call(fn, std::span<const ExprId>(&a, 1)); }
  ExprId call(ScalarFn fn, ExprId a, ExprId b) {
    const ExprId args[] = {a, b};
    return call(fn, args);
  }
  ExprId select(ExprId condition, ExprId a, ExprId b);
  ExprId stop(ExprId a);
  ExprId cast(ExprId a, Dtype target);
  ExprId reduce(Reduction reduction, std::span<const AtomId> labels, ExprId guard, ExprId body);
  ExprId non_negative(IndexExpr e);  // i1: 0 <= e, folded when the sign is known
  ExprId is_zero(IndexExpr e);       // i1: e == 0, folded likewise
  ExprId both(ExprId a, ExprId b);   // `and` in which an invalid id stands for true

  // The type of fn over operands, or nothing when they have no common type or fn is not defined on it.
  [[nodiscard]] std::optional<Dtype> call_type(ScalarFn fn, std::span<const ExprId> args) const;
  // The common type of two operands: the strong one's where one is weak.
  [[nodiscard]] std::optional<Dtype> common_type(ExprId a, ExprId b) const;
  // Gives a weak expression the type `target`; a strong one must have it already.
  ExprId coerce(ExprId e, Dtype target);
  ExprId settle(ExprId e);  // a weak expression becomes its default type: f32 for reals, i64 for integers

  // Inspection.
  [[nodiscard]] const ExprNode& node(ExprId e) const { return nodes_[e.index()]; }
  [[nodiscard]] Dtype type(ExprId e) const { return node(e).type; }
  [[nodiscard]] double literal_real(ExprId e) const;           // of a Literal of any category
  [[nodiscard]] std::int64_t literal_integer(ExprId e) const;  // of an integer or bool Literal
  [[nodiscard]] bool is_literal(ExprId e, double value) const;
  [[nodiscard]] IndexExpr index_of(ExprId e) const;  // of an Index
  [[nodiscard]] ReadParts read_of(ExprId e) const;
  [[nodiscard]] ReduceParts reduce_of(ExprId e) const;
  [[nodiscard]] std::vector<ExprId> arguments(ExprId e) const;  // of Call, Select, Stop, Cast
  [[nodiscard]] ScalarFn fn(ExprId e) const { return static_cast<ScalarFn>(node(e).fn); }
  [[nodiscard]] std::size_t size() const { return nodes_.size(); }

  // Rebuilds e. Labels go through `labels`, tensors through `tensors`. Reads may become any expression of their type
  // through `reads`, which sees subscripts already rewritten. A reduction becomes what `reductions` makes of it, which
  // sees it unchanged; where that makes nothing, it is rewritten like the rest. Empty functions keep what they would
  // replace.
  struct Rewrite {
    std::function<std::optional<IndexExpr>(AtomId label)> labels;
    std::function<ExprId(ExprId read, const ReadParts& rewritten)> reads;
    std::function<ExprId(ExprId reduction)> reductions = {};
  };
  ExprId rewrite(ExprId e, const Rewrite& how);
  IndexExpr rewrite(IndexExpr e, const Rewrite& how);

  // Calls `visit` for e and every expression below it, those inside subscripts included, parents first.
  void visit(ExprId e, const std::function<void(ExprId)>& visit) const;
  void visit(IndexExpr e, const std::function<void(ExprId)>& visit) const;
  // The free index labels of e, sorted: those that no reduction inside e binds.
  [[nodiscard]] std::vector<AtomId> free_labels(ExprId e) const;
  [[nodiscard]] std::vector<AtomId> free_labels(IndexExpr e) const;

 private:
  ExprId intern(ExprNode node, std::span<const std::uint32_t> words);
  [[nodiscard]] std::span<const std::uint32_t> payload(ExprId e) const {
    return std::span<const std::uint32_t>(payload_).subspan(node(e).first, node(e).count);
  }
  ExprId fold(ScalarFn fn, std::span<const ExprId> args, Dtype result, bool weak);
  // A weak expression of literals alone as one weak real, else invalid. Integers that do not fold (a division by 0, too
  // large a product) do so as reals where a real is wanted: so they, and what is computed from them, read when printed.
  ExprId fold_as_real(ExprId e);
  void collect_free(ExprId e, std::vector<AtomId>& bound, std::vector<AtomId>& out) const;
  void collect_free(IndexExpr e, std::vector<AtomId>& bound, std::vector<AtomId>& out) const;

  IndexPool& index_;
  std::vector<ExprNode> nodes_;
  std::vector<std::uint32_t> payload_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> table_;
};

enum class TensorRole : std::uint8_t { Operand, Temporary, Result };

struct FormulaTensor {
  std::string name;
  TensorRole role = TensorRole::Operand;
  Dtype dtype = Dtype::F32;
  std::vector<IndexExpr> shape;
};

enum class WriteOp : std::uint8_t { Set, Add, Mul, Max, Min };

// result[subscripts] op= body, for every value of the index labels that passes `guard`.
struct Statement {
  TensorId result;
  WriteOp write = WriteOp::Set;
  std::vector<AtomId> labels;  // in loop order
  std::vector<IndexExpr> subscripts;
  ExprId body;
  ExprId guard;      // invalid: none
  TensorId base;     // push only: the result starts as this tensor; invalid: as zero
  bool pull = true;  // every element of the result is written exactly once: subscripts are distinct bare labels, or 0
};

struct Formula {
  std::vector<FormulaTensor> tensors;    // operands first, in the order of the op
  std::vector<Statement> statements;     // each result is written by exactly one statement, before it is read
  std::vector<std::string> label_names;  // by the label's number

  [[nodiscard]] std::size_t operand_count() const;
  [[nodiscard]] std::vector<TensorId> results() const;
  [[nodiscard]] std::optional<TensorId> find(std::string_view name) const;
  [[nodiscard]] FormulaTensor& tensor(TensorId id) { return tensors[id.index()]; }
  [[nodiscard]] const FormulaTensor& tensor(TensorId id) const { return tensors[id.index()]; }
  TensorId add_tensor(FormulaTensor tensor);
  // An index label no other part of the formula has; the name is made unique.
  AtomId fresh_label(IndexPool& pool, std::string_view name, IndexExpr extent);
  std::string unique_tensor_name(std::string_view wanted) const;
};

// Copies e with fresh labels for every reduction inside it; `labels` maps free labels (keep: absent).
[[nodiscard]] ExprId copy_expression(FormulaPool& pool, Formula& into, ExprId e, const Formula& from,
                                     const std::function<std::optional<IndexExpr>(AtomId)>& labels,
                                     const std::function<ExprId(ExprId, const ReadParts&)>& reads);

// Checks the guarantees above; the message names the statement. For tests and for formulas that came from text.
[[nodiscard]] std::optional<std::string> check_formula(FormulaPool& pool, const Formula& formula);

}  // namespace mlgc
