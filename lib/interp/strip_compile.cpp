// Compiles scalar expressions and subscripts for the strip machine.
#include <algorithm>

#include "diag/kinds_interp.h"
#include "interp/strip_compiler.h"
#include "support/result.h"

namespace mlgc::strips {

StripCompiler::StripCompiler(FormulaPool& pool, const SymbolValues& symbols, const std::vector<std::int64_t>& extents,
                             std::vector<ExprId> running)
    : pool_(pool), symbols_(symbols), extents_(extents), running_(std::move(running)), slots_(extents.size()) {}

std::uint32_t StripCompiler::slot(AtomId label) const { return pool_.index().atom(label).number; }

namespace {
void join(std::vector<bool>& into, const std::vector<bool>& from) {
  for (std::size_t i = 0; i < from.size(); ++i)
    if (from[i]) into[i] = true;
}

// The expressions e of a guard `0 <= e and ...`, as FormulaPool::non_negative writes them.
std::vector<IndexExpr> non_negative_conjuncts(const FormulaPool& pool, ExprId guard) {
  std::vector<IndexExpr> out;
  std::vector<ExprId> work{guard};
  while (!work.empty()) {
    const ExprId e = work.back();
    work.pop_back();
    if (pool.node(e).kind != NodeKind::Call) continue;
    const auto args = pool.arguments(e);
    if (pool.fn(e) == ScalarFn::And) {
      work.insert(work.end(), args.rbegin(), args.rend());
    } else if (pool.fn(e) == ScalarFn::Le && pool.is_literal(args[0], 0) && pool.node(args[1]).kind == NodeKind::Cast) {
      const ExprId inner = pool.arguments(args[1])[0];
      if (pool.node(inner).kind == NodeKind::Index) out.push_back(pool.index_of(inner));
    }
  }
  return out;
}

}  // namespace

std::unique_ptr<IndexProgram> StripCompiler::compile(IndexExpr e) {
  IndexPool& index = pool_.index();
  e = index.substitute(e, [&](AtomId id) -> std::optional<IndexExpr> {
    if (index.atom(id).kind != AtomKind::Symbol) return std::nullopt;
    const auto v = symbols_.find(id);
    if (!v) throw diagnose<kUnboundSymbol>({}, index.symbol_name(id));
    return index.constant(*v);
  });
  auto program = std::make_unique<IndexProgram>();
  program->labels.assign(slots_, false);
  program->slope.assign(slots_, 0);
  program->linear.assign(slots_, true);
  if (e == index.overflow()) throw diagnose<kNoSubscript>({});
  for (std::size_t t = 0; t < index.term_count(e); ++t) {
    const Term term = index.term(e, t);
    if (term.factors.empty()) {
      program->constant = term.coefficient;
      continue;
    }
    IndexProgram::Term compiled{term.coefficient, {}};
    const std::vector<AtomId> factors(term.factors.begin(), term.factors.end());
    for (AtomId id : factors) {
      const Atom atom = index.atom(id);
      IndexProgram::Factor factor{atom.kind, 0, nullptr, nullptr, nullptr};
      std::vector<bool> on(slots_, false);
      switch (atom.kind) {
        case AtomKind::IndexLabel:
          factor.label = atom.number;
          on[atom.number] = true;
          break;
        case AtomKind::Opaque:
          factor.value = compile(ExprId(atom.number));
          on = factor.value->labels;
          break;
        case AtomKind::Symbol: throw InternalError("a symbol survived substitution");
        default:
          factor.a = compile(atom.a);
          factor.b = compile(atom.b);
          join(on, factor.a->labels);
          join(on, factor.b->labels);
      }
      for (std::size_t s = 0; s < slots_; ++s) {
        if (!on[s]) continue;
        if (atom.kind == AtomKind::IndexLabel && factors.size() == 1)
          program->slope[s] += term.coefficient;
        else
          program->linear[s] = false;
      }
      join(program->labels, on);
      compiled.factors.push_back(std::move(factor));
    }
    program->affine =
        program->affine && compiled.factors.size() == 1 && compiled.factors[0].kind == AtomKind::IndexLabel;
    program->terms.push_back(std::move(compiled));
  }
  return program;
}

std::unique_ptr<Node> StripCompiler::compile(ExprId e) {
  const ExprNode n = pool_.node(e);
  auto node = std::make_unique<Node>();
  node->kind = n.kind;
  node->type = n.type;
  node->real = is_float(n.type);
  node->labels.assign(slots_, false);
  auto child = [&](ExprId c) {
    node->children.push_back(compile(c));
    join(node->labels, node->children.back()->labels);
  };
  switch (n.kind) {
    case NodeKind::Literal:
      node->literal_real = pool_.literal_real(e);
      if (!node->real) node->literal_integer = pool_.literal_integer(e);
      break;
    case NodeKind::Index:
      node->real = false;
      node->index = compile(pool_.index_of(e));
      join(node->labels, node->index->labels);
      break;
    case NodeKind::Read: {
      const ReadParts parts = pool_.read_of(e);
      node->tensor = parts.tensor.value;
      for (IndexExpr s : parts.subscripts) {
        node->subscripts.push_back(compile(s));
        join(node->labels, node->subscripts.back()->labels);
      }
      if (parts.fill.valid()) child(parts.fill);
      break;
    }
    case NodeKind::Reduce: {
      const ReduceParts parts = pool_.reduce_of(e);
      node->reduction = parts.reduction;
      node->running = std::find(running_.begin(), running_.end(), e) != running_.end();
      // Over nothing the body is not evaluated, and its subscripts may divide by the extent that is 0.
      const bool nothing =
          std::any_of(parts.labels.begin(), parts.labels.end(), [&](AtomId l) { return extents_[slot(l)] == 0; });
      if (nothing) {
        const Dtype type = pool_.type(parts.body);
        child(is_float(type)      ? pool_.real(0, type, false)
              : type == Dtype::I1 ? pool_.boolean(false)
                                  : pool_.integer(0, type, false));
      } else {
        child(parts.body);
      }
      const bool argument = parts.reduction == Reduction::ArgMax || parts.reduction == Reduction::ArgMin;
      const bool extremum = argument || parts.reduction == Reduction::Max || parts.reduction == Reduction::Min;
      node->refuses_nothing = extremum && (argument || !parts.guard.valid());
      if (parts.guard.valid() && !nothing && !pool_.is_literal(parts.guard, 1)) {
        child(parts.guard);
        for (IndexExpr conjunct : non_negative_conjuncts(pool_, parts.guard)) node->bounds.push_back(compile(conjunct));
      }
      for (AtomId l : parts.labels) {
        node->reduced.push_back(slot(l));
        node->labels[slot(l)] = false;
      }
      break;
    }
    default:
      node->fn = static_cast<ScalarFn>(n.fn);
      for (ExprId a : pool_.arguments(e)) child(a);
  }
  return node;
}

}  // namespace mlgc::strips
