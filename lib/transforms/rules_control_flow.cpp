// Rules about control flow: they move regions, which text rules cannot say.
#include <array>

#include "rewrite/driver.h"
#include "rewrite/match.h"
#include "transforms/rules.h"

namespace mlgc {

namespace {

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

constexpr std::array kRules{
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

std::span<const RewriteRule> control_flow_rules() { return kRules; }

}  // namespace mlgc
