// See log.h. spdlog formats and writes; only this file sees it.
#include "driver/log.h"

#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/ansicolor_sink.h>

#include <chrono>
#include <memory>

namespace mlgc {
namespace {

const std::chrono::steady_clock::time_point kStart = std::chrono::steady_clock::now();

// `%*`: milliseconds since the program started.
class Elapsed : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg&, const std::tm&, spdlog::memory_buf_t& out) override {
    const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - kStart;
    fmt::format_to(std::back_inserter(out), "{:9.1f} ms", elapsed.count());
  }
  [[nodiscard]] std::unique_ptr<custom_flag_formatter> clone() const override { return std::make_unique<Elapsed>(); }
};

// Made on first use: most commands log nothing, and every millisecond of their start counts.
spdlog::logger& logger() {
  static spdlog::logger instance = [] {
    auto formatter = std::make_unique<spdlog::pattern_formatter>();
    formatter->add_flag<Elapsed>('*').set_pattern("mlgc %* %^%l%$: %v");
    auto sink = std::make_shared<spdlog::sinks::ansicolor_stderr_sink_st>();
    sink->set_formatter(std::move(formatter));
    spdlog::logger made("mlgc", std::move(sink));
    made.set_level(spdlog::level::debug);
    made.flush_on(spdlog::level::debug);
    return made;
  }();
  return instance;
}

void write_line(LogLevel level, std::string_view line) {
  logger().log(level == LogLevel::Debug ? spdlog::level::debug : spdlog::level::info, line);
}

}  // namespace

void set_log_level(LogLevel level) { set_log(level, write_line); }

}  // namespace mlgc
