// `mlgc explain numerics`: where the numbers of a compiled program may differ from those of its source, and how wrong
// the ops of a run are; as text and as JSON. The same report gives the same bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "check/run_errors.h"
#include "diag/location.h"
#include "ir/module.h"
#include "ops/numerics.h"
#include "ops/rewrite_gate.h"

namespace mlgc {

// All rewrites of one rule, or steps of one name.
struct RoundingRule {
  std::string pass, rule;
  NumericsClass numerics = NumericsClass::Exact;
  std::string doc;  // what the rule does; may be empty
  std::uint64_t count = 0;
  std::vector<Location> at;  // each place once, in order
};
// In order of appearance. `rule_files` are those that the user named.
[[nodiscard]] std::vector<RoundingRule> rounding_rules(Context& context, const std::vector<AppliedRewrite>& log,
                                                       const std::vector<std::string>& rule_files);

// Ops of one kind that round, of the program as it was given and as it is after passes.
struct CountedOps {
  std::string what;  // `f32 to bf16`, `exp`
  std::uint64_t source = 0, optimised = 0;
};

struct NumericsReport {
  std::string function;  // that is run; empty without a run
  Numerics numerics = Numerics::LikeEager;
  std::vector<RoundingRule> rules;
  std::string not_lowered;            // why the steps of a schedule are not among them
  std::vector<OpRef> weights;         // that are computed of others when the model is loaded
  std::vector<CountedOps> casts;      // to fewer bits
  std::vector<CountedOps> functions;  // that emitted code computes by its own polynomials; `source` is not counted
  std::optional<RunErrors> errors;
  std::size_t most = 10;  // ops, origins and places that are listed; 0: all
  std::string value;      // `%y`: of this value alone
  bool color = false;
};

// Casts to fewer bits, by dtypes.
void count_casts(const Module& module, std::uint64_t CountedOps::*into, std::vector<CountedOps>& casts);
// Functions of the scheduled loops whose last bits are the prelude's (codegen/source_options.h).
[[nodiscard]] std::vector<CountedOps> prelude_functions(const Module& lowered);

// `module` is the program after passes, whose values `errors` speaks of.
[[nodiscard]] std::string numerics_text(const Module& module, const NumericsReport& report);
[[nodiscard]] std::string numerics_json(const Module& module, const NumericsReport& report);

}  // namespace mlgc
