// Private to lib/transforms: steps of a schedule as passes, each of which names a function and a loop in it.
#pragma once

#include <array>
#include <functional>
#include <string>

#include "ir/function.h"
#include "pass/pass.h"
#include "schedule/loop_transforms.h"

namespace mlgc {

struct LoopOptions {
  std::string function, loop;
};
inline constexpr std::array kLoopOptions{
    pass_option<&LoopOptions::function>("function", "the loop function; empty: the only one"),
    pass_option<&LoopOptions::loop>("loop", "the name of the loop's index, without %"),
};

using Step = std::function<TransformResult(OpRef loop, const Facts& facts)>;

// Takes the step at the loop, where the numerics admit what it changes. A step that is refused is an error of the kind
// of its cause.
PassResult run_step(Module& module, const std::string& function, const std::string& index, PassContext& context,
                    const Step& step, const std::function<NumericsClass(OpRef)>& numerics = {});

}  // namespace mlgc
