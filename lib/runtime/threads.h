/* Private to the runtime: the threads of a context.
 *
 * Guarantees
 *   - A region is cut into the same pieces whoever runs them; it ends when its pieces are done, never waiting for a
 * thread that has not begun: a parked, preempted or (in a child of fork) missing thread costs speed alone.
 *   - Between regions a thread spins for a millisecond and then sleeps; it does not spin where there are more threads
 * than cores. Signals go to the host's threads.
 *   - A thread that is woken starts on another core than the caller's, where its affinity has one and may be changed;
 * after its first region the affinity is what it was. */
#ifndef MLGC_RUNTIME_THREADS_H
#define MLGC_RUNTIME_THREADS_H

#include <pthread.h>
#include <sched.h>
#include <sys/types.h>

#include <atomic>
#include <cstdint>

#include "runtime/memory.h"
#include "runtime/shares.h"

namespace mlgc::runtime {

constexpr mlgc_i32 kMostThreads = 1024;

// Cores that this process may use.
[[nodiscard]] mlgc_i32 core_count();
// Of a clock that only goes on.
[[nodiscard]] mlgc_i64 nanoseconds();

class Threads {
 public:
  // Pieces begin..end-1, on thread `thread` (0: the caller of run()).
  using Work = void(void* data, mlgc_i64 begin, mlgc_i64 end, mlgc_i32 thread);

  Threads() = default;
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;
  ~Threads();

  // `count` with the one that calls run(). Called once.
  [[nodiscard]] mlgc_i32 start(mlgc_i32 count, Error& error);
  // Calls work on every piece of [0, n); one thread at a time may call it.
  void run(mlgc_i64 n, Work* work, void* data);

 private:
  struct alignas(64) Worker {
    Threads* threads = nullptr;
    mlgc_i32 number = 0;
    pthread_t thread = {};
    // Guarded by mutex_:
    bool asleep = false;
    bool moved = false;       // wake_all() left the caller's core out of its affinity
    cpu_set_t affinity = {};  // what that was before
  };

  static void* worker(void* worker);
  void loop(Worker& worker);
  [[nodiscard]] bool wait_for_region(Worker& worker, std::uint64_t seen);
  void wake_all();
  void restore_affinity(Worker& worker);
  void work_on(mlgc_i32 thread);

  // The region: set while it is closed and no thread is in it.
  Work* work_ = nullptr;
  void* data_ = nullptr;
  Shares pieces_;
  Share* shares_ = nullptr;  // count_ of them
  // 2^32 * number of the region + kOpen + threads that are in it, or look whether it is open.
  alignas(64) std::atomic<std::uint64_t> state_{0};
  alignas(64) std::atomic<mlgc_i64> left_{0};  // pieces that are not done

  alignas(64) std::atomic<mlgc_i32> asleep_{0};
  std::atomic<bool> stop_{false};
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t wake_ = PTHREAD_COND_INITIALIZER;
  Worker* workers_ = nullptr;  // started_ of them
  mlgc_i32 count_ = 1, started_ = 0;
  mlgc_i64 spin_nanoseconds_ = 0;
  pid_t process_ = 0;
};

}  // namespace mlgc::runtime

#endif
