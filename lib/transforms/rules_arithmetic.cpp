// Rules about arithmetic. Where a rule speaks of x*1, the 1 may be a constant or the attribute `other`.
#include <algorithm>
#include <array>

#include "rewrite/driver.h"
#include "rewrite/match.h"
#include "transforms/rules.h"

namespace mlgc {

namespace {

bool float_result(OpRef op) { return is_float(op.result().dtype()); }

// The first operand replaces the op, unless the op broadcasts or converts it.
bool keep_first(OpRef op, Rewriter& rewriter) {
  if (op.operand(0).type() != op.result().type()) return false;
  rewriter.replace(op.operand(0));
  return true;
}

bool second_is_one(OpRef op, Rewriter& rewriter) { return second_number(op) == 1.0 && keep_first(op, rewriter); }

// Of integers every zero will do.
template <bool Negative>
bool second_is_zero(OpRef op, Rewriter& rewriter) {
  const auto number = second_number(op);
  return number && (float_result(op) ? is_zero(*number, Negative) : *number == 0) && keep_first(op, rewriter);
}

bool undo(OpRef op, Rewriter& rewriter) {
  if (op.operand_count() != 1 || !op.attrs().empty()) return false;
  const OpRef inner = defined_by(op.operand(0), op.opcode());
  if (!inner.valid() || !inner.attrs().empty() || inner.operand(0).type() != op.result().type()) return false;
  rewriter.replace(inner.operand(0));
  return true;
}

bool repeat(OpRef op, Rewriter& rewriter) {
  if (op.operand_count() != 1) return false;
  const OpRef inner = defined_by(op.operand(0), op.opcode());
  if (!inner.valid() || inner.attrs() != op.attrs() || inner.operand_count() != 1) return false;
  return keep_first(op, rewriter);
}

bool constant_to_the_right(OpRef op, Rewriter& rewriter) {
  if (!is_commutative(op) || !is_constant(op.operand(0)) || is_constant(op.operand(1))) return false;
  const std::array swapped{op.operand(1), op.operand(0)};
  rewriter.set_operands(swapped);
  return true;
}

bool constant_of_extreme_to_the_right(OpRef op, Rewriter& rewriter) {
  if (op.operand_count() != 2 || !is_constant(op.operand(0)) || is_constant(op.operand(1))) return false;
  const std::array swapped{op.operand(1), op.operand(0)};
  rewriter.set_operands(swapped);
  return true;
}

// The operand of a `neg` that defines the value; an invalid handle when something else does.
Value negated(Value value) {
  const OpRef neg = defined_by(value, "neg");
  return neg.valid() ? neg.operand(0) : Value();
}

bool subtract_negated(OpRef op, Rewriter& rewriter) {
  if (op.operand_count() != 2 || !op.attrs().empty()) return false;
  const Value b = negated(op.operand(1));
  if (!b.valid()) return false;
  rewriter.replace(rewriter.create("add", {op.operand(0), b}, op.result().type()));
  return true;
}

bool add_negated(OpRef op, Rewriter& rewriter) {
  if (!is_commutative(op)) return false;
  for (std::size_t i = 0; i < 2; ++i) {
    const Value b = negated(op.operand(i));
    if (!b.valid()) continue;
    rewriter.replace(rewriter.create("sub", {op.operand(1 - i), b}, op.result().type()));
    return true;
  }
  return false;
}

bool multiply_negated(OpRef op, Rewriter& rewriter) {
  if (op.operand_count() != 2 || !op.attrs().empty()) return false;
  const Value a = negated(op.operand(0)), b = negated(op.operand(1));
  if (!a.valid() || !b.valid()) return false;
  rewriter.replace(rewriter.create(op.opcode(), std::array{a, b}, op.result().type(), {}));
  return true;
}

bool becomes_zero(OpRef op, Rewriter& rewriter) {
  rewriter.replace(rewriter.splat(0, op.result().type()));
  return true;
}

template <bool Float>
bool multiply_by_zero(OpRef op, Rewriter& rewriter) {
  const auto number = second_number(op);
  return number == 0.0 && float_result(op) == Float && becomes_zero(op, rewriter);
}

template <bool Float>
bool subtract_self(OpRef op, Rewriter& rewriter) {
  if (op.operand_count() != 2 || !op.attrs().empty() || op.operand(0) != op.operand(1)) return false;
  return float_result(op) == Float && becomes_zero(op, rewriter);
}

bool same_operands(OpRef op, Rewriter& rewriter) {
  return op.operand_count() == 2 && op.attrs().empty() && op.operand(0) == op.operand(1) && keep_first(op, rewriter);
}

// Whether every value of `from` is one of `to`, so that converting there and back changes nothing.
bool holds_all(Dtype to, Dtype from) {
  const DtypeInfo& a = dtype_info(to);
  const DtypeInfo& b = dtype_info(from);
  if (to == from || from == Dtype::I1) return true;
  if (a.category == DtypeCategory::Bool) return false;
  if (is_float(from)) return is_float(to) && a.bytes > b.bytes;
  if (is_float(to)) return a.bytes > b.bytes && (to != Dtype::BF16) && !(to == Dtype::F32 && from == Dtype::I32);
  return a.bytes > b.bytes && to != Dtype::UI8;
}

bool cast_to_same(OpRef op, Rewriter& rewriter) { return keep_first(op, rewriter); }

bool cast_there_and_back(OpRef op, Rewriter& rewriter) {
  const OpRef inner = defined_by(op.operand(0), op.opcode());
  if (!inner.valid() || inner.operand(0).type() != op.result().type()) return false;
  if (!holds_all(inner.result().dtype(), inner.operand(0).dtype())) return false;
  rewriter.replace(inner.operand(0));
  return true;
}

bool cast_of_widened(OpRef op, Rewriter& rewriter) {
  const OpRef inner = defined_by(op.operand(0), op.opcode());
  if (!inner.valid()) return false;
  const Dtype from = inner.operand(0).dtype(), wide = inner.result().dtype(), to = op.result().dtype();
  // Through a wider type of the same category, onwards to a wider one still.
  if (!holds_all(wide, from) || !holds_all(to, wide)) return false;
  rewriter.replace(rewriter.create(op.opcode(), std::array{inner.operand(0)}, op.result().type(), op.attrs()));
  return true;
}

constexpr std::array kRules{
    RewriteRule{.name = "mul-one", .root = "mul", .doc = "x*1 is x", .apply = second_is_one},
    RewriteRule{.name = "div-one", .root = "div", .doc = "x/1 is x", .apply = second_is_one},
    RewriteRule{.name = "pow-one", .root = "pow", .doc = "x to the power of 1 is x", .apply = second_is_one},
    RewriteRule{.name = "sub-zero",
                .root = "sub",
                .doc = "x - 0 is x: of floats for +0, since -0 - +0 is -0",
                .apply = second_is_zero<false>},
    RewriteRule{.name = "add-negative-zero",
                .root = "add",
                .doc = "x + -0 is x, for every float; of integers with any zero",
                .apply = second_is_zero<true>},
    RewriteRule{.name = "add-zero",
                .root = "add",
                .numerics = NumericsClass::SignedZero,
                .doc = "x + 0 is x, but -0 + +0 is +0",
                .apply = second_is_zero<false>},
    RewriteRule{.name = "sub-negative-zero",
                .root = "sub",
                .numerics = NumericsClass::SignedZero,
                .doc = "x - -0 is x, but -0 - -0 is +0",
                .apply = second_is_zero<true>},
    RewriteRule{.name = "mul-zero", .root = "mul", .doc = "x*0 is 0, of integers", .apply = multiply_by_zero<false>},
    RewriteRule{.name = "mul-zero-float",
                .root = "mul",
                .numerics = NumericsClass::NanOrInf,
                .doc = "x*0 is 0, but NaN where x is infinite or NaN",
                .apply = multiply_by_zero<true>},
    RewriteRule{.name = "sub-self", .root = "sub", .doc = "x - x is 0, of integers", .apply = subtract_self<false>},
    RewriteRule{.name = "sub-self-float",
                .root = "sub",
                .numerics = NumericsClass::NanOrInf,
                .doc = "x - x is 0, but NaN where x is infinite or NaN",
                .apply = subtract_self<true>},
    RewriteRule{.name = "involution",
                .trait = Traits::Involution,
                .doc = "f(f(x)) is x, where the row says so: neg, bitwise_not, ...",
                .apply = undo},
    RewriteRule{.name = "idempotent",
                .trait = Traits::Idempotent,
                .doc = "f(f(x)) is f(x), where the row says so: relu, abs, floor, ...",
                .apply = repeat},
    RewriteRule{.name = "sub-neg",
                .root = "sub",
                .termination = Termination::ShorterChain,
                .doc = "a - -b is a + b",
                .apply = subtract_negated},
    RewriteRule{.name = "add-neg",
                .root = "add",
                .termination = Termination::ShorterChain,
                .doc = "a + -b is a - b",
                .apply = add_negated},
    RewriteRule{.name = "mul-neg",
                .root = "mul",
                .termination = Termination::ShorterChain,
                .doc = "-a * -b is a*b",
                .apply = multiply_negated},
    RewriteRule{.name = "maximum-self", .root = "maximum", .doc = "max(x, x) is x", .apply = same_operands},
    RewriteRule{.name = "minimum-self", .root = "minimum", .doc = "min(x, x) is x", .apply = same_operands},
    RewriteRule{.name = "and-self", .root = "bitwise_and", .doc = "x and x is x", .apply = same_operands},
    RewriteRule{.name = "or-self", .root = "bitwise_or", .doc = "x or x is x", .apply = same_operands},
    RewriteRule{.name = "cast-same", .root = "cast", .doc = "a cast to the type it has is x", .apply = cast_to_same},
    RewriteRule{.name = "cast-back",
                .root = "cast",
                .doc = "a cast to a dtype that holds all values, and back, is x",
                .apply = cast_there_and_back},
    RewriteRule{.name = "cast-cast",
                .root = "cast",
                .termination = Termination::ShorterChain,
                .doc = "two casts to dtypes that each hold all values are one",
                .apply = cast_of_widened},
    RewriteRule{.name = "constant-right",
                .trait = Traits::Commutative,
                .termination = Termination::CanonicalOrder,
                .doc = "the constant operand of a commutative op is the second one",
                .apply = constant_to_the_right},
    RewriteRule{.name = "maximum-constant-right",
                .root = "maximum",
                .numerics = NumericsClass::SignedZero,
                .termination = Termination::CanonicalOrder,
                .doc = "the constant operand is the second one; max(+0, -0) may be either zero",
                .apply = constant_of_extreme_to_the_right},
    RewriteRule{.name = "minimum-constant-right",
                .root = "minimum",
                .numerics = NumericsClass::SignedZero,
                .termination = Termination::CanonicalOrder,
                .doc = "the constant operand is the second one; min(+0, -0) may be either zero",
                .apply = constant_of_extreme_to_the_right},
};

}  // namespace

std::span<const RewriteRule> arithmetic_rules() { return kRules; }

}  // namespace mlgc
