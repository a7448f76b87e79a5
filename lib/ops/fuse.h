// Fusion of formulas by composition: the statements of producer and consumer in one formula, then substitution of the
// reads where it is cheap. A region is a list of statements, never one expression at any price: unbounded substitution
// is exponential.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ops/formula.h"

namespace mlgc {

// One formula that computes the consumer with its operand `operand` taken from the producer's result `result` (a number
// among results()). Operands of the outcome: the producer's in order, then the consumer's other operands in order;
// names are made unique. Results: the consumer's. Precondition: the shapes and dtypes of the two tensors are equal.
[[nodiscard]] Formula compose(FormulaPool& pool, const Formula& producer, std::size_t result, const Formula& consumer,
                              TensorId operand);

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
