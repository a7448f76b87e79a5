// See roofline_report.h.
#include "inspect/roofline_report.h"

#include <algorithm>
#include <vector>

#include "diag/json_writer.h"
#include "fusion/decide_fusion.h"
#include "fusion/typical_sizes.h"
#include "inspect/roofline_plot.h"
#include "machine/roof.h"

namespace mlgc {
namespace {

// A kernel, or all of a region, at the sizes that were asked for.
struct Amount {
  double operations = 0, bytes = 0, seconds = 0;
  [[nodiscard]] double intensity() const { return bytes > 0 ? operations / bytes : 0; }
};

class Roofline : GraphView {
 public:
  Roofline(const Module& module, const ViewOptions& options, const Machine& machine)
      : GraphView(module, options), machine_(machine), roof_(roof_of(machine)), decisions_(decide_fusion(module, {})) {}

  std::string text();
  std::string json();

 private:
  [[nodiscard]] Amount amount_of(const FusionGroup& kernel, OpRef at) {
    const IndexPool& index = context_.index();
    Amount out{typical_size(index, kernel.operations, facts_at(at)), typical_size(index, kernel.bytes, facts_at(at))};
    out.seconds = roof_.seconds(out.operations, out.bytes);
    return out;
  }
  [[nodiscard]] std::vector<Amount> amounts_of(const FusionRegion& region) {
    std::vector<Amount> out;
    for (std::size_t i = 0; i < region.kernel_count; ++i)
      out.push_back(amount_of(decisions_.kernels[region.first_kernel + i], function_of(region.region)));
    return out;
  }
  [[nodiscard]] static Amount sum(const std::vector<Amount>& amounts) {
    Amount out;
    for (const Amount& at : amounts) {
      out.operations += at.operations;
      out.bytes += at.bytes;
      out.seconds += at.seconds;
    }
    return out;
  }
  [[nodiscard]] std::string_view bound(const Amount& at) const {
    return at.bytes == 0 || at.intensity() >= roof_.ridge() ? "compute" : "memory";
  }
  [[nodiscard]] static std::string ops_of(const FusionGroup& kernel) {
    std::vector<std::string> names;
    for (const FusionGroup::Member& member : kernel.members)
      if (!member.copy) names.emplace_back(member.op.name());
    constexpr std::size_t kNamed = 6;
    const bool more = names.size() > kNamed;
    if (more) names.resize(kNamed);
    return joined(names, [](const std::string& name) { return name; }) + (more ? ", …" : "");
  }
  // The sizes that numbers were made with.
  [[nodiscard]] std::string sizes_text(const FusionRegion& region) {
    IndexPool& index = context_.index();
    IndexExpr all = index.constant(0);
    for (std::size_t i = 0; i < region.kernel_count; ++i) {
      const FusionGroup& kernel = decisions_.kernels[region.first_kernel + i];
      all = index.add(all, index.add(kernel.operations, kernel.bytes));
    }
    return at_typical_sizes(index, all, facts_at(function_of(region.region)));
  }
  [[nodiscard]] std::string plot(const std::vector<Amount>& amounts) const {
    std::vector<RooflinePoint> points;
    for (std::size_t i = 0; i < amounts.size(); ++i)
      if (const double intensity = amounts[i].intensity(); amounts[i].operations > 0)
        points.push_back({intensity, std::min(roof_.gflops, intensity * roof_.memory_gbs), roofline_mark(i)});
    return roofline_plot(roof_, points);
  }

  const Machine& machine_;
  Roof roof_;
  FusionDecisions decisions_;
};

std::string Roofline::text() {
  std::string out = machine_.name + ": " + short_number(roof_.gflops) + " GFLOP/s, " + short_number(roof_.memory_gbs) +
                    " GB/s, ridge at " + short_number(roof_.ridge()) + " operations a byte\n";
  for (const FusionRegion& region : decisions_.regions) {
    if (region.kernel_count == 0) continue;
    const std::vector<Amount> amounts = amounts_of(region);
    const Amount all = sum(amounts);
    const std::string inner = region_text(region.region);
    out += "\n" + paint("1", "@" + std::string(function_of(region.region).symbol())) +
           (inner.empty() ? "" : ", " + inner) + ": " + counted(region.kernel_count, "kernel") + ", " +
           amount_text(all.operations) + " operations, " + amount_text(all.bytes) + "B, " + time_text(all.seconds) +
           " at least" + sizes_text(region) + "\n";
    ReportTable table;
    table.rows.push_back({"kernel", "operations", "bytes", "a byte", "bound", "at least", "share", "ops"});
    for (std::size_t i = 0; i < amounts.size(); ++i)
      table.rows.push_back({std::to_string(region.first_kernel + i), amount_text(amounts[i].operations),
                            amount_text(amounts[i].bytes) + "B", short_number(amounts[i].intensity()),
                            std::string(bound(amounts[i])), time_text(amounts[i].seconds),
                            short_number(all.seconds > 0 ? 100 * amounts[i].seconds / all.seconds : 0) + " %",
                            ops_of(decisions_.kernels[region.first_kernel + i])});
    table.append_to(out, "  ");
    out += plot(amounts);
  }
  return out;
}

std::string Roofline::json() {
  JsonWriter out;
  out.member("version", kRooflineJsonVersion);
  const auto number = [&](std::string_view name, double value) { out.number(name, number_text(value)); };
  out.member("machine", machine_.name);
  number("gflops", roof_.gflops);
  number("memory_gbs", roof_.memory_gbs);
  number("ridge", roof_.ridge());
  out.objects("regions", decisions_.regions, [&](const FusionRegion& region) {
    out.member("function", function_of(region.region).symbol());
    out.member("region", region_text(region.region));
    const std::vector<Amount> amounts = amounts_of(region);
    std::vector<std::size_t> numbers(amounts.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = i;
    out.objects("kernels", numbers, [&](std::size_t i) {
      const FusionGroup& kernel = decisions_.kernels[region.first_kernel + i];
      out.member("kernel", region.first_kernel + i);
      out.objects("ops", kernel.members, [&](const FusionGroup::Member& at) {
        json_op(out, at.op);
        out.member("copy", at.copy);
      });
      number("operations", amounts[i].operations);
      number("bytes", amounts[i].bytes);
      number("intensity", amounts[i].intensity());
      out.member("bound", bound(amounts[i]));
      number("seconds", amounts[i].seconds);
    });
  });
  return out.take();
}

}  // namespace

std::string roofline_text(const Module& module, const ViewOptions& options, const Machine& machine) {
  return Roofline(module, options, machine).text();
}

std::string roofline_json(const Module& module, const ViewOptions& options, const Machine& machine) {
  return Roofline(module, options, machine).json();
}

}  // namespace mlgc
