// What a typed view of an op of the loop level is made of: its operands and attributes by the names of its definition,
// which are found while the view is compiled. A name that the definition does not have, or an attribute of another
// kind, does not compile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>

#include "ir/module.h"
#include "loopir/loop_op_definitions.h"

namespace mlgc {

// The definition of a loop op; none, which does not compile: control flow, whose definitions are the graph's.
consteval const OpDef& loop_op_definition(LoopOp op) {
  for (const OpDef& definition : kLoopOpDefinitions)
    if (definition.loop_op == op) return definition;
  throw "no definition of the loop level states this op";
}

// How many of a string attribute's permitted values there are, and the i-th of them.
constexpr std::size_t choice_count(std::string_view choices) {
  std::size_t count = 1;
  for (const char c : choices) count += c == '|' ? 1 : 0;
  return count;
}
constexpr std::string_view choice(std::string_view choices, std::size_t i) {
  for (; i > 0; --i) choices.remove_prefix(choices.find('|') + 1);
  return choices.substr(0, choices.find('|'));
}

// A view of an op that is `Op`; Ref is the class that derives from it.
template <class Ref, LoopOp Op>
class LoopOpView {
 public:
  // An invalid view of another op, or of none.
  [[nodiscard]] static Ref from(OpRef op) {
    Ref ref;
    if (op.valid() && op.is(Op)) ref.op_ = op;
    return ref;
  }
  [[nodiscard]] bool valid() const { return op_.valid(); }
  [[nodiscard]] OpRef op() const { return op_; }

 protected:
  // The number of an operand; of a variadic or optional one where it starts.
  static consteval std::size_t operand_number(std::string_view name) {
    constexpr const OpDef& kDefinition = loop_op_definition(Op);
    for (std::size_t i = 0; i < kDefinition.operands.size(); ++i)
      if (kDefinition.operands[i].name == name) return i;
    throw "the definition has no operand of this name";
  }
  static consteval const AttrDef& attribute_definition(std::string_view name, AttributeKind kind) {
    constexpr const OpDef& kDefinition = loop_op_definition(Op);
    for (const AttrDef& attr : kDefinition.attrs)
      if (attr.name == name) return attr.kind == kind ? attr : throw "the definition's attribute is of another kind";
    throw "the definition has no attribute of this name";
  }

  [[nodiscard]] const AttributePool& attributes() const { return op_.module().context().attributes(); }
  // What the op states, else nothing.
  [[nodiscard]] std::optional<std::string_view> text(const AttrDef& attr) const {
    return attributes().as_string(op_.attr(attr.name));
  }
  [[nodiscard]] std::string_view symbol(const AttrDef& attr) const {
    return attributes().as_symbol(op_.attr(attr.name)).value_or(std::string_view());
  }
  [[nodiscard]] bool flag(const AttrDef& attr) const {
    return attributes().as_bool(op_.attr(attr.name)).value_or(attr.fallback == "true");
  }
  void set_flag(const AttrDef& attr) const {
    op_.set_attr(attr.name, op_.module().context().attributes().boolean(true));
  }

  OpRef op_;
};

}  // namespace mlgc
