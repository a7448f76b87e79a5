// See zero_ways.h.
#include "autodiff/zero_ways.h"

#include <algorithm>
#include <vector>

#include "analysis/backward_slice.h"
#include "autodiff/reverse.h"
#include "diag/kinds_grad.h"

namespace mlgc {

namespace {

constexpr std::size_t kPlacesShown = 3;

}  // namespace

void note_ends(Diagnostic& warning, FuncRef function, std::span<const Value> from, std::span<const std::size_t> results,
               GradientRules& rules, FreshSizes& sizes) {
  std::vector<Value> asked;
  for (const std::size_t i : results) asked.push_back(function.results()[i]);
  const auto useful = backward_slice(asked);
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
    const std::vector<Value> read = values_read(op);
    if (std::none_of(read.begin(), read.end(), varied) ||
        std::any_of(op.results().begin(), op.results().end(), varied) || ++shown > kPlacesShown)
      continue;
    warning.add_note<kGradientEnds>(op.location(), std::string(op.name()));
  }
}

}  // namespace mlgc
