// See zero_ways.h.
#include "autodiff/zero_ways.h"

#include <algorithm>
#include <unordered_set>
#include <vector>

#include "autodiff/reverse.h"
#include "diag/kinds_grad.h"

namespace mlgc {

namespace {

constexpr std::size_t kPlacesShown = 3;

// The ops of the body that a value is computed by.
void note_useful(Value value, std::unordered_set<OpId>& useful) {
  std::vector<Value> open{value};
  while (!open.empty()) {
    const Value at = open.back();
    open.pop_back();
    if (!at.is_result() || !useful.insert(at.definer().id()).second) continue;
    for (const Value operand : at.definer().operands()) open.push_back(operand);
  }
}

}  // namespace

void note_ends(Diagnostic& warning, FuncRef function, std::span<const Value> from, std::span<const std::size_t> results,
               GradientRules& rules, FreshSizes& sizes) {
  std::unordered_set<OpId> useful;
  for (const std::size_t i : results) note_useful(function.results()[i], useful);
  std::vector<OpRef> ops;
  for (const OpRef op : function.body().ops())
    if (op != function.return_op() && useful.contains(op.id())) ops.push_back(op);
  std::vector<Diagnostic> unused;
  Builder builder(function.op().module());
  Reverse reach(builder, rules, sizes, unused);
  for (const Value value : from)
    if (value.valid()) reach.vary(value);
  reach.spread(ops);
  std::size_t shown = 0;
  for (const OpRef op : ops) {
    const auto varied = [&](Value value) { return reach.varied(value); };
    if (std::none_of(op.operands().begin(), op.operands().end(), varied) ||
        std::any_of(op.results().begin(), op.results().end(), varied) || ++shown > kPlacesShown)
      continue;
    warning.add_note<kGradientEnds>(op.location(), std::string(op.name()));
  }
}

}  // namespace mlgc
