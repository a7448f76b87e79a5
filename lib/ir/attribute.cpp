// Interning and inspection of attributes and dictionaries.
#include "ir/attribute.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "support/hash.h"

namespace mlgc {
namespace {

constexpr std::array<std::string_view, 15> kKindNames{"none",
                                                      "boolean",
                                                      "integer",
                                                      "list of integers",
                                                      "real",
                                                      "list of reals",
                                                      "list of booleans",
                                                      "string",
                                                      "list of strings",
                                                      "type",
                                                      "dtype",
                                                      "symbol",
                                                      "tensor",
                                                      "array",
                                                      "subscripts"};

constexpr std::size_t kCopiedBytes = 64;

std::uint64_t word_of(IndexExpr e) { return e.id; }
std::uint64_t word_of(Attribute a) { return a.id; }
std::uint64_t word_of(StringId s) { return s.value; }
std::uint64_t word_of(bool b) { return b ? 1 : 0; }
std::uint64_t word_of(double d) { return std::bit_cast<std::uint64_t>(d); }

// By the words, so that doubles compare bit by bit.
template <class T>
bool same_items(std::span<const T> a, std::span<const T> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](T x, T y) { return word_of(x) == word_of(y); });
}

bool all_equal(std::span<const std::byte> bytes, std::size_t width) {
  // Every element equals its predecessor.
  return bytes.size() >= width && std::memcmp(bytes.data(), bytes.data() + width, bytes.size() - width) == 0;
}

}  // namespace

std::string_view attribute_kind_name(AttributeKind kind) { return kKindNames[static_cast<std::size_t>(kind)]; }

AttributePool::AttributePool(IndexPool& index, StringPool& strings, TypePool& types)
    : index_(&index), strings_(&strings), types_(&types) {
  rows_.emplace_back();
  dicts_.emplace_back();
}

Attribute AttributePool::scalar(AttributeKind kind, std::uint64_t word) {
  const std::uint64_t hash = hash_mix(static_cast<std::uint64_t>(kind), word);
  return {table_.find_or_insert(
      hash, [&](std::uint32_t id) { return rows_[id].kind == kind && rows_[id].word == word; },
      [&] {
        rows_.push_back(Row{kind, 0, word, nullptr});
        return static_cast<std::uint32_t>(rows_.size() - 1);
      })};
}

template <class T>
std::span<const T> AttributePool::items(Attribute a) const {
  return {static_cast<const T*>(rows_[a.id].list), rows_[a.id].count};
}

template <class T>
Attribute AttributePool::list(AttributeKind kind, std::span<const T> values, StableArena<T>& arena) {
  std::uint64_t hash = hash_mix(static_cast<std::uint64_t>(kind), values.size());
  for (const T value : values) hash = hash_mix(hash, word_of(value));
  return {table_.find_or_insert(
      hash, [&](std::uint32_t id) { return rows_[id].kind == kind && same_items(items<T>({id}), values); },
      [&] {
        const std::span<const T> kept = arena.copy(values);
        rows_.push_back(Row{kind, static_cast<std::uint32_t>(kept.size()), 0, kept.data()});
        return static_cast<std::uint32_t>(rows_.size() - 1);
      })};
}

Attribute AttributePool::boolean(bool value) { return scalar(AttributeKind::Bool, word_of(value)); }
Attribute AttributePool::integer(IndexExpr value) { return scalar(AttributeKind::Int, word_of(value)); }
Attribute AttributePool::integer(std::int64_t value) { return integer(index_->constant(value)); }
Attribute AttributePool::real(double value) { return scalar(AttributeKind::Float, word_of(value)); }
Attribute AttributePool::string(std::string_view text) {
  return scalar(AttributeKind::String, word_of(strings_->intern(text)));
}
Attribute AttributePool::type(Type type) { return scalar(AttributeKind::Type, type.id); }
Attribute AttributePool::dtype(Dtype dtype) { return scalar(AttributeKind::Dtype, static_cast<std::uint64_t>(dtype)); }
Attribute AttributePool::symbol(std::string_view name) {
  return scalar(AttributeKind::Symbol, word_of(strings_->intern(name)));
}

Attribute AttributePool::int_list(std::span<const IndexExpr> values) {
  return list(AttributeKind::IntList, values, ints_);
}
Attribute AttributePool::int_list(std::span<const std::int64_t> values) {
  std::vector<IndexExpr> exprs;
  exprs.reserve(values.size());
  for (const std::int64_t value : values) exprs.push_back(index_->constant(value));
  return int_list(std::span<const IndexExpr>(exprs));
}
Attribute AttributePool::float_list(std::span<const double> values) {
  return list(AttributeKind::FloatList, values, floats_);
}
Attribute AttributePool::bool_list(std::span<const bool> values) {
  return list(AttributeKind::BoolList, values, bools_);
}
Attribute AttributePool::string_list(std::span<const StringId> texts) {
  return list(AttributeKind::StringList, texts, names_);
}
Attribute AttributePool::array(std::span<const Attribute> values) {
  return list(AttributeKind::Array, values, attributes_);
}
Attribute AttributePool::subscripts(std::span<const IndexExpr> values) {
  return list(AttributeKind::Subscripts, values, ints_);
}

Attribute AttributePool::intern_tensor(TensorConstant constant) {
  const std::size_t width = dtype_info(types_->dtype(constant.type)).bytes;
  if (!constant.splat && all_equal(constant.bytes, width)) {
    constant.splat = true;
    constant.bytes = constant.bytes.first(width);
  }
  // A constant of one element has one representation as well.
  constant.splat = constant.splat || constant.bytes.size() == width;
  // What is short is copied, and its owner let go, but not before: the bytes are the owner's.
  const bool copied = constant.owner == nullptr || constant.bytes.size() <= kCopiedBytes;
  const std::string_view text(reinterpret_cast<const char*>(constant.bytes.data()), constant.bytes.size());
  const std::uint64_t hash =
      hash_bytes(text, hash_mix(static_cast<std::uint64_t>(AttributeKind::Tensor), constant.type.id));
  const auto same = [&](std::uint32_t id) {
    if (rows_[id].kind != AttributeKind::Tensor) return false;
    const TensorConstant& other = tensors_[rows_[id].word];
    return other.type == constant.type && other.splat == constant.splat &&
           std::ranges::equal(other.bytes, constant.bytes);
  };
  return {table_.find_or_insert(hash, same, [&] {
    if (copied) {
      // Padded, so that every constant of the arena starts aligned for its elements.
      std::vector<std::byte> padded(constant.bytes.begin(), constant.bytes.end());
      padded.resize((padded.size() + 7) / 8 * 8);
      constant.bytes = bytes_.copy(padded).first(constant.bytes.size());
      constant.owner = nullptr;
    }
    tensors_.push_back(constant);
    rows_.push_back(Row{AttributeKind::Tensor, 0, tensors_.size() - 1, nullptr});
    return static_cast<std::uint32_t>(rows_.size() - 1);
  })};
}

Attribute AttributePool::tensor(const Tensor& value) {
  std::vector<IndexExpr> dims;
  for (const std::int64_t extent : value.shape()) dims.push_back(index_->constant(extent));
  const Type type = types_->tensor(value.dtype(), dims);
  if (value.byte_size() <= kCopiedBytes) return intern_tensor({type, false, value.bytes(), nullptr});
  auto owner = std::make_shared<const Tensor>(value);
  const std::span<const std::byte> bytes = owner->bytes();
  return intern_tensor({type, false, bytes, std::move(owner)});
}

Attribute AttributePool::tensor(Type type, std::span<const std::byte> bytes) {
  MLGC_ASSERT(types_->is_tensor(type), "a dense constant needs a tensor type");
  const std::size_t width = dtype_info(types_->dtype(type)).bytes;
  const std::optional<std::int64_t> count = types_->element_count(type);
  const bool complete = count && bytes.size() % width == 0 && bytes.size() / width == static_cast<std::size_t>(*count);
  // One element for an empty shape says no more than no element.
  if (count == 0) return intern_tensor({type, false, {}, nullptr});
  MLGC_ASSERT(complete || bytes.size() == width, "the bytes of a dense constant do not fit its type");
  if (bytes.size() <= kCopiedBytes) return intern_tensor({type, !complete, bytes, nullptr});
  auto owner = std::make_shared<const std::vector<std::byte>>(bytes.begin(), bytes.end());
  const std::span<const std::byte> kept = *owner;
  return intern_tensor({type, !complete, kept, std::move(owner)});
}

std::optional<bool> AttributePool::as_bool(Attribute a) const {
  if (kind(a) != AttributeKind::Bool) return std::nullopt;
  return rows_[a.id].word != 0;
}
std::optional<IndexExpr> AttributePool::as_int(Attribute a) const {
  if (kind(a) != AttributeKind::Int) return std::nullopt;
  return IndexExpr{static_cast<std::uint32_t>(rows_[a.id].word)};
}
std::optional<std::int64_t> AttributePool::as_int64(Attribute a) const {
  const std::optional<IndexExpr> e = as_int(a);
  return e ? index_->as_constant(*e) : std::nullopt;
}
std::span<const IndexExpr> AttributePool::as_int_list(Attribute a) const {
  const bool ours = kind(a) == AttributeKind::IntList || kind(a) == AttributeKind::Subscripts;
  return ours ? items<IndexExpr>(a) : std::span<const IndexExpr>();
}
std::optional<std::vector<std::int64_t>> AttributePool::as_int64_list(Attribute a) const {
  if (kind(a) != AttributeKind::IntList) return std::nullopt;
  std::vector<std::int64_t> values;
  for (const IndexExpr e : items<IndexExpr>(a)) {
    const std::optional<std::int64_t> value = index_->as_constant(e);
    if (!value) return std::nullopt;
    values.push_back(*value);
  }
  return values;
}
std::optional<double> AttributePool::as_float(Attribute a) const {
  if (kind(a) != AttributeKind::Float) return std::nullopt;
  return std::bit_cast<double>(rows_[a.id].word);
}
std::span<const double> AttributePool::as_float_list(Attribute a) const {
  return kind(a) == AttributeKind::FloatList ? items<double>(a) : std::span<const double>();
}
std::span<const bool> AttributePool::as_bool_list(Attribute a) const {
  return kind(a) == AttributeKind::BoolList ? items<bool>(a) : std::span<const bool>();
}
std::optional<std::string_view> AttributePool::as_string(Attribute a) const {
  if (kind(a) != AttributeKind::String) return std::nullopt;
  return strings_->text(StringId(rows_[a.id].word));
}
std::span<const StringId> AttributePool::as_string_list(Attribute a) const {
  return kind(a) == AttributeKind::StringList ? items<StringId>(a) : std::span<const StringId>();
}
Type AttributePool::as_type(Attribute a) const {
  return kind(a) == AttributeKind::Type ? Type{static_cast<std::uint32_t>(rows_[a.id].word)} : Type();
}
std::optional<Dtype> AttributePool::as_dtype(Attribute a) const {
  if (kind(a) != AttributeKind::Dtype) return std::nullopt;
  return static_cast<Dtype>(rows_[a.id].word);
}
std::optional<std::string_view> AttributePool::as_symbol(Attribute a) const {
  if (kind(a) != AttributeKind::Symbol) return std::nullopt;
  return strings_->text(StringId(rows_[a.id].word));
}
std::span<const Attribute> AttributePool::as_array(Attribute a) const {
  return kind(a) == AttributeKind::Array ? items<Attribute>(a) : std::span<const Attribute>();
}
const TensorConstant& AttributePool::as_tensor(Attribute a) const {
  MLGC_ASSERT(kind(a) == AttributeKind::Tensor, "not a dense constant");
  return tensors_[rows_[a.id].word];
}

Result<Tensor> AttributePool::to_host(Attribute a) const {
  const TensorConstant& constant = as_tensor(a);
  const Dtype dtype = types_->dtype(constant.type);
  Shape shape;
  for (const IndexExpr dim : types_->dims(constant.type)) {
    const std::optional<std::int64_t> extent = index_->as_constant(dim);
    if (!extent) return Failure{std::string("the constant's type ") + types_->print(constant.type) + " is symbolic"};
    shape.push_back(*extent);
  }
  if (!constant.splat && constant.owner != nullptr) return Tensor::view(dtype, shape, constant.bytes, constant.owner);
  if (!constant.splat) return Tensor::from_bytes(dtype, shape, constant.bytes);
  Result<Tensor> result = Tensor::create(dtype, shape);
  if (!result) return result;
  // The filled part is copied to its end, doubling it each time.
  const std::span<std::byte> out = result->mutable_bytes();
  std::size_t filled = constant.bytes.size();
  std::memcpy(out.data(), constant.bytes.data(), filled);
  while (filled < out.size()) {
    const std::size_t step = std::min(filled, out.size() - filled);
    std::memcpy(out.data() + filled, out.data(), step);
    filled += step;
  }
  return result;
}

AttrDict AttributePool::dict(std::span<const NamedAttribute> entries) {
  if (entries.empty()) return {};
  const auto by_name = [&](const NamedAttribute& a, const NamedAttribute& b) {
    return a.name != b.name && strings_->text(a.name) < strings_->text(b.name);
  };
  std::vector<NamedAttribute> sorted;
  if (std::adjacent_find(entries.begin(), entries.end(),
                         [&](const auto& a, const auto& b) { return !by_name(a, b); }) != entries.end()) {
    sorted.assign(entries.begin(), entries.end());
    std::stable_sort(sorted.begin(), sorted.end(), by_name);
    std::vector<NamedAttribute> unique;
    for (const NamedAttribute& entry : sorted) {
      if (!unique.empty() && unique.back().name == entry.name)
        unique.back() = entry;
      else
        unique.push_back(entry);
    }
    sorted = std::move(unique);
    entries = sorted;
  }
  std::uint64_t hash = entries.size();
  for (const NamedAttribute& entry : entries) hash = hash_mix(hash_mix(hash, entry.name.value), entry.value.id);
  return {dict_table_.find_or_insert(
      hash, [&](std::uint32_t id) { return std::ranges::equal(dicts_[id], entries); },
      [&] {
        dicts_.push_back(entries_.copy(entries));
        return static_cast<std::uint32_t>(dicts_.size() - 1);
      })};
}

Attribute AttributePool::get(AttrDict dict, StringId name) const {
  for (const NamedAttribute& entry : entries(dict))
    if (entry.name == name) return entry.value;
  return {};
}

Attribute AttributePool::get(AttrDict dict, std::string_view name) const {
  for (const NamedAttribute& entry : entries(dict))
    if (strings_->text(entry.name) == name) return entry.value;
  return {};
}

AttrDict AttributePool::with(AttrDict base, StringId name, Attribute value) {
  const std::span<const NamedAttribute> old = entries(base);
  std::vector<NamedAttribute> changed(old.begin(), old.end());
  changed.push_back({name, value});
  return dict(changed);
}

AttrDict AttributePool::without(AttrDict base, StringId name) {
  std::vector<NamedAttribute> changed;
  for (const NamedAttribute& entry : entries(base))
    if (entry.name != name) changed.push_back(entry);
  return dict(changed);
}

}  // namespace mlgc
