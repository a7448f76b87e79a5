// What emitted code calls while a function runs: parallel loops with scratch, logs.
#include <sched.h>

#include <cstdint>

#include "runtime/context.h"
#include "runtime/postfix.h"

namespace mlgc::runtime {
namespace {

struct Loop {
  mlgc_context* context;
  mlgc_body* body;
  void* arg;
  mlgc_i64 n, grain, pieces;
  std::atomic<mlgc_i32> status;
};

// A range of pieces with a slot of scratch.
void run_pieces(Loop& loop, mlgc_i64 begin, mlgc_i64 end, mlgc_i32 slot) {
  mlgc_context& context = *loop.context;
  char* const scratch = context.scratch_stride > 0 ? context.scratch.data() + slot * context.scratch_stride : nullptr;
  t_begin = begin * loop.grain;
  const mlgc_i32 status = loop.body(loop.arg, t_begin, end == loop.pieces ? loop.n : end * loop.grain, scratch);
  if (status != 0) loop.status.store(status);
  t_begin = 0;
}

void run_on_thread(void* data, mlgc_i64 begin, mlgc_i64 end, mlgc_i32 thread) {
  run_pieces(*static_cast<Loop*>(data), begin, end, thread);
}

// On a thread of the host, which has no number: whichever slot is free. There are as many as threads that the host said
// run at the same time, so waiting for one ends.
void run_on_host(void* data, mlgc_i64 begin, mlgc_i64 end) {
  Loop& loop = *static_cast<Loop*>(data);
  mlgc_context& context = *loop.context;
  for (;;) {
    for (mlgc_i32 slot = 0; slot < context.runtime.threads; ++slot) {
      std::atomic<std::uint64_t>& word = context.scratch_in_use[slot / 64];
      const std::uint64_t bit = std::uint64_t{1} << slot % 64;
      if ((word.load(std::memory_order_relaxed) & bit) != 0 || (word.fetch_or(bit) & bit) != 0) continue;
      run_pieces(loop, begin, end, slot);
      word.fetch_and(~bit);
      return;
    }
    sched_yield();
  }
}

mlgc_i32 parallel_for(const mlgc_runtime* runtime, mlgc_i64 n, mlgc_i64 grain, mlgc_body* body, void* arg) {
  if (n <= 0) return 0;
  mlgc_context& context = context_of(runtime);
  Loop loop = {&context, body, arg, n, grain, n / grain + (n % grain != 0 ? 1 : 0), {0}};
  if (loop.pieces == 1 || runtime->threads == 1)
    run_pieces(loop, 0, loop.pieces, 0);
  else if (context.options.parallel_for != nullptr)
    context.options.parallel_for(context.options.parallel_data, loop.pieces, run_on_host, &loop);
  else
    context.threads.run(loop.pieces, run_on_thread, &loop);
  return loop.status.load();
}

// Sizes of what a launch is given, as they are in this call.
void describe_operands(mlgc_context& context, const mlgc_kernel& kernel) {
  mlgc_i64* size = context.logged_sizes.data();
  for (mlgc_i32 i = 0; i < kernel.operand_count; ++i) {
    const mlgc_operand& operand = kernel.operands[i];
    mlgc_tensor& tensor = context.logged[i];
    tensor = {};
    tensor.struct_size = sizeof tensor;
    tensor.dtype = operand.dtype;
    tensor.rank = operand.rank;
    tensor.sizes = size;
    for (mlgc_i32 axis = 0; axis < operand.rank; ++axis, ++size)
      if (!evaluate(operand.dims[axis].size, context.symbols.data(), size)) *size = -1;
  }
}

// Logs the launch that has run since the last call.
void end_launch(mlgc_context& context) {
  if (context.launch < 0) return;
  const mlgc_device* const device = context.program->unit->device;
  const char* reason = nullptr;
  // The time of a kernel, not of queueing it; what goes wrong the end of the call finds too.
  if (device != nullptr) (void)device->synchronize(context.options.stream, &reason);
  const mlgc_kernel& kernel = context.function->kernels[context.launch];
  mlgc_launch_event event = {};
  event.struct_size = sizeof event;
  event.function = context.function->name;
  event.kernel = kernel.name;
  event.number = context.launch;
  event.nanoseconds = nanoseconds() - context.launched_at;
  if (kernel.segment >= 0) event.target = context.program->unit->segments[kernel.segment].segment.target;
  event.operand_count = kernel.operand_count;
  event.written_count = kernel.written_count;
  event.operands = context.logged.data();
  describe_operands(context, kernel);
  if (!evaluate(kernel.bytes, context.symbols.data(), &event.bytes)) event.bytes = -1;
  if (!evaluate(kernel.flops, context.symbols.data(), &event.flops)) event.flops = -1;
  context.launch = -1;
  context.options.log(context.options.log_data, &event);
}

void begin_launch(const mlgc_runtime* runtime, mlgc_i32 kernel) {
  mlgc_context& context = context_of(runtime);
  end_launch(context);
  context.launch = kernel;
  context.launched_at = nanoseconds();
}

constexpr std::uint64_t kPattern = 0xA5C35A3C96E1697BULL;

}  // namespace

// Past the plan too: a store there is found as well.
void fill(const Block& block) {
  auto* const words = reinterpret_cast<std::uint64_t*>(block.data());
  std::fill(words, words + block.bytes() / 8, kPattern);
}

mlgc_i64 touched(const Block& block) {
  const auto* const words = reinterpret_cast<const std::uint64_t*>(block.data());
  mlgc_i64 end = block.bytes() / 8;
  while (end > 0 && words[end - 1] == kPattern) --end;
  if (end == 0) return 0;
  // Of the last word, what differs: bytes of a little-endian number.
  const std::uint64_t difference = words[end - 1] ^ kPattern;
  return end * 8 - __builtin_clzll(difference) / 8;
}

void connect(mlgc_context& context) {
  context.runtime.context = &context;
  context.runtime.stream = context.options.stream;
  context.runtime.parallel_for = parallel_for;
  context.runtime.bind_size = bind_size;
  context.runtime.external = call_external;
  connect_failures(context);
  context.runtime.launch = context.options.log != nullptr ? begin_launch : nullptr;
}

namespace {

// Its kernels are queued one by one.
mlgc_i32 run_alone(mlgc_context& context, const mlgc_function& function, const mlgc_call& call) {
  if (queue_of(context, function) != nullptr) ++context.graph_counts.launched;
  if (context.capturing) ++context.graph_counts.captured;
  return function.run(&call);
}

}  // namespace

mlgc_i32 launch(mlgc_context& context, const mlgc_function& function) {
  const Layout& layout = *context.layout;
  const bool measure = context.options.measure_arena != 0 && context.program->unit->device == nullptr;
  if (measure) fill(context.arena);
  context.failure = MLGC_OK;
  context.function = &function;
  context.launch = -1;
  for (Late& late : context.late) {
    late.planned = late.touched = 0;
    late.bound = false;
  }
  const mlgc_call call = {context.inputs.data(),       context.outputs.data(), context.program->weights.data(),
                          context.state_values.data(), context.arena.data(),   layout.offsets.data(),
                          context.symbols.data(),      &context.runtime,       context.late_memory.data()};
  const mlgc_i32 status =
      runs_as_graph(context, function) ? run_as_graph(context, function, call) : run_alone(context, function, call);
  end_launch(context);
  const bool failed = status != MLGC_OK || context.failure != MLGC_OK;
  if (const mlgc_i32 failure = settle_after(context, function, failed); failure != MLGC_OK) context.failure = failure;
  context.arena_planned = layout.bytes.arena;
  context.arena_touched = measure ? touched(context.arena) : -1;
  for (const Late& late : context.late) {
    if (!late.bound) continue;
    context.arena_planned += late.planned;
    if (measure) context.arena_touched += std::max(late.touched, touched(late.block));
  }
  if (status != 0 && context.failure == MLGC_OK)
    return context.error.set(MLGC_INTERNAL, "`%s` returned %d and does not say why", function.name, status);
  // A failure that was noted is one, whatever the function went on to return.
  return context.failure;
}

}  // namespace mlgc::runtime
