// See print_values.h.
#include "driver/print_values.h"

#include <algorithm>
#include <iterator>
#include <set>

#include <nlohmann/json.hpp>

#include "diag/kinds_driver.h"
#include "diag/kinds_text.h"
#include "diag/suggest.h"
#include "tensor/dtype.h"
#include "tensor/print.h"
#include "text/printer.h"

namespace mlgc {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kChunk = std::size_t{1} << 16U;  // of text that is kept before it is written
constexpr std::int64_t kMostElements = TensorPrintOptions{}.max_elements;

// Numbers as numbers; what JSON has none for as text.
Json element_json(const Tensor& tensor, std::int64_t i) {
  const std::string text = print_element(tensor, i);
  Json number = Json::parse(text, nullptr, false);
  return number.is_discarded() ? Json(text) : number;
}

Json elements_json(const Tensor& tensor) {
  Json elements = Json::array();
  for (std::int64_t i = 0; i < tensor.size(); ++i) elements.push_back(element_json(tensor, i));
  return elements;
}

bool repeats(OpRef op) { return op.is(GraphOp::For) || op.is(GraphOp::While) || op.is(GraphOp::Scan); }

// ` then`, of an op with several regions.
std::string region_name(RegionRef region) {
  const OpRef op = region.parent_op();
  if (op.is(GraphOp::While)) return region.number() == 0 ? " condition" : " body";
  if (op.is(GraphOp::If)) return region.number() == 0 ? " then" : " else";
  return "";
}

}  // namespace

Result<ValuePrinter, Diagnostic> ValuePrinter::make(const Module& module, const std::vector<std::string>& names,
                                                    ReportFormat format) {
  ValuePrinter printer(format);
  std::set<std::string> missing(names.begin(), names.end());
  for (auto& [text, value] : printed_names(module)) {
    const std::string name = "%" + text;
    if (names.empty() || std::ranges::count(names, name) != 0) printer.wanted_.insert(value.id());
    missing.erase(name);
    printer.names_.emplace(value.id(), name);
  }
  if (missing.empty()) return printer;
  Diagnostic diagnostic = diagnose<kUnknownValue>({}, *missing.begin());
  std::vector<std::string_view> known;
  for (const auto& [value, name] : printer.names_) known.push_back(name);
  std::ranges::sort(known);
  if (const auto best = closest_name(*missing.begin(), known)) diagnostic.add_note<kDidYouMean>({}, *best);
  return Failure{std::move(diagnostic)};
}

void ValuePrinter::watch(InterpretOptions& options) {
  options.enter = [this](RegionRef region, std::span<const Tensor> arguments) { enter(region, arguments); };
  options.observe = [this](OpRef op, std::span<const Tensor> results) {
    leave_to(op.parent());
    for (const RegionRef region : op.regions()) levels_.back().entered.erase(region.id());
    for (std::size_t i = 0; i < results.size(); ++i) show(op.result(i), op.name(), results[i]);
  };
}

Status<> ValuePrinter::finish() {
  flush();
  return std::move(written_);
}

// Regions of symbols are entered from anywhere: by a call, or where a derived weight is read. One weight is computed
// after the other.
void ValuePrinter::enter(RegionRef region, std::span<const Tensor> arguments) {
  const OpRef op = region.parent_op();
  std::int64_t number = 0;
  if (!op.has_trait(Traits::Symbol)) {
    leave_to(op.parent());
    number = levels_.back().entered[region.id()]++;
  } else if (!op.is(GraphOp::Func)) {
    const auto symbol = std::find_if(levels_.rbegin(), levels_.rend(), [](const Level& level) {
      return level.region.parent_op().has_trait(Traits::Symbol);
    });
    if (symbol != levels_.rend() && !symbol->region.parent_op().is(GraphOp::Func))
      levels_.erase(std::prev(symbol.base()), levels_.end());
  }
  levels_.push_back({region, level_text(region, number), {}});
  for (std::size_t i = 0; i < arguments.size(); ++i) show(region.argument(i), "argument", arguments[i]);
}

void ValuePrinter::leave_to(RegionRef region) {
  while (levels_.back().region != region) levels_.pop_back();
}

std::string ValuePrinter::level_text(RegionRef region, std::int64_t number) const {
  const OpRef op = region.parent_op();
  if (op.has_trait(Traits::Symbol)) return "@" + std::string(op.symbol());
  std::string text(op.name());
  if (op.result_count() > 0) text += " " + names_.at(op.result(0).id());
  text += region_name(region);
  return repeats(op) ? text + "[" + std::to_string(number) + "]" : text;
}

void ValuePrinter::show(Value value, std::string_view op, const Tensor& tensor) {
  if (!wanted_.contains(value.id())) return;
  const std::string& name = names_.at(value.id());
  if (format_ == ReportFormat::Json) {
    Json in = Json::array();
    for (const Level& level : levels_) in.push_back(level.text);
    Json json{{"value", name}, {"op", op}, {"in", in}, {"dtype", dtype_info(tensor.dtype()).name}};
    json["shape"] = std::vector<std::int64_t>(tensor.shape().begin(), tensor.shape().end());
    if (tensor.size() <= kMostElements) json["elements"] = elements_json(tensor);
    out_ += json.dump() + "\n";
  } else {
    out_ += name + " = " + std::string(op) + " : " + tensor.type_string();
    // The function that is evaluated is not said.
    for (std::size_t i = 1; i < levels_.size(); ++i) out_ += (i == 1 ? " in " : ", ") + levels_[i].text;
    out_ += "\n" + print_tensor(tensor) + "\n";
  }
  if (out_.size() > kChunk) flush();
}

void ValuePrinter::flush() {
  if (written_ && !out_.empty()) written_ = write_product("-", out_);
  out_.clear();
}

}  // namespace mlgc
