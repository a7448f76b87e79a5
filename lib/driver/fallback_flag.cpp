// See fallback_flag.h.
#include "driver/fallback_flag.h"

#include "diag/kinds_driver.h"
#include "diag/kinds_import.h"
#include "import/import_model.h"
#include "ops/op_table.h"

namespace mlgc {

void add_fallback_flags(Arguments& arguments, FallbackFlags& flags) {
  arguments.add_choice<Fallback>("--fallback", flags.mode,
                                 {{"error", Fallback::Error}, {"warn", Fallback::Warn}, {"allow", Fallback::Allow}},
                                 "Operators of a model that have no form here: an error, or calls of PyTorch");
  arguments.add_value("--fallback-report", flags.report, "FILE",
                      "Which operators became calls, or would have with --fallback=error, why, and what they cost: "
                      "text, or JSON in a .json file");
  arguments.needs("--fallback-report", "--fallback");
}

ExitCode write_fallback_report(const Console& console, const FallbackFlags& flags, const FallbackLedger& ledger) {
  if (flags.report.empty()) return ExitCode::Ok;
  const bool json = flags.report.ends_with(".json");
  const Status<> written = write_product(flags.report, json ? render_json(ledger) : render_text(ledger));
  return written ? ExitCode::Ok : console.report(diagnose<kCannotWrite>({}, written.error()));
}

ExitCode write_refused_report(const Console& console, const FallbackFlags& flags, std::span<const std::string> paths,
                              ImportOptions options) {
  if (flags.report.empty() || flags.mode != Fallback::Error) return ExitCode::Ok;
  options.fallback = Fallback::Allow;
  const std::shared_ptr<Context> context = make_context();
  DiagnosticEngine unheard(context->locations());
  FallbackLedger ledger;
  for (const std::string& path : paths) {
    const std::optional<ImportedModel> model = import_model(context, path, options, unheard);
    if (!model) return console.report(diagnose<kNoFallbackReport>({}, flags.report));
    ledger.add(model->fallback, context->index());
  }
  return write_fallback_report(console, flags, ledger);
}

}  // namespace mlgc
