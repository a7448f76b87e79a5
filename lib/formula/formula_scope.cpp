// See formula_scope.h.
#include "formula/formula_scope.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace mlgc::instantiation {

FormulaScope::FormulaScope(FormulaPool& pool, const FormulaSyntax& syntax, const std::vector<FormulaOperand>& operands,
                           const AttrValues& attributes, const Facts& facts)
    : pool_(pool), index_(pool.index()), syntax_(syntax), attributes_(attributes), facts_(facts) {
  for (const FormulaOperand& o : operands) {
    if (!o.present) absent_.push_back(o.name);
    add_tensor({o.name, TensorRole::Operand, o.dtype, o.shape});
  }
}

TensorId FormulaScope::add_tensor(FormulaTensor tensor) {
  std::string name = tensor.name;
  const TensorId added = formula_.add_tensor(std::move(tensor));
  tensors_.emplace(std::move(name), added);
  return added;
}

// By name, which Formula::find() looks for one after the other: an op may have any number of operands.
std::optional<TensorId> FormulaScope::find_tensor(std::string_view name) const {
  const auto found = tensors_.find(std::string(name));
  return found == tensors_.end() ? std::nullopt : std::optional(found->second);
}

bool FormulaScope::is_absent(std::string_view name) const {
  return std::find(absent_.begin(), absent_.end(), name) != absent_.end();
}

std::string FormulaScope::show(IndexExpr e) const {
  return index_.print(e, [&](AtomId id) { return label_name(id); });
}

std::string FormulaScope::label_name(AtomId id) const {
  const Atom& a = index_.atom(id);
  return a.kind == AtomKind::IndexLabel ? formula_.label_names.at(a.number) : "?";
}

std::vector<IndexExpr> FormulaScope::int_list(const std::string& name) const {
  const AttrValue* v = attribute(name);
  if (!v) return {};
  if (const auto* one = std::get_if<IndexExpr>(v)) return {*one};
  if (const auto* list = std::get_if<std::vector<IndexExpr>>(v)) return *list;
  refuse<kFormulaSyntax>("attribute `" + name + "` is not a list of integers", 0);
}

std::vector<std::size_t> FormulaScope::axes(const std::string& text, std::size_t rank, bool permutation) const {
  std::vector<std::size_t> out;
  auto add = [&](std::int64_t a) {
    const std::int64_t r = static_cast<std::int64_t>(rank);
    // A scalar has the axes 0 and -1, as in PyTorch.
    if (rank == 0 && (a == 0 || a == -1)) return;
    if (a < -r || a >= r) refuse<kAxisOutOfRange>(a, text, r);
    const std::size_t axis = static_cast<std::size_t>(a < 0 ? a + r : a);
    if (std::find(out.begin(), out.end(), axis) != out.end()) refuse<kAxisRepeated>(a, text);
    out.push_back(axis);
  };
  const bool literal = !text.empty() && (text[0] == '-' || (text[0] >= '0' && text[0] <= '9'));
  if (literal) {
    add(std::strtoll(text.c_str(), nullptr, 10));
    return out;
  }
  if (text == "every" || !attribute(text)) {
    for (std::size_t i = 0; i < rank; ++i) out.push_back(i);
    return out;
  }
  for (IndexExpr e : int_list(text)) {
    const auto c = index_.as_constant(e);
    if (!c) refuse<kFormulaSyntax>("an axis in `" + text + "` is not a constant", 0);
    add(*c);
  }
  if (permutation && out.size() != rank)
    refuse<kListLength>(text, static_cast<std::int64_t>(out.size()), static_cast<std::int64_t>(rank));
  return out;
}

bool FormulaScope::flag(const std::string& name) const {
  if (name.empty()) return false;
  const AttrValue* v = attribute(name);
  const bool* b = v ? std::get_if<bool>(v) : nullptr;
  return b && *b;
}

std::optional<TensorId> FormulaScope::tensor_of(const SyntaxNode& n) const {
  if (is_absent(n.text)) return std::nullopt;
  auto id = find_tensor(n.text);
  if (!id) bad(n, "`" + n.text + "` is neither an operand nor an earlier result");
  return id;
}

const FormulaTensor& FormulaScope::operand_of(const SyntaxNode& n, std::size_t i) const {
  if (i >= n.children.size()) bad(n, "`" + n.text + "` needs the name of an operand");
  const std::string& name = at(n.children[i]).text;
  const auto tensor = find_tensor(name);
  if (!tensor || is_absent(name)) bad(n, "`" + n.text + "` of `" + name + "`, which is no operand");
  return formula_.tensor(*tensor);
}

void FormulaScope::check_extent(const std::string& label, IndexExpr size) const {
  const bool negative = index_.is_non_negative(index_.sub(index_.constant(-1), size), facts_);
  if (size == index_.overflow() || negative) refuse<kBadExtent>(label, show(size));
  // What no index expression could say: a division by 0, or something that depends on data.
  bool opaque = false;
  index_.for_each_atom(size, [&](AtomId a) { opaque = opaque || index_.atom(a).kind == AtomKind::Opaque; });
  if (opaque) refuse<kBadExtent>(label, "a division by 0, or something that is no size");
}

}  // namespace mlgc::instantiation
