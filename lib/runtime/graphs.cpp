// Calls on a device as graphs (unit.h): what `run` queues is captured once, and launched again by calls of the same
// symbols and addresses. For other ones `run` sets the kernels of a kept graph to what it would launch.
//
// Guarantees
//   - A graph is launched only for a call whose `run` would queue the same: mlgc_queue.captures says that its symbols
//     and addresses are all that this depends on. Weights stay where they are as long as the program.
//   - What a call captures goes to a stream of the context's own. So a context works on any stream, the default one
//     too, which cannot be captured, and calls of other threads and contexts do not meet it.
//   - Nothing is captured while the host captures the stream, or listens to launches.
#include "runtime/context.h"

namespace mlgc::runtime {
namespace {

const mlgc_device& device_of(const mlgc_context& context) { return *context.program->unit->device; }

mlgc_i32 refused(mlgc_context& context, const mlgc_function& function, const char* why) {
  return context.error.set(MLGC_BAD_USAGE, "`%s` cannot be called while its stream is captured: %s", function.name,
                           why);
}

// What the launches of the call are given, beside its symbols.
void note_addresses(mlgc_context& context, const mlgc_function& function, const mlgc_call& call) {
  const void** at = std::copy(call.inputs, call.inputs + function.input_count, context.addresses.begin());
  at = std::copy(call.outputs, call.outputs + function.output_count, at);
  at = std::copy(call.states, call.states + context.program->unit->state_count, at);
  *at++ = call.arena;
  std::fill(at, context.addresses.end(), nullptr);
}

bool has_shape(const mlgc_context& context, const Graph& graph, mlgc_i32 function) {
  return graph.function == function && std::equal(graph.symbols.begin(), graph.symbols.end(), context.symbols.begin());
}

// The graph of the call, or the place for it; `found` says which.
Graph& graph_of_call(mlgc_context& context, mlgc_i32 function, bool& found) {
  Graph* unused = nullptr;
  Graph* oldest = nullptr;
  Graph* oldest_of_shape = nullptr;
  mlgc_i32 of_shape = 0;
  const auto older = [](const Graph* a, Graph& b) { return a == nullptr || b.used < a->used ? &b : nullptr; };
  for (Graph& graph : context.graphs) {
    if (graph.function < 0) {
      if (unused == nullptr) unused = &graph;
      continue;
    }
    if (Graph* const one = older(oldest, graph)) oldest = one;
    if (!has_shape(context, graph, function)) continue;
    found = std::equal(graph.addresses.begin(), graph.addresses.end(), context.addresses.begin());
    if (found) return graph;
    ++of_shape;
    if (Graph* const one = older(oldest_of_shape, graph)) oldest_of_shape = one;
  }
  if (of_shape >= mlgc_context::kGraphsOfShape) return *oldest_of_shape;
  return unused != nullptr ? *unused : *oldest;
}

mlgc_i32 grow(mlgc_recording* recording, mlgc_i64 words) {
  constexpr mlgc_i64 kLeast = 256;
  const mlgc_i64 needed = recording->at + words;
  if (needed <= recording->capacity) return 1;
  const mlgc_i64 capacity = std::max({kLeast, needed, 2 * recording->capacity});
  void* const memory = std::realloc(recording->words, static_cast<mlgc_size>(capacity) * sizeof *recording->words);
  if (memory == nullptr) return 0;
  recording->words = static_cast<unsigned long long*>(memory);
  recording->capacity = capacity;
  return 1;
}

// What the function queues, into the recording, as its `updates` says. 0, or what made the function fail.
mlgc_i32 run_into(mlgc_context& context, const mlgc_function& function, const mlgc_call& call, void* stream,
                  mlgc_recording& recording) {
  recording.at = recording.changed = 0;
  recording.differs = 0;
  context.runtime.stream = stream;
  context.runtime.recording = &recording;
  context.runtime.grow = grow;
  const mlgc_i32 run = function.run(&call);
  context.runtime.stream = context.options.stream;
  context.runtime.recording = nullptr;
  return run != MLGC_OK ? run : context.failure;
}

// Sets the kernels of the graph to what the function queues; `fits`: they are as many and the same.
mlgc_i32 update(mlgc_context& context, const mlgc_function& function, const mlgc_call& call, mlgc_recording& recording,
                bool& fits) {
  fits = false;
  if (recording.executable == nullptr || recording.size < 0) return MLGC_OK;
  recording.updates = 1;
  const mlgc_i32 run = run_into(context, function, call, context.options.stream, recording);
  if (recording.differs != 0) return MLGC_OK;
  fits = run == MLGC_OK && recording.at == recording.size;
  return run;
}

// Has the device capture what the function queues, into a new graph.
mlgc_i32 capture(mlgc_context& context, const mlgc_function& function, const mlgc_call& call,
                 mlgc_recording& recording) {
  const mlgc_device& device = device_of(context);
  const char* reason = nullptr;
  recording.updates = 0;
  recording.size = -1;
  mlgc_i32 overlaps = 0;
  mlgc_i32 status = device.begin_capture(&context.capture_stream, &overlaps, &reason);
  if (status == MLGC_OK) {
    context.runtime.overlap = overlaps;
    const mlgc_i32 run = run_into(context, function, call, context.capture_stream, recording);
    context.runtime.overlap = 0;
    status = device.end_capture(context.capture_stream, run == MLGC_OK ? &recording : nullptr, context.options.stream,
                                &reason);
    if (run != MLGC_OK) return run;
  }
  if (status != MLGC_OK) return context.runtime.fail_device(&context.runtime, status, reason);
  recording.size = recording.at;
  return MLGC_OK;
}

// Makes the graph that of the call.
mlgc_i32 record(mlgc_context& context, const mlgc_function& function, const mlgc_call& call, Graph& graph) {
  mlgc_recording& recording = graph.recording;
  mlgc_graphs& counts = context.graph_counts;
  graph.function = -1;  // until it is what the call queues
  if (!graph.symbols.reset(function.symbol_count) || !graph.addresses.reset(context.addresses.size()))
    return context.error.set(MLGC_LIMIT, "no memory for a graph of `%s`", function.name);
  const bool had = recording.executable != nullptr;
  bool updated = false;
  mlgc_i32 status = update(context, function, call, recording, updated);
  if (status == MLGC_OK && !updated) status = capture(context, function, call, recording);
  if (status != MLGC_OK) return status;
  if (updated) counts.updated_nodes += recording.changed;
  ++(updated ? counts.updated : had ? counts.reinstantiated : counts.instantiated);
  std::copy(context.symbols.begin(), context.symbols.begin() + function.symbol_count, graph.symbols.begin());
  std::copy(context.addresses.begin(), context.addresses.end(), graph.addresses.begin());
  graph.function = static_cast<mlgc_i32>(&function - context.program->unit->functions);
  return MLGC_OK;
}

}  // namespace

const mlgc_queue* queue_of(const mlgc_context& context, const mlgc_function& function) {
  const mlgc_unit& unit = *context.program->unit;
  return unit.device == nullptr || unit.device->queues == nullptr ? nullptr
                                                                  : &unit.device->queues[&function - unit.functions];
}

mlgc_i32 check_capture(mlgc_context& context, const mlgc_function* function) {
  context.capturing = false;
  const mlgc_device* const device = context.program->unit->device;
  void* const stream = context.options.stream;
  if (device == nullptr || stream == nullptr) return MLGC_OK;
  mlgc_i32 capturing = 0;
  const char* reason = nullptr;
  if (const mlgc_i32 status = device->is_capturing(stream, &capturing, &reason); status != MLGC_OK)
    return context.error.set(status, "the stream of the context: %s", reason);
  context.capturing = capturing != 0;
  if (!context.capturing) return MLGC_OK;
  if (function == nullptr)
    return context.error.set(MLGC_BAD_USAGE, "what waits for the device cannot be called while its stream is captured");
  if (context.options.log != nullptr) return refused(context, *function, "the context times launches");
  if (reads_sizes(*function)) return refused(context, *function, "values of its inputs are sizes");
  const mlgc_queue* const queue = queue_of(context, *function);
  if (queue == nullptr || queue->captures == 0)
    return refused(context, *function, "it decides by values that it computes");
  for (mlgc_i32 i = 0; i < function->output_count; ++i)
    if (function->outputs[i].state >= 0 && function->outputs[i].in_place == 0)
      return refused(context, *function, "it replaces states");
  return MLGC_OK;
}

bool runs_as_graph(const mlgc_context& context, const mlgc_function& function) {
  const mlgc_queue* const queue = queue_of(context, function);
  return queue != nullptr && queue->captures != 0 && !context.capturing && context.options.log == nullptr;
}

mlgc_i32 run_as_graph(mlgc_context& context, const mlgc_function& function, const mlgc_call& call) {
  note_addresses(context, function, call);
  bool found = false;
  Graph& graph = graph_of_call(context, static_cast<mlgc_i32>(&function - context.program->unit->functions), found);
  if (found)
    ++context.graph_counts.replayed;
  else if (const mlgc_i32 status = record(context, function, call, graph); status != MLGC_OK)
    return status;
  const mlgc_graphs& counts = context.graph_counts;
  graph.used = counts.replayed + counts.instantiated + counts.updated + counts.reinstantiated;
  const char* reason = nullptr;
  const mlgc_i32 status = device_of(context).launch_graph(&graph.recording, context.options.stream, &reason);
  return status == MLGC_OK ? MLGC_OK : context.runtime.fail_device(&context.runtime, status, reason);
}

void release_graphs(mlgc_context& context) {
  const mlgc_device* const device = context.program->unit->device;
  for (Graph& graph : context.graphs) {
    if (graph.recording.executable != nullptr) device->release_graph(&graph.recording);
    std::free(graph.recording.words);
    graph.recording = {};
  }
  if (context.capture_stream != nullptr) device->release_capture(context.capture_stream);
  context.capture_stream = nullptr;
  if (context.runtime.pinned != nullptr) device->release_host(context.runtime.pinned);
  context.runtime.pinned = nullptr;
  while (Retired* const retired = context.retired) {
    context.retired = retired->next;
    destroy(retired);
  }
}

bool retire(mlgc_context& context, Block& block) {
  if (block.data() == nullptr || (!context.capturing && context.graph_counts.captured == 0)) {
    block.release();
    return true;
  }
  auto* const retired = create<Retired>();
  if (retired == nullptr) return false;
  retired->block.swap(block);
  retired->next = context.retired;
  context.retired = retired;
  return true;
}

mlgc_i64 retired_bytes(const mlgc_context& context) {
  mlgc_i64 bytes = 0;
  for (const Retired* retired = context.retired; retired != nullptr; retired = retired->next)
    bytes += retired->block.bytes();
  return bytes;
}

}  // namespace mlgc::runtime
