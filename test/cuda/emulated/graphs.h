// Streams that are captured, and graphs: part of cuda_runtime.h.
#pragma once

// What a stream was captured to hold: kernels, and copies, which have no function.
struct emulated_node {
  const void* function;
  std::function<cudaError_t()> run;
};
struct emulated_graph {
  std::vector<emulated_node> nodes;
};
struct emulated_exec {
  std::vector<emulated_node> nodes;
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

inline cudaError_t queue(cudaStream_t stream, const void* function, std::function<cudaError_t()> run) {
  if (stream == nullptr) {
    const cudaError_t error = use_default_stream();
    return error == cudaSuccess ? run() : error;
  }
  if (stream->capture == nullptr) return run();
  if (stream->invalid) return cudaErrorStreamCaptureInvalidated;
  stream->capture->nodes.push_back({function, std::move(run)});
  return cudaSuccess;
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
  return cudaSuccess;
}
inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long) {
  if (const cudaError_t error = emulated::planted("instantiate"); error != cudaSuccess) return error;
  ++emulated::counted()["instantiations"];
  ++emulated::counted()["executable graphs held"];
  *exec = new emulated_exec{graph->nodes};
  return cudaSuccess;
}
inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo*) {
  const auto same = [](const emulated_node& a, const emulated_node& b) { return a.function == b.function; };
  if (emulated::planted("update") != cudaSuccess ||
      !std::equal(exec->nodes.begin(), exec->nodes.end(), graph->nodes.begin(), graph->nodes.end(), same))
    return cudaErrorGraphExecUpdateFailure;
  ++emulated::counted()["updates"];
  exec->nodes = graph->nodes;
  return cudaSuccess;
}
inline cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  ++emulated::counted()["graph launches"];
  return emulated::queue(stream, nullptr, [nodes = exec->nodes] {
    for (const emulated_node& node : nodes)
      if (const cudaError_t error = node.run(); error != cudaSuccess) return error;
    return cudaSuccess;
  });
}
inline cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  --emulated::counted()["executable graphs held"];
  delete exec;
  return cudaSuccess;
}
inline cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  --emulated::counted()["graphs held"];
  delete graph;
  return cudaSuccess;
}
