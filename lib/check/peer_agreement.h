// Whether results of engines agree with the interpreter in f64, where as much error is allowed as another engine has.
//
// agrees() (tensor/compare.h) allows twice what eager PyTorch is wrong by on the same inputs. What stands for PyTorch
// here is an engine's peer: PyTorch itself; of PyTorch compiled code, which is nearer to it than the interpreter, since
// that accumulates in f64; without these the first other engine. A result that is further off is measured again with
// what the peer is wrong by on neighbours of the inputs (tensor/neighbour.h).
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/compare.h"
#include "tensor/npz.h"

namespace mlgc {

struct EngineOutputs {
  std::string_view engine;  // by its short name: `torch`, `cpp`, `interp`
  NamedTensors tensors;
};

// By how much an engine is wrong at most on neighbours of the inputs, result by result. Asked where a result would not
// agree otherwise.
using NearbyErrors = std::function<std::vector<double>(std::string_view engine)>;

// The peer of the engine with this number. Precondition: two engines at least.
[[nodiscard]] std::size_t peer_of(std::size_t engine, std::span<const std::string_view> engines);

// `exact` is result `i` in f64. Errors of `peer` count for float results alone.
[[nodiscard]] Difference agrees_with_peer(const Tensor& ours, const Tensor& exact, const EngineOutputs& peer,
                                          std::size_t i, const NearbyErrors& nearby);

struct ComparedOutput {
  std::string result;
  std::string_view engine;
  Difference difference;
};
// Each result of each engine, engine by engine. Precondition: two engines at least, with the results of `exact`.
[[nodiscard]] std::vector<ComparedOutput> compare_with_peers(std::span<const EngineOutputs> engines,
                                                             const NamedTensors& exact, const NearbyErrors& nearby);

struct ReferenceOutput {
  std::string result;
  std::optional<Difference> difference;  // nothing: the reference does not have it
};
// Results of an engine in their own dtypes with a reference, each under its name or, where the reference has none of
// that name, as `result<i>` by its number. The reference may be as wrong as twice what `native` is wrong by, both
// measured against `exact`. A reference in f64 is what `native` is measured against itself: then it may be as wrong as
// twice what the reference's `NAME.eager` is wrong by, if there is one: what PyTorch computes in the result's own
// dtype. Other members of the reference do not count. `exact` is called once at most, where some reference is not in
// f64; nothing when it had no answer.
[[nodiscard]] std::optional<std::vector<ReferenceOutput>> compare_with_reference(
    const NamedTensors& reference, const EngineOutputs& native,
    const std::function<std::optional<NamedTensors>()>& exact, const NearbyErrors& nearby);

}  // namespace mlgc
