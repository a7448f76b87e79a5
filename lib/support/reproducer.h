// The file that an internal error writes: the command, the error and the text that was read.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "support/result.h"

namespace mlgc {

// Keeps a copy of the text being worked on, up to 1 MiB, for a reproducer; the last one counts.
void remember_input(std::string_view name, std::string_view text);

// The command line as a shell would take it.
[[nodiscard]] std::string quoted_command(std::span<const std::string> words);

// Writes a text to mlgc-reproducer-<hash of the text>.mlir in TMPDIR (or /tmp) and returns the path. Error: it cannot
// be written.
[[nodiscard]] Result<std::string> write_reproducer_file(std::string_view text);

// Writes mlgc-reproducer-<hash of its content>.mlir into TMPDIR (or /tmp) and returns its path; when that fails, the
// command instead. Never throws for lack of a file.
[[nodiscard]] std::string write_reproducer(std::span<const std::string> words, std::string_view what);

}  // namespace mlgc
