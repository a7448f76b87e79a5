// What a program that calls a model does with CUDA itself, as functions that tests find by name. Included once, after
// the unit.
#pragma once

extern "C" {
__attribute__((visibility("default"))) long emulated_count(const char* of) { return emulated::counted()[of]; }
__attribute__((visibility("default"))) void* emulated_stream_create() {
  cudaStream_t stream = nullptr;
  (void)cudaStreamCreateWithFlags(&stream, cudaStreamDefault);
  return stream;
}
__attribute__((visibility("default"))) void emulated_stream_destroy(void* stream) {
  (void)cudaStreamDestroy(static_cast<cudaStream_t>(stream));
}
__attribute__((visibility("default"))) void emulated_begin_capture(void* stream) {
  (void)cudaStreamBeginCapture(static_cast<cudaStream_t>(stream), cudaStreamCaptureModeGlobal);
}
// Null: the capture failed.
__attribute__((visibility("default"))) void* emulated_end_capture(void* stream) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  if (cudaStreamEndCapture(static_cast<cudaStream_t>(stream), &graph) != cudaSuccess) return nullptr;
  (void)cudaGraphInstantiate(&exec, graph, 0);
  (void)cudaGraphDestroy(graph);
  return exec;
}
__attribute__((visibility("default"))) int emulated_launch(void* exec) {
  return cudaGraphLaunch(static_cast<cudaGraphExec_t>(exec), nullptr);
}
__attribute__((visibility("default"))) void emulated_exec_destroy(void* exec) {
  (void)cudaGraphExecDestroy(static_cast<cudaGraphExec_t>(exec));
}
}
