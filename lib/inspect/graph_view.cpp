// See graph_view.h.
#include "inspect/graph_view.h"

#include <array>
#include <cstddef>

namespace mlgc {

GraphView::GraphView(const Module& module, const ViewOptions& options)
    : ModuleReport(module), module_(module), options_(options) {
  color_ = options.color;
}

const Facts& GraphView::facts_at(OpRef op) {
  OpRef function = op;
  while (function.valid() && !function.is(GraphOp::Func)) function = function.parent_op();
  if (function.valid() && function.id() == facts_of_) return facts_;
  facts_ = function_facts_.of(op);
  facts_of_ = function.valid() ? function.id() : OpId();
  IndexPool& index = context_.index();
  for (const auto& [name, size] : options_.sizes)
    if (const auto symbol = index.as_atom(index.symbol(name))) {
      facts_.set_lower(*symbol, size);
      facts_.set_upper(*symbol, size);
    }
  return facts_;
}

std::string GraphView::origin(Value value) const {
  if (value.is_argument()) return "argument " + name(value);
  return name(value) + " of " + std::string(value.definer().name());
}

std::string GraphView::symbol_read(OpRef op) const {
  if (!op.is(GraphOp::Read)) return "";
  return "@" + std::string(context_.attributes().as_symbol(op.attr("symbol")).value_or(""));
}

std::string GraphView::symbol_text(const SymbolOrigin& symbol) const {
  const IndexPool& index = context_.index();
  std::string out = symbol.name + ": size " + std::to_string(symbol.dim) + " of " + origin(symbol.value);
  if (!index.as_atom(symbol.size)) out += ", which is " + index.print(symbol.size);
  return out;
}

std::string amount_text(double value) {
  constexpr std::array<std::string_view, 5> kPrefixes{"", " k", " M", " G", " T"};
  std::size_t at = 0;
  while (value >= 999.5 && at + 1 < kPrefixes.size()) {
    value /= 1000;
    ++at;
  }
  return short_number(value) + std::string(kPrefixes[at]);
}

std::string time_text(double seconds) {
  constexpr std::array<std::string_view, 4> kUnits{" s", " ms", " us", " ns"};
  std::size_t at = 0;
  while (seconds < 1 && seconds > 0 && at + 1 < kUnits.size()) {
    seconds *= 1000;
    ++at;
  }
  return short_number(seconds) + std::string(kUnits[at]);
}

}  // namespace mlgc
