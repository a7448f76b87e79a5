// --device: where a model runs, `cpu` or `cuda:1`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "diag/diagnostic.h"
#include "driver/arguments.h"
#include "runtime/mlgc.h"

namespace mlgc {

struct DeviceFlag {
  std::string text;  // empty: not given
  // What it means.
  std::int32_t kind = MLGC_CPU;  // enum mlgc_device_kind
  std::int32_t number = 0;
};

void add_device_flag(Arguments& arguments, DeviceFlag& flag, const std::string& help);
// What is wrong, if anything.
[[nodiscard]] std::optional<Diagnostic> read_device_flag(DeviceFlag& flag, const std::string& command);

}  // namespace mlgc
