// Names of a module as identifiers of C.
#pragma once

#include <string>
#include <string_view>

#include "codegen/emitter_hooks.h"

namespace mlgc::codegen {

// Alphanumeric characters stay, all others become `_`.
[[nodiscard]] std::string underscored(std::string_view text);
// A symbol as an identifier, which does not start with a digit and is not a word of the language.
[[nodiscard]] std::string identifier_of(std::string_view symbol, const EmitterHooks& hooks);

}  // namespace mlgc::codegen
