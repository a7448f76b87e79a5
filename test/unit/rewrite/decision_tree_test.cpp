// The decision trees find every rule that matches, in the order in which the rules were given; and rule files that are
// wrong are refused, each for its reason.
#include <algorithm>
#include <string>
#include <vector>

#include "applied_rules.h"
#include "check/random_program.h"
#include "rewrite/builtin_rules.h"
#include "rewrite/rule_match.h"

namespace mlgc {

using namespace test;

TEST_CASE("all built-in rules that match an op of a random program are candidates, in order") {
  const auto context = make_context();
  std::size_t matches = 0, asked = 0, candidates = 0;
  for (const BuiltinRules& builtin : builtin_rules()) {
    const ParsedRules rules(context, std::string(builtin.text));
    REQUIRE(rules.file.has_value());
    for (const RuleTextSet& of : rules.file->sets) {
      std::vector<Rule> rows;
      for (const TextRule& rule : of.rules) rows.push_back(as_rule(rule));
      const RuleSet set(*context, std::move(rows), of.phase);
      for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        const Module module = draw_program(context, {.seed = seed, .ops = 24});
        walk(module, [&](OpRef op) {
          std::vector<DecisionTree::Candidate> wanted;
          for (std::size_t r = 0; r < of.rules.size(); ++r)
            for (std::size_t f = 0; f < of.rules[r].forms.size(); ++f) {
              RuleMatch match;
              const RulePattern& form = of.rules[r].forms[f];
              if (std::ranges::count(form.opcodes, op.opcode()) == 0) continue;
              ++asked;
              if (!RuleMatcher(*context, of.rules[r]).match(form, op, match)) continue;
              wanted.push_back({static_cast<std::uint16_t>(r), static_cast<std::uint16_t>(f)});
            }
          const auto found = set.candidates(op);
          candidates += found.size();
          matches += wanted.size();
          CHECK((wanted.empty() || set.has_rules_for(op.opcode())));
          std::vector<DecisionTree::Candidate> kept;
          for (const auto& c : found)
            if (std::ranges::count(wanted, c) > 0) kept.push_back(c);
          CHECK(kept == wanted);
          CHECK(std::ranges::is_sorted(found, {}, [](const auto& c) { return std::pair(c.rule, c.form); }));
        });
      }
    }
  }
  CHECK(matches > 20);
  // Trees leave out what asks for other ops below the root.
  CHECK(candidates < asked);
}

TEST_CASE("rules that say something impossible are refused, several of one text") {
  struct Wrong {
    std::string rule, message;
  };
  const std::vector<Wrong> wrong{
      {"rule r : reluu(x) => x numerics exact", "`reluu` is not an op, a class of ops or a label of this rule"},
      {"rule r : x => x numerics exact", "the left side of rule `r` is not an op"},
      {"rule r : sin(x) => y numerics exact", "`y` is not bound by the left side of the rule"},
      {"rule r : sin(x) => x", "rule `r` does not say what it may do to numbers"},
      {"rule r : sin(x, y) => x numerics exact", "`sin` takes 1 operands, not 2"},
      {"rule r : sin(x) => cos(x, x) numerics exact", "`cos` takes 1 operands, not 2"},
      {"rule r : sin[dims](x) => x numerics exact", "`sin` has no attribute `dims`"},
      {"rule r : sin(x) => x if bogus(x) numerics exact", "there is no function `bogus` for conditions and attributes"},
      {"rule r : if(x) => x numerics exact", ""},
      {"rule r : sin(x) => fusion numerics exact", "`fusion` belongs to a set of phase `grow`"},
      {"rule r : sin*(x) => x numerics exact", ""},
      {"rule r : sin(x) => x if rank(x) numerics exact", ""},
      {"rule r : sin(x) => x if rank(3) == 1 numerics exact", ""},
      {"rule r : sin?(x) => x numerics exact", ""},
      {"rule r : sin(x) => x numerics sometimes", ""},
      {"rule r : sin(x => x numerics exact", ""},
      {"rule r : sin(x) => x numerics exact\nrule r : cos(x) => x numerics exact", "there is a rule `r` already"},
  };
  const auto context = make_context();
  for (const Wrong& w : wrong) {
    INFO(w.rule);
    const ParsedRules rules(context, "set s phase once\n" + w.rule + "\n");
    CHECK_FALSE(rules.file.has_value());
    REQUIRE_FALSE(rules.messages.empty());
    if (!w.message.empty()) CHECK(rules.messages[0] == w.message);
  }
  const ParsedRules both(
      context, "set s phase once\nrule a : reluu(x) => x numerics exact\nrule b : sin(x) => y numerics exact\n");
  CHECK(both.messages.size() == 2);
  const ParsedRules none(context, "");
  CHECK((none.file.has_value() && none.file->sets.empty()));
}

}  // namespace mlgc
