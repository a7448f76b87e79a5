// What the command line reports. Each row is provoked by a test (scripts/check-diagnostics).
#pragma once

#include <array>

#include "diag/diagnostic.h"

namespace mlgc {

inline constexpr DiagKind kUnexpectedDiagnostic{
    .id = "unexpected-diagnostic",
    .message = "unexpected {severity:text}: {message:text}",
    .doc = "Under --verify-diagnostics: something was reported that no comment expects.",
};
inline constexpr DiagKind kMissingDiagnostic{
    .id = "missing-diagnostic",
    .message = "expected {severity:text} was not reported: {message:text}",
    .doc = "Under --verify-diagnostics: a comment expects what was not reported.",
};
inline constexpr DiagKind kBadExpectation{
    .id = "bad-expectation",
    .message = "malformed expectation: {what:text}",
    .remedy = "write `expected-error {{{{message}}`, with `@+1`, `@-1` or `@unknown` after `error` for another line",
    .doc = "Under --verify-diagnostics: a comment looks like an expectation but is none.",
};

inline constexpr std::array kDriverKinds{&kUnexpectedDiagnostic, &kMissingDiagnostic, &kBadExpectation};

}  // namespace mlgc
