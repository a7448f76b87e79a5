// Checking rules.
#include "check/rule_check.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <unordered_map>

#include "check/compare_runs.h"
#include "check/draw_inputs.h"
#include "check/rule_instance.h"
#include "diag/kinds_rules.h"
#include "ir/function.h"
#include "ir/structural_hash.h"
#include "rewrite/driver.h"
#include "rewrite/rule_apply.h"
#include "rewrite/rule_order.h"
#include "tensor/print.h"
#include "text/printer.h"

namespace mlgc {

namespace {

// Policies of the check, the same for all machines and rules. Programs generated for each that the rule shall rewrite:
// a condition that holds for one program in eight still gets all that are asked for.
constexpr int kPatience = 8;
// Programs for one extreme number: another one where a condition of the rule refuses the number beside the others.
constexpr int kFewTries = 3;
// Extreme numbers for each program that is asked for: a few programs stay a quick check.
constexpr std::size_t kExtremes = 3;
// Rewrites of one small program after which circles are looked for: several for each of its some ten ops.
constexpr std::uint64_t kCircle = 48;

// The relative error, against the largest magnitude, up to which another function or fewer steps are meant.
double approximation(Dtype dtype) {
  switch (dtype) {
    case Dtype::F64: return 1e-8;
    case Dtype::F32: return 1e-3;
    default: return 5e-2;
  }
}

bool approximates(const Tensor& before, const Tensor& after) {
  double scale = 0, error = 0;
  for (std::int64_t i = 0; i < before.size(); ++i) {
    const double x = before.get_double(i), y = after.get_double(i);
    if (std::isnan(x) && std::isnan(y)) continue;
    if (x == y) continue;
    if (!std::isfinite(x) || !std::isfinite(y)) return false;
    scale = std::max(scale, std::abs(x));
    error = std::max(error, std::abs(x - y));
  }
  return error <= approximation(before.dtype()) * scale;
}

struct Seen {
  NumericsClass shown = NumericsClass::Exact;
  std::optional<Misfit> misfit;  // under the class before
};

// The smallest class under which two results agree. Edge values beyond nan_or_inf tell nothing about the size of a
// difference: a large element hides the others, and what overflows depends on the order. What is not a float and
// differs only where operands are not finite is of class nan_or_inf.
Seen class_of(const Tensor& before, const Tensor* reference, const Tensor& after, DrawKind kind) {
  Seen seen;
  for (const NumericsClass c :
       {NumericsClass::Exact, NumericsClass::SignedZero, NumericsClass::NanOrInf, NumericsClass::Reassociate}) {
    auto misfit = compare_tensors(before, reference, after, c);
    seen.shown = c;
    if (!misfit) return seen;
    seen.misfit = std::move(misfit);
    const bool same_type = before.dtype() == after.dtype() && before.shape() == after.shape();
    if (!is_float(before.dtype()) || !same_type) {
      seen.shown = same_type && kind == DrawKind::NonFinite ? NumericsClass::NanOrInf : NumericsClass::Unequal;
      return seen;
    }
  }
  if (kind == DrawKind::Edges || kind == DrawKind::NonFinite) return seen;
  seen.shown = approximates(before, after) ? NumericsClass::Approximate : NumericsClass::Unequal;
  return seen;
}

std::string inputs_text(const Draw& draw) {
  std::string text = draw.text();
  for (std::size_t i = 0; i < draw.inputs.size(); ++i) {
    const Tensor& input = draw.inputs[i];
    if (input.size() > 12) continue;
    text += (text.empty() ? "" : "; ") + ("argument " + std::to_string(i)) + " = [";
    for (std::int64_t e = 0; e < input.size(); ++e) text += (e > 0 ? ", " : "") + print_element(input, e);
    text += "]";
  }
  return text.empty() ? "no inputs" : text;
}

class Checker {
 public:
  Checker(const std::shared_ptr<Context>& context, const RuleTextSet& set, const RuleCheckOptions& options,
          DiagnosticEngine& diagnostics)
      : context_(context),
        set_(set),
        options_(options),
        diagnostics_(diagnostics),
        whole_(*context, all(set), set.phase) {}

  RuleVerdict check(std::size_t number) {
    const TextRule& rule = set_.rules[number];
    RuleVerdict verdict;
    verdict.rule = &rule;
    verdict.phase = set_.phase;
    const bool proven = check_order(rule, verdict);
    const RuleSet alone(*context_, {as_rule(rule)}, set_.phase);
    reported_ = {};
    widest_.reset();
    std::map<std::string, int> before_it;  // which rule of the set came first
    bool circle = false;
    for (std::size_t d = 0; d < kRealDtypeCount; ++d) {
      const auto dtype = static_cast<Dtype>(d);
      int applied = 0;
      const auto seed_of = [&](int i) {
        return (options_.seed << 32) ^ (number << 16) ^ (d << 12) ^ static_cast<std::uint64_t>(i);
      };
      // Whether the rule rewrites it.
      const auto check = [&](Module& program, std::uint64_t seed, std::optional<double> extreme = {}) {
        ++verdict.programs;
        Module after(program);
        RewriteGate one(1);
        if (rewrite(after, alone, Numerics::Fast, &one).applied == 0) {
          note_miss(rule, program);
          return false;
        }
        ++verdict.applied;
        if (std::find(verdict.dtypes.begin(), verdict.dtypes.end(), dtype) == verdict.dtypes.end())
          verdict.dtypes.push_back(dtype);
        ++before_it[first_rule(program)];
        if (!proven && !circle) circle = check_circle(program, verdict);
        if (rule.numerics != NumericsClass::Unequal) compare(rule, program, after, seed, dtype, extreme, verdict);
        return true;
      };
      int i = 0;
      for (; i < options_.programs * kPatience && applied < options_.programs; ++i) {
        std::optional<Module> program = draw_instance(context_, rule, dtype, seed_of(i));
        if (!program) break;
        if (check(*program, seed_of(i))) ++applied;
      }
      // Numbers that the rule binds, at the ends of the range: all of them unless few programs are asked for.
      const std::vector<double> extremes = extreme_numbers(dtype);
      const std::size_t most = std::min(extremes.size(), kExtremes * static_cast<std::size_t>(options_.programs));
      for (std::size_t e = 0; e < most; ++e) {
        const double extreme = extremes[(number + e) % extremes.size()];
        for (int attempt = 0; attempt < kFewTries; ++attempt, ++i) {
          std::optional<Module> program = draw_instance(context_, rule, dtype, seed_of(i), extreme);
          if (!program || check(*program, seed_of(i), extreme)) break;
        }
      }
    }
    conclude(rule, before_it, verdict);
    return verdict;
  }

 private:
  static std::vector<Rule> all(const RuleTextSet& set) {
    std::vector<Rule> rules;
    for (const TextRule& rule : set.rules) rules.push_back(as_rule(rule));
    return rules;
  }

  bool check_order(const TextRule& rule, RuleVerdict& verdict) {
    if (set_.phase != RulePhase::Simplify) {
      verdict.order = set_.phase == RulePhase::Once ? "it visits each op once" : "it takes ops into a region";
      return true;
    }
    const OrderProof proof = prove_order(*context_, rule);
    verdict.order = proof.reason;
    if (!proof.holds) {
      verdict.sound = false;
      diagnostics_.emit(diagnose<kRuleOrder>(rule.at, rule.name, proof.reason).with_width(rule.name.size()));
    }
    return proof.holds;
  }

  // The rule of the set that rewrites the program's result first.
  std::string first_rule(const Module& program) {
    Module copy(program);
    RewriteGate one(1);
    rewrite(copy, whole_, Numerics::Fast, &one);
    return one.last().what;
  }

  void note_miss(const TextRule& rule, const Module& program) {
    const FuncRef function = functions(program).front();
    const OpRef root = function.return_op().operand(0).definer();
    if (!root.valid()) return;
    if (const NearMiss miss = explain_miss(*context_, rule, root); miss.found()) ++misses_[miss.reason];
  }

  // Whether rewriting comes back to a program that was there before.
  bool check_circle(const Module& program, RuleVerdict& verdict) {
    std::unordered_map<std::uint64_t, std::uint64_t> step_of{{structural_hash(program), 0}};
    std::vector<std::string> rules;
    for (std::uint64_t n = 1; n <= kCircle; ++n) {
      Module copy(program);
      RewriteGate gate(n);
      rewrite(copy, whole_, Numerics::Fast, &gate);
      if (gate.count() < n) return false;
      rules.push_back(gate.last().what);
      const auto [known, fresh] = step_of.emplace(structural_hash(copy), n);
      if (fresh) continue;
      verdict.sound = false;
      std::vector<std::string> circle(rules.begin() + static_cast<std::ptrdiff_t>(known->second), rules.end());
      for (std::string& name : circle) name = "`" + name + "`";
      diagnostics_.emit(diagnose<kRuleLoop>(verdict.rule->at, std::move(circle)).with_width(verdict.rule->name.size()));
      return true;
    }
    return false;
  }

  // `extreme`: a number of the programs, from which edge values of the inputs are made.
  void compare(const TextRule& rule, Module& before, Module& after, std::uint64_t seed, Dtype dtype,
               std::optional<double> extreme, RuleVerdict& verdict) {
    const auto draws = draw_inputs(functions(before).front(), {.seed = seed, .max_elements = 1 << 16});
    if (!draws) {
      ++not_compared_[draws.error()];
      draws_failed_ = true;
      return;
    }
    std::string failure;
    bool compared = false;
    for (const Draw& draw : *draws) {
      const auto native = run_draw(before, "f", draw);
      const auto rewritten = run_draw(after, "f", draw);
      if (!native || !rewritten) {
        // A program that fails must fail on both sides.
        if (native.ok() != rewritten.ok())
          report_failure(rule, before, draw, native.ok(), dtype, verdict);
        else
          failure = "both sides fail: " + native.error().message();
        continue;
      }
      const auto reference = run_draw(before, "f", draw, {.precision = Precision::F64});
      ++verdict.compared;
      compared = true;
      DrawKind kind = draw.kind;
      if (extreme && kind != DrawKind::NonFinite)
        kind = std::isfinite(*extreme) ? DrawKind::Edges : DrawKind::NonFinite;
      Seen seen =
          class_of(native->results[0], reference ? reference->results.data() : nullptr, rewritten->results[0], kind);
      // Weights are rounded once more: of 16-bit ones that shows wherever products cancel.
      if (rule.scope == RoundingScope::Weights && dtype_info(native->results[0].dtype()).bytes == 2 &&
          seen.shown == NumericsClass::Approximate)
        seen.shown = NumericsClass::Reassociate;
      verdict.shown = std::max(verdict.shown, seen.shown);
      if (seen.shown > rule.numerics && seen.misfit) report(rule, before, draw, seen, dtype, verdict);
    }
    if (compared)
      ++compared_programs_;
    else
      ++not_compared_[failure];
  }

  void report_failure(const TextRule& rule, Module& program, const Draw& draw, bool before, Dtype dtype,
                      RuleVerdict& verdict) {
    const Seen seen{NumericsClass::Unequal,
                    Misfit{"the result", before ? "a value" : "an error", before ? "an error" : "a value", 0, 0}};
    report(rule, program, draw, seen, dtype, verdict);
  }

  // Keeps the widest difference, of equal ones that on the smallest inputs; conclude() emits it.
  void report(const TextRule& rule, Module& program, const Draw& draw, const Seen& seen, Dtype dtype,
              RuleVerdict& verdict) {
    verdict.sound = false;
    std::int64_t size = 0;
    for (const Tensor& input : draw.inputs) size += input.size();
    if (reported_ && (seen.shown < *reported_ || (seen.shown == *reported_ && size >= reported_size_))) return;
    reported_ = seen.shown;
    reported_size_ = size;
    const std::string_view type = dtype_info(dtype).name;
    const std::string value = seen.misfit->value.empty() ? "the result" : "element" + seen.misfit->value;
    Diagnostic diagnostic =
        seen.shown == NumericsClass::Unequal
            ? diagnose<kRuleWrong>(rule.at, rule.name, value, seen.misfit->before, seen.misfit->after, type)
            : diagnose<kRuleClass>(rule.at, rule.name, numerics_class_name(rule.numerics),
                                   numerics_class_name(seen.shown), value, seen.misfit->before, seen.misfit->after,
                                   type);
    diagnostic.width = static_cast<std::uint32_t>(rule.name.size());
    std::string text = print(program);
    while (!text.empty() && text.back() == '\n') text.pop_back();
    diagnostic.add_note<kRuleCounterexample>({}, inputs_text(draw), ":\n" + text);
    widest_ = std::move(diagnostic);
  }

  // Of those, the first in the order of their texts. Precondition: there is one.
  static const std::string& most_frequent(const std::map<std::string, int>& counts) {
    return std::max_element(counts.begin(), counts.end(),
                            [](const auto& a, const auto& b) { return a.second < b.second; })
        ->first;
  }

  void conclude(const TextRule& rule, const std::map<std::string, int>& before_it, RuleVerdict& verdict) {
    if (widest_) diagnostics_.emit(*std::move(widest_));
    if (verdict.programs == 0) {
      diagnostics_.emit(diagnose<kRuleNotTried>(rule.at, rule.name).with_width(rule.name.size()));
    } else if (verdict.applied == 0) {
      verdict.sound = false;
      diagnostics_.emit(
          diagnose<kRuleNeverApplies>(rule.at, rule.name, verdict.programs,
                                      misses_.empty() ? std::string("no reason is known") : most_frequent(misses_))
              .with_width(rule.name.size()));
    } else if (!before_it.contains(rule.name)) {
      verdict.sound = false;
      diagnostics_.emit(
          diagnose<kRuleShadowed>(rule.at, rule.name, most_frequent(before_it)).with_width(rule.name.size()));
    }
    for (const auto& [name, count] : before_it)
      if (name != rule.name) verdict.overlaps.push_back(name);
    if (verdict.applied > 0 && rule.numerics != NumericsClass::Unequal && (verdict.compared == 0 || draws_failed_))
      diagnostics_.emit(diagnose<kRuleNotCompared>(rule.at, verdict.applied - compared_programs_, verdict.applied,
                                                   rule.name, most_frequent(not_compared_))
                            .with_width(rule.name.size()));
    misses_.clear();
    not_compared_.clear();
    compared_programs_ = 0;
    draws_failed_ = false;
  }

  const std::shared_ptr<Context>& context_;
  const RuleTextSet& set_;
  const RuleCheckOptions& options_;
  DiagnosticEngine& diagnostics_;
  RuleSet whole_;
  std::map<std::string, int> misses_;        // why programs were not rewritten
  std::map<std::string, int> not_compared_;  // why values of rewritten programs were not
  int compared_programs_ = 0;
  bool draws_failed_ = false;  // for one program or more
  std::optional<NumericsClass> reported_;
  std::int64_t reported_size_ = 0;
  std::optional<Diagnostic> widest_;
};

}  // namespace

std::vector<RuleVerdict> check_rules(const std::shared_ptr<Context>& context, const RuleFile& file,
                                     const RuleCheckOptions& options, DiagnosticEngine& diagnostics) {
  std::vector<RuleVerdict> verdicts;
  for (const RuleTextSet& set : file.sets) {
    Checker checker(context, set, options, diagnostics);
    for (std::size_t i = 0; i < set.rules.size(); ++i) verdicts.push_back(checker.check(i));
  }
  return verdicts;
}

}  // namespace mlgc
