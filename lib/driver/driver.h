// The command line of mlgc: `mlgc COMMAND …`.
//
// Guarantees
//   - Products go to standard output, talk to standard error. Output files appear whole or not at all.
//   - The result is a documented exit code, whatever happens: bad usage is 2, memory or stack that does not
//     suffice is 5, and any other exception that nothing caught is 70, with a file that holds the command and the text
//     it read.
//   - A signal that ends the process leaves no temporary file and no child process (support/interruption.h).
//   - Only the sub-command that was asked for is set up.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "diag/diagnostic.h"

namespace mlgc {

// `argv[0]` is the program's name.
[[nodiscard]] ExitCode run_driver(int argc, const char* const* argv);

// Runs `body`. An exception is reported: std::bad_alloc and TensorTooLarge become ExitCode::Limit, any other one
// ExitCode::Internal, with a reproducer (its name depends on its content only). Public so that the mapping can be
// tested.
[[nodiscard]] ExitCode guard(std::span<const std::string> words, const std::function<ExitCode()>& body);

}  // namespace mlgc
