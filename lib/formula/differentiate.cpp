// The reverse walk over bodies, and the assembly of a gradient formula.
#include "formula/differentiate.h"

#include <algorithm>
#include <map>

#include "formula/compose.h"
#include "formula/derivation.h"
#include "formula/invert.h"
#include "formula/running_reduction.h"
#include "support/result.h"

namespace mlgc {
namespace {

class Gradient : private Derivation {
 public:
  Gradient(FormulaPool& pool, const Formula& source, const GradientOptions& options)
      : Derivation(pool, source), options_(options) {}

  Formula run(std::span<const TensorId> wanted) {
    copy_operands(options_.results_at_hand);
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
    return finish();
  }

 private:
  struct Walk {
    std::vector<AtomId> labels;
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
      output.push_back(out_.fresh_label(index_, label_hint(source, d), t.shape[d]));
      subscripts.push_back(index_.from_atom(output.back()));
    }
    if (auto it = cotangent_.find(source); it != cotangent_.end()) sum = pool_.read(t.dtype, it->second, subscripts);
    for (const Push& push : contributions_[source]) {
      std::optional<ExprId> pulled;
      if (options_.invert) pulled = invert(pool_, out_, push, output);
      if (pulled) {
        const ExprId whole = pool_.node(*pulled).weak ? pool_.coerce(*pulled, t.dtype) : *pulled;
        const ExprId term = from_the_end(whole, output, name);
        sum = sum.valid() ? pool_.call(ScalarFn::Add, sum, term) : term;
      } else {
        remaining.push_back(push);
      }
    }
    contributions_[source].clear();
    TensorId base;
    if (sum.valid() || remaining.empty()) {
      Statement st;
      st.labels = output;
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
      // Index labels belong to a statement: contributions share those of the forward statement they came from.
      const Renaming renamed = fresh_labels(out_, remaining[i].labels);
      for (const auto& [from, to] : renamed) st.labels.push_back(*index_.as_atom(to));
      FormulaPool::Rewrite how;
      how.labels = lookup(renamed);
      for (IndexExpr e : remaining[i].subscripts) st.subscripts.push_back(pool_.rewrite(e, how));
      if (remaining[i].guard.valid())
        st.guard = copy_expression(pool_, out_, remaining[i].guard, out_, lookup(renamed), {});
      st.body = copy_expression(pool_, out_, remaining[i].body, out_, lookup(renamed), {});
      base = write(std::move(st), last ? name : name + "_" + std::to_string(i + 1), last ? role : TensorRole::Temporary,
                   t);
    }
    return base;
  }

  // The gradient of a running sum is a sum from each index to the end, over the labels of `output`. Two statements
  // compute it in linear time as a running sum of the reversed terms, which is read in reverse. Every other term stays.
  ExprId from_the_end(ExprId term, const std::vector<AtomId>& output, const std::string& name) {
    const auto along = runs_to_the_end(pool_, term, output);
    if (!along || pool_.reduce_of(term).reduction != Reduction::Sum) return term;
    const ReduceParts parts = pool_.reduce_of(term);
    if (pool_.node(parts.body).weak) return term;
    const AtomId over = parts.labels[0];
    // Sums are carried widely, so what a 16-bit body comes to is not rounded before.
    const Dtype dtype = pool_.type(term);
    const bool widen = (dtype == Dtype::F16 || dtype == Dtype::BF16) && !moves_only(pool_, parts.body);
    const ExprId body = widen ? pool_.cast(parts.body, Dtype::F32) : parts.body;
    FormulaTensor like{"", TensorRole::Temporary, pool_.type(body), {}};
    const std::vector<AtomId> free = pool_.free_labels(body);
    std::vector<AtomId> labels;
    for (const AtomId label : output)
      if (label == *along || std::find(free.begin(), free.end(), label) != free.end()) labels.push_back(label);
    for (const AtomId label : labels) like.shape.push_back(index_.atom(label).a);
    const IndexExpr last = index_.sub(index_.atom(over).a, index_.constant(1));
    // A statement over labels of its own; `body` has what replaces each of `labels`.
    const auto statement = [&](const std::string& suffix, const std::function<ExprId(const Renaming&)>& body_of) {
      const Renaming renamed = fresh_labels(out_, labels);
      Statement st;
      for (const auto& [from, to] : renamed) {
        st.labels.push_back(*index_.as_atom(to));
        st.subscripts.push_back(to);
      }
      st.body = body_of(renamed);
      return write(std::move(st), name + suffix, TensorRole::Temporary, like);
    };
    const TensorId reversed = statement("_reversed", [&](const Renaming& renamed) {
      Renaming how = renamed;
      how.emplace_back(over, index_.sub(last, *lookup(renamed)(*along)));
      return copy_expression(pool_, out_, body, out_, lookup(how), {});
    });
    // An element of `of` at the labels, with another index along the sum.
    const auto at = [&](TensorId of, const Renaming& renamed, IndexExpr place) {
      std::vector<IndexExpr> subscripts;
      for (const auto& [from, to] : renamed) subscripts.push_back(from == *along ? place : to);
      return pool_.read(like.dtype, of, subscripts);
    };
    const TensorId sums = statement("_sums", [&](const Renaming& renamed) {
      const AtomId inner = *index_.as_atom(fresh_labels(out_, std::span(&over, 1))[0].second);
      const IndexExpr up_to = index_.sub(*lookup(renamed)(*along), index_.from_atom(inner));
      return pool_.reduce(Reduction::Sum, std::span(&inner, 1), pool_.non_negative(up_to),
                          at(reversed, renamed, index_.from_atom(inner)));
    });
    Renaming own;
    for (const AtomId label : labels) own.emplace_back(label, index_.from_atom(label));
    return pool_.cast(at(sums, own, index_.sub(last, index_.from_atom(*along))), dtype);
  }

  // A name for the index label of a gradient's dim: that of the label which some read uses there.
  std::string label_hint(TensorId source, std::size_t d) {
    for (const Push& push : contributions_[source]) {
      const auto atom = index_.as_atom(push.subscripts[d]);
      if (atom && index_.atom(*atom).kind == AtomKind::IndexLabel)
        return out_.label_names.at(index_.atom(*atom).number);
    }
    return "j";
  }

  void backward(const Statement& st) {
    if (!active_[st.result.index()]) return;
    auto g = adjoint(st.result);
    if (!g) return;
    const bool extremal = st.write == WriteOp::Max || st.write == WriteOp::Min;
    if (extremal) g = shares(st, *g);
    std::vector<IndexExpr> subscripts;
    for (IndexExpr s : st.subscripts) subscripts.push_back(translate(s));
    ExprId at = pool_.read(source_.tensor(st.result).dtype, *g, subscripts);
    if (st.write == WriteOp::Mul) {
      at = pool_.call(ScalarFn::Mul, at, base_at(st, subscripts));
      at = pool_.call(ScalarFn::Mul, at, product_written(out_, st, subscripts, true));
    }
    const ExprId guard = st.guard.valid() ? translate(st.guard) : ExprId();
    walk(enter(st), at, {st.labels, extremal ? pool_.both(guard, body_attains(st)) : guard});
    if (st.base.valid() && active_[st.base.index()]) push_to_base(st, *g, guard);
  }

  // The cotangent of an extremal push over the number of those that share it.
  TensorId shares(const Statement& st, TensorId g) {
    const FormulaTensor t = source_.tensor(st.result);
    const TensorId count = count_attained(st);
    Statement share = everywhere(t.shape, [&](std::span<const IndexExpr> place) {
      return pool_.call(ScalarFn::Div, pool_.read(t.dtype, g, place), pool_.read(t.dtype, count, place));
    });
    return write(std::move(share), "g_" + t.name, TensorRole::Temporary, t);
  }

  void push_to_base(const Statement& st, TensorId g, ExprId guard) {
    const FormulaTensor& t = source_.tensor(st.result);
    Push push;
    push.target = st.base;
    for (std::size_t d = 0; d < t.shape.size(); ++d) {
      push.labels.push_back(out_.fresh_label(index_, "j", t.shape[d]));
      push.subscripts.push_back(index_.from_atom(push.labels.back()));
    }
    push.body = pool_.read(t.dtype, g, push.subscripts);
    if (st.write == WriteOp::Max || st.write == WriteOp::Min) push.guard = base_attains(st, push.subscripts);
    if (st.write == WriteOp::Mul)
      push.body = pool_.call(ScalarFn::Mul, push.body, product_written(out_, st, push.subscripts, false));
    if (st.write == WriteOp::Set) {
      // Elements that the push overwrote pass nothing to the base.
      ExprId hit = guard;
      for (std::size_t d = 0; d < st.subscripts.size(); ++d)
        hit = pool_.both(hit, pool_.is_zero(index_.sub(translate(st.subscripts[d]), push.subscripts[d])));
      if (!hit.valid()) hit = pool_.boolean(true);
      const Renaming renamed = fresh_labels(out_, st.labels);
      std::vector<AtomId> labels;
      for (const auto& [from, to] : renamed) labels.push_back(*index_.as_atom(to));
      hit = copy_expression(pool_, out_, hit, out_, lookup(renamed), {});
      push.guard = pool_.call(ScalarFn::Not, pool_.reduce(Reduction::Any, labels, {}, hit));
    }
    contributions_[st.base].push_back(std::move(push));
  }

  // Whether some active tensor is read below e.
  bool depends(ExprId e) {
    bool any = false;
    pool_.visit(e, [&](ExprId below) {
      if (pool_.node(below).kind != NodeKind::Read) return;
      const TensorId source = source_of(pool_.read_of(below).tensor);
      if (source.valid() && active_[source.index()]) any = true;
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
    const TensorId source = source_of(parts.tensor);
    Push push{source, context.labels, parts.subscripts, adjoint, context.guard};
    if (parts.fill.valid()) {
      const ExprId inside = in_range(out_.tensor(parts.tensor).shape, parts.subscripts);
      push.guard = pool_.both(push.guard, inside);
      if (inside.valid() && depends(parts.fill)) {
        Walk outside = context;
        outside.guard = pool_.both(context.guard, pool_.call(ScalarFn::Not, inside));
        walk(parts.fill, adjoint, outside);
      }
    }
    if (!source.valid() || !active_[source.index()]) return;
    // A guard that can never hold contributes nothing.
    if (push.guard.valid() && pool_.node(push.guard).kind == NodeKind::Literal) {
      if (pool_.literal_integer(push.guard) == 0) return;
      push.guard = {};
    }
    name_ones(push, out_.tensor(parts.tensor).shape);
    contributions_[source].push_back(std::move(push));
  }

  // A dim of size 1 that is read at 0 counts as read at a label of extent 1. Then the gather form has that label, not
  // a sum over it, which no row has. Labels are matched to dims in order.
  void name_ones(Push& push, std::span<const IndexExpr> shape) {
    const auto is_one = [&](IndexExpr size) { return index_.as_constant(size) == 1; };
    const auto named = [&](AtomId label) {
      return std::any_of(push.subscripts.begin(), push.subscripts.end(),
                         [&](IndexExpr subscript) { return index_.as_atom(subscript) == label; });
    };
    auto next = push.labels.begin();
    for (std::size_t d = 0; d < push.subscripts.size(); ++d) {
      if (index_.as_constant(push.subscripts[d]) != 0 || !is_one(shape[d])) continue;
      next = std::find_if(next, push.labels.end(),
                          [&](AtomId label) { return is_one(index_.atom(label).a) && !named(label); });
      if (next == push.labels.end()) return;
      push.subscripts[d] = index_.from_atom(*next);
    }
  }

  void walk_call(ExprId e, ExprId adjoint, const Walk& context) {
    const auto args = pool_.arguments(e);
    for (std::size_t i = 0; i < args.size(); ++i) {
      if (!is_float(pool_.type(args[i])) || !depends(args[i])) continue;
      const ExprId factor = partial(e, i);
      if (factor.valid()) walk(args[i], times(adjoint, factor), context);
    }
  }

  // Whether a reduction below e is over one of the index labels of `parts`.
  bool binds(ExprId e, const ReduceParts& parts) {
    bool any = false;
    if (!e.valid()) return any;
    pool_.visit(e, [&](ExprId below) {
      if (pool_.node(below).kind != NodeKind::Reduce) return;
      for (AtomId l : pool_.reduce_of(below).labels)
        any = any || std::find(parts.labels.begin(), parts.labels.end(), l) != parts.labels.end();
    });
    return any;
  }

  void walk_reduce(ExprId e, ExprId adjoint, Walk context) {
    ReduceParts parts = pool_.reduce_of(e);
    // Inside, the labels become free: the adjoint must not contain the same reduction, which still binds them.
    const bool extremum = parts.reduction == Reduction::Max || parts.reduction == Reduction::Min;
    if (binds(adjoint, parts) || binds(context.guard, parts) || (extremum && result_of(e) == e)) {
      const Twin own = twin(out_, parts);
      parts.labels = own.labels;
      parts.body = own.body;
      parts.guard = own.guard;
    }
    context.labels.insert(context.labels.end(), parts.labels.begin(), parts.labels.end());
    context.guard = pool_.both(context.guard, parts.guard);
    switch (parts.reduction) {
      case Reduction::Sum: return walk(parts.body, adjoint, context);
      case Reduction::Prod: {
        const ExprId others = product_of_others(out_, parts);
        return walk(parts.body, pool_.call(ScalarFn::Mul, adjoint, others), context);
      }
      case Reduction::Max:
      case Reduction::Min: {
        const Attained found = attained(out_, parts, result_of(e));
        context.guard = pool_.both(context.guard, found.hit);
        return walk(parts.body, pool_.call(ScalarFn::Div, adjoint, found.count), context);
      }
      default: return;
    }
  }

  const GradientOptions& options_;
  std::vector<TensorId> wanted_;
  std::vector<bool> active_;
  std::map<TensorId, TensorId> cotangent_;
  std::map<TensorId, std::vector<Push>> contributions_;
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
