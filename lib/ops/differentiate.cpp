// The reverse walk over bodies, and the assembly of a gradient formula.
#include "ops/differentiate.h"

#include <algorithm>
#include <array>
#include <map>

#include "ops/formula_syntax.h"
#include "ops/instantiate.h"
#include "ops/invert.h"
#include "support/result.h"

namespace mlgc {
namespace {

// Partial derivatives are text in the table of scalar functions; each is parsed once.
const FormulaSyntax* partial_syntax(ScalarFn fn, std::size_t argument) {
  using Table = std::array<std::array<FormulaSyntax, 2>, kScalarFnCount>;
  static const Table table = [] {
    Table t;
    for (std::size_t f = 0; f < kScalarFnCount; ++f) {
      for (std::size_t a = 0; a < 2; ++a) {
        const std::string_view text = scalar_fn_info(static_cast<ScalarFn>(f)).partials[a];
        if (text.empty()) continue;
        auto parsed = parse_formula_syntax(text);
        MLGC_ASSERT(parsed.ok(), "a partial derivative that does not parse: " + std::string(text));
        t[f][a] = std::move(*parsed);
      }
    }
    return t;
  }();
  const FormulaSyntax& syntax = table[static_cast<std::size_t>(fn)][argument];
  return syntax.statements.empty() ? nullptr : &syntax;
}

class Gradient {
 public:
  Gradient(FormulaPool& pool, const Formula& source, const GradientOptions& options)
      : pool_(pool), index_(pool.index()), source_(source), options_(options) {}

  Formula run(std::span<const TensorId> wanted) {
    out_.letter_names = source_.letter_names;
    // Operands keep their numbers; cotangents come between them and what the forward statements write.
    const std::size_t operands = source_.operand_count();
    map_.resize(source_.tensors.size());
    for (std::size_t i = 0; i < operands; ++i) map_[i] = out_.add_tensor(source_.tensors[i]);
    for (TensorId r : source_.results()) {
      const FormulaTensor& t = source_.tensor(r);
      if (!is_float(t.dtype)) continue;
      const TensorId g =
          out_.add_tensor({out_.unique_tensor_name("g_" + t.name), TensorRole::Operand, t.dtype, t.shape});
      cotangent_[r] = g;
    }
    wanted_.assign(wanted.begin(), wanted.end());
    find_active();
    for (const Statement& st : source_.statements) copy_forward(st);
    for (auto it = source_.statements.rbegin(); it != source_.statements.rend(); ++it) backward(*it);
    for (TensorId w : wanted) {
      MLGC_ASSERT(is_float(source_.tensor(w).dtype), "a gradient of an operand that is not float");
      materialise(w, "d_" + source_.tensor(w).name, TensorRole::Result);
    }
    drop_unused();
    return std::move(out_);
  }

 private:
  struct Walk {
    std::vector<AtomId> letters;
    ExprId guard;
  };

  // A tensor is active when a wanted operand reaches it; adjoints of others are not computed.
  void find_active() {
    active_.assign(source_.tensors.size(), false);
    for (TensorId w : wanted_) active_[w.index()] = true;
    for (const Statement& st : source_.statements) {
      if (!is_float(source_.tensor(st.result).dtype)) continue;
      bool any = st.base.valid() && active_[st.base.index()];
      pool_.visit(st.body, [&](ExprId e) {
        if (pool_.node(e).kind == NodeKind::Read && active_[pool_.read_of(e).tensor.index()]) any = true;
      });
      active_[st.result.index()] = any;
    }
  }

  ExprId translate(ExprId e) {
    FormulaPool::Rewrite how;
    how.reads = [&](ExprId read, const ReadParts& parts) {
      return pool_.read(pool_.type(read), map_[parts.tensor.index()], parts.subscripts, parts.fill);
    };
    return pool_.rewrite(e, how);
  }
  IndexExpr translate(IndexExpr e) {
    FormulaPool::Rewrite how;
    how.reads = [&](ExprId read, const ReadParts& parts) {
      return pool_.read(pool_.type(read), map_[parts.tensor.index()], parts.subscripts, parts.fill);
    };
    return pool_.rewrite(e, how);
  }

  void copy_forward(const Statement& st) {
    FormulaTensor t = source_.tensor(st.result);
    t.role = TensorRole::Temporary;
    t.name = out_.unique_tensor_name(t.name);
    Statement copy = st;
    copy.body = translate(st.body);
    if (st.guard.valid()) copy.guard = translate(st.guard);
    for (IndexExpr& s : copy.subscripts) s = translate(s);
    if (st.base.valid()) copy.base = map_[st.base.index()];
    map_[st.result.index()] = out_.add_tensor(std::move(t));
    copy.result = map_[st.result.index()];
    out_.statements.push_back(std::move(copy));
  }

  // The adjoint of a tensor of the source: its cotangent and all contributions, as one tensor of the result. Nothing
  // when it is zero.
  std::optional<TensorId> adjoint(TensorId source) {
    const bool has_cotangent = cotangent_.contains(source);
    const auto it = contributions_.find(source);
    if (it == contributions_.end() || it->second.empty()) {
      if (has_cotangent) return cotangent_[source];
      return std::nullopt;
    }
    return materialise(source, "g_" + source_.tensor(source).name, TensorRole::Temporary);
  }

  TensorId materialise(TensorId source, const std::string& name, TensorRole role) {
    const FormulaTensor& t = source_.tensor(source);
    std::vector<Push> remaining;
    ExprId sum;
    std::vector<AtomId> output;
    std::vector<IndexExpr> subscripts;
    for (std::size_t d = 0; d < t.shape.size(); ++d) {
      output.push_back(out_.fresh_letter(index_, letter_hint(source, d), t.shape[d]));
      subscripts.push_back(index_.from_atom(output.back()));
    }
    if (auto it = cotangent_.find(source); it != cotangent_.end()) sum = pool_.read(t.dtype, it->second, subscripts);
    for (const Push& push : contributions_[source]) {
      std::optional<ExprId> pulled;
      if (options_.invert) pulled = invert(pool_, out_, push, output);
      if (pulled) {
        const ExprId term = pool_.node(*pulled).weak ? pool_.coerce(*pulled, t.dtype) : *pulled;
        sum = sum.valid() ? pool_.call(ScalarFn::Add, sum, term) : term;
      } else {
        remaining.push_back(push);
      }
    }
    contributions_[source].clear();
    TensorId base;
    if (sum.valid() || remaining.empty()) {
      Statement st;
      st.letters = output;
      st.subscripts = subscripts;
      st.body = sum.valid() ? sum : pool_.real(0, t.dtype, false);
      base = write(std::move(st), remaining.empty() ? name : name + "_0",
                   remaining.empty() ? role : TensorRole::Temporary, t);
    }
    for (std::size_t i = 0; i < remaining.size(); ++i) {
      const bool last = i + 1 == remaining.size();
      Statement st;
      st.write = WriteOp::Add;
      st.pull = false;
      st.base = base;
      // Letters are a statement's own: contributions share those of the forward statement they came from.
      std::vector<std::pair<AtomId, IndexExpr>> renamed;
      for (AtomId l : remaining[i].letters) {
        st.letters.push_back(out_.fresh_letter(index_, out_.letter_names.at(index_.atom(l).number), index_.atom(l).a));
        renamed.emplace_back(l, index_.from_atom(st.letters.back()));
      }
      FormulaPool::Rewrite how;
      how.letters = lookup(renamed);
      for (IndexExpr e : remaining[i].subscripts) st.subscripts.push_back(pool_.rewrite(e, how));
      if (remaining[i].guard.valid())
        st.guard = copy_expression(pool_, out_, remaining[i].guard, out_, lookup(renamed), {});
      st.body = copy_expression(pool_, out_, remaining[i].body, out_, lookup(renamed), {});
      base = write(std::move(st), last ? name : name + "_" + std::to_string(i + 1), last ? role : TensorRole::Temporary,
                   t);
    }
    return base;
  }

  TensorId write(Statement st, const std::string& name, TensorRole role, const FormulaTensor& like) {
    st.result = out_.add_tensor({out_.unique_tensor_name(name), role, like.dtype, like.shape});
    out_.statements.push_back(st);
    return st.result;
  }

  // A name for the letter of a gradient's dim: that of the letter which some read uses there.
  std::string letter_hint(TensorId source, std::size_t d) {
    for (const Push& push : contributions_[source]) {
      const auto atom = index_.as_atom(push.subscripts[d]);
      if (atom && index_.atom(*atom).kind == AtomKind::Letter) return out_.letter_names.at(index_.atom(*atom).number);
    }
    return "j";
  }

  void backward(const Statement& st) {
    if (!active_[st.result.index()]) return;
    const auto g = adjoint(st.result);
    if (!g) return;
    const Dtype dtype = source_.tensor(st.result).dtype;
    std::vector<IndexExpr> subscripts;
    for (IndexExpr s : st.subscripts) subscripts.push_back(translate(s));
    const ExprId at = pool_.read(dtype, *g, subscripts);
    MLGC_ASSERT(st.write == WriteOp::Set || st.write == WriteOp::Add,
                "gradients of multiplying and extremal pushes have no rule");
    const ExprId guard = st.guard.valid() ? translate(st.guard) : ExprId();
    // The result of the whole body is at hand as the forward tensor.
    saved_ = translate(st.body);
    saved_read_ = st.pull ? pool_.read(dtype, map_[st.result.index()], subscripts) : ExprId();
    walk(saved_, at, {st.letters, guard});
    if (st.base.valid() && active_[st.base.index()]) push_to_base(st, *g, guard);
  }

  void push_to_base(const Statement& st, TensorId g, ExprId guard) {
    const FormulaTensor& t = source_.tensor(st.result);
    Push push;
    push.target = st.base;
    for (std::size_t d = 0; d < t.shape.size(); ++d) {
      push.letters.push_back(out_.fresh_letter(index_, "j", t.shape[d]));
      push.subscripts.push_back(index_.from_atom(push.letters.back()));
    }
    push.body = pool_.read(t.dtype, g, push.subscripts);
    if (st.write == WriteOp::Set) {
      // Elements that the push overwrote pass nothing to the base.
      ExprId hit = guard;
      for (std::size_t d = 0; d < st.subscripts.size(); ++d)
        hit = pool_.both(hit, pool_.is_zero(index_.sub(translate(st.subscripts[d]), push.subscripts[d])));
      if (!hit.valid()) hit = pool_.boolean(true);
      Formula& f = out_;
      std::vector<AtomId> letters;
      std::vector<std::pair<AtomId, IndexExpr>> renamed;
      for (AtomId l : st.letters) {
        letters.push_back(f.fresh_letter(index_, f.letter_names.at(index_.atom(l).number), index_.atom(l).a));
        renamed.emplace_back(l, index_.from_atom(letters.back()));
      }
      hit = copy_expression(pool_, f, hit, f, lookup(renamed), {});
      push.guard = pool_.call(ScalarFn::Not, pool_.reduce(Reduction::Any, letters, {}, hit));
    }
    contributions_[st.base].push_back(std::move(push));
  }

  static std::function<std::optional<IndexExpr>(AtomId)> lookup(
      const std::vector<std::pair<AtomId, IndexExpr>>& table) {
    return [&table](AtomId l) -> std::optional<IndexExpr> {
      for (const auto& [from, to] : table)
        if (from == l) return to;
      return std::nullopt;
    };
  }

  ExprId result_of(ExprId e) const { return e == saved_ && saved_read_.valid() ? saved_read_ : e; }

  // Whether some active tensor is read below e.
  bool depends(ExprId e) {
    bool any = false;
    pool_.visit(e, [&](ExprId below) {
      if (pool_.node(below).kind != NodeKind::Read) return;
      const TensorId t = pool_.read_of(below).tensor;
      for (std::size_t i = 0; i < map_.size(); ++i)
        if (map_[i] == t && active_[i]) any = true;
    });
    return any;
  }

  void walk(ExprId e, ExprId adjoint, const Walk& context) {
    const ExprNode n = pool_.node(e);
    if (!is_float(n.type) || !depends(e)) return;
    switch (n.kind) {
      case NodeKind::Literal:
      case NodeKind::Index:
      case NodeKind::Stop: return;
      case NodeKind::Read: return walk_read(e, adjoint, context);
      case NodeKind::Call: return walk_call(e, adjoint, context);
      case NodeKind::Select: {
        const auto a = pool_.arguments(e);
        Walk yes = context, no = context;
        yes.guard = pool_.both(context.guard, a[0]);
        no.guard = pool_.both(context.guard, pool_.call(ScalarFn::Not, a[0]));
        walk(a[1], adjoint, yes);
        return walk(a[2], adjoint, no);
      }
      case NodeKind::Cast: {
        const ExprId inner = pool_.arguments(e)[0];
        if (is_float(pool_.type(inner))) walk(inner, pool_.cast(adjoint, pool_.type(inner)), context);
        return;
      }
      case NodeKind::Reduce: return walk_reduce(e, adjoint, context);
    }
  }

  void walk_read(ExprId e, ExprId adjoint, const Walk& context) {
    const ReadParts parts = pool_.read_of(e);
    TensorId source;
    for (std::size_t i = 0; i < map_.size(); ++i)
      if (map_[i] == parts.tensor) source = TensorId(i);
    if (!source.valid() || !active_[source.index()]) return;
    Push push{source, context.letters, parts.subscripts, adjoint, context.guard};
    if (parts.fill.valid()) {
      const auto& shape = source_.tensor(source).shape;
      ExprId inside;
      for (std::size_t d = 0; d < shape.size(); ++d) {
        inside = pool_.both(inside, pool_.non_negative(parts.subscripts[d]));
        inside = pool_.both(
            inside, pool_.non_negative(index_.sub(index_.sub(shape[d], index_.constant(1)), parts.subscripts[d])));
      }
      push.guard = pool_.both(push.guard, inside);
      if (depends(parts.fill)) {
        Walk outside = context;
        outside.guard = pool_.both(context.guard, pool_.call(ScalarFn::Not, inside));
        walk(parts.fill, adjoint, outside);
      }
    }
    // A guard that can never hold contributes nothing.
    if (push.guard.valid() && pool_.node(push.guard).kind == NodeKind::Literal) {
      if (pool_.literal_integer(push.guard) == 0) return;
      push.guard = {};
    }
    contributions_[source].push_back(std::move(push));
  }

  void walk_call(ExprId e, ExprId adjoint, const Walk& context) {
    const auto args = pool_.arguments(e);
    for (std::size_t i = 0; i < args.size(); ++i) {
      if (!is_float(pool_.type(args[i])) || !depends(args[i])) continue;
      const FormulaSyntax* partial = partial_syntax(pool_.fn(e), i);
      if (!partial) continue;
      std::vector<std::pair<std::string_view, ExprId>> names{{"a", args[0]}, {"y", result_of(e)}};
      if (args.size() > 1) names.emplace_back("b", args[1]);
      const ExprId factor = instantiate_scalar(pool_, *partial, names);
      walk(args[i], times(adjoint, factor), context);
    }
  }

  ExprId times(ExprId adjoint, ExprId factor) {
    if (pool_.is_literal(factor, 1)) return adjoint;
    if (pool_.node(factor).kind == NodeKind::Literal && pool_.literal_real(factor) == -1)
      return pool_.call(ScalarFn::Neg, adjoint);
    // adjoint * (1/b) is kept as a division: one rounding, and what PyTorch computes.
    if (pool_.node(factor).kind == NodeKind::Call && pool_.fn(factor) == ScalarFn::Div &&
        pool_.is_literal(pool_.arguments(factor)[0], 1))
      return pool_.call(ScalarFn::Div, adjoint, pool_.arguments(factor)[1]);
    return pool_.call(ScalarFn::Mul, adjoint, factor);
  }

  // A copy of the reduction's body and guard over letters of its own.
  struct Twin {
    std::vector<AtomId> letters;
    std::vector<std::pair<AtomId, IndexExpr>> renamed;
    ExprId body, guard;
  };
  Twin twin(const ReduceParts& parts) {
    Twin t;
    for (AtomId l : parts.letters) {
      const Atom atom = index_.atom(l);
      t.letters.push_back(out_.fresh_letter(index_, out_.letter_names.at(atom.number), atom.a));
      t.renamed.emplace_back(l, index_.from_atom(t.letters.back()));
    }
    t.body = copy_expression(pool_, out_, parts.body, out_, lookup(t.renamed), {});
    if (parts.guard.valid()) t.guard = copy_expression(pool_, out_, parts.guard, out_, lookup(t.renamed), {});
    return t;
  }

  // Whether a reduction below e is over one of the letters of `parts`.
  bool binds(ExprId e, const ReduceParts& parts) {
    bool any = false;
    if (!e.valid()) return any;
    pool_.visit(e, [&](ExprId below) {
      if (pool_.node(below).kind != NodeKind::Reduce) return;
      for (AtomId l : pool_.reduce_of(below).letters)
        any = any || std::find(parts.letters.begin(), parts.letters.end(), l) != parts.letters.end();
    });
    return any;
  }

  void walk_reduce(ExprId e, ExprId adjoint, Walk context) {
    ReduceParts parts = pool_.reduce_of(e);
    const Dtype dtype = pool_.type(e);
    // Inside, the letters become free: the adjoint must not hold the same reduction, which still binds them.
    const bool extremum = parts.reduction == Reduction::Max || parts.reduction == Reduction::Min;
    if (binds(adjoint, parts) || binds(context.guard, parts) || (extremum && result_of(e) == e)) {
      const Twin own = twin(parts);
      parts.letters = own.letters;
      parts.body = own.body;
      parts.guard = own.guard;
    }
    context.letters.insert(context.letters.end(), parts.letters.begin(), parts.letters.end());
    context.guard = pool_.both(context.guard, parts.guard);
    switch (parts.reduction) {
      case Reduction::Sum: return walk(parts.body, adjoint, context);
      case Reduction::Prod: {
        // The product of all the others: right with zeros.
        const Twin t = twin(parts);
        ExprId same;
        for (std::size_t i = 0; i < parts.letters.size(); ++i)
          same = pool_.both(
              same, pool_.is_zero(index_.sub(index_.from_atom(t.letters[i]), index_.from_atom(parts.letters[i]))));
        const ExprId others = pool_.both(pool_.call(ScalarFn::Not, same), t.guard);
        const ExprId rest = pool_.reduce(Reduction::Prod, t.letters, others, t.body);
        return walk(parts.body, pool_.call(ScalarFn::Mul, adjoint, rest), context);
      }
      case Reduction::Max:
      case Reduction::Min: {
        // Shared evenly by all elements that attain the extremum.
        const Twin t = twin(parts);
        const ExprId result = result_of(e);
        const ExprId hit = pool_.call(ScalarFn::Eq, t.body, result);
        const ExprId count = pool_.reduce(Reduction::Sum, t.letters, t.guard, pool_.cast(hit, dtype));
        context.guard = pool_.both(context.guard, pool_.call(ScalarFn::Eq, parts.body, result));
        return walk(parts.body, pool_.call(ScalarFn::Div, adjoint, count), context);
      }
      default: return;
    }
  }

  // Forward statements that no adjoint reads are left out.
  void drop_unused() {
    std::vector<bool> needed(out_.tensors.size(), false);
    for (std::size_t i = 0; i < out_.tensors.size(); ++i) needed[i] = out_.tensors[i].role != TensorRole::Temporary;
    for (std::size_t i = out_.statements.size(); i-- > 0;) {
      const Statement& st = out_.statements[i];
      if (!needed[st.result.index()]) continue;
      auto note = [&](ExprId e) {
        if (pool_.node(e).kind == NodeKind::Read) needed[pool_.read_of(e).tensor.index()] = true;
      };
      pool_.visit(st.body, note);
      if (st.guard.valid()) pool_.visit(st.guard, note);
      for (IndexExpr s : st.subscripts) pool_.visit(s, note);
      if (st.base.valid()) needed[st.base.index()] = true;
    }
    std::erase_if(out_.statements, [&](const Statement& st) { return !needed[st.result.index()]; });
  }

  FormulaPool& pool_;
  IndexPool& index_;
  const Formula& source_;
  const GradientOptions& options_;
  Formula out_;
  std::vector<TensorId> map_;  // source tensor -> tensor of the result
  std::vector<TensorId> wanted_;
  std::vector<bool> active_;
  std::map<TensorId, TensorId> cotangent_;
  std::map<TensorId, std::vector<Push>> contributions_;
  ExprId saved_, saved_read_;
};

}  // namespace

Formula gradient(FormulaPool& pool, const Formula& formula, std::span<const TensorId> wanted,
                 const GradientOptions& options) {
  return Gradient(pool, formula, options).run(wanted);
}

std::vector<TensorId> differentiable_operands(FormulaPool& pool, const Formula& formula) {
  // Backwards from the float results, through everything but `stop`.
  std::vector<bool> reached(formula.tensors.size(), false);
  for (TensorId r : formula.results()) reached[r.index()] = is_float(formula.tensor(r).dtype);
  std::function<void(ExprId)> mark = [&](ExprId e) {
    if (!is_float(pool.type(e))) return;
    switch (pool.node(e).kind) {
      case NodeKind::Read: {
        const ReadParts parts = pool.read_of(e);
        reached[parts.tensor.index()] = true;
        if (parts.fill.valid()) mark(parts.fill);
        return;
      }
      case NodeKind::Call: {
        const auto args = pool.arguments(e);
        for (std::size_t i = 0; i < args.size(); ++i)
          if (!scalar_fn_info(pool.fn(e)).partials[i].empty()) mark(args[i]);
        return;
      }
      case NodeKind::Select: mark(pool.arguments(e)[1]); return mark(pool.arguments(e)[2]);
      case NodeKind::Cast: return mark(pool.arguments(e)[0]);
      case NodeKind::Reduce: {
        const Reduction r = pool.reduce_of(e).reduction;
        if (r <= Reduction::Min) mark(pool.reduce_of(e).body);
        return;
      }
      default: return;
    }
  };
  for (std::size_t i = formula.statements.size(); i-- > 0;) {
    const Statement& st = formula.statements[i];
    if (!reached[st.result.index()]) continue;
    mark(st.body);
    if (st.base.valid()) reached[st.base.index()] = true;
  }
  std::vector<TensorId> out;
  for (std::size_t i = 0; i < formula.operand_count(); ++i)
    if (reached[i] && is_float(formula.tensors[i].dtype)) out.emplace_back(i);
  return out;
}

}  // namespace mlgc
