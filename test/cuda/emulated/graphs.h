// Streams that are captured, and graphs: part of cuda_runtime.h.
#pragma once

// What a stream was captured to hold: kernels, and copies, which have no function.
struct emulated_node {
  const void* function;
  std::function<cudaError_t()> run;
  // Of a kernel: what runs it with other arguments.
  std::function<std::function<cudaError_t()>(const cudaLaunchConfig_t&, void**)> with = nullptr;
};
struct emulated_graph {
  std::deque<emulated_node> nodes;  // they stay where they are
};
struct emulated_exec {
  std::deque<emulated_node> nodes;
  const emulated_graph* made_of;
};
struct emulated_stream {
  bool blocking = true;                     // it takes turns with the default stream
  std::unique_ptr<emulated_graph> capture;  // null: it is not captured
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  bool invalid = false;  // the capture
};

namespace emulated {

// Streams whose captures this thread began, and what it said of unsafe calls.
inline std::vector<emulated_stream*>& captures() {
  static thread_local std::vector<emulated_stream*> all;
  return all;
}
inline cudaStreamCaptureMode& mode_of_thread() {
  static thread_local cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  return mode;
}

inline cudaError_t invalidate(emulated_stream* stream) {
  stream->invalid = true;
  return cudaErrorStreamCaptureUnsupported;
}
// What a capture does not allow, unless it, or the thread, is relaxed.
inline cudaError_t unsafe() {
  if (mode_of_thread() == cudaStreamCaptureModeRelaxed) return cudaSuccess;
  for (emulated_stream* const stream : captures())
    if (stream->mode != cudaStreamCaptureModeRelaxed) return invalidate(stream);
  return cudaSuccess;
}
// The default stream waits for blocking streams, which a captured one cannot be waited for.
inline cudaError_t use_default_stream() {
  for (emulated_stream* const stream : captures())
    if (stream->blocking) return invalidate(stream);
  return cudaSuccess;
}

inline cudaError_t queue(cudaStream_t stream, emulated_node node) {
  if (stream == nullptr) {
    const cudaError_t error = use_default_stream();
    return error == cudaSuccess ? node.run() : error;
  }
  if (stream->capture == nullptr) return node.run();
  if (stream->invalid) return cudaErrorStreamCaptureInvalidated;
  stream->capture->nodes.push_back(std::move(node));
  return cudaSuccess;
}
// Those that are not destroyed.
inline std::set<const emulated_graph*>& graphs() {
  static std::set<const emulated_graph*> all;
  return all;
}
inline cudaError_t wait_for(cudaStream_t stream) {
  if (stream == nullptr) return use_default_stream();
  return stream->capture == nullptr ? cudaSuccess : invalidate(stream);
}

}  // namespace emulated

inline cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  return std::swap(*mode, emulated::mode_of_thread()), cudaSuccess;
}
inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags) {
  *stream = new emulated_stream;
  (*stream)->blocking = flags != cudaStreamNonBlocking;
  ++emulated::counted()["streams held"];
  return cudaSuccess;
}
inline cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  --emulated::counted()["streams held"];
  delete stream;
  return cudaSuccess;
}
inline cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  const bool captured = stream != nullptr && stream->capture != nullptr;
  *status = captured ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
  return cudaSuccess;
}
// What the next node would wait for.
inline cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status, void*, void*,
                                            const cudaGraphNode_t** nodes, const cudaGraphEdgeData** edges,
                                            size_t* count) {
  static thread_local cudaGraphNode_t last = nullptr;
  static const cudaGraphEdgeData plain;
  if (const cudaError_t error = cudaStreamIsCapturing(stream, status); error != cudaSuccess) return error;
  *count = *status == cudaStreamCaptureStatusActive && !stream->capture->nodes.empty() ? 1 : 0;
  if (*count > 0) last = &stream->capture->nodes.back();
  *nodes = &last;
  *edges = &plain;
  return cudaSuccess;
}
inline cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  if (stream == nullptr) return cudaErrorStreamCaptureUnsupported;
  if (const cudaError_t error = emulated::planted("capture"); error != cudaSuccess) return error;
  if (stream->capture != nullptr) return cudaErrorInvalidValue;
  ++emulated::counted()["captures"];
  stream->capture = std::make_unique<emulated_graph>();
  stream->mode = mode;
  stream->invalid = false;
  emulated::captures().push_back(stream);
  return cudaSuccess;
}
inline cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  std::vector<emulated_stream*>& all = emulated::captures();
  const auto at = std::find(all.begin(), all.end(), stream);
  if (at == all.end()) return cudaErrorInvalidValue;
  all.erase(at);
  const std::unique_ptr<emulated_graph> captured = std::move(stream->capture);
  *graph = nullptr;
  if (stream->invalid) return cudaErrorStreamCaptureInvalidated;
  ++emulated::counted()["graphs held"];
  *graph = new emulated_graph(std::move(*captured));
  emulated::graphs().insert(*graph);
  return cudaSuccess;
}
inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long) {
  if (const cudaError_t error = emulated::planted("instantiate"); error != cudaSuccess) return error;
  ++emulated::counted()["instantiations"];
  ++emulated::counted()["executable graphs held"];
  *exec = new emulated_exec{graph->nodes, graph};
  return cudaSuccess;
}
inline cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                    const cudaKernelNodeParams* given) {
  if (const cudaError_t error = emulated::planted("update"); error != cudaSuccess) return error;
  if (emulated::graphs().count(exec->made_of) == 0) return cudaErrorInvalidValue;
  const std::deque<emulated_node>& named = exec->made_of->nodes;
  const auto at = std::find_if(named.begin(), named.end(), [&](const emulated_node& one) { return &one == node; });
  if (at == named.end() || at->function != given->func || !at->with) return cudaErrorInvalidValue;
  cudaLaunchConfig_t config = {};
  config.gridDim = given->gridDim;
  config.blockDim = given->blockDim;
  config.dynamicSmemBytes = given->sharedMemBytes;
  exec->nodes[static_cast<size_t>(at - named.begin())].run = at->with(config, given->kernelParams);
  ++emulated::counted()["node updates"];
  return cudaSuccess;
}
inline cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  ++emulated::counted()["graph launches"];
  return emulated::queue(stream, {nullptr, [nodes = exec->nodes] {
                                    for (const emulated_node& node : nodes)
                                      if (const cudaError_t error = node.run(); error != cudaSuccess) return error;
                                    return cudaSuccess;
                                  }});
}
inline cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  --emulated::counted()["executable graphs held"];
  delete exec;
  return cudaSuccess;
}
inline cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  --emulated::counted()["graphs held"];
  emulated::graphs().erase(graph);
  delete graph;
  return cudaSuccess;
}
