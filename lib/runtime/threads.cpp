// See threads.h.
#include "runtime/threads.h"

#include <sched.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <ctime>

namespace mlgc::runtime {
namespace {

constexpr mlgc_i64 kSpinNanoseconds = 1000000;  // a shorter spin loses: waking a thread costs 50 us
constexpr std::uint64_t kOpen = std::uint64_t{1} << 31;
constexpr std::uint64_t kRegion = std::uint64_t{1} << 32;

void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

}  // namespace

mlgc_i64 nanoseconds() {
  timespec time = {};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return mlgc_i64{time.tv_sec} * 1000000000 + time.tv_nsec;
}

mlgc_i32 core_count() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
  const long online = sysconf(_SC_NPROCESSORS_ONLN);  // more cores than a cpu_set_t holds
  return online > 0 ? static_cast<mlgc_i32>(online) : 1;
}

mlgc_i32 Threads::start(mlgc_i32 count, Error& error) {
  count_ = count;
  process_ = getpid();
  spin_nanoseconds_ = count > core_count() ? 0 : kSpinNanoseconds;
  if (count == 1) return MLGC_OK;
  const auto size = static_cast<mlgc_size>(count);
  shares_ = static_cast<Share*>(std::aligned_alloc(alignof(Share), size * sizeof(Share)));
  workers_ = static_cast<Worker*>(std::aligned_alloc(alignof(Worker), size * sizeof(Worker)));
  if (shares_ == nullptr || workers_ == nullptr) return error.set(MLGC_LIMIT, "no memory for %d threads", count);
  for (mlgc_i32 i = 0; i < count; ++i) new (shares_ + i) Share();
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int failed = 0;
  for (mlgc_i32 i = 1; i < count && failed == 0; ++i) {
    Worker* const worker = new (workers_ + i - 1) Worker();
    worker->threads = this;
    worker->number = i;
    failed = pthread_create(&worker->thread, nullptr, &Threads::worker, worker);
    if (failed == 0) ++started_;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (failed != 0)
    return error.set(MLGC_LIMIT, "only %d of %d threads could be started: %s", started_ + 1, count,
                     std::strerror(failed));
  return MLGC_OK;
}

Threads::~Threads() {
  stop_.store(true);
  pthread_mutex_lock(&mutex_);
  pthread_cond_broadcast(&wake_);
  pthread_mutex_unlock(&mutex_);
  // A child of fork has the memory, but not the threads.
  if (process_ == getpid())
    for (mlgc_i32 i = 0; i < started_; ++i) pthread_join(workers_[i].thread, nullptr);
  std::free(shares_);
  std::free(workers_);
}

void* Threads::worker(void* worker) {
  auto* const self = static_cast<Worker*>(worker);
  self->threads->loop(*self);
  return nullptr;
}

// False: stop. A region that is open and has another number than `seen` is there otherwise.
bool Threads::wait_for_region(Worker& worker, std::uint64_t seen) {
  const auto ready = [&] {
    const std::uint64_t state = state_.load();
    return stop_.load() || ((state & kOpen) != 0 && state / kRegion != seen);
  };
  mlgc_i64 until = -1;
  // Before its first region a thread sleeps at once: loading a model is not running it.
  for (int i = 0; seen != 0 && spin_nanoseconds_ > 0; ++i) {
    if (ready()) return !stop_.load();
    pause();
    if (i % 64 != 0) continue;
    const mlgc_i64 time = nanoseconds();
    if (until < 0) until = time + spin_nanoseconds_;
    if (time > until) break;
  }
  // asleep_ before ready() here, state_ before asleep_ in run(): one of the two sees the other.
  pthread_mutex_lock(&mutex_);
  asleep_.fetch_add(1);
  worker.asleep = true;
  while (!ready()) pthread_cond_wait(&wake_, &mutex_);
  worker.asleep = false;
  asleep_.fetch_sub(1);
  pthread_mutex_unlock(&mutex_);
  return !stop_.load();
}

// Linux may wake a thread on the core of the caller, which is busy, and leave it there until it balances loads, up to
// 4 ms later: in a virtual machine a core that was idle for some time counts as preempted by the host.
void Threads::wake_all() {
  const int own = sched_getcpu();
  // A child of fork has no threads: the ids that it would use are those of its parent's.
  const bool moves = own >= 0 && spin_nanoseconds_ > 0 && process_ == getpid();
  pthread_mutex_lock(&mutex_);
  for (mlgc_i32 i = 0; i < started_ && moves; ++i) {
    Worker& worker = workers_[i];
    if (!worker.asleep) continue;
    if (!worker.moved && pthread_getaffinity_np(worker.thread, sizeof worker.affinity, &worker.affinity) != 0) continue;
    cpu_set_t others = worker.affinity;
    CPU_CLR(own, &others);
    if (CPU_COUNT(&others) > 0 && pthread_setaffinity_np(worker.thread, sizeof others, &others) == 0)
      worker.moved = true;
  }
  pthread_cond_broadcast(&wake_);
  pthread_mutex_unlock(&mutex_);
}

void Threads::restore_affinity(Worker& worker) {
  pthread_mutex_lock(&mutex_);
  if (worker.moved) (void)pthread_setaffinity_np(pthread_self(), sizeof worker.affinity, &worker.affinity);
  worker.moved = false;
  pthread_mutex_unlock(&mutex_);
}

void Threads::loop(Worker& worker) {
  std::uint64_t seen = 0;
  while (wait_for_region(worker, seen)) {
    const std::uint64_t state = state_.fetch_add(1);
    if ((state & kOpen) != 0) {
      seen = state / kRegion;
      work_on(worker.number);
    }
    state_.fetch_sub(1);
    if (worker.moved) restore_affinity(worker);
  }
}

void Threads::work_on(mlgc_i32 thread) {
  const mlgc_i64 done = pieces_.take(thread, [&](mlgc_i64 begin, mlgc_i64 end) { work_(data_, begin, end, thread); });
  if (done > 0) left_.fetch_sub(done);
}

void Threads::run(mlgc_i64 n, Work* work, void* data) {
  if (n <= 0) return;
  if (n == 1 || count_ == 1) return work(data, 0, n, 0);
  work_ = work;
  data_ = data;
  pieces_.cut(shares_, count_, n);
  left_.store(pieces_.pieces(), std::memory_order_relaxed);
  state_.fetch_add(kRegion + kOpen);
  if (asleep_.load() > 0) wake_all();
  work_on(0);
  // What is left is in the hands of threads that run it, or that lost their core meanwhile.
  for (int i = 0; left_.load() > 0; ++i) i < 4096 ? pause() : static_cast<void>(sched_yield());
  state_.fetch_sub(kOpen);
  while ((state_.load() & (kOpen - 1)) != 0) pause();
}

}  // namespace mlgc::runtime
