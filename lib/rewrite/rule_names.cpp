// See rule_names.h.
#include "rewrite/rule_names.h"

#include <algorithm>

#include "support/result.h"

namespace mlgc {

std::uint16_t RuleNames::bind(std::string_view name, RuleName::Role role, TermKind kind) {
  names_.push_back({std::string(name), role, kind});
  return static_cast<std::uint16_t>(names_.size() - 1);
}

std::uint16_t RuleNames::bind_op(std::string_view label, const std::vector<Opcode>& opcodes) {
  const std::uint16_t slot = bind(label, RuleName::Role::Op, TermKind::Value);
  ops_.emplace_back(slot, opcodes);
  return slot;
}

std::uint16_t RuleNames::find(std::string_view name) const {
  for (std::size_t i = 0; i < names_.size(); ++i)
    if (names_[i].name == name) return static_cast<std::uint16_t>(i);
  return kNoSlot;
}

const std::vector<Opcode>& RuleNames::opcodes_of(std::uint16_t slot) const {
  for (const auto& [number, opcodes] : ops_)
    if (number == slot) return opcodes;
  throw InternalError("a slot of an op without opcodes");
}

bool RuleNames::is_optional(std::uint16_t slot) const {
  return std::find(optional_ops_.begin(), optional_ops_.end(), slot) != optional_ops_.end();
}

bool surely_there(RuleCursor& in, const RuleNames& names, std::uint16_t slot, const text::Token& name) {
  if (!names.is_optional(slot)) return true;
  return in.error<kRuleOptional>(name, "`" + names[slot].name + "` would be no op to make again");
}

}  // namespace mlgc
