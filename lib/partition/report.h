// A partition as a report: for people, aligned, and for programs.
//
// Every segment with its ops and what crosses its boundary in bytes, every op outside with the reason, every pair of
// segments that stays apart with what lies between them. Sizes that are symbols stay expressions.
#pragma once

#include <string>

#include "partition/partitioning.h"

namespace mlgc {

// The partitioning must have been made with `explain`.
[[nodiscard]] std::string partition_text(const Module& module, const Registry& registry,
                                         const Partitioning& partitioning, const Dependences& dependences, bool color);

inline constexpr int kPartitionJsonVersion = 1;
// docs/partition.md describes the members.
[[nodiscard]] std::string partition_json(const Module& module, const Registry& registry,
                                         const Partitioning& partitioning, const Dependences& dependences);

}  // namespace mlgc
