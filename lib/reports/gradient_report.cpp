// See gradient_report.h.
#include "reports/gradient_report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "tensor/print.h"

namespace mlgc {
namespace {

using Json = nlohmann::ordered_json;

std::string count(std::size_t n, std::string_view one) {
  return std::to_string(n) + " " + std::string(one) + (n == 1 ? "" : "s");
}

// An error: two digits.
std::string error_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1e", value);
  return value == 0 ? "0" : text;
}

std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text.append(width - text.size(), ' ');
  return text;
}
std::string right(const std::string& text, std::size_t width) {
  return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
}

std::string where(const AdjointCheck& check, const LocationTable& locations) {
  return (check.value.empty() ? "" : "%" + check.value + ", ") + place_text(locations, check.at);
}

std::string numbers(const SlopeCheck& slope) {
  return slope_text(slope.computed) + " computed, " + slope_text(slope.difference) + " by differences (off by " +
         error_text(slope.error) + " at most)";
}

const AdjointCheck* worst_of(const GradientReport& report) {
  const auto rank = [](const AdjointCheck& c) {
    return std::pair(c.slope.verdict == SlopeVerdict::Wrong, c.slope.relative());
  };
  const AdjointCheck* worst = nullptr;
  for (const RowCheck& row : report.ops.rows)
    if (row.worst && (worst == nullptr || rank(*worst) < rank(*row.worst))) worst = &*row.worst;
  return worst;
}

std::string value_name(const ValueCheck& value) { return value.name.empty() ? "all together" : value.name; }

std::string value_line(const ValueCheck& value) {
  if (!value.left_out.empty()) return "left out: " + value.left_out;
  switch (value.slope.verdict) {
    case SlopeVerdict::NotDifferentiable: return "not differentiable here";
    case SlopeVerdict::Wrong: return "WRONG: " + numbers(value.slope);
    case SlopeVerdict::Agrees: break;
  }
  return error_text(value.slope.relative()) + (value.slope.part ? ", in a part of its elements" : "");
}

std::string summary(const GradientReport& report, const LocationTable& locations) {
  std::size_t adjoints = 0, corners = 0, left_out = 0, gradients = 0, wrong_gradients = 0;
  for (const RowCheck& row : report.ops.rows) {
    adjoints += row.adjoints - row.not_differentiable;
    corners += row.not_differentiable;
    left_out += row.left_out;
  }
  for (const ValueCheck& value : report.values) {
    if (!value.left_out.empty()) continue;
    corners += value.slope.verdict == SlopeVerdict::NotDifferentiable ? 1 : 0;
    gradients += value.slope.verdict == SlopeVerdict::NotDifferentiable ? 0 : 1;
    wrong_gradients += value.slope.verdict == SlopeVerdict::Wrong ? 1 : 0;
  }
  std::string text = "checked " + count(adjoints, "adjoint") + " and " + count(gradients, "gradient");
  if (corners > 0) text += "; " + std::to_string(corners) + " not differentiable here";
  if (left_out > 0) text += "; " + count(left_out, "run") + " of ops left out";
  const AdjointCheck* const worst = worst_of(report);
  const bool right = report.ops.wrong.empty() && wrong_gradients == 0;
  if (right)
    text += ": all agree\n";
  else
    text +=
        ": " + count(report.ops.wrong.size(), "adjoint") + " and " + count(wrong_gradients, "gradient") + " wrong\n";
  if (worst != nullptr)
    text += "worst: `" + worst->op + "` by `" + worst->operand + "` (" + where(*worst, locations) +
            "): " + numbers(worst->slope) + "\n";
  return text;
}

Json json_number(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

std::string_view verdict_text(SlopeVerdict verdict) {
  switch (verdict) {
    case SlopeVerdict::Agrees: return "agrees";
    case SlopeVerdict::Wrong: return "wrong";
    case SlopeVerdict::NotDifferentiable: break;
  }
  return "not-differentiable";
}

Json json_slope(const SlopeCheck& slope) {
  return {{"verdict", verdict_text(slope.verdict)},       {"part", slope.part},
          {"computed", json_number(slope.computed)},      {"difference", json_number(slope.difference)},
          {"difference_error", json_number(slope.error)}, {"relative_error", json_number(slope.relative())}};
}

Json json_adjoint(const AdjointCheck& check, const LocationTable& locations) {
  Json json{
      {"op", check.op}, {"operand", check.operand}, {"value", check.value}, {"at", place_text(locations, check.at)}};
  json.update(json_slope(check.slope));
  return json;
}

}  // namespace

std::string render_text(const GradientReport& report, const LocationTable& locations) {
  std::string text = "gradients of @" + report.function + " with " + report.inputs + "\n";
  std::size_t width = 8;
  for (const RowCheck& row : report.ops.rows) width = std::max(width, row.op.size());
  for (const ValueCheck& value : report.values) width = std::max(width, value_name(value).size());
  if (!report.ops.rows.empty())
    text += "  " + padded("op", width) + "  ops  runs  adjoints  in part  no slope  left out  worst error\n";
  for (const RowCheck& row : report.ops.rows) {
    text += "  " + padded(row.op, width) + right(std::to_string(row.ops), 5) + right(std::to_string(row.runs), 6) +
            right(std::to_string(row.adjoints), 10) + right(std::to_string(row.parts), 9) +
            right(std::to_string(row.not_differentiable), 10) + right(std::to_string(row.left_out), 10) + "  ";
    if (row.worst) {
      if (row.worst->slope.verdict == SlopeVerdict::Wrong) text += "WRONG ";
      text += error_text(row.worst->slope.relative()) + " by " + row.worst->operand + " (" +
              where(*row.worst, locations) + ")";
    } else {
      text += "-";
    }
    text += "\n";
  }
  if (!report.values.empty()) text += "  " + padded("gradient", width) + "  error of the derived function\n";
  for (const ValueCheck& value : report.values)
    text += "  " + padded(value_name(value), width) + "  " + value_line(value) + "\n";
  return text + summary(report, locations);
}

std::string render_json(const GradientReport& report, const LocationTable& locations) {
  Json json{{"version", 1},           {"function", report.function}, {"inputs", report.inputs}, {"ops", Json::array()},
            {"wrong", Json::array()}, {"gradients", Json::array()},  {"worst", nullptr}};
  for (const RowCheck& row : report.ops.rows) {
    Json item{{"op", row.op},
              {"ops", row.ops},
              {"runs", row.runs},
              {"adjoints", row.adjoints},
              {"in_part", row.parts},
              {"not_differentiable", row.not_differentiable},
              {"left_out", row.left_out},
              {"worst", nullptr}};
    if (row.worst) item["worst"] = json_adjoint(*row.worst, locations);
    json["ops"].push_back(std::move(item));
  }
  for (const AdjointCheck& check : report.ops.wrong) json["wrong"].push_back(json_adjoint(check, locations));
  for (const ValueCheck& value : report.values) {
    Json item{{"value", value_name(value)}, {"left_out", value.left_out}};
    if (value.left_out.empty()) item.update(json_slope(value.slope));
    json["gradients"].push_back(std::move(item));
  }
  if (const AdjointCheck* const worst = worst_of(report)) json["worst"] = json_adjoint(*worst, locations);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace mlgc
