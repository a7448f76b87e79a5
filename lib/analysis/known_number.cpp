// See known_number.h.
#include "analysis/known_number.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "loopir/subscripts.h"
#include "ops/instantiate_op.h"
#include "ops/scalar_ops.h"
#include "tensor/float16.h"

namespace mlgc {
namespace {

constexpr int kMostDepth = 64;                    // of values that follow from each other
constexpr std::int64_t kMostTiles = 1024;         // that are looked through for an iteration
constexpr double kMostReal = 9007199254740992.0;  // 2^53: f64 has all integers up to it
constexpr std::int64_t kMostInteger = (std::int64_t{1} << 31U) - 1;

// Rounded correctly, or exact, wherever they are computed.
bool is_exact(ScalarFn fn) {
  switch (fn) {
    case ScalarFn::Neg:
    case ScalarFn::Abs:
    case ScalarFn::Floor:
    case ScalarFn::Ceil:
    case ScalarFn::Trunc:
    case ScalarFn::Add:
    case ScalarFn::Sub:
    case ScalarFn::Mul:
    case ScalarFn::Div:
    case ScalarFn::Min:
    case ScalarFn::Max:
    case ScalarFn::Lt:
    case ScalarFn::Le:
    case ScalarFn::Eq:
    case ScalarFn::Ne: return true;
    default: return false;
  }
}

// The op in the region that holds the other one, or is it.
OpRef ancestor_in(RegionRef region, OpRef op) {
  while (op.valid() && op.parent() != region) op = op.parent_op();
  return op;
}

}  // namespace

KnownNumbers::KnownNumbers(Context& context) : context_(&context) {}

std::optional<std::int64_t> KnownNumbers::integer(Value v, const Indices& indices) {
  const auto found = number(v, indices, 0);
  if (!found || is_float(found->dtype)) return std::nullopt;
  return found->integer;
}

std::optional<KnownNumbers::Number> KnownNumbers::number(Value v, const Indices& indices, int depth) {
  if (depth > kMostDepth) return std::nullopt;
  if (v.is_argument()) {
    const auto index = indices(v);
    return index ? whole(Dtype::I64, *index) : std::nullopt;
  }
  const OpRef op = v.definer();
  const auto at = [&](IndexExpr e) {
    // Their numbers first: what they take may make expressions.
    const IndexPool& pool = context_->index();
    std::vector<std::pair<AtomId, std::uint32_t>> atoms;
    pool.for_each_atom(e, [&](AtomId id) {
      if (pool.atom(id).kind == AtomKind::Opaque) atoms.emplace_back(id, pool.atom(id).number);
    });
    std::vector<std::int64_t> numbers;
    for (const auto& [id, operand] : atoms) {
      const auto value = number(op.operand(operand), indices, depth + 1);
      if (!value || is_float(value->dtype)) return std::optional<std::int64_t>();
      numbers.push_back(value->integer);
    }
    return pool.evaluate(e, [&](AtomId id) -> std::optional<std::int64_t> {
      for (std::size_t i = 0; i < atoms.size(); ++i)
        if (atoms[i].first == id) return numbers[i];
      return std::nullopt;
    });
  };
  if (const ApplyRef apply = ApplyRef::from(op); apply.valid()) {
    const auto value = at(apply.value());
    return value ? whole(Dtype::I64, *value) : std::nullopt;
  }
  if (const LiteralRef literal = LiteralRef::from(op); literal.valid()) {
    if (!is_float(literal.dtype()))
      return literal.integer() ? whole(literal.dtype(), *literal.integer()) : std::nullopt;
    const auto real = literal.real();
    return real ? rounded(literal.dtype(), *real) : std::nullopt;
  }
  if (op.is(LoopOp::Load)) {
    const auto& source = filled(op);
    if (!source) return std::nullopt;
    std::vector<std::int64_t> places;
    for (const IndexExpr e : subscripts_of(op)) {
      const auto place = at(e);
      if (!place) return std::nullopt;
      places.push_back(*place);
    }
    for (std::size_t d = 0; d < places.size(); ++d)
      if (!reaches(source->loops[d], source->tiles, places[d])) return std::nullopt;
    const Indices inside = [&](Value index) -> std::optional<std::int64_t> {
      for (std::size_t d = 0; d < places.size(); ++d)
        if (source->loops[d].index() == index) return places[d];
      return std::nullopt;
    };
    return number(StoreRef::from(source->store).value(), inside, depth + 1);
  }
  if (op.result_count() != 1 || op.region_count() > 0 || op.loop_op() != LoopOp::Scalar) return std::nullopt;
  auto [found, is_new] = scalars_.try_emplace(op.id());
  if (is_new) {
    std::vector<Type> types;
    for (const Value operand : op.operands()) {
      if (context_->types().kind(operand.type()) != TypeKind::Scalar) return std::nullopt;
      types.push_back(operand.type());
    }
    const auto value = scalar_value(*context_, op.opcode(), types, op.attrs());
    if (value.ok()) found->second = *value;
  }
  if (!found->second) return std::nullopt;
  const ExprId e = *found->second;
  std::vector<Number> operands;
  for (const Value operand : op.operands()) {
    const auto value = number(operand, indices, depth + 1);
    if (!value) return std::nullopt;
    operands.push_back(*value);
  }
  return expression(e, operands);
}

std::optional<KnownNumbers::Number> KnownNumbers::expression(ExprId e, std::span<const Number> operands) const {
  const FormulaPool& pool = formulas(*context_);
  const ExprNode& node = pool.node(e);
  if (node.kind == NodeKind::Literal)
    return is_float(node.type) ? rounded(node.type, pool.literal_real(e)) : whole(node.type, pool.literal_integer(e));
  if (node.kind == NodeKind::Read) return operands[pool.read_of(e).tensor.index()];
  if (node.kind == NodeKind::Index || node.kind == NodeKind::Reduce) return std::nullopt;
  std::vector<Number> args;
  for (const ExprId a : pool.arguments(e)) {
    const auto value = expression(a, operands);
    if (!value) return std::nullopt;
    args.push_back(*value);
  }
  switch (node.kind) {
    case NodeKind::Stop: return args[0];
    case NodeKind::Select: return args[0].integer != 0 ? args[1] : args[2];
    case NodeKind::Cast: return cast(args[0], node.type);
    case NodeKind::Call: return call(pool.fn(e), node.type, args);
    default: return std::nullopt;
  }
}

std::optional<KnownNumbers::Number> KnownNumbers::call(ScalarFn fn, Dtype type, std::span<const Number> args) const {
  const ScalarFnInfo& info = scalar_fn_info(fn);
  if (is_float(args[0].dtype)) {
    if (!is_exact(fn) || info.real == nullptr) return std::nullopt;
    const double value = info.real(args[0].real, args.size() > 1 ? args[1].real : 0.0);
    return type == Dtype::I1 ? whole(type, value != 0 ? 1 : 0) : rounded(type, value);
  }
  const std::int64_t b = args.size() > 1 ? args[1].integer : 0;
  const bool divides = fn == ScalarFn::FloorDiv || fn == ScalarFn::Mod || fn == ScalarFn::Fmod;
  if (is_float(type) || info.integer == nullptr || (divides && b == 0)) return std::nullopt;
  if (fn == ScalarFn::Pow || fn == ScalarFn::ShiftLeft || fn == ScalarFn::ShiftRight || fn == ScalarFn::Philox)
    return std::nullopt;
  return whole(type, info.integer(args[0].integer, b));
}

std::optional<KnownNumbers::Number> KnownNumbers::cast(const Number& of, Dtype to) {
  if (!is_float(of.dtype)) {
    if (is_float(to)) return rounded(to, static_cast<double>(of.integer));
    return to == Dtype::I1 ? whole(to, of.integer != 0 ? 1 : 0) : whole(to, of.integer);
  }
  if (is_float(to)) return rounded(to, of.real);
  if (to == Dtype::I1) return whole(to, of.real != 0 ? 1 : 0);
  if (!(std::abs(of.real) <= static_cast<double>(kMostInteger))) return std::nullopt;
  return whole(to, static_cast<std::int64_t>(std::trunc(of.real)));
}

// Numbers of f64 and f32 alone; NaN, infinities and large numbers are not known.
std::optional<KnownNumbers::Number> KnownNumbers::rounded(Dtype dtype, double value) {
  if ((dtype != Dtype::F64 && dtype != Dtype::F32) || !(std::abs(value) < kMostReal)) return std::nullopt;
  return Number{dtype, round_to(dtype, value), 0};
}

// What does not wrap in any dtype that it may have.
std::optional<KnownNumbers::Number> KnownNumbers::whole(Dtype dtype, std::int64_t value) {
  const std::int64_t most = dtype == Dtype::I64 || dtype == Dtype::I32 ? kMostInteger : dtype == Dtype::I1 ? 1 : 127;
  const std::int64_t least = dtype == Dtype::I64 || dtype == Dtype::I32 ? -kMostInteger : 0;
  if (value < least || value > most) return std::nullopt;
  return Number{dtype, 0, value};
}

// Whether the loop, or that of some tile, has the iteration.
bool KnownNumbers::reaches(ForRef loop, std::span<const ForRef> tiles, std::int64_t place) const {
  const IndexPool& pool = context_->index();
  const auto has = [&](Value tile, std::int64_t number) {
    const auto at = [&](IndexExpr e) {
      return pool.evaluate(e, [&](AtomId id) -> std::optional<std::int64_t> {
        const Atom& atom = pool.atom(id);
        if (atom.kind != AtomKind::Opaque || loop.op().operand(atom.number) != tile) return std::nullopt;
        return number;
      });
    };
    const auto first = at(loop.first()), last = at(loop.last());
    return first && last && *first <= place && place < *last;
  };
  if (has({}, 0)) return true;
  for (const ForRef& tile : tiles)
    for (std::int64_t i = 0; i < *pool.as_constant(tile.last()); ++i)
      if (has(tile.index(), i)) return true;
  return false;
}

const std::optional<KnownNumbers::Filled>& KnownNumbers::filled(OpRef load) {
  const auto [found, is_new] = filled_.try_emplace(load.id());
  if (is_new) found->second = find_filled(load);
  return found->second;
}

std::optional<KnownNumbers::Filled> KnownNumbers::find_filled(OpRef load) const {
  const Value buffer = LoadRef::from(load).buffer();
  if (!buffer.is_result() || !buffer.definer().is(LoopOp::Alloc) || buffer.definer().operand_count() > 0)
    return std::nullopt;
  Filled out;
  for (const Use& use : buffer.uses()) {
    if (use.owner().is(LoopOp::Load)) continue;
    if (!use.owner().is(LoopOp::Store) || out.store.valid() || StoreRef::from(use.owner()).buffer_use() != use)
      return std::nullopt;
    out.store = use.owner();
  }
  if (!out.store.valid()) return std::nullopt;
  const IndexPool& pool = context_->index();
  const RegionRef home = buffer.scope();
  std::vector<ForRef> around;
  for (OpRef at = out.store.parent_op(); at.valid() && out.store.parent() != home; at = at.parent_op()) {
    const ForRef loop = ForRef::from(at);
    if (!loop.valid() || loop.carried_count() > 0) return std::nullopt;
    around.push_back(loop);
    if (at.parent() == home) break;
  }
  for (const IndexExpr e : subscripts_of(out.store)) {
    const auto atom = pool.as_atom(e);
    if (!atom || pool.atom(*atom).kind != AtomKind::Opaque) return std::nullopt;
    const Value index = out.store.operand(pool.atom(*atom).number);
    const auto loop = std::find_if(around.begin(), around.end(), [&](ForRef of) { return of.index() == index; });
    if (loop == around.end()) return std::nullopt;
    out.loops.push_back(*loop);
    around.erase(loop);
  }
  // Those over tiles are each of one axis.
  for (const ForRef& tile : around) {
    const auto bounds = [&](const ForRef& of) {
      const auto operands = of.op().operands();
      return std::find(operands.begin(), operands.end(), tile.index()) != operands.end();
    };
    const auto count = pool.as_constant(tile.last());
    if (pool.as_constant(tile.first()) != 0 || !count || *count > kMostTiles ||
        std::count_if(out.loops.begin(), out.loops.end(), bounds) > 1 ||
        std::any_of(around.begin(), around.end(), bounds))
      return std::nullopt;
  }
  out.tiles = std::move(around);
  // In front of the load, in the region of the scratch.
  const OpRef writer = ancestor_in(home, out.store), reader = ancestor_in(home, load);
  if (!writer.valid() || !reader.valid()) return std::nullopt;
  for (OpRef at = writer.next(); at.valid(); at = at.next())
    if (at == reader) return out;
  return std::nullopt;
}

}  // namespace mlgc
