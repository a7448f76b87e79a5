// apply-rules: applies rule files, each set as its phase says.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "diag/kinds_rules.h"
#include "rewrite/builtin_rules.h"
#include "transforms/passes.h"
#include "transforms/rules.h"

namespace mlgc {

namespace {

struct ApplyRulesOptions {
  std::vector<std::string> file;
  std::vector<std::string> disable;
};

constexpr std::array kApplyRulesOptions{
    pass_option<&ApplyRulesOptions::file>(
        "file", "rule files, or names of built-in ones, in the order in which they are applied"),
    pass_option<&ApplyRulesOptions::disable>("disable", "names of rules that are not applied"),
};
constexpr std::array kApplyRulesCounters{
    PassCounter{"rules-applied", "how often a rule was applied"},
    PassCounter{"ops-unread", "ops removed because rules left them without a reader"},
};

// Of the user's own rules, each once. Built-in files hold rules of all classes, for any mode to choose from.
void warn_of_barred(const RuleSet& set, const std::vector<std::optional<Location>>& barred, PassContext& context) {
  for (std::size_t i = 0; i < barred.size(); ++i)
    if (barred[i]) {
      const Rule& rule = set.rules()[i];
      context.diagnostics().emit(diagnose<kRuleBarred>(*barred[i], rule.name, numerics_class_name(rule.numerics),
                                                       numerics_name(context.numerics())));
    }
}

PassResult run(Module& module, const ApplyRulesOptions& options, PassContext& context) {
  if (options.file.empty()) {
    reject_option(context, "file", "a rule file must be named");
    return PassResult::Failed;
  }
  std::vector<std::shared_ptr<const RuleFile>> files;
  for (const std::string& name : options.file) {
    auto file = load_rule_file(module.context(), name, context.diagnostics());
    if (file == nullptr) return PassResult::Failed;
    files.push_back(std::move(file));
  }
  std::vector<std::string> unknown = options.disable;
  std::vector<RuleSet> sets;
  std::vector<bool> own;  // by set: it comes from the user's file
  for (std::size_t f = 0; f < files.size(); ++f)
    for (const RuleTextSet& text : files[f]->sets) {
      std::vector<Rule> rules;
      for (const TextRule& rule : text.rules)
        if (std::erase(unknown, rule.name) == 0) rules.push_back(as_rule(rule));
      sets.emplace_back(module.context(), std::move(rules), text.phase);
      own.push_back(std::ranges::count(builtin_rules(), options.file[f], &BuiltinRules::name) == 0);
    }
  if (!unknown.empty()) {
    reject_option(context, "disable", "there is no rule `" + unknown.front() + "`");
    return PassResult::Failed;
  }
  std::uint64_t applied = 0, unread = 0;
  std::vector<std::optional<Location>> barred;
  for (std::size_t s = 0; s < sets.size(); ++s) {
    const RewriteReport report =
        rewrite(module, sets[s], context.numerics(), &context.gate(), own[s] ? &barred : nullptr);
    add_rule_hits(context, sets[s], report);
    if (own[s]) warn_of_barred(sets[s], barred, context);
    applied += report.applied;
    unread += report.unread;
  }
  context.count("rules-applied") = applied;
  context.count("ops-unread") = unread;
  return PassContext::changed_if(applied > 0);
}

}  // namespace

constexpr PassDef kApplyRulesPass{
    .name = "apply-rules",
    .summary = "Applies rewrite rules from files.",
    .description =
        "Each set of each file is applied as its phase says: `simplify` until none applies, `once` to every op that is "
        "there, `grow` from the last op to the first. Rules that could change numbers more than the mode of "
        "`--numerics` admits are not applied. `--rules=FILE` is short for this pass; docs/rules.md describes the "
        "notation, and `mlgc rules --check` tests a file.",
    .options = kApplyRulesOptions,
    .counters = kApplyRulesCounters,
    .example = {.before = R"(func @f(%x: tensor<4x3xf32>, %w: tensor<2x3xf32>, %b: tensor<2xf32>) -> tensor<4x2xf32> {
  %0 = linear %x, %w, %b : tensor<4x2xf32>
  %1 = relu %0 : tensor<4x2xf32>
  return %1
})",
                .after = R"(func @f(%x: tensor<4x3xf32>, %w: tensor<2x3xf32>, %b: tensor<2xf32>) -> tensor<4x2xf32> {
  %0 = fusion (%1 = %x, %2 = %w, %3 = %b) attributes {kind = "linear-relu"} {
    %4 = linear %1, %2, %3 : tensor<4x2xf32>
    %5 = relu %4 : tensor<4x2xf32>
    yield %5
  } : tensor<4x2xf32>
  return %0
})",
                .options = "file=fuse-linear"},
    .body = pass_body<ApplyRulesOptions, run>(),
};

}  // namespace mlgc
