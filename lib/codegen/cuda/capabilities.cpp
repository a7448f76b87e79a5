#include "codegen/cuda/capabilities.h"

#include <algorithm>
#include <charconv>
#include <string>

#include "diag/kinds_codegen.h"
#include "ir/walk.h"
#include "loopir/loop_ops.h"

namespace mlgc::codegen {
namespace {

constexpr int kMatrixUnit = 80;  // mma of 16-bit floats, and copies to shared memory that run beside a thread

// 75 of `sm_75`, 90 of `sm_90a`. Nothing: it is no number.
std::optional<int> capability_of(std::string_view arch) {
  const std::string_view digits = arch.substr(std::min(arch.size(), arch.find('_') + 1));
  int number = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return arch.find('_') == std::string_view::npos || read.ec != std::errc() ? std::nullopt : std::optional(number);
}

// The first one that names a place, of the op and all in it.
std::optional<Location> place_in(OpRef root) {
  const auto& locations = root.module().context().locations();
  std::optional<Location> found;
  walk(root, [&](OpRef op) {
    if (!locations.primary_position(op.location())) return WalkResult::Continue;
    found = op.location();
    return WalkResult::Stop;
  });
  return found;
}

}  // namespace

std::optional<Diagnostic> beyond_architecture(const Module& module, std::string_view arch) {
  const std::optional<int> capability = capability_of(arch);
  if (!capability || *capability >= kMatrixUnit) return std::nullopt;
  for (const OpRef function : module.body().ops()) {
    OpRef found;
    walk(function, [&](OpRef op) {
      const ForRef loop = ForRef::from(op);
      if (!loop.valid() || loop.kind() != LoopKind::Matrix) return WalkResult::Continue;
      found = op;
      return WalkResult::Stop;
    });
    if (!found.valid()) continue;
    // Loops that a schedule made have no place of their own.
    const Location place = place_in(found).value_or(place_in(function).value_or(found.location()));
    return diagnose<kArchLacks>(place, std::string(arch), "a matrix unit for 16-bit floats",
                                "sm_" + std::to_string(kMatrixUnit));
  }
  return std::nullopt;
}

}  // namespace mlgc::codegen
