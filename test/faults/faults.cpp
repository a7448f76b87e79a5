// The list of faults.
#include "faults/faults.h"

namespace mlgc::test {

std::span<const PassDef* const> faulty_passes() {
  static const std::vector<const PassDef*> all = [] {
    std::vector<const PassDef*> passes;
    for (const auto part : {rule_faults(), movement_rule_faults(), pass_faults(), attribute_faults()})
      for (const PassDef& pass : part) passes.push_back(&pass);
    return passes;
  }();
  return all;
}

}  // namespace mlgc::test
