// Parallel loops of compiled models on the threads that PyTorch computes with.
//
// With threads of their own, models and PyTorch would have twice as many as there are cores, and as both spin between
// regions, each would take cores from the other. So contexts get a `parallel_for` that opens a region of the OpenMP
// runtime that torch has loaded. It is reached by the addresses of its functions; nothing is linked.
#pragma once

#include "runtime/mlgc.h"

namespace mlgc::python {

// The entry points of an OpenMP runtime, as GCC's and LLVM's have them.
struct OpenMp {
  void (*parallel)(void (*body)(void*), void* data, unsigned threads, unsigned flags);  // GOMP_parallel
  int (*thread_number)();                                                               // omp_get_thread_num
};

// Regions that are opened afterwards use this runtime.
void set_openmp(const OpenMp& openmp);
// This process is a child of fork. It has none of OpenMP's threads, and a region would wait for them for ever: from now
// on the caller does all of the work.
void give_up_openmp();

// An mlgc_parallel_for (runtime/mlgc.h) whose `data` is the number of threads, as an integer.
void openmp_parallel_for(void* data, mlgc_i64 n, mlgc_range_function* fn, void* arg);

}  // namespace mlgc::python
