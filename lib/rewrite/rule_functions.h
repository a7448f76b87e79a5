// The functions that conditions and attribute expressions of rules may call: rows, so that the reference lists them.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>

#include "ir/module.h"
#include "rewrite/rule_text.h"

namespace mlgc {

// A value of a term: `data` for all kinds but Value.
struct TermValue {
  AttrValue data = false;
  Value value;  // invalid for an optional operand that is absent
};

class RuleFunctionContext {
 public:
  RuleFunctionContext(Context& context, const Facts& facts) : context_(&context), facts_(&facts) {}
  [[nodiscard]] Context& context() const { return *context_; }
  [[nodiscard]] IndexPool& index() const { return context_->index(); }
  [[nodiscard]] const Facts& facts() const { return *facts_; }

 private:
  Context* context_;
  const Facts* facts_;
};

struct RuleFunction {
  std::string_view name;
  std::array<TermKind, 3> parameters{};
  std::size_t parameter_count = 0;
  bool variadic = false;  // any number of arguments of the kind of the last parameter, one at least
  TermKind result = TermKind::Bool;
  std::string_view doc;
  // Nothing: it has no answer for these arguments (a symbolic size, an axis that is not there); a condition that has no
  // answer does not hold.
  std::optional<AttrValue> (*call)(const RuleFunctionContext&, std::span<const TermValue>) = nullptr;
};

[[nodiscard]] std::span<const RuleFunction> rule_functions();
// Null when there is no such function.
[[nodiscard]] const RuleFunction* find_rule_function(std::string_view name);

// Numbers as terms compute with them: whole numbers stay exact.
[[nodiscard]] std::optional<double> as_double(const IndexPool& index, const AttrValue& value);

// The number that all elements of an operand are: of a constant, or of the attribute that stands for it. Whole where
// the elements are.
[[nodiscard]] std::optional<AttrValue> operand_number(Context& context, OpRef op, std::size_t operand);

}  // namespace mlgc
