// A plug-in that speaks the ABI and is wrong, for the goldens of this folder. What it does is in the environment:
//
//   MLGC_WRONG_PLUGIN=version   says that it is of another version
//   MLGC_WRONG_PLUGIN=zeros     every operator takes one tensor and gives zeros of its type
//   MLGC_WRONG_PLUGIN=refuses   … and refuses each call
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "plugin/plugin_api.h"

struct mlgc_torch_op {
  bool gather;  // takes an index too
};
struct mlgc_torch_tensor {
  int32_t dtype;
  std::vector<int64_t> sizes;
  std::vector<char> data;
};

namespace {

std::string mode() {
  const char* given = std::getenv("MLGC_WRONG_PLUGIN");
  return given != nullptr ? given : "";
}

mlgc_torch_op* find_op(const char* name, const char* /*overload*/) {
  static mlgc_torch_op one{false}, gather{true};
  return std::string(name) == "aten::gather" ? &gather : &one;
}
size_t parameter_count(const mlgc_torch_op* op) { return op->gather ? 3 : 1; }
void parameter(const mlgc_torch_op* /*op*/, size_t i, mlgc_torch_parameter* out) {
  constexpr const char* kNames[] = {"self", "dim", "index"};
  *out = {kNames[i], i == 1 ? MLGC_TORCH_INT : MLGC_TORCH_TENSOR, 0, 0};
}

mlgc_torch_tensor* make_tensor(int32_t dtype, size_t rank, const int64_t* sizes, const void* data, char** /*error*/) {
  constexpr size_t kBytes[] = {1, 1, 1, 2, 4, 8, 2, 2, 4, 8};
  size_t bytes = kBytes[dtype];
  for (size_t i = 0; i < rank; ++i) bytes *= static_cast<size_t>(sizes[i]);
  const char* const from = static_cast<const char*>(data);
  return new mlgc_torch_tensor{dtype, {sizes, sizes + rank}, {from, from + bytes}};
}
int32_t describe(mlgc_torch_tensor* tensor, int32_t* dtype, size_t* rank, const int64_t** sizes, const void** data,
                 char** /*error*/) {
  *dtype = tensor->dtype;
  *rank = tensor->sizes.size();
  *sizes = tensor->sizes.data();
  *data = tensor->data.data();
  return 0;
}
void free_tensor(mlgc_torch_tensor* tensor) { delete tensor; }

int32_t call(const mlgc_torch_op* /*op*/, const mlgc_torch_argument* arguments, size_t /*count*/,
             mlgc_torch_tensor*** results, size_t* result_count, char** error) {
  if (mode() == "refuses") {
    *error = strdup("the plug-in refuses everything");
    return 1;
  }
  auto* const result = new mlgc_torch_tensor(*arguments[0].tensors[0]);
  result->data.assign(result->data.size(), 0);
  *results = new mlgc_torch_tensor* [1] { result };
  *result_count = 1;
  return 0;
}
void free_list(mlgc_torch_tensor** list) { delete[] list; }
uint32_t traits(const mlgc_torch_op* /*op*/) { return 0; }
mlgc_torch_tensor* make_shape(int32_t /*dtype*/, size_t /*rank*/, const int64_t* /*sizes*/, char** error) {
  *error = strdup("the plug-in knows no shapes");
  return nullptr;
}
int32_t describe_shape(mlgc_torch_tensor* /*tensor*/, int32_t* /*dtype*/, size_t* /*rank*/, const int64_t** /*sizes*/,
                       char** error) {
  *error = strdup("the plug-in knows no shapes");
  return 1;
}
void free_text(char* text) { std::free(text); }
void set_threads(int32_t /*count*/) {}
const mlgc_script* load_script(const char* /*path*/, char** /*error*/) { return nullptr; }  // it gives no reason
void free_script(const mlgc_script* /*script*/) {}

}  // namespace

extern "C" const mlgc_torch_api* mlgc_torch_plugin() {
  static const mlgc_torch_api api{mode() == "version" ? MLGC_TORCH_ABI + 1 : MLGC_TORCH_ABI,
                                  "0.0 of the tests",
                                  find_op,
                                  parameter_count,
                                  parameter,
                                  make_tensor,
                                  describe,
                                  free_tensor,
                                  call,
                                  free_list,
                                  traits,
                                  make_shape,
                                  call,
                                  describe_shape,
                                  free_text,
                                  set_threads,
                                  load_script,
                                  free_script};
  return &api;
}
