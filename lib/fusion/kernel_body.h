// The statements of a kernel that ops are added to one by one, whatever values they compute: what is equal for kernels
// of equal ops, so that these may share it (kernel_formula.h).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "formula/formula.h"
#include "ir/module.h"

namespace mlgc {

// How a kernel may be run.
struct KernelShape {
  // Axes that all statements share, as index labels of the last statement, in its order; where that only moves what
  // several contractions compute, in the order of the rows of these.
  std::vector<AtomId> rows;
  // By statement: the step of a row in which it runs. Odd steps are single values; even ones are nests over inner axes
  // (and reductions, whose result is there one step later), and all statements of one step can share loops.
  std::vector<std::uint32_t> steps;
  std::size_t nests = 0;  // even steps that have statements
  // Tensors with inner axes that a later stage reads: they are stored for a row, or recomputed.
  std::vector<TensorId> kept;
  bool reduces = false;
  // Statements with a sum over products of reads that each miss another index label: operands are used many times.
  std::size_t contractions = 0;
  bool contracts_in_rows = true;  // every index label of every contraction is a row
  // A statement reduces elements that are each reduced from a window, in the loops that compute these.
  bool reduces_windows = false;
  bool scatters = false;
  bool long_subscripts = false;  // one has more than kMostSubscriptNodes
  bool overflows = false;        // one is IndexPool::overflow()

  [[nodiscard]] std::string_view kind() const;  // pointwise | reduction | contraction | scatter
};

// What is asked of a statement again and again, found once.
struct StatementFacts {
  std::vector<ReadParts> reads;     // of body, guard and subscripts, in the order of a visit
  std::vector<AtomId> reduced;      // index labels of reductions
  bool reduces = false;             // it has reductions
  bool contracts = false;           // is_contraction()
  bool is_window = false;           // is_window()
  std::size_t bent_subscripts = 0;  // bent_subscripts() of it alone
};

class KernelBody {
 public:
  // How later ops read the results of an op.
  enum class As : std::uint8_t { Computed, Moved };

  // Without names, tensors and index labels have none: the formula is not printed.
  KernelBody(Context& context, bool named);

  TensorId add_operand(std::string_view name, Dtype dtype, std::span<const IndexExpr> dims);
  // An operand becomes an expression without index labels.
  void add_known(TensorId operand, ExprId body);
  // `operands`: the tensors that the op reads. The tensors of its results follow those that there are, in the order of
  // the formula. Of the op only this is looked at: the types and names of results, and whether an operand has one use.
  void add(OpRef op, const Formula& formula, std::span<const TensorId> operands, As as, bool align);
  // The tensor as a result of the formula: itself, or a copy of what is read or comes out twice.
  TensorId make_result(TensorId tensor);

  [[nodiscard]] const Formula& formula() const { return formula_; }
  [[nodiscard]] const StatementFacts& facts(std::size_t statement) const { return *facts_[statement]; }
  [[nodiscard]] std::size_t bent_subscripts() const;
  [[nodiscard]] const KernelShape& shape() const;  // until the next change
  [[nodiscard]] std::uint32_t axis(AtomId label) const;

 private:
  static constexpr std::uint32_t kNoAxis = 0xFFFFFFFF;

  TensorId add_tensor(FormulaTensor tensor);
  void note_statement(const Statement& st, bool align);
  Statement copy_of(TensorId tensor);
  void compute(TensorId tensor);
  void compute_what_is_read_often(const Formula& formula, std::span<const TensorId> tensors);
  void read_once_elsewhere(OpRef op, const Formula& formula, std::span<const TensorId> tensors);
  void note_axes(const Statement& st, const StatementFacts& facts, bool align);
  void note_read(const ReadParts& read, bool align);
  void note_labels();
  [[nodiscard]] KernelShape make_shape() const;
  void order_rows(std::vector<AtomId>& rows) const;
  [[nodiscard]] std::uint32_t find_axis(std::uint32_t label) const;
  void join(std::uint32_t a, std::uint32_t b);
  // The index label that a subscript is, if it is one.
  [[nodiscard]] std::optional<AtomId> bare(IndexExpr e) const;

  FormulaPool* pool_;
  bool named_;
  Formula formula_;
  std::vector<std::shared_ptr<const StatementFacts>> facts_;  // by statement
  std::vector<std::optional<Statement>> read_through_;        // by tensor: the statement that is put where it is read
  std::vector<std::vector<std::uint32_t>> tensor_axes_;       // by tensor, by dim: an index label's number or kNoAxis
  std::vector<std::uint32_t> parent_;                         // by label number: union-find
  std::vector<bool> inner_;                                   // by label number, of representatives
  bool long_subscripts_ = false;                              // see KernelShape
  bool overflows_ = false;                                    // see KernelShape
  mutable std::optional<KernelShape> shape_;                  // until the next change
};

// In sums: computing that much again costs less than keeping it.
inline constexpr std::int64_t kCheap = 4;

// Nodes of a subscript, which grow with each op that moves elements: computing it for each element takes longer than
// one more pass over memory, by far from here on. It is also far below kMaxIndexNodes, which substitution has to keep.
inline constexpr std::size_t kMostSubscriptNodes = 64;

// Of an index label: it has one value.
[[nodiscard]] inline bool is_unit(const IndexPool& index, AtomId label) {
  return index.as_constant(index.atom(label).a) == 1;
}

// Every expression of a statement with reads below it.
template <class Visit>
void visit_statement(const FormulaPool& pool, const Statement& st, const Visit& visit) {
  pool.visit(st.body, visit);
  if (st.guard.valid()) pool.visit(st.guard, visit);
  for (const IndexExpr subscript : st.subscripts) pool.visit(subscript, visit);
}

}  // namespace mlgc
