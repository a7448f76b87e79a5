// torch.export's numbers of element types (not c10's), which exported programs of every format use here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tensor/dtype.h"

namespace mlgc::program {

// Nothing for types that are not supported.
[[nodiscard]] std::optional<Dtype> dtype_of_number(std::int64_t number);
// Of `float32`, torch's name. Nothing for types that are not supported.
[[nodiscard]] std::optional<Dtype> dtype_of_name(std::string_view torch_name);
// `complex64`; a number when it has no name.
[[nodiscard]] std::string dtype_number_name(std::int64_t number);

}  // namespace mlgc::program
