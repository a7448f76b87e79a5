// The sources of lib/runtime as text: they go with every model. Files are named as emitted code includes them, relative
// to one include folder: `runtime/unit.h`.
#pragma once

#include <span>
#include <string_view>

namespace mlgc {

struct SourceText {
  std::string_view name, text;
};

// Headers and C++17 sources, sorted by name. The sources need no flag and link libc and pthreads alone.
[[nodiscard]] std::span<const SourceText> runtime_source();

}  // namespace mlgc
