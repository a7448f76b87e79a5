// --log: lines of support/log.h on standard error, with the time since the program started: `--log=info` tells the
// steps, `--log=debug` their details. Off unless asked for.
#pragma once

#include "support/log.h"

namespace mlgc {

// Of the process: whatever reads, runs and writes on behalf of a command logs to the same place.
void set_log_level(LogLevel level);

}  // namespace mlgc
