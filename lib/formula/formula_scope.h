// What the names of a formula text mean: operands, results of earlier statements, attributes; and the formula that is
// being made of it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "formula/instantiate.h"
#include "formula/instantiate_refuse.h"

namespace mlgc::instantiation {

class FormulaScope {
 public:
  // What is given must outlive the scope.
  FormulaScope(FormulaPool& pool, const FormulaSyntax& syntax, const std::vector<FormulaOperand>& operands,
               const AttrValues& attributes, const Facts& facts);

  [[nodiscard]] FormulaPool& pool() const { return pool_; }
  [[nodiscard]] const FormulaSyntax& syntax() const { return syntax_; }
  [[nodiscard]] const SyntaxNode& at(SyntaxId id) const { return syntax_[id]; }
  [[nodiscard]] const Facts& facts() const { return facts_; }
  [[nodiscard]] Formula& formula() { return formula_; }
  [[nodiscard]] const Formula& formula() const { return formula_; }

  // Operands and results. An absent operand has a tensor too, so that operand numbers are those of the op.
  TensorId add_tensor(FormulaTensor tensor);
  [[nodiscard]] std::optional<TensorId> find_tensor(std::string_view name) const;
  [[nodiscard]] bool is_absent(std::string_view name) const;
  // The tensor that a node reads; nothing where it is an absent operand.
  [[nodiscard]] std::optional<TensorId> tensor_of(const SyntaxNode& n) const;
  // The operand that argument i of a call names.
  [[nodiscard]] const FormulaTensor& operand_of(const SyntaxNode& n, std::size_t i) const;

  [[nodiscard]] const AttrValue* attribute(std::string_view name) const { return attributes_.find(name); }
  [[nodiscard]] bool flag(const std::string& name) const;
  // The integers of an attribute; one integer is a list of one.
  [[nodiscard]] std::vector<IndexExpr> int_list(const std::string& name) const;
  // Axes as positions 0 .. rank-1.
  [[nodiscard]] std::vector<std::size_t> axes(const std::string& text, std::size_t rank,
                                              bool permutation = false) const;

  // For messages.
  [[nodiscard]] std::string show(IndexExpr e) const;
  // Refuses what is no size.
  void check_extent(const std::string& label, IndexExpr size) const;

 private:
  [[nodiscard]] std::string label_name(AtomId id) const;

  FormulaPool& pool_;
  IndexPool& index_;
  const FormulaSyntax& syntax_;
  const AttrValues& attributes_;
  const Facts& facts_;
  std::vector<std::string> absent_;
  Formula formula_;
  std::unordered_map<std::string, TensorId> tensors_;  // those of the formula, by name
};

}  // namespace mlgc::instantiation
