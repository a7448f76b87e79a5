// Kernels: rows as parallel loops, the steps of a row inside, and loops that statements of one step share.
//
// A row's steps are those of KernelShape: what a step needs of the row is there when it begins, or, for statements of
// the same step, element by element. Reductions that are one value of a row and elementwise statements over the same
// axes are one nest, which carries the accumulators.
#include <algorithm>
#include <map>
#include <set>

#include "formula/running_reduction.h"
#include "loops/drop_unread.h"
#include "loops/lowering.h"

namespace mlgc::loops {

bool Lowering::is_row(AtomId letter) const {
  return std::any_of(shape_.rows.begin(), shape_.rows.end(),
                     [&](AtomId row) { return kernel_->axis(row) == kernel_->axis(letter); });
}

bool Lowering::is_unit(AtomId letter) const { return index_.as_constant(index_.atom(letter).a) == 1; }

// Reductions that are computed whatever the values are: none below a choice, whose arms are lazy.
std::vector<ExprId> Lowering::shared_reductions(ExprId body) {
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

// The last nest of the step takes the part when it has the same axes: what the part reads of this step is made in it or
// in a nest before. A running reduction is carried by the innermost loop, and a nest that was turned round for one
// takes no reduction of another order.
void Lowering::share(Step& step, std::span<const AtomId> letters, SharedNest::Part part) {
  std::vector<std::uint32_t> axes;
  for (const AtomId letter : letters) axes.push_back(kernel_->axis(letter));
  const std::vector<std::uint32_t> in_order = axes;
  std::sort(axes.begin(), axes.end());
  const bool distinct = std::adjacent_find(axes.begin(), axes.end()) == axes.end();
  if (!step.nests.empty() && distinct) {
    std::vector<std::uint32_t> there;
    SharedNest& last = step.nests.back();
    for (const AtomId letter : last.letters) there.push_back(kernel_->axis(letter));
    const bool carries = std::any_of(last.parts.begin(), last.parts.end(), [](const auto& p) { return p.running; });
    const bool takes = !part.reduce.valid() || (part.running ? there.empty() || there.back() == in_order.back()
                                                             : !carries || there == in_order);
    std::sort(there.begin(), there.end());
    if (takes && there == axes) {
      last.parts.push_back(part);
      return;
    }
  }
  step.nests.push_back({{letters.begin(), letters.end()}, {part}});
}

std::vector<Lowering::Step> Lowering::plan_steps() {
  std::map<std::uint32_t, std::vector<std::size_t>> by_step;
  for (std::size_t s = 0; s < formula_.statements.size(); ++s) by_step[shape_.steps[s]].push_back(s);
  std::vector<Step> steps;
  stored_.assign(formula_.tensors.size(), false);
  std::map<TensorId, std::pair<std::size_t, std::size_t>> made;  // by element: in which nest
  for (const auto& [number, statements] : by_step) {
    Step& step = steps.emplace_back();
    step.statements = statements;
    for (const std::size_t s : statements) {
      const Statement& st = formula_.statements[s];
      std::vector<AtomId> inner;
      for (const AtomId letter : st.letters)
        if (!is_row(letter) && !is_unit(letter)) inner.push_back(letter);
      const auto note_reads = [&](ExprId of, std::size_t nest) {
        pool_.visit(of, [&](ExprId e) {
          if (pool_.node(e).kind != NodeKind::Read) return;
          const auto from = made.find(pool_.read_of(e).tensor);
          if (from != made.end() && from->second != std::pair(steps.size() - 1, nest))
            stored_[from->first.index()] = true;
        });
      };
      if (!inner.empty()) {
        // The loop of a running reduction is the innermost one, and carries it; a second one is computed for each
        // index.
        const std::vector<RunningReduction> running = running_reductions(pool_, st);
        const auto along = running.empty() ? inner.end() : std::find(inner.begin(), inner.end(), running[0].along);
        const bool carried = along != inner.end();
        if (carried) std::rotate(along, along + 1, inner.end());
        share(step, inner, carried ? SharedNest::Part{s, running[0].reduce, true} : SharedNest::Part{s, {}});
        made[st.result] = {steps.size() - 1, step.nests.size() - 1};
        note_reads(st.body, step.nests.size() - 1);
        continue;
      }
      const std::vector<ExprId> shared = shared_reductions(st.body);
      for (const ExprId reduce : shared) {
        std::vector<AtomId> letters;
        for (const AtomId letter : pool_.reduce_of(reduce).letters)
          if (!is_unit(letter)) letters.push_back(letter);
        share(step, letters, {s, reduce});
        note_reads(reduce, step.nests.size() - 1);
      }
      // What else the body reads, it reads behind the nests of the step.
      std::vector<ExprId> open{st.body};
      while (!open.empty()) {
        const ExprId e = open.back();
        open.pop_back();
        if (std::find(shared.begin(), shared.end(), e) != shared.end()) continue;
        const NodeKind kind = pool_.node(e).kind;
        if (kind == NodeKind::Call || kind == NodeKind::Select || kind == NodeKind::Cast || kind == NodeKind::Stop) {
          const std::vector<ExprId> args = pool_.arguments(e);
          open.insert(open.end(), args.begin(), args.end());
        } else {
          note_reads(e, step.nests.size());
        }
      }
    }
  }
  return steps;
}

void Lowering::bind(std::uint32_t axis, Value index, std::vector<AtomId>& bound) {
  for (const AtomId letter : all_letters_)
    if (kernel_->axis(letter) == axis && letters_.try_emplace(letter, index).second) bound.push_back(letter);
}

// What the statement makes at the letters that are open: stored where somebody needs it, and what a read of it is here.
void Lowering::element(const Statement& st, Value value) {
  const FormulaTensor& target = formula_.tensor(st.result);
  const Value rounded = cast(value, target.dtype);
  if (target.role == TensorRole::Result || stored_[st.result.index()]) store(rounded, st.result, st.subscripts, false);
  elements_[st.result] = cast(rounded, held(target.dtype));
}

void Lowering::run_nest(const SharedNest& shared, std::size_t depth, Values& carried,
                        std::vector<Accumulator>& accumulators) {
  if (depth < shared.letters.size()) {
    const AtomId letter = shared.letters[depth];
    // Running reductions start anew with each innermost loop.
    const bool innermost = depth + 1 == shared.letters.size();
    Values through = innermost ? Values() : carried;
    if (innermost) {
      std::size_t at = 0, number = 0;
      for (const SharedNest::Part& part : shared.parts) {
        if (!part.reduce.valid()) continue;
        const Values& initial = accumulators[number++].initial;
        for (const Value value : initial) through.push_back(part.running ? value : carried[at++]);
      }
    }
    const bool parallel = through.empty() && shape_.rows.empty();
    through = loop(letter, index_.constant(0), index_.atom(letter).a, parallel, through, [&](const Values& inner) {
      std::vector<AtomId> bound;
      bind(kernel_->axis(letter), letters_.at(letter), bound);
      Values next = inner;
      run_nest(shared, depth + 1, next, accumulators);
      for (const AtomId l : bound) letters_.erase(l);
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
    return;
  }
  Values next;
  std::size_t at = 0, number = 0;
  std::vector<TensorId> here;
  for (const SharedNest::Part& part : shared.parts) {
    const Statement& st = formula_.statements[part.statement];
    if (!part.reduce.valid()) {
      element(st, emit(st.body));
      here.push_back(st.result);
      continue;
    }
    const Accumulator& of = accumulators[number++];
    const Values now(carried.begin() + static_cast<std::ptrdiff_t>(at),
                     carried.begin() + static_cast<std::ptrdiff_t>(at + of.initial.size()));
    // What a running reduction is over goes along with the statement's letter.
    const bool bound =
        part.running && letters_.try_emplace(of.parts.letters[0], letters_.at(shared.letters.back())).second;
    const Values stepped = step(of.parts, of.type, of.position, now);
    if (bound) letters_.erase(of.parts.letters[0]);
    next.insert(next.end(), stepped.begin(), stepped.end());
    if (part.running) {
      values_.back()[part.reduce] = end_reduce(of, stepped);
      element(st, emit(st.body));
      here.push_back(st.result);
    }
    at += of.initial.size();
  }
  for (const TensorId tensor : here) elements_.erase(tensor);
  carried = std::move(next);
}

void Lowering::row(const std::vector<Step>& steps) {
  // Buffers of the row.
  for (const Statement& st : formula_.statements) {
    const FormulaTensor& target = formula_.tensor(st.result);
    if (!stored_[st.result.index()] || target.role == TensorRole::Result) continue;
    std::vector<IndexExpr> dims = stored_subscripts(st.result, target.shape);
    const Type type = types_.buffer(target.dtype, dims, shape_.rows.empty() ? Scope::Arena : Scope::Thread);
    Value& buffer = buffers_[st.result.index()];
    buffer = builder_.create(LoopOp::Alloc, {}, {type}).result();
    buffer.set_name(target.name);
  }
  for (const Step& step : steps) {
    for (const SharedNest& shared : step.nests) {
      std::vector<Accumulator> accumulators;
      Values carried;
      for (const SharedNest::Part& part : shared.parts) {
        if (!part.reduce.valid()) continue;
        accumulators.push_back(start_reduce(part.reduce));
        if (part.running) continue;
        carried.insert(carried.end(), accumulators.back().initial.begin(), accumulators.back().initial.end());
      }
      run_nest(shared, 0, carried, accumulators);
      std::size_t at = 0, number = 0;
      for (const SharedNest::Part& part : shared.parts) {
        if (!part.reduce.valid()) continue;
        const Accumulator& of = accumulators[number++];
        if (part.running) continue;
        const Values reduced(carried.begin() + static_cast<std::ptrdiff_t>(at),
                             carried.begin() + static_cast<std::ptrdiff_t>(at + of.initial.size()));
        values_.back()[part.reduce] = end_reduce(of, reduced);
        at += of.initial.size();
      }
    }
    for (const std::size_t s : step.statements) {
      const Statement& st = formula_.statements[s];
      if (std::all_of(st.letters.begin(), st.letters.end(), [&](AtomId l) { return is_row(l) || is_unit(l); }))
        element(st, emit(st.body));
    }
  }
}

void Lowering::row_loops(std::size_t depth, const std::vector<Step>& steps) {
  if (depth == shape_.rows.size()) return row(steps);
  const AtomId letter = shape_.rows[depth];
  (void)loop(letter, index_.constant(0), index_.atom(letter).a, true, {}, [&](const Values&) -> Values {
    std::vector<AtomId> bound;
    bind(kernel_->axis(letter), letters_.at(letter), bound);
    row_loops(depth + 1, steps);
    for (const AtomId l : bound) letters_.erase(l);
    return {};
  });
}

OpRef Lowering::run(std::string_view name, const FusionKernel& kernel) {
  kernel_ = &kernel.formula;
  shape_ = kernel_->shape();
  std::erase_if(shape_.rows, [&](AtomId letter) { return is_unit(letter); });
  std::vector<TensorId> arguments;
  for (std::size_t i = 0; i < formula_.tensors.size(); ++i)
    if (formula_.tensors[i].role == TensorRole::Operand) arguments.emplace_back(i);
  arguments.insert(arguments.end(), kernel.results.begin(), kernel.results.end());
  const OpRef func = declare(name, arguments);
  const bool plain = std::all_of(formula_.statements.begin(), formula_.statements.end(),
                                 [](const Statement& st) { return st.pull && !st.guard.valid() && !st.base.valid(); });
  if (!plain) {
    // A push is done when all of it has run: each statement by itself.
    all_statements();
  } else {
    std::set<AtomId> letters;
    for (const Statement& st : formula_.statements) {
      letters.insert(st.letters.begin(), st.letters.end());
      pool_.visit(st.body, [&](ExprId e) {
        if (pool_.node(e).kind != NodeKind::Reduce) return;
        const ReduceParts parts = pool_.reduce_of(e);
        letters.insert(parts.letters.begin(), parts.letters.end());
      });
    }
    all_letters_.assign(letters.begin(), letters.end());
    in_row_.resize(formula_.tensors.size());
    for (const Statement& st : formula_.statements) {
      if (formula_.tensor(st.result).role == TensorRole::Result) continue;
      for (const IndexExpr subscript : st.subscripts) {
        const auto atom = index_.as_atom(subscript);
        in_row_[st.result.index()].push_back(atom && is_row(*atom));
      }
    }
    row_loops(0, plan_steps());
  }
  builder_.create(LoopOp::Return, {}, {});
  drop_unread(func);
  return func;
}

}  // namespace mlgc::loops
