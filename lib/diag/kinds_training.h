// What losses and training steps report. Each row is provoked by a test (scripts/check-diagnostics).
#pragma once

#include <array>

#include "diag/diagnostic.h"

namespace mlgc {

inline constexpr DiagKind kUnknownLoss{
    .id = "unknown-loss",
    .exit = ExitCode::BadUsage,
    .message = "there is no loss `{name:text}`",
    .doc = "Losses are rows of a prediction and a target with a `reduction`, by their names; `_loss` may be left out.",
};
inline constexpr DiagKind kLossThere{
    .id = "loss-there",
    .exit = ExitCode::BadUsage,
    .message = "`@{function:text}` has a result `loss` already",
    .remedy = "leave --loss out, and take the result with --of=loss",
    .doc = "The result that a loss becomes is called `loss`, and names of results are unique.",
};
inline constexpr DiagKind kLossMisfit{
    .id = "loss-misfit",
    .message = "{loss:text} cannot be taken of result `{name:text}`, which is {type:text}: {reason:text}",
    .remedy = "take it of another result, with --of",
    .doc =
        "cross_entropy and nll want scores of classes: a tensor of rank 1 (the classes), or with the classes on axis "
        "1.",
};
inline constexpr DiagKind kLossOnProbabilities{
    .id = "loss-on-probabilities",
    .severity = Severity::Warning,
    .message = "{loss:text} wants {wanted:text}, and result `{name:text}` is what `{op:text}` gives, probabilities",
    .remedy =
        "take the loss of what `{op}` reads: leave `{op}` out of the model, or give that value back too and name "
        "it with --of",
    .doc = "Such a loss applies a softmax or sigmoid itself. Of probabilities it trains, slowly and to other weights.",
};
inline constexpr DiagKind kStepWithoutLoss{
    .id = "step-without-loss",
    .message = "result `{name:text}` is {type:text}, and a training step follows a scalar loss",
    .remedy = "attach a loss with --loss, or name a scalar result with --of",
    .doc = "A step follows the gradient of one number, so the function must return one.",
};
inline constexpr DiagKind kStepMode{
    .id = "step-mode",
    .exit = ExitCode::BadUsage,
    .message = "--mode={mode:text} with --step: a training step is one function, which uses its gradients up itself",
    .remedy = "leave --mode out; or leave --step out, and update the weights by the derivatives that come back",
    .doc =
        "A step computes gradients in reverse mode and new weights of them in one call; split and jvp make functions "
        "that give derivatives back.",
};
inline constexpr DiagKind kNothingToTrain{
    .id = "nothing-to-train",
    .message = "`@{function:text}` reads no float weight, so there is nothing to train",
    .remedy = "name what a step changes with --wrt: weights, or states that the function does not update",
    .doc = "Without --wrt a training step changes all float weights that the function reads.",
};
inline constexpr DiagKind kTrainsArgument{
    .id = "trains-argument",
    .exit = ExitCode::BadUsage,
    .message = "--wrt={name:text} is an argument, and a training step changes weights and states",
    .remedy = "write weights and states with an `@`; without --step there are gradients of arguments too",
    .doc = "What a step changes has to live in the model between calls.",
};
inline constexpr DiagKind kTrainsUpdated{
    .id = "trains-updated",
    .message = "--wrt=@{name:text}: `@{function:text}` updates it itself",
    .remedy = "leave it out: it is still updated, as before",
    .doc = "Statistics of a batch norm, for example, have new values already; a state cannot have two.",
};
inline constexpr DiagKind kTrainsDerived{
    .id = "trains-derived",
    .message = "the derived weight `@{derived:text}` is computed once, and would not follow `@{name:text}` in training",
    .remedy = "make the training step of the model as it was before `derive-weights` (-O2)",
    .doc = "Derived weights are computed when a model is loaded, from weights that stay as they are.",
};

inline constexpr std::array kTrainingKinds{
    &kUnknownLoss, &kLossThere,      &kLossMisfit,     &kLossOnProbabilities, &kStepWithoutLoss,
    &kStepMode,    &kNothingToTrain, &kTrainsArgument, &kTrainsUpdated,       &kTrainsDerived,
};

}  // namespace mlgc
