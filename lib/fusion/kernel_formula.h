// The formula of a kernel that ops are added to one by one, and what the loops of its statements have in common.
//
// Guarantees
//   - The formula computes what the ops compute one after the other, bit for bit in native precision: what a 16-bit op
//     would store is rounded.
//   - No statement is left of an op that only moves elements (`Moved`), nor of one whose result is read once by an op
//     that reads it elsewhere than at its own element: their bodies stand where they are read.
//   - Letters of statements that must run together are one *axis*: where a statement reads what another one computes at
//     the bare letter of a dim. An axis is *inner* when somebody reads along it (a reduction, or any other subscript);
//     the others that every statement has are *rows*: what happens in one row needs nothing of another row. An axis
//     that a running reduction goes along is inner too.
//   - Copies are values: trying an op is adding it to a copy.
//
// Adding an op takes time linear in its formula and in what is read through it; shape() is linear in the statements.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "ir/module.h"
#include "ops/formula.h"

namespace mlgc {

// How a kernel may be run.
struct KernelShape {
  // What is common to all statements, in the order of the last one's letters, of which they are.
  std::vector<AtomId> rows;
  // By statement: the step of a row in which it runs. Odd steps are single values; even ones are nests over inner axes
  // (and reductions, whose result is there one step later), and all statements of one step can share loops.
  std::vector<std::uint32_t> steps;
  std::size_t nests = 0;  // even steps that have statements
  // Tensors with inner axes that a later step reads: they are kept for a row, or computed again.
  std::vector<TensorId> kept;
  bool reduces = false;
  // Statements with a sum over products of reads that each miss another letter: operands are used many times.
  std::size_t contractions = 0;
  bool contracts_in_rows = true;  // every letter of every contraction is a row
  // A statement reduces elements that are each reduced from a window, in the loops that compute these.
  bool reduces_windows = false;
  bool scatters = false;

  [[nodiscard]] std::string_view kind() const;  // pointwise | reduction | contraction | scatter
};

class KernelFormula {
 public:
  explicit KernelFormula(Context& context);

  // How later ops read the results of an op.
  enum class As : std::uint8_t { Computed, Moved };

  // Adds an op with its formula: operands that the kernel does not have become operands of the formula. With
  // `align`, reads of the same operand by several ops join axes as well: for ops that are in one kernel because they
  // read the same. Precondition of Moved: one statement that pulls.
  void add(OpRef op, const Formula& formula, As as, bool align = false);
  // An operand that is known as an expression without letters: a constant with equal elements, a size.
  void add_known(Value value, ExprId body);
  // Makes an operand of the formula now, so that operands have the order of these calls.
  TensorId add_operand(Value value);

  // After the last op: makes these the results of the formula and answers their tensors, in order. What is only moved,
  // or stands where it is read, is computed for them as well.
  std::vector<TensorId> set_results(std::span<const Value> outputs);

  [[nodiscard]] bool has(Value value) const { return tensors_.contains(value.id()); }
  [[nodiscard]] std::optional<TensorId> find(Value value) const;
  // All computed tensors are temporaries in it, before set_results().
  [[nodiscard]] const Formula& formula() const { return formula_; }
  [[nodiscard]] KernelShape shape() const;
  // The axis of a letter of the formula: a number that letters of one axis share.
  [[nodiscard]] std::uint32_t axis(AtomId letter) const;

 private:
  static constexpr std::uint32_t kNoAxis = 0xFFFFFFFF;

  TensorId add_tensor(Value value, FormulaTensor tensor);
  Statement copy_of(TensorId tensor);
  void compute(TensorId tensor);
  void read_once_elsewhere(OpRef op, const Formula& formula, std::span<const TensorId> tensors);
  void note_axes(const Statement& st, bool align);
  void note_read(const ReadParts& read, bool align);
  void note_letters();
  [[nodiscard]] std::uint32_t find_axis(std::uint32_t letter) const;
  void join(std::uint32_t a, std::uint32_t b);
  // The letter that a subscript is, if it is one.
  [[nodiscard]] std::optional<AtomId> bare(IndexExpr e) const;

  Context* context_;
  FormulaPool* pool_;
  Formula formula_;
  std::unordered_map<ValueId, TensorId> tensors_;
  std::vector<std::optional<Statement>> read_through_;   // by tensor: the statement that is put where it is read
  std::vector<std::vector<std::uint32_t>> tensor_axes_;  // by tensor, by dim: a letter's number or kNoAxis
  std::vector<std::uint32_t> parent_;                    // by letter number: union-find
  std::vector<bool> inner_;                              // by letter number, of representatives
};

// Whether the formula of an op computes nothing: one bare read, or a few steps on indices alone. It costs nothing to do
// that where its result is read.
[[nodiscard]] bool is_movement(const FormulaPool& pool, const Formula& formula);

// Whether the statement sums products whose factors are each used many times.
[[nodiscard]] bool is_contraction(FormulaPool& pool, const Statement& st);

// Whether the statement reduces windows: it reads at places that a letter of its own and one of a reduction make.
[[nodiscard]] bool is_window(FormulaPool& pool, const Statement& st);

// Whether the formula is a contraction that reads the operand through windows, at places that several letters make
// (`h + p`): what would be done for an element where it is read is done for each place of a window.
[[nodiscard]] bool reads_through_windows(FormulaPool& pool, const Formula& formula, std::size_t operand);
// How many subscripts of what contractions and windows of the formula read divide letters, or choose between them (a
// reflected border): their loops have no affine access to the operand then, and this is done for each of its uses.
[[nodiscard]] std::size_t bent_subscripts(FormulaPool& pool, const Formula& formula);
// Whether the statement changes which elements follow each other, or fills in others.
[[nodiscard]] bool reorders(FormulaPool& pool, const Statement& st);

// The operand of a movement in which, row-major, each element of the result has the place that it has in the result:
// the result is a view of it.
[[nodiscard]] std::optional<std::size_t> viewed_operand(FormulaPool& pool, const Formula& formula, const Facts& facts);

}  // namespace mlgc
