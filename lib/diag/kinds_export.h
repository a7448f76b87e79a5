// What `mlgc export` reports. Each row is provoked by a test (scripts/check-diagnostics).
#pragma once

#include <array>

#include "diag/diagnostic.h"

namespace mlgc {

inline constexpr DiagKind kUnknownNotation{
    .id = "unknown-notation",
    .exit = ExitCode::BadUsage,
    .message = "unknown notation `{name:text}`",
    .remedy = "`mlgc export --help` lists them",
    .doc = "`mlgc export --to` names a notation that is in no row of its table.",
};
inline constexpr DiagKind kNotExpressible{
    .id = "not-expressible",
    .exit = ExitCode::Unsupported,
    .message = "`{notation:text}` has no form for {count:int} of the ops: {ops:list}",
    .doc = "The notation has no form for these ops; each is listed with the number of its uses and the reason.",
};
inline constexpr DiagKind kSizeWithoutInput{
    .id = "size-without-input",
    .exit = ExitCode::Unsupported,
    .message = "size `{size:text}` of `@{function:text}` cannot be written as `{notation:text}`: no input gives it",
    .doc = "An exported function computes its sizes from the shapes of its inputs.",
};
inline constexpr DiagKind kSymbolicSize{
    .id = "symbolic-size",
    .exit = ExitCode::Unsupported,
    .message =
        "size `{size:text}` of `@{function:text}` cannot be written as `{notation:text}`: its shapes are constants",
    .remedy = "give the size a value: `--dim={size}=8`",
    .doc = "A notation whose shapes are constants has no form for a function of any size.",
};
inline constexpr std::array kExportKinds{&kUnknownNotation, &kNotExpressible, &kSizeWithoutInput, &kSymbolicSize};

}  // namespace mlgc
