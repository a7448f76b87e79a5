// See kernel_body.h.
#include "fusion/kernel_body.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "formula/compose.h"
#include "formula/formula_work.h"
#include "formula/running_reduction.h"
#include "fusion/kernel_formula.h"
#include "ops/instantiate_op.h"
#include "support/result.h"

namespace mlgc {

namespace {

bool has_reduce(const FormulaPool& pool, ExprId body) {
  bool found = false;
  pool.visit(body, [&](ExprId e) { found |= pool.node(e).kind == NodeKind::Reduce; });
  return found;
}

StatementFacts facts_of(FormulaPool& pool, const Statement& st) {
  StatementFacts out;
  visit_statement(pool, st, [&](ExprId e) {
    const NodeKind kind = pool.node(e).kind;
    if (kind == NodeKind::Read) out.reads.push_back(pool.read_of(e));
    if (kind != NodeKind::Reduce) return;
    out.reduces = true;
    const ReduceParts parts = pool.reduce_of(e);
    out.reduced.insert(out.reduced.end(), parts.labels.begin(), parts.labels.end());
  });
  if (!out.reduces) return out;
  out.contracts = is_contraction(pool, st);
  out.is_window = is_window(pool, st);
  if (out.contracts || out.is_window) out.bent_subscripts = bent_subscripts(pool, st);
  return out;
}

// The most nodes of a subscript or an index in the statement; one that is no expression any more has more than any.
std::size_t most_subscript_nodes(FormulaPool& pool, const Statement& st) {
  const IndexPool& index = pool.index();
  std::size_t most = 0;
  const auto look = [&](IndexExpr e) {
    most = std::max<std::size_t>(most, e == index.overflow() ? kMaxIndexNodes + 1 : index.node_count(e));
  };
  std::ranges::for_each(st.subscripts, look);
  visit_statement(pool, st, [&](ExprId e) {
    const NodeKind kind = pool.node(e).kind;
    if (kind == NodeKind::Index) look(pool.index_of(e));
    if (kind == NodeKind::Read) std::ranges::for_each(pool.read_of(e).subscripts, look);
  });
  return most;
}

}  // namespace

std::string_view KernelShape::kind() const {
  if (scatters) return "scatter";
  if (contractions > 0) return "contraction";
  return reduces ? "reduction" : "pointwise";
}

KernelBody::KernelBody(Context& context, bool named) : pool_(&formulas(context)), named_(named) {}

TensorId KernelBody::add_tensor(FormulaTensor tensor) {
  shape_.reset();
  tensor.name = named_ ? formula_.unique_tensor_name(tensor.name) : std::string();
  const TensorId id = formula_.add_tensor(std::move(tensor));
  read_through_.emplace_back();
  tensor_axes_.emplace_back();
  return id;
}

TensorId KernelBody::add_operand(std::string_view name, Dtype dtype, std::span<const IndexExpr> dims) {
  return add_tensor({name.empty() ? "x" : std::string(name), TensorRole::Operand, dtype, {dims.begin(), dims.end()}});
}

void KernelBody::add_known(TensorId operand, ExprId body) {
  shape_.reset();
  Statement known = copy_of(operand);
  known.result = operand;
  known.body = body;
  note_labels();
  formula_.tensor(operand).role = TensorRole::Temporary;
  read_through_[operand.index()] = std::move(known);
}

TensorId KernelBody::make_result(TensorId tensor) {
  shape_.reset();
  // An operand that comes out again, also a value that comes out twice, is copied.
  if (formula_.tensor(tensor).role != TensorRole::Temporary) {
    FormulaTensor copy = formula_.tensor(tensor);
    const TensorId from = tensor;
    tensor = add_tensor(std::move(copy));
    Statement st = copy_of(from);
    st.result = tensor;
    formula_.statements.push_back(std::move(st));
    note_statement(formula_.statements.back(), false);
  } else {
    compute(tensor);
  }
  formula_.tensor(tensor).role = TensorRole::Result;
  return tensor;
}

// What stood where it is read becomes a statement.
void KernelBody::compute(TensorId tensor) {
  if (!read_through_[tensor.index()]) return;
  formula_.statements.push_back(*std::exchange(read_through_[tensor.index()], std::nullopt));
  note_statement(formula_.statements.back(), false);
}

// The last one of the formula.
void KernelBody::note_statement(const Statement& st, bool align) {
  facts_.push_back(std::make_shared<const StatementFacts>(facts_of(*pool_, st)));
  note_axes(st, *facts_.back(), align);
}

// A statement without a result yet: each element of the tensor.
Statement KernelBody::copy_of(TensorId tensor) {
  IndexPool& index = pool_->index();
  Statement st;
  for (const IndexExpr extent : formula_.tensor(tensor).shape) {
    const AtomId label = formula_.fresh_label(index, named_ ? "i" : "", extent);
    st.labels.push_back(label);
    st.subscripts.push_back(index.from_atom(label));
  }
  st.body = pool_->read(formula_.tensor(tensor).dtype, tensor, st.subscripts);
  return st;
}

std::optional<AtomId> KernelBody::bare(IndexExpr e) const {
  const IndexPool& index = pool_->index();
  const auto atom = index.as_atom(e);
  return atom && index.atom(*atom).kind == AtomKind::IndexLabel ? atom : std::nullopt;
}

void KernelBody::add(OpRef op, const Formula& formula, std::span<const TensorId> operands, As as, bool align) {
  shape_.reset();
  std::vector<TensorId> tensors(formula.tensors.size());
  std::copy(operands.begin(), operands.end(), tensors.begin());
  read_once_elsewhere(op, formula, tensors);
  compute_what_is_read_often(formula, tensors);
  // What a push starts from is copied as a whole.
  for (const Statement& st : formula.statements)
    if (st.base.valid() && st.base.index() < op.operand_count()) compute(tensors[st.base.index()]);
  const std::vector<TensorId> results = formula.results();
  for (std::size_t i = 0; i < formula.tensors.size(); ++i) {
    if (formula.tensors[i].role == TensorRole::Operand) continue;
    FormulaTensor tensor = formula.tensors[i];
    const auto place = std::find(results.begin(), results.end(), TensorId(i));
    const Value result =
        place == results.end() ? Value() : op.result(static_cast<std::size_t>(place - results.begin()));
    if (result.valid()) {
      // The dims as the text of the op states them: equal, by the facts of the function.
      tensor.shape.assign(result.dims().begin(), result.dims().end());
      if (!result.name().empty()) tensor.name = result.name();
    }
    tensor.role = TensorRole::Temporary;
    tensors[i] = add_tensor(std::move(tensor));
  }
  const std::size_t before = formula_.statements.size();
  append_statements(*pool_, formula_, formula, tensors, [&](ExprId read, const ReadParts& parts) {
    const std::optional<Statement>& through = read_through_[parts.tensor.index()];
    return through ? mlgc::read_through(*pool_, formula_, *through, parts)
                   : pool_->read(pool_->type(read), parts.tensor, parts.subscripts, parts.fill);
  });
  parent_.reserve(formula_.label_names.size());
  for (std::size_t s = before; s < formula_.statements.size(); ++s) {
    const std::size_t nodes = most_subscript_nodes(*pool_, formula_.statements[s]);
    long_subscripts_ = long_subscripts_ || nodes > kMostSubscriptNodes;
    overflows_ = overflows_ || nodes > kMaxIndexNodes;
  }
  if (as == As::Moved) {
    MLGC_ASSERT(formula_.statements.size() == before + 1 && formula_.statements.back().pull, "an op that only moves");
    Statement moved = std::move(formula_.statements.back());
    formula_.statements.pop_back();
    note_labels();
    read_through_[moved.result.index()] = std::move(moved);
    return;
  }
  for (std::size_t s = before; s < formula_.statements.size(); ++s) note_statement(formula_.statements[s], align);
}

// What was computed before it was moved is computed once, where an op reads it more than once: its cost grows with each
// op that moves it on, and would be paid for each read.
void KernelBody::compute_what_is_read_often(const Formula& formula, std::span<const TensorId> tensors) {
  std::vector<std::size_t> reads(tensors.size());
  for (const Statement& st : formula.statements)
    visit_statement(*pool_, st, [&](ExprId e) {
      if (pool_->node(e).kind == NodeKind::Read) ++reads[pool_->read_of(e).tensor.index()];
    });
  for (std::size_t i = 0; i < formula.operand_count(); ++i) {
    if (reads[i] < 2 || !tensors[i].valid()) continue;
    const std::optional<Statement>& through = read_through_[tensors[i].index()];
    if (through && !through->labels.empty() && !moves_only(*pool_, through->body) &&
        expression_cost(*pool_, through->body) > kCheap)
      compute(tensors[i]);
  }
}

// A computed operand of `op` with one use, read in one place and not at a bare index label in each dim: its body is
// substituted there. Where that would recompute elements it has to be cheap.
void KernelBody::read_once_elsewhere(OpRef op, const Formula& formula, std::span<const TensorId> tensors) {
  for (std::size_t i = 0; i < op.operand_count(); ++i) {
    const TensorId tensor = tensors[i];
    if (formula_.tensor(tensor).role != TensorRole::Temporary || read_through_[tensor.index()]) continue;
    if (!op.operand(i).has_one_use()) continue;
    std::size_t reads = 0;
    bool own_element = true;
    for (const Statement& st : formula.statements) {
      reads += st.base == TensorId(i) ? 2 : 0;
      visit_statement(*pool_, st, [&](ExprId e) {
        if (pool_->node(e).kind != NodeKind::Read || pool_->read_of(e).tensor != TensorId(i)) return;
        ++reads;
        std::vector<AtomId> seen;
        for (const IndexExpr subscript : pool_->read_of(e).subscripts) {
          const auto label = bare(subscript);
          if (label && std::find(seen.begin(), seen.end(), *label) == seen.end())
            seen.push_back(*label);
          else if (pool_->index().as_constant(subscript) != 0)
            own_element = false;
        }
      });
    }
    if (reads != 1 || own_element) continue;
    const auto producer = std::find_if(formula_.statements.begin(), formula_.statements.end(),
                                       [&](const Statement& st) { return st.result == tensor; });
    if (producer == formula_.statements.end() || !producer->pull || producer->guard.valid() ||
        has_reduce(*pool_, producer->body))
      continue;
    if (reorders(*pool_, *producer) && reads_through_windows(*pool_, formula, i)) continue;
    const bool each_once = formula.statements.size() == 1 && moves_only(*pool_, formula.statements[0].body);
    if (!each_once && expression_cost(*pool_, producer->body) > kCheap) continue;
    read_through_[tensor.index()] = std::move(*producer);
    facts_.erase(facts_.begin() + (producer - formula_.statements.begin()));
    formula_.statements.erase(producer);
  }
}

// ---------------------------------------------------------------------------------------------------- axes

void KernelBody::note_labels() {
  for (std::size_t i = parent_.size(); i < formula_.label_names.size(); ++i) {
    parent_.push_back(static_cast<std::uint32_t>(i));
    inner_.push_back(false);
  }
}

std::uint32_t KernelBody::find_axis(std::uint32_t label) const {
  while (parent_[label] != label) label = parent_[label];
  return label;
}

std::uint32_t KernelBody::axis(AtomId label) const { return find_axis(pool_->index().atom(label).number); }

void KernelBody::join(std::uint32_t a, std::uint32_t b) {
  a = find_axis(a);
  b = find_axis(b);
  if (a == b) return;
  // The older label stands for both, so that chains stay short.
  if (b < a) std::swap(a, b);
  parent_[b] = a;
  inner_[a] = inner_[a] || inner_[b];
}

void KernelBody::note_read(const ReadParts& read, bool align) {
  const IndexPool& index = pool_->index();
  std::vector<std::uint32_t>& axes = tensor_axes_[read.tensor.index()];
  const FormulaTensor& tensor = formula_.tensor(read.tensor);
  if (tensor.role == TensorRole::Operand) {
    // Of a tensor that is only read, the first read at bare labels says which axes its dims are.
    if (!align && !axes.empty()) return;
    std::vector<std::uint32_t> here;
    for (std::size_t d = 0; d < read.subscripts.size(); ++d) {
      const auto label = bare(read.subscripts[d]);
      if (!label && index.as_constant(read.subscripts[d]) != 0) return;
      // A label with a larger extent than the dim, under a guard, is not an axis of it.
      if (label && index.atom(*label).a != tensor.shape[d]) return;
      here.push_back(label ? index.atom(*label).number : kNoAxis);
    }
    if (axes.empty()) {
      axes = std::move(here);
      return;
    }
    for (std::size_t d = 0; d < axes.size(); ++d)
      if (axes[d] != kNoAxis && here[d] != kNoAxis) join(axes[d], here[d]);
    return;
  }
  std::vector<AtomId> seen;
  for (std::size_t d = 0; d < read.subscripts.size(); ++d) {
    if (axes[d] == kNoAxis) continue;
    const auto label = bare(read.subscripts[d]);
    const bool own =
        label && std::find(seen.begin(), seen.end(), *label) == seen.end() && index.atom(*label).a == tensor.shape[d];
    if (own) {
      seen.push_back(*label);
      join(axes[d], index.atom(*label).number);
    } else {
      inner_[find_axis(axes[d])] = true;
    }
  }
}

void KernelBody::note_axes(const Statement& st, const StatementFacts& facts, bool align) {
  const IndexPool& index = pool_->index();
  note_labels();
  std::vector<std::uint32_t>& axes = tensor_axes_[st.result.index()];
  for (const IndexExpr subscript : st.subscripts) {
    const auto label = bare(subscript);
    axes.push_back(st.pull && label ? index.atom(*label).number : kNoAxis);
  }
  if (!st.pull)
    for (const AtomId label : st.labels) inner_[axis(label)] = true;
  for (const RunningReduction& running : running_reductions(*pool_, st)) inner_[axis(running.along)] = true;
  for (const AtomId label : facts.reduced) inner_[axis(label)] = true;
  for (const ReadParts& read : facts.reads) note_read(read, align);
}

// ---------------------------------------------------------------------------------------------------- shape

const KernelShape& KernelBody::shape() const {
  if (!shape_) shape_ = make_shape();
  return *shape_;
}

std::size_t KernelBody::bent_subscripts() const {
  std::size_t bent = 0;
  for (const auto& facts : facts_) bent += facts->bent_subscripts;
  return bent;
}

// What several contractions compute, and the last statement only moves, keeps the loops of what computes it: those say
// which rows share operands.
void KernelBody::order_rows(std::vector<AtomId>& rows) const {
  const auto contracts = [](const auto& facts) { return facts->contracts; };
  const Statement& last = formula_.statements.back();
  if (std::count_if(facts_.begin(), facts_.end(), contracts) < 2 || pool_->node(last.body).kind != NodeKind::Read)
    return;
  const TensorId moved = pool_->read_of(last.body).tensor;
  const auto made = std::find_if(formula_.statements.begin(), formula_.statements.end(),
                                 [&](const Statement& st) { return st.result == moved; });
  if (made == formula_.statements.end()) return;
  const auto at = [&](AtomId row) {
    return std::find_if(made->labels.begin(), made->labels.end(), [&](AtomId l) { return axis(l) == axis(row); });
  };
  std::stable_sort(rows.begin(), rows.end(), [&](AtomId a, AtomId b) { return at(a) < at(b); });
}

KernelShape KernelBody::make_shape() const {
  const IndexPool& index = pool_->index();
  KernelShape out;
  out.long_subscripts = long_subscripts_;
  out.overflows = overflows_;
  if (formula_.statements.empty()) return out;

  // Rows: axes that every statement has exactly once, and along which no statement reads.
  std::unordered_map<std::uint32_t, std::size_t> count;
  for (const Statement& st : formula_.statements) {
    std::vector<std::uint32_t> axes;
    for (const AtomId label : st.labels) axes.push_back(axis(label));
    std::sort(axes.begin(), axes.end());
    for (std::size_t i = 0; i < axes.size(); ++i) {
      const bool twice = (i > 0 && axes[i - 1] == axes[i]) || (i + 1 < axes.size() && axes[i + 1] == axes[i]);
      if (!twice) ++count[axes[i]];
    }
  }
  std::unordered_set<std::uint32_t> rows;
  for (const auto& [a, n] : count)
    if (n == formula_.statements.size() && !inner_[a]) rows.insert(a);
  for (const AtomId label : formula_.statements.back().labels)
    if (rows.contains(axis(label))) out.rows.push_back(label);
  order_rows(out.rows);

  const auto is_inner = [&](AtomId label) { return !rows.contains(axis(label)) && !is_unit(index, label); };
  const auto has_inner = [&](const Statement& st) { return std::any_of(st.labels.begin(), st.labels.end(), is_inner); };

  // Steps. What a tensor's elements wait for, and whether they are there one by one inside a nest.
  struct Made {
    std::uint32_t step = 0;
    bool by_element = false;
  };
  std::vector<Made> made(formula_.tensors.size());
  std::vector<bool> kept(formula_.tensors.size()), of_windows(formula_.tensors.size());
  for (std::size_t s = 0; s < formula_.statements.size(); ++s) {
    const Statement& st = formula_.statements[s];
    const StatementFacts& facts = *facts_[s];
    const bool inner = has_inner(st), reduces = facts.reduces;
    bool follows_windows = false;
    std::uint32_t ready = 1;
    std::vector<TensorId> reads;
    out.reduces = out.reduces || reduces;
    for (const ReadParts& read : facts.reads) {
      const Made& from = made[read.tensor.index()];
      if (formula_.tensor(read.tensor).role == TensorRole::Operand) continue;
      reads.push_back(read.tensor);
      std::uint32_t step = from.step;
      if (from.by_element) {
        // In the same nest where each inner dim is read at the statement's own label, or, by a statement that is one
        // value of a row, at a label that it reduces over.
        const std::vector<std::uint32_t>& axes = tensor_axes_[read.tensor.index()];
        for (std::size_t d = 0; d < axes.size(); ++d) {
          if (axes[d] == kNoAxis || rows.contains(find_axis(axes[d]))) continue;
          if (index.as_constant(formula_.tensor(read.tensor).shape[d]) == 1) continue;  // there is no other place
          const auto label = bare(read.subscripts[d]);
          const bool here = label && find_axis(axes[d]) == axis(*label) &&
                            (!inner || std::find(st.labels.begin(), st.labels.end(), *label) != st.labels.end());
          if (!here) step = from.step + 1;
        }
        follows_windows |= step == from.step && of_windows[read.tensor.index()];
      }
      ready = std::max(ready, step);
    }
    if (!st.pull) out.scatters = true;
    if (facts.contracts) {
      ++out.contractions;
      out.contracts_in_rows &= !inner;
    }
    out.reduces_windows |= reduces && follows_windows;
    of_windows[st.result.index()] = inner && (follows_windows || facts.is_window);
    const bool nest = inner || reduces || !st.pull;
    const std::uint32_t step = ready + ((ready % 2 == 0) == nest ? 0 : 1);
    out.steps.push_back(step);
    made[st.result.index()] = {inner || !nest ? step : step + 1, inner && st.pull};
    if (!st.pull) made[st.result.index()].step = step + 1;
    for (const TensorId tensor : reads)
      if (made[tensor.index()].by_element && made[tensor.index()].step < step) kept[tensor.index()] = true;
  }
  std::vector<std::uint32_t> nests;
  for (const std::uint32_t step : out.steps)
    if (step % 2 == 0) nests.push_back(step);
  std::sort(nests.begin(), nests.end());
  out.nests = static_cast<std::size_t>(std::unique(nests.begin(), nests.end()) - nests.begin());
  for (std::size_t i = 0; i < kept.size(); ++i)
    if (kept[i]) out.kept.emplace_back(i);
  return out;
}

}  // namespace mlgc
