// The reference interpreter of formulas: evaluates a ground formula on host tensors, exactly as the formula says.
//
// Guarantees
//   - Guards are lazy: what they exclude is not read.
//   - Reductions accumulate floats in double, in the order of the index labels (last fastest), and round once.
//   - Results do not depend on strip lengths or threads.
//   - A read or write out of range, an integer division by zero and an extremum of nothing are diagnostics.
#pragma once

#include <span>
#include <vector>

#include "diag/diagnostic.h"
#include "formula/formula.h"
#include "support/result.h"
#include "tensor/tensor.h"

namespace mlgc {

enum class Precision : std::uint8_t {
  F64,     // floats are computed, kept and returned in f64
  Native,  // every scalar function is rounded to its dtype (f16 and bf16: to f32, and once more when stored)
};

struct EvaluateOptions {
  Precision precision = Precision::Native;
};

// Values of symbols, found by matching the operands' shapes against the formula's; more may be given.
struct SymbolValues {
  std::vector<std::pair<AtomId, std::int64_t>> values;
  [[nodiscard]] std::optional<std::int64_t> find(AtomId symbol) const;
};

// Operands in the order of the formula; an absent one is never read and may be any tensor. Returns the tensors of role
// Result, in order. With Precision::F64 operands of float dtype may be f64 whatever the formula says.
[[nodiscard]] Result<std::vector<Tensor>, Diagnostic> evaluate(FormulaPool& pool, const Formula& formula,
                                                               std::span<const Tensor> operands,
                                                               const EvaluateOptions& options = {},
                                                               const SymbolValues& symbols = {});

[[nodiscard]] std::string shape_text(const Shape& shape);

}  // namespace mlgc
