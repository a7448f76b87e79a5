// See measure.h.
#include "bench/measure.h"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace mlgc::bench {
namespace {

constexpr std::int64_t kMostCalls = 1'000'000;

// One candidate with what is known of it so far.
class Track {
 public:
  Track(const Candidate& candidate, const MeasureOptions& options) : candidate_(candidate), options_(options) {}

  // How many calls make a block.
  void calibrate() {
    std::int64_t calls = 1;
    while (true) {
      const Result<Block> block = candidate_.run(calls);
      if (!block) {
        measured_.failure = block.error();
        return;
      }
      const double each = std::max(block->seconds, 1e-9) / static_cast<double>(calls);
      const double wanted = std::clamp(options_.block_seconds / each, 1.0, static_cast<double>(kMostCalls));
      measured_.calls_per_block = static_cast<std::int64_t>(std::ceil(wanted));
      // The time of a few calls of a block says how many there should be.
      if (measured_.calls_per_block <= 4 * calls) return;
      calls = std::max(2 * calls, measured_.calls_per_block / 2);
    }
  }

  void run_block() {
    const Result<Block> block = candidate_.run(measured_.calls_per_block);
    if (!block) {
      measured_.failure = block.error();
      return;
    }
    const auto calls = static_cast<double>(measured_.calls_per_block);
    seconds_ += block->seconds;
    measured_.samples.push_back({block->seconds / calls, block->involuntary_switches != 0});
    undisturbed_ += block->involuntary_switches == 0 ? 1 : 0;
    faults_.push_back(static_cast<double>(block->page_faults) / calls);
  }

  [[nodiscard]] bool failed() const { return !measured_.failure.empty(); }
  [[nodiscard]] bool has_enough() const {
    const bool enough = undisturbed_ >= options_.rounds && seconds_ >= options_.seconds;
    const bool patience = measured_.samples.size() >= kFewestRounds && seconds_ >= kPatience * options_.seconds;
    return failed() || enough || patience;
  }

  [[nodiscard]] Measured take() {
    if (!faults_.empty()) measured_.page_faults_per_call = median(faults_);
    return std::move(measured_);
  }

 private:
  const Candidate& candidate_;
  const MeasureOptions& options_;
  Measured measured_;
  std::vector<double> faults_;
  double seconds_ = 0;
  std::size_t undisturbed_ = 0;
};

}  // namespace

Result<Block> timed_block(std::int64_t calls, const std::function<Status<>()>& call) {
  if (Status<> warm = call(); !warm) return Failure{warm.error()};
  rusage before{};
  rusage after{};
  getrusage(RUSAGE_SELF, &before);
  const auto start = std::chrono::steady_clock::now();
  for (std::int64_t i = 0; i < calls; ++i)
    if (Status<> status = call(); !status) return Failure{status.error()};
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  getrusage(RUSAGE_SELF, &after);
  return Block{seconds.count(), after.ru_nivcsw - before.ru_nivcsw, after.ru_minflt - before.ru_minflt};
}

std::vector<Measured> measure_side_by_side(std::span<const Candidate> candidates, const MeasureOptions& options) {
  std::vector<Track> tracks;
  for (const Candidate& candidate : candidates) tracks.emplace_back(candidate, options);
  for (Track& track : tracks) track.calibrate();
  const auto anyone = [&] {
    return std::ranges::any_of(tracks, [](const Track& track) { return !track.has_enough(); });
  };
  for (std::size_t round = 0; anyone(); ++round)
    for (std::size_t i = 0; i < tracks.size(); ++i) {
      const std::size_t number = (i + round) % tracks.size();
      Track& track = tracks[number];
      if (!track.failed() && (number == 0 || !track.has_enough())) track.run_block();
    }
  std::vector<Measured> measured;
  for (Track& track : tracks) measured.push_back(track.take());
  return measured;
}

}  // namespace mlgc::bench
