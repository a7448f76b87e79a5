// What a command is doing, line by line on standard error with the time since the program started: `--log=info` tells
// the steps, `--log=debug` their details. Off unless asked for; a level that is off costs one comparison.
#pragma once

#include <cstdint>
#include <string_view>

namespace mlgc {

enum class LogLevel : std::uint8_t { Debug, Info, Off };

// One level for the process: whatever reads, runs and writes on behalf of a command logs to the same place.
void set_log_level(LogLevel level);
[[nodiscard]] bool logs(LogLevel level);

// No final newline. Text that is costly to make is asked for with logs() first.
void log_info(std::string_view message);
void log_debug(std::string_view message);

}  // namespace mlgc
