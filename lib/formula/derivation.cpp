// Forward statements, partial derivatives, reductions and pushes of a derived formula.
#include "formula/derivation.h"

#include <algorithm>
#include <array>
#include <string>

#include "formula/compose.h"
#include "formula/formula_syntax.h"
#include "formula/instantiate.h"
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

}  // namespace

void Derivation::copy_operands(bool results_at_hand) {
  out_.label_names = source_.label_names;
  map_.resize(source_.tensors.size());
  for (std::size_t i = 0; i < source_.operand_count(); ++i) map_[i] = out_.add_tensor(source_.tensors[i]);
  if (!results_at_hand) return;
  for (TensorId r : source_.results()) {
    FormulaTensor t = source_.tensor(r);
    t.role = TensorRole::Operand;
    map_[r.index()] = out_.add_tensor(std::move(t));
  }
}

void Derivation::copy_forward(const Statement& st) {
  if (map_[st.result.index()].valid()) return;  // at hand
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

Formula Derivation::finish() {
  drop_unused();
  separate_labels();
  return std::move(out_);
}

void Derivation::drop_unused() {
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

void Derivation::separate_labels() {
  std::set<AtomId> taken;
  const FormulaPool::Rewrite how = separation(taken);
  for (Statement& st : out_.statements) {
    st.body = pool_.rewrite(st.body, how);
    if (st.guard.valid()) st.guard = pool_.rewrite(st.guard, how);
    for (IndexExpr& s : st.subscripts) s = pool_.rewrite(s, how);
  }
}

FormulaPool::Rewrite Derivation::separation(std::set<AtomId>& taken) {
  FormulaPool::Rewrite how;
  how.reductions = [this, &taken](ExprId reduction) {
    ReduceParts parts = pool_.reduce_of(reduction);
    if (std::any_of(parts.labels.begin(), parts.labels.end(), [&](AtomId l) { return taken.contains(l); })) {
      Twin own = twin(out_, parts);
      parts.labels = std::move(own.labels);
      parts.guard = own.guard;
      parts.body = own.body;
    }
    taken.insert(parts.labels.begin(), parts.labels.end());
    const FormulaPool::Rewrite below = separation(taken);
    if (parts.guard.valid()) parts.guard = pool_.rewrite(parts.guard, below);
    return pool_.reduce(parts.reduction, parts.labels, parts.guard, pool_.rewrite(parts.body, below));
  };
  return how;
}

ExprId Derivation::translate(ExprId e) {
  FormulaPool::Rewrite how;
  how.reads = [&](ExprId read, const ReadParts& parts) {
    return pool_.read(pool_.type(read), map_[parts.tensor.index()], parts.subscripts, parts.fill);
  };
  return pool_.rewrite(e, how);
}

IndexExpr Derivation::translate(IndexExpr e) {
  FormulaPool::Rewrite how;
  how.reads = [&](ExprId read, const ReadParts& parts) {
    return pool_.read(pool_.type(read), map_[parts.tensor.index()], parts.subscripts, parts.fill);
  };
  return pool_.rewrite(e, how);
}

TensorId Derivation::source_of(TensorId derived) const {
  for (std::size_t i = 0; i < map_.size(); ++i)
    if (map_[i] == derived) return TensorId(i);
  return {};
}

ExprId Derivation::enter(const Statement& st) {
  saved_ = translate(st.body);
  saved_read_ = {};
  if (st.pull) {
    std::vector<IndexExpr> subscripts;
    for (IndexExpr s : st.subscripts) subscripts.push_back(translate(s));
    saved_read_ = pool_.read(source_.tensor(st.result).dtype, map_[st.result.index()], subscripts);
  }
  return saved_;
}

ExprId Derivation::partial(ExprId call, std::size_t argument) {
  const FormulaSyntax* syntax = partial_syntax(pool_.fn(call), argument);
  if (!syntax) return {};
  const auto args = pool_.arguments(call);
  std::vector<std::pair<std::string_view, ExprId>> names{{"a", args[0]}, {"y", result_of(call)}};
  if (args.size() > 1) names.emplace_back("b", args[1]);
  return instantiate_scalar(pool_, *syntax, names);
}

ExprId Derivation::times(ExprId value, ExprId factor) {
  if (pool_.is_literal(factor, 1)) return value;
  if (pool_.node(factor).kind == NodeKind::Literal && pool_.literal_real(factor) == -1)
    return pool_.call(ScalarFn::Neg, value);
  // value * (1/b) is kept as a division: one rounding, and what PyTorch computes.
  if (pool_.node(factor).kind == NodeKind::Call && pool_.fn(factor) == ScalarFn::Div &&
      pool_.is_literal(pool_.arguments(factor)[0], 1))
    return pool_.call(ScalarFn::Div, value, pool_.arguments(factor)[1]);
  return pool_.call(ScalarFn::Mul, value, factor);
}

ExprId Derivation::in_range(std::span<const IndexExpr> shape, std::span<const IndexExpr> subscripts) {
  ExprId inside;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    inside = pool_.both(inside, pool_.non_negative(subscripts[d]));
    inside =
        pool_.both(inside, pool_.non_negative(index_.sub(index_.sub(shape[d], index_.constant(1)), subscripts[d])));
  }
  return inside;
}

Derivation::Renaming Derivation::fresh_labels(Formula& names, std::span<const AtomId> labels) {
  Renaming renamed;
  for (AtomId l : labels) {
    const Atom atom = index_.atom(l);
    renamed.emplace_back(l, index_.from_atom(names.fresh_label(index_, names.label_names.at(atom.number), atom.a)));
  }
  return renamed;
}

Derivation::Twin Derivation::twin(Formula& names, const ReduceParts& parts) {
  Twin t;
  const Renaming renamed = fresh_labels(names, parts.labels);
  for (const auto& [from, to] : renamed) t.labels.push_back(*index_.as_atom(to));
  t.body = copy_expression(pool_, names, parts.body, names, lookup(renamed), {});
  if (parts.guard.valid()) t.guard = copy_expression(pool_, names, parts.guard, names, lookup(renamed), {});
  return t;
}

ExprId Derivation::product_of_others(Formula& names, const ReduceParts& parts) {
  if (parts.labels.empty()) return pool_.real(1, pool_.type(parts.body), false);
  const Twin t = twin(names, parts);
  ExprId same;
  for (std::size_t i = 0; i < parts.labels.size(); ++i)
    same =
        pool_.both(same, pool_.is_zero(index_.sub(index_.from_atom(t.labels[i]), index_.from_atom(parts.labels[i]))));
  const ExprId others = pool_.both(pool_.call(ScalarFn::Not, same), t.guard);
  return pool_.reduce(Reduction::Prod, t.labels, others, t.body);
}

Derivation::Attained Derivation::attained(Formula& names, const ReduceParts& parts, ExprId result) {
  const Twin t = twin(names, parts);
  const bool was_stored = pool_.node(result).kind == NodeKind::Read;
  const auto attains = [&](ExprId body) { return pool_.call(ScalarFn::Eq, was_stored ? stored(body) : body, result); };
  const ExprId hit = pool_.cast(attains(t.body), pool_.type(parts.body));
  const ExprId count = pool_.reduce(Reduction::Sum, t.labels, t.guard, hit);
  return {attains(parts.body), count};
}

ExprId Derivation::product_written(Formula& names, const Statement& st, std::span<const IndexExpr> place, bool others) {
  const ExprId body = translate(st.body);
  if (others && st.labels.empty()) return pool_.real(1, pool_.type(body), false);
  const Renaming renamed = fresh_labels(names, st.labels);
  FormulaPool::Rewrite how;
  how.labels = lookup(renamed);
  std::vector<AtomId> labels;
  ExprId guard, same;
  if (st.guard.valid()) guard = copy_expression(pool_, names, translate(st.guard), names, how.labels, {});
  for (const auto& [from, to] : renamed) {
    labels.push_back(*index_.as_atom(to));
    same = pool_.both(same, pool_.is_zero(index_.sub(to, index_.from_atom(from))));
  }
  if (others) guard = pool_.both(guard, pool_.call(ScalarFn::Not, same));
  for (std::size_t d = 0; d < place.size(); ++d) {
    const IndexExpr written = pool_.rewrite(translate(st.subscripts[d]), how);
    guard = pool_.both(guard, pool_.is_zero(index_.sub(written, place[d])));
  }
  return pool_.reduce(Reduction::Prod, labels, guard, copy_expression(pool_, names, body, names, how.labels, {}));
}

ExprId Derivation::body_attains(const Statement& st) {
  std::vector<IndexExpr> place;
  for (IndexExpr s : st.subscripts) place.push_back(translate(s));
  const ExprId result = pool_.read(source_.tensor(st.result).dtype, map_[st.result.index()], place);
  return pool_.call(ScalarFn::Eq, stored(translate(st.body)), result);
}

ExprId Derivation::base_attains(const Statement& st, std::span<const IndexExpr> place) {
  const ExprId result = pool_.read(source_.tensor(st.result).dtype, map_[st.result.index()], place);
  return pool_.call(ScalarFn::Eq, base_at(st, place), result);
}

ExprId Derivation::base_at(const Statement& st, std::span<const IndexExpr> place) {
  const Dtype dtype = source_.tensor(st.result).dtype;
  return st.base.valid() ? pool_.read(dtype, map_[st.base.index()], place) : pool_.real(0, dtype, false);
}

TensorId Derivation::count_attained(const Statement& st) {
  const FormulaTensor t = source_.tensor(st.result);
  const TensorId start =
      write(everywhere(t.shape,
                       [&](std::span<const IndexExpr> place) { return pool_.cast(base_attains(st, place), t.dtype); }),
            "n_" + t.name + "_0", TensorRole::Temporary, t);
  Statement count = where(st, source_, pool_.cast(body_attains(st), t.dtype), start);
  count.write = WriteOp::Add;
  return write(std::move(count), "n_" + t.name, TensorRole::Temporary, t);
}

ExprId Derivation::stored(ExprId e) {
  const Dtype dtype = pool_.type(e);
  const bool half = dtype == Dtype::F16 || dtype == Dtype::BF16;
  return half && !moves_only(pool_, e) ? pool_.cast(pool_.cast(e, Dtype::F32), dtype) : e;
}

Statement Derivation::where(const Statement& st, const Formula& names, ExprId body, TensorId base, ExprId also) {
  Statement written;
  written.write = st.write;
  written.pull = st.pull;
  written.base = base;
  Renaming renamed;
  for (AtomId l : st.labels) {
    const Atom atom = index_.atom(l);
    written.labels.push_back(out_.fresh_label(index_, source_.label_names.at(atom.number), atom.a));
    renamed.emplace_back(l, index_.from_atom(written.labels.back()));
  }
  FormulaPool::Rewrite how;
  how.labels = lookup(renamed);
  for (IndexExpr s : st.subscripts) written.subscripts.push_back(pool_.rewrite(translate(s), how));
  written.body = copy_expression(pool_, out_, body, names, how.labels, {});
  const ExprId guard = pool_.both(st.guard.valid() ? translate(st.guard) : ExprId(), also);
  if (guard.valid()) written.guard = copy_expression(pool_, out_, guard, names, how.labels, {});
  return written;
}

Statement Derivation::everywhere(std::span<const IndexExpr> shape,
                                 const std::function<ExprId(std::span<const IndexExpr> place)>& body) {
  Statement written;
  for (IndexExpr extent : shape) {
    written.labels.push_back(out_.fresh_label(index_, "j", extent));
    written.subscripts.push_back(index_.from_atom(written.labels.back()));
  }
  written.body = body(written.subscripts);
  return written;
}

TensorId Derivation::write(Statement st, const std::string& name, TensorRole role, const FormulaTensor& like) {
  st.result = out_.add_tensor({out_.unique_tensor_name(name), role, like.dtype, like.shape});
  out_.statements.push_back(st);
  return st.result;
}

Derivation::Lookup Derivation::lookup(const Renaming& table) {
  return [&table](AtomId l) -> std::optional<IndexExpr> {
    for (const auto& [from, to] : table)
      if (from == l) return to;
    return std::nullopt;
  };
}

}  // namespace mlgc
