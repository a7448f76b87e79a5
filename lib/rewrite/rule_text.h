// What a rule file says, resolved against the op table: sets of rules, each a pattern, what replaces it, a condition.
// docs/rules.md describes the notation; parse_rules() (rule_parser.h) makes these values, apply_rule() (rule_apply.h)
// runs them.
//
// Guarantees of a parsed file
//   - Every name is bound, every op and attribute has a row, every expression has one kind.
//   - The left side's root is an op. Patterns have no more than kMaxRuleForms forms.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "formula/instantiate.h"
#include "ir/context.h"
#include "ops/numerics.h"

namespace mlgc {

struct RuleFunction;

inline constexpr std::size_t kMaxRuleForms = 256;
inline constexpr std::uint16_t kNoSlot = 0xFFFF;

enum class RulePhase : std::uint8_t {
  Simplify,  // applied until none applies; each application makes the module smaller in a fixed order
  Once,      // each op that was there at the start is rewritten at most once
  Grow,      // collects ops into regions, from the last op to the first; an op is in one region at most
};
[[nodiscard]] std::string_view rule_phase_name(RulePhase phase);

// Under --numerics=like-eager rounding may differ only within one reduction, and where weights are folded.
enum class RoundingScope : std::uint8_t { Anywhere, Reduction, Weights };

// What an expression of a condition or an attribute gives.
enum class TermKind : std::uint8_t { Bool, Number, List, Text, Dtype, Value };
[[nodiscard]] std::string_view term_kind_text(TermKind kind);

// An expression. Names are slots of the rule.
struct RuleTerm {
  enum class Form : std::uint8_t {
    Literal,
    Name,   // slot
    List,   // of operands, which are numbers
    Index,  // operands[0] is a list, operands[1] a number
    Call,   // function(operands)
    Not,
    And,
    Or,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Add,
    Subtract,
    Multiply,
    Divide,
    Negate,
  };
  Form form = Form::Literal;
  TermKind kind = TermKind::Bool;
  std::uint16_t slot = kNoSlot;
  AttrValue literal = false;
  const RuleFunction* function = nullptr;
  std::vector<RuleTerm> operands;
  Location at;
};

// `[dim0 = a]`, `[is_causal = false]`.
struct RuleAttribute {
  std::string name;
  std::uint16_t slot = kNoSlot;  // binds it; kNoSlot: it must equal `literal`
  AttrValue literal = false;
};

// What a name stands for where its optional op is not there: the op's label for the value in its place, a number for
// `number`.
struct RuleAbsence {
  std::uint16_t slot = kNoSlot;
  std::optional<AttrValue> number;
};

struct RulePattern {
  enum class Form : std::uint8_t {
    Value,     // any value
    Optional,  // any value, or none
    Literal,   // a number: a constant all of whose elements it is, or the attribute that stands for the operand
    Number,    // any such number
    Op,
  };
  Form form = Form::Value;
  std::uint16_t slot = kNoSlot;  // of the value, number or op
  double literal = 0;
  // Of an op: which. Several for alternatives and classes; with `same_as` the op in that slot says, attributes
  // included.
  std::vector<Opcode> opcodes;
  std::uint16_t same_as = kNoSlot;
  bool chain = false;       // one such op or more, each the only reader of the next
  bool optional = false;    // it, or what is its first operand
  bool as_written = false;  // operands are not swapped
  bool rest = false;        // attributes that are not named may be anything; otherwise they have their fallbacks
  std::vector<RuleAttribute> attributes;
  std::vector<RulePattern> operands;
  std::optional<AttrValue> otherwise;  // of a number that an optional op reads: its value where the op is not there
  std::vector<RuleAbsence> absences;   // of forms: optional ops that would stand here, and are not there
  Location at;
};

// What is made.
struct RuleBuild {
  enum class Form : std::uint8_t {
    Value,   // slot of a value or op, or of what `where` names
    Number,  // `term`, as the attribute that stands for the operand
    Splat,   // a constant of the type of operands[0], or of the root; every element is `term`
    Op,
  };
  Form form = Form::Value;
  std::uint16_t slot = kNoSlot;
  RuleTerm term;
  Opcode opcode = Opcode::Invalid;
  std::uint16_t same_as = kNoSlot;  // the opcode and all attributes of the op in that slot
  std::uint16_t carry = kNoSlot;    // attributes of the op in that slot, except those that are named
  std::vector<std::pair<std::string, RuleTerm>> attributes;
  std::vector<RuleBuild> operands;
  Location at;
};

struct RuleName {
  enum class Role : std::uint8_t { Value, Op, Attribute, Number, Local };
  std::string name;  // empty: an op without a label
  Role role = Role::Value;
  TermKind kind = TermKind::Value;
};

struct TextRule {
  std::string name, doc;
  RulePattern pattern;  // as written
  // With operands of commutative ops swapped, with and without each optional op.
  std::vector<RulePattern> forms;
  bool fusion = false;  // the matched ops become a region; else:
  RuleBuild replacement;
  std::vector<std::pair<std::uint16_t, RuleBuild>> locals;  // `where`, in order; the slot each fills
  std::vector<RuleTerm> conditions;                         // all hold
  std::vector<RuleName> names;                              // by slot
  NumericsClass numerics = NumericsClass::Exact;
  RoundingScope scope = RoundingScope::Anywhere;
  Location at;
  std::uint32_t line = 0;
};

struct RuleTextSet {
  std::string name, doc;
  RulePhase phase = RulePhase::Simplify;
  std::vector<TextRule> rules;
};

struct RuleFile {
  std::vector<RuleTextSet> sets;
};

}  // namespace mlgc
