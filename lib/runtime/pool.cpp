// Outputs that a context lends: memory that was touched once is worth more than fresh memory, whose first touch costs
// more than most kernels.
#include "runtime/context.h"

namespace mlgc::runtime {
namespace {

constexpr mlgc_i32 kMostIdle = 16;

class Lock {
 public:
  explicit Lock(pthread_mutex_t& mutex) : mutex_(mutex) { pthread_mutex_lock(&mutex_); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  ~Lock() { pthread_mutex_unlock(&mutex_); }

 private:
  pthread_mutex_t& mutex_;
};

// Destroys the unused ones, but for the newest `keep` of them. The lock is held.
void drop_idle(mlgc_context& context, mlgc_i32 keep) {
  for (Lent** at = &context.pool; *at != nullptr;) {
    Lent* const lent = *at;
    if (lent->out || keep-- > 0) {
      at = &lent->next;
    } else {
      *at = lent->next;
      destroy(lent);
    }
  }
}

PoolBytes sum(const mlgc_context& context) {
  PoolBytes bytes = {0, 0};
  for (const Lent* lent = context.pool; lent != nullptr; lent = lent->next) {
    bytes.held += lent->block.bytes();
    if (lent->out) bytes.lent += lent->block.bytes();
  }
  return bytes;
}

bool fits(const mlgc_context& context, mlgc_i64 more) {
  const mlgc_i64 limit = context.options.memory_limit;
  mlgc_i64 held = context.arena.bytes() + context.scratch.bytes() + context.external_memory.bytes() +
                  sum(context).held + retired_bytes(context);
  for (const Late& late : context.late) held += late.block.bytes();
  return limit <= 0 || (more <= limit && held <= limit - more);
}

}  // namespace

PoolBytes pool_bytes(const mlgc_context& context) {
  const Lock lock(context.pool_mutex);
  return sum(context);
}

bool within_limit(mlgc_context& context, mlgc_i64 more) {
  const Lock lock(context.pool_mutex);
  if (!fits(context, more)) drop_idle(context, 0);
  return fits(context, more);
}

Lent* lend(mlgc_context& context, mlgc_i64 bytes, const mlgc_i64* sizes, mlgc_i32 rank, Refusal& why) {
  // Even an empty output has an address, by which it is given back.
  const mlgc_i64 wanted = bytes > 0 ? bytes : 1;
  Lent* found = nullptr;
  {
    const Lock lock(context.pool_mutex);
    for (Lent* lent = context.pool; lent != nullptr; lent = lent->next) {
      const bool fit = !lent->out && lent->block.bytes() >= wanted && lent->block.bytes() / 2 <= wanted;
      if (fit && (found == nullptr || lent->block.bytes() < found->block.bytes())) found = lent;
    }
    if (found != nullptr) found->out = true;
  }
  if (found == nullptr) {
    if (!within_limit(context, wanted)) {
      why.reason = "more than the limit allows";
      return nullptr;
    }
    found = create<Lent>();
    if (found == nullptr || !found->block.reset(wanted, context.program->unit->device, why)) {
      destroy(found);
      return nullptr;
    }
    found->out = true;
    const Lock lock(context.pool_mutex);
    found->next = context.pool;
    context.pool = found;
  }
  if (!found->sizes.reset(rank)) {
    (void)give_back(context, found->block.data());
    return nullptr;
  }
  std::copy(sizes, sizes + rank, found->sizes.begin());
  return found;
}

bool give_back(mlgc_context& context, const void* data) {
  const Lock lock(context.pool_mutex);
  for (Lent* lent = context.pool; lent != nullptr; lent = lent->next) {
    if (lent->block.data() != data || !lent->out) continue;
    lent->out = false;
    drop_idle(context, kMostIdle);
    return true;
  }
  return false;
}

void empty_pool(mlgc_context& context) {
  while (Lent* const lent = context.pool) {
    context.pool = lent->next;
    destroy(lent);
  }
}

}  // namespace mlgc::runtime
