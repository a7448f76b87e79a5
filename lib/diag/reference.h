// The reference of all kinds of diagnostics: what `mlgc explain error` prints and docs/diagnostics.md holds.
#pragma once

#include <span>
#include <string>

#include "diag/diagnostic.h"

namespace mlgc {

// One kind: what it says, what it means, an example and the repair.
[[nodiscard]] std::string kind_text(const DiagKind& kind);
// A line for each kind.
[[nodiscard]] std::string kinds_list(std::span<const DiagKind* const> kinds);
// {"version":1,"kinds":[{"id","severity","exit_code","message","meaning","repair","example":{"files":[{"name","example",
// "repaired"}],"commands":[{"example","repaired"}],"has_repair","needs"},"unprovoked"}]}; example or unprovoked.
inline constexpr int kKindsJsonVersion = 1;
[[nodiscard]] std::string kinds_json(std::span<const DiagKind* const> kinds);
[[nodiscard]] std::string kinds_markdown(std::span<const DiagKind* const> kinds);

// The message with `{name}` for what a run puts there.
[[nodiscard]] std::string message_pattern(std::string_view pattern);

}  // namespace mlgc
