// What `mlgc grad --explain` says of values that are saved for backward and of ops that are recomputed, as text and as
// JSON. The same report gives the same bytes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "diag/location.h"
#include "rematerialize/candidates.h"

namespace mlgc {

struct RecomputeReport {
  struct Choice {
    RecomputeCandidate candidate;
    std::int64_t kept = 0;             // bytes
    std::optional<std::int64_t> peak;  // bytes; nothing: it was not planned
    // Of one that was not planned because of it: no plan takes less, and this is more than the limit.
    std::optional<std::int64_t> least = std::nullopt;
  };
  struct Row {
    std::string value, op;
    std::int64_t bytes = 0;
    std::string reason;
    Location at;
  };
  std::string function;
  std::map<std::string, std::int64_t, std::less<>> sizes;
  std::optional<std::int64_t> limit;
  std::vector<Choice> choices;  // the cheapest first
  std::size_t chosen = 0;
  double everything_kept = 0;  // the cost of computing nothing again
  std::vector<Row> kept;       // in program order
  std::vector<Row> recomputed;
};

// `fast`, `all, 4 segments`.
[[nodiscard]] std::string choice_text(const RecomputeChoice& choice);
// Why a value is saved; empty where nothing is recomputed.
[[nodiscard]] std::string kept_reason_text(Value value, KeptReason reason, const RecomputeChoice& choice);
// `B = 64, S = 128`.
[[nodiscard]] std::string sizes_text(const std::map<std::string, std::int64_t, std::less<>>& sizes);

[[nodiscard]] std::string render_text(const RecomputeReport& report, const LocationTable& locations);
// One object, "version": 1.
[[nodiscard]] std::string render_json(const RecomputeReport& report, const LocationTable& locations);

}  // namespace mlgc
