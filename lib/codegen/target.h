// What a model is emitted for.
#pragma once

#include <cstdint>

namespace mlgc {

enum class Target : std::uint8_t { Cpp, Cuda };

}  // namespace mlgc
