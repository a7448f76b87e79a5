// How fast the mathematics of emitted code is: nanoseconds for an f32 in the first-level cache, g++ and clang++ at -O3
// with the widest vectors, beside the vector functions of glibc (libmvec) where it has them. Candidates take turns;
// medians.
//
//     build/bench/tools/bench/vector_math [rounds]
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "codegen/cpp/unit.h"
#include "support/file.h"
#include "support/subprocess.h"

using namespace mlgc;

namespace {

constexpr int kCount = 4096;
using Entry = std::int32_t(const float*, float*);

struct Candidate {
  std::string name;
  std::vector<Entry*> entry;  // by function; null: there is none
};

const std::vector<std::string> kFunctions{"exp", "exp2", "tanh", "sigmoid", "erf",  "log",   "log1p", "log2",
                                          "sin", "cos",  "tan",  "atan",    "sqrt", "rsqrt", "floor", "expm1"};

std::string own_source() {
  std::string text;
  std::vector<codegen::UnitFunction> entry;
  for (const std::string& f : kFunctions) {
    text += "MLGC_TARGET static int32_t " + f + "(const float* x, float* y) {\n  for (int i = 0; i < " +
            std::to_string(kCount) + "; i += 16) mlgc_store(y + i, mlgc_" + f +
            "_f32(mlgc_load<mlgc_vec<float, 16>>(x + i)));\n  return 0;\n}\n";
    entry.push_back({"int32_t", f, "const float* x, float* y", "x, y"});
  }
  return codegen::print_unit({"own.cpp", "", text, entry, "", "mlgc_prepare", ""});
}

// Loops over the C library's functions, which -ffast-math makes calls of libmvec.
std::string library_source() {
  std::string text = "#include <cmath>\n#include <cstdint>\n";
  for (const std::string& f : kFunctions) {
    const std::string call = f == "sigmoid" ? "1 / (1 + std::exp(-x[i]))"
                             : f == "rsqrt" ? "1 / std::sqrt(x[i])"
                                            : "std::" + f + "(x[i])";
    text += "extern \"C\" int32_t own_" + f + "(const float* x, float* y) {\n  for (int i = 0; i < " +
            std::to_string(kCount) + "; ++i) y[i] = " + call + ";\n  return 0;\n}\n";
  }
  return text;
}

Candidate build(const std::string& folder, const std::string& name, const std::string& source, const std::string& stem,
                const std::string& prefix, const std::vector<std::string>& command) {
  const std::string cpp = folder + "/" + stem + ".cpp", so = folder + "/" + name + ".so";
  Candidate made{name, {}};
  if (!write_file(cpp, source).ok()) return made;
  std::vector<std::string> words = command;
  for (const std::string& word : {std::string("-shared"), std::string("-fPIC"), cpp, std::string("-o"), so})
    words.push_back(word);
  words.emplace_back("-lm");
  const auto built = run_process(words);
  if (!built || built->exit_code != 0) {
    std::printf("%s: %s\n", name.c_str(), built ? built->output.c_str() : built.error().c_str());
    return made;
  }
  void* handle = dlopen(so.c_str(), RTLD_NOW | RTLD_LOCAL);
  for (const std::string& f : kFunctions)
    made.entry.push_back(handle == nullptr ? nullptr : reinterpret_cast<Entry*>(dlsym(handle, (prefix + f).c_str())));
  return made;
}

double nanoseconds(Entry* entry, const float* x, float* y) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 8; ++i) entry(x, y);
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count() / (8.0 * kCount);
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 200;
  std::string folder = (std::filesystem::temp_directory_path() / "mlgc-vector-math-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) return 1;
  std::vector<Candidate> all;
  all.push_back(build(folder, "g++", own_source(), "own", "", {"g++", "-O3"}));
  for (const char* clang : {"clang++", "clang++-19", "clang++-16"}) {
    const auto found = run_process({clang, "--version"});
    if (!found || found->exit_code != 0) continue;
    all.push_back(build(folder, clang, own_source(), "own", "", {clang, "-O3"}));
    break;
  }
  all.push_back(build(folder, "libmvec", library_source(), "library", "own_",
                      {"g++", "-O3", "-ffast-math", "-march=native", "-mprefer-vector-width=512"}));
  std::filesystem::remove_all(folder);

  std::vector<float> x(kCount), y(kCount);
  for (int i = 0; i < kCount; ++i) x[i] = (i % 2 == 0 ? 1.0F : -1.0F) * (static_cast<float>(i) * 0.002F + 0.001F);
  std::printf("%-8s", "ns");
  for (const Candidate& c : all) std::printf(" %12s", c.name.c_str());
  std::printf("  own / libmvec\n");
  for (std::size_t f = 0; f < kFunctions.size(); ++f) {
    std::vector<std::vector<double>> times(all.size());
    for (int r = 0; r < rounds; ++r)
      for (std::size_t c = 0; c < all.size(); ++c)
        if (f < all[c].entry.size() && all[c].entry[f] != nullptr)
          times[c].push_back(nanoseconds(all[c].entry[f], x.data(), y.data()));
    std::printf("%-8s", kFunctions[f].c_str());
    std::vector<double> medians;
    for (std::vector<double>& t : times) {
      std::sort(t.begin(), t.end());
      medians.push_back(t.empty() ? 0 : t[t.size() / 2]);
      std::printf(" %12.3f", medians.back());
    }
    std::printf("  %.2f\n", medians.back() > 0 ? medians[0] / medians.back() : 0);
  }
  return 0;
}
