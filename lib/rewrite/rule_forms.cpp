// See rule_forms.h.
#include "rewrite/rule_forms.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace mlgc {

namespace {

// The form without an optional op, given one of its first operand.
RulePattern without(const RulePattern& op, RulePattern first) {
  first.absences.push_back({op.slot, std::nullopt});
  for (const RulePattern& operand : op.operands)
    if (operand.otherwise) first.absences.push_back({operand.slot, operand.otherwise});
  return first;
}

// Appends them; false when there are more than `most`.
bool all_forms(const Context& context, const RulePattern& pattern, std::size_t most, std::vector<RulePattern>& out) {
  if (pattern.form != RulePattern::Form::Op) {
    out.push_back(pattern);
    return true;
  }
  std::vector<RulePattern> absent;
  std::vector<std::vector<RulePattern>> lists{{}};  // operands so far
  for (const RulePattern& operand : pattern.operands) {
    std::vector<RulePattern> forms;
    if (!all_forms(context, operand, most, forms)) return false;
    if (pattern.optional && &operand == pattern.operands.data())
      for (const RulePattern& form : forms) absent.push_back(without(pattern, form));
    std::vector<std::vector<RulePattern>> next;
    for (const auto& list : lists)
      for (const RulePattern& form : forms) {
        next.push_back(list);
        next.back().push_back(form);
      }
    if (next.size() > most) return false;
    lists = std::move(next);
  }
  const bool commutative =
      !pattern.as_written && !pattern.chain && pattern.operands.size() == 2 && !pattern.opcodes.empty() &&
      std::all_of(pattern.opcodes.begin(), pattern.opcodes.end(),
                  [&](Opcode opcode) { return has(context.def(opcode).traits, Traits::Commutative); });
  // Two equal values need no swapping.
  const bool symmetric = commutative && pattern.operands[0].form == RulePattern::Form::Value &&
                         pattern.operands[1].form == RulePattern::Form::Value &&
                         pattern.operands[0].slot == pattern.operands[1].slot;
  for (auto& list : lists) {
    RulePattern form = pattern;
    form.operands = list;
    out.push_back(form);
    if (commutative && !symmetric) {
      std::swap(form.operands[0], form.operands[1]);
      out.push_back(std::move(form));
    }
    if (out.size() > most) return false;
  }
  // The op is looked for before what may stand alone.
  out.insert(out.end(), std::make_move_iterator(absent.begin()), std::make_move_iterator(absent.end()));
  return out.size() <= most;
}

}  // namespace

std::optional<std::vector<RulePattern>> rule_forms(const Context& context, const RulePattern& pattern) {
  std::vector<RulePattern> out;
  if (!all_forms(context, pattern, kMaxRuleForms, out)) return std::nullopt;
  return out;
}

}  // namespace mlgc
