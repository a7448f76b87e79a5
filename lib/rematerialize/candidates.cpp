// See candidates.h.
#include "rematerialize/candidates.h"

#include <algorithm>
#include <array>
#include <set>
#include <tuple>

#include "fusion/decide_fusion.h"
#include "fusion/typical_sizes.h"
#include "ir/function_facts.h"
#include "rematerialize/rematerialize.h"

namespace mlgc {

namespace {

// Up to where peaks of the form n/k + k have their least for programs of thousands of layers.
constexpr std::array<std::size_t, 14> kSegments{1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128};

double cost_of(const Module& module) {
  Context& context = module.context();
  const FusionDecisions decisions = decide_fusion(module, {});
  FunctionFacts facts;
  double cost = 0;
  for (const FusionRegion& region : decisions.regions) {
    const Facts& known = facts.of(region.region.parent_op());
    for (std::size_t k = region.first_kernel; k < region.first_kernel + region.kernel_count; ++k)
      cost += std::max(typical_size(context.index(), decisions.kernels[k].bytes, known),
                       typical_size(context.index(), decisions.kernels[k].operations, known) / kOperationsForByte);
  }
  return cost;
}

RecomputeCandidate consider(const Module& module, const ForwardPart& part, const Recomputed& recomputed,
                            const RecomputeChoice& choice) {
  Module copy = module;  // NOLINT(performance-unnecessary-copy-initialization): changed through handles
  const std::size_t copies = rematerialize(in_snapshot(part, copy), recomputed);
  return {choice, cost_of(copy), copies};
}

}  // namespace

RecomputeCandidate recompute_candidate(const Module& module, const ForwardPart& part, const RecomputeChoice& choice) {
  return consider(module, part, choose_recomputed(part, choice), choice);
}

std::vector<RecomputeCandidate> recompute_candidates(const Module& module, const ForwardPart& part) {
  std::vector<RecomputeCandidate> found;
  std::set<std::vector<std::uint32_t>> seen;
  const auto add = [&](const RecomputeChoice& choice) {
    const Recomputed recomputed = choose_recomputed(part, choice);
    std::vector<std::uint32_t> ops;
    for (const OpId op : recomputed.ops) ops.push_back(part.number_of.at(op));
    std::sort(ops.begin(), ops.end());
    if (seen.insert(std::move(ops)).second) found.push_back(consider(module, part, recomputed, choice));
  };
  for (const Recompute what : {Recompute::None, Recompute::Fast, Recompute::Cheap}) add({what, 1});
  for (const Recompute what : {Recompute::Reductions, Recompute::All})
    for (const std::size_t segments : kSegments) add({what, segments});
  std::stable_sort(found.begin(), found.end(), [](const RecomputeCandidate& a, const RecomputeCandidate& b) {
    return std::tie(a.cost, a.copies) < std::tie(b.cost, b.copies);
  });
  return found;
}

}  // namespace mlgc
