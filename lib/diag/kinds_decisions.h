// What reading and taking measured decisions reports (schedule/decisions.h). Each row is provoked by a test
// (scripts/check-diagnostics).
#pragma once

#include <array>

#include "diag/diagnostic.h"

namespace mlgc {

inline constexpr DiagKind kDecisionsFormat{
    .id = "decisions-format",
    .exit = ExitCode::Unsupported,
    .message = "version {found:int} of the format of decisions files is not known",
    .remedy = "this program reads version {known:int}; `mlgc tune` writes a new file",
    .doc = "The member `mlgc-decisions` of a decisions file states the version of its format.",
};
inline constexpr DiagKind kDecisionsVersion{
    .id = "decisions-version",
    .exit = ExitCode::Unsupported,
    .message = "the decisions were measured with mlgc {found:text}, and this is {version:text}",
    .remedy = "measure again with `mlgc tune`",
    .doc = "Kernels and strategies change from version to version, so decisions hold for the one that measured them.",
};
inline constexpr DiagKind kDecisionsMachine{
    .id = "decisions-machine",
    .exit = ExitCode::Unsupported,
    .message = "the decisions were measured for `{found:text}`, and kernels are made for `{machine:text}`",
    .remedy = "make them for that machine with --machine={found}, or measure again with `mlgc tune`",
    .doc = "Decisions hold for the machine that they were measured on.",
};
inline constexpr DiagKind kDecisionsValue{
    .id = "decisions-value",
    .message = "`{name:text}` {problem:text}",
    .remedy = "a decisions file is what `mlgc tune` writes; docs/tuning.md describes its members",
    .doc =
        "A member of a decisions file is missing, not known, given twice, or of another kind than its place asks for.",
};
inline constexpr DiagKind kDecisionsStale{
    .id = "decisions-stale",
    .severity = Severity::Warning,
    .message = "the decision on `{kernel:text}` is stale: the model has no kernel `{hash:text}` any more",
    .remedy = "measure again with `mlgc tune`; the other decisions are taken",
    .doc = "A kernel whose loops changed since it was measured has another hash; it is scheduled as without decisions.",
};
inline constexpr DiagKind kDecisionsOfOtherModel{
    .id = "decisions-of-other-model",
    .message = "none of the {count:int} decisions is on a kernel of this model",
    .remedy = "give the file that `mlgc tune` wrote for it, with the same passes and --numerics",
    .doc = "A decisions file of another model, or of this one after other passes.",
};
inline constexpr DiagKind kDecisionRefused{
    .id = "decision-refused",
    .message =
        "strategy `{strategy:text}`, which the decisions name for `@{kernel:text}`, does not apply: {reason:text}",
    .remedy = "measure again with `mlgc tune`",
    .doc = "A decision that was edited to a strategy that matches at no loop of the kernel.",
};

inline constexpr std::array kDecisionsKinds{&kDecisionsFormat, &kDecisionsVersion, &kDecisionsMachine,
                                            &kDecisionsValue,  &kDecisionsStale,   &kDecisionsOfOtherModel,
                                            &kDecisionRefused};

}  // namespace mlgc
