// What a file is, where a command wants the text of a module, or a model, and got something else: it says so, and which
// command or flag takes it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "diag/diagnostic.h"

namespace mlgc {

// By its first bytes and, of an archive, the names of its members. Nothing: a text, of a module as far as one can see,
// or a path that cannot be looked at, which reading will say.
[[nodiscard]] std::optional<Diagnostic> find_other_kind(const std::string& path);
// The same of what was read already: of standard input. `name` stands for it in messages.
[[nodiscard]] std::optional<Diagnostic> find_other_kind(const std::string& name, std::string_view content);

// For who imports models: a file of a kind that is known, and no model.
[[nodiscard]] std::optional<Diagnostic> find_other_than_model(const std::string& path);

}  // namespace mlgc
