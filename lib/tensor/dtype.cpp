// Checks at compile time that the dtype table is in the order of the enumeration.
#include "tensor/dtype.h"

namespace mlgc {
static_assert(dtype_info(Dtype::I1).name == "i1" && dtype_info(Dtype::F64).name == "f64" &&
              dtype_info(Dtype::C128).name == "c128");
static_assert(!is_complex(static_cast<Dtype>(kRealDtypeCount - 1)) && is_complex(static_cast<Dtype>(kRealDtypeCount)));
static_assert(parse_dtype("bf16") == Dtype::BF16 && !parse_dtype("f8"));
}  // namespace mlgc
