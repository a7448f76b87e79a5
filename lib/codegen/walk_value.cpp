// Scalar expressions, in one lane or in all of them.
#include <algorithm>

#include "analysis/loop_access.h"
#include "codegen/walk.h"
#include "ir/walk.h"
#include "loopir/loop_ops.h"
#include "ops/scalar_ops.h"

namespace mlgc::codegen {

Spelled Walk::expression(ExprId e, const std::vector<Spelled>& operands) {
  const ExprNode node = pool_.node(e);
  switch (node.kind) {
    case NodeKind::Literal:
      return {is_float(node.type) ? leaves_.real_literal(node.type, pool_.literal_real(e))
                                  : leaves_.integer_literal(node.type, pool_.literal_integer(e)),
              1};
    case NodeKind::Read: return operands[pool_.read_of(e).tensor.index()];
    case NodeKind::Stop: return expression(pool_.arguments(e)[0], operands);
    default: break;
  }
  MLGC_ASSERT(node.kind != NodeKind::Index && node.kind != NodeKind::Reduce, "a scalar formula with letters");
  const std::vector<ExprId> args = pool_.arguments(e);
  std::vector<Spelled> values;
  int lanes = 1;
  for (const ExprId a : args) {
    const NodeKind kind = pool_.node(a).kind;
    const Spelled value = expression(a, operands);
    values.push_back(kind == NodeKind::Literal || kind == NodeKind::Read ? value : temporary(pool_.type(a), value));
    lanes = std::max(lanes, value.lanes);
  }
  std::vector<SourceText> text;
  for (std::size_t i = 0; i < args.size(); ++i) text.push_back(widened(values[i], pool_.type(args[i]), lanes));
  if (node.kind == NodeKind::Select) {
    if (values[0].lanes == 1) {
      // One condition for all lanes.
      return {leaves_.choose(1, values[0].text, text[1], text[2]), lanes};
    }
    return {leaves_.choose(lanes, text[0], text[1], text[2]), lanes};
  }
  const Dtype from = pool_.type(args[0]);
  if (node.kind == NodeKind::Cast) return {leaves_.convert(from, node.type, lanes, text[0]), lanes};
  const ScalarFn fn = pool_.fn(e);
  const bool divides = fn == ScalarFn::FloorDiv || fn == ScalarFn::Mod || fn == ScalarFn::Fmod;
  if (divides && !is_float(from) && pool_.node(args[1]).kind != NodeKind::Literal)
    fail_if({leaves_.call(ScalarFn::Eq, from, Dtype::I1, values[1].lanes, values[1].text,
                          widened({leaves_.integer_literal(from, 0), 1}, from, values[1].lanes)),
             values[1].lanes},
            "`" + std::string(scalar_fn_info(fn).name) + "` of integers by zero", {});
  return {leaves_.call(fn, from, node.type, lanes, text[0], text.size() > 1 ? text[1] : ""), lanes};
}

// The index of a strip in 32 bits, counted as such: a vector of 64-bit numbers takes twice the registers, and its
// conversion is dear. Nothing where the op is something else, or it could need more bits.
std::optional<Spelled> Walk::short_index(OpRef op) {
  constexpr std::int64_t kMost = std::int64_t{1} << 30U;
  if (!strip_ || !op.is(GraphOp::Cast) || dtype_of(op.result()) != Dtype::I32 || !op.operand(0).is_result()) return {};
  const OpRef from = op.operand(0).definer();
  if (!from.is(LoopOp::Apply) || from.operand_count() != 1 || from.operand(0) != strip_->index) return {};
  if (resolved(from, ApplyRef::from(from).value()) != index_.opaque(0)) return {};
  LoopAccess shown(context_, facts_.of(op));
  shown.enter_around(from);
  const IndexExpr at = shown.over_loops(from, index_.opaque(0));
  if (!shown.is_known(at) || !shown.is_known(index_.sub(index_.constant(kMost), at))) return {};
  return Spelled{
      leaves_.count_up_short(strip_->lanes) + " + " + leaves_.convert(Dtype::I64, Dtype::I32, 1, strip_->base),
      strip_->lanes};
}

void Walk::scalar(OpRef op) {
  if (const auto counted = short_index(op)) return declare(op.result(), *counted);
  std::vector<Type> types;
  std::vector<Spelled> operands;
  for (const Value v : op.operands()) {
    types.push_back(types_.scalar(dtype_of(v)));
    operands.push_back(spelled(v));
  }
  const auto value = scalar_value(context_, op.opcode(), types, op.attrs());
  if (!value.ok() || !value.value().has_value())
    refuse(op, "`" + std::string(op.name()) + "`, which has no scalar meaning");
  if (is_float(dtype_of(op.result()))) halves_.insert_or_assign(op.result().id(), halves_of(*value.value(), op));
  if (const auto as_rounded = rounded(op, *value.value(), operands)) return declare(op.result(), *as_rounded);
  declare(op.result(), expression(*value.value(), operands));
}

void Walk::fma(FmaRef op) {
  Spelled left = spelled(op.left()), right = spelled(op.right());
  const Spelled addend = spelled(op.addend());
  const int lanes = std::max({left.lanes, right.lanes, addend.lanes});
  const auto wide = [&](const Spelled& v) { return widened(v, Dtype::F32, lanes); };
  if (right.element) std::swap(left, right);
  declare(op.op().result(), {left.element ? leaves_.fma_of_element(lanes, left.text, wide(right), wide(addend))
                                          : leaves_.fma(lanes, wide(left), wide(right), wide(addend)),
                             lanes});
}

void Walk::bits(BitsRef op) {
  const Spelled of = spelled(op.of());
  declare(op.op().result(), {leaves_.bits(of.text), of.lanes});
}

// Whether what is loaded, the same for all lanes, is one factor of one product of vectors, and nothing is written
// before that: the product then reads it. Where it depends on the call how results are stored, g++ would keep the sums
// of such products in memory.
bool Walk::is_factor_in_place(OpRef load) {
  if (!leaves_.names_factors() || !strip_ || load.result().dtype() != Dtype::F32 || !load.result().has_one_use())
    return false;
  if (!chooses_stream_) {
    OpRef func = load;
    while (func.parent_op().valid()) func = func.parent_op();
    chooses_stream_ = !mlgc::walk(func, [](OpRef op) {
      const StoreRef store = StoreRef::from(op);
      return store.valid() && store.streams() && store.stream_where() ? WalkResult::Stop : WalkResult::Continue;
    });
  }
  if (*chooses_stream_) return false;
  const FmaRef product = FmaRef::from(load.result().users()[0]);
  if (!product.valid() || product.op().parent() != load.parent() || product.addend() == load.result()) return false;
  const Value other = product.left() == load.result() ? product.right() : product.left();
  if (!varying_.contains(other.id())) return false;
  for (OpRef op = load.next(); op.valid() && op != product.op(); op = op.next())
    if (!op.is(LoopOp::Load) && !op.is(LoopOp::Fma)) return false;
  return true;
}

// Ends the function with an error if the condition holds in an active lane.
void Walk::fail_if(const Spelled& condition, const std::string& message, const std::vector<SourceText>& values) {
  SourceText test = condition.text;
  if (condition.lanes > 1)
    test = leaves_.any(mask_.empty() ? test
                                     : leaves_.call(ScalarFn::And, Dtype::I1, Dtype::I1, condition.lanes, mask_, test));
  line("if (" + test + ") " + leaves_.fail(message, values));
}

}  // namespace mlgc::codegen
