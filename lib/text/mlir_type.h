// What the reader of MLIR's attributes asks of a type that it has read.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace mlgc::text {

struct MlirType {
  enum class Kind : std::uint8_t {
    Integer,
    Float,
    Index,
    Complex,
    Tensor,
    Vector,
    Memref,
    Function,
    None,
    Tuple,
    Other
  };
  Kind kind = Kind::None;
  char sign = 'i';                    // of an integer: i, s or u
  std::uint32_t bits = 0;             // of an integer or a float
  bool is_static = true;              // of a shape: it has a rank, and all sizes are numbers
  std::vector<std::int64_t> dims;     // of a static shape
  std::shared_ptr<MlirType> element;  // of a shaped or a complex type
};

}  // namespace mlgc::text
