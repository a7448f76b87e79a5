// Private to lib/schedule: what predict.h says of kernels for a GPU.
#pragma once

#include <vector>

#include "schedule/predict.h"

namespace mlgc::schedule {

// `nests` of one loop function: each is a kernel.
[[nodiscard]] Prediction predict_on_gpu(const std::vector<OpRef>& nests, const GpuMachine& gpu,
                                        const PredictedSizes& sizes);

}  // namespace mlgc::schedule
