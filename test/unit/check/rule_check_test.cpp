// Drawing programs for rules, and the decision tree against asking every rule.
#include <algorithm>

#include "check/rule_check.h"
#include "check/rule_instance.h"
#include "ir/function.h"
#include "ops/op_table.h"
#include "rewrite/rule_match.h"
#include "support_catch.h"
#include "text/printer.h"
#include "transforms/rules.h"
#include "verify/verify.h"

namespace mlgc {
namespace {

struct Loaded {
  std::shared_ptr<Context> context = make_context();
  DiagnosticEngine diagnostics{context->locations()};
  std::shared_ptr<const RuleFile> file = load_rule_file(*context, "canonicalize", diagnostics);
};

TEST_CASE("a drawn program verifies, and is the same again for the same seed") {
  const Loaded loaded;
  REQUIRE(loaded.file != nullptr);
  int found = 0;
  for (const RuleTextSet& set : loaded.file->sets)
    for (const TextRule& rule : set.rules)
      for (const std::uint64_t seed : {1U, 2U, 3U}) {
        const auto program = draw_instance(loaded.context, rule, Dtype::F32, seed);
        if (!program) continue;
        ++found;
        INFO(rule.name << "\n" << print(*program));
        DiagnosticEngine engine(loaded.context->locations());
        CHECK(verify(*program, engine));
        const auto again = draw_instance(loaded.context, rule, Dtype::F32, seed);
        REQUIRE(again.has_value());
        CHECK(print(*again) == print(*program));
      }
  CHECK(found > 120);
}

TEST_CASE("every rule that matches is among the candidates of the tree, in the order of the file") {
  const Loaded loaded;
  REQUIRE(loaded.file != nullptr);
  for (const RuleTextSet& text : loaded.file->sets) {
    std::vector<Rule> rules;
    for (const TextRule& rule : text.rules) rules.push_back(as_rule(rule));
    const RuleSet set(*loaded.context, rules, text.phase);
    int matches = 0;
    for (std::size_t r = 0; r < text.rules.size(); ++r)
      for (const Dtype dtype : {Dtype::F32, Dtype::I8, Dtype::I1})
        for (std::uint64_t seed = 0; seed < 4; ++seed) {
          const auto program = draw_instance(loaded.context, text.rules[r], dtype, seed);
          if (!program) continue;
          const OpRef root = functions(*program).front().return_op().operand(0).definer();
          if (!root.valid()) continue;
          const auto candidates = set.candidates(root);
          CHECK(std::is_sorted(candidates.begin(), candidates.end(),
                               [](const auto& a, const auto& b) { return a.rule < b.rule; }));
          RuleMatch match;
          for (std::size_t other = 0; other < text.rules.size(); ++other) {
            RuleMatcher matcher(*loaded.context, text.rules[other]);
            for (std::size_t form = 0; form < text.rules[other].forms.size(); ++form) {
              if (!matcher.match(text.rules[other].forms[form], root, match)) continue;
              ++matches;
              INFO(text.rules[other].name << "\n" << print(*program));
              const DecisionTree::Candidate wanted{static_cast<std::uint16_t>(other), static_cast<std::uint16_t>(form)};
              CHECK(std::find(candidates.begin(), candidates.end(), wanted) != candidates.end());
            }
          }
        }
    CHECK(matches > std::min<int>(40, 8 * static_cast<int>(text.rules.size())));
  }
}

TEST_CASE("a rule that matches nothing that stands there is no candidate") {
  const Loaded loaded;
  REQUIRE(loaded.file != nullptr);
  std::vector<Rule> rules;
  for (const RuleTextSet& text : loaded.file->sets)
    for (const TextRule& rule : text.rules) rules.push_back(as_rule(rule));
  const RuleSet set(*loaded.context, rules);
  const auto& whole = loaded.file->sets.front().rules;
  const auto product = std::find_if(whole.begin(), whole.end(), [](const TextRule& r) { return r.name == "mul-one"; });
  REQUIRE(product != whole.end());
  const auto program = draw_instance(loaded.context, *product, Dtype::F32, 5);
  REQUIRE(program.has_value());
  const OpRef root = functions(*program).front().return_op().operand(0).definer();
  for (const auto candidate : set.candidates(root)) CHECK(rules[candidate.rule].name != "mul-neg");
}

TEST_CASE("verdicts count what was tried") {
  const Loaded loaded;
  REQUIRE(loaded.file != nullptr);
  RuleFile one{{loaded.file->sets.front()}};
  one.sets.front().rules.resize(3);
  DiagnosticEngine engine(loaded.context->locations());
  const auto verdicts = check_rules(loaded.context, one, {.seed = 3, .programs = 2}, engine);
  CHECK_FALSE(engine.has_errors());
  REQUIRE(verdicts.size() == 3);
  for (const RuleVerdict& verdict : verdicts) {
    CHECK(verdict.sound);
    CHECK(verdict.applied > 0);
    CHECK(verdict.applied <= verdict.programs);
    CHECK(verdict.compared >= verdict.applied);
    CHECK(verdict.shown == NumericsClass::Exact);
  }
}

}  // namespace
}  // namespace mlgc
