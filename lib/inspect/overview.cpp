// See overview.h.
#include "inspect/overview.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "diag/json_writer.h"
#include "fusion/decide_fusion.h"
#include "fusion/typical_sizes.h"
#include "inspect/data_flow.h"
#include "inspect/node_class.h"
#include "inspect/residual.h"
#include "ir/walk.h"
#include "machine/roof.h"

namespace mlgc {
namespace {

constexpr std::size_t kOpcodesOfClass = 8;  // named in the text

// Elements and bytes of what a module keeps.
struct Kept {
  std::size_t count = 0;
  std::int64_t elements = 0, bytes = 0;
};

struct FunctionOverview {
  FuncRef function;
  std::array<std::map<std::string_view, std::size_t>, kOpClassNames.size()> opcodes;  // by class
  std::map<std::string_view, std::size_t> dtypes, control;  // of results; ops with regions and calls
  std::vector<SymbolOrigin> symbols;
  std::vector<ResidualConnection> residuals;
  std::size_t kernels = 0, uncounted = 0;  // ops whose work no formula says
  IndexExpr operations, bytes, least_bytes;
  std::size_t forks = 0, joins = 0, depth = 0;
  bool has_loops = false;
};

class Overview : GraphView {
 public:
  Overview(const Module& module, const ViewOptions& options, const Machine& machine)
      : GraphView(module, options), machine_(machine), roof_(roof_of(machine)), classes_(module) {
    decisions_ = decide_fusion(module, {});
    for (const OpRef op : module.top().region(0).ops()) {
      if (op.is(GraphOp::Weight)) keep(weights_, op);
      if (op.is(GraphOp::State)) keep(states_, op);
    }
    for (const FuncRef& function : functions(module)) functions_.push_back(look_at(function));
  }

  std::string text();
  std::string json();

 private:
  void keep(Kept& kept, OpRef op) {
    const Type type = context_.attributes().as_type(op.attr("type"));
    ++kept.count;
    kept.elements += context_.types().element_count(type).value_or(0);
    kept.bytes += context_.index().as_constant(bytes(type)).value_or(0);
  }
  FunctionOverview look_at(FuncRef function);
  void count(FunctionOverview& out, OpRef op) const;
  void add_work(FunctionOverview& out);
  static void add_structure(FunctionOverview& out);

  [[nodiscard]] std::string kept_text(const Kept& kept, std::string_view what) const {
    return counted(kept.count, what) + (kept.count == 0
                                            ? ""
                                            : ", " + amount_text(static_cast<double>(kept.elements)) + " elements, " +
                                                  amount_text(static_cast<double>(kept.bytes)) + "B");
  }
  [[nodiscard]] std::string opcodes_text(const std::map<std::string_view, std::size_t>& opcodes) const;
  [[nodiscard]] std::string work_text(const FunctionOverview& of);
  [[nodiscard]] std::string roof_text(const FunctionOverview& of);
  [[nodiscard]] static std::string structure_text(const FunctionOverview& of);
  void text_of(std::string& out, const FunctionOverview& of);
  void json_of(JsonWriter& out, const FunctionOverview& of);
  static void json_counts(JsonWriter& out, std::string_view name,
                          const std::map<std::string_view, std::size_t>& counts);

  const Machine& machine_;
  Roof roof_;
  NodeClasses classes_;
  FusionDecisions decisions_;
  Kept weights_, states_;
  std::vector<FunctionOverview> functions_;
};

void Overview::count(FunctionOverview& out, OpRef op) const {
  ++out.opcodes[static_cast<std::size_t>(classes_.of(op))][op.name()];
  for (const Value result : op.results())
    if (context_.types().is_shaped(result.type())) ++out.dtypes[dtype_info(result.dtype()).name];
  out.has_loops = out.has_loops || op.has_trait(Traits::Loop);
  if (classes_.of(op) == OpClass::Control && !op.has_trait(Traits::Terminator)) ++out.control[op.name()];
}

// What kernels read and write, and what any schedule must: arguments, weights and results, each once.
void Overview::add_work(FunctionOverview& out) {
  IndexPool& index = context_.index();
  out.operations = out.bytes = out.least_bytes = index.constant(0);
  for (const FusionRegion& region : decisions_.regions) {
    if (function_of(region.region) != out.function.op()) continue;
    out.kernels += region.kernel_count;
    out.uncounted += region.others;
    for (std::size_t i = 0; i < region.kernel_count; ++i) {
      const FusionGroup& kernel = decisions_.kernels[region.first_kernel + i];
      out.operations = index.add(out.operations, kernel.operations);
      out.bytes = index.add(out.bytes, kernel.bytes);
    }
  }
  for (const Value argument : out.function.arguments())
    if (argument.has_uses()) out.least_bytes = index.add(out.least_bytes, bytes(argument.type()));
  walk(out.function.op(), [&](OpRef op) {
    if (op.is(GraphOp::Read)) out.least_bytes = index.add(out.least_bytes, bytes(op.result(0).type()));
  });
  if (const OpRef end = out.function.return_op(); end.valid())
    for (const Value result : end.operands()) out.least_bytes = index.add(out.least_bytes, bytes(result.type()));
}

void Overview::add_structure(FunctionOverview& out) {
  const DataFlow flow(out.function.body());
  const std::size_t arguments = out.function.body().argument_count();
  for (DataFlow::Node node = 1; node <= arguments + flow.ops().size(); ++node) {
    const OpRef op = flow.op_of(node);
    if (op.valid() && op.has_trait(Traits::Terminator)) continue;
    out.depth = std::max<std::size_t>(out.depth, flow.depth(node));
    if (flow.readers(node) > 1) ++out.forks;
    if (flow.read_by(node).size() > 1) ++out.joins;
  }
  out.residuals = find_residuals(flow);
}

FunctionOverview Overview::look_at(FuncRef function) {
  FunctionOverview out;
  out.function = function;
  walk(function.op(), [&](OpRef op) {
    if (op != function.op()) count(out, op);
  });
  out.symbols = symbol_origins(function);
  add_work(out);
  add_structure(out);
  return out;
}

std::string Overview::opcodes_text(const std::map<std::string_view, std::size_t>& opcodes) const {
  std::vector<std::pair<std::string_view, std::size_t>> sorted(opcodes.begin(), opcodes.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  const std::size_t others = sorted.size() - std::min(sorted.size(), kOpcodesOfClass);
  sorted.resize(sorted.size() - others);
  return joined(sorted, [](const auto& at) { return std::string(at.first) + " " + std::to_string(at.second); }) +
         (others == 0 ? "" : ", and " + counted(others, "other opcode"));
}

std::string Overview::work_text(const FunctionOverview& of) {
  IndexPool& index = context_.index();
  const Facts& facts = facts_at(of.function.op());
  const double operations = typical_size(index, of.operations, facts), moved = typical_size(index, of.bytes, facts);
  std::string out = amount_text(operations) + " operations on " + amount_text(moved) + "B in " +
                    counted(of.kernels, "kernel") + ", " +
                    short_number(typical_ratio(index, of.operations, of.bytes, facts).value) +
                    " a byte; no fewer than " + amount_text(typical_size(index, of.least_bytes, facts)) + "B" +
                    at_typical_sizes(index, index.add(of.operations, index.add(of.bytes, of.least_bytes)), facts);
  if (of.uncounted > 0) out += "; " + counted(of.uncounted, "op") + " not counted";
  if (of.has_loops) out += "; bodies of loops once";
  return out;
}

std::string Overview::roof_text(const FunctionOverview& of) {
  const Facts& facts = facts_at(of.function.op());
  const double operations = typical_size(context_.index(), of.operations, facts),
               moved = typical_size(context_.index(), of.bytes, facts);
  const bool computes = moved == 0 || operations / moved >= roof_.ridge();
  return machine_.name + ": " + short_number(roof_.gflops) + " GFLOP/s, " + short_number(roof_.memory_gbs) +
         " GB/s, ridge at " + short_number(roof_.ridge()) + " operations a byte; bound by " +
         (computes ? "compute" : "memory") + ", " + time_text(roof_.seconds(operations, moved)) + " at least";
}

std::string Overview::structure_text(const FunctionOverview& of) {
  if (of.forks == 0 && of.joins == 0) return "chain of " + counted(of.depth, "op");
  return "branching: " + counted(of.forks, "value") + " read by several ops, " + counted(of.joins, "op") +
         " that read several values, " + counted(of.depth, "op") + " on the longest path";
}

void Overview::text_of(std::string& out, const FunctionOverview& of) {
  ReportTable table;
  const auto row = [&](std::string_view label, std::string text) {
    if (!text.empty()) table.rows.push_back({std::string(label), std::move(text)});
  };
  const auto type = [&](Value value) { return context_.types().print(value.type()); };
  out += "\n" + paint("1", "@" + std::string(of.function.name())) + "\n";
  for (const Value argument : of.function.arguments()) row("input", name(argument) + ": " + type(argument));
  const std::vector<Value> results = of.function.results();
  for (std::size_t i = 0; i < results.size(); ++i) row("output", result_name(of.function, i) + ": " + type(results[i]));
  for (std::size_t i = 0; i < kOpClassNames.size(); ++i) {
    std::size_t ops = 0;
    for (const auto& [opcode, count] : of.opcodes[i]) ops += count;
    if (ops > 0) row(kOpClassNames[i], counted(ops, "op") + ": " + opcodes_text(of.opcodes[i]));
  }
  row("dtypes",
      joined(of.dtypes, [](const auto& at) { return std::string(at.first) + " " + std::to_string(at.second); }));
  row("symbols", joined(of.symbols, [&](const SymbolOrigin& at) { return symbol_text(at); }));
  row("control flow",
      joined(of.control, [](const auto& at) { return std::string(at.first) + " " + std::to_string(at.second); }));
  row("structure", structure_text(of));
  if (!of.residuals.empty()) {
    const auto projections = static_cast<std::size_t>(std::count_if(
        of.residuals.begin(), of.residuals.end(), [](const auto& at) { return at.shortcut == Shortcut::Projection; }));
    row("residual", counted(of.residuals.size(), "connection") +
                        (projections == 0 ? "" : ", of which " + std::to_string(projections) + " with a projection"));
  }
  row("work", work_text(of));
  row("roof", roof_text(of));
  table.append_to(out, "  ");
}

std::string Overview::text() {
  std::string out = counted(functions_.size(), "function") + ", " + counted(count_all(module_), "op") + "; " +
                    kept_text(weights_, "weight") + "; " + kept_text(states_, "state") + "\n";
  for (const FunctionOverview& of : functions_) text_of(out, of);
  return out;
}

void Overview::json_counts(JsonWriter& out, std::string_view name,
                           const std::map<std::string_view, std::size_t>& counts) {
  out.object(name, [&] {
    for (const auto& [what, count] : counts) out.member(what, count);
  });
}

void Overview::json_of(JsonWriter& out, const FunctionOverview& of) {
  IndexPool& index = context_.index();
  const auto values = [&](std::string_view name, const std::vector<ReportedValue>& all) {
    json_values(out, name, all);
  };
  std::vector<ReportedValue> inputs, outputs;
  for (const Value argument : of.function.arguments()) inputs.push_back(reported(name(argument), argument.type()));
  const std::vector<Value> results = of.function.results();
  for (std::size_t i = 0; i < results.size(); ++i)
    outputs.push_back(reported(result_name(of.function, i), results[i].type()));
  out.member("function", of.function.name());
  values("inputs", inputs);
  values("outputs", outputs);
  out.object("classes", [&] {
    for (std::size_t i = 0; i < kOpClassNames.size(); ++i) json_counts(out, kOpClassNames[i], of.opcodes[i]);
  });
  json_counts(out, "dtypes", of.dtypes);
  out.objects("symbols", of.symbols, [&](const SymbolOrigin& at) {
    out.member("symbol", at.name);
    out.member("of", name(at.value));
    out.member("dim", at.dim);
    out.member("size", index.print(at.size));
  });
  json_counts(out, "control", of.control);
  out.member("chain", of.forks == 0 && of.joins == 0);
  out.member("forks", of.forks);
  out.member("joins", of.joins);
  out.member("depth", of.depth);
  out.member("residuals", of.residuals.size());
  out.member("kernels", of.kernels);
  out.member("operations", index.print(of.operations));
  out.member("bytes", index.print(of.bytes));
  out.member("least_bytes", index.print(of.least_bytes));
  out.member("not_counted", of.uncounted);
  const Facts& facts = facts_at(of.function.op());
  const double operations = typical_size(index, of.operations, facts), moved = typical_size(index, of.bytes, facts);
  out.number("intensity", number_text(moved > 0 ? operations / moved : 0));
  out.number("seconds", number_text(roof_.seconds(operations, moved)));
  out.objects("typical", typical_symbols(index, index.add(of.operations, index.add(of.bytes, of.least_bytes)), facts),
              [&](const auto& at) {
                out.member("size", at.first);
                out.member("value", static_cast<std::size_t>(at.second));
              });
}

std::string Overview::json() {
  JsonWriter out;
  out.member("version", kOverviewJsonVersion);
  out.member("ops", static_cast<std::size_t>(count_all(module_)));
  const auto kept = [&](std::string_view name, const Kept& of) {
    out.object(name, [&] {
      out.member("count", of.count);
      out.member("elements", static_cast<std::size_t>(of.elements));
      out.member("bytes", static_cast<std::size_t>(of.bytes));
    });
  };
  kept("weights", weights_);
  kept("states", states_);
  out.member("machine", machine_.name);
  out.number("gflops", number_text(roof_.gflops));
  out.number("memory_gbs", number_text(roof_.memory_gbs));
  out.objects("functions", functions_, [&](const FunctionOverview& of) { json_of(out, of); });
  return out.take();
}

}  // namespace

std::string overview_text(const Module& module, const ViewOptions& options, const Machine& machine) {
  return Overview(module, options, machine).text();
}

std::string overview_json(const Module& module, const ViewOptions& options, const Machine& machine) {
  return Overview(module, options, machine).json();
}

}  // namespace mlgc
