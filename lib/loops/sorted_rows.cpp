// See sorted_rows.h.
#include "loops/sorted_rows.h"

#include <string>

#include "loopir/loop_ops.h"
#include "ops/instantiate_op.h"

namespace mlgc::loops {

SortedRows::SortedRows(Module& module, OpRef sort)
    : context_(module.context()),
      index_(context_.index()),
      types_(context_.types()),
      sort_(sort),
      ops_(module),
      type_(sort.operand(0).type()) {
  const std::int64_t dim = *context_.attributes().as_int64(attribute("dim"));
  axis_ = static_cast<std::size_t>(dim < 0 ? dim + static_cast<std::int64_t>(types_.rank(type_)) : dim);
  count_ = types_.dims(type_)[axis_];
  const bool topk = sort.is(GraphOp::Topk);
  descending_ = *context_.attributes().as_bool(attribute(topk ? "largest" : "descending"));
  kept_ = topk ? *context_.attributes().as_int(attribute("k")) : count_;
  stored_ = types_.dtype(type_);
  held_ = stored_ == Dtype::F16 || stored_ == Dtype::BF16 ? Dtype::F32 : stored_;
  wide_ = held_ == Dtype::F64 || held_ == Dtype::I64;
  const auto most = index_.as_constant(count_);
  place_ = most && *most <= kMostElements ? Dtype::I32 : Dtype::I64;
  row_.resize(types_.rank(type_));
}

Attribute SortedRows::attribute(std::string_view name) {
  const auto all = check_attributes(context_, sort_.def(), sort_.attrs());
  MLGC_ASSERT(all.ok(), "attributes that the verifier accepted");
  AttributePool& pool = context_.attributes();
  const AttrValue* const value = all->find(name);
  MLGC_ASSERT(value != nullptr, "an attribute without a fallback");
  if (const auto* flag = std::get_if<bool>(value)) return pool.boolean(*flag);
  return pool.integer(std::get<IndexExpr>(*value));
}

OpRef SortedRows::open(std::span<const std::size_t> results, std::string_view name) {
  results_ = results;
  std::vector<Type> types{types_.buffer(types_.dtype(type_), types_.dims(type_), Scope::Argument)};
  for (const std::size_t r : results)
    types.push_back(types_.buffer(sort_.result(r).dtype(), sort_.result(r).dims(), Scope::Argument));
  const OpRef func = ops_.builder().func(name, types);
  body_ = func.region(0);
  x_ = body_.argument(0);
  x_.set_name("x");
  for (std::size_t i = 0; i < results.size(); ++i)
    body_.argument(i + 1).set_name(results[i] == 0 ? "values" : "indices");
  ops_.builder().set_end(body_);
  return func;
}

std::vector<OpRef> SortedRows::open_rows() {
  std::vector<OpRef> rows;
  for (std::size_t d = 0; d < types_.rank(type_); ++d) {
    if (d == axis_) continue;
    rows.push_back(loop(types_.dims(type_)[d], "b" + std::to_string(d), {}, true));
    row_[d] = rows.back().region(0).argument(0);
  }
  return rows;
}

void SortedRows::close(std::span<const OpRef> loops) {
  for (std::size_t i = loops.size(); i-- > 0;) ops_.end(loops[i]);
}

std::vector<IndexExpr> SortedRows::row_dims() const {
  std::vector<IndexExpr> out;
  for (std::size_t d = 0; d < types_.rank(type_); ++d)
    if (d != axis_) out.push_back(types_.dims(type_)[d]);
  return out;
}

void SortedRows::check_length() {
  if (index_.as_constant(count_).value_or(kMostElements + 1) > kMostElements)
    ops_.check(index_.sub(index_.constant(kMostElements), count_), "a row to sort of more than 2147483647 elements");
}

std::vector<Value> SortedRows::at(Value place) const {
  std::vector<Value> out = row_;
  out[axis_] = place;
  return out;
}

Value SortedRows::key_of(Value element) {
  const Dtype dtype = wide_ ? Dtype::I64 : Dtype::I32;
  Value key = element;
  if (is_float(element.dtype())) {
    key = BitsRef::create(ops_.builder(), as(element, held_)).op().result();
    const Value zero = ops_.literal(dtype, 0), least = ops_.literal(dtype, extreme_integers(dtype).first);
    key = ops_.choose(ops_.less(key, zero), difference(least, key), key);
    // What lies below the bits that the element has.
    if (stored_ == Dtype::BF16) key = shifted(key, 16);
    if (stored_ == Dtype::F16) key = shifted(key, 13);
  }
  key = as(key, dtype);
  return descending_ ? ops_.scalar("bitwise_not", {key}, key.type()) : key;
}

void SortedRows::give(Value found, std::size_t result, Value to, Value i) {
  ops_.store(as(found, result == 0 ? stored_ : Dtype::I64), to, at(i));
}

void SortedRows::move(Value from, Value to, bool checked_from, bool checked_to) {
  for (std::size_t r = 0; r < results_.size(); ++r) {
    const Value given = results_[r] == 0 ? ops_.load(x_, at(from), checked_from) : as(from, Dtype::I64);
    ops_.store(given, body_.argument(r + 1), at(to), checked_to);
  }
}

OpRef SortedRows::loop(IndexExpr end, std::string_view name, const std::vector<Value>& initial, bool parallel) {
  return ops_.loop(index_.constant(0), end, {}, name, initial, parallel);
}

}  // namespace mlgc::loops
