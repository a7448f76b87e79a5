// Which rules can match an op: one tree for each op that is a root, over what defines its operands.
//
// Guarantees
//   - Sound: a rule that matches is among the candidates, in the order in which the rules were given. A candidate may
//     still fail to match.
//   - The time of one question depends on the depth of the patterns and the logarithm of the number of cases, not on
//     the number of rules: rules that ask for other ops or other numbers near the root are never looked at.
//
// Source: matching by decision trees, L. Maranget, "Compiling pattern matching to good decision trees", ML 2008; the
// columns here are the operands below a root, tested in the order in which the first rule left asks for them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ir/module.h"
#include "rewrite/rule_text.h"

namespace mlgc {

class DecisionTree {
 public:
  struct Candidate {
    std::uint16_t rule = 0, form = 0;
    friend bool operator==(const Candidate&, const Candidate&) = default;
  };
  struct Entry {
    const RulePattern* form = nullptr;  // null: nothing is asked below the root
    Candidate candidate;
  };

  DecisionTree() = default;  // without candidates
  DecisionTree(const Context& context, Opcode root, std::span<const Entry> entries);

  // Precondition: the op has the root's opcode.
  [[nodiscard]] std::span<const Candidate> candidates(OpRef root) const;
  [[nodiscard]] bool empty() const { return nodes_.empty(); }

 private:
  enum class Test : std::uint8_t { None, Op, Number };
  // The operands that lead from the root down: at most 255 long.
  using Path = std::vector<std::uint8_t>;
  struct Node {
    Test test = Test::None;
    std::uint32_t path = 0;
    std::uint32_t begin = 0, end = 0;  // of cases_, or of candidates_ in a leaf
    std::uint32_t other = 0;           // when no case fits
  };
  struct Case {
    std::uint64_t key;  // an opcode, or the bits of a double
    std::uint32_t node;
  };
  friend struct DecisionTreeBuilder;

  std::vector<Node> nodes_;
  std::vector<Case> cases_;  // of one node sorted by key
  std::vector<Candidate> candidates_;
  std::vector<Path> paths_;
};

}  // namespace mlgc
