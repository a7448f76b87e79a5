// TorchScript modules as plain data.
//
// Guarantees: what is given out keeps the module alive, so that storages are used where LibTorch has them; calls are
// inlined, nothing is computed or folded.
#pragma once

#include "plugin/plugin_api.h"

namespace mlgc_torch {

// Throws what LibTorch throws, and std::invalid_argument for a module without a method `forward`.
const mlgc_script* load_script(const char* path);
void free_script(const mlgc_script* script);

}  // namespace mlgc_torch
