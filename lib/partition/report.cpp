// See report.h.
#include "partition/report.h"

#include <algorithm>
#include <map>
#include <utility>

#include "diag/json_writer.h"
#include "ir/walk.h"
#include "text/module_report.h"

namespace mlgc {

namespace {

struct SegmentData {
  std::vector<ReportedValue> inputs, outputs, weights;
  std::size_t constants = 0;
  IndexExpr constant_bytes;
};

class Report : ModuleReport {
 public:
  Report(const Module& module, const Registry& registry, const Partitioning& partitioning,
         const Dependences& dependences)
      : ModuleReport(module),
        registry_(registry),
        partitioning_(partitioning),
        regions_(partitioned_regions(module, partitioning, dependences)) {}

  std::string text(bool color);
  std::string json();

 private:
  [[nodiscard]] SegmentData data_of(const PartitionSegment& segment) const {
    SegmentData out;
    out.constant_bytes = context_.index().constant(0);
    for (const Value v : segment.inputs) out.inputs.push_back(reported(name(v), v.type()));
    for (const Value v : segment.outputs) out.outputs.push_back(reported(name(v), v.type()));
    for (const OpRef op : segment.copies) {
      if (op.is(GraphOp::Read)) {
        const auto symbol = context_.attributes().as_symbol(op.attr("symbol"));
        out.weights.push_back(reported("@" + std::string(symbol.value_or("")), op.result().type()));
      } else if (op.has_trait(Traits::Constant)) {
        ++out.constants;
        out.constant_bytes = context_.index().add(out.constant_bytes, bytes(op.result().type()));
      }
    }
    return out;
  }

  // All ops that count, those in regions too, each with how often.
  [[nodiscard]] std::vector<std::pair<std::string, std::size_t>> kinds(const PartitionSegment& segment) const {
    std::map<std::string_view, std::size_t> counts;
    const auto count = [&](OpRef root) {
      walk(root, [&](OpRef op) {
        const OpDef& def = op.def();
        const bool free = def.tier == Tier::Structural && def.operands.empty();
        if (op != segment.existing && !free && !op.has_trait(Traits::Terminator)) ++counts[def.name];
      });
    };
    if (segment.existing.valid()) count(segment.existing);
    for (const OpRef op : segment.ops) count(op);
    std::vector<std::pair<std::string, std::size_t>> out(counts.begin(), counts.end());
    std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    return out;
  }

  [[nodiscard]] std::size_t runs() const {
    std::size_t count = 0;
    for (const PartitionedRegion& region : regions_)
      for (const auto& part : region.parts) count += part.segment ? 0 : 1;
    return count;
  }

  void text_of_segment(std::string& out, std::size_t number);
  void text_of_run(std::string& out, const std::vector<std::size_t>& outside);
  void json_segment(JsonWriter& out, std::size_t number);
  void json_outside(JsonWriter& out, const OutsideOp& outside);

  const Registry& registry_;
  const Partitioning& partitioning_;
  std::vector<PartitionedRegion> regions_;
};

void Report::text_of_segment(std::string& out, std::size_t number) {
  constexpr std::size_t kMostKinds = 8;
  const PartitionSegment& segment = partitioning_.segments[number];
  const SegmentData data = data_of(segment);
  std::string ops;
  const auto all = kinds(segment);
  for (std::size_t i = 0; i < std::min(all.size(), kMostKinds); ++i)
    ops += (i > 0 ? ", " : "") + (all[i].second > 1 ? std::to_string(all[i].second) + " " : "") + all[i].first;
  if (all.size() > kMostKinds) ops += " and " + std::to_string(all.size() - kMostKinds) + " more kinds";
  out += "  " + paint("32", "segment " + std::to_string(number)) + ": " + counted(segment.op_count, "op") + " (" + ops +
         ")";
  if (segment.cost) out += ", cost " + number_text(*segment.cost);
  if (segment.existing.valid()) {
    const auto target = context_.attributes().as_string(segment.existing.attr("target"));
    out += ", there before, for " + std::string(target.value_or(""));
  }
  out += "\n";
  ReportTable table;
  const auto rows = [&](std::string_view label, const std::vector<ReportedValue>& items) {
    for (const ReportedValue& item : items)
      table.rows.push_back({std::string(label), item.name, item.type, bytes_text(item.bytes)});
  };
  rows("in", data.inputs);
  rows("out", data.outputs);
  rows("weight", data.weights);
  if (data.constants > 0)
    table.rows.push_back({"constants", std::to_string(data.constants), "", bytes_text(data.constant_bytes)});
  table.append_to(out, "    ");
}

void Report::text_of_run(std::string& out, const std::vector<std::size_t>& outside) {
  out += "  " + paint("33", "fallback") + ": " + counted(outside.size(), "op") + "\n";
  ReportTable table;
  for (const std::size_t i : outside) {
    const OutsideOp& at = partitioning_.outside[i];
    std::string why = at.reason.text;
    if (at.rule != nullptr) why += " (" + at.rule->name + ")";
    table.rows.push_back({names(at.op), std::string(at.op.name()), place(at.op), why});
  }
  table.append_to(out, "    ");
}

std::string Report::text(bool color) {
  color_ = color;
  const std::size_t outside = partitioning_.op_count - partitioning_.inside_count;
  std::string out = paint("1", registry_.target) + ": " + std::to_string(partitioning_.inside_count) + " of " +
                    counted(partitioning_.op_count, "op") + " (" +
                    share_text(partitioning_.inside_count, partitioning_.op_count) + ") in " +
                    counted(partitioning_.segments.size(), "segment") + ", " + std::to_string(outside) + " (" +
                    share_text(outside, partitioning_.op_count) + ") outside in " + counted(runs(), "run") + "\n";
  if (partitioning_.too_small > 0) out += counted(partitioning_.too_small, "segment") + " left apart: too few ops\n";
  if (partitioning_.untried > 0)
    out += counted(partitioning_.untried, "pair") + " of segments might be one: the search for an answer was ended\n";
  for (const PartitionedRegion& region : regions_) {
    IndexExpr in = context_.index().constant(0), crossing = in;
    for (const auto& part : region.parts) {
      if (!part.segment) continue;
      const SegmentData data = data_of(partitioning_.segments[*part.segment]);
      in = context_.index().add(in, sum(data.inputs));
      crossing = context_.index().add(crossing, sum(data.outputs));
    }
    const std::string inner = region_text(region.region);
    out += "\n" + paint("1", "@" + std::string(function_of(region.region).symbol())) +
           (inner.empty() ? "" : ", " + inner) + ": " + counted(region.parts.size(), "part") + ", " + bytes_text(in) +
           " into segments, " + bytes_text(crossing) + " out of them\n";
    for (const auto& part : region.parts)
      if (part.segment)
        text_of_segment(out, *part.segment);
      else
        text_of_run(out, part.outside);
  }
  if (!partitioning_.apart.empty()) out += "\n" + paint("1", "Not joined") + "\n";
  for (const SegmentsApart& apart : partitioning_.apart) {
    out += "  segment " + std::to_string(apart.from) + " and segment " + std::to_string(apart.to) + ": ";
    out += apart.witness.valid() ? names(apart.witness) + " = " + std::string(apart.witness.name()) + " (" +
                                       place(apart.witness) + ") lies between them: joined they would make a cycle\n"
                                 : "the search for a cycle was ended\n";
  }
  if (!partitioning_.misplaced.empty()) out += "\n" + paint("1", "In segments and not supported") + "\n";
  ReportTable table;
  for (const OutsideOp& at : partitioning_.misplaced)
    table.rows.push_back({names(at.op), std::string(at.op.name()), place(at.op), at.reason.text});
  table.append_to(out, "  ");
  return out;
}

void Report::json_segment(JsonWriter& out, std::size_t number) {
  const PartitionSegment& segment = partitioning_.segments[number];
  const SegmentData data = data_of(segment);
  out.member("segment", number);
  out.member("op_count", segment.op_count);
  if (segment.existing.valid()) {
    out.member("existing", true);
  }
  if (segment.cost) {
    out.number("cost", number_text(*segment.cost));
  }
  std::vector<OpRef> ops = segment.ops;
  if (segment.existing.valid())
    for (const OpRef op : segment.existing.region().ops())
      if (!op.has_trait(Traits::Terminator)) ops.push_back(op);
  out.objects("ops", ops, [&](OpRef op) { json_op(out, op); });
  json_values(out, "inputs", data.inputs);
  json_values(out, "outputs", data.outputs);
  json_values(out, "weights", data.weights);
  out.member("constants", data.constants);
  out.member("constant_bytes", context_.index().print(data.constant_bytes));
}

void Report::json_outside(JsonWriter& out, const OutsideOp& outside) {
  json_op(out, outside.op);
  out.member("code", reason_code_name(outside.reason.code));
  out.member("reason", outside.reason.text);
  if (outside.rule != nullptr) out.member("rule", outside.rule->name);
}

std::string Report::json() {
  JsonWriter out;
  out.member("version", kPartitionJsonVersion);
  out.member("target", registry_.target);
  out.member("op_count", partitioning_.op_count);
  out.member("inside", partitioning_.inside_count);
  out.member("outside", partitioning_.op_count - partitioning_.inside_count);
  out.member("segments", partitioning_.segments.size());
  out.member("runs", runs());
  out.member("too_small", partitioning_.too_small);
  out.member("untried", partitioning_.untried);
  out.objects("regions", regions_, [&](const PartitionedRegion& region) {
    out.member("function", function_of(region.region).symbol());
    out.member("region", region_text(region.region));
    out.objects("parts", region.parts, [&](const PartitionedRegion::Part& part) {
      if (part.segment) return json_segment(out, *part.segment);
      out.objects("fallback", part.outside, [&](std::size_t i) { json_outside(out, partitioning_.outside[i]); });
    });
  });
  out.objects("apart", partitioning_.apart, [&](const SegmentsApart& apart) {
    out.member("from", apart.from);
    out.member("to", apart.to);
    if (!apart.witness.valid()) return;
    out.object("through", [&] { json_op(out, apart.witness); });
  });
  out.objects("misplaced", partitioning_.misplaced, [&](const OutsideOp& at) { json_outside(out, at); });
  return out.take();
}

}  // namespace

std::string partition_text(const Module& module, const Registry& registry, const Partitioning& partitioning,
                           const Dependences& dependences, bool color) {
  return Report(module, registry, partitioning, dependences).text(color);
}

std::string partition_json(const Module& module, const Registry& registry, const Partitioning& partitioning,
                           const Dependences& dependences) {
  return Report(module, registry, partitioning, dependences).json();
}

}  // namespace mlgc
