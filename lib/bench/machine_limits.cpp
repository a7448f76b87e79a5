// See machine_limits.h.
#include "bench/machine_limits.h"

#include <dlfcn.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <functional>
#include <iterator>
#include <thread>

#include "diag/kinds_artifact.h"
#include "support/thread.h"

namespace mlgc::bench {
namespace {

// As the emitted code: vectors of the widest kind, several of them at once, streaming stores by an instruction that
// both compilers know.
constexpr std::string_view kProbe = R"(
#if defined(__AVX512F__)
#define BYTES 64
#define STREAM(to, v) __asm__ volatile("vmovntps %1, %0" : "=m"(to) : "v"(v) : "memory")
#elif defined(__AVX__)
#define BYTES 32
#define STREAM(to, v) __asm__ volatile("vmovntps %1, %0" : "=m"(to) : "x"(v) : "memory")
#elif defined(__SSE__)
#define BYTES 16
#define STREAM(to, v) __asm__ volatile("movntps %1, %0" : "=m"(to) : "x"(v) : "memory")
#else
#define BYTES 16
#define STREAM(to, v) (to) = (v)
#endif
#if defined(__SSE__)
#define FENCE __asm__ volatile("sfence" ::: "memory")
#else
#define FENCE
#endif
typedef float vec __attribute__((vector_size(BYTES), may_alias));
#define API extern "C" __attribute__((visibility("default")))
#define LANES (BYTES / 4)
// n is a multiple of 4 vectors; arrays are aligned to 64 bytes.
#define LOOP(name, value, store, end)                                                \
  API void name(float* a, const float* b, const float* c, long long n) {             \
    (void)c;                                                                         \
    vec* const to = (vec*)a;                                                         \
    const vec* const x = (const vec*)b;                                              \
    const vec* const y = (const vec*)c;                                              \
    (void)y;                                                                         \
    for (long long i = 0; i < n / LANES; i += 4) {                                   \
      vec v0, v1, v2, v3;                                                            \
      { const long long k = i; v0 = value; }                                         \
      { const long long k = i + 1; v1 = value; }                                     \
      { const long long k = i + 2; v2 = value; }                                     \
      { const long long k = i + 3; v3 = value; }                                     \
      store(to[i], v0); store(to[i + 1], v1); store(to[i + 2], v2); store(to[i + 3], v3); \
    }                                                                                \
    end;                                                                             \
  }
#define PLAIN(to, v) (to) = (v)
LOOP(probe_copy, x[k], PLAIN, __asm__ volatile("" ::: "memory"))
LOOP(probe_triad, x[k] + 3.0f * y[k], PLAIN, __asm__ volatile("" ::: "memory"))
LOOP(probe_stream_copy, x[k], STREAM, FENCE)
LOOP(probe_stream_triad, x[k] + 3.0f * y[k], STREAM, FENCE)
// Of b alone. Hardware prefetchers stop at the end of a page: the second loop also asks for what lies further ahead.
#define READ(name, fetch)                                                            \
  API void name(float* a, const float* b, const float* c, long long n) {             \
    (void)a; (void)c;                                                                \
    const vec* const x = (const vec*)b;                                              \
    vec v0 = {}, v1 = {}, v2 = {}, v3 = {};                                          \
    for (long long i = 0; i < n / LANES; i += 4) {                                   \
      fetch(x + i); fetch(x + i + 1); fetch(x + i + 2); fetch(x + i + 3);            \
      v0 += x[i]; v1 += x[i + 1]; v2 += x[i + 2]; v3 += x[i + 3];                    \
    }                                                                                \
    v0 += v1 + v2 + v3;                                                              \
    __asm__ volatile("" : "+m"(v0));                                                 \
  }
#define NOTHING(p)
#define AHEAD(p) __builtin_prefetch((const char*)(p) + 16384, 0, 2)
READ(probe_read, NOTHING)
READ(probe_read_ahead, AHEAD)
// Sixteen chains hide the latency of the multiply-add.
API double probe_multiply_add(long long n) {
  vec m = {}, s = {};
  m += 0.5f; s += 1.0f;
  // Neither what is computed may be known to the compiler, nor that all chains compute the same.
#define UNKNOWN(v) __asm__ volatile("" : "+m"(v))
  UNKNOWN(m); UNKNOWN(s);
  vec a = s, b = s, c = s, d = s, e = s, f = s, g = s, h = s, p = s, q = s, r = s, t = s, u = s, v = s, w = s, z = s;
  UNKNOWN(a); UNKNOWN(b); UNKNOWN(c); UNKNOWN(d); UNKNOWN(e); UNKNOWN(f); UNKNOWN(g); UNKNOWN(h);
  UNKNOWN(p); UNKNOWN(q); UNKNOWN(r); UNKNOWN(t); UNKNOWN(u); UNKNOWN(v); UNKNOWN(w); UNKNOWN(z);
  for (long long i = 0; i < n; ++i) {
    a = a * m + s; b = b * m + s; c = c * m + s; d = d * m + s; e = e * m + s; f = f * m + s; g = g * m + s;
    h = h * m + s; p = p * m + s; q = q * m + s; r = r * m + s; t = t * m + s; u = u * m + s; v = v * m + s;
    w = w * m + s; z = z * m + s;
  }
  vec all = a + b + c + d + e + f + g + h + p + q + r + t + u + v + w + z;
  UNKNOWN(all);
  return (double)n * 16 * LANES * 2;
}
)";

constexpr std::int64_t kSizes[] = {std::int64_t{1} << 18, std::int64_t{1} << 20, std::int64_t{1} << 22,
                                   std::int64_t{1} << 24, std::int64_t{3} << 26};
constexpr double kTrialSeconds = 0.004;

// Memory not touched yet, whose pages are large where that is asked for and the system has such.
class Pages {
 public:
  explicit Pages(std::int64_t bytes, bool large = true) : bytes_(static_cast<std::size_t>(bytes)) {
    void* const memory = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return;
    madvise(memory, bytes_, large ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    memory_ = memory;
  }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  ~Pages() {
    if (memory_ != nullptr) munmap(memory_, bytes_);
  }
  [[nodiscard]] float* data() const { return static_cast<float*>(memory_); }

 private:
  std::size_t bytes_;
  void* memory_ = nullptr;
};

// Seconds from the start of the first to the end of the last of `threads` calls of work(thread), which start together
// after first(thread).
double together(std::int32_t threads, const std::function<void(std::int32_t)>& first,
                const std::function<void(std::int32_t)>& work) {
  using Clock = std::chrono::steady_clock;
  std::atomic<std::int32_t> ready{0};
  std::vector<Clock::time_point> starts(static_cast<std::size_t>(threads)), ends(starts.size());
  const auto run = [&](std::int32_t thread) {
    first(thread);
    ++ready;
    while (ready.load() < threads) std::this_thread::yield();
    starts[static_cast<std::size_t>(thread)] = Clock::now();
    work(thread);
    ends[static_cast<std::size_t>(thread)] = Clock::now();
  };
  std::vector<std::thread> others;
  for (std::int32_t thread = 1; thread < threads; ++thread)
    others.push_back(start_thread([&run, thread] { run(thread); }));
  run(0);
  for (std::thread& other : others) other.join();
  return std::chrono::duration<double>(*std::ranges::max_element(ends) - *std::ranges::min_element(starts)).count();
}

using Loop = void (*)(float*, const float*, const float*, std::int64_t);

// Bytes a second of a loop over `arrays` arrays of `bytes` in all, the best of so many trials. One that reads a single
// array has it as `b`.
double bandwidth(Loop loop, std::int64_t arrays, std::int64_t bytes, std::int32_t threads, int trials,
                 bool large = true) {
  constexpr std::int64_t kAlignment = 256;  // of floats: four vectors of 64 bytes, four times
  const std::int64_t n = std::max(kAlignment, bytes / 4 / arrays / threads / kAlignment * kAlignment);
  std::vector<std::unique_ptr<Pages>> memory;
  for (std::int32_t thread = 0; thread < threads; ++thread) {
    memory.push_back(std::make_unique<Pages>(arrays == 1 ? 4 * n : 12 * n, large));
    if (memory.back()->data() == nullptr) return 0;
  }
  const double moved = static_cast<double>(n) * 4 * static_cast<double>(arrays);
  const auto repeats = static_cast<std::int64_t>(std::max(1.0, kTrialSeconds * 5e10 / moved / threads));
  const auto call = [&](std::int32_t thread) {
    float* const a = memory[static_cast<std::size_t>(thread)]->data();
    if (arrays == 1)
      loop(nullptr, a, nullptr, n);
    else
      loop(a, a + n, a + 2 * n, n);
  };
  double best = 0;
  for (int trial = 0; trial < trials; ++trial) {
    const double seconds = together(
        threads,
        [&](std::int32_t thread) {
          if (trial == 0) std::fill_n(memory[static_cast<std::size_t>(thread)]->data(), arrays == 1 ? n : 3 * n, 1.0F);
          call(thread);
        },
        [&](std::int32_t thread) {
          for (std::int64_t i = 0; i < repeats; ++i) call(thread);
        });
    best = std::max(best, moved * static_cast<double>(repeats) * threads / seconds);
  }
  return best;
}

double page_fault_seconds() {
  constexpr std::int64_t kPages = 2048, kPageBytes = 4096;
  const Pages memory(kPages * kPageBytes, false);
  if (memory.data() == nullptr) return 0;
  const auto start = std::chrono::steady_clock::now();
  for (std::int64_t page = 0; page < kPages; ++page) memory.data()[page * kPageBytes / 4] = 1;
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / kPages;
}

}  // namespace

const Bandwidth& MachineLimits::near(std::int64_t bytes) const {
  MLGC_ASSERT(!bandwidth.empty(), "limits without a size");
  const double wanted = std::log(static_cast<double>(std::max<std::int64_t>(bytes, 1)));
  const auto distance = [&](const Bandwidth& b) { return std::abs(std::log(static_cast<double>(b.bytes)) - wanted); };
  return *std::ranges::min_element(bandwidth, {}, distance);
}

Result<LimitProbe, Diagnostic> LimitProbe::make(const std::string& host_compiler, DiagnosticEngine& diagnostics) {
  CompileRequest request;
  request.name = "machine-limits";
  request.sources = {{"limits.cpp", kProbe}};
#if defined(__x86_64__)
  request.flags = {"-march=native"};
#endif
  request.flags.emplace_back("-ffp-contract=fast");
  request.compiler = host_compiler;
  auto unit = compile_unit(request, Cache::open(diagnostics), diagnostics);
  if (!unit) return Failure{std::move(unit.error())};
  LimitProbe probe;
  probe.unit_ = *std::move(unit);
  void* const handle = dlopen(probe.unit_.path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return Failure{diagnose<kCannotLoadModel>({}, probe.unit_.path, std::string(dlerror()))};
  probe.handle_ = std::shared_ptr<void>(handle, dlclose);
  const auto find = [&](const char* name, auto& function) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle, name));
    MLGC_ASSERT(function != nullptr, std::string("no ") + name);
  };
  find("probe_copy", probe.functions_.copy);
  find("probe_triad", probe.functions_.triad);
  find("probe_stream_copy", probe.functions_.stream_copy);
  find("probe_stream_triad", probe.functions_.stream_triad);
  find("probe_read", probe.functions_.read);
  find("probe_read_ahead", probe.functions_.read_ahead);
  find("probe_multiply_add", probe.functions_.multiply_add);
  return probe;
}

MachineLimits LimitProbe::measure(std::int32_t threads, int trials) const {
  MachineLimits limits;
  for (const std::int64_t bytes : kSizes) {
    const auto best = [&](Loop plain, Loop stream, std::int64_t arrays) {
      return std::max(bandwidth(plain, arrays, bytes, threads, trials),
                      bandwidth(stream, arrays, bytes, threads, trials));
    };
    limits.bandwidth.push_back(
        {bytes, best(functions_.copy, functions_.stream_copy, 2), best(functions_.triad, functions_.stream_triad, 3)});
  }
  const auto read = [&](bool large) {
    const std::int64_t bytes = std::end(kSizes)[-1];
    return std::max(bandwidth(functions_.read, 1, bytes, threads, trials, large),
                    bandwidth(functions_.read_ahead, 1, bytes, threads, trials, large));
  };
  limits.read = read(true);
  limits.small_page_read = read(false);
  constexpr std::int64_t kSteps = 500'000;
  std::vector<double> done(static_cast<std::size_t>(threads));
  for (int trial = 0; trial < trials; ++trial) {
    const double seconds = together(
        threads, [&](std::int32_t) { (void)functions_.multiply_add(kSteps / 10); },
        [&](std::int32_t thread) { done[static_cast<std::size_t>(thread)] = functions_.multiply_add(kSteps); });
    limits.flops = std::max(limits.flops, done.front() * threads / seconds);
  }
  limits.page_fault_seconds = page_fault_seconds();
  return limits;
}

MachineLimits best_of(const MachineLimits& a, const MachineLimits& b) {
  MachineLimits best = a;
  for (std::size_t i = 0; i < std::min(a.bandwidth.size(), b.bandwidth.size()); ++i) {
    best.bandwidth[i].copy = std::max(a.bandwidth[i].copy, b.bandwidth[i].copy);
    best.bandwidth[i].triad = std::max(a.bandwidth[i].triad, b.bandwidth[i].triad);
  }
  best.flops = std::max(a.flops, b.flops);
  best.read = std::max(a.read, b.read);
  best.small_page_read = std::max(a.small_page_read, b.small_page_read);
  best.page_fault_seconds = std::min(a.page_fault_seconds, b.page_fault_seconds);
  return best;
}

}  // namespace mlgc::bench
