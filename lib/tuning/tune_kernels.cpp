// See tune_kernels.h.
#include "tuning/tune_kernels.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "diag/kinds_driver.h"
#include "loopir/module_machine.h"
#include "reports/schedule_report.h"
#include "support/activity.h"
#include "support/file.h"
#include "support/scratch_folder.h"
#include "transforms/levels.h"

namespace mlgc {

namespace {

class Tuner {
 public:
  Tuner(const Module& loops, const ModuleData& data, const TimedCall& call, const TuneOptions& options,
        DiagnosticEngine& diagnostics)
      : loops_(loops),
        data_(data),
        call_(call),
        options_(options),
        target_(*options.timing.emit.target),
        diagnostics_(diagnostics) {}

  std::optional<TuneReport> run() {
    Result<ScratchFolder> folder = ScratchFolder::make("mlgc-tune-");
    if (!folder) {
      diagnostics_.emit(diagnose<kCannotWrite>({}, folder.error()));
      return std::nullopt;
    }
    folder_ = &*folder;
    find_candidates();
    std::size_t versions = 1;
    for (const TunedKernel& kernel : report_.kernels) versions = std::max(versions, kernel.candidates.size());
    auto made = compile(versions,
                        [](const TunedKernel& kernel, std::size_t v) { return v < kernel.candidates.size() ? v : 0; });
    if (!made || !measure(*made)) return std::nullopt;
    std::vector<KernelTimer>& timers = *made;
    for (std::size_t v = 0; v < versions; ++v) {
      const auto seconds = timers[v].kernel_seconds();
      for (const auto& [name, time] : seconds) {
        const auto at = by_name_.find(name);
        if (at == by_name_.end()) continue;
        TunedKernel& kernel = report_.kernels[at->second];
        if (v < kernel.candidates.size()) kernel.candidates[v].measured += time;
      }
    }
    for (TunedKernel& kernel : report_.kernels) choose(kernel);
    return compare(timers.front()) ? std::optional(std::move(report_)) : std::nullopt;
  }

 private:
  void find_candidates() {
    const Machine machine = machine_of(loops_, target_.kind());
    report_.machine = machine.spec();
    report_.threads = options_.timing.threads;
    report_.sizes = options_.sizes;
    Machine runs_on = machine;
    if (CpuMachine* cpu = std::get_if<CpuMachine>(&runs_on.numbers))
      cpu->cores = static_cast<std::int64_t>(options_.timing.threads);
    schedule::PredictedSizes sizes;
    for (const auto& [name, size] : options_.sizes) sizes.known[name] = size;
    std::unordered_map<std::uint64_t, std::size_t> by_hash;
    for (const FuncRef& function : kernels_of(loops_)) {
      const std::uint64_t hash = schedule::kernel_hash(function.op());
      const auto [at, is_new] = by_hash.try_emplace(hash, report_.kernels.size());
      by_name_[std::string(function.name())] = at->second;
      if (!is_new) {
        ++report_.kernels[at->second].kernels;
        continue;
      }
      TunedKernel kernel;
      kernel.name = function.name();
      kernel.hash = hash;
      for (const auto& candidate :
           schedule::strategy_candidates(function.op(), options_.timing.numerics, machine, runs_on, sizes))
        kernel.candidates.push_back({candidate.choice, candidate.predicted.seconds});
      std::stable_sort(kernel.candidates.begin() + 1, kernel.candidates.end(),
                       [](const auto& a, const auto& b) { return a.predicted < b.predicted; });
      if (kernel.candidates.size() > options_.candidates) kernel.candidates.resize(options_.candidates);
      report_.kernels.push_back(std::move(kernel));
    }
  }

  // So many versions of the model, in each of which kernels have the candidates that `choose` says.
  template <class Choose>
  std::optional<std::vector<KernelTimer>> compile(std::size_t versions, Choose choose) {
    std::vector<Module> modules;
    for (std::size_t v = 0; v < versions; ++v) {
      auto module = version([&](const TunedKernel& kernel) { return choose(kernel, v); });
      if (!module) return std::nullopt;
      modules.push_back(*std::move(module));
    }
    return KernelTimer::make(std::move(modules), data_, call_, options_.timing, diagnostics_);
  }

  // The model with a candidate for each kernel, as it is with the file of these decisions.
  template <class Choose>
  std::optional<Module> version(Choose choose) {
    schedule::Decisions decisions;
    decisions.machine = report_.machine;
    for (const TunedKernel& kernel : report_.kernels)
      (void)decisions.add({kernel.name, kernel.hash, kernel.candidates[choose(kernel)].choice, {}, {}});
    const std::string path = folder_->file("decisions.json");
    if (const Status<> written = write_file(path, schedule::decisions_text(decisions)); !written) {
      diagnostics_.emit(diagnose<kCannotWrite>({}, written.error()));
      return std::nullopt;
    }
    Module module(loops_);
    if (!schedule_loops(target_, module, options_.timing.numerics, path, diagnostics_)) return std::nullopt;
    return module;
  }

  bool measure(std::vector<KernelTimer>& timers) {
    Activity measuring("measuring versions");
    measuring.does(options_.rounds * timers.size(), "run");
    for (std::size_t round = 0; round < options_.rounds; ++round)
      for (KernelTimer& timer : timers) {
        measuring.next();
        if (!timer.measure(options_.seconds / static_cast<double>(options_.rounds), diagnostics_)) return false;
      }
    return true;
  }

  void choose(TunedKernel& kernel) const {
    const double limit = kernel.candidates.front().measured * (1 - options_.margin);
    for (std::size_t i = 1; i < kernel.candidates.size(); ++i) {
      const double measured = kernel.candidates[i].measured;
      if (measured > 0 && measured < limit && (kernel.best == 0 || measured < kernel.candidates[kernel.best].measured))
        kernel.best = i;
    }
  }

  // All kernels by default, and as they were chosen.
  bool compare(KernelTimer& by_default) {
    const auto total = [](const KernelTimer& timer) {
      double out = 0;
      for (const auto& [name, seconds] : timer.kernel_seconds()) out += seconds;
      return out;
    };
    const bool changed =
        std::any_of(report_.kernels.begin(), report_.kernels.end(), [](const TunedKernel& k) { return k.best != 0; });
    report_.before = report_.after = total(by_default);
    if (!changed) return true;
    auto timers = compile(
        2, [](const TunedKernel& kernel, std::size_t chosen) { return chosen == 1 ? kernel.best : std::size_t{0}; });
    if (!timers || !measure(*timers)) return false;
    report_.before = total((*timers)[0]);
    report_.after = total((*timers)[1]);
    return target_.kind() == MachineKind::Cpu || keep_if_faster(*timers);
  }

  // Launches of a GPU are timed with what the host does, so whole calls have the last word.
  bool keep_if_faster(std::vector<KernelTimer>& timers) {
    std::array<double, 2> least{};
    for (std::size_t round = 0; round < options_.rounds; ++round)
      for (std::size_t i = 0; i < least.size(); ++i) {
        const auto taken =
            timers[i].call_seconds(options_.seconds / static_cast<double>(options_.rounds), diagnostics_);
        if (!taken) return false;
        least.at(i) = round == 0 ? *taken : std::min(least.at(i), *taken);
      }
    report_.before = least[0], report_.after = least[1];
    if (report_.after < report_.before) return true;
    for (TunedKernel& kernel : report_.kernels) kernel.best = 0;
    report_.after = report_.before;
    return true;
  }

  const Module& loops_;
  const ModuleData& data_;
  const TimedCall& call_;
  const TuneOptions& options_;
  const TargetDef& target_;
  DiagnosticEngine& diagnostics_;
  const ScratchFolder* folder_ = nullptr;
  TuneReport report_;
  std::unordered_map<std::string, std::size_t> by_name_;  // of kernels, to the first with the same loops
};

}  // namespace

std::optional<TuneReport> tune_kernels(const Module& loops, const ModuleData& data, const TimedCall& call,
                                       const TuneOptions& options, DiagnosticEngine& diagnostics) {
  return Tuner(loops, data, call, options, diagnostics).run();
}

schedule::Decisions decisions_of(const TuneReport& report) {
  schedule::Decisions out;
  out.machine = report.machine;
  out.threads = static_cast<std::int64_t>(report.threads);
  for (const auto& [name, size] : report.sizes) out.sizes[name] = size;
  for (const TunedKernel& kernel : report.kernels) {
    schedule::KernelDecision decision{kernel.name, kernel.hash, kernel.candidates[kernel.best].choice, {}, {}};
    for (const TunedKernel::Candidate& candidate : kernel.candidates)
      if (candidate.measured > 0) decision.seconds.emplace_back(candidate.choice.text(), candidate.measured);
    (void)out.add(std::move(decision));
  }
  return out;
}

}  // namespace mlgc
