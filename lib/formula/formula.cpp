// Formulas as values: tensors, index labels, copying, and the check of their guarantees.
#include "formula/formula.h"

#include <algorithm>
#include <charconv>

#include "support/result.h"

namespace mlgc {

namespace {

// `wanted`, or `stem` with the least number from `first` on that makes it unlike all names that are taken. Linear in
// these, however many of them are numbered.
template <class Items, class NameOf>
std::string unlike(std::string_view wanted, std::string_view stem, std::size_t first, const Items& taken,
                   const NameOf& name_of) {
  bool free = true;
  for (const auto& item : taken) free = free && std::string_view(name_of(item)) != wanted;
  if (free) return std::string(wanted);
  std::vector<bool> used(first + taken.size() + 1);
  for (const auto& item : taken) {
    const std::string_view name = name_of(item);
    if (!name.starts_with(stem)) continue;
    const std::string_view digits = name.substr(stem.size());
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error == std::errc() && end == digits.data() + digits.size() && number < used.size()) used[number] = true;
  }
  while (used[first]) ++first;
  return std::string(stem) + std::to_string(first);
}

}  // namespace

std::size_t Formula::operand_count() const {
  return static_cast<std::size_t>(std::count_if(tensors.begin(), tensors.end(),
                                                [](const FormulaTensor& t) { return t.role == TensorRole::Operand; }));
}

std::vector<TensorId> Formula::results() const {
  std::vector<TensorId> out;
  for (std::size_t i = 0; i < tensors.size(); ++i)
    if (tensors[i].role == TensorRole::Result) out.emplace_back(i);
  return out;
}

std::optional<TensorId> Formula::find(std::string_view name) const {
  for (std::size_t i = 0; i < tensors.size(); ++i)
    if (tensors[i].name == name) return TensorId(i);
  return std::nullopt;
}

TensorId Formula::add_tensor(FormulaTensor tensor) {
  tensors.push_back(std::move(tensor));
  return TensorId(tensors.size() - 1);
}

std::string Formula::unique_tensor_name(std::string_view wanted) const {
  if (wanted.empty()) return {};  // as are tensors of formulas that are not printed
  return unlike(wanted, std::string(wanted) + "_", 2, tensors,
                [](const FormulaTensor& tensor) -> std::string_view { return tensor.name; });
}

AtomId Formula::fresh_label(IndexPool& pool, std::string_view name, IndexExpr extent) {
  if (name.empty()) {  // as are index labels of formulas that are not printed
    label_names.emplace_back();
    return *pool.as_atom(pool.index_label(static_cast<std::uint32_t>(label_names.size() - 1), extent));
  }
  // Trailing digits are dropped before numbering, so that copies of copies do not grow their names.
  std::string_view stem = name;
  while (stem.size() > 1 && stem.back() >= '0' && stem.back() <= '9') stem.remove_suffix(1);
  std::string unique =
      unlike(name, stem, 1, label_names, [](const std::string& taken) -> std::string_view { return taken; });
  label_names.push_back(std::move(unique));
  return *pool.as_atom(pool.index_label(static_cast<std::uint32_t>(label_names.size() - 1), extent));
}

ExprId copy_expression(FormulaPool& pool, Formula& into, ExprId e, const Formula& from,
                       const std::function<std::optional<IndexExpr>(AtomId)>& labels,
                       const std::function<ExprId(ExprId, const ReadParts&)>& reads) {
  // Reduction labels get fresh numbers in `into`; their extents are rewritten as well.
  std::vector<std::pair<AtomId, IndexExpr>> fresh;
  pool.visit(e, [&](ExprId below) {
    if (pool.node(below).kind != NodeKind::Reduce) return;
    for (AtomId l : pool.reduce_of(below).labels) {
      if (std::any_of(fresh.begin(), fresh.end(), [&](const auto& f) { return f.first == l; })) continue;
      const Atom atom = pool.index().atom(l);
      const AtomId copy = into.fresh_label(pool.index(), from.label_names.at(atom.number), atom.a);
      fresh.emplace_back(l, pool.index().from_atom(copy));
    }
  });
  FormulaPool::Rewrite how;
  how.labels = [&](AtomId l) -> std::optional<IndexExpr> {
    for (const auto& [old_label, replacement] : fresh)
      if (old_label == l) return replacement;
    return labels ? labels(l) : std::nullopt;
  };
  how.reads = reads;
  return pool.rewrite(e, how);
}

std::optional<std::string> check_formula(FormulaPool& pool, const Formula& formula) {
  IndexPool& index = pool.index();
  std::vector<bool> defined(formula.tensors.size());
  for (std::size_t i = 0; i < formula.tensors.size(); ++i) defined[i] = formula.tensors[i].role == TensorRole::Operand;
  for (std::size_t s = 0; s < formula.statements.size(); ++s) {
    const Statement& st = formula.statements[s];
    const FormulaTensor& target = formula.tensor(st.result);
    const std::string where = "statement " + std::to_string(s) + " (`" + target.name + "`): ";
    std::optional<std::string> problem;
    auto check = [&](ExprId root, bool boolean) {
      if (boolean && pool.type(root) != Dtype::I1) problem = where + "a guard that is not i1";
      pool.visit(root, [&](ExprId e) {
        const ExprNode& n = pool.node(e);
        if (n.weak && n.kind != NodeKind::Index) problem = where + "an expression without a type";
        if (n.kind != NodeKind::Read) return;
        const ReadParts parts = pool.read_of(e);
        if (parts.tensor.index() >= formula.tensors.size() || !defined[parts.tensor.index()])
          problem = where + "reads a tensor before it is written";
        else if (formula.tensor(parts.tensor).shape.size() != parts.subscripts.size())
          problem = where + "reads `" + formula.tensor(parts.tensor).name + "` with a wrong number of subscripts";
        else if (formula.tensor(parts.tensor).dtype != n.type)
          problem = where + "reads `" + formula.tensor(parts.tensor).name + "` with a wrong dtype";
      });
    };
    check(st.body, false);
    if (st.guard.valid()) check(st.guard, true);
    if (problem) return problem;
    if (pool.type(st.body) != target.dtype) return where + "the body's dtype is not the result's";
    if (st.subscripts.size() != target.shape.size()) return where + "a wrong number of subscripts is written";
    std::vector<AtomId> allowed = st.labels;
    std::sort(allowed.begin(), allowed.end());
    for (ExprId e : {st.body, st.guard}) {
      if (!e.valid()) continue;
      const auto free = pool.free_labels(e);
      if (!std::includes(allowed.begin(), allowed.end(), free.begin(), free.end()))
        return where + "an index label is not bound";
    }
    for (IndexExpr sub : st.subscripts) {
      const auto free = pool.free_labels(sub);
      if (!std::includes(allowed.begin(), allowed.end(), free.begin(), free.end()))
        return where + "an index label of a subscript is not bound";
    }
    if (st.pull) {
      std::vector<AtomId> seen;
      for (std::size_t d = 0; d < st.subscripts.size(); ++d) {
        if (index.as_constant(st.subscripts[d]) == 0 && index.as_constant(target.shape[d]) == 1) continue;
        const auto atom = index.as_atom(st.subscripts[d]);
        if (!atom || index.atom(*atom).kind != AtomKind::IndexLabel || index.atom(*atom).a != target.shape[d] ||
            std::find(seen.begin(), seen.end(), *atom) != seen.end())
          return where + "in gather form each subscript is an index label of its own over the whole dim";
        seen.push_back(*atom);
      }
      if (seen.size() != st.labels.size() || st.guard.valid() || st.write != WriteOp::Set)
        return where + "in gather form there are no further index labels and no guards";
    }
    defined[st.result.index()] = true;
  }
  return std::nullopt;
}

}  // namespace mlgc
