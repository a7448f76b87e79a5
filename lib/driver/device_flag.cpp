// See device_flag.h.
#include "driver/device_flag.h"

#include <charconv>
#include <system_error>

#include "diag/kinds_driver.h"

namespace mlgc {

void add_device_flag(Arguments& arguments, DeviceFlag& flag, const std::string& help) {
  arguments.add_value("--device", flag.text, "DEVICE", help);
}

std::optional<Diagnostic> read_device_flag(DeviceFlag& flag, const std::string& command) {
  constexpr std::string_view kCuda = "cuda";
  std::string_view rest = flag.text;
  if (rest.empty() || rest == "cpu") return std::nullopt;
  const auto wrong = [&] {
    return diagnose<kBadFlag>({}, "--device: `" + flag.text + "` is none of cpu, cuda, cuda:0, cuda:1, …", command);
  };
  if (!rest.starts_with(kCuda)) return wrong();
  flag.kind = MLGC_CUDA;
  rest.remove_prefix(kCuda.size());
  if (rest.empty()) return std::nullopt;
  if (rest.front() != ':') return wrong();
  const auto [end, error] = std::from_chars(rest.data() + 1, rest.data() + rest.size(), flag.number);
  return error == std::errc() && end == rest.data() + rest.size() && flag.number >= 0 ? std::nullopt
                                                                                      : std::optional(wrong());
}

}  // namespace mlgc
