// Ops of a module through their rows: attribute and operand checks, ground formulas, result types.
//
// Guarantees
//   - These functions are the whole of checking an op by its row: count and element classes of operands, names, kinds
//     and choices of attributes, and everything that instantiating its formula finds.
//   - Diagnostics carry no location: the caller knows it.
//   - A formula row is instantiated once for each (opcode, operand types, attributes) under the same facts.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "diag/diagnostic.h"
#include "formula/formula.h"
#include "formula/instantiate.h"
#include "ir/handles.h"
#include "ir/module.h"

namespace mlgc {

// The pool in which the formulas of a context live, made on first use.
[[nodiscard]] FormulaPool& formulas(Context& context);

// Whether the row computes by a formula, stated or built.
[[nodiscard]] bool has_formula(const OpDef& def);

// The attributes as formulas see them: fallbacks filled in, integers turned into reals where the row wants reals.
// Errors: unknown names, missing required ones, wrong kinds, values that are no choice. Names with a dot are notes of
// passes and are not checked.
[[nodiscard]] Result<AttrValues, Diagnostic> check_attributes(Context& context, const OpDef& def, AttrDict attrs);

// Checks the number and the element classes of operands. An absent optional operand is Type{}, or left out at the end.
[[nodiscard]] std::optional<Diagnostic> check_operands(Context& context, const OpDef& def,
                                                       std::span<const Type> operands);

// The ground formula of an op. Its operands are those of the row in order, absent ones included, a variadic one as many
// times as it is there. Precondition: has_formula.
[[nodiscard]] Result<Formula, Diagnostic> instantiate_op(Context& context, Opcode opcode,
                                                         std::span<const Type> operands, AttrDict attrs,
                                                         const Facts& facts = {});

// Whether infer_types() can tell the result types; otherwise the text must state them.
[[nodiscard]] bool has_inference(const OpDef& def);

// Result types. They are tensors when an operand is one or there are none, else vectors when one is a vector, else
// scalars. The row is checked as a whole. Precondition: has_inference.
[[nodiscard]] Result<std::vector<Type>, Diagnostic> infer_types(Context& context, Opcode opcode,
                                                                std::span<const Type> operands, AttrDict attrs,
                                                                const Facts& facts = {});
// The same for an op of a module, whose symbols and regions count too. The op needs no results yet; where a size
// depends on data, and so must be named, `stated` types are asked (those of the results, once there are some).
[[nodiscard]] Result<std::vector<Type>, Diagnostic> infer_types(OpRef op, const Facts& facts = {},
                                                                std::span<const Type> stated = {});

// What an infer hook sees. `op` is invalid when types and attributes are all there is.
class InferContext {
 public:
  InferContext(Context& context, const OpDef& def, std::span<const Type> operands, AttrDict attrs, OpRef op,
               std::span<const Type> stated)
      : context_(&context), def_(&def), operands_(operands), attrs_(attrs), op_(op), stated_(stated) {}
  [[nodiscard]] Context& context() const { return *context_; }
  [[nodiscard]] const OpDef& def() const { return *def_; }
  [[nodiscard]] std::span<const Type> operands() const { return operands_; }
  [[nodiscard]] Attribute attr(std::string_view name) const { return context_->attributes().get(attrs_, name); }
  [[nodiscard]] OpRef op() const { return op_; }
  // Types that the text states or that the results have; may be empty.
  [[nodiscard]] std::span<const Type> stated() const { return stated_; }

 private:
  Context* context_;
  const OpDef* def_;
  std::span<const Type> operands_;
  AttrDict attrs_;
  OpRef op_;
  std::span<const Type> stated_;
};

// The value of a fallback or example: `1`, `-2.5`, `true`, `"text"`, `[1, 2]`, `[]`, `f32`, `inf`. Nothing when the
// text is none of these or does not fit the kind.
[[nodiscard]] std::optional<Attribute> read_attribute_text(Context& context, std::string_view text, AttributeKind kind);

}  // namespace mlgc
