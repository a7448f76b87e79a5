// canonicalize: applies the rules of canonicalize.rules, and those in code about control flow, until none applies.
#include <array>
#include <vector>

#include "rewrite/driver.h"
#include "transforms/passes.h"
#include "transforms/rules.h"

namespace mlgc {

namespace {

struct CanonicalizeOptions {
  std::vector<std::string> disable;
};

constexpr std::array kCanonicalizeOptions{
    pass_option<&CanonicalizeOptions::disable>("disable", "names of rules that are not applied"),
};
constexpr std::array kCanonicalizeCounters{
    PassCounter{"rules-applied", "how often a rule was applied"},
    PassCounter{"ops-unread", "ops removed because rules left them without a reader"},
};

PassResult run(Module& module, const CanonicalizeOptions& options, PassContext& context) {
  const auto file = load_rule_file(module.context(), "canonicalize", context.diagnostics());
  MLGC_ASSERT(file != nullptr, "the built-in rules of canonicalize do not load");
  std::vector<Rule> rules;
  std::vector<std::string> unknown = options.disable;
  for (const Rule& rule : canonical_rules(*file))
    if (std::erase(unknown, rule.name) == 0) rules.push_back(rule);
  if (!unknown.empty()) {
    reject_option(context, "disable", "there is no rule `" + unknown.front() + "`");
    return PassResult::Failed;
  }
  const RuleSet set(module.context(), std::move(rules));
  const RewriteReport report = rewrite(module, set, context.numerics(), &context.gate());
  add_rule_hits(context, set, report);
  context.count("rules-applied") = report.applied;
  context.count("ops-unread") = report.unread;
  return PassContext::changed_if(report.applied > 0);
}

}  // namespace

void add_rule_hits(PassContext& context, const RuleSet& set, const RewriteReport& report) {
  for (std::size_t i = 0; i < set.rules().size(); ++i)
    if (report.hits[i] != 0) context.add_rule_hits(set.rules()[i].name, report.hits[i]);
}

constexpr PassDef kCanonicalizePass{
    .name = "canonicalize",
    .summary = "Applies the built-in rewrite rules until none applies.",
    .description =
        "Rules that could change numbers more than the mode of `--numerics` admits are not applied; an "
        "attribute `numerics` on a function overrides the mode. `--statistics` shows how often each rule "
        "was used.",
    .options = kCanonicalizeOptions,
    .counters = kCanonicalizeCounters,
    .example = {.before = R"(func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = constant {value = dense<1.0> : tensor<4xf32>} : tensor<4xf32>
  %0 = mul %c, %x : tensor<4xf32>
  %1 = neg %0 : tensor<4xf32>
  %2 = neg %1 : tensor<4xf32>
  return %2
})",
                .after = R"(func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x
})"},
    .body = pass_body<CanonicalizeOptions, run>(),
};

}  // namespace mlgc
