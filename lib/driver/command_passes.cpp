// mlgc passes: what the rows of the table of passes say, for people and for programs.
#include "diag/kinds_driver.h"
#include "diag/kinds_text.h"
#include "diag/suggest.h"
#include "driver/arguments.h"
#include "pass/reference.h"
#include "transforms/all_passes.h"

namespace mlgc {

ExitCode run_passes(const Words& words) {
  Arguments arguments("passes", "Describes the passes: all of them in a line each, or the named ones in full.",
                      "  mlgc passes                         every pass with one line\n"
                      "  mlgc passes dce --format=markdown   options, statistics, example\n"
                      "  mlgc opt model.mlir --dce           runs one\n");
  std::vector<std::string> names;
  std::optional<ReferenceFormat> format;
  arguments.add_positional("pass", names, "NAME", "Passes to describe");
  arguments.add_choice<std::optional<ReferenceFormat>>(
      "--format", format,
      {{"text", ReferenceFormat::Text}, {"markdown", ReferenceFormat::Markdown}, {"json", ReferenceFormat::Json}},
      "How the report is written; a named pass is described in Markdown");
  arguments.add_diagnostic_flags();
  if (const auto over = arguments.parse(words)) return *over;

  std::vector<const PassDef*> passes;
  for (const std::string& name : names) {
    const PassDef* pass = find_pass(all_passes(), name);
    if (pass == nullptr) {
      Diagnostic diagnostic = diagnose<kUnknownName>({}, "pass", name);
      std::vector<std::string_view> known;
      for (const PassDef* def : all_passes()) known.push_back(def->name);
      if (const auto best = closest_name(name, known)) diagnostic.add_note<kDidYouMean>({}, *best);
      return arguments.console().report(std::move(diagnostic));
    }
    passes.push_back(pass);
  }
  const std::span<const PassDef* const> shown = names.empty() ? all_passes() : std::span<const PassDef* const>(passes);
  const ReferenceFormat used = format.value_or(names.empty() ? ReferenceFormat::Text : ReferenceFormat::Markdown);
  const Status<> written = write_product("-", passes_reference(shown, used));
  return written ? ExitCode::Ok : arguments.console().report(diagnose<kCannotWrite>({}, written.error()));
}

}  // namespace mlgc
