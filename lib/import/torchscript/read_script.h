// A script of the LibTorch plug-in as a program that the interpreter runs.
#pragma once

#include <memory>

#include "import/python/program.h"
#include "plugin/plugin_api.h"

namespace mlgc::torchscript {

// The program keeps the script for as long as it lives: storages of tensors are the script's.
[[nodiscard]] std::shared_ptr<const python::Program> read_script(std::shared_ptr<const mlgc_script> script);

}  // namespace mlgc::torchscript
