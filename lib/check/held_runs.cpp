// See held_runs.h.
#include "check/held_runs.h"

#include "check/colliding_writes.h"
#include "check/hold_stops.h"
#include "ops/instantiate_op.h"

namespace mlgc {

namespace {

// The formula has every operand twice.
std::vector<Tensor> padded(const Formula& formula, std::span<const Tensor> operands) {
  std::vector<Tensor> out(operands.begin(), operands.end());
  for (std::size_t i = out.size(); i < formula.operand_count() / 2; ++i)
    out.push_back(Tensor::zeros(formula.tensors[i].dtype, {}));
  return out;
}

}  // namespace

template <class Around>
Result<Outputs, Diagnostic> HeldRuns::run(std::span<const Tensor> inputs, const ModuleData& data,
                                          const Around& around) {
  InterpretOptions options{.precision = Precision::F64, .max_trips = max_trips_};
  options.around = around;
  return interpret(module_, function_, inputs, data, options);
}

Result<Outputs, Diagnostic> HeldRuns::first(std::span<const Tensor> inputs, const ModuleData& data) {
  held_.clear();
  return run(inputs, data, [this](const OpRun& run, const std::function<OpResults()>& compute) {
    look_for_collisions(run);
    if (held_of(run)) held_.emplace_back(run.op.id(), std::vector<Tensor>(run.operands.begin(), run.operands.end()));
    return compute();
  });
}

std::optional<Outputs> HeldRuns::again(std::span<const Tensor> inputs, const ModuleData& data) {
  std::size_t next = 0;
  bool same_way = true;
  auto outputs = run(inputs, data, [&](const OpRun& run, const std::function<OpResults()>& compute) -> OpResults {
    const std::optional<Formula>& formula = held_of(run);
    if (!formula) return compute();
    same_way = same_way && next < held_.size() && held_[next].first == run.op.id();
    if (!same_way) return compute();
    std::vector<Tensor> operands = padded(*formula, run.operands);
    const std::vector<Tensor> then = padded(*formula, held_[next++].second);
    operands.insert(operands.end(), then.begin(), then.end());
    return evaluate(formulas(context_), *formula, operands, {Precision::F64}, *run.sizes);
  });
  if (!outputs || !same_way || next != held_.size()) return std::nullopt;
  return std::move(*outputs);
}

const std::optional<Formula>& HeldRuns::held_of(const OpRun& run) {
  const auto [it, fresh] = formulas_.try_emplace(run.op.id());
  if (fresh) it->second = hold_stops(formulas(context_), formula_of(run));
  return it->second;
}

void HeldRuns::look_for_collisions(const OpRun& run) {
  const Formula formula = formula_of(run);
  std::vector<Tensor> operands(run.operands.begin(), run.operands.end());
  for (std::size_t i = operands.size(); i < formula.operand_count(); ++i)
    operands.push_back(Tensor::zeros(formula.tensors[i].dtype, {}));
  if (colliding_.empty() && writes_collide(formulas(context_), formula, operands, *run.sizes))
    colliding_ = run.op.name();
}

Formula HeldRuns::formula_of(const OpRun& run) {
  std::vector<Type> types;
  for (const Value operand : run.op.operands())
    types.push_back(context_.types().kind(operand.type()) == TypeKind::Index
                        ? context_.types().tensor(Dtype::I64, std::span<const IndexExpr>())
                        : operand.type());
  auto formula = instantiate_op(context_, run.op.opcode(), types, run.op.attrs(), facts_.of(run.op));
  MLGC_ASSERT(formula.ok(), "an op that runs has a formula");
  return std::move(*formula);
}

}  // namespace mlgc
