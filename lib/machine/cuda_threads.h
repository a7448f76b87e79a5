// What the schedule and the printer of CUDA suppose of the threads of every GPU, and have to suppose alike. What
// differs from GPU to GPU is GpuMachine (machine.h).
#pragma once

#include <algorithm>
#include <cstdint>

namespace mlgc {

// Threads of a warp: a property of every GPU that CUDA runs on.
inline constexpr int kWarpThreads = 32;

// Bytes of scratch that a thread has for itself in registers: 64 of the 255 that CUDA gives it. A policy, the same for
// all GPUs: the schedule gives a row to one thread where its scratch is no larger, and the printer declares such
// scratch as an array of the thread.
inline constexpr std::int64_t kMostThreadScratch = 256;

// Words of a row that a thread keeps in registers at most, in a block of so many threads. Every GPU has 65536 registers
// for a block and 255 for a thread, which needs 16 by itself. A policy, the same for all GPUs: the schedule gives a row
// to so few threads that they keep it, and the printer keeps it.
[[nodiscard]] constexpr std::int64_t most_words_of_thread(std::int64_t threads) {
  return std::min<std::int64_t>(104, 65536 / threads - 16);
}

}  // namespace mlgc
