#include "inspect/roofline_plot.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string_view>

#include "text/module_report.h"

namespace mlgc {
namespace {

constexpr int kPlotColumns = 64, kPlotRows = 12;
constexpr double kLeast = -4, kMost = 12;  // powers of two of the intensity
constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz";

int column(double intensity) {
  const double at = (std::log2(std::max(intensity, 1e-9)) - kLeast) / (kMost - kLeast) * (kPlotColumns - 1);
  return static_cast<int>(std::lround(std::clamp(at, 0.0, kPlotColumns - 1.0)));
}

// Points above the roof are in the first row: they show that a limit is wrong.
int row(const Roof& roof, double gflops) {
  const double below = std::log2(roof.gflops / std::max(gflops, 1e-9));
  return static_cast<int>(std::lround(std::clamp(below, 0.0, kPlotRows - 1.0)));
}

char combined(char there, char mark) {
  if (there == ' ' || there == '/' || there == '-') return mark;
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  return lower(there) == lower(mark) ? std::min(there, mark) : '*';
}

}  // namespace

char roofline_mark(std::size_t kernel) { return kernel < kLetters.size() ? kLetters[kernel] : '+'; }

std::string roofline_plot(const Roof& roof, const std::vector<RooflinePoint>& points) {
  std::vector<std::string> rows(kPlotRows, std::string(kPlotColumns, ' '));
  const auto cell = [&](double intensity, double gflops) -> char& {
    return rows[static_cast<std::size_t>(row(roof, gflops))][static_cast<std::size_t>(column(intensity))];
  };
  for (int c = 0; c < kPlotColumns; ++c) {
    const double intensity = std::exp2(kLeast + (kMost - kLeast) * c / (kPlotColumns - 1));
    cell(intensity, std::min(roof.gflops, intensity * roof.memory_gbs)) = intensity < roof.ridge() ? '/' : '-';
  }
  for (const RooflinePoint& point : points) {
    char& at = cell(point.intensity, point.gflops);
    at = combined(at, point.mark);
  }
  std::string out = "\n  " + short_number(roof.gflops) + " GFLOP/s; a row below is half of it\n";
  for (const std::string& line : rows) out += "  |" + line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  return out + "  +" + std::string(kPlotColumns, '-') + "\n   1/16" + std::string(11, ' ') + "1" +
         std::string(15, ' ') + "16" + std::string(14, ' ') + "256" + std::string(9, ' ') +
         "4096\n   operations a byte\n";
}

}  // namespace mlgc
