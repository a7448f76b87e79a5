/* Private to the runtime and to hosts of this repository: which pieces of a region each thread takes.
 *
 * A thread takes the pieces of its own share first, so that neighbouring kernels find their rows in the cache of the
 * core that wrote them, and then what the shares of others have left. The pieces are the same whoever takes them. */
#ifndef MLGC_RUNTIME_SHARES_H
#define MLGC_RUNTIME_SHARES_H

#include <atomic>

#include "runtime/mlgc.h"

namespace mlgc::runtime {

struct alignas(64) Share {
  std::atomic<mlgc_i64> next{0};
  mlgc_i64 end = 0;
};

class Shares {
 public:
  // Cuts [0, n), n > 0, for `count` threads. `shares` has `count` of them. No thread takes pieces meanwhile.
  void cut(Share* shares, mlgc_i32 count, mlgc_i64 n) {
    shares_ = shares;
    count_ = count;
    n_ = n;
    pieces_ = n < count * kPiecesOfThread ? n : count * kPiecesOfThread;
    for (mlgc_i32 i = 0; i < count; ++i) {
      shares[i].next.store(pieces_ * i / count, std::memory_order_relaxed);
      shares[i].end = pieces_ * (i + 1) / count;
    }
  }

  [[nodiscard]] mlgc_i64 pieces() const { return pieces_; }

  // Calls run(begin, end) on the pieces that thread `thread` of [0, count) takes. Returns how many there were.
  template <class Run>
  mlgc_i64 take(mlgc_i32 thread, Run run) const {
    mlgc_i64 done = 0;
    for (mlgc_i32 i = 0; i < count_; ++i) {
      Share& share = shares_[(thread + i) % count_];
      for (;;) {
        if (share.next.load(std::memory_order_relaxed) >= share.end) break;
        const mlgc_i64 piece = share.next.fetch_add(1, std::memory_order_relaxed);
        if (piece >= share.end) break;
        const mlgc_i64 each = n_ / pieces_;
        const mlgc_i64 longer = n_ % pieces_;
        const mlgc_i64 begin = piece * each + (piece < longer ? piece : longer);
        run(begin, begin + each + (piece < longer ? 1 : 0));
        ++done;
      }
    }
    return done;
  }

 private:
  // Policy of load balancing, the same on every machine: a thread that is preempted leaves pieces to the others.
  static constexpr mlgc_i64 kPiecesOfThread = 4;

  Share* shares_ = nullptr;
  mlgc_i32 count_ = 0;
  mlgc_i64 n_ = 0, pieces_ = 0;
};

}  // namespace mlgc::runtime

#endif
