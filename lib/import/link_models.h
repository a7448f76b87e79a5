// Several models as one module: what `mlgc compile prefill.pt2 decode.pt2` makes one artefact of.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "diag/diagnostic.h"
#include "interp/interpret_module.h"
#include "ir/module.h"

namespace mlgc {

// What a model of that file is called: the file without its folder and extension.
[[nodiscard]] std::string model_name(const std::string& file);
// Two files whose models would have one name, as an error; none: they can be linked.
[[nodiscard]] std::optional<Diagnostic> find_equal_names(std::span<const std::string> files);

struct ModelToLink {
  std::string file;  // for messages
  std::string name;  // model_name()
  Module module;
  ModuleData data;
};

// The first module with the symbols of all others, and their data.
//   - The only function of a model is called after the model, one of several `model.function`.
//   - A weight or state that an earlier model declares equally, with equal data, is that one: tied between models. One
//     that differs is called `model.name`, with a note. A weight that another model declares as a state, equally and
//     with equal data, is that state.
// Precondition: at least one model, all of one context, of different names.
[[nodiscard]] ModelToLink link_models(std::vector<ModelToLink> models, DiagnosticEngine& diagnostics);

}  // namespace mlgc
