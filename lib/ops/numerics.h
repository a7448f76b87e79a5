// How much a change may alter numbers: the classes of rewrites, and the modes of --numerics that admit them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace mlgc {

// What the results may differ in, each class including those before it.
enum class NumericsClass : std::uint8_t {
  Exact,        // nothing: bit-equal for every input
  SignedZero,   // the sign of a zero
  NanOrInf,     // results where an operand is NaN or infinite
  Reassociate,  // rounding, from another order of additions or multiplications, or one fewer
  Approximate,  // rounding, from another function or fewer steps
  Unequal,      // anything: they are meant to differ. A change of the model, made only where it is asked for by name
};
inline constexpr std::array<std::string_view, 6> kNumericsClassNames{"exact",       "signed_zero", "nan_or_inf",
                                                                     "reassociate", "approximate", "unequal"};
[[nodiscard]] constexpr std::string_view numerics_class_name(NumericsClass c) {
  return kNumericsClassNames[static_cast<std::size_t>(c)];
}

enum class Numerics : std::uint8_t { Exact, LikeEager, Fast };
inline constexpr std::array<std::string_view, 3> kNumericsNames{"exact", "like-eager", "fast"};
[[nodiscard]] constexpr std::string_view numerics_name(Numerics n) {
  return kNumericsNames[static_cast<std::size_t>(n)];
}
[[nodiscard]] constexpr std::optional<Numerics> parse_numerics(std::string_view name) {
  for (std::size_t i = 0; i < kNumericsNames.size(); ++i)
    if (kNumericsNames[i] == name) return static_cast<Numerics>(i);
  return std::nullopt;
}

// Whether a rewrite of that class may be used anywhere. Under LikeEager `reassociate` is admitted inside one reduction
// or contraction only: such a rewrite says so (`inside_reduction`).
[[nodiscard]] constexpr bool admits(Numerics mode, NumericsClass c, bool inside_reduction = false) {
  if (c <= NumericsClass::SignedZero || c == NumericsClass::Unequal) return true;
  if (mode == Numerics::Fast) return true;
  return mode == Numerics::LikeEager && c == NumericsClass::Reassociate && inside_reduction;
}

}  // namespace mlgc
