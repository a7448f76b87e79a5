// Makes ops with the result types that their rows infer.
#pragma once

#include <initializer_list>
#include <string_view>
#include <vector>

#include "ir/builder.h"
#include "ops/instantiate_op.h"

namespace mlgc {

class OpMaker {
 public:
  // Makes ops at the builder's insertion point, which must outlive this. `facts` are those of the function there.
  explicit OpMaker(Builder& builder, Facts facts = {}) : builder_(&builder), facts_(std::move(facts)) {}

  [[nodiscard]] Builder& builder() const { return *builder_; }
  [[nodiscard]] Context& context() const { return builder_->context(); }

  using Attrs = std::initializer_list<Builder::NamedValue>;
  // The first result. Error: the row does not accept the operands; then nothing was made.
  [[nodiscard]] Result<Value, Diagnostic> try_make(std::string_view op, std::initializer_list<Value> operands,
                                                   Attrs attrs = {}) const;
  // The same where the row is known to accept them.
  Value make(std::string_view op, std::initializer_list<Value> operands, Attrs attrs = {}) const;  // NOLINT

  // A constant without axes.
  Value scalar(Dtype dtype, double value) const;  // NOLINT(modernize-use-nodiscard)
  Value cast(Value value, Dtype dtype) const;     // NOLINT(modernize-use-nodiscard): the value when it has the dtype

 private:
  Builder* builder_;
  Facts facts_;
};

// A tensor of the type with `value` everywhere.
[[nodiscard]] Value filled(Builder& builder, Type type, double value);

}  // namespace mlgc
