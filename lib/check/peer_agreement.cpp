// See peer_agreement.h.
#include "check/peer_agreement.h"

#include <algorithm>

#include "support/result.h"

namespace mlgc {
namespace {

const Tensor* find(const NamedTensors& tensors, std::string_view name) {
  const auto found = std::ranges::find(tensors, name, &NamedTensor::first);
  return found == tensors.end() ? nullptr : &found->second;
}

}  // namespace

std::size_t peer_of(std::size_t engine, std::span<const std::string_view> engines) {
  MLGC_ASSERT(engines.size() > 1, "an engine alone has no peer");
  const auto named = [&](std::string_view name) {
    return static_cast<std::size_t>(std::ranges::find(engines, name) - engines.begin());
  };
  const std::size_t torch = named("torch"), compiled = named("cpp");
  if (torch < engines.size() && engine != torch) return torch;
  if (compiled < engines.size() && engine == torch) return compiled;
  return engine == 0 ? 1 : 0;
}

Difference agrees_with_peer(const Tensor& ours, const Tensor& exact, const EngineOutputs& peer, std::size_t i,
                            const NearbyErrors& nearby) {
  if (!is_inexact(ours.dtype())) return agrees(ours, exact);
  const Tensor& eager = peer.tensors[i].second;
  const Difference here = agrees(ours, exact, &eager);
  if (here.exceeding == 0 || here.nan_mismatches > 0 || here.inf_mismatches > 0) return here;
  return agrees(ours, exact, &eager, {.nearby_error = nearby(peer.engine)[i]});
}

std::vector<ComparedOutput> compare_with_peers(std::span<const EngineOutputs> engines, const NamedTensors& exact,
                                               const NearbyErrors& nearby) {
  std::vector<std::string_view> names;
  for (const EngineOutputs& one : engines) names.push_back(one.engine);
  std::vector<ComparedOutput> out;
  for (std::size_t engine = 0; engine < engines.size(); ++engine) {
    const EngineOutputs& peer = engines[peer_of(engine, names)];
    for (std::size_t i = 0; i < exact.size(); ++i)
      out.push_back({exact[i].first, names[engine],
                     agrees_with_peer(engines[engine].tensors[i].second, exact[i].second, peer, i, nearby)});
  }
  return out;
}

std::optional<std::vector<ReferenceOutput>> compare_with_reference(
    const NamedTensors& reference, const EngineOutputs& native,
    const std::function<std::optional<NamedTensors>()>& exact, const NearbyErrors& nearby) {
  std::vector<ReferenceOutput> out;
  std::optional<NamedTensors> in_f64;
  for (std::size_t i = 0; i < native.tensors.size(); ++i) {
    const auto& [name, ours] = native.tensors[i];
    std::string known_as = name;
    const Tensor* theirs = find(reference, known_as);
    if (theirs == nullptr) theirs = find(reference, known_as = "result" + std::to_string(i));
    if (theirs == nullptr) {
      out.push_back({name, std::nullopt});
      continue;
    }
    const bool is_exact =
        is_inexact(ours.dtype()) && theirs->dtype() == reference_dtype(ours.dtype()) && ours.dtype() != theirs->dtype();
    if (!is_exact && !in_f64) {
      in_f64 = exact();
      if (!in_f64) return std::nullopt;
    }
    out.push_back({name, is_exact ? agrees(ours, *theirs, find(reference, known_as + ".eager"))
                                  : agrees_with_peer(*theirs, (*in_f64)[i].second, native, i, nearby)});
  }
  return out;
}

}  // namespace mlgc
