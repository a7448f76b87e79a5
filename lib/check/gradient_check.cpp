// Ops, one by one, in a run of the function. See gradient_check.h.
#include "check/gradient_check.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "autodiff/loops_as_scans.h"
#include "autodiff/request.h"
#include "autodiff/reverse.h"
#include "autodiff/working_copy.h"
#include "check/colliding_writes.h"
#include "check/held_runs.h"
#include "check/hold_stops.h"
#include "diag/kinds_check.h"
#include "formula/formula_work.h"
#include "ir/function_facts.h"
#include "ir/walk.h"
#include "ops/instantiate_op.h"
#include "ops/stated_gradient.h"

namespace mlgc {
namespace {

// A sweep takes about as many evaluations of a formula where it is smooth.
constexpr std::int64_t kUsualEvaluations = 8;

bool is_float_tensor(const Context& context, Type type) {
  return context.types().is_tensor(type) && is_float(context.types().dtype(type));
}

// Of an op, or of one operand of a variadic row: `tensors[2]`.
std::string operand_name(const OpDef& def, std::size_t i) {
  std::size_t at = std::min(i, def.operands.size() - 1);
  for (std::size_t k = 0; k < at; ++k)
    if (def.operands[k].variadic) at = k;
  const OperandDef& row = def.operands[at];
  return row.variadic ? std::string(row.name) + "[" + std::to_string(i - at) + "]" : std::string(row.name);
}

// The function, or a call of it where it states its gradient.
FuncRef function_to_check(Module& module, std::string_view name) {
  const FuncRef function = find_function(module, name);
  return function.gradient() ? working_copy(function, module, free_symbol(module, std::string(name) + "_called"))
                             : function;
}

class OpChecker {
 public:
  OpChecker(const Module& module, std::string_view function, const GradientQuestion& question,
            const GradientCheckOptions& options, DiagnosticEngine& diagnostics)
      : module_(module),
        context_(module_.context()),
        function_(function_to_check(module_, function)),
        question_(question),
        options_(options),
        diagnostics_(diagnostics),
        builder_(module_),
        rules_(context_, facts_.of(function_.op())),
        sizes_(function_.op()),
        reverse_(builder_, rules_, sizes_, errors_) {
    rules_.alter(options.alter);
  }

  std::optional<OpGradients> run() {
    inline_derivations(function_, question_.wrt);
    loops_as_scans(function_.op(), sizes_);
    find_way();
    InterpretOptions options{.precision = Precision::F64, .max_trips = options_.max_trips};
    options.around = [this](const OpRun& run, const std::function<OpResults()>& compute) {
      OpResults results = compute();
      if (results) look(run, *results);
      return results;
    };
    options.around_call = [this](OpRef call, std::span<const Tensor> operands,
                                 const std::function<OpResults()>& compute) {
      const std::int64_t before = found_.work;
      OpResults results = compute();
      if (results && useful_.contains(call.id()) && calls_stated_gradient(call))
        look_at_call(call, operands, *results, found_.work - before);
      return results;
    };
    find_surrogates();
    const auto outputs = interpret(module_, function_.name(), question_.inputs, question_.data, options);
    if (!outputs) {
      diagnostics_.emit(outputs.error());
      return std::nullopt;
    }
    return std::move(found_);
  }

 private:
  // What varies with the values of `wrt`, and the ops that lead to the results of `of`.
  void find_way() {
    const std::unordered_set<std::string> wrt(question_.wrt.begin(), question_.wrt.end());
    for (std::size_t i = 0; i < function_.arguments().size(); ++i)
      if (wrt.contains(argument_name(function_, i))) reverse_.vary(function_.arguments()[i]);
    walk(function_.op(), [&](OpRef op) {
      if (op.is(GraphOp::Read) && wrt.contains("@" + std::string(*context_.attributes().as_symbol(op.attr("symbol")))))
        reverse_.vary(op.result());
    });
    std::vector<OpRef> ops;
    for (const OpRef op : function_.body().ops())
      if (op != function_.return_op()) ops.push_back(op);
    reverse_.spread(ops);
    std::vector<Value> open;
    for (const std::size_t i : question_.of) open.push_back(function_.results()[i]);
    while (!open.empty()) {
      const Value value = open.back();
      open.pop_back();
      const OpRef op = value.is_result() ? value.definer() : value.argument_of().parent_op();
      if (op == function_.op() || !useful_.insert(op.id()).second) continue;
      for (const Value operand : op.operands()) open.push_back(operand);
      for (const RegionRef region : op.regions())
        for (const Value yielded : region.terminator().operands()) open.push_back(yielded);
    }
  }

  // Which values of `wrt` reach a surrogate that leads to a result.
  void find_surrogates() {
    std::vector<OpRef> surrogates, ops;
    walk(function_.op(), [&](OpRef op) {
      if (useful_.contains(op.id()) && calls_stated_gradient(op) && is_surrogate(callee_of(op)))
        surrogates.push_back(op);
    });
    if (surrogates.empty()) return;
    for (const OpRef op : function_.body().ops())
      if (op != function_.return_op()) ops.push_back(op);
    for (const std::string& name : question_.wrt) {
      const Value value = target_value(function_, name);
      if (!value.valid()) continue;
      Reverse reach(builder_, rules_, sizes_, errors_);
      reach.vary(value);
      reach.spread(ops);
      for (const OpRef call : surrogates)
        for (const Value operand : call.operands())
          if (reach.varied(operand)) found_.surrogates.try_emplace(name, callee_of(call).name());
    }
  }

  [[nodiscard]] bool is_surrogate(FuncRef function) const {
    return context_.attributes().as_bool(function.op().attr("surrogate")).value_or(false);
  }

  // What a message and the report call the op.
  static std::string name_of(OpRef op) {
    return op.is(GraphOp::Call) ? "@" + std::string(callee_of(op).name()) : std::string(op.name());
  }

  RowCheck& row_of(OpRef op) {
    const std::string name = name_of(op);
    const auto [it, fresh] = row_numbers_.try_emplace(name, found_.rows.size());
    if (fresh) found_.rows.push_back({.op = name});
    return found_.rows[it->second];
  }

  // Counts a run of the op. False: it is left out.
  bool take(OpRef op, std::int64_t work, std::size_t wanted) {
    RowCheck& row = row_of(op);
    const std::size_t before = runs_[op.id()]++;
    const std::int64_t cost = kUsualEvaluations * work * static_cast<std::int64_t>(wanted);
    if (before >= options_.runs || cost > options_.max_work - spent_) {
      ++row.left_out;
      return false;
    }
    if (before == 0) ++row.ops;
    ++row.runs;
    return true;
  }

  [[nodiscard]] std::uint64_t next_seed() { return options_.seed * 1'000'003 + 1009 * ++checked_; }

  // A call, as one op: what the stated gradient returns against differences of the function.
  void look_at_call(OpRef call, std::span<const Tensor> operands, const std::vector<Tensor>& results,
                    std::int64_t work) {
    const FuncRef callee = callee_of(call);
    if (is_surrogate(callee)) return;
    std::vector<Type> operand_types, result_types;
    for (const Value operand : call.operands()) operand_types.push_back(operand.type());
    for (const Value result : call.results()) result_types.push_back(result.type());
    const std::vector<std::size_t> floats = float_numbers(context_, operand_types);
    std::vector<std::size_t> used;
    for (const std::size_t i : float_numbers(context_, result_types))
      if (call.result(i).has_uses()) used.push_back(i);
    const auto varies = [&](std::size_t i) { return reverse_.varied(call.operand(i)); };
    const auto wanted = static_cast<std::size_t>(std::count_if(floats.begin(), floats.end(), varies));
    if (wanted == 0 || used.empty() || !take(call, work, wanted)) return;
    const std::uint64_t seed = next_seed();
    std::vector<Tensor> given(operands.begin(), operands.end()), cotangents;
    for (const std::size_t i : float_numbers(context_, result_types)) {
      const bool is_used = std::find(used.begin(), used.end(), i) != used.end();
      given.push_back(is_used ? draw_cotangent(results[i], seed + i) : Tensor::zeros(Dtype::F64, results[i].shape()));
      if (is_used) cotangents.push_back(given.back());
    }
    const InterpretOptions options{.precision = Precision::F64, .max_trips = options_.max_trips};
    const auto gradients = interpret(module_, *callee.gradient(), given, question_.data, options);
    if (!gradients) {
      diagnostics_.emit(diagnose<kGradientFails>(call.location(), name_of(call), gradients.error().message()));
      return;
    }
    HeldRuns runs(module_, callee.name(), options_.max_trips);
    if (!runs.first(operands, question_.data) || !runs.colliding().empty()) {
      RowCheck& row = row_of(call);
      row.adjoints += wanted;
      row.not_differentiable += wanted;
      return;
    }
    for (std::size_t k = 0; k < floats.size(); ++k) {
      const std::size_t i = floats[k];
      if (!varies(i)) continue;
      DifferencePoint point{{operands[i].to_f64()}, {}, cotangents};
      point.f = [&](std::span<const Tensor> moved) -> std::optional<std::vector<Tensor>> {
        spent_ += work;
        std::vector<Tensor> inputs(operands.begin(), operands.end());
        inputs[i] = moved[0];
        const auto outputs = runs.again(inputs, question_.data);
        if (!outputs) return std::nullopt;
        std::vector<Tensor> values;
        for (const std::size_t r : used) values.push_back(outputs->results[r].to_f64());
        return values;
      };
      record(call, {name_of(call), argument_name(callee, i), std::string(call.operand(i).name()), call.location(),
                    check_slope(point, std::span(&gradients->results[k], 1), seed + 31 * k)});
    }
  }

  // One run of an op.
  struct Run {
    OpRef op;
    const Formula* formula;
    std::vector<Tensor> operands;  // of the formula
    const SymbolValues* sizes;
  };

  void look(const OpRun& seen, const std::vector<Tensor>& results) {
    const OpRef op = seen.op;
    const Formula formula = formula_of(op);
    const std::int64_t work = formula_work(formulas(context_), formula, options_.max_work, [&](IndexExpr e) {
      return context_.index().evaluate(e, [&](AtomId atom) { return seen.sizes->find(atom); });
    });
    found_.work += work;
    if (!useful_.contains(op.id())) return;
    std::vector<std::size_t> wanted, used;
    const auto varies = [&](Value operand) { return reverse_.varied(operand); };
    const auto operands = op.operands();
    if (std::none_of(operands.begin(), operands.end(), varies)) return;
    for (const std::size_t i : rules_.differentiable(op))
      if (varies(op.operand(i))) wanted.push_back(i);
    for (std::size_t i = 0; i < op.result_count(); ++i)
      if (is_float_tensor(context_, op.result(i).type()) && op.result(i).has_uses()) used.push_back(i);
    if (wanted.empty() || used.empty()) return;
    if (!take(op, work, wanted.size())) return;
    Run run{op, &formula, {seen.operands.begin(), seen.operands.end()}, seen.sizes};
    for (std::size_t i = run.operands.size(); i < formula.operand_count(); ++i)
      run.operands.push_back(Tensor::zeros(formula.tensors[i].dtype, {}));
    if (writes_collide(formulas(context_), formula, run.operands, *seen.sizes)) {
      RowCheck& row = row_of(op);
      row.adjoints += wanted.size();
      row.not_differentiable += wanted.size();
      return;
    }
    check(run, work, results, wanted, used);
  }

  Formula formula_of(OpRef op) {
    std::vector<Type> types;
    for (const Value operand : op.operands())
      types.push_back(context_.types().kind(operand.type()) == TypeKind::Index
                          ? context_.types().tensor(Dtype::I64, std::span<const IndexExpr>())
                          : operand.type());
    Result<Formula, Diagnostic> formula = instantiate_op(context_, op.opcode(), types, op.attrs(), facts_.of(op));
    MLGC_ASSERT(formula.ok(), "an op that has run has a formula");
    return std::move(*formula);
  }

  void check(const Run& run, std::int64_t work, const std::vector<Tensor>& results,
             const std::vector<std::size_t>& wanted, const std::vector<std::size_t>& used) {
    const std::uint64_t seed = next_seed();
    std::vector<Tensor> given = run.operands, cotangents;
    for (const std::size_t i : used) given.push_back(results[i]);
    for (const std::size_t i : used) cotangents.push_back(draw_cotangent(results[i], seed + i));
    given.insert(given.end(), cotangents.begin(), cotangents.end());
    const RowGradient& backward = rules_.backward(run.op, used, wanted);
    for (const std::size_t i : backward.others) given.push_back(results[i]);
    const auto gradients = evaluate(formulas(context_), backward.formula, given, {Precision::F64}, *run.sizes);
    if (!gradients) {
      diagnostics_.emit(
          diagnose<kGradientFails>(run.op.location(), std::string(run.op.name()), gradients.error().message()));
      return;
    }
    const std::optional<Formula> held = hold_stops(formulas(context_), *run.formula);
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      const std::size_t i = wanted[k];
      DifferencePoint point{{run.operands[i].to_f64()}, {}, cotangents};
      point.f = [&](std::span<const Tensor> moved) {
        spent_ += work;
        return values(run, held, i, moved[0], used);
      };
      const std::string value(run.op.operand(i).name());
      record(run.op, {std::string(run.op.name()), operand_name(run.op.def(), i), value, run.op.location(),
                      check_slope(point, std::span(&(*gradients)[k], 1), seed + 31 * k)});
    }
  }

  // Of the results `used`, with another value of operand i.
  std::optional<std::vector<Tensor>> values(const Run& run, const std::optional<Formula>& held, std::size_t i,
                                            const Tensor& moved, const std::vector<std::size_t>& used) {
    std::vector<Tensor> operands = run.operands;
    operands[i] = moved;
    if (held) operands.insert(operands.end(), run.operands.begin(), run.operands.end());
    const auto all = evaluate(formulas(context_), held ? *held : *run.formula, operands, {Precision::F64}, *run.sizes);
    if (!all) return std::nullopt;
    std::vector<Tensor> out;
    for (const std::size_t k : used) out.push_back((*all)[k]);
    return out;
  }

  void record(OpRef op, AdjointCheck check) {
    RowCheck& row = row_of(op);
    ++row.adjoints;
    if (check.slope.part) ++row.parts;
    if (check.slope.verdict == SlopeVerdict::NotDifferentiable) {
      ++row.not_differentiable;
      return;
    }
    const bool wrong = check.slope.verdict == SlopeVerdict::Wrong;
    const auto rank = [](const AdjointCheck& c) {
      return std::pair(c.slope.verdict == SlopeVerdict::Wrong, c.slope.relative());
    };
    if (!row.worst || rank(*row.worst) < rank(check)) row.worst = check;
    if (!wrong || !blamed_.emplace(op.id(), check.operand).second) return;
    if (op.is(GraphOp::Call))
      diagnostics_.emit(diagnose<kWrongStatedGradient>(
          check.at, *callee_of(op).gradient(), callee_of(op).name(), check.operand, slope_text(check.slope.computed),
          slope_text(check.slope.difference), slope_text(check.slope.error)));
    else
      diagnostics_.emit(diagnose<kWrongAdjoint>(check.at, check.op, check.operand, slope_text(check.slope.computed),
                                                slope_text(check.slope.difference), slope_text(check.slope.error)));
    found_.wrong.push_back(std::move(check));
  }

  Module module_;
  Context& context_;
  FuncRef function_;
  const GradientQuestion& question_;
  const GradientCheckOptions& options_;
  DiagnosticEngine& diagnostics_;
  Builder builder_;
  FunctionFacts facts_;
  GradientRules rules_;
  std::vector<Diagnostic> errors_;
  FreshSizes sizes_;
  Reverse reverse_;
  std::unordered_set<OpId> useful_;
  std::unordered_map<OpId, std::size_t> runs_;
  std::set<std::pair<OpId, std::string>> blamed_;
  std::map<std::string, std::size_t, std::less<>> row_numbers_;
  std::uint64_t checked_ = 0;
  std::int64_t spent_ = 0;
  OpGradients found_;
};

}  // namespace

std::optional<OpGradients> check_op_gradients(const Module& module, std::string_view function,
                                              const GradientQuestion& question, const GradientCheckOptions& options,
                                              DiagnosticEngine& diagnostics) {
  return OpChecker(module, function, question, options, diagnostics).run();
}

}  // namespace mlgc
