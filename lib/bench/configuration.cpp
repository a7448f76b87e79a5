// See configuration.h.
#include "bench/configuration.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

#include "artifact/artifact.h"
#include "bench/launch_probe.h"
#include "bench/peer.h"
#include "bench/statistics.h"
#include "support/activity.h"

namespace mlgc::bench {
namespace {

using Clock = std::chrono::steady_clock;

// A backend that answers: its row so far, how to call it, and what the first call gave.
struct Runner {
  Runner(std::string name, std::string version) {
    row.name = std::move(name);
    row.version = std::move(version);
  }
  BackendRow row;
  std::function<Result<Block>(std::int64_t)> run;
  std::vector<Tensor> results;
};

class Measurement {
 public:
  Measurement(const ConfigurationTask& task, const LimitProbe* probe) : task_(task), probe_(probe) {
    configuration_.sizes = task.sizes;
    configuration_.threads = task.threads;
  }

  Result<Configuration, Diagnostic> run() {
    if (asks_for(task_.compiled)) {
      if (Status<Diagnostic> started = warm_start(); !started) return Failure{started.error()};
      const CompiledVariant first{std::string(task_.compiled), task_.artifact, task_.compile_seconds};
      if (Status<Diagnostic> started = start_compiled(first); !started) return Failure{started.error()};
      for (const CompiledVariant& variant : task_.variants)
        if (Status<Diagnostic> started = start_compiled(variant); !started) return Failure{started.error()};
    }
    for (const std::string& backend : task_.backends) {
      if (backend == kInterpreter) start_interpreter();
      if (backend != task_.compiled && backend != kInterpreter) start_peer(backend);
    }
    configuration_.limits = limits();
    measure();
    if (!compiled_.empty()) {
      auto kernels = compiled_.front()->kernel_times(task_.measure.seconds);
      if (!kernels) return Failure{std::move(kernels.error())};
      configuration_.kernels = *std::move(kernels);
    }
    if (!task_.variants.empty()) {
      auto launch = empty_launch_seconds(task_.launch_probe, task_.threads);
      if (!launch) return Failure{std::move(launch.error())};
      configuration_.launch_seconds = *launch;
    }
    runners_.clear();  // peers end, so that nothing runs beside the second look at the limits
    configuration_.limits = best_of(configuration_.limits, limits());
    return std::move(configuration_);
  }

 private:
  // Where back ends are timed for a short time only, so is the machine.
  [[nodiscard]] MachineLimits limits() const {
    if (probe_ == nullptr) return {};
    constexpr double kLong = 0.1;
    const double trials = LimitProbe::kTrials * task_.measure.seconds / kLong;
    const Activity measuring("measuring what the machine can do");
    return probe_->measure(task_.threads, static_cast<int>(std::clamp<double>(trials, 1, LimitProbe::kTrials)));
  }

  [[nodiscard]] bool asks_for(std::string_view name) const { return std::ranges::count(task_.backends, name) != 0; }

  [[nodiscard]] std::vector<Tensor> inputs() const {
    std::vector<Tensor> tensors;
    for (const auto& [name, tensor] : task_.inputs) tensors.push_back(tensor);
    return tensors;
  }

  Status<Diagnostic> warm_start() {
    const Activity starting("calling", task_.compiled);
    auto warm = warm_start_seconds(task_.artifact, task_.function, inputs(), task_.threads, task_.device);
    if (!warm) return Failure{std::move(warm.error())};
    configuration_.warm_start = *warm;
    return {};
  }

  Status<Diagnostic> start_compiled(const CompiledVariant& variant) {
    auto files = open_artifact(variant.artifact);
    if (!files) return Failure{std::move(files.error())};
    auto model = Model::load(*files, {.device = task_.device, .copy_weights = task_.copy_weights});
    if (!model) return Failure{std::move(model.error())};
    auto made = CompiledCall::make(*model, task_.function, inputs(), task_.threads);
    if (!made) return Failure{std::move(made.error())};
    const auto call = std::make_shared<CompiledCall>(*std::move(made));
    compiled_.push_back(call);
    if (!task_.variants.empty()) {
      auto use = call->use();
      if (!use) return Failure{std::move(use.error())};
      configuration_.uses.push_back({variant.name, *use});
    }
    Runner runner(variant.name, "mlgc");
    runner.row.prepare = variant.compile_seconds;
    runner.row.first_call = call->first_call_seconds();
    auto outputs = call->outputs();
    if (!outputs) return Failure{std::move(outputs.error())};
    runner.results = *std::move(outputs);
    // Calls queue what a GPU does: the one that is not timed, and the last one, wait for it.
    runner.run = [call](std::int64_t calls) {
      return timed_block(calls, [call, calls, done = std::int64_t{0}]() mutable -> Status<> {
        if (Status<> called = call->call(); !called) return called;
        return done++ == 0 || done == calls + 1 ? call->finish() : Status<>();
      });
    };
    runners_.push_back(std::move(runner));
    return {};
  }

  void refused(std::string_view name, std::string reason) {
    BackendRow row;
    row.name = name;
    row.reason = std::move(reason);
    refused_.push_back(std::move(row));
  }

  void start_interpreter() {
    const Activity starting("calling", kInterpreter);
    const auto start = Clock::now();
    auto results = task_.interpret();
    if (!results) return refused(kInterpreter, results.error());
    Runner runner(std::string(kInterpreter), "mlgc");
    runner.row.prepare = task_.interpret_prepare;
    runner.row.first_call = seconds_since(start);
    runner.results = *std::move(results);
    runner.run = [this](std::int64_t calls) {
      return timed_block(calls, [this]() -> Status<> {
        if (auto again = task_.interpret(); !again) return Failure{again.error()};
        return {};
      });
    };
    runners_.push_back(std::move(runner));
  }

  void start_peer(const std::string& name) {
    const bool compiled = name == kPeers[0];
    const Activity starting("starting", name);
    if (!compiled && task_.model_file.empty())
      return refused(name, "it reads .pt2 files only: measure the file that torch.export wrote, or leave it out");
    PeerTask peer;
    peer.backend = name;
    peer.python = task_.python;
    peer.threads = task_.threads;
    if (task_.compiled == kCompiledForGpu) peer.device = "cuda:" + std::to_string(task_.device);
    peer.model = task_.model_file;
    peer.artifact = task_.artifact;
    peer.symbol = task_.symbol;
    peer.function = task_.function;
    peer.inputs = task_.folder + "/inputs.npz";
    peer.results = task_.folder + "/results.npz";
    peer.folder = task_.folder;
    if (compiled) peer.outputs = static_cast<std::size_t>(runners_.front().results.size());
    if (const Status<> written = write_npz(peer.inputs, task_.inputs); !written) return refused(name, written.error());
    auto started = Peer::start(peer);
    if (!started) return refused(name, started.error());
    const auto process = std::make_shared<Peer>(*std::move(started));
    Runner runner(name, process->version());
    runner.row.prepare = process->prepare_seconds() + (compiled ? task_.compile_seconds : 0);
    runner.row.first_call = process->first_call_seconds();
    if (const Result<NamedTensors> results = read_npz(peer.results))
      for (const auto& [result, tensor] : *results) runner.results.push_back(tensor);
    runner.run = [process](std::int64_t calls) { return process->run(calls); };
    runners_.push_back(std::move(runner));
  }

  void measure() {
    const Activity timing("timing",
                          std::to_string(runners_.size()) + (runners_.size() == 1 ? " back end" : " back ends"));
    std::vector<Candidate> candidates;
    for (const Runner& runner : runners_) candidates.push_back({runner.row.name, runner.run});
    std::vector<Measured> measured = measure_side_by_side(candidates, task_.measure);
    for (std::size_t i = 0; i < runners_.size(); ++i) {
      BackendRow& row = runners_[i].row;
      if (!measured[i].failure.empty() || measured[i].samples.empty()) {
        refused(row.name, measured[i].failure);
        continue;
      }
      row.measured = std::move(measured[i]);
      if (i > 0) row.difference = largest_difference(runners_[i].results, runners_.front().results);
      if (!configuration_.rows.empty()) compare(row, configuration_.rows.front());
      configuration_.rows.push_back(std::move(row));
    }
    for (BackendRow& row : refused_) configuration_.rows.push_back(std::move(row));
  }

  static Cost cost_of(const BackendRow& row) {
    const double call = summarize(row.measured->samples).median;
    return {row.prepare + std::max(0.0, row.first_call - call), call};
  }

  static void compare(BackendRow& row, const BackendRow& baseline) {
    row.ratio = ratio(row.measured->samples, baseline.measured->samples);
    row.break_even = break_even(cost_of(baseline), cost_of(row));
  }

  const ConfigurationTask& task_;
  const LimitProbe* probe_;
  Configuration configuration_;
  std::vector<std::shared_ptr<CompiledCall>> compiled_;  // the model as it is compiled, then variants
  std::vector<Runner> runners_;
  std::vector<BackendRow> refused_;
};

}  // namespace

Result<Configuration, Diagnostic> measure_configuration(const ConfigurationTask& task, const LimitProbe* probe) {
  return Measurement(task, probe).run();
}

std::optional<double> largest_difference(std::span<const Tensor> results, std::span<const Tensor> reference) {
  if (results.size() != reference.size()) return std::nullopt;
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  double largest = 0, magnitude = 0;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (results[i].shape() != reference[i].shape()) return std::nullopt;
    if (is_complex(results[i].dtype()) != is_complex(reference[i].dtype())) return std::nullopt;
    const auto wide = [](const Tensor& t) { return is_complex(t.dtype()) ? t.to_reference().parts() : t.to_f64(); };
    const Tensor a = wide(results[i]), b = wide(reference[i]);
    const std::span<const double> x = a.data<double>(), y = b.data<double>();
    for (std::size_t k = 0; k < x.size(); ++k) {
      if (std::isfinite(y[k])) magnitude = std::max(magnitude, std::abs(y[k]));
      if (x[k] == y[k] || (std::isnan(x[k]) && std::isnan(y[k]))) continue;
      const double difference = std::abs(x[k] - y[k]);
      largest = std::max(largest, std::isfinite(difference) ? difference : kInfinite);
    }
  }
  const double least = std::numeric_limits<float>::min();
  return largest / (magnitude < least ? 1.0 : magnitude);
}

}  // namespace mlgc::bench
