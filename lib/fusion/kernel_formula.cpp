// See kernel_formula.h.
#include "fusion/kernel_formula.h"

#include <algorithm>
#include <string>
#include <unordered_set>
#include <utility>

#include "ops/formula_work.h"
#include "ops/fuse.h"
#include "ops/instantiate_op.h"
#include "ops/running_reduction.h"
#include "support/result.h"
#include "support/saturating.h"

namespace mlgc {

namespace {

// In sums: computing that much again costs less than keeping it.
constexpr std::int64_t kCheap = 4;

// Results of a group, and terms of their sums, below both of which sharing a factor in registers gains nothing: a
// depthwise convolution with two results for each channel has two windows, and is no product of matrices.
constexpr std::int64_t kFewestOfGroup = 4, kFewestTerms = 32;

// Whether the letter stands in the subscript otherwise than in a quotient, as in `o floordiv 8` of a group.
bool goes_along(FormulaPool& pool, IndexExpr subscript, AtomId letter) {
  const IndexPool& index = pool.index();
  const auto holds = [&](AtomId factor) {
    if (factor == letter) return true;
    const Atom& atom = index.atom(factor);
    if (atom.kind == AtomKind::FloorDiv || atom.kind <= AtomKind::Opaque) return false;
    const auto inside = [&](IndexExpr e) {
      const std::vector<AtomId> free = pool.free_letters(e);
      return std::find(free.begin(), free.end(), letter) != free.end();
    };
    return inside(atom.a) || inside(atom.b);
  };
  for (std::size_t i = 0; i < index.term_count(subscript); ++i) {
    const auto factors = index.term(subscript, i).factors;
    if (std::any_of(factors.begin(), factors.end(), holds)) return true;
  }
  return false;
}

// The letters that a read does not go along: its value is used again for each of them, or for several of them.
std::vector<AtomId> missing_letters(FormulaPool& pool, const ReadParts& read, std::span<const AtomId> letters) {
  std::vector<AtomId> out;
  for (const AtomId letter : letters)
    if (std::none_of(read.subscripts.begin(), read.subscripts.end(),
                     [&](IndexExpr subscript) { return goes_along(pool, subscript, letter); }))
      out.push_back(letter);
  return out;
}

// How many values of the letter, which the read does not go along, find the same element, where these are the members
// of a group; the largest number where they are all of them.
std::int64_t members(FormulaPool& pool, const ReadParts& read, AtomId letter) {
  IndexPool& index = pool.index();
  std::int64_t out = INT64_MAX;
  for (const IndexExpr subscript : read.subscripts)
    index.for_each_atom(subscript, [&](AtomId id) {
      const Atom& atom = index.atom(id);
      if (atom.kind == AtomKind::FloorDiv && atom.a == index.from_atom(letter))
        out = std::min(out, index.as_constant(atom.b).value_or(INT64_MAX));
    });
  return out;
}

bool has_reduce(const FormulaPool& pool, ExprId body) {
  bool found = false;
  pool.visit(body, [&](ExprId e) { found |= pool.node(e).kind == NodeKind::Reduce; });
  return found;
}

bool is_unit(const IndexPool& index, AtomId letter) { return index.as_constant(index.atom(letter).a) == 1; }

// Every expression of a statement with reads below it.
template <class Visit>
void visit_statement(const FormulaPool& pool, const Statement& st, const Visit& visit) {
  pool.visit(st.body, visit);
  if (st.guard.valid()) pool.visit(st.guard, visit);
  for (const IndexExpr subscript : st.subscripts) pool.visit(subscript, visit);
}

}  // namespace

std::string_view KernelShape::kind() const {
  if (scatters) return "scatter";
  if (contractions > 0) return "contraction";
  return reduces ? "reduction" : "pointwise";
}

KernelFormula::KernelFormula(Context& context) : context_(&context), pool_(&formulas(context)) {}

std::optional<TensorId> KernelFormula::find(Value value) const {
  const auto found = tensors_.find(value.id());
  return found == tensors_.end() ? std::nullopt : std::optional(found->second);
}

TensorId KernelFormula::add_tensor(Value value, FormulaTensor tensor) {
  tensor.name = formula_.unique_tensor_name(tensor.name);
  const TensorId id = formula_.add_tensor(std::move(tensor));
  read_through_.emplace_back();
  tensor_axes_.emplace_back();
  if (value.valid()) tensors_[value.id()] = id;
  return id;
}

TensorId KernelFormula::add_operand(Value value) {
  if (const auto found = find(value)) return *found;
  const std::span<const IndexExpr> dims = value.dims();
  const std::string name = value.name().empty() ? "x" : std::string(value.name());
  return add_tensor(value, {name, TensorRole::Operand, value.dtype(), {dims.begin(), dims.end()}});
}

void KernelFormula::add_known(Value value, ExprId body) {
  const TensorId id = add_operand(value);
  Statement known = copy_of(id);
  known.result = id;
  known.body = body;
  note_letters();
  formula_.tensor(id).role = TensorRole::Temporary;
  read_through_[id.index()] = std::move(known);
}

std::vector<TensorId> KernelFormula::set_results(std::span<const Value> outputs) {
  std::vector<TensorId> results;
  for (const Value output : outputs) {
    TensorId tensor = add_operand(output);
    // An operand that comes out again, also a value that comes out twice, is copied.
    if (formula_.tensor(tensor).role != TensorRole::Temporary) {
      FormulaTensor copy = formula_.tensor(tensor);
      const TensorId from = tensor;
      tensor = add_tensor({}, std::move(copy));
      Statement st = copy_of(from);
      st.result = tensor;
      formula_.statements.push_back(std::move(st));
      note_axes(formula_.statements.back(), false);
    } else {
      compute(tensor);
    }
    formula_.tensor(tensor).role = TensorRole::Result;
    results.push_back(tensor);
  }
  return results;
}

// What stood where it is read becomes a statement.
void KernelFormula::compute(TensorId tensor) {
  if (!read_through_[tensor.index()]) return;
  formula_.statements.push_back(*std::exchange(read_through_[tensor.index()], std::nullopt));
  note_axes(formula_.statements.back(), false);
}

// A statement without a result yet: each element of the tensor.
Statement KernelFormula::copy_of(TensorId tensor) {
  IndexPool& index = pool_->index();
  Statement st;
  for (const IndexExpr extent : formula_.tensor(tensor).shape) {
    const AtomId letter = formula_.fresh_letter(index, "i", extent);
    st.letters.push_back(letter);
    st.subscripts.push_back(index.from_atom(letter));
  }
  st.body = pool_->read(formula_.tensor(tensor).dtype, tensor, st.subscripts);
  return st;
}

std::optional<AtomId> KernelFormula::bare(IndexExpr e) const {
  const IndexPool& index = pool_->index();
  const auto atom = index.as_atom(e);
  return atom && index.atom(*atom).kind == AtomKind::Letter ? atom : std::nullopt;
}

void KernelFormula::add(OpRef op, const Formula& formula, As as, bool align) {
  std::vector<TensorId> tensors(formula.tensors.size());
  for (std::size_t i = 0; i < op.operand_count(); ++i) tensors[i] = add_operand(op.operand(i));
  read_once_elsewhere(op, formula, tensors);
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
      // The text's spelling of its dims: equal, where the function says so.
      tensor.shape.assign(result.dims().begin(), result.dims().end());
      if (!result.name().empty()) tensor.name = result.name();
    }
    tensor.role = TensorRole::Temporary;
    tensors[i] = add_tensor(result, std::move(tensor));
  }
  const std::size_t before = formula_.statements.size();
  append_statements(*pool_, formula_, formula, tensors, [&](ExprId read, const ReadParts& parts) {
    const std::optional<Statement>& through = read_through_[parts.tensor.index()];
    return through ? mlgc::read_through(*pool_, formula_, *through, parts)
                   : pool_->read(pool_->type(read), parts.tensor, parts.subscripts, parts.fill);
  });
  parent_.reserve(formula_.letter_names.size());
  if (as == As::Moved) {
    MLGC_ASSERT(formula_.statements.size() == before + 1 && formula_.statements.back().pull, "an op that only moves");
    Statement moved = std::move(formula_.statements.back());
    formula_.statements.pop_back();
    note_letters();
    read_through_[moved.result.index()] = std::move(moved);
    return;
  }
  for (std::size_t s = before; s < formula_.statements.size(); ++s) note_axes(formula_.statements[s], align);
}

// A computed operand of `op` that nobody else reads, read in one place and not at a bare letter in each dim: its body
// is put there. Where that would compute elements again it has to be cheap.
void KernelFormula::read_once_elsewhere(OpRef op, const Formula& formula, std::span<const TensorId> tensors) {
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
          const auto letter = bare(subscript);
          if (letter && std::find(seen.begin(), seen.end(), *letter) == seen.end())
            seen.push_back(*letter);
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
    formula_.statements.erase(producer);
  }
}

// ---------------------------------------------------------------------------------------------------- axes

void KernelFormula::note_letters() {
  for (std::size_t i = parent_.size(); i < formula_.letter_names.size(); ++i) {
    parent_.push_back(static_cast<std::uint32_t>(i));
    inner_.push_back(false);
  }
}

std::uint32_t KernelFormula::find_axis(std::uint32_t letter) const {
  while (parent_[letter] != letter) letter = parent_[letter];
  return letter;
}

std::uint32_t KernelFormula::axis(AtomId letter) const { return find_axis(pool_->index().atom(letter).number); }

void KernelFormula::join(std::uint32_t a, std::uint32_t b) {
  a = find_axis(a);
  b = find_axis(b);
  if (a == b) return;
  // The older letter stands for both, so that chains stay short.
  if (b < a) std::swap(a, b);
  parent_[b] = a;
  inner_[a] = inner_[a] || inner_[b];
}

void KernelFormula::note_read(const ReadParts& read, bool align) {
  const IndexPool& index = pool_->index();
  std::vector<std::uint32_t>& axes = tensor_axes_[read.tensor.index()];
  const FormulaTensor& tensor = formula_.tensor(read.tensor);
  if (tensor.role == TensorRole::Operand) {
    // Of what is only read, the first read at bare letters says which axes its dims are.
    if (!align && !axes.empty()) return;
    std::vector<std::uint32_t> here;
    for (std::size_t d = 0; d < read.subscripts.size(); ++d) {
      const auto letter = bare(read.subscripts[d]);
      if (!letter && index.as_constant(read.subscripts[d]) != 0) return;
      // A letter that runs further than the dim, behind a guard, is no axis of it.
      if (letter && index.atom(*letter).a != tensor.shape[d]) return;
      here.push_back(letter ? index.atom(*letter).number : kNoAxis);
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
    const auto letter = bare(read.subscripts[d]);
    const bool own = letter && std::find(seen.begin(), seen.end(), *letter) == seen.end() &&
                     index.atom(*letter).a == tensor.shape[d];
    if (own) {
      seen.push_back(*letter);
      join(axes[d], index.atom(*letter).number);
    } else {
      inner_[find_axis(axes[d])] = true;
    }
  }
}

void KernelFormula::note_axes(const Statement& st, bool align) {
  const IndexPool& index = pool_->index();
  note_letters();
  std::vector<std::uint32_t>& axes = tensor_axes_[st.result.index()];
  for (const IndexExpr subscript : st.subscripts) {
    const auto letter = bare(subscript);
    axes.push_back(st.pull && letter ? index.atom(*letter).number : kNoAxis);
  }
  if (!st.pull)
    for (const AtomId letter : st.letters) inner_[axis(letter)] = true;
  for (const RunningReduction& running : running_reductions(*pool_, st)) inner_[axis(running.along)] = true;
  visit_statement(*pool_, st, [&](ExprId e) {
    if (pool_->node(e).kind == NodeKind::Reduce)
      for (const AtomId letter : pool_->reduce_of(e).letters) inner_[axis(letter)] = true;
  });
  visit_statement(*pool_, st, [&](ExprId e) {
    if (pool_->node(e).kind == NodeKind::Read) note_read(pool_->read_of(e), align);
  });
}

// ---------------------------------------------------------------------------------------------------- shape

KernelShape KernelFormula::shape() const {
  const IndexPool& index = pool_->index();
  KernelShape out;
  if (formula_.statements.empty()) return out;

  // Rows: axes that every statement has exactly once, and nobody reads along.
  std::unordered_map<std::uint32_t, std::size_t> count;
  for (const Statement& st : formula_.statements) {
    std::vector<std::uint32_t> axes;
    for (const AtomId letter : st.letters) axes.push_back(axis(letter));
    std::sort(axes.begin(), axes.end());
    for (std::size_t i = 0; i < axes.size(); ++i) {
      const bool twice = (i > 0 && axes[i - 1] == axes[i]) || (i + 1 < axes.size() && axes[i + 1] == axes[i]);
      if (!twice) ++count[axes[i]];
    }
  }
  std::unordered_set<std::uint32_t> rows;
  for (const auto& [a, n] : count)
    if (n == formula_.statements.size() && !inner_[a]) rows.insert(a);
  for (const AtomId letter : formula_.statements.back().letters)
    if (rows.contains(axis(letter))) out.rows.push_back(letter);

  const auto is_inner = [&](AtomId letter) { return !rows.contains(axis(letter)) && !is_unit(index, letter); };
  const auto has_inner = [&](const Statement& st) {
    return std::any_of(st.letters.begin(), st.letters.end(), is_inner);
  };

  // Steps. What a tensor's elements wait for, and whether they are there one by one inside a nest.
  struct Made {
    std::uint32_t step = 0;
    bool by_element = false;
  };
  std::vector<Made> made(formula_.tensors.size());
  std::vector<bool> kept(formula_.tensors.size()), of_windows(formula_.tensors.size());
  for (const Statement& st : formula_.statements) {
    const bool inner = has_inner(st);
    bool reduces = false, follows_windows = false;
    std::uint32_t ready = 1;
    std::vector<TensorId> reads;
    visit_statement(*pool_, st, [&](ExprId e) {
      if (pool_->node(e).kind == NodeKind::Reduce) {
        reduces = true;
        out.reduces = true;
      }
      if (pool_->node(e).kind != NodeKind::Read) return;
      const ReadParts read = pool_->read_of(e);
      const Made& from = made[read.tensor.index()];
      if (formula_.tensor(read.tensor).role == TensorRole::Operand) return;
      reads.push_back(read.tensor);
      std::uint32_t step = from.step;
      if (from.by_element) {
        // In the same nest where each inner dim is read at the statement's own letter, or, by a statement that is one
        // value of a row, at a letter that it reduces over.
        const std::vector<std::uint32_t>& axes = tensor_axes_[read.tensor.index()];
        for (std::size_t d = 0; d < axes.size(); ++d) {
          if (axes[d] == kNoAxis || rows.contains(find_axis(axes[d]))) continue;
          if (index.as_constant(formula_.tensor(read.tensor).shape[d]) == 1) continue;  // there is no other place
          const auto letter = bare(read.subscripts[d]);
          const bool here = letter && find_axis(axes[d]) == axis(*letter) &&
                            (!inner || std::find(st.letters.begin(), st.letters.end(), *letter) != st.letters.end());
          if (!here) step = from.step + 1;
        }
        follows_windows |= step == from.step && of_windows[read.tensor.index()];
      }
      ready = std::max(ready, step);
    });
    if (!st.pull) out.scatters = true;
    if (reduces && is_contraction(*pool_, st)) {
      ++out.contractions;
      out.contracts_in_rows &= !inner;
    }
    out.reduces_windows |= reduces && follows_windows;
    of_windows[st.result.index()] = inner && (follows_windows || is_window(*pool_, st));
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

bool is_contraction(FormulaPool& pool, const Statement& st) {
  const IndexPool& index = pool.index();
  bool contracts = false;
  visit_statement(pool, st, [&](ExprId e) {
    if (pool.node(e).kind != NodeKind::Reduce || pool.reduce_of(e).reduction != Reduction::Sum) return;
    std::int64_t terms = 1;
    for (const AtomId l : pool.reduce_of(e).letters)
      terms = saturating_mul(terms, index.as_constant(index.atom(l).a).value_or(kFewestTerms));
    std::vector<std::vector<AtomId>> missing;
    pool.visit(pool.reduce_of(e).body, [&](ExprId below) {
      if (pool.node(below).kind != NodeKind::Read) return;
      const ReadParts read = pool.read_of(below);
      std::vector<AtomId> letters;
      std::int64_t results = 1;
      for (const AtomId l : missing_letters(pool, read, st.letters)) {
        if (is_unit(index, l)) continue;
        letters.push_back(l);
        results = saturating_mul(results, members(pool, read, l));
      }
      if (!letters.empty() && (results >= kFewestOfGroup || terms >= kFewestTerms))
        missing.push_back(std::move(letters));
    });
    contracts |= std::any_of(missing.begin(), missing.end(), [&](const auto& m) { return m != missing[0]; });
  });
  return contracts;
}

bool is_window(FormulaPool& pool, const Statement& st) {
  const IndexPool& index = pool.index();
  const auto holds = [&](std::span<const AtomId> letters, IndexExpr e) {
    bool found = false;
    index.for_each_atom(e, [&](AtomId id) {
      found |= std::find(letters.begin(), letters.end(), id) != letters.end() && !is_unit(index, id);
    });
    return found;
  };
  bool windows = false;
  visit_statement(pool, st, [&](ExprId e) {
    if (pool.node(e).kind != NodeKind::Reduce) return;
    const auto reduce = pool.reduce_of(e);
    pool.visit(reduce.body, [&](ExprId below) {
      if (pool.node(below).kind != NodeKind::Read) return;
      for (const IndexExpr subscript : pool.read_of(below).subscripts)
        windows |= holds(st.letters, subscript) && holds(reduce.letters, subscript);
    });
  });
  return windows;
}

bool reads_through_windows(FormulaPool& pool, const Formula& formula, std::size_t operand) {
  const IndexPool& index = pool.index();
  bool windows = false;
  for (const Statement& st : formula.statements) {
    bool here = false;
    visit_statement(pool, st, [&](ExprId e) {
      if (pool.node(e).kind != NodeKind::Read || pool.read_of(e).tensor != TensorId(operand)) return;
      for (const IndexExpr subscript : pool.read_of(e).subscripts) {
        std::size_t letters = 0;
        index.for_each_atom(subscript, [&](AtomId id) { letters += index.atom(id).kind == AtomKind::Letter ? 1 : 0; });
        here = here || letters > 1;
      }
    });
    windows = windows || (here && is_contraction(pool, st));
  }
  return windows;
}

std::size_t bent_subscripts(FormulaPool& pool, const Formula& formula) {
  const IndexPool& index = pool.index();
  std::size_t bent = 0;
  const auto moves = [&](IndexExpr e) { return !pool.free_letters(e).empty(); };
  const auto is_bent = [&](IndexExpr subscript) {
    bool found = false;
    index.for_each_atom(subscript, [&](AtomId id) {
      const Atom& atom = index.atom(id);
      const bool quotient = atom.kind == AtomKind::FloorDiv || atom.kind == AtomKind::Mod;
      const bool choice = atom.kind == AtomKind::Min || atom.kind == AtomKind::Max;
      found = found || (quotient && moves(atom.a)) || (choice && (moves(atom.a) || moves(atom.b)));
    });
    return found;
  };
  const auto look = [&](ExprId e) {
    if (pool.node(e).kind != NodeKind::Read) return;
    for (const IndexExpr subscript : pool.read_of(e).subscripts) bent += is_bent(subscript) ? 1 : 0;
  };
  for (const Statement& st : formula.statements) {
    if (!is_contraction(pool, st) && !is_window(pool, st)) continue;
    visit_statement(pool, st, [&](ExprId e) {
      if (pool.node(e).kind == NodeKind::Reduce) pool.visit(pool.reduce_of(e).body, look);
    });
  }
  return bent;
}

bool reorders(FormulaPool& pool, const Statement& st) {
  if (pool.node(st.body).kind != NodeKind::Read || st.letters.empty()) return false;
  const ReadParts read = pool.read_of(st.body);
  if (read.fill.valid()) return true;
  const auto last = pool.index().as_atom(pool.index().from_atom(st.letters.back()));
  return !read.subscripts.empty() && !pool.index().mentions(read.subscripts.back(), *last);
}

bool is_movement(const FormulaPool& pool, const Formula& formula) {
  if (formula.statements.size() != 1) return false;
  const Statement& st = formula.statements[0];
  if (!st.pull || st.guard.valid()) return false;
  if (pool.node(st.body).kind == NodeKind::Read && pool.read_of(st.body).fill.valid()) return false;
  std::size_t reads = 0;
  pool.visit(st.body, [&](ExprId e) { reads += pool.node(e).kind == NodeKind::Read ? 1 : 0; });
  return pool.node(st.body).kind == NodeKind::Read ? reads == 1
                                                   : reads == 0 && expression_cost(pool, st.body) <= kCheap;
}

std::optional<std::size_t> viewed_operand(FormulaPool& pool, const Formula& formula, const Facts& facts) {
  IndexPool& index = pool.index();
  const Statement& st = formula.statements[0];
  // With other operands, of which it may read nothing, it would have to wait for them.
  if (pool.node(st.body).kind != NodeKind::Read || formula.operand_count() != 1) return std::nullopt;
  const ReadParts read = pool.read_of(st.body);
  const auto place = [&](std::span<const IndexExpr> at, std::span<const IndexExpr> shape) {
    IndexExpr out = index.constant(0);
    for (std::size_t d = 0; d < at.size(); ++d) out = index.add(index.mul(out, shape[d]), at[d]);
    return out;
  };
  const auto count = [&](std::span<const IndexExpr> shape) {
    IndexExpr out = index.constant(1);
    for (const IndexExpr extent : shape) out = index.mul(out, extent);
    return out;
  };
  const FormulaTensor& from = formula.tensor(read.tensor);
  const FormulaTensor& to = formula.tensor(st.result);
  const bool stays =
      index.equal(count(from.shape), count(to.shape), facts) == Truth::Yes &&
      index.equal(place(read.subscripts, from.shape), place(st.subscripts, to.shape), facts) == Truth::Yes;
  return stays ? std::optional(read.tensor.index()) : std::nullopt;
}

}  // namespace mlgc
