// Fusion decisions as a report: for people, aligned, and for programs.
//
// Each region with its kernels (what is read and written, operations, arithmetic intensity), what they would cost op by
// op, every use of a result by another op with its verdict, and what fuses with what by name. Sizes that are symbols
// stay expressions; where a number is needed, they count as typical_size() says, and the report says what that was.
#pragma once

#include <string>

#include "fusion/decide_fusion.h"

namespace mlgc {

[[nodiscard]] std::string fusion_text(const Module& module, const FusionDecisions& decisions, bool color);

inline constexpr int kFusionJsonVersion = 1;
// docs/fusion.md describes the members.
[[nodiscard]] std::string fusion_json(const Module& module, const FusionDecisions& decisions);

}  // namespace mlgc
