// Constants.
#include "rewrite/match.h"

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

bool is_commutative(OpRef op) {
  return op.has_trait(Traits::Commutative) && op.operand_count() == 2 && op.attrs().empty();
}

}  // namespace mlgc
