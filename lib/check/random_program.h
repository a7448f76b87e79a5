// Whole programs generated at random from the rows of the op table.
//
// Guarantees
//   - A program verifies. It has a function @f, most often others that it calls, weights, a state, `if`, `while`, `for`
//     and `scan`, now and then one that states its gradient; sizes are small numbers and symbols; elements are of every
//     dtype.
//   - The same seed and options give the same program, on every machine.
//   - Every row that computes by a formula and whose types can be inferred is tried as often as any other; rows that
//     want types which fit each other in rare ways come out less often.
//
// How: an op is generated from its row alone (draw_op.h). Either the row's own example is the pattern, and values that
// exist give its sizes, consistently; or operands and attributes are sampled freely. What the row's inference refuses
// is sampled again. Operands are existing values where types fit, else new arguments, weights and
// constants.
#pragma once

#include <cstdint>
#include <memory>

#include "ir/module.h"

namespace mlgc {

struct RandomProgramOptions {
  std::uint64_t seed = 0;
  std::size_t ops = 12;  // about; without those that bring constants and weights in
};

[[nodiscard]] Module draw_program(const std::shared_ptr<Context>& context, const RandomProgramOptions& options);

}  // namespace mlgc
