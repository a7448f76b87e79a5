// What traits are called in the reference and in rules.
#pragma once

#include <array>
#include <string_view>

#include "ir/op_def.h"

namespace mlgc {

struct TraitName {
  Traits trait;
  std::string_view name;
};
inline constexpr std::array kTraitNames{
    TraitName{Traits::Commutative, "commutative"},
    TraitName{Traits::Idempotent, "idempotent"},
    TraitName{Traits::Involution, "involution"},
    TraitName{Traits::Associative, "associative"},
    TraitName{Traits::Elementwise, "elementwise"},
    TraitName{Traits::Movement, "movement"},
    TraitName{Traits::Terminator, "terminator"},
    TraitName{Traits::IsolatedRegion, "isolated"},
    TraitName{Traits::CapturesRegion, "captures values"},
    TraitName{Traits::Symbol, "symbol"},
    TraitName{Traits::TopLevelOnly, "top level"},
    TraitName{Traits::Constant, "constant"},
    TraitName{Traits::Random, "random"},
    TraitName{Traits::Loop, "loop"},
    TraitName{Traits::BindsSize, "binds a size"},
};

// Of one trait. Empty for None and for several.
[[nodiscard]] constexpr std::string_view trait_name(Traits trait) {
  for (const TraitName& row : kTraitNames)
    if (row.trait == trait) return row.name;
  return "";
}

}  // namespace mlgc
