// What every sub-command says and how: products on standard output, diagnostics and progress on standard error.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "diag/diagnostic.h"
#include "diag/render.h"
#include "support/result.h"

namespace mlgc {

enum class ReportFormat : std::uint8_t { Text, Json };

// Where the flags stand that --config read, by name (`--dim`).
struct FlagPlaces {
  LocationTable table;
  std::map<std::string, Location> at;
};

struct Console {
  ReportFormat diagnostics = ReportFormat::Text;
  ColorMode color = ColorMode::Auto;
  std::size_t error_limit = 20;
  // What is wrong with a flag of a file is said in its place there.
  std::shared_ptr<const FlagPlaces> flag_places = nullptr;

  // What the engine collected, as it is shown; empty when there is nothing to say.
  [[nodiscard]] std::string rendered(const DiagnosticEngine& engine) const;
  // Writes what the engine collected to standard error and returns its exit code. Nothing is written when there is
  // nothing to say.
  ExitCode report(const DiagnosticEngine& engine) const;
  // One diagnostic; without a table it has no place in a text.
  ExitCode report(Diagnostic diagnostic) const;
  ExitCode report(const LocationTable& locations, Diagnostic diagnostic) const;
};

// Standard error, unbuffered by us, so that its order with dumps of passes holds.
void write_talk(std::string_view text);

// Writes a product to `path` ("-" is standard output), whole or not at all. A broken pipe on standard output is not an
// error: whoever read has what they wanted.
[[nodiscard]] Status<> write_product(const std::string& path, std::string_view text);

// One line on standard error that says what this thread is doing (support/activity.h) and since when, once a second and
// only after one; gone while anything else is written, and at the end. Only where that is a terminal that people look
// at: not where TERM is dumb, and not in CI.
class Progress {
 public:
  explicit Progress(std::string_view command);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

 private:
  bool shown_;
};

}  // namespace mlgc
