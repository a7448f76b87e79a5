// Types: interned in a TypePool, so equality of types is equality of ids.
//
// Tensor, Scalar, Vector and Buffer are the shaped types; dtype(), rank() and dims() treat them alike (a Scalar has
// rank 0), so that a row of the op table need not know at which level it is used. Text forms:
//
//     tensor<[B]x784xf32>   f32   vector<16xf32>   buffer<[B]x784xf32, arena, nhwc>   index   (f32, index) -> f32
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/index_expr.h"
#include "ir/string_pool.h"
#include "support/intern_table.h"
#include "tensor/dtype.h"

namespace mlgc {

// A handle into a TypePool; a default-constructed one is no type.
struct Type {
  std::uint32_t id = 0;
  [[nodiscard]] constexpr bool valid() const { return id != 0; }
  friend constexpr auto operator<=>(Type, Type) = default;
};

enum class TypeKind : std::uint8_t { None, Tensor, Scalar, Vector, Buffer, Index, Function };

// Where a buffer lives.
enum class Scope : std::uint8_t { Argument, Weight, Arena, Thread, Register };
[[nodiscard]] std::string_view scope_name(Scope scope);
[[nodiscard]] std::optional<Scope> parse_scope(std::string_view name);

class TypePool {
 public:
  // Both pools must outlive this one.
  TypePool(IndexPool& index, StringPool& strings);
  TypePool(const TypePool&) = delete;
  TypePool& operator=(const TypePool&) = delete;

  // Construction. Dims are taken as they are: whoever accepts a type from a user checks that dims are not negative and
  // that a vector's are constant (verify).
  Type tensor(Dtype dtype, std::span<const IndexExpr> dims);
  Type tensor(Dtype dtype, std::initializer_list<std::int64_t> dims);
  Type scalar(Dtype dtype);
  Type vector(Dtype dtype, std::span<const IndexExpr> dims);
  Type vector(Dtype dtype, std::initializer_list<std::int64_t> dims);
  // `layout` is text that the loop level gives a meaning to (a permutation, strides); invalid means row-major.
  Type buffer(Dtype dtype, std::span<const IndexExpr> dims, Scope scope, StringId layout = {});
  Type index();
  Type function(std::span<const Type> params, std::span<const Type> results);
  // The type with the same kind (scope, layout) and other dims or another dtype. Precondition: is_shaped(type). A
  // Scalar keeps its kind only without dims and becomes a Tensor otherwise.
  Type with_dims(Type type, std::span<const IndexExpr> dims);
  Type with_dtype(Type type, Dtype dtype);

  // Inspection. Spans stay valid for the life of the pool.
  [[nodiscard]] TypeKind kind(Type type) const { return rows_[type.id].kind; }
  [[nodiscard]] bool is_tensor(Type type) const { return kind(type) == TypeKind::Tensor; }
  [[nodiscard]] bool is_shaped(Type type) const {
    return kind(type) >= TypeKind::Tensor && kind(type) <= TypeKind::Buffer;
  }
  // Precondition of the next three: is_shaped(type).
  [[nodiscard]] Dtype dtype(Type type) const { return rows_[type.id].dtype; }
  [[nodiscard]] std::span<const IndexExpr> dims(Type type) const { return rows_[type.id].dims; }
  [[nodiscard]] std::size_t rank(Type type) const { return rows_[type.id].dims.size(); }
  // Every dim is a constant.
  [[nodiscard]] bool is_static(Type type) const;
  // Number of elements; nothing when a dim is symbolic, or when the product leaves 64 bits.
  [[nodiscard]] std::optional<std::int64_t> element_count(Type type) const;
  [[nodiscard]] Scope scope(Type type) const { return rows_[type.id].scope; }
  [[nodiscard]] StringId layout(Type type) const { return rows_[type.id].layout; }
  [[nodiscard]] std::span<const Type> params(Type function) const { return rows_[function.id].params; }
  [[nodiscard]] std::span<const Type> results(Type function) const { return rows_[function.id].results; }
  [[nodiscard]] std::size_t size() const { return rows_.size(); }

  // Text of the pretty form; no type prints as `none`.
  [[nodiscard]] std::string print(Type type) const;
  void print(std::string& out, Type type) const;
  // One dim as it stands in a dimension list: `784`, `[B]`, `[2*S + 1]`.
  void print_dim(std::string& out, IndexExpr dim) const;

 private:
  struct Row {
    TypeKind kind = TypeKind::None;
    Dtype dtype = Dtype::F32;
    Scope scope = Scope::Argument;
    StringId layout = {};
    std::span<const IndexExpr> dims = {};
    std::span<const Type> params = {}, results = {};
  };
  Type intern(const Row& row);
  std::vector<IndexExpr> constants(std::initializer_list<std::int64_t> dims);

  IndexPool* index_;
  StringPool* strings_;
  std::vector<Row> rows_;
  StableArena<IndexExpr> dims_;
  StableArena<Type> types_;
  InternTable table_;
};

}  // namespace mlgc
