// What the lexer, the parser and the formatter report. Each row is provoked by a test (scripts/check-diagnostics).
#pragma once

#include <array>

#include "diag/diagnostic.h"

namespace mlgc {

inline constexpr DiagKind kDidYouMean{
    .id = "did-you-mean",
    .severity = Severity::Note,
    .message = "did you mean `{name:text}`?",
    .doc = "The nearest known name.",
};
inline constexpr std::array kTextKinds{&kDidYouMean};

}  // namespace mlgc
