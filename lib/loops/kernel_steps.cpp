// See kernel_steps.h.
#include "loops/kernel_steps.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <utility>

#include "formula/running_reduction.h"
#include "fusion/kernel_body.h"

namespace mlgc::loops {
namespace {

class StepPlanner {
 public:
  StepPlanner(FormulaPool& pool, const KernelFormula& kernel)
      : pool_(pool), index_(pool.index()), kernel_(kernel), formula_(kernel.formula()) {}

  KernelSteps run() {
    const KernelShape& shape = kernel_.shape();
    planned_.rows = shape.rows;
    std::erase_if(planned_.rows, [&](AtomId label) { return is_unit(index_, label); });
    planned_.stored.assign(formula_.tensors.size(), false);
    std::map<std::uint32_t, std::vector<std::size_t>> by_step;
    for (std::size_t s = 0; s < formula_.statements.size(); ++s) by_step[shape.steps[s]].push_back(s);
    for (const auto& [number, statements] : by_step) {
      planned_.steps.emplace_back();
      for (const std::size_t s : statements) add(s);
    }
    note_row_dims();
    return std::move(planned_);
  }

 private:
  using Step = KernelSteps::Step;
  struct Place {
    std::size_t step = 0, nest = 0;
    bool operator==(const Place&) const = default;
  };

  Step& step() { return planned_.steps.back(); }
  [[nodiscard]] bool is_row(AtomId label) const {
    return std::any_of(planned_.rows.begin(), planned_.rows.end(),
                       [&](AtomId row) { return kernel_.axis(row) == kernel_.axis(label); });
  }
  // Without those that have no loop.
  [[nodiscard]] std::vector<AtomId> looped(std::span<const AtomId> labels) const {
    std::vector<AtomId> out;
    for (const AtomId label : labels)
      if (!is_unit(index_, label)) out.push_back(label);
    return out;
  }

  void add(std::size_t s) {
    const Statement& st = formula_.statements[s];
    std::vector<AtomId> inner = looped(st.labels);
    std::erase_if(inner, [&](AtomId label) { return is_row(label); });
    if (inner.empty()) return add_value(s);
    // The loop of a running reduction is the innermost one, and carries it; a second one is computed for each index.
    const std::vector<RunningReduction> running = running_reductions(pool_, st);
    const auto along = running.empty() ? inner.end() : std::find(inner.begin(), inner.end(), running[0].along);
    const bool carried = along != inner.end();
    if (carried) std::rotate(along, along + 1, inner.end());
    share(inner, carried ? SharedNest::Part{s, running[0].reduce, true} : SharedNest::Part{s, {}});
    made_[st.result] = {planned_.steps.size() - 1, step().nests.size() - 1};
    note_reads(st.body, step().nests.size() - 1);
  }

  void add_value(std::size_t s) {
    const ExprId body = formula_.statements[s].body;
    step().values.push_back(s);
    const std::vector<ExprId> shared = shared_reductions(body);
    for (const ExprId reduce : shared) {
      share(looped(pool_.reduce_of(reduce).labels), {s, reduce});
      note_reads(reduce, step().nests.size() - 1);
    }
    // What else the body reads, it reads after the nests of the step.
    std::vector<ExprId> open{body};
    while (!open.empty()) {
      const ExprId e = open.back();
      open.pop_back();
      if (std::find(shared.begin(), shared.end(), e) != shared.end()) continue;
      const NodeKind kind = pool_.node(e).kind;
      if (kind == NodeKind::Call || kind == NodeKind::Select || kind == NodeKind::Cast || kind == NodeKind::Stop) {
        const std::vector<ExprId> args = pool_.arguments(e);
        open.insert(open.end(), args.begin(), args.end());
      } else {
        note_reads(e, step().nests.size());
      }
    }
  }

  // What the expression, evaluated in this nest of the last step, reads of other nests is stored there.
  void note_reads(ExprId of, std::size_t nest) {
    pool_.visit(of, [&](ExprId e) {
      if (pool_.node(e).kind != NodeKind::Read) return;
      const auto from = made_.find(pool_.read_of(e).tensor);
      if (from != made_.end() && from->second != Place{planned_.steps.size() - 1, nest})
        planned_.stored[from->first.index()] = true;
    });
  }

  // Reductions that are computed whatever the values are: none below a choice, whose arms are lazy.
  std::vector<ExprId> shared_reductions(ExprId body) {
    std::vector<ExprId> out, open{body};
    while (!open.empty()) {
      const ExprId e = open.back();
      open.pop_back();
      const NodeKind kind = pool_.node(e).kind;
      if (kind == NodeKind::Reduce) {
        const ExprId guard = pool_.reduce_of(e).guard;
        const bool all = !guard.valid() || pool_.is_literal(guard, 1);
        if (all && std::find(out.begin(), out.end(), e) == out.end()) out.push_back(e);
        continue;
      }
      if (kind == NodeKind::Call && pool_.fn(e) != ScalarFn::And && pool_.fn(e) != ScalarFn::Or) {
        const std::vector<ExprId> args = pool_.arguments(e);
        open.insert(open.end(), args.rbegin(), args.rend());
      }
      if (kind == NodeKind::Cast || kind == NodeKind::Stop || kind == NodeKind::Select)
        open.push_back(pool_.arguments(e)[0]);
    }
    return out;
  }

  // The last nest of the step takes the part when it has the same axes: what the part reads of this step is made in it
  // or in a nest before. A running reduction is carried by the innermost loop, and a nest that was turned round for one
  // takes no reduction of another order.
  void share(std::span<const AtomId> labels, SharedNest::Part part) {
    std::vector<std::uint32_t> axes;
    for (const AtomId label : labels) axes.push_back(kernel_.axis(label));
    const std::vector<std::uint32_t> in_order = axes;
    std::sort(axes.begin(), axes.end());
    const bool distinct = std::adjacent_find(axes.begin(), axes.end()) == axes.end();
    if (!step().nests.empty() && distinct) {
      std::vector<std::uint32_t> there;
      SharedNest& last = step().nests.back();
      for (const AtomId label : last.labels) there.push_back(kernel_.axis(label));
      const bool carries = std::any_of(last.parts.begin(), last.parts.end(), [](const auto& p) { return p.running; });
      const bool takes = !part.reduce.valid() || (part.running ? there.empty() || there.back() == in_order.back()
                                                               : !carries || there == in_order);
      std::sort(there.begin(), there.end());
      if (takes && there == axes) {
        last.parts.push_back(part);
        return;
      }
    }
    step().nests.push_back({{labels.begin(), labels.end()}, {part}});
  }

  void note_row_dims() {
    planned_.row_dims.resize(formula_.tensors.size());
    for (const Statement& st : formula_.statements) {
      if (formula_.tensor(st.result).role == TensorRole::Result) continue;
      for (const IndexExpr subscript : st.subscripts) {
        const auto atom = index_.as_atom(subscript);
        planned_.row_dims[st.result.index()].push_back(atom && is_row(*atom));
      }
    }
  }

  FormulaPool& pool_;
  const IndexPool& index_;
  const KernelFormula& kernel_;
  const Formula& formula_;
  KernelSteps planned_;
  std::map<TensorId, Place> made_;  // by element: in which nest
};

}  // namespace

KernelSteps plan_steps(FormulaPool& pool, const KernelFormula& kernel) { return StepPlanner(pool, kernel).run(); }

}  // namespace mlgc::loops
