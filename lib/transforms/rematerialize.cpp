// rematerialize: backward recomputes what it reads of forward, as far as a choice says (lib/rematerialize).
#include "rematerialize/rematerialize.h"

#include <array>
#include <string>

#include "transforms/passes.h"

namespace mlgc {

namespace {

struct RematerializeOptions {
  std::string function;
  std::int64_t results = -1;
  std::string recompute = "fast";
  std::int64_t segments = 1;
};

constexpr std::array kRematerializeOptions{
    pass_option<&RematerializeOptions::function>("function", "the function with gradients"),
    pass_option<&RematerializeOptions::results>("results",
                                                "how many of its results, the first ones, are not gradients; -1: all"),
    pass_option<&RematerializeOptions::recompute>("recompute", kRecomputeHelp),
    pass_option<&RematerializeOptions::segments>("segments",
                                                 "parts of the forward computation that are recomputed one at a time"),
};
constexpr std::array kRematerializeCounters{
    PassCounter{"ops-recomputed", "ops that got a copy in backward"},
    PassCounter{"values-kept", "values that backward or a copy reads of forward"}};

PassResult run(Module& module, const RematerializeOptions& options, PassContext& context) {
  if (options.function.empty()) return PassResult::Unchanged;
  const FuncRef function = find_function(module, options.function);
  const auto refuse = [&](std::string_view name, const std::string& problem) {
    reject_option(context, name, problem);
    return PassResult::Failed;
  };
  if (!function.valid()) return refuse("function", "there is no function `@" + options.function + "`");
  const auto all = static_cast<std::int64_t>(function.result_count());
  const std::int64_t results = options.results == -1 ? all : options.results;
  if (results < 1 || results > all)
    return refuse("results", "`@" + options.function + "` has " + std::to_string(all) +
                                 ", and at least one of them is not a gradient");
  const std::optional<Recompute> what = find_recompute(options.recompute);
  if (!what) return refuse("recompute", "`" + options.recompute + "` is none of " + recompute_names());
  if (options.segments < 1) return refuse("segments", "there is at least one");
  if (!context.may_rewrite("rematerialize", function.op().location())) return PassResult::Unchanged;
  const ForwardPart part = forward_part(function, static_cast<std::size_t>(results));
  const Recomputed recomputed = choose_recomputed(part, {*what, static_cast<std::size_t>(options.segments)});
  const std::size_t copied = rematerialize(part, recomputed);
  context.count("ops-recomputed") = copied;
  context.count("values-kept") = recomputed.kept.size();
  return PassContext::changed_if(copied > 0);
}

}  // namespace

constexpr PassDef kRematerializePass{
    .name = "rematerialize",
    .summary = "Recomputes in backward what is cheaper to compute than to save, or what takes too much memory.",
    .description =
        "Which values are saved is a minimum cut. The first copy of a chain reads through an "
        "`optimization_barrier`, so that it is computed late. `mlgc grad --memory-limit` chooses among what this pass "
        "can do. Without `function` it does nothing.",
    .options = kRematerializeOptions,
    .counters = kRematerializeCounters,
    .needs = Stages::Graph,
    .example = {.before = R"(func @f(%x: tensor<4xf32>, %g: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %a = exp %x : tensor<4xf32>
  %y = sin %a : tensor<4xf32>
  %b = cos %a : tensor<4xf32>
  %c = mul %g, %b : tensor<4xf32>
  %d = mul %c, %a : tensor<4xf32>
  return %y, %d
})",
                .after = R"(func @f(%x: tensor<4xf32>, %g: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %a = exp %x : tensor<4xf32>
  %y = sin %a : tensor<4xf32>
  %0 = optimization_barrier %x, %y : tensor<4xf32>
  %a_1 = exp %0 : tensor<4xf32>
  %b = cos %a_1 : tensor<4xf32>
  %c = mul %g, %b : tensor<4xf32>
  %d = mul %c, %a_1 : tensor<4xf32>
  return %y, %d
})",
                .options = "function=f results=1"},
    .body = pass_body<RematerializeOptions, run>(),
};

}  // namespace mlgc
