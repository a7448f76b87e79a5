// specialize-dims: puts numbers in the place of sizes of a function's arguments, and follows them into the functions
// that it calls.
#include <algorithm>
#include <array>
#include <deque>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "analysis/substitute_symbols.h"
#include "diag/kinds_pass.h"
#include "diag/kinds_text.h"
#include "diag/suggest.h"
#include "ir/constraint.h"
#include "ir/function.h"
#include "ir/mentioned_sizes.h"
#include "ir/walk.h"
#include "loopir/functions.h"
#include "ops/memory_limit.h"
#include "ops/stated_gradient.h"
#include "transforms/entry_functions.h"
#include "transforms/passes.h"

namespace mlgc {

namespace {

struct SpecializeDimsOptions {
  std::vector<std::string> dims;
  std::string function;
};

constexpr std::array kSpecializeDimsOptions{
    pass_option<&SpecializeDimsOptions::dims>("dims", "sizes and their numbers: B=8,S=128"),
    pass_option<&SpecializeDimsOptions::function>(
        "function", "the function whose sizes they are; empty: every function that no other one calls"),
};
constexpr std::array kSpecializeDimsCounters{
    PassCounter{"functions-specialized", "functions that have a number for a size"},
};

using Numbers = std::vector<std::pair<AtomId, std::int64_t>>;

// The symbols in the dims of the arguments, in order.
std::vector<AtomId> symbols_of_arguments(FuncRef function) {
  const Context& context = function.op().module().context();
  std::vector<AtomId> symbols;
  for (const Value argument : function.arguments())
    if (context.types().is_shaped(argument.type()))
      for (const IndexExpr dim : argument.dims())
        context.index().for_each_atom(dim, [&](AtomId atom) {
          if (context.index().atom(atom).kind == AtomKind::Symbol && std::ranges::count(symbols, atom) == 0)
            symbols.push_back(atom);
        });
  return symbols;
}

// One function with numbers for some of its sizes. Nothing is changed before apply().
class SpecializedFunction {
 public:
  SpecializedFunction(FuncRef function, Numbers numbers)
      : function_(function),
        context_(function.op().module().context()),
        numbers_(std::move(numbers)),
        sizes_(context_) {
    for (const auto& [symbol, number] : numbers_) sizes_.set(symbol, context_.index().constant(number));
  }

  // What is wrong with the numbers, if anything: a constraint that they contradict, a type that cannot be.
  [[nodiscard]] std::optional<Diagnostic> check() {
    for (const Constraint& constraint : function_.constraints())
      if (!rest_of(constraint))
        return diagnose<kSizeContradicts>(function_.op().location(), numbers_text(),
                                          print(constraint, context_.index()), function_.name());
    std::optional<Diagnostic> wrong;
    walk(function_.op(), [&](OpRef op) {
      if (wrong) return;
      for (const Value result : op.results()) check_type(op, result.type(), wrong);
      for (const RegionRef region : op.regions())
        for (const Value argument : region.arguments()) check_type(op, argument.type(), wrong);
      (void)visit_mentioned_sizes(op, [&](IndexExpr e) {
        if (!wrong && sizes_(e) == context_.index().overflow()) wrong = impossible(op, "[" + text(e) + "]");
      });
    });
    return wrong;
  }

  void apply() {
    Constraints constraints;
    for (const Constraint& constraint : function_.constraints()) {
      const Constraints parts = rest_of(constraint).value_or(Constraints());
      constraints.insert(constraints.end(), parts.begin(), parts.end());
    }
    auto limit = stated_memory_limit(function_);
    sizes_.apply(function_.op());
    function_.set_constraints(constraints);
    if (!limit) return;
    for (const auto& [symbol, number] : numbers_) limit->sizes.erase(std::string(context_.index().symbol_name(symbol)));
    state_memory_limit(function_, *limit);
  }

 private:
  // Of a constraint with the numbers: the parts of its chain that do not hold for that reason alone. Nothing: one of
  // them cannot hold.
  std::optional<Constraints> rest_of(const Constraint& constraint) {
    Constraints parts;
    bool open = false;  // the last part goes on
    for (std::size_t i = 0; i < constraint.relations.size(); ++i) {
      const IndexExpr left = sizes_(constraint.terms[i]), right = sizes_(constraint.terms[i + 1]);
      const Truth truth = truth_of(left, constraint.relations[i], right);
      if (truth == Truth::No) return std::nullopt;
      if (truth == Truth::Yes && !(left == constraint.terms[i] && right == constraint.terms[i + 1])) {
        open = false;
        continue;
      }
      if (!open) parts.push_back({{left}, {}});
      parts.back().relations.push_back(constraint.relations[i]);
      parts.back().terms.push_back(right);
      open = true;
    }
    return parts;
  }

  Truth truth_of(IndexExpr left, Relation relation, IndexExpr right) {
    IndexPool& index = context_.index();
    const auto negated = [](Truth truth) {
      return truth == Truth::Unknown ? truth : truth == Truth::Yes ? Truth::No : Truth::Yes;
    };
    switch (relation) {
      case Relation::Equal: return index.equal(left, right);
      case Relation::NotEqual: return negated(index.equal(left, right));
      case Relation::Less: return index.less(left, right);
      case Relation::LessEqual: return negated(index.less(right, left));
      case Relation::Greater: return index.less(right, left);
      case Relation::GreaterEqual: return negated(index.less(left, right));
    }
    return Truth::Unknown;
  }

  void check_type(OpRef op, Type type, std::optional<Diagnostic>& wrong) {
    const TypePool& types = context_.types();
    if (wrong || !types.is_shaped(type)) return;
    for (const IndexExpr dim : types.dims(type)) {
      const auto size = context_.index().as_constant(sizes_(dim));
      if (size && *size < 0) {
        wrong = impossible(op, "[" + text(dim) + "]");
        return;
      }
    }
    SymbolSizes known;
    for (const auto& [symbol, number] : numbers_) known[std::string(context_.index().symbol_name(symbol))] = number;
    if (bytes_at(context_, type, known) == std::numeric_limits<std::int64_t>::max())
      wrong = impossible(op, types.print(type));
  }

  Diagnostic impossible(OpRef op, const std::string& what) {
    return diagnose<kSizeImpossible>(op.location(), numbers_text(), what, function_.name());
  }

  [[nodiscard]] std::string text(IndexExpr e) const { return context_.index().print(e); }

  // `B = 8, S = 128`.
  [[nodiscard]] std::string numbers_text() const {
    std::string out;
    for (const auto& [symbol, number] : numbers_)
      out += (out.empty() ? "" : ", ") + std::string(context_.index().symbol_name(symbol)) + " = " +
             std::to_string(number);
    return out;
  }

  FuncRef function_;
  Context& context_;
  Numbers numbers_;
  SymbolSubstitution sizes_;
};

class DimSpecializer {
 public:
  DimSpecializer(Module& module, const SymbolSizes& sizes, PassContext& context)
      : module_(module), ir_(module.context()), sizes_(sizes), context_(context) {}

  PassResult run(const std::vector<FuncRef>& chosen) {
    if (!check_names(chosen)) return PassResult::Failed;
    // All are checked before one is changed.
    std::vector<std::pair<FuncRef, SpecializedFunction>> specialized;
    for (const FuncRef function : chosen) {
      Numbers numbers;
      for (const AtomId symbol : symbols_of_arguments(function))
        if (const auto size = sizes_.find(ir_.index().symbol_name(symbol)); size != sizes_.end())
          numbers.emplace_back(symbol, size->second);
      if (numbers.empty()) continue;
      specialized.emplace_back(function, SpecializedFunction(function, numbers));
      if (auto wrong = specialized.back().second.check()) {
        context_.diagnostics().emit(*std::move(wrong));
        return PassResult::Failed;
      }
    }
    find_uses();
    for (auto& [function, with_numbers] : specialized) apply(function, with_numbers);
    follow_calls();
    return PassContext::changed_if(context_.count("functions-specialized") > 0);
  }

 private:
  // One place that says of which types the arguments of a function are: a call, or a function whose gradient it is.
  struct Use {
    FuncRef user;
    OpRef call;  // invalid: as its gradient
    std::vector<Type> before;
  };
  struct Callee {
    std::vector<Use> uses;
    std::size_t waits = 0;  // for users that were not looked at
  };

  bool check_names(const std::vector<FuncRef>& chosen) {
    std::set<std::string> known;
    for (const FuncRef function : chosen)
      for (const AtomId symbol : symbols_of_arguments(function)) known.emplace(ir_.index().symbol_name(symbol));
    for (const auto& [name, size] : sizes_) {
      if (known.contains(name)) continue;
      Diagnostic diagnostic = diagnose<kUnknownSize>({}, name);
      const std::vector<std::string_view> names(known.begin(), known.end());
      if (const auto best = closest_name(name, names)) diagnostic.add_note<kDidYouMean>({}, *best);
      if (!known.empty()) diagnostic.add_note<kKnownNames>({}, std::vector<std::string>(known.begin(), known.end()));
      context_.diagnostics().emit(std::move(diagnostic));
      return false;
    }
    return true;
  }

  void apply(FuncRef function, SpecializedFunction& with_numbers) {
    if (!context_.may_rewrite("specialize-dims", function.op().location())) return;
    with_numbers.apply();
    changed_.insert(function.op().id());
    ++context_.count("functions-specialized");
  }

  [[nodiscard]] std::vector<Type> given_types(const Use& use) const {
    std::vector<Type> types;
    if (use.call.valid()) {
      for (const Value operand : use.call.operands()) types.push_back(operand.type());
      return types;
    }
    for (const Value argument : use.user.arguments()) types.push_back(argument.type());
    std::vector<Type> results;
    for (const Value result : use.user.results()) results.push_back(result.type());
    for (const std::size_t i : float_numbers(ir_, results)) types.push_back(results[i]);
    return types;
  }

  void find_uses() {
    const auto add = [&](FuncRef callee, FuncRef user, OpRef call) {
      if (!callee.valid()) return;
      Use use{user, call, {}};
      use.before = given_types(use);
      callees_[callee.op().id()].uses.push_back(std::move(use));
      ++callees_[callee.op().id()].waits;
      used_[user.op().id()].push_back(callee);
    };
    for (const FuncRef function : functions(module_)) {
      walk(function.op(), [&](OpRef op) {
        if (op.is(GraphOp::Call)) add(callee_of(op), function, op);
      });
      if (const auto gradient = function.gradient()) add(FuncRef::from(module_.lookup(*gradient)), function, OpRef());
    }
  }

  // Users before what they use; functions that call themselves are never reached and stay as they are.
  void follow_calls() {
    std::deque<FuncRef> ready;
    for (const FuncRef function : functions(module_))
      if (!callees_.contains(function.op().id())) ready.push_back(function);
    while (!ready.empty()) {
      const FuncRef function = ready.front();
      ready.pop_front();
      specialize_callee(function);
      for (const FuncRef callee : used_[function.op().id()])
        if (--callees_[callee.op().id()].waits == 0) ready.push_back(callee);
    }
  }

  // Sizes of the function that became the same number in all its uses.
  void specialize_callee(FuncRef function) {
    const auto found = callees_.find(function.op().id());
    if (found == callees_.end() || changed_.contains(function.op().id())) return;
    const std::vector<Use>& uses = found->second.uses;
    if (std::ranges::none_of(uses, [&](const Use& use) { return changed_.contains(use.user.op().id()); })) return;
    Numbers numbers;
    for (const AtomId symbol : symbols_of_arguments(function))
      if (const auto number = number_in_uses(function, symbol, uses)) numbers.emplace_back(symbol, *number);
    if (numbers.empty()) return;
    // A call that never runs may contradict what the function says: the function stays as it is.
    SpecializedFunction with_numbers(function, std::move(numbers));
    if (!with_numbers.check()) apply(function, with_numbers);
  }

  std::optional<std::int64_t> number_in_uses(FuncRef function, AtomId symbol, const std::vector<Use>& uses) const {
    std::optional<std::int64_t> number;
    bool was_symbolic = false;
    for (const Use& use : uses) {
      const std::optional<IndexExpr> now = dim_for(function, symbol, given_types(use));
      const auto size = now ? ir_.index().as_constant(*now) : std::nullopt;
      if (!size || (number && *number != *size)) return std::nullopt;
      number = size;
      was_symbolic = was_symbolic || !ir_.index().as_constant(*dim_for(function, symbol, use.before));
    }
    return was_symbolic ? number : std::nullopt;
  }

  // What stands where an argument of the function has the bare symbol.
  std::optional<IndexExpr> dim_for(FuncRef function, AtomId symbol, const std::vector<Type>& given) const {
    const auto arguments = function.arguments();
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (!ir_.types().is_shaped(arguments[i].type())) continue;
      const auto dims = arguments[i].dims();
      for (std::size_t axis = 0; axis < dims.size(); ++axis)
        if (ir_.index().as_atom(dims[axis]) == symbol) return ir_.types().dims(given[i])[axis];
    }
    return std::nullopt;
  }

  Module& module_;
  Context& ir_;
  const SymbolSizes& sizes_;
  PassContext& context_;
  std::unordered_map<OpId, Callee> callees_;
  std::unordered_map<OpId, std::vector<FuncRef>> used_;
  std::unordered_set<OpId> changed_;
};

PassResult run(Module& module, const SpecializeDimsOptions& options, PassContext& context) {
  SymbolSizes sizes;
  for (const std::string& text : options.dims) {
    auto size = read_symbol_size(text);
    if (!size) {
      reject_option(context, "dims", "`" + text + "` is not a size and its number, as B=8");
      return PassResult::Failed;
    }
    const auto [known, is_new] = sizes.insert(*size);
    if (!is_new && known->second != size->second) {
      reject_option(context, "dims", "`" + known->first + "` is given twice, with other numbers");
      return PassResult::Failed;
    }
  }
  for (const FuncRef function : functions(module)) {
    if (!is_loop_function(function.op())) continue;
    context.diagnostics().emit(diagnose<kPassStage>(function.op().location(), context.pass().name,
                                                    stages_text(context.pass().needs), "loops"));
    return PassResult::Failed;
  }
  const auto chosen = chosen_functions(module, options.function, context);
  return chosen ? DimSpecializer(module, sizes, context).run(*chosen) : PassResult::Failed;
}

}  // namespace

constexpr PassDef kSpecializeDimsPass{
    .name = "specialize-dims",
    .summary = "Replaces sizes of arguments by numbers.",
    .description =
        "The sizes of `dims` become numbers in types, index expressions, attributes and formulas; constraints that "
        "hold then go. A function that is called gets a number for a size where all its calls give that one now. What "
        "an op computes a size for (`nonzero`) keeps its symbol. `mlgc opt --dim=B=8` is short for this pass.",
    .options = kSpecializeDimsOptions,
    .counters = kSpecializeDimsCounters,
    .needs = Stages::Graph | Stages::Fused,
    .changes_results = "a function takes tensors of these sizes alone",
    .example = {.before = R"(func @f(%x: tensor<[B]x[2*B]xf32>) -> tensor<[B]x[2*B]xf32> where 1 <= B <= 64 {
  %0 = relu %x : tensor<[B]x[2*B]xf32>
  return %0
})",
                .after = R"(func @f(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %0 = relu %x : tensor<8x16xf32>
  return %0
})",
                .options = "dims=B=8"},
    .body = pass_body<SpecializeDimsOptions, run>(),
};

}  // namespace mlgc
