// See colliding_writes.h.
#include "check/colliding_writes.h"

#include <algorithm>

namespace mlgc {
namespace {

bool may_collide(const Statement& statement) { return statement.write == WriteOp::Set && !statement.pull; }

// How often each element is written by one statement, as the only result.
Formula counting(FormulaPool& pool, const Formula& formula, std::size_t number) {
  Formula counts = formula;
  for (FormulaTensor& tensor : counts.tensors)
    if (tensor.role == TensorRole::Result) tensor.role = TensorRole::Temporary;
  counts.statements.resize(number + 1);
  Statement& statement = counts.statements.back();
  FormulaTensor target = formula.tensor(statement.result);
  target.name = counts.unique_tensor_name("writes");
  target.role = TensorRole::Result;
  target.dtype = Dtype::F64;
  statement.result = counts.add_tensor(std::move(target));
  statement.write = WriteOp::Add;
  statement.base = {};
  statement.body = pool.real(1, Dtype::F64, false);
  return counts;
}

}  // namespace

bool writes_collide(FormulaPool& pool, const Formula& formula, std::span<const Tensor> operands,
                    const SymbolValues& sizes) {
  for (std::size_t i = 0; i < formula.statements.size(); ++i) {
    if (!may_collide(formula.statements[i])) continue;
    const auto counts = evaluate(pool, counting(pool, formula, i), operands, {Precision::F64}, sizes);
    if (!counts) continue;
    const auto data = counts->front().data<double>();
    if (std::any_of(data.begin(), data.end(), [](double n) { return n > 1; })) return true;
  }
  return false;
}

}  // namespace mlgc
