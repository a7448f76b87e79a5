/* Private to the runtime: a context, what one thread needs to run a program. */
#ifndef MLGC_RUNTIME_CONTEXT_H
#define MLGC_RUNTIME_CONTEXT_H

#include <pthread.h>

#include <cstdint>

#include "runtime/check.h"
#include "runtime/program.h"
#include "runtime/threads.h"

namespace mlgc::runtime {

// What the sizes of a call lead to, kept for the next call with the same ones.
struct Layout {
  mlgc_i32 function = -1;  // -1: not filled
  mlgc_i64 arena = 0, scratch = 0;
  Array<mlgc_i64> symbols;
  Array<mlgc_i64> offsets;       // of buffers in the arena
  Array<mlgc_i64> sizes;         // of all outputs, one after the other
  Array<mlgc_i64> output_bytes;  // new states included
};

// The old and the new value of a state. The value is in the weights file until something replaces it.
struct State {
  const void* now = nullptr;
  Block blocks[2];
  // One that does not hold the value, large enough; null: no memory. Even of no bytes it has an address.
  [[nodiscard]] void* other(mlgc_i64 bytes, const mlgc_device* device);
};

// An output that the context lends or has lent.
struct Lent {
  Lent* next = nullptr;
  Block block;
  bool out = false;
  Array<mlgc_i64> sizes;
};

// What emitted code sees of a context.
struct Runtime : mlgc_runtime {
  mlgc_context* context;
};

}  // namespace mlgc::runtime

struct mlgc_context {
  mlgc::runtime::Runtime runtime = {};
  const mlgc_program* program = nullptr;
  mlgc_context_options options = {};
  mlgc::runtime::Error error;
  mlgc::runtime::Threads threads;

  static constexpr mlgc_i32 kLayouts = 16;  // shapes that alternate; others are computed again
  mlgc::runtime::Layout layouts[kLayouts];
  mlgc_i32 next_layout = 0;
  mlgc::runtime::Array<mlgc_i64> symbols;  // of the call
  mlgc::runtime::Array<const void*> inputs, state_values;
  mlgc::runtime::Array<void*> outputs;
  mlgc::runtime::Array<mlgc::runtime::Lent*> lent;  // of outputs that the host brought no memory for; else null
  mlgc::runtime::Array<mlgc::runtime::Range> ranges;

  mlgc::runtime::Block arena, scratch;
  mlgc_i64 arena_planned = 0, arena_touched = -1;
  mlgc_i64 scratch_stride = 0;  // bytes of one slot
  std::atomic<std::uint64_t> scratch_in_use[mlgc::runtime::kMostThreads / 64] = {};

  mlgc::runtime::Array<mlgc::runtime::State> states;

  mutable pthread_mutex_t pool_mutex = PTHREAD_MUTEX_INITIALIZER;
  mlgc::runtime::Lent* pool = nullptr;  // newest first

  // The failure with the lowest `begin` of the launch that runs.
  pthread_mutex_t failure_mutex = PTHREAD_MUTEX_INITIALIZER;
  bool failed = false;
  mlgc_i64 failed_at = 0;

  // Of logs: the launch that runs, and since when.
  const mlgc_function* function = nullptr;
  mlgc_i32 launch = -1;
  mlgc_i64 launched_at = 0;
};

namespace mlgc::runtime {

// launch.cpp
// Sets what emitted code may call.
void connect(mlgc_context& context);
// Runs a function whose inputs, outputs, states and memory are ready.
[[nodiscard]] mlgc_i32 launch(mlgc_context& context, const mlgc_function& function, const Layout& layout);

// pool.cpp
// Memory for an output of these sizes; null: there is none, or more would be held than the limit allows.
[[nodiscard]] Lent* lend(mlgc_context& context, mlgc_i64 bytes, const mlgc_i64* sizes, mlgc_i32 rank);
[[nodiscard]] bool give_back(mlgc_context& context, const void* data);
void empty_pool(mlgc_context& context);
struct PoolBytes {
  mlgc_i64 lent, held;
};
[[nodiscard]] PoolBytes pool_bytes(const mlgc_context& context);
// Whether `more` bytes may be held beside what is, once outputs that nobody has are given up.
[[nodiscard]] bool within_limit(mlgc_context& context, mlgc_i64 more);

// layout.cpp
// What the sizes in context.symbols lead to in the function of that number; null: an error is set.
[[nodiscard]] const Layout* find_layout(mlgc_context& context, mlgc_i32 number, mlgc_i32* status);

}  // namespace mlgc::runtime

#endif
