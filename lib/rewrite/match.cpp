// Constants and definers.
#include "rewrite/match.h"

#include <cmath>
#include <cstring>

#include "tensor/tensor.h"

namespace mlgc {

Attribute constant_attribute(Value value) {
  const OpRef op = value.definer();
  if (!op.valid() || !op.has_trait(Traits::Constant)) return {};
  const Attribute attribute = op.attr("value");
  const AttributePool& attributes = value.module().context().attributes();
  return attributes.kind(attribute) == AttributeKind::Tensor ? attribute : Attribute();
}

bool is_constant(Value value) { return constant_attribute(value).valid(); }

std::optional<double> splat_value(Value value) {
  const Attribute attribute = constant_attribute(value);
  if (!attribute.valid()) return std::nullopt;
  const TensorConstant& constant = value.module().context().attributes().as_tensor(attribute);
  if (!constant.splat) return std::nullopt;
  return visit_dtype(value.module().context().types().dtype(constant.type), [&]<class T>() -> std::optional<double> {
    T element{};
    if (constant.bytes.size() < sizeof(T)) return std::nullopt;
    std::memcpy(&element, constant.bytes.data(), sizeof(T));
    if constexpr (std::is_same_v<T, std::int64_t>) {
      constexpr std::int64_t kExact = std::int64_t{1} << 53;
      if (element > kExact || element < -kExact) return std::nullopt;
    }
    return convert_element<double>(element);
  });
}

std::optional<double> second_number(OpRef op) {
  if (op.operand_count() == 2) return op.attrs().empty() ? splat_value(op.operand(1)) : std::nullopt;
  if (op.operand_count() != 1) return std::nullopt;
  const AttributePool& attributes = op.module().context().attributes();
  if (attributes.entries(op.attrs()).size() != 1) return std::nullopt;
  const Attribute other = op.attr("other");
  if (const auto real = attributes.as_float(other)) return *real;
  if (const auto flag = attributes.as_bool(other)) return *flag ? 1.0 : 0.0;
  if (const auto integer = attributes.as_int64(other)) return static_cast<double>(*integer);
  return std::nullopt;
}

bool is_zero(double value, bool negative) { return value == 0 && std::signbit(value) == negative; }

OpRef defined_by(Value value, std::string_view op) {
  const OpRef definer = value.definer();
  return definer.valid() && definer.is(op) ? definer : OpRef();
}

OpRef defined_by(Value value, Opcode opcode) {
  const OpRef definer = value.definer();
  return definer.valid() && definer.is(opcode) ? definer : OpRef();
}

bool is_commutative(OpRef op) {
  return op.has_trait(Traits::Commutative) && op.operand_count() == 2 && op.attrs().empty();
}

}  // namespace mlgc
