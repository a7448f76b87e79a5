// mlgc explain error: what a diagnostic means, what provokes it, and the repair.
#include "diag/examples.h"
#include "diag/kinds_driver.h"
#include "diag/kinds_text.h"
#include "diag/reference.h"
#include "diag/suggest.h"
#include "driver/arguments.h"

namespace mlgc {
namespace {

constexpr std::string_view kExplainErrorExamples =
    "  mlgc explain error unknown-op                 what it means, an example, and the repair\n"
    "  mlgc explain error --list                     every diagnostic in a line\n"
    "  mlgc explain error --list --format=json       for programs\n"
    "  mlgc opt model.mlir --diagnostics=json        `kind` is the ID of what is said\n"
    "docs/diagnostics.md holds the same.\n";

enum class ErrorFormat : std::uint8_t { Text, Markdown, Json };

}  // namespace

ExitCode run_explain_error(const Words& words) {
  Arguments arguments("explain error", "Says what a diagnostic means, what provokes it, and how to repair it.",
                      kExplainErrorExamples);
  std::vector<std::string> ids;
  bool list = false;
  ErrorFormat format = ErrorFormat::Text;
  arguments.add_positional("id", ids, "ID", "Diagnostics to explain: the `kind` that --diagnostics=json says");
  arguments.add_flag("--list", list, "Every diagnostic");
  arguments.add_choice<ErrorFormat>(
      "--format", format,
      {{"text", ErrorFormat::Text}, {"markdown", ErrorFormat::Markdown}, {"json", ErrorFormat::Json}},
      "How the report is written");
  arguments.add_diagnostic_flags();
  if (const auto over = arguments.parse(words)) return *over;
  const Console& console = arguments.console();
  if (list && !ids.empty()) return console.report(diagnose<kFlagConflict>({}, "--list", ids.front()));
  if (!list && ids.empty())
    return console.report(diagnose<kBadFlag>({}, "which diagnostic? --list lists them", "explain error"));
  std::vector<const DiagKind*> kinds;
  for (const std::string& id : ids) {
    const DiagKind* kind = find_kind(id);
    if (kind == nullptr) {
      Diagnostic diagnostic = diagnose<kUnknownName>({}, "diagnostic", id);
      std::vector<std::string_view> names;
      for (const DiagKind* known : all_kinds()) names.push_back(known->id);
      if (const auto best = closest_name(id, names)) diagnostic.add_note<kDidYouMean>({}, *best);
      return console.report(std::move(diagnostic));
    }
    kinds.push_back(kind);
  }
  if (list) kinds.assign(all_kinds().begin(), all_kinds().end());
  std::string text;
  if (format == ErrorFormat::Json) {
    text = kinds_json(kinds);
  } else if (format == ErrorFormat::Markdown) {
    text = kinds_markdown(kinds);
  } else if (list) {
    text = kinds_list(kinds);
  } else {
    for (const DiagKind* kind : kinds) text += (text.empty() ? "" : "\n") + kind_text(*kind);
  }
  const Status<> written = write_product("-", text);
  return written ? ExitCode::Ok : console.report(diagnose<kCannotWrite>({}, written.error()));
}

}  // namespace mlgc
