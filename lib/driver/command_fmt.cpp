// mlgc fmt: texts with their comments, in one layout.
#include "diag/kinds_driver.h"
#include "driver/arguments.h"
#include "driver/load.h"
#include "text/format.h"

namespace mlgc {
namespace {

enum class FmtMode : std::uint8_t { Print, InPlace, Check };

ExitCode format_one(const Console& console, const std::string& path, FmtMode mode) {
  Result<NamedText, Diagnostic> read = read_text(path);
  if (!read) return console.report(std::move(read).error());
  LocationTable locations;
  const SourceFile& file = locations.add_source(std::move(read->name), std::move(read->text));
  DiagnosticEngine diagnostics(locations, console.error_limit);
  const std::optional<std::string> formatted = format_text(locations, file, diagnostics);
  if (!formatted) return console.report(diagnostics);
  const bool same = *formatted == file.text();
  if (mode == FmtMode::Check) return same ? ExitCode::Ok : console.report(diagnose<kNotFormatted>({}, file.name()));
  if (mode == FmtMode::InPlace && same) return ExitCode::Ok;
  const Status<> written = write_product(mode == FmtMode::InPlace ? path : "-", *formatted);
  return written ? ExitCode::Ok : console.report(diagnose<kCannotWrite>({}, written.error()));
}

}  // namespace

ExitCode run_fmt(const Words& words) {
  Arguments arguments("fmt", "Formats texts of modules; comments stay, only white space changes.",
                      "  mlgc fmt model.mlir                 prints the formatted text\n"
                      "  mlgc fmt -i ir-samples/*.mlir       rewrites files\n"
                      "  mlgc fmt --check ir-samples/*.mlir  exit code 1 when one is not formatted\n");
  std::vector<std::string> files;
  bool in_place = false, check = false;
  arguments.add_positional("files", files, "FILE…", "Texts; - or nothing: standard input");
  arguments.add_flag("-i,--in-place", in_place, "Rewrite the files");
  arguments.add_flag("--check", check, "Check: write nothing; name the files that are not formatted");
  arguments.add_diagnostic_flags();
  if (const auto over = arguments.parse(words)) return *over;
  const Console& console = arguments.console();
  if (in_place && check) return console.report(diagnose<kFlagConflict>({}, "--in-place", "--check"));
  if (files.empty()) files.emplace_back("-");
  const FmtMode mode = in_place ? FmtMode::InPlace : check ? FmtMode::Check : FmtMode::Print;
  ExitCode worst = ExitCode::Ok;
  for (const std::string& file : files) worst = std::max(worst, format_one(console, file, mode));
  return worst;
}

}  // namespace mlgc
