// The levels of optimisation.
#include "transforms/pipelines.h"

#include <algorithm>
#include <array>

namespace mlgc {

namespace {

// Callees are inlined first, so that all others see what callers pass. Rules that look for whole idioms want canonical
// forms, and masks that are not folded yet: views are composed and `canonicalize` runs before them, the rest of the
// first round after them. Then a second round, and no more: rules make
// it made of the samples and the imported models of the tests changes nothing; a program for which it does is not
// wrong, and can run -O2 again. Views are composed after the rules, which leave fewer of them. Weights are derived when
// no rule will leave arithmetic on them any more; the reads that this leaves merge in cse; dce comes last and takes
// removes weights without uses as well.
constexpr std::array kPipelines{
    NamedPipeline{"O0", "Nothing but parsing and verification.", ""},
    NamedPipeline{"O1", "Cheap passes that only shrink the program: one round of rules, constants, equal and dead ops.",
                  "canonicalize,constant-fold,cse,dce"},
    NamedPipeline{"O2", "Everything that changes no rounding beyond --numerics, in two rounds.",
                  "inline,compose-views,canonicalize,apply-rules{file=recover-attention,fold-batch-norm},"
                  "constant-fold,simplify-shapes,compose-views,simplify-control-flow,loop-invariant-code-motion,cse,"
                  "transposed-convolutions,few-channel-convolutions,contraction-order,canonicalize,constant-fold,"
                  "simplify-shapes,compose-views,"
                  "simplify-control-"
                  "flow,loop-invariant-code-motion,"
                  "derive-weights,cse,dce{dead-symbols=true}"},
};

// Kernels and host functions have no calls, so each level begins by inlining what -O2 has not.
constexpr std::array kLevels{
    NamedPipeline{"fused", "One `fusion` for each kernel.", "inline,fuse"},
    NamedPipeline{"scalar-loops",
                  "Kernels as loops over buffers as they are lowered, and host functions that launch them.",
                  "inline,fuse,lower-to-loops"},
    NamedPipeline{"loops", "Scheduled kernels as loops over buffers, and host functions that launch them.",
                  "inline,fuse,lower-to-loops,layout,weight-panels,schedule"},
    NamedPipeline{"plan", "The same, with buffers that share memory, in the order in which launches are emitted.",
                  "inline,fuse,lower-to-loops,layout,weight-panels,schedule,plan"},
    NamedPipeline{"gpu-loops", "The same, scheduled for a GPU: lanes are threads, and rows blocks of them.",
                  "inline,fuse{factors-in-memory=true "
                  "tile-bytes=0},lower-to-loops{device=gpu},layout{device=gpu},schedule{device=gpu}"},
};

}  // namespace

std::span<const NamedPipeline> named_pipelines() { return kPipelines; }
std::span<const NamedPipeline> level_pipelines() { return kLevels; }

const NamedPipeline* find_pipeline(std::string_view name) {
  const auto at =
      std::find_if(kPipelines.begin(), kPipelines.end(), [&](const NamedPipeline& p) { return p.name == name; });
  return at == kPipelines.end() ? nullptr : &*at;
}

}  // namespace mlgc
