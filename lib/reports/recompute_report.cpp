// See recompute_report.h.
#include "reports/recompute_report.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "support/byte_size.h"

namespace mlgc {
namespace {

using Json = nlohmann::ordered_json;

double relative_cost(const RecomputeReport& report, const RecomputeReport::Choice& choice) {
  return report.everything_kept > 0 ? choice.candidate.cost / report.everything_kept : 1;
}

std::string head(const RecomputeReport& report) {
  const RecomputeReport::Choice& chosen = report.choices[report.chosen];
  std::string text = "@" + report.function;
  if (!report.sizes.empty()) text += " with " + sizes_text(report.sizes);
  text += ": " + choice_text(chosen.candidate.choice);
  if (chosen.peak) text += ", " + byte_size_text(*chosen.peak) + " for temporaries at the peak";
  if (report.limit) text += "; the limit is " + byte_size_text(*report.limit);
  return text + "\n";
}

// Columns are as wide as their widest cell; numbers stand right.
std::string table(const std::vector<std::vector<std::string>>& rows, std::size_t left_columns) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  std::string out;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string pad(widths[i] - row[i].size(), ' ');
      line += (i == 0 ? "" : "  ") + (i < left_columns ? row[i] + pad : pad + row[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

std::string choices_table(const RecomputeReport& report) {
  std::vector<std::vector<std::string>> rows{{"  recomputed", "ops", "saved", "peak", "cost"}};
  for (std::size_t i = 0; i < report.choices.size(); ++i) {
    const RecomputeReport::Choice& choice = report.choices[i];
    char cost[32];
    std::snprintf(cost, sizeof cost, "%.2f", relative_cost(report, choice));
    rows.push_back({(i == report.chosen ? "* " : "  ") + choice_text(choice.candidate.choice),
                    std::to_string(choice.candidate.copies), byte_size_text(choice.kept),
                    choice.peak    ? byte_size_text(*choice.peak)
                    : choice.least ? ">= " + byte_size_text(*choice.least)
                                   : "-",
                    cost});
  }
  return table(rows, 1);
}

std::string rows_text(const std::vector<RecomputeReport::Row>& given, const LocationTable& locations) {
  std::vector<std::vector<std::string>> rows;
  for (const RecomputeReport::Row& row : given)
    rows.push_back({"  " + row.value, byte_size_text(row.bytes),
                    row.op + " at " + place_text(locations, row.at) + (row.reason.empty() ? "" : ": " + row.reason)});
  for (auto& row : rows) std::swap(row[1], row[2]);
  return rows.empty() ? "" : table(rows, 2);
}

std::int64_t sum(const std::vector<RecomputeReport::Row>& rows) {
  std::int64_t bytes = 0;
  for (const RecomputeReport::Row& row : rows) bytes += row.bytes;
  return bytes;
}

Json rows_json(const std::vector<RecomputeReport::Row>& rows, const LocationTable& locations) {
  Json out = Json::array();
  for (const RecomputeReport::Row& row : rows) {
    Json one{{"value", row.value}, {"op", row.op}, {"bytes", row.bytes}, {"at", place_text(locations, row.at)}};
    if (!row.reason.empty()) one["reason"] = row.reason;
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace

std::string choice_text(const RecomputeChoice& choice) {
  std::string text(recompute_name(choice.what));
  if (choice.segments > 1) text += ", " + std::to_string(choice.segments) + " segments";
  return text;
}

std::string kept_reason_text(Value value, KeptReason reason, const RecomputeChoice& choice) {
  if (choice.what == Recompute::None) return "";
  switch (reason) {
    case KeptReason::Never: return "it cannot be recomputed";
    case KeptReason::Level:
      return "`" + std::string(recompute_name(choice.what)) + "` does not recompute `" +
             std::string(value.definer().name()) + "`";
    case KeptReason::Result: return "it is a result, and live to the end";
    case KeptReason::Segment: return "it is live between two segments";
    case KeptReason::LastPart: return "backward begins with values of the last segment";
    case KeptReason::Cheaper: return "recomputing it takes longer, or needs more to be saved";
  }
  return "";
}

std::string sizes_text(const std::map<std::string, std::int64_t, std::less<>>& sizes) {
  std::string text;
  for (const auto& [name, size] : sizes) text += (text.empty() ? "" : ", ") + name + " = " + std::to_string(size);
  return text;
}

std::string render_text(const RecomputeReport& report, const LocationTable& locations) {
  std::string out = head(report) + "\n" + choices_table(report);
  out += "\nsaved, " + byte_size_text(sum(report.kept)) + ":\n" + rows_text(report.kept, locations);
  if (!report.recomputed.empty())
    out += "\nrecomputed, instead of saving " + byte_size_text(sum(report.recomputed)) + ":\n" +
           rows_text(report.recomputed, locations);
  return out;
}

std::string render_json(const RecomputeReport& report, const LocationTable& locations) {
  Json choices = Json::array();
  for (const RecomputeReport::Choice& choice : report.choices) {
    Json one{{"recompute", recompute_name(choice.candidate.choice.what)},
             {"segments", choice.candidate.choice.segments},
             {"ops", choice.candidate.copies},
             {"kept_bytes", choice.kept},
             {"cost", relative_cost(report, choice)}};
    if (choice.peak) one["peak_bytes"] = *choice.peak;
    if (choice.least) one["least_bytes"] = *choice.least;
    choices.push_back(std::move(one));
  }
  Json out{{"version", 1},
           {"function", report.function},
           {"sizes", report.sizes},
           {"choices", choices},
           {"chosen", report.chosen},
           {"kept", rows_json(report.kept, locations)},
           {"recomputed", rows_json(report.recomputed, locations)}};
  if (report.limit) out["limit_bytes"] = *report.limit;
  return out.dump(2) + "\n";
}

}  // namespace mlgc
