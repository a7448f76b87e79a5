// Runs other programs: without a shell, with their output captured.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "support/result.h"

namespace mlgc {

// What a process that starts has as its standard streams: descriptors of ours, which stay open here.
struct ProcessStreams {
  int input, output, error;
};
// Starts `command[0]` (looked up in PATH) with the rest as arguments, in a process group of its own, which ends with
// this process (support/interruption.h). Error: it could not be started.
[[nodiscard]] Result<pid_t> start_process(const std::vector<std::string>& command, const ProcessStreams& streams);
// Waits for its end. 128 + n when signal n ended it.
int wait_for_process(pid_t child);

struct ProcessResult {
  int exit_code = 0;   // 128 + n when signal n ended it
  std::string output;  // stdout and stderr together
};

// Starts it with an empty stdin, and waits for its end. Error: it could not be started.
[[nodiscard]] Result<ProcessResult> run_process(const std::vector<std::string>& command);

// The word as a shell would take it: in quotes where it holds more than letters, digits and plain signs.
[[nodiscard]] std::string shell_word(std::string_view word);

// The path of the running program; `mlgc` when the system does not tell.
[[nodiscard]] std::string own_path();

}  // namespace mlgc
