// Rewrite rules as values. A rule is a row: what it matches, what it may do to numbers, why applying it ends, and the
// function that applies it. Rules that come from text will be rows of the same kind, with a body that interprets them.
//
// Laws of a rule
//   - It looks at its root, at what defines the root's operands, and at attributes; nothing else.
//   - What replaces a value has the value's type.
//   - For every input the results differ at most in what its numerics class names.
//   - It keeps its promise of termination, which the driver checks each time it is applied.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "ir/module.h"
#include "ops/numerics.h"

namespace mlgc {

class Rewriter;

// Why rewriting ends. The measure is (ops that are not constants, depth of chains of ops, disorder), compared in that
// order: each rule makes it smaller.
enum class Termination : std::uint8_t {
  FewerOps,        // removes more ops than it makes, constants not counted
  ShorterChain,    // makes no more ops than it removes, and the new ones read values further up
  CanonicalOrder,  // makes and removes nothing; operands or attributes move to their canonical order
};
[[nodiscard]] std::string_view termination_text(Termination termination);

struct RewriteRule {
  std::string_view name;        // kebab-case, unique in its set
  std::string_view root = "";   // the op that it rewrites; empty: every op with `trait`
  Traits trait = Traits::None;  // asked of the root beside its name
  NumericsClass numerics = NumericsClass::Exact;
  bool inside_reduction = false;  // of class reassociate, within one reduction or contraction
  Termination termination = Termination::FewerOps;
  std::string_view doc;  // `x*1 is x`
  // Rewrites the root through the rewriter, or answers false and changes nothing.
  bool (*apply)(OpRef root, Rewriter& rewriter) = nullptr;
};

// Rules by the opcode of their root. Rules are tried in the order given; those of one op in that order too.
class RuleSet {
 public:
  // The rules must outlive the set. Rules for ops that the context's table does not have are left out.
  RuleSet(const Context& context, std::span<const RewriteRule> rules);

  [[nodiscard]] std::span<const std::uint16_t> rules_for(Opcode opcode) const {
    const std::size_t i = static_cast<std::size_t>(opcode);
    return std::span(lists_).subspan(starts_[i], starts_[i + 1] - starts_[i]);
  }
  [[nodiscard]] std::span<const RewriteRule> rules() const { return rules_; }

 private:
  std::span<const RewriteRule> rules_;
  std::vector<std::uint16_t> lists_;   // positions in rules_
  std::vector<std::uint32_t> starts_;  // by opcode
};

}  // namespace mlgc
