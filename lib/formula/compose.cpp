// See compose.h.
#include "formula/compose.h"

#include <optional>
#include <utility>
#include <vector>

namespace mlgc {
void append_statements(FormulaPool& pool, Formula& into, const Formula& from, std::span<const TensorId> tensors,
                       const ReadMaker& read) {
  IndexPool& index = pool.index();
  const auto reads = [&](ExprId e, const ReadParts& parts) {
    ReadParts moved = parts;
    moved.tensor = tensors[parts.tensor.index()];
    return read ? read(e, moved) : pool.read(pool.type(e), moved.tensor, moved.subscripts, moved.fill);
  };
  for (const Statement& st : from.statements) {
    std::vector<std::pair<AtomId, IndexExpr>> renamed;
    Statement copy = st;
    copy.labels.clear();
    for (const AtomId l : st.labels) {
      const Atom atom = index.atom(l);
      copy.labels.push_back(into.fresh_label(index, from.label_names.at(atom.number), atom.a));
      renamed.emplace_back(l, index.from_atom(copy.labels.back()));
    }
    const auto labels = [&](AtomId l) -> std::optional<IndexExpr> {
      for (const auto& [old_label, replacement] : renamed)
        if (old_label == l) return replacement;
      return std::nullopt;
    };
    const FormulaPool::Rewrite how{labels, reads};
    for (IndexExpr& s : copy.subscripts) s = pool.rewrite(s, how);
    copy.body = copy_expression(pool, into, st.body, from, labels, reads);
    if (st.guard.valid()) copy.guard = copy_expression(pool, into, st.guard, from, labels, reads);
    if (st.base.valid()) copy.base = tensors[st.base.index()];
    copy.result = tensors[st.result.index()];
    into.statements.push_back(std::move(copy));
  }
}

ExprId read_through(FormulaPool& pool, Formula& formula, const Statement& producer, const ReadParts& read) {
  IndexPool& index = pool.index();
  const auto labels = [&](AtomId l) -> std::optional<IndexExpr> {
    for (std::size_t d = 0; d < producer.subscripts.size(); ++d)
      if (index.as_atom(producer.subscripts[d]) == l) return read.subscripts[d];
    return std::nullopt;
  };
  ExprId body = copy_expression(pool, formula, producer.body, formula, labels, {});
  const FormulaTensor& tensor = formula.tensor(producer.result);
  // What is not stored any more is rounded as the store did.
  const bool half = tensor.dtype == Dtype::F16 || tensor.dtype == Dtype::BF16;
  if (half && !moves_only(pool, body)) body = pool.cast(pool.cast(body, Dtype::F32), tensor.dtype);
  if (!read.fill.valid()) return body;
  const std::vector<IndexExpr>& shape = tensor.shape;
  ExprId inside;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    inside = pool.both(inside, pool.non_negative(read.subscripts[d]));
    inside =
        pool.both(inside, pool.non_negative(index.sub(index.sub(shape[d], index.constant(1)), read.subscripts[d])));
  }
  return inside.valid() ? pool.select(inside, body, read.fill) : body;
}

bool moves_only(const FormulaPool& pool, ExprId e) {
  switch (pool.node(e).kind) {
    case NodeKind::Read:
    case NodeKind::Literal: return true;
    case NodeKind::Select: {
      const auto args = pool.arguments(e);
      bool index_condition = true;
      pool.visit(args[0], [&](ExprId below) {
        if (pool.node(below).kind == NodeKind::Read) index_condition = false;
      });
      return index_condition && moves_only(pool, args[1]) && moves_only(pool, args[2]);
    }
    default: return false;
  }
}

}  // namespace mlgc
