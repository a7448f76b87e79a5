// See formula_calls.h.
#include "export/formula_calls.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "ops/instantiate_op.h"

namespace mlgc {
namespace {

struct ScalarCall {
  ScalarFn fn;
  std::string_view target;
};
// clang-format off
constexpr ScalarCall kScalarCalls[] = {
    {ScalarFn::Neg, "aten::neg"}, {ScalarFn::Abs, "aten::abs"}, {ScalarFn::Sign, "aten::sign"},
    {ScalarFn::Floor, "aten::floor"}, {ScalarFn::Ceil, "aten::ceil"}, {ScalarFn::Trunc, "aten::trunc"},
    {ScalarFn::Round, "aten::round"}, {ScalarFn::Exp, "aten::exp"}, {ScalarFn::Expm1, "aten::expm1"},
    {ScalarFn::Log, "aten::log"}, {ScalarFn::Log1p, "aten::log1p"}, {ScalarFn::Log2, "aten::log2"},
    {ScalarFn::Sqrt, "aten::sqrt"}, {ScalarFn::Rsqrt, "aten::rsqrt"}, {ScalarFn::Sin, "aten::sin"},
    {ScalarFn::Cos, "aten::cos"}, {ScalarFn::Tan, "aten::tan"}, {ScalarFn::Asin, "aten::asin"},
    {ScalarFn::Acos, "aten::acos"}, {ScalarFn::Atan, "aten::atan"}, {ScalarFn::Sinh, "aten::sinh"},
    {ScalarFn::Cosh, "aten::cosh"}, {ScalarFn::Tanh, "aten::tanh"}, {ScalarFn::Asinh, "aten::asinh"},
    {ScalarFn::Acosh, "aten::acosh"}, {ScalarFn::Atanh, "aten::atanh"}, {ScalarFn::Sigmoid, "aten::sigmoid"},
    {ScalarFn::Erf, "aten::erf"}, {ScalarFn::Erfc, "aten::erfc"}, {ScalarFn::Erfinv, "aten::erfinv"},
    {ScalarFn::Lgamma, "aten::lgamma"}, {ScalarFn::Digamma, "aten::digamma"}, {ScalarFn::IsNan, "aten::isnan"},
    {ScalarFn::Add, "aten::add.Tensor"}, {ScalarFn::Sub, "aten::sub.Tensor"}, {ScalarFn::Mul, "aten::mul.Tensor"},
    {ScalarFn::Div, "aten::div.Tensor"}, {ScalarFn::FloorDiv, "aten::floor_divide"},
    {ScalarFn::Mod, "aten::remainder.Tensor"}, {ScalarFn::Fmod, "aten::fmod.Tensor"},
    {ScalarFn::Pow, "aten::pow.Tensor_Tensor"}, {ScalarFn::Atan2, "aten::atan2"}, {ScalarFn::Min, "aten::minimum"},
    {ScalarFn::Max, "aten::maximum"}, {ScalarFn::Lt, "aten::lt.Tensor"}, {ScalarFn::Le, "aten::le.Tensor"},
    {ScalarFn::Eq, "aten::eq.Tensor"}, {ScalarFn::Ne, "aten::ne.Tensor"}, {ScalarFn::And, "aten::logical_and"},
    {ScalarFn::Or, "aten::logical_or"}, {ScalarFn::Not, "aten::logical_not"},
    {ScalarFn::BitAnd, "aten::bitwise_and.Tensor"}, {ScalarFn::BitOr, "aten::bitwise_or.Tensor"},
    {ScalarFn::BitXor, "aten::bitwise_xor.Tensor"}, {ScalarFn::BitNot, "aten::bitwise_not"},
    {ScalarFn::ShiftLeft, "aten::bitwise_left_shift.Tensor"},
    {ScalarFn::ShiftRight, "aten::bitwise_right_shift.Tensor"}, {ScalarFn::Gcd, "aten::gcd"},
    {ScalarFn::Lcm, "aten::lcm"},
};
// clang-format on

// Why a formula has no calls.
struct NoCall {
  std::string reason;
};

class FormulaCalls {
 public:
  FormulaCalls(const TorchBuilder& builder, const Formula& formula, std::span<const std::string> operands,
               const std::function<IndexExpr(IndexExpr)>& size)
      : builder_(builder),
        pool_(formulas(builder.context())),
        index_(builder.context().index()),
        formula_(formula),
        size_(size),
        tensors_(formula.tensors.size()) {
    std::ranges::copy(operands, tensors_.begin());
  }

  void run(std::span<const std::string> results) {
    const std::vector<TensorId> ids = formula_.results();
    for (const Statement& statement : formula_.statements) {
      const auto result = std::ranges::find(ids, statement.result);
      const std::string value = this->statement(statement);
      tensors_[statement.result.index()] = value;
      if (result != ids.end()) rename(value, results[static_cast<std::size_t>(result - ids.begin())], statement.result);
    }
  }

 private:
  using Arguments = std::vector<TorchArgument>;
  struct Letter {
    AtomId id;
    IndexExpr extent;
  };

  // Calls.
  static TorchArgument self(const std::string& name) { return {"self", TorchName{name}, MLGC_TORCH_TENSOR}; }
  static TorchArgument other(const std::string& name) { return {"other", TorchName{name}, MLGC_TORCH_TENSOR}; }
  static TorchArgument integers(std::string name, std::vector<IndexExpr> values) {
    return {std::move(name), std::move(values), MLGC_TORCH_INTS};
  }
  static TorchArgument number(std::string name, IndexExpr value) { return {std::move(name), value, MLGC_TORCH_NUMBER}; }
  IndexExpr constant(std::int64_t value) { return index_.constant(value); }
  // Types of temporaries state the element type; their shapes are nobody's business.
  Type type_of(Dtype dtype) const { return builder_.context().types().tensor(dtype, std::span<const IndexExpr>()); }
  std::string call(std::string_view target, Arguments arguments, Dtype dtype) {
    return builder_.call(std::string(target), std::move(arguments), type_of(dtype));
  }
  std::string cast(const std::string& value, Dtype dtype) {
    return call("aten::to.dtype", {self(value), {"dtype", dtype, MLGC_TORCH_DTYPE}}, dtype);
  }
  std::string scalar(TorchValue value, Dtype dtype) {
    return call("aten::full",
                {integers("size", std::vector<IndexExpr>(scope_.size(), constant(1))),
                 {"fill_value", std::move(value), MLGC_TORCH_NUMBER},
                 {"dtype", dtype, MLGC_TORCH_DTYPE}},
                dtype);
  }
  std::string where(const std::string& condition, const std::string& a, const std::string& b, Dtype dtype) {
    return call("aten::where.self", {{"condition", TorchName{condition}, MLGC_TORCH_TENSOR}, self(a), other(b)}, dtype);
  }
  void rename(const std::string& value, const std::string& name, TensorId id) {
    builder_.add(
        {.target = "aten::alias",
         .arguments = {self(value)},
         .results = {{name, builder_.context().types().tensor(formula_.tensor(id).dtype, formula_.tensor(id).shape)}}});
  }

  // Letters.
  // Of all axes; the first ones stay as they are.
  std::vector<IndexExpr> extents(std::size_t first = 0) {
    std::vector<IndexExpr> out(first, constant(-1));
    for (std::size_t i = first; i < scope_.size(); ++i) out.push_back(scope_[i].extent);
    return out;
  }
  void enter(std::span<const AtomId> letters) {
    for (const AtomId letter : letters) scope_.push_back({letter, size_(index_.atom(letter).a)});
    known_.emplace_back();
  }
  void leave(std::size_t letters) {
    scope_.resize(scope_.size() - letters);
    known_.pop_back();
  }
  [[nodiscard]] std::size_t axis_of(AtomId letter) const {
    const auto found = std::ranges::find(scope_, letter, &Letter::id);
    if (found == scope_.end()) throw NoCall{"a letter is out of scope"};
    return static_cast<std::size_t>(found - scope_.begin());
  }
  // The letter that e is, if it is one and nothing else.
  [[nodiscard]] std::optional<AtomId> bare_letter(IndexExpr e) const {
    const auto atom = index_.as_atom(e);
    return atom && index_.atom(*atom).kind == AtomKind::Letter ? atom : std::nullopt;
  }

  // An expression over sizes alone.
  [[nodiscard]] bool is_size(IndexExpr e) const {
    bool sizes = true;
    index_.for_each_atom(e, [&](AtomId id) {
      const AtomKind kind = index_.atom(id).kind;
      sizes = sizes && kind != AtomKind::Letter && kind != AtomKind::Opaque;
    });
    return sizes;
  }

  std::string subscript(IndexExpr e) {
    if (is_size(e)) return scalar(size_(e), Dtype::I64);
    IndexExpr rest = constant(0);
    std::string sum;
    for (std::size_t i = 0; i < index_.term_count(e); ++i) {
      const Term term = index_.term(e, i);
      IndexExpr coefficient = constant(term.coefficient);
      std::string product;
      for (const AtomId factor : std::vector<AtomId>(term.factors.begin(), term.factors.end())) {
        if (is_size(index_.from_atom(factor)))
          coefficient = index_.mul(coefficient, index_.from_atom(factor));
        else
          product = product.empty() ? atom(factor)
                                    : call("aten::mul.Tensor", {self(product), other(atom(factor))}, Dtype::I64);
      }
      if (product.empty()) {
        rest = index_.add(rest, coefficient);
        continue;
      }
      if (coefficient != constant(1))
        product = call("aten::mul.Scalar", {self(product), number("other", size_(coefficient))}, Dtype::I64);
      sum = sum.empty() ? product : call("aten::add.Tensor", {self(sum), other(product)}, Dtype::I64);
    }
    return rest == constant(0) ? sum : call("aten::add.Scalar", {self(sum), number("other", size_(rest))}, Dtype::I64);
  }
  std::string atom(AtomId id) {
    const Atom a = index_.atom(id);
    const auto of_both = [&](std::string_view target) {
      const std::string first = subscript(a.a);
      return call(target, {self(first), other(subscript(a.b))}, Dtype::I64);
    };
    switch (a.kind) {
      case AtomKind::Letter: {
        std::vector<IndexExpr> shape(scope_.size(), constant(1));
        const std::size_t axis = axis_of(id);
        shape[axis] = scope_[axis].extent;
        const std::string all = call(
            "aten::arange", {number("end", scope_[axis].extent), {"dtype", Dtype::I64, MLGC_TORCH_DTYPE}}, Dtype::I64);
        return call("aten::view", {self(all), integers("size", std::move(shape))}, Dtype::I64);
      }
      case AtomKind::Opaque: return cast(expression(ExprId(a.number)), Dtype::I64);
      case AtomKind::FloorDiv: return of_both("aten::floor_divide");
      case AtomKind::Mod: return of_both("aten::remainder.Tensor");
      case AtomKind::Min: return of_both("aten::minimum");
      case AtomKind::Max: return of_both("aten::maximum");
      case AtomKind::Symbol: break;
    }
    return scalar(size_(index_.from_atom(id)), Dtype::I64);
  }

  // Expressions.
  std::string expression(ExprId e) {
    const auto key = std::pair(e, guards_ > 0);
    if (const auto found = known_.back().find(key); found != known_.back().end()) return found->second;
    std::string made = make(e);
    known_.back().emplace(key, made);
    return made;
  }
  std::string guarded(ExprId e) {
    ++guards_;
    std::string made = expression(e);
    --guards_;
    return made;
  }
  std::string make(ExprId e) {
    const Dtype type = pool_.type(e);
    switch (pool_.node(e).kind) {
      case NodeKind::Literal:
        if (type == Dtype::I1) return scalar(pool_.literal_integer(e) != 0, type);
        if (is_float(type)) return scalar(pool_.literal_real(e), type);
        return scalar(constant(pool_.literal_integer(e)), type);
      case NodeKind::Index: return subscript(pool_.index_of(e));
      case NodeKind::Read: return read(pool_.read_of(e), type);
      case NodeKind::Stop: return expression(pool_.arguments(e)[0]);
      case NodeKind::Cast: return cast(expression(pool_.arguments(e)[0]), type);
      case NodeKind::Select: {
        const std::vector<ExprId> parts = pool_.arguments(e);
        const std::string condition = expression(parts[0]), a = guarded(parts[1]);
        return where(condition, a, guarded(parts[2]), type);
      }
      case NodeKind::Reduce: return reduce(pool_.reduce_of(e), type);
      case NodeKind::Call: break;
    }
    const ScalarFn fn = pool_.fn(e);
    const auto* const row = std::ranges::find(kScalarCalls, fn, &ScalarCall::fn);
    const std::vector<ExprId> parts = pool_.arguments(e);
    if (row == std::end(kScalarCalls) || (fn == ScalarFn::Div && !is_float(type)))
      throw NoCall{"`" + std::string(scalar_fn_info(fn).name) + "` in its formula has none either"};
    const std::string a = expression(parts[0]);
    if (parts.size() == 1) return call(row->target, {self(a)}, type);
    const bool lazy = fn == ScalarFn::And || fn == ScalarFn::Or;
    const std::string b = lazy ? guarded(parts[1]) : expression(parts[1]);
    if (fn == ScalarFn::Pow) return call(row->target, {self(a), {"exponent", TorchName{b}, MLGC_TORCH_TENSOR}}, type);
    return call(row->target, {self(a), other(b)}, type);
  }

  // A whole axis for each letter: the operand's elements as they are.
  std::optional<std::string> read_whole(const ReadParts& parts, Dtype type) {
    const std::vector<IndexExpr>& shape = formula_.tensor(parts.tensor).shape;
    std::vector<std::pair<std::size_t, std::size_t>> axes;  // in the scope, of the tensor
    std::vector<IndexExpr> view(scope_.size(), constant(1));
    for (std::size_t i = 0; i < shape.size(); ++i) {
      const auto letter = bare_letter(parts.subscripts[i]);
      if (!letter || index_.atom(*letter).a != shape[i]) return std::nullopt;
      const std::size_t axis = axis_of(*letter);
      if (view[axis] != constant(1)) return std::nullopt;  // a diagonal
      view[axis] = size_(shape[i]);
      axes.emplace_back(axis, i);
    }
    std::string value = tensors_[parts.tensor.index()];
    if (!std::ranges::is_sorted(axes)) {
      std::ranges::sort(axes);
      std::vector<IndexExpr> order;
      for (const auto& [to, from] : axes) order.push_back(constant(static_cast<std::int64_t>(from)));
      value = call("aten::permute", {self(value), integers("dims", std::move(order))}, type);
    }
    return axes.size() == scope_.size()
               ? value
               : call("aten::reshape", {self(value), {"shape", std::move(view), MLGC_TORCH_INTS}}, type);
  }
  // 0 <= e < extent, whatever the letters are.
  bool is_inside(IndexExpr e, IndexExpr extent) {
    return index_.is_non_negative(e) && index_.is_non_negative(index_.sub(index_.sub(extent, e), constant(1)));
  }
  std::string both(const std::string& a, const std::string& b) {
    return a.empty() ? b : call("aten::logical_and", {self(a), other(b)}, Dtype::I1);
  }
  std::string read(const ReadParts& parts, Dtype type) {
    const std::vector<IndexExpr>& shape = formula_.tensor(parts.tensor).shape;
    if (auto whole = read_whole(parts, type)) return *whole;
    TorchNames subscripts;
    std::string inside;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      const IndexExpr e = parts.subscripts[i];
      std::string at = subscript(e);
      const IndexExpr extent = size_(shape[i]);
      if ((parts.fill.valid() || guards_ > 0) && !is_inside(e, shape[i])) {
        if (parts.fill.valid()) {
          const std::string low = call("aten::ge.Scalar", {self(at), number("other", constant(0))}, Dtype::I1);
          const std::string high = call("aten::lt.Scalar", {self(at), number("other", extent)}, Dtype::I1);
          inside = both(both(inside, low), high);
        }
        at = clamp(at, extent);
      }
      subscripts.emplace_back(at);
    }
    const std::string value =
        call("aten::index.Tensor",
             {self(tensors_[parts.tensor.index()]), {"indices", std::move(subscripts), MLGC_TORCH_TENSORS}}, type);
    return inside.empty() ? value : where(inside, value, guarded(parts.fill), type);
  }
  std::string clamp(const std::string& at, IndexExpr extent) {
    return call("aten::clamp", {self(at), number("min", constant(0)), number("max", index_.sub(extent, constant(1)))},
                Dtype::I64);
  }

  // Reductions.
  TorchValue neutral(Reduction reduction, Dtype type) {
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
  std::string reduce(const ReduceParts& parts, Dtype type) {
    const std::size_t outer = scope_.size(), count = parts.letters.size();
    enter(parts.letters);
    const std::string guard = parts.guard.valid() ? expression(parts.guard) : "";
    std::string value = guard.empty() ? expression(parts.body) : guarded(parts.body);
    const Dtype body = pool_.type(parts.body);
    const Reduction reduction = parts.reduction;
    if (!guard.empty()) {
      if (reduction == Reduction::ArgMax || reduction == Reduction::ArgMin)
        throw NoCall{"its formula has an argument of an extremum with a guard"};
      if (reduction == Reduction::Any) {
        value = both(guard, value);
      } else if (reduction == Reduction::All) {
        const std::string excluded = call("aten::logical_not", {self(guard)}, Dtype::I1);
        value = call("aten::logical_or", {self(excluded), other(value)}, Dtype::I1);
      } else {
        value = where(guard, value, scalar(neutral(reduction, body), body), body);
      }
    }
    value = call("aten::expand", {self(value), integers("size", extents(outer))}, body);
    value = reduced(value, reduction, outer, count, type);
    leave(count);
    return value;
  }
  std::string reduced(std::string value, Reduction reduction, std::size_t outer, std::size_t count, Dtype type) {
    std::vector<IndexExpr> axes;
    for (std::size_t i = 0; i < count; ++i) axes.push_back(constant(static_cast<std::int64_t>(outer + i)));
    const auto over = [&](std::string_view target) { return call(target, {self(value), integers("dim", axes)}, type); };
    switch (reduction) {
      case Reduction::Sum:
        return call("aten::sum.dim_IntList", {self(value), integers("dim", axes), {"dtype", type, MLGC_TORCH_DTYPE}},
                    type);
      case Reduction::Max: return over("aten::amax");
      case Reduction::Min: return over("aten::amin");
      case Reduction::Any: return over("aten::any.dims");
      case Reduction::All: return over("aten::all.dims");
      case Reduction::Prod:
      case Reduction::ArgMax:
      case Reduction::ArgMin: break;
    }
    const IndexExpr first = constant(static_cast<std::int64_t>(outer));
    value = call("aten::flatten.using_ints", {self(value), {"start_dim", first, MLGC_TORCH_INT}}, type);
    const TorchArgument axis{"dim", first, MLGC_TORCH_INT};
    if (reduction == Reduction::Prod)
      return call("aten::prod.dim_int", {self(value), axis, {"dtype", type, MLGC_TORCH_DTYPE}}, type);
    return call(reduction == Reduction::ArgMax ? "aten::argmax" : "aten::argmin", {self(value), axis}, type);
  }

  // Statements.
  std::string statement(const Statement& st) {
    enter(st.letters);
    const FormulaTensor& result = formula_.tensor(st.result);
    const std::string guard = st.guard.valid() ? expression(st.guard) : "";
    std::string value = guard.empty() ? expression(st.body) : guarded(st.body);
    if (pool_.type(st.body) != result.dtype) value = cast(value, result.dtype);
    if (!guard.empty()) {
      if (!st.pull && st.write != WriteOp::Add) throw NoCall{"its formula writes some elements only"};
      value = where(guard, value, scalar(neutral(Reduction::Sum, result.dtype), result.dtype), result.dtype);
    }
    value = call("aten::expand", {self(value), integers("size", extents())}, result.dtype);
    value = st.pull ? pulled(st, value) : pushed(st, value, !guard.empty());
    leave(st.letters.size());
    return value;
  }
  std::string pulled(const Statement& st, std::string value) {
    const FormulaTensor& result = formula_.tensor(st.result);
    std::vector<IndexExpr> order, shape;
    bool moves = false;
    for (const IndexExpr e : st.subscripts)
      if (const auto letter = bare_letter(e)) {
        const std::size_t axis = axis_of(*letter);
        moves = moves || axis != order.size();
        order.push_back(constant(static_cast<std::int64_t>(axis)));
      }
    if (order.size() != scope_.size()) throw NoCall{"its formula writes elements several times"};
    if (moves) value = call("aten::permute", {self(value), integers("dims", std::move(order))}, result.dtype);
    if (st.subscripts.size() == scope_.size()) return value;
    for (const IndexExpr dim : result.shape) shape.push_back(size_(dim));
    return call("aten::reshape", {self(value), {"shape", std::move(shape), MLGC_TORCH_INTS}}, result.dtype);
  }
  std::string pushed(const Statement& st, const std::string& value, bool guarded) {
    if ((st.write != WriteOp::Add && st.write != WriteOp::Set) || st.subscripts.empty())
      throw NoCall{"its formula writes elements several times"};
    const FormulaTensor& result = formula_.tensor(st.result);
    std::string base;
    if (st.base.valid()) {
      base = tensors_[st.base.index()];
    } else {
      std::vector<IndexExpr> shape;
      for (const IndexExpr dim : result.shape) shape.push_back(size_(dim));
      base = call("aten::zeros", {integers("size", std::move(shape)), {"dtype", result.dtype, MLGC_TORCH_DTYPE}},
                  result.dtype);
    }
    TorchNames subscripts;
    for (std::size_t i = 0; i < st.subscripts.size(); ++i) {
      std::string at = subscript(st.subscripts[i]);
      if (guarded && !is_inside(st.subscripts[i], result.shape[i])) at = clamp(at, size_(result.shape[i]));
      if (i == 0) at = call("aten::expand", {self(at), integers("size", extents())}, Dtype::I64);
      subscripts.emplace_back(at);
    }
    return call("aten::index_put",
                {self(base),
                 {"indices", std::move(subscripts), MLGC_TORCH_TENSORS},
                 {"values", TorchName{value}, MLGC_TORCH_TENSOR},
                 {"accumulate", st.write == WriteOp::Add, MLGC_TORCH_BOOL}},
                result.dtype);
  }

  const TorchBuilder& builder_;
  FormulaPool& pool_;
  IndexPool& index_;
  const Formula& formula_;
  const std::function<IndexExpr(IndexExpr)>& size_;
  std::vector<std::string> tensors_;  // names, by TensorId
  std::vector<Letter> scope_;
  std::vector<std::map<std::pair<ExprId, bool>, std::string>> known_;  // expressions of each scope, and whether guarded
  int guards_ = 0;
};

}  // namespace

std::optional<std::string> formula_calls(const TorchBuilder& builder, const Formula& formula,
                                         std::span<const std::string> operands, std::span<const std::string> results,
                                         const std::function<IndexExpr(IndexExpr)>& size) {
  try {
    FormulaCalls(builder, formula, operands, size).run(results);
  } catch (const NoCall& none) {
    return none.reason;
  }
  return std::nullopt;
}

}  // namespace mlgc
