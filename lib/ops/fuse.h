// Fusion of formulas by composition: the statements of producer and consumer in one formula, then substitution of the
// reads where it is cheap. A region is a list of statements, never one expression at any price: unbounded substitution
// is exponential.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "ops/formula.h"

namespace mlgc {

// One formula that computes the consumer with its operand `operand` taken from the producer's result `result` (a number
// among results()). Operands of the outcome: the producer's in order, then the consumer's other operands in order;
// names are made unique. Results: the consumer's. Precondition: the shapes and dtypes of the two tensors are equal.
[[nodiscard]] Formula compose(FormulaPool& pool, const Formula& producer, std::size_t result, const Formula& consumer,
                              TensorId operand);

// What stands for a read of the formula that is added to: `parts` already speak of the formula that it is added to.
using ReadMaker = std::function<ExprId(ExprId read, const ReadParts& parts)>;

// Appends the statements of `from` to `into`, whose tensors `tensors` stand for those of `from`. Letters are
// renumbered; reads become what `read` makes of them, where it is given.
void append_statements(FormulaPool& pool, Formula& into, const Formula& from, std::span<const TensorId> tensors,
                       const ReadMaker& read = {});

// The body of a pulling statement of the formula in the place of a read of its result; outside of the result's shape
// the read's fill, where it has one.
[[nodiscard]] ExprId read_through(FormulaPool& pool, Formula& formula, const Statement& producer,
                                  const ReadParts& read);

// Whether an expression computes nothing: reads, literals, and choices between them by conditions on indices.
[[nodiscard]] bool moves_only(const FormulaPool& pool, ExprId e);

// Why a temporary was substituted into its readers, or kept as a statement.
enum class SubstitutionVerdict : std::uint8_t {
  Movement,        // substituted: it moves elements and computes none
  OnceEach,        // substituted: every element is read once
  ReadRepeatedly,  // kept: an element is read more than once and would be computed again
  Reduction,       // kept: it reduces, and its readers stand under letters that it does not mention
  Push,            // kept: a push is not a function of one element
};
[[nodiscard]] std::string_view verdict_name(SubstitutionVerdict v);

struct Substitution {
  std::string tensor;
  SubstitutionVerdict verdict;
};

// Substitutes every temporary for which it is cheap and drops its statement; the values do not change. The report has
// one row per temporary, in the order of the statements.
std::vector<Substitution> substitute_temporaries(FormulaPool& pool, Formula& formula);

}  // namespace mlgc
