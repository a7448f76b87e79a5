// Rules about comparisons, selection and control flow.
#include <array>

#include "rewrite/driver.h"
#include "rewrite/match.h"
#include "transforms/rules.h"

namespace mlgc {

namespace {

template <bool Equal, bool Float>
bool compare_self(OpRef op, Rewriter& rewriter) {
  if (op.operand_count() != 2 || op.operand(0) != op.operand(1)) return false;
  if (is_float(op.operand(0).dtype()) != Float) return false;
  rewriter.replace(rewriter.splat(Equal ? 1 : 0, op.result().type()));
  return true;
}

bool choose(OpRef op, Value value, Rewriter& rewriter) {
  if (value.type() != op.result().type()) return false;
  rewriter.replace(value);
  return true;
}

bool where_constant(OpRef op, Rewriter& rewriter) {
  const auto condition = splat_value(op.operand(0));
  return condition && choose(op, op.operand(*condition != 0 ? 1 : 2), rewriter);
}

bool where_same(OpRef op, Rewriter& rewriter) {
  return op.operand(1) == op.operand(2) && choose(op, op.operand(1), rewriter);
}

bool where_not(OpRef op, Rewriter& rewriter) {
  for (const std::string_view name : {"logical_not", "bitwise_not"}) {
    const OpRef inner = defined_by(op.operand(0), name);
    if (!inner.valid() || inner.operand(0).type() != op.operand(0).type()) continue;
    rewriter.replace(rewriter.create(op.opcode(), std::array{inner.operand(0), op.operand(2), op.operand(1)},
                                     op.result().type(), op.attrs()));
    return true;
  }
  return false;
}

bool if_constant(OpRef op, Rewriter& rewriter) {
  const auto condition = splat_value(op.operand(0));
  if (!condition) return false;
  const std::size_t chosen = *condition != 0 ? 0 : 1;
  if (chosen < op.region_count()) {
    rewriter.replace_by_region(op.region(chosen));
    return true;
  }
  if (op.result_count() != 0) return false;
  rewriter.replace(std::span<const Value>());
  return true;
}

// Both regions only yield, and the same values.
bool if_same(OpRef op, Rewriter& rewriter) {
  if (op.region_count() != 2 || op.result_count() == 0) return false;
  const OpRef a = op.region(0).front(), b = op.region(1).front();
  if (!a.valid() || !b.valid() || a != op.region(0).terminator() || b != op.region(1).terminator()) return false;
  if (a.operand_count() != b.operand_count()) return false;
  for (std::size_t i = 0; i < a.operand_count(); ++i)
    if (a.operand(i) != b.operand(i) || a.operand(i).type() != op.result(i).type()) return false;
  rewriter.replace_by_region(op.region(0));
  return true;
}

constexpr RewriteRule comparison(std::string_view name, std::string_view root, std::string_view doc,
                                 bool (*apply)(OpRef, Rewriter&), NumericsClass numerics = NumericsClass::Exact) {
  return {.name = name, .root = root, .numerics = numerics, .doc = doc, .apply = apply};
}

constexpr auto kNan = NumericsClass::NanOrInf;
constexpr std::array kRules{
    comparison("eq-self", "eq", "x == x is true, of integers", compare_self<true, false>),
    comparison("le-self", "le", "x <= x is true, of integers", compare_self<true, false>),
    comparison("ge-self", "ge", "x >= x is true, of integers", compare_self<true, false>),
    comparison("ne-self", "ne", "x != x is false, of integers", compare_self<false, false>),
    comparison("lt-self", "lt", "x < x is false", compare_self<false, false>),
    comparison("gt-self", "gt", "x > x is false", compare_self<false, false>),
    comparison("lt-self-float", "lt", "x < x is false, of NaN too", compare_self<false, true>),
    comparison("gt-self-float", "gt", "x > x is false, of NaN too", compare_self<false, true>),
    comparison("eq-self-float", "eq", "x == x is true, but not of NaN", compare_self<true, true>, kNan),
    comparison("le-self-float", "le", "x <= x is true, but not of NaN", compare_self<true, true>, kNan),
    comparison("ge-self-float", "ge", "x >= x is true, but not of NaN", compare_self<true, true>, kNan),
    comparison("ne-self-float", "ne", "x != x is false, but not of NaN", compare_self<false, true>, kNan),
    RewriteRule{.name = "where-constant",
                .root = "where",
                .doc = "a constant condition selects one side",
                .apply = where_constant},
    RewriteRule{.name = "where-same", .root = "where", .doc = "selecting between x and x is x", .apply = where_same},
    RewriteRule{.name = "where-not",
                .root = "where",
                .termination = Termination::ShorterChain,
                .doc = "selecting by not c swaps the sides",
                .apply = where_not},
    RewriteRule{.name = "if-constant",
                .root = "if",
                .doc = "an `if` whose condition is constant is one of its regions",
                .apply = if_constant},
    RewriteRule{.name = "if-same",
                .root = "if",
                .doc = "an `if` whose regions yield the same outer values is these values",
                .apply = if_same},
};

}  // namespace

std::span<const RewriteRule> logic_rules() { return kRules; }

}  // namespace mlgc
