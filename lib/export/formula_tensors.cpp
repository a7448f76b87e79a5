// See formula_tensors.h.
#include "export/formula_tensors.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

namespace mlgc {
namespace {

class FormulaTensors {
 public:
  FormulaTensors(TensorOps& ops, FormulaPool& pool, const Formula& formula, std::span<const TensorValue> operands,
                 const std::function<IndexExpr(IndexExpr)>& size)
      : ops_(ops), pool_(pool), index_(pool.index()), formula_(formula), size_(size), tensors_(formula.tensors.size()) {
    std::ranges::copy(operands, tensors_.begin());
  }

  std::vector<TensorValue> run() {
    for (const Statement& statement : formula_.statements) tensors_[statement.result.index()] = value_of(statement);
    std::vector<TensorValue> out;
    for (const TensorId result : formula_.results()) out.push_back(tensors_[result.index()]);
    return out;
  }

 private:
  struct Label {
    AtomId id;
    IndexExpr extent;
  };

  IndexExpr constant(std::int64_t value) { return index_.constant(value); }
  TensorValue number(const TensorNumber& value, Dtype dtype) { return ops_.number(value, dtype, scope_.size()); }
  TensorValue call(ScalarFn fn, const TensorValue& a, const TensorValue& b, Dtype type) {
    const TensorValue operands[] = {a, b};
    return ops_.call(fn, operands, type);
  }
  TensorValue cast(const TensorValue& value, Dtype dtype) {
    return value.dtype == dtype ? value : ops_.cast(value, dtype);
  }

  // Index labels.
  // Of all axes; the first ones as `value` has them.
  std::vector<IndexExpr> extents(const TensorValue& value, std::size_t first = 0) {
    std::vector<IndexExpr> out(value.shape.begin(), value.shape.begin() + static_cast<std::ptrdiff_t>(first));
    for (std::size_t i = first; i < scope_.size(); ++i) out.push_back(scope_[i].extent);
    return out;
  }
  std::vector<IndexExpr> extents() { return extents({}, 0); }
  TensorValue expanded(const TensorValue& value, std::vector<IndexExpr> shape) {
    return value.shape == shape ? value : ops_.expand(value, std::move(shape));
  }
  void enter(std::span<const AtomId> labels) {
    for (const AtomId label : labels) scope_.push_back({label, size_(index_.atom(label).a)});
    known_.emplace_back();
  }
  void leave(std::size_t labels) {
    scope_.resize(scope_.size() - labels);
    known_.pop_back();
  }
  [[nodiscard]] std::size_t axis_of(AtomId label) const {
    const auto found = std::ranges::find(scope_, label, &Label::id);
    if (found == scope_.end()) throw NoForm{"an index label is out of scope"};
    return static_cast<std::size_t>(found - scope_.begin());
  }
  // The index label that e is, if it is one and nothing else.
  [[nodiscard]] std::optional<AtomId> bare_label(IndexExpr e) const {
    const auto atom = index_.as_atom(e);
    return atom && index_.atom(*atom).kind == AtomKind::IndexLabel ? atom : std::nullopt;
  }

  // An expression over sizes alone.
  [[nodiscard]] bool is_size(IndexExpr e) const {
    bool sizes = true;
    index_.for_each_atom(e, [&](AtomId id) {
      const AtomKind kind = index_.atom(id).kind;
      sizes = sizes && kind != AtomKind::IndexLabel && kind != AtomKind::Opaque;
    });
    return sizes;
  }

  TensorValue subscript(IndexExpr e) {
    if (is_size(e)) return number(size_(e), Dtype::I64);
    IndexExpr rest = constant(0);
    std::optional<TensorValue> sum;
    for (std::size_t i = 0; i < index_.term_count(e); ++i) {
      const Term term = index_.term(e, i);
      IndexExpr coefficient = constant(term.coefficient);
      std::optional<TensorValue> product;
      for (const AtomId factor : std::vector<AtomId>(term.factors.begin(), term.factors.end())) {
        if (is_size(index_.from_atom(factor)))
          coefficient = index_.mul(coefficient, index_.from_atom(factor));
        else
          product = product ? call(ScalarFn::Mul, *product, atom(factor), Dtype::I64) : atom(factor);
      }
      if (!product) {
        rest = index_.add(rest, coefficient);
        continue;
      }
      if (coefficient != constant(1)) product = ops_.multiply_size(*product, size_(coefficient));
      sum = sum ? call(ScalarFn::Add, *sum, *product, Dtype::I64) : *product;
    }
    return rest == constant(0) ? *sum : ops_.add_size(*sum, size_(rest));
  }
  TensorValue atom(AtomId id) {
    const Atom a = index_.atom(id);
    const auto of_both = [&](ScalarFn fn) {
      const TensorValue first = subscript(a.a);
      return call(fn, first, subscript(a.b), Dtype::I64);
    };
    switch (a.kind) {
      case AtomKind::IndexLabel: {
        const std::size_t axis = axis_of(id);
        return ops_.positions(scope_.size(), axis, scope_[axis].extent);
      }
      case AtomKind::Opaque: return cast(expression(ExprId(a.number)), Dtype::I64);
      case AtomKind::FloorDiv: return of_both(ScalarFn::FloorDiv);
      case AtomKind::Mod: return of_both(ScalarFn::Mod);
      case AtomKind::Min: return of_both(ScalarFn::Min);
      case AtomKind::Max: return of_both(ScalarFn::Max);
      case AtomKind::Symbol: break;
    }
    return number(size_(index_.from_atom(id)), Dtype::I64);
  }

  // Expressions.
  TensorValue expression(ExprId e) {
    const auto key = std::pair(e, guards_ > 0);
    if (const auto found = known_.back().find(key); found != known_.back().end()) return found->second;
    TensorValue made = make(e);
    known_.back().emplace(key, made);
    return made;
  }
  TensorValue guarded(ExprId e) {
    ++guards_;
    TensorValue made = expression(e);
    --guards_;
    return made;
  }
  TensorValue make(ExprId e) {
    const Dtype type = pool_.type(e);
    switch (pool_.node(e).kind) {
      case NodeKind::Literal:
        if (type == Dtype::I1) return number(pool_.literal_integer(e) != 0, type);
        if (is_float(type)) return number(pool_.literal_real(e), type);
        return number(constant(pool_.literal_integer(e)), type);
      case NodeKind::Index: return cast(subscript(pool_.index_of(e)), type);
      case NodeKind::Read: return read(pool_.read_of(e), type);
      case NodeKind::Stop: return expression(pool_.arguments(e)[0]);
      case NodeKind::Cast: return cast(expression(pool_.arguments(e)[0]), type);
      case NodeKind::Select: {
        const std::vector<ExprId> parts = pool_.arguments(e);
        const TensorValue condition = expression(parts[0]), a = guarded(parts[1]);
        return ops_.select(condition, a, guarded(parts[2]));
      }
      case NodeKind::Reduce: return reduce(pool_.reduce_of(e), type);
      case NodeKind::Call: break;
    }
    const ScalarFn fn = pool_.fn(e);
    const bool lazy = fn == ScalarFn::And || fn == ScalarFn::Or;
    std::vector<TensorValue> operands;
    for (const ExprId part : pool_.arguments(e))
      operands.push_back(lazy && !operands.empty() ? guarded(part) : expression(part));
    return ops_.call(fn, operands, type);
  }

  // A whole axis for each index label: the operand's elements as they are.
  std::optional<TensorValue> read_whole(const ReadParts& parts) {
    const std::vector<IndexExpr>& shape = formula_.tensor(parts.tensor).shape;
    std::vector<std::pair<std::size_t, std::size_t>> axes;  // in the scope, of the tensor
    std::vector<IndexExpr> view(scope_.size(), constant(1));
    std::vector<bool> seen(scope_.size());
    for (std::size_t i = 0; i < shape.size(); ++i) {
      const auto label = bare_label(parts.subscripts[i]);
      if (!label || index_.atom(*label).a != shape[i]) return std::nullopt;
      const std::size_t axis = axis_of(*label);
      if (seen[axis]) return std::nullopt;  // a diagonal
      seen[axis] = true;
      view[axis] = size_(shape[i]);
      axes.emplace_back(axis, i);
    }
    TensorValue value = tensors_[parts.tensor.index()];
    if (!std::ranges::is_sorted(axes)) {
      std::ranges::sort(axes);
      std::vector<std::size_t> order;
      for (const auto& [to, from] : axes) order.push_back(from);
      value = ops_.permute(value, order);
    }
    return axes.size() == scope_.size() ? value : ops_.reshape(value, std::move(view));
  }
  // 0 <= e < extent, for all values of the index labels.
  bool is_inside(IndexExpr e, IndexExpr extent) {
    return index_.is_non_negative(e) && index_.is_non_negative(index_.sub(index_.sub(extent, e), constant(1)));
  }
  TensorValue both(const std::optional<TensorValue>& a, const TensorValue& b) {
    return a ? call(ScalarFn::And, *a, b, Dtype::I1) : b;
  }
  TensorValue read(const ReadParts& parts, Dtype type) {
    const std::vector<IndexExpr>& shape = formula_.tensor(parts.tensor).shape;
    if (auto whole = read_whole(parts)) return *std::move(whole);
    std::vector<TensorValue> subscripts;
    std::optional<TensorValue> inside;
    std::vector<IndexExpr> joint(scope_.size(), constant(1));
    for (std::size_t i = 0; i < shape.size(); ++i) {
      const IndexExpr e = parts.subscripts[i];
      TensorValue at = subscript(e);
      const IndexExpr extent = size_(shape[i]);
      if ((parts.fill.valid() || guards_ > 0) && !is_inside(e, shape[i])) {
        if (parts.fill.valid()) inside = both(inside, ops_.is_inside(at, extent));
        at = ops_.clamp(at, extent);
      }
      for (std::size_t axis = 0; axis < joint.size(); ++axis)
        if (joint[axis] == constant(1)) joint[axis] = at.shape[axis];
      subscripts.push_back(std::move(at));
    }
    const TensorValue& operand = tensors_[parts.tensor.index()];
    std::optional<TensorValue> value;
    if (shape.empty())
      value = ops_.reshape(operand, std::move(joint));
    else
      value = gather_by_axes(parts, operand, subscripts);
    if (!value) value = ops_.gather(operand, subscripts, std::move(joint));
    return inside ? ops_.select(*inside, *value, cast(guarded(parts.fill), type)) : *value;
  }
  // Axis by axis, where subscripts depend on different index labels: each axis becomes those of its labels.
  std::optional<TensorValue> gather_by_axes(const ReadParts& parts, TensorValue value,
                                            std::span<const TensorValue> subscripts) {
    std::vector<std::vector<std::size_t>> axes(subscripts.size());
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < subscripts.size(); ++i)
      for (const AtomId label : pool_.free_labels(parts.subscripts[i])) {
        const std::size_t axis = axis_of(label);
        if (std::ranges::count(all, axis) != 0) return std::nullopt;
        all.push_back(axis);
        axes[i].push_back(axis);
      }
    // From the last one on, so that axes before keep their numbers.
    all.clear();
    for (std::size_t i = subscripts.size(); i-- > 0;) {
      std::ranges::sort(axes[i]);
      all.insert(all.begin(), axes[i].begin(), axes[i].end());
      const IndexExpr dim = formula_.tensor(parts.tensor).shape[i];
      if (const auto label = bare_label(parts.subscripts[i]); label && index_.atom(*label).a == dim) continue;
      std::vector<IndexExpr> extents;
      for (const std::size_t axis : axes[i]) extents.push_back(subscripts[i].shape[axis]);
      const auto gathered = ops_.gather_axis(value, i, ops_.reshape(subscripts[i], std::move(extents)));
      if (!gathered) return std::nullopt;
      value = *gathered;
    }
    std::vector<std::size_t> order(all.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) { return all[i]; });
    if (!std::ranges::is_sorted(order)) value = ops_.permute(value, order);
    if (all.size() == scope_.size()) return value;
    std::vector<IndexExpr> placed(scope_.size(), constant(1));
    for (std::size_t i = 0; i < order.size(); ++i) placed[all[order[i]]] = value.shape[i];
    return ops_.reshape(value, std::move(placed));
  }

  // Reductions.
  TensorNumber neutral(Reduction reduction, Dtype type) {
    if (reduction == Reduction::Sum || reduction == Reduction::Prod) {
      const std::int64_t value = reduction == Reduction::Sum ? 0 : 1;
      if (is_float(type)) return static_cast<double>(value);
      return constant(value);
    }
    const bool most = reduction == Reduction::Min;
    if (is_float(type))
      return most ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity();
    const auto [low, high] = extreme_integers(type);
    return constant(most ? high : low);
  }
  TensorValue reduce(const ReduceParts& parts, Dtype type) {
    const std::size_t outer = scope_.size(), count = parts.labels.size();
    enter(parts.labels);
    std::optional<TensorValue> product;
    if (parts.reduction == Reduction::Sum && !parts.guard.valid()) product = sum_of_products(parts, outer, type);
    TensorValue value = product ? *std::move(product) : reduced(parts, outer, type);
    leave(count);
    return value;
  }
  TensorValue reduced(const ReduceParts& parts, std::size_t outer, Dtype type) {
    std::optional<TensorValue> guard;
    if (parts.guard.valid()) guard = expression(parts.guard);
    TensorValue value = guard ? guarded(parts.body) : expression(parts.body);
    const Dtype body = pool_.type(parts.body);
    const Reduction reduction = parts.reduction;
    if (guard) {
      if (reduction == Reduction::ArgMax || reduction == Reduction::ArgMin)
        return first_extremum(parts, *guard, value, outer);
      if (reduction == Reduction::Any) {
        value = both(guard, value);
      } else if (reduction == Reduction::All) {
        const TensorValue excluded = ops_.call(ScalarFn::Not, std::span(&*guard, 1), Dtype::I1);
        value = call(ScalarFn::Or, excluded, value, Dtype::I1);
      } else {
        value = ops_.select(*guard, value, number(neutral(reduction, body), body));
      }
    }
    const TensorValue whole = expanded(value, extents(value, outer));
    return ops_.reduce(reduction, whole, outer, type);
  }

  // Where the largest or least element inside the guard is: the first one that is equal to it, or is not a number.
  TensorValue first_extremum(const ReduceParts& parts, const TensorValue& guard, const TensorValue& value,
                             std::size_t outer) {
    const Dtype dtype = value.dtype;
    const Reduction kind = parts.reduction == Reduction::ArgMax ? Reduction::Max : Reduction::Min;
    const TensorValue inside = ops_.select(guard, value, number(neutral(kind, dtype), dtype));
    const TensorValue whole = expanded(inside, extents(inside, outer));
    TensorValue extremum = ops_.reduce(kind, whole, outer, dtype);
    std::vector<IndexExpr> shape = extremum.shape;
    shape.resize(scope_.size(), constant(1));
    extremum = ops_.reshape(extremum, std::move(shape));
    TensorValue hit = call(ScalarFn::Eq, whole, extremum, Dtype::I1);
    if (is_float(dtype)) hit = call(ScalarFn::Or, hit, call(ScalarFn::Ne, whole, whole, Dtype::I1), Dtype::I1);
    hit = call(ScalarFn::And, hit, guard, Dtype::I1);
    hit = expanded(hit, extents(hit, outer));
    return ops_.reduce(Reduction::ArgMax, ops_.cast(hit, Dtype::I32), outer, Dtype::I64);
  }

  // Of each item, how many are smaller.
  static std::vector<std::size_t> ranks_of(const std::vector<std::size_t>& items) {
    std::vector<std::size_t> out;
    for (const std::size_t item : items)
      out.push_back(
          static_cast<std::size_t>(std::ranges::count_if(items, [&](std::size_t other) { return other < item; })));
    return out;
  }
  // a*b summed over index labels that both depend on, as one matrix product: [both, a's, summed] by
  // [both, summed, b's]. Without labels of their own the products take no more memory than a and b, and a sum may be
  // more exact.
  std::optional<TensorValue> sum_of_products(const ReduceParts& parts, std::size_t outer, Dtype type) {
    if (pool_.node(parts.body).kind != NodeKind::Call || pool_.fn(parts.body) != ScalarFn::Mul || !is_float(type))
      return std::nullopt;
    const std::vector<ExprId> factors = pool_.arguments(parts.body);
    const std::vector<AtomId> in_a = pool_.free_labels(factors[0]), in_b = pool_.free_labels(factors[1]);
    std::vector<std::size_t> shared, only_a, only_b, summed;
    for (std::size_t i = 0; i < scope_.size(); ++i) {
      const bool a = std::ranges::count(in_a, scope_[i].id) != 0, b = std::ranges::count(in_b, scope_[i].id) != 0;
      if (i >= outer && !(a && b)) return std::nullopt;
      if (i >= outer)
        summed.push_back(i);
      else if (a && b)
        shared.push_back(i);
      else if (a)
        only_a.push_back(i);
      else if (b)
        only_b.push_back(i);
    }
    if (only_a.empty() || only_b.empty()) return std::nullopt;
    const auto sized = [&](const std::vector<std::size_t>& axes) {
      IndexExpr out = constant(1);
      for (const std::size_t axis : axes) out = index_.mul(out, scope_[axis].extent);
      return out;
    };
    const auto matrix = [&](ExprId e, const std::vector<std::size_t>& rows, const std::vector<std::size_t>& columns) {
      TensorValue value = expression(e);
      std::vector<std::size_t> order;
      std::vector<IndexExpr> shape(scope_.size(), constant(1)), present;
      for (const std::vector<std::size_t>* axes : {&std::as_const(shared), &rows, &columns})
        for (const std::size_t axis : *axes) {
          order.push_back(axis);
          shape[axis] = scope_[axis].extent;
        }
      value = expanded(value, std::move(shape));
      if (!std::ranges::is_sorted(order)) {
        for (std::size_t i = 0; i < scope_.size(); ++i)
          if (std::ranges::count(order, i) != 0) present.push_back(scope_[i].extent);
        value = ops_.permute(ops_.reshape(value, std::move(present)), ranks_of(order));
      }
      return ops_.reshape(value, {sized(shared), sized(rows), sized(columns)});
    };
    const TensorValue a = matrix(factors[0], only_a, summed), b = matrix(factors[1], summed, only_b);
    const std::optional<TensorValue> product = ops_.product(a, b, type);
    if (!product) return std::nullopt;
    std::vector<std::size_t> axes;
    std::vector<IndexExpr> shape, placed(outer, constant(1));
    for (const auto* group : {&shared, &only_a, &only_b})
      for (const std::size_t axis : *group) {
        axes.push_back(axis);
        shape.push_back(scope_[axis].extent);
        placed[axis] = scope_[axis].extent;
      }
    TensorValue value = ops_.reshape(*product, std::move(shape));
    if (!std::ranges::is_sorted(axes)) {
      std::vector<std::size_t> order(axes.size());
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::ranges::sort(order, {}, [&](std::size_t i) { return axes[i]; });
      value = ops_.permute(value, order);
    }
    return axes.size() == outer ? value : ops_.reshape(value, std::move(placed));
  }

  // Statements.
  TensorValue value_of(const Statement& st) {
    enter(st.labels);
    const FormulaTensor& result = formula_.tensor(st.result);
    std::optional<TensorValue> guard;
    if (st.guard.valid()) guard = expression(st.guard);
    TensorValue value = cast(guard ? guarded(st.body) : expression(st.body), result.dtype);
    if (guard) {
      if (!st.pull && st.write != WriteOp::Add) throw NoForm{"its formula writes some elements only"};
      value = ops_.select(*guard, value, number(neutral(Reduction::Sum, result.dtype), result.dtype));
    }
    value = expanded(value, extents());
    value = st.pull ? pulled(st, value) : pushed(st, value, guard.has_value());
    leave(st.labels.size());
    return value;
  }
  std::vector<IndexExpr> shape_of(const FormulaTensor& tensor) {
    std::vector<IndexExpr> shape;
    for (const IndexExpr dim : tensor.shape) shape.push_back(size_(dim));
    return shape;
  }
  TensorValue pulled(const Statement& st, TensorValue value) {
    std::vector<std::size_t> order;
    for (const IndexExpr e : st.subscripts)
      if (const auto label = bare_label(e)) order.push_back(axis_of(*label));
    if (order.size() != scope_.size()) throw NoForm{"its formula writes elements several times"};
    if (!std::ranges::is_sorted(order)) value = ops_.permute(value, order);
    return st.subscripts.size() == scope_.size() ? value : ops_.reshape(value, shape_of(formula_.tensor(st.result)));
  }
  TensorValue pushed(const Statement& st, const TensorValue& value, bool guarded) {
    if (st.subscripts.empty()) throw NoForm{"its formula writes elements several times"};
    const FormulaTensor& result = formula_.tensor(st.result);
    const TensorValue base = st.base.valid()
                                 ? tensors_[st.base.index()]
                                 : ops_.filled(neutral(Reduction::Sum, result.dtype), result.dtype, shape_of(result));
    std::vector<TensorValue> subscripts;
    for (std::size_t i = 0; i < st.subscripts.size(); ++i) {
      TensorValue at = subscript(st.subscripts[i]);
      if (guarded && !is_inside(st.subscripts[i], result.shape[i])) at = ops_.clamp(at, size_(result.shape[i]));
      if (i == 0) at = expanded(at, extents());
      subscripts.push_back(std::move(at));
    }
    return ops_.scatter(base, subscripts, value, st.write);
  }

  TensorOps& ops_;
  FormulaPool& pool_;
  IndexPool& index_;
  const Formula& formula_;
  const std::function<IndexExpr(IndexExpr)>& size_;
  std::vector<TensorValue> tensors_;  // by TensorId
  std::vector<Label> scope_;
  std::vector<std::map<std::pair<ExprId, bool>, TensorValue>> known_;  // expressions of each scope, and whether guarded
  int guards_ = 0;
};

}  // namespace

std::vector<TensorValue> formula_tensors(TensorOps& ops, FormulaPool& pool, const Formula& formula,
                                         std::span<const TensorValue> operands,
                                         const std::function<IndexExpr(IndexExpr)>& size) {
  return FormulaTensors(ops, pool, formula, operands, size).run();
}

}  // namespace mlgc
