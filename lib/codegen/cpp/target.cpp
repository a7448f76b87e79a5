// See target.h.
#include "codegen/cpp/target.h"

#include "codegen/build_files.h"
#include "codegen/cpp/print_model.h"
#include "codegen/describe_module.h"

namespace mlgc {
namespace {

std::string vectors_text(std::int32_t bytes) {
  if (bytes != 0)
    return "It is for CPUs with vectors of " + std::to_string(bytes) +
           " bytes;\n`-DMLGC_ONLY=64` (or 32, 16) compiles it for another width.";
  return "The widest vectors that the CPU has are chosen when it is loaded;\n"
         "`-DMLGC_ONLY=64` (or 32, 16) compiles one width alone, in a third of the time.";
}

std::string cpp_readme(const EmittedFolder& folder) {
  return "# " + folder.name + R"(

A model as C++ source. It needs a C++17 compiler (g++ 10, clang 14 or newer) and nothing else:

    g++ -O3 -fPIC -shared -I. )" +
         codegen::source_list(folder) + " runtime/*.cpp -o lib" + folder.name + R"(.so -pthread -ldl

or `cmake -B build && cmake --build build`. )" +
         vectors_text(folder.vector_bytes) + R"( Leave out -ffast-math: it changes results.

- `model.h` says what to call; `runtime/mlgc.h` is all of the interface, for C and C++.
- `model.cpp` has the kernels, each under the text that it was printed from, and the functions that launch them.
)" + codegen::weights_line(folder);
}

std::vector<EmittedFile> cpp_build_files(const EmittedFolder& folder) {
  return {{"CMakeLists.txt",
           codegen::cmake_text(
               folder, {"libc", "3.14", "CXX", "-fno-math-errno -fvisibility=hidden -fno-exceptions -fno-rtti"})},
          {"README.md", cpp_readme(folder)}};
}

}  // namespace

constexpr TargetDef kCppTarget{
    .name = "cpp",
    .summary = "C++ with vectors, for CPUs",
    .level = "plan",
    .machine = "x86-64-v4",
    .print = print_cpp_model,
    .describe = codegen::describe_module,
    .build_files = cpp_build_files,
};

}  // namespace mlgc
