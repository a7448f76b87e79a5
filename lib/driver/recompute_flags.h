// `mlgc grad --memory-limit`, `--recompute` and `--explain`: which ops of the forward part are recomputed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "diag/diagnostic.h"
#include "driver/arguments.h"
#include "tuning/choose_recompute.h"

namespace mlgc {

struct RecomputeFlags {
  std::string recompute, limit_text;
  std::optional<std::int64_t> limit;  // bytes
  std::size_t segments = 1;
  bool explain = false;
  [[nodiscard]] bool given() const { return !recompute.empty() || limit || explain; }
};
void add_recompute_flags(Arguments& arguments, RecomputeFlags& flags);
// Reads what parse() leaves as text. What is wrong, if anything.
[[nodiscard]] std::optional<Diagnostic> read_recompute_flags(RecomputeFlags& flags);
[[nodiscard]] RecomputeOptions recompute_options(const RecomputeFlags& flags);

}  // namespace mlgc
