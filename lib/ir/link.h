// Copies the symbols of one module into another one of the same context: functions, weights, states.
//
// Guarantees
//   - References between the copied symbols follow their new names; references to symbols that `name_of` left out
//     refer to the symbol of the name that it gave.
//   - Neither module changes otherwise. Linear in `from`.
#pragma once

#include <functional>
#include <string>

#include "ir/module.h"

namespace mlgc {

struct LinkedSymbol {
  std::string name;     // in the target, without @
  bool shared = false;  // the target has it already: nothing is copied
};

// Precondition: the names of what is copied are free in `into` and differ from each other.
void link_module(const Module& from, Module& into, const std::function<LinkedSymbol(OpRef)>& name_of);

}  // namespace mlgc
