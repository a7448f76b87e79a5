// The formula of a kernel that ops are added to one by one, and what the loops of its statements have in common.
//
// Guarantees
//   - The formula computes what the ops compute one after the other, bit for bit in native precision: what a 16-bit op
//     would store is rounded.
//   - No statement is left of an op that only moves elements (`Moved`), nor of one whose result is read once by an op
//     that reads it elsewhere than at its own element: their bodies stand where they are read.
//   - Index labels of statements that must run together are one *axis*: where a statement reads what another one
//     computes at the bare label of a dim. An axis is *inner* when something reads along it (a reduction, or any other
//     subscript). The others that every statement has are *rows*: rows are independent of each other. The axis of a
//     running reduction is inner too.
//   - Copies are values: trying an op is adding it to a copy.
//   - Of kernels that share a KernelFormulas, equal steps from equal kernels are taken once: what they make is
//     remembered, with its shape, and is what each of them would have made by itself.
//
// Adding an op takes time linear in its formula and in what is read through it, and a copy of what it is added to where
// others have that; a remembered step takes none of this. shape() is linear in the statements, once for each change.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "formula/formula.h"
#include "fusion/kernel_body.h"
#include "ir/module.h"
#include "support/intern_table.h"

namespace mlgc {

// The formula of an op without names, and what is asked of it for each op that has it.
struct OpFormula {
  Formula formula;
  bool is_movement = false;         // is_movement()
  bool unpacks = false;             // unpacks()
  bool contracts = false;           // a statement is a contraction
  bool reuses = false;              // a statement is a contraction, or reduces windows
  std::size_t bent_subscripts = 0;  // bent_subscripts()
  std::vector<bool> reduced;        // by tensor: a reduction reads it

 private:
  friend class KernelFormulas;
  friend class KernelFormula;
  std::uint32_t id_ = 0;
  std::shared_ptr<const Formula> origin_;  // keeps its address taken
};

// What kernels have in common that are made of equal ops in an equal way: formulas of ops, and bodies by the steps that
// make them. A step that is taken for the second time is remembered, so that programs without repetition keep nothing
// but the steps; there is a bound on all that is remembered, after which steps are taken again.
class KernelFormulas {
 public:
  explicit KernelFormulas(Context& context);
  KernelFormulas(const KernelFormulas&) = delete;
  KernelFormulas& operator=(const KernelFormulas&) = delete;

  // Null where op_formula() (fusion_kernel.h) has nothing. Valid as long as this object.
  [[nodiscard]] const OpFormula* of(OpRef op, const Facts& facts);

 private:
  friend class KernelFormula;
  struct Node {
    std::span<const std::uint32_t> words;  // the node before it, what is added, to which tensors
    std::shared_ptr<KernelBody> body;      // null: not remembered
  };
  struct Step {
    std::uint32_t node;
    bool is_new;
  };
  Step step(std::span<const std::uint32_t> words);
  void remember(std::uint32_t node, const std::shared_ptr<KernelBody>& body);

  Context& context_;
  std::shared_ptr<KernelBody> empty_;
  std::unordered_map<const Formula*, OpFormula> by_formula_;
  std::vector<Node> nodes_;
  InternTable table_;
  StableArena<std::uint32_t> words_;
  std::size_t remembered_ = 0;  // statements
};

class KernelFormula {
 public:
  using As = KernelBody::As;

  // With names, and nothing shared but by copies.
  explicit KernelFormula(Context& context);
  // Without names. Precondition: `shared` outlives it.
  explicit KernelFormula(KernelFormulas& shared);

  // Adds an op with its formula: operands that the kernel does not have become operands of the formula. With
  // `align`, reads of the same operand by several ops join axes as well: for ops that are in one kernel because they
  // read the same. Preconditions: Moved has one statement that pulls; a shared kernel takes what its KernelFormulas
  // has, and only that.
  void add(OpRef op, const Formula& formula, As as, bool align = false);
  void add(OpRef op, const OpFormula& formula, As as, bool align = false);
  // An operand that is known as an expression without index labels: a constant with equal elements, a size.
  void add_known(Value value, ExprId body);
  // Makes an operand of the formula now, so that operands have the order of these calls.
  TensorId add_operand(Value value);

  // After the last op: makes these the results of the formula and answers their tensors, in order. What is only moved,
  // or stands where it is read, is computed for them as well.
  std::vector<TensorId> set_results(std::span<const Value> outputs);

  [[nodiscard]] bool has(Value value) const { return find(value).has_value(); }
  [[nodiscard]] std::optional<TensorId> find(Value value) const;
  // All computed tensors are temporaries in it, before set_results(). References hold until the next change.
  [[nodiscard]] const Formula& formula() const { return body_->formula(); }
  [[nodiscard]] const StatementFacts& facts(std::size_t statement) const { return body_->facts(statement); }
  [[nodiscard]] std::size_t bent_subscripts() const { return body_->bent_subscripts(); }
  [[nodiscard]] const KernelShape& shape() const { return body_->shape(); }
  // The axis of an index label of the formula: a number that labels of one axis share.
  [[nodiscard]] std::uint32_t axis(AtomId label) const { return body_->axis(label); }

 private:
  struct Bound {
    ValueId value;
    TensorId tensor;
  };
  KernelBody& own();
  void bind(Value value, TensorId tensor);
  std::vector<TensorId> bind_operands(OpRef op, std::vector<std::uint32_t>& words);
  void add_operands(OpRef op, std::span<const TensorId> tensors);
  void add_op(OpRef op, const Formula& formula, As as, bool align, std::vector<std::uint32_t>& words);
  template <class Take>
  void take(std::span<const std::uint32_t> words, const Take& take);

  KernelFormulas* shared_ = nullptr;
  std::uint32_t node_ = InternTable::kNone;  // of what is shared; none: nothing is added yet
  std::shared_ptr<KernelBody> body_;
  std::vector<Bound> tensors_;  // by value
};

// Whether the formula of an op computes nothing: one bare read, or a few steps on indices alone. It costs nothing to do
// that where its result is read.
[[nodiscard]] bool is_movement(const FormulaPool& pool, const Formula& formula);

// Whether the formula makes each number of stored integers of 8 bits, of which it reads at most half of the bytes that
// it writes: a few readers of each element do that themselves sooner than memory gives them the result.
[[nodiscard]] bool unpacks(FormulaPool& pool, const Formula& formula);

// Whether the statement sums products whose factors are each used many times.
[[nodiscard]] bool is_contraction(FormulaPool& pool, const Statement& st);

// Whether the statement reduces windows: its subscripts combine a label of its own with one of a reduction.
[[nodiscard]] bool is_window(FormulaPool& pool, const Statement& st);

// Whether the formula is a contraction that reads the operand through windows, at subscripts of several labels
// (`h + p`): a producer fused there would be computed for each place of a window.
[[nodiscard]] bool reads_through_windows(FormulaPool& pool, const Formula& formula, std::size_t operand);
// How many subscripts of contractions and windows of the formula divide index labels, or choose between them (a
// reflected border). Their loops have no affine access to the operand, and evaluate this for each use.
[[nodiscard]] std::size_t bent_subscripts(FormulaPool& pool, const Formula& formula);
// The same of what the statement reads, as if it were one.
[[nodiscard]] std::size_t bent_subscripts(FormulaPool& pool, const Statement& st);
// Whether the statement changes which elements are contiguous, or fills in others.
[[nodiscard]] bool reorders(FormulaPool& pool, const Statement& st);
// Whether the formula gives the first operand's dims another order, but for the last one, which stays.
[[nodiscard]] bool permutes_rows(FormulaPool& pool, const Formula& formula);

// The operand of a movement in which, row-major, each element of the result has the place that it has in the result:
// the result is a view of it.
[[nodiscard]] std::optional<std::size_t> viewed_operand(FormulaPool& pool, const Formula& formula, const Facts& facts);

}  // namespace mlgc
