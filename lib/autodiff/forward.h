// Forward mode over the ops of a region: beside each value that depends on one of those differentiated stands its
// tangent, the derivative along a given direction.
//
// An op with a formula passes tangents on by the tangent of that formula (formula/tangent.h), after the op itself;
// `if` and `scan` become ops that yield and carry tangents too. A tangent that is zero has no value, as in reverse
// mode.
#pragma once

#include <unordered_map>
#include <vector>

#include "autodiff/gradient_rules.h"
#include "autodiff/reverse.h"
#include "diag/diagnostic.h"
#include "ir/module.h"

namespace mlgc {

class Forward {
 public:
  // `varies` knows what depends on the values that have tangents (Reverse::spread). All must outlive this.
  Forward(GradientRules& rules, const Reverse& varies, std::vector<Diagnostic>& errors)
      : rules_(&rules), varies_(&varies), errors_(&errors) {}

  // `tangent` has the type of the value.
  void set(Value of, Value tangent) { tangents_[of.id()] = tangent; }
  // An invalid value when it is zero.
  [[nodiscard]] Value tangent(Value of) const;
  // Goes through the ops of a region. An op without a derivative is an error; the rest is done all the same.
  void run(RegionRef region);

 private:
  void formula(OpRef op);
  void choice(OpRef op);
  void scan(OpRef op);

  GradientRules* rules_;
  const Reverse* varies_;
  std::vector<Diagnostic>* errors_;
  std::unordered_map<ValueId, Value> tangents_;
};

}  // namespace mlgc
