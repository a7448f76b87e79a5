// Checks rule files by running them: `mlgc rules --check`.
//
// For each rule, random programs are generated that look like its left side, in every dtype that its ops take
// (rule_instance.h). The rule alone rewrites each. Both programs are evaluated on the same plain and edge values
// (draw_inputs.h), and the smallest class is noted under which they agree. It is evidence, not proof: a difference
// that no draw shows is not found.
//
// What is an error: no order proof (phase `simplify`); a rule that never applies, or that an earlier one of its set
// always comes before; rules that rewrite in circles; values that differ by more than the declared class.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "diag/diagnostic.h"
#include "rewrite/rule_text.h"

namespace mlgc {

struct RuleCheckOptions {
  std::uint64_t seed = 0;
  int programs = 6;  // of each dtype that the rule rewrites, found or given up
};

struct RuleVerdict {
  const TextRule* rule = nullptr;
  RulePhase phase = RulePhase::Simplify;
  std::string order;                            // why rewriting ends
  int programs = 0, applied = 0, compared = 0;  // compared: runs of both sides
  std::vector<Dtype> dtypes;                    // in which the rule was applied
  NumericsClass shown = NumericsClass::Exact;   // the widest that the values needed
  std::vector<std::string> overlaps;            // other rules of the set that apply to the same program's result
  bool sound = true;
};

// Errors and warnings go to `diagnostics`; counterexamples are notes. The file must outlive the verdicts.
[[nodiscard]] std::vector<RuleVerdict> check_rules(const std::shared_ptr<Context>& context, const RuleFile& file,
                                                   const RuleCheckOptions& options, DiagnosticEngine& diagnostics);

}  // namespace mlgc
