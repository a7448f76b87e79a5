// inline: puts the body of a function in the place of its calls. Callees come first, so each body is copied once per
// call, in its final form. On request `segment`s are taken apart as well, before calls: the way back from `partition`.
#include <array>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/isolate.h"
#include "ir/clone.h"
#include "ir/function.h"
#include "ir/walk.h"
#include "transforms/passes.h"
#include "transforms/substitute_symbols.h"

namespace mlgc {

namespace {

struct Options {
  std::int64_t max_ops = 1 << 20;
  bool segments = false;
  bool fusions = false;
};

constexpr std::array kOptions{
    pass_option<&Options::max_ops>("max-ops",
                                   "leave further calls once that many ops have been copied: calls of calls "
                                   "can double the program at each level"),
    pass_option<&Options::segments>("segments", "take segments apart too, whatever their target"),
    pass_option<&Options::fusions>("fusions", "take fusions apart too"),
};
constexpr std::array kCounters{
    PassCounter{"calls-inlined", "calls replaced by the callee's body"},
    PassCounter{"calls-recursive", "calls left because the callee calls itself, directly or not"},
    PassCounter{"calls-updating", "calls left because the callee updates states"},
    PassCounter{"calls-opaque", "calls left because the callee has sizes that its arguments do not determine"},
    PassCounter{"calls-over-limit", "calls left because of max-ops"},
    PassCounter{"segments-dissolved", "segments whose ops stand in their place now"},
    PassCounter{"fusions-dissolved", "fusions whose ops stand in their place now"},
};

class Inliner {
 public:
  Inliner(Module& module, const Options& options, PassContext& context)
      : module_(module), ir_(module.context()), options_(options), context_(context), call_(ir_.find_op("call")) {}

  // Functions in depth-first order of their calls, without recursion.
  void run() {
    struct Frame {
      OpId function;
      std::vector<OpId> calls;
      std::size_t next = 0;
    };
    std::vector<Frame> frames;
    const auto enter = [&](OpRef function) {
      states_[function.id()].open = true;
      frames.push_back({function.id(), calls_in(function)});
    };
    for (const FuncRef function : functions(module_)) {
      if (states_[function.op().id()].done) continue;
      enter(function.op());
      while (!frames.empty()) {
        Frame& frame = frames.back();
        if (frame.next == frame.calls.size()) {
          State& state = states_[frame.function];
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
    bool opaque = false;  // mentions symbols that no argument determines
    std::int64_t size = 0;
  };

  std::vector<OpId> calls_in(OpRef function) const {
    std::vector<OpId> calls;
    walk(function, [&](OpRef op) {
      if (op.is(call_)) calls.push_back(op.id());
    });
    return calls;
  }

  FuncRef callee_of(OpRef call) const {
    const auto name = ir_.attributes().as_symbol(call.attr("callee"));
    const OpRef symbol = name ? module_.lookup(*name) : OpRef();
    return symbol.valid() ? FuncRef::from(symbol) : FuncRef();
  }

  // Size, and whether every symbol in it is a bare dim of an argument.
  void measure(OpRef function, State& state) {
    SymbolSubstitution bound(ir_);
    for (const Value argument : FuncRef(function).arguments()) bound.match(argument.type(), argument.type());
    const auto check = [&](Type type) {
      if (!ir_.types().is_shaped(type)) return;
      for (const IndexExpr dim : ir_.types().dims(type))
        ir_.index().for_each_atom(dim, [&](AtomId atom) {
          if (ir_.index().atom(atom).kind == AtomKind::Symbol && !bound.has(atom)) state.opaque = true;
        });
    };
    for (const Value argument : FuncRef(function).arguments()) check(argument.type());
    walk(function, [&](OpRef op) {
      ++state.size;
      for (const Value result : op.results()) check(result.type());
    });
  }

  void inline_call(OpRef call, FuncRef callee) {
    const State& state = states_[callee.op().id()];
    const auto leave = [&](std::string_view counter) { ++context_.count(counter); };
    if (state.open) return leave("calls-recursive");
    if (!callee.updates().empty()) return leave("calls-updating");
    if (state.opaque) return leave("calls-opaque");
    if (copied_ + state.size > options_.max_ops) return leave("calls-over-limit");
    if (!context_.may_rewrite("inline-call", call.location())) return;
    copied_ += state.size;

    SymbolSubstitution sizes(ir_);
    ValueMap map;
    for (std::size_t i = 0; i < callee.arguments().size(); ++i) {
      sizes.match(callee.arguments()[i].type(), call.operand(i).type());
      map.set(callee.arguments()[i], call.operand(i));
    }
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
    for (std::size_t i = 0; i < results.size(); ++i) {
      const Value mapped = map.find(results[i]);
      MLGC_ASSERT(mapped.valid() && mapped.type() == call.result(i).type(), "inlining changes the type of a result");
      call.result(i).replace_all_uses_with(mapped);
    }
    call.erase();
    ++context_.count("calls-inlined");
  }

  Module& module_;
  Context& ir_;
  const Options& options_;
  PassContext& context_;
  Opcode call_;
  std::int64_t copied_ = 0;
  std::unordered_map<OpId, State> states_;
};

// Takes every op of the row apart.
void dissolve(Module& module, std::string_view row, std::string_view rewrite, std::string_view counter,
              PassContext& context) {
  std::vector<OpRef> found;
  walk<WalkOrder::Post>(module, [&](OpRef op) {
    if (op.is(row)) found.push_back(op);
  });
  for (const OpRef op : found) {
    if (!context.may_rewrite(rewrite, op.location())) continue;
    dissolve_isolated(op);
    ++context.count(counter);
  }
}

PassResult run(Module& module, const Options& options, PassContext& context) {
  if (options.segments) dissolve(module, "segment", "dissolve-segment", "segments-dissolved", context);
  if (options.fusions) dissolve(module, "fusion", "dissolve-fusion", "fusions-dissolved", context);
  Inliner(module, options, context).run();
  return PassContext::changed_if(
      context.count("calls-inlined") + context.count("segments-dissolved") + context.count("fusions-dissolved") > 0);
}

}  // namespace

constexpr PassDef kInlinePass{
    .name = "inline",
    .summary = "Puts the bodies of functions in the place of their calls.",
    .description =
        "The callee's symbolic sizes become the caller's. Copied ops have locations that name the call. "
        "Functions stay, called or not. With `segments=true` what `partition` formed is taken apart again, "
        "with `fusions=true` what `fuse` formed; each has constants of its own, which `cse` merges.",
    .options = kOptions,
    .counters = kCounters,
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
    .body = pass_body<Options, run>(),
};

}  // namespace mlgc
