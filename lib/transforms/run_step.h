// Private to lib/transforms: steps of a schedule as passes, each of which names a function and a loop in it.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <string_view>

#include "ir/function.h"
#include "pass/pass.h"
#include "schedule/loop_transforms.h"

namespace mlgc {

inline constexpr std::string_view kLoopHelp = "the name of the loop's index, without %";

// The options of a step: its place, members `function` and `loop`, then its own.
template <class Options, class... Own>
constexpr auto step_options(std::string_view loop_help, const Own&... own) {
  return std::array{pass_option<&Options::function>("function", "the loop function; empty: the only one"),
                    pass_option<&Options::loop>("loop", loop_help), own...};
}

// Of a step that has no others.
struct LoopOptions {
  std::string function, loop;
};
inline constexpr std::array kLoopOptions = step_options<LoopOptions>(kLoopHelp);

using Step = std::function<TransformResult(OpRef loop, const Facts& facts)>;

// Takes the step at the loop, where the numerics admit what it changes. A step that is refused is an error of the kind
// of its cause.
PassResult run_step(Module& module, const std::string& function, const std::string& index, PassContext& context,
                    const Step& step, const std::function<NumericsClass(OpRef)>& numerics = {});
template <class Options>
PassResult run_step(Module& module, const Options& options, PassContext& context, const Step& step,
                    const std::function<NumericsClass(OpRef)>& numerics = {}) {
  return run_step(module, options.function, options.loop, context, step, numerics);
}

}  // namespace mlgc
