// See op_maker.h.
#include "autodiff/op_maker.h"

#include <array>
#include <utility>

namespace mlgc {

Result<Value, Diagnostic> OpMaker::try_make(std::string_view op, std::initializer_list<Value> operands,
                                            Attrs attrs) const {
  const Opcode opcode = context().find_op(op);
  const AttrDict dict = builder_->attrs(attrs);
  std::vector<Type> types;
  for (const Value operand : operands) types.push_back(operand.type());
  const Result<std::vector<Type>, Diagnostic> inferred = infer_types(context(), opcode, types, dict, facts_);
  if (!inferred) return Failure{inferred.error()};
  return builder_->create(opcode, std::vector<Value>(operands), dict, *inferred).result();
}

Value OpMaker::make(std::string_view op, std::initializer_list<Value> operands, Attrs attrs) const {
  const Result<Value, Diagnostic> made = try_make(op, operands, attrs);
  MLGC_ASSERT(made.ok(), "`" + std::string(op) + "` does not accept its operands: " + made.error().message());
  return *made;
}

Value OpMaker::scalar(Dtype dtype, double value) const {
  AttributePool& pool = context().attributes();
  return make("full", {},
              {{"size", pool.int_list(std::span<const std::int64_t>())},
               {"value", pool.real(value)},
               {"dtype", pool.dtype(dtype)}});
}

Value OpMaker::cast(Value value, Dtype dtype) const {
  if (context().types().dtype(value.type()) == dtype) return value;
  return make("cast", {value}, {{"dtype", context().attributes().dtype(dtype)}});
}

Value filled(Builder& builder, Type type, double value) {
  Context& context = builder.context();
  const AttrDict attrs = builder.attrs({{"size", context.attributes().int_list(context.types().dims(type))},
                                        {"value", context.attributes().real(value)},
                                        {"dtype", context.attributes().dtype(context.types().dtype(type))}});
  return builder.create("full", {}, {type}, attrs).result();
}

}  // namespace mlgc
