// The threads of a context, and contexts in threads and processes.
#include "runtime/threads.h"

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "runtime/sample.h"

using mlgc::runtime::Error;
using mlgc::runtime::Threads;

namespace {

struct Counted {
  std::vector<std::atomic<int>> times;
  std::atomic<mlgc_i32> most_thread{0};
};

void count(void* data, mlgc_i64 begin, mlgc_i64 end, mlgc_i32 thread) {
  auto& counted = *static_cast<Counted*>(data);
  for (mlgc_i64 i = begin; i < end; ++i) ++counted.times[static_cast<std::size_t>(i)];
  mlgc_i32 most = counted.most_thread;
  while (thread > most && !counted.most_thread.compare_exchange_weak(most, thread)) {
  }
}

bool runs_each_once(Threads& threads, mlgc_i64 n) {
  Counted counted;
  counted.times = std::vector<std::atomic<int>>(static_cast<std::size_t>(n));
  threads.run(n, count, &counted);
  return std::all_of(counted.times.begin(), counted.times.end(), [](const auto& times) { return times == 1; });
}

}  // namespace

TEST_CASE("every piece runs once, with more threads than cores too") {
  for (const mlgc_i32 count : {1, 2, 3, 16}) {
    Threads threads;
    Error error;
    REQUIRE(threads.start(count, error) == MLGC_OK);
    for (int round = 0; round < 300; ++round)
      for (const mlgc_i64 n : {0, 1, 2, 5, 64, 1000}) REQUIRE(runs_each_once(threads, n));
  }
}

TEST_CASE("threads wake again after they slept") {
  Threads threads;
  Error error;
  REQUIRE(threads.start(2, error) == MLGC_OK);
  for (int round = 0; round < 5; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    REQUIRE(runs_each_once(threads, 100));
    // Both of them work: the pieces wait for the second thread.
    std::atomic<int> inside{0};
    threads.run(
        2,
        [](void* data, mlgc_i64, mlgc_i64, mlgc_i32) {
          auto& both = *static_cast<std::atomic<int>*>(data);
          ++both;
          while (both < 2) std::this_thread::yield();
        },
        &inside);
    REQUIRE(inside == 2);
  }
}

TEST_CASE("a thread that is woken starts on another core than the caller's") {
  cpu_set_t all;
  CPU_ZERO(&all);
  if (mlgc::runtime::core_count() < 2 || sched_getaffinity(0, sizeof all, &all) != 0) return;
  struct Seen {
    int own = sched_getcpu(), times_on_own = 0;
    cpu_set_t cores = {};
    std::atomic<int> inside{0};
  };
  Threads threads;
  Error error;
  REQUIRE(threads.start(2, error) == MLGC_OK);
  Seen seen;
  const auto both_work = [&] {
    seen.inside = 0;
    threads.run(
        2,
        [](void* data, mlgc_i64, mlgc_i64, mlgc_i32 thread) {
          auto& both = *static_cast<Seen*>(data);
          if (thread == 1) {
            both.times_on_own += sched_getcpu() == both.own ? 1 : 0;
            (void)sched_getaffinity(0, sizeof both.cores, &both.cores);
          }
          ++both.inside;
          while (both.inside < 2) std::this_thread::yield();
        },
        &seen);
  };
  both_work();
  cpu_set_t own;
  CPU_ZERO(&own);
  CPU_SET(seen.own, &own);
  REQUIRE(sched_setaffinity(0, sizeof own, &own) == 0);
  seen.times_on_own = 0;
  for (int round = 0; round < 20; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    both_work();
  }
  const int times_on_own = seen.times_on_own;
  // It lets go of the other cores behind the first region.
  for (int round = 0; round < 10000 && !CPU_EQUAL(&seen.cores, &all); ++round) both_work();
  REQUIRE(sched_setaffinity(0, sizeof all, &all) == 0);
  CHECK(times_on_own == 0);
  CHECK(CPU_EQUAL(&seen.cores, &all));
}

TEST_CASE("contexts of one program run at the same time") {
  const Program program;
  std::vector<std::thread> hosts;
  std::atomic<int> right{0};
  for (int host = 0; host < 4; ++host)
    hosts.emplace_back([&, host] {
      mlgc_context_options options = {};
      options.struct_size = sizeof options;
      options.threads = 2;
      mlgc_context* context = nullptr;
      if (mlgc_context_create(program.get(), &options, &context, nullptr, 0) != MLGC_OK) return;
      const auto value = static_cast<float>(host + 1);
      bool same = true;
      for (mlgc_i64 call = 0; call < 200; ++call) {
        const mlgc_i64 rows = 1 + call % 60;
        HostTensor<float> x = f32({rows, 4}, std::vector<float>(static_cast<std::size_t>(4 * rows), value));
        HostTensor<float> y = f32({rows, 4});
        HostTensor<float> sum = f32({rows});
        const mlgc_tensor input = x.view();
        mlgc_tensor outputs[] = {y.view(), sum.view()};
        same = same && mlgc_run(context, kForward, &input, 1, outputs, 2) == MLGC_OK;
        for (const float s : sum.data) same = same && s == 10 * value;
      }
      mlgc_i64 calls = 0;
      same = same && mlgc_state_read(context, 0, &calls, sizeof calls) == MLGC_OK && calls == 210;
      mlgc_context_destroy(context);
      if (same) ++right;
    });
  for (std::thread& host : hosts) host.join();
  CHECK(right == 4);
}

TEST_CASE("what is lent may be given back by another thread") {
  const Program program;
  const Context context(program);
  for (int round = 0; round < 50; ++round) {
    std::vector<mlgc_tensor> outputs{lent(), lent()};
    REQUIRE(context.run(kForward, {f32({8, 4}).view()}, outputs) == MLGC_OK);
    std::thread other([&, data = outputs[0].data] { (void)mlgc_release(context.get(), data); });
    std::vector<mlgc_tensor> more{lent(), lent()};
    REQUIRE(context.run(kForward, {f32({8, 4}).view()}, more) == MLGC_OK);
    other.join();
    for (const mlgc_tensor* output : {&outputs[1], &more[0], &more[1]})
      REQUIRE(mlgc_release(context.get(), output->data) == MLGC_OK);
  }
  CHECK(context.memory().pool_lent == 0);
}

TEST_CASE("a child of fork goes on without the threads of its parent") {
  const Program program;
  mlgc_context_options options = {};
  options.threads = 3;
  const auto works = [](const Context& context) {
    HostTensor<float> x = f32({200, 4}, std::vector<float>(800, 1));
    HostTensor<float> y = f32({200, 4});
    HostTensor<float> sum = f32({200});
    std::vector<mlgc_tensor> outputs{y.view(), sum.view()};
    return context.run(kForward, {x.view()}, outputs) == MLGC_OK && sum.data == std::vector<float>(200, 10);
  };
  {
    const Context context(program, options);
    REQUIRE(works(context));
    const pid_t child = fork();
    if (child == 0) {
      bool good = works(context) && works(context);
      mlgc_context_destroy(context.get());
      good = good && works(Context(program, options));
      _exit(good ? 0 : 1);
    }
    int status = -1;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(status == 0);
    CHECK(works(context));
  }
}

TEST_CASE("each body that runs has scratch of its own, on threads of the host too") {
  const Program program;
  // More threads at a time than the host promised: they wait for each other.
  const auto host = [](void*, mlgc_i64 n, mlgc_range_function* fn, void* arg) {
    std::vector<std::thread> threads;
    for (mlgc_i64 i = 0; i < 6; ++i) threads.emplace_back([=] { fn(arg, n * i / 6, n * (i + 1) / 6); });
    for (std::thread& thread : threads) thread.join();
  };
  mlgc_context_options options = {};
  options.threads = 2;
  options.parallel_for = host;
  const Context context(program, options);
  std::vector<float> values(1024);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  HostTensor<float> x = f32({256, 4}, values);
  for (int round = 0; round < 20; ++round) {
    HostTensor<float> y = f32({256, 4});
    HostTensor<float> sum = f32({256});
    std::vector<mlgc_tensor> outputs{y.view(), sum.view()};
    REQUIRE(context.run(kForward, {x.view()}, outputs) == MLGC_OK);
    for (std::size_t i = 0; i < values.size(); ++i) REQUIRE(y.data[i] == values[i] * static_cast<float>(i % 4 + 1));
  }
  CHECK(context.memory().scratch_held == 2 * 64);
}

TEST_CASE("a context that a thread uses refuses another one") {
  const Program program;
  struct Meanwhile {
    const Context* context = nullptr;
    mlgc_i32 status = MLGC_OK;
    std::string text;
  } meanwhile;
  // A host's own loop, in which another thread calls the context that runs it.
  mlgc_context_options options = {};
  options.threads = 2;
  options.parallel_data = &meanwhile;
  options.parallel_for = [](void* data, mlgc_i64 n, mlgc_range_function* fn, void* arg) {
    auto& seen = *static_cast<Meanwhile*>(data);
    std::thread([&seen] {
      seen.status = mlgc_states_reset(seen.context->get());
      seen.text = seen.context->error();
    }).join();
    fn(arg, 0, n);
  };
  const Context context(program, options);
  meanwhile.context = &context;
  HostTensor<float> x = f32({256, 4});
  std::vector<mlgc_tensor> outputs{lent(), lent()};
  REQUIRE(context.run(kForward, {x.view()}, outputs) == MLGC_OK);
  CHECK(meanwhile.status == MLGC_BAD_USAGE);
  CHECK(meanwhile.text == "the context is in use by another call: make one for each thread");
  CHECK(context.error().empty());
  CHECK(mlgc_states_reset(context.get()) == MLGC_OK);
}
