// See residual_report.h.
#include "inspect/residual_report.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "diag/json_writer.h"
#include "inspect/residual.h"
#include "ir/walk.h"

namespace mlgc {
namespace {

constexpr std::size_t kNamedOps = 8;  // of a body

class ResidualReport : GraphView {
 public:
  using GraphView::GraphView;

  std::string text() {
    std::string out;
    for_each_region([&](RegionRef region, const DataFlow& flow, const std::vector<ResidualConnection>& found) {
      if (region.parent_op().is(GraphOp::Func) || !found.empty()) text_of(out, region, flow, found);
    });
    return out;
  }

  std::string json() {
    JsonWriter out;
    out.member("version", kResidualJsonVersion);
    std::vector<RegionRef> regions;
    for_each_region([&](RegionRef region, const DataFlow&, const std::vector<ResidualConnection>& found) {
      if (region.parent_op().is(GraphOp::Func) || !found.empty()) regions.push_back(region);
    });
    out.objects("regions", regions, [&](RegionRef region) {
      const DataFlow flow(region);
      out.member("function", function_of(region).symbol());
      out.member("region", region_text(region));
      out.objects("connections", find_residuals(flow), [&](const ResidualConnection& at) {
        out.object("join", [&] { json_op(out, at.join); });
        out.member("from", name(flow.value_of(at.from)));
        out.member("shortcut", shortcut_name(at.shortcut));
        out.objects("short_path", at.short_path, [&](OpRef op) { json_op(out, op); });
        out.objects("body", at.body, [&](OpRef op) { json_op(out, op); });
      });
    });
    return out.take();
  }

 private:
  static std::string_view shortcut_name(Shortcut shortcut) {
    return shortcut == Shortcut::Identity ? "identity" : "projection";
  }

  template <class Visit>
  void for_each_region(Visit&& visit) {
    walk(module_, [&](OpRef op) {
      if (op.is(GraphOp::Weight)) return WalkResult::Skip;
      for (const RegionRef region : op.regions()) {
        const DataFlow flow(region);
        visit(region, flow, find_residuals(flow));
      }
      return WalkResult::Continue;
    });
  }

  [[nodiscard]] static std::string path_text(const std::vector<OpRef>& path) {
    std::vector<OpRef> named(path.begin(),
                             path.begin() + static_cast<std::ptrdiff_t>(std::min(path.size(), kNamedOps)));
    return counted(path.size(), "op") + " (" + joined(named, [](OpRef op) { return std::string(op.name()); }) +
           (path.size() > kNamedOps ? ", …)" : ")");
  }

  void text_of(std::string& out, RegionRef region, const DataFlow& flow, const std::vector<ResidualConnection>& found) {
    if (!out.empty()) out += "\n";
    const std::string inner = region_text(region);
    out += paint("1", "@" + std::string(function_of(region).symbol())) + (inner.empty() ? "" : ", " + inner) + ": " +
           counted(found.size(), "residual connection") + "\n";
    ReportTable table;
    for (const ResidualConnection& at : found)
      table.rows.push_back({names(at.join) + " = " + std::string(at.join.name()),
                            "from " + origin(flow.value_of(at.from)), "over " + path_text(at.body),
                            at.shortcut == Shortcut::Identity ? "identity" : "projection, " + path_text(at.short_path),
                            place(at.join)});
    table.append_to(out, "  ");
  }
};

}  // namespace

std::string residual_text(const Module& module, const ViewOptions& options) {
  return ResidualReport(module, options).text();
}

std::string residual_json(const Module& module, const ViewOptions& options) {
  return ResidualReport(module, options).json();
}

}  // namespace mlgc
