// See numerics_report.h.
#include "reports/numerics_report.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <unordered_set>

#include <nlohmann/json.hpp>

#include "codegen/source_options.h"
#include "ir/function.h"
#include "ir/walk.h"
#include "loopir/functions.h"
#include "ops/scalar_ops.h"
#include "rewrite/builtin_rules.h"
#include "schedule/loop_transforms.h"
#include "text/module_report.h"
#include "transforms/all_passes.h"
#include "transforms/rules.h"

namespace mlgc {
namespace {

using Json = nlohmann::ordered_json;

// `narrow` of `narrow of %k`.
std::string_view name_of_rule(std::string_view what) { return what.substr(0, what.find(" of %")); }

// What rules say of themselves, by name.
std::map<std::string, std::string, std::less<>> docs_of_rules(Context& context, const std::vector<std::string>& files) {
  std::map<std::string, std::string, std::less<>> docs;
  const auto add = [&](std::string_view name) {
    DiagnosticEngine unheard(context.locations());  // what is wrong with them was reported when they were applied
    const auto file = read_rule_file(context, name, unheard);
    if (file == nullptr) return;
    for (const RuleTextSet& set : file->sets)
      for (const TextRule& rule : set.rules) docs.emplace(rule.name, rule.doc.empty() ? set.doc : rule.doc);
  };
  for (const std::string& file : files) add(file);
  for (const BuiltinRules& file : builtin_rules()) add(file.name);
  for (const RewriteRule& rule : control_flow_rules()) docs.emplace(rule.name, rule.doc);
  return docs;
}

// Places of the source that a location stands for.
void add_places(const LocationTable& table, Location at, std::set<std::string>& places) {
  const std::vector<Location> children = table.children(at);
  if (children.empty() && table.primary_position(at)) places.insert(place_text(table, at));
  for (const Location child : children) add_places(table, child, places);
}

// Ulp and ratios.
std::string ulp_text(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), value >= 1e5 || (value > 0 && value < 1e-3) ? "%.2e" : "%.3g", value);
  return text.data();
}

Json json_ulp(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

class NumericsWriter : ModuleReport {
 public:
  NumericsWriter(const Module& module, const NumericsReport& report) : ModuleReport(module), report_(report) {
    color_ = report.color;
    if (report.value.empty()) return;
    walk(module.top(), [&](OpRef op) {
      for (const Value result : op.results())
        if (name(result) == report.value) add_places(context_.locations(), op.location(), places_);
    });
  }

  std::string text() const {
    std::string out;
    rules(out);
    if (report_.value.empty()) program(out);
    if (report_.errors) errors(out, *report_.errors);
    return out;
  }

  std::string json() const {
    Json out{{"version", 1}, {"numerics", numerics_name(report_.numerics)}, {"rules", Json::array()}};
    for (const RoundingRule& rule : report_.rules) {
      const std::vector<Location> at = places_of(rule);
      if (at.empty()) continue;
      Json places = Json::array();
      for (const Location place : at) {
        std::set<std::string> parts;
        add_places(context_.locations(), place, parts);
        places.push_back(parts);
      }
      out["rules"].push_back({{"class", numerics_class_name(rule.numerics)},
                              {"pass", rule.pass},
                              {"rule", rule.rule},
                              {"doc", rule.doc},
                              {"count", rule.count},
                              {"places", std::move(places)}});
    }
    if (!report_.not_lowered.empty()) out["not_lowered"] = report_.not_lowered;
    out["weights"] = Json::array();
    for (const OpRef weight : report_.weights) out["weights"].push_back("@" + std::string(weight.symbol()));
    out["casts"] = Json::array();
    for (const CountedOps& cast : report_.casts)
      out["casts"].push_back({{"cast", cast.what}, {"source", cast.source}, {"optimised", cast.optimised}});
    out["functions"] = Json::array();
    for (const CountedOps& fn : report_.functions)
      out["functions"].push_back({{"function", fn.what}, {"count", fn.optimised}});
    if (report_.errors) out["run"] = json(*report_.errors);
    return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
  }

 private:
  [[nodiscard]] bool wanted(Value value) const { return report_.value.empty() || name(value) == report_.value; }

  // Those that the value which is asked for came from.
  [[nodiscard]] std::vector<Location> places_of(const RoundingRule& rule) const {
    if (report_.value.empty()) return rule.at;
    std::vector<Location> out;
    for (const Location at : rule.at) {
      std::set<std::string> here;
      add_places(context_.locations(), at, here);
      if (std::ranges::any_of(here, [&](const std::string& place) { return places_.contains(place); }))
        out.push_back(at);
    }
    return out;
  }

  // A kernel is where all of its ops are.
  [[nodiscard]] std::string place_of(Location at) const {
    std::set<std::string> parts;
    add_places(context_.locations(), at, parts);
    std::string out = place_text(context_.locations(), at);
    return parts.size() > 1 ? out + " (kernel of " + std::to_string(parts.size()) + " ops)" : out;
  }

  template <class Items>
  [[nodiscard]] std::size_t listed(const Items& items) const {
    return report_.most == 0 ? items.size() : std::min(items.size(), report_.most);
  }
  void more(std::string& out, std::size_t listed, std::size_t all, std::string_view what) const {
    if (listed < all) out += "  and " + counted(all - listed, what) + " more (--top=0 shows all)\n";
  }

  void rules(std::string& out) const {
    out += "places where numbers may change against the source, with --numerics=" +
           std::string(numerics_name(report_.numerics)) + ":\n";
    ReportTable table;
    std::vector<std::string> docs;
    for (const RoundingRule& rule : report_.rules) {
      const std::vector<Location> at = places_of(rule);
      if (at.empty()) continue;
      constexpr std::size_t kPlaces = 3;
      std::string places;
      for (std::size_t i = 0; i < std::min(at.size(), kPlaces); ++i) places += (i == 0 ? "" : ", ") + place_of(at[i]);
      if (at.size() > kPlaces) places += " and " + std::to_string(at.size() - kPlaces) + " more";
      table.rows.push_back({std::string(numerics_class_name(rule.numerics)), rule.rule,
                            std::to_string(report_.value.empty() ? rule.count : at.size()), rule.pass,
                            std::move(places)});
      docs.push_back("      " + rule.doc + "\n");
    }
    if (table.rows.empty()) out += "  none\n";
    std::string lines;
    table.append_to(lines, "  ");
    std::size_t from = 0;
    for (const std::string& doc : docs) {
      const std::size_t end = lines.find('\n', from) + 1;
      out += lines.substr(from, end - from) + (doc.find_first_not_of(" \n") == std::string::npos ? "" : doc);
      from = end;
    }
    if (!report_.not_lowered.empty()) out += "  not those of loops and schedules: " + report_.not_lowered + "\n";
  }

  // What the program says itself.
  void program(std::string& out) const {
    if (!report_.weights.empty()) {
      out += "weights that are computed when the model is loaded, and rounded once:\n";
      ReportTable table;
      const std::size_t count = listed(report_.weights);
      for (std::size_t i = 0; i < count; ++i) {
        const OpRef weight = report_.weights[i];
        std::size_t ops = 0;
        std::string read;
        walk(weight, [&](OpRef op) {
          if (op == weight || op.has_trait(Traits::Terminator)) return;
          const auto symbol = op.is(GraphOp::Read) ? context_.attributes().as_symbol(op.attr("symbol")) : std::nullopt;
          if (symbol)
            read += (read.empty() ? "@" : ", @") + std::string(*symbol);
          else
            ++ops;
        });
        table.rows.push_back({"@" + std::string(weight.symbol()), counted(ops, "op"), "of " + read});
      }
      table.append_to(out, "  ");
      more(out, count, report_.weights.size(), "weight");
    }
    if (!report_.casts.empty()) {
      out += "casts to fewer bits, in the source and after passes:\n";
      ReportTable table;
      for (const CountedOps& cast : report_.casts)
        table.rows.push_back({cast.what, std::to_string(cast.source), std::to_string(cast.optimised)});
      table.append_to(out, "  ");
    }
    if (!report_.functions.empty()) {
      out += "functions of emitted code, with the last bits of its own polynomials (docs/codegen.md): ";
      for (std::size_t i = 0; i < report_.functions.size(); ++i)
        out += (i == 0 ? "" : ", ") + report_.functions[i].what + " " + std::to_string(report_.functions[i].optimised);
      out += "\n";
    }
  }

  static std::string element_text(const ElementAt& at) { return at.position.empty() ? "" : position_text(at.position); }
  static bool is_off(const OpError& error) {
    return error.own.value_or(0) > 0 || error.accumulated.value_or(0) > 0 || error.other > 0;
  }
  // Those that are asked for, what adds most first.
  [[nodiscard]] std::vector<const OpError*> ranked(const RunErrors& errors) const {
    std::vector<const OpError*> out;
    for (const OpError& error : errors.ops)
      if (wanted(error.value) && (!report_.value.empty() || is_off(error))) out.push_back(&error);
    std::ranges::stable_sort(out, [](const OpError* a, const OpError* b) {
      if ((a->other > 0) != (b->other > 0)) return a->other > 0;
      return a->added() > b->added();
    });
    return out;
  }

  void errors(std::string& out, const RunErrors& errors) const {
    const std::vector<const OpError*> order = ranked(errors);
    out += "@" + report_.function + ": errors against f64 in ulp of each result, what adds most first:\n";
    if (order.empty()) {
      out += "  none: each op gives what f64 gives\n";
    } else {
      ReportTable table;
      table.rows.push_back({"value", "op", "own", "operands", "result", "relative", "worst element", "where"});
      const std::size_t count = report_.value.empty() ? listed(order) : order.size();
      for (std::size_t i = 0; i < count; ++i) table.rows.push_back(row(*order[i]));
      table.append_to(out, "  ");
      more(out, count, order.size(), "value");
      if (!report_.value.empty())
        for (const OpError* error : order) out += detail(*error);
    }
    if (errors.parted.valid())
      out += "  after " + names(errors.parted) + " of " + std::string(errors.parted.name()) +
             " the run in f64 goes another way: no accumulated errors from there on\n";
    if (!errors.f64_fails.empty()) out += "  the run in f64 ends: " + errors.f64_fails + "\n";
    if (errors.is_short) out += "  the run in f64 has more values than are kept: no accumulated errors from there on\n";
    non_finite(out, errors.given, "not finite from the start:", "");
    non_finite(out, errors.origins, "where NaN and infinities come from, in the order of running:",
               "  none: results are finite where what they are computed of is\n");
  }

  [[nodiscard]] std::vector<std::string> row(const OpError& error) const {
    const OpRef op = error.value.definer();
    const auto number = [](const std::optional<double>& value) { return value ? ulp_text(*value) : "-"; };
    std::string element = element_text(error.worst);
    if (error.other > 0)
      element = std::to_string(error.other) + " of " + std::to_string(error.elements) + " are others in f64";
    std::string where = place(op);
    if (!error.path.empty()) where += error.path;
    return {name(error.value),
            std::string(op.name()),
            number(error.own),
            error.accumulated ? ulp_text(error.operands) : "-",
            number(error.accumulated),
            number(error.relative),
            error.worst.value.empty() ? "" : element,
            std::move(where)};
  }

  [[nodiscard]] std::string operands_text(const ElementAt& at) const {
    std::string out;
    for (const auto& [value, text] : at.operands)
      out += (out.empty() ? "" : ", ") + name(value) + (text.starts_with("in ") ? " " : " = ") + text;
    return out;
  }

  [[nodiscard]] std::string detail(const OpError& error) const {
    if (error.worst.value.empty()) return "";
    std::string out = "  " + name(error.value) + element_text(error.worst) + " is " + error.worst.value + ", in f64 " +
                      error.worst.expected;
    if (const std::string of = operands_text(error.worst); !of.empty()) out += ", of " + of;
    return out + "\n";
  }

  void non_finite(std::string& out, const std::vector<NonFinite>& all, std::string_view title,
                  std::string_view none) const {
    std::vector<const NonFinite*> found;
    for (const NonFinite& at : all)
      if (wanted(at.value)) found.push_back(&at);
    if (found.empty() && none.empty()) return;
    out += std::string(title) + "\n";
    if (found.empty()) out += none;
    const std::size_t count = listed(found);
    for (std::size_t i = 0; i < count; ++i) {
      const NonFinite& at = *found[i];
      out += "  " + name(at.value) + element_text(at.first) + " = " + at.first.value;
      if (at.value.is_result()) out += " of " + std::string(at.value.definer().name());
      if (!at.first.expected.empty() && at.first.expected != at.first.value)
        out += " (in f64 " + at.first.expected + ")";
      if (const std::string of = operands_text(at.first); !of.empty()) out += ": " + of;
      if (at.count > 1) out += "; " + std::to_string(at.count) + " elements";
      out += at.path;
      if (at.value.is_result()) out += "  " + place(at.value.definer());
      out += "\n";
    }
    more(out, count, found.size(), "value");
  }

  [[nodiscard]] Json json(const ElementAt& at) const {
    Json out{{"position", at.position}, {"value", at.value}};
    if (!at.expected.empty()) out["expected"] = at.expected;
    out["operands"] = Json::array();
    for (const auto& [value, text] : at.operands) out["operands"].push_back({{"value", name(value)}, {"is", text}});
    return out;
  }

  [[nodiscard]] Json json_at(Value value, const std::string& path) const {
    Json out{{"value", name(value)}};
    if (value.is_result()) {
      out["op"] = value.definer().name();
      out["at"] = place(value.definer());
    }
    if (!path.empty()) out["in"] = path.substr(4);
    return out;
  }

  [[nodiscard]] Json json(const std::vector<NonFinite>& all) const {
    Json out = Json::array();
    for (const NonFinite& at : all) {
      if (!wanted(at.value)) continue;
      Json item = json_at(at.value, at.path);
      item["nan"] = at.nan;
      item["count"] = at.count;
      item["first"] = json(at.first);
      out.push_back(std::move(item));
    }
    return out;
  }

  [[nodiscard]] Json json(const RunErrors& errors) const {
    Json out{{"function", report_.function}, {"ops", Json::array()}};
    const auto number = [](const std::optional<double>& value) { return value ? json_ulp(*value) : Json(nullptr); };
    const std::vector<const OpError*> order = ranked(errors);
    const std::size_t count = listed(order);
    for (std::size_t i = 0; i < count; ++i) {
      const OpError& error = *order[i];
      Json item = json_at(error.value, error.path);
      item["runs"] = error.runs;
      item["own_ulp"] = number(error.own);
      item["operands_ulp"] = error.accumulated ? json_ulp(error.operands) : Json(nullptr);
      item["ulp"] = number(error.accumulated);
      item["relative"] = number(error.relative);
      item["others"] = error.other;
      item["elements"] = error.elements;
      item["worst"] = json(error.worst);
      out["ops"].push_back(std::move(item));
    }
    out["given"] = json(errors.given);
    out["origins"] = json(errors.origins);
    out["parted"] = errors.parted.valid() ? Json(names(errors.parted)) : Json(nullptr);
    if (!errors.f64_fails.empty()) out["f64_fails"] = errors.f64_fails;
    out["is_short"] = errors.is_short;
    return out;
  }

  const NumericsReport& report_;
  std::set<std::string> places_;  // of the value that is asked for
};

}  // namespace

std::vector<RoundingRule> rounding_rules(Context& context, const std::vector<AppliedRewrite>& log,
                                         const std::vector<std::string>& rule_files) {
  std::vector<RoundingRule> out;
  if (log.empty()) return out;
  const auto docs = docs_of_rules(context, rule_files);
  std::map<std::pair<std::string, std::string>, std::size_t> known;
  std::vector<std::unordered_set<std::uint32_t>> seen;
  for (const AppliedRewrite& rewrite : log) {
    const std::string name(name_of_rule(rewrite.what));
    const auto [at, is_new] = known.try_emplace({std::string(rewrite.pass), name}, out.size());
    if (is_new) {
      RoundingRule& rule = out.emplace_back();
      seen.emplace_back();
      rule.pass = rewrite.pass;
      rule.rule = name;
      rule.numerics = rewrite.numerics;
      if (const auto doc = docs.find(name); doc != docs.end())
        rule.doc = doc->second;
      else if (const PassDef* pass = find_pass(all_passes(), name))
        rule.doc = pass->summary;
      else if (const std::string_view summary = step_summary(name); !summary.empty())
        rule.doc = summary;
      else if (const PassDef* around = find_pass(all_passes(), rewrite.pass))
        rule.doc = around->summary;
    }
    RoundingRule& rule = out[at->second];
    rule.numerics = std::max(rule.numerics, rewrite.numerics);
    ++rule.count;
    if (seen[at->second].insert(rewrite.at.id).second) rule.at.push_back(rewrite.at);
  }
  return out;
}

void count_casts(const Module& module, std::uint64_t CountedOps::*into, std::vector<CountedOps>& casts) {
  walk(module.top(), [&](OpRef op) {
    if (!op.is(GraphOp::Cast) || op.operand_count() != 1) return;
    const Dtype from = op.operand(0).dtype(), to = op.result().dtype();
    if (!is_float(from) || !is_float(to) || dtype_info(to).bytes > dtype_info(from).bytes || from == to) return;
    const std::string what = std::string(dtype_info(from).name) + " to " + std::string(dtype_info(to).name);
    auto at = std::ranges::find(casts, what, &CountedOps::what);
    if (at == casts.end()) at = casts.insert(casts.end(), CountedOps{what});
    ++((*at).*into);
  });
}

std::vector<CountedOps> prelude_functions(const Module& lowered) {
  const ScalarOps& ops = scalar_ops(lowered.context());
  std::map<Opcode, std::string> functions;
  for (std::size_t i = 0; i < kScalarFnCount; ++i) {
    const auto fn = static_cast<ScalarFn>(i);
    if (prelude_rounds(fn) && ops.find(fn) != Opcode::Invalid) functions.emplace(ops.find(fn), scalar_fn_info(fn).name);
  }
  std::map<std::string, std::uint64_t> counts;
  for (const FuncRef& function : mlgc::functions(lowered)) {
    if (!is_loop_function(function.op())) continue;
    walk(function.op(), [&](OpRef op) {
      const auto known = functions.find(op.opcode());
      if (known != functions.end() && is_float(op.result().dtype())) ++counts[known->second];
    });
  }
  std::vector<CountedOps> out;
  for (const auto& [name, count] : counts) out.push_back({name, 0, count});
  return out;
}

std::string numerics_text(const Module& module, const NumericsReport& report) {
  return NumericsWriter(module, report).text();
}
std::string numerics_json(const Module& module, const NumericsReport& report) {
  return NumericsWriter(module, report).json();
}

}  // namespace mlgc
