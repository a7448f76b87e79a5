// Private to lib/loops: ops on scalars, as kernels compute with them. Scalars of 16-bit floats are held in f32.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "ir/builder.h"
#include "ops/scalar_ops.h"

namespace mlgc::loops {

// The dtype in which a scalar of the dtype is held.
[[nodiscard]] Dtype held(Dtype dtype);

class ScalarBuilder {
 public:
  // Makes ops at the builder's insertion point; the builder must outlive this.
  explicit ScalarBuilder(Builder& builder)
      : builder_(builder), context_(builder.context()), scalars_(scalar_ops(context_)) {}

  [[nodiscard]] Type type(Dtype dtype) { return context_.types().scalar(dtype); }
  // InternalError where no op of the table computes the function.
  Value apply(ScalarFn fn, std::initializer_list<Value> operands, Dtype result);
  Value choose(Value condition, Value yes, Value no);
  // A cast that restores what the value was cast from makes no op.
  Value cast(Value value, Dtype to);
  Value constant(Dtype dtype, double real, std::int64_t integer);

 private:
  // The value of the 16-bit dtype that it holds; an invalid handle where it holds a computed one.
  Value unheld(Value value, Dtype to);

  Builder& builder_;
  Context& context_;
  const ScalarOps& scalars_;
};

}  // namespace mlgc::loops
