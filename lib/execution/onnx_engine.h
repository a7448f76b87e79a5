// A function in ONNX Runtime: written as ONNX, run by a Python that has onnxruntime.
#pragma once

#include <memory>

#include "execution/engines.h"

namespace mlgc {

// The Python of MLGC_PYTHON, .venv or PATH (support/python.h). Errors of a run: an op that has no form in ONNX, no
// onnxruntime, a type that it has no kernel for, bf16, which .npz files cannot hold.
[[nodiscard]] Result<std::unique_ptr<Engine>, Diagnostic> open_onnx_runtime(const EngineSettings& settings);

}  // namespace mlgc
