// mlgc explain saved: of a function whose last results are gradients, which values forward saves for backward and which
// backward recomputes. Who splits such a function elsewhere, as AOTAutograd does, asks this first.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "diag/kinds_driver.h"
#include "driver/arguments.h"
#include "driver/load.h"
#include "driver/model_flags.h"
#include "interp/function_results.h"
#include "ops/op_table.h"
#include "rematerialize/choose.h"
#include "reports/recompute_report.h"
#include "text/module_report.h"

namespace mlgc {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kExplainSavedExamples =
    "  mlgc explain saved step.mlir --results=1                      the first result is the loss, the others "
    "gradients\n"
    "  mlgc explain saved joint.fx.json --results=2 --format=json    for programs: with the nodes of the graph\n"
    "  mlgc explain saved step.mlir --results=1 --recompute=cheap    fewer bytes, more time\n"
    "`mlgc grad --explain` shows the same of gradients that it derives, within a limit of memory "
    "(docs/gradients.md).\n";

struct SavedRow {
  Value value;
  std::string reason;  // empty: it is recomputed
};

// The node of the framework's graph that an op comes from; empty: none is known.
std::string node_of(const LocationTable& locations, Location at) {
  if (const OriginInfo origin = locations.origin_info(at); !origin.node.empty()) return std::string(origin.node);
  for (const Location child : locations.children(at))
    if (std::string node = node_of(locations, child); !node.empty()) return node;
  return "";
}

class SavedReport {
 public:
  SavedReport(const ForwardPart& part, const RecomputeChoice& choice)
      : part_(part), context_(part.function.op().module().context()) {
    const Recomputed chosen = choose_recomputed(part, choice);
    for (const auto& [value, reason] : chosen.kept) kept_.push_back({value, kept_reason_text(value, reason, choice)});
    std::sort(kept_.begin(), kept_.end(), [&](const SavedRow& a, const SavedRow& b) { return order(a) < order(b); });
    for (const ForwardOp& forward : part.ops)
      if (chosen.ops.contains(forward.op.id()))
        for (const Value value : forward.op.results()) recomputed_.push_back({value, ""});
  }

  [[nodiscard]] std::string text() const {
    return "saved for backward:" + (kept_.empty() ? " nothing\n" : "\n" + table(kept_)) +
           (recomputed_.empty() ? "" : "recomputed:\n" + table(recomputed_));
  }
  [[nodiscard]] std::string json() const {
    return Json{{"version", 1},
                {"function", std::string(part_.function.name())},
                {"saved", rows(kept_)},
                {"recomputed", rows(recomputed_)}}
               .dump(1) +
           "\n";
  }

 private:
  [[nodiscard]] std::uint32_t order(const SavedRow& row) const { return part_.number_of.at(row.value.definer().id()); }
  [[nodiscard]] std::string bytes(Value value) const {
    return context_.index().print(context_.storage_bytes(value.type()));
  }
  [[nodiscard]] std::string table(const std::vector<SavedRow>& rows) const {
    ReportTable table;
    for (const SavedRow& row : rows) {
      const OpRef op = row.value.definer();
      table.rows.push_back({"%" + std::string(row.value.name()), std::string(op.name()), bytes(row.value) + " bytes",
                            place_text(context_.locations(), op.location()), row.reason});
    }
    std::string out;
    table.append_to(out, "  ");
    return out;
  }
  [[nodiscard]] Json rows(const std::vector<SavedRow>& rows) const {
    Json out = Json::array();
    for (const SavedRow& row : rows) {
      const OpRef op = row.value.definer();
      Json one{{"value", std::string(row.value.name())}, {"op", std::string(op.name())}, {"bytes", bytes(row.value)}};
      if (const std::string node = node_of(context_.locations(), op.location()); !node.empty()) one["node"] = node;
      if (!row.reason.empty()) one["reason"] = row.reason;
      out.push_back(std::move(one));
    }
    return out;
  }

  const ForwardPart& part_;
  Context& context_;
  std::vector<SavedRow> kept_, recomputed_;
};

}  // namespace

ExitCode run_explain_saved(const Words& words) {
  Arguments arguments("explain saved", "Says which values a function saves for backward, and which it recomputes.",
                      kExplainSavedExamples);
  std::string input = "-", function_name;
  std::size_t results = 1;
  RecomputeChoice choice{Recompute::Fast, 1};
  ReportFormat format = ReportFormat::Text;
  std::vector<std::pair<std::string_view, Recompute>> levels;
  for (const std::string_view name : kRecomputeNames) levels.emplace_back(name, *find_recompute(name));
  add_module_argument(arguments, input);
  add_function_flag(arguments, function_name);
  arguments.add_value("--results", results, "N",
                      "How many of its results, the first ones, are not gradients (default: 1)");
  arguments.add_choice("--recompute", choice.what, levels,
                       "What backward recomputes. " + std::string(kRecomputeHelp) + " (default: fast)");
  arguments.add_value(
      "--segments", choice.segments, "N",
      "Segments of the forward computation: how many; only what is live between two is saved (default: 1)");
  arguments.add_format_flag(format, "--format", "How the report is written");
  arguments.add_diagnostic_flags();
  if (const auto over = arguments.parse(words)) return *over;
  const Console& console = arguments.console();
  if (choice.segments == 0)
    return console.report(diagnose<kBadFlag>({}, "--segments: it must be at least 1", "explain saved"));

  const std::shared_ptr<Context> context = make_context();
  DiagnosticEngine diagnostics(context->locations(), console.error_limit);
  const std::optional<Module> module = load_input(context, input, diagnostics);
  if (!module) return console.report(diagnostics);
  const FuncRef function = choose_function(*module, function_name, diagnostics);
  if (!function.valid()) return console.report(diagnostics);
  if (results > function.result_count())
    return console.report(diagnose<kBadFlag>(
        {}, "--results: @" + std::string(function.name()) + " has " + std::to_string(function.result_count()),
        "explain saved"));
  const ForwardPart part = forward_part(function, results);
  const SavedReport report(part, choice);
  const Status<> written = write_product("-", format == ReportFormat::Json ? report.json() : report.text());
  if (!written) diagnostics.emit(diagnose<kCannotWrite>({}, written.error()));
  return console.report(diagnostics);
}

}  // namespace mlgc
