// See console.h.
#include "driver/console.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <new>
#include <thread>

#include "diag/kinds_driver.h"
#include "driver/log.h"
#include "support/activity.h"
#include "support/file.h"
#include "support/thread.h"

namespace mlgc {

namespace {

void write_errors(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;  // closed, and there is nowhere else to report it
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

// The line of Progress, and the thread that shows it.
class ProgressLine {
 public:
  static ProgressLine& instance() {
    static ProgressLine line;
    return line;
  }

  void start(std::string_view command) {
    command_ = command;
    start_ = std::chrono::steady_clock::now();
    thread_ = start_thread([this] { show_from_time_to_time(); });
  }
  void end() {
    {
      const std::lock_guard lock(mutex_);
      clear();
      is_over_ = true;
    }
    over_.notify_all();
    thread_.join();
  }
  // Writes while the line is not there.
  template <class F>
  auto without(const F& write) {
    const std::lock_guard lock(mutex_);
    clear();
    return write();
  }

 private:
  void show_from_time_to_time() {
    std::unique_lock lock(mutex_);
    while (!over_.wait_for(lock, std::chrono::seconds(1), [this] { return is_over_; })) {
      try {
        const auto time = std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - start_);
        const std::string doing = watched_activities();
        show("mlgc " + command_ + (doing.empty() ? "" : ": " + doing), " … " + std::to_string(time.count()) + " s");
      } catch (const std::bad_alloc&) {
        // The thread that does the work says so, if it finds none either.
      }
    }
  }
  // In one line, however long: of two, one would stay.
  void show(const std::string& what, const std::string& time) {
    winsize size{};
    const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    const std::size_t columns = known ? size.ws_col - 1 : 79, room = columns - std::min(columns, time.size());
    std::size_t end = 0;
    std::size_t letters = 0;
    for (; end < what.size(); ++end) {
      if ((static_cast<unsigned char>(what[end]) & 0xC0U) != 0x80U && letters++ == room) break;
    }
    clear();
    width_ = std::min(letters, room) + time.size();
    write_errors("\r" + what.substr(0, end) + time);
  }
  // With blanks: that needs nothing of the terminal.
  void clear() {
    if (width_ > 0) write_errors("\r" + std::string(width_, ' ') + "\r");
    width_ = 0;
  }

  std::mutex mutex_;
  std::condition_variable over_;
  std::string command_;
  std::chrono::steady_clock::time_point start_;
  bool is_over_ = false;
  std::size_t width_ = 0;  // of the line that is there
  std::thread thread_;
};

bool is_watched_by_people() {
  const auto set = [](const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr && *value != '\0';
  };
  const char* terminal = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) == 1 && !set("CI") && (terminal == nullptr || std::string_view(terminal) != "dumb");
}

}  // namespace

void write_talk(std::string_view text) {
  ProgressLine::instance().without([&] { write_errors(text); });
}

Status<> write_product(const std::string& path, std::string_view text) {
  Status<> written = ProgressLine::instance().without([&] { return write_file(path, text); });
  if (!written && path == "-" && errno == EPIPE) return {};
  if (written)
    log_info("wrote " + (path == "-" ? "standard output" : path) + ": " + std::to_string(text.size()) + " bytes");
  return written;
}

namespace {

// Of the flag that an error speaks of first, where it has no place of its own.
Location place_of_flag(const FlagPlaces& places, const Diagnostic& diagnostic) {
  if (diagnostic.at.known() || diagnostic.kind->exit != ExitCode::BadUsage) return {};
  const std::string text = diagnostic.message();
  for (std::size_t at = text.find("--"); at != std::string::npos; at = text.find("--", at + 2)) {
    const std::size_t end = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-", at);
    if (const auto found = places.at.find(std::string(text.substr(at, end - at))); found != places.at.end())
      return found->second;
  }
  return {};
}

}  // namespace

std::string Console::rendered(const DiagnosticEngine& engine) const {
  const bool anything = engine.error_count() + engine.warning_count() > 0 || !engine.sorted().empty();
  if (!anything) return "";
  if (diagnostics == ReportFormat::Json) return render_json(engine);
  const bool colored = want_color(color, ::isatty(STDERR_FILENO) == 1, std::getenv("NO_COLOR"));
  return render_text(engine, RenderOptions{.color = colored});
}

ExitCode Console::report(const DiagnosticEngine& engine) const {
  if (const std::vector<Diagnostic> all = engine.sorted(); flag_places && all.size() == 1)
    if (place_of_flag(*flag_places, all.front()).known()) return report(all.front());
  write_talk(rendered(engine));
  return engine.exit_code();
}

ExitCode Console::report(Diagnostic diagnostic) const {
  if (flag_places)
    if (const Location place = place_of_flag(*flag_places, diagnostic); place.known()) {
      diagnostic.at = place;
      return report(flag_places->table, std::move(diagnostic));
    }
  const LocationTable nowhere;
  return report(nowhere, std::move(diagnostic));
}

ExitCode Console::report(const LocationTable& locations, Diagnostic diagnostic) const {
  DiagnosticEngine engine(locations, 0);
  engine.emit(std::move(diagnostic));
  return report(engine);
}

Progress::Progress(std::string_view command) : shown_(is_watched_by_people()) {
  if (!shown_) return;
  watch_activities();
  ProgressLine::instance().start(command);
}

Progress::~Progress() {
  if (shown_) ProgressLine::instance().end();
}

}  // namespace mlgc
