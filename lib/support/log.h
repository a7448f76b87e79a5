// What the program does, line by line, for who wants to follow it: silent until somebody listens.
#pragma once

#include <cstdint>
#include <string_view>

namespace mlgc {

enum class LogLevel : std::uint8_t { Debug, Info, Off };

// Gets each line, without a final newline, in the thread that logs it.
using LogWriter = void (*)(LogLevel level, std::string_view line);

// One level and one writer for the process, set before other threads log. Off, as it is without a call, costs one
// comparison a line. Precondition: a writer, unless the level is Off.
void set_log(LogLevel level, LogWriter writer);
[[nodiscard]] bool logs(LogLevel level);

// No final newline. Text that is costly to make is asked for with logs() first.
void log_info(std::string_view message);
void log_debug(std::string_view message);

}  // namespace mlgc
