// What is thrown where a tensor's shape is known to be valid, and the tensor does not fit in memory all the same.
// Whatever evaluates programs of others catches it; elsewhere it is an internal error.
#pragma once

#include "support/result.h"

namespace mlgc {

class TensorTooLarge : public InternalError {
 public:
  using InternalError::InternalError;
};

}  // namespace mlgc
