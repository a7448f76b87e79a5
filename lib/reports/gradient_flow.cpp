// See gradient_flow.h.
#include "reports/gradient_flow.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "analysis/backward_slice.h"
#include "autodiff/fresh_sizes.h"
#include "autodiff/loops_as_scans.h"
#include "autodiff/request.h"
#include "autodiff/reverse.h"
#include "autodiff/working_copy.h"
#include "interp/function_results.h"
#include "ir/function_facts.h"
#include "ops/instantiate_op.h"
#include "ops/op_table.h"
#include "pass/option_text.h"
#include "rematerialize/choose.h"
#include "text/module_report.h"
#include "text/printer.h"
#include "transforms/run_passes.h"

namespace mlgc {
namespace {

using Json = nlohmann::ordered_json;

// Of longer lists the rest is counted.
constexpr std::size_t kPathShown = 6, kEndsShown = 3;

class FlowSearch : ModuleReport {
 public:
  FlowSearch(Module& module, FuncRef function, const GradTargets& targets)
      : ModuleReport(module), function_(function), builder_(module), sizes_(function.op()), targets_(targets) {
    FunctionFacts facts;
    rules_.emplace(context_, facts.of(function.op()));
  }

  void run(GradientFlow& out) {
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
    for (const auto& [name, type] : targets_.wrt) out.sources.push_back(source(name));
    std::map<std::pair<std::string, std::string>, std::size_t> counts;
    for (const OpRef op : ops_)
      if (useful_.contains(op.id()) && !values_read(op).empty()) ++counts[{std::string(op.name()), rule_of(op)}];
    for (const auto& [key, count] : counts) out.rules.push_back({key.first, key.second, count});
  }

 private:
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

  GradientFlow::Source source(const std::string& name) {
    GradientFlow::Source out;
    out.name = name;
    const Value value = target_value(function_, name);
    if (!value.valid()) {
      out.reason = "the function does not read it";
      return out;
    }
    auto at = steps_.find(value.id());
    if (at != steps_.end()) {
      out.has_gradient = true;
      out.length = at->second.length;
      if (!at->second.op.valid()) out.reason = "it is the result itself";
    }
    while (at != steps_.end() && at->second.op.valid() && out.path.size() < kPathShown) {
      const OpRef op = at->second.op;
      out.path.push_back(named(op));
      const std::size_t length = at->second.length;
      at = steps_.end();
      for (const Value result : op.results())
        if (const auto next = steps_.find(result.id()); next != steps_.end() && next->second.length < length) at = next;
    }
    find_ends(value, out);
    if (!out.has_gradient && out.ends.empty()) out.reason = "no result depends on it";
    return out;
  }

  // The first ops that the value's derivative reaches, that lead to the results, and that pass none on.
  void find_ends(Value value, GradientFlow::Source& out) {
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
          if (seen.insert(op.id()).second && out.ends.size() < kEndsShown)
            out.ends.push_back({named(op), reason(op, at)});
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

  GradientFlow::Op named(OpRef op) const { return {std::string(op.name()), place(op)}; }

  FuncRef function_;
  Builder builder_;
  FreshSizes sizes_;
  const GradTargets& targets_;
  std::optional<GradientRules> rules_;
  std::vector<OpRef> ops_;
  std::unordered_set<OpId> useful_;
  std::unordered_map<ValueId, Step> steps_;
};

// What `mlgc grad` would keep, of a copy.
void find_saved(Module module, const std::string& function, const GradTargets& targets,
                const std::vector<std::string>& of, GradientFlow& flow) {
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
      if (flow.not_saved.empty() && diagnostic.kind->severity == Severity::Error) flow.not_saved = diagnostic.message();
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
    flow.saved.push_back({names.at(value.id()), std::string(value.definer().name()), context.index().print(own),
                          place_text(context.locations(), value.definer().location())});
  }
  flow.bytes = context.index().print(bytes);
}

std::string path_text(const GradientFlow::Source& source) {
  if (source.path.empty()) return source.reason;
  std::string out;
  for (const GradientFlow::Op& op : source.path) out += (out.empty() ? "" : ", ") + op.name;
  return out + (source.length > source.path.size() ? ", …" : "");
}

Json op_json(const GradientFlow::Op& op) { return {{"op", op.name}, {"at", op.place}}; }

}  // namespace

std::optional<GradientFlow> find_gradient_flow(Module module, const std::string& function,
                                               const std::vector<std::string>& of, const std::vector<std::string>& wrt,
                                               DiagnosticEngine& diagnostics) {
  GradientFlow flow;
  flow.function = function;
  if (!run_pipeline(module, "inline{segments=true fusions=true keep-gradients=true}", diagnostics)) return std::nullopt;
  const FuncRef inlined = find_function(module, function);
  const auto targets = resolve_request(inlined, {of, wrt, false, ""}, ResultDefault::OnlyFloat, diagnostics);
  if (!targets) return std::nullopt;
  for (const std::size_t i : targets->of) flow.of.push_back(result_name(inlined, i));
  find_saved(module, function, *targets, flow.of, flow);
  const FuncRef copy = working_copy(inlined, module, free_symbol(module, function + "_ways"));
  inline_derivations(copy, names_of(*targets));
  {
    FreshSizes sizes(copy.op());
    loops_as_scans(copy.op(), sizes);
  }
  FlowSearch(module, copy, *targets).run(flow);
  return flow;
}

std::string render_text(const GradientFlow& flow) {
  std::string out = "@" + flow.function + ": gradients of ";
  for (std::size_t i = 0; i < flow.of.size(); ++i) out += (i == 0 ? "" : ", ") + flow.of[i];
  out += "\n";
  ReportTable table;
  for (const GradientFlow::Source& source : flow.sources) {
    if (source.has_gradient) {
      table.rows.push_back({source.name, "gradient", counted(source.length, "op"), path_text(source)});
      for (const GradientFlow::End& end : source.ends)
        table.rows.push_back({"", "", "", "not through " + end.op.name + ", " + end.op.place + ": " + end.reason});
      continue;
    }
    table.rows.push_back({source.name, "zero", "", source.ends.empty() ? source.reason : ""});
    for (std::size_t i = 0; i < source.ends.size(); ++i) {
      const GradientFlow::End& at = source.ends[i];
      const std::string end = "ends at " + at.op.name + ", " + at.op.place + ": " + at.reason;
      if (i == 0)
        table.rows.back()[3] = end;
      else
        table.rows.push_back({"", "", "", end});
    }
  }
  table.append_to(out, "  ");
  out += "rules:\n";
  ReportTable rules;
  for (const GradientFlow::Rule& rule : flow.rules)
    rules.rows.push_back({rule.op, counted(rule.count, "op"), rule.rule});
  rules.append_to(out, "  ");
  if (!flow.not_saved.empty()) return out + "saved for backward: not known: " + flow.not_saved + "\n";
  out += "saved for backward: " + counted(flow.saved.size(), "value") + ", " + flow.bytes + " bytes\n";
  ReportTable saved;
  for (const GradientFlow::Saved& value : flow.saved)
    saved.rows.push_back({value.name, value.op, value.bytes, value.place});
  saved.append_to(out, "  ");
  return out;
}

std::string render_json(const GradientFlow& flow) {
  Json out{{"version", 1}, {"function", flow.function}, {"of", flow.of}, {"values", Json::array()}};
  for (const GradientFlow::Source& source : flow.sources) {
    Json item{{"value", source.name},
              {"gradient", source.has_gradient},
              {"length", source.length},
              {"path", Json::array()},
              {"ends", Json::array()}};
    for (const GradientFlow::Op& op : source.path) item["path"].push_back(op_json(op));
    for (const GradientFlow::End& end : source.ends) {
      item["ends"].push_back(op_json(end.op));
      item["ends"].back()["reason"] = end.reason;
    }
    if (!source.reason.empty()) item["reason"] = source.reason;
    out["values"].push_back(std::move(item));
  }
  out["rules"] = Json::array();
  for (const GradientFlow::Rule& rule : flow.rules)
    out["rules"].push_back({{"op", rule.op}, {"count", rule.count}, {"rule", rule.rule}});
  out["saved"] = Json::array();
  for (const GradientFlow::Saved& value : flow.saved)
    out["saved"].push_back({{"value", value.name}, {"op", value.op}, {"bytes", value.bytes}, {"at", value.place}});
  if (!flow.not_saved.empty()) out["not_saved"] = flow.not_saved;
  return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace mlgc
