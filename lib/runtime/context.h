/* Private to the runtime: a context, what one thread needs to run a program. */
#ifndef MLGC_RUNTIME_CONTEXT_H
#define MLGC_RUNTIME_CONTEXT_H

#include <pthread.h>

#include <cstdint>

#include "runtime/check.h"
#include "runtime/program.h"
#include "runtime/threads.h"

namespace mlgc::runtime {

// What a stage (unit.h) takes: the buffers in its piece of memory, and scratch for each body.
struct StageBytes {
  mlgc_i64 arena = 0, scratch = 0;
};

// What the sizes that are known before a call lead to, kept for the next call with the same ones. Of later stages it
// holds what the call that runs has told.
struct Layout {
  mlgc_i32 function = -1;  // -1: not filled
  StageBytes bytes;        // of stage 0
  Array<mlgc_i64> symbols;
  Array<mlgc_i64> offsets;       // of buffers in the memory of their stage
  Array<mlgc_i64> sizes;         // of all outputs, one after the other; -1: not known yet
  Array<mlgc_i64> output_bytes;  // new states included; -1: not known yet
};

// Memory for the buffers of a stage after the first, kept for the next calls.
struct Late {
  Block block;
  mlgc_i64 planned, touched;  // by the call that runs; of several values the most
  bool bound;                 // by that call
};

// The old and the new value of a state. The value is in the weights file until something replaces it.
struct State {
  const void* now = nullptr;
  Block blocks[2];
  // One that does not hold the value, large enough; null: there is none. Even of no bytes it has an address.
  [[nodiscard]] void* other(mlgc_i64 bytes, const mlgc_device* device, Refusal& why);
};

// An output that the context lends or has lent.
struct Lent {
  Lent* next = nullptr;
  Block block;
  bool out = false;
  Array<mlgc_i64> sizes;
};

// Memory that a graph of the host may still use.
struct Retired {
  Retired* next = nullptr;
  Block block;
};

// A call that was captured: what it queued, and what that depends on.
struct Graph {
  mlgc_recording recording = {};
  mlgc_i32 function = -1;  // -1: none
  mlgc_i64 used = 0;       // the number of the call that launched it last
  Array<mlgc_i64> symbols;
  Array<const void*> addresses;
};

// What emitted code sees of a context.
struct Runtime : mlgc_device_runtime {
  mlgc_context* context;
};

}  // namespace mlgc::runtime

struct mlgc_context {
  mlgc::runtime::Runtime runtime = {};
  const mlgc_program* program = nullptr;
  mlgc_context_options options = {};
  mlgc::runtime::Error error;
  mlgc::runtime::Threads threads;

  static constexpr mlgc_i32 kLayouts = 16;  // shapes that alternate; others are recomputed
  mlgc::runtime::Layout layouts[kLayouts];
  mlgc_i32 next_layout = 0;
  mlgc::runtime::Array<mlgc_i64> symbols;  // of the call
  mlgc::runtime::Array<const void*> inputs, state_values;
  mlgc::runtime::Array<void*> outputs;
  mlgc::runtime::Array<mlgc::runtime::Lent*> lent;  // of outputs that the host brought no memory for; else null
  mlgc::runtime::Array<mlgc_i64> capacities;        // of outputs that the host did bring memory for
  mlgc::runtime::Array<mlgc::runtime::Range> ranges;
  // Where the last calls had inputs, then outputs: memory that was found to be the device's is not asked for again.
  mlgc::runtime::Array<const void*> located;

  mlgc::runtime::Block arena, scratch;
  mlgc::runtime::Array<mlgc::runtime::Late> late;  // by stage - 1
  mlgc::runtime::Array<char*> late_memory;         // the same for emitted code
  mlgc::runtime::Layout* layout = nullptr;         // of the call
  mlgc_i64 arena_planned = 0, arena_touched = -1;
  mlgc_i64 scratch_stride = 0;  // bytes of one slot
  std::atomic<std::uint64_t> scratch_in_use[mlgc::runtime::kMostThreads / 64] = {};

  mlgc::runtime::Array<mlgc::runtime::State> states;

  // Set by the call that runs. Another one finds it set and is refused.
  std::atomic<bool> in_use = false;

  // Captured calls (graphs.cpp). A graph is for one set of symbols and addresses. Of one set of symbols there are at
  // most kGraphsOfShape, enough for states, whose two blocks of memory are written in turns, and for buffers used in
  // turns. The one whose last launch is longest ago is updated to a call that has none.
  static constexpr mlgc_i32 kGraphs = 16, kGraphsOfShape = 4;
  mlgc::runtime::Graph graphs[kGraphs];
  mlgc::runtime::Array<const void*> addresses;  // of the call
  void* capture_stream = nullptr;
  mlgc_graphs graph_counts = {};
  bool capturing = false;  // the host captures the stream of the call that runs
  mlgc::runtime::Retired* retired = nullptr;

  mutable pthread_mutex_t pool_mutex = PTHREAD_MUTEX_INITIALIZER;
  mlgc::runtime::Lent* pool = nullptr;  // newest first

  // The failure of the call, with the lowest `begin` of the launch that runs. What it returns; 0: there is none.
  pthread_mutex_t failure_mutex = PTHREAD_MUTEX_INITIALIZER;
  mlgc_i32 failure = MLGC_OK;
  mlgc_i64 failed_at = 0;

  // Failures of kernels (failures.cpp): what the table of the device begins with, and its memory there.
  mlgc::runtime::Array<mlgc_failure> no_failures;
  mlgc::runtime::Block failures;
  mlgc_noted* noted = nullptr;  // in pinned memory
  // Something that may fail was queued since the device was last waited for, or is in a graph of the host.
  bool unsettled = false, captured_may_fail = false;

  // Of calls of external targets: the values of the segment that has most, with their sizes, and integers of
  // attributes.
  mlgc::runtime::Array<mlgc_tensor> values;
  mlgc::runtime::Array<mlgc_i64> value_sizes, integers;
  mlgc::runtime::Block external_memory;  // of temporaries and of what each call brings
  // Of logs: what a launch is given.
  mlgc::runtime::Array<mlgc_tensor> logged;
  mlgc::runtime::Array<mlgc_i64> logged_sizes;

  // Of logs: the launch that runs, and since when.
  const mlgc_function* function = nullptr;
  mlgc_i32 launch = -1;
  mlgc_i64 launched_at = 0;
};

namespace mlgc::runtime {

// The context whose call passes this to emitted code.
inline mlgc_context& context_of(const mlgc_runtime* runtime) { return *static_cast<const Runtime*>(runtime)->context; }

// launch.cpp
// Sets what emitted code may call.
void connect(mlgc_context& context);
// Runs a function whose inputs, outputs, states, layout and memory are ready.
[[nodiscard]] mlgc_i32 launch(mlgc_context& context, const mlgc_function& function);
// Fills memory with a pattern, and finds where what differs from it ends.
void fill(const Block& block);
[[nodiscard]] mlgc_i64 touched(const Block& block);

// failures.cpp
// Sets what emitted code may call when something fails.
void connect_failures(mlgc_context& context);
// Memory that kernels note failures in, where some of the unit can fail.
[[nodiscard]] mlgc_i32 make_failures(mlgc_context& context, Error& error);
void release_failures(mlgc_context& context);
[[nodiscard]] bool may_fail(const mlgc_context& context, const mlgc_function& function);
[[nodiscard]] bool replaces_states(const mlgc_function& function);
// Reports what earlier calls left, where it is known or must be, before the function may run. 0, or the failure.
[[nodiscard]] mlgc_i32 settle_before(mlgc_context& context, const mlgc_function& function);
// Notes that what the call queued may fail, and waits for it where its end must know. `failed`: it has failed already.
// 0, or a failure.
[[nodiscard]] mlgc_i32 settle_after(mlgc_context& context, const mlgc_function& function, bool failed);
// Waits for the device, and reports what kernels noted. 0, or the failure.
[[nodiscard]] mlgc_i32 settle(mlgc_context& context);
// Where the range that this thread runs begins, which orders the failures of one launch.
extern thread_local mlgc_i64 t_begin;

// graphs.cpp
// What the unit says of a function for a device; null: it runs on the CPU.
[[nodiscard]] const mlgc_queue* queue_of(const mlgc_context& context, const mlgc_function& function);
// Whether the host captures the stream. Refuses a call that cannot be a part of its graph; `function` null: what is
// called waits for the device.
[[nodiscard]] mlgc_i32 check_capture(mlgc_context& context, const mlgc_function* function);
// Whether calls of the function run as a graph of the context's.
[[nodiscard]] bool runs_as_graph(const mlgc_context& context, const mlgc_function& function);
// Launches the graph of the call, which is captured first where there is none. 0, or a failure.
[[nodiscard]] mlgc_i32 run_as_graph(mlgc_context& context, const mlgc_function& function, const mlgc_call& call);
void release_graphs(mlgc_context& context);
// Empties a block that the next calls need larger. It stays as it is for graphs of the host, where there are any.
[[nodiscard]] bool retire(mlgc_context& context, Block& block);
[[nodiscard]] mlgc_i64 retired_bytes(const mlgc_context& context);

// stages.cpp
// Memory for temporaries and scratch of a stage of the function; what is larger already stays.
[[nodiscard]] mlgc_i32 hold_arena(mlgc_context& context, const mlgc_function& function, Block& block, mlgc_i64 bytes);
[[nodiscard]] mlgc_i32 hold_scratch(mlgc_context& context, const mlgc_function& function, mlgc_i64 bytes);
// At the end of a call: what the host's allocator lent for temporaries.
void give_arenas_back(mlgc_context& context);
// Lends memory for output `i` of the call, whose sizes and bytes are those of the layout.
[[nodiscard]] mlgc_i32 lend_output(mlgc_context& context, const mlgc_function& function, mlgc_i32 i,
                                   const mlgc_i64* sizes);
// What emitted code calls (unit.h).
mlgc_i32 bind_size(const mlgc_runtime* runtime, mlgc_i32 symbol, mlgc_i64 value);

// external.cpp
// Room for calls of the program's segments, and for what logs tell of launches.
[[nodiscard]] bool make_external_room(mlgc_context& context);
// What emitted code calls (unit.h).
mlgc_i32 call_external(const mlgc_runtime* runtime, mlgc_i32 segment, const void* const* buffers,
                       const mlgc_i64* symbols);

// pool.cpp
// Memory for an output of these sizes; null: there is none, or more would be held than the limit allows.
[[nodiscard]] Lent* lend(mlgc_context& context, mlgc_i64 bytes, const mlgc_i64* sizes, mlgc_i32 rank, Refusal& why);
[[nodiscard]] bool give_back(mlgc_context& context, const void* data);
void empty_pool(mlgc_context& context);
struct PoolBytes {
  mlgc_i64 lent, held;
};
[[nodiscard]] PoolBytes pool_bytes(const mlgc_context& context);
// Whether `more` bytes may be allocated beside what is, once unused outputs are freed.
[[nodiscard]] bool within_limit(mlgc_context& context, mlgc_i64 more);

// layout.cpp
// What the sizes in context.symbols lead to in the function of that number; null: an error is set.
[[nodiscard]] Layout* find_layout(mlgc_context& context, mlgc_i32 number, mlgc_i32* status);
// Adds what the symbols of a stage lead to.
[[nodiscard]] mlgc_i32 lay_out_stage(const mlgc_function& function, mlgc_i32 stage, const mlgc_i64* symbols,
                                     Layout& layout, StageBytes& bytes, Error& error);

}  // namespace mlgc::runtime

#endif
