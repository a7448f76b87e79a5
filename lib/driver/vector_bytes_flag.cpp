// See vector_bytes_flag.h.
#include "driver/vector_bytes_flag.h"

#include "diag/kinds_driver.h"

namespace mlgc {

void add_vector_bytes_flag(Arguments& arguments, VectorBytes& flag, const std::string& help) {
  arguments.add_choice<std::optional<std::int32_t>>(
      "--vector-bytes", flag.given,
      {{"all", kAllVectors}, {"native", kNativeVectors}, {"16", 16}, {"32", 32}, {"64", 64}},
      help + " (default: " + (flag.fallback == kAllVectors ? "all" : "native") + ")");
}

std::optional<Diagnostic> check_vectors_here(const VectorBytes& flag, const std::string& command, std::int32_t widest) {
  if (flag.bytes() <= widest) return std::nullopt;
  return diagnose<kVectorsNotHere>({}, flag.bytes(), command, widest);
}

}  // namespace mlgc
