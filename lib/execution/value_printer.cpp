// See value_printer.h.
#include "execution/value_printer.h"

#include <algorithm>
#include <set>

#include <nlohmann/json.hpp>

#include "diag/kinds_driver.h"
#include "diag/kinds_text.h"
#include "diag/suggest.h"
#include "tensor/dtype.h"
#include "tensor/print.h"

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

// Iterations that were begun before this one. The condition of `while` is asked once more than its body runs.
std::int64_t begun_before(const RunPath::Level& level) {
  const bool condition = level.region.parent_op().is(GraphOp::While) && level.region.number() == 0;
  return condition ? level.number - 1 : level.number;
}

}  // namespace

Result<ValuePrinter, Diagnostic> ValuePrinter::make(const Module& module, const std::vector<std::string>& names,
                                                    const ValuePrinterOptions& options) {
  ValuePrinter printer(module, options);
  std::set<std::string> missing(names.begin(), names.end());
  for (const auto& [value, name] : printer.path_.names()) {
    if (names.empty() || std::ranges::count(names, name) != 0) printer.wanted_.insert(value);
    missing.erase(name);
  }
  if (missing.empty()) return printer;
  Diagnostic diagnostic = diagnose<kUnknownValue>({}, *missing.begin());
  std::vector<std::string_view> known;
  for (const auto& [value, name] : printer.path_.names()) known.push_back(name);
  std::ranges::sort(known);
  if (const auto best = closest_name(*missing.begin(), known)) diagnostic.add_note<kDidYouMean>({}, *best);
  return Failure{std::move(diagnostic)};
}

void ValuePrinter::watch(InterpretOptions& options) {
  options.enter = [this](RegionRef region, std::span<const Tensor> arguments) { enter(region, arguments); };
  options.observe = [this](OpRef op, std::span<const Tensor> results) {
    leave(op);
    for (std::size_t i = 0; i < results.size(); ++i) show(op.result(i), op.name(), results[i]);
  };
}

Status<> ValuePrinter::finish() {
  while (!left_out_.empty()) show_left_out(left_out_.back().first);  // of loops that did not end
  flush();
  return std::move(written_);
}

void ValuePrinter::enter(RegionRef region, std::span<const Tensor> arguments) {
  path_.enter(region);
  const std::vector<RunPath::Level>& levels = path_.levels();
  if (hidden_ && levels.size() <= *hidden_ + 1) hidden_.reset();  // a level of its own, or of a loop around it, ended
  const OpRef op = region.parent_op();
  if (!hidden_ && options_.iterations > 0 && repeats(op) && begun_before(levels.back()) >= options_.iterations) {
    hidden_ = levels.size() - 1;
    if (left_out_.empty() || left_out_.back().first != op) left_out_.emplace_back(op, 0);
    if (region.number() + 1 == op.region_count()) ++left_out_.back().second;
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) show(region.argument(i), "argument", arguments[i]);
}

void ValuePrinter::leave(OpRef op) {
  path_.leave_to(op);
  if (hidden_ && path_.levels().size() <= *hidden_) hidden_.reset();
  if (!left_out_.empty() && left_out_.back().first == op) show_left_out(op);
}

void ValuePrinter::show(Value value, std::string_view op, const Tensor& tensor) {
  if (hidden_ || !wanted_.contains(value.id())) return;
  const std::string& name = path_.name(value);
  if (options_.json) {
    Json in = Json::array();
    for (const RunPath::Level& level : path_.levels()) in.push_back(path_.text(level));
    Json json{{"value", name}, {"op", op}, {"in", in}, {"dtype", dtype_info(tensor.dtype()).name}};
    json["shape"] = std::vector<std::int64_t>(tensor.shape().begin(), tensor.shape().end());
    if (tensor.size() <= kMostElements) json["elements"] = elements_json(tensor);
    out_ += json.dump() + "\n";
  } else {
    out_ += name + " = " + std::string(op) + " : " + tensor.type_string() + path_.text() + "\n" + print_tensor(tensor) +
            "\n";
  }
  if (out_.size() > kChunk) flush();
}

void ValuePrinter::show_left_out(OpRef loop) {
  const std::int64_t count = left_out_.back().second;
  left_out_.pop_back();
  std::string name(loop.name());
  if (loop.result_count() > 0) name += " " + path_.name(loop.result(0));
  if (count == 0) return;
  if (options_.json)
    out_ += Json{{"loop", name}, {"iterations_left_out", count}}.dump() + "\n";
  else
    out_ += name + ": " + std::to_string(count) + " more iteration" + (count == 1 ? "" : "s") + " left out" +
            options_.more + "\n";
}

void ValuePrinter::flush() {
  if (written_ && !out_.empty()) written_ = options_.write(out_);
  out_.clear();
}

}  // namespace mlgc
