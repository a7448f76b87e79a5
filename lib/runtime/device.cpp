// See device.h.
#include "runtime/device.h"

namespace mlgc::runtime {
namespace {

// The context that refused this thread's last call because another call was using it.
thread_local const mlgc_context* t_refused_by = nullptr;

}  // namespace

ContextCall::ContextCall(mlgc_context& context)
    : context_(context), holds_(!context.in_use.exchange(true, std::memory_order_acquire)), device_(*context.program) {
  if (!holds_) {
    t_refused_by = &context;
    status_ = MLGC_BAD_USAGE;
    return;
  }
  if (t_refused_by == &context) t_refused_by = nullptr;
  context.error.text[0] = 0;
  if (device_.why().status != MLGC_OK)
    status_ =
        context.error.set(device_.why().status, "device %d: %s", context.program->device_id, device_.why().reason);
}

ContextCall::~ContextCall() {
  if (!holds_) return;
  if (t_refused_by == &context_) t_refused_by = nullptr;  // a call from a log of this one
  context_.in_use.store(false, std::memory_order_release);
}

const char* ContextCall::refusal_text(const mlgc_context& context) {
  return t_refused_by == &context ? "the context is in use by another call: make one for each thread" : nullptr;
}

}  // namespace mlgc::runtime
