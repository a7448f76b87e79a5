// Passes with one mistake each. A fault counts each of its wrong rewrites under a name that starts with `wrong-`, and
// claims for it the numerics class that its author would have claimed; what it does right it counts as the right pass
// does. So a test can say whether a fault was found, and whether the blame fell on a wrong rewrite.
//
// Each pass is called `fault-…`; its summary says what is wrong.
#pragma once

#include <span>
#include <vector>

#include "pass/pass.h"

namespace mlgc::test {

// All of them.
[[nodiscard]] std::span<const PassDef* const> faulty_passes();

// By kind.
[[nodiscard]] std::span<const PassDef> rule_faults();
[[nodiscard]] std::span<const PassDef> movement_rule_faults();
[[nodiscard]] std::span<const PassDef> pass_faults();
[[nodiscard]] std::span<const PassDef> attribute_faults();

}  // namespace mlgc::test
