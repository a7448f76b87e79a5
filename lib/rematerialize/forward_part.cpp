// See forward_part.h.
#include "rematerialize/forward_part.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "analysis/backward_slice.h"
#include "formula/formula_work.h"
#include "fusion/decide_fusion.h"
#include "fusion/fusion_kernel.h"
#include "fusion/typical_sizes.h"
#include "ir/clone.h"
#include "ir/function_facts.h"
#include "ops/instantiate_op.h"

namespace mlgc {

namespace {

class Reader {
 public:
  Reader(FuncRef function, std::size_t results)
      : module_(function.op().module()),
        context_(module_.context()),
        index_(context_.index()),
        shared_(context_),
        results_(results) {
    part_.function = function;
    facts_ = FunctionFacts().of(function.op());
  }

  ForwardPart run() {
    const std::vector<Value> all = part_.function.results();
    std::vector<OpRef> checks;
    for (const OpRef op : part_.function.body().ops())
      if (op.result_count() == 0 && op != part_.function.return_op()) checks.push_back(op);
    const auto needed = backward_slice(std::span(all).first(results_), checks);
    // What else stands before the last of them (updates of the function's own, ops that nothing reads) is forward too.
    OpRef last;
    for (const OpRef op : part_.function.body().ops())
      if (needed.contains(op.id())) last = op;
    std::unordered_set<OpId> forward;
    for (OpRef op = last.valid() ? part_.function.body().front() : OpRef(); op.valid(); op = op.next()) {
      forward.insert(op.id());
      if (op == last) break;
    }
    std::unordered_set<ValueId> seen;
    for (const OpRef op : part_.function.body().ops()) {
      if (op == part_.function.return_op()) continue;
      if (forward.contains(op.id())) {
        part_.number_of.emplace(op.id(), static_cast<std::uint32_t>(part_.ops.size()));
        part_.ops.push_back(classify(op));
        continue;
      }
      part_.backward.push_back(op);
      for (const Value value : values_read(op))
        if (value.is_result() && forward.contains(value.definer().id()) && seen.insert(value.id()).second)
          part_.read.push_back(value);
    }
    note_stored();
    note_written();
    return std::move(part_);
  }

 private:
  ForwardOp classify(OpRef op) {
    if (op.operand_count() == 0 && op.region_count() == 0 && op.pure()) return {op, RecomputeKind::Given, 0};
    if (op.is(GraphOp::Read)) return {op, RecomputeKind::Given, 0};
    const OpFormula* formula = op.pure() && !op.has_trait(Traits::BindsSize) ? shared_.of(op, facts_) : nullptr;
    if (formula == nullptr) return {op, RecomputeKind::Never, 0};
    if (formula->is_movement) return {op, RecomputeKind::Moves, 0};
    KernelFormula kernel(shared_);
    kernel.add(op, *formula, KernelFormula::As::Computed);
    const std::string_view shape = kernel.shape().kind();
    const RecomputeKind kind = shape == "pointwise"   ? RecomputeKind::Elementwise
                               : shape == "reduction" ? RecomputeKind::Reduction
                                                      : RecomputeKind::Contraction;
    const auto [operations, is_new] = operations_.try_emplace(formula);
    if (is_new) operations->second = formula_operations(formulas(context_), formula->formula);
    double cost = typical_size(index_, operations->second, facts_) / kOperationsForByte;
    // A pass of its own reads and writes.
    if (kind != RecomputeKind::Elementwise) cost += traffic(op);
    return {op, kind, cost};
  }

  // An elementwise op that products of backward read becomes a kernel that reads and writes.
  void note_stored() {
    std::unordered_set<OpId> stored;
    for (const Value value : part_.read) {
      ForwardOp& forward = part_.ops[part_.number_of.at(value.definer().id())];
      if (forward.kind != RecomputeKind::Elementwise || stored.contains(forward.op.id())) continue;
      const auto stores = [&](const Use& use) {
        return !part_.number_of.contains(use.owner().id()) && use.owner() != part_.function.return_op() &&
               classify(use.owner()).kind >= RecomputeKind::Contraction;
      };
      const auto uses = value.uses();
      if (std::none_of(uses.begin(), uses.end(), stores)) continue;
      stored.insert(forward.op.id());
      forward.cost += traffic(forward.op);
    }
  }

  double traffic(OpRef op) {
    double sum = 0;
    for (const Value operand : op.operands()) sum += bytes(operand);
    for (const Value result : op.results()) sum += bytes(result);
    return sum;
  }
  double bytes(Value value) { return typical_size(index_, context_.storage_bytes(value.type()), facts_); }

  // What is in memory when forward alone is fused: for later kernels of its own.
  void note_written() {
    Module scratch(module_.shared_context());
    const FuncRef copy(clone_function(part_.function.op(), scratch, part_.function.name()));
    std::vector<OpRef> dead;
    std::unordered_map<ValueId, Value> original;
    OpRef from = part_.function.body().front();
    for (const OpRef op : copy.body().ops()) {
      for (std::size_t i = 0; i < op.result_count(); ++i) original.emplace(op.result(i).id(), from.result(i));
      if (op != copy.return_op() && !part_.number_of.contains(from.id())) dead.push_back(op);
      from = from.next();
    }
    std::vector<Value> kept = copy.results();
    kept.resize(results_);
    copy.set_updates({});
    copy.return_op().set_operands(kept);
    for (std::size_t i = dead.size(); i-- > 0;) dead[i].erase();
    for (const FusionGroup& kernel : decide_fusion(scratch, {}).kernels)
      for (const Value output : kernel.outputs)
        if (const auto found = original.find(output.id()); found != original.end())  // else it is inside of a region
          part_.written_anyway.insert(found->second.id());
  }

  Module& module_;
  Context& context_;
  IndexPool& index_;
  KernelFormulas shared_;
  std::unordered_map<const OpFormula*, IndexExpr> operations_;  // formula_operations()
  std::size_t results_;
  Facts facts_;
  ForwardPart part_;
};

}  // namespace

ForwardPart forward_part(FuncRef function, std::size_t results) { return Reader(function, results).run(); }

ForwardPart in_snapshot(const ForwardPart& part, Module& snapshot) {
  ForwardPart out = part;
  out.function = FuncRef(snapshot.op(part.function.op().id()));
  for (ForwardOp& forward : out.ops) forward.op = snapshot.op(forward.op.id());
  for (OpRef& op : out.backward) op = snapshot.op(op.id());
  for (Value& value : out.read) value = snapshot.value(value.id());
  return out;
}

}  // namespace mlgc
