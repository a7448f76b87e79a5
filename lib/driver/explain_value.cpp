// See explain_value.h.
#include "driver/explain_value.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "diag/kinds_rules.h"
#include "ir/function_facts.h"
#include "rewrite/builtin_rules.h"
#include "rewrite/rule_apply.h"
#include "text/printer.h"
#include "transforms/rules.h"

namespace mlgc {
namespace {

std::vector<OpRef> ops_called(const Module& module, std::string_view name) {
  std::vector<OpRef> ops;
  for (const auto& [text, value] : printed_names(module))
    if (text == name && value.is_result()) ops.push_back(value.definer());
  return ops;
}

struct FoundRule {
  std::shared_ptr<const RuleFile> file;
  const TextRule* rule = nullptr;
};

// Errors in a file of the user have been reported when it was applied.
FoundRule find_rule(Context& context, std::string_view name, const std::vector<std::string>& files) {
  std::vector<std::string> all = files;
  for (const BuiltinRules& file : builtin_rules()) all.emplace_back(file.name);
  for (const std::string& file_name : all) {
    DiagnosticEngine unheard(context.locations());
    auto file = read_rule_file(context, file_name, unheard);
    if (file == nullptr) continue;
    for (const RuleTextSet& set : file->sets)
      for (const TextRule& rule : set.rules)
        if (rule.name == name) return {file, &rule};
  }
  return {};
}

void append_chain(std::string& out, const LocationTable& locations, Location at, std::size_t depth) {
  const std::string indent(2 * depth, ' ');
  switch (locations.kind(at)) {
    case LocationKind::Named:
      out += indent + "by " + std::string(locations.name(at)) + " from\n";
      for (const Location child : locations.children(at)) append_chain(out, locations, child, depth + 1);
      return;
    case LocationKind::Fused:
    case LocationKind::Annotated:
      for (const Location child : locations.children(at)) append_chain(out, locations, child, depth);
      return;
    default: out += indent + place_text(locations, at) + "\n";
  }
}

}  // namespace

Result<std::string, Diagnostic> explain_why_not(const Module& module, std::string_view question,
                                                const std::vector<std::string>& files, Numerics mode) {
  const std::size_t at = question.find("@%");
  if (at == std::string_view::npos || at == 0)
    return Failure{diagnose<kBadQuestion>({}, "--why-not", "RULE@%VALUE", question)};
  const std::string_view name = question.substr(0, at), value = question.substr(at + 2);
  Context& context = module.context();
  const FoundRule found = find_rule(context, name, files);
  if (found.rule == nullptr) return Failure{diagnose<kNoSuchRule>({}, name)};
  const std::vector<OpRef> ops = ops_called(module, value);
  if (ops.empty()) return Failure{diagnose<kNoSuchValue>({}, value)};
  std::string out;
  FunctionFacts facts;
  for (const OpRef op : ops) {
    out += "why not " + std::string(name) + " at %" + std::string(value) + " (" +
           place_text(context.locations(), op.location()) + "): ";
    const NearMiss miss = explain_miss(context, *found.rule, op, facts.of(op));
    if (miss.found())
      out += miss.reason;
    else if (!admits(mode, as_rule(*found.rule)))
      out += "its class " + std::string(numerics_class_name(found.rule->numerics)) +
             " is not admitted by --numerics=" + std::string(numerics_name(mode));
    else
      out += "it would apply: no pass has applied it to this op";
    out += "\n";
  }
  return out;
}

Result<std::string, Diagnostic> explain_origin(const Module& module, std::string_view name) {
  if (name.size() < 2 || name.front() != '%') return Failure{diagnose<kBadQuestion>({}, "--explain", "%VALUE", name)};
  const std::vector<OpRef> ops = ops_called(module, name.substr(1));
  if (ops.empty()) return Failure{diagnose<kNoSuchValue>({}, name.substr(1))};
  std::string out;
  for (const OpRef op : ops) {
    out += std::string(name) + " is " + std::string(op.name()) + ", made\n";
    std::string chain;
    append_chain(chain, module.context().locations(), op.location(), 1);
    // An op that no rule has made stands where it stood.
    if (module.context().locations().kind(op.location()) != LocationKind::Named)
      out.replace(out.size() - 5, 5, "as it was read from\n");
    out += chain;
  }
  return out;
}

}  // namespace mlgc
