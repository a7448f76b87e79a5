// mlgc explain gradients: which arguments, weights and states have a gradient, through which ops it flows, which ops
// end it and why, by what rule each op sends gradients back, and what is saved for that.
#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include <nlohmann/json.hpp>

#include "analysis/backward_slice.h"
#include "autodiff/fresh_sizes.h"
#include "autodiff/loops_as_scans.h"
#include "autodiff/request.h"
#include "autodiff/reverse.h"
#include "autodiff/working_copy.h"
#include "diag/kinds_driver.h"
#include "driver/arguments.h"
#include "driver/load.h"
#include "driver/model_flags.h"
#include "interp/function_results.h"
#include "ir/function_facts.h"
#include "ops/instantiate_op.h"
#include "ops/op_table.h"
#include "pass/option_text.h"
#include "rematerialize/choose.h"
#include "text/module_report.h"
#include "text/printer.h"
#include "transforms/run_passes.h"
#include "tuning/choose_recompute.h"

namespace mlgc {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kExplainGradientsExamples =
    "  mlgc explain gradients mlp.mlir                      of the only float result, by all float arguments and "
    "weights\n"
    "  mlgc explain gradients step.mlir --of=loss           of this result\n"
    "  mlgc explain gradients mlp.mlir --wrt=x,@fc0.weight  by these alone\n"
    "  mlgc explain gradients mlp.mlir --format=json        for programs\n"
    "docs/inspecting.md describes the report; `mlgc grad` makes the gradients.\n";

// Of longer lists the rest is counted.
constexpr std::size_t kPathShown = 6, kEndsShown = 3;

// Where a gradient ends, and why.
struct End {
  OpRef op;
  std::string reason;
};
struct TargetReport {
  std::string name;
  std::vector<OpRef> path;  // from the value to the result, the first ops; empty: its gradient is zero
  std::size_t length = 0;   // of the whole path
  std::vector<End> ends;    // the first ops that lead to the results and pass nothing on
  std::string zero;         // why there is no way at all
};
struct RuleReport {
  std::string op, rule;
  std::size_t count = 0;
};
struct GradientsReport {
  std::string function;
  std::vector<std::string> of;
  std::vector<TargetReport> targets;
  std::vector<RuleReport> rules;
  std::vector<std::vector<std::string>> saved;  // value, op, bytes, place
  std::string bytes, not_saved;                 // all of them; why they are not known
};

class Gradients : ModuleReport {
 public:
  Gradients(Module& module, FuncRef function, const GradTargets& targets)
      : ModuleReport(module), function_(function), builder_(module), sizes_(function.op()), targets_(targets) {
    FunctionFacts facts;
    rules_.emplace(context_, facts.of(function.op()));
  }

  void run(GradientsReport& out) {
    for (const OpRef op : function_.body().ops())
      if (op != function_.return_op()) ops_.push_back(op);
    std::vector<Value> asked;
    for (const std::size_t i : targets_.of) asked.push_back(function_.results()[i]);
    useful_ = backward_slice(asked);
    for (const Value value : asked) steps_.emplace(value.id(), Step{OpRef(), 0});
    // From the results back: by which op a value sends its gradient on, the shortest way.
    for (auto at = ops_.rbegin(); at != ops_.rend(); ++at) {
      std::optional<std::size_t> least;
      for (const Value result : at->results())
        if (const auto known = steps_.find(result.id()); known != steps_.end())
          least = std::min(least.value_or(known->second.length), known->second.length);
      if (!least) continue;
      for (const Value read : values_read(*at)) {
        if (!passes(*at, read)) continue;
        const auto [step, is_new] = steps_.try_emplace(read.id(), Step{*at, *least + 1});
        if (!is_new && step->second.length > *least + 1) step->second = {*at, *least + 1};
      }
    }
    for (const auto& [name, type] : targets_.wrt) out.targets.push_back(target(name));
    std::map<std::pair<std::string, std::string>, std::size_t> counts;
    for (const OpRef op : ops_)
      if (useful_.contains(op.id()) && !values_read(op).empty()) ++counts[{std::string(op.name()), rule_of(op)}];
    for (const auto& [key, count] : counts) out.rules.push_back({key.first, key.second, count});
  }

  [[nodiscard]] std::string text(const GradientsReport& report) const {
    std::string out = "@" + report.function + ": gradients of ";
    for (std::size_t i = 0; i < report.of.size(); ++i) out += (i == 0 ? "" : ", ") + report.of[i];
    out += "\n";
    ReportTable table;
    for (const TargetReport& of : report.targets) {
      if (!of.path.empty() || of.zero == kIsResult) {
        table.rows.push_back({of.name, "gradient", counted(of.length, "op"), path_text(of)});
        for (const End& end : of.ends)
          table.rows.push_back(
              {"", "", "", "not through " + std::string(end.op.name()) + ", " + place(end.op) + ": " + end.reason});
        continue;
      }
      table.rows.push_back({of.name, "zero", "", of.ends.empty() ? of.zero : ""});
      for (std::size_t i = 0; i < of.ends.size(); ++i) {
        const std::string end =
            "ends at " + std::string(of.ends[i].op.name()) + ", " + place(of.ends[i].op) + ": " + of.ends[i].reason;
        if (i == 0)
          table.rows.back()[3] = end;
        else
          table.rows.push_back({"", "", "", end});
      }
    }
    table.append_to(out, "  ");
    out += "rules:\n";
    ReportTable rules;
    for (const RuleReport& rule : report.rules) rules.rows.push_back({rule.op, counted(rule.count, "op"), rule.rule});
    rules.append_to(out, "  ");
    if (!report.not_saved.empty()) return out + "saved for backward: not known: " + report.not_saved + "\n";
    out += "saved for backward: " + counted(report.saved.size(), "value") + ", " + report.bytes + " bytes\n";
    ReportTable{report.saved}.append_to(out, "  ");
    return out;
  }

  [[nodiscard]] std::string json(const GradientsReport& report) const {
    Json out{{"version", 1}, {"function", report.function}, {"of", report.of}, {"values", Json::array()}};
    for (const TargetReport& of : report.targets) {
      Json item{{"value", of.name},
                {"gradient", !of.path.empty() || of.zero == kIsResult},
                {"length", of.length},
                {"path", Json::array()}};
      for (const OpRef op : of.path) item["path"].push_back({{"op", op.name()}, {"at", place(op)}});
      item["ends"] = Json::array();
      for (const End& end : of.ends)
        item["ends"].push_back({{"op", end.op.name()}, {"at", place(end.op)}, {"reason", end.reason}});
      if (!of.zero.empty()) item["reason"] = of.zero;
      out["values"].push_back(std::move(item));
    }
    out["rules"] = Json::array();
    for (const RuleReport& rule : report.rules)
      out["rules"].push_back({{"op", rule.op}, {"count", rule.count}, {"rule", rule.rule}});
    out["saved"] = Json::array();
    for (const auto& row : report.saved)
      out["saved"].push_back({{"value", row[0]}, {"op", row[1]}, {"bytes", row[2]}, {"at", row[3]}});
    if (!report.not_saved.empty()) out["not_saved"] = report.not_saved;
    return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
  }

 private:
  static constexpr std::string_view kIsResult = "it is the result itself";
  struct Step {
    OpRef op;  // that reads the value; invalid: it is a result
    std::size_t length = 0;
  };

  // Calls and ops with regions say why nothing follows from a formula, and are differentiated all the same.
  static bool is_barred(OpRef op) {
    return !op.def().no_gradient.empty() && op.region_count() == 0 && !op.is(GraphOp::Call);
  }

  // Whether a derivative by the value reaches a result of the op, by the rules that `grad` follows.
  bool passes(OpRef op, Value read) {
    if (!context_.types().is_shaped(read.type()) || !is_inexact(read.dtype())) return false;
    if (is_barred(op)) return false;
    std::vector<Diagnostic> unheard;
    Reverse reach(builder_, *rules_, sizes_, unheard);
    reach.vary(read);
    reach.spread({&op, 1});
    return std::ranges::any_of(op.results(), [&](Value result) { return reach.varied(result); });
  }

  TargetReport target(const std::string& name) {
    TargetReport out;
    out.name = name;
    const Value value = target_value(function_, name);
    if (!value.valid()) {
      out.zero = "the function does not read it";
      return out;
    }
    auto at = steps_.find(value.id());
    if (at != steps_.end() && !at->second.op.valid()) out.zero = kIsResult;
    if (at != steps_.end()) out.length = at->second.length;
    while (at != steps_.end() && at->second.op.valid() && out.path.size() < kPathShown) {
      const OpRef op = at->second.op;
      out.path.push_back(op);
      const std::size_t length = at->second.length;
      at = steps_.end();
      for (const Value result : op.results())
        if (const auto next = steps_.find(result.id()); next != steps_.end() && next->second.length < length) at = next;
    }
    find_ends(value, out);
    if (out.path.empty() && out.ends.empty() && out.zero.empty()) out.zero = "no result depends on it";
    return out;
  }

  // The first ops that the value's derivative reaches, that lead to the results, and that pass none on.
  void find_ends(Value value, TargetReport& out) {
    std::unordered_set<ValueId> reached{value.id()};
    std::vector<Value> open{value};
    std::unordered_set<OpId> seen;
    while (!open.empty() && out.ends.size() < kEndsShown) {
      const Value at = open.back();
      open.pop_back();
      for (OpRef op : at.users()) {
        while (op.parent() != function_.body()) op = op.parent_op();
        if (op == function_.return_op() || !useful_.contains(op.id())) continue;
        if (!passes(op, at)) {
          if (seen.insert(op.id()).second && out.ends.size() < kEndsShown) out.ends.push_back({op, reason(op, at)});
          continue;
        }
        if (steps_.contains(at.id()) && !out.path.empty()) continue;  // what has a gradient is followed one op far
        for (const Value result : op.results())
          if (reached.insert(result.id()).second) open.push_back(result);
      }
    }
  }

  std::string reason(OpRef op, Value read) const {
    if (is_barred(op)) return std::string(op.def().no_gradient);
    const auto is_float = [&](Value v) { return context_.types().is_shaped(v.type()) && is_inexact(v.dtype()); };
    if (!is_float(read)) return "what it reads is not a float";
    if (std::ranges::none_of(op.results(), is_float)) return "what it computes is not a float";
    if (has_formula(op.def())) return "its formula has no slope by " + name(read) + ", or holds it (stop)";
    return "nothing in it passes a derivative on";
  }

  std::string rule_of(OpRef op) const {
    if (is_barred(op)) return "none: " + std::string(op.def().no_gradient);
    if (op.is(GraphOp::Call)) return "stated by a function";
    if (!has_formula(op.def())) return op.region_count() > 0 ? "its regions are differentiated" : "none";
    const bool floats = std::ranges::any_of(op.results(), [](Value v) { return is_inexact(v.dtype()); });
    if (!floats) return "none: what it computes is not a float";
    return op.def().hooks.gradient != nullptr ? "stated by its row" : "derived from its formula";
  }

  std::string path_text(const TargetReport& of) const {
    if (of.path.empty()) return of.zero;
    std::string out;
    for (const OpRef op : of.path) out += (out.empty() ? "" : ", ") + std::string(op.name());
    return out + (of.length > of.path.size() ? ", …" : "");
  }

  FuncRef function_;
  Builder builder_;
  FreshSizes sizes_;
  const GradTargets& targets_;
  std::optional<GradientRules> rules_;
  std::vector<OpRef> ops_;
  std::unordered_set<OpId> useful_;
  std::unordered_map<ValueId, Step> steps_;
};

struct GradientsFlags {
  std::string input = "-", function;
  std::vector<std::string> of, wrt;
  ReportFormat format = ReportFormat::Text;
};

// What `mlgc grad` would keep, of a copy.
void find_saved(Module module, const std::string& function, const GradTargets& targets,
                const std::vector<std::string>& of, GradientsReport& report) {
  DiagnosticEngine unheard(module.context().locations());
  const Module before = module;
  const std::size_t results = find_function(module, function).result_count();
  const bool scalar = std::ranges::all_of(
      targets.of, [&](std::size_t i) { return find_function(module, function).results()[i].rank() == 0; });
  const std::string pipeline = "grad{function=" + option_text(function) + " of=" + option_list(of) +
                               " wrt=" + option_list(names_of(targets)) + (scalar ? "" : " seed=true") +
                               "},canonicalize,cse,dce,canonicalize,cse,dce";
  if (!run_pipeline(module, pipeline, unheard)) {
    for (const Diagnostic& diagnostic : unheard.sorted())
      if (report.not_saved.empty() && diagnostic.kind->severity == Severity::Error)
        report.not_saved = diagnostic.message();
    return;
  }
  const auto made = new_functions(before, module);
  if (made.empty()) return;
  Context& context = module.context();
  const ForwardPart part = forward_part(find_function(module, made.front()), results);
  const Recomputed chosen = choose_recomputed(part, {Recompute::Fast, 1});
  std::vector<Value> kept;
  for (const auto& [value, why] : chosen.kept) kept.push_back(value);
  std::ranges::sort(kept, {}, [&](Value value) { return part.number_of.at(value.definer().id()); });
  std::unordered_map<ValueId, std::string> names;
  for (const auto& [name, value] : printed_names(module)) names.emplace(value.id(), "%" + name);
  IndexExpr bytes = context.index().constant(0);
  for (const Value value : kept) {
    const IndexExpr own = context.storage_bytes(value.type());
    bytes = context.index().add(bytes, own);
    report.saved.push_back({names.at(value.id()), std::string(value.definer().name()), context.index().print(own),
                            place_text(context.locations(), value.definer().location())});
  }
  report.bytes = context.index().print(bytes);
}

ExitCode explain(const Console& console, const GradientsFlags& flags) {
  const std::shared_ptr<Context> context = make_context();
  DiagnosticEngine diagnostics(context->locations(), console.error_limit);
  std::optional<Module> module = load_input(context, flags.input, diagnostics);
  if (!module) return console.report(diagnostics);
  const FuncRef chosen = choose_function(*module, flags.function, diagnostics);
  if (!chosen.valid()) return console.report(diagnostics);
  GradientsReport report;
  report.function = chosen.name();
  if (!run_pipeline(*module, "inline{segments=true fusions=true keep-gradients=true}", diagnostics))
    return console.report(diagnostics);
  const FuncRef function = find_function(*module, report.function);
  const auto targets =
      resolve_request(function, {flags.of, flags.wrt, false, ""}, ResultDefault::OnlyFloat, diagnostics);
  if (!targets) return console.report(diagnostics);
  for (const std::size_t i : targets->of) report.of.push_back(result_name(function, i));
  find_saved(*module, report.function, *targets, report.of, report);
  const FuncRef copy = working_copy(function, *module, free_symbol(*module, report.function + "_ways"));
  inline_derivations(copy, names_of(*targets));
  {
    FreshSizes sizes(copy.op());
    loops_as_scans(copy.op(), sizes);
  }
  Gradients gradients(*module, copy, *targets);
  gradients.run(report);
  const Status<> written =
      write_product("-", flags.format == ReportFormat::Json ? gradients.json(report) : gradients.text(report));
  if (!written) diagnostics.emit(diagnose<kCannotWrite>({}, written.error()));
  return console.report(diagnostics);
}

}  // namespace

ExitCode run_explain_gradients(const Words& words) {
  Arguments arguments("explain gradients",
                      "Says which values have a gradient, through which ops it flows and which end it, by what rule\n"
                      "each op sends gradients back, and what is saved for that.",
                      kExplainGradientsExamples);
  GradientsFlags flags;
  arguments.add_positional("model", flags.input, "FILE",
                           "Text of a module, or a model file; - or nothing: standard input");
  add_function_flag(arguments, flags.function);
  add_derivative_flags(arguments, flags.of, flags.wrt);
  arguments.add_format_flag(flags.format, "--format", "How the report is written");
  arguments.add_diagnostic_flags();
  if (const auto over = arguments.parse(words)) return *over;
  return explain(arguments.console(), flags);
}

}  // namespace mlgc
