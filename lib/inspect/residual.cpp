// See residual.h.
#include "inspect/residual.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "fusion/fusion_kernel.h"
#include "fusion/kernel_formula.h"
#include "ir/function_facts.h"

namespace mlgc {
namespace {

constexpr std::size_t kLongestShortcut = 4;  // ops of a projection: a convolution, its bias, a norm, a cast

// The ops that compute on the longest path from one node to another that it dominates.
std::vector<OpRef> longest_path(const DataFlow& flow, DataFlow::Node from, DataFlow::Node to) {
  std::vector<OpRef> out;
  while (to != from) {
    const OpRef op = flow.op_of(to);
    const std::vector<DataFlow::Node>& reads = flow.read_by(to);
    const auto deepest = std::max_element(
        reads.begin(), reads.end(), [&](DataFlow::Node a, DataFlow::Node b) { return flow.depth(a) < flow.depth(b); });
    if (flow.depth(*deepest) < flow.depth(to)) out.push_back(op);
    to = *deepest;
  }
  std::reverse(out.begin(), out.end());
  return out;
}

// Sums over what they read, of which elements share factors.
bool is_contraction(OpRef op) {
  FunctionFacts facts;
  const auto formula = op_formula(op, facts.of(op));
  if (!formula) return false;
  KernelFormula kernel(op.module().context());
  kernel.add(op, *formula, KernelFormula::As::Computed);
  return kernel.shape().kind() == "contraction";
}

// Only ops that an identity could be trained to: no function of single elements, such as an activation.
bool is_projection(const std::vector<OpRef>& path) {
  return path.size() <= kLongestShortcut && std::any_of(path.begin(), path.end(), is_contraction) &&
         std::none_of(path.begin(), path.end(), [](OpRef op) {
           return op.has_trait(Traits::Elementwise) && op.operand_count() == 1 && !op.is(GraphOp::Cast);
         });
}

std::optional<ResidualConnection> residual_at(const DataFlow& flow, DataFlow::Node join) {
  const OpRef op = flow.op_of(join);
  const bool is_sum = op.is(GraphOp::Add), is_cat = op.is(GraphOp::Cat);
  const std::vector<DataFlow::Node>& reads = flow.read_by(join);
  if ((!is_sum && !is_cat) || reads.size() < 2) return std::nullopt;
  const DataFlow::Node from = flow.dominator(join);
  if (from == DataFlow::region()) return std::nullopt;
  const auto depth = [&](DataFlow::Node a, DataFlow::Node b) { return flow.depth(a) < flow.depth(b); };
  const auto [shortest, longest] = std::minmax_element(reads.begin(), reads.end(), depth);
  if (flow.depth(*shortest) == flow.depth(*longest)) return std::nullopt;
  ResidualConnection out{op, from, Shortcut::Identity, {}, {}};
  const std::size_t ops = flow.depth(*shortest) - flow.depth(from);
  if (ops > 0) {
    if (is_cat || ops > kLongestShortcut) return std::nullopt;
    out.short_path = longest_path(flow, from, *shortest);
    if (!is_projection(out.short_path)) return std::nullopt;
    out.shortcut = Shortcut::Projection;
  }
  out.body = longest_path(flow, from, *longest);
  return out;
}

}  // namespace

std::vector<ResidualConnection> find_residuals(const DataFlow& flow) {
  std::vector<ResidualConnection> out;
  for (std::size_t i = 0; i < flow.ops().size(); ++i)
    if (auto found = residual_at(flow, flow.node(i))) out.push_back(*std::move(found));
  return out;
}

}  // namespace mlgc
