// What both modes of differentiation share: a derived formula begins as a copy of the forward one.
//
// Guarantees
//   - Operands of the forward formula keep their numbers. Its results are either available, and then operands that come
//     after them under their own names, or recomputed as temporaries, as its temporaries are.
//   - Forward statements keep their index labels. What a derivation adds has index labels of its own.
//   - Forward statements without uses are left out of the derived formula.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "formula/formula.h"

namespace mlgc {

// The base of a walk over a formula's statements that writes another formula, `out_`.
class Derivation {
 protected:
  // Index labels and what replaces them.
  using Renaming = std::vector<std::pair<AtomId, IndexExpr>>;
  using Lookup = std::function<std::optional<IndexExpr>(AtomId)>;
  // A copy of a reduction's body and guard over index labels of its own.
  struct Twin {
    std::vector<AtomId> labels;
    ExprId body, guard;
  };
  // Which elements of a reduction attain its extremum, and how many do.
  struct Attained {
    ExprId hit;    // i1, over the index labels of the reduction
    ExprId count;  // in the dtype of the extremum
  };

  Derivation(FormulaPool& pool, const Formula& source) : pool_(pool), index_(pool.index()), source_(source) {}

  // The operands of the derived formula, before any that the derivation adds.
  void copy_operands(bool results_at_hand);
  // The statement, unless its result is at hand, with a temporary for its result.
  void copy_forward(const Statement& st);
  // The derived formula, when all its statements are there.
  Formula finish();

  // Tensors of the source become those of the derived formula.
  ExprId translate(ExprId e);
  IndexExpr translate(IndexExpr e);
  // The tensor of the source that a tensor of the derived formula is; invalid for those that the derivation added.
  [[nodiscard]] TensorId source_of(TensorId derived) const;

  // The translated body of a statement. Until the next one, what reads its value reads the stored result instead, if
  // that is written as pull.
  ExprId enter(const Statement& st);
  [[nodiscard]] ExprId result_of(ExprId e) const { return e == saved_ && saved_read_.valid() ? saved_read_ : e; }

  // The partial derivative of a call for one of its arguments; invalid: zero.
  ExprId partial(ExprId call, std::size_t argument);
  // value * factor, with what is exact folded.
  ExprId times(ExprId value, ExprId factor);
  // i1: the subscripts lie within the shape; invalid: always.
  ExprId in_range(std::span<const IndexExpr> shape, std::span<const IndexExpr> subscripts);

  // New index labels belong to `names`, which knows those of what is copied.
  Renaming fresh_labels(Formula& names, std::span<const AtomId> labels);
  Twin twin(Formula& names, const ReduceParts& parts);
  // The product over all elements of the reduction but that at its own labels: right with zeros.
  ExprId product_of_others(Formula& names, const ReduceParts& parts);
  // Elements that attain `result` share a derivative evenly.
  Attained attained(Formula& names, const ReduceParts& parts, ExprId result);

  // Scatter forms. Bodies and guards are those of the translated statement, over its index labels.
  // The product of what a scatter writes to the element at `place`; with `others` without what its own labels write.
  ExprId product_written(Formula& names, const Statement& st, std::span<const IndexExpr> place, bool others);
  // Whether what the push writes, or starts from, is what its result has there.
  ExprId body_attains(const Statement& st);
  ExprId base_attains(const Statement& st, std::span<const IndexExpr> place);
  ExprId base_at(const Statement& st, std::span<const IndexExpr> place);
  // For each element of an extremal push's result how many of these attain it: they share its derivative evenly.
  TensorId count_attained(const Statement& st);

  // A statement that writes `body`, over labels of `names`, where st writes and `also` holds; without `also`, wherever
  // st does.
  Statement where(const Statement& st, const Formula& names, ExprId body, TensorId base, ExprId also = {});
  // A statement that writes every element.
  Statement everywhere(std::span<const IndexExpr> shape,
                       const std::function<ExprId(std::span<const IndexExpr> place)>& body);
  TensorId write(Statement st, const std::string& name, TensorRole role, const FormulaTensor& like);

  // Precondition: the renaming outlives the function.
  static Lookup lookup(const Renaming& table);

  FormulaPool& pool_;
  IndexPool& index_;
  const Formula& source_;
  Formula out_;
  std::vector<TensorId> map_;  // source tensor -> tensor of the derived formula

 private:
  void drop_unused();
  // An expression that occurs several times shares its reductions: each occurrence gets index labels of its own.
  void separate_labels();
  FormulaPool::Rewrite separation(std::set<AtomId>& taken);
  // What storing makes of an expression.
  ExprId stored(ExprId e);

  ExprId saved_, saved_read_;
};

}  // namespace mlgc
