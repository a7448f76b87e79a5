// mlgc diff: what differs between two modules, or between a module and what passes make of it.
#include <unistd.h>

#include <cstdlib>

#include "diag/kinds_driver.h"
#include "driver/arguments.h"
#include "driver/load.h"
#include "driver/model_flags.h"
#include "driver/pass_flags.h"
#include "inspect/difference_report.h"
#include "ops/numerics.h"
#include "ops/op_table.h"
#include "pass/pass_manager.h"
#include "support/file.h"
#include "verify/verify.h"

namespace mlgc {
namespace {

constexpr std::string_view kDiffExamples =
    "  mlgc diff before.mlir after.mlir                 what was removed, added, replaced, rewired, changed, moved\n"
    "  mlgc diff old.pt2 new.pt2 --format=json          the same of models, for programs\n"
    "  mlgc diff model.mlir -O2                         what passes make of a model, and which of them made it\n"
    "  mlgc diff model.mlir --rules=my.rules --dce      the same of rules\n"
    "Names of values and places in texts are no difference. Exit code 0: nothing differs, 4: something does.\n"
    "docs/inspecting.md describes what is said.\n";

struct DiffFlags {
  std::string before, after;
  std::optional<std::string> pipeline;
  Words pass_flags;
  Numerics numerics = Numerics::LikeEager;
  ReportFormat format = ReportFormat::Text;
  [[nodiscard]] bool passes() const { return !pass_flags.empty() || pipeline; }
};

std::optional<Diagnostic> check_flags(const DiffFlags& flags, bool numerics_given) {
  if (flags.passes() && !flags.after.empty())
    return diagnose<kFlagConflict>({}, flags.pipeline ? "--pass-pipeline" : flags.pass_flags.front(), flags.after);
  if (!flags.passes() && flags.after.empty())
    return diagnose<kBadFlag>(
        {}, "nothing to compare `" + flags.before + "` with: give a second model, or passes, as in `-O2`", "diff");
  if (!flags.passes() && numerics_given)
    return diagnose<kBadFlag>({}, "--numerics: it is about passes, and there are none", "diff");
  if (flags.before == "-" && flags.after == "-")
    return diagnose<kBadFlag>({}, "only one of the models can be standard input", "diff");
  return std::nullopt;
}

std::string passes_text(const DiffFlags& flags) {
  std::string out;
  for (const std::string& flag : flags.pass_flags) out += (out.empty() ? "" : " ") + flag;
  if (flags.pipeline) out += (out.empty() ? "" : " ") + *flags.pipeline;
  return out;
}

ExitCode diff(const Console& console, const DiffFlags& flags) {
  const std::shared_ptr<Context> context = make_context();
  DiagnosticEngine diagnostics(context->locations(), console.error_limit);
  Result<Pipeline, Diagnostic> pipeline = make_pipeline(flags.pass_flags, flags.pipeline, context->locations());
  if (!pipeline) return console.report(context->locations(), std::move(pipeline).error());
  const std::optional<Module> before = load_input(context, flags.before, diagnostics);
  if (!before) return console.report(diagnostics);
  DifferenceNames names{flags.before, flags.after, nullptr,
                        want_color(console.color, ::isatty(STDOUT_FILENO) == 1, std::getenv("NO_COLOR"))};
  std::optional<Module> after;
  std::optional<PassHistory> history;
  if (flags.passes()) {
    after = before;
    history.emplace(*before);
    PassManager manager(*context, {.numerics = flags.numerics, .verify = verify});
    manager.add(*history);
    if (!manager.run(*after, *pipeline, diagnostics)) return console.report(diagnostics);
    names.after = passes_text(flags);
    names.history = &*history;
  } else {
    after = load_input(context, flags.after, diagnostics);
    if (!after) return console.report(diagnostics);
  }
  const ModuleMatching matching(*before, *after);
  const ModuleDifference difference = find_difference(*before, *after, matching);
  const auto write = flags.format == ReportFormat::Json ? difference_json : difference_text;
  if (const Status<> written = write_product("-", write(*before, *after, matching, difference, names)); !written)
    diagnostics.emit(diagnose<kCannotWrite>({}, written.error()));
  const ExitCode reported = console.report(diagnostics);
  return reported != ExitCode::Ok || !difference.any() ? reported : ExitCode::Mismatch;
}

}  // namespace

ExitCode run_diff(const Words& words) {
  Arguments arguments("diff",
                      "Says what differs between two models, op by op, or between a model and what passes make of it.",
                      std::string(kDiffExamples) + levels_help());
  DiffFlags flags;
  arguments.add_positional("before", flags.before, "BEFORE", "Text of a module, or a model file; - is standard input",
                           true);
  arguments.add_positional("after", flags.after, "AFTER", "The other one; nothing where passes make it");
  arguments.add_value("--pass-pipeline", flags.pipeline, "TEXT", "Passes, which make the other one, with options");
  add_numerics_flag(arguments, flags.numerics, "What may change the rounding of floats, in passes");
  arguments.add_format_flag(flags.format, "--format", "How the report is written");
  arguments.add_diagnostic_flags();
  add_pass_flags(arguments, flags.pass_flags);
  if (const auto over = arguments.parse(words)) return *over;
  const Console& console = arguments.console();
  if (auto wrong = check_flags(flags, arguments.is_given("--numerics"))) return console.report(*std::move(wrong));
  return diff(console, flags);
}

}  // namespace mlgc
