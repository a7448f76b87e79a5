#include "codegen/emitter/scalar_emitter.h"

#include <algorithm>
#include <cmath>

#include "analysis/loop_access.h"
#include "loopir/nests.h"
#include "ops/scalar_ops.h"
#include "tensor/float16.h"

namespace mlgc::codegen {
void ScalarEmitter::literal(LiteralRef literal, bool as_variable) {
  const Dtype dtype = literal.dtype();
  const std::int64_t integer = literal.integer().value_or(0);
  const double value = literal.real().value_or(static_cast<double>(integer));
  halves_.insert_or_assign(literal.op().result().id(), halves_of(dtype, value));
  const ValueText number{is_float(dtype) ? hooks_.real_literal(dtype, value) : hooks_.integer_literal(dtype, integer),
                         1};
  if (as_variable && !is_in_one_plus_erf(literal.op().result()))
    declare(literal.op().result(), number);
  else
    writer_.names[literal.op().result().id()] = number;
}

// Of loads from memory, of results of scalar ops and of branches; bits reach stores to memory alone, through branches.
bool ScalarEmitter::is_kept_as_bits(Value v) const {
  if (types_.kind(v.type()) == TypeKind::Index || (v.dtype() != Dtype::F16 && v.dtype() != Dtype::BF16)) return false;
  if (!v.is_result() || hooks_.bits_type(1).empty()) return false;
  const auto uses = v.uses();
  return std::all_of(uses.begin(), uses.end(), [&](const Use& use) {
    const OpRef owner = use.owner();
    if (const auto store = StoreRef::from(owner); store.valid())
      return use.operand_number() == 0 && types_.scope(store.buffer().type()) != Scope::Register;
    if (!owner.is(LoopOp::Yield)) return false;
    const OpRef around = owner.parent_op();
    return around.is(LoopOp::If) && is_kept_as_bits(around.result(use.operand_number()));
  });
}

// The 16-bit floats that a number is one of already, since it was loaded as one or rounded, and then was only chosen or
// changed its sign: to round it changes nothing.
ScalarEmitter::Halves ScalarEmitter::halves_of(ExprId e, OpRef op) const {
  const ExprNode node = formulas_.node(e);
  const std::vector<ExprId> args = formulas_.arguments(e);
  const auto all = [&](std::size_t first) {
    Halves out{true, true};
    for (std::size_t i = first; i < args.size(); ++i) out = out.and_also(halves_of(args[i], op));
    return out;
  };
  switch (node.kind) {
    case NodeKind::Literal: return halves_of(node.type, formulas_.literal_real(e));
    case NodeKind::Read: return halves_of(op.operand(formulas_.read_of(e).tensor.index()));
    case NodeKind::Stop: return all(0);
    case NodeKind::Select: return all(1);
    case NodeKind::Cast:
      if (node.type == Dtype::F16 || node.type == Dtype::BF16)
        return {node.type == Dtype::F16, node.type == Dtype::BF16};
      return is_float(node.type) && is_float(formulas_.type(args[0])) ? all(0) : Halves{};
    case NodeKind::Call: {
      const ScalarFn fn = formulas_.fn(e);
      const bool moves = fn == ScalarFn::Min || fn == ScalarFn::Max || fn == ScalarFn::Neg || fn == ScalarFn::Abs;
      return moves && is_float(node.type) ? all(0) : Halves{};
    }
    default: return {};
  }
}

ScalarEmitter::Halves ScalarEmitter::halves_of(Dtype dtype, double number) {
  const auto is = [&](Dtype half) {
    return is_float(dtype) && (std::isnan(number) || round_to(half, number) == number);
  };
  return {is(Dtype::F16), is(Dtype::BF16)};
}

ScalarEmitter::Halves ScalarEmitter::halves_of(Value v) const {
  const auto found = halves_.find(v.id());
  return found == halves_.end() ? Halves{} : found->second;
}

ValueText ScalarEmitter::as_bits(const ValueText& value, Dtype dtype) const {
  return value.bits ? value : ValueText{hooks_.to_bits(dtype, value.text, false), value.lanes, true};
}

// Whether all uses are stores into pieces of numbers.
bool ScalarEmitter::is_rounded_later(Value v) const {
  const auto uses = v.uses();
  return !uses.empty() && std::all_of(uses.begin(), uses.end(),
                                      [&](const Use& use) { return writer_.rounded_later.contains(use.owner().id()); });
}

// 1 + erf(x), of f32.
bool ScalarEmitter::is_one_plus_erf(OpRef sum) const {
  if (writer_.grid == nullptr || !sum.is(GraphOp::Add) || sum.operand_count() != 2) return false;
  const Value one = sum.operand(0), erf = sum.operand(1);
  if (!one.is_result() || !erf.is_result() || !erf.definer().is(scalar_ops(context_).find(ScalarFn::Erf))) return false;
  const LiteralRef literal = LiteralRef::from(one.definer());
  return literal.valid() && literal.real() == 1.0 && dtype_of(sum.result()) == Dtype::F32 &&
         dtype_of(erf) == Dtype::F32 && dtype_of(erf.definer().operand(0)) == Dtype::F32;
}

// Whether a term has no variable: the sums that it is a term of are computed as a whole.
bool ScalarEmitter::is_in_one_plus_erf(Value v) {
  if (writer_.grid == nullptr) return false;
  const auto users = v.users();
  return !users.empty() && std::all_of(users.begin(), users.end(), [&](OpRef user) {
    return is_one_plus_erf(user) && half_results_.contains(user.result());
  });
}

// The result of a scalar op that rounds to 16 bits at last: nothing to round, or nothing to widen again.
std::optional<ValueText> ScalarEmitter::rounded(OpRef op, ExprId e, const std::vector<ValueText>& operands) {
  while (formulas_.node(e).kind == NodeKind::Stop) e = formulas_.arguments(e)[0];
  const ExprNode node = formulas_.node(e);
  if (node.kind != NodeKind::Cast || (node.type != Dtype::F16 && node.type != Dtype::BF16)) return std::nullopt;
  const ExprId number = formulas_.arguments(e)[0];
  const Dtype from = formulas_.type(number);
  const bool is_exact = from == Dtype::F32 && halves_of(number, op).has(node.type),
             later = is_rounded_later(op.result()), bits = !later && is_kept_as_bits(op.result());
  if (from != Dtype::F32 || (!is_exact && !bits && !later)) return std::nullopt;  // others are rounded on their way
  ValueText value = expression(number, operands);
  if (!bits) return value;
  const NodeKind kind = formulas_.node(number).kind;
  if (kind != NodeKind::Literal && kind != NodeKind::Read) value = temporary(from, value);
  return ValueText{hooks_.to_bits(node.type, value.text, is_exact), value.lanes, true};
}

// Whether an argument reaches 16-bit floats alone, if the value of the node does.
bool ScalarEmitter::keeps_halves(ExprId e, std::size_t argument) const {
  switch (formulas_.node(e).kind) {
    case NodeKind::Stop: return true;
    case NodeKind::Cast: return is_float(formulas_.node(e).type);
    case NodeKind::Select: return argument > 0;
    case NodeKind::Call: return HalfResults::is_continuous(formulas_.fn(e));
    default: return false;
  }
}

ValueText ScalarEmitter::expression(ExprId e, const std::vector<ValueText>& operands) {
  const ExprNode node = formulas_.node(e);
  switch (node.kind) {
    case NodeKind::Literal:
      return {is_float(node.type) ? hooks_.real_literal(node.type, formulas_.literal_real(e))
                                  : hooks_.integer_literal(node.type, formulas_.literal_integer(e)),
              1};
    case NodeKind::Read: return operands[formulas_.read_of(e).tensor.index()];
    case NodeKind::Stop: return expression(formulas_.arguments(e)[0], operands);
    default: break;
  }
  MLGC_ASSERT(node.kind != NodeKind::Index && node.kind != NodeKind::Reduce, "a scalar formula with index labels");
  const std::vector<ExprId> args = formulas_.arguments(e);
  std::vector<ValueText> values;
  int lanes = 1;
  const bool for_halves = for_halves_;
  for (const ExprId a : args) {
    const NodeKind kind = formulas_.node(a).kind;
    for_halves_ = for_halves && keeps_halves(e, values.size());
    const ValueText value = expression(a, operands);
    values.push_back(kind == NodeKind::Literal || kind == NodeKind::Read ? value : temporary(formulas_.type(a), value));
    lanes = std::max(lanes, value.lanes);
  }
  std::vector<SourceText> text;
  for (std::size_t i = 0; i < args.size(); ++i) text.push_back(widened(values[i], formulas_.type(args[i]), lanes));
  if (node.kind == NodeKind::Select) {
    if (values[0].lanes == 1) {
      // One condition for all lanes.
      return {hooks_.choose(1, values[0].text, text[1], text[2]), lanes};
    }
    return {hooks_.choose(lanes, text[0], text[1], text[2]), lanes};
  }
  const Dtype from = formulas_.type(args[0]);
  if (node.kind == NodeKind::Cast) return {hooks_.convert(from, node.type, lanes, text[0]), lanes};
  const ScalarFn fn = formulas_.fn(e);
  const bool divides = fn == ScalarFn::FloorDiv || fn == ScalarFn::Mod || fn == ScalarFn::Fmod;
  if (divides && !is_float(from) && formulas_.node(args[1]).kind != NodeKind::Literal)
    fail_if({hooks_.call(ScalarFn::Eq, from, Dtype::I1, values[1].lanes, values[1].text,
                         widened({hooks_.integer_literal(from, 0), 1}, from, values[1].lanes)),
             values[1].lanes},
            "`" + std::string(scalar_fn_info(fn).name) + "` of integers by zero", {});
  if (shares_divisor_ && fn == ScalarFn::Div && node.type == Dtype::F32 &&
      formulas_.node(args[1]).kind == NodeKind::Read && formulas_.read_of(args[1]).tensor.index() == 1)
    return {writer_.grid->divide_by_invariant(text[0], text[1], for_halves), 1};
  if (for_halves && node.type == Dtype::F32 && from == Dtype::F32 && text.size() == 1)
    if (const SourceText shorter = writer_.grid->call_for_halves(fn, text[0]); !shorter.empty())
      return {shorter, lanes};
  return {hooks_.call(fn, from, node.type, lanes, text[0], text.size() > 1 ? text[1] : ""), lanes};
}

// The index of a strip in 32 bits, counted as such: a vector of 64-bit numbers takes twice the registers, and its
// conversion is dear. Nothing where the op is something else, or it could need more bits.
std::optional<ValueText> ScalarEmitter::short_index(OpRef op) {
  constexpr std::int64_t kMost = std::int64_t{1} << 30U;  // an index and the lanes after it fit in an i32
  if (!lanes_.strip || !op.is(GraphOp::Cast) || dtype_of(op.result()) != Dtype::I32 || !op.operand(0).is_result())
    return {};
  const OpRef from = op.operand(0).definer();
  if (!from.is(LoopOp::Apply) || from.operand_count() != 1 || from.operand(0) != lanes_.strip->index) return {};
  if (resolved(from, ApplyRef::from(from).value()) != index_.opaque(0)) return {};
  LoopAccess shown(context_, writer_.facts.of(op));
  shown.enter_around(from);
  const IndexExpr at = shown.over_loops(from, index_.opaque(0));
  if (!shown.is_known(at) || !shown.is_known(index_.sub(index_.constant(kMost), at))) return {};
  return ValueText{hooks_.count_up_short(lanes_.strip->lanes) + " + " +
                       hooks_.convert(Dtype::I64, Dtype::I32, 1, lanes_.strip->base),
                   lanes_.strip->lanes};
}

// Whether a thread divides the numbers of several iterations by the second operand.
bool ScalarEmitter::shares_divisor(OpRef op) const {
  constexpr std::int64_t kFewestQuotients = 4;  // that are worth a reciprocal of f64
  const ForRef loop = ForRef::from(op.parent_op());
  if (writer_.grid == nullptr || op.operand_count() != 2 || !loop.valid() || loop.kind() != LoopKind::Vector)
    return false;
  const Value divisor = op.operand(1);
  const OpRef home = divisor.is_argument() ? divisor.argument_of().parent_op() : divisor.definer();
  const auto count = usual_extent(loop);
  return home != loop.op() && !home.is_inside(loop.op()) && (!count || *count >= kFewestQuotients * loop.lanes());
}

void ScalarEmitter::scalar(OpRef op) {
  if (const auto counted = short_index(op)) return declare(op.result(), *counted);
  if (op.is(scalar_ops(context_).find(ScalarFn::Erf)) && is_in_one_plus_erf(op.result())) return;
  if (is_one_plus_erf(op) && half_results_.contains(op.result())) {
    const Value of = op.operand(1).definer().operand(0);
    return declare(op.result(), {writer_.grid->one_plus_erf_for_halves(text_of(of).text), 1});
  }
  std::vector<Type> types;
  std::vector<ValueText> operands;
  for (const Value v : op.operands()) {
    types.push_back(types_.scalar(dtype_of(v)));
    operands.push_back(text_of(v));
  }
  shares_divisor_ = shares_divisor(op);
  const auto value = scalar_value(context_, op.opcode(), types, op.attrs());
  if (!value.ok() || !value.value().has_value())
    refuse(op, "`" + std::string(op.name()) + "`, which has no scalar meaning");
  if (is_float(dtype_of(op.result()))) halves_.insert_or_assign(op.result().id(), halves_of(*value.value(), op));
  for_halves_ = half_results_.contains(op.result());
  const auto as_rounded = rounded(op, *value.value(), operands);
  declare(op.result(), as_rounded ? *as_rounded : expression(*value.value(), operands));
  for_halves_ = false;
}

void ScalarEmitter::fma(FmaRef op) {
  ValueText left = text_of(op.left()), right = text_of(op.right());
  const ValueText addend = text_of(op.addend());
  const int lanes = std::max({left.lanes, right.lanes, addend.lanes});
  const auto wide = [&](const ValueText& v) { return widened(v, Dtype::F32, lanes); };
  if (right.element) std::swap(left, right);
  declare(op.op().result(), {left.element ? hooks_.fma_of_element(lanes, left.text, wide(right), wide(addend))
                                          : hooks_.fma(lanes, wide(left), wide(right), wide(addend)),
                             lanes});
}

void ScalarEmitter::bits(BitsRef op) {
  const ValueText of = text_of(op.of());
  declare(op.op().result(), {hooks_.bits(of.text), of.lanes});
}

// Ends the function with an error if the condition holds in an active lane.
void ScalarEmitter::fail_if(const ValueText& condition, const std::string& message,
                            const std::vector<SourceText>& values) {
  SourceText test = condition.text;
  if (condition.lanes > 1)
    test = hooks_.any(lanes_.mask.empty()
                          ? test
                          : hooks_.call(ScalarFn::And, Dtype::I1, Dtype::I1, condition.lanes, lanes_.mask, test));
  line("if (" + test + ") " + hooks_.fail(message, values));
}

}  // namespace mlgc::codegen
