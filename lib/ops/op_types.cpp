// Typed access to attribute values.
#include "ops/op_types.h"

namespace mlgc {
namespace {

template <class T>
const T* get(const AttrValues& values, std::string_view name) {
  const AttrValue* value = values.find(name);
  return value ? std::get_if<T>(value) : nullptr;
}

}  // namespace

bool Attrs::flag(std::string_view name) const {
  const bool* value = get<bool>(*values_, name);
  return value && *value;
}

std::optional<std::int64_t> Attrs::integer(std::string_view name) const {
  const IndexExpr* value = get<IndexExpr>(*values_, name);
  return value ? index_->as_constant(*value) : std::nullopt;
}

double Attrs::real(std::string_view name) const {
  if (const double* value = get<double>(*values_, name)) return *value;
  return static_cast<double>(integer(name).value_or(0));
}

std::vector<IndexExpr> Attrs::list(std::string_view name) const {
  const auto* value = get<std::vector<IndexExpr>>(*values_, name);
  return value ? *value : std::vector<IndexExpr>();
}

std::string Attrs::text(std::string_view name) const {
  const std::string* value = get<std::string>(*values_, name);
  return value ? *value : std::string();
}

std::optional<Dtype> Attrs::dtype(std::string_view name) const {
  const Dtype* value = get<Dtype>(*values_, name);
  return value ? std::optional(*value) : std::nullopt;
}

std::optional<std::vector<std::int64_t>> Attrs::constants(std::string_view name) const {
  std::vector<std::int64_t> out;
  for (IndexExpr e : list(name)) {
    const auto c = index_->as_constant(e);
    if (!c) return std::nullopt;
    out.push_back(*c);
  }
  return out;
}

}  // namespace mlgc
