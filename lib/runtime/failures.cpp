// Failures of a call: what emitted code says on the host, and what kernels note on a device, which the host learns
// later.
//
// Guarantees
//   - Kernels note the first failure of a context, in the order of its stream, and it is reported once. Until then
//     nothing takes its place: mlgc_failure.first is set, and only a report, which waits for the device, clears it.
//   - States are replaced by a call only when all that the context queued before has ended without a failure.
#include <cstdio>
#include <cstring>

#include "runtime/context.h"

namespace mlgc::runtime {

thread_local mlgc_i64 t_begin = 0;

namespace {

// The message with its values, which are `{0}` ... `{3}` in it.
void print_message(char* to, mlgc_size size, const char* message, const mlgc_i64* values, mlgc_i32 count) {
  mlgc_size used = 0;
  while (*message != 0 && used + 1 < size) {
    const bool value = message[0] == '{' && message[1] >= '0' && message[1] < '0' + count && message[2] == '}';
    if (!value) {
      to[used++] = *message++;
      continue;
    }
    const int written = std::snprintf(to + used, size - used, "%lld", static_cast<long long>(values[message[1] - '0']));
    used = std::min(size - 1, used + static_cast<mlgc_size>(std::max(written, 0)));
    message += 3;
  }
  to[used] = 0;
}

mlgc_i32 fail(const mlgc_runtime* runtime, const char* message, const mlgc_i64* values, mlgc_i32 count) {
  mlgc_context& context = context_of(runtime);
  pthread_mutex_lock(&context.failure_mutex);
  // After a failure of the device nothing is known of values.
  const bool first = context.failure == MLGC_OK;
  if (first || (context.failure == MLGC_BAD_INPUT && t_begin < context.failed_at)) {
    context.failure = MLGC_BAD_INPUT;
    context.failed_at = t_begin;
    char text[sizeof context.error.text];
    print_message(text, sizeof text, message, values, count);
    context.error.set(MLGC_BAD_INPUT, "`%s`: %s", context.function->name, text);
  }
  pthread_mutex_unlock(&context.failure_mutex);
  return MLGC_BAD_INPUT;
}

mlgc_i32 fail_device(const mlgc_runtime* runtime, mlgc_i32 status, const char* reason) {
  mlgc_context& context = context_of(runtime);
  pthread_mutex_lock(&context.failure_mutex);
  if (context.failure == MLGC_OK) {
    context.failure = status;
    context.error.set(status, "`%s`: %s", context.function->name, reason);
  }
  pthread_mutex_unlock(&context.failure_mutex);
  return status;
}

// 0, or the failure that kernels noted, which is forgotten then.
mlgc_i32 report_noted(mlgc_context& context) {
  if (context.noted == nullptr) return MLGC_OK;
  const unsigned int message = __atomic_load_n(&context.noted->message, __ATOMIC_ACQUIRE);
  if (message == 0) return MLGC_OK;
  const mlgc_device& device = *context.program->unit->device;
  const char* reason = nullptr;
  mlgc_i32 status = device.synchronize(context.options.stream, &reason);
  const mlgc_noted noted = *context.noted;
  context.noted->message = 0;
  if (status == MLGC_OK)
    status = device.copy_in(context.runtime.failures, context.no_failures.data(),
                            context.no_failures.size() * static_cast<mlgc_i64>(sizeof(mlgc_failure)),
                            context.options.stream, &reason);
  const char* const name = context.program->unit->functions[noted.function].name;
  if (status != MLGC_OK) return context.error.set(status, "`%s`: %s", name, reason);
  char text[sizeof context.error.text];
  print_message(text, sizeof text, device.messages[message - 1], noted.values, 4);
  return context.error.set(MLGC_BAD_INPUT, "`%s`: %s", name, text);
}

// What emitted code calls (unit.h).
mlgc_i32 settle_call(const mlgc_runtime* runtime) {
  mlgc_context& context = context_of(runtime);
  const mlgc_i32 status = settle(context);
  if (status != MLGC_OK && context.failure == MLGC_OK) context.failure = status;
  return status;
}

}  // namespace

void connect_failures(mlgc_context& context) {
  context.runtime.fail = fail;
  context.runtime.fail_device = fail_device;
  context.runtime.settle = settle_call;
}

mlgc_i32 make_failures(mlgc_context& context, Error& error) {
  const mlgc_unit& unit = *context.program->unit;
  if (unit.device == nullptr || unit.device->messages == nullptr) return MLGC_OK;
  const mlgc_i64 count = mlgc_i64{unit.function_count} + 1;  // the last one is `first` of all
  const mlgc_i64 bytes = count * static_cast<mlgc_i64>(sizeof(mlgc_failure));
  Refusal why;
  if (!context.no_failures.reset(count)) return error.set(MLGC_LIMIT, "no memory for the context");
  if (!context.failures.reset(bytes, unit.device, why))
    return error.set(why.status, "no memory for failures of kernels: %s", why.reason);
  context.noted = reinterpret_cast<mlgc_noted*>(static_cast<char*>(context.runtime.pinned) + MLGC_PINNED_BYTES);
  context.noted->message = 0;
  auto* const failures = reinterpret_cast<mlgc_failure*>(context.failures.data());
  for (mlgc_i32 i = 0; i < unit.function_count; ++i)
    context.no_failures[i] = {0, i, &failures[count - 1].message, context.noted};
  context.runtime.failures = failures;
  void* stream = context.options.stream;
  mlgc_i32 status = MLGC_OK;
  if (context.capturing) {  // the copy is no part of the graph of the host: it goes to a stream of the context's own
    mlgc_i32 unused = 0;
    status = unit.device->begin_capture(&context.capture_stream, &unused, &why.reason);
    if (status == MLGC_OK) status = unit.device->end_capture(context.capture_stream, nullptr, nullptr, &why.reason);
    stream = context.capture_stream;
  }
  if (status == MLGC_OK)
    status = unit.device->copy_in(failures, context.no_failures.data(), bytes, stream, &why.reason);
  if (status == MLGC_OK && context.capturing) status = unit.device->synchronize(stream, &why.reason);
  return status == MLGC_OK ? MLGC_OK : error.set(status, "memory for failures of kernels: %s", why.reason);
}

void release_failures(mlgc_context& context) { context.failures.release(); }

bool may_fail(const mlgc_context& context, const mlgc_function& function) {
  const mlgc_queue* const queue = queue_of(context, function);
  return queue != nullptr && queue->may_fail != 0;
}

bool replaces_states(const mlgc_function& function) {
  return std::any_of(function.outputs, function.outputs + function.output_count,
                     [](const mlgc_value& output) { return output.state >= 0; });
}

mlgc_i32 settle(mlgc_context& context) {
  const mlgc_device* const device = context.program->unit->device;
  if (device == nullptr) return MLGC_OK;
  const char* reason = nullptr;
  if (const mlgc_i32 status = device->synchronize(context.options.stream, &reason); status != MLGC_OK)
    return context.error.set(
        status, "`%s`: %s", context.function != nullptr ? context.function->name : context.program->unit->name, reason);
  context.unsettled = context.captured_may_fail;
  return report_noted(context);
}

mlgc_i32 settle_before(mlgc_context& context, const mlgc_function& function) {
  if (context.capturing) return MLGC_OK;  // what was noted stays so
  return context.unsettled && replaces_states(function) ? settle(context) : report_noted(context);
}

mlgc_i32 settle_after(mlgc_context& context, const mlgc_function& function, bool failed) {
  const bool may = may_fail(context, function);
  if (context.capturing) {
    context.captured_may_fail = context.captured_may_fail || may;
    context.unsettled = context.unsettled || may;
    return MLGC_OK;
  }
  context.unsettled = context.unsettled || may;
  // A host that listens to launches has waited for each of them.
  const bool waits = failed || context.options.log != nullptr || (may && replaces_states(function));
  if (!context.unsettled || !waits) return MLGC_OK;
  const Error own = context.error;
  const mlgc_i32 status = settle(context);
  // What kernels noted came before what ended the call; that the device cannot be waited for is no news then.
  if (!failed || status == MLGC_BAD_INPUT) return status;
  context.error = own;
  return MLGC_OK;
}

}  // namespace mlgc::runtime
