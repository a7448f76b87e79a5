// Puts expressions in the place of symbols in types, in attributes and in the texts of formulas: for what moves from
// one function into another, and for copies beside what they were made of.
#pragma once

#include <optional>
#include <unordered_map>

#include "ir/module.h"

namespace mlgc {

class SymbolSubstitution {
 public:
  explicit SymbolSubstitution(Context& context) : context_(&context) {}

  // From now on `symbol` stands for `value`; the first value given for a symbol counts. Nothing may have been
  // substituted before.
  void set(AtomId symbol, IndexExpr value) { values_.try_emplace(symbol, value); }
  // Gives each dim of `formal` that is a bare symbol the corresponding dim of `actual`, where both have one rank.
  void match(Type formal, Type actual);
  [[nodiscard]] bool has(AtomId symbol) const { return values_.contains(symbol); }
  // No symbol would become another expression.
  [[nodiscard]] bool is_identity() const;

  [[nodiscard]] IndexExpr operator()(IndexExpr e);
  [[nodiscard]] Type operator()(Type type);
  [[nodiscard]] Attribute operator()(Attribute attribute);
  [[nodiscard]] AttrDict operator()(AttrDict attrs);
  // `root` and everything inside it: types of results and region arguments, and attributes. What it uses from outside
  // was substituted before.
  void apply(OpRef root);

 private:
  // The text of `compute` over operands that were substituted.
  [[nodiscard]] Attribute formula_text(OpRef compute);

  Context* context_;
  std::unordered_map<AtomId, IndexExpr> values_;
  std::unordered_map<std::uint32_t, Type> types_;  // by id: what was substituted already
  std::unordered_map<std::uint32_t, Attribute> attributes_;
  std::unordered_map<std::uint32_t, AttrDict> dicts_;
};

}  // namespace mlgc
