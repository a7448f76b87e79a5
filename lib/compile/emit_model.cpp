// See emit_model.h.
#include "compile/emit_model.h"

#include <filesystem>
#include <utility>

#include "artifact/artifact.h"
#include "artifact/runtime_source.h"
#include "diag/kinds_artifact.h"
#include "diag/kinds_driver.h"
#include "loops/add_drivers.h"
#include "support/file.h"
#include "support/new_folder.h"
#include "tensor/safetensors.h"

namespace mlgc {
namespace {

// Where a file of the tensors has each.
Result<codegen::DataPlaces, Diagnostic> places_of(const Module& module, const NamedTensors& tensors) {
  const Result<WeightsTable> table = lay_out_weights(tensors);
  if (!table) return Failure{diagnose<kCannotWrite>({}, table.error())};
  codegen::DataPlaces places;
  const auto weights = static_cast<std::ptrdiff_t>(codegen::model_data(module).weights.size());
  if (!tensors.empty()) {
    places.weights.assign(table->offsets.begin(), table->offsets.begin() + weights);
    places.states.assign(table->offsets.begin() + weights, table->offsets.end());
  }
  places.file_bytes = table->file_bytes;
  places.header_bytes = table->header_bytes;
  places.header_hash = table->header_hash;
  return places;
}

// An older folder of this kind, an empty one, or nothing.
bool may_replace(const std::string& folder) {
  std::error_code error;
  if (!std::filesystem::exists(folder, error)) return true;
  if (!std::filesystem::is_directory(folder, error)) return false;
  return std::filesystem::is_empty(folder, error) || (std::filesystem::exists(folder + "/model.cpp", error) &&
                                                      std::filesystem::exists(folder + "/runtime/unit.h", error));
}

std::string source_names(const EmittedModel& model) {
  std::string names;
  for (const CppFile& file : model.source.sources) names += (names.empty() ? "" : " ") + file.name;
  return names;
}

std::string cmake_text(const EmittedModel& model) {
  return "# The model `" + model.name + R"(` as a shared library that needs libc alone.
cmake_minimum_required(VERSION 3.14)
project()" +
         model.name + R"( CXX)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
file(GLOB runtime runtime/*.cpp)
add_library(mlgc_)" +
         model.name + " SHARED " + source_names(model) + R"( ${runtime})
target_include_directories()" +
         model.name + R"( PUBLIC "${CMAKE_CURRENT_SOURCE_DIR}")
target_compile_features()" +
         model.name + R"( PRIVATE cxx_std_17)
target_compile_options()" +
         model.name + R"( PRIVATE -fno-math-errno -fvisibility=hidden -fno-exceptions -fno-rtti)
target_link_libraries()" +
         model.name + R"( PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
set_target_properties(mlgc_)" +
         model.name + R"( PROPERTIES OUTPUT_NAME )" + model.name + R"()
)" + (model.weights.empty() ? "" : R"(# Weights are found beside the library.
file(CREATE_LINK "${CMAKE_CURRENT_SOURCE_DIR}/weights.safetensors" "${CMAKE_CURRENT_BINARY_DIR}/weights.safetensors" SYMBOLIC)
)");
}

std::string readme_text(const EmittedModel& model) {
  return "# " + model.name + R"(

A model as C++ source. It needs a C++17 compiler (g++ 10, clang 14 or newer) and nothing else:

    g++ -O3 -fPIC -shared -I. )" +
         source_names(model) + " runtime/*.cpp -o lib" + model.name + R"(.so -pthread -ldl

or `cmake -B build && cmake --build build`. The widest vectors that the CPU has are chosen when it is loaded;
`-DMLGC_ONLY=64` (or 32, 16) compiles one width alone, in a third of the time. Leave out -ffast-math: it changes results.

- `model.h` says what to call; `runtime/mlgc.h` is all of the interface, for C and C++.
- `model.cpp` has the kernels, each under the text that it was printed from, and the functions that launch them.
)" +
         (model.weights.empty()
              ? ""
              : R"(- `weights.safetensors` holds weights and the first values of states. It is looked for beside the library.
)");
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
  for (const CppFile& file : model.source.sources) all.push_back({file.name, file.text});
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

Result<NamedTensors, Diagnostic> model_tensors(Module& module, const ModuleData& data) {
  const codegen::ModelData symbols = codegen::model_data(module);
  std::vector<OpRef> all = symbols.weights;
  all.insert(all.end(), symbols.states.begin(), symbols.states.end());
  auto values = evaluate_data(module, all, data);
  if (!values) return Failure{std::move(values.error())};
  NamedTensors tensors;
  for (std::size_t i = 0; i < all.size(); ++i) tensors.emplace_back(all[i].symbol(), std::move((*values)[i]));
  return tensors;
}

Result<EmittedModel, Diagnostic> emit_model(Module& module, const ModuleData& data, const EmitOptions& options) {
  if (Status<Diagnostic> added = add_drivers(module); !added) return Failure{added.error()};
  Result<NamedTensors, Diagnostic> tensors = model_tensors(module, data);
  if (!tensors) return Failure{std::move(tensors).error()};
  const auto places = places_of(module, *tensors);
  if (!places) return Failure{places.error()};
  auto source = print_cpp_model(module, *places, {options.mathematics, MLGC_VERSION, options.kernels_per_file});
  if (!source) return Failure{std::move(source.error())};
  return EmittedModel{model_identifier(module), *std::move(source), *std::move(tensors)};
}

}  // namespace mlgc
