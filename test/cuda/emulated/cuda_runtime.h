// CUDA on the host, for tests: as much of it as emitted units use, so that what they compute runs where there is no
// GPU. Found in front of the toolkit's header of this name, and compiled as C++.
//
// Guarantees
//   - There are MLGC_EMULATED_DEVICES devices, one where it is not set, of compute capability 9.0.
//   - Blocks run one after the other. Threads of a block run one at a time, each until it waits at a barrier or in a
//     shuffle or ends, in the order that MLGC_EMULATED_ORDER says: `forward`, `backward`, or a number, which seeds a
//     new order after each wait. Of warps whose shuffles are complete one goes on, until its threads wait at a barrier.
//     What a missing barrier leaves open comes out otherwise in another order.
//   - A launch fails, and says why, where threads wait at different barriers, where one waits that another has ended
//     without, and where a shuffle lacks threads of its mask. Only a thread that noted a failure (atomicCAS) may end
//     early.
//   - Memory on the chip and of the device holds noise at first. A block may ask for MLGC_EMULATED_CHIP_BYTES of it.
//   - At most MLGC_EMULATED_BLOCKS blocks run: kernels take their iterations in turns where there are fewer.
//   - What is queued on a stream runs at once. While the stream is captured it becomes a node of a graph, which runs
//     when the graph is launched. What CUDA forbids then (waiting, allocating, the default stream) fails, and the
//     capture with it. Nodes of a graph are set to other arguments and grids of their kernels, as long as there is the
//     captured graph that they are named by.
//   - Copies to memory on the chip that are not waited for (matrix.h) arrive as late as they may; until then there is
//   noise.
//     A launch fails where one is not aligned or outside of that memory, and where a thread ends before it has waited.
//   - Copies that the device makes by maps, and products of groups of warps, are those of tensor.h.
//   - A launch fails where a thread ends without having waited for earlier kernels, which any kernel may overlap with
//     (programmatic dependent launch).
//   - MLGC_EMULATED_LACKS is a line of the unit whose barrier has no effect.
//   - MLGC_EMULATED_FAILS names what the device refuses: `device` (there is none), `driver` (it is for CUDA 12.4),
//     `no-driver`, `image` (it runs no kernel of the unit), `launch`, `copy`, `pointer` (memory is not the device's),
//     `capture`, `update`, `instantiate`, or `memory`: more than 1 MiB in a piece.
#pragma once

#include <math.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#define __global__
#define __device__
#define __host__
#define __launch_bounds__(...)
#define __grid_constant__
#define mlgc_tiles mlgc_shared  // both begin where memory on the chip does
#define __align__(n) __attribute__((aligned(n)))
#define __shared__ thread_local  // of the one block that runs: static, or defined by whoever includes the unit
#define __restrict__             // barriers order accesses through all pointers

#ifndef __CUDA_ARCH__
#define __CUDA_ARCH__ 900
#endif

enum cudaError_t {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2,
  cudaErrorInsufficientDriver = 35,
  cudaErrorInvalidDeviceFunction = 98,
  cudaErrorNoDevice = 100,
  cudaErrorInvalidDevice = 101,
  cudaErrorNoKernelImageForDevice = 209,
  cudaErrorUnsupportedPtxVersion = 222,
  cudaErrorLaunchOutOfResources = 701,
  cudaErrorLaunchFailure = 719,
  cudaErrorStreamCaptureUnsupported = 900,
  cudaErrorStreamCaptureInvalidated = 901,
  cudaErrorUnknown = 999
};
enum cudaMemcpyKind { cudaMemcpyHostToDevice = 1, cudaMemcpyDeviceToHost = 2, cudaMemcpyDefault = 4 };
enum cudaDeviceAttr {
  cudaDevAttrMultiProcessorCount = 16,
  cudaDevAttrComputeCapabilityMajor = 75,
  cudaDevAttrComputeCapabilityMinor = 76,
  cudaDevAttrMaxSharedMemoryPerBlockOptin = 97
};
enum cudaMemoryType { cudaMemoryTypeUnregistered, cudaMemoryTypeHost, cudaMemoryTypeDevice, cudaMemoryTypeManaged };
struct cudaPointerAttributes {
  cudaMemoryType type;
  int device;
};
#define CUDART_VERSION 13000
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8 };
struct cudaFuncAttributes {
  size_t sharedSizeBytes;
  int maxThreadsPerBlock;
  int ptxVersion;
};
struct dim3 {
  unsigned int x = 1, y = 1, z = 1;
  dim3(unsigned int only) : x(only) {}  // NOLINT(google-explicit-constructor): as the toolkit's
};
using cudaStream_t = struct emulated_stream*;
using cudaGraph_t = struct emulated_graph*;
using cudaGraphExec_t = struct emulated_exec*;
using cudaGraphNode_t = struct emulated_node*;
enum cudaStreamCaptureMode {
  cudaStreamCaptureModeGlobal,
  cudaStreamCaptureModeThreadLocal,
  cudaStreamCaptureModeRelaxed
};
enum cudaStreamCaptureStatus { cudaStreamCaptureStatusNone, cudaStreamCaptureStatusActive };
enum { cudaStreamDefault, cudaStreamNonBlocking };
enum cudaLaunchAttributeID { cudaLaunchAttributeProgrammaticStreamSerialization = 6 };
struct cudaLaunchAttribute {
  cudaLaunchAttributeID id;
  struct {
    int programmaticStreamSerializationAllowed;
  } val;
};
struct cudaLaunchConfig_t {
  dim3 gridDim = 1, blockDim = 1;
  size_t dynamicSmemBytes;
  cudaStream_t stream;
  cudaLaunchAttribute* attrs;
  unsigned int numAttrs;
};
struct cudaKernelNodeParams {
  void* func;
  dim3 gridDim = 1, blockDim = 1;
  unsigned int sharedMemBytes;
  void** kernelParams;
};
struct cudaGraphEdgeData {};

char* emulated_chip();  // kMostChipBytes, where the unit that is compiled has its memory on the chip

namespace emulated {

constexpr int kWarp = 32;
constexpr size_t kStack = size_t{128} << 10;
constexpr int64_t kMostChipBytes = 227 << 10;

// Of so many bytes at `to` the first ones become those at `from`, the others 0.
struct Copy {
  char* to;
  const void* from;
  int bytes;
  size_t width;
};
struct Thread {
  enum class Waits { Nothing, Barrier, Shuffle, Condition, Over } waits = Waits::Nothing;
  bool started = false, noted_failure = false, waited = false;
  int line = 0;  // of the barrier or shuffle
  std::function<bool()> condition;
  unsigned int mask = 0;  // of the shuffle
  unsigned int from = 0;  // the thread whose value the shuffle takes
  uint64_t given = 0, taken = 0;
  unsigned int exchange = 0;                     // which of the warp's two tables is next (matrix.h)
  std::vector<std::vector<Copy>> copies = {{}};  // under way, by group; the last one is not ended
  struct Fiber* fiber = nullptr;
};
// Begun by makecontext, gone on with by longjmp, which calls no kernel.
struct Fiber {
  jmp_buf place;
  std::unique_ptr<char[]> stack = std::make_unique<char[]>(kStack);
};

// The block that runs, and the launch that it is of.
struct Block {
  std::vector<Thread> threads;
  std::vector<unsigned int> ready;  // from the back
  std::vector<std::unique_ptr<Fiber>> fibers, idle;
  jmp_buf scheduler;
  unsigned int now = 0;
  size_t chip_bytes = 0;  // that the launch asks for
  void (*body)(void*) = nullptr;
  void* argument = nullptr;
  std::mt19937 draw;
  std::string fault;  // what a thread did wrong
  bool seeded = false, backward = false;
  int lacking = 0;  // the line whose barrier is none

  // Each launch may have another order, and lack another barrier.
  void read_order() {
    const char* const line = getenv("MLGC_EMULATED_LACKS");
    lacking = line == nullptr ? 0 : atoi(line);
    const char* const given = getenv("MLGC_EMULATED_ORDER");
    const std::string word = given == nullptr ? "forward" : given;
    backward = word == "backward";
    seeded = word != "forward" && !backward;
    if (seeded) draw.seed(static_cast<unsigned int>(strtoul(word.c_str(), nullptr, 10)));
  }

  // The numbers of threads or blocks, in the order in which they run.
  std::vector<unsigned int> ordered(std::vector<unsigned int> numbers) {
    if (seeded) std::shuffle(numbers.begin(), numbers.end(), draw);
    if (backward) std::reverse(numbers.begin(), numbers.end());
    return numbers;
  }
  void release(const std::vector<unsigned int>& numbers) {
    for (const unsigned int number : numbers) threads[number].waits = Thread::Waits::Nothing;
    ready = ordered(numbers);
    std::reverse(ready.begin(), ready.end());
  }

  void run_ready();
  // Threads whose wait is over, or none and what is wrong.
  std::vector<unsigned int> met(std::string& wrong);
  std::string run(unsigned int count);
  void wait(Thread::Waits what, int line);
  void wait_until(std::function<bool()> condition, int line);

  std::vector<std::function<void()>> arriving;       // copies that the device makes (tensor.h)
  std::map<int, std::pair<int, int>> meetings = {};  // by number: threads that have come, and rounds
};

inline Block& block() {
  static thread_local Block one;
  return one;
}
// What MLGC_EMULATED_FAILS has a call of this kind return.
inline cudaError_t planted(const char* kind) {
  const char* const given = getenv("MLGC_EMULATED_FAILS");
  const std::string fails = given == nullptr ? "" : given;
  if (fails == "device") return cudaErrorNoDevice;
  const std::string word = kind;
  if (fails == "image" && (word == "launch" || word == "function")) return cudaErrorNoKernelImageForDevice;
  if (fails != word) return cudaSuccess;
  return word == "memory"   ? cudaErrorMemoryAllocation
         : word == "launch" ? cudaErrorLaunchOutOfResources
                            : cudaErrorInvalidValue;
}
inline std::string& last_error() {
  static thread_local std::string text;
  return text;
}

}  // namespace emulated

struct emulated_index {
  unsigned int x = 0;
};
inline thread_local emulated_index threadIdx, blockIdx, gridDim, blockDim;

namespace emulated {

// What a fiber runs: threads that have not begun, until one of its own waits.
inline void run_threads() {
  Block& all = block();
  for (;;) {
    const unsigned int number = all.now;
    all.body(all.argument);
    Thread& own = all.threads[number];
    own.waits = Thread::Waits::Over;
    Fiber* const fiber = own.fiber;
    own.fiber = nullptr;
    if (all.ready.empty() || all.threads[all.ready.back()].started) {
      const auto at =
          std::find_if(all.fibers.begin(), all.fibers.end(), [&](const auto& one) { return one.get() == fiber; });
      all.idle.push_back(std::move(*at));
      all.fibers.erase(at);
      _longjmp(all.scheduler, 1);  // never back: it begins anew
    }
    all.now = all.ready.back();
    all.ready.pop_back();
    all.threads[all.now].started = true;
    all.threads[all.now].fiber = fiber;
    threadIdx.x = all.now;
  }
}

inline void Block::run_ready() {
  while (!ready.empty()) {
    now = ready.back();
    ready.pop_back();
    Thread& own = threads[now];
    threadIdx.x = now;
    if (!own.started) {
      own.started = true;
      if (idle.empty()) idle.push_back(std::make_unique<Fiber>());
      fibers.push_back(std::move(idle.back()));
      idle.pop_back();
      own.fiber = fibers.back().get();
      if (_setjmp(scheduler) != 0) continue;
      ucontext_t begin;
      getcontext(&begin);
      begin.uc_stack.ss_sp = own.fiber->stack.get();
      begin.uc_stack.ss_size = kStack;
      begin.uc_link = nullptr;
      makecontext(&begin, run_threads, 0);
      setcontext(&begin);
    }
    if (_setjmp(scheduler) == 0) _longjmp(own.fiber->place, 1);
  }
}

inline void Block::wait(Thread::Waits what, int line) {
  const unsigned int number = now;
  threads[number].waits = what;
  threads[number].line = line;
  if (_setjmp(threads[number].fiber->place) == 0) _longjmp(scheduler, 1);
}

inline void Block::wait_until(std::function<bool()> condition, int line) {
  threads[now].condition = std::move(condition);
  wait(Thread::Waits::Condition, line);
}

inline std::string place(unsigned int thread, const Thread& of) {
  return "thread " + std::to_string(thread) + " of block " + std::to_string(blockIdx.x) + " waits at line " +
         std::to_string(of.line);
}

inline std::vector<unsigned int> Block::met(std::string& wrong) {
  std::vector<unsigned int> released, at_barrier, waiting;
  const Thread* over = nullptr;
  for (unsigned int number = 0; number < threads.size(); ++number)
    if (threads[number].waits == Thread::Waits::Condition)
      (threads[number].condition() ? released : waiting).push_back(number);
  if (!released.empty()) return released;
  // The lanes that shuffle in a line, of the warp that begins there: those of the thread before, mostly.
  unsigned int warp = kWarp - 1, there = 0;
  int line = 0;
  for (unsigned int number = 0; number < threads.size(); ++number) {
    const Thread& own = threads[number];
    if (own.waits == Thread::Waits::Barrier) at_barrier.push_back(number);
    if (own.waits == Thread::Waits::Over && !own.noted_failure) over = &own;
    if (own.waits != Thread::Waits::Shuffle) continue;
    const unsigned int first = number / kWarp * kWarp;
    if (first != warp || own.line != line) {
      warp = first, line = own.line, there = 0;
      for (unsigned int lane = 0; lane < kWarp && first + lane < threads.size(); ++lane)
        if (threads[first + lane].waits == Thread::Waits::Shuffle && threads[first + lane].line == line)
          there |= 1u << lane;
    }
    if (const unsigned int lacking = own.mask & ~there; lacking != 0) {
      wrong = place(number, own) + " for lane " + std::to_string(__builtin_ctz(lacking)) +
              " of its warp, which does not come";
      return {};
    }
    released.push_back(number);
  }
  if (!released.empty()) {
    std::vector<unsigned int> warps;
    for (const unsigned int number : released)
      if (warps.empty() || warps.back() != number / kWarp) warps.push_back(number / kWarp);
    const unsigned int first = ordered(warps).front();
    released.erase(
        std::remove_if(released.begin(), released.end(), [&](unsigned int number) { return number / kWarp != first; }),
        released.end());
  }
  for (const unsigned int number : released) threads[number].taken = threads[threads[number].from].given;
  if (!released.empty()) return released;
  if (!waiting.empty() && !arriving.empty()) {
    std::vector<unsigned int> all(arriving.size());
    for (unsigned int number = 0; number < all.size(); ++number) all[number] = number;
    const auto next = arriving.begin() + ordered(all).front();
    const std::function<void()> arrive = std::move(*next);
    arriving.erase(next);
    arrive();
    return met(wrong);
  }
  if (!waiting.empty()) wrong = place(waiting[0], threads[waiting[0]]) + " for what does not come";
  if (!waiting.empty() || at_barrier.empty()) return {};
  for (const unsigned int number : at_barrier)
    if (threads[number].line != threads[at_barrier[0]].line) {
      wrong = place(number, threads[number]) + ", and " + place(at_barrier[0], threads[at_barrier[0]]);
      return {};
    }
  if (over != nullptr)
    wrong = place(at_barrier[0], threads[at_barrier[0]]) + ", and thread " + std::to_string(over - threads.data()) +
            " has ended";
  return over == nullptr ? at_barrier : std::vector<unsigned int>();
}

inline std::string Block::run(unsigned int count) {
  threads.assign(count, Thread());
  fault.clear();
  arriving.clear();
  meetings.clear();
  for (auto& fiber : fibers) idle.push_back(std::move(fiber));  // of a block that failed
  fibers.clear();
  std::vector<unsigned int> all(count);
  for (unsigned int number = 0; number < count; ++number) all[number] = number;
  std::string wrong;
  while (!all.empty()) {
    release(all);
    run_ready();
    all = met(wrong);
  }
  if (wrong.empty()) wrong = fault;
  if (wrong.empty() && !arriving.empty())
    wrong = "block " + std::to_string(blockIdx.x) + " ends while copies of the device are under way";
  for (unsigned int number = 0; number < count && wrong.empty(); ++number) {
    for (const std::vector<Copy>& group : threads[number].copies)
      if (!group.empty())
        wrong = "thread " + std::to_string(number) + " of block " + std::to_string(blockIdx.x) +
                " ends while copies of its are under way";
    if (!threads[number].waited)
      wrong = "thread " + std::to_string(number) + " of block " + std::to_string(blockIdx.x) +
              " waits at no line for earlier kernels";
  }
  return wrong;
}

inline void barrier(int line) {
  if (line != block().lacking) block().wait(Thread::Waits::Barrier, line);
}

// The value of another thread of the warp, which must be among those that wait too; its own where there is none.
template <class T>
T take(unsigned int mask, T value, unsigned int from_lane, int line) {
  static_assert(sizeof(T) <= 8 && sizeof(T) >= 4, "what a shuffle moves");
  Block& all = block();
  const unsigned int number = all.now, from = number / kWarp * kWarp + from_lane;
  Thread& own = all.threads[number];
  memcpy(&own.given, &value, sizeof value);
  own.mask = mask;
  own.from = from_lane < kWarp && from < all.threads.size() ? from : number;
  all.wait(Thread::Waits::Shuffle, line);
  memcpy(&value, &own.taken, sizeof value);
  return value;
}
// Of the parts of a warp of so many threads each.
template <class T>
T shuffle(unsigned int mask, T value, unsigned int lane, unsigned int width, int line) {
  return take(mask, value, block().now % kWarp / width * width + lane % width, line);
}
template <class T>
T shuffle_down(unsigned int mask, T value, unsigned int distance, unsigned int width, int line) {
  const unsigned int own = block().now % kWarp;
  return take(mask, value, own % width + distance < width ? own + distance : own, line);
}
struct WarpBarrier {
  int line;
  unsigned int mask = 0xffffffffu;
};
inline void sync_warp(WarpBarrier at) {
  if (at.line != block().lacking) (void)take(at.mask, 0, block().now % kWarp, at.line);
}

inline void fill_with_noise(void* data, size_t bytes) { memset(data, 0xb5, bytes); }

// How often the device was asked for what, and how many objects of a kind there are.
inline std::map<std::string, long>& counted() {
  static std::map<std::string, long> all;
  return all;
}

// Arguments by their addresses.
template <class... P, size_t... I>
std::tuple<P...> values(void** given, std::index_sequence<I...>) {
  return std::tuple<P...>(*static_cast<std::remove_const_t<P>*>(given[I])...);
}

template <class... P, size_t... I>
cudaError_t run_kernel(void (*kernel)(P...), const cudaLaunchConfig_t& config, const std::tuple<P...>& given,
                       std::index_sequence<I...>) {
  auto call = [&] { kernel(std::get<I>(given)...); };
  Block& one = block();
  one.body = [](void* argument) { (*static_cast<decltype(call)*>(argument))(); };
  one.argument = &call;
  one.read_order();
  one.chip_bytes = config.dynamicSmemBytes;
  const char* const most = getenv("MLGC_EMULATED_BLOCKS");
  const unsigned int blocks =
      most == nullptr ? config.gridDim.x : std::min(config.gridDim.x, static_cast<unsigned int>(atoi(most)));
  gridDim.x = blocks;
  blockDim.x = config.blockDim.x;
  std::vector<unsigned int> all(blocks);
  for (unsigned int number = 0; number < blocks; ++number) all[number] = number;
  for (const unsigned int number : one.ordered(all)) {
    blockIdx.x = number;
    fill_with_noise(emulated_chip(), config.dynamicSmemBytes);
    last_error() = one.run(config.blockDim.x);
    if (!last_error().empty()) return cudaErrorLaunchFailure;
  }
  return cudaSuccess;
}

}  // namespace emulated

#define __syncthreads() emulated::barrier(__LINE__)
#define __shfl_down_sync(mask, value, distance, width) \
  emulated::shuffle_down(mask, value, static_cast<unsigned int>(distance), width, __LINE__)
#define __shfl_sync(mask, value, lane, width) \
  emulated::shuffle(mask, value, static_cast<unsigned int>(lane), width, __LINE__)
#define __syncwarp(...) emulated::sync_warp({__LINE__, __VA_ARGS__})

#include "attention.h"
#include "matrix.h"
#include "tensor.h"

inline unsigned int atomicCAS(unsigned int* place, unsigned int expected, unsigned int value) {
  emulated::Block& all = emulated::block();
  all.threads[all.now].noted_failure = true;
  const unsigned int before = *place;
  if (before == expected) *place = value;
  return before;
}

inline void __threadfence_system() {}

inline const char* cudaGetErrorString(cudaError_t error) {
  return error == cudaSuccess                         ? "no error"
         : error == cudaErrorMemoryAllocation         ? "out of memory"
         : error == cudaErrorNoDevice                 ? "no CUDA-capable device is detected"
         : error == cudaErrorNoKernelImageForDevice   ? "no kernel image is available for execution on the device"
         : error == cudaErrorLaunchOutOfResources     ? "too many resources requested for launch"
         : error == cudaErrorLaunchFailure            ? emulated::last_error().c_str()
         : error == cudaErrorStreamCaptureUnsupported ? "operation not permitted when stream is capturing"
         : error == cudaErrorStreamCaptureInvalidated ? "operation failed due to a previous error during capture"
                                                      : "invalid argument";
}
inline void cudaGridDependencySynchronize() {
  emulated::Block& all = emulated::block();
  all.threads[all.now].waited = true;
}
inline void cudaTriggerProgrammaticLaunchCompletion() {}
inline cudaError_t cudaGetLastError() { return cudaSuccess; }
namespace emulated {

inline int& device() {
  static thread_local int number = 0;
  return number;
}
inline bool fails_by(const char* word) {
  const char* const given = getenv("MLGC_EMULATED_FAILS");
  return given != nullptr && strcmp(given, word) == 0;
}

}  // namespace emulated

inline cudaError_t cudaGetDeviceCount(int* count) {
  const char* const devices = getenv("MLGC_EMULATED_DEVICES");
  *count = devices == nullptr ? 1 : atoi(devices);
  if (emulated::fails_by("driver") || emulated::fails_by("no-driver")) return cudaErrorInsufficientDriver;
  return emulated::fails_by("device") ? cudaErrorNoDevice : cudaSuccess;
}
inline cudaError_t cudaDriverGetVersion(int* version) {
  return *version = emulated::fails_by("no-driver") ? 0
                    : emulated::fails_by("driver")  ? 12040
                                                    : CUDART_VERSION,
         cudaSuccess;
}
inline cudaError_t cudaGetDevice(int* device) { return *device = emulated::device(), cudaSuccess; }
inline cudaError_t cudaSetDevice(int device) {
  int count = 0;
  if (const cudaError_t error = cudaGetDeviceCount(&count); error != cudaSuccess) return error;
  if (device < 0 || device >= count) return cudaErrorInvalidDevice;
  return emulated::device() = device, cudaSuccess;
}
// Memory of the host is the device's: whatever the caller has is taken for that of the current one.
inline cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* found, const void*) {
  *found = {emulated::fails_by("pointer") ? cudaMemoryTypeUnregistered : cudaMemoryTypeDevice, emulated::device()};
  return cudaSuccess;
}
inline cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  if (attribute == cudaDevAttrMultiProcessorCount) return *value = 2, cudaSuccess;
  if (attribute != cudaDevAttrMaxSharedMemoryPerBlockOptin)
    return *value = attribute == cudaDevAttrComputeCapabilityMajor ? 9 : 0, cudaSuccess;
  const char* const bytes = getenv("MLGC_EMULATED_CHIP_BYTES");
  *value = bytes == nullptr ? static_cast<int>(emulated::kMostChipBytes) : atoi(bytes);
  return cudaSuccess;
}
template <class T>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* own, T*) {
  own->sharedSizeBytes = 0;
  own->maxThreadsPerBlock = 1024;
  own->ptxVersion = __CUDA_ARCH__ / 10;
  return emulated::planted("function");
}
template <class T>
cudaError_t cudaFuncSetAttribute(T*, cudaFuncAttribute, int bytes) {
  return bytes <= emulated::kMostChipBytes ? cudaSuccess : cudaErrorInvalidValue;
}

#include "graphs.h"

template <class... P, class... A>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(P...), A&&... arguments) {
  if (const cudaError_t error = emulated::planted("launch"); error != cudaSuccess) return error;
  if (config->blockDim.x == 0 || config->blockDim.x > 1024 || config->gridDim.x == 0) return cudaErrorInvalidValue;
  const auto runs = [kernel](const cudaLaunchConfig_t& launch, const std::tuple<P...>& given) {
    return [=] { return emulated::run_kernel(kernel, launch, given, std::index_sequence_for<P...>()); };
  };
  ++emulated::counted()["kernels"];
  if (config->numAttrs > 0) ++emulated::counted()["overlapping kernels"];
  return emulated::queue(config->stream,
                         {reinterpret_cast<const void*>(kernel), runs(*config, std::tuple<P...>(arguments...)),
                          [runs](const cudaLaunchConfig_t& launch, void** given) {
                            return runs(launch, emulated::values<P...>(given, std::index_sequence_for<P...>()));
                          }});
}

inline cudaError_t cudaMalloc(void** data, size_t bytes) {
  if (const cudaError_t error = emulated::unsafe(); error != cudaSuccess) return error;
  if (const cudaError_t error = emulated::planted("memory");
      error == cudaErrorNoDevice || (error != cudaSuccess && bytes > size_t{1} << 20))
    return error;
  *data = aligned_alloc(256, (bytes + 255) / 256 * 256);
  if (*data == nullptr) return cudaErrorMemoryAllocation;
  ++emulated::counted()["blocks held"];
  emulated::fill_with_noise(*data, bytes);
  return cudaSuccess;
}
inline cudaError_t cudaFree(void* data) {
  if (const cudaError_t error = emulated::unsafe(); error != cudaSuccess) return error;
  if (data != nullptr) --emulated::counted()["blocks held"];
  return free(data), cudaSuccess;
}
inline cudaError_t cudaMallocHost(void** data, size_t bytes) {
  if (const cudaError_t error = emulated::unsafe(); error != cudaSuccess) return error;
  if (const cudaError_t error = emulated::planted("device"); error != cudaSuccess) return error;
  ++emulated::counted()["pinned held"];
  return *data = malloc(bytes), cudaSuccess;
}
inline cudaError_t cudaFreeHost(void* data) { return --emulated::counted()["pinned held"], free(data), cudaSuccess; }
inline cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind, cudaStream_t stream) {
  if (const cudaError_t error = emulated::planted("copy"); error != cudaSuccess) return error;
  ++emulated::counted()["copies"];
  return emulated::queue(stream, {nullptr, [=] {
                                    if (bytes > 0) memcpy(to, from, bytes);
                                    return cudaSuccess;
                                  }});
}
inline cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  ++emulated::counted()["waits"];
  return emulated::wait_for(stream);
}
