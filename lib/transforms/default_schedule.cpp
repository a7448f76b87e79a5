// schedule: the default schedule of every kernel. What it is, says schedule/default_schedule.h.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "diag/kinds_decisions.h"
#include "diag/kinds_pass.h"
#include "diag/kinds_schedule.h"
#include "diag/kinds_text.h"
#include "diag/suggest.h"
#include "ir/function.h"
#include "ir/walk.h"
#include "loopir/functions.h"
#include "loopir/loop_ops.h"
#include "loopir/module_machine.h"
#include "schedule/decisions.h"
#include "schedule/default_schedule.h"
#include "schedule/schedule_kernel.h"
#include "schedule/step_taker.h"
#include "schedule/strategy.h"
#include "schedule/stream_results.h"
#include "schedule/transform_review.h"
#include "transforms/passes.h"

namespace mlgc {

namespace {

constexpr std::array kDefaultScheduleCounters{
    PassCounter{"kernels", "loop functions with a nest that was changed"},
    PassCounter{"collapsed", "loops that became one with the loop around them"},
    PassCounter{"tiled", "loops that became loops over tiles"},
    PassCounter{"staged", "loads whose tiles are copied to scratch first"},
    PassCounter{"vectorized", "loops that run as vectors"},
    PassCounter{"unroll-and-jam", "loops whose iterations became copies in the inner loops"},
    PassCounter{"unrolled", "loops whose iterations were written out"},
    PassCounter{"narrowed", "loops whose sums are carried in f32 instead of f64"},
    PassCounter{"parallel", "nests that run on several threads"},
    PassCounter{"streamed", "stores of large results past the caches"},
    PassCounter{"serial", "innermost loops that stay as they are; each notes why"},
    PassCounter{"refused", "transforms that the verifier refused and that were undone; the function notes them"},
    PassCounter{"split", "loops that became pieces in which guards come out alike"},
    PassCounter{"decided", "loop functions with a strategy that was asked for, or kept away"},
    PassCounter{"fused", "contractions that add each product before it is rounded (FMA)"},
};

// What was undone stands in the text.
void note_refusals(OpRef func, const schedule::TransformReview& review) {
  Context& context = func.module().context();
  std::vector<StringId> texts;
  for (const auto& refusal : review.refusals()) texts.push_back(context.strings().intern(refusal.text));
  if (!texts.empty()) func.set_attr("schedule.refused", context.attributes().string_list(texts));
}

struct DefaultScheduleOptions {
  std::string device = "cpu", strategy, function, decisions;
};
MachineKind kind_of(const DefaultScheduleOptions& options) {
  return options.device == machine_kind_name(MachineKind::Gpu) ? MachineKind::Gpu : MachineKind::Cpu;
}
constexpr std::array kDefaultScheduleOptions{
    pass_option<&DefaultScheduleOptions::device>("device", "what runs it: cpu or gpu"),
    pass_option<&DefaultScheduleOptions::strategy>(
        "strategy", "asked first at its sites; it must apply in each function; empty: the default order"),
    pass_option<&DefaultScheduleOptions::function>("function", "the loop function that is scheduled; empty: all"),
    pass_option<&DefaultScheduleOptions::decisions>(
        "decisions", "a file of `mlgc tune`: what measurements chose for each kernel (docs/tuning.md)"),
};

// False after reporting.
bool find_options(const Module& module, const DefaultScheduleOptions& options, PassContext& context,
                  schedule::ScheduleRequest& request) {
  const MachineKind kind = kind_of(options);
  if (options.device != machine_kind_name(kind)) {
    reject_option(context, "device", "expected cpu or gpu, found `" + options.device + "`");
    return false;
  }
  if (auto machine = machine_for(module, default_machine(kind)); !machine) {
    context.diagnostics().emit(std::move(machine).error());
    return false;
  }
  if (!options.function.empty()) {
    const FuncRef func = find_function(module, options.function);
    if (!func.valid() || !is_loop_function(func.op())) {
      reject_option(context, "function", "there is no loop function `@" + options.function + "`");
      return false;
    }
  }
  if (options.strategy.empty()) return true;
  request.forced = schedule::find_strategy(kind, options.strategy);
  if (request.forced != nullptr) return true;
  std::vector<std::string_view> names;
  std::string list;
  for (const schedule::StrategyDef* row : schedule::strategies(kind)) {
    names.push_back(row->name);
    list += (list.empty() ? "" : ", ") + std::string(row->name);
  }
  Diagnostic diagnostic = diagnose<kBadPassOption>(
      {}, "strategy", context.pass().name,
      "there is no strategy `" + options.strategy + "` of a " + options.device + "; there are " + list);
  if (const auto best = closest_name(options.strategy, names)) diagnostic.add_note<kDidYouMean>({}, *best);
  context.diagnostics().emit(std::move(diagnostic));
  return false;
}

// False after reporting.
bool open_decisions(const Module& module, const DefaultScheduleOptions& options, PassContext& context,
                    std::optional<schedule::DecisionUse>& out) {
  if (options.decisions.empty()) return true;
  if (!options.strategy.empty() || !options.function.empty()) {
    reject_option(context, "decisions", "it goes with neither `strategy` nor `function`");
    return false;
  }
  out = schedule::DecisionUse::open(options.decisions, module, kind_of(options), context.diagnostics());
  return out.has_value();
}

// Of a function with nests that have no schedule, where a strategy that was asked for was taken nowhere.
void report_unforced(const FuncRef& function, Location nest, const std::string& loop,
                     const schedule::ScheduleRequest& request, PassContext& context) {
  const auto& refused = request.log->refused;
  const Location at = refused ? refused->at : nest;
  const std::string over = refused ? refused->loop : loop;
  const std::string reason = refused ? refused->reason : "no loop in it is a site of the strategy";
  context.diagnostics().emit(diagnose<kStrategyRefused>(at, request.forced->name, over, function.name(), reason));
}

PassResult run(Module& module, const DefaultScheduleOptions& options, PassContext& context) {
  schedule::ScheduleLog log;
  schedule::ScheduleRequest request;
  std::optional<schedule::DecisionUse> decisions;
  if (!find_options(module, options, context, request) || !open_decisions(module, options, context, decisions))
    return PassResult::Failed;
  if (request.forced != nullptr) request.log = &log;
  bool refused = false;
  const std::uint64_t before = context.gate().count();
  for (const FuncRef& function : functions(module)) {
    if (!is_loop_function(function.op()) || external_op(function.op()).valid()) continue;
    if (!options.function.empty() && function.name() != options.function) continue;
    const std::vector<OpRef> nests = schedule::loops_in(function.op().region(0));
    const auto plain = std::find_if(nests.begin(), nests.end(), [](OpRef nest) {
      return !schedule::is_scheduled(nest) && !schedule::AlongLoop{ForRef::from(nest)}.launches;
    });
    // The nest that is reported is gone then.
    const Location at = plain == nests.end() ? Location() : plain->location();
    const std::string loop = plain == nests.end() ? "" : std::string(ForRef::from(*plain).index().name());
    const std::uint64_t changes = context.gate().count();
    const schedule::KernelDecision* decision = nullptr;
    if (decisions) {
      decision = decisions->take(function.op());
      const schedule::StrategyChoice choice = decision != nullptr ? decision->choice : schedule::StrategyChoice();
      request = {.forced = choice.strategy,
                 .tile = choice.tile,
                 .without = choice.without,
                 .log = choice.strategy != nullptr ? &log : nullptr};
    }
    schedule::TransformReview review;
    const ScheduleCounts counts =
        schedule::schedule_kernel(function.op(), kind_of(options), context.numerics(), context.gate(), review, request);
    if (decision != nullptr && request.forced != nullptr && log.forced == 0) {
      const auto& why = log.refused;
      context.diagnostics().emit(diagnose<kDecisionRefused>(decision->at, request.forced->name, function.name(),
                                                            why ? why->reason : "no loop in it is a site of it"));
      return PassResult::Failed;
    }
    context.count("decided") += request.forced != nullptr || request.without != nullptr ? 1 : 0;
    if (!decisions && request.forced != nullptr && log.forced == 0 && plain != nests.end()) {
      report_unforced(function, at, loop, request, context);
      refused = true;
    }
    note_refusals(function.op(), review);
    context.count("refused") += review.refusals().size();
    context.count("kernels") += context.gate().count() > changes ? 1 : 0;
    context.count("collapsed") += counts.collapsed;
    context.count("tiled") += counts.tiled;
    context.count("staged") += counts.staged;
    context.count("vectorized") += counts.vectorized;
    context.count("unroll-and-jam") += counts.jammed;
    context.count("unrolled") += counts.unrolled;
    context.count("narrowed") += counts.narrowed;
    context.count("parallel") += counts.parallel;
    context.count("serial") += counts.serial;
    context.count("split") += counts.split;
    context.count("fused") += counts.fused;
  }
  if (refused || (decisions && !decisions->finish(context.diagnostics()))) return PassResult::Failed;
  if (kind_of(options) == MachineKind::Cpu) context.count("streamed") = stream_results(module, context.gate());
  return PassContext::changed_if(context.gate().count() > before);
}

}  // namespace

constexpr PassDef kSchedulePass{
    .name = "schedule",
    .summary = "Gives every kernel of a loop-level module a default schedule.",
    .description =
        "Collapses loops over contiguous elements, vectorises unit-stride loops, and parallelises rows and tiles. A "
        "loop that could be a vector loop and is none has the reason in `schedule.serial`. Lanes of sums are combined "
        "in their order, in f32 where --numerics admits it. Nests with vector loops stay as they are. For a GPU, "
        "`device=gpu`, iterations of parallel loops are threads, or blocks of threads where a loop inside has lanes. "
        "The loop at which a strategy was taken says which one in `schedule.strategy`; with `strategy`, that one is "
        "asked first where it matches, and a function in which it matches nowhere is an error with the reason. "
        "`decisions` names a strategy for single kernels, which are known by the hash of their loops.",
    .options = kDefaultScheduleOptions,
    .counters = kDefaultScheduleCounters,
    .needs = Stages::Loops | Stages::Plan,
    .example = {.before = R"mlir(func @f(%x: buffer<[B]x8xf32, argument>, %y: buffer<[B]x8xf32, argument>) {
  for [0, B] (%i: index) attributes {kind = "parallel"} {
    for [0, 8] (%j: index) attributes {kind = "parallel"} {
      %0 = load %x[%i, %j] : f32
      %1 = exp %0 : f32
      store %1, %y[%i, %j]
    }
  }
  return
})mlir",
                .after = R"mlir(func @f(%x: buffer<[B]x8xf32, argument>, %y: buffer<[B]x8xf32, argument>) {
  %y_flat = buffer_view %y : buffer<[8*B]xf32, argument>
  %x_flat = buffer_view %x : buffer<[8*B]xf32, argument>
  for [0, B ceildiv 512] (%i_j_o: index) attributes {kind = "parallel", schedule.strategy = "elementwise-lanes"} {
    for [4096*%i_j_o, min(4096*%i_j_o + 4096, 8*B)] (%i_j: index) attributes {kind = "vector", lanes = 64} {
      %0 = load %x_flat[%i_j] : f32
      %1 = exp %0 : f32
      store %1, %y_flat[%i_j]
    }
    yield
  }
  return
})mlir"},
    .body = pass_body<DefaultScheduleOptions, run>(),
};

}  // namespace mlgc
