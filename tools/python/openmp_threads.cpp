// See openmp_threads.h.
#include "openmp_threads.h"

#include <cstdint>
#include <memory>
#include <new>

#include "runtime/shares.h"

namespace mlgc::python {
namespace {

OpenMp openmp = {};
bool given_up = false;

struct Region {
  runtime::Shares pieces;
  mlgc_range_function* fn;
  void* arg;
};

void work(void* data) {
  const auto& region = *static_cast<const Region*>(data);
  region.pieces.take(openmp.thread_number(), [&](mlgc_i64 begin, mlgc_i64 end) { region.fn(region.arg, begin, end); });
}

// Shares of the regions that this thread opens, of which one is open at a time.
struct OwnShares {
  std::unique_ptr<runtime::Share[]> shares;
  mlgc_i32 count = 0;
};

}  // namespace

void set_openmp(const OpenMp& found) { openmp = found; }

void give_up_openmp() { given_up = true; }

void openmp_parallel_for(void* data, mlgc_i64 n, mlgc_range_function* fn, void* arg) {
  thread_local OwnShares own;
  const auto threads = static_cast<mlgc_i32>(reinterpret_cast<std::intptr_t>(data));
  if (own.count < threads) {
    own.shares.reset(new (std::nothrow) runtime::Share[static_cast<std::size_t>(threads)]);
    own.count = own.shares ? threads : 0;
  }
  if (given_up || own.count == 0) return fn(arg, 0, n);
  Region region = {{}, fn, arg};
  region.pieces.cut(own.shares.get(), threads, n);
  openmp.parallel(work, &region, static_cast<unsigned>(threads), 0);
}

}  // namespace mlgc::python
