// What reading tensors and weight files reports. Each row is provoked by a test (scripts/check-diagnostics).
#pragma once

#include <array>

#include "diag/diagnostic.h"

namespace mlgc {

inline constexpr DiagKind kGgufWithoutWeights{
    .id = "gguf-without-weights",
    .message = "`{file:text}` has no tensor under the name of a weight of the module",
    .remedy =
        "tensors are found by their names in the file, or those that transformers has for them: "
        "`model.layers.0.mlp.up_proj.weight`, as scripts/export-llm writes them",
    .doc = "--weights names a GGUF file of another model, or of an architecture whose names are not known.",
};
inline constexpr DiagKind kGgufPartly{
    .id = "gguf-partly",
    .severity = Severity::Note,
    .message = "{count:int} of {all:int} weights are those of `{file:text}`; the others stay: {names:text}",
    .doc = "What a GGUF file has not, as tables of positions, comes from the module's own file.",
};
inline constexpr DiagKind kGgufTensorsLeft{
    .id = "gguf-tensors-left",
    .severity = Severity::Warning,
    .message = "`{file:text}` has tensors that the module has no weight for: {names:text}",
    .doc = "The module may be another one than the file is of.",
};

inline constexpr std::array kTensorKinds{&kGgufWithoutWeights, &kGgufPartly, &kGgufTensorsLeft};

}  // namespace mlgc
