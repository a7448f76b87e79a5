// Printing of types and attributes.
#include "text/print_data.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

#include "tensor/float16.h"
#include "text/lexer.h"
#include "text/mlir_attribute.h"
#include "text/special_numbers.h"

namespace mlgc::text {

namespace {

constexpr std::int64_t kMostElements = 64;  // longer constants print as bytes

void append_hex(std::string& out, std::uint64_t bits, std::size_t bytes) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  out += "0x";
  for (std::size_t i = bytes * 2; i-- > 0;) out += kDigits[(bits >> (i * 4)) & 15];
}

template <class Real>
void append_finite(std::string& out, Real value) {
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  const std::string_view digits(buffer, static_cast<std::size_t>(end - buffer));
  const std::size_t exponent = digits.find('e');
  const std::string_view mantissa = digits.substr(0, exponent);
  out += mantissa;
  if (mantissa.find('.') == std::string_view::npos) out += ".0";
  if (exponent != std::string_view::npos) out += digits.substr(exponent);
}

template <class T>
T read(const std::byte* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

// Digits, a word, or bits, which need their type where no other text says it.
template <class Real>
void append_real(std::string& out, Real value, std::uint64_t bits, Dtype dtype, TextForm form) {
  const std::string_view word = form == TextForm::Pretty ? special_number_text(bits, dtype) : std::string_view();
  if (std::isfinite(value)) {
    append_finite(out, value);
  } else if (!word.empty()) {
    out += word;
  } else {
    append_hex(out, bits, dtype_info(dtype).bytes);
  }
}

void append_double(std::string& out, double value, TextForm form) {
  append_real(out, value, std::bit_cast<std::uint64_t>(value), Dtype::F64, form);
}

// With its type where the number alone could not be read as what it is.
void append_typed_double(std::string& out, double value, TextForm form) {
  const std::size_t begin = out.size();
  append_double(out, value, form);
  if (form == TextForm::Generic || std::string_view(out).substr(begin).starts_with("0x")) out += " : f64";
}

// `0x7F800000 : f32`, a number of MLIR's, as the pretty form writes it.
void append_mlir_number(std::string& out, std::string_view text) {
  const std::size_t colon = text.find(" : ");
  const auto dtype = colon == std::string_view::npos ? std::nullopt : parse_dtype(text.substr(colon + 3));
  if (text.starts_with("0x") && dtype && is_float(*dtype)) {
    std::uint64_t bits = 0;
    std::from_chars(text.data() + 2, text.data() + colon, bits, 16);
    if (const std::string_view word = special_number_text(bits, *dtype); !word.empty()) {
      out += word;
      text.remove_prefix(colon);
    }
  }
  out += text;
}

// One element of a constant.
void append_element(std::string& out, Dtype dtype, const std::byte* bytes, TextForm form) {
  const auto real = [&](auto value, std::uint64_t bits) { append_real(out, value, bits, dtype, form); };
  switch (dtype) {
    case Dtype::I1: out += read<std::uint8_t>(bytes) != 0 ? "true" : "false"; return;
    case Dtype::I8: out += std::to_string(read<std::int8_t>(bytes)); return;
    case Dtype::UI8: out += std::to_string(read<std::uint8_t>(bytes)); return;
    case Dtype::I16: out += std::to_string(read<std::int16_t>(bytes)); return;
    case Dtype::I32: out += std::to_string(read<std::int32_t>(bytes)); return;
    case Dtype::I64: out += std::to_string(read<std::int64_t>(bytes)); return;
    case Dtype::F16: {
      const auto bits = read<std::uint16_t>(bytes);
      return real(to_float(Half{bits}), bits);
    }
    case Dtype::BF16: {
      const auto bits = read<std::uint16_t>(bytes);
      return real(to_float(BFloat16{bits}), bits);
    }
    case Dtype::F32: return real(read<float>(bytes), read<std::uint32_t>(bytes));
    case Dtype::F64: return real(read<double>(bytes), read<std::uint64_t>(bytes));
    case Dtype::C64:
    case Dtype::C128: break;
  }
}

}  // namespace

// --- types

std::string_view DataPrinter::element_type(Dtype dtype) const {
  if (form_ != TextForm::Generic || !is_complex(dtype)) return dtype_info(dtype).name;
  return dtype == Dtype::C64 ? "complex<f32>" : "complex<f64>";
}

void DataPrinter::type(std::string& out, Type type) {
  if (type.id >= texts_.size()) texts_.resize(type.id + std::size_t{1});
  if (texts_[type.id].empty()) {
    std::string text;
    if (form_ == TextForm::Generic) {
      make_generic_type(text, type);
    } else {
      make_type(text, type);
    }
    texts_.resize(std::max(texts_.size(), type.id + std::size_t{1}));
    texts_[type.id] = std::move(text);
  }
  out += texts_[type.id];
}

void DataPrinter::type_list(std::string& out, std::span<const Type> types) {
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (i > 0) out += ", ";
    type(out, types[i]);
  }
}

void DataPrinter::function_type(std::string& out, Type type) {
  const TypePool& types = context_->types();
  out += '(';
  type_list(out, types.params(type));
  out += ") -> (";
  type_list(out, types.results(type));
  out += ')';
}

void DataPrinter::make_type(std::string& out, Type type) {
  const TypePool& types = context_->types();
  if (types.kind(type) == TypeKind::Function) return function_type(out, type);
  if (types.kind(type) != TypeKind::Buffer) return types.print(out, type);
  out += "buffer<";
  for (const IndexExpr dim : types.dims(type)) {
    types.print_dim(out, dim);
    out += 'x';
  }
  out += dtype_info(types.dtype(type)).name;
  out += ", ";
  out += scope_name(types.scope(type));
  if (types.layout(type).valid()) {
    const std::string_view layout = context_->strings().text(types.layout(type));
    out += ", ";
    if (is_bare_name(layout)) {
      out += layout;
    } else {
      append_quoted(out, layout);
    }
  }
  out += '>';
}

void DataPrinter::dim_names(std::string& out, std::span<const IndexExpr> dims) const {
  out += '[';
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (i > 0) out += ", ";
    append_quoted(out, context_->index().print(dims[i]));
  }
  out += ']';
}

void DataPrinter::make_generic_type(std::string& out, Type type) {
  const TypePool& types = context_->types();
  const TypeKind kind = types.kind(type);
  if (kind == TypeKind::Function) return function_type(out, type);
  if (kind == TypeKind::Vector) {
    bool plain = types.is_static(type);
    for (const IndexExpr dim : types.dims(type)) plain = plain && context_->index().as_constant(dim) != 0;
    if (!plain) {  // MLIR has no such vectors
      out += "!mlgc.type<\"";
      types.print(out, type);
      out += "\">";
      return;
    }
  }
  if (kind != TypeKind::Tensor && kind != TypeKind::Buffer) return types.print(out, type);
  out += kind == TypeKind::Tensor ? "tensor<" : "memref<";
  for (const IndexExpr dim : types.dims(type)) {
    const auto value = context_->index().as_constant(dim);
    out += value ? std::to_string(*value) : "?";
    out += 'x';
  }
  out += element_type(types.dtype(type));
  if (kind == TypeKind::Tensor) {
    if (!types.is_static(type)) {
      out += ", ";
      dim_names(out, types.dims(type));
    }
  } else {
    out += ", {";
    if (!types.is_static(type)) {
      out += "dims = ";
      dim_names(out, types.dims(type));
      out += ", ";
    }
    if (types.layout(type).valid()) {
      out += "layout = ";
      append_quoted(out, context_->strings().text(types.layout(type)));
      out += ", ";
    }
    out += "scope = ";
    append_quoted(out, scope_name(types.scope(type)));
    out += '}';
  }
  out += '>';
}

// --- attributes

void DataPrinter::symbol(std::string& out, std::string_view name) const {
  out += '@';
  if (is_bare_name(name)) {
    out += name;
  } else {
    append_quoted(out, name);
  }
}

void DataPrinter::key(std::string& out, std::string_view name) const {
  if (is_bare_name(name) && name.find('$') == std::string_view::npos) {
    out += name;
  } else {
    append_quoted(out, name);
  }
}

void DataPrinter::quoted_expressions(std::string& out, std::span<const IndexExpr> values, bool operands) const {
  const IndexPool& pool = context_->index();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) out += ", ";
    append_quoted(out, pool.print(values[i], [&](AtomId atom) {
      return (operands ? "%" : "v") + std::to_string(pool.atom(atom).number);
    }));
  }
}

void DataPrinter::item(std::string& out, Attribute attribute) {
  const AttributePool& pool = context_->attributes();
  if (form_ == TextForm::Pretty && pool.kind(attribute) == AttributeKind::Int) {
    out += context_->index().print(*pool.as_int(attribute));
  } else {
    this->attribute(out, attribute, AttributeKind::None);
  }
}

// IntList, FloatList, BoolList and StringList.
void DataPrinter::list(std::string& out, Attribute attribute, AttributeKind wanted) {
  const AttributePool& pool = context_->attributes();
  const AttributeKind kind = pool.kind(attribute);
  const auto joined = [&](const auto& items, std::string_view open, std::string_view close, const auto& print_item) {
    out += open;
    bool first = true;
    for (const auto& each : items) {
      if (!first) out += ", ";
      first = false;
      print_item(each);
    }
    out += close;
  };
  const bool brackets = form_ == TextForm::Pretty && (wanted == AttributeKind::None || wanted == kind);
  const auto typed = [&](std::string_view type, bool empty) {
    return "array<" + std::string(type) + (empty ? "" : ": ");
  };
  switch (kind) {
    case AttributeKind::IntList: {
      const std::span<const IndexExpr> values = pool.as_int_list(attribute);
      const auto expression = [&](IndexExpr e) { out += context_->index().print(e); };
      if (brackets) return joined(values, "[", "]", expression);
      if (pool.as_int64_list(attribute)) return joined(values, typed("i64", values.empty()), ">", expression);
      out += "#mlgc.ints<";
      quoted_expressions(out, values, false);
      out += '>';
      return;
    }
    case AttributeKind::FloatList: {
      const std::span<const double> values = pool.as_float_list(attribute);
      if (brackets && (!values.empty() || wanted == kind))
        return joined(values, "[", "]", [&](double v) { append_typed_double(out, v, form_); });
      return joined(values, typed("f64", values.empty()), ">", [&](double v) { append_double(out, v, form_); });
    }
    case AttributeKind::BoolList: {
      const std::span<const bool> values = pool.as_bool_list(attribute);
      const auto word = [&](bool v) { out += v ? "true" : "false"; };
      if (brackets && (!values.empty() || wanted == kind)) return joined(values, "[", "]", word);
      return joined(values, typed("i1", values.empty()), ">", word);
    }
    default: {
      const std::span<const StringId> values = pool.as_string_list(attribute);
      const auto text = [&](StringId id) { append_quoted(out, context_->strings().text(id)); };
      if (wanted == kind || (!values.empty() && wanted == AttributeKind::None)) return joined(values, "[", "]", text);
      return joined(values, "#mlgc.strings<[", "]>", text);
    }
  }
}

void DataPrinter::array(std::string& out, Attribute attribute, AttributeKind wanted) {
  const AttributePool& pool = context_->attributes();
  const std::span<const Attribute> items = pool.as_array(attribute);
  // Items of one simple kind would read back as a list of that kind.
  bool simple = true;
  for (const Attribute each : items) {
    const AttributeKind kind = pool.kind(each);
    simple = simple && kind == pool.kind(items[0]) &&
             (kind == AttributeKind::Int || kind == AttributeKind::Float || kind == AttributeKind::Bool ||
              kind == AttributeKind::String);
  }
  // The generic form's lists are MLIR's, of which those of strings are ours too.
  if (form_ == TextForm::Generic && wanted == AttributeKind::None)
    simple = !items.empty() && simple && pool.kind(items[0]) == AttributeKind::String;
  const bool marked = wanted != AttributeKind::Array && (simple || wanted != AttributeKind::None);
  out += marked ? "#mlgc.array<[" : "[";
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) out += ", ";
    item(out, items[i]);
  }
  out += marked ? "]>" : "]";
}

void DataPrinter::elements(std::string& out, const TensorConstant& tensor, std::span<const IndexExpr> dims,
                           std::size_t& next) {
  if (dims.empty()) {
    const Dtype dtype = context_->types().dtype(tensor.type);
    append_element(out, dtype, tensor.bytes.data() + dtype_info(dtype).bytes * next++, form_);
    return;
  }
  out += '[';
  const std::int64_t count = *context_->index().as_constant(dims[0]);
  for (std::int64_t i = 0; i < count; ++i) {
    if (i > 0) out += ", ";
    elements(out, tensor, dims.subspan(1), next);
  }
  out += ']';
}

void DataPrinter::dense(std::string& out, const TensorConstant& tensor) {
  const TypePool& types = context_->types();
  const Dtype dtype = types.dtype(tensor.type);
  const auto count = types.element_count(tensor.type);
  out += "dense<";
  if (count && *count == 0) {
  } else if (tensor.splat) {
    append_element(out, dtype, tensor.bytes.data(), form_);
  } else if (*count <= kMostElements || dtype == Dtype::I1) {
    std::size_t next = 0;
    elements(out, tensor, types.dims(tensor.type), next);
  } else {
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    out += "\"0x";
    out.reserve(out.size() + tensor.bytes.size() * 2 + 64);
    for (const std::byte b : tensor.bytes) {
      out += kDigits[std::to_integer<unsigned>(b) >> 4];
      out += kDigits[std::to_integer<unsigned>(b) & 15U];
    }
    out += '"';
  }
  out += "> : ";
}

void DataPrinter::attribute(std::string& out, Attribute attribute, AttributeKind wanted) {
  const AttributePool& pool = context_->attributes();
  const bool generic = form_ == TextForm::Generic;
  const AttributeKind kind = pool.kind(attribute);
  switch (kind) {
    case AttributeKind::None: out += "none"; return;
    case AttributeKind::Bool: out += *pool.as_bool(attribute) ? "true" : "false"; return;
    case AttributeKind::Int: {
      const IndexExpr value = *pool.as_int(attribute);
      const auto constant = pool.as_int64(attribute);
      if (wanted == AttributeKind::Float || (!constant && (generic || wanted != AttributeKind::Int))) {
        out += "#mlgc.int<";
        quoted_expressions(out, {&value, 1}, false);
        out += '>';
      } else if (constant) {
        out += std::to_string(*constant);
        if (generic) out += " : i64";
      } else {
        out += '[';
        out += context_->index().print(value);
        out += ']';
      }
      return;
    }
    case AttributeKind::Float: append_typed_double(out, *pool.as_float(attribute), form_); return;
    case AttributeKind::IntList:
    case AttributeKind::FloatList:
    case AttributeKind::BoolList:
    case AttributeKind::StringList: return list(out, attribute, wanted);
    case AttributeKind::String: append_quoted(out, *pool.as_string(attribute)); return;
    case AttributeKind::Type: {
      const Type value = pool.as_type(attribute);
      const bool marked = context_->types().kind(value) == TypeKind::Scalar && wanted != AttributeKind::Type;
      if (marked) out += "#mlgc.type<";
      type(out, value);
      if (marked) out += '>';
      return;
    }
    case AttributeKind::Dtype: {
      const bool marked = wanted == AttributeKind::Type;
      if (marked) out += "#mlgc.dtype<";
      out += element_type(*pool.as_dtype(attribute));
      if (marked) out += '>';
      return;
    }
    case AttributeKind::Symbol: symbol(out, *pool.as_symbol(attribute)); return;
    case AttributeKind::Tensor: {
      const TensorConstant& tensor = pool.as_tensor(attribute);
      if (generic && !context_->types().is_static(tensor.type)) {
        out += "#mlgc.splat<\"";
        dense(out, tensor);
        make_type(out, tensor.type);
        out += "\">";
      } else {
        dense(out, tensor);
        type(out, tensor.type);
      }
      return;
    }
    case AttributeKind::Array: {
      const auto text = as_mlir_attribute(pool, attribute);
      if (!text) return array(out, attribute, wanted);
      const bool is_number = (text->front() >= '0' && text->front() <= '9') || text->front() == '-';
      if (generic) {
        out += *text;
        return;
      }
      if (is_number) return append_mlir_number(out, *text);
      out += "#mlgc.mlir<";
      append_quoted(out, *text);
      out += '>';
      return;
    }
    case AttributeKind::Subscripts:
      out += "#mlgc.subscripts<";
      quoted_expressions(out, pool.as_int_list(attribute), true);
      out += '>';
      return;
  }
}

}  // namespace mlgc::text

namespace mlgc {

std::string print_type(Type type, const Context& context, TextForm form) {
  std::string out;
  text::DataPrinter(context, form).type(out, type);
  return out;
}

std::string print_attribute(Attribute attribute, const Context& context, AttributeKind wanted, TextForm form) {
  std::string out;
  text::DataPrinter(context, form).attribute(out, attribute, wanted);
  return out;
}

}  // namespace mlgc
