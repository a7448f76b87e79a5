// What the schedule and the printer of CUDA suppose of the threads of every GPU, and have to suppose alike. What
// differs from GPU to GPU is GpuMachine (machine.h).
#pragma once

#include <cstdint>

namespace mlgc {

// Threads of a warp: a property of every GPU that CUDA runs on.
inline constexpr int kWarpThreads = 32;

// Bytes of scratch that a thread has for itself in registers: 64 of the 255 that CUDA gives it. A policy, the same for
// all GPUs: the schedule gives a row to one thread where its scratch is no larger, and the printer declares such
// scratch as an array of the thread.
inline constexpr std::int64_t kMostThreadScratch = 256;

}  // namespace mlgc
