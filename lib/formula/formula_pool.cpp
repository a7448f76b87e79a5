// Construction, typing, folding and rewriting of scalar expressions.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>

#include "formula/formula.h"
#include "support/hash.h"
#include "support/result.h"
#include "tensor/float16.h"
#include "tensor/tensor.h"

namespace mlgc {
namespace {

constexpr std::uint32_t kNone = ExprId::kInvalid;

int category_rank(Dtype d) { return static_cast<int>(dtype_info(d).category); }

bool wraps(ScalarFn fn, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (fn == ScalarFn::Add) return __builtin_add_overflow(a, b, &result);
  if (fn == ScalarFn::Sub) return __builtin_sub_overflow(a, b, &result);
  return fn == ScalarFn::Mul && __builtin_mul_overflow(a, b, &result);
}

// Integers of a dtype wrap to its width; bool is 0 or 1.
std::int64_t wrap_to(Dtype d, std::int64_t v) {
  switch (d) {
    case Dtype::I1: return v != 0;
    case Dtype::I8: return static_cast<std::int8_t>(v);
    case Dtype::UI8: return static_cast<std::uint8_t>(v);
    case Dtype::I16: return static_cast<std::int16_t>(v);
    case Dtype::I32: return static_cast<std::int32_t>(v);
    default: return v;
  }
}

}  // namespace

std::string_view reduction_name(Reduction r) {
  constexpr std::string_view names[] = {"sum", "prod", "max", "min", "any", "all", "argmax", "argmin"};
  return names[static_cast<std::size_t>(r)];
}

ExprId FormulaPool::intern(ExprNode node, std::span<const std::uint32_t> words) {
  std::uint64_t hash = hash_mix(static_cast<std::uint64_t>(node.kind) << 16 | node.fn,
                                static_cast<std::uint64_t>(node.type) << 1 | (node.weak ? 1 : 0));
  for (std::uint32_t w : words) hash = hash_mix(hash, w);
  auto [it, last] = table_.equal_range(hash);
  for (; it != last; ++it) {
    const ExprNode& other = nodes_[it->second];
    if (other.kind == node.kind && other.fn == node.fn && other.type == node.type && other.weak == node.weak &&
        other.count == words.size() && std::equal(words.begin(), words.end(), payload_.begin() + other.first))
      return ExprId(it->second);
  }
  node.first = static_cast<std::uint32_t>(payload_.size());
  node.count = static_cast<std::uint32_t>(words.size());
  payload_.insert(payload_.end(), words.begin(), words.end());
  const ExprId id(nodes_.size());
  nodes_.push_back(node);
  table_.emplace(hash, id.value);
  return id;
}

ExprId FormulaPool::real(double value, Dtype type, bool weak) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const std::uint32_t words[] = {static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32)};
  return intern({NodeKind::Literal, 0, type, weak}, words);
}

ExprId FormulaPool::integer(std::int64_t value, Dtype type, bool weak) {
  const auto bits = static_cast<std::uint64_t>(wrap_to(type, value));
  const std::uint32_t words[] = {static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32)};
  return intern({NodeKind::Literal, 0, type, weak}, words);
}

ExprId FormulaPool::boolean(bool value) { return integer(value ? 1 : 0, Dtype::I1, false); }

ExprId FormulaPool::index_value(IndexExpr e) {
  if (auto c = index_.as_constant(e)) return integer(*c);
  const std::uint32_t words[] = {e.id};
  return intern({NodeKind::Index, 0, Dtype::I64, true}, words);
}

ExprId FormulaPool::weak_real(ExprId e) {
  const ExprNode n = node(e);
  if (is_float(n.type)) return e;
  if (n.kind == NodeKind::Literal) return real(static_cast<double>(literal_integer(e)));
  MLGC_ASSERT(n.kind == NodeKind::Index, "weak_real of an expression that has a type");
  const std::uint32_t words[] = {index_of(e).id};
  return intern({NodeKind::Index, 0, Dtype::F64, true}, words);
}

ExprId FormulaPool::read(Dtype type, TensorId tensor, std::span<const IndexExpr> subscripts, ExprId fill) {
  std::vector<std::uint32_t> words{tensor.value, fill.value};
  for (IndexExpr s : subscripts) words.push_back(s.id);
  return intern({NodeKind::Read, 0, type, false}, words);
}

double FormulaPool::literal_real(ExprId e) const {
  const auto words = payload(e);
  const std::uint64_t bits = words[0] | (std::uint64_t{words[1]} << 32);
  return is_float(type(e)) ? std::bit_cast<double>(bits) : static_cast<double>(static_cast<std::int64_t>(bits));
}

std::int64_t FormulaPool::literal_integer(ExprId e) const {
  const auto words = payload(e);
  return static_cast<std::int64_t>(words[0] | (std::uint64_t{words[1]} << 32));
}

bool FormulaPool::is_literal(ExprId e, double value) const {
  return node(e).kind == NodeKind::Literal && literal_real(e) == value && !std::signbit(literal_real(e));
}

IndexExpr FormulaPool::index_of(ExprId e) const { return IndexExpr{payload(e)[0]}; }

ReadParts FormulaPool::read_of(ExprId e) const {
  const auto words = payload(e);
  ReadParts parts{TensorId(words[0]), {}, words[1] == kNone ? ExprId() : ExprId(words[1])};
  for (std::uint32_t w : words.subspan(2)) parts.subscripts.push_back(IndexExpr{w});
  return parts;
}

ReduceParts FormulaPool::reduce_of(ExprId e) const {
  const auto words = payload(e);
  ReduceParts parts{
      static_cast<Reduction>(node(e).fn), {}, words[1] == kNone ? ExprId() : ExprId(words[1]), ExprId(words[0])};
  for (std::uint32_t w : words.subspan(2)) parts.labels.emplace_back(w);
  return parts;
}

std::vector<ExprId> FormulaPool::arguments(ExprId e) const {
  std::vector<ExprId> args;
  for (std::uint32_t w : payload(e)) args.emplace_back(w);
  return args;
}

std::optional<Dtype> FormulaPool::common_type(ExprId a, ExprId b) const {
  const ExprNode &x = node(a), &y = node(b);
  if (x.weak && y.weak) return category_rank(x.type) >= category_rank(y.type) ? x.type : y.type;
  if (!x.weak && !y.weak) return x.type == y.type ? std::optional(x.type) : std::nullopt;
  const ExprNode &weak = x.weak ? x : y, &strong = x.weak ? y : x;
  // A real number against integers gives the default float, a whole number against bool gives i64.
  if (category_rank(weak.type) > category_rank(strong.type)) return is_float(weak.type) ? Dtype::F32 : Dtype::I64;
  return strong.type;
}

std::optional<Dtype> FormulaPool::call_type(ScalarFn fn, std::span<const ExprId> args) const {
  const ScalarFnInfo& info = scalar_fn_info(fn);
  if (args.size() != info.arity) return std::nullopt;
  auto common = args.size() == 2 ? common_type(args[0], args[1]) : std::optional(type(args[0]));
  if (!common) return std::nullopt;
  const DtypeCategory category = dtype_info(*common).category;
  switch (info.rule) {
    case ResultRule::Same:
      if (category == DtypeCategory::Bool) return std::nullopt;
      break;
    case ResultRule::SameOrBool: break;
    case ResultRule::FloatOf:
      if (category != DtypeCategory::Float) return Dtype::F32;
      break;
    case ResultRule::Bool: return Dtype::I1;
    case ResultRule::Logical:
      if (*common != Dtype::I1) return std::nullopt;
      break;
    case ResultRule::Bits:
      if (category == DtypeCategory::Float) return std::nullopt;
      break;
  }
  if (category == DtypeCategory::Float ? !info.real : !info.integer) return std::nullopt;
  return common;
}

ExprId FormulaPool::coerce(ExprId e, Dtype target) {
  const ExprNode n = node(e);
  if (!n.weak) {
    MLGC_ASSERT(n.type == target, "a strong expression cannot change its type without a cast");
    return e;
  }
  switch (n.kind) {
    case NodeKind::Literal:
      if (is_float(target)) return real(literal_real(e), target, false);
      if (target == Dtype::I1) return boolean(is_float(n.type) ? literal_real(e) != 0 : literal_integer(e) != 0);
      return integer(is_float(n.type) ? convert_element<std::int64_t>(literal_real(e)) : literal_integer(e), target,
                     false);
    case NodeKind::Index: {
      const std::uint32_t words[] = {index_value(index_of(e)).value};
      return intern({NodeKind::Cast, 0, target, false}, words);
    }
    case NodeKind::Select: {
      const auto args = arguments(e);
      return select(args[0], coerce(args[1], target), coerce(args[2], target));
    }
    case NodeKind::Stop: return stop(coerce(arguments(e)[0], target));
    case NodeKind::Call: {
      // A weak call has weak operands: the whole expression is computed in the type it meets.
      std::vector<ExprId> args = arguments(e);
      if (is_float(target))
        if (const ExprId folded = fold_as_real(e); folded.valid()) return coerce(folded, target);
      for (ExprId& a : args) a = coerce(a, target);
      return call(static_cast<ScalarFn>(n.fn), args);
    }
    default: break;
  }
  throw InternalError("a weak expression of an unexpected kind");
}

ExprId FormulaPool::fold_as_real(ExprId e) {
  const ExprNode n = node(e);
  if (!n.weak) return {};
  if (n.kind == NodeKind::Literal) return real(literal_real(e), Dtype::F64, true);
  const auto function = static_cast<ScalarFn>(n.fn);
  if (n.kind != NodeKind::Call || !scalar_fn_info(function).real) return {};
  std::vector<ExprId> args = arguments(e);
  for (ExprId& a : args)
    if (a = fold_as_real(a); !a.valid()) return {};
  const ExprId folded = call(function, args);
  return node(folded).kind == NodeKind::Literal ? folded : ExprId();
}

ExprId FormulaPool::settle(ExprId e) {
  if (!node(e).weak) return e;
  return coerce(e, is_float(type(e)) ? Dtype::F32 : type(e));
}

ExprId FormulaPool::fold(ScalarFn fn, std::span<const ExprId> args, Dtype result, bool weak) {
  const ScalarFnInfo& info = scalar_fn_info(fn);
  for (ExprId a : args)
    if (node(a).kind != NodeKind::Literal) return {};
  const bool floats = is_float(type(args[0])) || (args.size() == 2 && is_float(type(args[1])));
  if (info.rule == ResultRule::FloatOf || floats) {
    if (!info.real || !(weak || result == Dtype::F64 || result == Dtype::I1)) return {};
    const double value = info.real(literal_real(args[0]), args.size() == 2 ? literal_real(args[1]) : 0.0);
    return result == Dtype::I1 ? boolean(value != 0) : real(value, is_float(result) ? result : Dtype::F64, weak);
  }
  if (!info.integer) return {};
  const std::int64_t b = args.size() == 2 ? literal_integer(args[1]) : 0;
  const bool divides = fn == ScalarFn::FloorDiv || fn == ScalarFn::Mod || fn == ScalarFn::Fmod;
  if (divides && b == 0) return {};
  // Attributes and sizes are integers, which do not wrap; a wrapped one is computed in the type it meets.
  if (weak && wraps(fn, literal_integer(args[0]), b)) return {};
  return integer(info.integer(literal_integer(args[0]), b), result, weak && result != Dtype::I1);
}

ExprId FormulaPool::call(ScalarFn fn, std::span<const ExprId> operands) {
  const auto result = call_type(fn, operands);
  MLGC_ASSERT(result.has_value(), "a call that does not type-check");
  const ScalarFnInfo& info = scalar_fn_info(fn);
  std::vector<ExprId> args(operands.begin(), operands.end());

  // Index arithmetic stays an index expression: it is what subscripts, guards and loop bounds are made of.
  auto as_index = [&](ExprId e) -> std::optional<IndexExpr> {
    if (is_float(type(e))) return std::nullopt;
    if (node(e).kind == NodeKind::Index) return index_of(e);
    if (node(e).kind == NodeKind::Literal && node(e).weak) return index_.constant(literal_integer(e));
    return std::nullopt;
  };
  if (args.size() == 2) {
    const auto x = as_index(args[0]), y = as_index(args[1]);
    if (x && y && (node(args[0]).kind == NodeKind::Index || node(args[1]).kind == NodeKind::Index)) {
      switch (fn) {
        case ScalarFn::Add: return index_value(index_.add(*x, *y));
        case ScalarFn::Sub: return index_value(index_.sub(*x, *y));
        case ScalarFn::Mul: return index_value(index_.mul(*x, *y));
        case ScalarFn::FloorDiv: return index_value(index_.floordiv(*x, *y));
        case ScalarFn::Mod: return index_value(index_.mod(*x, *y));
        case ScalarFn::Min: return index_value(index_.min(*x, *y));
        case ScalarFn::Max: return index_value(index_.max(*x, *y));
        case ScalarFn::Lt: return non_negative(index_.sub(index_.sub(*y, *x), index_.constant(1)));
        case ScalarFn::Le: return non_negative(index_.sub(*y, *x));
        case ScalarFn::Eq: return is_zero(index_.sub(*x, *y));
        case ScalarFn::Ne: return call(ScalarFn::Not, is_zero(index_.sub(*x, *y)));
        default: break;
      }
    }
  } else if (fn == ScalarFn::Neg) {
    if (auto x = as_index(args[0]); x && node(args[0]).kind == NodeKind::Index)
      return index_value(index_.scale(*x, -1));
  }

  bool weak = true;
  for (ExprId a : args) weak &= node(a).weak;
  if (!weak || info.rule == ResultRule::Bool) {
    Dtype operand = args.size() == 2 ? *common_type(args[0], args[1]) : type(args[0]);
    if (info.rule == ResultRule::FloatOf && !is_float(operand)) operand = Dtype::F32;
    for (ExprId& a : args) {
      if (node(a).weak)  // what is compared has been stored: a number is rounded as elements are
        a = info.rule == ResultRule::Bool ? cast(a, operand) : coerce(a, operand);
      else if (type(a) != operand)
        a = cast(a, operand);
    }
    weak = false;
  }
  if (fn == ScalarFn::And || fn == ScalarFn::Or) {
    for (int i = 0; i < 2; ++i) {
      if (node(args[static_cast<std::size_t>(i)]).kind != NodeKind::Literal) continue;
      const bool value = literal_integer(args[static_cast<std::size_t>(i)]) != 0;
      const bool absorbs = fn == ScalarFn::Or;
      return value == absorbs ? boolean(value) : args[static_cast<std::size_t>(1 - i)];
    }
    if (args[0] == args[1]) return args[0];
  }
  // A condition compared with 0, converted before or not, is the condition or its negation.
  if ((fn == ScalarFn::Ne || fn == ScalarFn::Eq) && is_literal(args[1], 0)) {
    const ExprId condition = node(args[0]).kind == NodeKind::Cast ? arguments(args[0])[0] : args[0];
    if (this->type(condition) == Dtype::I1) return fn == ScalarFn::Ne ? condition : call(ScalarFn::Not, condition);
  }
  if (fn == ScalarFn::Mul) {
    if (is_literal(args[0], 1)) return args[1];
    if (is_literal(args[1], 1)) return args[0];
  }
  if ((fn == ScalarFn::Div || fn == ScalarFn::Pow) && is_literal(args[1], 1)) return args[0];
  if (fn == ScalarFn::Neg && node(args[0]).kind == NodeKind::Call && this->fn(args[0]) == ScalarFn::Neg)
    return arguments(args[0])[0];
  const Dtype type = weak && info.rule == ResultRule::FloatOf ? Dtype::F64 : *result;
  if (ExprId folded = fold(fn, args, type, weak); folded.valid()) return folded;
  std::vector<std::uint32_t> words;
  for (ExprId a : args) words.push_back(a.value);
  return intern({NodeKind::Call, static_cast<std::uint8_t>(fn), type, weak}, words);
}

ExprId FormulaPool::select(ExprId condition, ExprId a, ExprId b) {
  if (node(condition).kind == NodeKind::Literal) return literal_integer(condition) != 0 ? a : b;
  if (a == b) return a;
  const auto common = common_type(a, b);
  MLGC_ASSERT(common.has_value() && type(condition) == Dtype::I1, "a select that does not type-check");
  const bool weak = node(a).weak && node(b).weak;
  if (!weak) {
    a = node(a).weak ? coerce(a, *common) : cast(a, *common);
    b = node(b).weak ? coerce(b, *common) : cast(b, *common);
  }
  const std::uint32_t words[] = {condition.value, a.value, b.value};
  return intern({NodeKind::Select, 0, *common, weak}, words);
}

ExprId FormulaPool::stop(ExprId a) {
  if (node(a).kind == NodeKind::Literal || node(a).kind == NodeKind::Stop || node(a).kind == NodeKind::Index) return a;
  const std::uint32_t words[] = {a.value};
  return intern({NodeKind::Stop, 0, type(a), node(a).weak}, words);
}

ExprId FormulaPool::cast(ExprId a, Dtype target) {
  if (node(a).weak && node(a).kind == NodeKind::Literal && is_float(target))
    return real(round_to(target, literal_real(a)), target, false);
  if (node(a).weak && (node(a).kind == NodeKind::Literal || node(a).kind == NodeKind::Index)) return coerce(a, target);
  if (node(a).weak) a = settle(a);
  if (type(a) == target) return a;
  // A number is printed without its type, so no conversion of one may be left: it would read back as another.
  if (node(a).kind == NodeKind::Literal && is_float(type(a)) && is_float(target))
    return real(round_to(target, round_to(type(a), literal_real(a))), target, false);
  const std::uint32_t words[] = {a.value};
  return intern({NodeKind::Cast, 0, target, false}, words);
}

ExprId FormulaPool::reduce(Reduction reduction, std::span<const AtomId> labels, ExprId guard, ExprId body) {
  body = settle(body);
  const bool argument = reduction == Reduction::ArgMax || reduction == Reduction::ArgMin;
  if (guard.valid() && is_literal(guard, 1)) {
    const bool nothing = std::any_of(labels.begin(), labels.end(), [&](AtomId l) {
      return !index_.is_non_negative(index_.sub(index_.atom(l).a, index_.constant(1)));
    });
    const bool says = nothing && (reduction == Reduction::Max || reduction == Reduction::Min);
    if (!says) guard = {};
  }
  Dtype type = this->type(body);
  if (argument) type = Dtype::I64;
  if ((reduction == Reduction::Sum || reduction == Reduction::Prod) && !is_float(type)) {
    type = Dtype::I64;
    body = cast(body, type);
  }
  if (reduction == Reduction::Any || reduction == Reduction::All) {
    if (type != Dtype::I1) body = call(ScalarFn::Ne, body, integer(0));
    type = Dtype::I1;
  }
  if (labels.empty() && !guard.valid() && !argument) return body;
  std::vector<std::uint32_t> words{body.value, guard.value};
  for (AtomId l : labels) words.push_back(l.value);
  return intern({NodeKind::Reduce, static_cast<std::uint8_t>(reduction), type, false}, words);
}

ExprId FormulaPool::non_negative(IndexExpr e) {
  if (index_.is_non_negative(e)) return boolean(true);
  if (index_.is_non_negative(index_.sub(index_.constant(-1), e))) return boolean(false);
  const std::uint32_t words[] = {integer(0, Dtype::I64, false).value, coerce(index_value(e), Dtype::I64).value};
  return intern({NodeKind::Call, static_cast<std::uint8_t>(ScalarFn::Le), Dtype::I1, false}, words);
}

ExprId FormulaPool::is_zero(IndexExpr e) {
  switch (index_.equal(e, index_.constant(0))) {
    case Truth::Yes: return boolean(true);
    case Truth::No: return boolean(false);
    case Truth::Unknown: break;
  }
  const std::uint32_t words[] = {coerce(index_value(e), Dtype::I64).value, integer(0, Dtype::I64, false).value};
  return intern({NodeKind::Call, static_cast<std::uint8_t>(ScalarFn::Eq), Dtype::I1, false}, words);
}

ExprId FormulaPool::both(ExprId a, ExprId b) {
  if (!a.valid()) return b;
  if (!b.valid()) return a;
  return call(ScalarFn::And, a, b);
}

// ---------------------------------------------------------------------------------------------------- rewriting

IndexExpr FormulaPool::rewrite(IndexExpr e, const Rewrite& how) {
  return index_.substitute(e, [&](AtomId id) -> std::optional<IndexExpr> {
    const Atom atom = index_.atom(id);
    if (atom.kind == AtomKind::IndexLabel) return how.labels ? how.labels(id) : std::nullopt;
    if (atom.kind != AtomKind::Opaque) return std::nullopt;
    const ExprId inner(atom.number);
    const ExprId changed = rewrite(inner, how);
    if (changed == inner) return std::nullopt;
    if (node(changed).kind == NodeKind::Index) return index_of(changed);
    if (node(changed).kind == NodeKind::Literal) return index_.constant(literal_integer(changed));
    return index_.opaque(changed.value);
  });
}

ExprId FormulaPool::rewrite(ExprId e, const Rewrite& how) {
  const ExprNode n = node(e);
  switch (n.kind) {
    case NodeKind::Literal: return e;
    case NodeKind::Index: {
      const ExprId changed = index_value(rewrite(index_of(e), how));
      return is_float(n.type) ? weak_real(changed) : changed;
    }
    case NodeKind::Read: {
      ReadParts parts = read_of(e);
      for (IndexExpr& s : parts.subscripts) s = rewrite(s, how);
      if (parts.fill.valid()) parts.fill = rewrite(parts.fill, how);
      if (how.reads) return how.reads(e, parts);
      return read(n.type, parts.tensor, parts.subscripts, parts.fill);
    }
    case NodeKind::Reduce: {
      if (const ExprId made = how.reductions ? how.reductions(e) : ExprId(); made.valid()) return made;
      ReduceParts parts = reduce_of(e);
      if (how.labels) {
        std::vector<AtomId> labels;
        for (AtomId l : parts.labels) {
          const auto replaced = how.labels(l);
          const auto atom = replaced ? index_.as_atom(*replaced) : std::optional(l);
          MLGC_ASSERT(atom && index_.atom(*atom).kind == AtomKind::IndexLabel, "a reduction runs over index labels");
          labels.push_back(*atom);
        }
        parts.labels = std::move(labels);
      }
      const ExprId guard = parts.guard.valid() ? rewrite(parts.guard, how) : ExprId();
      return reduce(parts.reduction, parts.labels, guard, rewrite(parts.body, how));
    }
    default: break;
  }
  std::vector<ExprId> args = arguments(e);
  bool changed = false;
  for (ExprId& a : args) {
    const ExprId before = a;
    a = rewrite(a, how);
    changed |= a != before;
  }
  if (!changed) return e;
  switch (n.kind) {
    case NodeKind::Select: return select(args[0], args[1], args[2]);
    case NodeKind::Stop: return stop(args[0]);
    case NodeKind::Cast: return node(args[0]).weak ? coerce(args[0], n.type) : cast(args[0], n.type);
    default: break;
  }
  // Conditions on indices keep the form that non_negative and is_zero give, so that bounds stay recognisable.
  const ScalarFn f = static_cast<ScalarFn>(n.fn);
  auto index_under_cast = [&](ExprId x) -> std::optional<IndexExpr> {
    if (node(x).kind == NodeKind::Index) return index_of(x);
    if (node(x).kind == NodeKind::Cast && node(arguments(x)[0]).kind == NodeKind::Index)
      return index_of(arguments(x)[0]);
    if (node(x).kind == NodeKind::Literal && !is_float(type(x))) return index_.constant(literal_integer(x));
    return std::nullopt;
  };
  if (f == ScalarFn::Le || f == ScalarFn::Eq) {
    const auto x = index_under_cast(args[0]), y = index_under_cast(args[1]);
    if (x && y && type(args[0]) == Dtype::I64) {
      return f == ScalarFn::Le ? non_negative(index_.sub(*y, *x)) : is_zero(index_.sub(*x, *y));
    }
  }
  return call(f, args);
}

void FormulaPool::visit(IndexExpr e, const std::function<void(ExprId)>& visitor) const {
  // Most are an index label or a number.
  if (const auto only = index_.as_atom(e); only && index_.atom(*only).kind < AtomKind::Opaque) return;
  if (index_.as_constant(e)) return;
  index_.for_each_atom(e, [&](AtomId id) {
    const Atom& a = index_.atom(id);
    if (a.kind == AtomKind::Opaque && a.number < nodes_.size()) visit(ExprId(a.number), visitor);
  });
}

void FormulaPool::visit(ExprId e, const std::function<void(ExprId)>& visitor) const {
  visitor(e);
  switch (node(e).kind) {
    case NodeKind::Literal: return;
    case NodeKind::Index: return visit(index_of(e), visitor);
    case NodeKind::Read: {
      const ReadParts parts = read_of(e);
      for (IndexExpr s : parts.subscripts) visit(s, visitor);
      if (parts.fill.valid()) visit(parts.fill, visitor);
      return;
    }
    case NodeKind::Reduce: {
      const ReduceParts parts = reduce_of(e);
      if (parts.guard.valid()) visit(parts.guard, visitor);
      return visit(parts.body, visitor);
    }
    default: {
      // A copy, since the visitor may add nodes.
      constexpr std::size_t kFew = 4;
      const auto words = payload(e);
      if (words.size() > kFew) {
        for (const ExprId a : arguments(e)) visit(a, visitor);
        return;
      }
      std::array<std::uint32_t, kFew> few{};
      std::copy(words.begin(), words.end(), few.begin());
      const std::size_t count = words.size();
      for (std::size_t i = 0; i < count; ++i) visit(ExprId(few[i]), visitor);
    }
  }
}

void FormulaPool::collect_free(IndexExpr e, std::vector<AtomId>& bound, std::vector<AtomId>& out) const {
  index_.for_each_atom(e, [&](AtomId id) {
    const Atom& a = index_.atom(id);
    if (a.kind == AtomKind::IndexLabel && std::find(bound.begin(), bound.end(), id) == bound.end()) out.push_back(id);
    if (a.kind == AtomKind::Opaque && a.number < nodes_.size()) collect_free(ExprId(a.number), bound, out);
  });
}

void FormulaPool::collect_free(ExprId e, std::vector<AtomId>& bound, std::vector<AtomId>& out) const {
  switch (node(e).kind) {
    case NodeKind::Literal: return;
    case NodeKind::Index: return collect_free(index_of(e), bound, out);
    case NodeKind::Read: {
      const ReadParts parts = read_of(e);
      for (IndexExpr s : parts.subscripts) collect_free(s, bound, out);
      if (parts.fill.valid()) collect_free(parts.fill, bound, out);
      return;
    }
    case NodeKind::Reduce: {
      const ReduceParts parts = reduce_of(e);
      bound.insert(bound.end(), parts.labels.begin(), parts.labels.end());
      if (parts.guard.valid()) collect_free(parts.guard, bound, out);
      collect_free(parts.body, bound, out);
      bound.resize(bound.size() - parts.labels.size());
      return;
    }
    default:
      for (ExprId a : arguments(e)) collect_free(a, bound, out);
  }
}

std::vector<AtomId> FormulaPool::free_labels(ExprId e) const {
  std::vector<AtomId> bound, out;
  collect_free(e, bound, out);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

std::vector<AtomId> FormulaPool::free_labels(IndexExpr e) const {
  std::vector<AtomId> bound, out;
  collect_free(e, bound, out);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace mlgc
