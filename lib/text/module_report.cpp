// See module_report.h.
#include "text/module_report.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

#include "text/printer.h"

namespace mlgc {

std::string counted(std::size_t count, std::string_view what) {
  return std::to_string(count) + " " + std::string(what) + (count == 1 ? "" : "s");
}

std::string number_text(double value) {
  std::array<char, 32> buffer{};
  for (int digits = 1; digits <= 17; ++digits) {
    std::snprintf(buffer.data(), buffer.size(), "%.*g", digits, value);
    if (std::strtod(buffer.data(), nullptr) == value) break;
  }
  return buffer.data();
}

std::string short_number(double value) {
  std::array<char, 64> buffer{};
  std::snprintf(buffer.data(), buffer.size(), value < 1000 ? "%.3g" : "%.0f", value);
  return buffer.data();
}

std::string share_text(std::size_t part, std::size_t whole) {
  std::array<char, 32> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.1f %%",
                whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole));
  return buffer.data();
}

void ReportTable::append_to(std::string& out, std::string_view indent) const {
  constexpr std::size_t kWidest = 40;
  std::vector<std::size_t> widths;
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i == widths.size()) widths.push_back(0);
      widths[i] = std::max(widths[i], std::min(row[i].size(), kWidest));
    }
  for (const auto& row : rows) {
    out += indent;
    for (std::size_t i = 0; i < row.size(); ++i) {
      out += row[i];
      if (i + 1 < row.size()) out += std::string(2 + widths[i] - std::min(widths[i], row[i].size()), ' ');
    }
    out.erase(out.find_last_not_of(' ') + 1);
    out += "\n";
  }
}

ModuleReport::ModuleReport(const Module& module) : context_(module.context()) {
  for (auto& [name, value] : printed_names(module)) names_.emplace(value.id(), "%" + name);
}

std::string ModuleReport::name(Value value) const {
  if (const auto found = names_.find(value.id()); found != names_.end()) return found->second;
  if (value.name_id().valid()) return "%" + std::string(context_.strings().text(value.name_id()));
  return "argument " + std::to_string(value.number());
}

std::string ModuleReport::names(OpRef op) const {
  std::string out;
  for (const Value result : op.results()) out += (out.empty() ? "" : ", ") + name(result);
  return out.empty() ? "-" : out;
}

std::string ModuleReport::place(OpRef op) const { return place_text(context_.locations(), op.location()); }

OpRef ModuleReport::function_of(RegionRef region) const {
  OpRef op = region.parent_op();
  while (!op.is(GraphOp::Func)) op = op.parent_op();
  return op;
}

std::string ModuleReport::region_text(RegionRef region) const {
  const OpRef op = region.parent_op();
  if (op.is(GraphOp::Func)) return "";
  return "`" + std::string(op.def().regions[region.number()].name) + "` of " + std::string(op.name()) + " (" +
         place(op) + ")";
}

IndexExpr ModuleReport::bytes(Type type) const { return context_.storage_bytes(type); }

std::string ModuleReport::bytes_text(IndexExpr bytes) const {
  const bool one = context_.index().as_constant(bytes) == 1;
  return context_.index().print(bytes) + (one ? " byte" : " bytes");
}

IndexExpr ModuleReport::sum(const std::vector<ReportedValue>& values) const {
  IndexExpr out = context_.index().constant(0);
  for (const ReportedValue& value : values) out = context_.index().add(out, value.bytes);
  return out;
}

ReportedValue ModuleReport::reported(std::string name, Type type) const {
  return {std::move(name), context_.types().print(type), bytes(type)};
}

std::string ModuleReport::paint(std::string_view code, std::string_view text) const {
  return color_ ? "\x1b[" + std::string(code) + "m" + std::string(text) + "\x1b[0m" : std::string(text);
}

void ModuleReport::json_op(JsonWriter& out, OpRef op) const {
  out.member("op", op.name());
  out.member("results", op.result_count() == 0 ? std::string() : names(op));
  if (const auto at = context_.locations().primary_position(op.location())) {
    out.member("file", at->file);
    out.member("line", std::size_t{at->line});
    out.member("column", std::size_t{at->column});
  }
}

void ModuleReport::json_values(JsonWriter& out, std::string_view name, const std::vector<ReportedValue>& values) const {
  out.objects(name, values, [&](const ReportedValue& value) {
    out.member("name", value.name);
    out.member("type", value.type);
    out.member("bytes", context_.index().print(value.bytes));
  });
}

}  // namespace mlgc
