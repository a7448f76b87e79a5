// Applies a set of rules as its phase says, in linear time.
//
// Guarantees
//   - Simplify: every op is tried once in program order; afterwards only what a rewrite has touched is tried again.
//     Applications are bounded by the rules' measure, not by a limit. Once: every op that was there is tried once, in
//     program order. Grow: from the last op to the first; what is in a region already is not tried.
//   - Ops that lose their last reader through a rewrite are removed when they have no effects and no regions.
//   - The result depends on the module and the rules only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "ir/builder.h"
#include "ir/module.h"
#include "ops/numerics.h"
#include "ops/rewrite_gate.h"
#include "rewrite/rule.h"

namespace mlgc {

// How a rule changes the module. New ops stand before the root and have its location, unless set_location() says
// another.
class Rewriter {
 public:
  [[nodiscard]] Module& module() const { return *module_; }
  [[nodiscard]] Context& context() const { return module_->context(); }

  // Precondition of the named form: the table has the op.
  Value create(std::string_view name, std::initializer_list<Value> operands, Type result, AttrDict attrs = {});
  Value create(Opcode opcode, std::span<const Value> operands, Type result, AttrDict attrs = {});
  // A dense constant; the attribute's type must be `type`.
  Value constant(Attribute value, Type type);
  // Every element is `value`, converted to the dtype of `type`.
  Value splat(double value, Type type);

  // Of ops made from now on for this root.
  void set_location(Location location) { location_ = location; }

  // The root's first result becomes `value`, the others are not read, and the root goes.
  void replace_first(Value value);
  // The root's results become `values`, and the root goes.
  void replace(Value value) { replace(std::span(&value, 1)); }
  void replace(std::span<const Value> values);
  // The ops of a region that has no arguments move before the root, except its terminator, whose operands replace the
  // root's results.
  void replace_by_region(RegionRef region);

 private:
  friend class RewriteDriver;
  Rewriter(Module& module, const RuleSet& rules) : module_(&module), rules_(&rules) {}
  void start(OpRef root);
  void touch(OpRef op);
  // Also users of users, as deep as the rules look.
  void touch_users(Value value);
  void release_operands(OpRef op);
  void remove_root();

  Module* module_;
  const RuleSet* rules_;
  OpRef root_;
  Location location_;
  std::vector<OpId> touched_;           // to be tried again
  std::vector<OpId> maybe_unread_;      // lost a reader
  std::size_t made_ = 0, removed_ = 0;  // ops that are not constants
};

struct RewriteReport {
  std::vector<std::uint64_t> hits;  // by position in the rule set
  std::uint64_t applied = 0;        // their sum
  std::uint64_t unread = 0;         // ops removed because they have no uses any more
};

// Rules whose class `mode` does not admit are not applied; an attribute `numerics` on an op around the root overrides
// the mode. Each application is one change for the gate, with what it leaves unread; without a gate all are permitted.
// With `barred`, it gets, by position in the rule set, the first op that a rule matches and that the mode does not
// let it rewrite; nothing elsewhere.
RewriteReport rewrite(Module& module, const RuleSet& rules, Numerics mode, RewriteGate* gate = nullptr,
                      std::vector<std::optional<Location>>* barred = nullptr);

// Whether the mode admits the rule anywhere: what rewrite() asks, without overriding attributes.
[[nodiscard]] bool admits(Numerics mode, const Rule& rule);

}  // namespace mlgc
