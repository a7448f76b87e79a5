// Which op of one module is which op of another: the matching that `mlgc diff` reports by.
//
// Guarantees
//   - Functions, weights and states are matched by name, those that are left by structure alone. Arguments of functions
//     are matched by name, then by type; those of other regions by number.
//   - Names of values only choose among ops that are alike otherwise.
//   - Ops are matched inside of matched items, by hashes that know more and more pairs: first by what computes them and
//     by what reads them, then by their neighbours (as Weisfeiler and Leman colour a graph); each time first with
//     attributes and types, then with attributes, then by opcode alone. What is left and has another opcode is matched
//     where it takes the place of the other: all that read it are pairs, and it reads something that the other reads,
//     or neither reads anything.
//   - Regions that are called at once are looked through, so that ops which become one kernel stay what they are; so
//   are
//     the first two operands of commutative ops, whichever comes first.
//   - N log N in the ops and their operands.
//
// Matching trees and graphs by hashes from above and below is older: Chawathe et al., "Change Detection in
// Hierarchically Structured Information", 1996; Falleri et al., "Fine-grained and Accurate Source Code Differencing",
// 2014.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "ir/module.h"

namespace mlgc {

// What a value is where regions that are called at once, with their operands as arguments (`fusion`, `segment`), are
// looked through: an argument is the operand, a result what is yielded for it.
[[nodiscard]] Value seen_through(Value value);

class ModuleMatching {
 public:
  // Both must be of one context, must not change, and must outlive the matching.
  ModuleMatching(const Module& before, const Module& after);

  // Of either module; an invalid handle where there is none in the other.
  [[nodiscard]] OpRef partner(OpRef op) const;
  [[nodiscard]] Value partner(Value value) const;

 private:
  friend class OpMatcher;
  // One module. Ops are numbered in program order.
  struct Side {
    const Module* module = nullptr;
    std::vector<OpId> partner;  // by id
    std::unordered_map<ValueId, ValueId> arguments;
  };
  [[nodiscard]] const Side& side(const Module& module) const { return &module == before_.module ? before_ : after_; }
  void pair(OpRef before, OpRef after);
  void pair_items();
  void pair_arguments(OpRef before, OpRef after);

  Side before_, after_;
};

}  // namespace mlgc
