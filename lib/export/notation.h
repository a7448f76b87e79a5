// The notations that `mlgc export` writes: one row each, which help and messages list.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "diag/diagnostic.h"
#include "ir/function.h"
#include "tensor/npz.h"

namespace mlgc {

struct Exported {
  std::string text;
  NamedTensors constants;  // that are too large for the text and stand with the weights
};

struct Notation {
  std::string_view name;
  std::string_view summary;
  bool has_weights;  // reads them from a .safetensors file beside the text
  // `function` is what a caller calls; where a notation has one function only, it is this one.
  Result<Exported, Diagnostic> (*write)(Module& module, FuncRef function);
};

[[nodiscard]] std::span<const Notation> notations();
// Error: none has the name, with the nearest one.
[[nodiscard]] Result<const Notation*, Diagnostic> find_notation(std::string_view name);

// One file each: <name>.cpp.
Result<Exported, Diagnostic> export_fx_code(Module& module, FuncRef function);
Result<Exported, Diagnostic> export_fx_tabular(Module& module, FuncRef function);
Result<Exported, Diagnostic> export_torchscript(Module& module, FuncRef function);
Result<Exported, Diagnostic> export_dot(Module& module, FuncRef function);
Result<Exported, Diagnostic> export_json(Module& module, FuncRef function);

}  // namespace mlgc
