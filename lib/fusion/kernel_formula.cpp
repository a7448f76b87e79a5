// See kernel_formula.h.
#include "fusion/kernel_formula.h"

#include <algorithm>
#include <utility>

#include "formula/compose.h"
#include "formula/formula_work.h"
#include "fusion/fusion_kernel.h"
#include "ops/instantiate_op.h"
#include "support/hash.h"
#include "support/result.h"
#include "support/saturating.h"

namespace mlgc {

namespace {

// Results of a group, and terms of their sums, below both of which sharing a factor in registers gains nothing: a
// depthwise convolution with two results for each channel has two windows, and is no product of matrices.
constexpr std::int64_t kFewestOfGroup = 4, kFewestTerms = 32;

// Whether the index label occurs in the subscript outside of quotients such as `o floordiv 8` of a group.
bool goes_along(FormulaPool& pool, IndexExpr subscript, AtomId label) {
  const IndexPool& index = pool.index();
  const auto holds = [&](AtomId factor) {
    if (factor == label) return true;
    const Atom& atom = index.atom(factor);
    if (atom.kind == AtomKind::FloorDiv || atom.kind <= AtomKind::Opaque) return false;
    const auto inside = [&](IndexExpr e) {
      const std::vector<AtomId> free = pool.free_labels(e);
      return std::find(free.begin(), free.end(), label) != free.end();
    };
    return inside(atom.a) || inside(atom.b);
  };
  for (std::size_t i = 0; i < index.term_count(subscript); ++i) {
    const auto factors = index.term(subscript, i).factors;
    if (std::any_of(factors.begin(), factors.end(), holds)) return true;
  }
  return false;
}

// The index labels that a read does not depend on: its value is reused for each of them, or for several of them.
std::vector<AtomId> missing_labels(FormulaPool& pool, const ReadParts& read, std::span<const AtomId> labels) {
  std::vector<AtomId> out;
  for (const AtomId label : labels)
    if (std::none_of(read.subscripts.begin(), read.subscripts.end(),
                     [&](IndexExpr subscript) { return goes_along(pool, subscript, label); }))
      out.push_back(label);
  return out;
}

// For a label that the read does not depend on: how many of its values access the same element, where these are the
// members of a group; the largest number where they are all of them.
std::int64_t members(FormulaPool& pool, const ReadParts& read, AtomId label) {
  IndexPool& index = pool.index();
  std::int64_t out = INT64_MAX;
  for (const IndexExpr subscript : read.subscripts)
    index.for_each_atom(subscript, [&](AtomId id) {
      const Atom& atom = index.atom(id);
      if (atom.kind == AtomKind::FloorDiv && atom.a == index.from_atom(label))
        out = std::min(out, index.as_constant(atom.b).value_or(INT64_MAX));
    });
  return out;
}

// Words of a step: of operands that the kernel does not have yet the type, marked.
constexpr std::uint32_t kNewOperand = 0x80000000;
enum StepKind : std::uint32_t { kAddKnown, kAddComputed, kAddMoved, kAddAligned };

}  // namespace

// ---------------------------------------------------------------------------------------------------- shared bodies

KernelFormulas::KernelFormulas(Context& context)
    : context_(context), empty_(std::make_shared<KernelBody>(context, false)) {}

const OpFormula* KernelFormulas::of(OpRef op, const Facts& facts) {
  const std::shared_ptr<const Formula> found = op_formula(op, facts);
  if (!found) return nullptr;
  const auto [at, is_new] = by_formula_.try_emplace(found.get());
  if (!is_new) return &at->second;
  FormulaPool& pool = formulas(context_);
  OpFormula& made = at->second;
  made.origin_ = found;
  made.id_ = static_cast<std::uint32_t>(by_formula_.size());
  made.formula = *found;
  for (FormulaTensor& tensor : made.formula.tensors) tensor.name.clear();
  for (std::string& label : made.formula.label_names) label.clear();
  made.is_movement = mlgc::is_movement(pool, made.formula);
  made.unpacks = mlgc::unpacks(pool, made.formula);
  made.reduced.resize(made.formula.tensors.size());
  for (const Statement& st : made.formula.statements) {
    made.contracts = made.contracts || is_contraction(pool, st);
    made.reuses = made.reuses || made.contracts || is_window(pool, st);
    pool.visit(st.body, [&](ExprId e) {
      if (pool.node(e).kind != NodeKind::Reduce) return;
      pool.visit(pool.reduce_of(e).body, [&](ExprId below) {
        if (pool.node(below).kind == NodeKind::Read) made.reduced[pool.read_of(below).tensor.index()] = true;
      });
    });
  }
  made.bent_subscripts = mlgc::bent_subscripts(pool, made.formula);
  return &made;
}

KernelFormulas::Step KernelFormulas::step(std::span<const std::uint32_t> words) {
  std::uint64_t hash = words.size();
  for (const std::uint32_t word : words) hash = hash_mix(hash, word);
  bool is_new = false;
  const auto same = [&](std::uint32_t id) { return std::ranges::equal(nodes_[id].words, words); };
  const auto insert = [&] {
    is_new = true;
    nodes_.push_back({words_.copy(words), nullptr});
    return static_cast<std::uint32_t>(nodes_.size() - 1);
  };
  const std::uint32_t id = table_.find_or_insert(hash, same, insert);
  return {id, is_new};
}

void KernelFormulas::remember(std::uint32_t node, const std::shared_ptr<KernelBody>& body) {
  constexpr std::size_t kMostStatements = std::size_t{1} << 17;
  const std::size_t statements = body->formula().statements.size() + 1;
  if (remembered_ + statements > kMostStatements) return;
  remembered_ += statements;
  nodes_[node].body = body;
}

// ---------------------------------------------------------------------------------------------------- a kernel

KernelFormula::KernelFormula(Context& context) : body_(std::make_shared<KernelBody>(context, true)) {}

KernelFormula::KernelFormula(KernelFormulas& shared) : shared_(&shared), body_(shared.empty_) {}

KernelBody& KernelFormula::own() {
  if (body_.use_count() > 1) body_ = std::make_shared<KernelBody>(*body_);
  return *body_;
}

std::optional<TensorId> KernelFormula::find(Value value) const {
  const auto at = std::ranges::lower_bound(tensors_, value.id(), {}, &Bound::value);
  return at == tensors_.end() || at->value != value.id() ? std::nullopt : std::optional(at->tensor);
}

void KernelFormula::bind(Value value, TensorId tensor) {
  const auto at = std::ranges::lower_bound(tensors_, value.id(), {}, &Bound::value);
  if (at != tensors_.end() && at->value == value.id())
    at->tensor = tensor;
  else
    tensors_.insert(at, {value.id(), tensor});
}

TensorId KernelFormula::add_operand(Value value) {
  if (const auto found = find(value)) return *found;
  MLGC_ASSERT(shared_ == nullptr, "operands of a shared kernel come with its ops");
  const TensorId tensor = own().add_operand(value.name(), value.dtype(), value.dims());
  bind(value, tensor);
  return tensor;
}

// The tensors of the values, those that are new after `next`, and the words of a step that say so.
std::vector<TensorId> KernelFormula::bind_operands(OpRef op, std::vector<std::uint32_t>& words) {
  std::vector<TensorId> out;
  std::size_t next = formula().tensors.size();
  for (const Value value : op.operands()) {
    if (const auto found = find(value)) {
      out.push_back(*found);
      words.push_back(found->value << 1 | (value.has_one_use() ? 1 : 0));
      continue;
    }
    out.emplace_back(next++);
    bind(value, out.back());
    words.push_back(kNewOperand | value.type().id);
  }
  return out;
}

void KernelFormula::add_operands(OpRef op, std::span<const TensorId> tensors) {
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i].index() < formula().tensors.size()) continue;
    const Value value = op.operand(i);
    const TensorId made = own().add_operand(value.name(), value.dtype(), value.dims());
    MLGC_ASSERT(made == tensors[i], "operands in another order");
  }
}

// Takes the step if it is known, or notes it. Otherwise the caller has to take it.
template <class Take>
void KernelFormula::take(std::span<const std::uint32_t> words, const Take& take) {
  if (shared_ == nullptr) return take();
  const KernelFormulas::Step step = shared_->step(words);
  node_ = step.node;
  if (const auto& known = shared_->nodes_[step.node].body) {
    body_ = known;
    return;
  }
  take();
  if (!step.is_new) shared_->remember(step.node, body_);
}

void KernelFormula::add_known(Value value, ExprId body) {
  std::vector<std::uint32_t> words{node_, kAddKnown, body.value};
  const auto found = find(value);
  const TensorId tensor = found.value_or(TensorId(formula().tensors.size()));
  words.push_back(found ? tensor.value << 1 : kNewOperand | value.type().id);
  bind(value, tensor);
  take(words, [&] {
    if (!found) (void)own().add_operand(value.name(), value.dtype(), value.dims());
    own().add_known(tensor, body);
  });
}

void KernelFormula::add(OpRef op, const Formula& formula, As as, bool align) {
  MLGC_ASSERT(shared_ == nullptr, "a shared kernel is made of shared formulas");
  std::vector<std::uint32_t> words;
  add_op(op, formula, as, align, words);
}

void KernelFormula::add(OpRef op, const OpFormula& formula, As as, bool align) {
  std::vector<std::uint32_t> words{node_,
                                   as == As::Moved ? kAddMoved
                                   : align         ? kAddAligned
                                                   : kAddComputed,
                                   formula.id_};
  add_op(op, formula.formula, as, align, words);
}

void KernelFormula::add_op(OpRef op, const Formula& formula, As as, bool align, std::vector<std::uint32_t>& words) {
  const std::vector<TensorId> operands = bind_operands(op, words);
  for (const Value result : op.results()) words.push_back(result.type().id);
  std::size_t next = this->formula().tensors.size();
  for (const TensorId tensor : operands) next = std::max(next, tensor.index() + 1);
  take(words, [&] {
    add_operands(op, operands);
    own().add(op, formula, operands, as, align);
  });
  // Its own tensors follow.
  std::size_t result = 0;
  for (const FormulaTensor& tensor : formula.tensors) {
    if (tensor.role == TensorRole::Operand) continue;
    if (tensor.role == TensorRole::Result) bind(op.result(result++), TensorId(next));
    ++next;
  }
}

std::vector<TensorId> KernelFormula::set_results(std::span<const Value> outputs) {
  std::vector<TensorId> results;
  for (const Value output : outputs) {
    const TensorId tensor = add_operand(output);
    results.push_back(own().make_result(tensor));
  }
  return results;
}

// ---------------------------------------------------------------------------------------------------- statements

bool is_contraction(FormulaPool& pool, const Statement& st) {
  const IndexPool& index = pool.index();
  bool contracts = false;
  visit_statement(pool, st, [&](ExprId e) {
    if (pool.node(e).kind != NodeKind::Reduce || pool.reduce_of(e).reduction != Reduction::Sum) return;
    std::int64_t terms = 1;
    for (const AtomId l : pool.reduce_of(e).labels)
      terms = saturating_mul(terms, index.as_constant(index.atom(l).a).value_or(kFewestTerms));
    std::vector<std::vector<AtomId>> missing;
    pool.visit(pool.reduce_of(e).body, [&](ExprId below) {
      if (pool.node(below).kind != NodeKind::Read) return;
      const ReadParts read = pool.read_of(below);
      std::vector<AtomId> labels;
      std::int64_t results = 1;
      for (const AtomId l : missing_labels(pool, read, st.labels)) {
        if (is_unit(index, l)) continue;
        labels.push_back(l);
        results = saturating_mul(results, members(pool, read, l));
      }
      if (!labels.empty() && (results >= kFewestOfGroup || terms >= kFewestTerms)) missing.push_back(std::move(labels));
    });
    contracts |= std::any_of(missing.begin(), missing.end(), [&](const auto& m) { return m != missing[0]; });
  });
  return contracts;
}

bool is_window(FormulaPool& pool, const Statement& st) {
  const IndexPool& index = pool.index();
  const auto holds = [&](std::span<const AtomId> labels, IndexExpr e) {
    bool found = false;
    index.for_each_atom(e, [&](AtomId id) {
      found |= std::find(labels.begin(), labels.end(), id) != labels.end() && !is_unit(index, id);
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
        windows |= holds(st.labels, subscript) && holds(reduce.labels, subscript);
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
        std::size_t labels = 0;
        index.for_each_atom(subscript,
                            [&](AtomId id) { labels += index.atom(id).kind == AtomKind::IndexLabel ? 1 : 0; });
        here = here || labels > 1;
      }
    });
    windows = windows || (here && is_contraction(pool, st));
  }
  return windows;
}

std::size_t bent_subscripts(FormulaPool& pool, const Statement& st) {
  const IndexPool& index = pool.index();
  std::size_t bent = 0;
  const auto moves = [&](IndexExpr e) { return !pool.free_labels(e).empty(); };
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
  visit_statement(pool, st, [&](ExprId e) {
    if (pool.node(e).kind == NodeKind::Reduce) pool.visit(pool.reduce_of(e).body, look);
  });
  return bent;
}

std::size_t bent_subscripts(FormulaPool& pool, const Formula& formula) {
  std::size_t bent = 0;
  for (const Statement& st : formula.statements)
    if (is_contraction(pool, st) || is_window(pool, st)) bent += bent_subscripts(pool, st);
  return bent;
}

bool reorders(FormulaPool& pool, const Statement& st) {
  if (pool.node(st.body).kind != NodeKind::Read || st.labels.empty()) return false;
  const ReadParts read = pool.read_of(st.body);
  if (read.fill.valid()) return true;
  const auto last = pool.index().as_atom(pool.index().from_atom(st.labels.back()));
  return !read.subscripts.empty() && !pool.index().mentions(read.subscripts.back(), *last);
}

bool permutes_rows(FormulaPool& pool, const Formula& formula) {
  if (!is_movement(pool, formula) || reorders(pool, formula.statements[0])) return false;
  const Statement& st = formula.statements[0];
  if (pool.node(st.body).kind != NodeKind::Read || st.labels.empty()) return false;
  IndexPool& index = pool.index();
  const ReadParts read = pool.read_of(st.body);
  const auto& shape = formula.tensor(read.tensor).shape;
  std::vector<AtomId> missing(st.labels.begin(), st.labels.end());
  for (std::size_t d = 0; d < read.subscripts.size(); ++d) {
    const auto label = std::find_if(missing.begin(), missing.end(), [&](AtomId l) {
      return index.from_atom(l) == read.subscripts[d] && index.atom(l).a == shape[d];
    });
    if (label == missing.end()) return false;
    missing.erase(label);
  }
  return missing.empty() && index.from_atom(st.labels.back()) == read.subscripts.back();
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

bool unpacks(FormulaPool& pool, const Formula& formula) {
  if (formula.statements.size() != 1) return false;
  const Statement& st = formula.statements[0];
  if (!st.pull || st.guard.valid()) return false;
  bool reduces = false;
  pool.visit(st.body, [&](ExprId e) { reduces |= pool.node(e).kind == NodeKind::Reduce; });
  const auto bytes = [&](const FormulaTensor& tensor) {
    auto out = static_cast<std::int64_t>(dtype_info(tensor.dtype).bytes);
    for (const IndexExpr extent : tensor.shape) {
      const auto size = pool.index().as_constant(extent);
      if (!size) return std::int64_t{-1};
      out = saturating_mul(out, *size);
    }
    return out;
  };
  const FormulaTensor& result = formula.tensor(st.result);
  std::int64_t read = 0;
  bool stored = false;
  for (std::size_t i = 0; i < formula.operand_count(); ++i) {
    const FormulaTensor& operand = formula.tensors[i];
    const std::int64_t of_operand = bytes(operand);
    if (of_operand < 0) return false;
    read += of_operand;
    stored |= is_integer(operand.dtype) && dtype_info(operand.dtype).bytes == 1;
  }
  return !reduces && stored && is_float(result.dtype) && read <= bytes(result) / 2;
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
