// The forward walk over bodies. A tangent that is zero is no expression, and no tensor.
#include "formula/tangent.h"

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "formula/derivation.h"
#include "support/result.h"

namespace mlgc {
namespace {

class Tangent : private Derivation {
 public:
  Tangent(FormulaPool& pool, const Formula& source) : Derivation(pool, source) {}

  Formula run(std::span<const TensorId> wanted, const TangentOptions& options) {
    copy_operands(options.results_at_hand);
    tangent_.resize(source_.tensors.size());
    for (TensorId w : wanted) {
      MLGC_ASSERT(is_float(source_.tensor(w).dtype), "a tangent of an operand that is not float");
      const FormulaTensor& t = source_.tensor(w);
      tangent_[w.index()] =
          out_.add_tensor({out_.unique_tensor_name("t_" + t.name), TensorRole::Operand, t.dtype, t.shape});
    }
    for (const Statement& st : source_.statements) {
      copy_forward(st);
      forward(st);
    }
    return finish();
  }

 private:
  void forward(const Statement& st) {
    const FormulaTensor& result = source_.tensor(st.result);
    if (!is_float(result.dtype)) return;
    // Index labels that the walk makes belong to a draft; the statement that is written gets its own.
    draft_.label_names = source_.label_names;
    known_.clear();
    const ExprId body = of(enter(st));
    const TensorId base = st.base.valid() ? tangent_[st.base.index()] : TensorId();
    if (!body.valid() && !base.valid()) return;
    Statement written = rule(st, body, base);
    const TensorRole role = result.role == TensorRole::Result ? TensorRole::Result : TensorRole::Temporary;
    tangent_[st.result.index()] = write(std::move(written), "t_" + result.name, role, result);
  }

  // The statement that writes the tangent of st, from those of its body and its base, of which one may be none.
  Statement rule(const Statement& st, ExprId body, TensorId base) {
    const FormulaTensor& t = source_.tensor(st.result);
    switch (st.write) {
      case WriteOp::Set: return where(st, draft_, or_zero(body, t.dtype), base);
      case WriteOp::Add: return body.valid() ? where(st, draft_, body, base) : copy_of(base);
      case WriteOp::Mul: return product(st, body, base);
      case WriteOp::Max:
      case WriteOp::Min: return extremum(st, body, base);
    }
    throw InternalError("an unknown push");
  }

  Statement copy_of(TensorId tensor) {
    const FormulaTensor t = out_.tensor(tensor);
    return everywhere(t.shape, [&](std::span<const IndexExpr> place) { return pool_.read(t.dtype, tensor, place); });
  }

  // The tangent of each factor times the other factors.
  Statement product(const Statement& st, ExprId body, TensorId base) {
    const FormulaTensor t = source_.tensor(st.result);
    std::optional<Statement> start;
    if (base.valid())
      start = everywhere(t.shape, [&](std::span<const IndexExpr> place) {
        return pool_.call(ScalarFn::Mul, pool_.read(t.dtype, base, place), product_written(out_, st, place, false));
      });
    if (!body.valid()) return *start;
    if (start) base = write(std::move(*start), "t_" + t.name + "_0", TensorRole::Temporary, t);
    std::vector<IndexExpr> place;
    for (IndexExpr s : st.subscripts) place.push_back(translate(s));
    body = pool_.call(ScalarFn::Mul, body, base_at(st, place));
    body = pool_.call(ScalarFn::Mul, body, product_written(draft_, st, place, true));
    Statement written = where(st, draft_, body, base);
    written.write = WriteOp::Add;
    return written;
  }

  // The mean of the tangents of what attains the extremum.
  Statement extremum(const Statement& st, ExprId body, TensorId base) {
    const FormulaTensor t = source_.tensor(st.result);
    const TensorId count = count_attained(st);
    const std::string name = "t_" + t.name;
    TensorId sum;
    if (base.valid()) {
      Statement start = everywhere(t.shape, [&](std::span<const IndexExpr> place) {
        return pool_.select(base_attains(st, place), pool_.read(t.dtype, base, place), zero(t.dtype));
      });
      sum = write(std::move(start), name + "_0", TensorRole::Temporary, t);
    }
    if (body.valid()) {
      Statement attained = where(st, draft_, body, sum, body_attains(st));
      attained.write = WriteOp::Add;
      sum = write(std::move(attained), name + "_1", TensorRole::Temporary, t);
    }
    return everywhere(t.shape, [&](std::span<const IndexExpr> place) {
      return pool_.call(ScalarFn::Div, pool_.read(t.dtype, sum, place), pool_.read(t.dtype, count, place));
    });
  }

  ExprId zero(Dtype dtype) { return pool_.real(0, dtype, false); }
  ExprId or_zero(ExprId tangent, Dtype dtype) { return tangent.valid() ? tangent : zero(dtype); }

  // The tangent of an expression; invalid: zero.
  ExprId of(ExprId e) {
    if (!is_float(pool_.type(e))) return {};
    if (const auto it = known_.find(e); it != known_.end()) return it->second;
    const ExprId found = compute(e);
    known_.emplace(e, found);
    return found;
  }

  ExprId compute(ExprId e) {
    const Dtype dtype = pool_.type(e);
    switch (pool_.node(e).kind) {
      case NodeKind::Literal:
      case NodeKind::Index:
      case NodeKind::Stop: return {};
      case NodeKind::Read: return of_read(e);
      case NodeKind::Call: return of_call(e);
      case NodeKind::Select: {
        const auto args = pool_.arguments(e);
        const ExprId yes = of(args[1]), no = of(args[2]);
        if (!yes.valid() && !no.valid()) return {};
        return pool_.select(args[0], or_zero(yes, dtype), or_zero(no, dtype));
      }
      case NodeKind::Cast: {
        const ExprId inner = of(pool_.arguments(e)[0]);
        return inner.valid() ? pool_.cast(inner, dtype) : ExprId();
      }
      case NodeKind::Reduce: return of_reduce(e);
    }
    return {};
  }

  ExprId of_read(ExprId e) {
    const Dtype dtype = pool_.type(e);
    const ReadParts parts = pool_.read_of(e);
    const TensorId source = source_of(parts.tensor);
    const TensorId tangent = source.valid() ? tangent_[source.index()] : TensorId();
    const ExprId fill = parts.fill.valid() ? of(parts.fill) : ExprId();
    if (tangent.valid())
      return pool_.read(dtype, tangent, parts.subscripts, parts.fill.valid() ? or_zero(fill, dtype) : ExprId());
    if (!fill.valid()) return {};
    const ExprId inside = in_range(out_.tensor(parts.tensor).shape, parts.subscripts);
    return inside.valid() ? pool_.select(inside, zero(dtype), fill) : ExprId();
  }

  ExprId of_call(ExprId e) {
    const auto args = pool_.arguments(e);
    ExprId sum;
    for (std::size_t i = 0; i < args.size(); ++i) {
      const ExprId inner = of(args[i]);
      const ExprId factor = inner.valid() ? partial(e, i) : ExprId();
      if (!factor.valid()) continue;
      if (!sum.valid())
        sum = times(inner, factor);
      else if (pool_.node(factor).kind == NodeKind::Literal && pool_.literal_real(factor) == -1)
        sum = pool_.call(ScalarFn::Sub, sum, inner);
      else
        sum = pool_.call(ScalarFn::Add, sum, times(inner, factor));
    }
    return sum;
  }

  ExprId of_reduce(ExprId e) {
    ReduceParts parts = pool_.reduce_of(e);
    if (parts.reduction > Reduction::Min) return {};
    // The reduction itself may occur below its tangent, which is over index labels of its own.
    const ExprId result = result_of(e);
    const Twin own = twin(draft_, parts);
    parts.labels = own.labels;
    parts.body = own.body;
    parts.guard = own.guard;
    const ExprId inner = of(parts.body);
    if (!inner.valid()) return {};
    switch (parts.reduction) {
      case Reduction::Sum: return pool_.reduce(Reduction::Sum, parts.labels, parts.guard, inner);
      case Reduction::Prod: {
        const ExprId term = pool_.call(ScalarFn::Mul, inner, product_of_others(draft_, parts));
        return pool_.reduce(Reduction::Sum, parts.labels, parts.guard, term);
      }
      case Reduction::Max:
      case Reduction::Min: {
        const Attained found = attained(draft_, parts, result);
        const ExprId guard = pool_.both(parts.guard, found.hit);
        const ExprId sum = pool_.reduce(Reduction::Sum, parts.labels, guard, inner);
        return pool_.call(ScalarFn::Div, sum, found.count);
      }
      default: return {};
    }
  }

  std::vector<TensorId> tangent_;   // of a tensor of the source; invalid: zero
  Formula draft_;                   // names of the index labels of this statement
  std::map<ExprId, ExprId> known_;  // tangents in that statement
};

// Whether a derivative passes from what is read to an expression.
class Dependence {
 public:
  Dependence(FormulaPool& pool, const Formula& formula, std::span<const TensorId> wanted)
      : pool_(pool), formula_(formula), reached_(formula.tensors.size(), false) {
    for (TensorId w : wanted) reached_[w.index()] = true;
    for (const Statement& st : formula.statements) {
      if (!is_float(formula.tensor(st.result).dtype)) continue;
      reached_[st.result.index()] = (st.base.valid() && reached_[st.base.index()]) || passes(st.body);
    }
  }

  [[nodiscard]] std::vector<TensorId> results() const {
    std::vector<TensorId> found;
    for (TensorId r : formula_.results())
      if (reached_[r.index()]) found.push_back(r);
    return found;
  }

 private:
  bool passes(ExprId e) {
    if (!e.valid() || !is_float(pool_.type(e))) return false;
    const auto [it, fresh] = known_.try_emplace(e, false);
    if (!fresh) return it->second;
    const bool found = decide(e);
    known_[e] = found;
    return found;
  }

  bool decide(ExprId e) {
    switch (pool_.node(e).kind) {
      case NodeKind::Read: {
        const ReadParts parts = pool_.read_of(e);
        if (reached_[parts.tensor.index()]) return true;
        return !parts.subscripts.empty() && passes(parts.fill);
      }
      case NodeKind::Call: {
        const auto args = pool_.arguments(e);
        for (std::size_t i = 0; i < args.size(); ++i)
          if (!scalar_fn_info(pool_.fn(e)).partials[i].empty() && passes(args[i])) return true;
        return false;
      }
      case NodeKind::Select: return passes(pool_.arguments(e)[1]) || passes(pool_.arguments(e)[2]);
      case NodeKind::Cast: return passes(pool_.arguments(e)[0]);
      case NodeKind::Reduce: {
        const ReduceParts parts = pool_.reduce_of(e);
        return parts.reduction <= Reduction::Min && passes(parts.body);
      }
      default: return false;
    }
  }

  FormulaPool& pool_;
  const Formula& formula_;
  std::vector<bool> reached_;
  std::map<ExprId, bool> known_;
};

}  // namespace

Formula tangent(FormulaPool& pool, const Formula& formula, std::span<const TensorId> wanted,
                const TangentOptions& options) {
  return Tangent(pool, formula).run(wanted, options);
}

std::vector<TensorId> dependent_results(FormulaPool& pool, const Formula& formula, std::span<const TensorId> wanted) {
  return Dependence(pool, formula, wanted).results();
}

}  // namespace mlgc
