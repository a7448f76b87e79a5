// See kernel_lowering.h.
#include <set>
#include <utility>

#include "loopir/loop_ops.h"
#include "loops/kernel_lowering.h"
#include "loops/statement_lowering.h"
#include "ops/instantiate_op.h"

namespace mlgc::loops {

namespace {

std::vector<AtomId> labels_of(const FormulaPool& pool, const Formula& formula) {
  std::set<AtomId> labels;
  for (const Statement& st : formula.statements) {
    labels.insert(st.labels.begin(), st.labels.end());
    pool.visit(st.body, [&](ExprId e) {
      if (pool.node(e).kind != NodeKind::Reduce) return;
      const ReduceParts parts = pool.reduce_of(e);
      labels.insert(parts.labels.begin(), parts.labels.end());
    });
  }
  return {labels.begin(), labels.end()};
}

}  // namespace

KernelLowering::KernelLowering(Module& module, const KernelFormula& kernel, const Facts& facts)
    : kernel_(kernel),
      formula_(kernel.formula()),
      builder_(module),
      tensors_(formula_.tensors.size()),
      ops_(builder_),
      expressions_(builder_, formula_, facts, tensors_),
      planned_(plan_steps(formulas(module.context()), kernel)),
      labels_(labels_of(formulas(module.context()), formula_)) {}

std::vector<AtomId> KernelLowering::same_axis(AtomId label) const {
  std::vector<AtomId> out;
  for (const AtomId other : labels_)
    if (kernel_.axis(other) == kernel_.axis(label)) out.push_back(other);
  return out;
}

void KernelLowering::element(const Statement& st) {
  const FormulaTensor& target = formula_.tensor(st.result);
  const Value rounded = ops_.cast(expressions_.emit(st.body), target.dtype);
  if (target.role == TensorRole::Result || planned_.stored[st.result.index()])
    expressions_.store(rounded, st.result, st.subscripts, false);
  tensors_.set_element(st.result, ops_.cast(rounded, held(target.dtype)));
}

void KernelLowering::run_element(const SharedNest& shared, Values& carried,
                                 const std::vector<Accumulator>& accumulators) {
  Values next;
  std::size_t at = 0, number = 0;
  std::vector<TensorId> here;
  for (const SharedNest::Part& part : shared.parts) {
    const Statement& st = formula_.statements[part.statement];
    if (!part.reduce.valid()) {
      element(st);
      here.push_back(st.result);
      continue;
    }
    const Accumulator& of = accumulators[number++];
    const Values now(carried.begin() + static_cast<std::ptrdiff_t>(at),
                     carried.begin() + static_cast<std::ptrdiff_t>(at + of.initial.size()));
    Values stepped;
    const auto step = [&] { stepped = expressions_.step_reduce(of, now); };
    // A running reduction iterates over its elements with the statement's index label.
    if (part.running)
      expressions_.with_labels(std::span(of.parts.labels).first(1), shared.labels.back(), step);
    else
      step();
    next.insert(next.end(), stepped.begin(), stepped.end());
    if (part.running) {
      expressions_.define(part.reduce, expressions_.end_reduce(of, stepped));
      element(st);
      here.push_back(st.result);
    }
    at += of.initial.size();
  }
  for (const TensorId tensor : here) tensors_.forget_element(tensor);
  carried = std::move(next);
}

void KernelLowering::run_level(const SharedNest& shared, std::size_t depth, Values& carried,
                               const std::vector<Accumulator>& accumulators) {
  if (depth == shared.labels.size()) return run_element(shared, carried, accumulators);
  const AtomId label = shared.labels[depth];
  // Running reductions start anew with each innermost loop.
  const bool innermost = depth + 1 == shared.labels.size();
  Values through = innermost ? Values() : carried;
  if (innermost) {
    std::size_t at = 0, number = 0;
    for (const SharedNest::Part& part : shared.parts) {
      if (!part.reduce.valid()) continue;
      const Values& initial = accumulators[number++].initial;
      for (const Value value : initial) through.push_back(part.running ? value : carried[at++]);
    }
  }
  const bool parallel = through.empty() && planned_.rows.empty();
  through = expressions_.loop(label, parallel, through, [&](const Values& inner) {
    Values next = inner;
    expressions_.with_labels(same_axis(label), label, [&] { run_level(shared, depth + 1, next, accumulators); });
    return next;
  });
  if (!innermost) {
    carried = std::move(through);
    return;
  }
  carried.clear();
  std::size_t at = 0, number = 0;
  for (const SharedNest::Part& part : shared.parts) {
    if (!part.reduce.valid()) continue;
    for (std::size_t i = 0; i < accumulators[number].initial.size(); ++i, ++at)
      if (!part.running) carried.push_back(through[at]);
    ++number;
  }
}

void KernelLowering::run_shared(const SharedNest& shared) {
  std::vector<Accumulator> accumulators;
  Values carried;
  for (const SharedNest::Part& part : shared.parts) {
    if (!part.reduce.valid()) continue;
    accumulators.push_back(expressions_.start_reduce(part.reduce));
    if (part.running) continue;
    carried.insert(carried.end(), accumulators.back().initial.begin(), accumulators.back().initial.end());
  }
  run_level(shared, 0, carried, accumulators);
  std::size_t at = 0, number = 0;
  for (const SharedNest::Part& part : shared.parts) {
    if (!part.reduce.valid()) continue;
    const Accumulator& of = accumulators[number++];
    if (part.running) continue;
    const Values reduced(carried.begin() + static_cast<std::ptrdiff_t>(at),
                         carried.begin() + static_cast<std::ptrdiff_t>(at + of.initial.size()));
    expressions_.define(part.reduce, expressions_.end_reduce(of, reduced));
    at += of.initial.size();
  }
}

void KernelLowering::allocate_row() {
  for (const Statement& st : formula_.statements) {
    const FormulaTensor& target = formula_.tensor(st.result);
    if (!planned_.stored[st.result.index()] || target.role == TensorRole::Result) continue;
    const std::vector<IndexExpr> dims = tensors_.in_buffer(st.result, target.shape);
    const Type type =
        builder_.context().types().buffer(target.dtype, dims, planned_.rows.empty() ? Scope::Arena : Scope::Thread);
    const Value buffer = builder_.create(LoopOp::Alloc, {}, {type}).result();
    buffer.set_name(target.name);
    tensors_.set_buffer(st.result, buffer);
  }
}

void KernelLowering::row() {
  allocate_row();
  for (const KernelSteps::Step& step : planned_.steps) {
    for (const SharedNest& shared : step.nests) run_shared(shared);
    for (const std::size_t s : step.values) element(formula_.statements[s]);
  }
}

void KernelLowering::row_loops(std::size_t depth) {
  if (depth == planned_.rows.size()) return row();
  const AtomId label = planned_.rows[depth];
  (void)expressions_.loop(label, true, {}, [&](const Values&) -> Values {
    expressions_.with_labels(same_axis(label), label, [&] { row_loops(depth + 1); });
    return {};
  });
}

OpRef KernelLowering::run(std::string_view name, std::span<const TensorId> arguments) {
  const OpRef func = declare_function(builder_, formula_, name, arguments, tensors_);
  for (std::size_t i = 0; i < planned_.row_dims.size(); ++i) tensors_.leave_out(TensorId(i), planned_.row_dims[i]);
  row_loops(0);
  builder_.create(LoopOp::Return, {}, {});
  return func;
}

}  // namespace mlgc::loops
