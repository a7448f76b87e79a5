// The table of compilers (compiler.h).
#include <algorithm>
#include <array>

#include "artifact/compiler.h"
#include "diag/kinds_artifact.h"

namespace mlgc {
namespace {

using Words = std::vector<std::string>;

// The line of what a compiler answers to --version that has this word; the first line where none has it.
std::string line_with(const std::string& identity, std::string_view word) {
  const std::size_t at = identity.find(word);
  if (at == std::string::npos) return identity.substr(0, identity.find('\n'));
  const std::size_t before = identity.rfind('\n', at);
  const std::size_t start = before == std::string::npos ? 0 : before + 1;
  return identity.substr(start, identity.find('\n', at) - start);
}

// --- C++

// Contraction is the emitter's decision, never the compiler's.
constexpr const char* kHostFlags[] = {"-std=c++17",      "-O3",      "-ffp-contract=off",
                                      "-fno-math-errno", "-fPIC",    "-fvisibility=hidden",
                                      "-fno-exceptions", "-fno-rtti"};
// Symbols bind to their own object, so that models do not meet in one process; --as-needed leaves out the C++ library.
constexpr const char* kHostLink[] = {"-shared",     "-pthread",       "-Wl,--as-needed",
                                     "-Wl,-z,defs", "-Wl,-Bsymbolic", "-Wl,--build-id=none"};
constexpr std::string_view kHostUsual[] = {"g++", "clang++"};

Words no_arch(std::string_view) { return {}; }

Words own_host_flags(const std::string& identity) {
  // g++ folds functions that are equal, in quadratic time where many are; equal kernels are one already. clang++ does
  // not know the flag.
  return identity.find("Free Software Foundation") != std::string::npos ? Words{"-fno-ipa-icf"} : Words{};
}

// --- CUDA

// As kHostFlags. Several architectures are compiled at once.
constexpr const char* kCudaFlags[] = {
    "-std=c++17", "-O3", "--fmad=false", "--threads=0",
    "-Xcompiler=-fPIC,-fvisibility=hidden,-ffp-contract=off,-fno-exceptions,-fno-rtti"};
// CUDA's own library is linked in, nvcc's default, so that a machine needs the driver alone.
constexpr const char* kCudaLink[] = {"-shared", "-cudart=static",
                                     "-Xcompiler=-pthread,-static-libgcc,-static-libstdc++",
                                     "-Xlinker=--as-needed,-z,defs,-Bsymbolic,--build-id=none,--exclude-libs=ALL"};
constexpr std::string_view kCudaUsual[] = {"nvcc"};
constexpr std::string_view kNative = "native", kPortable = "80";

// `sm_90a` is 90a.
std::string_view number_of(std::string_view arch) { return arch.substr(arch.find('_') + 1); }

std::string generation(std::string_view number, const std::string& codes) {
  return "-gencode=arch=compute_" + std::string(number) + ",code=" + codes;
}

// Machine code for the architecture; where that is newer than 8.0, machine code for 8.0 too; and what drivers compile
// for all later ones.
Words cuda_arch_flags(std::string_view arch) {
  if (arch == kNative) return {"-arch=native"};
  const std::string_view number = number_of(arch);
  const bool newer = number.size() > kPortable.size() || number > kPortable;
  const std::string base(newer ? kPortable : number);
  Words flags;
  if (newer) flags.push_back(generation(number, std::string(arch)));
  flags.push_back(generation(base, "[sm_" + base + ",compute_" + base + "]"));
  return flags;
}

Words single_arch(std::string_view arch, const char* form, std::string_view prefix) {
  const std::string number(arch == kNative ? "" : number_of(arch));
  return {"-std=c++17", "-O3", "--fmad=false", form,
          number.empty() ? "-arch=native" : "-arch=" + std::string(prefix) + number};
}
Words ptx_flags(std::string_view arch) { return single_arch(arch, "-ptx", "compute_"); }
Words sass_flags(std::string_view arch) { return single_arch(arch, "-cubin", "sm_"); }

const std::array<std::vector<std::string_view>, 2> kDisassemblers{std::vector<std::string_view>{"cuobjdump", "-sass"},
                                                                  {"nvdisasm", "-c"}};
const std::array kCudaForms{
    CompiledForm{"ptx", "what drivers compile", "model.ptx", ptx_flags, {}},
    CompiledForm{"sass", "machine code of the GPU, disassembled", "model.cubin", sass_flags, kDisassemblers}};

}  // namespace

std::span<const CompilerDef> compilers() {
  static const std::array kCompilers{
      CompilerDef{
          .name = "host",
          .language = "C++",
          .flag = "--host-compiler",
          .help = "The C++ compiler (default: CXX, g++ or clang++)",
          .variable = "CXX",
          .usual = kHostUsual,
          .unit_flags = kHostFlags,
          .arch_flags = no_arch,
          .own_flags = own_host_flags,
          .link_flags = kHostLink,
          .version = [](const std::string& identity) { return identity.substr(0, identity.find('\n')); },
          .not_found = [](std::vector<std::string> tried) { return diagnose<kNoHostCompiler>({}, std::move(tried)); },
          .forms = {},
      },
      CompilerDef{
          .name = "nvcc",
          .language = "CUDA",
          .flag = "--cuda-compiler",
          .help = "The CUDA compiler (default: CUDACXX, or nvcc)",
          .variable = "CUDACXX",
          .usual = kCudaUsual,
          .unit_flags = kCudaFlags,
          .arch_flags = cuda_arch_flags,
          .own_flags = [](const std::string&) { return Words{}; },
          .link_flags = kCudaLink,
          .version = [](const std::string& identity) { return line_with(identity, "release"); },
          .not_found = [](std::vector<std::string> tried) { return diagnose<kNoCudaCompiler>({}, std::move(tried)); },
          .forms = kCudaForms,
      }};
  return kCompilers;
}

const CompilerDef& compiler_named(std::string_view name) {
  const auto found = std::ranges::find(compilers(), name, &CompilerDef::name);
  MLGC_ASSERT(found != compilers().end(), "no compiler is called " + std::string(name));
  return *found;
}

}  // namespace mlgc
