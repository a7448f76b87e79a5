// Wrong rewrite rules about arithmetic and logic.
#include <array>

#include "faults/fault_tools.h"
#include "faults/faults.h"

namespace mlgc::test {
namespace {

using C = NumericsClass;

bool is_float_op(OpRef op) { return is_float(op.result().dtype()); }
bool two_operands(OpRef op) { return op.operand_count() == 2 && op.attrs().empty(); }
Value inner_operand(OpRef op, std::string_view inner, std::size_t i = 0) {
  const OpRef found = defined_by(op.operand(0), inner);
  return found.valid() && found.operand_count() > i ? found.operand(i) : Value();
}
// The attribute `other` of an op with one operand.
std::optional<double> other(OpRef op) {
  return op.valid() && op.operand_count() == 1 ? second_number(op) : std::nullopt;
}
AttrDict with_other(OpRef op, double value) {
  AttributePool& attributes = op.module().context().attributes();
  const NamedAttribute entry{op.module().context().strings().intern("other"), attributes.real(value)};
  return attributes.dict(std::span(&entry, 1));
}

constexpr FaultRule kAddZero{.name = "wrong-add-zero",
                             .root = "add",
                             .numerics = C::Exact,
                             .doc = "x + 0 is x, claimed exact",
                             .apply = [](OpRef op, FaultRewriter& r) {
                               return is_float_op(op) && second_number(op) == 0.0 && replace_by(op, r, op.operand(0));
                             }};
constexpr FaultRule kMulZero{.name = "wrong-mul-zero",
                             .root = "mul",
                             .numerics = C::Exact,
                             .doc = "x * 0 is 0, claimed exact",
                             .apply = [](OpRef op, FaultRewriter& r) {
                               return is_float_op(op) && second_number(op) == 0.0 &&
                                      replace_by(op, r, r.splat(0, op.result().type()));
                             }};
constexpr FaultRule kSubSelf{.name = "wrong-sub-self",
                             .root = "sub",
                             .numerics = C::Exact,
                             .doc = "x - x is 0, claimed exact",
                             .apply = [](OpRef op, FaultRewriter& r) {
                               return is_float_op(op) && two_operands(op) && op.operand(0) == op.operand(1) &&
                                      replace_by(op, r, r.splat(0, op.result().type()));
                             }};
constexpr FaultRule kDivSelf{.name = "wrong-div-self",
                             .root = "div",
                             .numerics = C::Exact,
                             .doc = "x / x is 1, claimed exact",
                             .apply = [](OpRef op, FaultRewriter& r) {
                               return is_float_op(op) && two_operands(op) && op.operand(0) == op.operand(1) &&
                                      replace_by(op, r, r.splat(1, op.result().type()));
                             }};
constexpr FaultRule kSubSwapped{
    .name = "wrong-sub-swapped", .root = "sub", .doc = "x - y is y - x", .apply = [](OpRef op, FaultRewriter& r) {
      if (op.operand_count() != 2 || !mark(op)) return false;
      const std::array v{op.operand(1), op.operand(0)};
      r.set_operands(v);
      return true;
    }};
constexpr FaultRule kDivSwapped{
    .name = "wrong-div-swapped", .root = "div", .doc = "x / y is y / x", .apply = [](OpRef op, FaultRewriter& r) {
      if (op.operand_count() != 2 || op.operand(0).type() != op.operand(1).type() || !mark(op)) return false;
      const std::array v{op.operand(1), op.operand(0)};
      r.set_operands(v);
      return true;
    }};
constexpr FaultRule kNegNeg{
    .name = "wrong-neg-neg", .root = "neg", .doc = "-(-x) is -x", .apply = [](OpRef op, FaultRewriter& r) {
      const Value x = inner_operand(op, "neg");
      return x.valid() && replace_by(op, r, make(r, "neg", {x}, op.result().type()));
    }};
constexpr FaultRule kAbsNeg{
    .name = "wrong-abs-neg", .root = "abs", .doc = "|-x| is x", .apply = [](OpRef op, FaultRewriter& r) {
      return replace_by(op, r, inner_operand(op, "neg"));
    }};
constexpr FaultRule kAbsAbs{
    .name = "wrong-abs-abs", .root = "abs", .doc = "||x|| is x", .apply = [](OpRef op, FaultRewriter& r) {
      return replace_by(op, r, inner_operand(op, "abs"));
    }};
constexpr FaultRule kReluRelu{
    .name = "wrong-relu-relu", .root = "relu", .doc = "relu(relu(x)) is x", .apply = [](OpRef op, FaultRewriter& r) {
      return replace_by(op, r, inner_operand(op, "relu"));
    }};
constexpr FaultRule kReluSquare{
    .name = "wrong-relu-cube", .root = "relu", .doc = "relu(x*y) is x*y", .apply = [](OpRef op, FaultRewriter& r) {
      const OpRef m = defined_by(op.operand(0), "mul");
      return m.valid() && two_operands(m) && replace_by(op, r, m.result());
    }};
constexpr FaultRule kMaxMin{.name = "wrong-max-min",
                            .root = "maximum",
                            .doc = "max(x, y) is min(x, y)",
                            .apply = [](OpRef op, FaultRewriter& r) {
                              return two_operands(op) &&
                                     replace_by(op, r,
                                                make(r, "minimum", {op.operand(0), op.operand(1)}, op.result().type()));
                            }};
constexpr FaultRule kMaxFirst{
    .name = "wrong-max-first", .root = "maximum", .doc = "max(x, c) is x", .apply = [](OpRef op, FaultRewriter& r) {
      return op.operand_count() == 2 && is_constant(op.operand(1)) && replace_by(op, r, op.operand(0));
    }};
constexpr FaultRule kMaxSwapped{
    .name = "wrong-max-swapped",
    .root = "maximum",
    .doc = "max(x, y) is max(y, x), claimed exact: of two zeros the other one",
    .apply = [](OpRef op, FaultRewriter& r) {
      if (!two_operands(op) || is_constant(op.operand(0)) || is_constant(op.operand(1)) || !mark(op)) return false;
      const std::array v{op.operand(1), op.operand(0)};
      r.set_operands(v);
      return true;
    }};
constexpr FaultRule kDivByMul{
    .name = "wrong-div-by-mul",
    .root = "div",
    .doc = "x / c is x * (1/c), claimed exact",
    .apply = [](OpRef op, FaultRewriter& r) {
      const auto c = other(op);
      return c && is_float_op(op) && *c != 0 &&
             replace_by(op, r, make(r, "mul", {op.operand(0)}, op.result().type(), with_other(op, 1 / *c)));
    }};
constexpr FaultRule kMulMul{
    .name = "wrong-mul-mul",
    .root = "mul",
    .doc = "(x * a) * b is x * (a*b), claimed exact",
    .apply = [](OpRef op, FaultRewriter& r) {
      const OpRef in = defined_by(op.operand(0), "mul");
      const auto b = other(op), a = other(in);
      return a && b && is_float_op(op) &&
             replace_by(op, r, make(r, "mul", {in.operand(0)}, op.result().type(), with_other(op, *a * *b)));
    }};
constexpr FaultRule kAddAdd{
    .name = "wrong-add-add", .root = "add", .doc = "(x + a) + b is x + a", .apply = [](OpRef op, FaultRewriter& r) {
      const OpRef in = defined_by(op.operand(0), "add");
      return other(op) && other(in) &&
             replace_by(op, r, make(r, "add", {in.operand(0)}, op.result().type(), in.attrs()));
    }};
constexpr FaultRule kAddConstants{
    .name = "wrong-add-constants",
    .root = "add",
    .doc = "(x + a) + b is x + (a+b), claimed exact",
    .apply = [](OpRef op, FaultRewriter& r) {
      const OpRef in = defined_by(op.operand(0), "add");
      const auto b = other(op), a = other(in);
      return a && b && is_float_op(op) &&
             replace_by(op, r, make(r, "add", {in.operand(0)}, op.result().type(), with_other(op, *a + *b)));
    }};
constexpr FaultRule kExpLog{
    .name = "wrong-exp-log",
    .root = "exp",
    .doc = "exp(log(x)) is x, claimed exact",
    .apply = [](OpRef op, FaultRewriter& r) { return replace_by(op, r, inner_operand(op, "log")); }};
constexpr FaultRule kLogExp{
    .name = "wrong-log-exp",
    .root = "log",
    .doc = "log(exp(x)) is x, claimed exact",
    .apply = [](OpRef op, FaultRewriter& r) { return replace_by(op, r, inner_operand(op, "exp")); }};
constexpr FaultRule kSqrtSquare{
    .name = "wrong-sqrt-square", .root = "sqrt", .doc = "sqrt(x*x) is x", .apply = [](OpRef op, FaultRewriter& r) {
      const OpRef m = defined_by(op.operand(0), "mul");
      return m.valid() && two_operands(m) && m.operand(0) == m.operand(1) && replace_by(op, r, m.operand(0));
    }};
constexpr FaultRule kPowHalf{
    .name = "wrong-pow-half", .root = "pow", .doc = "pow(x, 2) is x + x", .apply = [](OpRef op, FaultRewriter& r) {
      return other(op) == 2.0 && replace_by(op, r, make(r, "add", {op.operand(0), op.operand(0)}, op.result().type()));
    }};
constexpr FaultRule kFloorTrunc{.name = "wrong-floor-trunc",
                                .root = "floor",
                                .doc = "floor(x) is trunc(x)",
                                .apply = [](OpRef op, FaultRewriter& r) {
                                  return replace_by(op, r, make(r, "trunc", {op.operand(0)}, op.result().type()));
                                }};
constexpr FaultRule kFloorDivTrunc{
    .name = "wrong-floor-divide",
    .root = "floor_divide",
    .doc = "floor_divide is trunc_divide",
    .apply = [](OpRef op, FaultRewriter& r) {
      return replace_by(op, r,
                        r.create("trunc_divide", {op.operand(0), op.operand(1)}, op.result().type(), op.attrs()));
    }};
constexpr FaultRule kRemainder{
    .name = "wrong-remainder-fmod",
    .root = "remainder",
    .doc = "remainder is fmod: the sign of the other operand",
    .apply = [](OpRef op, FaultRewriter& r) {
      return replace_by(op, r, r.create("fmod", {op.operand(0), op.operand(1)}, op.result().type(), op.attrs()));
    }};
constexpr FaultRule kCastBack{
    .name = "wrong-cast-back",
    .root = "cast",
    .doc = "a cast there and back is nothing, whatever is between",
    .apply = [](OpRef op, FaultRewriter& r) { return replace_by(op, r, inner_operand(op, "cast")); }};
constexpr FaultRule kNotLess{.name = "wrong-not-less",
                             .root = "logical_not",
                             .doc = "not (x < y) is x > y",
                             .apply = [](OpRef op, FaultRewriter& r) {
                               const OpRef lt = defined_by(op.operand(0), "lt");
                               return lt.valid() && lt.operand_count() == 2 &&
                                      replace_by(op, r,
                                                 make(r, "gt", {lt.operand(0), lt.operand(1)}, op.result().type()));
                             }};
constexpr FaultRule kNotLessEqual{
    .name = "wrong-not-less-equal",
    .root = "logical_not",
    .doc = "not (x < y) is x >= y, claimed exact: not where one is NaN",
    .apply = [](OpRef op, FaultRewriter& r) {
      const OpRef lt = defined_by(op.operand(0), "lt");
      return lt.valid() && lt.operand_count() == 2 &&
             replace_by(op, r, make(r, "ge", {lt.operand(0), lt.operand(1)}, op.result().type()));
    }};
constexpr FaultRule kWhereSwapped{
    .name = "wrong-where-swapped",
    .root = "where",
    .doc = "where(c, a, b) is where(c, b, a)",
    .apply = [](OpRef op, FaultRewriter& r) {
      if (op.operand_count() != 3 || op.operand(1).type() != op.operand(2).type() || !mark(op)) return false;
      const std::array v{op.operand(0), op.operand(2), op.operand(1)};
      r.set_operands(v);
      return true;
    }};
constexpr FaultRule kIfTrue{.name = "wrong-if-arm",
                            .root = "if",
                            .doc = "an `if` is its second arm when the condition is a constant",
                            .apply = [](OpRef op, FaultRewriter& r) {
                              if (!is_constant(op.operand(0)) || op.region_count() < 2) return false;
                              r.replace_by_region(op.region(1));
                              return true;
                            }};
constexpr FaultRule kSigmoid{.name = "wrong-sigmoid",
                             .root = "sigmoid",
                             .doc = "sigmoid(x) is tanh(x)",
                             .apply = [](OpRef op, FaultRewriter& r) {
                               return replace_by(op, r, make(r, "tanh", {op.operand(0)}, op.result().type()));
                             }};
constexpr FaultRule kRsqrt{.name = "wrong-reciprocal-sqrt",
                           .root = "reciprocal",
                           .doc = "1/sqrt(x) is rsqrt(x), claimed exact: one rounding less",
                           .apply = [](OpRef op, FaultRewriter& r) {
                             const Value x = inner_operand(op, "sqrt");
                             return x.valid() && replace_by(op, r, make(r, "rsqrt", {x}, op.result().type()));
                           }};

constexpr std::array kPasses{
    rule_fault<kAddZero>("fault-add-zero"),
    rule_fault<kMulZero>("fault-mul-zero"),
    rule_fault<kSubSelf>("fault-sub-self"),
    rule_fault<kDivSelf>("fault-div-self"),
    rule_fault<kSubSwapped>("fault-sub-swapped"),
    rule_fault<kDivSwapped>("fault-div-swapped"),
    rule_fault<kNegNeg>("fault-neg-neg"),
    rule_fault<kAbsNeg>("fault-abs-neg"),
    rule_fault<kAbsAbs>("fault-abs-abs"),
    rule_fault<kReluRelu>("fault-relu-relu"),
    rule_fault<kReluSquare>("fault-relu-product"),
    rule_fault<kMaxMin>("fault-max-min"),
    rule_fault<kMaxFirst>("fault-max-first"),
    rule_fault<kMaxSwapped>("fault-max-swapped"),
    rule_fault<kDivByMul>("fault-div-by-mul"),
    rule_fault<kMulMul>("fault-mul-mul"),
    rule_fault<kAddAdd>("fault-add-add"),
    rule_fault<kAddConstants>("fault-add-constants"),
    rule_fault<kExpLog>("fault-exp-log"),
    rule_fault<kLogExp>("fault-log-exp"),
    rule_fault<kSqrtSquare>("fault-sqrt-square"),
    rule_fault<kPowHalf>("fault-pow-two"),
    rule_fault<kFloorTrunc>("fault-floor-trunc"),
    rule_fault<kFloorDivTrunc>("fault-floor-divide"),
    rule_fault<kRemainder>("fault-remainder"),
    rule_fault<kCastBack>("fault-cast-back"),
    rule_fault<kNotLess>("fault-not-less"),
    rule_fault<kNotLessEqual>("fault-not-less-equal"),
    rule_fault<kWhereSwapped>("fault-where-swapped"),
    rule_fault<kIfTrue>("fault-if-arm"),
    rule_fault<kSigmoid>("fault-sigmoid"),
    rule_fault<kRsqrt>("fault-reciprocal-sqrt"),
};

}  // namespace

std::span<const PassDef> rule_faults() { return kPasses; }

}  // namespace mlgc::test
