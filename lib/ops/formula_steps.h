// A formula as ops, one for each statement: what takes a composite apart, and what writes a derived gradient down.
//
// Guarantee: each op computes exactly its statement. An op is `compute`, which holds the statement as text, or, on
// request, another row, whose formula for the same operands is the same statement.
#pragma once

#include <span>
#include <vector>

#include "formula/formula.h"
#include "ir/builder.h"

namespace mlgc {

struct FormulaStep {
  Opcode opcode = Opcode::Invalid;  // Invalid: the result is the operand
  AttrDict attrs;
  std::vector<TensorId> operands;
  TensorId result;
  Type type;
};

struct FormulaSteps {
  std::vector<FormulaStep> steps;  // in order: what a step reads is an operand of the formula or made before
  std::vector<TensorId> results;   // of the formula
  std::size_t tensors = 0;         // of the formula, operands first
};

enum class StepNames : std::uint8_t { Compute, Rows };

[[nodiscard]] FormulaSteps formula_steps(Context& context, const Formula& formula, StepNames names);

// Makes the ops at the builder's insertion point, with its location. `operands` are the values of the formula's
// operands, in order; one that no step reads may be invalid, or left out at the end. `result_types`, if given, are the
// types of the results, equal to the formula's wherever the function's constraints hold. The answer has a value for
// each result of the formula.
std::vector<Value> emit(Builder& builder, const FormulaSteps& steps, std::span<const Value> operands,
                        std::span<const Type> result_types = {});

}  // namespace mlgc
