// mlgc explain import: which nodes of a graph of torch.fx come in, in which convex segments, and why the others do not.
// What runs a graph with another system beside mlgc asks this before it compiles.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <queue>
#include <ranges>

#include "diag/json_writer.h"
#include "diag/kinds_driver.h"
#include "diag/render.h"
#include "driver/arguments.h"
#include "import/fx/import_fx.h"
#include "ir/walk.h"
#include "ops/op_table.h"
#include "partition/convex_segments.h"
#include "partition/registry.h"
#include "text/module_report.h"

namespace mlgc {

namespace {

constexpr std::string_view kExplainImportExamples =
    "  mlgc explain import model.fx.json                         each node that does not come in, with its reason\n"
    "  mlgc explain import model.fx.json --format=json           the parts of the graph in order, for programs\n"
    "  mlgc explain import model.fx.json --registry=accel.json   only what a target computes counts as coming in\n"
    "scripts/export_fx.py writes such files; docs/importing.md describes them.\n";

// What runs together: a segment, or nodes outside of all that can run one after another.
struct GraphPart {
  std::optional<std::uint32_t> segment;
  std::vector<std::size_t> nodes;  // in the order of the graph
};

// Parts in an order in which they can run: of those that can be next, a node outside comes before a segment, and what
// comes earlier in the graph goes first.
std::vector<GraphPart> parts_in_order(const std::vector<FxVerdict>& verdicts, const Segmentation& cut) {
  // One number for a segment, one for a node outside.
  std::vector<std::size_t> group_of(verdicts.size());
  std::vector<GraphPart> groups(cut.count);
  for (std::uint32_t i = 0; i < cut.count; ++i) groups[i].segment = i;
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    group_of[i] = cut.segment_of[i] == kNoSegment ? groups.size() : cut.segment_of[i];
    if (cut.segment_of[i] == kNoSegment) groups.emplace_back();
    groups[group_of[i]].nodes.push_back(i);
  }
  std::vector<std::vector<std::size_t>> readers(groups.size());
  std::vector<std::size_t> waits(groups.size());
  for (std::size_t i = 0; i < verdicts.size(); ++i)
    for (const std::size_t from : verdicts[i].operands)
      if (group_of[from] != group_of[i]) {
        readers[group_of[from]].push_back(group_of[i]);
        ++waits[group_of[i]];
      }
  const auto later = [&](std::size_t a, std::size_t b) {
    return std::make_pair(groups[a].segment.has_value(), groups[a].nodes.front()) >
           std::make_pair(groups[b].segment.has_value(), groups[b].nodes.front());
  };
  std::priority_queue<std::size_t, std::vector<std::size_t>, decltype(later)> ready(later);
  for (std::size_t i = 0; i < groups.size(); ++i)
    if (waits[i] == 0) ready.push(i);
  std::vector<GraphPart> ordered;
  while (!ready.empty()) {
    const std::size_t group = ready.top();
    ready.pop();
    if (!ordered.empty() && !ordered.back().segment && !groups[group].segment)
      ordered.back().nodes.push_back(groups[group].nodes.front());
    else
      ordered.push_back(groups[group]);
    for (const std::size_t reader : readers[group])
      if (--waits[reader] == 0) ready.push(reader);
  }
  return ordered;
}

// The parts as a table for people, and as JSON for programs.
class ImportReport {
 public:
  ImportReport(const Context& context, const std::vector<FxVerdict>& verdicts, const std::vector<GraphPart>& parts)
      : context_(context), verdicts_(verdicts), parts_(parts) {}

  [[nodiscard]] std::string text(bool color) const {
    std::size_t outside = 0, segments = 0;
    for (const GraphPart& part : parts_) {
      segments += part.segment ? 1 : 0;
      outside += part.segment ? 0 : part.nodes.size();
    }
    const std::size_t inside = verdicts_.size() - outside;
    std::string out = std::to_string(inside) + " of " + counted(verdicts_.size(), "node") + " (" +
                      share_text(inside, verdicts_.size()) + ") in " + counted(segments, "segment") + ", " +
                      std::to_string(outside) + " outside\n";
    for (const GraphPart& part : parts_) {
      if (part.segment) {
        out += "segment " + std::to_string(*part.segment) + ": " + counted(part.nodes.size(), "node") + " (" +
               verdicts_[part.nodes.front()].node + " to " + verdicts_[part.nodes.back()].node + ")\n";
        continue;
      }
      out += "outside: " + counted(part.nodes.size(), "node") + "\n";
      ReportTable table;
      for (const std::size_t i : part.nodes)
        table.rows.push_back({verdicts_[i].node, verdicts_[i].target, place_text(context_.locations(), verdicts_[i].at),
                              color ? "\x1b[33m" + verdicts_[i].reason + "\x1b[0m" : verdicts_[i].reason});
      table.append_to(out, "  ");
    }
    return out;
  }

  [[nodiscard]] std::string json() const {
    JsonWriter out;
    out.member("version", 1);
    out.objects_by_lines("parts", parts_, [&](const GraphPart& part) {
      if (part.segment) {
        out.member("segment", *part.segment);
        out.strings("nodes", part.nodes | std::views::transform(
                                              [&](std::size_t i) -> std::string_view { return verdicts_[i].node; }));
      } else {
        out.objects("outside", part.nodes, [&](std::size_t i) { outside(out, verdicts_[i]); });
      }
    });
    return out.take();
  }

 private:
  void outside(JsonWriter& out, const FxVerdict& verdict) const {
    out.member("node", verdict.node);
    out.member("target", verdict.target);
    out.member("reason", verdict.reason);
    if (const auto position = context_.locations().primary_position(verdict.at)) {
      out.member("file", position->file);
      out.member("line", position->line);
    }
  }

  const Context& context_;
  const std::vector<FxVerdict>& verdicts_;
  const std::vector<GraphPart>& parts_;
};

// Why the rules of a registry, or what no segment may hold, forbid an op or one inside of it; empty: nothing does.
std::string refused_by(const Registry& registry, OpRef root) {
  std::string reason;
  walk(root, [&](OpRef op) {
    const bool free = op.def().tier == Tier::Structural && op.def().operands.empty();
    if (free || op.has_trait(Traits::Terminator) || op.has_trait(Traits::Constant)) return WalkResult::Continue;
    const Registry::Decision decision = registry.decide(op, {}, /*explain=*/true);
    if (decision.supported) return WalkResult::Continue;
    reason = registry.target + ": " + decision.reason.text;
    return WalkResult::Stop;
  });
  return reason;
}

}  // namespace

ExitCode run_explain_import(const Words& words) {
  Arguments arguments(
      "explain import",
      "Says which nodes of a graph of torch.fx come in, in which convex segments, and why the others do\n"
      "not. An operand that is computed outside has the type that the file records for it.",
      kExplainImportExamples);
  std::string input, registry_path;
  ReportFormat format = ReportFormat::Text;
  arguments.add_positional("module", input, "FILE", "FX JSON", true);
  arguments.add_value("--registry", registry_path, "FILE", "What the target supports; without it all that comes in is");
  arguments.add_format_flag(format, "--format", "How the report is written");
  arguments.add_diagnostic_flags();
  if (const auto over = arguments.parse(words)) return *over;
  const Console& console = arguments.console();
  const std::shared_ptr<Context> context = make_context();
  DiagnosticEngine diagnostics(context->locations(), console.error_limit);
  const auto registry = registry_path.empty() ? nullptr : read_registry(*context, registry_path, diagnostics);
  if (!registry && !registry_path.empty()) return console.report(diagnostics);
  const auto verdicts = fx_verdicts(
      context, input, [&](OpRef op) { return registry ? refused_by(*registry, op) : std::string(); }, diagnostics);
  if (!verdicts) return console.report(diagnostics);
  SegmentGraph graph;
  for (std::size_t i = 0; i < verdicts->size(); ++i) {
    graph.nodes.push_back((*verdicts)[i].reason.empty() ? SegmentNode::Supported : SegmentNode::Other);
    for (const std::size_t from : (*verdicts)[i].operands)
      graph.edges.emplace_back(static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(i));
  }
  const std::vector<GraphPart> parts = parts_in_order(*verdicts, find_segments(graph));
  const ImportReport report(*context, *verdicts, parts);
  const bool color = want_color(console.color, ::isatty(STDOUT_FILENO) == 1, std::getenv("NO_COLOR"));
  const Status<> written = write_product("-", format == ReportFormat::Json ? report.json() : report.text(color));
  if (!written) diagnostics.emit(diagnose<kCannotWrite>({}, written.error()));
  return console.report(diagnostics);
}

}  // namespace mlgc
