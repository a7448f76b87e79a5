// See draw_op.h.
#include "check/draw_op.h"

#include <algorithm>
#include <cmath>

#include "ops/attribute_value.h"
#include "ops/instantiate_op.h"
#include "rewrite/rule_functions.h"

namespace mlgc {

Dtype OpDrawing::dtype_for(ElementClass elements) {
  switch (elements) {
    case ElementClass::Bool: return Dtype::I1;
    case ElementClass::Position: return Dtype::I64;
    case ElementClass::Float: return is_float(dtype_) ? dtype_ : Dtype::F32;
    case ElementClass::Integer: return is_integer(dtype_) ? dtype_ : Dtype::I32;
    default: return chance(8) ? any_dtype() : dtype_;
  }
}

void OpDrawing::set_sizes(std::vector<IndexExpr> palette, std::vector<IndexExpr> shape) {
  palette_ = std::move(palette);
  shape_ = std::move(shape);
}

const Example* OpDrawing::example_of(const OpDef& def) {
  auto [at, fresh] = examples_.try_emplace(&def);
  if (fresh && !def.example.empty())
    if (auto example = parse_example(context_, def.example); example) at->second = *std::move(example);
  return at->second ? &*at->second : nullptr;
}

std::optional<std::size_t> OpDrawing::example_rank(const OpDef& def, std::size_t operand) {
  const Example* const example = example_of(def);
  if (example == nullptr || operand >= example->operands.size() || !example->operands[operand]) return std::nullopt;
  return example->operands[operand]->rank();
}

Type OpDrawing::draw_type(const OpDef& def, std::size_t operand) {
  const OperandDef& row = def.operands[std::min(operand, def.operands.size() - 1)];
  std::vector<IndexExpr> dims = shape_;
  const auto rank = example_rank(def, operand);
  if (has_beside() && chance(40)) {
    // Its sizes, the last two exchanged or replaced.
    const auto there = context_.types().dims(beside_);
    dims.assign(there.begin(), there.end());
    for (std::size_t n = std::min<std::size_t>(dims.size(), 2), i = dims.size() - n; i < dims.size(); ++i)
      if (chance(60)) dims[i] = chance(50) ? pick(palette_) : there[dims.size() - 1 - (i - (dims.size() - n))];
  } else if (!has(def.traits, Traits::Elementwise) && rank && chance(75)) {
    dims.clear();
    for (std::size_t i = 0; i < *rank; ++i) dims.push_back(pick(palette_));
  } else if (chance(20)) {
    // Broadcasts: axes of size 1, and fewer axes.
    for (IndexExpr& d : dims)
      if (chance(40)) d = context_.index().constant(1);
    if (!dims.empty() && chance(40)) dims.erase(dims.begin());
  } else if (chance(20)) {
    dims.clear();
    for (std::int64_t i = below(5); i > 0; --i) dims.push_back(pick(palette_));
  }
  return context_.types().tensor(dtype_for(row.elements), dims);
}

std::int64_t OpDrawing::axes() const {
  const std::size_t rank = has_beside() ? context_.types().rank(beside_) : shape_.size();
  return static_cast<std::int64_t>(std::max<std::size_t>(rank, 1));
}

AttrValue OpDrawing::draw_attribute(const AttrDef& row) {
  IndexPool& index = context_.index();
  const bool axis = row.name.find("dim") != std::string_view::npos || row.name.find("axis") != std::string_view::npos;
  switch (row.kind) {
    case AttributeKind::Bool: return chance(50);
    case AttributeKind::Int: return index.constant(axis ? between(-axes(), axes() - 1) : between(0, 3));
    case AttributeKind::None: return draw_number();
    case AttributeKind::Float: return as_double(index, draw_number()).value();
    case AttributeKind::FloatList: return std::vector<double>{0.5, 2.0};
    case AttributeKind::Dtype: return any_dtype();
    case AttributeKind::String: {
      const std::vector<std::string> words = attribute_choices(row);
      return words.empty() ? std::string() : pick(words);
    }
    default: break;
  }
  if (axis) return draw_axes();
  if (row.name == "shape" || row.name == "size") return draw_shape(row.name == "size");
  return draw_small_numbers(row);
}

std::vector<IndexExpr> OpDrawing::draw_axes() {
  std::vector<IndexExpr> items;
  for (std::int64_t i = 0; i < axes(); ++i) items.push_back(context_.index().constant(i));
  shuffle(items);
  if (chance(50)) items.resize(static_cast<std::size_t>(below(axes() + 1)));
  return items;
}

// A shape near that of the value beside, or of all values: axes merged, exchanged and added, or copied along those of
// size 1.
std::vector<IndexExpr> OpDrawing::draw_shape(bool copies) {
  IndexPool& index = context_.index();
  std::vector<IndexExpr> items = shape_;
  if (has_beside()) {
    const auto dims = context_.types().dims(beside_);
    items.assign(dims.begin(), dims.end());
  }
  if (copies && has_beside()) {
    for (IndexExpr& item : items)
      if (index.as_constant(item) == 1 && chance(60)) item = pick(palette_);
    return items;
  }
  const bool exchange = !has_beside() || chance(20);
  for (std::size_t i = items.size(); exchange && i > 1; --i)
    if (chance(50)) std::swap(items[i - 1], items[static_cast<std::size_t>(below(static_cast<std::int64_t>(i)))]);
  if (items.size() > 1 && chance(has_beside() ? 60 : 30)) {
    const auto at = has_beside() ? below(static_cast<std::int64_t>(items.size()) - 1) : 0;
    IndexExpr& merged = items[static_cast<std::size_t>(at)];
    merged = index.mul(merged, items[static_cast<std::size_t>(at) + 1]);
    items.erase(items.begin() + at + 1);
  }
  if (chance(30)) items.insert(items.begin() + below(static_cast<std::int64_t>(items.size()) + 1), index.constant(1));
  return items;
}

std::vector<IndexExpr> OpDrawing::draw_small_numbers(const AttrDef& row) {
  const auto fallback = row.fallback.empty() ? std::nullopt : read_attribute_text(context_, row.fallback, row.kind);
  const std::size_t length =
      fallback ? context_.attributes().as_int_list(*fallback).size() : static_cast<std::size_t>(between(1, 2));
  std::vector<IndexExpr> items;
  for (std::size_t i = 0; i < length; ++i)
    items.push_back(context_.index().constant(between(row.name == "padding" ? 0 : 1, 2)));
  return items;
}

AttrValue OpDrawing::draw_number() {
  static constexpr double kReals[] = {0.5, 2, -1, 1, 0, 3, 0.1, 1e-3, 100, -0.0};
  if (!is_float(dtype_)) return context_.index().constant(dtype_ == Dtype::I1 ? below(2) : between(-3, 7));
  return kReals[below(std::ssize(kReals))];
}

Attribute OpDrawing::draw_constant(Type type) {
  Shape shape;
  for (const IndexExpr d : context_.types().dims(type)) shape.push_back(context_.index().as_constant(d).value_or(2));
  Tensor data = Tensor::zeros(context_.types().dtype(type), shape);
  fill_random(data, next_seed());
  // Half of the constants are positive: roots and logarithms are taken of some.
  if (is_float(data.dtype()) && chance(50))
    for (std::int64_t i = 0; i < data.size(); ++i) data.set_double(i, 0.5 + std::abs(data.get_double(i)));
  return context_.attributes().tensor(data);
}

Attribute OpDrawing::splat(Type type, double number) {
  const Tensor element = Tensor::splat(context_.types().dtype(type), {}, number);
  return context_.attributes().tensor(type, element.bytes());
}

}  // namespace mlgc
