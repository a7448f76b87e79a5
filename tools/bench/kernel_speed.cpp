// Times the kernels of a loop-level text, each beside a triad that moves as many bytes.
//
//     mlgc opt model.mlir -O2 --to=loops > loops.mlir
//     kernel_speed loops.mlir 2 B=256 C=1024
//
// The first number is that of threads. Kernels are printed as C++, compiled by g++ -O3 for this machine's widest
// vectors, and take turns with the triad (a = b + c) over the same number of bytes; medians of many rounds. GB/s are
// those of what a kernel's arguments hold, each once.
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "codegen/cpp/print_cpp.h"
#include "diag/render.h"
#include "ir/function.h"
#include "ops/loop_ops.h"
#include "ops/op_table.h"
#include "runtime/unit.h"
#include "support/file.h"
#include "support/subprocess.h"
#include "text/parser.h"

using namespace mlgc;

namespace {

using Entry = std::int32_t(const mlgc_runtime*, void**, const std::int64_t*, char*);
using Sizes = std::map<std::string, std::int64_t>;

[[noreturn]] void stop(const std::string& why) {
  std::fprintf(stderr, "kernel_speed: %s\n", why.c_str());
  std::exit(1);
}

// Threads that spin between regions; each region is cut into as many pieces.
class Pool {
 public:
  explicit Pool(int count) : count_(count) {
    base.threads = count;
    base.parallel_for = [](const mlgc_runtime* runtime, mlgc_i64 n, mlgc_i64 grain, mlgc_body* body,
                           void* argument) -> mlgc_i32 {
      return reinterpret_cast<const Pool*>(runtime)->region(n, grain, body, argument);
    };
    base.fail = [](const mlgc_runtime*, const char* message, const mlgc_i64*, mlgc_i32) -> mlgc_i32 { stop(message); };
    for (int i = 0; i < count; ++i) scratch_.emplace_back(std::size_t{1} << 22);
    for (int i = 1; i < count; ++i) threads_.emplace_back([this, i] { work(i); });
  }
  ~Pool() {
    open_.fetch_add(1);
    for (std::thread& t : threads_) t.join();
  }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  mlgc_runtime base{};

 private:
  std::int32_t region(mlgc_i64 n, mlgc_i64 grain, mlgc_body* body, void* argument) const {
    auto* self = const_cast<Pool*>(this);
    const mlgc_i64 pieces = std::clamp<mlgc_i64>(n / std::max<mlgc_i64>(grain, 1), 1, count_);
    if (pieces == 1) return body(argument, 0, n, self->memory(0));
    self->job_ = {n, body, argument};
    self->left_.store(count_ - 1);
    self->open_.fetch_add(2);
    self->piece(0);
    while (left_.load() > 0) {
    }
    return 0;
  }
  void work(int number) {
    for (int seen = 0;;) {
      const int now = open_.load();
      if (now % 2 != 0) return;
      if (now == seen) continue;
      seen = now;
      piece(number);
      left_.fetch_sub(1);
    }
  }
  void piece(int number) {
    const mlgc_i64 begin = job_.n * number / count_, end = job_.n * (number + 1) / count_;
    if (begin < end) (void)job_.body(job_.argument, begin, end, memory(number));
  }
  void* memory(int number) {
    char* at = scratch_[static_cast<std::size_t>(number)].data();
    return at + 64 - reinterpret_cast<std::uintptr_t>(at) % 64;
  }

  struct Job {
    mlgc_i64 n;
    mlgc_body* body;
    void* argument;
  };
  int count_;
  Job job_{};
  std::atomic<int> open_{0}, left_{0};
  std::vector<std::vector<char>> scratch_;
  std::vector<std::thread> threads_;
};

struct Kernel {
  std::string name;
  Entry* entry = nullptr;
  std::vector<std::int64_t> sizes;
  std::vector<void*> buffers;
  std::vector<char> memory;
  std::int64_t bytes = 0;
  std::vector<double> times;
};

void* buffer(std::int64_t bytes, Dtype dtype) {
  void* memory = std::aligned_alloc(64, static_cast<std::size_t>(bytes + 128) / 64 * 64);
  if (memory == nullptr) stop("out of memory");
  std::memset(memory, 0, static_cast<std::size_t>(bytes));
  if (dtype == Dtype::F32)
    for (std::int64_t i = 0; i < bytes / 4; ++i)
      static_cast<float*>(memory)[i] = static_cast<float>(i * 7 % 1000) / 500.0F - 1.0F;
  return memory;
}

constexpr std::string_view kTriad =
    R"(func @triad(%b: buffer<[N]xf32, argument>, %c: buffer<[N]xf32, argument>, %a: buffer<[N]xf32, argument>) {
  for [0, N ceildiv 4096] (%o: index) attributes {kind = "parallel"} {
    for [4096*%o, min(4096*%o + 4096, N)] (%i: index) attributes {kind = "vector", lanes = 64} {
      %0 = load %b[%i] : f32
      %1 = load %c[%i] : f32
      %2 = add %0, %1 : f32
      store %2, %a[%i]
    }
  }
  return
}
)";

Module parse(const std::shared_ptr<Context>& context, const std::string& text) {
  DiagnosticEngine diagnostics(context->locations());
  const SourceFile& file = context->locations().add_source("kernels", text);
  auto module = parse_module(context, file, diagnostics, {});
  if (!module) stop(render_text(diagnostics));
  return std::move(*module);
}

// Functions that call the printed ones with arrays of pointers and sizes.
std::string wrappers(const std::vector<OpRef>& functions, const CppUnit& unit) {
  std::string out =
      "#ifndef MLGC_BYTES\nstruct any_pointer {\n  void* p;\n  template <class T>\n  operator T*() const {\n"
      "    return static_cast<T*>(p);\n  }\n};\n";
  for (std::size_t k = 0; k < functions.size(); ++k) {
    const codegen::PrintedFunction& printed = unit.functions[k];
    out += "extern \"C\" int32_t call_" + printed.name +
           "(const mlgc_runtime* runtime, void** buffers, const int64_t* sizes, char* memory) {\n"
           "  (void)sizes;\n  (void)memory;\n  return " +
           printed.name + "(runtime";
    for (std::size_t i = 0; i < functions[k].region(0).argument_count(); ++i)
      out += ", any_pointer{buffers[" + std::to_string(i) + "]}";
    for (std::size_t i = 0; i < symbols_of(functions[k]).size(); ++i) out += ", sizes[" + std::to_string(i) + "]";
    out += std::string(printed.takes_memory ? ", memory" : "") + ");\n}\n";
  }
  return out + "#endif\n";
}

void* load(const std::vector<OpRef>& functions, const CppUnit& unit) {
  const std::string folder = std::filesystem::temp_directory_path() / ("kernel_speed_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  if (!write_file(folder + "/unit.cpp", unit.text + wrappers(functions, unit))) stop("cannot write to " + folder);
  const auto built = run_process({"g++", "-O3", "-shared", "-fPIC", folder + "/unit.cpp", "-o", folder + "/unit.so"});
  if (!built || built->exit_code != 0) stop(built ? built->output : built.error());
  void* handle = dlopen((folder + "/unit.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) stop(dlerror());
  std::filesystem::remove_all(folder);
  return handle;
}

Kernel prepare(OpRef func, const codegen::PrintedFunction& printed, void* library, const Sizes& given) {
  Kernel kernel;
  kernel.name = func.symbol();
  IndexPool& pool = func.module().context().index();
  const auto value = [&](IndexExpr e) {
    return *pool.evaluate(e, [&](AtomId id) -> std::optional<std::int64_t> {
      const auto found = given.find(std::string(pool.symbol_name(id)));
      if (found == given.end()) stop("give a size " + std::string(pool.symbol_name(id)) + "=N");
      return found->second;
    });
  };
  for (const AtomId id : symbols_of(func)) kernel.sizes.push_back(value(pool.from_atom(id)));
  kernel.sizes.push_back(0);
  for (const Value v : func.region(0).arguments()) {
    auto bytes = static_cast<std::int64_t>(dtype_info(v.dtype()).bytes);
    for (const IndexExpr dim : v.dims()) bytes *= value(dim);
    kernel.buffers.push_back(buffer(bytes, v.dtype()));
    kernel.bytes += bytes;
  }
  kernel.memory.resize(static_cast<std::size_t>(value(printed.memory)) + 64);
  kernel.entry = reinterpret_cast<Entry*>(dlsym(library, ("call_" + printed.name).c_str()));
  if (kernel.entry == nullptr) stop("no symbol for " + kernel.name);
  return kernel;
}

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

void time(Kernel& kernel, const Pool& pool) {
  const auto call = [&] {
    const auto at = reinterpret_cast<std::uintptr_t>(kernel.memory.data());
    if (kernel.entry(&pool.base, kernel.buffers.data(), kernel.sizes.data(), kernel.memory.data() + (64 - at % 64)) !=
        0)
      stop(kernel.name + " failed");
  };
  const double first = seconds();
  call();
  const int rounds = std::max(1, static_cast<int>(2e-4 / std::max(seconds() - first, 1e-7)));
  const double begin = seconds();
  for (int i = 0; i < rounds; ++i) call();
  kernel.times.push_back((seconds() - begin) / rounds);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) stop("kernel_speed FILE THREADS [NAME=SIZE]...");
  const auto text = read_file(argv[1]);
  if (!text) stop(text.error());
  const Pool pool(std::atoi(argv[2]));
  Sizes sizes;
  for (int i = 3; i < argc; ++i) {
    const std::string word = argv[i];
    const std::size_t at = word.find('=');
    if (at == std::string::npos) stop("expected NAME=SIZE, found " + word);
    sizes[word.substr(0, at)] = std::atoll(word.c_str() + at + 1);
  }
  const std::shared_ptr<Context> context = make_context();
  Module module = parse(context, *text), reference = parse(context, std::string(kTriad));
  std::vector<OpRef> functions;
  for (const FuncRef& func : mlgc::functions(module))
    if (is_loop_function(func.op()) && !func.op().attr("results").valid()) functions.push_back(func.op());
  functions.push_back(reference.lookup("triad"));
  const auto unit = print_cpp(functions);
  if (!unit) stop(unit.error().message());
  void* library = load(functions, *unit);
  std::printf("%-40s %10s %8s %8s %12s\n", "kernel", "us", "GB/s", "triad", "of the triad");
  for (std::size_t k = 0; k + 1 < functions.size(); ++k) {
    Kernel kernel = prepare(functions[k], unit->functions[k], library, sizes);
    Kernel triad = prepare(functions.back(), unit->functions.back(), library, {{"N", kernel.bytes / 12}});
    for (int round = 0; round < 41; ++round) {
      time(kernel, pool);
      time(triad, pool);
    }
    const double own = median(kernel.times), other = median(triad.times);
    const auto bytes = static_cast<double>(kernel.bytes);
    std::printf("%-40s %10.1f %8.1f %8.1f %11.0f%%\n", kernel.name.c_str(), own * 1e6, bytes / own / 1e9,
                bytes / other / 1e9, 100 * other / own);
    for (const Kernel* done : {&kernel, &triad})
      for (void* memory : done->buffers) std::free(memory);
  }
  return 0;
}
