// Diagnostics as text for people and as JSON for programs.
#pragma once

#include <span>
#include <string>

#include "diag/diagnostic.h"

namespace mlgc {

struct RenderOptions {
  bool color = false;
  bool source_lines = true;  // show the line and a caret where the table holds the text
};

// Whether to colour: `mode` is always, never or auto; auto asks for a terminal and no NO_COLOR in the environment (set
// and not empty).
enum class ColorMode : unsigned char { Auto, Always, Never };
[[nodiscard]] bool want_color(ColorMode mode, bool is_terminal, const char* no_color);

// `error`, `warning` or `note`.
[[nodiscard]] std::string_view severity_name(Severity severity);

// `file:line:col: error: message`, the line, `^~~~`; then the notes; then the remedy as a note. A diagnostic without a
// position starts with `mlgc: `. Ends with a newline. Control characters and bytes that are not UTF-8 are shown as `?`;
// of a long line the 160 bytes around the caret are shown.
[[nodiscard]] std::string render_text(const Diagnostic& diagnostic, const LocationTable& locations,
                                      const RenderOptions& options = {});
// All of sorted(), and a closing line when the limit cut errors off.
[[nodiscard]] std::string render_text(const DiagnosticEngine& engine, const RenderOptions& options = {});

inline constexpr int kDiagnosticsJsonVersion = 1;
// One line: {"version":1,"errors":N,"warnings":N,"suppressed":N,"diagnostics":[{"kind","severity","message","file",
// "line","column","width","remedy","notes":[{"kind","message","file","line","column"}]}]}; file, line and column are
// absent without a position.
[[nodiscard]] std::string render_json(const DiagnosticEngine& engine);

// Appends `text` as a JSON string; bytes that are not UTF-8 become U+FFFD.
void append_json_string(std::string& out, std::string_view text);

}  // namespace mlgc
