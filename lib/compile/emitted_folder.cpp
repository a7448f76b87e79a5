// See emitted_folder.h.
#include "compile/emitted_folder.h"

#include <filesystem>

#include "artifact/artifact.h"
#include "artifact/runtime_source.h"
#include "diag/kinds_artifact.h"
#include "diag/kinds_driver.h"
#include "support/file.h"
#include "support/new_folder.h"
#include "tensor/safetensors.h"

namespace mlgc {
namespace {

// An older folder of this kind, an empty one, or nothing.
bool may_replace(const std::string& folder) {
  std::error_code error;
  if (!std::filesystem::exists(folder, error)) return true;
  if (!std::filesystem::is_directory(folder, error)) return false;
  return std::filesystem::is_empty(folder, error) || ((std::filesystem::exists(folder + "/model.cpp", error) ||
                                                       std::filesystem::exists(folder + "/model.cu", error)) &&
                                                      std::filesystem::exists(folder + "/runtime/unit.h", error));
}

std::string source_names(const EmittedModel& model) {
  std::string names;
  for (const EmittedFile& file : model.source.sources) names += (names.empty() ? "" : " ") + file.name;
  return names;
}

// `sm_90a` is 90a to CMake.
std::string architecture_number(const EmittedModel& model) { return model.arch.substr(model.arch.find('_') + 1); }

std::string cmake_text(const EmittedModel& model) {
  const bool cuda = model.target == Target::Cuda;
  // A target of its own name: some, such as `test`, are CMake's.
  const std::string target = "mlgc_" + model.name;
  const std::string options = cuda ? "$<$<COMPILE_LANGUAGE:CUDA>:--fmad=false>"
                                   : "-fno-math-errno -fvisibility=hidden -fno-exceptions -fno-rtti";
  const std::string architectures = cuda ? " CUDA_ARCHITECTURES " + architecture_number(model) : "";
  std::string text = "# The model `" + model.name + "` as a shared library that needs " +
                     (cuda ? "a CUDA driver and libc" : "libc") + " alone.\n";
  text += std::string("cmake_minimum_required(VERSION ") + (cuda ? "3.18" : "3.14") + ")\n";
  text += "project(" + model.name + (cuda ? " CXX CUDA" : " CXX") + ")\n";
  text += R"(if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
file(GLOB runtime runtime/*.cpp)
)";
  text += "add_library(" + target + " SHARED " + source_names(model) + " ${runtime})\n";
  text += "target_include_directories(" + target + " PUBLIC \"${CMAKE_CURRENT_SOURCE_DIR}\")\n";
  text += "target_compile_features(" + target + " PRIVATE cxx_std_17)\n";
  text += "target_compile_options(" + target + " PRIVATE " + options + ")\n";
  text += "target_link_libraries(" + target + " PRIVATE Threads::Threads ${CMAKE_DL_LIBS})\n";
  text += "set_target_properties(" + target + " PROPERTIES OUTPUT_NAME " + model.name + architectures + ")\n";
  if (!model.weights.empty())
    text += R"(# Weights are found beside the library.
file(CREATE_LINK "${CMAKE_CURRENT_SOURCE_DIR}/weights.safetensors" "${CMAKE_CURRENT_BINARY_DIR}/weights.safetensors" SYMBOLIC)
)";
  return text;
}

std::string weights_text(const EmittedModel& model) {
  return model.weights.empty()
             ? ""
             : "- `weights.safetensors` holds weights and the first values of states. It is looked for beside the "
               "library.\n";
}

std::string cuda_readme_text(const EmittedModel& model) {
  return "# " + model.name + R"(

A model as CUDA source. It needs the CUDA toolkit and nothing else:

    nvcc -O3 -std=c++17 -arch=)" +
         model.arch + R"( --fmad=false -Xcompiler -fPIC -shared -I. )" + source_names(model) + " runtime/*.cpp -o lib" +
         model.name + R"(.so

or `cmake -B build && cmake --build build`. --fmad=false keeps products and sums two operations, as the program says.

- `model.h` says what to call; `runtime/mlgc.h` is all of the interface, for C and C++. Tensors are memory of the device
  (`device = MLGC_CUDA`); calls are ordered by the context's stream, and return before they are done unless the model may fail.
- `model.cu` has the kernels, each under the text that it was printed from, and the functions that launch them.
)" + weights_text(model);
}

std::string readme_text(const EmittedModel& model) {
  if (model.target == Target::Cuda) return cuda_readme_text(model);
  return "# " + model.name + R"(

A model as C++ source. It needs a C++17 compiler (g++ 10, clang 14 or newer) and nothing else:

    g++ -O3 -fPIC -shared -I. )" +
         source_names(model) + " runtime/*.cpp -o lib" + model.name + R"(.so -pthread -ldl

or `cmake -B build && cmake --build build`. The widest vectors that the CPU has are chosen when it is loaded;
`-DMLGC_ONLY=64` (or 32, 16) compiles one width alone, in a third of the time. Leave out -ffast-math: it changes results.

- `model.h` says what to call; `runtime/mlgc.h` is all of the interface, for C and C++.
- `model.cpp` has the kernels, each under the text that it was printed from, and the functions that launch them.
)" + weights_text(model);
}

}  // namespace

Status<Diagnostic> write_emitted(const std::string& folder, const EmittedModel& model) {
  std::string target = folder;
  while (target.size() > 1 && target.back() == '/') target.pop_back();
  if (!may_replace(target)) return Failure{diagnose<kEmittedInTheWay>({}, target)};
  Result<NewFolder> made = NewFolder::make(target);
  if (!made) return Failure{diagnose<kCannotWrite>({}, made.error())};
  std::error_code error;
  std::filesystem::create_directory(made->file("runtime"), error);
  const std::string cmake = cmake_text(model), readme = readme_text(model);
  std::vector<SourceText> all{{"CMakeLists.txt", cmake}, {"README.md", readme}};
  for (const EmittedFile& file : model.source.sources) all.push_back({file.name, file.text});
  all.push_back({model.source.header.name, model.source.header.text});
  const std::span<const SourceText> runtime = runtime_source();
  all.insert(all.end(), runtime.begin(), runtime.end());
  Status<> status;
  for (const SourceText& file : all)
    if (status) status = write_file(made->file(file.name), file.text);
  if (status && !model.weights.empty()) status = write_safetensors(made->file(kWeightsName), model.weights);
  if (status) status = made->put_in_place();
  return status ? Status<Diagnostic>() : Status<Diagnostic>(Failure{diagnose<kCannotWrite>({}, status.error())});
}

}  // namespace mlgc
