// --verify-each=numeric: runs every function that a pass has changed, before and after it, and compares.
//
// Guarantees
//   - A function counts as changed when it, or what it calls or reads, has another structural hash.
//   - How runs must agree follows from the widest class of the rewrites that the pass counts (compare_runs.h). A pass
//     that counts only exact rewrites must not alter a bit. In a pass with others too, the first rewrite that alters a
//     bit is found, and must not be an exact one.
//   - Every function that is not checked, and every draw that is left out, is reported once, with the reason.
//   - Same program, options and seed: same verdict, same messages.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "check/blame.h"
#include "check/compare_runs.h"
#include "pass/pass_manager.h"

namespace mlgc {

struct NumericCheckerOptions {
  std::uint64_t seed = 0;
  Numerics numerics = Numerics::LikeEager;         // as the passes run
  bool non_finite = true;                          // NaN and infinities are among the inputs
  std::int64_t max_work = std::int64_t{1} << 26;   // index tuples of one run
  std::int64_t max_trips = std::int64_t{1} << 20;  // of one `while`
};

// What was checked, over one or more runs.
struct NumericCheckerCounts {
  std::uint64_t passes = 0, functions = 0, runs = 0, not_checked = 0, misfits = 0;
  void add(const NumericCheckerCounts& other);
  // `checked 3 passes: 5 functions, 26 runs, all agree`.
  [[nodiscard]] std::string text() const;
};

class NumericChecker {
 public:
  explicit NumericChecker(NumericCheckerOptions options) : options_(options) {}

  // The callback of PassManagerOptions::check.
  bool check(const PassedStep& passed, DiagnosticEngine& diagnostics);

  [[nodiscard]] const NumericCheckerCounts& counts() const { return counts_; }

 private:
  // A draw and what the function gave on it.
  struct Case {
    Draw draw;
    ReferenceRun before;
  };
  struct CheckedFunction {
    std::string refused;  // why there are no cases
    std::vector<Case> cases;
  };

  CheckedFunction& cases_of(Module& before, const FuncRef& function, DiagnosticEngine& diagnostics);
  CheckedFunction make_cases(Module& module, const FuncRef& function, DiagnosticEngine& diagnostics);
  bool check_function(const PassedStep& passed, Module& snapshot, const FuncRef& before, DiagnosticEngine& diagnostics);
  // What is wrong with a run after the pass, if anything: it failed, or gave something else.
  bool check_case(const PassedStep& passed, const FuncRef& before, const Case& at,
                  const Result<Outputs, Diagnostic>& after, DiagnosticEngine& diagnostics);
  // False when the misfit is one that the class of the rewrite permits after all.
  bool report(const PassedStep& passed, const FuncRef& before, const Case& at, const Misfit* misfit,
              const Diagnostic* failure, const Blame& blame, DiagnosticEngine& diagnostics);
  void not_checked(const PassedStep& passed, const FuncRef& function, const std::string& reason,
                   DiagnosticEngine& diagnostics);

  NumericCheckerOptions options_;
  std::map<std::string, CheckedFunction, std::less<>> known_;  // by function, of the program with this hash
  std::uint64_t known_hash_ = 0;
  std::set<std::string> said_;  // what was reported once
  NumericCheckerCounts counts_;
};

}  // namespace mlgc
