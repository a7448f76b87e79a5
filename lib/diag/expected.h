// Checking diagnostics against what the text itself says it expects (--verify-diagnostics).
//
// In a `//` comment of the text:
//     // expected-error {{undefined value `%y`}}        an error on this line with exactly this message
//     // expected-warning@+1 {{…}}   expected-note@-2 {{…}}   on a line that far below or above
//     // expected-error@unknown {{…}}                   one without a position
//     // expected-error [undefined-value] {{…}}         also states the id of the kind
// The message is compared as a whole. Every error, warning and note must be expected and every expectation met, each
// once; only remedies (which belong to the kind) may be left out.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "diag/diagnostic.h"

namespace mlgc {

// What does not match, as diagnostics of the kinds unexpected-diagnostic, missing-diagnostic and bad-expectation, in
// order of position. Empty when all is as expected. `got` is what DiagnosticEngine::sorted() gave.
[[nodiscard]] std::vector<Diagnostic> check_expected(const SourceFile& file, std::span<const Diagnostic> got,
                                                     const LocationTable& locations);

}  // namespace mlgc
