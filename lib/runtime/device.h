/* Private to the runtime: what holds while a call runs: the device of its program is this thread's, and no other thread
 * uses its context. */
#ifndef MLGC_RUNTIME_DEVICE_H
#define MLGC_RUNTIME_DEVICE_H

#include "runtime/context.h"

namespace mlgc::runtime {

// The thread's own device is current again afterwards.
class OnDevice {
 public:
  explicit OnDevice(const mlgc_program& program) : device_(program.unit->device) {
    why_.status = device_ == nullptr ? mlgc_i32{MLGC_OK} : device_->select(program.device_id, &previous_, &why_.reason);
  }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  ~OnDevice() {
    mlgc_i32 ours = 0;
    const char* reason = nullptr;
    if (device_ != nullptr && why_.status == MLGC_OK) (void)device_->select(previous_, &ours, &reason);
  }
  // MLGC_OK, or why the device cannot be used.
  [[nodiscard]] const Refusal& why() const { return why_; }

 private:
  const mlgc_device* device_;
  mlgc_i32 previous_ = 0;
  Refusal why_;
};

// A call on a context. It is refused while another one runs, whose error text stays as it is: what mlgc_error() then
// says is this thread's.
class ContextCall {
 public:
  explicit ContextCall(mlgc_context& context);
  ContextCall(const ContextCall&) = delete;
  ContextCall& operator=(const ContextCall&) = delete;
  ~ContextCall();
  // MLGC_OK, or what the call returns; the error is set.
  [[nodiscard]] mlgc_i32 status() const { return status_; }
  // Null: the last call of this thread on the context was not refused because of another call.
  [[nodiscard]] static const char* refusal_text(const mlgc_context& context);

 private:
  mlgc_context& context_;
  bool holds_;
  OnDevice device_;
  mlgc_i32 status_ = MLGC_OK;
};

}  // namespace mlgc::runtime

#endif
