// See console.h.
#include "driver/console.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "diag/kinds_driver.h"
#include "driver/log.h"
#include "support/file.h"

namespace mlgc {

void write_talk(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;  // nobody listens, and there is nowhere else to say so
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

Status<> write_product(const std::string& path, std::string_view text) {
  Status<> written = write_file(path, text);
  if (!written && path == "-" && errno == EPIPE) return {};
  if (written)
    log_info("wrote " + (path == "-" ? "standard output" : path) + ": " + std::to_string(text.size()) + " bytes");
  return written;
}

std::string Console::rendered(const DiagnosticEngine& engine) const {
  const bool anything = engine.error_count() + engine.warning_count() > 0 || !engine.sorted().empty();
  if (!anything) return "";
  if (diagnostics == ReportFormat::Json) return render_json(engine);
  const bool colored = want_color(color, ::isatty(STDERR_FILENO) == 1, std::getenv("NO_COLOR"));
  return render_text(engine, RenderOptions{.color = colored});
}

ExitCode Console::report(const DiagnosticEngine& engine) const {
  write_talk(rendered(engine));
  return engine.exit_code();
}

ExitCode Console::report(Diagnostic diagnostic) const {
  const LocationTable nowhere;
  return report(nowhere, std::move(diagnostic));
}

ExitCode Console::report(const LocationTable& locations, Diagnostic diagnostic) const {
  DiagnosticEngine engine(locations, 0);
  engine.emit(std::move(diagnostic));
  return report(engine);
}

Progress::Progress(std::string_view what) : shown_(::isatty(STDERR_FILENO) == 1) { update(what); }

void Progress::update(std::string_view what) const {
  if (shown_) write_talk("\r\x1b[2Kmlgc: " + std::string(what) + " …");
}

Progress::~Progress() {
  if (shown_) write_talk("\r\x1b[2K");
}

}  // namespace mlgc
