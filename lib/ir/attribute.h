// Attributes: constant data of ops, interned in an AttributePool, so equality is an id compare. AttrDict is an interned
// list of name-value pairs sorted by name: an op holds one id whatever the number of its attributes.
//
// Integers are IndexExprs, since a dim may stand wherever an integer may. Floats are compared by their bits, so NaN and
// -0.0 are values of their own.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "ir/index_expr.h"
#include "ir/string_pool.h"
#include "ir/type.h"
#include "support/intern_table.h"
#include "tensor/dtype.h"
#include "tensor/tensor.h"

namespace mlgc {

// A handle into an AttributePool; a default-constructed one is no attribute.
struct Attribute {
  std::uint32_t id = 0;
  [[nodiscard]] constexpr bool valid() const { return id != 0; }
  friend constexpr auto operator<=>(Attribute, Attribute) = default;
};

// A handle into an AttributePool; a default-constructed one is the empty dictionary.
struct AttrDict {
  std::uint32_t id = 0;
  [[nodiscard]] constexpr bool empty() const { return id == 0; }
  friend constexpr auto operator<=>(AttrDict, AttrDict) = default;
};

struct NamedAttribute {
  StringId name;
  Attribute value;
  friend constexpr auto operator<=>(NamedAttribute, NamedAttribute) = default;
};

enum class AttributeKind : std::uint8_t {
  None,
  Bool,
  Int,      // an IndexExpr
  IntList,  // IndexExprs
  Float,    // a double
  FloatList,
  BoolList,
  String,  // also the text of a formula
  StringList,
  Type,
  Dtype,
  Symbol,      // @name
  Tensor,      // a dense constant
  Array,       // attributes of any kind
  Subscripts,  // IndexExprs whose opaque atoms number the operands of the op that holds the attribute
};
[[nodiscard]] std::string_view attribute_kind_name(AttributeKind kind);

// A dense constant: elements in row-major order, little-endian, dtype_info().bytes each.
struct TensorConstant {
  Type type;           // a tensor type
  bool splat = false;  // `bytes` is one element that stands for all; then the shape may be symbolic
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;  // keeps `bytes` alive; null when the pool holds a copy
};

class AttributePool {
 public:
  // The pools must outlive this one.
  AttributePool(IndexPool& index, StringPool& strings, TypePool& types);
  AttributePool(const AttributePool&) = delete;
  AttributePool& operator=(const AttributePool&) = delete;

  Attribute boolean(bool value);
  Attribute integer(IndexExpr value);
  Attribute integer(std::int64_t value);
  Attribute int_list(std::span<const IndexExpr> values);
  Attribute int_list(std::span<const std::int64_t> values);
  Attribute real(double value);
  Attribute float_list(std::span<const double> values);
  Attribute bool_list(std::span<const bool> values);
  Attribute string(std::string_view text);
  Attribute string_list(std::span<const StringId> texts);
  Attribute type(Type type);
  Attribute dtype(Dtype dtype);
  Attribute symbol(std::string_view name);  // without the @
  // Constants of up to 64 bytes are copied into the pool, larger ones share the tensor's storage. Equal elements are
  // folded into a splat, so that both forms are one attribute.
  Attribute tensor(const Tensor& value);
  // `bytes` (copied) holds all elements of a static shape, or one: a splat, then the shape may be symbolic. i1 elements
  // are the bytes 0 or 1. Another number of bytes is an InternalError.
  Attribute tensor(Type type, std::span<const std::byte> bytes);
  Attribute array(std::span<const Attribute> values);
  Attribute subscripts(std::span<const IndexExpr> values);

  // Inspection. Each as_… answers nothing (an empty span) for another kind. Spans stay valid for the life of the pool.
  [[nodiscard]] AttributeKind kind(Attribute a) const { return rows_[a.id].kind; }
  [[nodiscard]] std::optional<bool> as_bool(Attribute a) const;
  [[nodiscard]] std::optional<IndexExpr> as_int(Attribute a) const;
  // A constant integer.
  [[nodiscard]] std::optional<std::int64_t> as_int64(Attribute a) const;
  // IntList or Subscripts.
  [[nodiscard]] std::span<const IndexExpr> as_int_list(Attribute a) const;
  // Nothing when the kind is another or an item is symbolic.
  [[nodiscard]] std::optional<std::vector<std::int64_t>> as_int64_list(Attribute a) const;
  [[nodiscard]] std::optional<double> as_float(Attribute a) const;
  [[nodiscard]] std::span<const double> as_float_list(Attribute a) const;
  [[nodiscard]] std::span<const bool> as_bool_list(Attribute a) const;
  [[nodiscard]] std::optional<std::string_view> as_string(Attribute a) const;
  [[nodiscard]] std::span<const StringId> as_string_list(Attribute a) const;
  [[nodiscard]] Type as_type(Attribute a) const;
  [[nodiscard]] std::optional<Dtype> as_dtype(Attribute a) const;
  [[nodiscard]] std::optional<std::string_view> as_symbol(Attribute a) const;
  [[nodiscard]] std::span<const Attribute> as_array(Attribute a) const;
  // Precondition: kind(a) == Tensor.
  [[nodiscard]] const TensorConstant& as_tensor(Attribute a) const;
  // The constant as a host tensor, splats expanded. Error: a symbolic shape, or not enough memory.
  [[nodiscard]] Result<Tensor> to_host(Attribute a) const;

  // Dictionaries. When a name is repeated the last value wins.
  AttrDict dict(std::span<const NamedAttribute> entries);
  // Sorted by the text of the names.
  [[nodiscard]] std::span<const NamedAttribute> entries(AttrDict dict) const { return dicts_[dict.id]; }
  // No attribute when the name is not there.
  [[nodiscard]] Attribute get(AttrDict dict, StringId name) const;
  [[nodiscard]] Attribute get(AttrDict dict, std::string_view name) const;
  AttrDict with(AttrDict base, StringId name, Attribute value);
  AttrDict without(AttrDict base, StringId name);

  [[nodiscard]] std::size_t size() const { return rows_.size(); }
  [[nodiscard]] std::size_t dict_count() const { return dicts_.size(); }

 private:
  // `word` is the scalar payload or the number of a tensor; lists point into an arena.
  struct Row {
    AttributeKind kind = AttributeKind::None;
    std::uint32_t count = 0;
    std::uint64_t word = 0;
    const void* list = nullptr;
  };
  Attribute scalar(AttributeKind kind, std::uint64_t word);
  template <class T>
  Attribute list(AttributeKind kind, std::span<const T> values, StableArena<T>& arena);
  template <class T>
  [[nodiscard]] std::span<const T> items(Attribute a) const;

  IndexPool* index_;
  StringPool* strings_;
  TypePool* types_;
  std::vector<Row> rows_;
  Attribute intern_tensor(TensorConstant constant);
  std::vector<TensorConstant> tensors_;
  StableArena<std::byte> bytes_;
  StableArena<IndexExpr> ints_;
  StableArena<double> floats_;
  StableArena<bool> bools_;
  StableArena<StringId> names_;
  StableArena<Attribute> attributes_;
  InternTable table_;
  std::vector<std::span<const NamedAttribute>> dicts_;
  StableArena<NamedAttribute> entries_;
  InternTable dict_table_;
};

}  // namespace mlgc
