// Composition and substitution.
#include "ops/fuse.h"

#include <algorithm>

#include "support/result.h"

namespace mlgc {
namespace {

class Substituter {
 public:
  Substituter(FormulaPool& pool, Formula& formula) : pool_(pool), index_(pool.index()), f_(formula) {}

  std::vector<Substitution> run() {
    std::vector<Substitution> report;
    for (std::size_t s = 0; s < f_.statements.size();) {
      const Statement st = f_.statements[s];
      if (f_.tensor(st.result).role != TensorRole::Temporary) {
        ++s;
        continue;
      }
      const SubstitutionVerdict verdict = judge(st);
      report.push_back({f_.tensor(st.result).name, verdict});
      if (verdict > SubstitutionVerdict::OnceEach) {
        ++s;
        continue;
      }
      replace_reads(st);
      f_.statements.erase(f_.statements.begin() + static_cast<std::ptrdiff_t>(s));
    }
    return report;
  }

 private:
  // How the reads of a tensor relate to the letters around them.
  struct Readers {
    std::size_t count = 0;
    bool once = true;   // every read has bare, distinct subscripts that use up all letters in scope
    bool base = false;  // some push starts from the tensor
  };

  void look(ExprId e, TensorId tensor, std::vector<AtomId>& scope, Readers& out) {
    const ExprNode n = pool_.node(e);
    auto in_subscript = [&](IndexExpr s) {
      pool_.visit(s, [&](ExprId below) {
        if (pool_.node(below).kind == NodeKind::Read && pool_.read_of(below).tensor == tensor) {
          ++out.count;
          out.once = false;
        }
      });
    };
    switch (n.kind) {
      case NodeKind::Literal: return;
      case NodeKind::Index: return in_subscript(pool_.index_of(e));
      case NodeKind::Read: {
        const ReadParts parts = pool_.read_of(e);
        for (IndexExpr s : parts.subscripts) in_subscript(s);
        if (parts.fill.valid()) look(parts.fill, tensor, scope, out);
        if (parts.tensor != tensor) return;
        ++out.count;
        std::vector<AtomId> seen;
        for (IndexExpr s : parts.subscripts) {
          const auto atom = index_.as_atom(s);
          const bool letter = atom && index_.atom(*atom).kind == AtomKind::Letter;
          if (letter && std::find(seen.begin(), seen.end(), *atom) == seen.end())
            seen.push_back(*atom);
          else if (index_.as_constant(s) != 0)
            out.once = false;
        }
        if (seen.size() != scope.size()) out.once = false;
        return;
      }
      case NodeKind::Reduce: {
        const ReduceParts parts = pool_.reduce_of(e);
        scope.insert(scope.end(), parts.letters.begin(), parts.letters.end());
        if (parts.guard.valid()) look(parts.guard, tensor, scope, out);
        look(parts.body, tensor, scope, out);
        scope.resize(scope.size() - parts.letters.size());
        return;
      }
      default:
        for (ExprId a : pool_.arguments(e)) look(a, tensor, scope, out);
    }
  }

  SubstitutionVerdict judge(const Statement& producer) {
    if (!producer.pull) return SubstitutionVerdict::Push;
    Readers readers;
    for (const Statement& st : f_.statements) {
      std::vector<AtomId> scope = st.letters;
      look(st.body, producer.result, scope, readers);
      if (st.guard.valid()) look(st.guard, producer.result, scope, readers);
      for (IndexExpr s : st.subscripts)
        pool_.visit(s, [&](ExprId below) {
          if (pool_.node(below).kind == NodeKind::Read && pool_.read_of(below).tensor == producer.result)
            readers.base = true;
        });
      if (st.base == producer.result) readers.base = true;
    }
    if (readers.base) return SubstitutionVerdict::ReadRepeatedly;
    if (moves_only(pool_, producer.body)) return SubstitutionVerdict::Movement;
    if (readers.count <= 1 && readers.once) return SubstitutionVerdict::OnceEach;
    bool reduces = false;
    pool_.visit(producer.body, [&](ExprId e) { reduces |= pool_.node(e).kind == NodeKind::Reduce; });
    return reduces ? SubstitutionVerdict::Reduction : SubstitutionVerdict::ReadRepeatedly;
  }

  void replace_reads(const Statement& producer) {
    FormulaPool::Rewrite how;
    how.reads = [&](ExprId read, const ReadParts& parts) {
      if (parts.tensor != producer.result)
        return pool_.read(pool_.type(read), parts.tensor, parts.subscripts, parts.fill);
      return read_through(pool_, f_, producer, parts);
    };
    for (Statement& st : f_.statements) {
      if (st.result == producer.result) continue;
      st.body = pool_.rewrite(st.body, how);
      if (st.guard.valid()) st.guard = pool_.rewrite(st.guard, how);
      for (IndexExpr& s : st.subscripts) s = pool_.rewrite(s, how);
    }
  }

  FormulaPool& pool_;
  IndexPool& index_;
  Formula& f_;
};

}  // namespace

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
    copy.letters.clear();
    for (const AtomId l : st.letters) {
      const Atom atom = index.atom(l);
      copy.letters.push_back(into.fresh_letter(index, from.letter_names.at(atom.number), atom.a));
      renamed.emplace_back(l, index.from_atom(copy.letters.back()));
    }
    const auto letters = [&](AtomId l) -> std::optional<IndexExpr> {
      for (const auto& [old_letter, replacement] : renamed)
        if (old_letter == l) return replacement;
      return std::nullopt;
    };
    const FormulaPool::Rewrite how{letters, reads};
    for (IndexExpr& s : copy.subscripts) s = pool.rewrite(s, how);
    copy.body = copy_expression(pool, into, st.body, from, letters, reads);
    if (st.guard.valid()) copy.guard = copy_expression(pool, into, st.guard, from, letters, reads);
    if (st.base.valid()) copy.base = tensors[st.base.index()];
    copy.result = tensors[st.result.index()];
    into.statements.push_back(std::move(copy));
  }
}

ExprId read_through(FormulaPool& pool, Formula& formula, const Statement& producer, const ReadParts& read) {
  IndexPool& index = pool.index();
  const auto letters = [&](AtomId l) -> std::optional<IndexExpr> {
    for (std::size_t d = 0; d < producer.subscripts.size(); ++d)
      if (index.as_atom(producer.subscripts[d]) == l) return read.subscripts[d];
    return std::nullopt;
  };
  ExprId body = copy_expression(pool, formula, producer.body, formula, letters, {});
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

std::string_view verdict_name(SubstitutionVerdict v) {
  constexpr std::string_view names[] = {"movement", "once-each", "read-repeatedly", "reduction", "push"};
  return names[static_cast<std::size_t>(v)];
}

Formula compose(FormulaPool& pool, const Formula& producer, std::size_t result, const Formula& consumer,
                TensorId operand) {
  Formula out;
  std::vector<TensorId> of_producer(producer.tensors.size()), of_consumer(consumer.tensors.size());
  auto add = [&](FormulaTensor t) {
    t.name = out.unique_tensor_name(t.name);
    return out.add_tensor(std::move(t));
  };
  const TensorId shared = producer.results().at(result);
  MLGC_ASSERT(producer.tensor(shared).shape == consumer.tensor(operand).shape &&
                  producer.tensor(shared).dtype == consumer.tensor(operand).dtype,
              "compose: the tensors differ in type");
  for (std::size_t i = 0; i < producer.operand_count(); ++i) of_producer[i] = add(producer.tensors[i]);
  for (std::size_t i = 0; i < consumer.operand_count(); ++i)
    if (TensorId(i) != operand) of_consumer[i] = add(consumer.tensors[i]);
  for (std::size_t i = producer.operand_count(); i < producer.tensors.size(); ++i) {
    FormulaTensor t = producer.tensors[i];
    t.role = TensorRole::Temporary;
    of_producer[i] = add(std::move(t));
  }
  of_consumer[operand.index()] = of_producer[shared.index()];
  for (std::size_t i = consumer.operand_count(); i < consumer.tensors.size(); ++i)
    of_consumer[i] = add(consumer.tensors[i]);
  append_statements(pool, out, producer, of_producer);
  append_statements(pool, out, consumer, of_consumer);
  return out;
}

std::vector<Substitution> substitute_temporaries(FormulaPool& pool, Formula& formula) {
  return Substituter(pool, formula).run();
}

}  // namespace mlgc
