// inline: puts the body of a function in the place of its calls. Callees come first, so each body is copied once per
// call, in its final form. Launches of functions that are not kernels are inlined too (loops/inline_launches.h). On
// request `segment`s are inlined as well, before calls: that undoes `partition`.
#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "analysis/isolate.h"
#include "analysis/substitute_symbols.h"
#include "ir/clone.h"
#include "ir/function.h"
#include "ir/function_facts.h"
#include "ir/walk.h"
#include "loops/inline_launches.h"
#include "ops/op_sizes.h"
#include "ops/solved_products.h"
#include "ops/stated_gradient.h"
#include "transforms/passes.h"

namespace mlgc {

namespace {

struct InlineOptions {
  std::int64_t max_ops = 1 << 20;
  bool segments = false;
  bool fusions = false;
  bool keep_gradients = false;
};

constexpr std::array kInlineOptions{
    pass_option<&InlineOptions::max_ops>("max-ops",
                                         "leave further calls once that many ops have been copied: calls of calls "
                                         "can double the program at each level"),
    pass_option<&InlineOptions::segments>("segments", "inline segments too, whatever their target"),
    pass_option<&InlineOptions::fusions>("fusions", "inline fusions too"),
    pass_option<&InlineOptions::keep_gradients>("keep-gradients", "leave calls of functions that state their gradient"),
};
constexpr std::array kInlineCounters{
    PassCounter{"calls-inlined", "calls replaced by the callee's body"},
    PassCounter{"calls-recursive", "calls left because the callee calls itself, directly or not"},
    PassCounter{"calls-over-limit", "calls left because of max-ops"},
    PassCounter{"calls-constrained",
                "calls left because the callee's `where` does not follow, and the function may run without them"},
    PassCounter{"calls-with-gradient", "calls left because the callee states its gradient"},
    PassCounter{"launches-inlined", "launches of functions that launch others, replaced by their ops"},
    PassCounter{"segments-inlined", "segments that were replaced by their ops"},
    PassCounter{"fusions-inlined", "fusions that were replaced by their ops"},
};

class Inliner {
 public:
  Inliner(Module& module, const InlineOptions& options, PassContext& context)
      : module_(module),
        ir_(module.context()),
        options_(options),
        context_(context),
        call_(ir_.opcode(GraphOp::Call)) {}

  // Functions in depth-first order of their calls, without recursion.
  void run() {
    struct Frame {
      OpId function;
      std::vector<OpId> calls;
      std::vector<std::string> names;  // of the results, where there are calls
      std::size_t next = 0;
    };
    std::vector<Frame> frames;
    const auto enter = [&](OpRef function) {
      states_[function.id()].open = true;
      frames.push_back({function.id(), calls_in(function), {}});
      if (!frames.back().calls.empty()) frames.back().names = names_of_results(FuncRef(function));
    };
    for (const FuncRef function : functions(module_)) {
      if (states_[function.op().id()].done) continue;
      enter(function.op());
      while (!frames.empty()) {
        Frame& frame = frames.back();
        if (frame.next == frame.calls.size()) {
          State& state = states_[frame.function];
          keep_names(FuncRef(module_.op(frame.function)), frame.names);
          state.open = false;
          state.done = true;
          measure(module_.op(frame.function), state);
          frames.pop_back();
          continue;
        }
        const OpRef call = module_.op(frame.calls[frame.next]);
        const FuncRef callee = callee_of(call);
        if (callee.valid() && !states_[callee.op().id()].done && !states_[callee.op().id()].open) {
          enter(callee.op());
          continue;
        }
        ++frame.next;
        if (callee.valid()) inline_call(call, callee);
      }
    }
  }

 private:
  struct State {
    bool open = false, done = false;
    std::int64_t size = 0;
    std::set<AtomId> of_arguments;                            // atoms of their dims
    std::vector<AtomId> own;                                  // sizes that no argument has
    std::optional<std::set<std::string, std::less<>>> names;  // of all sizes, once they are asked for
  };

  std::vector<OpId> calls_in(OpRef function) const {
    std::vector<OpId> calls;
    walk(function, [&](OpRef op) {
      if (op.is(call_)) calls.push_back(op.id());
    });
    return calls;
  }

  static std::vector<std::string> names_of_results(const FuncRef& function) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < function.result_count(); ++i) names.push_back(result_name(function, i));
    return names;
  }

  // Results are asked for by the names that they have, also where a callee gave back an argument or a value twice. What
  // has no name but its number goes by that still.
  static void keep_names(const FuncRef& function, const std::vector<std::string>& before) {
    if (before.empty()) return;
    std::vector<std::string> names = names_of_results(function);
    bool changed = false;
    for (std::size_t i = 0; i < before.size(); ++i) {
      if (before[i] == names[i] || before[i] == "result" + std::to_string(i)) continue;
      names[i] = before[i];
      changed = true;
    }
    if (changed) set_result_names(function, names);
  }

  void note_arguments(FuncRef function, State& state) const {
    for (const Value argument : function.arguments())
      if (ir_.types().is_shaped(argument.type()))
        for (const IndexExpr dim : argument.dims())
          ir_.index().for_each_atom(dim, [&](AtomId atom) { state.of_arguments.insert(atom); });
  }

  // How many ops there are, and the sizes that no argument has.
  void measure(OpRef function, State& state) const {
    note_arguments(FuncRef(function), state);
    std::set<AtomId> seen = state.of_arguments;
    walk(function, [&](OpRef op) {
      ++state.size;
      if (op == function) return;
      for_each_size(op, [&](AtomId atom) {
        if (seen.insert(atom).second) state.own.push_back(atom);
      });
    });
  }

  // The names of sizes in a function that calls are inlined into, kept while it grows.
  std::set<std::string, std::less<>>& size_names(OpRef function) {
    auto& names = states_[function.id()].names;
    if (!names) {
      names.emplace();
      walk(function,
           [&](OpRef op) { for_each_size(op, [&](AtomId atom) { names->emplace(ir_.index().symbol_name(atom)); }); });
    }
    return *names;
  }

  // What the callee calls its own sizes, the caller may call others.
  void rename_own(const State& callee, OpRef caller, SymbolSubstitution& sizes) {
    if (callee.own.empty()) return;
    std::set<std::string, std::less<>>& taken = size_names(caller);
    for (const AtomId size : callee.own) {
      const std::string name(ir_.index().symbol_name(size));
      std::string fresh = name;
      for (int i = 1; !taken.insert(fresh).second; ++i) fresh = name + "_" + std::to_string(i);
      sizes.set(size, ir_.index().symbol(fresh));
    }
  }

  // What the callee asks of its sizes, in the caller's words, as far as it does not follow at the call.
  Constraints more_constraints(OpRef call, FuncRef callee, FuncRef caller, SymbolSubstitution& sizes) {
    IndexPool& index = ir_.index();
    const SolvedProducts products = solved_products(callee.op());
    Constraints wanted;
    for (const Constraint& constraint : callee.constraints())
      if (is_of(constraint, states_.at(callee.op().id())) && !is_kept_by(products, constraint, index))
        wanted.push_back(constraint);
    for (const SolvedProduct& solved : products.all)
      if (solved.low > 0) wanted.push_back({{index.constant(solved.low), solved.product}, {Relation::LessEqual}});
    const Constraints known = caller.constraints();
    Constraints more;
    for (Constraint& constraint : wanted) {
      for (IndexExpr& term : constraint.terms) term = sizes(term);
      if (!follows(constraint, known, facts_.of(call), index)) more.push_back(std::move(constraint));
    }
    return more;
  }

  // Whether it speaks of sizes in the function's arguments alone.
  [[nodiscard]] bool is_of(const Constraint& constraint, const State& function) const {
    bool all = true;
    for (const IndexExpr term : constraint.terms)
      ir_.index().for_each_atom(term, [&](AtomId atom) {
        all = all && (ir_.index().atom(atom).kind != AtomKind::Symbol || function.of_arguments.contains(atom));
      });
    return all;
  }

  // A call that surely runs fails where its sizes break what the callee says of them: the caller says it then. False:
  // the call may not run, or the caller computes the sizes.
  bool take_constraints(OpRef call, FuncRef callee, FuncRef caller, SymbolSubstitution& sizes) {
    if (callee.constraints().empty()) return true;
    const Constraints more = more_constraints(call, callee, caller, sizes);
    if (more.empty()) return true;
    State& state = states_.at(caller.op().id());
    if (state.of_arguments.empty()) note_arguments(caller, state);
    if (call.parent() != caller.body() ||
        !std::all_of(more.begin(), more.end(), [&](const Constraint& one) { return is_of(one, state); }))
      return false;
    Constraints all = caller.constraints();
    all.insert(all.end(), more.begin(), more.end());
    caller.set_constraints(all);
    facts_ = FunctionFacts();
    return true;
  }

  void inline_call(OpRef call, FuncRef callee) {
    const State& state = states_.at(callee.op().id());
    const auto leave = [&](std::string_view counter) { ++context_.count(counter); };
    if (state.open) return leave("calls-recursive");
    if (options_.keep_gradients && callee.gradient()) return leave("calls-with-gradient");
    if (copied_ + state.size > options_.max_ops) return leave("calls-over-limit");
    OpRef caller = call.parent_op();
    while (!caller.is(GraphOp::Func)) caller = caller.parent_op();
    SymbolSubstitution sizes(ir_);
    ValueMap map;
    for (std::size_t i = 0; i < callee.arguments().size(); ++i) {
      sizes.match(callee.arguments()[i].type(), call.operand(i).type());
      map.set(callee.arguments()[i], call.operand(i));
    }
    rename_own(state, caller, sizes);
    if (!take_constraints(call, callee, FuncRef(caller), sizes)) return leave("calls-constrained");
    if (!context_.may_rewrite("inline-call", call.location())) return;
    copied_ += state.size;
    const OpRef before = call.previous();
    const RegionRef region = call.parent();
    Builder builder(module_, region);
    builder.set_before(call);
    clone_ops(callee.body(), builder, map, true);
    const bool same_sizes = sizes.is_identity();
    for (OpRef op = before.valid() ? before.next() : region.front(); op != call; op = op.next()) {
      if (!same_sizes) sizes.apply(op);
      walk(op, [&](OpRef inner) { inner.set_location(ir_.locations().call_site(inner.location(), call.location())); });
    }
    const std::vector<Value> results = callee.results();
    std::unordered_set<ValueId> named;
    for (const Value argument : callee.arguments()) named.insert(map.find(argument).id());
    for (std::size_t i = 0; i < results.size(); ++i) {
      const Value mapped = map.find(results[i]);
      MLGC_ASSERT(mapped.valid() && mapped.type() == call.result(i).type(), "inlining changes the type of a result");
      // What the caller calls it, unless it had a name before the call.
      if (!call.result(i).name().empty() && named.insert(mapped.id()).second) mapped.set_name(call.result(i).name());
      call.result(i).replace_all_uses_with(mapped);
    }
    call.erase();
    ++context_.count("calls-inlined");
  }

  Module& module_;
  Context& ir_;
  const InlineOptions& options_;
  PassContext& context_;
  Opcode call_;
  std::int64_t copied_ = 0;
  FunctionFacts facts_;
  std::unordered_map<OpId, State> states_;
};

// Inlines every such op.
void inline_regions(Module& module, GraphOp known, std::string_view rewrite, std::string_view counter,
                    PassContext& context) {
  std::vector<OpRef> found;
  walk<WalkOrder::Post>(module, [&](OpRef op) {
    if (op.is(known)) found.push_back(op);
  });
  for (const OpRef op : found) {
    if (!context.may_rewrite(rewrite, op.location())) continue;
    dissolve_isolated(op);
    ++context.count(counter);
  }
}

PassResult run(Module& module, const InlineOptions& options, PassContext& context) {
  if (options.segments) inline_regions(module, GraphOp::Segment, "inline-segment", "segments-inlined", context);
  if (options.fusions) inline_regions(module, GraphOp::Fusion, "inline-fusion", "fusions-inlined", context);
  Inliner(module, options, context).run();
  context.count("launches-inlined") = inline_launches(
      module, {options.max_ops, [&](OpRef launch) { return context.may_rewrite("inline-launch", launch.location()); }});
  return PassContext::changed_if(context.count("calls-inlined") + context.count("segments-inlined") +
                                     context.count("fusions-inlined") + context.count("launches-inlined") >
                                 0);
}

}  // namespace

constexpr PassDef kInlinePass{
    .name = "inline",
    .summary = "Puts the bodies of functions in the place of their calls.",
    .description =
        "The callee's symbolic sizes become the caller's, and so does its `where`, unless it follows; a call that may "
        "not "
        "run stays where it does not. Copied ops have locations that name the call. What the callee updates is left "
        "out: a "
        "call gives results. Launches of functions that launch others are replaced too. "
        "Functions stay, called or not. A gradient that the callee states is no longer met once it is inlined, so "
        "`keep-gradients=true` leaves its calls. With `segments=true` segments of `partition` are inlined too, "
        "with `fusions=true` fusions of `fuse`; each has constants of its own, which `cse` merges.",
    .options = kInlineOptions,
    .counters = kInlineCounters,
    .example = {.before = R"(func @twice(%x: tensor<[N]xf32>) -> tensor<[N]xf32> {
  %0 = add %x, %x : tensor<[N]xf32>
  return %0
}
func @f(%a: tensor<[B]xf32>) -> tensor<[B]xf32> {
  %0 = call @twice, %a : tensor<[B]xf32>
  %1 = exp %0 : tensor<[B]xf32>
  return %1
})",
                .after = R"(func @twice(%x: tensor<[N]xf32>) -> tensor<[N]xf32> {
  %0 = add %x, %x : tensor<[N]xf32>
  return %0
}
func @f(%a: tensor<[B]xf32>) -> tensor<[B]xf32> {
  %0 = add %a, %a : tensor<[B]xf32>
  %1 = exp %0 : tensor<[B]xf32>
  return %1
})"},
    .body = pass_body<InlineOptions, run>(),
};

}  // namespace mlgc
