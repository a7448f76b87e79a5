// What the machine can do at most: bandwidth at several sizes and multiply-adds, measured by a small C++ program of its
// own, compiled for this CPU by the host compiler. Kernels are compared with these, in the same run.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "artifact/compile.h"
#include "diag/diagnostic.h"
#include "support/result.h"

namespace mlgc::bench {

// Bytes that are read and written, without what caches fetch to fill lines; of plain and of streaming stores the
// faster.
struct Bandwidth {
  std::int64_t bytes = 0;      // of all arrays together
  double copy = 0, triad = 0;  // bytes a second: a = b, a = b + 3 c
};
struct MachineLimits {
  std::vector<Bandwidth> bandwidth;  // from small to large
  // Bytes a second that are only read, from memory: as weights are. In huge pages, and in pages of 4 KiB, as those of a
  // file that is mapped.
  double read = 0, small_page_read = 0;
  double flops = 0;               // f32 a second, a multiply-add being two
  double page_fault_seconds = 0;  // of the first touch of a page of 4 KiB
  // Bytes a second for a kernel that touches so many: those of the measured size that is nearest, by ratio.
  [[nodiscard]] const Bandwidth& near(std::int64_t bytes) const;
};

class LimitProbe {
 public:
  [[nodiscard]] static Result<LimitProbe, Diagnostic> make(const std::string& host_compiler,
                                                           DiagnosticEngine& diagnostics);
  // Best of so many trials.
  static constexpr int kTrials = 7;
  [[nodiscard]] MachineLimits measure(std::int32_t threads, int trials = kTrials) const;

 private:
  struct Functions {
    void (*copy)(float* a, const float* b, const float* c, std::int64_t n) = nullptr;
    void (*triad)(float* a, const float* b, const float* c, std::int64_t n) = nullptr;
    void (*stream_copy)(float* a, const float* b, const float* c, std::int64_t n) = nullptr;
    void (*stream_triad)(float* a, const float* b, const float* c, std::int64_t n) = nullptr;
    void (*read)(float* a, const float* b, const float* c, std::int64_t n) = nullptr;
    void (*read_ahead)(float* a, const float* b, const float* c, std::int64_t n) = nullptr;
    double (*multiply_add)(std::int64_t n) = nullptr;  // FLOP done
  };
  CompiledUnit unit_;  // the object's file, while it is open
  std::shared_ptr<void> handle_;
  Functions functions_;
};

// The better of both, number by number.
[[nodiscard]] MachineLimits best_of(const MachineLimits& a, const MachineLimits& b);

}  // namespace mlgc::bench
