#include "artifact/cuda_driver.h"

#include <dlfcn.h>

#include <system_error>

#include "support/thread.h"

namespace mlgc {
namespace {

// The driver's API, whose header only the toolkit has.
using Init = int(unsigned int);
using DeviceGet = int(int* device, int number);
using PrimaryContextRetain = int(void** context, int device);

void start(std::int32_t number) {
  void* const driver = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (driver == nullptr) return;
  auto* const init = reinterpret_cast<Init*>(::dlsym(driver, "cuInit"));
  auto* const device_get = reinterpret_cast<DeviceGet*>(::dlsym(driver, "cuDeviceGet"));
  auto* const retain = reinterpret_cast<PrimaryContextRetain*>(::dlsym(driver, "cuDevicePrimaryCtxRetain"));
  if (init == nullptr || device_get == nullptr || retain == nullptr) return;
  int device = 0;
  void* context = nullptr;  // kept until the process ends
  if (init(0) == 0 && device_get(&device, number) == 0) (void)retain(&context, device);
}

}  // namespace

StartingCudaDriver::StartingCudaDriver(std::int32_t device) {
  try {
    thread_ = start_thread([device] { start(device); });
  } catch (const std::system_error&) {
    // Whoever needs the driver starts it.
  }
}

StartingCudaDriver::~StartingCudaDriver() {
  if (thread_.joinable()) thread_.join();
}

}  // namespace mlgc
