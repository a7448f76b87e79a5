// See fusion_report.h.
#include "fusion/fusion_report.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <optional>
#include <span>
#include <unordered_set>
#include <utility>

#include "diag/json_writer.h"
#include "fusion/fusion_patterns.h"
#include "fusion/typical_sizes.h"
#include "ir/function_facts.h"
#include "text/module_report.h"

namespace mlgc {

namespace {

// What a kernel reads, by where it comes from: an argument or another kernel, a weight, a state, a constant.
struct KernelData {
  std::map<std::string_view, std::vector<ReportedValue>> read;
  std::vector<ReportedValue> written;
};
constexpr std::array<std::string_view, 4> kOrigins{"input", "weight", "state", "constant"};

class Report : ModuleReport {
 public:
  Report(const Module& module, const FusionDecisions& decisions)
      : ModuleReport(module), module_(module), decisions_(decisions) {
    for (const FusionGroup& kernel : decisions.kernels)
      for (const FusionGroup::Member& member : kernel.members) in_kernels_.insert(member.op.id());
  }

  std::string text(bool color);
  std::string json();

 private:
  [[nodiscard]] std::span<const FusionGroup> kernels(const FusionRegion& region) const {
    return std::span(decisions_.kernels).subspan(region.first_kernel, region.kernel_count);
  }
  [[nodiscard]] std::span<const FusionEdge> edges(const FusionRegion& region) const {
    return std::span(decisions_.edges).subspan(region.first_edge, region.edge_count);
  }
  static std::size_t fused_count(std::span<const FusionEdge> edges) {
    return static_cast<std::size_t>(
        std::count_if(edges.begin(), edges.end(), [](const FusionEdge& edge) { return is_fused(edge.reason); }));
  }
  [[nodiscard]] IndexExpr kernel_bytes(const FusionRegion& region) const {
    IndexExpr out = context_.index().constant(0);
    for (const FusionGroup& kernel : kernels(region)) out = context_.index().add(out, kernel.bytes);
    return out;
  }
  [[nodiscard]] KernelData data_of(const FusionGroup& kernel) const;
  [[nodiscard]] std::vector<std::string> rows(const FusionGroup& kernel) const {
    std::vector<std::string> out;
    for (const AtomId label : kernel.shape.rows) out.push_back(context_.index().print(context_.index().atom(label).a));
    return out;
  }
  // Of a ratio of a to b: the sizes that it was made with; empty for an exact one.
  [[nodiscard]] std::string sizes_text(const SizeRatio& ratio, IndexExpr a, IndexExpr b) {
    return ratio.exact ? "" : at_typical_sizes(context_.index(), context_.index().add(a, b), facts_);
  }

  void text_of_kernel(std::string& out, std::size_t number);
  void text_of_edges(std::string& out, std::span<const FusionEdge> edges);
  void text_of_patterns(std::string& out, const FusionRegion& region) const;
  [[nodiscard]] static std::string direction(const FusionPattern& pattern) {
    return pattern.horizontal ? "horizontal" : "vertical";
  }
  void json_kernel(JsonWriter& out, std::size_t number);
  void json_edge(JsonWriter& out, const FusionEdge& edge);

  const Module& module_;
  const FusionDecisions& decisions_;
  std::unordered_set<OpId> in_kernels_;
  FunctionFacts function_facts_;
  Facts facts_;  // of the region at hand
};

KernelData Report::data_of(const FusionGroup& kernel) const {
  KernelData out;
  for (const Value v : kernel.inputs) {
    // A view of a weight is the weight's memory.
    OpRef from = v.definer();
    while (from.valid() && from.operand_count() == 1 && from.region_count() == 0 && !in_kernels_.contains(from.id()))
      from = from.operand(0).definer();
    std::string_view origin = "input";
    std::string what = name(v);
    if (from.valid() && from.is(GraphOp::Read)) {
      const std::string_view symbol = context_.attributes().as_symbol(from.attr("symbol")).value_or("");
      origin = module_.lookup(symbol).is(GraphOp::State) ? "state" : "weight";
      what = "@" + std::string(symbol);
    } else if (from.valid() && from.has_trait(Traits::Constant)) {
      origin = "constant";
    }
    out.read[origin].push_back(reported(std::move(what), v.type()));
  }
  for (const Value v : kernel.outputs) out.written.push_back(reported(name(v), v.type()));
  return out;
}

void Report::text_of_kernel(std::string& out, std::size_t number) {
  const FusionGroup& kernel = decisions_.kernels[number];
  const KernelData data = data_of(kernel);
  std::string ops;
  for (const FusionGroup::Member& member : kernel.members)
    if (!member.op.has_trait(Traits::Constant) && !member.op.is(GraphOp::Dim))
      ops += (ops.empty() ? "" : ", ") + std::string(member.op.name());
  out += "  " + paint("32", "kernel " + std::to_string(number)) + ": " + std::string(kernel.shape.kind()) + ", " +
         counted(kernel.op_count(), "op") + " (" + ops + ")";
  std::string extents;
  for (const std::string& extent : rows(kernel)) extents += (extents.empty() ? "" : " x ") + extent;
  if (!extents.empty()) out += ", rows " + extents;
  out += "\n";
  ReportTable table;
  for (const std::string_view origin : kOrigins)
    if (const auto found = data.read.find(origin); found != data.read.end())
      for (const ReportedValue& v : found->second)
        table.rows.push_back({std::string(origin), v.name, v.type, bytes_text(v.bytes)});
  for (const ReportedValue& v : data.written) table.rows.push_back({"output", v.name, v.type, bytes_text(v.bytes)});
  table.append_to(out, "    ");
  const SizeRatio intensity = typical_ratio(context_.index(), kernel.operations, kernel.bytes, facts_);
  out += "    " + context_.index().print(kernel.operations) + " operations on " + bytes_text(kernel.bytes) + ": " +
         short_number(intensity.value) + " a byte" + sizes_text(intensity, kernel.operations, kernel.bytes) + "\n";
}

void Report::text_of_edges(std::string& out, std::span<const FusionEdge> edges) {
  if (edges.empty()) return;
  out += "  uses: " + std::to_string(fused_count(edges)) + " of " + std::to_string(edges.size()) + " fused\n";
  ReportTable table;
  for (const FusionEdge& edge : edges) {
    const bool fused = is_fused(edge.reason);
    std::string why =
        std::string(fusion_reason_name(edge.reason)) + ": " + std::string(fusion_reason_text(edge.reason));
    if (const std::string_view remedy = fusion_reason_remedy(edge.reason); !remedy.empty())
      why += "; needs " + std::string(remedy);
    const bool free = context_.index().as_constant(edge.bytes) == 0;
    table.rows.push_back({paint(fused ? "32" : "33", fused ? "fused" : "apart"),
                          name(edge.consumer.operand(edge.operand)) + " of " + std::string(edge.producer.name()),
                          "by " + names(edge.consumer) + " = " + std::string(edge.consumer.name()),
                          free ? "" : bytes_text(edge.bytes) + (fused ? " saved" : " lost"), why});
  }
  table.append_to(out, "    ");
}

void Report::text_of_patterns(std::string& out, const FusionRegion& region) const {
  const std::vector<FusionPattern> patterns = fusion_patterns(decisions_, region);
  if (patterns.empty()) return;
  out += "  patterns:\n";
  ReportTable table;
  for (const FusionPattern& pattern : patterns)
    table.rows.push_back(
        {pattern.ops, direction(pattern), counted(pattern.kernels, "kernel"), bytes_text(pattern.saved) + " saved"});
  table.append_to(out, "    ");
}

std::string Report::text(bool color) {
  color_ = color;
  std::size_t views = 0, others = 0, ops = 0;
  for (const FusionRegion& region : decisions_.regions) {
    views += region.views;
    others += region.others;
  }
  for (const FusionGroup& kernel : decisions_.kernels) ops += kernel.op_count();
  std::string out = counted(decisions_.kernels.size(), "kernel") + " of " + counted(ops, "op") + ", " +
                    counted(views, "view") + ", " + counted(others, "op") + " in no kernel; " +
                    std::to_string(fused_count(decisions_.edges)) + " of " + counted(decisions_.edges.size(), "use") +
                    " fused\n";
  for (const FusionRegion& region : decisions_.regions) {
    facts_ = function_facts_.of(function_of(region.region));
    const IndexExpr fused = kernel_bytes(region);
    const std::string inner = region_text(region.region);
    const SizeRatio saved = typical_ratio(context_.index(), region.bytes_alone, fused, facts_);
    out += "\n" + paint("1", "@" + std::string(function_of(region.region).symbol())) +
           (inner.empty() ? "" : ", " + inner) + ": " + counted(region.kernel_count, "kernel") + ", " +
           bytes_text(fused) + "; each op alone: " + counted(region.kernels_alone, "kernel") + ", " +
           bytes_text(region.bytes_alone);
    if (saved.value > 1)
      out += ", " + short_number(saved.value) + " times as many" + sizes_text(saved, region.bytes_alone, fused);
    out += "\n";
    for (std::size_t i = 0; i < region.kernel_count; ++i) text_of_kernel(out, region.first_kernel + i);
    text_of_edges(out, edges(region));
    text_of_patterns(out, region);
  }
  return out;
}

void Report::json_kernel(JsonWriter& out, std::size_t number) {
  const FusionGroup& kernel = decisions_.kernels[number];
  KernelData data = data_of(kernel);
  out.member("kernel", number);
  out.member("kind", kernel.shape.kind());
  out.objects("ops", kernel.members, [&](const FusionGroup::Member& at) {
    json_op(out, at.op);
    out.member("copy", at.copy);
  });
  out.strings("rows", rows(kernel));
  json_values(out, "inputs", data.read["input"]);
  json_values(out, "weights", data.read["weight"]);
  json_values(out, "states", data.read["state"]);
  json_values(out, "constants", data.read["constant"]);
  json_values(out, "outputs", data.written);
  out.member("bytes", context_.index().print(kernel.bytes));
  out.member("operations", context_.index().print(kernel.operations));
  const SizeRatio intensity = typical_ratio(context_.index(), kernel.operations, kernel.bytes, facts_);
  out.number("intensity", short_number(intensity.value));
  out.member("exact", intensity.exact);
}

void Report::json_edge(JsonWriter& out, const FusionEdge& edge) {
  out.object("producer", [&] { json_op(out, edge.producer); });
  out.object("consumer", [&] { json_op(out, edge.consumer); });
  out.member("operand", edge.operand);
  out.member("value", name(edge.consumer.operand(edge.operand)));
  out.member("fused", is_fused(edge.reason));
  out.member("reason", fusion_reason_name(edge.reason));
  out.member("text", fusion_reason_text(edge.reason));
  if (!fusion_reason_remedy(edge.reason).empty()) out.member("needs", fusion_reason_remedy(edge.reason));
  out.member("bytes", context_.index().print(edge.bytes));
}

std::string Report::json() {
  JsonWriter out;
  out.member("version", kFusionJsonVersion);
  out.member("kernels", decisions_.kernels.size());
  out.member("edges", decisions_.edges.size());
  out.member("fused", fused_count(decisions_.edges));
  out.objects("regions", decisions_.regions, [&](const FusionRegion& region) {
    facts_ = function_facts_.of(function_of(region.region));
    const IndexExpr fused = kernel_bytes(region);
    out.member("function", function_of(region.region).symbol());
    out.member("region", region_text(region.region));
    out.member("views", region.views);
    out.member("others", region.others);
    out.member("bytes", context_.index().print(fused));
    out.member("kernels_alone", region.kernels_alone);
    out.member("bytes_alone", context_.index().print(region.bytes_alone));
    out.objects("typical", typical_symbols(context_.index(), context_.index().add(fused, region.bytes_alone), facts_),
                [&](const auto& at) {
                  out.member("size", at.first);
                  out.member("value", static_cast<std::size_t>(at.second));
                });
    std::vector<std::size_t> numbers(region.kernel_count);
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = region.first_kernel + i;
    out.objects("kernels", numbers, [&](std::size_t number) { json_kernel(out, number); });
    out.objects("edges", edges(region), [&](const FusionEdge& edge) { json_edge(out, edge); });
    out.objects("patterns", fusion_patterns(decisions_, region), [&](const FusionPattern& pattern) {
      out.member("ops", pattern.ops);
      out.member("direction", direction(pattern));
      out.member("kernels", pattern.kernels);
      out.member("saved", context_.index().print(pattern.saved));
    });
  });
  return out.take();
}

}  // namespace

std::string fusion_text(const Module& module, const FusionDecisions& decisions, bool color) {
  return Report(module, decisions).text(color);
}

std::string fusion_json(const Module& module, const FusionDecisions& decisions) {
  return Report(module, decisions).json();
}

}  // namespace mlgc
