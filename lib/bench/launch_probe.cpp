// See launch_probe.h.
#include "bench/launch_probe.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "artifact/artifact.h"
#include "bench/compiled_call.h"
#include "bench/measure.h"

namespace mlgc::bench {
namespace {

std::string function_text(const std::string& name, int launches) {
  std::string text = "  func @" + name + "(%x: tensor<1xf32>) -> tensor<1xf32> {\n";
  std::string last = "%x";
  for (int i = 0; i < launches; ++i) {
    const std::string next = "%v" + std::to_string(i);
    text += "    " + next + " = neg " + last + "\n";
    last = next;
  }
  return text + "    return " + last + "\n  }\n";
}

}  // namespace

std::string launch_probe_text() {
  return "module @launches {\n" + function_text("one", 1) + function_text("many", 1 + kProbeLaunches) + "}\n";
}

Result<double, Diagnostic> empty_launch_seconds(const std::string& artifact, std::int32_t threads) {
  auto files = open_artifact(artifact);
  if (!files) return Failure{std::move(files.error())};
  auto model = Model::load(*files);
  if (!model) return Failure{std::move(model.error())};
  const std::vector<Tensor> inputs{Tensor::zeros(Dtype::F32, {1})};
  std::vector<CompiledCall> calls;
  for (const char* function : {"one", "many"}) {
    auto call = CompiledCall::make(*model, function, inputs, threads);
    if (!call) return Failure{std::move(call.error())};
    calls.push_back(*std::move(call));
  }
  std::vector<Candidate> candidates;
  for (CompiledCall& call : calls)
    candidates.push_back(
        {"", [&call](std::int64_t count) { return timed_block(count, [&call] { return call.call(); }); }});
  const std::vector<Measured> measured = measure_side_by_side(candidates, {.seconds = 0.05});
  std::array<double, 2> least{};
  for (std::size_t i = 0; i < 2; ++i) least[i] = summarize(measured[i].samples).minimum;
  return std::max(0.0, least[1] - least[0]) / kProbeLaunches;
}

}  // namespace mlgc::bench
