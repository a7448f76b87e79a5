// Private to lib/loops: what reductions carry through their loops.
//
//     sum, prod       one accumulator, f64 for floats and i64 for integers, rounded once after the nest; f32 for one
//                     term of f32
//     max, min        one accumulator in the type of the body; NaN is the extremum, the first of equal values stays
//     any, all        one i1
//     argmax, argmin  the best value and its linear index, in 32 bits where that is known to be enough; under a guard
//                     the index is -1 until something was seen
#pragma once

#include <functional>
#include <vector>

#include "formula/formula.h"
#include "loops/scalar_builder.h"

namespace mlgc::loops {

struct Accumulator {
  ReduceParts parts;
  Dtype type = Dtype::F32, result = Dtype::F32;
  IndexExpr position;  // of an element among all, for the arguments of extrema
  std::vector<Value> initial;
};

class Accumulators {
 public:
  // Both must outlive this.
  Accumulators(ScalarBuilder& ops, FormulaPool& pool) : ops_(ops), pool_(pool) {}

  // Of a reduction. Some extremum of no elements is an error of the program, for which see must_have_elements().
  Accumulator start(ExprId reduce);
  // What is carried after one more element, whose body has the value; `position` makes the value of its position, and
  // is called for arguments of extrema alone.
  std::vector<Value> step(const Accumulator& of, Value body, const std::function<Value()>& position,
                          const std::vector<Value>& carried);
  // The value of the reduction.
  Value end(const Accumulator& of, const std::vector<Value>& reduced);

  // Whether a reduction of nothing is an error: an extremum's, unless a guard says that there may be nothing.
  [[nodiscard]] static bool must_have_elements(const ReduceParts& parts);

 private:
  [[nodiscard]] bool has_all(const ReduceParts& parts) const;  // no guard leaves an element out
  // Of the positions that an argument of an extremum carries.
  [[nodiscard]] Dtype position_dtype(const ReduceParts& parts) const;

  ScalarBuilder& ops_;
  FormulaPool& pool_;
};

}  // namespace mlgc::loops
