// NVIDIA's driver, started before a model needs it: that takes some tenths of a second, in which models are read and
// lowered.
#pragma once

#include <cstdint>
#include <thread>

namespace mlgc {

// Has a thread start the driver, and the primary context of a GPU, which models of this process use (they bring CUDA's
// runtime library). What fails the model that is run later reports; without a driver nothing happens. The process waits
// for the thread where the object ends.
class StartingCudaDriver {
 public:
  explicit StartingCudaDriver(std::int32_t device);
  StartingCudaDriver(const StartingCudaDriver&) = delete;
  StartingCudaDriver& operator=(const StartingCudaDriver&) = delete;
  ~StartingCudaDriver();

 private:
  std::thread thread_;
};

}  // namespace mlgc
