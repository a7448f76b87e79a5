// The report as a picture: a logarithmic axis of time, one column for each configuration.
#include <algorithm>
#include <array>
#include <cmath>

#include "bench/report.h"

namespace mlgc::bench {
namespace {

constexpr double kLeft = 80, kTop = 20, kHeight = 360, kColumn = 110, kLegend = 140;
constexpr std::array<const char*, 9> kColours{"#1b6ca8", "#d1495b", "#66a182", "#edae49", "#775b9e",
                                              "#444444", "#00798c", "#b56576", "#8d6a3f"};

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  return out;
}

std::string text_at(double x, double y, const std::string& anchor, std::string_view text) {
  return "<text x=\"" + decimal(x, 1) + "\" y=\"" + decimal(y, 1) + "\" text-anchor=\"" + anchor + "\">" +
         escaped(text) + "</text>\n";
}

}  // namespace

std::string report_plot(const BenchReport& report) {
  std::vector<std::string> names;
  double least = 1e300, most = 0;
  for (const Configuration& configuration : report.configurations)
    for (const BackendRow& row : configuration.rows) {
      if (!row.measured) continue;
      if (std::ranges::find(names, row.name) == names.end()) names.push_back(row.name);
      const double median = summarize(row.measured->samples).median;
      least = std::min(least, median);
      most = std::max(most, median);
    }
  if (names.empty()) least = most = 1;
  const double low = std::floor(std::log10(std::max(least, 1e-9))),
               high = std::max(low + 1, std::ceil(std::log10(most)));
  const auto y_of = [&](double seconds) {
    return kTop + kHeight * (high - std::log10(std::max(seconds, 1e-9))) / (high - low);
  };
  const auto x_of = [](std::size_t column) { return kLeft + kColumn * (static_cast<double>(column) + 0.5); };
  const double right = kLeft + kColumn * static_cast<double>(report.configurations.size());
  std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + decimal(right + kLegend, 0) +
                    "\" height=\"440\" font-family=\"sans-serif\" font-size=\"11\">\n" +
                    "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n" +
                    text_at(kLeft, 14, "start", report.model + ", seconds of a call");
  for (double decade = low; decade <= high; ++decade) {
    const double y = y_of(std::pow(10.0, decade));
    svg += "<line x1=\"" + decimal(kLeft, 1) + "\" x2=\"" + decimal(right, 1) + "\" y1=\"" + decimal(y, 1) +
           "\" y2=\"" + decimal(y, 1) + "\" stroke=\"#dddddd\"/>\n" +
           text_at(kLeft - 6, y + 4, "end", seconds_text(std::pow(10.0, decade)));
  }
  for (std::size_t i = 0; i < report.configurations.size(); ++i)
    svg += text_at(x_of(i), kTop + kHeight + 20, "middle", report.configurations[i].text());
  for (std::size_t n = 0; n < names.size(); ++n) {
    const std::string colour = kColours[n % kColours.size()];
    std::string path, marks;
    for (std::size_t i = 0; i < report.configurations.size(); ++i) {
      const std::vector<BackendRow>& rows = report.configurations[i].rows;
      const auto row =
          std::ranges::find_if(rows, [&](const BackendRow& r) { return r.measured && r.name == names[n]; });
      if (row == rows.end()) continue;
      const std::string x = decimal(x_of(i), 1), y = decimal(y_of(summarize(row->measured->samples).median), 1);
      path += (path.empty() ? "M " : " L ") + x + " " + y;
      marks += "<circle cx=\"" + x + "\" cy=\"" + y + "\" r=\"3\" fill=\"" + colour + "\"/>\n";
    }
    svg += "<path d=\"" + path + "\" fill=\"none\" stroke=\"" + colour + "\"/>\n" + marks;
    const double y = kTop + 10 + 18 * static_cast<double>(n);
    svg += "<rect x=\"" + decimal(right + 10, 1) + "\" y=\"" + decimal(y - 9, 1) +
           "\" width=\"10\" height=\"10\" fill=\"" + colour + "\"/>\n" + text_at(right + 26, y, "start", names[n]);
  }
  return svg + "</svg>\n";
}

}  // namespace mlgc::bench
