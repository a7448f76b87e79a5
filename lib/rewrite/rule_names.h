// The names of the rule being read: what each stands for, by slot, and which ops of the left side may be absent.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "rewrite/rule_cursor.h"
#include "rewrite/rule_text.h"

namespace mlgc {

class RuleNames {
 public:
  std::uint16_t bind(std::string_view name, RuleName::Role role, TermKind kind);
  // Binds a label, empty for none, to an op of the left side that may be one of `opcodes`: one at least.
  std::uint16_t bind_op(std::string_view label, const std::vector<Opcode>& opcodes);
  [[nodiscard]] std::uint16_t find(std::string_view name) const;  // kNoSlot: not bound
  [[nodiscard]] const RuleName& operator[](std::uint16_t slot) const { return names_[slot]; }
  [[nodiscard]] const std::vector<RuleName>& all() const { return names_; }
  // Precondition: the slot is one of an op.
  [[nodiscard]] const std::vector<Opcode>& opcodes_of(std::uint16_t slot) const;

  void set_optional(std::uint16_t op) { optional_ops_.push_back(op); }
  [[nodiscard]] bool is_optional(std::uint16_t slot) const;

  // An op with `*`: attributes that are not named are those of the replacement's `*`.
  void set_rest(std::uint16_t op) {
    several_rests_ = several_rests_ || rest_ != kNoSlot;
    rest_ = op;
  }
  [[nodiscard]] std::uint16_t rest() const { return rest_; }  // kNoSlot: no op has it
  [[nodiscard]] bool several_rests() const { return several_rests_; }

 private:
  std::vector<RuleName> names_;
  std::vector<std::pair<std::uint16_t, std::vector<Opcode>>> ops_;
  std::vector<std::uint16_t> optional_ops_;
  std::uint16_t rest_ = kNoSlot;
  bool several_rests_ = false;
};

// Reports a label of an optional op in a place that needs the op, and answers false.
bool surely_there(RuleCursor& in, const RuleNames& names, std::uint16_t slot, const text::Token& name);

}  // namespace mlgc
