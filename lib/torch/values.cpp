// See values.h.
#include "torch/values.h"

#include <ATen/core/jit_type.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/zeros.h>

#include <array>
#include <stdexcept>

namespace mlgc_torch {

namespace {

constexpr std::array kScalarTypes{at::ScalarType::Bool,   at::ScalarType::Char,         at::ScalarType::Byte,
                                  at::ScalarType::Short,  at::ScalarType::Int,          at::ScalarType::Long,
                                  at::ScalarType::Half,   at::ScalarType::BFloat16,     at::ScalarType::Float,
                                  at::ScalarType::Double, at::ScalarType::ComplexFloat, at::ScalarType::ComplexDouble};

[[noreturn]] void refuse(const c10::Argument& parameter) {
  throw std::invalid_argument("argument `" + parameter.name() + "` must be " + parameter.type()->repr_str());
}

const c10::Type& inner(const c10::Type& type) {
  const auto* optional = type.castRaw<c10::OptionalType>();
  return optional != nullptr ? *optional->getElementType() : type;
}

c10::Scalar number(const mlgc_torch_argument& a, const c10::Argument& parameter) {
  switch (a.kind) {
    case MLGC_TORCH_INT: return {a.integer};
    case MLGC_TORCH_BOOL: return {a.integer != 0};
    case MLGC_TORCH_FLOAT: return {a.real};
    case MLGC_TORCH_FLOATS:
      if (a.count != 2) refuse(parameter);
      return {c10::complex<double>(a.reals[0], a.reals[1])};
    default: refuse(parameter);
  }
}

at::Tensor wrapped(const c10::Scalar& value) {
  const at::ScalarType type = value.isComplex()         ? at::kComplexDouble
                              : value.isFloatingPoint() ? at::kDouble
                              : value.isBoolean()       ? at::kBool
                                                        : at::kLong;
  at::Tensor t = at::scalar_tensor(value, at::TensorOptions().dtype(type));
  t.unsafeGetTensorImpl()->set_wrapped_number(true);
  return t;
}

std::int64_t integer(const mlgc_torch_argument& a, const c10::Argument& parameter) {
  if (a.kind == MLGC_TORCH_INT) return a.integer;
  if (a.kind == MLGC_TORCH_BOOL) return a.integer;
  if (a.kind == MLGC_TORCH_DTYPE) return static_cast<std::int64_t>(scalar_type(static_cast<std::int32_t>(a.integer)));
  refuse(parameter);
}

double real(const mlgc_torch_argument& a, const c10::Argument& parameter) {
  if (a.kind == MLGC_TORCH_FLOAT) return a.real;
  if (a.kind == MLGC_TORCH_INT) return static_cast<double>(a.integer);
  refuse(parameter);
}

c10::IValue list(const mlgc_torch_argument& a, const c10::Argument& parameter, const c10::Type& item) {
  const bool optional = item.kind() == c10::TypeKind::OptionalType;
  switch (inner(item).kind()) {
    case c10::TypeKind::TensorType: {
      if (a.kind != MLGC_TORCH_TENSORS && a.kind != MLGC_TORCH_TENSOR) refuse(parameter);
      const std::size_t count = a.kind == MLGC_TORCH_TENSOR ? 1 : a.count;
      c10::List<at::Tensor> all;
      c10::List<std::optional<at::Tensor>> some;
      for (std::size_t i = 0; i < count; ++i) {
        const mlgc_torch_tensor* t = a.tensors[i];
        if (!optional && t == nullptr) refuse(parameter);
        if (optional)
          some.push_back(t == nullptr ? std::nullopt : std::optional(t->tensor));
        else
          all.push_back(t->tensor);
      }
      return optional ? c10::IValue(some) : c10::IValue(all);
    }
    case c10::TypeKind::IntType:
    case c10::TypeKind::SymIntType: {
      c10::List<std::int64_t> out;
      if (a.kind == MLGC_TORCH_INT)
        out.push_back(a.integer);
      else if (a.kind == MLGC_TORCH_INTS)
        for (std::size_t i = 0; i < a.count; ++i) out.push_back(a.integers[i]);
      else
        refuse(parameter);
      return out;
    }
    case c10::TypeKind::FloatType: {
      c10::List<double> out;
      if (a.kind == MLGC_TORCH_FLOAT)
        out.push_back(a.real);
      else if (a.kind == MLGC_TORCH_FLOATS)
        for (std::size_t i = 0; i < a.count; ++i) out.push_back(a.reals[i]);
      else
        refuse(parameter);
      return out;
    }
    case c10::TypeKind::BoolType: {
      c10::List<bool> out;
      if (a.kind != MLGC_TORCH_BOOLS) refuse(parameter);
      for (std::size_t i = 0; i < a.count; ++i) out.push_back(a.integers[i] != 0);
      return out;
    }
    default: refuse(parameter);
  }
}

}  // namespace

at::ScalarType scalar_type(std::int32_t dtype) {
  if (dtype < 0 || static_cast<std::size_t>(dtype) >= kScalarTypes.size())
    throw std::invalid_argument("there is no dtype " + std::to_string(dtype));
  return kScalarTypes[static_cast<std::size_t>(dtype)];
}

bool dtype_of(at::ScalarType type, std::int32_t& dtype) {
  for (std::size_t i = 0; i < kScalarTypes.size(); ++i)
    if (kScalarTypes[i] == type) {
      dtype = static_cast<std::int32_t>(i);
      return true;
    }
  return false;
}

std::int32_t kind_of(const c10::Argument& parameter) {
  // The type proper tells ScalarType, Layout and MemoryFormat from the integers that they travel as.
  const c10::Type& real_type = inner(*parameter.real_type());
  switch (real_type.kind()) {
    case c10::TypeKind::ScalarTypeType: return MLGC_TORCH_DTYPE;
    case c10::TypeKind::TensorType: return MLGC_TORCH_TENSOR;
    case c10::TypeKind::IntType:
    case c10::TypeKind::SymIntType: return MLGC_TORCH_INT;
    case c10::TypeKind::FloatType: return MLGC_TORCH_FLOAT;
    case c10::TypeKind::BoolType: return MLGC_TORCH_BOOL;
    case c10::TypeKind::NumberType: return MLGC_TORCH_NUMBER;
    case c10::TypeKind::StringType: return MLGC_TORCH_STRING;
    case c10::TypeKind::ListType:
      switch (inner(*real_type.castRaw<c10::ListType>()->getElementType()).kind()) {
        case c10::TypeKind::TensorType: return MLGC_TORCH_TENSORS;
        case c10::TypeKind::IntType:
        case c10::TypeKind::SymIntType: return MLGC_TORCH_INTS;
        case c10::TypeKind::FloatType: return MLGC_TORCH_FLOATS;
        case c10::TypeKind::BoolType: return MLGC_TORCH_BOOLS;
        default: return MLGC_TORCH_OTHER;
      }
    default: return MLGC_TORCH_OTHER;
  }
}

c10::IValue to_ivalue(const mlgc_torch_argument& a, const c10::Argument& parameter) {
  const c10::Type& type = *parameter.type();
  if (a.kind == MLGC_TORCH_NONE) {
    if (type.kind() != c10::TypeKind::OptionalType) refuse(parameter);
    return {};
  }
  const c10::Type& wanted = inner(type);
  switch (wanted.kind()) {
    case c10::TypeKind::TensorType:
      return a.kind == MLGC_TORCH_TENSOR ? c10::IValue(a.tensors[0]->tensor)
                                         : c10::IValue(wrapped(number(a, parameter)));
    case c10::TypeKind::ListType: return list(a, parameter, *wanted.castRaw<c10::ListType>()->getElementType());
    case c10::TypeKind::IntType:
    case c10::TypeKind::SymIntType: return integer(a, parameter);
    case c10::TypeKind::FloatType: return real(a, parameter);
    case c10::TypeKind::NumberType: return number(a, parameter);
    case c10::TypeKind::BoolType:
      if (a.kind != MLGC_TORCH_BOOL) refuse(parameter);
      return a.integer != 0;
    case c10::TypeKind::StringType:
      if (a.kind != MLGC_TORCH_STRING) refuse(parameter);
      return std::string(a.text);
    default: refuse(parameter);
  }
}

c10::IValue with_zeros(const c10::IValue& value) {
  const auto zeros = [](const at::Tensor& t) {
    return t.defined() && t.is_meta() ? at::zeros(t.sizes(), at::TensorOptions().dtype(t.scalar_type())) : t;
  };
  if (value.isTensor()) return zeros(value.toTensor());
  if (value.isTensorList()) {
    c10::List<at::Tensor> out;
    for (const at::Tensor& t : value.toTensorVector()) out.push_back(zeros(t));
    return out;
  }
  if (value.isOptionalTensorList()) {
    c10::List<std::optional<at::Tensor>> out;
    for (const std::optional<at::Tensor>& t : value.toOptionalTensorVector())
      out.push_back(t ? std::optional(zeros(*t)) : std::nullopt);
    return out;
  }
  return value;
}

void append_results(const c10::IValue& value, std::vector<at::Tensor>& out) {
  if (value.isTensor())
    out.push_back(value.toTensor());
  else if (value.isTuple())
    for (const c10::IValue& item : value.toTupleRef().elements()) append_results(item, out);
  else if (value.isList())
    for (const c10::IValue& item : value.toListRef()) append_results(item, out);
  else if (value.isScalar())
    out.push_back(at::scalar_tensor(value.toScalar(), at::TensorOptions().dtype(value.toScalar().type())));
  else
    throw std::invalid_argument("a result is neither a tensor nor a number");
}

}  // namespace mlgc_torch
