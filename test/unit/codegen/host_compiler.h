// Compiles a file of C++ with the compilers of this machine and keeps it loaded.
#pragma once

#include <dlfcn.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "../support/temporary_folder.h"
#include "support/file.h"
#include "support/subprocess.h"
#include "support_catch.h"

namespace mlgc::host_compiler {

// g++, and a clang++ where there is one.
inline const std::vector<std::string>& compilers() {
  static const std::vector<std::string> found = [] {
    std::vector<std::string> all{"g++"};
    for (const char* name :
         {"clang++", "clang++-16", "clang++-19", "clang++-18", "clang++-17", "clang++-15", "clang++-14"}) {
      const auto run = run_process({name, "--version"});
      if (!run || run->exit_code != 0) continue;
      all.emplace_back(name);
      break;
    }
    return all;
  }();
  return found;
}

// Whether choice `number` is tried with the compiler at `compiler`: every second one, in turns, so that each is tried
// with one; all where MLGC_TEST_ALL is set (scripts/test --all) or there is one compiler.
inline bool is_sampled(std::size_t compiler, std::size_t number) {
  return (compiler + number) % 2 == 0 || compilers().size() == 1 || std::getenv("MLGC_TEST_ALL") != nullptr;
}

// Whether this CPU runs code for vectors of so many bytes.
inline bool runs(int bytes) {
  __builtin_cpu_init();
  return bytes == 16 || (bytes == 32 ? __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")
                                     : __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                                           __builtin_cpu_supports("avx512vl"));
}

// Whether it has the instruction for pairs of products of bf16.
inline bool pairs_bf16() { return __builtin_cpu_supports("avx512bf16"); }

class Library {
 public:
  Library(const std::string& source, const std::string& compiler, std::vector<std::string> flags) {
    const std::string cpp = folder_.file("unit.cpp"), so = folder_.file("unit.so");
    REQUIRE(write_file(cpp, source).ok());
    std::vector<std::string> command{compiler, "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", cpp, "-o", so};
    command.insert(command.end(), flags.begin(), flags.end());
    const auto built = run_process(command);
    if (!built) FAIL(built.error());
    if (built->exit_code != 0) FAIL(compiler << ": " << built->output.substr(0, 4000));
    handle_ = dlopen(so.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ == nullptr) FAIL(dlerror());
  }
  ~Library() {
    if (handle_ != nullptr) dlclose(handle_);
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  template <class Function>
  Function* find(const std::string& name) const {
    auto* found = reinterpret_cast<Function*>(dlsym(handle_, name.c_str()));
    if (found == nullptr) FAIL("the library has no " << name);
    return found;
  }

 private:
  TemporaryFolder folder_;
  void* handle_ = nullptr;
};

}  // namespace mlgc::host_compiler
