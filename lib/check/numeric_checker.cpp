// See numeric_checker.h.
#include "check/numeric_checker.h"

#include <algorithm>

#include "check/changed_functions.h"
#include "diag/kinds_check.h"
#include "formula/formula_work.h"
#include "ir/function_facts.h"
#include "ir/structural_hash.h"
#include "ir/walk.h"
#include "ops/instantiate_op.h"

namespace mlgc {
namespace {

// Index tuples of one run, each op counted once, up to limit + 1.
std::int64_t work_of(const FuncRef& function, const SymbolValues& sizes, std::int64_t limit) {
  Context& context = function.op().module().context();
  const auto size_of = [&](IndexExpr e) {
    return context.index().evaluate(e, [&](AtomId atom) { return sizes.find(atom); });
  };
  std::int64_t work = 0;
  FunctionFacts facts;
  walk(function.op(), [&](OpRef op) {
    if (work > limit || !has_formula(op.def())) return;
    std::vector<Type> types;
    for (const Value operand : op.operands()) types.push_back(operand.type());
    if (!std::all_of(types.begin(), types.end(), [&](Type type) { return context.types().is_tensor(type); })) return;
    // What depends on sizes that only the run knows is not counted.
    const bool sizes_known = std::all_of(types.begin(), types.end(), [&](Type type) {
      const auto dims = context.types().dims(type);
      return std::all_of(dims.begin(), dims.end(), [&](IndexExpr dim) { return size_of(dim).has_value(); });
    });
    if (!sizes_known) return;
    const auto formula = instantiate_op(context, op.opcode(), types, op.attrs(), facts.of(op));
    if (formula) work += formula_work(formulas(context), *formula, limit, size_of);
  });
  return std::min(work, limit + 1);
}

bool same_signature(const FuncRef& a, const FuncRef& b) {
  const auto types = [](const FuncRef& f) {
    std::vector<Type> out;
    for (const Value argument : f.arguments()) out.push_back(argument.type());
    return out;
  };
  return types(a) == types(b);
}

bool has_integers(const FuncRef& function) {
  const TypePool& types = function.op().module().context().types();
  for (const Value argument : function.arguments())
    if (!types.is_shaped(argument.type()) || is_integer(types.dtype(argument.type()))) return true;
  return false;
}

}  // namespace

bool NumericChecker::check(const PassedStep& passed, DiagnosticEngine& diagnostics) {
  const PassDef& pass = *passed.step.pass;
  if (!pass.changes_results.empty()) {
    known_.clear();
    if (said_.insert(std::string(pass.name)).second)
      diagnostics.emit(diagnose<kPassNotChecked>(passed.step.at, pass.name, pass.changes_results));
    return true;
  }
  ++counts_.passes;
  // What is known of functions is of the program after the last pass, if it is this one.
  if (structural_hash(passed.before) != known_hash_) known_.clear();
  bool ok = true;
  Module snapshot = passed.before;
  for (const std::string& name : changed_functions(passed.before, passed.after)) {
    const FuncRef before = find_function(snapshot, name), after = find_function(passed.after, name);
    if (!before.valid()) {
      not_checked(passed, after, "the pass has made it", diagnostics);
    } else if (!same_signature(before, after)) {
      known_.erase(name);
      not_checked(passed, after, "the pass gives it other arguments", diagnostics);
    } else {
      ok = check_function(passed, snapshot, before, diagnostics) && ok;
    }
  }
  known_hash_ = structural_hash(passed.after);
  return ok;
}

bool NumericChecker::check_function(const PassedStep& passed, Module& snapshot, const FuncRef& before,
                                    DiagnosticEngine& diagnostics) {
  const std::string name(before.name());
  CheckedFunction& checked = cases_of(snapshot, before, diagnostics);
  if (checked.cases.empty()) {
    not_checked(passed, find_function(passed.after, name), checked.refused, diagnostics);
    return true;
  }
  ++counts_.functions;
  const bool edges_too =
      wants_edge_values(passed.widest) || std::all_of(checked.cases.begin(), checked.cases.end(),
                                                      [](const Case& c) { return c.draw.kind != DrawKind::Plain; });
  const InterpretOptions options{.max_trips = options_.max_trips};
  std::vector<Case> next;
  for (Case& at : checked.cases) {
    if (needs_reference(passed.widest)) {
      auto in_f64 = run_draw(snapshot, name, at.draw, {.precision = Precision::F64, .max_trips = options_.max_trips});
      if (in_f64) at.before.reference = *std::move(in_f64);
    }
    ++counts_.runs;
    auto after = run_draw(passed.after, name, at.draw, options);
    const bool counts = edges_too || at.draw.kind == DrawKind::Plain;
    if (counts && !check_case(passed, before, at, after, diagnostics)) return false;
    if (after) next.push_back({std::move(at.draw), {*std::move(after), std::nullopt}});
  }
  checked.cases = std::move(next);
  return true;
}

bool NumericChecker::check_case(const PassedStep& passed, const FuncRef& before, const Case& at,
                                const Result<Outputs, Diagnostic>& after, DiagnosticEngine& diagnostics) {
  const auto blame = [&](std::optional<NumericsClass> as) {
    return find_blame(passed, before.name(), at.draw, at.before, options_.numerics, as);
  };
  if (!after) return !report(passed, before, at, nullptr, &after.error(), blame(std::nullopt), diagnostics);
  auto misfit = compare_runs(at.before, *after, passed.widest);
  // On one draw roundings of the run before may happen to cancel.
  if (misfit && needs_reference(passed.widest) && at.before.reference)
    misfit =
        compare_runs(at.before, *after, passed.widest,
                     nearby_errors(before.op().module(), before.name(), at.draw, {.max_trips = options_.max_trips}));
  if (misfit) return !report(passed, before, at, &*misfit, nullptr, blame(std::nullopt), diagnostics);
  if (passed.widest == NumericsClass::Exact) return true;
  const auto bits = compare_runs(at.before, *after, NumericsClass::Exact);
  if (!bits) return true;
  const Blame first = blame(NumericsClass::Exact);
  if (!first.rewrite || first.rewrite->numerics != NumericsClass::Exact) return true;
  return !report(passed, before, at, &*bits, nullptr, first, diagnostics);
}

NumericChecker::CheckedFunction& NumericChecker::cases_of(Module& before, const FuncRef& function,
                                                          DiagnosticEngine& diagnostics) {
  const std::string name(function.name());
  if (const auto known = known_.find(name); known != known_.end() && !known->second.cases.empty()) return known->second;
  return known_[name] = make_cases(before, function, diagnostics);
}

// Integers without a known range may be positions all the same, so smaller ones are tried until plain values run. Only
// plain values can check rewrites of a class above nan_or_inf.
NumericChecker::CheckedFunction NumericChecker::make_cases(Module& module, const FuncRef& function,
                                                           DiagnosticEngine& diagnostics) {
  CheckedFunction checked;
  std::vector<std::pair<std::string, std::string>> left_out;  // inputs and reason
  // No inputs are generated for what will not be run: networks have millions of weights.
  Result<std::vector<SymbolValues>> sizes = draw_sizes(function);
  if (!sizes) {
    checked.refused = sizes.error();
    return checked;
  }
  const std::string too_long = "a run goes through more than " + std::to_string(options_.max_work) + " index tuples";
  std::erase_if(*sizes, [&](const SymbolValues& choice) {
    if (work_of(function, choice, options_.max_work) <= options_.max_work) return false;
    left_out.emplace_back(sizes_text(function, choice), too_long);
    return true;
  });
  if (sizes->empty()) {
    checked.refused = too_long;
    return checked;
  }
  const std::size_t too_large = left_out.size();
  bool has_plain = false;
  for (const std::int64_t largest : {9, 1, 0}) {
    const bool plain_only = !checked.cases.empty();
    if (!plain_only) left_out.resize(too_large);
    const auto draws = draw_inputs(
        function,
        {.seed = options_.seed, .non_finite = options_.non_finite, .largest_integer = largest, .sizes = *sizes});
    if (!draws) {
      checked.refused = draws.error();
      return checked;
    }
    for (const Draw& draw : *draws) {
      if (plain_only && draw.kind != DrawKind::Plain) continue;
      ++counts_.runs;
      auto outputs = run_draw(module, function.name(), draw, {.max_trips = options_.max_trips});
      if (outputs) {
        std::erase_if(left_out, [&](const auto& refused) { return refused.first == draw.text(); });
        has_plain = has_plain || draw.kind == DrawKind::Plain;
        checked.cases.push_back({draw, {*std::move(outputs), std::nullopt}});
      } else if (!plain_only) {
        left_out.emplace_back(draw.text(), outputs.error().message());
      }
    }
    if (has_plain || !has_integers(function)) break;
  }
  if (checked.cases.empty() && !left_out.empty()) checked.refused = left_out.back().second;
  if (checked.cases.empty()) return checked;
  for (const auto& [inputs, reason] : left_out)
    if (said_.insert(std::string(function.name()) + "\n" + inputs).second)
      diagnostics.emit(diagnose<kRunLeftOut>(function.op().location(), function.name(), inputs, reason));
  return checked;
}

bool NumericChecker::report(const PassedStep& passed, const FuncRef& before, const Case& at, const Misfit* misfit,
                            const Diagnostic* failure, const Blame& blame, DiagnosticEngine& diagnostics) {
  const std::string_view pass = passed.step.pass->name;
  const std::uint64_t number = blame.rewrite ? passed.first_rewrite + blame.rewrite->number - 1 : 0;
  if (blame.zero_sign_only && blame.first) {
    diagnostics.emit(diagnose<kZeroSignSpreads>(blame.rewrite->at, number, blame.rewrite->what, at.draw.text(),
                                                before.name(), blame.first->value, blame.first->before,
                                                blame.first->after));
    return false;
  }
  ++counts_.misfits;
  const Location where = blame.rewrite && blame.rewrite->at.known() ? blame.rewrite->at : before.op().location();
  Diagnostic diagnostic = misfit != nullptr ? diagnose<kPassChangesResults>(where, pass, before.name(), misfit->value,
                                                                            misfit->before, misfit->after)
                                            : diagnose<kPassMakesFail>(where, pass, before.name(), failure->message());
  if (blame.rewrite)
    diagnostic.add_note<kRewriteAtFault>(blame.rewrite->at, number, blame.rewrite->what, blame.rewrite->number,
                                         blame.total);
  else
    diagnostic.add_note<kRewriteUnknown>(passed.step.at, blame.reason);
  if (blame.first)
    diagnostic.add_note<kFirstDifference>(blame.first->at, blame.first->value, blame.first->before, blame.first->after);
  const std::string differing =
      misfit == nullptr || misfit->elements == 0
          ? ""
          : "; " + std::to_string(misfit->differing) + " of " + std::to_string(misfit->elements) + " elements differ";
  diagnostic.add_note<kCheckedWith>(before.op().location(), at.draw.text(), options_.seed, differing);
  diagnostics.emit(std::move(diagnostic));
  return true;
}

void NumericChecker::not_checked(const PassedStep& passed, const FuncRef& function, const std::string& reason,
                                 DiagnosticEngine& diagnostics) {
  ++counts_.not_checked;
  const std::string_view pass = passed.step.pass->name;
  if (said_.insert(std::string(pass) + "\n" + std::string(function.name()) + "\n" + reason).second)
    diagnostics.emit(diagnose<kFunctionNotChecked>(function.op().location(), function.name(), pass, reason));
}

void NumericCheckerCounts::add(const NumericCheckerCounts& other) {
  passes += other.passes;
  functions += other.functions;
  runs += other.runs;
  not_checked += other.not_checked;
  misfits += other.misfits;
}

std::string NumericCheckerCounts::text() const {
  if (passes == 0) return "checked 0 passes: no pass made a change that can be checked\n";
  const auto count = [](std::uint64_t n, const std::string& one, const std::string& many) {
    return std::to_string(n) + " " + (n == 1 ? one : many);
  };
  std::string text = "checked " + count(passes, "pass", "passes") + ": " + count(functions, "function", "functions") +
                     ", " + count(runs, "run", "runs");
  if (not_checked > 0) text += ", " + std::to_string(not_checked) + " not checked";
  return text + (misfits == 0 ? ", all agree\n" : ", " + count(misfits, "mismatch\n", "mismatches\n"));
}

}  // namespace mlgc
