// What emission of source reports. Each row is provoked by a test (scripts/check-diagnostics).
#pragma once

#include <array>

#include "diag/diagnostic.h"

namespace mlgc {

inline constexpr DiagKind kCannotEmit{
    .id = "cannot-emit",
    .exit = ExitCode::Unsupported,
    .message = "source cannot be emitted for {what:text}",
    .doc = "The interpreter runs such loop text, but no source is printed for it: change the schedule.",
};

inline constexpr std::array kCodegenKinds{&kCannotEmit};

}  // namespace mlgc
