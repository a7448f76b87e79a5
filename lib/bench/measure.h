// Measures candidates side by side: each round runs a block of calls of every candidate, so that what changes slowly
// (clock, temperature, other load on the host) hits all of them alike, and ratios of a round are worth more than times.
//
// Guarantees
//   - Each block opens with a call that is not timed: what another candidate did to caches and threads is not counted.
//   - Rounds start at another candidate each time, so no one always follows the same one.
//   - A block during which the system took a core away from the process is marked as disturbed, never dropped here.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "bench/statistics.h"
#include "support/result.h"

namespace mlgc::bench {

// What a block of calls took, of the process that ran it.
struct Block {
  double seconds = 0;
  std::int64_t involuntary_switches = 0;
  std::int64_t page_faults = 0;  // minor ones: memory touched for the first time
};

struct Candidate {
  std::string name;
  // One call that is not timed, then so many that are. Error: why it cannot be called.
  std::function<Result<Block>(std::int64_t calls)> run;
};

// A block of calls of `call` in this process.
[[nodiscard]] Result<Block> timed_block(std::int64_t calls, const std::function<Status<>()>& call);

struct MeasureOptions {
  double seconds = 0.3;          // that each candidate is timed for at least
  std::size_t rounds = 11;       // at least, but for candidates whose calls take very long (kPatience)
  double block_seconds = 0.002;  // short, so that most blocks of a busy machine are undisturbed
};
// Policies of the measurement, the same for all machines: a candidate that was timed for so many times `seconds` needs
// no more than kFewestRounds, the fewest that have a median which is neither end. A measurement of slow calls, or on a
// machine whose blocks are all disturbed, so takes a few times what was asked for, and ends.
inline constexpr double kPatience = 4;
inline constexpr std::size_t kFewestRounds = 3;

struct Measured {
  std::vector<Sample> samples;  // of rounds 0, 1, ...
  std::int64_t calls_per_block = 0;
  double page_faults_per_call = 0;  // the median over the blocks
  std::string failure;              // why it stopped; empty when it did not
};

// In the order of the candidates. The first one runs as long as any other does; the others stop when they have enough.
[[nodiscard]] std::vector<Measured> measure_side_by_side(std::span<const Candidate> candidates,
                                                         const MeasureOptions& options);

}  // namespace mlgc::bench
