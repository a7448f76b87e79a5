// See log.h.
#include "support/log.h"

namespace mlgc {
namespace {

LogLevel current_level = LogLevel::Off;
LogWriter current_writer = nullptr;

void write_line(LogLevel level, std::string_view message) {
  if (logs(level)) current_writer(level, message);
}

}  // namespace

void set_log(LogLevel level, LogWriter writer) {
  current_level = level;
  current_writer = writer;
}

bool logs(LogLevel level) { return level >= current_level && level != LogLevel::Off; }

void log_info(std::string_view message) { write_line(LogLevel::Info, message); }
void log_debug(std::string_view message) { write_line(LogLevel::Debug, message); }

}  // namespace mlgc
