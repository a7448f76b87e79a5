// Element types by c10's numbers, which TorchScript programs hold as integers (torch.export counts differently).
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "tensor/dtype.h"

namespace mlgc::python {

inline constexpr std::array<std::pair<std::int64_t, Dtype>, 12> kC10Numbers{{{0, Dtype::UI8},
                                                                             {1, Dtype::I8},
                                                                             {2, Dtype::I16},
                                                                             {3, Dtype::I32},
                                                                             {4, Dtype::I64},
                                                                             {5, Dtype::F16},
                                                                             {6, Dtype::F32},
                                                                             {7, Dtype::F64},
                                                                             {9, Dtype::C64},
                                                                             {10, Dtype::C128},
                                                                             {11, Dtype::I1},
                                                                             {15, Dtype::BF16}}};

[[nodiscard]] constexpr std::int64_t c10_number(Dtype dtype) {
  for (const auto& [number, known] : kC10Numbers)
    if (known == dtype) return number;
  return -1;
}

// Nothing for types that there are none of here.
[[nodiscard]] constexpr std::optional<Dtype> dtype_of_c10(std::int64_t number) {
  for (const auto& [known, dtype] : kC10Numbers)
    if (known == number) return dtype;
  return std::nullopt;
}

}  // namespace mlgc::python
