// What a function asks of the elements of its arguments: integers that index something lie within it, divisors are not
// zero, and roots and logarithms are taken of what is positive.
//
// Derived from the ground formulas of the ops, for known sizes; no list of ops. An integer that stands in a subscript
// must keep it within the tensor (out of range is an error of the program); a divisor must not be 0; what a formula
// takes the root or logarithm of (batch_norm's variance) should not be negative, which is a wish: the program runs
// without it and computes NaN. Demands flow from where they arise back through ops that move or cast elements, through
// regions and calls. What flows through other arithmetic is not followed: who draws tries again with smaller numbers.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "interp/evaluate_formula.h"
#include "ir/function.h"

namespace mlgc {

struct ValueRange {
  std::int64_t low = std::numeric_limits<std::int64_t>::min();
  std::int64_t high = std::numeric_limits<std::int64_t>::max();  // included; below low: nothing fits
  bool not_negative = false;                                     // wish for floats
  // Both must hold. Where nothing would satisfy both, the second is dropped.
  void meet(const ValueRange& other);
  [[nodiscard]] bool any() const {
    return low == std::numeric_limits<std::int64_t>::min() && high == std::numeric_limits<std::int64_t>::max() &&
           !not_negative;
  }
  friend bool operator==(const ValueRange&, const ValueRange&) = default;
};

struct FunctionRanges {
  std::vector<ValueRange> arguments;
  std::map<std::string, ValueRange, std::less<>> symbols;  // weights and states that the function reads, without @
};

// `sizes` has a value for every symbol in the types of the arguments. Linear in the ops of the function and of what it
// calls; calls deeper than 16 levels and those beyond a million ops are not looked into.
[[nodiscard]] FunctionRanges value_ranges(const FuncRef& function, const SymbolValues& sizes);

}  // namespace mlgc
