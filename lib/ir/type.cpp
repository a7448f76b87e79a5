// Interning and printing of types.
#include "ir/type.h"

#include <algorithm>
#include <array>
#include <utility>

#include "support/hash.h"
#include "support/result.h"

namespace mlgc {
namespace {

constexpr std::array<std::string_view, 5> kScopeNames{"argument", "weight", "arena", "thread", "register"};

template <class T>
bool equal_spans(std::span<const T> a, std::span<const T> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

template <class T>
std::uint64_t hash_items(std::uint64_t seed, std::span<const T> items) {
  seed = hash_mix(seed, items.size());
  for (const T item : items) seed = hash_mix(seed, item.id);
  return seed;
}

}  // namespace

std::string_view scope_name(Scope scope) { return kScopeNames[static_cast<std::size_t>(scope)]; }

std::optional<Scope> parse_scope(std::string_view name) {
  for (std::size_t i = 0; i < kScopeNames.size(); ++i)
    if (kScopeNames[i] == name) return static_cast<Scope>(i);
  return std::nullopt;
}

TypePool::TypePool(IndexPool& index, StringPool& strings) : index_(&index), strings_(&strings) { rows_.emplace_back(); }

Type TypePool::intern(const Row& row) {
  std::uint64_t hash = hash_mix(static_cast<std::uint64_t>(row.kind), static_cast<std::uint64_t>(row.dtype));
  hash = hash_mix(hash, static_cast<std::uint64_t>(row.scope));
  hash = hash_mix(hash, row.layout.value);
  hash = hash_items(hash_items(hash_items(hash, row.dims), row.params), row.results);
  const auto same = [&](std::uint32_t id) {
    const Row& other = rows_[id];
    return row.kind == other.kind && row.dtype == other.dtype && row.scope == other.scope &&
           row.layout == other.layout && equal_spans(row.dims, other.dims) && equal_spans(row.params, other.params) &&
           equal_spans(row.results, other.results);
  };
  return {table_.find_or_insert(hash, same, [&] {
    Row kept = row;
    kept.dims = dims_.copy(row.dims);
    kept.params = types_.copy(row.params);
    kept.results = types_.copy(row.results);
    rows_.push_back(kept);
    return static_cast<std::uint32_t>(rows_.size() - 1);
  })};
}

std::vector<IndexExpr> TypePool::constants(std::initializer_list<std::int64_t> dims) {
  std::vector<IndexExpr> result;
  result.reserve(dims.size());
  for (const std::int64_t dim : dims) result.push_back(index_->constant(dim));
  return result;
}

Type TypePool::tensor(Dtype dtype, std::span<const IndexExpr> dims) {
  return intern(Row{.kind = TypeKind::Tensor, .dtype = dtype, .dims = dims});
}
Type TypePool::tensor(Dtype dtype, std::initializer_list<std::int64_t> dims) { return tensor(dtype, constants(dims)); }
Type TypePool::scalar(Dtype dtype) { return intern(Row{.kind = TypeKind::Scalar, .dtype = dtype}); }
Type TypePool::vector(Dtype dtype, std::span<const IndexExpr> dims) {
  return intern(Row{.kind = TypeKind::Vector, .dtype = dtype, .dims = dims});
}
Type TypePool::vector(Dtype dtype, std::initializer_list<std::int64_t> dims) { return vector(dtype, constants(dims)); }
Type TypePool::buffer(Dtype dtype, std::span<const IndexExpr> dims, Scope scope, StringId layout) {
  return intern(Row{.kind = TypeKind::Buffer, .dtype = dtype, .scope = scope, .layout = layout, .dims = dims});
}
Type TypePool::index() { return intern(Row{.kind = TypeKind::Index}); }
Type TypePool::function(std::span<const Type> params, std::span<const Type> results) {
  return intern(Row{.kind = TypeKind::Function, .params = params, .results = results});
}

Type TypePool::with_dims(Type type, std::span<const IndexExpr> dims) {
  MLGC_ASSERT(is_shaped(type), "with_dims of a type without a shape");
  Row row = rows_[type.id];
  row.dims = dims;
  if (row.kind == TypeKind::Scalar && !dims.empty()) row.kind = TypeKind::Tensor;
  return intern(row);
}

Type TypePool::with_dtype(Type type, Dtype dtype) {
  MLGC_ASSERT(is_shaped(type), "with_dtype of a type without a shape");
  Row row = rows_[type.id];
  row.dtype = dtype;
  return intern(row);
}

bool TypePool::is_static(Type type) const {
  const auto all = dims(type);
  return std::all_of(all.begin(), all.end(), [&](IndexExpr dim) { return index_->as_constant(dim).has_value(); });
}

std::optional<std::int64_t> TypePool::element_count(Type type) const {
  std::int64_t count = 1;
  bool zero = false, overflow = false;
  for (const IndexExpr dim : dims(type)) {
    const std::optional<std::int64_t> extent = index_->as_constant(dim);
    if (!extent) return std::nullopt;
    zero = zero || *extent == 0;
    overflow = overflow || __builtin_mul_overflow(count, *extent == 0 ? 1 : *extent, &count);
  }
  if (overflow) return std::nullopt;
  return zero ? 0 : count;
}

std::string TypePool::print(Type type) const {
  std::string out;
  print(out, type);
  return out;
}

void TypePool::print_dim(std::string& out, IndexExpr dim) const {
  if (const std::optional<std::int64_t> value = index_->as_constant(dim)) {
    out += std::to_string(*value);
  } else {
    out += '[';
    out += index_->print(dim);
    out += ']';
  }
}

void TypePool::print(std::string& out, Type type) const {
  const Row& row = rows_[type.id];
  const auto shaped = [&](std::string_view word) {
    out += word;
    out += '<';
    for (const IndexExpr dim : row.dims) {
      print_dim(out, dim);
      out += 'x';
    }
    out += dtype_info(row.dtype).name;
  };
  // A result list that is not exactly one plain type stands in parentheses, so that the text reads back one way.
  const auto list = [&](std::span<const Type> types, bool bare) {
    if (!bare) out += '(';
    for (std::size_t i = 0; i < types.size(); ++i) {
      if (i > 0) out += ", ";
      print(out, types[i]);
    }
    if (!bare) out += ')';
  };
  switch (row.kind) {
    case TypeKind::None: out += "none"; return;
    case TypeKind::Scalar: out += dtype_info(row.dtype).name; return;
    case TypeKind::Index: out += "index"; return;
    case TypeKind::Tensor:
      shaped("tensor");
      out += '>';
      return;
    case TypeKind::Vector:
      shaped("vector");
      out += '>';
      return;
    case TypeKind::Buffer:
      shaped("buffer");
      out += ", ";
      out += scope_name(row.scope);
      if (row.layout.valid()) {
        out += ", ";
        out += strings_->text(row.layout);
      }
      out += '>';
      return;
    case TypeKind::Function:
      list(row.params, false);
      out += " -> ";
      list(row.results, row.results.size() == 1 && kind(row.results[0]) != TypeKind::Function);
      return;
  }
}

}  // namespace mlgc
