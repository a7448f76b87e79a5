// What a row's `build` function sees of an op: its operands and its attributes. Names and sizes are looked up here; the
// text it writes refers to operands by `name(i)`, to sizes by `dim(x, i)` and to list attributes by `list.0`, so that
// symbolic sizes never have to be written out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formula/instantiate.h"

namespace mlgc {

// Operands in the order of the op; those of a variadic operand `x` are called `x0`, `x1`, … A row's optional operands
// are always there, with present(i) false where absent.
class OpTypes {
 public:
  OpTypes(IndexPool& index, const Facts& facts, const std::vector<FormulaOperand>& operands)
      : index_(&index), facts_(&facts), operands_(&operands) {}

  [[nodiscard]] std::size_t size() const { return operands_->size(); }
  [[nodiscard]] bool present(std::size_t i) const { return i < size() && (*operands_)[i].present; }
  // Precondition of the rest: i < size(); of dim(): axis < rank(i).
  [[nodiscard]] const std::string& name(std::size_t i) const { return (*operands_)[i].name; }
  [[nodiscard]] Dtype dtype(std::size_t i) const { return (*operands_)[i].dtype; }
  [[nodiscard]] std::size_t rank(std::size_t i) const { return (*operands_)[i].shape.size(); }
  [[nodiscard]] IndexExpr dim(std::size_t i, std::size_t axis) const { return (*operands_)[i].shape[axis]; }
  // The dim is the constant `value`.
  [[nodiscard]] bool is(std::size_t i, std::size_t axis, std::int64_t value) const {
    return index_->as_constant(dim(i, axis)) == value;
  }

  [[nodiscard]] IndexPool& index() const { return *index_; }
  [[nodiscard]] const Facts& facts() const { return *facts_; }

 private:
  IndexPool* index_;
  const Facts* facts_;
  const std::vector<FormulaOperand>* operands_;
};

// Attributes that were checked against the row: kinds are right, fallbacks are filled in, required ones are there.
class Attrs {
 public:
  Attrs(const IndexPool& index, const AttrValues& values) : index_(&index), values_(&values) {}

  [[nodiscard]] bool has(std::string_view name) const { return values_->find(name) != nullptr; }
  // False when it is not there.
  [[nodiscard]] bool flag(std::string_view name) const;
  // Nothing when it is not there or symbolic.
  [[nodiscard]] std::optional<std::int64_t> integer(std::string_view name) const;
  // 0 when it is not there; integers count too.
  [[nodiscard]] double real(std::string_view name) const;
  // Empty when it is not there.
  [[nodiscard]] std::vector<IndexExpr> list(std::string_view name) const;
  [[nodiscard]] std::string text(std::string_view name) const;
  [[nodiscard]] std::optional<Dtype> dtype(std::string_view name) const;
  // The constants of a list; nothing when one is symbolic.
  [[nodiscard]] std::optional<std::vector<std::int64_t>> constants(std::string_view name) const;

 private:
  const IndexPool* index_;
  const AttrValues* values_;
};

}  // namespace mlgc
