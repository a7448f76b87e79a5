// See target.h.
#include "codegen/cuda/target.h"

#include <algorithm>

#include "codegen/build_files.h"
#include "codegen/cuda/capabilities.h"
#include "codegen/cuda/print_model.h"

namespace mlgc {
namespace {

// `sm_90`, `sm_90a`; `native`: of the GPUs of the machine that compiles.
bool is_cuda_arch(std::string_view text) {
  if (text == "native") return true;
  if (text.substr(0, 3) != "sm_") return false;
  text.remove_prefix(3);
  if (text.ends_with('a')) text.remove_suffix(1);
  return text.size() >= 2 && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// `sm_90a` is 90a to CMake.
std::string architecture_number(const EmittedFolder& folder) { return folder.arch.substr(folder.arch.find('_') + 1); }

std::string cuda_readme(const EmittedFolder& folder) {
  return "# " + folder.name + R"(

A model as CUDA source. It needs the CUDA toolkit and nothing else:

    nvcc -O3 -std=c++17 -arch=)" +
         folder.arch + R"( --fmad=false -Xcompiler -fPIC -shared -I. )" + codegen::source_list(folder) +
         " runtime/*.cpp -o lib" + folder.name + R"(.so

or `cmake -B build && cmake --build build`. --fmad=false keeps products and sums two operations, as the program says.

- `model.h` says what to call; `runtime/mlgc.h` is all of the interface, for C and C++. Tensors are memory of the device
  (`device = MLGC_CUDA`); calls are ordered by the context's stream, and return before they are done unless the model may fail.
- `model.cu` has the kernels, each under the text that it was printed from, and the functions that launch them.
)" + codegen::weights_line(folder);
}

std::vector<EmittedFile> cuda_build_files(const EmittedFolder& folder) {
  return {{"CMakeLists.txt", codegen::cmake_text(folder, {"a CUDA driver and libc", "3.18", "CXX CUDA",
                                                          "$<$<COMPILE_LANGUAGE:CUDA>:--fmad=false>",
                                                          " CUDA_ARCHITECTURES " + architecture_number(folder)})},
          {"README.md", cuda_readme(folder)}};
}

}  // namespace

constexpr TargetDef kCudaTarget{
    .name = "cuda",
    .summary = "CUDA, for GPUs of NVIDIA",
    .level = "gpu-loops",
    .machine = "h200",
    .arch = "sm_90a",
    .takes_arch = is_cuda_arch,
    .beyond_arch = codegen::beyond_architecture,
    .compiler = "nvcc",
    .print = print_cuda_model,
    .describe = describe_cuda_host_functions,
    .build_files = cuda_build_files,
};

}  // namespace mlgc
